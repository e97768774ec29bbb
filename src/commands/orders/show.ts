/** `orders show`: shows one order with its charges, refunds, items and metadata. */

import { amountWords, typedForm } from '../../amounts.ts';
import { readOne, type Service } from '../../api/api.ts';
import {
  type ChargeMoney,
  moneyOf,
  newestEqual,
  type OrderMoney,
  standingRefunds,
} from '../../api/charges.ts';
import { type Order, readOrder } from '../../api/records.ts';
import { orderColumns, resources } from '../../api/resources.ts';
import { type JsonObject, modeOfOrder, statuses } from '../../api/spec.ts';
import {
  acknowledgedAlarms,
  acknowledgedWords,
  byHandWords,
  caseBlocks,
  caseSteps,
  isOfRefund,
  lookForTwins,
  originsAmong,
  pendingRequests,
  type RefundOrigins,
  settledByHand,
  stateWords,
} from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import { flag, idArgument, usage } from '../../flags/flags.ts';
import { attemptName, changeKinds } from '../../journal/journal.ts';
import {
  isSettled,
  type KnownOrder,
  type KnownTwin,
  type OrderCase,
  type RefundState,
  shownOrders,
  twinLine,
  twinWords,
  warnsOfTwin,
} from '../../orders/orders.ts';
import { accountSpan, commandLine, modeProblem, type Profile } from '../../profiles/profiles.ts';
import type { Block, Span } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';
import { checkCopy, copyFlag, tellBuyer } from './for-buyer.ts';
import { orderContents } from './order-contents.ts';

const { idExample } = resources.orders;

export const show = defineCommand({
  description:
    'The service documents no way to get one order, so paydesk looks for it page by page. -o list shows every field that the service sent.',
  arguments: [idArgument('orders', true)],
  flags: {
    'for-buyer': flag.switch({
      summary: 'words for the buyer to paste: what went back, and what is not sure',
    }),
    copy: copyFlag,
  },
  examples: [
    `paydesk -p demo orders show ${idExample}`,
    `paydesk -p demo orders show ${idExample} --for-buyer --lang es`,
    `paydesk -p demo orders show ${idExample} --json --no-input`,
  ],
  async run(ctx, { args: [id], flags }) {
    const isForBuyer = flags['for-buyer'] === true;
    if (flags.copy === true && !isForBuyer)
      throw usage('--copy copies the words for the buyer: add --for-buyer');
    checkCopy(ctx, flags.copy);
    ctx.out.checkColumns(orderColumns);
    const isTable = ctx.out.format === 'table';
    const service = await ctx.service({ shown: isTable ? id : undefined });
    const { profile } = service;
    const record = await readOne(ctx, service, 'orders', id, 'show');
    const readAt = ctx.clock.now();
    const { value } = record;
    const problem = modeProblem(value, profile);
    if (problem !== undefined) ctx.notes.warn(`${problem}; nothing of it is refunded or captured`);
    if (isForBuyer) {
      await tellBuyer(ctx, service, value, { copy: flags.copy === true });
      return undefined;
    }
    const known = isTable ? await lookUp(ctx, service, value) : nothingKnown;
    await ctx.out.record(record, orderColumns, () => orderView(ctx, { value, profile, readAt, ...known }));
    return undefined;
  },
});

/** What this machine knows about an order besides what the service shows. */
interface Known {
  /** Why it cannot be refunded. */
  readonly whyNot: string | undefined;
  readonly origins: RefundOrigins;
  /** What is open of it, the most urgent first. */
  readonly cases: readonly OrderCase[];
  /** What a person must know first, in a word. */
  readonly first: KnownOrder['first'];
  /** The state of each refund that it shows, by its id. */
  readonly states: ReadonlyMap<string, RefundState>;
  /** Why its figures do not tell what went back. */
  readonly doubt: string | undefined;
  /** The alarms that somebody acknowledged, a line each. */
  readonly acknowledged: readonly string[];
  /** The refunds that somebody of the team has asked for, a line each. */
  readonly pending: readonly string[];
  /** What somebody settled by hand, a line each. */
  readonly byHand: readonly string[];
  readonly twins: readonly KnownTwin[];
  /** The order itself as one of them. */
  readonly own: KnownTwin | undefined;
}

