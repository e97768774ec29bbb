/** What a shop can tell a buyer about the refunds of an order, as a text to paste, in English or Spanish. Pure. */

import { type AmountStyle, briefFigure } from '../amounts.ts';
import { hasNoCharges } from '../api/charges.ts';
import { itemsOf, type JsonObject, valueAt } from '../api/json-values.ts';
import { paymentOf } from '../api/payment.ts';
import { statuses } from '../api/spec.ts';
import { mayBeMade, sameJson } from '../journal/journal.ts';
import type { KnownOrder } from './known-order.ts';
import { gaveNothing, isNeverArrived, type KnownRefund } from './refund-states.ts';
import { replacements } from './what-followed.ts';

/** The languages that paydesk writes to buyers in. */
export const buyerLanguages = ['en', 'es'] as const;
export type BuyerLanguage = (typeof buyerLanguages)[number];

/** How a text for a buyer is written. */
interface BuyerStyle {
  readonly language: BuyerLanguage;
  readonly amounts: AmountStyle;
  /** The time zone of the dates. */
  readonly zone: string;
  /** The order as the buyer knows it: the shop's own number, or else its id. */
  readonly order: string;
  /** How many days a refund may take, as the shop says (`receipt.days`). */
  readonly days: number | undefined;
  /** The shop's own text for a refund that was made (`receipt.template`). */
  readonly template: string | undefined;
}

// What the sentences below are about. `where` is the card, in words.
interface Told {
  readonly amount: string;
  readonly where: string;
  readonly date: string | undefined;
}

const words = {
  en: {
    hello: (name: string | undefined) => (name === undefined ? 'Hello,' : `Hello ${name},`),
    // Some brand names already end in `card`.
    card: (brand: string, last4: string) =>
      `your ${/card $/i.test(brand) ? brand : `${brand}card `}ending in ${last4}`,
    noCard: 'your original payment method',
    and: ' and ',
    made: ({ amount, where, date }: Told) =>
      date === undefined
        ? `We refunded ${amount} to ${where}.`
        : `On ${date} we refunded ${amount} to ${where}.`,
    times: (count: number) => `This was done ${count === 2 ? 'twice' : `${count} times`}.`,
    auth: (code: string) => `If your bank asks, the authorization code of the payment is ${code}.`,
    days: (count: number) =>
      `It can take up to ${count === 1 ? '1 day' : `${count} days`} to show on your statement.`,
    pending: ({ amount, where }: Told) =>
      `A refund of ${amount} to ${where} is under way. It is not complete yet.`,
    failed: ({ amount, where }: Told) =>
      `The refund of ${amount} to ${where} did not go through, so you have not received that money.`,
    failedFirst: ({ amount, where }: Told) =>
      `The first refund of ${amount} to ${where} did not go through, so we sent it again:`,
    notMade: ({ amount, where }: Told) =>
      `A refund of ${amount} to ${where} was not made, so you have not received that money.`,
    unsure: ({ amount, where }: Told) =>
      `We are checking a refund of ${amount} to ${where}. We cannot confirm yet whether it went through.`,
    recorded: ({ amount, where }: Told) =>
      `According to our records, a refund of ${amount} to ${where} was made.`,
    doubt: 'We are checking what was refunded for this order, and cannot confirm an amount yet.',
    authorized: (amount: string) => `${amount} was authorized on your card, but you have not been charged.`,
    mayBeCharged: (amount: string) =>
      `${amount} was authorized on your card. We are checking whether you have been charged.`,
    charged: (amount: string) =>
      `A charge of ${amount} on your card shows for this order. We are checking it before we confirm it.`,
    nothing: 'Nothing has been refunded for this order.',
    unpaid: 'No payment was made for this order.',
    order: (name: string) => `Order: ${name}`,
  },
  es: {
    hello: (name: string | undefined) => (name === undefined ? 'Hola:' : `Hola, ${name}:`),
    card: (brand: string, last4: string) => `su tarjeta ${brand}terminada en ${last4}`,
    noCard: 'su método de pago original',
    and: ' y ',
    made: ({ amount, where, date }: Told) =>
      date === undefined
        ? `Le reembolsamos ${amount} a ${where}.`
        : `El ${date} le reembolsamos ${amount} a ${where}.`,
    times: (count: number) => `Esto se hizo ${count === 2 ? 'dos' : count} veces.`,
    auth: (code: string) => `Si su banco se lo pide, el código de autorización del pago es ${code}.`,
    days: (count: number) =>
      `Puede tardar hasta ${count === 1 ? '1 día' : `${count} días`} en aparecer en su estado de cuenta.`,
    pending: ({ amount, where }: Told) =>
      `Un reembolso de ${amount} a ${where} está en proceso. Todavía no se ha completado.`,
    failed: ({ amount, where }: Told) =>
      `El reembolso de ${amount} a ${where} no se pudo completar, por lo que usted no ha recibido ese dinero.`,
    failedFirst: ({ amount, where }: Told) =>
      `El primer reembolso de ${amount} a ${where} no se pudo completar, así que lo enviamos de nuevo:`,
    notMade: ({ amount, where }: Told) =>
      `El reembolso de ${amount} a ${where} no se realizó, por lo que usted no ha recibido ese dinero.`,
    unsure: ({ amount, where }: Told) =>
      `Estamos revisando un reembolso de ${amount} a ${where}. Todavía no podemos confirmar si se realizó.`,
    recorded: ({ amount, where }: Told) =>
      `Según nuestros registros, se realizó un reembolso de ${amount} a ${where}.`,
    doubt: 'Estamos revisando qué se reembolsó de este pedido y todavía no podemos confirmar ningún importe.',
    authorized: (amount: string) =>
      `Se autorizó un cargo de ${amount} en su tarjeta, pero no se le ha cobrado nada.`,
    mayBeCharged: (amount: string) =>
      `Se autorizó un cargo de ${amount} en su tarjeta. Estamos revisando si se le ha cobrado.`,
    charged: (amount: string) =>
      `Este pedido muestra un cargo de ${amount} en su tarjeta. Estamos revisando el cargo antes de confirmarlo.`,
    nothing: 'No se ha hecho ningún reembolso de este pedido.',
    unpaid: 'No se realizó ningún pago de este pedido.',
    order: (name: string) => `Pedido: ${name}`,
  },
} as const;

