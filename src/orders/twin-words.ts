/** Says in one line what is known about an order and its twin. Pure. */

import { type AmountStyle, amountWords, figureWords } from '../amounts.ts';
import type { JsonObject } from '../api/json-values.ts';
import { meaningOfStatus, statuses } from '../api/spec.ts';
import type { Profile } from '../profiles/profiles.ts';
import { backWord, isNewestBack, isSettled, type KnownTwin, mayGoBack, surelyBack, twinOf } from './twins.ts';

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

/** What the words about the twins of an order need. `own`: the order with what this machine knows about it. */
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
  return own === undefined || !isSettled(own) || isSettled(twin) || mayGoBack(twin);
}

/**
 * A twin in one line: `ord_…, another order of this buyer, same amount, 4 min earlier, was refunded 2 min ago as REASON, by op7:
 * settled; if you refund both, the buyer gets both payments back`.
 */
export function twinLine(twin: KnownTwin, words: TwinWords): string {
  return `${twin.id}, another order of this buyer, same amount, ${apartWords(twin, words)}${stateWords(twin, words)}`;
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
  const went = factsOf(twin, words).join(', and ');
  if (own !== undefined && isSettled(own)) {
    const back = factsOf(own, words).join(', and ');
    if (isSettled(twin)) {
      const isSeen = own.isBack && twin.isBack;
      const too = own.isBack ? 'was refunded too' : back;
      return `, ${went}, and ${own.id} ${too}: ${isSeen ? '' : 'if that is right, '}the buyer got both payments back`;
    }
    const ends = mayGoBack(twin) ? `the buyer ${bothWords(twin)}` : 'settled';
    return went === '' ? `: ${own.id} ${back}: ${ends}` : `, ${went}, and ${own.id} ${back}: ${ends}`;
  }
  if (isSettled(twin)) return `, ${went}: settled; if you refund both, the buyer gets both payments back`;
  if (went !== '') return `, ${went}: if you refund both, the buyer ${bothWords(twin)}`;
  const failed = twin.state === 'failed' ? ', and its refund failed' : ' and not refunded';
  return `, was paid${failed}: ask which of the two the buyer wants to keep`;
}

// What the buyer gets if both are refunded, for a twin that is not settled.
function bothWords({ state, states = [] }: KnownTwin): string {
  const isUnsure = state === 'unconfirmed' || states.includes('recorded not made');
  return isUnsure ? 'may get both payments back' : 'gets both payments back';
}

// What went back of a twin, and what may have gone back: both are said, since one does not replace the other.
function factsOf(twin: KnownTwin, words: TwinWords): readonly string[] {
  const { unconfirmed, state, states = [], byHand = [] } = twin;
  const sum = (amount: number | undefined, currency: string | undefined) =>
    amount === undefined ? '' : ` of ${amountWords(amount, currency, words.amounts)}`;
  const open =
    unconfirmed?.kind === 'refund'
      ? `has an unconfirmed refund${sum(unconfirmed.amount, unconfirmed.currency)}, sent at ${words.shortTime(unconfirmed.sentAt)} by ${unconfirmed.operator}`
      : 'shows a refund that is unconfirmed';
  return [
    ...(surelyBack(twin) > 0 ? [refundWords(twin, words)] : []),
    ...byHand.map(
      ({ sent }) =>
        `has a refund${sum(sent.amount, sent.currency)} that ${sent.operator} sent, recorded as made by hand`,
    ),
    ...(unconfirmed?.kind === 'refund' || state === 'unconfirmed' ? [open] : []),
    ...(states.includes('pending') ? ['has a refund under way (pending)'] : []),
    // If all of the twin went back, no refund of it can still appear.
    ...(!twin.isBack && states.includes('recorded not made')
      ? ['has a refund that was recorded as not made and may still go through']
      : []),
  ];
}

// `: declined, took no money; only this order did`
function paidOnce(own: KnownTwin, twin: KnownTwin): string {
  const came = `: ${cameOf(twin)}`;
  if (own.isPaid) return `${came}, took no money; only this order did`;
  const none = `this order (${cameOf(own)}) took no money`;
  return twin.isPaid ? `${came}; ${none}` : `${came}, took no money; ${none} either`;
}

function cameOf({ isPaid, status }: KnownTwin): string {
  if (isPaid) return 'paid';
  if (status === statuses.preAuthorized) return 'only authorized';
  return status !== undefined && meaningOfStatus(status) === 'none' ? status : 'not paid';
}

function refundWords(twin: KnownTwin, { now, currency, amounts }: TwinWords): string {
  const { refund, amount, fact, isSentHere, paidTwice } = twin;
  const back = surelyBack(twin);
  const part =
    backWord(twin) === 'refunded in part'
      ? ` in part (${figureWords(back, currency, amounts)} of ${figureWords(amount, currency, amounts)})`
      : '';
  const twice = paidTwice === undefined ? '' : ' TWICE';
  if (!isNewestBack(twin)) return `was refunded${twice}${part}`;
  const when = refund?.createdAt === undefined ? '' : ` ${agoWords(now - refund.createdAt * 1000)}`;
  const reason = fact?.reason === undefined ? '' : ` as ${fact.reason}`;
  const operator = fact?.by ?? paidTwice?.operator;
  const stranger = refund === undefined || isSentHere === true ? '' : ', elsewhere';
  return `was refunded${twice}${part}${when}${reason}${operator === undefined ? stranger : `, by ${operator}`}`;
}

/** `2 min ago` */
export function agoWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'less than a minute ago';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ago`;
  return `${Math.floor(hours / 24)} days ago`;
}
