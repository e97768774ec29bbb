/** `orders show`: shows one order with its charges, refunds, items and metadata. */

import { readOne, type Service } from '../../api/api.ts';
import { hasNoCharges, leftToRefund } from '../../api/charges.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { type Order, readOrder } from '../../api/records.ts';
import { orderColumns, resources } from '../../api/resources.ts';
import { modeOfOrder, secondsOf } from '../../api/spec.ts';
import {
  acknowledgedAlarms,
  acknowledgedWords,
  byHandWords,
  firstBlocks,
  isOfRefund,
  limitAt,
  lookForTwins,
  originsAmong,
  pendingRequests,
  type RefundOrigins,
  settledByHand,
  type WaitingRequest,
  waitingRequest,
} from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import { orElse } from '../../errors.ts';
import { flag, orderArgument, usage } from '../../flags/flags.ts';
import { attemptName } from '../../journal/journal.ts';
import {
  buyerLanguages,
  buyerLine,
  hasRoom,
  type KnownOrder,
  type KnownTwin,
  knownOrders,
  shownOrders,
  twinLine,
  twinWords,
  warnsOfTwin,
  withMeantOrder,
} from '../../orders/orders.ts';
import { accountSpan, commandLine, modeProblem, type Profile } from '../../profiles/profiles.ts';
import type { Block, Span } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';
import { checkCopy, copyFlag, sayFirst, tellBuyer } from './for-buyer.ts';
import { orderContents } from './order-contents.ts';
import { payLink } from './order-items.ts';
import { whatNext } from './order-steps.ts';
import { namedOrder, type Pickable } from './search/pick-order.ts';

const { idExample } = resources.orders;

// Any order can be looked at.
const any: Pickable = { kind: 'single', accepts: () => true, listFlags: [], isLook: true };

export const show = defineCommand({
  description:
    'The service documents no way to get one order, so paydesk looks for it page by page. -o list shows every field that the service sent.',
  arguments: [orderArgument(true)],
  flags: {
    'for-buyer': flag.switch('a text to paste for the buyer: what went back, and what is not certain'),
    copy: copyFlag,
  },
  examples: [
    `paydesk -p demo orders show ${idExample}`,
    `paydesk -p demo orders show ${idExample} --json --no-input`,
  ],
  async run(ctx, { args: [name], flags }): Promise<undefined> {
    const isForBuyer = flags['for-buyer'] === true;
    if (flags.copy === true && !isForBuyer)
      throw usage('--copy copies the words for the buyer: add --for-buyer');
    checkCopy(ctx, flags.copy);
    ctx.out.checkColumns(orderColumns);
    const isTable = ctx.out.format === 'table';
    const named = namedOrder(ctx, name, any);
    const service = await ctx.service({ shown: named.id });
    const { profile } = service;
    const id = named.id ?? (await named.pick(service)).id;
    const record = await readOne(ctx, service, 'orders', id, 'show').catch(async (error: unknown) => {
      throw await withMeantOrder(ctx, service, error, id);
    });
    const readAt = ctx.clock.now();
    const problem = modeProblem(record.value, profile);
    // The screen says it in its first block.
    const isSaid = isTable && modeOfOrder(record.value) === undefined;
    if (problem !== undefined && !isSaid) ctx.notes.warn(`${problem}; nothing of it is refunded or captured`);
    if (isForBuyer) {
      await tellBuyer(ctx, service, record.value, { copy: flags.copy === true });
      return undefined;
    }
    const known = isTable ? await lookUp(ctx, service, record.value) : undefined;
    if (!isTable)
      for (const one of await knownOrders(ctx, service, [record.value]).catch(orElse(() => [])))
        sayFirst(ctx, service.profile, one);
    await ctx.out.record(record, orderColumns, ({ value }) =>
      known === undefined ? [] : orderView(ctx, value, { profile, service, readAt, ...known }),
    );
  },
});

/** What this machine knows about an order besides what the service shows. */
interface Known {
  readonly known: KnownOrder;
  readonly origins: RefundOrigins;
  /** The alarms that somebody acknowledged, a line each. */
  readonly acknowledged: readonly string[];
  /** The refunds that somebody of the team has asked for, and that are not sent yet. */
  readonly waiting: readonly WaitingRequest[];
  /** What somebody settled by hand, a line each. */
  readonly byHand: readonly string[];
  readonly twins: readonly KnownTwin[];
  /** The order itself as one of them. */
  readonly own: KnownTwin | undefined;
}

