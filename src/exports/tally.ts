/** What the rows of an export add up to: counts, and sums a currency, status and day. Pure. */

import type { ExportRow, PageWalked } from './exports.ts';

/** Money of one currency, status and day. */
export interface Sum {
  readonly currency: string | undefined;
  readonly status: string | undefined;
  readonly day: string | undefined;
  readonly rows: number;
  readonly amount: bigint;
}

/** Rows and what was read for them, of a page or of all. */
export interface Tally {
  readonly rows: number;
  readonly first: string | undefined;
  readonly last: string | undefined;
  /** Rows whose amount is missing or no whole number: they are in no sum's amount. */
  readonly unsummed: number;
  readonly read: number;
  readonly repeated: number;
  readonly odd: number;
  readonly left: number;
  readonly sums: readonly Sum[];
}

/** What a page comes to. */
export function tallyOf(rows: readonly ExportRow[], { read, repeated, odd, left }: PageWalked): Tally {
  const amounts = rows.map(({ amount }) => wholeNumber(amount));
  const sums = new Map<string, Sum>();
  addSums(
    sums,
    rows.map(({ currency, status, day }, index) => ({
      currency,
      status,
      day: day(),
      rows: 1,
      amount: amounts[index] ?? 0n,
    })),
  );
  return {
    rows: rows.length,
    first: rows[0]?.id,
    last: rows.at(-1)?.id,
    unsummed: amounts.filter((amount, index) => amount === undefined && rows[index]?.amount !== null).length,
    read,
    repeated,
    odd,
    left,
    sums: [...sums.values()],
  };
}

/** A growing tally. */
export interface Tallies {
  add(tally: Tally): void;
  /** All of it so far; its sums in the order of currency, status and day. */
  total(): Tally;
}

/** Nothing yet. */
export function createTallies(): Tallies {
  let rest: Omit<Tally, 'sums'> = {
    rows: 0,
    first: undefined,
    last: undefined,
    unsummed: 0,
    read: 0,
    repeated: 0,
    odd: 0,
    left: 0,
  };
  const sums = new Map<string, Sum>();
  return {
    add(tally) {
      rest = {
        rows: rest.rows + tally.rows,
        first: rest.first ?? tally.first,
        last: tally.last ?? rest.last,
        unsummed: rest.unsummed + tally.unsummed,
        read: rest.read + tally.read,
        repeated: rest.repeated + tally.repeated,
        odd: rest.odd + tally.odd,
        left: rest.left + tally.left,
      };
      addSums(sums, tally.sums);
    },
    total: () => ({
      ...rest,
      sums: [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum),
    }),
  };
}

function addSums(into: Map<string, Sum>, sums: readonly Sum[]): void {
  for (const sum of sums) {
    const key = JSON.stringify([sum.currency ?? null, sum.status ?? null, sum.day ?? null]);
    const known = into.get(key);
    into.set(
      key,
      known === undefined
        ? sum
        : { ...known, rows: known.rows + sum.rows, amount: known.amount + sum.amount },
    );
  }
}

function wholeNumber(amount: unknown): bigint | undefined {
  if (typeof amount === 'bigint') return amount;
  return Number.isSafeInteger(amount) ? BigInt(Number(amount)) : undefined;
}