const nothingKnown: Known = {
  whyNot: undefined,
  origins: new Map(),
  cases: [],
  first: undefined,
  states: new Map(),
  doubt: undefined,
  acknowledged: [],
  pending: [],
  byHand: [],
  twins: [],
  own: undefined,
};

async function lookUp(ctx: Context, service: Service, order: JsonObject): Promise<Known> {
  const id = String(order.id);
  const [known] = await shownOrders(ctx, service, [order]);
  const { cases = [], attempts = [], first, whyNot, doubt, refunds = [] } = known ?? {};
  const { twins, own, gaps } = await lookForTwins(ctx, service, order);
  for (const gap of gaps) ctx.notes.warn(gap);
  const there = new Set(
    cases
      .flatMap((one) => (one.is === 'appeared' ? one.refund : 'late' in one ? (one.late ?? []) : []))
      .map(({ record }) => attemptName(record)),
  );
  return {
    whyNot,
    origins: await originsAmong(ctx, order, async () => attempts),
    cases,
    first,
    states: new Map(refunds.map(({ record, state }) => [record?.id ?? '', state])),
    doubt,
    acknowledged: acknowledgedAlarms(attempts).map((record) => acknowledgedWords(ctx, record)),
    pending: await pendingLines(ctx, service.profile, id),
    byHand: settledByHand(attempts).map((record) => byHandWords(ctx, record, there.has(attemptName(record)))),
    twins,
    own,
  };
}

async function pendingLines(ctx: Context, profile: Profile, orderId: string): Promise<readonly string[]> {
  const requests = (await pendingRequests(ctx, isOfRefund)).filter(isOfRefund);
  return requests
    .filter(({ asked }) => asked.proof.orderId === orderId)
    .map((request) => {
      const { id, asked, state } = request;
      const amount = amountWords(asked.amount ?? 0, asked.currency, profile.settings);
      const words = state === 'asked' ? '' : `; it ${stateWords(ctx, request)}`;
      return `asked for approval: ${id} by ${asked.operator}, a refund of ${amount}${words}`;
    });
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
  const money = moneyOf(value);
  return [
    ...head(ctx, order, shown),
    'blank',
    ...orderContents(order, value, { origins, states: shown.states }, settings, unshownAmount(shown)),
    ...(openSteps(ctx, shown) ?? (money === undefined ? [] : nextSteps(money, shown))),
  ];
}

// What was recorded as made by hand, and the order does not show.
function unshownAmount({ cases }: Known): number | undefined {
  const sum = cases
    .filter((one) => one.is === 'recorded made')
    .reduce((total, { record }) => total + (record.sent.amount ?? 0), 0);
  return sum === 0 ? undefined : sum;
}

// While a case is open, no command that refunds is suggested.
function openSteps(ctx: Context, { cases }: Known): readonly Block[] | undefined {
  const first = cases.find(({ is }) => is !== 'failed');
  return first && caseSteps(ctx, first);
}

function head(ctx: Context, order: Order, shown: OrderShown): readonly Block[] {
  const { value, profile, readAt, cases, doubt, origins, byHand, acknowledged, pending, twins, own } = shown;
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
        openWords(shown) ?? refundableWords(order, shown),
        '  ',
        accountSpan(profile),
      ],
      staysInView: true,
    },
    ...cases.flatMap((one) => caseBlocks(ctx, profile, one, isShown(one, origins))),
    ...(doubt === undefined
      ? []
      : [{ line: { text: `UNCONFIRMED  ${doubt}`, style: 'bad' as const }, hang: 8 }]),
    ...byHand.map(
      (words): Block => ({ line: { text: `SETTLED BY HAND  ${words}`, style: 'warn' }, hang: 8 }),
    ),
    ...pending.map((line): Block => ({ line: { text: line, style: 'warn' }, hang: 8 })),
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
      const words = twinWords(ctx, profile, value, own);
      const text = `twin    ${twinLine(twin, words)}`;
      return { line: { text, style: warnsOfTwin(twin, words) ? 'warn' : 'faint' }, hang: 8 };
    }),
  ];
}

function openWords({ cases, first }: Known): Span | undefined {
  if (first === undefined) return undefined;
  const open = cases.find((one) => one.is === 'unconfirmed');
  return {
    text: open === undefined ? first : `${changeKinds[open.change.kind].noun} ${first}`,
    style: 'bad',
  };
}

