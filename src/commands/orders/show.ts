/** `orders show`: shows one order with its charges, refunds, items and metadata. */

import { readOne, type Service } from '../../api/api.ts';
import { canBeRefunded, type OrderMoney, readMoney } from '../../api/charges.ts';
import { type Order, readOrder } from '../../api/records.ts';
import { orderColumns, resources } from '../../api/resources.ts';
import { type JsonObject, statuses } from '../../api/spec.ts';
import {
  type KnownTwin,
  lookForTwins,
  originsOf,
  type RefundOrigins,
  twinLine,
  twinWords,
  unconfirmedBlocks,
  unconfirmedOf,
  unconfirmedSteps,
} from '../../changes/changes.ts';
import { changeKinds, type UnconfirmedChange } from '../../journal/journal.ts';
import { accountSpan, commandLine, type Profile } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import { type Context, defineCommand } from '../command.ts';
import { idArgument } from '../flags.ts';
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
    const service = await ctx.service();
    const { profile } = service;
    const record = await readOne(ctx, service, 'orders', id, 'show');
    const readAt = ctx.clock.now();
    const { value } = record;
    const known = ctx.out.format === 'table' ? await lookUp(ctx, service, value) : nothingKnown;
    await ctx.out.record(record, orderColumns, () => orderView(ctx, { value, profile, readAt, ...known }));
    return undefined;
  },
});

/** What this machine knows about an order besides what the service shows. */
interface Known {
  readonly origins: RefundOrigins;
  readonly unconfirmed: UnconfirmedChange | undefined;
  readonly twins: readonly KnownTwin[];
}

const nothingKnown: Known = { origins: new Map(), unconfirmed: undefined, twins: [] };

async function lookUp(ctx: Context, service: Service, order: JsonObject): Promise<Known> {
  const id = String(order.id);
  const origins = await originsOf(ctx, service, order);
  const unconfirmed = (await unconfirmedOf(ctx, service, id)).get(id);
  const { twins, gaps } = await lookForTwins(ctx, service, order);
  for (const gap of gaps) ctx.notes.warn(gap);
  return { origins, unconfirmed, twins };
}

interface OrderShown extends Known {
  readonly value: JsonObject;
  readonly profile: Profile;
  /** When the order was read, Unix milliseconds. */
  readonly readAt: number;
}

function orderView(ctx: Context, shown: OrderShown): readonly Block[] {
  const { value, profile, origins, unconfirmed } = shown;
  const { settings } = profile;
  const order = readOrder(value);
  if (order === undefined) return [{ line: 'this record is not an order' }];
  const reading = readMoney(value);
  return [
    ...head(ctx, order, shown),
    'blank',
    ...orderContents(order, value, origins, settings),
    ...(unconfirmed !== undefined
      ? unconfirmedSteps(unconfirmed)
      : 'money' in reading
        ? nextSteps(reading.money, value, profile)
        : []),
  ];
}

function head(
  ctx: Context,
  order: Order,
  { value, profile, readAt, origins, unconfirmed, twins }: OrderShown,
): readonly Block[] {
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
        unconfirmed === undefined
          ? refundableWords(order, value)
          : { text: `${changeKinds[unconfirmed.kind].noun} unconfirmed`, style: 'bad' },
        '  ',
        accountSpan(profile),
      ],
    },
    ...(unconfirmed === undefined
      ? []
      : unconfirmedBlocks(ctx, profile, unconfirmed, isShown(unconfirmed, origins))),
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
<<<<<<< HEAD

// These indents align text under the first word after `REFUNDS`, and after `charge 1`.
const underHeading = ' '.repeat(9);
const underCharge = ' '.repeat(10);

