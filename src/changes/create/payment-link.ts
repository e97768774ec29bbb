/** Creates a payment link: its flags and body, its questions, its preview and its result (service: Endpoints 5). */

import type { JsonObject } from '../../api/json-values.ts';
import { type CheckoutCreateRequest, checkoutCreateRequest, checkRequest } from '../../api/request-bodies.ts';
import { type Column, column } from '../../api/resources.ts';
import { paymentLinkType } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import type { Input } from '../../flags/flags.ts';
import { flag } from '../../flags/flags.ts';
import type { ClockAndZone } from '../../flags/typed-time.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import { headLine, journalWords } from '../change-words.ts';
import type { Applied } from '../outcome.ts';
import { givenOrNothing, onlyGiven } from '../repeat.ts';
import { type CreationFlags, createOne } from './creation.ts';
import { itemsIn, saleFlags, sumOfItems } from './sale-flags.ts';
import {
  type Asking,
  askExpiry,
  askFor,
  askItems,
  askMaybe,
  askSwitch,
  asTyped,
  createdLine,
  expiryBlock,
  expiryOf,
  itemBlocks,
  linkLines,
  paymentBlocks,
  saleQuestions,
} from './sale-screens.ts';

export const linkFlags = {
  ...saleFlags,
  'customer-name': flag.text('TEXT', 'who pays, if there is no customer id', { conflicts: ['customer'] }),
  'customer-email': flag.text('TEXT', 'e-mail of the buyer', { conflicts: ['customer'] }),
  'customer-phone': flag.text('TEXT', 'phone of the buyer', { conflicts: ['customer'] }),
  recurrent: flag.switch('the link can be paid more than once'),
} as const;

type LinkDraft = Input<readonly [], typeof linkFlags>['flags'];

const checkoutColumns: readonly Column[] = [
  column('id', 'id'),
  column('url', 'text', { tableFrom: 0 }),
  column('status', 'status'),
  column('name', 'text'),
  column('type', 'text'),
  { ...column('expires_at', 'time'), value: expiryOf },
  column('livemode', 'flag'),
];

export function createPaymentLink(ctx: Context, given: LinkDraft, flags: CreationFlags): Promise<void> {
  return createOne(ctx, given, flags, {
    kind: 'checkout',
    command: 'checkout create',
    what: 'the payment link',
    check: (body) => checkRequest(checkoutCreateRequest, body),
    columns: checkoutColumns,
    essential: ['name', 'item', 'currency'],
    askEssential,
    askMore,
    bodyOf: linkBody,
    path: ({ settings }) => settings['checkouts.path'],
    read: (body) => ({
      expiry: linkExpiry(body),
      amount: sumOfItems(body.order_template.line_items),
      currency: body.order_template.currency,
    }),
    preview: linkPreview,
    result: linkResult,
    checkoutIn: (reply) => reply,
  });
}

// `createOne` checks this body before it is sent.
function linkBody(draft: LinkDraft, clockAndZone: ClockAndZone, profile: Profile): JsonObject {
  const { settings } = profile;
  return onlyGiven({
    name: draft.name,
    type: paymentLinkType,
    // The document marks only plan_id as optional (service: Endpoints 5), so a switch that was not given is sent as false.
    recurrent: draft.recurrent === true,
    [settings['checkouts.expiry_field']]: draft.expires?.at(clockAndZone),
    allowed_payment_methods: draft.method,
    needs_shipping_contact: draft['needs-shipping'] === true,
    monthly_installments_enabled: draft.installments !== undefined,
    monthly_installments_options: draft.installments,
    plan_id: draft.plan,
    order_template: onlyGiven({
      line_items: itemsIn(draft.item ?? [], draft.currency, profile),
      currency: draft.currency,
      customer_info: givenOrNothing({
        customer_id: draft.customer,
        name: draft['customer-name'],
        email: draft['customer-email'],
        phone: draft['customer-phone'],
      }),
    }),
  });
}

function linkExpiry({ expired_at: one, expires_at: other }: CheckoutCreateRequest): number | undefined {
  return one ?? other;
}

async function askEssential(ctx: Asking, given: LinkDraft): Promise<LinkDraft> {
  const name = given.name ?? (await askFor(ctx, saleQuestions.name));
  const currency = given.currency ?? (await askFor(ctx, saleQuestions.currency));
  const item = given.item ?? (await askItems(ctx, currency));
  return { ...given, name, item, currency };
}

async function askMore(ctx: Asking, given: LinkDraft): Promise<LinkDraft> {
  const usual = {
    expires: await askExpiry(ctx),
    method: await askMaybe(ctx, saleQuestions.method),
  };
  const more = await ctx.ask.confirm({
    message: 'Add a customer, installments or a plan?',
    flag: '--customer',
  });
  return { ...given, ...onlyGiven({ ...usual, ...(more ? await askRest(ctx) : {}) }) };
}

async function askRest(ctx: Asking): Promise<LinkDraft> {
  const customer = await askMaybe(ctx, saleQuestions.customer);
  return onlyGiven({
    customer,
    ...(customer === undefined ? await askBuyer(ctx) : {}),
    installments: await askMaybe(ctx, saleQuestions.installments),
    plan: await askMaybe(ctx, saleQuestions.plan),
    recurrent: await askSwitch(ctx, 'May the link be paid more than once?', '--recurrent'),
    'needs-shipping': await askSwitch(ctx, 'Ask for the shipping address?', '--needs-shipping'),
  });
}

async function askBuyer(ctx: Asking): Promise<LinkDraft> {
  const ask = (message: string, flag: string) => askMaybe(ctx, { message, flag, parse: asTyped });
  return onlyGiven({
    'customer-name': await ask('Name of the customer', '--customer-name'),
    'customer-email': await ask('E-mail of the customer', '--customer-email'),
    'customer-phone': await ask('Phone of the customer', '--customer-phone'),
  });
}

function linkPreview(body: CheckoutCreateRequest, profile: Profile): readonly Block[] {
  const { name, order_template: template, recurrent } = body;
  const { customer_id: id, name: buyer, email, phone } = template.customer_info ?? {};
  const customer = [buyer, email, phone, id].filter((part) => part !== undefined);
  return [
    headLine('CREATE A PAYMENT LINK', profile),
    { line: `for     ${name}` },
    ...(customer.length === 0 ? [] : [{ line: `buyer   ${customer.join('  ')}` }]),
    ...itemBlocks(template.line_items, template.currency, profile),
    ...paymentBlocks(body.allowed_payment_methods, body.monthly_installments_options),
    expiryBlock(linkExpiry(body)),
    ...(recurrent === true ? [{ line: 'it can be paid more than once' }] : []),
  ];
}

// The reply is not documented, so any field may be missing. `body` is the request.
function linkResult(
  { record, change }: Applied,
  body: CheckoutCreateRequest,
  profile: Profile,
): readonly Block[] {
  const { id, status } = record.value;
  const { line_items: items, currency } = body.order_template;
  const amount = sumOfItems(items);
  return [
    createdLine('a payment link', amount, currency, profile),
    ...linkLines(record.value, profile),
    {
      line: `checkout ${textOr(id, 'id not shown')}   ${textOr(status, 'status not shown')}${journalWords(change)}`,
    },
  ];
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}