async function lookUp(ctx: Context, service: Service, order: JsonObject): Promise<Known | undefined> {
  const [known] = await shownOrders(ctx, service, [order]);
  if (known === undefined) return undefined;
  const { cases, attempts } = known;
  const { twins, own, gaps } = await lookForTwins(ctx, service, order);
  for (const gap of gaps) ctx.notes.warn(gap);
  const there = new Set(
    cases
      .flatMap((one) => {
        if (one.is === 'appeared') return one.refund;
        if (one.is === 'recorded not made') return hasRoom(known, one.record) ? [] : one;
        return 'late' in one ? (one.late ?? []) : [];
      })
      .map(({ record }) => attemptName(record)),
  );
  return {
    known,
    origins: await originsAmong(ctx, order, async () => attempts),
    acknowledged: acknowledgedAlarms(attempts).map((record) => acknowledgedWords(ctx, record)),
    waiting: await waitingRequests(ctx, service.profile, String(order.id)),
    byHand: settledByHand(attempts).map((record) => byHandWords(ctx, record, there.has(attemptName(record)))),
    twins,
    own,
  };
}

async function waitingRequests(ctx: Context, profile: Profile, orderId: string): Promise<Known['waiting']> {
  const requests = (await pendingRequests(ctx, isOfRefund)).filter(isOfRefund);
  return requests
    .filter(({ asked }) => asked.proof.orderId === orderId)
    .map((request) => waitingRequest(ctx, profile, request));
}

interface OrderShown extends Known {
  readonly profile: Profile;
  readonly service: Service;
  /** When the order was read, Unix milliseconds. */
  readonly readAt: number;
}

// `record`: the order as it is shown, which may be masked.
function orderView(ctx: Context, record: JsonObject, shown: OrderShown): readonly Block[] {
  const { known, profile, origins } = shown;
  const order = readOrder(record);
  if (order === undefined) return [{ line: 'this record is not an order' }];
  const { word, steps } = whatNext(ctx, known, shown.service, shown);
  return [
    ...head(ctx, order, shown, word),
    'blank',
    ...orderContents(order, { ...known, order: record }, origins, profile.settings),
    ...steps,
  ];
}

// What an operator can tell the buyer where the order needs explaining. What is unconfirmed, gone or failed says it in its block.
function buyerBlock(ctx: Context, { known, profile, service, acknowledged }: OrderShown): readonly Block[] {
  const { first, reading, neverArrived, order, whyNot } = known;
  const hasWords = first === 'unconfirmed' || first === 'gone' || first === 'failed';
  const isUnreadable = 'problem' in reading && !hasNoCharges(order);
  const isLimited =
    'money' in reading &&
    whyNot === undefined &&
    limitAt(leftToRefund(reading.money), reading.money, known, { service, nowMs: ctx.clock.now() }) !==
      undefined;
  const isCase = first !== undefined && first !== 'not refundable';
  const needsWords = isCase || isUnreadable || isLimited || acknowledged.length + neverArrived.length > 0;
  // Of a masked order the words would hold what is masked.
  if (hasWords || !needsWords || ctx.redaction.isOn()) return [];
  const { lang = 'en', settings } = profile;
  const language = buyerLanguages.find((one) => lang.toLowerCase().startsWith(one)) ?? 'en';
  const words = buyerLine(known, { language, amounts: settings, zone: ctx.zone() });
  return [{ line: `tell the buyer: "${words}"`, indent: 8 }];
}

function head(ctx: Context, order: Order, shown: OrderShown, word: Span): readonly Block[] {
  const { known, profile, readAt, byHand, acknowledged, waiting, twins, own } = shown;
  const { customer_info: buyer } = order;
  const buyerParts = [buyer?.name, buyer?.email, buyer?.phone, buyer?.customer_id].filter(
    (part) => part !== undefined && part !== '',
  );
  const link = payLink(known.order, ctx.clock.now());
  const unpaid = link !== undefined && 'over' in link ? `the link is ${link.over}` : 'status not shown';
  const warned = (text: string): Block => ({ line: { text, style: 'warn' }, hang: 8 });
  return [
    {
      line: [
        { text: order.id, style: 'strong' },
        '  ',
        { status: order.payment_status ?? unpaid },
        ', ',
        word,
        '  ',
        accountSpan(profile),
      ],
      staysInView: true,
    },
    ...firstBlocks(ctx, profile, known),
    ...byHand.map((words) => warned(`SETTLED BY HAND  ${words}`)),
    ...waiting.map(({ line }) => warned(line)),
    ...acknowledged.map((words) => warned(`ACKNOWLEDGED  ${words}`)),
    ...buyerBlock(ctx, shown),
    {
      line: [
        'created ',
        { time: order.created_at, precision: 'full' },
        '    read just now, ',
        { time: secondsOf(readAt), precision: 'second' },
      ],
    },
    { line: `buyer   ${buyerParts.length === 0 ? 'not shown' : buyerParts.join('  ')}`, hang: 8 },
    ...twins.flatMap((twin): readonly Block[] => {
      const words = twinWords(ctx, profile, known.order, own);
      const text = `twin    ${twinLine(twin, words)}`;
      const line = { text, style: warnsOfTwin(twin, words) ? 'warn' : 'faint' } as const;
      return [
        { line, hang: 8 },
        { line: commandLine(profile, 'orders', 'show', twin.id), indent: 8 },
      ];
    }),
  ];
}
