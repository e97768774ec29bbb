/** The errors when an alarm stops a refund: one was made twice, or one that counted as not made has appeared. */

import { CliError } from '../errors.ts';
import { acknowledgeCommand, alarmText, madeTwiceWords, whoMadeLines } from './alarm-words.ts';
import { type AttemptRecord, sentBy } from './journal-rows.ts';
import type { Refusal } from './refusal.ts';
import { changeOf, type HowShown, named, showCommand } from './refusal-words.ts';
import { notMadeBy } from './said-by-hand.ts';
import { namedByReply } from './unconfirmed.ts';

/** The error of a refund whose order has a refund that was made twice. */
export function paidTwiceError(
  { attempt, refunds }: Extract<Refusal, { why: 'paid_twice' }>,
  subject: string,
  { shortTime, amounts }: HowShown,
): CliError {
  const { amount, currency, time, proof } = attempt.sent;
  const what = madeTwiceWords({ amount, currency, refunds, parts: proof.expected.length }, amounts);
  return new CliError('refused', `${subject} was ${what} (${shortTime(time)}, by ${sentBy(attempt.sent)})`, {
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
    const ids = (verdict.refunds ?? []).map(({ id }) => id ?? 'one refund without an id').join(' and ');
    const { sent } = attempt;
    const after = { sent, verdicts: [...attempt.verdicts, verdict] };
    const what = `${changeOf(attempt, amounts)} on ${subject}, ${sent.change}: ${alarmText(after) ?? ''}`;
    return new CliError('unknown', ids === '' ? what : `${what}\n${ids}`, {
      opening: 'stop:',
      certain: known,
      now: ['stop on this order and show your lead:', ...now],
    });
  }
  const what = verdict.verdict === 'applied' ? 'was made after all' : 'is unconfirmed again';
  return new CliError('refused', `an earlier change ${what}: ${named(attempt, amounts)}`, {
    certain: known,
    now,
  });
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
    'unknown',
    `${subject} shows the ${changeOf(attempt, amounts)} more than once\n${ids.join(' and ')}`,
    {
      opening: 'MADE TWICE:',
      certain: ['nothing was sent now', ...who, 'paydesk cannot take a refund back'].join('; '),
      now: ['stop on this order and show your lead:', showCommand(attempt), ...acknowledgeLines(attempt)],
    },
  );
}

function acknowledgeLines({ sent }: AttemptRecord): readonly string[] {
  return ['when somebody has dealt with it:', acknowledgeCommand(sent.change)];
}
