/** Removes orders or their texts from the segments: forgotten orders, orders that are too old, and repeated ones. */

import { hash } from 'node:crypto';
import { readColumns } from './fact-columns.ts';
import type { NewSegment } from './fit-run.ts';
import type { IndexState } from './index-file.ts';
import type { SealedSegments, Stored } from './sealed-segments.ts';
import type { Entry } from './segment.ts';

export function isBelow({ facts }: Entry, floor: number | undefined): boolean {
  return floor !== undefined && facts?.createdAt !== undefined && facts.createdAt < floor;
}

/** The order without its buyer. The figures stay, so sums stay right. */
export function withoutBuyer(entry: Entry): Entry {
  const { facts } = entry;
  if (facts === undefined) return { ...entry, text: '' };
  const charges = facts.charges?.map((charge) => ({ ...charge, last4: undefined }));
  return { ...entry, text: '', facts: { ...facts, purchase: undefined, charges } };
}

/**
 * Removes the buyers of these orders. Only keyed hashes of the ids and `names` stay: they recognise a forgotten buyer later, and
 * nobody can read who it was. Returns how many orders it changed.
 */
export function forgetOrders(
  segments: SealedSegments,
  state: IndexState,
  { ids, names }: { readonly ids: readonly string[]; readonly names: readonly string[] },
): readonly [IndexState, number] {
  const wanted = new Set(ids);
  const count = rewrite(segments, segments.edges(), (entry) =>
    wanted.has(entry.id) ? withoutBuyer(entry) : entry,
  );
  const hashes = [...ids.map(orderName), ...names].map((name) => hashOf(name, state));
  return [{ ...state, forgotten: [...new Set([...state.forgotten, ...hashes])] }, count];
}

/** Returns a function that says whether an order, or its buyer under one of the names, was forgotten. */
export function isForgottenIn(state: IndexState): (id: string, names: readonly string[]) => boolean {
  const hashes = new Set(state.forgotten);
  // Most indexes have forgotten nobody: then nothing is hashed.
  if (hashes.size === 0) return () => false;
  return (id, names) => [orderName(id), ...names].some((name) => hashes.has(hashOf(name, state)));
}

function orderName(id: string): string {
  return `id ${id}`;
}

function hashOf(name: string, { salt }: IndexState): string {
  return hash('sha256', `${salt}\n${name}`, 'base64url').slice(0, 22);
}

/** Removes orders below the floor from the end of the list; those between others keep only their ids. Returns how many. */
export function raiseFloor(
  segments: SealedSegments,
  state: IndexState,
  floor: number,
): readonly [IndexState, number] {
  if (state.floor !== undefined && state.floor >= floor) return [state, 0];
  const old = (entry: Entry): boolean => entry.facts === undefined || isBelow(entry, floor);
  let removed = 0;
  let endsAtFloor = state.endsAtFloor;
  for (const edge of segments.edges().toReversed()) {
    const entries = segments.entries(edge);
    const kept = entries.findLastIndex((entry) => !old(entry));
    const { pos, isJoined, fields } = edge;
    removed += entries.length - kept - 1;
    endsAtFloor ||= kept < entries.length - 1;
    const left = entries.slice(0, kept + 1);
    segments.replace([edge], left.length === 0 ? [] : [{ pos, entries: left, isJoined, fields }]);
    if (kept >= 0) break;
  }
  removed += rewrite(segments, segments.edges(), (entry) =>
    isBelow(entry, floor) ? { ...entry, text: '', facts: undefined } : entry,
  );
  return [{ ...state, floor, endsAtFloor, ended: state.ended || endsAtFloor }, removed];
}

/** Rewrites the segments in which `change` changes an order; undefined removes it. Returns how many it changed. */
export function rewrite(
  segments: SealedSegments,
  edges: readonly Stored[],
  change: (entry: Entry) => Entry | undefined,
): number {
  let count = 0;
  for (const edge of edges) {
    const entries = segments.entries(edge);
    const changed = entries.map(change);
    const different = changed.filter((entry, index) => entry !== entries[index]).length;
    if (different === 0) continue;
    count += different;
    const { pos, isJoined, fields } = edge;
    const left = changed.filter((entry) => entry !== undefined);
    const added: readonly NewSegment[] = left.length === 0 ? [] : [{ pos, entries: left, isJoined, fields }];
    segments.replace([edge], added);
  }
  return count;
}

/** Of two entries for one order, keeps the one read last. Returns how many were removed. */
export function dropRepeats(segments: SealedSegments): number {
  const isSpare = spareCopies(segments);
  return isSpare === undefined
    ? 0
    : rewrite(segments, segments.edges(), (entry) => (isSpare(entry) ? undefined : entry));
}

/**
 * Returns a function that says, for each order in the list, whether it is a surplus copy: the copy read last is kept. Undefined
 * if there are no copies.
 */
export function spareCopies(
  segments: SealedSegments,
): ((entry: Pick<Entry, 'id' | 'readAt'>) => boolean) | undefined {
  const seen = new Map<string, number>();
  const repeated = new Set<string>();
  for (const edge of segments.edges()) {
    const read = readColumns(segments.facts(edge));
    segments.ids(edge).forEach((id, index) => {
      const at = read[index]?.readAt ?? 0;
      const known = seen.get(id);
      if (known !== undefined) repeated.add(id);
      seen.set(id, Math.max(known ?? 0, at));
    });
  }
  if (repeated.size === 0) return undefined;
  const kept = new Set<string>();
  return ({ id, readAt }) => {
    if (!repeated.has(id)) return false;
    if (kept.has(id) || readAt < (seen.get(id) ?? 0)) return true;
    kept.add(id);
    return false;
  };
}
