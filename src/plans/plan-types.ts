/** The types of bulk refunds: the rows of an input file, the rows of a plan, and how a row of a batch ends. */

import type { AmountStyle } from '../amounts.ts';
import type { ChargeMoney, OrderMoney, RefundRecord } from '../api/charges.ts';
import type { JsonObject } from '../api/json-values.ts';
import type { RefundReason } from '../api/spec.ts';
import type { ExpectedRefund, SentRow } from '../journal/journal.ts';
import type { Delimiter } from '../terminal/terminal.ts';
import type { TypedAmount } from '../typed-amounts.ts';
import type { ExpectedTotal } from './control-totals.ts';

// ── The input file ──────────────────────────────────────────────────────────────────────────────

/** The columns that a plan reads. Other columns are kept, and shown again in the report. */
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
/** `refund_id` and `state`: only for `refunds compare`; `auth_code`: for both comparisons. */
export type InputColumn = (typeof inputColumns)[number] | 'currency' | 'refund_id' | 'state' | 'auth_code';

/** The word for a whole charge or order. A blank cell never means that. */
export const fullWord = 'full';
/** The word in `charge_id` that lets paydesk choose the charge. */
export const anyWord = 'any';

/** A well-formed row of an input file, before any order was read. */
export interface InputRow {
  /** The line where the row begins, from 1. */
  readonly line: number;
  /** Undefined if the row names its order by `reference`. */
  readonly orderId: string | undefined;
  readonly reference: string | undefined;
  /** The reference is in the column `order_id`. */
  readonly isInId?: true | undefined;
  /** A charge's id, its number or `*4242`; `full` for the whole order; `any`, also if the file has no `charge_id`. */
  readonly charge: string;
  /** The service's units, or `full`. Undefined only for `refunds compare`, which needs no amount. */
  readonly amount: number | typeof fullWord | undefined;
  /** The currency in the file, in capitals; undefined if there is none. */
  readonly currency?: string | undefined;
  /** Not for plans: an amount beyond 2^53-1. Then `amount` is undefined. */
  readonly exact?: bigint | undefined;
  /** An amount typed with decimals. Whether they suit its currency is known only once the order has been read. */
  readonly decimals?:
    | (Pick<TypedAmount, 'text' | 'places' | 'currency'> & {
        /** As it is in the file: `165,5` for the text `165.5`. */
        readonly cell: string;
      })
    | undefined;
  /** Only for `refunds compare`: the only refund that the row is about. */
  readonly refundId?: string | undefined;
  /** The file says that this refund failed, so none of it went back. */
  readonly isFailed?: true | undefined;
  /** Not for plans: the authorization code of the charge or of the refund. */
  readonly authCode?: string | undefined;
  readonly reason: RefundReason | undefined;
  /** The row's own word, to tell it from other rows of the order; '' if none. */
  readonly ref: string;
  readonly note: string | undefined;
  /** The refunds that the row repeats, from its cell `again`. */
  readonly again: readonly string[];
  /** The name after a question mark in that cell: nobody has confirmed it yet, so the row is not sent. */
  readonly asks: string | undefined;
  /** The row's cells as in the file, in the order of `InputFile.columns`. */
  readonly cells: readonly string[];
}

/** A plan needs an amount in each row; a comparison with refunds or charges does not. */
export type InputUse = 'plan' | 'compare' | 'charges';

/** How to read an input file. Without a delimiter, the first line decides. */
export interface InputHow {
  readonly delimiter?: Delimiter | undefined;
  /** The sheet of a workbook; if absent, the first one. */
  readonly sheet?: string | undefined;
  readonly for: InputUse;
  /** How the profile shows amounts: decimals are allowed if it declares them. */
  readonly amounts: AmountStyle;
  /** The setting `reference.keys`: a title equal to one of these is the reference. */
  readonly referenceKeys?: readonly string[] | undefined;
}

/** A problem with an input file. `line` and `column` are those of the file; a problem with the whole file has line 1. */
export interface InputProblem {
  readonly line: number;
  /** The title of the column; undefined if the whole row is wrong. */
  readonly column: string | undefined;
  /** With the value: `amount 1,000: not a whole number such as 23000`. */
  readonly words: string;
  /** What the row's cell `again` would have to name. */
  readonly repeats?: string | undefined;
}

