/** Explains alarms and refusals by the service: what was seen, and which commands help. Pure. */

import { amountWords, figuresIn, figureWords, partWords } from '../amounts.ts';
import {
  type ChargeMoney,
  moneyOf,
  type OrderMoney,
  paidBy,
  refundableCharges,
  refundedSum,
  sumOfRefunds,
} from '../api/charges.ts';
import { isObject } from '../api/json-values.ts';
import type { RefundRequest } from '../api/request-bodies.ts';
import { type DocumentedError, documentedErrorOf, expiryFields } from '../api/spec.ts';
import { CliError, type CliErrorParts, messageOf } from '../errors.ts';
import {
  acknowledgeCommand,
  type ChangeSubject,
  changeWords,
  type Ended,
  type FoundRefund,
  isFailed,
  mendLine,
} from '../journal/journal.ts';
import { stateMeans } from '../orders/orders.ts';
import { commandLine, type Profile } from '../profiles/profiles.ts';
import { chargeCommands } from './refund/refund-checks.ts';
import type { Counting } from './refund/refund-limit.ts';

/**
 * What a person must keep when the journal could not record an outcome: the command that repairs the journal later, and the
 * row as JSON. Empty when the outcome was recorded.
 */
export function keepByHand({ change, unrecorded }: Ended): readonly string[] {
  if (unrecorded === undefined) return [];
  return [
    ...(change === undefined ? [] : [`paydesk journal reconcile ${change}`]),
    JSON.stringify(unrecorded.row),
  ];
}

/** The same, and why it could not be recorded. */
export function unrecordedLines(outcome: Ended): readonly string[] {
  const { unrecorded } = outcome;
  if (unrecorded === undefined) return [];
  return [
    `the journal does not have this: ${messageOf(unrecorded.cause)}`,
    mendLine('copy these lines into the ticket'),
    ...keepByHand(outcome),
  ];
}

type Alarm = NonNullable<Ended['alarm']>;

// `journal list` has shorter words for the same alarms.
const sentences: Readonly<Record<Exclude<Alarm, 'duplicate' | 'failed'>, string>> = {
  contradiction: 'the reply shows something else than was asked for',
  partial: 'the service shows only part of what was asked for',
  disagreement: 'what the service shows does not add up',
  applied_though_rejected: 'it counted as not made, but the order now shows it',
  gone: stateMeans.gone,
};

/** The error for an alarm (exit 7): what was seen, what is certain, and what to do. */
export function alarmError(profile: Profile, change: ChangeSubject, outcome: Ended, alarm: Alarm): CliError {
  const now = [
    change.orderId === undefined ? 'stop and show your lead:' : 'leave this order alone; show your lead:',
    outcome.change === undefined
      ? commandLine(profile, 'orders', 'show', change.orderId ?? '')
      : `paydesk journal show ${outcome.change}`,
    ...unrecordedLines(outcome),
  ];
  if (alarm === 'duplicate') return duplicate(profile, change, outcome, now);
  if (alarm === 'failed') return failedLater(profile, change, outcome);
  const seen =
    ['contradiction', 'disagreement', 'gone', 'applied_though_rejected'].includes(alarm) &&
    outcome.why !== undefined
      ? [outcome.why]
      : [];
  const listed =
    change.kind !== 'refund'
      ? []
      : [
          `new refunds at the service: ${idsOf(outcome.shown ?? [], figuresIn(change.currency, profile.settings))}`,
        ];
  return new CliError('unconfirmed', `${sentences[alarm]}: the ${changeWords(change, profile.settings)}`, {
    ...outcome.said,
    certain: ['sent once by this machine', ...seen, ...listed].join('; '),
    now,
  });
}

/** What to do now about a refund that failed: one sentence or command per line. `alarm`: the change that has an open alarm about it. */
export function failedSteps(
  profile: Pick<Profile, 'kind' | 'name'>,
  orderId: string | undefined,
  alarm: string | undefined,
): readonly string[] {
  return [
    'tell the buyer; whether it can go back now:',
    commandLine(profile, 'orders', 'show', orderId ?? ''),
    ...(alarm === undefined ? [] : ['when somebody has dealt with it:', acknowledgeCommand(alarm)]),
  ];
}

/**
 * The error when a refund failed after it was made: nothing went back (exit 5, like a refusal). If only a part of it failed, a person
 * must look (7). Nobody needs to stop: the screen of the order says whether the money can go back now.
 */
