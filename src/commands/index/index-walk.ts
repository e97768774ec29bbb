/**
 * Reads the list of orders into the index: page by page, after a given order, until enough is read or no more requests may be
 * sent.
 */

import { longPages, type Service } from '../../api/api.ts';
import type { Context } from '../../context/context.ts';
import { refused } from '../../errors.ts';
import type { Learned, OrderIndex } from '../../index/index.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import { addPage, type Collected, learnRun, newRun } from '../orders/feed-index.ts';
import { upTo } from '../walk.ts';

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

/** How a walk ended: what its last run showed, or that it ran out of requests. */
interface Walked {
  readonly read: number;
  readonly added: number;
  readonly last: Learned | undefined;
  readonly isSpent: boolean;
}

/** How many orders are written at once; fewer if reading them takes longer than `runMs`. */
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
): Promise<Walked> {
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