/**
 * The lines of the text. It says that money went back for every refund that the service shows as made, and for no other.
 * `refunds`: the refunds that the text is about, all of the order or one.
 */
export function buyerLines(
  known: KnownOrder,
  refunds: readonly KnownRefund[],
  style: BuyerStyle,
): readonly string[] {
  const say = words[style.language];
  const name = valueAt(known.order, ['customer_info', 'name']);
  return [
    say.hello(typeof name === 'string' && name.trim() !== '' ? name.trim() : undefined),
    '',
    ...sentences(known, refunds, style),
    '',
    say.order(style.order),
  ];
}

/**
 * The same in one line, for somebody who speaks with the buyer: what is known of the refunds that need explaining, else of all.
 */
export function buyerLine(
  known: KnownOrder,
  style: Pick<BuyerStyle, 'language' | 'amounts' | 'zone'>,
): string {
  const odd = known.refunds.filter(({ state }) => state !== 'made' && state !== 'elsewhere');
  const bare = { ...style, order: '', days: undefined, template: undefined };
  const refunds = odd.length > 0 ? odd : known.refunds;
  const all = sentences(known, refunds, bare, (...of) => [sentenceOn(...of) ?? []].flat());
  return [...Map.groupBy(all, (sentence) => sentence)]
    .flatMap(([sentence, { length }]) => [
      sentence,
      ...(length === 1 ? [] : [words[style.language].times(length)]),
    ])
    .join(' ');
}

/** These refunds, those that replaced them, and those that were made a second time: whoever asks about one refund hears about these too. */
export function toldOfThem(known: KnownOrder, refunds: readonly KnownRefund[]): readonly KnownRefund[] {
  const later = replacements(known);
  return known.refunds.filter(
    (one) =>
      refunds.includes(one) ||
      refunds.some((refund) => standsFor(one, refund, later) || isBesides(one, refund)),
  );
}

