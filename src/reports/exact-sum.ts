/** Adds whole numbers exactly: a sum is a number while that is safe, and a bigint beyond that. Pure. */

/** A whole number. It is a bigint only beyond 2^53-1. */
export type Figure = number | bigint;

/** Adds two whole numbers, exactly. */
export function plus(one: Figure, other: Figure): Figure {
  if (typeof one === 'number' && typeof other === 'number') {
    const sum = one + other;
    // If the sum of two safe integers is one too, it is exact.
    if (Number.isSafeInteger(sum)) return sum;
  }
  return shortest(BigInt(one) + BigInt(other));
}

/** The sum of the figures that `of` takes from these. */
export function sumOf<T>(all: readonly T[], of: (one: T) => Figure): Figure {
  return all.reduce<Figure>((sum, one) => plus(sum, of(one)), 0);
}

/** The same figure with the other sign. */
export function negated(figure: Figure): Figure {
  // 0 must not become -0.
  return typeof figure === 'bigint' ? shortest(-figure) : 0 - figure;
}

/** The figure without its sign. */
export function magnitude(figure: Figure): Figure {
  return figure < 0 ? negated(figure) : figure;
}

/** A value from the service as a figure; undefined if it is not a whole number. */
export function wholeNumber(value: unknown): Figure | undefined {
  if (typeof value === 'bigint') return shortest(value);
  return typeof value === 'number' && Number.isSafeInteger(value) ? value + 0 : undefined;
}

/** The largest of these figures; 0 if none is above it. */
export function largestOf(figures: Iterable<Figure>): Figure {
  let largest: Figure = 0;
  // Math.max would refuse a bigint.
  for (const figure of figures) if (figure > largest) largest = figure;
  return largest;
}

/** For sorting: the largest first. */
export function largestFirst(one: Figure, other: Figure): number {
  if (one === other) return 0;
  return one > other ? -1 : 1;
}

/**
 * What percentage a part is of a whole, for scripts, with two decimals: `4.44`. A part above 0 never becomes 0: a tiny one has
 * one significant digit, `0.0004`. Undefined if there is no whole.
 */
export function percentNumber(part: Figure, whole: Figure): number | undefined {
  if (whole <= 0 || part < 0) return undefined;
  const rounded = Number((BigInt(part) * 20_000n + BigInt(whole)) / (BigInt(whole) * 2n)) / 100;
  return rounded === 0 && part > 0 ? Number(((Number(part) / Number(whole)) * 100).toPrecision(1)) : rounded;
}

function shortest(value: bigint): Figure {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
