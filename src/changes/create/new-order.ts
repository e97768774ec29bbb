/** Creates an order: its questions, its preview and its result. */

import { amountWords } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { type Order, readOrder } from '../../api/records.ts';
import { checkRequest, type OrderRequest, orderRequest } from '../../api/request-bodies.ts';
import { orderColumns } from '../../api/resources.ts';
import { type checkoutTypes, hostedPayment, paths } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { usage } from '../../flags/flags.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import type { Block, Choice } from '../../terminal/terminal.ts';
import { headLine, journalWords, unconfirmedReply } from '../change-words.ts';
import type { Applied } from '../outcome.ts';
import { onlyGiven } from '../repeat.ts';
import { type CreationFlags, createOne } from './creation.ts';
import { checkDetail, type OrderDraft, orderBody, parseDetail, parseShipping } from './order-body.ts';
import { parsePair, sumOfItems } from './sale-flags.ts';
import {
  type Asking,
  askExpiry,
  askFor,
  askItems,
  askMaybe,
  askSeveral,
  askSwitch,
  asTyped,
  createdLine,
  expiryBlock,
  fitting,
  itemBlocks,
  linkLines,
  paymentBlocks,
  saleQuestions,
} from './sale-screens.ts';

export function createOrder(ctx: Context, given: OrderDraft, flags: CreationFlags): Promise<void> {
  return createOne(ctx, given, flags, {
    kind: 'order',
    command: 'orders create',
    what: 'the order',
    check: (body) => checkRequest(orderRequest, body),
    columns: orderColumns,
    essential: ['item', 'currency'],
    askEssential,
    askMore,
    bodyOf: orderBody,
    path: () => paths.orders,
    read: (body) => ({
      expiry: body.checkout?.expires_at,
      amount: totalOf(body),
      currency: body.currency,
    }),
    preview: orderPreview,
    result: orderResult,
    difference: otherTotal,
    checkoutIn: checkoutOf,
  });
}

async function askEssential(ctx: Asking, given: OrderDraft): Promise<OrderDraft> {
  const currency = given.currency ?? (await askFor(ctx, saleQuestions.currency));
  const item = given.item ?? (await askItems(ctx, currency));
  return { ...given, item, currency };
}

async function askMore(ctx: Asking, given: OrderDraft): Promise<OrderDraft> {
  const customer = await askMaybe(ctx, saleQuestions.customer);
  const checkout = await ctx.ask.choose({
    message: 'Add a checkout?',
    flag: '--checkout',
    choices: checkoutChoices,
  });
  const pays = checkout === undefined ? {} : await askCheckout(ctx, checkout);
  const more = await ctx.ask.confirm({
    message: 'Add item details, shipping or metadata?',
    flag: '--shipping',
  });
  return {
    ...given,
    ...onlyGiven({ customer, checkout }),
    ...pays,
    ...(more ? await askRest(ctx, given) : {}),
  };
}

type CheckoutType = (typeof checkoutTypes)[number];

const checkoutChoices: readonly Choice<CheckoutType | undefined>[] = [
  { value: undefined, label: 'none' },
  { value: hostedPayment, label: hostedPayment, detail: "a page of the service's own" },
  { value: 'Integration', label: 'Integration', detail: 'inside your own page' },
];

function parseUrl(text: string, name: string): string {
  if (URL.canParse(text)) return text;
  throw usage(`${name} ${text}: not a URL, such as https://shop.example.com/thanks`);
}

async function askCheckout(ctx: Asking, type: CheckoutType): Promise<OrderDraft> {
  const url = (message: string, flag: string) => askMaybe(ctx, { message, flag, parse: parseUrl });
  const name = await askMaybe(ctx, saleQuestions.name);
  const pages =
    type === hostedPayment
      ? {
          'success-url': await url('URL after success', '--success-url'),
          'failure-url': await url('URL after failure', '--failure-url'),
        }
      : {};
  return onlyGiven({
    name,
    ...pages,
    expires: await askExpiry(ctx),
    method: await askMaybe(ctx, saleQuestions.method),
    installments: await askMaybe(ctx, saleQuestions.installments),
    plan: await askMaybe(ctx, saleQuestions.plan),
    'needs-shipping': await askSwitch(ctx, 'Ask for the shipping address?', '--needs-shipping'),
    'on-demand': await askSwitch(ctx, 'May the checkout keep the card?', '--on-demand'),
  });
}

