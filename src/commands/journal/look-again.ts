/** Reads the orders of changes again for the journal commands: of some changes, or of every one that is due. */

import type { Context } from '../../context/context.ts';
import type { CliError } from '../../errors.ts';
import {
  type AttemptFilter,
  type AttemptRecord,
  alarmText,
  appearedVerdict,
  attemptName,
  changeOf,
  isDue,
  isMadeRefund,
  isOpen,
  isWatched,
  namedRefunds,
  pickDue,
  reconcileEach,
  recordedState,
  unfinished,
} from '../../journal/journal.ts';
import { amountStyleOf } from './attempt-record.ts';

/** Why a change could not be read again, by the id of the change. */
export type Unread = ReadonlyMap<string, string>;

/** What this run has read again. */
interface ReadAgain {
  /** The attempts that may have been read, as they were before. */
  readonly before: readonly AttemptRecord[];
  readonly reread: readonly AttemptRecord[];
  readonly unread: Unread;
  /** More refunds are watched than this run has read. */
  readonly isMore?: true;
}

/** Reads again the changes that `pickDue` chooses, and the first 20 of the watched refunds: those that are due come first. */
export async function readFew(ctx: Context, origin: string | undefined): Promise<ReadAgain> {
  const before = await readable(ctx, origin, atATime + 1);
  const chosen = await fewOf(ctx, before);
  const unread = new Map<string, string>();
  const reread = await readEach(ctx, chosen, unread);
  const isMore = chosen.filter(isWatchedOnly).length < before.filter(isWatchedOnly).length;
  return { before, reread, unread, ...(isMore ? { isMore } : {}) };
}

async function fewOf(ctx: Context, records: readonly AttemptRecord[]): Promise<readonly AttemptRecord[]> {
  const others = records.filter((record) => !isWatchedOnly(record));
  return [...pickDue(others, await ctx.journal.now()), ...records.filter(isWatchedOnly).slice(0, atATime)];
}

// A refund that was made. It is read even if it is not due, so that whoever asks learns of one that failed since the last scheduled
// look.
function isWatchedOnly(record: AttemptRecord): boolean {
  return isWatched(record) && isMadeRefund(record);
}

// What is due, and at most `limit` of the watched refunds, due or not.
async function readable(
  ctx: Context,
  origin: string | undefined,
  limit: number,
): Promise<readonly AttemptRecord[]> {
  const now = await ctx.journal.now();
  const watched = { dueBy: Number.MAX_SAFE_INTEGER, limit };
  const [made, found] = await Promise.all([
    ctx.journal.attempts({ origin, watched }),
    unfinished(ctx.journal, { origin }, now, limit),
  ]);
  const due = found.filter((one) => isDue(one, now));
  return [...new Map([...due, ...made].map((one) => [attemptName(one), one])).values()];
}

/** Reads again every change that is due and every refund that is watched. */
export async function readAll(ctx: Context, origin: string | undefined): Promise<ReadAgain> {
  const before = new Map<string, AttemptRecord>();
  const tried = new Set<string>();
  const reread: AttemptRecord[] = [];
  const unread = new Map<string, string>();
  // Reads them in parts: hundreds of refunds may be watched. Whatever cannot be read now stays due.
  for (;;) {
    const known = before.size;
    const found = await readable(ctx, origin, known + atATime);
    for (const one of found) if (!before.has(attemptName(one))) before.set(attemptName(one), one);
    const due = found.filter((one) => !tried.has(attemptName(one)));
    if (due.length === 0 && before.size === known) return { before: [...before.values()], reread, unread };
    for (const one of due) tried.add(attemptName(one));
    reread.push(...(await readEach(ctx, due, unread)));
  }
}

const atATime = 20;

/** The changes that would be read again. */
export async function dueIn(
  ctx: Context,
  origin: string | undefined,
  everything: boolean,
): Promise<readonly AttemptRecord[]> {
  const all = await readable(ctx, origin, everything ? Number.MAX_SAFE_INTEGER : atATime);
  return everything ? all : await fewOf(ctx, all);
}

/**
 * Reads some due attempts again before a list is shown: at most three unconfirmed ones and one that is only watched. Warns about
 * alarms.
 */
export async function readBeforeList(ctx: Context, filter: AttemptFilter): Promise<void> {
  const found = await unfinished(ctx.journal, filter, await ctx.journal.now());
  if (found.length === 0) return;
  const unread = new Map<string, string>();
  const reread = await readSome(ctx, await dueOf(ctx, found), unread);
  for (const [change, problem] of unread)
    ctx.notes.note(`could not find out more about ${change}: ${problem}`);
  warnOfAlarms(ctx, reread);
}

