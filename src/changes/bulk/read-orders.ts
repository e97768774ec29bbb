/**
 * Reads the orders of many rows with few requests: where the index of this machine says that they are; without it, page by page
 * while the pages show wanted orders, and the other orders by their ids. Several requests are on their way at once.
 */

import { longPages, type Service } from '../../api/api.ts';
import { idOf } from '../../api/json-values.ts';
import { resources } from '../../api/resources.ts';
import type { Context } from '../../context/context.ts';
import { indexIfAny, readHits } from '../../index/index.ts';
import { type NamedOrders, noOrder, Reading, type ReadOrders, type Walk } from './found-orders.ts';

// How many requests are on their way at once.
const atOnce = 4;
// A walk through the list ends after this many pages in a row without a wanted order; it goes further if orders cannot be looked
// up by their ids.
const emptyPages = 5;
const emptyPagesAtLast = 20;
// If this many orders are still wanted after the first pages, orders are looked up while the walk goes on.
const manyOrders = 50;

/** Reads orders. Throws CliError as `pages` and `locate` do, when a request fails. */
export async function readOrders(ctx: Context, service: Service, wanted: NamedOrders): Promise<ReadOrders> {
  const reading = new Reading(wanted, service.profile.settings['reference.keys']);
  const sent = service.requests?.() ?? 0;
  const startedAt = ctx.clock.monotonic();
  const end = ctx.notes.progress(() =>
    reading.words(ctx.clock.monotonic() - startedAt, (service.requests?.() ?? 0) - sent),
  );
  const run = { ctx, service, reading };
  try {
    // Only the whole list shows that one order has a reference and no other order has it.
    if (reading.needsWholeList) await walk(run, reading.newWalk(undefined), Number.POSITIVE_INFINITY);
    else {
      await readIndexed(run);
      await readTogether(run);
      await readUnplaced(run);
      // The newest orders are those that people mistype.
      if (reading.needsNear) await walk(run, reading.newWalk(undefined), 1);
    }
    reading.ended();
    return reading;
  } finally {
    end();
  }
}

interface Run {
  readonly ctx: Context;
  readonly service: Service;
  readonly reading: Reading;
}

// Reads the orders that the index knows, neighbours with one request.
async function readIndexed({ ctx, service, reading }: Run): Promise<void> {
  // Orders can be found without it, so nothing is said about an index that cannot be opened.
  const index = await indexIfAny(ctx.index, service.profile);
  if (index === undefined) return;
  const hits = reading.left().flatMap((id) => {
    const place = index.placeOf(id);
    return place === undefined ? [] : [{ id, place, neighbour: index.before(id, 1)[0] }];
  });
  const inOrder = hits.toSorted((one, other) => one.place - other.place);
  for await (const some of readHits(service, inOrder).orders) {
    ctx.signal.throwIfAborted();
    for (const { record, neighbour } of some) reading.found(idOf(record), record.value, neighbour);
  }
}

// The first of several workers walks the list from its start; then all of them look up orders.
async function readTogether(run: Run): Promise<void> {
  const { reading } = run;
  const begun = Promise.withResolvers<void>();
  const work = async (turn: number): Promise<void> => {
    if (turn === 0) await walkFirst(run, begun.resolve).finally(begun.resolve);
    else await begun.promise;
    for (let id = reading.next(); id !== undefined; id = reading.next()) await lookUp(run, id);
  };
  const ended = await Promise.allSettled(
    Array.from({ length: atOnce }, (_, turn) =>
      work(turn).catch((error: unknown) => {
        reading.isOver = true;
        throw error;
      }),
    ),
  );
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

// Walks the list from its start, and calls `seesMany` if too many orders are left for one worker.
async function walkFirst(run: Run, seesMany: () => void): Promise<void> {
  const { reading } = run;
  // A single order is looked up faster than it is found on a page.
  if (reading.left().length < 2) return;
  const first = reading.newWalk(undefined);
  await walk(run, first, emptyPages, () => {
    if (first.pages === emptyPages - 1 && reading.left().length >= manyOrders) seesMany();
  });
}

async function lookUp(run: Run, id: string): Promise<void> {
  const { ctx, service, reading } = run;
  ctx.signal.throwIfAborted();
  // If it cannot be found by its id, one walk looks for all such orders.
  reading.located(id, await service.locate('orders', id, { max: 1 }));
  if (reading.maySpread(id)) await walk(run, reading.newWalk(id), emptyPages);
}

/** Reads pages until nothing more is wanted, or until `mostEmpty` pages in a row had no wanted order. */
async function walk(
  { ctx, service, reading }: Run,
  own: Walk,
  mostEmpty: number,
  onPage?: () => void,
): Promise<void> {
  for await (const page of longPages(service, 'orders', own.from === undefined ? {} : { next: own.from })) {
    ctx.signal.throwIfAborted();
    reading.add(page, own);
    onPage?.();
    if (!reading.goesOn(own, mostEmpty)) return;
  }
  own.isEnded = true;
  if (own === reading.firstWalk) reading.giveUp(noOrder);
}

// The orders that could not be looked up are looked for in the list, all in one walk.
async function readUnplaced(run: Run): Promise<void> {
  const { reading } = run;
  if (reading.left().length === 0) return;
  const before = reading.firstWalk?.read ?? 0;
  const more = reading.newWalk(reading.firstWalk?.last);
  await walk(run, more, emptyPagesAtLast);
  const newest = `the newest ${before + more.read} ${resources.orders.many}`;
  reading.giveUp((id) => (more.isEnded ? noOrder(id) : `${id} is not among ${newest}`));
}