function moneyGrid(money: OrderMoney, value: JsonObject, style: AmountStyle): Block {
  const refunded = refundedSum(money);
  const left = money.charges.reduce((sum, charge) => sum + (charge.counts ? charge.left : 0), 0);
  return {
    right: [1, 2, 3],
    grid: [
      [
        `MONEY (${money.currency ?? 'currency not shown'}, in the service's units)`,
        '   amount',
        ' refunded',
        '     left',
      ],
      ...money.charges.flatMap((charge) => [
        ...chargeRows(charge, money, style),
        [chargeDetail(charge, value.created_at)],
      ]),
      ...figureRows('order', [money.amount, -refunded, left], money, style),
      [agreement(money, refunded, style)],
      ...chargeSum(money, value, style).map((line) => [line]),
    ],
  };
}

function chargeRows(
  charge: ChargeMoney,
  money: OrderMoney,
  style: AmountStyle,
): readonly (readonly Cell[])[] {
  const left = charge.counts || charge.left === 0 ? charge.left : undefined;
  return figureRows(
    `charge ${charge.number}  ${charge.id}  ${paidBy(charge.value)}`,
    [charge.amount, -charge.refunded, left],
    money,
    style,
  );
}

// A row of the service's integers. If decimals are declared, the same amounts follow in the row below, since a narrow terminal has
// no room for both beside each other.
function figureRows(
  name: string,
  amounts: readonly (number | undefined)[],
  { currency }: OrderMoney,
  style: AmountStyle,
): readonly (readonly Cell[])[] {
  const cells = (write: (amount: number) => string | undefined) =>
    amounts.map((amount) => (amount === undefined ? '-' : (write(amount) ?? '-')));
  const row = [name, ...cells((amount) => digits(amount, style))];
  if (placesOf(currency, style) === undefined) return [row];
  return [row, [`${underCharge}in ${currency}`, ...cells((amount) => scaled(amount, currency, style))]];
}

