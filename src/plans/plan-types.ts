/** The types of bulk refunds: the rows of an input file, the rows of a plan, and how a row of a batch ends. */

import type { AmountStyle } from '../amounts.ts';
import type { ChargeMoney, OrderMoney, RefundRecord } from '../api/charges.ts';
import type { JsonObject } from '../api/json-values.ts';
import type { RefundReason } from '../api/spec.ts';
import type { ExpectedRefund, SentRow } from '../journal/journal.ts';
import type { TypedAmount } from '../typed-amounts.ts';
import type { ExpectedTotal } from './control-totals.ts';

// ── The input file ──────────────────────────────────────────────────────────────────────────────

/** The columns of an input file that paydesk understands. Other columns are kept and shown again in the report. */
export const inputColumns = [
  'order_id',
  'reference',
  'charge_id',
  'amount',
  'reason',
  'ref',
  'note',
  'again',
] as const;
/** `refund_id`: only for `refunds compare`; `auth_code`: only for `orders compare`. */
export type InputColumn = (typeof inputColumns)[number] | 'currency' | 'refund_id' | 'auth_code';

/** What may stand between two cells. */
export const delimiters = [',', ';', '\t', '|', ':'] as const;
export type Delimiter = (typeof delimiters)[number];

/** The word for a whole charge or a whole order. A blank cell never means that. */
export const fullWord = 'full';
/** The word in `charge_id` that leaves the choice of the charge to paydesk. */
export const anyWord = 'any';

/** A row of an input file whose form is right. No order was read yet. */
export interface InputRow {
  /** The line of the file on which the row begins, from 1. */
  readonly line: number;
  /** `order_id`; undefined if the row names its order by `reference`. */
  readonly orderId: string | undefined;
  readonly reference: string | undefined;
  /** The reference stands in the column `order_id`. */
  readonly isInId?: true | undefined;
  /** A charge's id, its number or `*4242`; `full` for the whole order; `any` also if the file has no `charge_id`. */
  readonly charge: string;
  /** The service's units, or `full`. Undefined only for `refunds compare`, where an amount is not needed. */
  readonly amount: number | typeof fullWord | undefined;
  /** The currency that the file says, in capitals; undefined if it says none. */
  readonly currency?: string | undefined;
  /** Not for plans: an amount beyond 2^53-1. `amount` is undefined then. */
  readonly exact?: bigint | undefined;
  /** An amount that was typed with decimals. Whether its currency has as many is known once its order was read. */
  readonly decimals?: Pick<TypedAmount, 'text' | 'places' | 'currency'> | undefined;
  /** Only for `refunds compare`: the only refund that the row is about. */
  readonly refundId?: string | undefined;
  /** Only for `orders compare`: the authorization code of the charge. */
  readonly authCode?: string | undefined;
  readonly reason: RefundReason | undefined;
  /** The row's own word, which tells it from other rows of the same order. Empty if there is none. */
  readonly ref: string;
  readonly note: string | undefined;
  /** The refunds that the row repeats, as its cell `again` names them. */
  readonly again: readonly string[];
  /** The name behind a question mark in that cell: nobody has confirmed it yet, so the row is not sent. */
  readonly asks: string | undefined;
  /** Every cell of the row as it stands in the file, in the order of `InputFile.columns`. */
  readonly cells: readonly string[];
}

/** What an input file is for: a plan needs an amount in each row, a comparison with refunds or with charges does not. */
export type InputUse = 'plan' | 'compare' | 'charges';

/** How an input file is read. Without a delimiter, the first line tells it. */
export interface InputHow {
  readonly delimiter?: Delimiter | undefined;
  /** The sheet of a workbook; without it the first one. */
  readonly sheet?: string | undefined;
  readonly for: InputUse;
  /** How the profile shows amounts: an amount may have decimals where it declares some. */
  readonly amounts: AmountStyle;
  /** The setting `reference.keys`: a title that equals one of them is the reference. */
  readonly referenceKeys?: readonly string[] | undefined;
}

/** Something wrong with an input file. `line` and `column` are those of the file; a problem of the whole file has line 1. */
export interface InputProblem {
  readonly line: number;
  /** The title of the column; undefined if the whole row is wrong. */
  readonly column: string | undefined;
  /** With the value: `amount 1,000: not a whole number such as 23000`. */
  readonly words: string;
  /** What the cell `again` of the row would have to name. */
  readonly repeats?: string | undefined;
}

