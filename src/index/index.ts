/**
 * The index of the orders of an account on this machine, as the rest of paydesk sees it. It is off until a person builds it. Its
 * segments are sealed with a key of their own. It finds orders; it never decides about money.
 */

import { statSync } from 'node:fs';
import type { JsonObject } from '../api/json-values.ts';
import { orElse } from '../errors.ts';
import type { Clock } from '../io.ts';
import type { FileRules, Profile, Profiles } from '../profiles/profiles.ts';
import type { Learned } from './fit-run.ts';
import type { IndexState } from './index-file.ts';
import type { Due, ReadOf } from './look-ups.ts';
import type { Hit, WantedTexts } from './scan.ts';
import type { Edge } from './segment.ts';

export { firstPage, type ReadAgain, readHits } from './read-hits.ts';
export type { Due, Hit, Learned, ReadOf, WantedTexts };

/** An order that was read, and what the index keeps of its texts. */
export interface ReadOrder {
  readonly id: string;
  readonly order: JsonObject;
  /** What a search looks at, in one line. It is never empty. */
  readonly text: string;
  /** Buyer, amount and currency as one text. */
  readonly purchase: string | undefined;
  /** The names of the buyer by which the buyer can be forgotten. */
  readonly buyer: readonly string[];
}

/** Orders that the service gave as neighbours. */
export interface ReadRun {
  /** The id of the order before them. Undefined: they are the first of the list. */
  readonly after: string | undefined;
  readonly orders: readonly ReadOrder[];
  /** The service says that nothing comes after them. */
  readonly ends: boolean;
  /** When they were asked for, Unix seconds. */
  readonly readAt: number;
  /** The kinds of fields in their texts. */
  readonly fields: readonly string[];
}

/** What is known of the index as a whole. Times are Unix seconds. `fields`: those that all segments have. */
export interface IndexStatus
  extends Pick<Edge, 'newest' | 'oldest' | 'rises' | 'forgotten' | 'fields'>,
    Omit<IndexState, 'ended' | 'forgotten' | 'salt'> {
  readonly orders: number;
  readonly bytes: number;
  /** The id of the first order of the list, and of the last one. */
  readonly first: string | undefined;
  readonly last: string | undefined;
  /** Whether the whole list was walked through once, to its end. */
  readonly isComplete: boolean;
  /** The order after which the first walk goes on. Undefined if it is complete, or has not begun. */
  readonly goesOnAfter: string | undefined;
  /** The orders after which others may lie that nobody has read. */
  readonly gaps: readonly string[];
  /** Whether all neighbours show that the list is newest first. */
  readonly isNewestFirst: boolean;
  readonly reads: readonly ReadOf[];
}

/** The figures of an order, without its texts, in the form of the service. */
export interface IndexedOrder {
  readonly order: JsonObject;
  /** Stands for buyer, amount and currency; undefined if the order does not show them, or was forgotten. */
  readonly purchase: number | undefined;
  /** When it was read, Unix seconds. */
  readonly readAt: number;
}

/** Which figures are asked for: orders that were created, paid or refunded from `since` on and before `until`, Unix seconds. */
export interface FactsRange {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Also orders with this status, whatever their time. */
  readonly status?: string | undefined;
  /** Also these orders, and all with odd refunds (`hasOddRefunds`), whatever their time. */
  readonly looksAt?: ReadonlySet<string> | undefined;
}

/** The index of one account, open. Every method throws CliError 'refused' if a part of it does not open. */
export interface OrderIndex {
  readonly path: string;
  /** Where its key is kept, in words. */
  readonly keptIn: string;
  status(): IndexStatus;
  /** Fits a run in. Undefined if another process is writing: then nothing was learned. */
  learn(run: ReadRun): Learned | undefined;
  /** All orders that hold what is wanted, in the order of the list. Nobody who writes is waited for. */
  scan(wanted: WantedTexts): Promise<readonly Hit[]>;
  /** The segments that should be read again, the most overdue first. `dayBegan`: when today began, Unix seconds. */
  due(dayBegan: number): readonly Due[];
  /** Only those orders of a segment that were not read again since. */
  narrowed(due: Due): Due;
  /** The ids of neighbours before an order, the nearest first. */
  before(id: string, count: number): readonly string[];
  /** Whether an order is known, and where: 0 is the first of the list. */
  placeOf(id: string): number | undefined;
  /**
   * The orders of the same buyer and amount that were created within so many seconds, with the order before each of them in the
   * list, if it is known.
   */
  twinsOf(order: JsonObject, purchase: string, seconds: number): readonly Hit[];
  /** The figures of orders, at least of those that the range asks for, and of those that hide some of their money; each once. */
  facts(range?: FactsRange): Iterable<IndexedOrder>;
  /** Orders that no longer exist. */
  drop(ids: readonly string[]): void;
  /** Removes orders that are kept twice. */
  withoutRepeats(): number;
  /** Forgets orders and their buyers for ever. `names`: those of the buyers. */
  forgetOrders(ids: readonly string[], names: readonly string[]): number;
  /** Forgets all orders that were created before (Unix seconds), for ever. */
  forgetBefore(time: number): number;
  /** Takes fields out of all texts. `reduce` returns a text without them. */
  reduceTexts(fields: readonly string[], reduce: (text: string) => string): void;
  /** Leaves nothing of what was removed in the file. */
  compact(): void;
  /** Seals everything with a new key. */
  rekey(): Promise<void>;
  close(): void;
}

/** The index of a profile's account, for what works without one too: undefined if there is none, or if it cannot be opened. */
export async function indexIfAny(indexes: Pick<Indexes, 'open'>, profile: Profile) {
  return indexes.open(profile).catch(orElse(() => undefined));
}

/** The indexes of this machine, one per account. */
export interface Indexes {
  /** Where the index of an account is, or would be. */
  readonly folder: string;
  /** Opens the index of a profile's account; undefined if it has none. Throws CliError 'refused' if it cannot be opened. */
  open(profile: Profile): Promise<OrderIndex | undefined>;
  /** Makes an empty index with a key of its own. */
  create(profile: Profile): Promise<OrderIndex>;
  /** Where the key of a new index would be kept, in words. */
  keyPlace(profile: Profile): Promise<string>;
  /** Erases the index of an account with its key. Returns whether there was one. */
  erase(account: string): Promise<boolean>;
  /** Closes what is open. */
  close(): void;
}

/** What it takes to work with indexes. */
export interface IndexParts {
  /** The folder of the indexes. It may not exist yet. */
  readonly folder: string;
  readonly profiles: Pick<Profiles, 'indexKeys'>;
  readonly rules: FileRules;
  readonly clock: Clock;
}

/** The code of the index is loaded when there is one. */
export function createIndexes(parts: IndexParts): Indexes {
  const { folder } = parts;
  let loaded: Promise<Indexes> | undefined;
  let opened: Indexes | undefined;
  const load = async (): Promise<Indexes> => {
    loaded ??= import('./open-index.ts').then(({ openIndexes }) => openIndexes(parts));
    opened = await loaded;
    return opened;
  };
  // Most machines have no index, and then a run loads nothing for it.
  const isThere = (): boolean => statSync(folder, { throwIfNoEntry: false }) !== undefined;
  return {
    folder,
    open: async (profile) => (isThere() ? (await load()).open(profile) : undefined),
    create: async (profile) => (await load()).create(profile),
    keyPlace: async (profile) => (await load()).keyPlace(profile),
    erase: async (account) => (isThere() ? (await load()).erase(account) : false),
    close: () => opened?.close(),
  };
}
