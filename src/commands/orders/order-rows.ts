/** Makes the rows of an export: orders, their charges or their refunds, chosen by date. Pure. */

import type { WireRecord } from '../../api/api.ts';
import { idOf, type JsonObject, textIn, valueAt } from '../../api/json-values.ts';
import { hiddenRefunds, shownCharges, shownRefunds } from '../../api/payment.ts';
import { referenceOf } from '../../api/resources.ts';
import { isTime, isWithin, statuses, type TimeRange } from '../../api/spec.ts';
import type { ExportProblem, ExportRow } from '../../exports/exports.ts';
import { approvalFields } from '../../journal/journal.ts';
import type { toldRefunds } from '../../orders/orders.ts';
import { magnitude, meaningIn, wentBackOf, wholeNumber } from '../../reports/reports.ts';
import { type AmountRange, isAmount } from './order-filters.ts';

/** The kinds of rows. A new kind needs an entry in every `Record` over `RowKind`, and tsc names those entries. */
export const rowKinds = ['orders', 'charges', 'refunds'] as const;
export type RowKind = (typeof rowKinds)[number];

/** What one row of each kind is called, and what several are called. */
export const rowWords: Readonly<Record<RowKind, { readonly one: string; readonly many: RowKind }>> = {
  orders: { one: 'order', many: 'orders' },
  charges: { one: 'charge', many: 'charges' },
  refunds: { one: 'refund', many: 'refunds' },
};

/** What a date range can mean: when the order was created, when a charge was paid, or when a refund was made. */
export const rowDates = ['created', 'paid', 'refunded'] as const;
export type RowDate = (typeof rowDates)[number];

/** The first words of the sentence about the range of an export, for each kind of row and of date. */
export const datedRows: Readonly<Record<RowKind, Readonly<Record<RowDate, string>>>> = {
  orders: {
    created: 'orders created',
    paid: 'orders with a charge paid',
    refunded: 'orders with a refund made',
  },
  charges: {
    created: 'charges of orders created',
    paid: 'charges paid',
    refunded: 'charges with a refund made',
  },
  refunds: {
    created: 'refunds of orders created',
    paid: 'refunds of charges paid',
    refunded: 'refunds made',
  },
};

type Told = ReturnType<typeof toldRefunds>;

export interface RowQuery {
  readonly rows: RowKind;
  readonly by: RowDate;
  readonly range: TimeRange;
  /** Rows of charges and of refunds are only those of charges with this status. */
  readonly chargeStatus: string | undefined;
  readonly amounts: AmountRange;
  readonly day: (seconds: unknown) => string | undefined;
  readonly referenceKeys: readonly string[];
  /** What is known about the refunds of an order. */
  readonly toldOf: (order: JsonObject) => Told;
}

/**
 * Makes the rows of one order. What the order does not show completely is reported as a problem, unless it cannot be in the
 * range.
 */
export function orderRows(record: WireRecord, query: RowQuery) {
  const { value: order } = record;
  const { rows: kind, by, range, chargeStatus, amounts } = query;
  const isElsewhere = by === 'created' && isTime(order.created_at) && !isWithin(range, order.created_at);
  if (isElsewhere) return { rows: [], problems: [] };
  const { parts, charges, refunds } = shownParts(order, query);
  const isAny = kind === 'orders' || chargeStatus === undefined;
  const own = isAny ? parts : parts.filter(({ charge }) => charge.status === chargeStatus);
  const candidates = candidatesOf[kind](record, own, query);
  const { rows, undated } = chosen(order, candidates, query);
  const unpriced = amounts.isOpen ? [] : rows.filter(({ amount }) => !isAmount(amount));
  // What is not shown could be a row itself, or decide whether another row is chosen.
  const missing = { orders: [], charges, refunds: [...charges, ...refunds] }[kind];
  const decides = rows.length === candidates.length ? [] : [...charges, ...refunds];
  const amountless = unpriced.map(({ id }) => `${id ?? 'a record of it'} shows no amount`);
  const passing = rows.filter(
    ({ amount, currency }) => amounts.isOpen || (isAmount(amount) && amounts.holds(amount, currency)),
  );
  const problems = [...missing, ...decides, ...undated, ...problemsOf(order, 'amount', amountless)];
  return { rows: passing, problems: [...new Set(problems)] };
}

