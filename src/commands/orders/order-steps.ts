/** What to do next about an order, as the last lines of its screen: commands that go through, or why there is none. Pure. */

import type { Service } from '../../api/api.ts';
import { type ChargeMoney, hasNoCharges, refundableCharges } from '../../api/charges.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { paymentOf } from '../../api/payment.ts';
import {
  caseSteps,
  closingSteps,
  limitAt,
  messagesIn,
  replyWords,
  roleWords,
  type WaitingRequest,
} from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import { type AttemptRecord, attemptName, changeKinds, changeOf } from '../../journal/journal.ts';
import {
  isFollowed,
  isSettled,
  type KnownOrder,
  type KnownTwin,
  lastRefused,
  leftBesides,
  mayGoBack,
  recordedMade,
  stateSpan,
  type Unfit,
  warnsOfTwin,
} from '../../orders/orders.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import type { Block, Span } from '../../terminal/terminal.ts';
import { payLink } from './order-items.ts';
import { type Next, refundBesides, refundRest, refundSteps, type Step, stepLines } from './refund-steps.ts';

/** What is known besides the order itself. `own`: the order as one of its twins. */
interface OrderBesides {
  readonly twins: readonly KnownTwin[];
  readonly own: KnownTwin | undefined;
  readonly waiting: readonly WaitingRequest[];
}

/** While a case is open, only what is not part of it is offered; what would be refused is never offered. */
export function whatNext(
  ctx: Context,
  known: KnownOrder,
  service: Pick<Service, 'profile' | 'seenDate'>,
  { twins, own, waiting }: OrderBesides,
): Next {
  const { profile } = service;
  const { cases, reading, unfit, whyNot } = known;
  const closing = closingSteps(known);
  const warned = (text: string): Span => ({ text, style: 'warn' });
  const next = (word: Span, steps: readonly Block[]): Next => ({
    word: firstWord(known, word) ?? word,
    steps: [...sentAgain.flatMap((one) => caseSteps(ctx, one, known)), ...steps, ...closing],
  });
  const sentAgain = cases.filter((one) => one.is !== 'failed' && isFollowed(known, one));
  const first = cases.find((one) => one.is !== 'failed' && !sentAgain.includes(one));
  if (first !== undefined)
    return next(first.is, [...caseSteps(ctx, first, known), ...otherCharges(ctx, known, service)]);
  if (unfit?.is === 'authorized')
    return next(unfit.why, roleSteps('capture', profile) ?? captureSteps(known, profile));
  if (whyNot !== undefined || 'problem' in reading)
    return next(whyNotWord(unfit), [
      ...whyNotSteps(known, profile),
      ...payAgainSteps(known.order, ctx.clock.now()),
    ]);
  // Another refund beside it would send the same money again.
  const [request] = waiting;
  if (request !== undefined)
    return next(warned(request.word), [
      'blank',
      ...waiting.flatMap(({ next: [who, command] }): Block[] => [
        { line: `${who}:` },
        { line: command, indent: 2 },
      ]),
    ]);
  // The buyer has one of two payments back. Somebody who wants to pay back this one too is asked first.
  const settled = twins.find(isSettled);
  if (settled !== undefined) {
    const went = settled.isBack ? 'went back' : 'is recorded as refunded by hand';
    return next(warned(`its twin ${settled.isBack ? 'was refunded' : 'is recorded as refunded'}`), [
      'blank',
      { line: `one of the two payments ${went}: refund this one too only if both should` },
    ]);
  }
  const open = twins.find(mayGoBack);
  if (open !== undefined)
    return next(warned('check its twin first'), [
      'blank',
      { line: 'a refund of its twin may go through: refund this one too only if both should. First:' },
      { line: commandLine(profile, 'orders', 'show', open.id), indent: 2 },
    ]);
  const role = roleSteps('refund', profile);
  if (role !== undefined) return next(warned('your role may not refund it'), role);
  const { word, steps } = refundSteps(known, reading.money, { service, nowMs: ctx.clock.now() });
  // Two payments are there, and the buyer wants one of them back. An order that was dealt with before has more to say than that.
  const isUntouched = known.refunds.length + known.attempts.length === 0;
  const isPair = isUntouched && twins.some((twin) => warnsOfTwin(twin, { own }));
  return next(isPair ? warned('check its twin first') : word, [
    'blank',
    ...refusedSteps(ctx, known),
    ...(isPair ? [{ line: 'if it is this order, and not its twin, that the buyer wants refunded:' }] : []),
    ...steps,
  ]);
}

// What a person must know first; undefined if there is nothing. A failed refund does not stop other refunds, so the word for the
// next step is shown next to it. `not refundable` is for lists, which have no such word.
function firstWord({ cases, first, order, whyNot }: KnownOrder, next: Span): Span | undefined {
  if (first === 'pending') return stateSpan(first, 'refund pending');
  if (first === undefined || first === 'ask your lead' || first === 'not refundable')
    return whyNot === undefined && order.is_refundable === undefined ? 'refundable: not shown' : undefined;
  const open = cases.find((one) => one.is === 'unconfirmed');
  const besides = first === 'failed' && typeof next !== 'string' && 'text' in next ? `, ${next.text}` : '';
  const what = first === 'failed' ? 'refund failed' : first;
  const text = open === undefined ? `${what}${besides}` : `${changeKinds[open.change.kind].noun} ${first}`;
  return stateSpan(first, text);
}