/** A checked input file. Its rows must not be used while there are problems. */
export interface InputFile {
  /** The file's delimiter, also for an errors file. */
  readonly delimiter: Delimiter;
  readonly columns: readonly string[];
  /** The titles that mean nothing in this use of the file. */
  readonly unread: readonly string[];
  /** Titles in other words, with the column that each is read as. */
  readonly readAs: readonly { readonly title: string; readonly column: string }[];
  readonly hasAmount: boolean;
  /** How many rows of a list of orders have no amount of their own, so that they are left out. */
  readonly unmarked: number;
  readonly rows: readonly InputRow[];
  readonly problems: readonly InputProblem[];
  /** The cells of every row, including wrong ones, with the line where it begins: for the errors file. */
  readonly lines: readonly { readonly line: number; readonly cells: readonly string[] }[];
  /** Whether an errors file can replace this one: it has rows, and all characters were readable. */
  readonly canCorrect: boolean;
  /** For a sheet: the cell of a problem, `B17`. */
  readonly addressOf?: (problem: InputProblem) => string;
  /**
   * The file begins with the byte order mark that Windows programs write. An errors file needs it too, or the program shows wrong
   * characters.
   */
  readonly hasBom: boolean;
  readonly lineEnd: '\n' | '\r\n';
}

// ── The plan ────────────────────────────────────────────────────────────────────────────────────

/** A row's state in a plan. Only `ready` and `unconfirmed` rows are applied. */
export const rowStates = ['ready', 'done', 'unconfirmed', 'look', 'impossible'] as const;
/**
 * - `ready`: it can be sent
 * - `done`: the journal knows that this row was made before
 * - `unconfirmed`: it was sent before, and its outcome is unconfirmed
 * - `look`: a person must look first, or allow the status of its order with --allow-status
 * - `impossible`: it cannot be sent; `why` says the reason
 */
type RowState = (typeof rowStates)[number];

/** An order's money when the plan was made. A row is sent only while nothing but this plan has changed it. */
export interface MoneyBefore
  extends Pick<OrderMoney, 'amount' | 'currency' | 'amountRefunded' | 'status' | 'isRefundable'> {
  readonly charges: readonly (Pick<ChargeMoney, 'id' | 'amount' | 'status' | 'isRefundable'> & {
    readonly refunds: readonly Pick<RefundRecord, 'id' | 'amount'>[];
  })[];
}

/** One refund of a plan. Parts of one input row share its line. */
export interface PlanRow extends Pick<InputRow, 'line' | 'charge' | 'reason' | 'ref' | 'note'> {
  /** Its number in the plan, from 1. */
  readonly number: number;
  readonly orderId: string;
  /** The id of the charge; undefined for the whole order. */
  readonly chargeId: string | undefined;
  /** As typed; for an allocated amount, this part of it. */
  readonly amount: number | typeof fullWord;
  /** The cells of columns that paydesk does not use, in the order of `Plan.columns`. */
  readonly more: readonly string[];
  /** The permanent identity of the row: origin, mode, order, charge, amount and ref (plan-lines.ts). */
  readonly key: string;
  /** The last attempt before the plan was made, if it failed: `i_7f3k2m/1`. */
  readonly tried?: string | undefined;
  /** For a part of an allocated amount: the identity of the file's row. */
  readonly partOf: string | undefined;
  readonly state: RowState;
  readonly why: string | undefined;
  /** What a person should know: a possible twin, an unknown status. */
  readonly marks: readonly string[];
  /** What goes back, positive. 0 if the row is impossible and the sum is unknown. */
  readonly sum: number;
  readonly currency: string | undefined;
  readonly body: JsonObject | undefined;
  readonly expected: readonly ExpectedRefund[];
  readonly tolerated: readonly string[];
  /** The refunds and attempts that this row repeats, as named by `--again` or its cell. */
  readonly again: readonly string[];
  /** The names that make the row possible; sending it uses them up. For an impossible row: the names in its cell. */
  readonly named: readonly string[];
  /** The refund, attempt or twin that the row would repeat, if that stops it because nobody named it. */
  readonly repeats?: string | undefined;
  /** Undefined if the order could not be read. */
  readonly before: MoneyBefore | undefined;
  /** The order before this one in the list, to find this one again with one request. */
  readonly neighbour: string | undefined;
}

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
  /** Who made it, as this machine named them. */
  readonly operator: string;
  /** Without its folder; `-` for standard input. */
  readonly file: string;
  /** The titles of columns that paydesk does not use. */
  readonly columns: readonly string[];
  /** The digest of the plan that this one refreshes. */
  readonly refreshes: string | undefined;
  /** What `--again` named, for any row. */
  readonly again: readonly string[];
}

