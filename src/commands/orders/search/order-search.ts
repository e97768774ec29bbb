/**
 * Reads the newest orders while a person searches them: every page once, and no more pages than the search needs. Older orders are found in
 * the index of this machine, if there is one.
 */

import { longPages, type Page, type Service } from '../../../api/api.ts';
import { resources } from '../../../api/resources.ts';
import type { Context } from '../../../context/context.ts';
import { CliError, orElse } from '../../../errors.ts';
import { type OrderIndex, readHits } from '../../../index/index.ts';
import { accountLabel } from '../../../profiles/profiles.ts';
import { feedIndex } from '../../index/index-walk.ts';
import { doubtsOf } from './find-indexed.ts';
import { wantedOrders } from './indexed-text.ts';
import {
  createKnownOrders,
  type KeptOrder,
  type KeptParts,
  type KnownOrders,
  keep,
} from './searched-orders.ts';

/** `bound`: so many were read that a person decides whether to go on. `end`: these are all orders. */
type ReadState =
  | { readonly is: 'reading' | 'idle' | 'bound' | 'end' }
  | { readonly is: 'failed'; readonly why: string };

// As many as `orders find` reads by itself.
const boundStep = 5_000;

/** The orders read so far, and the functions that read more. */
export type OrderSearch<T> = ReturnType<typeof searchOrders<T>>;

/** Opens a search. Nothing is read before `want`. With an index, older orders are found there. */
export function searchOrders<T>(service: Service, parts: KeptParts<T>, index?: PickIndex) {
  const known = createKnownOrders(parts);
  const reading = createReading(service, known, {
    beforeKept: parts.beforeKept,
    onPage: (page) => index?.onPage(page),
  });
  const inIndex = new Map<string, IndexAnswer>();
  let asked = '';
  let isAsking = false;
  // Returns whether these are all orders that hold the words.
  const askIndex = async (words: string, count: number): Promise<boolean> => {
    asked = words;
    const said = inIndex.get(words);
    if (index === undefined || words.trim() === '') return false;
    if (said !== undefined && said.orders.length >= Math.min(count, said.total)) return said.isCertain;
    isAsking = true;
    const answer = await index.search(words, count, (id) => known.has(id));
    isAsking = asked !== words;
    if (answer !== undefined) {
      await parts.beforeKept(answer.orders.map(({ record }) => record));
      inIndex.set(words, answer);
      known.addFound(answer.orders);
    }
    reading.tell();
    return answer?.isCertain === true;
  };
  // What looking up an id said about it.
  const answers = new Map<string, 'missing' | 'unknown'>();
  const isId = (words: string): boolean => resources.orders.idPattern.test(words.trim());
  return {
    known,
    /** Whether the words are the whole id of an order, which may still be looked up. */
    isId: (words: string) => isId(words) && !answers.has(words.trim()),
    /** Whether pages are being read; if not, why not, and what went wrong. */
    get state() {
      return isAsking ? ({ is: 'reading' } as const) : reading.state;
    },
    /** What the index said about the words; undefined without an index, or if it was not asked yet. */
    inIndex: (words: string) => inIndex.get(words),
    /** Reads the first page. Throws what the service throws; the other functions here do not throw because of a reply. */
    begin: () => reading.until(() => known.count > 0),
    /**
     * Reads on until `count` orders hold the words and can be chosen, or the bound is reached; `further` moves the bound.
     * Resolves when it stops reading. A page that cannot be read shows in `state`.
     */
    async want(words: string, count: number, further = false) {
      if (!isId(words) && (await askIndex(words, count))) return;
      if (further) reading.goFurther();
      // A whole id is looked up, which takes three requests at most; pages are read only if that could not tell.
      const isKnownById = isId(words) && answers.get(words.trim()) !== 'unknown';
      await reading.until(() => isKnownById || choosable(known, words) >= count);
    },
    /** Finds an order by its id: the order, or why there is none. */
    async lookUp(id: string) {
      const { found, answer, why } = await locate(service, parts, id).catch(
        orElse(({ message }): LookedUp<T> => ({ why: message })),
      );
      if (answer !== undefined) answers.set(id, answer);
      return found ?? why;
    },
    /** Calls the listener whenever `known` or `state` has changed. Returns a function that ends this. */
    watch: (listener: () => void) => reading.watch(listener),
    stop() {
      index?.stop();
      reading.stop();
    },
  };
}

function choosable<T>(known: KnownOrders<T>, words: string): number {
  return known.matches(words).fitting.filter(({ isBlocked }) => !isBlocked).length;
}

interface Watching extends Pick<KeptParts<unknown>, 'beforeKept'> {
  readonly onPage: (page: Page) => void;
}