// Offers refunds besides those that a person recorded. A record blocks only its own charges. If it says "not made", it blocks only
// its own amount of them.
function otherCharges(
  ctx: Context,
  known: KnownOrder,
  service: Pick<Service, 'profile' | 'seenDate'>,
): readonly Block[] {
  const { cases, reading, unfit } = known;
  const made = recordedMade(known);
  const late = cases.flatMap((one) => (one.is === 'recorded not made' ? one.record : []));
  const isOf = ({ id }: ChargeMoney, { sent }: AttemptRecord) =>
    sent.proof.expected.some(({ chargeId }) => chargeId === id);
  const isStopped = cases.some(
    ({ is }) => is !== 'recorded made' && is !== 'recorded not made' && is !== 'failed',
  );
  if (made.length + late.length === 0 || isStopped || unfit !== undefined || 'problem' in reading) return [];
  const { money } = reading;
  return refundableCharges(money)
    .flatMap((charge): readonly Step[] => {
      if (made.some((record) => isOf(charge, record))) return [];
      if (!late.some((record) => isOf(charge, record)))
        return [refundRest(charge, money, known, service.profile)];
      const besides = leftBesides(charge, late);
      return besides === 0 ? [] : [refundBesides(charge, besides, money, service.profile)];
    })
    .filter(({ amount }) => limitAt(amount, money, known, { service, nowMs: ctx.clock.now() }) === undefined)
    .flatMap((step) => stepLines(step));
}

// Replaces the commands if the role of the account, or of the member of a team, does not allow them.
function roleSteps(kind: 'refund' | 'capture', profile: Profile): readonly Block[] | undefined {
  const problem = roleWords(kind, profile);
  return problem === undefined ? undefined : ['blank', { line: problem, hang: 2 }];
}

function captureSteps({ order, neverArrived }: KnownOrder, profile: Profile): readonly Block[] {
  const again = neverArrived.flatMap((record) => ['--again', attemptName(record)]);
  return [
    'blank',
    {
      line: 'if the buyer cancelled, do not capture it: your shop can release it at the bank, else it lapses; the service does not say when',
      hang: 2,
    },
    { line: 'if the buyer gets the goods, charge it:' },
    { line: commandLine(profile, 'orders', 'capture', String(order.id), ...again), indent: 2 },
  ];
}

function whyNotWord(unfit: Unfit | undefined): Span {
  if (unfit?.is === 'not paid') return 'not paid';
  return unfit?.is === 'refunded' ? 'nothing left' : 'cannot be refunded';
}

// Reasons that only the service can change.
const ofService: readonly (Unfit['is'] | undefined)[] = ['unreadable', 'in doubt', 'not allowed', 'no mode'];

// What to tell a buyer who asks for money that cannot be sent now.
function whyNotSteps({ order, refunds, unfit, whyNot }: KnownOrder, profile: Profile): readonly Block[] {
  if (refunds.some(({ state }) => state === 'pending'))
    return [
      'blank',
      { line: 'the service has taken up a refund and has not made it yet; look again later:' },
      { line: commandLine(profile, 'orders', 'show', String(order.id)), indent: 2 },
    ];
  if (unfit?.is === 'refunded' || unfit?.is === 'not paid') return [];
  return [
    'blank',
    { line: `cannot be refunded: ${whyNot ?? ''}`, hang: 2 },
    ...(ofService.includes(unfit?.is) ? [{ line: 'ask whoever runs the service' }] : []),
  ];
}

// Somebody who sends the same refund again should know that it was refused before.
function refusedSteps(ctx: Context, known: KnownOrder): readonly Block[] {
  const refused = lastRefused(known);
  if (refused?.record.sent.proof.kind !== 'refund') return [];
  const { sent } = refused.record;
  const what = changeOf(refused.record, ctx.profiles.amountStyle(sent.profile));
  const [why = replyWords(refused.refusal)] = messagesIn(refused.refusal.details);
  return [{ line: `the ${what} of ${ctx.shortTime(sent.time)} was refused: ${why}`, hang: 2 }];
}

// The steps for an order that nobody has paid.
function payAgainSteps(order: JsonObject, now: number): readonly Block[] {
  const found = paymentOf(order).isPaid ? undefined : payLink(order, now);
  if (found === undefined) return [];
  if ('over' in found)
    return [
      'blank',
      { line: `no money was taken: the link is ${found.over}, and nobody can pay with it any more` },
    ];
  const again = hasNoCharges(order) ? '' : ' again';
  return [
    'blank',
    { line: `no money was taken; the buyer can pay${again} with the link:` },
    { line: found.link, indent: 2 },
  ];
}
