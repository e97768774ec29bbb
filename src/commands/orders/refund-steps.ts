/** The refunds that an order has room for, as commands that go through: the whole, the rest, and what was lost or failed before. Pure. */

import { figuresIn, typedForm } from '../../amounts.ts';
import {
  type ChargeMoney,
  equalRefund,
  leftToRefund,
  lockedCharges,
  type OrderMoney,
  refundableCharges,
  standingRefunds,
} from '../../api/charges.ts';
import { valueAt } from '../../api/json-values.ts';
import { limitAt, nothingAllowed } from '../../changes/changes.ts';
import { type AttemptRecord, attemptName, type ExpectedRefund, sameJson } from '../../journal/journal.ts';
import { failedAndLeft, isPaidBackTwice, type KnownOrder, lostWord } from '../../orders/orders.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import type { Block, Span } from '../../terminal/terminal.ts';

/** What a person does next about an order: in a word for its first line, and the last lines of its screen. */
export interface Next {
  readonly word: Span;
  readonly steps: readonly Block[];
}

/** One command that refunds something of an order. */
export interface Step {
  /** What the command does, with its amount. */
  readonly words: string;
  readonly command: string;
  readonly amount: number;
  /** The ids of the charges whose money it sends back. */
  readonly charges: readonly string[];
}

/** A step on the screen: what it does, and its command. */
export function stepLines({ words, command }: Step, before = ''): readonly Block[] {
  return [{ line: `${before}${words}:` }, { line: command, indent: 2 }];
}

// Commands that would send the same money exclude each other: `either …` and `or instead, …`.
function choiceLines(steps: readonly Step[]): readonly Block[] {
  const isShared = ({ charges }: Step, index: number) =>
    steps.some((other, at) => at !== index && other.charges.some((id) => charges.includes(id)));
  const first = steps.findIndex(isShared);
  return steps.flatMap((step, index) =>
    stepLines(step, isShared(step, index) ? (index === first ? 'either ' : 'or instead, ') : ''),
  );
}

// Where somebody else decides, no command may look like the next step.
function leadLines(steps: readonly Step[]): readonly Block[] {
  if (steps.length === 0) return [];
  return [
    { line: `if your lead says so, ${steps.map(({ words }) => words).join(', or ')}:`, hang: 2 },
    ...steps.map(({ command }) => ({ line: command, indent: 2 })),
  ];
}

/**
 * The refunds that an order has room for. What a limit of the account or of the policy would refuse is not offered; the reason is
 * shown instead.
 */
export function refundSteps(known: KnownOrder, money: OrderMoney, at: Parameters<typeof limitAt>[3]): Next {
  const { profile } = at.service;
  const rest = refundableCharges(money);
  const byCharge = lockedCharges(money).length > 0 || money.charges.some(({ refunds }) => refunds.length > 0);
  const lost = known.neverArrived.flatMap((record) => sendLost(record, money, profile));
  const isLost = (expected: readonly ExpectedRefund[]) =>
    known.neverArrived.some(({ sent }) => sameJson(sent.proof.expected, expected));
  const of = ({ id, left }: ChargeMoney) => ({ chargeId: id, amount: -left });
  const whole: Step = {
    words: `refund all of it, ${figureOf(money, profile)(leftToRefund(money))}`,
    command: commandLine(profile, 'orders', 'refund', money.id),
    amount: leftToRefund(money),
    charges: rest.map(({ id }) => id),
  };
  const each = byCharge || rest.length > 1 ? rest : [];
  const steps = [
    ...lost,
    ...(byCharge || isLost(rest.map(of)) ? [] : [whole]),
    ...each.flatMap((charge) => sendAgain(charge, money, known, profile)),
    ...each
      .filter((charge) => !isLost([of(charge)]))
      .map((charge) => refundRest(charge, money, known, profile)),
  ];
  const isTwice = isPaidBackTwice(known);
  const refusals = steps.map(({ amount }) => limitAt(amount, money, known, at));
  const most =
    refusals.every((one) => one !== undefined) && lost.length === 0 ? refusals[0]?.parts.allows : undefined;
  const offered = [
    ...steps.filter((_, index) => refusals[index] === undefined),
    ...refundWithin(most ?? 0, rest, money, known, profile),
  ];
  // Each of them may be small enough, but all of them together may be too much for the limit of an order.
  const refused =
    refusals.find((one) => one !== undefined) ??
    (steps.length > 1 ? limitAt(leftToRefund(money), money, known, at) : undefined);
  const isTooOld = refused?.parts.ownCode === 'too_old';
  const over = isTooOld ? 'older than may be refunded' : 'over a limit';
  const limit = nothingAllowed(known, at) === undefined ? 'can be refunded up to a limit' : over;
  const text = isTwice ? 'ask your lead first' : limit;
  const all = lockedCharges(money).length === 0 ? 'can be refunded' : 'can be refunded in part';
  const word: Span = isTwice || refused !== undefined ? { text, style: 'warn' } : all;
  const shown: readonly Block[] = [
    ...(isTwice ? [{ line: 'it was paid back twice: ask your lead before you refund more of it' }] : []),
    ...(refused === undefined
      ? []
      : [{ line: [refused.message, ...(refused.parts.now ?? []).slice(0, 1)].join('; '), hang: 2 }]),
    ...(known.first === 'pending' && offered.length > 0
      ? [{ line: 'the pending refund needs nothing from you. Besides it:' }]
      : []),
    ...(isTwice ? leadLines(offered) : choiceLines(offered)),
  ];
  return { word, steps: shown };
}