function chargeDetail({ value, status, isRefundable, counts }: ChargeMoney, createdAt: unknown): Cell {
  const method = value.payment_method;
  const auth = text(valueAt(method, ['auth_code']));
  const paidAt = value.paid_at;
  const paid = typeof paidAt === 'number' && status !== undefined;
  const before = [
    text(valueAt(method, ['brand'])),
    text(valueAt(method, ['name'])),
    paid && status === statuses.paid ? undefined : (status ?? 'status not shown'),
    text(value.failure_message),
  ].filter((fact) => fact !== undefined);
  const after = [
    auth === undefined ? undefined : `auth ${auth}`,
    counts && isRefundable === false ? 'the service says it is not refundable' : undefined,
  ].filter((fact) => fact !== undefined);
  return [
    `${underCharge}${before.join(', ')}`,
    ...(paid
      ? [
          `${before.length === 0 ? '' : ', '}paid `,
          { time: paidAt, precision: 'clock', after: createdAt } as const,
        ]
      : []),
    after.map((fact) => `, ${fact}`).join(''),
  ];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

// amount_refunded should be the sum of the refund records (service: order). A person should know when it is not.
function agreement(money: OrderMoney, refunded: number, style: AmountStyle): Cell {
  const figure = figuresIn(money.currency, style);
  if (money.amountRefunded === undefined) return `${underCharge}the service shows no amount_refunded`;
  if (money.amountRefunded === refunded) return `${underCharge}refund total matches the service`;
  return {
    text: `${underCharge}the service says amount_refunded ${figure(money.amountRefunded)}, but its refunds add up to ${figure(refunded)}`,
    style: 'warn',
  };
}

function chargeSum(money: OrderMoney, value: JsonObject, style: AmountStyle): readonly Cell[] {
  const figure = figuresIn(money.currency, style);
  const paid = money.charges.filter((charge) => charge.counts || charge.refunded > 0);
  const sum = paid.reduce((total, charge) => total + charge.amount, 0);
  if (paid.length === 0 || sum === money.amount || value.payment_status === undefined) return [];
  return [
    {
      text: `${underCharge}charges add up to ${figure(sum)}, the order says ${figure(money.amount)}`,
      style: 'warn',
    },
  ];
}

function unprovenMoney(
  { amount, currency, amount_refunded: refunded, payment_status: status }: Order,
  value: JsonObject,
  problem: string,
  style: AmountStyle,
): readonly Block[] {
  // Of an order that was paid, charges that are not shown are missing.
  const hasNoCharge = value.charges === undefined && status === undefined && (refunded ?? 0) === 0;
  const money = amount === undefined ? 'not shown' : amountWords(amount, currency, style);
  return [
    {
      line: `MONEY  ${money}  refunded ${refunded === undefined ? 'not shown' : figureWords(refunded, currency, style)}`,
    },
    {
      line: hasNoCharge ? 'no charges on this order yet' : `its charges cannot be added up: ${problem}`,
      indent: 7,
    },
  ];
}

/** Two lines for each refund; the second one has its id. */
function refundsView(money: OrderMoney, origins: RefundOrigins, style: AmountStyle): readonly Block[] {
  const figure = figuresIn(money.currency, style);
  const rows = money.charges.flatMap((charge) =>
    charge.refunds.flatMap((refund) => refundRows(charge, refund, origins, figure)),
  );
  if (rows.length === 0) return [];
  const heading = ['REFUNDS', 'from charge', 'amount', 'when', 'auth', 'by'];
  return ['blank', { grid: [heading, ...rows], right: [2] }];
}

function refundRows(
  charge: ChargeMoney,
  refund: RefundRecord,
  origins: RefundOrigins,
  figure: (amount: number) => string,
): (readonly Cell[])[] {
  const reason = origins?.get(refund.id)?.reason;
  return [
    [
      '',
      `${charge.number} ${paidBy(charge.value)}`,
      figure(refund.amount),
      { time: refund.createdAt, precision: 'zoned' },
      refund.authCode ?? '-',
      sentBy(origins, refund.id),
    ],
    [
      [
        `${underHeading}id ${refund.id}${reason === undefined ? '' : `  ${reason}`}`,
        ...(refund.status === undefined ? [] : ['  ', stateSpan(refund.status)]),
      ],
    ],
  ];
}

function stateSpan(status: string): Span {
  return { text: status, style: failedWords.includes(status.toLowerCase()) ? 'bad' : 'strong' };
}

function itemsView(order: Order, style: AmountStyle): readonly Block[] {
  const figure = figuresIn(order.currency, style);
  const items = order.line_items?.data ?? [];
  if (items.length === 0) return [];
  const rows = items.map(({ name, sku, quantity, unit_price: price }, index): readonly Cell[] => [
    index === 0 ? 'ITEMS  ' : '',
    `${name ?? '-'}${sku === undefined || sku === '' ? '' : `  sku ${sku}`}`,
    `${quantity ?? '-'} x ${price === undefined ? '-' : figure(price)}`,
    quantity === undefined || price === undefined ? '-' : figure(quantity * price),
  ]);
  const sum = items.reduce(
    (total, { quantity, unit_price: price }) => total + (quantity ?? 0) * (price ?? 0),
    0,
  );
  return ['blank', { grid: [...rows, [itemsSum(sum, order.amount, figure)]], right: [2, 3], shrink: [1] }];
}

function itemsSum(sum: number, amount: number | undefined, figure: (amount: number) => string): Cell {
  const comparison =
    sum === amount
      ? 'equal to the order amount'
      : `the order says ${amount === undefined ? 'no amount' : figure(amount)}; items do not include shipping, taxes and discounts`;
  return `${underHeading}items ${figure(sum)}: ${comparison}`;
}

function metadataView(metadata: unknown): readonly Block[] {
  const entries = typeof metadata === 'object' && metadata !== null ? Object.entries(metadata) : [];
  if (entries.length === 0) return [];
  const words = entries.map(([key, member]) => `${key}=${memberText(member)}`);
  return ['blank', { line: `metadata ${words.join('  ')}`, hang: 9 }];
}

function memberText(member: unknown): string {
  if (member === null || member === '') return '-';
  if (typeof member === 'string' || typeof member === 'bigint') return String(member);
  // A very large integer is a bigint here, and JSON.stringify refuses bigints.
  return JSON.stringify(member, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner));
}
=======
>>>>>>> main
