/** Segments of an index in memory, for tests of how runs fit into them. */

import type { NewSegment, Placed, Segments } from '../../src/index/fit-run.ts';
import { type Entry, edgeOf, readTexts, writeTexts } from '../../src/index/segment.ts';

/** Segments as a store keeps them: written as texts, and read again. */
export function memorySegments(): Segments & { readonly all: () => readonly (readonly Entry[])[] } {
  let held: readonly (Placed & { readonly texts: ReturnType<typeof writeTexts> })[] = [];
  const find = ({ pos }: Placed) => {
    const found = held.find((one) => one.pos === pos);
    if (found === undefined) throw new Error(`there is no segment ${pos}`);
    return found;
  };
  const put = ({ pos, entries, isJoined, fields }: NewSegment) => ({
    ...edgeOf(entries, { isJoined, fields }),
    pos,
    texts: writeTexts(entries),
  });
  return {
    edges: () => held,
    entries: (segment) => readTexts(find(segment).texts),
    ids: (segment) => find(segment).texts.ids.split('\n'),
    replace(removed, added) {
      const gone = new Set(removed.map(({ pos }) => pos));
      const left = held.filter(({ pos }) => !gone.has(pos));
      const taken = new Set(left.map(({ pos }) => pos));
      for (const { pos } of added) {
        if (taken.has(pos)) throw new Error(`two segments at ${pos}`);
        taken.add(pos);
      }
      held = [...left, ...added.map(put)].toSorted((one, other) => other.pos - one.pos);
    },
    all: () => held.map(({ texts }) => readTexts(texts)),
  };
}

/** An entry of this id that was created at this time. */
export function entryOf(id: string, createdAt: number | undefined, readAt = 1_790_000_000): Entry {
  return {
    id,
    text: `$mxn\tn${id}`,
    readAt,
    facts: {
      createdAt,
      amount: 100,
      refunded: 0,
      currency: 'MXN',
      status: 'paid',
      purchase: undefined,
      charges: [],
      isPartial: false,
    },
  };
}
