/** The totals of an export: counts, and sums by currency, status, state of a refund, and day. Pure. */

import * as v from 'valibot';
import type { ExportRow, PageWalked } from './exports.ts';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const word = v.optional(v.string(), () => undefined);

const digits = v.pipe(
  v.string(),
  v.regex(/^-?\d+$/),
  v.transform((text) => BigInt(text)),
);

/** Totals as a checkpoint stores them. Amounts are strings of digits, because a JSON number may be inexact. */
export const storedTotals = v.object({
  rows: count,
  /** The ids of the first and the last row. */
  first: word,
  last: word,
  /** Rows whose amount is missing or not a whole number: no sum includes them. */
  unsummed: count,
  /** Records: all read, repeated ones, and those that differ from the document. */
  read: count,
  repeated: count,
  odd: count,
  sums: v.array(
    v.object({
      currency: word,
      status: word,
      state: word,
      day: word,
      rows: count,
      amount: digits,
      /** The service's fees on the charges. */
      fee: v.optional(digits),
    }),
  ),
});

export type Totals = Readonly<v.InferOutput<typeof storedTotals>>;
type Sum = Totals['sums'][number];

export function totalsOfPage(rows: readonly ExportRow[], { read, repeated, odd }: PageWalked): Totals {
  const amounts = rows.map(({ amount }) => wholeNumber(amount));
  const sums = new Map<string, Sum>();
  addSums(
    sums,
    rows.map(({ currency, status, state, day, fee }, index) => ({
      currency,
      status,
      state,
      day: day(),
      rows: 1,
      amount: amounts[index] ?? 0n,
      fee: wholeNumber(fee),
    })),
  );
  return {
    rows: rows.length,
    first: rows[0]?.id,
    last: rows.at(-1)?.id,
    unsummed: amounts.filter((amount) => amount === undefined).length,
    read,
    repeated,
    odd,
    sums: [...sums.values()],
  };
}

export interface GrowingTotals {
  add(page: Totals): void;
  /** The totals so far. The sums are sorted by currency, status, state and day. */
  total(): Totals;
}

export function createTotals(): GrowingTotals {
  let counts: Omit<Totals, 'sums'> = {
    rows: 0,
    first: undefined,
    last: undefined,
    unsummed: 0,
    read: 0,
    repeated: 0,
    odd: 0,
  };
  const sums = new Map<string, Sum>();
  return {
    add(page) {
      counts = {
        rows: counts.rows + page.rows,
        first: counts.first ?? page.first,
        last: page.last ?? counts.last,
        unsummed: counts.unsummed + page.unsummed,
        read: counts.read + page.read,
        repeated: counts.repeated + page.repeated,
        odd: counts.odd + page.odd,
      };
      addSums(sums, page.sums);
    },
    total: () => ({
      ...counts,
      sums: [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum),
    }),
  };
}

function addSums(into: Map<string, Sum>, sums: readonly Sum[]): void {
  for (const sum of sums) {
    const key = JSON.stringify([
      sum.currency ?? null,
      sum.status ?? null,
      sum.state ?? null,
      sum.day ?? null,
    ]);
    const { rows, amount, fee } = into.get(key) ?? { rows: 0, amount: 0n };
    const fees = sum.fee === undefined ? fee : (fee ?? 0n) + sum.fee;
    into.set(key, { ...sum, rows: rows + sum.rows, amount: amount + sum.amount, fee: fees });
  }
}

function wholeNumber(amount: unknown): bigint | undefined {
  if (typeof amount === 'bigint') return amount;
  return Number.isSafeInteger(amount) ? BigInt(Number(amount)) : undefined;
}
