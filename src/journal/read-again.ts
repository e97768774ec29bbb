/** Reads the orders of open attempts again, and records in the journal what that proves, as resolve.ts decides. */

import { moneyOf } from '../api/charges.ts';
import { CliError } from '../errors.ts';
import type { Notes } from '../terminal/terminal.ts';
import { isDoubted, isDue, isMadeByHand, isWatched } from './attempt-state.ts';
import { type EffectParts, Effects, type Subject } from './effects.ts';
import type { HowResolved, Journal, Resolved } from './journal.ts';
import { momentOf } from './journal-time.ts';
import type { Effect, Event } from './protocol-types.ts';
import { unfinished } from './questions/known-attempts.ts';
import { beginResolve, type ResolveState, resolve } from './resolve.ts';
import { type AttemptRecord, attemptName, type Moment } from './rows/journal-rows.ts';
import { marksOf } from './same-account.ts';
import { refusalError } from './words/refusal-error.ts';

/** Reads the order of one attempt again. Throws CliError 'refused' while another run holds the lock on it. */
export async function resolveOne(
  parts: EffectParts,
  record: AttemptRecord,
  { statement, acknowledgement, confirm = () => Promise.resolve(undefined), once }: HowResolved = {},
): Promise<Resolved> {
  const { change, attempt, proof } = record.sent;
  const effects = new Effects(parts, subjectOf(record, statement, once), record.sent.neighbour);
  try {
    let { state, effect } = beginResolve({ change, attempt, statement, acknowledgement });
    while (state.at !== 'done')
      ({ state, effect } = resolve(state, await carryOut(effects, state, effect, confirm)));
    const { end } = state;
    if (end.how === 'looked')
      return { ...end, read: effects.last, doubt: moneyOf(effects.last?.value)?.doubt };
    throw refusalError(end.refusal, proof.orderId ?? change, {
      shortTime: parts.shortTime,
      amounts: parts.service.profile.settings,
    });
  } finally {
    await effects.release();
  }
}

// If a person corrects what became of a creation, an equal order may have been created in its place.
function subjectOf(
  record: AttemptRecord,
  statement: HowResolved['statement'],
  once: boolean | undefined,
): Subject {
  const { change, idempotencyKey, proof, request, asked } = record.sent;
  const { kind, orderId, before } = proof;
  const of = {
    kind,
    orderId,
    account: marksOf(record.sent),
    idempotencyKey,
    change,
    before: before.newest,
    once,
  };
  if (kind !== 'order') return of;
  const equal = statement?.corrects === true ? 'all' : undefined;
  return { ...of, request, asked, again: [attemptName(record)], equal };
}

function carryOut(
  effects: Effects,
  state: ResolveState,
  effect: Effect,
  confirm: NonNullable<HowResolved['confirm']>,
): Promise<Event> {
  switch (effect.do) {
    case 'lock':
      return effects.orStopped(() => effects.lock());
    case 'look':
      return effects.orStopped(() => effects.look());
    case 'reread':
      return effects.reread();
    case 'check':
      return effects.orStopped(async () => {
        const note = state.at === 'asking' ? await confirm(state.evidence) : undefined;
        return { is: 'checked', moment: await effects.moment(), note };
      });
    case 'record':
      return effects.record(effect.row);
    case 'release':
      return effects.release();
    default:
      throw new Error(`a look at the journal met the effect '${effect.do}'`);
  }
}

const atMost = 3;

/**
 * Chooses the due attempts that a run reads: at most three unconfirmed ones, the oldest first; then doubted ones and those that a
 * person recorded as made, up to three in all, but at least one if there is one; and one that was made and is only watched. For
 * all but the unconfirmed ones, the second of the clock says where in their list to begin, so that an order that cannot be found
 * does not keep the others waiting.
 */
export function pickDue(due: readonly AttemptRecord[], now: Moment): readonly AttemptRecord[] {
  const second = Math.floor(now.wall / 1000);
  const open = due.filter((record) => !isWatched(record) && !isMadeByHand(record)).slice(0, atMost);
  const doubted = turned(
    due.filter((record) => isDoubted(record) || isMadeByHand(record)),
    second,
  );
  const made = turned(
    due.filter((record) => isWatched(record) && !isDoubted(record)),
    second,
  );
  return [...open, ...doubted.slice(0, Math.max(1, atMost - open.length)), ...made.slice(0, 1)];
}

function turned(records: readonly AttemptRecord[], by: number): readonly AttemptRecord[] {
  const at = records.length === 0 ? 0 : by % records.length;
  return [...records.slice(at), ...records.slice(0, at)];
}

/**
 * Reads due attempts of this service's account again: all unconfirmed ones of one order or one idempotency key, and from
 * the rest those that `pickDue` chooses. If an order cannot be read now, its attempt stays as it is.
 */
export async function reconcileDue(
  parts: EffectParts,
  first: {
    readonly orderId?: string | undefined;
    readonly idempotencyKey?: string | undefined;
    /** Reads no other orders. */
    readonly only?: boolean;
  },
): Promise<Resolved[]> {
  const { origin } = parts.service.profile;
  const { orderId, only } = first;
  const now = await momentOf(parts.clock, parts.store, parts.service);
  const asked =
    only === true && orderId !== undefined
      ? parts.store.attempts({ origin, orderId })
      : unfinished(parts.store, { origin }, now);
  const found = await asked.catch(() => []);
  const due = found.filter((record) => isDue(record, now));
  const isFirst = ({ sent }: AttemptRecord) =>
    (first.orderId !== undefined && sent.proof.orderId === first.orderId) ||
    (first.idempotencyKey !== undefined && sent.idempotencyKey === first.idempotencyKey);
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

// This many orders are read at a time. If they were read one after the other, a service that hangs would keep everybody waiting
// for each.
const atATime = 4;

/** An attempt as it was, and what the read of its order brought. `problem`: why the read shows nothing. */
type Reread = { readonly before: AttemptRecord } & (
  | { readonly found: Resolved; readonly problem?: undefined; readonly error?: undefined }
  | { readonly found: Resolved | undefined; readonly problem: string; readonly error?: CliError }
);

/**
 * Reads the orders of attempts again, four at a time, and writes down what that proves. Returns what each read brought, in the
 * order of the attempts.
 */
export async function reconcileEach(
  { journal, notes, signal }: ReadingParts,
  records: readonly AttemptRecord[],
  how?: { readonly once?: boolean },
): Promise<readonly Reread[]> {
  const read: Reread[] = [];
  if (records.length === 0) return read;
  let done = 0;
  const end = notes.progress(() => `reading orders again: ${done} of ${records.length}`);
  const next = records.entries();
  const readNext = async () => {
    for (const [at, before] of next) {
      signal.throwIfAborted();
      read[at] = await journal.reconcile(before, how).then(
        (found) => ({ before, found, ...problemIn(found) }),
        (error: unknown) => {
          if (!(error instanceof CliError) || signal.aborted) throw error;
          return { before, found: undefined, problem: error.message, error };
        },
      );
      done += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: atATime }, readNext));
  } finally {
    end();
  }
  return read;
}

interface ReadingParts {
  readonly journal: Pick<Journal, 'reconcile'>;
  readonly notes: Pick<Notes, 'progress'>;
  readonly signal: AbortSignal;
}

function problemIn({ evidence }: Resolved): { readonly problem?: string } {
  return evidence?.shows === 'unreadable' ? { problem: evidence.problem } : {};
}
