/** Takes the facts of a report from the service, by a walk through its orders. */

import { longPages, type OpenService } from '../../api/api.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError } from '../../errors.ts';
import type { TimeRange } from '../../flags/typed-time.ts';
import { purchaseOf, recordShown, shownOrders, unconfirmedOf } from '../../orders/orders.ts';
import { accountSpan, tallyModes } from '../../profiles/profiles.ts';
import { type Facts, factsOfOrder } from '../../reports/reports.ts';
import { feedIndex } from '../orders/feed-index.ts';
import { stopAtDate } from '../orders/order-observer.ts';
import { brokeOff } from '../walk.ts';
import {
  type Asked,
  asOfReading,
  type Makers,
  makersOf,
  type Needs,
  nobodyAsked,
  type OpenedSource,
  timeOf,
} from './report-source.ts';

/** Opens the service itself as the source: every order is read when the facts are asked for. */
export async function openLive(ctx: Context, asked: Asked): Promise<OpenedSource> {
  const { flags, needs, see } = asked;
  const service = await ctx.service({ maxPerSecond: flags['max-rps'] });
  const time = timeOf(ctx, asked);
  const { journal } = ctx;
  const attemptsOf = (orders: ReadonlySet<string>) => journal.attemptsOf(service, orders);
  const makers = needs.makers ? await makersOf(attemptsOf, journal) : nobodyAsked;
  const walked = walk(ctx, service, { makers, see, since: stopOf(needs, time.range) });
  const asOf = ctx.clock.now();
  return {
    kind: 'live',
    label: accountSpan(service.profile),
    profile: service.profile,
    ...time,
    asOf,
    reachesTo: asOf,
    isWhole: () => true,
    knowsPayments: true,
    facts: walked.facts,
    unconfirmed: () => unconfirmedOf(ctx, service),
    attemptsOf,
    readWords: walked.words,
    ...asOfReading({ days: time.days, asOf, readWords: walked.words }),
  };
}

// Orders are listed by their creation, so a walk for orders can end at the first one that is too old. A refund may be of any
// old order.
function stopOf({ kind, marginSeconds = 0 }: Needs, { since }: TimeRange): number | undefined {
  return kind !== 'orders' || since === undefined ? undefined : since - marginSeconds * 1000;
}

interface Walk {
  readonly makers: Makers;
  readonly see: Asked['see'];
  /** Orders from before are not needed, Unix milliseconds; undefined: all are. */
  readonly since: number | undefined;
}

function walk(
  ctx: Context,
  service: OpenService,
  { makers, see, since }: Walk,
): { readonly facts: AsyncIterable<Facts>; readonly words: () => string } {
  const { profile } = service;
  const { 'reference.keys': referenceKeys } = profile.settings;
  const dates = stopAtDate(profile.settings['orders.order'] === 'newest-first', since);
  let read = 0;
  let ended = false;
  const modes = tallyModes(profile);
  async function* facts(): AsyncGenerator<Facts> {
    const endProgress = ctx.notes.progress(() => (read === 0 ? '' : `${read} orders read`));
    const feed = feedIndex(ctx, service, undefined);
    try {
      for await (const page of longPages(service, 'orders', {}, { ahead: true })) {
        const { records } = page;
        feed.page(page);
        dates.add(records);
        const warning = dates.warning();
        if (warning !== undefined) ctx.notes.warn(warning);
        read += records.length;
        const orders = records.map(({ value }) => value);
        modes.add(orders);
        if (see === undefined) await recordShown(ctx, service, orders);
        else see(await shownOrders(ctx, service, orders));
        const makerOf = await makers(orders);
        for (const order of orders) yield factsOfOrder(order, { makerOf, purchaseOf, referenceKeys });
        ended = dates.reached;
        if (ended) break;
      }
      for (const line of modes.lines()) ctx.notes.warn(line);
    } catch (error) {
      if (read === 0 || !(error instanceof CliError) || !brokeOff(error)) throw error;
      throw new CliError('incomplete', error.message, {
        ...error.parts,
        certain: `${read} orders were read, but not all: nothing was added up, so no wrong sum is shown`,
        now: [...(error.parts.now ?? []), 'run it again'],
        cause: error,
      });
    } finally {
      endProgress();
      await feed.end();
    }
  }
  return {
    facts: facts(),
    words: () =>
      `${counted(read, 'order')} read from the service${ended ? ', back to the start of the period' : ''}`,
  };
}
