/** What followed a refund that failed is decided once: the case, the next step, the warning before a refund and the words for the buyer agree. */

import { describe, expect, test } from 'vitest';
import { plainAmounts } from '../../src/amounts.ts';
import { followsWarnings } from '../../src/changes/refund/refund-warnings.ts';
import type { SentRow, VerdictRow } from '../../src/journal/rows/journal-rows.ts';
import {
  afterFailure,
  buyerLine,
  failedAndLeft,
  isFollowed,
  knownOrder,
  wentBackBy,
} from '../../src/orders/orders.ts';
import { chargeOf, type Json, listOf, orderOf, refundOf } from '../harness/orders.ts';
import { attempt, momentAt } from '../journal/rows.ts';

const id = 'ord_1';
const made = 1_790_003_600;

/** The order with these refunds of 300: the status of each. They were made a minute apart. */
function orderWith(statuses: Readonly<Record<string, string | undefined>>) {
  const records = Object.entries(statuses).map(([name, status], index) =>
    refundOf(name, 300, { created_at: made + index * 60, ...(status !== undefined && { status }) }),
  );
  const back = Object.values(statuses).filter((status) => status === undefined).length * 300;
  const changes: Json = {
    payment_status: back === 0 ? 'paid' : 'partially_refunded',
    amount_refunded: back,
    is_refundable: true,
  };
  return orderOf(id, [chargeOf('ch_1', 1200, { refunds: listOf(...records) })], changes);
}

const shownAs = (name: string, status?: string) => ({
  id: name,
  chargeId: 'ch_1',
  amount: -300,
  status,
  createdAt: made,
  authCode: undefined,
});

/** A refund of 300 that was sent at `time`, with the refunds that its order showed right before. */
function sentAt(
  change: string,
  time: number,
  before: readonly ReturnType<typeof shownAs>[],
  verdicts: readonly Partial<VerdictRow>[],
) {
  const { proof } = attempt([]).sent;
  const expected = [{ chargeId: 'ch_1', amount: -300 }];
  const charges = [{ id: 'ch_1', refunds: before }];
  const sent: Partial<SentRow> = {
    change,
    time,
    proof: { ...proof, orderId: id, expected, before: { charges } },
  };
  return attempt(verdicts, sent);
}

const failed = shownAs('rf_1', 'failed');
// It failed at 3000, as far as the journal knows.
const first = sentAt(
  'i_1',
  0,
  [],
  [
    { time: 1000, verdict: 'applied', refunds: [shownAs('rf_1')] },
    { time: 3000, verdict: 'applied', alarm: 'failed', refunds: [failed] },
  ],
);
const besides = sentAt(
  'i_2',
  2000,
  [shownAs('rf_1')],
  [{ time: 2500, verdict: 'applied', refunds: [shownAs('rf_2')] }],
);
const inPlace = sentAt(
  'i_2',
  4000,
  [failed],
  [{ time: 4500, verdict: 'applied', refunds: [shownAs('rf_2')] }],
);

function answers(statuses: Parameters<typeof orderWith>[0], attempts: Parameters<typeof knownOrder>[1]) {
  const known = knownOrder(orderWith(statuses), attempts, momentAt(10_000));
  if ('problem' in known.reading) throw new Error(known.reading.problem);
  const { money } = known.reading;
  const [charge] = money.charges;
  const expected = [{ chargeId: 'ch_1', amount: -300 }];
  const lost = Object.entries(statuses).flatMap(([name, status]) => (status === 'failed' ? name : []));
  const change = { expected } as unknown as Parameters<typeof followsWarnings>[0]['change'];
  return {
    first: known.first,
    after: afterFailure(known, { refunds: lost }),
    left: charge === undefined ? [] : failedAndLeft(known, charge).map((one) => one.id),
    isFollowed: known.cases.filter(({ is }) => is === 'failed').every((one) => isFollowed(known, one)),
    warning: followsWarnings({ change, money }, { attempts, shortTime: String }),
    buyer: buyerLine(known, { language: 'en', amounts: plainAmounts, zone: 'UTC' }),
  };
}

const lost = 'The refund of 300 MXN to your Visa card ending in 4242 did not go through';
const replaced = 'The first refund of 300 MXN to your Visa card ending in 4242 did not go through, so';

test('of an order whose money cannot be read, a refund that failed did not go back', () => {
  const hidden = { ...orderWith({}), charges: undefined };
  const went = wentBackBy(knownOrder(hidden, [first, inPlace], momentAt(10_000)));
  expect(went.map(({ sent }) => sent.change)).toEqual(['i_2']);
});

describe('a refund of 300 that failed, and another 300', () => {
  test('sent before anybody saw that: the first 300 are left, and everything says so', () => {
    expect(answers({ rf_1: 'failed', rf_2: undefined }, [first, besides])).toMatchObject({
      first: 'failed',
      after: { is: 'left' },
      left: ['rf_1'],
      isFollowed: false,
      warning: ['this sends again rf_1, which failed (seen 3000)'],
      buyer: expect.stringContaining(lost),
    });
  });

  test('sent after that: they replace the first, and nothing offers to send them again', () => {
    const found = answers({ rf_1: 'failed', rf_2: undefined }, [first, inPlace]);
    expect(found).toMatchObject({
      first: undefined,
      after: { is: 'went back since', refunds: ['rf_2'] },
      left: [],
      isFollowed: true,
      warning: [],
    });
    expect(found.buyer).toContain(replaced);
  });

  test('sent after that, though only the look before the sending saw it: they replace it too', () => {
    const watched = { ...first, verdicts: first.verdicts.slice(0, 1) };
    expect(answers({ rf_1: 'failed', rf_2: undefined }, [watched, inPlace])).toMatchObject({
      after: { is: 'went back since', refunds: ['rf_2'] },
      left: [],
      isFollowed: true,
    });
  });

  test('that is pending: the money is on its way, and is not sent a third time', () => {
    expect(answers({ rf_1: 'failed', rf_2: 'pending' }, [first, inPlace])).toMatchObject({
      first: 'pending',
      after: { is: 'on its way', refunds: ['rf_2'] },
      left: [],
      warning: [],
      buyer: `${replaced} we sent it again: A refund of 300 MXN to your Visa card ending in 4242 is under way. It is not complete yet.`,
    });
  });

  test('that replaces one of two: the other one is left', () => {
    expect(answers({ rf_1: 'failed', rf_2: 'failed', rf_3: undefined }, [])).toMatchObject({
      after: { is: 'left in part', refunds: ['rf_3'] },
      left: ['rf_2'],
      warning: ['this sends again rf_2, which failed'],
    });
  });
});
