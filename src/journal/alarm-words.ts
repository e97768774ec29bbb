/** The words for an alarm, and for a refund that was made twice. Pure. */

import { type AmountStyle, amountWords } from '../amounts.ts';
import type { PaidTwice } from './journal.ts';
import type { Alarm, AttemptRecord } from './journal-rows.ts';
import { appearedVerdict, notMadeBy } from './said-by-hand.ts';

/** `made twice: 900 MXN, re_1 and re_2` */
export function madeTwiceWords(
  { amount, currency, refunds, parts }: Pick<PaidTwice, 'amount' | 'currency' | 'refunds' | 'parts'>,
  style: AmountStyle,
): string {
  const sum = amount === undefined ? [] : [amountWords(amount, currency, style)];
  const [only, second] = refunds;
  const hidden = only !== undefined && second === undefined ? ['one that no read has shown'] : [];
  const ids = only === undefined ? [] : [listed([...refunds, ...hidden])];
  const times = Math.ceil(refunds.length / Math.max(1, parts));
  return `made ${times > 2 ? `${times} times` : 'twice'}: ${[...sum, ...ids].join(', ')}`;
}

// `re_1, re_2 and re_3`
function listed(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' and ');
}

/** Who made which of two equal refunds, as far as it can be known: one line for ours, one for the rest. */
export function whoMadeLines(
  {
    refunds,
    ours,
    sentAt,
    operator,
    sentAs = [],
    others: unsent = 0,
  }: Pick<PaidTwice, 'refunds' | 'ours' | 'sentAt' | 'operator' | 'sentAs' | 'others'>,
  shortTime: (ms: number) => string,
): readonly string[] {
  if (sentAs.length > 1) {
    const all = refunds.length > 2 ? 'all' : 'both';
    const count = unsent === 0 ? all : `${refunds.length - unsent} of them`;
    const more = unsent === 1 ? 'the other is one more payment' : `the other ${unsent} are more payments`;
    return [
      `${count} were sent from here: ${listed(sentAs)}`,
      ...(unsent === 0 ? [] : [`${more}: made twice, or sent from elsewhere`]),
    ];
  }
  const sent = `sent at ${shortTime(sentAt)} by ${operator}`;
  if (refunds.length < 2) return [sent];
  const own = refunds.filter((id) => ours.includes(id));
  if (own.length === 0)
    return [
      `one of them is ours, ${sent}; the other is a second payment: made twice, or sent from elsewhere`,
    ];
  const others = refunds.filter((id) => !ours.includes(id));
  return [
    `${own.join(' and ')} ${isOrAre(own)} ours, ${sent}`,
    `${others.join(' and ')} ${isOrAre(others)} a second payment: made twice, or sent from elsewhere`,
  ];
}

function isOrAre({ length }: readonly string[]): string {
  return length === 1 ? 'is' : 'are';
}

/** The alarm of an attempt in a few words; undefined when there is none. */
export function alarmText(record: AttemptRecord): string | undefined {
  const alarm = record.verdicts.at(-1)?.alarm;
  if (alarm === undefined) return undefined;
  if (appearedVerdict(record) === undefined) return alarmWords[alarm];
  return `APPEARED, recorded as not made by ${notMadeBy(record) ?? 'somebody'}`;
}

/** An alarm in a few words, to stand before a colon. */
export const alarmWords: Readonly<Record<Alarm, string>> = {
  duplicate: 'MADE TWICE',
  contradiction: 'the reply does not match the request',
  partial: 'the order shows only a part of it',
  applied_though_rejected: 'counted as not made, but made all the same',
  disagreement: 'the figures of the order do not add up',
  gone: 'GONE',
  failed: 'FAILED',
};

/** The command that ends an alarm. */
export function acknowledgeCommand(change: string): string {
  return `paydesk journal acknowledge ${change} --note TEXT`;
}