/**
 * Reads pending and unconfirmed refunds again, once each. `unread`: which could not be read, and why. Skips those that no read can
 * change.
 */
export async function readPending(ctx: Context, records: readonly AttemptRecord[]): Promise<ReadAgain> {
  const now = await ctx.journal.now();
  const before = records.filter((record) => {
    const state = recordedState(record);
    return state === 'pending' || (state === 'unconfirmed' && isDue(record, now));
  });
  const read = await reconcileEach(ctx, before, { once: true });
  return {
    before,
    reread: read.flatMap(({ found }) => found?.record ?? []),
    unread: new Map(
      read.flatMap(({ before: { sent }, problem }) =>
        problem === undefined ? [] : [[sent.change, problem]],
      ),
    ),
  };
}

async function readSome(
  ctx: Context,
  due: readonly AttemptRecord[],
  unread: Map<string, string>,
): Promise<readonly AttemptRecord[]> {
  const chosen = pickDue(due, await ctx.journal.now());
  const reread = await readEach(
    ctx,
    chosen.filter((record) => !isWatched(record)),
    unread,
  );
  // Nobody asked for the others, so a failed read of theirs is not reported.
  const watched = await reconcileEach(ctx, chosen.filter(isWatched), { once: true });
  return [
    ...reread,
    ...watched.flatMap(({ found, problem }) => (problem === undefined ? (found?.record ?? []) : [])),
  ];
}

// Reports an attempt that cannot be read and leaves it unchanged.
async function readEach(
  ctx: Context,
  attempts: readonly AttemptRecord[],
  unread: Map<string, string>,
): Promise<readonly AttemptRecord[]> {
  const now = await ctx.journal.now();
  const reread: AttemptRecord[] = [];
  for (const { before, found, problem, error } of await reconcileEach(ctx, attempts)) {
    const { change } = before.sent;
    const record = found?.record ?? before;
    if (error !== undefined) {
      // The outcome of this attempt is known and it is only watched. If its profile is gone, nobody needs a warning.
      const isMissing = error.kind === 'auth' || error.kind === 'usage';
      if ((isMissing || ctx.options.quiet) && !isOpen(before, now)) continue;
      ctx.notes.warn(`${change} was not checked: ${problem}: ${checkCommand(error, change)}`);
    } else if (problem !== undefined) {
      if (isOpen(record, now)) unread.set(change, problem);
      else ctx.notes.note(`could not find out more about ${change}: ${problem}`);
    }
    reread.push(record);
  }
  return reread;
}

// The command that looks again; if a profile must be chosen first, the command that chooses one.
function checkCommand({ parts: { now = [] } }: CliError, change: string): string {
  return now.find((line) => line.startsWith('paydesk ')) ?? `paydesk journal reconcile ${change}`;
}

async function dueOf(ctx: Context, attempts: readonly AttemptRecord[]): Promise<readonly AttemptRecord[]> {
  const now = await ctx.journal.now();
  return attempts.filter((one) => isDue(one, now));
}

// ── Alarms ──────────────────────────────────────────────────────────────────────────────────────

/** Alarms go to stderr, so that a person sees them even when stdout goes into a pipe. */
export function warnOfAlarms(ctx: Context, records: readonly AttemptRecord[]): void {
  const named = namesProfile(records);
  for (const line of records.map((record) => alarmLine(ctx, record, named(record))))
    if (line !== undefined) ctx.notes.warn(line);
}

/** One line about the alarm of an attempt: what was seen, and where to look. Undefined when there is no alarm. */
function alarmLine(ctx: Context, record: AttemptRecord, profile: string): string | undefined {
  const { change, proof } = record.sent;
  const last = record.verdicts.at(-1);
  if (last?.alarm === undefined) return undefined;
  const ids = namedRefunds(record)
    .map(({ id }) => id ?? 'one refund without an id')
    .join(' and ');
  const isListed = ids !== '' && (last.alarm === 'duplicate' || appearedVerdict(record) !== undefined);
  const seen = isListed ? `the service lists ${ids}` : last.why;
  const on = proof.orderId === undefined ? '' : ` on ${proof.orderId}`;
  return `${alarmText(record) ?? last.alarm}: ${changeOf(record, amountStyleOf(ctx, record))}${on}${profile}: ${seen}: paydesk journal show ${change}`;
}

/** If changes of several profiles are listed together, each line names the profile. */
export function namesProfile(records: readonly AttemptRecord[]): (record: AttemptRecord) => string {
  const several = new Set(records.map(({ sent }) => sent.profile)).size > 1;
  return ({ sent }) => (several ? ` with profile ${sent.profile}` : '');
}
