/** Puts orders into the index of the account: in a walk of its own, or the pages that another walk reads. */

import { longPages, type Page, type Service, upTo } from '../../api/api.ts';
import { idOf } from '../../api/json-values.ts';
import { secondsOf } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { orElse, refused } from '../../errors.ts';
import type { Learned, OrderIndex, ReadOrder } from '../../index/index.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import { indexedOrder } from '../orders/search/indexed-text.ts';

export interface IndexWalk {
  readonly ctx: Context;
  readonly service: Service;
  readonly index: OrderIndex;
  /** Whether no more requests may be sent. */
  readonly isSpent: () => boolean;
  /** Whether the next page is asked for while one is read. Where requests are limited, that could be one too many. */
  readonly readsAhead: boolean;
  /** Called with the number of orders of each page. */
  readonly onRead: (orders: number, oldest: number | undefined) => void;
}

// How many orders are written at once: as many as a segment of the index has, since smaller runs would be written again and again. Fewer
// if reading them takes longer than `runMs`.
const runLength = 1_000;
const runMs = 2_000;

/** Reads from an order on until `isDone` says so, or the list ends. What was read is kept, however the walk ends. */
export async function walkIntoIndex(
  walk: IndexWalk,
  after: string | undefined,
  {
    isDone,
    most = Number.POSITIVE_INFINITY,
    atOnce = runLength,
  }: {
    readonly isDone: (learned: Learned) => boolean;
    readonly most?: number;
    /** How many orders are written at once. */
    readonly atOnce?: number;
  },
) {
  const { ctx, service, index, isSpent, onRead } = walk;
  let run = newRun(after, ctx.clock.now());
  let askedAt = ctx.clock.now();
  let read = 0;
  let added = 0;
  let last: Learned | undefined;
  const learn = async (): Promise<Learned> => {
    const learned = await learnPatiently(ctx, index, service, run);
    last = learned;
    added += learned.added;
    run = newRun(run.orders.at(-1)?.id ?? run.after, askedAt);
    return learned;
  };
  let isOver = false;
  try {
    const limit = most < longestPage ? most : undefined;
    for await (const page of longPages(
      service,
      'orders',
      { next: after, limit },
      { ahead: walk.readsAhead && most === Number.POSITIVE_INFINITY },
    )) {
      addPage(run, service, upTo(page, most - read));
      read += page.records.length;
      askedAt = ctx.clock.now();
      onRead(page.records.length, createdAt(page.records.at(-1)?.value.created_at));
      const isFull = run.orders.length >= atOnce || ctx.clock.now() - run.askedAt >= runMs;
      if (run.ends || isFull) {
        const learned = await learn();
        if (!learned.fits || learned.ended === true || isDone(learned)) break;
      }
      if (read >= most || isSpent()) {
        isOver = read < most;
        break;
      }
    }
  } finally {
    if (run.orders.length > 0 && last?.fits !== false) await learn();
  }
  return { read, added, last, isSpent: isOver };
}

const longestPage = 250;

