/** Adds figures up, for each bucket and each currency. Two currencies are never added together. Pure. */

import { type Figure, largestFirst, plus } from './exact-sum.ts';

/** The sums of one bucket in one currency. */
export interface Line<Name extends string> {
  /** '' if there are no buckets. */
  readonly bucket: string;
  /** As the service writes it; undefined if it shows none. */
  readonly currency: string | undefined;
  readonly sums: Readonly<Record<Name, Figure>>;
}

export interface Tally<Name extends string> {
  /** Adds figures to a bucket. A figure that is not named adds nothing. */
  add(bucket: string, currency: string | undefined, figures: Readonly<Partial<Record<Name, Figure>>>): void;
  /**
   * The lines, currency by currency. Inside a currency they are in the order of `order`; without it the one with the largest
   * sum of that name comes first.
   */
  lines(by: Name, order?: (one: string, other: string) => number): readonly Line<Name>[];
}

export function createTally<Name extends string>(names: readonly Name[]): Tally<Name> {
  const groups = new Map<string, Map<string, Record<Name, Figure>>>();
  const keyOf = (currency: string | undefined): string => currency ?? '';
  const zeros = (): Record<Name, Figure> =>
    // The type of the result follows from `names`, which TypeScript cannot see through fromEntries.
    Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, Figure>;
  return {
    add(bucket, currency, figures) {
      const key = keyOf(currency);
      const group = groups.get(key) ?? new Map<string, Record<Name, Figure>>();
      groups.set(key, group);
      const sums = group.get(bucket) ?? zeros();
      group.set(bucket, sums);
      for (const name of names) sums[name] = plus(sums[name], figures[name] ?? 0);
    },
    lines: (by, order) =>
      [...groups]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .flatMap(([key, group]) =>
          [...group]
            .map(([bucket, sums]): Line<Name> => ({ bucket, currency: key === '' ? undefined : key, sums }))
            .toSorted(
              (one, other) =>
                order?.(one.bucket, other.bucket) ||
                largestFirst(one.sums[by], other.sums[by]) ||
                (one.bucket < other.bucket ? -1 : 1),
            ),
        ),
  };
}
