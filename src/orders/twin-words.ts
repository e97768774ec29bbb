/** What is said about an order and its twin in one line. Pure. */

import { type AmountStyle, amountWords, figureWords } from '../amounts.ts';
import type { JsonObject } from '../api/json-values.ts';
import { meaningOfStatus, statuses } from '../api/spec.ts';
import type { Profile } from '../profiles/profiles.ts';
import { isRefunded, isSettled, type KnownTwin, twinOf } from './twins.ts';

/** What the words about a twin need besides the twin. */
interface TwinWords {
  /** The order itself; undefined if it does not show its id, its time or its amount. */
  readonly own: KnownTwin | undefined;
  readonly currency: string | undefined;
  readonly amounts: AmountStyle;
  /** Unix milliseconds. */
  readonly now: number;
  readonly shortTime: (ms: number) => string;
}

/** What the words about the twins of an order need. `own`: the order with what this machine knows of it. */
export function twinWords(
  { clock, shortTime }: { readonly clock: { now(): number }; readonly shortTime: (ms: number) => string },
  { settings }: Pick<Profile, 'settings'>,
  order: JsonObject,
  own: KnownTwin | undefined = twinOf(order),
): TwinWords {
  const { currency } = order;
  return {
    own,
    currency: typeof currency === 'string' ? currency : undefined,
    amounts: settings,
    now: clock.now(),
    shortTime,
  };
}

/** Whether the line about a twin warns. It does not if only one of the two was paid, or if the order itself went back. */
export function warnsOfTwin(twin: KnownTwin, { own }: Pick<TwinWords, 'own'>): boolean {
  if (!twin.isPaid || own?.isPaid === false) return false;
  return own === undefined || !isSettled(own) || isSettled(twin);
}

/**
 * A twin in one line: `ord_…, same buyer and amount, 4 min earlier, was refunded 2 min ago as REASON, by
 * op7: settled; if you refund both, the buyer gets both payments back`.
 */
export function twinLine(twin: KnownTwin, words: TwinWords): string {
  return `${twin.id}, same buyer and amount, ${apartWords(twin, words)}${stateWords(twin, words)}`;
}

function apartWords({ createdAt }: KnownTwin, { own }: TwinWords): string {
  const seconds = createdAt - (own?.createdAt ?? createdAt);
  if (seconds === 0) return 'in the same second';
  const long = Math.abs(seconds);
  return `${long < 60 ? `${long} s` : `${Math.floor(long / 60)} min`} ${seconds < 0 ? 'earlier' : 'later'}`;
}

function stateWords(twin: KnownTwin, words: TwinWords): string {
  const { own } = words;
  if (own !== undefined && !(own.isPaid && twin.isPaid)) return paidOnce(own, twin);
  if (!twin.isPaid) return `: ${cameOf(twin)}, no money taken`;
  if (isSettled(twin)) {
    const went = refundWords(twin, words);
    if (own === undefined || !isSettled(own))
      return `, ${went}: settled; if you refund both, the buyer gets both payments back`;
    const isSeen = own.byHand === undefined && twin.byHand === undefined;
    const too = own.byHand === undefined ? 'was refunded too' : refundWords(own, words);
    return `, ${went}, and ${own.id} ${too}: ${isSeen ? '' : 'if that is right, '}the buyer got both payments back`;
  }
  if (own !== undefined && isSettled(own)) return `: ${own.id} ${refundWords(own, words)}: settled`;
  return `, ${openWords(twin, words)}`;
}

// Two payments are there, and of none all went back.
function openWords(twin: KnownTwin, words: TwinWords): string {
  const { unconfirmed, state } = twin;
  if (unconfirmed?.kind === 'refund') {
    const sum =
      unconfirmed.amount === undefined
        ? ''
        : ` of ${amountWords(unconfirmed.amount, unconfirmed.currency, words.amounts)}`;
    const sent = `sent at ${words.shortTime(unconfirmed.sentAt)} by ${unconfirmed.operator}`;
    return `has an unconfirmed refund${sum}, ${sent}: if you refund both, the buyer may get both payments back`;
  }
  if (state === 'pending')
    return 'has a refund under way (pending): if you refund both, the buyer gets both payments back';
  if (state === 'unconfirmed')
    return 'shows a refund that is unconfirmed: if you refund both, the buyer may get both payments back';
  if (state === 'recorded not made')
    return 'has a refund that was recorded as not made and may still appear: if you refund both, the buyer may get both payments back';
  if (isRefunded(twin) || twin.byHand !== undefined)
    return `${refundWords(twin, words)}: if you refund both, the buyer gets both payments back`;
  const failed = state === 'failed' ? 'was not refunded, its refund failed' : 'was not refunded';
  return `${failed}: make sure which of the two orders the buyer means`;
}

// `: declined, then paid; only this order took money`
function paidOnce(own: KnownTwin, twin: KnownTwin): string {
  const [first, second] = twin.createdAt <= own.createdAt ? [twin, own] : [own, twin];
  const both = `: ${cameOf(first)}, then ${cameOf(second)}`;
  if (!own.isPaid && !twin.isPaid) return `${both}; neither took money`;
  return `${both}; only ${own.isPaid ? 'this order' : twin.id} took money`;
}

function cameOf({ isPaid, status }: KnownTwin): string {
  if (isPaid) return 'paid';
  if (status === statuses.preAuthorized) return 'only authorized';
  return status !== undefined && meaningOfStatus(status) === 'none' ? status : 'not paid';
}

function refundWords(twin: KnownTwin, { now, currency, amounts }: TwinWords): string {
  const { refund, refunded, amount, isBack, fact, isSentHere, paidTwice, byHand } = twin;
  if (byHand !== undefined) return `has a refund that ${byHand.sent.operator} sent, recorded as made by hand`;
  const isPart = !isBack && refunded !== undefined && refunded > 0 && refunded < amount;
  const part = isPart
    ? ` in part (${figureWords(refunded, currency, amounts)} of ${figureWords(amount, currency, amounts)})`
    : '';
  const when = refund?.createdAt === undefined ? '' : ` ${agoWords(now - refund.createdAt * 1000)}`;
  const reason = fact?.reason === undefined ? '' : ` as ${fact.reason}`;
  const operator = fact?.by ?? paidTwice?.operator;
  const stranger = refund === undefined || isSentHere === true ? '' : ', elsewhere';
  return `was refunded${paidTwice === undefined ? '' : ' TWICE'}${part}${when}${reason}${operator === undefined ? stranger : `, by ${operator}`}`;
}

function agoWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'less than a minute ago';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ago`;
  return `${Math.floor(hours / 24)} days ago`;
}