function figureOf({ currency }: OrderMoney, { settings }: Profile): (amount: number) => string {
  return figuresIn(currency, settings);
}

// A refund that was refused or never arrived is sent again only by a command that names it.
function sendLost(record: AttemptRecord, money: OrderMoney, profile: Profile): readonly Step[] {
  const { proof, request, amount = 0 } = record.sent;
  const charges = proof.expected.map((one) => ({
    ...one,
    charge: money.charges.find(({ id }) => id === one.chargeId),
  }));
  if (charges.some(({ charge, amount: sum }) => charge === undefined || charge.left < -sum)) return [];
  const [only] = charges;
  const part =
    valueAt(request.body, ['amount']) === undefined
      ? []
      : ['--amount', typedForm(amount, money.currency, profile.settings)];
  const ofCharge =
    valueAt(request.body, ['charge_id']) === undefined
      ? []
      : ['--charge', String(only?.charge?.number), ...part];
  return [
    {
      words: `send again the ${figureOf(money, profile)(amount)} that ${lostWord(record)}`,
      command: commandLine(
        profile,
        'orders',
        'refund',
        money.id,
        ...ofCharge,
        '--again',
        attemptName(record),
      ),
      amount,
      charges: charges.map(({ chargeId }) => chargeId),
    },
  ];
}

/** Refunds all that is left of a charge. */
export function refundRest(
  charge: ChargeMoney,
  money: OrderMoney,
  known: KnownOrder,
  profile: Profile,
): Step {
  // Without --again, paydesk would take this for an accidental repeat of the equal refund.
  const equal = equalRefund(charge, charge.left);
  const words = ['--charge', String(charge.number), ...(equal === undefined ? [] : ['--again', equal.id])];
  const isFailed = failedAndLeft(known, charge).some(({ amount }) => -amount === charge.left);
  const sum = figureOf(money, profile)(charge.left);
  const rest = `refund ${standingRefunds(charge).length > 0 ? 'the rest of ' : ''}charge ${charge.number}, ${sum}`;
  return {
    words: `${isFailed ? failedWords(charge, sum) : rest}${equal === undefined ? '' : `, although ${equal.id} is as large`}`,
    command: commandLine(profile, 'orders', 'refund', money.id, ...words),
    amount: charge.left,
    charges: [charge.id],
  };
}

function failedWords({ number }: ChargeMoney, sum: string): string {
  return `send the failed ${sum} of charge ${number} again`;
}

/** Refunds what is left even if the refund that may still go through is made. */
export function refundBesides(charge: ChargeMoney, sum: number, money: OrderMoney, profile: Profile): Step {
  const equal = equalRefund(charge, sum);
  const amount = typedForm(sum, money.currency, profile.settings);
  const again = equal === undefined ? [] : ['--again', equal.id];
  const words = ['--charge', String(charge.number), '--amount', amount, ...again];
  const figure = figureOf(money, profile);
  return {
    words: `refund ${figure(sum)} of charge ${charge.number} (safe: it leaves the ${figure(charge.left - sum)} that may still go through)`,
    command: commandLine(profile, 'orders', 'refund', money.id, ...words),
    amount: sum,
    charges: [charge.id],
  };
}

// What a limit still allows when it refuses the rest: a whole charge that is small enough, else a part of the first charge.
function refundWithin(
  most: number,
  charges: readonly ChargeMoney[],
  money: OrderMoney,
  known: KnownOrder,
  profile: Profile,
): readonly Step[] {
  const [first] = charges;
  const small = charges.find(({ left }) => left <= most);
  if (small !== undefined) return [refundRest(small, money, known, profile)];
  if (first === undefined || most <= 0) return [];
  const words = `refund as much of charge ${first.number} as the limit allows, ${figureOf(money, profile)(most)}`;
  return [{ ...refundBesides(first, most, money, profile), words }];
}

// A refund that failed is sent again with its own amount, unless the same amount has gone back since.
function sendAgain(
  charge: ChargeMoney,
  money: OrderMoney,
  known: KnownOrder,
  profile: Profile,
): readonly Step[] {
  const failed = failedAndLeft(known, charge).at(-1);
  if (failed === undefined || -failed.amount >= charge.left) return [];
  if (equalRefund(charge, -failed.amount) !== undefined) return [];
  const amount = typedForm(-failed.amount, money.currency, profile.settings);
  const words = ['--charge', String(charge.number), '--amount', amount];
  return [
    {
      words: failedWords(charge, figureOf(money, profile)(-failed.amount)),
      command: commandLine(profile, 'orders', 'refund', money.id, ...words),
      amount: -failed.amount,
      charges: [charge.id],
    },
  ];
}