function sentences(
  known: KnownOrder,
  refunds: readonly KnownRefund[],
  style: BuyerStyle,
  onEach: (...of: Parameters<typeof sentenceOn>) => readonly string[] = linesOn,
): readonly string[] {
  const { order, doubt, reading } = known;
  const say = words[style.language];
  if (doubt !== undefined || ('problem' in reading && !hasNoCharges(order))) return [say.doubt];
  const all = toldOfThem(known, refunds);
  const later = replacements(known);
  const isFollowed = (refund: KnownRefund) => all.some((other) => standsFor(other, refund, later));
  const each = all.flatMap((refund) => onEach(refund, isFollowed(refund), order, style));
  // What a bank looks for and how long it takes is said once for each card, after the last refund to it.
  const days = style.days === undefined ? [] : [say.days(style.days)];
  const forBank = [
    ...all.flatMap(({ record }) => (record?.authCode === undefined ? [] : [say.auth(record.authCode)])),
    ...days,
  ];
  const told = each.filter((line, index) => !forBank.includes(line) || each.lastIndexOf(line) === index);
  // Two unsure refunds with the same sentence may be one and the same, so the sentence is said once.
  const open = all.filter((refund) => isUnsure(refund) && !isFollowed(refund));
  const unsure = new Set(open.map((refund) => say.unsure(toldOf(refund, order, style))));
  if (told.length > 0 || unsure.size > 0) return [...told, ...unsure];
  const sum = amountOf(order.amount, order, style);
  if (known.cases.some((one) => one.is === 'unconfirmed' && one.change.kind === 'capture' && one.isShown))
    return [say.charged(sum)];
  if (order.payment_status !== statuses.preAuthorized)
    return [paymentOf(order).isPaid ? say.nothing : say.unpaid];
  return [say[mayBeCaptured(known) ? 'mayBeCharged' : 'authorized'](sum)];
}

// A capture that the order does not show may have been made all the same.
function mayBeCaptured({ cases, attempts, neverArrived }: KnownOrder): boolean {
  return cases.length > 0 || attempts.some((one) => mayBeMade(one) && !neverArrived.includes(one));
}

// The same money, made twice.
function isBesides(one: KnownRefund, other: KnownRefund): boolean {
  return one.state === 'made twice' && other.state === 'made twice' && isSameMoney(one, other);
}

function isSameMoney(one: KnownRefund, other: KnownRefund): boolean {
  return one.amount === other.amount && one.charge?.id === other.charge?.id;
}

// Whether `later` replaces `refund`, which gave nothing back: the same money went back since. A refund that was never made is
// then not mentioned to the buyer. `replaced`: what replaces each refund that failed.
function standsFor(
  later: KnownRefund,
  refund: KnownRefund,
  replaced: ReturnType<typeof replacements>,
): boolean {
  if (refund.state === 'failed')
    return later.record !== undefined && replaced.get(refund.record?.id ?? '')?.id === later.record.id;
  const isOver = gaveNothing(refund.state) || isNeverArrived(refund);
  const isMade = later.state === 'made' || later.state === 'elsewhere' || later.state === 'pending';
  // For a request about several charges, the order shows one record per charge.
  const isRequest =
    refund.record === undefined &&
    later.attempt !== undefined &&
    sameJson(later.attempt.sent.proof.expected, refund.attempt?.sent.proof.expected);
  return isOver && isMade && (isRequest || isSameMoney(later, refund)) && timeOf(later) >= timeOf(refund);
}

// Unix seconds.
function timeOf({ record, attempt }: KnownRefund): number {
  return record?.createdAt ?? Math.floor((attempt?.sent.time ?? 0) / 1000);
}

// Whether the order does not show a refund, or shows one that is only probably ours. A refund that never arrived in its time was
// not made, and one that a person recorded as made counts as paid back, so both are sure.
function isUnsure(refund: KnownRefund): boolean {
  const isShown = refund.record !== undefined && refund.state !== 'unconfirmed';
  return !isShown && refund.state !== 'recorded made' && !isNeverArrived(refund);
}

