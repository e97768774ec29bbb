/** The index of this machine for somebody who looks for an order: asked for the words that were typed, while pages are read. */

import type { Page, Service } from '../../../api/api.ts';
import type { Context } from '../../../context/context.ts';
import { CliError, orElse } from '../../../errors.ts';
import { type OrderIndex, type ReadAgain, readHits } from '../../../index/index.ts';
import { feedIndex } from '../feed-index.ts';
import { doubtsOf } from './find-indexed.ts';
import { wantedOrders } from './indexed-text.ts';

/** What the index says of some words. */
export interface IndexAnswer {
  /** Orders that hold the words and are not among the pages that were read; the newest of them, as many as were asked for. */
  readonly orders: readonly ReadAgain[];
  /** How many of them there are. */
  readonly total: number;
  /** How many orders the index knows. */
  readonly known: number;
  /** Nothing speaks against these being all. */
  readonly isCertain: boolean;
}

/** The index, for somebody who picks an order. */
export interface PickIndex {
  /** Hands it a page at the head of the list. */
  onPage(page: Page): void;
  /** `isRead`: whether an order is on a page that was read. Undefined if the index cannot be used. */
  search(words: string, most: number, isRead: (id: string) => boolean): Promise<IndexAnswer | undefined>;
  /** Nobody waits for an answer any more. */
  stop(): void;
}

/** Undefined if the account has no index, or if it does not open: then a person picks as without one. */
export async function openPickIndex(ctx: Context, service: Service): Promise<PickIndex | undefined> {
  const index = await tried(ctx, () => ctx.index.open(service.profile));
  if (index === undefined) return undefined;
  const feed = feedIndex(ctx, service, undefined);
  const startedAt = Math.floor(ctx.clock.now() / 1000);
  let isHeadLearned = false;
  const learnHead = async (): Promise<void> => {
    if (!isHeadLearned) await feed.end();
    isHeadLearned = true;
  };
  // One search after the other: they share the connection to the file.
  let before: Promise<unknown> = Promise.resolve();
  let isOver = false;
  // A refund does not wait for the index.
  const notUsed = orElse(({ message }): undefined => {
    ctx.notes.warn(`the index is not used: ${message}`);
  });
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
    onPage(page) {
      if (!isHeadLearned) feed.page(page);
    },
    search(words, most, isRead) {
      const answer = before.then(() => answerOf({ words, most, isRead, startedAt }));
      before = answer.catch(() => undefined);
      return answer;
    },
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
): Promise<IndexAnswer> {
  const { profile } = service;
  const hits = await index.scan(wantedOrders([words], profile.settings));
  const wanted = hits.filter(({ id }) => !isRead(id));
  const reading = readHits(service, wanted.slice(0, most));
  const orders: ReadAgain[] = [];
  for await (const some of reading.orders) orders.push(...some);
  const status = index.status();
  const headJoined = (status.headReadAt ?? 0) >= startedAt;
  const doubts = doubtsOf(ctx, status, profile, { headJoined, unread: reading.unread });
  return { orders, total: wanted.length, known: status.orders, isCertain: doubts.length === 0 };
}

// A refund does not wait for the index.
async function tried<T>({ notes }: Context, act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    notes.warn(`the index is not used: ${error.message}`);
    return undefined;
  }
}
