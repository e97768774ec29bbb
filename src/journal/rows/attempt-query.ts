/** What a store of the journal can be asked for: the attempts that match a filter, all at once or page by page. */

import type { ChangeKind } from '../change.ts';
import type { AttemptRecord, Moment, SentRow } from './journal-rows.ts';

/** Narrows which attempts are wanted. An attempt must match all parts. */
export interface AttemptFilter {
  readonly origin?: string | undefined;
  /** About real money, or about none. */
  readonly livemode?: boolean | undefined;
  readonly orderId?: string | undefined;
  /** On any of these orders. */
  readonly orderIds?: ReadonlySet<string> | undefined;
  readonly change?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** A verdict names one of these: as the id of a refund, or as the id or link of what was created. A link that was erased is not found. */
  readonly made?: ReadonlySet<string> | undefined;
  /** It was sent with `--again` and one of these names. */
  readonly again?: ReadonlySet<string> | undefined;
  readonly kind?: ChangeKind | undefined;
  /** Who sent it. */
  readonly operator?: string | undefined;
  /** The desk of a team at which it was sent. */
  readonly desk?: string | undefined;
  /** Sent at or after this time, Unix milliseconds. */
  readonly since?: number | undefined;
  /** Sent before this time, Unix milliseconds. */
  readonly until?: number | undefined;
  /** About no order, such as a payment link. */
  readonly withoutOrder?: true | undefined;
  /** May be unconfirmed, or has an alarm that nobody acknowledged (`mayBeOpen` of attempt-state.ts). */
  readonly unconfirmed?: true | undefined;
  /**
   * Of the unconfirmed ones, only those that may block an order, have an alarm, or may be read again at this moment
   * (`mayNeedLook`).
   */
  readonly open?: Pick<Moment, 'skewed'> | undefined;
  /** A person recorded that it was not made, and no read came after its horizon since (`isDoubted`). */
  readonly doubted?: true | undefined;
  /**
   * Made, and read again until its horizon is over. Only those that are due by this time (Unix milliseconds, `dueAt`), the first due
   * first, and at most `limit`.
   */
  readonly watched?: { readonly dueBy: number; readonly limit: number } | undefined;
  /** A person recorded that the refund was made, and it may be young at this moment (`mayBeYoung`). */
  readonly madeByHand?: MomentAsked | undefined;
  /** About no order, and its last verdict is a person's. */
  readonly byHand?: true | undefined;
  /**
   * Narrows nothing. It says that the guards ask, before they send: a later row on this order, or under this idempotency key,
   * then stops what they send, since they have not seen that row. Nobody else sets this: rows that no guard saw would count as
   * seen.
   */
  readonly beforeSending?: true | undefined;
}

/** The parts of a moment that tell whether a horizon may not be over yet. */
export type MomentAsked = Pick<Moment, 'time' | 'skewed' | 'boot'>;

// Each of these finds few attempts, however long the journal is.
const narrowing = [
  'orderId',
  'orderIds',
  'change',
  'idempotencyKey',
  'made',
  'again',
  'unconfirmed',
  'open',
  'doubted',
  'watched',
  'madeByHand',
  'byHand',
] as const;
type Narrowing = (typeof narrowing)[number];

/** A filter with a part that finds few attempts. Nobody asks for all attempts at once: `list` gives page after page. */
export type AttemptQuery = {
  [Part in Narrowing]: AttemptFilter & { readonly [Needed in Part]: NonNullable<AttemptFilter[Part]> };
}[Narrowing];

export function isQuery(filter: AttemptFilter): filter is AttemptQuery {
  return narrowing.some((name) => filter[name] !== undefined);
}

/** A place in a list of attempts. */
export type Cursor = Pick<SentRow, 'time' | 'change' | 'attempt'>;

/** Which part of a list is wanted: at most `limit` attempts, those that come after a place. */
export interface ListPage {
  readonly limit: number;
  readonly before?: Cursor | undefined;
}

/** Compares two places in a list: negative if the first one comes first. */
export function byNewest(one: Cursor, other: Cursor): number {
  if (one.time !== other.time) return other.time - one.time;
  if (one.change !== other.change) return one.change < other.change ? 1 : -1;
  return other.attempt - one.attempt;
}

/** The pages of a list from a place on until none is left, the newest first. One page is in memory at a time. */
export async function* pagesOf(
  journal: { readonly list: (filter: AttemptFilter, page: ListPage) => Promise<readonly AttemptRecord[]> },
  filter: AttemptFilter,
  { limit, before }: ListPage = { limit: 250 },
): AsyncGenerator<readonly AttemptRecord[]> {
  for (let from = before; ; ) {
    const page = await journal.list(filter, { limit, before: from });
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    from = page.at(-1)?.sent;
  }
}