interface Part {
  readonly charge: JsonObject;
  readonly refunds: readonly JsonObject[];
}

/** The charges and refunds that an order shows, and what it does not show about them. */
interface ShownParts {
  readonly parts: readonly Part[];
  readonly charges: readonly ExportProblem[];
  readonly refunds: readonly ExportProblem[];
}

// Reads charges and refunds only when the rows need them. Otherwise an order may leave them out.
function shownParts(order: JsonObject, { rows: kind, by, range }: RowQuery): ShownParts {
  if (kind === 'orders' && by === 'created') return { parts: [], charges: [], refunds: [] };
  const { items, problem } = shownCharges(order);
  const charges = problemsOf(order, 'charges', [problem]);
  if (kind !== 'refunds' && by !== 'refunded')
    return { parts: items.map((charge) => ({ charge, refunds: [] })), charges, refunds: [] };
  const parts = items.map((charge) => ({ charge, refunds: shownRefunds(order, charge) }));
  const counts = parts.filter(
    ({ charge: { paid_at: at } }) => by !== 'paid' || !isTime(at) || isWithin(range, at),
  );
  const lists = problemsOf(
    order,
    'refunds',
    counts.map(({ refunds }) => refunds.problem),
  );
  const sums = lists.length + charges.length > 0 ? [] : problemsOf(order, 'refunds', [hiddenRefunds(order)]);
  return {
    parts: parts.map(({ charge, refunds }) => ({ charge, refunds: refunds.items })),
    charges,
    refunds: [...lists, ...sums],
  };
}

function problemsOf(
  { id }: JsonObject,
  missing: ExportProblem['missing'],
  whys: readonly (string | undefined)[],
): readonly ExportProblem[] {
  return whys.flatMap((why) => (why === undefined ? [] : [{ order_id: textIn(id) ?? '', missing, why }]));
}

/** A possible row, with the charges and refunds whose dates decide whether it is chosen. */
interface Candidate {
  readonly row: Omit<ExportRow, 'day'>;
  readonly charges: readonly JsonObject[];
  readonly refunds: readonly JsonObject[];
}

// All possible rows of an order, for each kind of row.
const candidatesOf: Readonly<
  Record<RowKind, (record: WireRecord, parts: readonly Part[], query: RowQuery) => readonly Candidate[]>
> = {
  orders: (record, parts) => [
    {
      row: orderRow(record),
      charges: parts.map(({ charge }) => charge),
      refunds: parts.flatMap(({ refunds }) => refunds),
    },
  ],
  charges: ({ value: order }, parts) =>
    parts.map(({ charge, refunds }) => ({ row: chargeRow(order, charge), charges: [charge], refunds })),
  refunds({ value: order }, parts, { toldOf, referenceKeys }) {
    const told = toldOf(order);
    return parts.flatMap(({ charge, refunds }) =>
      refunds.map((refund) => ({
        row: refundRow(order, charge, refund, {
          ...told(refund),
          reference: referenceOf(order, referenceKeys),
        }),
        charges: [charge],
        refunds: [refund],
      })),
    );
  },
};

// The dates that decide whether a row is chosen, for each kind of date.
const datesOf: Readonly<Record<RowDate, (order: JsonObject, candidate: Candidate) => readonly unknown[]>> = {
  created: (order) => [order.created_at],
  paid: (_, { charges }) => charges.filter(isPaid).map(({ paid_at: at }) => at),
  refunded: (_, { refunds }) => refunds.map(({ created_at: at }) => at),
};

// Why a row cannot be chosen by its date, for each kind of date.
const undatedWords: Readonly<Record<RowDate, (id: string | undefined) => string>> = {
  created: () => 'the order shows no created_at',
  paid: (id) => `${id ?? 'a charge of it'} is paid and shows no paid_at`,
  refunded: (id) => `${id ?? 'a refund of it'} shows no created_at`,
};

