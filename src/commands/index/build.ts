/** `index build`, `status` and `rekey`: make an index on this machine, show its state, and seal it with a new key. */

import { brokeOff, type OpenService } from '../../api/api.ts';
import type { JsonObject } from '../../api/json-values.ts';
import type { Column } from '../../api/resources.ts';
import { type Context, confirmFirst, dryRunShown } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError, refused } from '../../errors.ts';
import { flag, maxPerSecondFlag } from '../../flags/flags.ts';
import type { IndexStatus, OrderIndex } from '../../index/index.ts';
import { accountLabel, accountSpan, commandLine, type Profile } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';
import { doubtsOf, readWords } from '../orders/search/find-indexed.ts';
import { rowColumn } from '../report/report-rows.ts';
import { alone, existingIndex, type IndexWalk, walkIntoIndex } from './index-walk.ts';

export const build = defineCommand({
  description:
    'With an index, orders find searches all orders of the account at once. The index is off until somebody says yes here: paydesk shows what it keeps, where, and what protects it. A build that was interrupted goes on with --resume.',
  flags: {
    resume: flag.switch('go on with a build that was interrupted'),
    'max-rps': maxPerSecondFlag,
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
      await showIndex(ctx, profile, index);
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
    throw refused(
      `${profile.name} has an index already`,
      ['read what is new:', commandLine(profile, 'index', 'refresh')],
      { certain: 'nothing was read' },
    );
  if (resume || orders === 0) return;
  throw refused(
    `an index of ${profile.name} was begun: it knows ${orders} orders`,
    [
      'go on with it:',
      commandLine(profile, 'index', 'build', '--resume'),
      'or begin anew:',
      commandLine(profile, 'index', 'forget', '--all'),
    ],
    { certain: 'nothing was read' },
  );
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
    return `${begun.orders + progress.read} orders read, ${Math.round(rate)} per second${backTo(ctx, progress.oldest)}${timeLeftWords(ctx, progress.oldest, begun.floor, seconds)}`;
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
    // The last known order may be gone; then the walk goes on after the one before it.
    const ends =
      begun.goesOnAfter === undefined
        ? [undefined]
        : [begun.goesOnAfter, ...index.before(begun.goesOnAfter, 3)];
    for (const after of ends) {
      const { last } = await walkIntoIndex(walk, after, { isDone: () => false });
      if (last?.fits !== false) break;
    }
    // Orders that were made meanwhile come before the first order of the walk.
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

// The service does not say how many orders there are. If only the last days are kept, the dates tell how far the build has got.
function timeLeftWords(
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

// If a person stopped the build, that person wants to know how far it got.
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

export const status = defineCommand({
  description:
    'Sends no request. Shows when the orders were read, and every reason why the index may miss an order.',
  examples: ['paydesk -p shop-mx index status', 'paydesk -p shop-mx index status --json'],
  async run(ctx): Promise<undefined> {
    const { profile } = await ctx.profiles.open();
    await showIndex(ctx, profile, await existingIndex(ctx, profile));
  },
});

async function showIndex(ctx: Context, profile: Profile, index: OrderIndex): Promise<void> {
  const known = index.status();
  const view = () => indexView(ctx, profile, index, known);
  await ctx.out.own(indexRecord(profile, index, known), view, indexColumns);
}

/** The index as a flat record. Times are Unix seconds. */
export function indexRecord(profile: Profile, index: OrderIndex, status: IndexStatus): JsonObject {
  const { reads, fields, gaps, ...figures } = status;
  return {
    object: 'index',
    profile: profile.name,
    account: profile.account,
    orders: status.orders,
    complete: status.isComplete,
    newest_first: status.isNewestFirst,
    created_first: figures.oldest ?? null,
    created_last: figures.newest ?? null,
    head_read_at: figures.headReadAt ?? null,
    tail_read_at: figures.tailReadAt ?? null,
    oldest_read_at: reads.length === 0 ? null : Math.min(...reads.map(({ readAt }) => readAt)),
    gaps: gaps.length,
    inserted: figures.inserted,
    forgotten: figures.forgotten,
    kept_from: figures.floor ?? null,
    fields: fields.join(','),
    bytes: figures.bytes,
    file: index.path,
    key_in: index.keptIn,
  };
}

/** The columns of the record of an index that are times, although their names do not say so. */
export const indexColumns: readonly Column[] = ['created_first', 'created_last', 'kept_from'].map((name) => ({
  ...rowColumn(name, 'time'),
}));

export function indexView(
  ctx: Context,
  profile: Profile,
  index: OrderIndex,
  status: IndexStatus,
): readonly Block[] {
  const { orders, oldest, newest, bytes } = status;
  const span = oldest === undefined || newest === undefined ? '' : `, ${ctx.days.between(oldest, newest)}`;
  const doubts = doubtsOf(ctx, status, profile, { headJoined: status.headReadAt !== undefined, unread: 0 });
  return [
    { line: [{ text: 'index of orders', style: 'strong' }, '  ', accountSpan(profile)] },
    { line: `orders   ${orders}${span}`, hang: 9 },
    ...(status.reads.length === 0 ? [] : [{ line: `read     ${readWords(ctx, status)}`, hang: 9 }]),
    // A path that does not fit here is shown whole on a line of its own.
    { line: `file     ${index.path}`, hang: 0 },
    { line: `size     ${sizeWords(bytes)}`, hang: 9 },
    { line: `key      in ${index.keptIn}`, hang: 9 },
    ...doubts.map(
      ({ why, command }): Block => ({
        line: { text: `note     ${why}${command === undefined ? '' : `: ${command}`}`, style: 'warn' },
        hang: 9,
      }),
    ),
  ];
}

function sizeWords(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** What a person sees before agreeing to an index: what it keeps, where, and what protects it. */
function offerBlocks(
  profile: Profile,
  { path, key }: { readonly path: string; readonly key: string },
): readonly Block[] {
  const { 'index.fields': fields, 'index.keep': keep } = profile.settings;
  const line = (text: string): Block => ({ line: text, hang: 9 });
  const texts = [...fields].join(', ');
  return [
    { line: [{ text: 'INDEX OF ORDERS', style: 'strong' }, '  ', accountSpan(profile)] },
    line(
      `keeps    of every order: id, customer, amounts, dates, status, refunds${texts === '' ? '' : `; and ${texts}`}`,
    ),
    ...(Number.isFinite(keep) ? [line(`         of the last ${keep / 86_400_000} days (index.keep)`)] : []),
    line(`in       ${path}, some 120 bytes per order`),
    line(`sealed   with a key of its own, in ${key}`),
    line(
      'so       nobody can read a copy of the index without the key; whoever gets the key too, such as on a stolen disk, can read all of it',
    ),
    line('reads    every page of the orders once; refresh reads again what may have changed'),
    line(`erase    ${commandLine(profile, 'index', 'forget', '--all')}`),
  ];
}

function offerQuestion(profile: Profile): string {
  return `build this index of ${accountLabel(profile)} on this machine?`;
}

export const rekey = defineCommand({
  description:
    'Do this when somebody may have seen the key. A copy of the index that was made before still opens with the old key. It sends no request.',
  examples: ['paydesk -p shop-mx index rekey', 'paydesk -p shop-mx index rekey --json'],
  async run(ctx): Promise<undefined> {
    const { profile } = await ctx.profiles.open();
    const index = await existingIndex(ctx, profile);
    const would = `would seal the index of ${accountLabel(profile)} with a new key; nothing was changed`;
    if (await dryRunShown(ctx, { index: 'rekey' }, would)) return undefined;
    const { orders } = index.status();
    await alone(ctx, profile, () => index.rekey());
    const record = { object: 'index', profile: profile.name, rekeyed: true, orders };
    await ctx.out.own(record, () => [
      { line: `sealed the index of ${accountLabel(profile)} with a new key: ${orders} orders` },
    ]);
  },
});