function createReading<T>(service: Service, known: KnownOrders<T>, { beforeKept, onPage }: Watching) {
  const left = new AbortController();
  const open = () =>
    longPages(service, 'orders', { next: known.last }, { signal: left.signal })[Symbol.asyncIterator]();
  let pages = open();
  let bound = boundStep;
  let state: ReadState = { is: 'idle' };
  let isEnough = (): boolean => true;
  let running: Promise<void> | undefined;
  const listeners = new Set<() => void>();

  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  const become = (next: ReadState): void => {
    state = next;
    tell();
  };
  const stateAfter = (hasMore: boolean): ReadState => {
    if (!hasMore) return { is: 'end' };
    if (isEnough()) return { is: 'idle' };
    return { is: known.count >= bound ? 'bound' : 'reading' };
  };
  const readOn = async (): Promise<void> => {
    try {
      for (become({ is: 'reading' }); state.is === 'reading'; ) {
        const { value: page } = await pages.next();
        await beforeKept(page?.records ?? []);
        known.add(page?.records ?? []);
        if (page !== undefined) onPage(page);
        become(stateAfter(page?.hasMore === true));
      }
    } catch (error) {
      if (left.signal.aborted) return;
      if (!(error instanceof CliError) || known.count === 0) throw error;
      become({ is: 'failed', why: error.message });
    }
  };
  return {
    get state() {
      return state;
    },
    /** Reads pages until `isEnough` returns true. A later call replaces the `isEnough` of an earlier one. */
    async until(enough: () => boolean) {
      isEnough = enough;
      if (state.is === 'bound' && known.count < bound) state = { is: 'idle' };
      if (state.is === 'idle' && !isEnough()) {
        if (known.count >= bound) become({ is: 'bound' });
        else running = readOn();
      }
      await running;
    },
    goFurther() {
      if (state.is === 'bound') bound = known.count + boundStep;
      if (state.is !== 'failed') return;
      pages = open();
      state = { is: 'idle' };
    },
    watch(listener: () => void) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    tell,
    stop: () => left.abort(new Error('the search is over')),
  };
}

/** What looking up an id gave: the order, or why there is none, and whether that is certain. */
interface LookedUp<T> {
  readonly found?: KeptOrder<T> | undefined;
  readonly answer?: 'missing' | 'unknown';
  readonly why: string;
}

// The search itself reads pages, since it keeps them, so at most one is read here.
async function locate<T>(service: Service, parts: KeptParts<T>, id: string): Promise<LookedUp<T>> {
  const located = await service.locate('orders', id, { max: 1 });
  if ('missing' in located)
    return { answer: 'missing', why: `${accountLabel(service.profile)} has no order ${id}` };
  if ('boundReached' in located) return { answer: 'unknown', why: `${id} was not found by its id` };
  const { found, neighbour } = located;
  await parts.beforeKept([found]);
  return { found: keep(parts, found, neighbour), why: `${id} was not found by its id` };
}

/** What the index says about some words. */
export type IndexAnswer = Awaited<ReturnType<typeof searched>>;

type PickIndex = NonNullable<Awaited<ReturnType<typeof openPickIndex>>>;

/** The index, for somebody who picks an order. Undefined if the account has none, or if it does not open: then it is done without. */
export async function openPickIndex(ctx: Context, service: Service) {
  // A problem of the index does not stop a refund.
  const notUsed = orElse(({ message }): undefined => {
    ctx.notes.warn(`the index is not used: ${message}`);
  });
  const index = await ctx.index.open(service.profile).catch(notUsed);
  if (index === undefined) return undefined;
  const feed = feedIndex(ctx, service, undefined);
  const startedAt = Math.floor(ctx.clock.now() / 1000);
  let isHeadLearned = false;
  const learnHead = async (): Promise<void> => {
    if (!isHeadLearned) await feed.end();
    isHeadLearned = true;
  };
  // Searches run one after the other, because they share the connection to the file.
  let before: Promise<unknown> = Promise.resolve();
  let isOver = false;
  const answerOf = async (what: Searched): Promise<IndexAnswer | undefined> => {
    try {
      if (isOver) return undefined;
      await learnHead();
      return await searched(ctx, service, index, what);
    } catch (error) {
      // The run may be closing its files already.
      if (isOver) return undefined;
      return notUsed(error);
    }
  };
  return {
    /** Gives the index a page from the head of the list. */
    onPage(page: Page) {
      if (!isHeadLearned) feed.page(page);
    },
    /** `isRead`: whether an order is on a page that was read. Undefined if the index cannot be used. */
    search(words: string, most: number, isRead: (id: string) => boolean) {
      const answer = before.then(() => answerOf({ words, most, isRead, startedAt }));
      before = answer.catch(() => undefined);
      return answer;
    },
    /** Call it when nobody waits for an answer any more. */
    stop() {
      isOver = true;
    },
  };
}

interface Searched {
  readonly words: string;
  readonly most: number;
  readonly isRead: (id: string) => boolean;
  /** Unix seconds. */
  readonly startedAt: number;
}

async function searched(
  ctx: Context,
  service: Service,
  index: OrderIndex,
  { words, most, isRead, startedAt }: Searched,
) {
  const { profile } = service;
  const hits = await index.scan(wantedOrders([words], profile.settings));
  const wanted = hits.filter(({ id }) => !isRead(id));
  const reading = readHits(service, wanted.slice(0, most));
  const orders = (await Array.fromAsync(reading.orders)).flat();
  const status = index.status();
  const headJoined = (status.headReadAt ?? 0) >= startedAt;
  const doubts = doubtsOf(ctx, status, profile, { headJoined, unread: reading.unread });
  return {
    /** Orders that hold the words and are not among the pages that were read; the newest of them, as many as were asked for. */
    orders,
    /** How many of them there are. */
    total: wanted.length,
    /** How many orders the index knows. */
    known: status.orders,
    /** Whether it is certain that these are all. */
    isCertain: doubts.length === 0,
  };
}
