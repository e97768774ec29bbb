/** The index of one account: what commands may ask of it and teach it. */

import type { JsonObject } from '../api/spec.ts';
import type { Clock } from '../io.ts';
import { type Due, dueSegments, readsByAge } from './ages.ts';
import { readColumns } from './fact-columns.ts';
import { factsOf, numberOf, orderOf } from './facts.ts';
import { type Forgotten, openForgotten } from './forgotten.ts';
import type { IndexedOrder, IndexStatus, OrderIndex, ReadOrder, ReadRun } from './index.ts';
import type { IndexFile, SealedSegments, Stored } from './index-file.ts';
import { type Learned, learn, type NewSegment, placeOf } from './known-list.ts';
import { type Hit, scan } from './scan.ts';
import { type Entry, isRise } from './segment.ts';
import { type IndexState, stateAfter } from './state.ts';

export interface OrderIndexParts {
  readonly file: IndexFile;
  readonly segments: SealedSegments;
  readonly keptIn: string;
  readonly clock: Clock;
  /** The error for a person, for what a segment or SQLite throws. */
  readonly explained: (error: unknown) => unknown;
  readonly rekey: (segments: SealedSegments) => Promise<void>;
}

// SQLite's code for a file that another process is writing to. The low byte is the kind.
function isBusy(code: unknown): boolean {
  return typeof code === 'number' && (code & 0xff) === 5;
}

export function createOrderIndex({
  file,
  segments,
  keptIn,
  clock,
  explained,
  rekey,
}: OrderIndexParts): OrderIndex {
  const now = (): number => Math.floor(clock.now() / 1000);
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw explained(error);
    }
  };
  const reading = <T>(read: () => T): T =>
    guarded(() => {
      const end = segments.snapshot();
      try {
        return read();
      } finally {
        end();
      }
    });
  const writing = <T>(change: (state: IndexState) => readonly [IndexState, T]): T =>
    guarded(() =>
      segments.atOnce(() => {
        const [state, result] = change(segments.state());
        segments.setState(state);
        return result;
      }),
    );
  return {
    path: file.path,
    keptIn,
    status: () => reading(() => statusOf(segments, file.bytes(), now())),
    learn(run) {
      try {
        return writing((state) => learnRun(segments, state, run));
      } catch (error) {
        const cause = error instanceof Error ? error.cause : undefined;
        if (cause instanceof Error && 'errcode' in cause && isBusy(cause.errcode)) return undefined;
        throw error;
      }
    },
    async scan(wanted) {
      const end = guarded(() => segments.snapshot());
      try {
        return await scan(segments, wanted);
      } catch (error) {
        throw explained(error);
      } finally {
        end();
      }
    },
    due: () => reading(() => dueSegments(segments.edges(), now())),
    narrowed: (due) => reading(() => narrowed(segments, due, now())),
    before: (id, count) => reading(() => idsBefore(segments, id, count)),
    placeOf: (id) => reading(() => positionOf(segments, id)),
    twinsOf: (order, purchase, seconds) =>
      reading(() => twinsIn(segments, order, numberOf(purchase), seconds)),
    facts: ({ since } = {}) => factsIn(segments, since),
    drop: (ids) =>
      writing((state) => {
        rewrite(segments, segments.edges(), (entry) => (ids.includes(entry.id) ? undefined : entry));
        return [state, undefined];
      }),
    withoutRepeats: () =>
      writing((state) => {
        const seen = new Map<string, number>();
        const removed = state.mayRepeat ? dropRepeats(segments, seen) : 0;
        return [{ ...state, mayRepeat: false }, removed];
      }),
    forgetOrders: (ids, names) =>
      writing((state) => {
        const forgotten = openForgotten(state.forgotten, state.salt);
        const wanted = new Set(ids);
        const count = rewrite(segments, segments.edges(), (entry) =>
          wanted.has(entry.id) ? withoutBuyer(entry) : entry,
        );
        return [{ ...state, forgotten: forgotten.with([...ids.map((id) => `id ${id}`), ...names]) }, count];
      }),
    forgetBefore: (time) => writing((state) => raiseFloor(segments, state, time)),
    reduceTexts: (fields, reduce) =>
      writing((state) => {
        const edges = segments.edges().filter((edge) => edge.fields.some((name) => !fields.includes(name)));
        for (const edge of edges) {
          const { pos, isJoined } = edge;
          const entries = segments
            .entries(edge)
            .map((entry) => ({ ...entry, text: entry.text && reduce(entry.text) }));
          const kept = edge.fields.filter((name) => fields.includes(name));
          segments.replace([edge], [{ pos, entries, isJoined, fields: kept }]);
        }
        return [state, undefined];
      }),
    compact: () => guarded(() => file.compact()),
    async rekey() {
      try {
        await rekey(segments);
      } catch (error) {
        throw explained(error);
      }
    },
    close: () => file.close(),
  };
}