// Whether the order shows a refund that is probably the unconfirmed one.
function isShown(one: OrderCase, origins: RefundOrigins): boolean {
  const isRefund = one.is === 'unconfirmed' && one.change.kind === 'refund';
  return isRefund && [...(origins?.values() ?? [])].some(({ probable }) => probable === true);
}

function refundableWords(order: Order, { whyNot }: Known): string {
  if (order.payment_status === statuses.preAuthorized) return 'only authorized, no money taken';
  if (whyNot === undefined)
    return order.is_refundable === undefined ? 'refundable: not shown' : 'can be refunded';
  return 'cannot be refunded';
}

// A refund that failed is sent again with its own amount, unless as much went back since then.
function sendAgain({ refunds, left, ...charge }: ChargeMoney, money: OrderMoney, profile: Profile) {
  const failed = refunds.findLast(({ meaning }) => meaning === 'failed');
  const standing = refunds.filter(({ meaning }) => meaning !== 'failed');
  if (failed === undefined || -failed.amount >= left || newestEqual(standing, failed.amount) !== undefined)
    return [];
  const amount = typedForm(-failed.amount, money.currency, profile.settings);
  const words = ['--charge', String(charge.number), '--amount', amount];
  return [
    {
      words: `refund ${amount} again, which failed:`,
      command: commandLine(profile, 'orders', 'refund', money.id, ...words),
    },
  ];
}

// What to tell a buyer who asks for money that cannot be sent now.
function whyNotSteps(whyNot: string, { value, profile, doubt, states }: OrderShown): readonly Block[] {
  const look = commandLine(profile, 'orders', 'show', String(value.id));
  if ([...states.values()].includes('pending'))
    return [
      'blank',
      { line: 'the service has taken up a refund and has not made it yet; look again later:' },
      { line: look, indent: 2 },
    ];
  if (value.payment_status === statuses.refunded && doubt === undefined) return [];
  const isOfService =
    value.is_refundable === false || doubt !== undefined || modeOfOrder(value) === undefined;
  return [
    'blank',
    { line: `cannot be refunded: ${whyNot}`, hang: 2 },
    ...(isOfService ? [{ line: 'ask whoever runs the service, and do not send it again meanwhile' }] : []),
  ];
}

function nextSteps(money: OrderMoney, shown: OrderShown): readonly Block[] {
  const { value, profile, whyNot, twins, states } = shown;
  if (value.payment_status === statuses.preAuthorized) {
    const command = commandLine(profile, 'orders', 'capture', money.id);
    return [
      'blank',
      { line: 'if the buyer cancelled, do not capture it: the shop releases it at the bank' },
      { line: 'capture it:' },
      { line: command, indent: 2 },
    ];
  }
  const rest = money.charges.filter((charge) => charge.counts && charge.isRefundable !== false);
  if (whyNot !== undefined) return whyNotSteps(whyNot, shown);
  if (rest.length === 0) return [];
  // The buyer has one of two payments back. Whoever wants to pay back this one too is asked first.
  if (twins.some(isSettled)) return [];
  const byCharge = money.charges.some(
    (charge) => charge.refunds.length > 0 || (charge.counts && charge.isRefundable === false),
  );
  const lines = byCharge
    ? rest.map((charge) => {
        // Without that name paydesk would take it for the same refund once more.
        const equal = newestEqual(standingRefunds(charge), -charge.left);
        const words = [
          '--charge',
          String(charge.number),
          ...(equal === undefined ? [] : ['--again', equal.id]),
        ];
        return {
          words: `refund ${standingRefunds(charge).length > 0 ? 'the rest of ' : ''}charge ${charge.number}${equal === undefined ? '' : `, as much as ${equal.id}`}:`,
          command: commandLine(profile, 'orders', 'refund', money.id, ...words),
        };
      })
    : [{ words: 'refund all of it:', command: commandLine(profile, 'orders', 'refund', money.id) }];
  const isTwice = [...states.values()].includes('made twice');
  const again = rest.flatMap((charge) => sendAgain(charge, money, profile));
  return [
    'blank',
    ...(isTwice ? [{ line: 'it was paid back twice: ask your lead before you refund more of it' }] : []),
    ...[...again, ...lines].flatMap(({ words, command }): Block[] => [
      { line: words },
      { line: command, indent: 2 },
    ]),
  ];
}
