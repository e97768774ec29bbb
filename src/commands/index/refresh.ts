/** `index refresh`: reads what is new, and reads again what has not been read for too long. */

import type { OpenService } from '../../api/api.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { exitCodes } from '../../errors.ts';
import { flag, maxPerSecondFlag } from '../../flags/flags.ts';
import { clockAndZoneOf, dayBegan } from '../../flags/typed-time.ts';
import type { OrderIndex } from '../../index/index.ts';
import type { Settings } from '../../profiles/profiles.ts';
import { defineCommand } from '../command.ts';
import { reducedText } from '../orders/search/indexed-text.ts';
import { indexColumns, indexRecord, indexView } from './build.ts';
import { alone, existingIndex, type IndexWalk, walkIntoIndex } from './index-walk.ts';

const defaultRequests = 500;

export const refresh = defineCommand({
  description:
    'Reads the newest orders, and reads again those that may have changed, the longest overdue first, within --max-requests. A cron job can call it: the next run goes on where this one stopped. With --quiet it prints nothing when all is well.',
  flags: {
    'max-requests': flag.integer(1, 1_000_000, 'N', 'send at most this many requests', {
      defaultText: String(defaultRequests),
    }),
    'max-rps': maxPerSecondFlag,
  },
  examples: [
    'paydesk -p shop-mx index refresh',
    'paydesk -p shop-mx index refresh --max-requests 100 --quiet',
  ],
  exits: {
    0: 'nothing is left to do',
    3: 'refused, for example because another run is at work on the index',
    9: 'the next run has more to do',
  },
  async run(ctx, { flags }) {
    const service = await ctx.service({ maxPerSecond: flags['max-rps'] });
    const { profile } = service;
    const index = await existingIndex(ctx, profile);
    return await alone(ctx, profile, async () => {
      const budget = flags['max-requests'] ?? defaultRequests;
      const result = await readWhatIsDue(ctx, service, index, budget);
      const status = index.status();
      const record = {
        ...indexRecord(profile, index, status),
        object: 'index_refresh',
        requests: result.requests,
        added: result.added,
        read: result.read,
        due: result.due,
      };
      const isDone = result.headJoined && result.due === 0 && status.isComplete;
      // Prints nothing with --quiet when all is well, because cron mails whatever is printed.
      const isSilent = ctx.options.quiet && ctx.options.askedFormat === undefined;
      const view = () => [
        {
          line: `${counted(result.requests, 'request')}, ${counted(result.read, 'order')} read, ${result.added} new`,
        },
        ...indexView(ctx, profile, index, status),
      ];
      if (!isSilent) await ctx.out.own(record, view, indexColumns);
      if (isDone) return undefined;
      if (result.due > 0)
        ctx.notes.warn(
          `${counted(result.due, 'segment')} of up to 1000 orders should be read again; the next run goes on`,
        );
      if (!status.isComplete || !result.headJoined)
        ctx.notes.warn(
          `the index knows ${counted(status.orders, 'order')}, and there are more; the next run goes on`,
        );
      return exitCodes.incomplete;
    });
  },
});

// Returns what it did; `due`: how many segments are still to be read again.
async function readWhatIsDue(ctx: Context, service: OpenService, index: OrderIndex, budget: number) {
  keepWhatIsWanted(ctx, index, service.profile.settings);
  const sent = service.requests?.() ?? 0;
  const requests = (): number => (service.requests?.() ?? 0) - sent;
  const tally = { read: 0, added: 0 };
  const endProgress = ctx.notes.progress(() => `${requests()} requests, ${tally.read} orders read`);
  const walk: IndexWalk = {
    ctx,
    service,
    index,
    isSpent: () => requests() >= budget,
    readsAhead: false,
    onRead(orders) {
      tally.read += orders;
    },
  };
  const part = async (after: string | undefined, how: Parameters<typeof walkIntoIndex>[2]) => {
    const walked = await walkIntoIndex(walk, after, how);
    tally.added += walked.added;
    return walked;
  };
  try {
    const head = await part(undefined, { isDone: ({ joins }) => joins, atOnce: 1 });
    await readTail(index, walk, part);
    for (const gap of index.status().gaps) {
      if (!walk.isSpent()) await part(gap, { isDone: ({ joins }) => joins, atOnce: 1 });
    }
    const due = await readDue(index, walk, part);
    index.withoutRepeats();
    return { ...tally, requests: requests(), headJoined: head.last?.joins === true, due };
  } finally {
    endProgress();
  }
}

type Part = (
  after: string | undefined,
  how: Parameters<typeof walkIntoIndex>[2],
) => ReturnType<typeof walkIntoIndex>;

// In a list that is oldest first, new orders come after the last one. A build that broke off goes on there too.
async function readTail(index: OrderIndex, { isSpent }: IndexWalk, part: Part): Promise<void> {
  const { endsAtFloor, last } = index.status();
  if (endsAtFloor || last === undefined) return;
  // The last order may be gone; then the list goes on after the one before it.
  for (const after of [last, ...index.before(last, 3)]) {
    if (isSpent()) return;
    const walked = await part(after, { isDone: () => false });
    if (walked.last?.fits !== false) return;
  }
}

// Returns how many segments are left.
async function readDue(index: OrderIndex, { ctx, isSpent }: IndexWalk, part: Part): Promise<number> {
  const due = index.due(dayBegan(clockAndZoneOf(ctx)) / 1000);
  let left = due.length;
  for (const one of due) {
    if (isSpent()) break;
    const { after, count: most } = index.narrowed(one);
    // The order before the segment may be gone; then an earlier one is next to it.
    const anchors = after === undefined ? [undefined] : [after, ...index.before(after, 3)];
    for (const [more, anchor] of anchors.entries()) {
      const length = most + more;
      const walked = await part(anchor, { isDone: () => false, most: length, atOnce: length });
      if (walked.last?.fits === false && !isSpent()) continue;
      if (walked.last?.fits === true && !walked.isSpent) left -= 1;
      break;
    }
  }
  return left;
}

// The settings may have been changed since the last run.
function keepWhatIsWanted({ clock }: Context, index: OrderIndex, settings: Settings): void {
  const { 'index.keep': keep, 'index.fields': fields } = settings;
  const { fields: known } = index.status();
  if (Number.isFinite(keep)) index.forgetBefore(Math.floor((clock.now() - keep) / 1000));
  if (known.every((name) => fields.some((field) => field === name))) return;
  index.reduceTexts(fields, (text) => reducedText(text, fields));
  index.compact();
}
