/** `index build`: asks, and then reads all orders of the account into an index on this machine. */

import type { OpenService } from '../../api/api.ts';
import { type Context, confirmFirst, dryRunShown } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError } from '../../errors.ts';
import { flag } from '../../flags/flags.ts';
import type { OrderIndex } from '../../index/index.ts';
import { commandLine } from '../../profiles/profiles.ts';
import { defineCommand } from '../command.ts';
import { brokeOff } from '../walk.ts';
import { alone, type IndexWalk, walkIntoIndex } from './index-walk.ts';
import { indexColumns, indexRecord, indexView, offerBlocks, offerQuestion } from './status.ts';

export const build = defineCommand({
  description:
    'With an index, orders find searches all orders of the account at once. The index is off until somebody says yes here: paydesk shows what it keeps, where, and what protects it. A build that was interrupted goes on with --resume.',
  arguments: [],
  flags: {
    resume: flag.switch({ summary: 'go on with a build that was interrupted' }),
    'max-rps': flag.integer(1, 1000, { value: 'N', summary: 'at most this many requests per second' }),
  },
  examples: ['paydesk -p demo index build', 'paydesk -p demo index build --yes --json --no-input'],
  async run(ctx, { flags }) {
    const service = await ctx.service({ maxPerSecond: flags['max-rps'] });
    const { profile } = service;
    const known = await ctx.index.open(profile);
    if (known !== undefined) refuseSecond(known, service, flags.resume === true);
    const key = known?.keptIn ?? (await ctx.index.keyPlace(profile));
    const place = { path: known?.path ?? ctx.index.folder, key };
    const would = { index: 'build', profile: profile.name, file: place.path, key_in: key };
    if (await dryRunShown(ctx, would, `would build an index in ${place.path}; nothing was read`))
      return undefined;
    if (known === undefined) {
      ctx.notes.show(offerBlocks(profile, place));
      await confirmFirst(ctx, offerQuestion(profile), 'no index was made');
    }
    return await alone(ctx, profile, async () => {
      const index = known ?? (await ctx.index.create(profile));
      await readAll(ctx, service, index);
      const status = index.status();
      await ctx.out.own(
        indexRecord(profile, index, status),
        () => indexView(ctx, profile, index, status),
        indexColumns,
      );
      ctx.notes.note(
        `keep it fresh, for example every hour: ${commandLine(profile, 'index', 'refresh', '--quiet')}`,
      );
      return undefined;
    });
  },
});

function refuseSecond(index: OrderIndex, { profile }: OpenService, resume: boolean): void {
  const { isComplete, orders } = index.status();
  if (isComplete)
    throw new CliError('refused', `${profile.name} has an index already`, {
      certain: 'nothing was read',
      now: ['read what is new:', commandLine(profile, 'index', 'refresh')],
    });
  if (resume || orders === 0) return;
  throw new CliError('refused', `an index of ${profile.name} was begun: it knows ${orders} orders`, {
    certain: 'nothing was read',
    now: [
      'go on with it:',
      commandLine(profile, 'index', 'build', '--resume'),
      'or begin anew:',
      commandLine(profile, 'index', 'forget', '--all'),
    ],
  });
}

async function readAll(ctx: Context, service: OpenService, index: OrderIndex): Promise<void> {
  const { profile } = service;
  const keep = profile.settings['index.keep'];
  if (Number.isFinite(keep)) index.forgetBefore(Math.floor((ctx.clock.now() - keep) / 1000));
  const begun = index.status();
  const progress = { read: 0, oldest: begun.oldest };
  const started = ctx.clock.monotonic();
  const endProgress = ctx.notes.progress(() => {
    const seconds = Math.max(1, (ctx.clock.monotonic() - started) / 1000);
    const rate = progress.read / seconds;
    return `${begun.orders + progress.read} orders read, ${Math.round(rate)} per second${backTo(ctx, progress.oldest)}${leftWords(ctx, progress.oldest, begun.floor, seconds)}`;
  });
  const walk: IndexWalk = {
    ctx,
    service,
    index,
    isSpent: () => false,
    readsAhead: true,
    onRead(orders, oldest) {
      progress.read += orders;
      progress.oldest = oldest ?? progress.oldest;
    },
  };
  try {
    // The last order that is known may be gone; then the one before it is next to the rest.
    const ends =
      begun.goesOnAfter === undefined
        ? [undefined]
        : [begun.goesOnAfter, ...index.before(begun.goesOnAfter, 3)];
    for (const after of ends) {
      const { last } = await walkIntoIndex(walk, after, { isDone: () => false });
      if (last?.fits !== false) break;
    }
    // What was made meanwhile stands before the first order of the walk.
    await walkIntoIndex(walk, undefined, { isDone: ({ joins }) => joins, atOnce: 1 });
    index.withoutRepeats();
  } catch (error) {
    throw ctx.signal.aborted || (error instanceof CliError && brokeOff(error))
      ? brokenOff(ctx.signal.aborted ? ctx.signal.reason : error, service, index)
      : error;
  } finally {
    endProgress();
  }
}

function backTo(ctx: Context, oldest: number | undefined): string {
  return oldest === undefined ? '' : `, back to ${ctx.days.show(oldest, 'date')}`;
}

// The service does not say how many orders there are. Where only the last days are kept, the dates tell how far it is.
function leftWords(
  ctx: Context,
  oldest: number | undefined,
  floor: number | undefined,
  seconds: number,
): string {
  const now = ctx.clock.now() / 1000;
  if (oldest === undefined || floor === undefined || oldest >= now) return '';
  const left = (seconds * Math.max(0, oldest - floor)) / (now - oldest);
  return left < 60 ? `, about ${Math.ceil(left)} s left` : `, about ${Math.ceil(left / 60)} min left`;
}

// If a person stopped the build, that person wants to know how far it came.
function brokenOff(error: unknown, { profile }: OpenService, index: OrderIndex): unknown {
  if (!(error instanceof CliError)) return error;
  const isBroken = brokeOff(error);
  const { orders } = index.status();
  return new CliError(isBroken ? 'incomplete' : error.kind, isBroken ? error.message : 'build stopped', {
    ...error.parts,
    certain: `${counted(orders, 'order')} ${orders === 1 ? 'is' : 'are'} in the index; there are more`,
    now: ['go on with it:', commandLine(profile, 'index', 'build', ...(orders === 0 ? [] : ['--resume']))],
    cause: error,
  });
}