/** The digest covers every byte of the file before the last line. */
export interface Plan extends PlanHead {
  readonly rows: readonly PlanRow[];
  readonly digest: string;
}

/** The fewest characters of the digest to type. To be certain, compare and type all 64. */
export const digestShown = 8;

/** Whether a typed text is this digest, or its beginning, in any case. */
export function namesDigest(typed: string, digest: string): boolean {
  const text = typed.trim().toLowerCase();
  return text.length >= digestShown && digest.startsWith(text);
}

/** The sums of rows per currency, in order of appearance. */
export function sumsOf(rows: readonly Pick<PlanRow, 'currency' | 'sum'>[]): readonly PlanSum[] {
  const sums = new Map<string, PlanSum>();
  for (const { currency = '?', sum } of rows) {
    const { rows: count, amount } = sums.get(currency) ?? { rows: 0, amount: 0 };
    sums.set(currency, { currency, rows: count + 1, amount: amount + sum });
  }
  return [...sums.values()];
}

export interface Plans extends PlanFiles {
  /** Who runs paydesk, as this machine names them. */
  readonly operator: string;
  /** A new id for a plan, such as `p_7f3k2m`. */
  newId(): string;
}

export interface PlanFiles {
  /**
   * Reads and checks an input file (a CSV or a sheet of a workbook); `-` is standard input. Throws CliError 'usage' if it cannot
   * be read or is too large.
   */
  input(path: string, how: InputHow): Promise<InputFile>;
  /**
   * Writes a plan that only its owner can read, and returns its digest. Throws CliError 'refused' if the file exists, unless
   * `force`.
   */
  save(path: string, head: PlanHead, rows: readonly PlanRow[], force: boolean): Promise<Plan>;
  /** Throws CliError 'usage' if there is no such file, 'refused' if it is not a plan or was changed. */
  open(path: string): Promise<Plan>;
  /** When a file was written last, Unix milliseconds; undefined if there is none. */
  writtenAt(path: string): Promise<number | undefined>;
  /** Whether there is anything at a path. */
  exists(path: string): Promise<boolean>;
  /** Whether two paths lead to the same file, also through links. Standard input (`-`) is not a file. */
  isSameFile(one: string, other: string): Promise<boolean>;
  /**
   * Checks that a new file can be written, before anything is read for it. Throws CliError 'refused' if its folder cannot be
   * written, or if the file exists, unless `force`.
   */
  checkNew(path: string, force: boolean): Promise<void>;
  /** Writes a requested text file (`--errors`, `--rest`). Throws as `save` does. */
  write(path: string, text: string, force: boolean): Promise<void>;
}

// ── Allocation ──────────────────────────────────────────────────────────────────────────────────

/** How to spread an amount over an order's charges: `--allocate`. */
export const allocateWays = ['in-order', 'largest-first'] as const;
export type AllocateWay = (typeof allocateWays)[number];

/** What a person expects from a plan: `--expect-count` and `--expect-total`. */
export interface ControlTotals {
  readonly count: number | undefined;
  readonly totals: readonly ExpectedTotal[];
}

// ── Running a batch ─────────────────────────────────────────────────────────────────────────────

/** How a row of a batch ended: for the batch, and for the report if the journal has nothing about it. */
export interface RowEnd {
  /** `failed`: certainly not made. `unknown`: it may have been made. */
  readonly how: 'applied' | 'failed' | 'unknown';
  /** An earlier run sent it, and the journal knew how it ended: that says nothing about the service now. */
  readonly isKnown?: boolean | undefined;
  /** Why the batch stops before the next row: for example, the key was refused. */
  readonly stops?: string | undefined;
  /** How long the service asks us to wait, in milliseconds. */
  readonly waitMs?: number | undefined;
  /** Why nothing was sent, for the report: the journal has nothing about it. */
  readonly notSent?: string | undefined;
  /** The run stopped before the row was sent, so it has not ended. */
  readonly isStopped?: true | undefined;
}

/** Why a batch ended before its last row. */
export type BatchStop =
  | { readonly why: 'unknowns'; readonly inARow: boolean; readonly count: number }
  | { readonly why: 'row'; readonly words: string }
  | { readonly why: 'wait'; readonly waitMs: number }
  | { readonly why: 'signal' };

const emptyList: readonly never[] = [];

/** The same row, with one shared empty list: most lists of most rows are empty. */
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
