/** The rows of one order, turned into rows of a plan. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OrderOfRows, RowsAsked } from '../../../src/changes/bulk/plan/plan-row.ts';
import { planRows } from '../../../src/changes/bulk/plan/plan-rows.ts';
import { decideRefund } from '../../../src/changes/refund/decide-refund.ts';
import type { AttemptRecord } from '../../../src/journal/rows/journal-rows.ts';
import { knownOrder } from '../../../src/orders/known-order.ts';
import { rowKey } from '../../../src/plans/plan-lines.ts';
import type { InputRow } from '../../../src/plans/plan-types.ts';
import { chargeOf, type Json, listOf, orderOf, refundOf, withRefund } from '../../harness/orders.ts';
import { profileInUse } from '../../harness/profile-in-use.ts';
import { attempt } from '../../journal/rows.ts';
import { order, splitOrder } from '../../refunds/refund-service.ts';
import { attemptAt, inputRow, refund } from './plan-parts.ts';

const profile = profileInUse('http://localhost:1');
const { origin, mode } = profile;
const key = (row: Partial<Parameters<typeof rowKey>[0]>) =>
  rowKey({ origin, mode, orderId: 'ord_1', chargeId: undefined, amount: 'full', ref: '', ...row });

function plan(
  rows: readonly Partial<InputRow>[],
  read: Partial<OrderOfRows> = {},
  asked: Partial<RowsAsked> = {},
) {
  const { order: shown = order('ord_1'), attempts = [] } = read;
  return planRows(
    rows.map(inputRow),
    {
      id: 'ord_1',
      order: order('ord_1'),
      neighbour: 'ord_0',
      attempts: [],
      isOpen: () => false,
      twins: [],
      known: knownOrder(shown, attempts, { time: 0, wall: 0, mono: 0, skewed: false }),
      ...read,
    },
    {
      profile,
      planId: 'p_new1',
      allocation: undefined,
      allowed: [],
      again: [],
      nowMs: 0,
      moreOf: () => [],
      ...asked,
    },
  );
}

it('a row that can be sent has its body, what must appear, its sum and how the order was', () => {
  expect(plan([{ amount: 100, ref: 'a' }])).toMatchObject([
    {
      state: 'ready',
      chargeId: undefined,
      key: key({ amount: 100, ref: 'a' }),
      sum: 100,
      currency: 'MXN',
      body: { charge_id: 'ch_ord_1', amount: 100 },
      expected: [{ chargeId: 'ch_ord_1', amount: -100 }],
      before: { amount: 35_000, amountRefunded: 0 },
      neighbour: 'ord_0',
    },
  ]);
});

it.each([
  ['its number', '1'],
  ['its id', 'ch_ord_1'],
  ['its card', '*4242'],
])('a charge by %s is the same row', (_, charge) => {
  expect(plan([{ charge, amount: 5 }])).toMatchObject([
    { charge, chargeId: 'ch_ord_1', key: key({ chargeId: 'ch_ord_1', amount: 5 }) },
  ]);
});

it('rows of one order are planned one after the other: the money of the first is gone for the second', () => {
  expect(
    plan([
      { amount: 34_000, ref: 'a' },
      { amount: 1000, ref: 'b' },
      { amount: 1, ref: 'c' },
    ]),
  ).toMatchObject([
    { state: 'ready' },
    { state: 'ready' },
    { state: 'impossible', why: 'line 2 of this file takes all that is left' },
  ]);
  expect(
    plan([
      { amount: 34_000, ref: 'a' },
      { amount: 1001, ref: 'b' },
      { amount: 1000, ref: 'c' },
    ]),
  ).toMatchObject([
    { state: 'ready' },
    {
      state: 'impossible',
      why: 'line 2 of this file takes so much that only 1000 of 1001 MXN is left for this row',
    },
    { state: 'ready' },
  ]);
});

it('rows before it are no warning, a refund of somebody else is', () => {
  const marks = (rows: ReturnType<typeof plan>) => rows.map((row) => row.marks);
  const two = [
    { amount: 5, ref: 'a' },
    { amount: 5, ref: 'b' },
  ];
  expect(marks(plan(two))).toEqual([[], []]);
  const touched = withRefund(order('ord_1'), refundOf('rf_1', 7), 7);
  const warning = ['this charge was refunded before: 7 MXN, rf_1; the buyer may mean that refund'];
  expect(marks(plan(two, { order: touched }))).toEqual([warning, warning]);
});

describe('what the journal knows', () => {
  const at = (verdict: Parameters<typeof attemptAt>[0], sent: Parameters<typeof attemptAt>[1] = {}) =>
    attemptAt(verdict, {
      idempotencyKey: key({ amount: 5 }),
      plan: 'p_old1',
      amount: 5,
      currency: 'MXN',
      ...sent,
    });

  it.each([
    ['applied', at({ verdict: 'applied' }), 'done'],
    ['sent, and nothing known yet', at(undefined), 'unconfirmed'],
    ['unknown', at({ verdict: 'unknown' }), 'unconfirmed'],
    ['not seen', at({ verdict: 'not_seen' }), 'unconfirmed'],
    ['refused', at({ verdict: 'rejected', confirmed: true }), 'ready'],
    ['not sent', at({ verdict: 'not_sent' }), 'ready'],
  ] as const)('a row that was %s', (_, record, state) => {
    expect(plan([{ amount: 5 }], { attempts: [record] })).toMatchObject([{ state }]);
  });

  it('a row that was applied stays done if its order cannot be read', () => {
    const attempts = [at({ verdict: 'applied' })];
    expect(plan([{ amount: 5 }], { attempts, order: undefined })).toMatchObject([{ state: 'done', sum: 5 }]);
    expect(
      plan([{ amount: 6 }], { attempts, order: undefined, missing: 'it is not among them' }),
    ).toMatchObject([{ state: 'impossible', why: 'it is not among them' }]);
  });

  it('an open change of the order that is no row of a plan must be cleared up first', () => {
    const open = attemptAt(undefined, { idempotencyKey: undefined, plan: undefined, change: 'i_9' });
    expect(plan([{ amount: 5 }], { attempts: [open], isOpen: () => true })).toMatchObject([
      { state: 'look', why: expect.stringContaining('paydesk journal reconcile i_9') },
    ]);
  });
});

// ── Repeats ─────────────────────────────────────────────────────────────────────────────────────

describe('a refund that was made before', () => {
  const charge = 'ch_ord_1';
  const once = withRefund(order('ord_1'), refundOf('rf_1', 5, { created_at: 100 }), 5);
  const proof = {
    kind: 'refund',
    orderId: 'ord_1',
    livemode: false,
    body: {},
    expected: [{ chargeId: charge, amount: -5 }],
    tolerated: [],
    before: { charges: [{ id: charge, refunds: [] }] },
  } as const;
  const made = (sent: Parameters<typeof attemptAt>[1]): AttemptRecord =>
    attemptAt(
      { verdict: 'applied', refunds: [refund('rf_1', -5, charge)] },
      { plan: 'p_old1', proof, ...sent },
    );
  const rowA = made({ idempotencyKey: key({ amount: 5, ref: 'a' }), ref: 'a' });

  it('of the same amount must be named, and the row says how', () => {
    expect(plan([{ amount: 5 }], { order: once })).toMatchObject([
      {
        state: 'impossible',
        why: 'charge 1 of ord_1 has a refund of 5 already, rf_1: if the buyer should get the same amount once more, add --again rf_1',
      },
    ]);
    expect(plan([{ amount: 5 }], { order: once }, { again: ['rf_1'] })).toMatchObject([
      { state: 'ready', again: ['rf_1'] },
    ]);
  });

  it('of several the newest must be named', () => {
    const twice = withRefund(once, refundOf('rf_2', 5, { created_at: 200 }), 5);
    const why = (again: readonly string[]) => plan([{ amount: 5 }], { order: twice }, { again })[0]?.why;
    expect(why(['rf_1'])).toContain('add --again rf_2');
    expect(why(['rf_2'])).toBeUndefined();
  });

  it('of another amount, by another plan, must be named too', () => {
    const attempts = [made({ idempotencyKey: 'row/other' })];
    expect(plan([{ amount: 6 }], { order: once, attempts })).toMatchObject([
      {
        state: 'impossible',
        why: 'rf_1 refunded this charge before with 5 (plan p_old1): if it should get this refund too, add --again rf_1',
      },
    ]);
    expect(plan([{ amount: 6 }], { order: once, attempts }, { again: ['rf_1'] })).toMatchObject([
      { state: 'ready', again: [] },
    ]);
    expect(plan([{ amount: 6 }], { order: once, attempts }, { planId: 'p_old1' })).toMatchObject([
      { state: 'ready' },
    ]);
  });

  it.each([
    ['the order shows', 'failed', 'made', 'ready'],
    // The order hides it, so a person looks first.
    ['only the journal knows', undefined, 'failed', 'look'],
  ] as const)('by another plan need not be named once it failed, as %s', (_, shown, recorded, state) => {
    const status = shown === undefined ? {} : { status: shown };
    const failed =
      shown === undefined ? order('ord_1') : withRefund(order('ord_1'), refundOf('rf_1', 5, status), 0);
    const refunds = [
      { ...refund('rf_1', -5, charge), ...(recorded === 'failed' ? { status: 'failed' } : {}) },
    ];
    const attempts = [
      attemptAt({ verdict: 'applied', refunds }, { plan: 'p_old1', proof, idempotencyKey: 'row/other' }),
    ];
    expect(plan([{ amount: 6 }], { order: failed, attempts })).toMatchObject([{ state }]);
  });

  it('by somebody else, and seen by a later read of it, is not its own', () => {
    const attempts = [
      attempt(
        [
          { verdict: 'applied', refunds: [refund('rf_1', -5, charge)] },
          {
            verdict: 'applied',
            by: 'read',
            refunds: [refund('rf_9', -7, charge), refund('rf_1', -5, charge)],
          },
        ],
        { plan: 'p_old1', proof, idempotencyKey: 'row/other' },
      ),
    ];
    const both = withRefund(once, refundOf('rf_9', 7, { created_at: 200 }), 7);
    expect(plan([{ amount: 6 }], { order: both, attempts })).toMatchObject([
      {
        why: 'rf_1 refunded this charge before with 5 (plan p_old1): if it should get this refund too, add --again rf_1',
      },
    ]);
  });

  it('by another row of the file is no repeat; the journal is told of it once', () => {
    const rows = [
      { amount: 5, ref: 'a' },
      { amount: 5, ref: 'b' },
      { amount: 5, ref: 'c' },
    ] as const;
    const planned = plan(rows, { order: once, attempts: [rowA] });
    expect(planned.map(({ state, again }) => [state, again])).toEqual([
      ['done', []],
      ['ready', ['rf_1']],
      ['ready', []],
    ]);
  });

  it('by another row of the same plan needs no name', () => {
    const rows = [
      { amount: 5, ref: 'a' },
      { amount: 5, ref: 'b' },
    ] as const;
    const planned = plan(rows, { order: once, attempts: [rowA] }, { planId: 'p_old1' });
    expect(planned.map(({ state, again }) => [state, again])).toEqual([
      ['done', []],
      ['ready', []],
    ]);
  });

  it('whose name an earlier sending used up must be named anew', () => {
    const used = attemptAt(
      { verdict: 'rejected', confirmed: true },
      { idempotencyKey: 'row/other', again: ['rf_1'] },
    );
    const row = [{ amount: 5, ref: 'b' }] as const;
    const why = (attempts: readonly AttemptRecord[]) =>
      plan(row, { order: once, attempts }, { again: ['rf_1'] })[0]?.why;
    expect(why([used])).toContain('add --again rf_1');
    expect(
      why([attemptAt({ verdict: 'not_sent' }, { idempotencyKey: 'row/other', again: ['rf_1'] })]),
    ).toBeUndefined();
    expect(
      why([
        attemptAt(
          { verdict: 'rejected', confirmed: true },
          { idempotencyKey: key({ amount: 5, ref: 'b' }), again: ['rf_1'] },
        ),
      ]),
    ).toBeUndefined();
  });
});

// ── Parts ───────────────────────────────────────────────────────────────────────────────────────

it('parts of an amount add up to it, whatever the charges are', () => {
  const amounts = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 2, maxLength: 5 });
  fc.assert(
    fc.property(
      amounts,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom('in-order', 'largest-first'),
      (charges, share, allocation) => {
        const all = charges.reduce((sum, one) => sum + one, 0);
        const amount = Math.max(1, Math.round(all * share));
        const split: Json = splitOrder('ord_1', ...charges);
        const parts = plan([{ amount }], { order: split }, { allocation });
        expect(parts.reduce((sum, part) => sum + part.sum, 0)).toBe(amount);
        expect(new Set(parts.map(({ chargeId }) => chargeId)).size).toBe(parts.length);
        for (const { state, sum, chargeId, partOf } of parts) {
          expect(state).toBe('ready');
          expect(partOf).toBe(key({ amount }));
          expect(sum).toBeGreaterThan(0);
          expect(sum).toBeLessThanOrEqual(charges[Number(chargeId?.slice(3)) - 1] ?? 0);
        }
      },
    ),
  );
});

it('a refund that failed is no reason to ask about the same amount once more', () => {
  const failed = refundOf('rf_1', 5, { status: 'failed' });
  const [row] = plan([{ amount: 5 }], { order: withRefund(order('ord_1'), failed, 0) });
  expect(row).toMatchObject({ state: 'ready', why: undefined });
});

it.each([
  ['failed', 0, []],
  [
    'pending',
    5,
    [
      '5 of 35000 MXN is pending: full means the rest',
      'this charge has a pending refund: 5 MXN, rf_1; the buyer may mean that refund',
    ],
  ],
] as const)('a refund that is %s did not go back, and no mark of a row says so', (status, amount, marks) => {
  const shown = withRefund(order('ord_1'), refundOf('rf_1', 5, { status }), amount);
  expect(plan([{ amount: 'full' }], { order: shown })).toMatchObject([{ marks }]);
});

it('the command for a charge names no refund that failed', () => {
  const failed = refundOf('rf_1', 5, { status: 'failed' });
  const split = orderOf('ord_1', [chargeOf('ch_1', 50, { refunds: listOf(failed) }), chargeOf('ch_2', 50)]);
  const asked = { charge: undefined, amount: 5, again: [], reason: undefined, note: undefined };
  const times = { counting: { nowMs: 0, unshown: [] }, anyMode: true };
  expect(() => decideRefund(asked, split, profile, times)).toThrow(
    expect.objectContaining({
      parts: expect.objectContaining({
        now: expect.arrayContaining(['  paydesk -p shop-mx orders refund ord_1 --charge 1 --amount 5']),
      }),
    }),
  );
});
