/** Reads the orders of open attempts again: carries out the effects of resolve.ts. */

import { CliError } from '../errors.ts';
import { Hands, type HandsParts } from './hands.ts';
import type { Resolved } from './journal.ts';
import type { Effect, Event } from './protocol.ts';
import { refusalError } from './refusal-error.ts';
import { beginResolve, type Errand, type ResolveState, resolve } from './resolve.ts';
import type { AttemptRecord, Moment } from './rows.ts';
import { marksOf } from './same-account.ts';
import type { Sight } from './sight.ts';
import { isDue, isWatched } from './standing.ts';
import { momentOf } from './time.ts';

/** A person's part in settling: shown what a read shows, throws to stop. */
export type Confirm = (sight: Sight) => Promise<void>;

/** How one attempt is read again. */
export interface How {
  /** What a person says of it where reads cannot tell; `confirm` is shown the read first. */
  readonly statement?: Errand['statement'];
  readonly confirm?: Confirm;
  /** Find the order with one request only; when that does not find it, nothing is written down. */
  readonly once?: boolean | undefined;
}

/** Reads one attempt's order and writes down what that proves. Throws CliError 'refused' while another run holds it. */
export async function resolveOne(
  parts: HandsParts,
  record: AttemptRecord,
  { statement, confirm = () => Promise.resolve(), once }: How = {},
): Promise<Resolved> {
  const { intent, attempt, proof, given, neighbour } = record.sent;
  const { kind, orderId } = proof;
  const before = proof.before.newest;
  const subject = { kind, orderId, account: marksOf(record.sent), given, intent, before, once };
  const hands = new Hands(parts, subject, neighbour);
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
 * Chooses the due attempts that a run reads: at most three unconfirmed ones, oldest first, and one that was made and is only
 * watched. The clock's second says which of the watched: if an order cannot be found again, the others still get their turn.
 */
export function pickDue(due: readonly AttemptRecord[], now: Moment): readonly AttemptRecord[] {
  const watched = due.filter(isWatched);
  const one = watched[Math.floor(now.wall / 1000) % watched.length];
  return [
    ...due.filter((record) => !isWatched(record)).slice(0, atMost),
    ...(one === undefined ? [] : [one]),
  ];
}

/**
 * Reads due attempts of this service's account: all unconfirmed ones of one order or script's id, and of the others those
 * that `pickDue` chooses. What cannot be read now stays as it is.
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
  const own = due.filter((record) => isFirst(record) && !isWatched(record));
  // A watched refund of this very order needs no read here: the final read of the change shows the order anyway.
  const others = pickDue(
    due.filter((record) => !isFirst(record)),
    now,
  );
  const looked: Resolved[] = [];
  for (const record of [...own, ...others]) {
    try {
      looked.push(await resolveOne(parts, record, { once: isWatched(record) }));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
    }
  }
  return looked;
}