// Without a range every row is chosen. With a range, a row needs a date inside it, and that date becomes the day of the row.
function chosen(order: JsonObject, from: readonly Candidate[], { rows: kind, by, range, day }: RowQuery) {
  const open = range.since === undefined && range.until === undefined;
  const undated: (string | undefined)[] = [];
  const rows = from.flatMap((candidate): readonly ExportRow[] => {
    const { row } = candidate;
    const dates = datesOf[by](order, candidate);
    if (open) return [{ ...row, day: () => dates.map(day).find((one) => one !== undefined) }];
    const shown = dates.filter((date) => day(date) !== undefined);
    const found = shown.find((date) => isWithin(range, Number(date)));
    if (found !== undefined) return [{ ...row, day: () => day(found) }];
    if (shown.length < dates.length) undated.push(undatedWords[by](kind === 'orders' ? undefined : row.id));
    return [];
  });
  return { rows, undated: problemsOf(order, 'date', undated) };
}

type Row = Candidate['row'];

function orderRow(record: WireRecord): Row {
  const { amount, currency, payment_status: status } = record.value;
  return { record, id: idOf(record), currency: textIn(currency), status: textIn(status), amount };
}

function chargeRow(order: JsonObject, charge: JsonObject): Row {
  const { id, amount, currency, status } = charge;
  const value = { ...charge, order_id: charge.order_id ?? order.id };
  return {
    record: { value, columnsFrom: { ...value, order } },
    id: textIn(id),
    currency: textIn(currency ?? order.currency),
    status: textIn(status),
    amount,
    fee: charge.fee,
  };
}

/** The fields of a refund's row, besides those of the service's record. */
export const refundRowFields = [
  'order_id',
  'charge_id',
  'went_back',
  'currency',
  'reason',
  'note',
  'operator',
  'change',
  'known_by',
  'refunded_at',
  'buyer',
  'email',
  'reference',
  'state',
  'asked_by',
  'asked_at',
  'approved_by',
  'approved_at',
  'request',
  'ticket',
] as const;

/** What the row of a refund says besides the service's records. */
interface ToldOfRefund extends Pick<ReturnType<Told>, 'state' | 'facts'> {
  /** The shop's own number of its order. */
  readonly reference: unknown;
}

// Adds to the service's record its order, its charge, what the journal of this machine knows about the refund, and the buyer.
function refundRow(
  order: JsonObject,
  charge: JsonObject,
  refund: JsonObject,
  { state, facts, reference }: ToldOfRefund,
): Row {
  const currency = charge.currency ?? order.currency;
  const amount = wholeNumber(refund.amount);
  const meaning = meaningIn(state, refund.status);
  const value = {
    ...refund,
    order_id: order.id,
    charge_id: charge.id,
    went_back: wentBackOf({ meaning, amount: amount === undefined ? undefined : magnitude(amount) }) ?? null,
    currency,
    reason: facts?.reason ?? null,
    note: facts?.note ?? null,
    operator: facts?.operator ?? null,
    change: facts?.change ?? null,
    known_by: facts?.knownBy ?? null,
    refunded_at: refund.created_at ?? null,
    buyer: valueAt(order, ['customer_info', 'name']) ?? null,
    email: valueAt(order, ['customer_info', 'email']) ?? null,
    reference: reference ?? null,
    state,
    ...approvalFields(facts?.sent),
  } satisfies Readonly<Record<(typeof refundRowFields)[number], unknown>>;
  return {
    record: { value, columnsFrom: { ...value, charge, order } },
    id: textIn(refund.id),
    currency: textIn(currency),
    status: textIn(order.payment_status),
    state,
    amount: refund.amount,
  };
}

// A charge that was never paid has no payment date, so none is missing.
function isPaid({ status, paid_at: at }: JsonObject): boolean {
  const taken: readonly unknown[] = [statuses.paid, statuses.refunded, statuses.partiallyRefunded];
  return typeof at === 'number' || taken.includes(status);
}
