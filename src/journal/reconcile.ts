/** Reads the orders of open attempts again: carries out the effects of resolve.ts. */

import { CliError } from '../errors.ts';
import type { AttemptRecord, Resolved, Sight } from '../ports.ts';
import { Hands, type HandsParts } from './hands.ts';
import type { Effect, Event } from './protocol.ts';
import { beginResolve, type Errand, type ResolveState, resolve } from './resolve.ts';
import { isDue } from './standing.ts';
import { momentOf } from './time.ts';
import { refusalError } from './words.ts';

/** A person's part in settling: shown what a read shows, throws to stop. */
export type Confirm = (sight: Sight) => Promise<void>;

/** Reads one attempt's order and writes down what that proves. Throws CliError 'refused' while another run holds it. */
export async function resolveOne(
  parts: HandsParts,
  record: AttemptRecord,
  statement?: Errand['statement'],
  confirm: Confirm = () => Promise.resolve(),
): Promise<Resolved> {
  const { intent, attempt, origin, proof, given, neighbour } = record.sent;
  const { kind, orderId } = proof;
  const before = proof.before.newest;
  const hands = new Hands(parts, { kind, orderId, origin, given, intent, before }, neighbour);
  try {
    let { state, effect } = beginResolve({ intent, attempt, statement });
    while (state.at !== 'done')
      ({ state, effect } = resolve(state, await carryOut(hands, state, effect, confirm)));
    const { end } = state;
    if (end.how === 'looked') return end;
    throw refusalError(end.refusal, orderId ?? intent);
  } finally {
    await hands.release();
  }
}

function carryOut(hands: Hands, state: ResolveState, effect: Effect, confirm: Confirm): Promise<Event> {
  switch (effect.do) {
    case 'lock':
      return hands.orStopped(() => hands.lock());
    case 'look':
      return hands.orStopped(() => hands.look());
    case 'reread':
      return hands.reread();
    case 'approve':
      return hands.orStopped(async () => {
        if (state.at === 'asking') await confirm(state.sight);
        return { is: 'approved', moment: await hands.moment() };
      });
    case 'record':
      return hands.record(effect.row);
    case 'release':
      return hands.release();
    default:
      throw new Error(`a look at the journal met the effect '${effect.do}'`);
  }
}

const atMost = 3;

/**
 * Reads due attempts of this service's account: all of one order or script's id, and of the others three, oldest first.
 * What cannot be read now stays as it is.
 */
export async function reconcileDue(
  parts: HandsParts,
  first: { readonly orderId?: string | undefined; readonly given?: string | undefined },
): Promise<Resolved[]> {
  const { origin } = parts.service.profile;
  const unsettled = await parts.store.attempts({ origin, unsettled: true }).catch(() => []);
  const now = await momentOf(parts.clock, parts.store, parts.service);
  const due = unsettled.filter((record) => isDue(record, now));
  const isFirst = ({ sent }: AttemptRecord) =>
    (first.orderId !== undefined && sent.proof.orderId === first.orderId) ||
    (first.given !== undefined && sent.given === first.given);
  const chosen = [...due.filter(isFirst), ...due.filter((record) => !isFirst(record)).slice(0, atMost)];
  const looked: Resolved[] = [];
  for (const record of chosen) {
    try {
      looked.push(await resolveOne(parts, record));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
    }
  }
  return looked;
}