/** An input file, checked as a whole. Nothing may be done with its rows while there are problems. */
export interface InputFile {
  /** What stands between its cells, so that a file of errors can have the same. */
  readonly delimiter: Delimiter;
  /** The titles of the columns, as they stand in the file. */
  readonly columns: readonly string[];
  /** The titles of the columns that mean nothing in this use of the file, to be named. */
  readonly unread: readonly string[];
  readonly hasAmount: boolean;
  /** The rows whose form is right. */
  readonly rows: readonly InputRow[];
  readonly problems: readonly InputProblem[];
  /** The cells of every row, also of the wrong ones, with the line on which it begins: for the file of errors. */
  readonly lines: readonly { readonly line: number; readonly cells: readonly string[] }[];
  /** Whether a file of errors can be corrected in its place: it has rows, and all of its characters could be read. */
  readonly canCorrect: boolean;
  /** Of a sheet: the cell of a problem, `B17`. */
  readonly addressOf?: (problem: InputProblem) => string;
  /** How a program on Windows marks its files. A file of errors has the same, or that program shows other characters. */
  readonly hasBom: boolean;
  readonly lineEnd: '\n' | '\r\n';
}

// ── The plan ────────────────────────────────────────────────────────────────────────────────────

/** What a plan says of a row. Only `ready` and `unconfirmed` rows are applied. */
export const rowStates = ['ready', 'done', 'unconfirmed', 'look', 'impossible'] as const;
/**
 * - `ready`: it can be sent
 * - `done`: the journal knows that this row was made before
 * - `unconfirmed`: it was sent before, and its outcome is unconfirmed
 * - `look`: a person must look first, or allow the status of its order with --allow-status
 * - `impossible`: it cannot be sent, `why` says the reason
 */
type RowState = (typeof rowStates)[number];

/** The money of an order when the plan was made. A row is sent only while nothing but this plan has changed it. */
export interface MoneyBefore
  extends Pick<OrderMoney, 'amount' | 'currency' | 'amountRefunded' | 'status' | 'isRefundable'> {
  readonly charges: readonly (Pick<ChargeMoney, 'id' | 'amount' | 'status' | 'isRefundable'> & {
    readonly refunds: readonly Pick<RefundRecord, 'id' | 'amount'>[];
  })[];
}

/** One refund of a plan. Parts of one row of the input file have the same line. */
export interface PlanRow extends Pick<InputRow, 'line' | 'charge' | 'reason' | 'ref' | 'note'> {
  /** Its place in the plan, from 1. */
  readonly number: number;
  readonly orderId: string;
  /** What `charge` means: the id of a charge, or undefined for the whole order. */
  readonly chargeId: string | undefined;
  /** As it was typed; for a part of an allocated amount the part. */
  readonly amount: number | typeof fullWord;
  /** The cells of the columns that paydesk does not use, in the order of `Plan.columns`. */
  readonly more: readonly string[];
  /** The identity of the row for ever: origin, mode, order, charge, amount and ref (plan-lines.ts). */
  readonly key: string;
  /** The last attempt at the row before the plan was made, which came to nothing: `i_7f3k2m/1`. */
  readonly tried?: string | undefined;
  /** For a part of an allocated amount: the identity of the row of the file. */
  readonly partOf: string | undefined;
  readonly state: RowState;
  /** Why it is not `ready`. */
  readonly why: string | undefined;
  /** What a person should know: a possible twin, a status that paydesk does not know. */
  readonly marks: readonly string[];
  /** What goes back, positive, and its currency. 0 if the row is impossible and the sum is not known. */
  readonly sum: number;
  readonly currency: string | undefined;
  /** The request body; undefined if the row is impossible. */
  readonly body: JsonObject | undefined;
  readonly expected: readonly ExpectedRefund[];
  readonly tolerated: readonly string[];
  /** What `--again` or its cell named for this row: refunds and attempts that it repeats. */
  readonly again: readonly string[];
  /** The names without which the row would be impossible; when it is sent, they are used up. Of an impossible row: what its cell names. */
  readonly named: readonly string[];
  /** What the row would repeat, if that is why it is stopped: a refund, an attempt or a twin that nobody has named for it. */
  readonly repeats?: string | undefined;
  /** Undefined if the order could not be read. */
  readonly before: MoneyBefore | undefined;
  /** The order before it in the list, to find it again with one request. */
  readonly neighbour: string | undefined;
}

/** The sum of rows in one currency. */
export interface PlanSum {
  readonly currency: string;
  readonly rows: number;
  readonly amount: number;
}

/** What a plan is about: the account that it was made for, and where its rows come from. */
export interface PlanHead extends Pick<SentRow, 'origin' | 'account' | 'profile'> {
  /** `p_7f3k2m`. A refreshed plan keeps it. The journal stores it with every row that is sent. */
  readonly id: string;
  /** Unix milliseconds. */
  readonly madeAt: number;
  readonly mode: 'sandbox' | 'production';
  /** Who made it, by the name that this machine gave. */
  readonly operator: string;
  /** The name of the input file, without its folder; `-` for standard input. */
  readonly file: string;
  /** The titles of the columns that paydesk does not use. */
  readonly columns: readonly string[];
  /** The digest of the plan that this one refreshes. */
  readonly refreshes: string | undefined;
  /** What `--again` named for any row. */
  readonly again: readonly string[];
}

