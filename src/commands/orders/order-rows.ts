/** Makes the rows of an export: orders, their charges or their refunds, chosen by date. Pure. */

import type { WireRecord } from '../../api/api.ts';
import { refundsOf } from '../../api/charges.ts';
import { referenceOf } from '../../api/resources.ts';
import {
  type CompleteItems,
  completeItems,
  idOf,
  isObject,
  type JsonObject,
  statuses,
  valueAt,
} from '../../api/spec.ts';
import { CliError } from '../../errors.ts';
import type { ExportRow } from '../../exports/exports.ts';
import { isWithin, type TimeRange } from '../../flags/typed-time.ts';
import type { toldRefunds } from '../../orders/orders.ts';

/** The kinds of rows. A new kind needs an entry in every `Record` over `RowKind`, and tsc names them. */
export const rowKinds = ['orders', 'charges', 'refunds'] as const;
export type RowKind = (typeof rowKinds)[number];

/** What a date range can mean: when the order was created, when a charge was paid, or when a refund was made. */
export const rowDates = ['created', 'paid', 'refunded'] as const;
export type RowDate = (typeof rowDates)[number];

/** The rows of an export, as the sentence about its range begins. */
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

interface RowQuery {
  readonly rows: RowKind;
  readonly by: RowDate;
  readonly range: TimeRange;
  readonly day: (seconds: unknown) => string | undefined;
  /** The setting `reference.keys`. */
  readonly referenceKeys: readonly string[];
  /** What is known about the refunds of an order. */
  readonly toldOf: (order: JsonObject) => Told;
}

/** The rows of an order, and how many were left out because they show no date. */
interface OrderRows {
  readonly rows: readonly ExportRow[];
  readonly undated: number;
}

/** Makes the rows of one order. Throws CliError 'incomplete' if the order does not show all charges or refunds that are needed. */
export function orderRows(record: WireRecord, query: RowQuery): OrderRows {
  const candidates = candidatesOf[query.rows](record, partsOf(record.value, query), query);
  return chosen(record.value, candidates, query);
}

/** A charge and its refunds. */
interface Part {
  readonly charge: JsonObject;
  readonly refunds: readonly JsonObject[];
}

// Reads charges and refunds only when the rows need them. Otherwise an order may leave them out.
function partsOf(order: JsonObject, { rows: kind, by }: RowQuery): readonly Part[] {
  if (kind === 'orders' && by === 'created') return [];
  const charges = chargesOf(order);
  if (kind !== 'refunds' && by !== 'refunded') return charges.map((charge) => ({ charge, refunds: [] }));
  const parts = charges.map((charge) => ({ charge, refunds: all(order, refundsOf(order, charge)) }));
  if (parts.every(({ refunds }) => refunds.length === 0)) refuseHidden(order);
  return parts;
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

// Without a range every row is chosen. With a range, a row needs a date inside it, and that date becomes the day of the row.
function chosen(order: JsonObject, from: readonly Candidate[], { by, range, day }: RowQuery): OrderRows {
  const open = range.since === undefined && range.until === undefined;
  let undated = 0;
  const rows = from.flatMap((candidate): readonly ExportRow[] => {
    const { row } = candidate;
    const dates = datesOf[by](order, candidate);
    if (open) return [{ ...row, day: () => dates.map(day).find((one) => one !== undefined) }];
    const shown = dates.filter((date) => day(date) !== undefined);
    if (shown.length < dates.length) undated += 1;
    const found = shown.find((date) => isWithin(range, Number(date)));
    return found === undefined ? [] : [{ ...row, day: () => day(found) }];
  });
  return { rows, undated };
}

type Row = Candidate['row'];

function orderRow(record: WireRecord): Row {
  const { amount, currency, payment_status: status } = record.value;
  return { record, id: idOf(record), currency: text(currency), status: text(status), amount };
}

function chargeRow(order: JsonObject, charge: JsonObject): Row {
  const { id, amount, currency, status } = charge;
  const value = { ...charge, order_id: charge.order_id ?? order.id };
  return {
    record: { value, columnsFrom: { ...value, order } },
    id: text(id),
    currency: text(currency ?? order.currency),
    status: text(status),
    amount,
  };
}

/** The fields of a refund's row, besides those of the service's record. */
export const refundRowFields = [
  'order_id',
  'charge_id',
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
] as const;

/** What a refund's row tells besides the records of the service. */
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
  const value = {
    ...refund,
    order_id: order.id,
    charge_id: charge.id,
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
  } satisfies Readonly<Record<(typeof refundRowFields)[number], unknown>>;
  return {
    record: { value, columnsFrom: { ...value, charge, order } },
    id: text(refund.id),
    currency: text(currency),
    status: text(order.payment_status),
    state,
    amount: refund.amount,
  };
}

// A charge that was never paid has no payment date, so none is missing.
function isPaid({ status, paid_at: at }: JsonObject): boolean {
  const taken: readonly unknown[] = [statuses.paid, statuses.refunded, statuses.partiallyRefunded];
  return typeof at === 'number' || taken.includes(status);
}

const withCharges: readonly unknown[] = Object.values(statuses);

function chargesOf(order: JsonObject): readonly JsonObject[] {
  const { charges, payment_status: status } = order;
  if ((charges === undefined || charges === null) && !withCharges.includes(status)) return [];
  return all(order, completeItems(charges, 'the charges'));
}

// Refunded money without a refund record would be missing from every sum (service: amount_refunded).
function refuseHidden({ id, amount_refunded: refunded }: JsonObject): void {
  if (!(Number(refunded) > 0)) return;
  throw new CliError(
    'incomplete',
    `the service shows no refund of ${text(id) ?? 'an order'}, although its amount_refunded is ${String(refunded)}`,
  );
}

function all({ id }: JsonObject, list: CompleteItems): readonly JsonObject[] {
  const what = text(id) ?? 'an order';
  if ('problem' in list) throw new CliError('incomplete', `${what}: ${list.problem}`);
  if (list.items.every(isObject)) return list.items;
  throw new CliError('incomplete', `${what}: a charge or a refund has no fields`);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
