/** The lines of a proof: the first one with its sums, and each refund in full or in short. */

import { type AmountStyle, amountWords, plainAmounts } from '../amounts.ts';
import { isObject, type JsonObject } from '../api/json-values.ts';
import { secondsOf } from '../api/spec.ts';
import type { Context } from '../context/context.ts';
import { counted } from '../counted.ts';
import { boundSeconds } from '../flags/typed-time.ts';
import {
  type Moment,
  type NamedChange,
  namedRefunds,
  type ProvedRefund,
  type VerdictRow,
} from '../journal/journal.ts';
import { sumOf } from '../reports/reports.ts';
import { type Block, isoTime } from '../terminal/terminal.ts';
import { amountStyleOf, recordOf } from './journal/attempt-record.ts';

const repliesKept =
  'The bytes of a reply are not kept, because they hold the data of the buyer. Of each reply there are its HTTP status, how many bytes it had, their SHA-256, and what it said about the refund. Refunds of older versions of paydesk have only the last of these.';

interface About {
  /**
   * The account of -p, if only its refunds are asked for. A change that was named belongs to its own account, whatever profile is
   * used.
   */
  readonly account: string | undefined;
  readonly about: string;
  /** Unix milliseconds. */
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly zone: string;
  /** The refunds that could not be read again, why, and the command that reads each. */
  readonly unread: readonly JsonObject[];
  readonly lost: readonly NamedChange[];
  readonly head: string | undefined;
  readonly signedBy: string;
}

export function firstLine(
  ctx: Context,
  refunds: readonly ProvedRefund[],
  now: Moment,
  { account, about, since, until, zone, unread, lost, head, signedBy }: About,
) {
  const [only = null, second] = new Set(refunds.map(({ sent }) => sent.account));
  return {
    object: 'proof',
    version: 1,
    account: account ?? (second === undefined ? only : null),
    about,
    since: boundSeconds(since),
    until: boundSeconds(until),
    zone,
    made_at: secondsOf(now.time),
    refunds: refunds.length,
    sums: sumsOf(refunds.map((refund) => ({ ...recordOf(refund, now), style: amountStyleOf(ctx, refund) }))),
    replies: repliesKept,
    not_read: unread,
    // The file has no refunds of these changes.
    lost_records: lost.map(({ change, orderId }) => ({ change, order: orderId ?? null })),
    journal_head: head ?? null,
    signed_by: signedBy,
  };
}

/**
 * The first line in words, as docs/check-proof.mjs says them: whose refunds these are, from which period, and their sums by
 * state.
 */
export function aboutWords({ account, about, sums }: JsonObject): string {
  const words = sumsIn(sums).map(
    ({ changes, records, state, text }) =>
      `, ${countWords(changes, records) ?? changes} ${typeof state === 'string' ? state : 'not made'}: ${text}`,
  );
  return `${typeof account === 'string' ? account : 'several accounts'}, ${String(about)}${words.join('')}`;
}

/** What the file says about changes that it could not prove, in the words of docs/check-proof.mjs: one line each. */
export function lostLines({ lost_records: lost }: JsonObject): readonly Block[] {
  return (Array.isArray(lost) ? lost.filter(isObject) : []).map(({ change, order }) => ({
    line: `NOT IN IT: ${String(change)} on ${typeof order === 'string' ? order : 'no known order'}: its record was lost in a repair of the journal`,
  }));
}

/**
 * How many refunds a file holds. One change of a whole order may have made several refunds, which are counted as in lists: `21
 * changes, 22 refunds`.
 */
export function refundsWords({ refunds, sums }: JsonObject): string {
  const changes = Number(refunds);
  const records = sumOf(sumsIn(sums), (one) => one.records);
  return countWords(changes, Number(records)) ?? counted(changes, 'refund');
}

function countWords(changes: number, records: number): string | undefined {
  return records > changes ? `${counted(changes, 'change')}, ${counted(records, 'refund')}` : undefined;
}

// A file of an older version does not say how many refunds its changes made.
function sumsIn(sums: unknown) {
  return (Array.isArray(sums) ? sums.filter(isObject) : []).map(
    ({ refunds, records = refunds, state, amount, currency, amount_text: text }) => ({
      changes: Number(refunds),
      records: Number(records),
      state,
      text: typeof text === 'string' ? text : `${String(amount)} ${String(currency)}`,
    }),
  );
}

/**
 * One refund: its record as in `journal list`, what the decision was based on, what was sent, what was learnt, and the rows that
 * say so.
 */