export function failedLater(profile: Profile, subject: ChangeSubject, outcome: Ended): CliError {
  const { refunds = [], change = '', why, alarm } = outcome;
  const isPart = failedOf(refunds).length < refunds.length;
  const words = `${isPart ? 'a part of ' : ''}the ${changeWords(subject, profile.settings)} failed`;
  return new CliError(isPart ? 'unconfirmed' : failedKind(outcome), words, {
    ...outcome.said,
    opening: 'FAILED after it was made:',
    certain: `sent once by this machine; ${why === undefined ? '' : `${why}; `}${whatFailed(profile, subject, refunds)}`,
    now: [
      ...failedSteps(profile, subject.orderId, alarm === undefined ? undefined : change),
      ...unrecordedLines(outcome),
    ],
  });
}

/** The error when the service answered with a refund that failed at once: nothing went back (exit 5, like a refusal). */
export function failedAtOnce(profile: Profile, subject: ChangeSubject, outcome: Ended): CliError {
  const { refunds = [], recorded, change = '', verdict } = outcome;
  const ids = failedOf(refunds).map(({ id }) => id ?? 'no id');
  const words = `the ${changeWords(subject, profile.settings)}: the service accepted it as ${ids.join(' and ')}, but it failed`;
  const isChecked = verdict !== 'rejected' || outcome.confirmed;
  return new CliError(failedKind(outcome), words, {
    ...outcome.said,
    opening: 'failed:',
    certain: `sent once by this machine; ${whatFailed(profile, subject, refunds)}${isChecked ? '' : '; paydesk could not read the order to confirm this'}`,
    now: [
      commandLine(profile, 'orders', 'show', subject.orderId ?? ''),
      `to send it again: the same command${recorded === undefined ? '' : ` with --again ${change}`}`,
      ...unrecordedLines(outcome),
    ],
  });
}

function failedKind({ unrecorded }: Ended): 'rejected' | 'incomplete' {
  return unrecorded === undefined ? 'rejected' : 'incomplete';
}

function whatFailed(
  { settings }: Profile,
  { currency }: ChangeSubject,
  refunds: readonly FoundRefund[],
): string {
  return `${stateMeans.failed}: ${idsOf(failedOf(refunds), figuresIn(currency, settings))}`;
}

function failedOf(refunds: readonly FoundRefund[]): readonly FoundRefund[] {
  return refunds.filter(isFailed);
}

function idsOf(refunds: readonly FoundRefund[], figure: (amount: number) => string): string {
  if (refunds.length === 0) return 'none';
  return refunds
    .map(({ id, amount, chargeId }) => `${id ?? 'no id'} ${figure(amount)} on charge ${chargeId}`)
    .join(', ');
}

function duplicate(
  { settings }: Profile,
  { orderId = '', currency }: ChangeSubject,
  { refunds = [], order, said }: Ended,
  now: readonly string[],
): CliError {
  const [first] = refunds;
  const sum = refunds.reduce((total, { amount }) => total + amount, 0);
  const same = refunds.every(
    ({ amount, chargeId }) => amount === first?.amount && chargeId === first.chargeId,
  );
  const money =
    same && first !== undefined
      ? ` of ${amountWords(-first.amount, currency, settings)} on ${chargeWords(first, order?.value)}`
      : '';
  const ids = refunds.map(({ id }) => id ?? 'one without an id').join(' and ');
  return new CliError(
    'unconfirmed',
    `${refunds.length} new refunds${money} of this order\n${orderId}\n${ids}`,
    {
      ...said,
      opening: 'MADE TWICE:',
      certain: `this machine sent one; the service lists ${refunds.length === 2 ? 'both' : 'all of them'}, ${figureWords(sum, currency, settings)} together;\npaydesk cannot take a refund back`,
      now,
    },
  );
}

function chargeWords({ chargeId }: FoundRefund, order: unknown): string {
  const charge = moneyOf(order)?.charges.find(({ id }) => id === chargeId);
  return charge === undefined ? `charge ${chargeId}` : `charge ${charge.number} (${paidBy(charge.value)})`;
}

/** What paydesk adds to the service's own words about a refusal. */
export interface Explanation {
  readonly message?: string;
  readonly certain?: string;
  readonly now?: readonly string[];
}

interface Refusal {
  readonly profile: Profile;
  readonly parts: CliErrorParts;
  /** The order as a read after the refusal showed it. Undefined when it could not be read. */
  readonly order: unknown;
  readonly orderId: string | undefined;
  /** Refunds that somebody else made. They appeared between the last read before the sending and the read after it. */
  readonly others: readonly FoundRefund[];
  /** The body of the refund. Commands to copy keep its amount and reason. */
  readonly asked: RefundRequest;
  /** Writes a time (Unix seconds) in full. */
  readonly time: (seconds: number) => string;
  /** What the limits of the account count. */
  readonly counting: Counting;
}