function createdAt(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

const patienceMs = 30_000;

// Another process may be writing for a moment.
async function learnPatiently(
  { clock, signal }: Context,
  index: OrderIndex,
  service: Service,
  run: Collected,
): Promise<Learned> {
  const deadline = clock.monotonic() + patienceMs;
  for (;;) {
    const learned = learnRun(index, service, run);
    if (learned !== undefined) return learned;
    if (clock.monotonic() >= deadline)
      throw refused(
        `another paydesk has been writing to the index for ${patienceMs / 1000} s`,
        ['find out what it is waiting for, then run the command again'],
        { certain: 'what was read so far is in the index' },
      );
    await clock.sleep(100, signal.aborted ? undefined : signal);
  }
}

/** Runs `work` while no other build, refresh or change of this index runs. Throws CliError 'refused' if one does. */
export async function alone<T>(ctx: Context, profile: Profile, work: () => Promise<T>): Promise<T> {
  const lock = await ctx.lock(`index ${profile.account}`);
  if (!lock.held) {
    const { owner } = lock;
    const who =
      owner === undefined
        ? 'another paydesk'
        : `paydesk ${owner.command} of ${owner.operator}, since ${ctx.shortTime(owner.since)},`;
    throw refused(`${who} is at work on this index`, ['wait until it has ended'], {
      certain: 'nothing was read, and nothing was changed',
    });
  }
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** The index of the account. Throws CliError 'refused' if there is none. */
export async function existingIndex(ctx: Context, profile: Profile): Promise<OrderIndex> {
  const index = await ctx.index.open(profile);
  if (index !== undefined) return index;
  throw refused(`${profile.name} has no index`, ['build it:', commandLine(profile, 'index', 'build')], {
    certain: 'nothing was changed',
  });
}

/**
 * A feed for a walk that begins after an order; `after` undefined: at the head of the list. `inTheMiddle`: nobody knows after
 * which order, so the first page only says where the next one begins.
 */
export function feedIndex(
  ctx: Context,
  service: Service,
  after: string | undefined,
  { inTheMiddle = false }: { readonly inTheMiddle?: boolean } = {},
) {
  const { clock, notes } = ctx;
  // The list is shown even if the index cannot take it.
  const untaught = orElse(({ message }) => notes.warn(`the index did not learn from this: ${message}`));
  let index: OrderIndex | 'opening' | 'off' = 'opening';
  const opening = ctx.index
    .open(service.profile)
    .then((opened) => {
      index = opened ?? 'off';
    })
    .catch((error: unknown) => {
      index = 'off';
      untaught(error);
    });
  // `end` reports it.
  opening.catch(() => undefined);
  let run = newRun(after, clock.now());
  let askedAt = clock.now();
  let isPlaced = !inTheMiddle;

  const learn = (): void => {
    if (typeof index !== 'object' || run.orders.length === 0) return;
    learnRun(index, service, run);
    run = newRun(run.orders.at(-1)?.id, askedAt);
  };
  const tried = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      untaught(error);
    }
  };
  return {
    page(page: Page): void {
      if (index === 'off') return;
      if (!isPlaced) {
        isPlaced = true;
        run = newRun(idOf(page.records.at(-1)) ?? '', clock.now());
        return;
      }
      addPage(run, service, page);
      // The next page may be on its way already: it was asked for when this one came, at the earliest.
      askedAt = clock.now();
      if (run.orders.length >= runLength) tried(learn);
    },
    /** Call it when the walk is over. What the index cannot take is a warning. */
    async end(): Promise<void> {
      await opening;
      tried(learn);
    },
  };
}

/** Orders that are next to each other in the list. */
interface Collected {
  readonly after: string | undefined;
  readonly orders: ReadOrder[];
  ends: boolean;
  /** Unix milliseconds. */
  readonly askedAt: number;
}

export function newRun(after: string | undefined, askedAt: number): Collected {
  return { after, orders: [], ends: false, askedAt };
}

/** Adds the orders of the next page to a run. */
export function addPage(
  run: Collected,
  { profile }: Pick<Service, 'profile'>,
  { records, hasMore, saysHasMore }: Page,
): void {
  const fields = profile.settings['index.fields'];
  for (const record of records) {
    const id = idOf(record);
    if (id !== undefined) run.orders.push(indexedOrder(id, record.value, fields));
  }
  run.ends = saysHasMore && !hasMore;
}

/** Fits a run into the index. Undefined if another process is writing there. */
export function learnRun(
  index: OrderIndex,
  { profile }: Pick<Service, 'profile'>,
  { after, orders, ends, askedAt }: Collected,
): ReturnType<OrderIndex['learn']> {
  const fields = profile.settings['index.fields'];
  return index.learn({ after, orders, ends, fields, readAt: secondsOf(askedAt) });
}
