/** The list of orders that an index knows: its segments in their places, and runs of orders that are fitted into it. Types only. */

import type { Edge, Entry } from './segment.ts';

/** A segment in its place. Newer segments have higher positions. */
export interface Placed extends Edge {
  readonly pos: number;
}

/** A segment to write. */
export interface NewSegment {
  readonly pos: number;
  readonly entries: readonly Entry[];
  readonly isJoined: boolean;
  readonly fields: readonly string[];
}

/** The segments of an index, newest first. */
export interface Segments {
  edges(): readonly Placed[];
  entries(segment: Placed): readonly Entry[];
  ids(segment: Placed): readonly string[];
  replace(removed: readonly Placed[], added: readonly NewSegment[]): void;
}

/** Orders that the service gave as neighbours. */
export interface Run {
  /** The id of the order before them. Undefined: they are the first of the list. */
  readonly after: string | undefined;
  readonly entries: readonly Entry[];
  /** The service says that nothing comes after them. */
  readonly ends: boolean;
  /** The kinds of fields in their texts. */
  readonly fields: readonly string[];
}

/** What a run showed. */
export interface Learned {
  /** False if the run does not fit anywhere: then nothing was changed. */
  readonly fits: boolean;
  /** It does not fit because other orders are known there. */
  readonly contradicts: boolean;
  /** Whether the run is followed by orders that are known, or by the end of the list. */
  readonly joins: boolean;
  /** Whether the last known order is now known to be the last of the list; undefined if the run says nothing of it. */
  readonly ended: boolean | undefined;
  /** Orders that were not known before. */
  readonly added: number;
  /** Orders between two that were known as neighbours: somebody put them there. */
  readonly inserted: number;
  /** Orders that stood elsewhere before. */
  readonly moved: number;
  /** Orders that were known there and that the service no longer shows there. */
  readonly gone: number;
  /** Some of the new ones may be known elsewhere, in more segments than were looked through. */
  readonly mayRepeat: boolean;
}
