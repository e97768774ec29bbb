/**
 * The index of an account's orders on this machine, as the rest of paydesk sees it. It is off until a person builds it. Its
 * segments are sealed with its own key. It finds orders and never decides about money.
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
export type { Learned, WantedTexts };

/** An order that was read, and the texts to keep. */
export interface ReadOrder {
  readonly id: string;
  readonly order: JsonObject;
  /** What a search looks at, in one line. Never empty. */
  readonly text: string;
  /** Buyer, amount and currency as one text. */
  readonly purchase: string | undefined;
  /** The buyer's names, for forgetting the buyer. */
  readonly buyer: readonly string[];
}

/** Orders that the service gave as neighbours. */
export interface ReadRun {
  /** The id of the order before them. Undefined: they are first in the list. */
  readonly after: string | undefined;
  readonly orders: readonly ReadOrder[];
  /** The service says that nothing follows. */
  readonly ends: boolean;
  /** When they were requested, Unix seconds. */
  readonly readAt: number;
  /** The kinds of fields in their texts. */
  readonly fields: readonly string[];
}

/** The state of the whole index. Times are Unix seconds. `fields`: those that all segments have. */
export interface IndexStatus
  extends Pick<Edge, 'newest' | 'oldest' | 'rises' | 'forgotten' | 'fields'>,
    Omit<IndexState, 'ended' | 'forgotten' | 'salt'> {
  readonly orders: number;
  readonly bytes: number;
  /** The id of the last order in the list. */
  readonly last: string | undefined;
  /** Whether the whole list was walked once, to its end. */
  readonly isComplete: boolean;
  /** Where the first walk goes on. Undefined if it is complete, or has not begun. */
  readonly goesOnAfter: string | undefined;
  /** The orders that are followed by a gap, where others may be unread. */
  readonly gaps: readonly string[];
  /** Whether all neighbours are newest first. */
  readonly isNewestFirst: boolean;
  readonly reads: readonly ReadOf[];
}

/** An order's figures, without texts, in the service's form. */
export interface IndexedOrder {
  readonly order: JsonObject;
  /** A number for buyer, amount and currency; undefined if the order does not show them, or was forgotten. */
  readonly purchase: number | undefined;
  /** When it was read, Unix seconds. */
  readonly readAt: number;
}

/** The figures of orders that were created, paid or refunded from `since` to before `until`, Unix seconds. */
export interface FactsRange {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Also orders with this status, at any time. */
  readonly status?: string | undefined;
  /** Also these orders, and all with odd refunds (`hasOddRefunds`), at any time. */
  readonly looksAt?: ReadonlySet<string> | undefined;
}

/** An account's open index. Every method throws CliError 'refused' if a part does not open. */
export interface OrderIndex {
  readonly path: string;
  /** Where its key is kept, in words. */
  readonly keptIn: string;
  status(): IndexStatus;
  /** Fits a run in. Undefined if another process is writing: then nothing was learned. */
  learn(run: ReadRun): Learned | undefined;
  /** All matching orders, in list order. Does not wait for writers. */
  scan(wanted: WantedTexts): Promise<readonly Hit[]>;
  /** The segments to read again, the most overdue first. `dayBegan`: when today began, Unix seconds. */
  due(dayBegan: number): readonly Due[];
  /** Only the orders of a segment that were not read again since. */
  narrowed(due: Due): Due;
  /** The ids of the neighbours before an order, nearest first. */
  before(id: string, count: number): readonly string[];
  /** An order's position: 0 is the first in the list. Undefined if it is unknown. */
  placeOf(id: string): number | undefined;
  /**
   * The orders of the same buyer and amount created within this many seconds, each with the order before it in the list, if known.
   */
  twinsOf(order: JsonObject, purchase: string, seconds: number): readonly Hit[];
  /** The figures of orders, each once: at least those in the range, and those that hide some of their money. */
  facts(range?: FactsRange): Iterable<IndexedOrder>;
  drop(ids: readonly string[]): void;
  withoutRepeats(): number;
  /** Forgets orders and their buyers for good. `names`: those of the buyers. */
  forgetOrders(ids: readonly string[], names: readonly string[]): number;
  /** Forgets all orders created before a time (Unix seconds) for good. */
  forgetBefore(time: number): number;
  /** Removes fields from all texts. `reduce` returns a text without them. */
  reduceTexts(fields: readonly string[], reduce: (text: string) => string): void;
  /** Leaves nothing of removed orders in the file. */
  compact(): void;
  rekey(): Promise<void>;
  close(): void;
}

/** The index of a profile's account, for callers that also work without one: undefined if there is none, or it cannot be opened. */
export async function indexIfAny(indexes: Pick<Indexes, 'open'>, profile: Profile) {
  return indexes.open(profile).catch(orElse(() => undefined));
}

export interface Indexes {
  readonly folder: string;
  /** Undefined if the account has none. Throws CliError 'refused' if it cannot be opened. */
  open(profile: Profile): Promise<OrderIndex | undefined>;
  /** Makes an empty index with its own key. */
  create(profile: Profile): Promise<OrderIndex>;
  /** Where a new index's key would be kept, in words. */
  keyPlace(profile: Profile): Promise<string>;
  /** Erases an account's index and its key; undefined if there was none. */
  erase(account: string): Promise<Erased | undefined>;
  /** Erases the indexes of all accounts and their keys. Throws CliError 'refused' if a key stays in the keyring: its index stays too. */
  eraseAll(): Promise<void>;
  close(): void;
}

export interface Erased {
  /** Its key may still be in the keyring; a notice has said why. */
  readonly keyStays: boolean;
}

export interface IndexParts {
  /** May not exist yet. */
  readonly folder: string;
  readonly profiles: Pick<Profiles, 'indexKeys'>;
  readonly rules: FileRules;
  readonly clock: Clock;
}

/** Loads the code only if there is an index. */
export function createIndexes(parts: IndexParts): Indexes {
  const { folder } = parts;
  let loaded: Promise<Indexes> | undefined;
  let opened: Indexes | undefined;
  const load = async (): Promise<Indexes> => {
    loaded ??= import('./open-index.ts').then(({ openIndexes }) => openIndexes(parts));
    opened = await loaded;
    return opened;
  };
  // Most machines have no index: then nothing is loaded.
  const isThere = (): boolean => statSync(folder, { throwIfNoEntry: false }) !== undefined;
  return {
    folder,
    open: async (profile) => (isThere() ? (await load()).open(profile) : undefined),
    create: async (profile) => (await load()).create(profile),
    keyPlace: async (profile) => (await load()).keyPlace(profile),
    erase: async (account) => (isThere() ? (await load()).erase(account) : undefined),
    async eraseAll() {
      if (isThere()) await (await load()).eraseAll();
    },
    close: () => opened?.close(),
  };
}
