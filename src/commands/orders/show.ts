/** `orders show`: shows one order with its charges, refunds, items and metadata. */

import { readOne, type Service } from '../../api/api.ts';
import { canBeRefunded, type OrderMoney, readMoney } from '../../api/charges.ts';
import { type Order, readOrder } from '../../api/records.ts';
import { orderColumns, resources } from '../../api/resources.ts';
import { type JsonObject, statuses } from '../../api/spec.ts';
import {
  acknowledgedAlarms,
  acknowledgedWords,
  byHandWords,
  type KnownTwin,
  lookForTwins,
  openCasesOf,
  originsOf,
  paidTwiceBlocks,
  paidTwiceStatus,
  paidTwiceSteps,
  type RefundOrigins,
  seenTwiceBlocks,
  seenTwiceIn,
  seenTwiceStatus,
  seenTwiceSteps,
  settledByHand,
  twinLine,
  twinWords,
  unconfirmedBlocks,
  unconfirmedSteps,
  unshownBlocks,
  unshownStatus,
  unshownSteps,
} from '../../changes/changes.ts';
import {
  type AttemptRecord,
  changeKinds,
  type PaidTwice,
  type UnconfirmedChange,
} from '../../journal/journal.ts';
import { accountSpan, commandLine, type Profile } from '../../profiles/profiles.ts';
import type { Block, Span } from '../../terminal/terminal.ts';
import { type Context, defineCommand } from '../command.ts';
import { idArgument } from '../flags.ts';
import { unshownRefund } from './open-status.ts';
import { orderContents } from './order-contents.ts';

const { idExample } = resources.orders;

export const show = defineCommand({
  description:
    'The service documents no way to get one order, so paydesk looks for the order page by page. -o list shows every field the service sent.',
  arguments: [idArgument('orders', true)],
  flags: {},
  examples: [
    `paydesk -p demo orders show ${idExample}`,
    `paydesk -p demo orders show ${idExample} --json --no-input`,
  ],
  exits: [0, 1, 2, 4, 5, 6, 9],
  async run(ctx, { args: [id] }) {
    ctx.out.checkColumns(orderColumns);
    const isTable = ctx.out.format === 'table';
    const service = await ctx.service({ shown: isTable ? id : undefined });
    const { profile } = service;
    const record = await readOne(ctx, service, 'orders', id, 'show');
    const readAt = ctx.clock.now();
    const { value } = record;
    const known = isTable ? await lookUp(ctx, service, value) : nothingKnown;
    await ctx.out.record(record, orderColumns, () => orderView(ctx, { value, profile, readAt, ...known }));
    return undefined;
  },
});

/** What this machine knows about an order besides what the service shows. */
interface Known {
  readonly origins: RefundOrigins;
  readonly unconfirmed: UnconfirmedChange | undefined;
  readonly paidTwice: PaidTwice | undefined;
  /** What this read is the first to show twice. */
  readonly seenTwice: PaidTwice | undefined;
  /** A refund that somebody recorded as made by hand, and that the order does not show. */
  readonly unshown: AttemptRecord | undefined;
  /** The alarms that somebody acknowledged, a line each. */
  readonly acknowledged: readonly string[];
  /** What somebody settled by hand, a line each. */
  readonly byHand: readonly string[];
  readonly twins: readonly KnownTwin[];
}

const nothingKnown: Known = {
  origins: new Map(),
  unconfirmed: undefined,
  paidTwice: undefined,
  seenTwice: undefined,
  unshown: undefined,
  acknowledged: [],
  byHand: [],
  twins: [],
};

async function lookUp(ctx: Context, service: Service, order: JsonObject): Promise<Known> {
  const id = String(order.id);
  const origins = await originsOf(ctx, service, order);
  const open = await openCasesOf(ctx, service, id);
  const byHand = await settledByHand(ctx, service, id);
  const acknowledged = await acknowledgedAlarms(ctx, service, id);
  const unconfirmed = open.unconfirmed.get(id);
  const { twins, gaps } = await lookForTwins(ctx, service, order);
  for (const gap of gaps) ctx.notes.warn(gap);
  return {
    origins,
    unconfirmed,
    paidTwice: open.paidTwice.get(id),
    // One of the two may be the unconfirmed one: that is cleared up first.
    seenTwice: unconfirmed === undefined ? await seenTwiceIn(ctx, service, order) : undefined,
    unshown: unshownRefund(ctx, open, order),
    acknowledged: acknowledged.map((record) => acknowledgedWords(ctx, record)),
    byHand: byHand.map((record) => byHandWords(ctx, record)),
    twins,
  };
}

interface OrderShown extends Known {
  readonly value: JsonObject;
  readonly profile: Profile;
  /** When the order was read, Unix milliseconds. */
  readonly readAt: number;
}

function orderView(ctx: Context, shown: OrderShown): readonly Block[] {
  const { value, profile, origins } = shown;
  const { settings } = profile;
  const order = readOrder(value);
  if (order === undefined) return [{ line: 'this record is not an order' }];
  const reading = readMoney(value);
  return [
    ...head(ctx, order, shown),
    'blank',
    ...orderContents(order, value, origins, settings, shown.unshown?.sent.amount),
    ...(openSteps(shown) ?? ('money' in reading ? nextSteps(reading.money, value, profile) : [])),
  ];
}