export function lineOf(ctx: Context, refund: ProvedRefund, now: Moment): JsonObject {
  const { sent, verdicts, approvals, rows } = refund;
  const { request, proof, amount, currency } = sent;
  return {
    ...recordOf(refund, now),
    object: 'proved_refund',
    amount_text: amount === undefined ? null : amountWords(amount, currency, amountStyleOf(ctx, refund)),
    sent_at_iso: isoTime(secondsOf(sent.time)),
    auth_code:
      namedRefunds(refund)
        .flatMap(({ authCode }) => authCode ?? [])
        .join(' ') || null,
    // What the screen showed before the person said yes.
    shown: { amount: sent.amount, currency: sent.currency, expected: proof.expected, order: proof.before },
    // The body byte for byte; null once it was erased, and while personal data is masked.
    sent: {
      method: request.method,
      path: request.path,
      body: request.body === undefined ? null : JSON.stringify(request.body),
    },
    reply: replyIn(verdicts) ?? null,
    // The row of a read that confirms a reply still names the reply as the origin of the verdict.
    reads: verdicts.filter(({ by }, index) => by === 'read' || (by === 'reply' && index > 0)),
    recorded: verdicts.filter(({ by }) => by === 'person'),
    // What the run that sent it wrote down itself, such as that no reply came.
    noted: verdicts.filter(({ by }) => by === 'sender'),
    approvals,
    rows,
  };
}

// The reply itself, and what it said about the refund if that was the verdict.
function replyIn(verdicts: readonly VerdictRow[]): JsonObject | undefined {
  const [first] = verdicts;
  if (first === undefined || (first.by !== 'reply' && first.received === undefined)) return undefined;
  const { httpStatus = null, bytes = null, sha256 = null } = first.received ?? {};
  return { http_status: httpStatus, bytes, sha256, said: first };
}

// What was refunded, by its state and currency.
function sumsOf(records: readonly (JsonObject & { readonly style: AmountStyle })[]): readonly JsonObject[] {
  const groups = Map.groupBy(records, ({ state, currency }) => JSON.stringify([state, currency]));
  return [...groups.values()].map((own) => {
    const amount = sumOf(own, (one) => (typeof one.amount === 'number' ? one.amount : 0));
    const currency = typeof own[0]?.currency === 'string' ? own[0].currency : undefined;
    // Accounts may have declared different decimals.
    const texts = new Set(own.map(({ style }) => amountWords(amount, currency, style)));
    const [text] = texts;
    return {
      state: own[0]?.state ?? null,
      currency: currency ?? null,
      refunds: own.length,
      // How many refunds these changes made, as far as orders showed them.
      records: sumOf(own, ({ refunds }) => Math.max(1, String(refunds).split(' ').length)),
      amount,
      amount_text: texts.size === 1 ? text : amountWords(amount, currency, plainAmounts),
    };
  });
}

const shortFields = [
  'change',
  'sent_at',
  'order',
  'amount',
  'currency',
  'amount_text',
  'state',
  'refunds',
  'auth_code',
  'operator',
  'asked_by',
  'approved_by',
  'acknowledged_by',
  'acknowledged_note',
] as const;

/** What a line proves, in short. */
export function provedShort(line: JsonObject): JsonObject {
  return Object.fromEntries(shortFields.map((name) => [name, line[name] ?? null]));
}

/** The same for people, on two lines, and one more about an alarm that somebody has dealt with. */
export function shortView(line: JsonObject): readonly Block[] {
  const text = (name: (typeof shortFields)[number], before = '') =>
    typeof line[name] === 'string' && line[name] !== '' ? `${before}${line[name]}` : '';
  const { sent_at: at, operator, asked_by: asker } = line;
  const refund = `${text('refunds') || 'no id of a refund'}${text('auth_code', ', auth code ')}`;
  const who = `${text('operator', 'by ')}${asker === operator ? '' : text('asked_by', ', asked by ')}${text('approved_by', ', approved by ')}`;
  const ended = `${text('acknowledged_by', 'alarm acknowledged by ')}${text('acknowledged_note', ': ')}`;
  const time = typeof at === 'number' ? [{ time: at, precision: 'full' as const }, '  '] : [];
  return [
    { line: [...time, `${text('order')}  ${text('amount_text')}  ${text('state') || 'not made'}`] },
    { line: `${refund}, ${who}, ${text('change')}`, indent: 2, hang: 2 },
    ...(ended === '' ? [] : [{ line: ended, indent: 2, hang: 2 }]),
  ];
}
