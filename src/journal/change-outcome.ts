/** Makes the outcome that a command gets: from a verdict of this run, or from an earlier run under the same idempotency key. */

import type { Service, WireRecord } from '../api/api.ts';
import { valueAt } from '../api/json-values.ts';
import type { Clock } from '../io.ts';
import { blockedUntil, isReadable, verdictOf } from './attempt-state.ts';
import type { ChangeSubject, Ended, FoundRefund, LaterReads } from './change.ts';
import { type LastRead, readTarget, recordIn } from './effects.ts';
import { answersRepeat } from './guards.ts';
import type { Journal, Resolve } from './journal.ts';
import { momentOf } from './journal-time.ts';
import type { Evidence } from './judge-read.ts';
import { namedRefunds } from './questions/paid-twice.ts';
import { recordedState } from './questions/recorded-state.ts';
import { statementOn } from './questions/verdicts-say.ts';
import type { AttemptRecord, Moment, SentRow, VerdictRow } from './rows/journal-rows.ts';
import type { JournalStore } from './rows/journal-store.ts';
import { marksOf, marksOfService, mayBeSameAccount } from './same-account.ts';
import { isOtherRequest } from './same-request.ts';
import { refusalError } from './words/refusal-error.ts';

/** What this run learned about a change besides the journal's rows. */
interface Learned extends LaterReads, Pick<Ended, 'head' | 'recorded' | 'byHand'> {
  readonly reply?: WireRecord | undefined;
  readonly read?: WireRecord | undefined;
  readonly unrecorded?: { readonly cause: unknown } | undefined;
}

/** What became of a change, with the order as the last reply or read showed it. */
export function outcomeOf(attempt: AttemptRecord, learned: Learned): Ended {
  const { reply, head, read, reads, lastReadAt, unread, blockedUntil, unrecorded, recorded, byHand } =
    learned;
  const { sent } = attempt;
  const row = verdictOf(attempt);
  const refunds = namedRefunds(attempt);
  const base = {
    state: recordedState(attempt),
    change: sent.change,
    alarm: row?.alarm,
    why: row?.why,
    said: row?.error,
    head,
    order: read ?? (row?.verdict === 'applied' ? reply : undefined),
    refunds,
    shown: row?.refunds,
    created: row?.created,
    link: row?.link,
    unrecorded: unrecorded && { row: { ...row }, cause: unrecorded.cause },
    recorded,
    byHand,
  };
  switch (row?.verdict) {
    case 'applied': {
      const by = row.by === 'reply' ? 'reply' : 'read';
      const record = (by === 'reply' ? (reply ?? read) : read) ?? journalRecord(row, refunds);
      return { ...base, verdict: 'applied', by, record };
    }
    case 'rejected': {
      const parts = { ...row.error, data: valueAt(reply?.value, ['data']) };
      return { ...base, verdict: 'rejected', parts, confirmed: row.confirmed !== false };
    }
    case 'not_sent':
      return { ...base, verdict: 'not_sent', reason: row.why };
    default: {
      const reason = row?.why ?? 'it was sent, and its result was not recorded';
      const seen = { reason, sentAt: sent.time, lastReadAt, reads, unread, blockedUntil };
      return { ...base, verdict: row?.verdict ?? 'unknown', ...seen };
    }
  }
}

// If the order cannot be read, the journal's own row takes its place.
function journalRecord(row: VerdictRow, refunds: readonly FoundRefund[]): WireRecord {
  const value = {
    object: 'change',
    change: row.change,
    verdict: row.verdict,
    created: row.created,
    link: row.link,
    refunds,
  };
  return { value, bytes: new TextEncoder().encode(JSON.stringify(value)) };
}

/** What it takes to say what became of an earlier attempt. */
interface OutcomeParts {
  readonly store: JournalStore;
  readonly clock: Clock;
  readonly serviceOf: (record: AttemptRecord) => Promise<Service>;
  readonly resolve: Resolve;
}

/** See `recorded` of `Journal`. */
export async function recordedOutcome(
  parts: OutcomeParts,
  idempotencyKey: string,
  { kind, asked, again, service }: Parameters<Journal['recorded']>[1],
): ReturnType<Journal['recorded']> {
  const under = await parts.store.attempts({ idempotencyKey });
  const account = marksOfService(service);
  const last = under.findLast(({ sent }) => mayBeSameAccount(marksOf(sent), account));
  if (last === undefined) return undefined;
  const typed = { kind, asked, livemode: account.livemode };
  if (isOtherRequest(typed, last))
    throw refusalError({ why: 'other_parameters', attempt: last, now: typed }, idempotencyKey);
  const looked = await lookAt(parts, last);
  if (!answersRepeat(looked.record, again, await looked.moment())) return undefined;
  const outcome = await outcomeThen(looked);
  return { outcome: { ...outcome, ...toldAgain(looked.record) }, change: subjectOf(last.sent) };
}

function subjectOf({ proof, amount, currency, request }: SentRow): ChangeSubject {
  return { kind: proof.kind, orderId: proof.orderId, amount, currency, request };
}

/** What became of an attempt that was sent. Its order is read again first, if that may show something new. */
export async function outcomeOfAttempt(parts: OutcomeParts, attempt: AttemptRecord): Promise<Ended> {
  return await outcomeThen(await lookAt(parts, attempt));
}

interface Looked {
  readonly record: AttemptRecord;
  readonly service: Service;
  readonly moment: () => Promise<Moment>;
  readonly evidence: Evidence | undefined;
  readonly lookedAt: number;
  readonly read: LastRead | undefined;
}

async function lookAt(parts: OutcomeParts, last: AttemptRecord): Promise<Looked> {
  const service = await parts.serviceOf(last);
  const moment = () => momentOf(parts.clock, parts.store, service);
  const looked = isReadable(last, await moment()) ? await parts.resolve(last) : undefined;
  const { record = last, evidence, read } = looked ?? {};
  return { record, service, moment, evidence, lookedAt: parts.clock.now(), read };
}

async function outcomeThen({ record, service, evidence, lookedAt, ...looked }: Looked): Promise<Ended> {
  const { kind, orderId, before } = record.sent.proof;
  const target = { kind, orderId, before: before.newest };
  const read = looked.read ?? (await readTarget(service, target).catch(() => undefined));
  return outcomeOf(record, {
    read: recordIn(read, verdictOf(record)?.created),
    ...readOf(evidence, lookedAt),
    blockedUntil: blockedUntil(record),
  });
}

/** What a repeat says about the attempt that answers it. */
export function toldAgain(record: AttemptRecord): Pick<Learned, 'blockedUntil' | 'recorded' | 'byHand'> {
  const byHand = statementOn(record) === undefined ? undefined : record;
  return { blockedUntil: blockedUntil(record), recorded: true, byHand };
}

// Without evidence there was no read: nothing was due, or another run had settled the attempt.
function readOf(
  evidence: Evidence | undefined,
  at: number,
): Pick<Learned, 'reads' | 'lastReadAt' | 'unread'> {
  if (evidence === undefined) return { reads: 0 };
  if (evidence.shows === 'unreadable') return { reads: 0, unread: evidence.problem };
  return { reads: 1, lastReadAt: at };
}