/** A plan. The digest covers every byte of its file before the last line. */
export interface Plan extends PlanHead {
  readonly rows: readonly PlanRow[];
  readonly digest: string;
}

/** How many characters of the digest a person types at least. Whoever does not trust a file compares and types all 64. */
export const digestShown = 8;

/** Whether a person typed this digest: its beginning or all of it, in letters of any case. */
export function namesDigest(typed: string, digest: string): boolean {
  const text = typed.trim().toLowerCase();
  return text.length >= digestShown && digest.startsWith(text);
}

/** The sums of rows, per currency, in the order in which the currencies occur. */
export function sumsOf(rows: readonly Pick<PlanRow, 'currency' | 'sum'>[]): readonly PlanSum[] {
  const sums = new Map<string, PlanSum>();
  for (const { currency = '?', sum } of rows) {
    const { rows: count, amount } = sums.get(currency) ?? { rows: 0, amount: 0 };
    sums.set(currency, { currency, rows: count + 1, amount: amount + sum });
  }
  return [...sums.values()];
}

/** What a run knows of plans. */
export interface Plans extends PlanFiles {
  /** Who runs paydesk, by the name that this machine gave. */
  readonly operator: string;
  /** A new id for a plan, such as `p_7f3k2m`. */
  newId(): string;
}

/** The files of plans. */
export interface PlanFiles {
  /**
   * Reads an input file, a CSV or a sheet of a workbook, and says what is wrong with it; `-` is standard input. Throws CliError 'usage'
   * if it cannot be read or is too large.
   */
  input(path: string, how: InputHow): Promise<InputFile>;
  /** Writes a plan, for its owner only, and returns its digest. Throws CliError 'refused' if the file exists, unless `force`. */
  save(path: string, head: PlanHead, rows: readonly PlanRow[], force: boolean): Promise<Plan>;
  /** Reads a plan. Throws CliError 'usage' if there is no such file, 'refused' if it is no plan or was changed. */
  open(path: string): Promise<Plan>;
  /** Whether there is a file, or anything else, at a path. */
  exists(path: string): Promise<boolean>;
  /** Whether two paths lead to one file, through links too. Standard input (`-`) is no file. */
  isSameFile(one: string, other: string): Promise<boolean>;
  /**
   * Looks whether a new file can be written, before anything is read for it. Throws CliError 'refused' if the file exists,
   * unless `force`, and if its folder cannot be written.
   */
  checkNew(path: string, force: boolean): Promise<void>;
  /** Writes a text file that a person asked for (`--errors`, `--rest`). Throws as `save` does. */
  write(path: string, text: string, force: boolean): Promise<void>;
}

// ── Allocation ──────────────────────────────────────────────────────────────────────────────────

/** The ways to spread an amount over the charges of an order: `--allocate`. */
export const allocateWays = ['in-order', 'largest-first'] as const;
export type AllocateWay = (typeof allocateWays)[number];

/** What a person expects of a plan: `--expect-count` and `--expect-total`. */
export interface ControlTotals {
  readonly count: number | undefined;
  readonly totals: readonly ExpectedTotal[];
}

// ── Running a batch ─────────────────────────────────────────────────────────────────────────────

/** How one row of a batch ended: for the batch, and for the report if the journal holds nothing of it. */
export interface RowEnd {
  /** `failed`: it was certainly not made. `unknown`: it may have been made. */
  readonly how: 'applied' | 'failed' | 'unknown';
  /** An earlier run sent it, and the journal knew how it ended: that says nothing about the service as it is now. */
  readonly isKnown?: boolean | undefined;
  /** The batch stops before the next row: the key was refused, say. */
  readonly stops?: string | undefined;
  /** The service asks to wait: milliseconds. */
  readonly waitMs?: number | undefined;
  /** Why nothing was sent, for the report: the journal holds nothing of that. */
  readonly notSent?: string | undefined;
  /** The run was stopped before the row was sent, so it has not ended. */
  readonly isStopped?: true | undefined;
}

/** Why a batch ended before its last row. */
export type BatchStop =
  | { readonly why: 'unknowns'; readonly inARow: boolean; readonly count: number }
  | { readonly why: 'row'; readonly words: string }
  | { readonly why: 'wait'; readonly waitMs: number }
  | { readonly why: 'signal' };

const emptyList: readonly never[] = [];

/** The same row. Most lists of most rows are empty, so all of these become one and the same list. */
export function leanRow<Row extends Omit<PlanRow, 'number'>>(row: Row): Row {
  return {
    ...row,
    more: listOf(row.more),
    marks: listOf(row.marks),
    tolerated: listOf(row.tolerated),
    again: listOf(row.again),
    named: listOf(row.named),
  };
}

function listOf<T>(items: readonly T[]): readonly T[] {
  return items.length === 0 ? emptyList : items;
}