const explanations: Readonly<Record<DocumentedError, (refusal: Refusal) => Explanation>> = {
  notReturnable: (refusal) => notReturnable(refusal, moneyOf(refusal.order)),
  chargeIdRequired: (refusal) =>
    chargeIdRequired(refusal, moneyOf(refusal.parts.data) ?? moneyOf(refusal.order)),
};

/** Explains an error that the service documents (service: Errors); empty for any other. */
export function explainRejection(refusal: Refusal): Explanation {
  const error = documentedErrorOf(refusal.parts);
  return error === undefined ? {} : explanations[error](refusal);
}

// Says which charge is not refundable and how much was refunded before. Without a read of the order it can say neither.
function notReturnable(refusal: Refusal, money: OrderMoney | undefined): Explanation {
  const { profile, orderId } = refusal;
  const id = orderId ?? money?.id ?? '';
  const show = commandLine(profile, 'orders', 'show', id);
  if (money === undefined) return { message: `order ${id} is not refundable`, now: [show] };
  const blocked = money.charges.filter((charge) => charge.isRefundable === false);
  const open = money.isRefundable === false ? [] : refundableCharges(money);
  const whole = blocked.length === 0 || open.length === 0 ? '' : ' as a whole';
  const which = open.length === 0 ? '' : `: ${blocked.map(nameOf).join(' and ')} cannot be refunded`;
  return {
    message: `order ${id} is not refundable${whole}${blocked.length === 0 ? '' : which}`,
    certain: wentBack(money, refusal),
    now: [
      ...bankWords(money),
      ...chargeCommands(money, open, profile, refusal.asked, refusal.counting),
      show,
    ],
  };
}

function wentBack(money: OrderMoney, { others, time, profile, counting }: Refusal): string {
  const records = money.charges.flatMap(({ refunds }) => refunds).filter(({ meaning }) => meaning === 'made');
  const sum = refundedSum(money);
  const byHand = sumOfRefunds(counting.unshown.flatMap(({ sent }) => sent.proof.expected));
  const recorded =
    byHand === 0
      ? ''
      : `, and ${amountWords(byHand, money.currency, profile.settings)} was recorded as made by hand`;
  if (sum === 0)
    return byHand === 0
      ? 'nothing of this order was refunded before'
      : `the order shows nothing that went back${recorded}`;
  const last = Math.max(...records.map(({ createdAt }) => createdAt ?? 0));
  const when = last === 0 ? 'before' : `on ${time(last)}`;
  const whose = others.length === 0 ? '' : ', elsewhere';
  return `${partWords(sum, money.amount, money.currency, profile.settings)} went back ${when}${whose}${recorded}`;
}

// A bank finds a refund by its authorization code.
function bankWords({ charges }: OrderMoney): readonly string[] {
  const refunds = charges.flatMap((charge) => charge.refunds);
  const codes = [
    ...new Set(refunds.map(({ authCode }) => authCode).filter((code) => code !== undefined && code !== '')),
  ];
  if (codes.length === 0) return [];
  return [
    `give the buyer this time and the bank's auth ${codes.length === 1 ? 'code' : 'codes,'} ${codes.join(' and ')}`,
  ];
}

function chargeIdRequired(
  { profile, orderId, asked, counting }: Refusal,
  money: OrderMoney | undefined,
): Explanation {
  const charges = money?.charges.filter(({ counts }) => counts) ?? [];
  return {
    message: `order ${orderId ?? money?.id ?? ''} was paid by ${charges.length === 0 ? 'several' : charges.length} charges: to refund a part, name the charge`,
    now: money === undefined ? [] : chargeCommands(money, charges, profile, asked, counting),
  };
}

function nameOf(charge: ChargeMoney): string {
  return `charge ${charge.number} (${charge.id})`;
}

/**
 * What to do if a refusal of a payment link names the spelling of the expiry that was not sent; undefined if it does not.
 * The document writes the field both ways, so only the service can say which one it reads.
 */
export function otherSpelling(
  { name, kind }: Profile,
  { request: { body } }: ChangeSubject,
  { code, details = [] }: CliErrorParts,
): readonly string[] | undefined {
  const sent = expiryFields.find((field) => isObject(body) && body[field] !== undefined);
  const other = expiryFields.find((field) => sent !== undefined && field !== sent);
  const said = [code, ...details.flatMap((one) => [one.message, one.debugMessage, one.param, one.code])];
  if (other === undefined || !said.some((text) => text?.includes(other))) return undefined;
  const setting = `checkouts.expiry_field ${other}`;
  return kind === 'stored'
    ? [
        `the request said ${sent}. To send ${other} from now on:`,
        `paydesk profile set ${name} ${setting}`,
        'then run the command again',
      ]
    : [
        `the request said ${sent}. To send ${other}, write the body yourself (--body FILE)`,
        `or add a profile and set ${setting} there`,
      ];
}