// While a case is open, no command that refunds is suggested.
function openSteps({ unconfirmed, paidTwice, seenTwice, unshown }: Known): readonly Block[] | undefined {
  if (unconfirmed !== undefined) return unconfirmedSteps(unconfirmed);
  if (seenTwice !== undefined) return seenTwiceSteps(seenTwice);
  if (paidTwice !== undefined) return paidTwiceSteps(paidTwice);
  return unshown && unshownSteps(unshown);
}

function head(ctx: Context, order: Order, shown: OrderShown): readonly Block[] {
  const { value, profile, readAt, byHand, acknowledged, twins } = shown;
  const { customer_info: buyer } = order;
  const buyerParts = [buyer?.name, buyer?.email, buyer?.phone, buyer?.customer_id].filter(
    (part) => part !== undefined && part !== '',
  );
  return [
    {
      line: [
        { text: order.id, style: 'strong' },
        '  ',
        { status: order.payment_status ?? 'status not shown' },
        '  ',
        openWords(shown) ?? refundableWords(order, value),
        '  ',
        accountSpan(profile),
      ],
    },
    ...openBlocks(ctx, shown),
    ...byHand.map(
      (words): Block => ({ line: { text: `SETTLED BY HAND  ${words}`, style: 'warn' }, hang: 8 }),
    ),
    ...acknowledged.map(
      (words): Block => ({ line: { text: `ACKNOWLEDGED  ${words}`, style: 'warn' }, hang: 8 }),
    ),
    {
      line: [
        'created ',
        { time: order.created_at, precision: 'full' },
        '    read just now, ',
        { time: Math.floor(readAt / 1000), precision: 'second' },
      ],
    },
    { line: `buyer   ${buyerParts.length === 0 ? 'not shown' : buyerParts.join('  ')}`, hang: 8 },
    ...twins.map((twin): Block => {
      const text = `twin    ${twinLine(twin, twinWords(ctx, profile, value))}`;
      return { line: { text, style: 'warn' }, hang: 8 };
    }),
  ];
}

function openWords({
  unconfirmed,
  paidTwice,
  seenTwice,
  unshown,
}: Pick<Known, 'unconfirmed' | 'paidTwice' | 'seenTwice' | 'unshown'>): Span | undefined {
  if (unconfirmed !== undefined)
    return { text: `${changeKinds[unconfirmed.kind].noun} unconfirmed`, style: 'bad' };
  if (paidTwice !== undefined) return { text: paidTwiceStatus, style: 'bad' };
  if (seenTwice !== undefined) return { text: seenTwiceStatus, style: 'bad' };
  return unshown && { text: unshownStatus, style: 'bad' };
}

function openBlocks(ctx: Context, shown: OrderShown): readonly Block[] {
  const { profile, origins, unconfirmed, paidTwice, seenTwice, unshown } = shown;
  return [
    ...(unconfirmed === undefined
      ? []
      : unconfirmedBlocks(ctx, profile, unconfirmed, isShown(unconfirmed, origins))),
    ...(paidTwice === undefined ? [] : paidTwiceBlocks(ctx, profile, paidTwice)),
    ...(seenTwice === undefined ? [] : seenTwiceBlocks(ctx, profile, seenTwice)),
    ...(unshown === undefined ? [] : unshownBlocks(profile, unshown)),
  ];
}

// Whether the order shows a refund that is probably the unconfirmed one.
function isShown({ kind }: UnconfirmedChange, origins: RefundOrigins): boolean {
  return kind === 'refund' && [...(origins?.values() ?? [])].some(({ probable }) => probable === true);
}

function refundableWords(order: Order, value: JsonObject): string {
  if (order.payment_status === statuses.preAuthorized) return 'only authorized, no money taken';
  if (canBeRefunded(value)) return 'can be refunded';
  return order.is_refundable === false ? 'cannot be refunded' : 'refundable: not shown';
}

function nextSteps(money: OrderMoney, value: JsonObject, profile: Profile): readonly Block[] {
  if (value.payment_status === statuses.preAuthorized) {
    const command = commandLine(profile, 'orders', 'capture', money.id);
    return ['blank', { line: 'capture it:' }, { line: command, indent: 2 }];
  }
  const rest = money.charges.filter((charge) => charge.counts && charge.isRefundable !== false);
  if (rest.length === 0 || !canBeRefunded(value)) return [];
  const byCharge = money.charges.some(
    (charge) => charge.refunds.length > 0 || (charge.counts && charge.isRefundable === false),
  );
  const lines = byCharge
    ? rest.map((charge) => ({
        words: `refund ${charge.refunds.length > 0 ? 'the rest of ' : ''}charge ${charge.number}:`,
        command: commandLine(profile, 'orders', 'refund', money.id, '--charge', String(charge.number)),
      }))
    : [{ words: 'refund all of it:', command: commandLine(profile, 'orders', 'refund', money.id) }];
  return [
    'blank',
    ...lines.flatMap(({ words, command }): Block[] => [{ line: words }, { line: command, indent: 2 }]),
  ];
}