async function askRest(
  ctx: Asking,
  { item: items = [], currency = '' }: Pick<OrderDraft, 'item' | 'currency'>,
): Promise<OrderDraft> {
  const text = (message: string, flag: string) => askMaybe(ctx, { message, flag, parse: asTyped });
  const parse = (typed: string, name: string) => checkDetail(parseDetail(typed, name), name, items.length);
  const detail = (message: string, flag: string) => several(ctx, message, flag, parse);
  const shipping = fitting(ctx, currency, parseShipping);
  return onlyGiven({
    'item-description': await detail('Description, as N=TEXT for the Nth item', '--item-description'),
    'item-sku': await detail('Sku, as N=TEXT', '--item-sku'),
    'item-category': await detail('Category, as N=TEXT', '--item-category'),
    'item-tag': await detail('Tag, as N=TEXT', '--item-tag'),
    shipping: await several(ctx, 'Amount of a shipping line', '--shipping', shipping),
    'ship-receiver': await text('Who receives it', '--ship-receiver'),
    'ship-phone': await text('Phone of the receiver', '--ship-phone'),
    'ship-street': await text('Street and number', '--ship-street'),
    'ship-country': await text('Country', '--ship-country'),
    'ship-postal-code': await text('Postal code', '--ship-postal-code'),
    metadata: await several(ctx, 'Metadata, as KEY=VALUE', '--metadata', parsePair),
  });
}

async function several<T>(
  ctx: Asking,
  message: string,
  flag: string,
  parse: (text: string, name: string) => T,
): Promise<readonly T[] | undefined> {
  const answers = await askSeveral(ctx, { message, flag, parse });
  return answers.length === 0 ? undefined : answers;
}

function orderPreview(body: OrderRequest, profile: Profile): readonly Block[] {
  const { checkout, customer_info: customer, shipping_contact: contact, metadata } = body;
  const goesTo = [contact?.receiver, contact?.phone, ...Object.values(contact?.address ?? {})];
  return [
    headLine('CREATE AN ORDER', profile),
    { line: `buyer   ${customer?.customer_id ?? 'no buyer given'}` },
    ...itemBlocks(body.line_items, body.currency, profile, shippingOf(body)),
    ...(contact === undefined
      ? []
      : [{ line: `ship to ${goesTo.filter((part) => part !== undefined).join(', ')}` }]),
    ...(metadata === undefined ? [] : [{ line: `metadata ${JSON.stringify(metadata)}` }]),
    ...(checkout === undefined ? [{ line: 'no checkout' }] : checkoutBlocks(checkout)),
  ];
}

function shippingOf({ shipping_lines: lines = [] }: OrderRequest): readonly number[] {
  return lines.map(({ amount }) => amount);
}

/** What an order would cost: its items and its shipping. */
export function totalOf(body: OrderRequest): number | undefined {
  return sumOfItems(
    body.line_items,
    shippingOf(body).reduce((sum, amount) => sum + amount, 0),
  );
}

// A service may add taxes or apply a discount. The person has agreed to the total of the preview.
function otherTotal(reply: JsonObject, body: OrderRequest, { settings }: Profile): string | undefined {
  const { id, amount, currency = body.currency } = orderIn(reply) ?? {};
  const shown = totalOf(body);
  const isOther = amount !== undefined && shown !== undefined && amount !== shown;
  if (!isOther && currency.toUpperCase() === body.currency.toUpperCase()) return undefined;
  const made =
    amount === undefined
      ? `an amount that it does not show, ${currency}`
      : amountWords(amount, currency, settings);
  const previewed =
    shown === undefined ? `no total, ${body.currency}` : amountWords(shown, body.currency, settings);
  return `the service made order ${id ?? ''} over ${made}, but the preview showed ${previewed}`;
}

function checkoutBlocks(checkout: NonNullable<OrderRequest['checkout']>): readonly Block[] {
  return [
    { line: `checkout ${checkout.type}${checkout.name === undefined ? '' : `, ${checkout.name}`}` },
    ...paymentBlocks(checkout.allowed_payment_methods, checkout.monthly_installments_options),
    expiryBlock(checkout.expires_at),
  ];
}

// The reply is not documented, so any field may be missing. `body` is the request.
function orderResult(
  { record, by, change, said }: Applied,
  body: OrderRequest,
  profile: Profile,
): readonly Block[] {
  const order = orderIn(record.value);
  const checkout = checkoutOf(record.value);
  const { amount, currency = body.currency, payment_status: status } = order ?? {};
  return [
    createdLine('an order', amount, currency, profile),
    { line: `order    ${order?.id ?? 'id not shown'}   ${status ?? 'no status yet'}${journalWords(change)}` },
    ...(checkout.url === undefined ? [] : linkLines(checkout, profile)),
    ...(by === 'read' ? [{ line: `${unconfirmedReply({ said })}; the service now lists the order` }] : []),
    ...(order === undefined ? [] : [{ line: `next: ${commandLine(profile, 'orders', 'show', order.id)}` }]),
  ];
}

// If the order could not be read again, the record comes from the journal and holds the new order's id.
function orderIn(value: JsonObject): Order | undefined {
  return value.object === 'change' ? readOrder({ id: value.created }) : readOrder(value);
}

// The checkout inside an order; empty when the reply shows none.
function checkoutOf({ checkout }: JsonObject): JsonObject {
  return typeof checkout === 'object' && checkout !== null ? { ...checkout } : {};
}
