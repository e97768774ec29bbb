/** Where a report takes its facts from: a walk through all orders of the service, or an export file. */

import { longPages, type OpenService } from '../api/api.ts';
import { purchaseOf } from '../changes/changes.ts';
import { CliError } from '../errors.ts';
import { accountSpan } from '../profiles/profiles.ts';
import { type Facts, factsOfOrder, type Known } from '../reports/reports.ts';
import type { Cell } from '../terminal/terminal.ts';
import type { Context, Days } from './command.ts';
import { daysOfFlag } from './export-flags.ts';
import { stopAtDate } from './orders/order-observer.ts';
import { openFile } from './report-file.ts';
import type { SourceInput } from './report-flags.ts';
import { type MakerOf, makersOf, nobodyAsked } from './report-makers.ts';
import type { Period } from './typed-period.ts';
import { type ClockAndZone, clockIn, type TimeRange } from './typed-time.ts';
import { brokeOff } from './walk.ts';

/** What a report needs to know of the orders. */
export interface Needs {
  /** What lies in the period: the orders by their creation, or refunds and payments by their own date. */
  readonly kind: 'orders' | 'refunds';
  /** Whether it matters who made a refund. */
  readonly makers: boolean;
  /** Orders made up to so many seconds outside of the period are needed too. */
  readonly marginSeconds?: number;
  /** What the report splits its sums by. An export of refunds does not know everything. */
  readonly by?: string | undefined;
}

/** The facts of a report, and what it says about where they come from. */
export interface Source {
  readonly kind: 'live' | 'file';
  /** The account, or the file. */
  readonly label: Cell;
  readonly settings: AmountSettings;
  readonly days: Days;
  readonly zone: string;
  readonly range: TimeRange;
  /** When the facts were true, Unix milliseconds: when the walk began. */
  readonly asOf: number;
  /** Whether payments are known beside the refunds. */
  readonly knowsPayments: boolean;
  readonly facts: AsyncIterable<Facts>;
  /** What was read, once all of it was: `5012 orders read from the service`. */
  readonly readWords: () => string;
}

type AmountSettings = OpenService['profile']['settings'] | undefined;

/** What is known before the source is opened. */
export interface Asked {
  readonly flags: SourceInput;
  /** Undefined: all orders, whenever they were made. */
  readonly period: Period | undefined;
  readonly needs: Needs;
}

/**
 * Opens the source of a report. As long as no index of the orders is kept, that is the service itself.
 * Throws CliError 'usage' for a file that cannot answer.
 */
export async function openSource(ctx: Context, asked: Asked): Promise<Source> {
  const { flags } = asked;
  const file = flags['from-file'];
  return file === undefined ? openLive(ctx, asked) : openFile(ctx, asked, file);
}

/** The time of a report: its days, and the range of its period. `usual` is the zone without `--tz`. */
export function timeOf(ctx: Context, { flags, period }: Asked, usual?: string) {
  const days = daysOfFlag(ctx, flags.tz ?? usual);
  const clockAndZone: ClockAndZone = clockIn(days, ctx.clock.now());
  const range: TimeRange = period?.range(clockAndZone) ?? { since: undefined, until: undefined };
  return { days, range, zone: flags.tz ?? usual ?? ctx.zone() };
}

async function openLive(ctx: Context, asked: Asked): Promise<Source> {
  const { flags, needs } = asked;
  const service = await ctx.service({ maxPerSecond: flags['max-rps'] });
  const time = timeOf(ctx, asked);
  const makerOf: MakerOf = needs.makers
    ? await makersOf(ctx, () => ctx.journal.attemptsOf(service))
    : nobodyAsked;
  const walked = walk(ctx, service, { makerOf, purchaseOf }, stopOf(needs, time.range));
  return {
    kind: 'live',
    label: accountSpan(service.profile),
    settings: service.profile.settings,
    ...time,
    asOf: ctx.clock.now(),
    knowsPayments: true,
    facts: walked.facts,
    readWords: walked.words,
  };
}

// Orders are listed by their creation, so a walk for orders can end at the first one that is too old. A refund may be of any
// old order.
function stopOf({ kind, marginSeconds = 0 }: Needs, { since }: TimeRange): number | undefined {
  return kind === 'refunds' || since === undefined ? undefined : since - marginSeconds * 1000;
}

function walk(
  ctx: Context,
  service: OpenService,
  known: Known,
  since: number | undefined,
): { readonly facts: AsyncIterable<Facts>; readonly words: () => string } {
  const { profile } = service;
  const dates = stopAtDate(profile.settings['orders.order'] === 'newest-first', since);
  let read = 0;
  async function* facts(): AsyncGenerator<Facts> {
    const endProgress = ctx.notes.progress(() => (read === 0 ? '' : `${read} orders read`));
    try {
      for await (const { records } of longPages(service, 'orders', {}, { ahead: true })) {
        dates.add(records);
        const warning = dates.warning();
        if (warning !== undefined) ctx.notes.warn(warning);
        read += records.length;
        for (const { value } of records) yield factsOfOrder(value, known);
        if (dates.reached) return;
      }
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
    }
  }
  return {
    facts: facts(),
    words: () =>
      `${read} ${read === 1 ? 'order' : 'orders'} read from the service${dates.reached ? ', back to the start of the period' : ''}`,
  };
}