// `isFollowed`: the same amount went back since.
function sentenceOn(
  refund: KnownRefund,
  isFollowed: boolean,
  order: JsonObject,
  style: BuyerStyle,
): string | undefined {
  const say = words[style.language];
  const told = toldOf(refund, order, style);
  switch (refund.state) {
    case 'made':
    case 'made twice':
    case 'appeared':
    case 'elsewhere':
      return say.made(told);
    case 'pending':
      return say.pending(told);
    case 'recorded made':
      return say.recorded(told);
    case 'failed':
      // The buyer may have been told that it was made.
      return isFollowed ? say.failedFirst(told) : say.failed(told);
    default:
      return isFollowed || isUnsure(refund) ? undefined : say.notMade(told);
  }
}

// The sentence, and of a refund that was made what a bank can look for and how long it takes, or the shop's own text.
function linesOn(...[refund, isFollowed, order, style]: Parameters<typeof sentenceOn>): readonly string[] {
  const say = words[style.language];
  const { state, record } = refund;
  const sentence = sentenceOn(refund, isFollowed, order, style);
  if (sentence === undefined) return [];
  if (state !== 'made' && state !== 'made twice' && state !== 'appeared' && state !== 'elsewhere')
    return [sentence];
  if (style.template !== undefined)
    return filled(style.template, toldOf(refund, order, style), refund, style).split(/\r?\n/);
  return [
    sentence,
    ...(record?.authCode === undefined ? [] : [say.auth(record.authCode)]),
    ...(style.days === undefined ? [] : [say.days(style.days)]),
  ];
}

// While nobody knows whether a refund of several charges was made, the sentence is about all of it, whatever part the order
// shows.
function toldOf(refund: KnownRefund, order: JsonObject, style: BuyerStyle): Told {
  const say = words[style.language];
  const { charge, amount, record, attempt, state } = refund;
  const ids = attempt?.sent.proof.expected.map(({ chargeId }) => chargeId) ?? [];
  const isWhole = ids.length > 1 && (charge === undefined || state === 'unconfirmed');
  const charges = isWhole
    ? itemsOf(order.charges).filter(({ id }) => ids.some((one) => one === id))
    : [charge?.value];
  const where = new Set(charges.map((one) => cardOf(one, style)));
  return {
    amount: amountOf(isWhole ? attempt?.sent.amount : amount, order, style),
    where: [...where].join(say.and),
    date: record?.createdAt === undefined ? undefined : dateOf(record.createdAt, style),
  };
}

function cardOf(charge: JsonObject | undefined, { language }: BuyerStyle): string {
  const say = words[language];
  const last4 = valueAt(charge, ['payment_method', 'last4']);
  const brand = valueAt(charge, ['payment_method', 'brand']);
  return typeof last4 === 'string' && last4 !== ''
    ? say.card(typeof brand === 'string' && brand !== '' ? `${brandName(brand)} ` : '', last4)
    : say.noCard;
}

function amountOf(amount: unknown, { currency }: JsonObject, { amounts }: BuyerStyle): string {
  const code = typeof currency === 'string' ? currency : undefined;
  if (typeof amount !== 'number' && typeof amount !== 'bigint') return code ?? '-';
  return `${briefFigure(amount, code, amounts)}${code === undefined ? '' : ` ${code}`}`;
}

/** The name of a card's brand as people write it: `american_express` is a word for programs. */
export function brandName(brand: string): string {
  return brand.replace(
    /(^|_)([a-z])/g,
    (_, gap: string, letter: string) => `${gap === '' ? '' : ' '}${letter.toUpperCase()}`,
  );
}

const locales: Readonly<Record<BuyerLanguage, string>> = { en: 'en-GB', es: 'es' };

function dateOf(seconds: number, { language, zone }: BuyerStyle): string {
  return new Intl.DateTimeFormat(locales[language], { dateStyle: 'long', timeZone: zone }).format(
    seconds * 1000,
  );
}

function filled(template: string, { amount, where, date }: Told, { record }: KnownRefund, style: BuyerStyle) {
  const values: Record<string, string> = {
    amount,
    card: where,
    date: date ?? '-',
    auth: record?.authCode ?? '-',
    order: style.order,
    days: style.days === undefined ? '-' : String(style.days),
  };
  return template.trimEnd().replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place);
}
