/** Hands the pages of a walk to the index of the account, if it has one, so that the index knows what was read. */

import type { Page, Service } from '../../api/api.ts';
import { idOf } from '../../api/json-values.ts';
import { secondsOf } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { orElse } from '../../errors.ts';
import type { OrderIndex, ReadOrder } from '../../index/index.ts';
import { indexedOrder } from './search/indexed-text.ts';

/** Takes the pages of one walk, in their order. */
export interface IndexFeed {
  page(page: Page): void;
  /** Call it when the walk is over. What the index cannot take is a warning. */
  end(): Promise<void>;
}

// As many as a segment of the index has. Smaller runs would be written again and again.
const runLength = 1_000;

/**
 * A feed for a walk that begins after an order; `after` undefined: at the head of the list. `inTheMiddle`: nobody knows after
 * which order, so the first page only says where the next one begins.
 */
export function feedIndex(
  ctx: Context,
  service: Service,
  after: string | undefined,
  { inTheMiddle = false }: { readonly inTheMiddle?: boolean } = {},
): IndexFeed {
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
    page(page) {
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
    async end() {
      await opening;
      tried(learn);
    },
  };
}

export interface Collected {
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