function learnRun(
  segments: SealedSegments,
  before: IndexState,
  run: ReadRun,
): readonly [IndexState, Learned] {
  const forgotten = openForgotten(before.forgotten, before.salt);
  const entries = run.orders.map((order) => entryOf(order, run.readAt, forgotten, before.floor));
  const { cut, isCut } = upToFloor(entries, before);
  const { after, fields, readAt } = run;
  const learned = learn(segments, { after, entries: cut, ends: run.ends || isCut, fields });
  const hasNoGap = segments.edges().every(({ isJoined }) => isJoined);
  const facts = { isHead: after === undefined, readAt, isCut, hasNoGap };
  return [stateAfter(before, learned, facts), learned];
}

function entryOf(
  { id, order, text, purchase, buyer }: ReadOrder,
  readAt: number,
  forgotten: Forgotten,
  floor: number | undefined,
): Entry {
  const entry: Entry = { id, text, facts: factsOf(order, purchase), readAt };
  if (isBelow(entry, floor)) return { ...entry, text: '', facts: undefined };
  return forgotten.holds([`id ${id}`, ...buyer]) ? withoutBuyer(entry) : entry;
}

function isBelow({ facts }: Entry, floor: number | undefined): boolean {
  return floor !== undefined && facts?.createdAt !== undefined && facts.createdAt < floor;
}

// The figures stay, so that sums stay right.
function withoutBuyer(entry: Entry): Entry {
  const { facts } = entry;
  if (facts === undefined) return { ...entry, text: '' };
  const charges = facts.charges?.map((charge) => ({ ...charge, last4: undefined }));
  return { ...entry, text: '', facts: { ...facts, purchase: undefined, charges } };
}

// Where nothing but orders below the floor follows, the list ends for the index.
function upToFloor(entries: readonly Entry[], { floor }: IndexState) {
  if (floor === undefined) return { cut: entries, isCut: false };
  const kept = entries.findLastIndex(({ facts }) => facts !== undefined);
  const cut = entries.slice(0, kept + 1);
  return { cut, isCut: cut.length < entries.length };
}

