/** The words for an alarm and for a refund that was made twice, and the errors when one of them stops a refund. Pure. */

import { type AmountStyle, amountWords } from '../../amounts.ts';
import { CliError, refused } from '../../errors.ts';
import type { Refusal } from '../guards.ts';
import type { PaidTwice } from '../journal.ts';
import { namedRefunds } from '../questions/paid-twice.ts';
import { namedByReply } from '../questions/unconfirmed.ts';
import { appearedVerdict, notMadeBy } from '../questions/verdicts-say.ts';
import { type Alarm, type AttemptRecord, whoSent } from '../rows/journal-rows.ts';
import { changeOf, type HowShown, named, showCommand } from './refusal-words.ts';

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
  paidTwice: Pick<PaidTwice, 'refunds' | 'ours' | 'sentAt' | 'operator' | 'sentAs' | 'others'>,
  shortTime: (ms: number) => string,
): readonly string[] {
  const { refunds, ours, sentAt, operator, sentAs = [], others: unsent = 0 } = paidTwice;
  if (sentAs.length > 1) {
    const all = refunds.length > 2 ? 'all' : 'both';
    const count = unsent === 0 ? all : `${refunds.length - unsent} of them`;
    // A refund that only a read gave to an attempt may come from another desk.
    const isSure = refunds.filter((id) => !ours.includes(id)).length <= unsent;
    const more = unsent === 1 ? 'the other is one more refund' : `the other ${unsent} are more refunds`;
    return [
      `${count} were ${isSure ? '' : 'probably '}sent from here: ${listed(sentAs)}`,
      ...(unsent === 0 ? [] : [`${more}: repeated by the service, or sent from elsewhere`]),
    ];
  }
  const sent = `sent at ${shortTime(sentAt)} by ${operator}`;
  if (refunds.length < 2) return [sent];
  const own = refunds.filter((id) => ours.includes(id));
  if (own.length === 0)
    return [
      `one of them is ours, ${sent}; the other is the same again: repeated by the service, or sent from elsewhere`,
    ];
  const others = refunds.filter((id) => !ours.includes(id));
  return [
    `${own.join(' and ')} ${isOrAre(own)} ours, ${sent}`,
    `${others.join(' and ')} ${isOrAre(others)} the same again: repeated by the service, or sent from elsewhere`,
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

/** An alarm in a few words, to be followed by a colon. */
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

/** The error of a refund whose order has a refund that was made twice. */
export function paidTwiceError(
  { attempt, refunds }: Extract<Refusal, { why: 'paid_twice' }>,
  subject: string,
  { shortTime, amounts }: HowShown,
): CliError {
  const { amount, currency, time, proof } = attempt.sent;
  const what = madeTwiceWords({ amount, currency, refunds, parts: proof.expected.length }, amounts);
  return new CliError('refused', `${subject} was ${what} (${shortTime(time)}, by ${whoSent(attempt.sent)})`, {
    certain: 'nothing was sent',
    now: ['do not refund this order; show your lead:', showCommand(attempt), ...acknowledgeLines(attempt)],
  });
}

/** The error when reads show that an earlier change was made after all. */
export function appearedError(
  refusal: Extract<Refusal, { why: 'appeared' }>,
  subject: string,
  shown: HowShown,
): CliError {
  const { attempt, verdict } = refusal;
  if (verdict.alarm === 'duplicate') return twiceError(refusal, subject, shown);
  const { amounts } = shown;
  const known = `nothing was sent now; ${verdict.why}`;
  const isLate = verdict.verdict === 'applied' && notMadeBy(attempt) !== undefined;
  const now = [showCommand(attempt), ...(isLate ? acknowledgeLines(attempt) : [])];
  if (verdict.alarm !== undefined) {
    const { sent } = attempt;
    const after = { sent, verdicts: [...attempt.verdicts, verdict] };
    const ids = namedRefunds(after)
      .map(({ id }) => id ?? 'one refund without an id')
      .join(' and ');
    const what = `${changeOf(attempt, amounts)} on ${subject}, ${sent.change}: ${alarmText(after) ?? ''}`;
    return new CliError('unconfirmed', ids === '' ? what : `${what}\n${ids}`, {
      opening: 'stop:',
      certain: known,
      now: ['leave this order alone; show your lead:', ...now],
    });
  }
  const what = verdict.verdict === 'applied' ? 'was made after all' : 'is unconfirmed again';
  return refused(`an earlier change ${what}: ${named(attempt, amounts)}`, now, { certain: known });
}

function twiceError(
  { attempt, verdict, sentAs }: Extract<Refusal, { why: 'appeared' }>,
  subject: string,
  { amounts, shortTime }: HowShown,
): CliError {
  const { time: sentAt, operator } = attempt.sent;
  const ids = (verdict.refunds ?? []).map(({ id }) => id ?? 'one without an id');
  const ours = namedByReply(attempt);
  const who = whoMadeLines({ refunds: ids, ours, sentAt, operator, sentAs }, shortTime);
  return new CliError(
    'unconfirmed',
    `${subject} shows the ${changeOf(attempt, amounts)} more than once\n${ids.join(' and ')}`,
    {
      opening: 'MADE TWICE:',
      certain: ['nothing was sent now', ...who, 'paydesk cannot take a refund back'].join('; '),
      now: ['leave this order alone; show your lead:', showCommand(attempt), ...acknowledgeLines(attempt)],
    },
  );
}

function acknowledgeLines({ sent }: AttemptRecord): readonly string[] {
  return ['when somebody has dealt with it:', acknowledgeCommand(sent.change)];
}
