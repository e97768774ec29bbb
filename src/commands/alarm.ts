/** Outcomes that a person must look at although there is a verdict: what was seen, what is certain, what to do. */

import { type ChargeMoney, readMoney } from '../api/charges.ts';
import { CliError } from '../errors.ts';
import type { ChangeSubject, FoundRefund } from '../journal/journal.ts';
import type { Profile } from '../profiles/profiles.ts';
import { commandLine } from './account.ts';
import { paidBy } from './orders/card.ts';
import { type Ended, keepByHand } from './unrecorded.ts';

type Alarm = NonNullable<Ended['alarm']>;

// As the result of the change that was just sent: whole sentences. The journal's list has them shorter.
const sentences: Readonly<Record<Exclude<Alarm, 'duplicate'>, string>> = {
  contradiction: 'the answer contradicts what was asked for',
  partial: 'only part of what was asked for shows',
  disagreement: 'what the service shows of it does not agree',
  applied_though_rejected: 'the service refused it, and yet a read shows it: it is ours or identical',
};

/** The error of an alarm (exit 7). `what` is the change in words. */
export function alarmError(
  {
    profile,
    change,
    what,
  }: { readonly profile: Profile; readonly change: ChangeSubject; readonly what: string },
  outcome: Ended,
  alarm: Alarm,
): CliError {
  const now = [
    change.orderId === undefined ? 'stop and show your lead:' : 'stop on this order and show your lead:',
    outcome.intent === undefined
      ? commandLine(profile, 'orders', 'show', change.orderId ?? '')
      : `paydesk journal show ${outcome.intent}`,
    ...keepByHand(outcome),
  ];
  const { refunds = [] } = outcome;
  if (alarm === 'duplicate') return duplicate(change, outcome, now);
  const seen =
    ['contradiction', 'disagreement'].includes(alarm) && outcome.why !== undefined ? [outcome.why] : [];
  const listed = change.kind !== 'refund' ? [] : [`new refunds that the service lists: ${idsOf(refunds)}`];
  return new CliError('unknown', `${sentences[alarm]}: the ${what}`, {
    certain: ['sent once by this machine', ...seen, ...listed].join('; '),
    now,
  });
}

function idsOf(refunds: readonly FoundRefund[]): string {
  if (refunds.length === 0) return 'none';
  return refunds
    .map(({ id, amount, chargeId }) => `${id ?? 'no id'} ${amount} on charge ${chargeId}`)
    .join(', ');
}

function duplicate(
  { orderId = '', currency = '' }: ChangeSubject,
  { refunds = [], order }: Ended,
  now: readonly string[],
): CliError {
  const [first] = refunds;
  const sum = refunds.reduce((total, { amount }) => total + amount, 0);
  const same = refunds.every(
    ({ amount, chargeId }) => amount === first?.amount && chargeId === first.chargeId,
  );
  const money =
    same && first !== undefined
      ? ` of ${`${-first.amount} ${currency}`.trimEnd()} on ${chargeWords(first, order?.value)}`
      : '';
  const ids = refunds.map(({ id }) => id ?? 'one without an id').join(' and ');
  return new CliError('unknown', `${refunds.length} new refunds${money} of this order\n${orderId}\n${ids}`, {
    opening: 'DUPLICATE?',
    certain: `this machine sent one; the service lists ${refunds.length === 2 ? 'both' : 'all of them'}, ${sum} together;\npaydesk cannot take a refund back`,
    now,
  });
}

function chargeWords({ chargeId }: FoundRefund, order: unknown): string {
  const reading = readMoney(order);
  const charges: readonly ChargeMoney[] = 'money' in reading ? reading.money.charges : [];
  const charge = charges.find(({ id }) => id === chargeId);
  return charge === undefined ? `charge ${chargeId}` : `charge ${charge.number} (${paidBy(charge.value)})`;
}