// Orders below the floor are removed from the end of the list; between others only their ids stay.
function raiseFloor(
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

/** Writes the segments again in which `change` changes an order; undefined removes it. Returns how many it changed. */
function rewrite(
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

// Of two entries of one order the one that was read last stays.
function dropRepeats(segments: SealedSegments, seen: Map<string, number>): number {
  const dates = (edge: Stored) => readColumns(segments.facts(edge)).map(({ readAt }) => readAt);
  const repeated = new Set<string>();
  for (const edge of segments.edges()) {
    const read = dates(edge);
    segments.ids(edge).forEach((id, index) => {
      const at = read[index] ?? 0;
      const known = seen.get(id);
      if (known !== undefined) repeated.add(id);
      seen.set(id, Math.max(known ?? 0, at));
    });
  }
  if (repeated.size === 0) return 0;
  const kept = new Set<string>();
  return rewrite(segments, segments.edges(), (entry) => {
    if (!repeated.has(entry.id)) return entry;
    if (kept.has(entry.id) || entry.readAt < (seen.get(entry.id) ?? 0)) return undefined;
    kept.add(entry.id);
    return entry;
  });
}

function statusOf(segments: SealedSegments, bytes: number, now: number): IndexStatus {
  const edges = segments.edges();
  const state = segments.state();
  const sum = (values: readonly number[]): number => values.reduce((one, other) => one + other, 0);
  const gaps = edges.slice(0, -1).filter(({ isJoined }) => !isJoined);
  const rises =
    sum(edges.map((edge) => edge.rises)) +
    edges.filter((edge, index) => index > 0 && isRise(edges[index - 1]?.lastAt, edge.firstAt)).length;
  const newest = edges.flatMap((edge) => edge.newest ?? []);
  const oldest = edges.flatMap((edge) => edge.oldest ?? []);
  return {
    orders: sum(edges.map(({ count }) => count)),
    segments: edges.length,
    bytes,
    newest: newest.length === 0 ? undefined : Math.max(...newest),
    oldest: oldest.length === 0 ? undefined : Math.min(...oldest),
    first: edges[0]?.first,
    last: edges.at(-1)?.last,
    isComplete: state.ended && gaps.length === 0,
    goesOnAfter: state.ended ? undefined : edges.at(-1)?.last,
    gaps: gaps.map(({ last }) => last),
    isNewestFirst: rises === 0,
    rises,
    inserted: state.inserted,
    moved: state.moved,
    headReadAt: state.headReadAt,
    tailReadAt: state.tailReadAt,
    builtAt: state.builtAt,
    reads: readsByAge(edges, now),
    forgotten: sum(edges.map(({ forgotten }) => forgotten)),
    floor: state.floor,
    endsAtFloor: state.endsAtFloor,
    fields:
      edges.reduce<readonly string[] | undefined>(
        (all, { fields }) => (all === undefined ? fields : all.filter((name) => fields.includes(name))),
        undefined,
      ) ?? [],
    mayRepeat: state.mayRepeat,
  };
}

// A run that stopped in the middle of a segment has read the first part of it again.
function narrowed(segments: SealedSegments, due: Due, now: number): Due {
  const edge = segments.edges().find(({ pos }) => pos === due.pos);
  if (edge === undefined) return due;
  const stale = readColumns(segments.facts(edge)).map(({ readAt }) => now - readAt >= due.target);
  const first = stale.indexOf(true);
  const count = stale.lastIndexOf(true) - first + 1;
  if (first <= 0) return { ...due, count: first === 0 ? count : due.count };
  return { ...due, after: segments.ids(edge)[first - 1], count };
}

function idsBefore(segments: SealedSegments, id: string, count: number): readonly string[] {
  const place = placeOf(segments, id);
  const edge = place && segments.edges()[place.segment];
  if (place === undefined || edge === undefined) return [];
  const own = segments.ids(edge).slice(0, place.index);
  const above = segments.edges()[place.segment - 1];
  const more = own.length < count && above !== undefined ? segments.ids(above) : [];
  return [...more, ...own].slice(-count).toReversed();
}

function positionOf(segments: SealedSegments, id: string): number | undefined {
  const place = placeOf(segments, id);
  if (place === undefined) return undefined;
  const before = segments.edges().slice(0, place.segment);
  return before.reduce((sum, { count }) => sum + count, place.index);
}

function twinsIn(
  segments: SealedSegments,
  { id: own, created_at: at }: JsonObject,
  purchase: number,
  seconds: number,
): readonly Hit[] {
  if (typeof at !== 'number') return [];
  let before: string | undefined;
  let count = 0;
  return segments.edges().flatMap((edge): readonly Hit[] => {
    const [above, start] = [before, count];
    before = edge.isJoined ? edge.last : undefined;
    count += edge.count;
    if ((edge.newest ?? 0) < at - seconds || (edge.oldest ?? 0) > at + seconds) return [];
    const ids = segments.ids(edge);
    return readColumns(segments.facts(edge)).flatMap(({ facts }, index): readonly Hit[] => {
      const id = ids[index];
      const isTwin = facts?.purchase === purchase && Math.abs((facts.createdAt ?? 0) - at) <= seconds;
      return !isTwin || id === undefined || id === own
        ? []
        : [{ id, place: start + index, neighbour: index === 0 ? above : ids[index - 1] }];
    });
  });
}

function* factsIn(segments: SealedSegments, since: number | undefined): Generator<IndexedOrder> {
  const end = segments.snapshot();
  try {
    for (const edge of segments.edges()) {
      const { newest = Number.POSITIVE_INFINITY, newestRefund = 0, newestPayment = 0 } = edge;
      if (since !== undefined && Math.max(newest, newestPayment, newestRefund) < since) continue;
      const ids = segments.ids(edge);
      for (const [index, { facts, readAt }] of readColumns(segments.facts(edge)).entries()) {
        const id = ids[index];
        if (facts === undefined || id === undefined) continue;
        yield { order: orderOf(id, facts), purchase: facts.purchase, readAt };
      }
    }
  } finally {
    end();
  }
}
