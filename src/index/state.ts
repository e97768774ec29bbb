/** What an index knows of itself besides its segments. It is sealed as well. */

import type { Learned } from './known-types.ts';

/** Times are Unix seconds. */
export interface IndexState {
  /** Whether the last known order was the last of the list when the tail was read. */
  readonly ended: boolean;
  /** When the newest page was read and joined what was known. */
  readonly headReadAt: number | undefined;
  readonly tailReadAt: number | undefined;
  /** When the first walk was complete. */
  readonly builtAt: number | undefined;
  /** How many orders appeared between two that were known as neighbours. */
  readonly inserted: number;
  readonly moved: number;
  /** Some orders may be kept twice. The next build or refresh looks for them. */
  readonly mayRepeat: boolean;
  /** Orders that were created before are not kept. */
  readonly floor: number | undefined;
  /** The walk ended at that time: what follows is older. */
  readonly endsAtFloor: boolean;
  /** Who was forgotten: keyed hashes of ids, e-mails and phone numbers. */
  readonly forgotten: readonly string[];
  readonly salt: string;
  /** How many segments there are, so that a missing one shows. */
  readonly segments: number;
}

export function newState(salt: string): IndexState {
  return {
    ended: false,
    headReadAt: undefined,
    tailReadAt: undefined,
    builtAt: undefined,
    inserted: 0,
    moved: 0,
    mayRepeat: false,
    floor: undefined,
    endsAtFloor: false,
    forgotten: [],
    salt,
    segments: 0,
  };
}

/** What is known of a run besides what it showed. */
interface RunFacts {
  /** It began at the head of the list. */
  readonly isHead: boolean;
  readonly readAt: number;
  /** It was cut, since what follows is below the floor. */
  readonly isCut: boolean;
  /** There is no gap in the list. */
  readonly hasNoGap: boolean;
}

/** The state after a run. */
export function stateAfter(state: IndexState, learned: Learned, run: RunFacts): IndexState {
  if (!learned.fits) return state;
  // Where the list was cut at the floor, the service has more orders, which are older.
  const isCutThere = state.ended && state.endsAtFloor;
  const ended = learned.ended === true || isCutThere || (learned.ended ?? state.ended);
  return {
    ...state,
    ended,
    endsAtFloor: ended && (isCutThere || (run.isCut && learned.ended === true) || state.endsAtFloor),
    headReadAt: run.isHead && learned.joins ? run.readAt : state.headReadAt,
    tailReadAt: learned.ended === true ? run.readAt : state.tailReadAt,
    builtAt: state.builtAt ?? (ended && run.hasNoGap ? run.readAt : undefined),
    inserted: state.inserted + learned.inserted,
    moved: state.moved + learned.moved,
    mayRepeat: state.mayRepeat || learned.mayRepeat,
  };
}
