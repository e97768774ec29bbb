/**
 * Writes the facts of many orders as columns of numbers, which compress well, and reads them back. Integers beyond 2^53-1 are
 * texts of digits. Pure.
 */

import type { ChargeInIndex, OrderInIndex, RefundInIndex } from './order-in-index.ts';

type Cell = number | string | null;
type Whole = number | bigint;

/** A word (a currency, a status) is stored as its position in `words`, a time as a difference, since differences repeat more often. */
interface Columns {
  readonly words: string[];
  readonly created: (number | null)[];
  readonly amount: Cell[];
  readonly refunded: Cell[];
  readonly currency: number[];
  readonly status: number[];
  readonly purchase: (number | null)[];
  /** How many charges; -1 if the order shows none, -2 if nothing is known about the order. */
  readonly charges: number[];
  /** The orders that show only some of their charges or refunds. */
  readonly partial: number[];
  readonly read: number[];
  /** For each charge. `=`: the amount is that of the order. */
  readonly of: {
    readonly amount: Cell[];
    readonly currency: number[];
    readonly status: number[];
    readonly method: number[];
    readonly brand: number[];
    /** Seconds after the order was created. */
    readonly paid: (number | null)[];
  };
  /** The charges with refunds: position, id and last4, and the id, amount, time and status of each refund. */
  readonly refunds: [number, string | null, string | null, [string | null, Cell, number | null, number][]][];
}

/** An order's facts, and when it was read. */
export interface DatedFacts {
  /** Undefined if they are not kept. */
  readonly facts: OrderInIndex | undefined;
  /** Unix seconds. */
  readonly readAt: number;
}

export function writeColumns(orders: readonly DatedFacts[]): string {
  const words = wordList();
  const columns: Columns = {
    words: words.list,
    created: [],
    amount: [],
    refunded: [],
    currency: [],
    status: [],
    purchase: [],
    charges: [],
    partial: [],
    read: [],
    of: { amount: [], currency: [], status: [], method: [], brand: [], paid: [] },
    refunds: [],
  };
  let before = 0;
  let readBefore = 0;
  orders.forEach(({ facts, readAt }, index) => {
    columns.read.push(readAt - readBefore);
    readBefore = readAt;
    const { createdAt } = facts ?? {};
    columns.created.push(createdAt === undefined ? null : createdAt - before);
    before = createdAt ?? before;
    columns.amount.push(cell(facts?.amount));
    columns.refunded.push(cell(facts?.refunded));
    columns.currency.push(words.place(facts?.currency));
    columns.status.push(words.place(facts?.status));
    columns.purchase.push(facts?.purchase ?? null);
    columns.charges.push(facts === undefined ? -2 : (facts.charges?.length ?? -1));
    if (facts?.isPartial === true) columns.partial.push(index);
    for (const charge of facts?.charges ?? []) writeCharge(columns, words, charge, facts);
  });
  return JSON.stringify(columns);
}

function writeCharge(
  columns: Columns,
  words: WordList,
  charge: ChargeInIndex,
  order: OrderInIndex | undefined,
): void {
  const { of } = columns;
  const { amount, paidAt, refunds } = charge;
  if (refunds.length > 0)
    columns.refunds.push([
      of.amount.length,
      charge.id ?? null,
      charge.last4 ?? null,
      refunds.map((one) => [
        one.id ?? null,
        cell(one.amount),
        one.createdAt ?? null,
        words.place(one.status),
      ]),
    ]);
  of.amount.push(amount !== undefined && amount === order?.amount ? '=' : cell(amount));
  of.currency.push(words.place(charge.currency));
  of.status.push(words.place(charge.status));
  of.method.push(words.place(charge.method));
  of.brand.push(words.place(charge.brand));
  of.paid.push(paidAt === undefined ? null : paidAt - (order?.createdAt ?? 0));
}

export function readColumns(text: string): readonly DatedFacts[] {
  const columns: Columns = JSON.parse(text);
  const { words, of } = columns;
  const word = (place: number | undefined) => (place === undefined ? undefined : words[place]);
  const refunds = new Map(columns.refunds.map(([charge, id, last4, list]) => [charge, { id, last4, list }]));
  const partial = new Set(columns.partial);
  let createdAt = 0;
  let readAt = 0;
  let charge = 0;
  const chargeAt = (at: number, amount: Whole | undefined, created: number): ChargeInIndex => {
    const refunded = refunds.get(at);
    const cellOfAmount = of.amount[at];
    const paid = of.paid[at] ?? null;
    return {
      id: refunded?.id ?? undefined,
      last4: refunded?.last4 ?? undefined,
      amount: cellOfAmount === '=' ? amount : figureOf(cellOfAmount),
      currency: word(of.currency[at]),
      status: word(of.status[at]),
      paidAt: paid === null ? undefined : created + paid,
      method: word(of.method[at]),
      brand: word(of.brand[at]),
      refunds: (refunded?.list ?? []).map(
        ([id, sum, at2, status]): RefundInIndex => ({
          id: id ?? undefined,
          amount: figureOf(sum),
          createdAt: at2 ?? undefined,
          status: word(status),
        }),
      ),
    };
  };
  return columns.read.map((later, index): DatedFacts => {
    readAt += later;
    const created = columns.created[index] ?? null;
    createdAt += created ?? 0;
    const count = columns.charges[index] ?? -2;
    if (count === -2) return { facts: undefined, readAt };
    const amount = figureOf(columns.amount[index]);
    const ownTime = created === null ? 0 : createdAt;
    const first = charge;
    charge += Math.max(0, count);
    const charges = Array.from({ length: Math.max(0, count) }, (_, more) =>
      chargeAt(first + more, amount, ownTime),
    );
    return {
      readAt,
      facts: {
        createdAt: created === null ? undefined : createdAt,
        amount,
        refunded: figureOf(columns.refunded[index]),
        currency: word(columns.currency[index]),
        status: word(columns.status[index]),
        purchase: columns.purchase[index] ?? undefined,
        charges: count === -1 ? undefined : charges,
        isPartial: partial.has(index),
      },
    };
  });
}

interface WordList {
  readonly list: string[];
  /** The position of a word; -1 for none. */
  place(word: string | undefined): number;
}

function wordList(): WordList {
  const list: string[] = [];
  const places = new Map<string, number>();
  return {
    list,
    place(word) {
      if (word === undefined) return -1;
      const known = places.get(word);
      if (known !== undefined) return known;
      places.set(word, list.length);
      return list.push(word) - 1;
    },
  };
}

function cell(value: Whole | undefined): Cell {
  if (value === undefined) return null;
  return typeof value === 'bigint' ? String(value) : value;
}

function figureOf(value: Cell | undefined): Whole | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? BigInt(value) : value;
}
