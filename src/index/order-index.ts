/** An opened index: what commands can ask it, and how it learns from what they read. */

import type { Clock } from '../io.ts';
import { isSqlite } from '../sqlite.ts';
import type { Learned } from './fit-run.ts';
import type { OrderIndex, ReadOrder, ReadRun } from './index.ts';
import type { IndexFile, IndexState } from './index-file.ts';
import { learn } from './known-list.ts';
import { dueSegments, factsIn, idsBefore, narrowed, positionOf, statusOf, twinsIn } from './look-ups.ts';
import { numberOf, orderInIndex } from './order-in-index.ts';
import { scan } from './scan.ts';
import type { SealedSegments } from './sealed-segments.ts';
import type { Entry } from './segment.ts';
import {
  dropRepeats,
  forgetOrders,
  isBelow,
  isForgottenIn,
  raiseFloor,
  rewrite,
  withoutBuyer,
} from './take-out.ts';

interface OrderIndexParts {
  readonly file: IndexFile;
  readonly segments: SealedSegments;
  readonly keptIn: string;
  readonly clock: Clock;
  /** Turns what a segment or SQLite throws into an error for a person. */
  readonly explained: (error: unknown) => unknown;
  readonly rekey: (segments: SealedSegments) => Promise<void>;
}

/** An opened index. What a segment or SQLite throws comes out as an error for a person. */
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
        // Another process is writing the file.
        if (error instanceof Error && isSqlite(error.cause, 'busy')) return undefined;
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
    due: (dayBegan) => reading(() => dueSegments(segments.edges(), now(), dayBegan)),
    narrowed: (due) => reading(() => narrowed(segments, due, now())),
    before: (id, count) => reading(() => idsBefore(segments, id, count)),
    placeOf: (id) => reading(() => positionOf(segments, id)),
    twinsOf: (order, purchase, seconds) =>
      reading(() => twinsIn(segments, order, numberOf(purchase), seconds)),
    *facts(range = {}) {
      try {
        yield* factsIn(segments, range);
      } catch (error) {
        throw explained(error);
      }
    },
    drop: (ids) =>
      writing((state) => {
        rewrite(segments, segments.edges(), (entry) => (ids.includes(entry.id) ? undefined : entry));
        return [state, undefined];
      }),
    withoutRepeats: () =>
      writing((state) => {
        const removed = state.mayRepeat ? dropRepeats(segments) : 0;
        return [{ ...state, mayRepeat: false }, removed];
      }),
    forgetOrders: (ids, names) => writing((state) => forgetOrders(segments, state, { ids, names })),
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
  const isForgotten = isForgottenIn(before);
  const entries = run.orders.map((order) => entryOf(order, run.readAt, isForgotten, before.floor));
  const { cut, isCut } = upToFloor(entries, before);
  const { after, fields, readAt } = run;
  const learned = learn(segments, { after, entries: cut, ends: run.ends || isCut, fields });
  const facts = { isHead: after === undefined, readAt, isCut };
  return [stateAfter(before, learned, facts), learned];
}

function entryOf(
  { id, order, text, purchase, buyer }: ReadOrder,
  readAt: number,
  isForgotten: ReturnType<typeof isForgottenIn>,
  floor: number | undefined,
): Entry {
  const entry: Entry = { id, text, facts: orderInIndex(order, purchase), readAt };
  if (isBelow(entry, floor)) return { ...entry, text: '', facts: undefined };
  return isForgotten(id, buyer) ? withoutBuyer(entry) : entry;
}

// Cuts off the orders at the end of a run that are below the floor. For the index, the list ends there.
function upToFloor(entries: readonly Entry[], { floor }: IndexState) {
  if (floor === undefined) return { cut: entries, isCut: false };
  const kept = entries.findLastIndex(({ facts }) => facts !== undefined);
  const cut = entries.slice(0, kept + 1);
  return { cut, isCut: cut.length < entries.length };
}

interface RunFacts {
  /** It began at the head of the list. */
  readonly isHead: boolean;
  readonly readAt: number;
  /** The end of the run was cut off, because it is below the floor. */
  readonly isCut: boolean;
}

function stateAfter(state: IndexState, learned: Learned, run: RunFacts): IndexState {
  if (!learned.fits) return state;
  // Where the list was cut at the floor, the service has older orders.
  const isCutThere = state.ended && state.endsAtFloor;
  const ended = learned.ended === true || isCutThere || (learned.ended ?? state.ended);
  return {
    ...state,
    ended,
    endsAtFloor: ended && (isCutThere || (run.isCut && learned.ended === true) || state.endsAtFloor),
    headReadAt: run.isHead && learned.joins ? run.readAt : state.headReadAt,
    tailReadAt: learned.ended === true ? run.readAt : state.tailReadAt,
    inserted: state.inserted + learned.inserted,
    moved: state.moved + learned.moved,
    mayRepeat: state.mayRepeat || learned.mayRepeat,
  };
}
