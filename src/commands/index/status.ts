/** `index status` and `index rekey`, and an index as a record: how many orders it knows, how old what it knows is, and where it is. */

import type { Column } from '../../api/resources.ts';
import type { JsonObject } from '../../api/spec.ts';
import { type Context, dryRunShown } from '../../context/context.ts';
import type { IndexStatus, OrderIndex } from '../../index/index.ts';
import { accountLabel, accountSpan, commandLine, type Profile } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';
import { doubtsOf, readWords } from '../orders/find-indexed.ts';
import { rowColumn } from '../report/report-rows.ts';
import { alone, existingIndex } from './index-walk.ts';

export const status = defineCommand({
  description:
    'Sends no request. Shows when the orders were read, and every reason why the index may miss an order.',
  arguments: [],
  flags: {},
  examples: ['paydesk -p shop-mx index status', 'paydesk -p shop-mx index status --json'],
  async run(ctx) {
    const { profile } = await ctx.profiles.open();
    const index = await existingIndex(ctx, profile);
    const known = index.status();
    await ctx.out.own(
      indexRecord(profile, index, known),
      () => indexView(ctx, profile, index, known),
      indexColumns,
    );
    return undefined;
  },
});

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

/** The columns of such a record that are times, though their names do not say so. */
export const indexColumns: readonly Column[] = ['created_first', 'created_last', 'kept_from'].map((name) => ({
  ...rowColumn(name, 'time'),
}));

/** The index as lines. */
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
    // A path that has no room here stands whole on a line of its own.
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

/** What the index keeps, where, and what protects it, before a person says yes to it. */
export function offerBlocks(
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

export function offerQuestion(profile: Profile): string {
  return `build this index of ${accountLabel(profile)} on this machine?`;
}

export const rekey = defineCommand({
  description:
    'Do this when somebody may have seen the key. A copy of the index that was made before still opens with the old key. It sends no request.',
  arguments: [],
  flags: {},
  examples: ['paydesk -p shop-mx index rekey', 'paydesk -p shop-mx index rekey --json'],
  async run(ctx) {
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
    return undefined;
  },
});
