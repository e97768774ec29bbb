/** Random histories after which a screen once said something else than the truth, as short as they can be. */

import type { History, Step } from './steps.ts';

/** A step, and how it differs: without a difference it is about the first charge, and fate is kind. */
function step(is: Step['is'], { fate = 'made', charge = 'ch_1', pick = 0 }: Partial<Step> = {}): Step {
  return { is, fate, charge, pick, look: 1 };
}

const refund = (by: 'ana' | 'bob', fate: Step['fate'] = 'made', charge: Step['charge'] = 'ch_1') =>
  step(`${by} refunds`, { fate, charge });
const byHand = (scope: History['scope'], ...steps: readonly Step[]): History => ({
  scope,
  by: 'hand',
  steps,
});
const byPlan = (...steps: readonly Step[]): History => ({ scope: 'part', by: 'plan', steps });
const isMade = step('ana settles');
const arrives = step('what was late arrives');
const isStrange = step('a refund gets a strange status');
const fails = step('a refund fails');
const othersRefund = step('somebody else refunds');
const vanishes = step('a refund vanishes');
const isNowMade = step('a pending refund is made');
const looks = step('ana looks');
const acknowledges = step('ana acknowledges');
const failsAndStays = step('a refund fails, and the sums stay');

/** By what went wrong, and on which screens. */
export const found: readonly (readonly [claim: string, history: History, where: RegExp])[] = [
  [
    'a repeat says that the refund failed before the next read is due',
    byHand('part', refund('ana'), step('time passes'), looks, fails),
    /--idempotency-key|reconcile CHANGE/,
  ],
  [
    'a repeat says that the refund is gone before the next read is due',
    byHand('part', refund('ana'), step('time passes'), looks, vanishes),
    /--idempotency-key|reconcile CHANGE/,
  ],
  [
    'a repeat says that the refund was made twice before the next read is due',
    byHand('part', refund('ana'), step('time passes'), looks, step('the service doubles it')),
    /--idempotency-key|reconcile CHANGE/,
  ],
  [
    'a repeat says that one of two refunds has a status that nobody knows',
    byHand('whole', refund('ana', 'reply lost'), looks, isStrange),
    /--idempotency-key/,
  ],
  [
    'what was recorded as made and shows with a status that nobody knows is unconfirmed',
    byHand('part', refund('ana', 'late'), isMade, arrives, isStrange),
    /orders show|journal show/,
  ],
  [
    'what was recorded as made and shows as failed has failed',
    byHand('part', refund('ana', 'late'), isMade, arrives, fails),
    /orders show|--dry-run/,
  ],
  [
    'two refunds that were recorded as made stand on the screen of the order',
    byHand('part', refund('ana', 'lost'), isMade, refund('ana', 'lost', 'ch_2'), isMade, othersRefund),
    /orders show/,
  ],
  [
    'a refund that is gone does not hide that a later one was made twice',
    byHand('part', refund('ana'), refund('ana', 'made', 'ch_2'), vanishes, step('the service doubles it')),
    /orders show|journal list/,
  ],
  [
    'a refund that is gone does not hide that a later one failed',
    byHand('part', refund('ana'), refund('ana', 'made', 'ch_2'), vanishes, fails),
    /orders show|journal list/,
  ],
  [
    'what was recorded as made and shows twice is made twice',
    byHand('part', refund('ana', 'late'), isMade, arrives, step('the service doubles it')),
    /orders list|--dry-run|today/,
  ],
  [
    'a refund that shows twice is made twice while another one is unconfirmed',
    byHand(
      'part',
      refund('ana', 'pending'),
      refund('ana', 'pending', 'ch_2'),
      isNowMade,
      isNowMade,
      refund('ana', 'lost', 'ch_2'),
      step('the service doubles it'),
    ),
    /orders export|orders show/,
  ],
  [
    'a screen that is longer than the terminal offers what it offers on a higher one',
    byPlan(
      refund('ana'),
      fails,
      acknowledges,
      refund('ana'),
      refund('bob', 'twice'),
      step('the service doubles it', { pick: 3 }),
      acknowledges,
    ),
    /orders show/,
  ],
  ...[
    ['made twice, and acknowledged', [refund('ana', 'twice'), acknowledges]] as const,
    ['failed, and acknowledged', [refund('ana'), fails, acknowledges]] as const,
    ['failed, as the journal knows', [refund('ana'), fails, looks]] as const,
    ['recorded as not made', [refund('ana', 'lost'), step('ana settles', { charge: 'ch_2' })]] as const,
  ].map(
    ([name, steps]) =>
      [
        `a row is unconfirmed while the figures of its order contradict each other: ${name}`,
        byPlan(...steps, refund('ana'), failsAndStays),
        /refunds (?:status|apply)/,
      ] as const,
  ),
  [
    'a refund that was made is unconfirmed at another desk too while the figures of its order contradict each other',
    byHand('part', refund('ana'), refund('bob'), failsAndStays, refund('ana')),
    /journal reconcile/,
  ],
  [
    'of two refunds that were recorded as not made, the one that appeared may not appear any more',
    byHand(
      'part',
      refund('ana', 'late'),
      step('ana settles', { charge: 'ch_2' }),
      refund('ana', 'lost'),
      step('what was late arrives'),
      step('ana settles', { charge: 'ch_2' }),
      refund('ana'),
    ),
    /orders show/,
  ],
  [
    'each of two refunds that were made twice is one, for the buyer too',
    byHand(
      'part',
      refund('ana'),
      refund('ana', 'twice'),
      step('the service doubles it', { look: 109 }),
      refund('ana'),
    ),
    /for-buyer|orders show/,
  ],
  [
    'refunds compare says what went back by the row, whatever somebody else refunded of another charge',
    byHand(
      'part',
      step('somebody else refunds', { charge: 'ch_2' }),
      refund('ana'),
      isStrange,
      refund('ana'),
    ),
    /refunds compare|orders show/,
  ],
  [
    'what was recorded as made is not refunded all the same while another refund is gone',
    byHand('part', refund('ana', 'lost'), isMade, refund('ana', 'made', 'ch_2'), vanishes, refund('ana')),
    /orders refund/,
  ],
  [
    'a refund that was refused is certain, whatever the figures of its order say',
    byHand('part', refund('ana'), refund('bob', 'refused'), failsAndStays),
    /journal reconcile/,
  ],
];
