/** The rows of a file beside the refunds of their orders. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareRecord } from '../../../src/commands/compare/refund-columns.ts';
import { type Compared, type CompareRules, compareOrder } from '../../../src/commands/compare/refund-rows.ts';
import type { AttemptRecord } from '../../../src/journal/journal.ts';
import {
  type KnownOrder,
  type KnownRefund,
  knownOrder,
  type RefundState,
} from '../../../src/orders/orders.ts';
import type { InputRow } from '../../../src/plans/plan-types.ts';
import { chargeOf, type Json, listOf, orderOf, refundOf } from '../../harness/orders.ts';
import { inputRow } from './plan-parts.ts';

/** An order with a charge of 1000 for each list of refunds. */
function orderWith(...refunds: readonly (readonly number[])[]): Json {
  const charges = refunds.map((amounts, index) =>
    chargeOf(`ch_${index + 1}`, 1000, {
      refunds: listOf(...amounts.map((amount, at) => refundOf(`rf_${index + 1}${at + 1}`, amount))),
    }),
  );
  const all = refunds.flat().reduce((sum, one) => sum + one, 0);
  return orderOf('ord_1', charges, { amount_refunded: all });
}

const rules: CompareRules = {
  keyOf: ({ chargeId = 'any', amount, ref }) => `${chargeId} ${amount} ${ref}`,
  senderOf: () => 'elsewhere',
  range: undefined,
  settings: { 'amounts.decimals': {}, 'amounts.grouping': 'off' } as CompareRules['settings'],
};
const now = { time: 0, wall: 0, mono: 0, skewed: false };

/** A refund of 100 of the first charge that this machine sent, and that the order does not show. */
function unshown(
  changes: { state?: RefundState; mayAppear?: boolean; key?: string; before?: readonly string[] } = {},
) {
  const { state = 'unconfirmed', mayAppear = true, key, before = [] } = changes;
  const proof = {
    expected: [{ chargeId: 'ch_1', amount: -100 }],
    before: { charges: [{ refunds: before.map((id) => ({ id })) }] },
  };
  const attempt = {
    sent: { change: 'i_1', idempotencyKey: key, proof },
    verdicts: [],
  } as unknown as AttemptRecord;
  return {
    state,
    record: undefined,
    charge: undefined,
    amount: 100,
    attempt,
    mayAppear,
  } satisfies KnownRefund;
}

function compare(order: Json, rows: readonly Partial<InputRow>[], ...more: readonly KnownRefund[]) {
  const read = knownOrder(order, [], now);
  const known: KnownOrder = { ...read, refunds: [...read.refunds, ...more] };
  return compareOrder('ord_1', rows.map(inputRow), known, rules);
}

const words = (all: readonly Compared[]) => all.map(({ verdict, refunded }) => `${verdict} ${refunded}`);

it.each<[string, readonly number[][], readonly Partial<InputRow>[], readonly string[]]>([
  ['nothing went back', [[]], [{ amount: 100 }], ['not_refunded 0']],
  ['all of it went back', [[1000]], [{}], ['refunded 1000']],
  ['a blank amount means the whole order', [[400, 600]], [{ amount: undefined }], ['refunded 1000']],
  ['less went back', [[40]], [{ amount: 100 }], ['in_part 40']],
  ['more went back', [[60, 60]], [{ amount: 100 }], ['more 120']],
  ['in two parts, to the unit', [[60, 40]], [{ amount: 100 }], ['refunded 100']],
  [
    'each row has its own refund',
    [[100, 40]],
    [{ amount: 40 }, { amount: 100 }],
    ['refunded 40', 'refunded 100'],
  ],
  [
    'equal rows need two refunds',
    [[100]],
    [{ amount: 100 }, { amount: 100 }],
    ['refunded 100', 'twice_in_file 0'],
  ],
  [
    'one refund more than the rows',
    [[100, 5]],
    [{ amount: 100 }, { amount: 70 }],
    ['refunded 100', 'in_part 5'],
  ],
  [
    'what no row has claimed is more',
    [[100, 70, 5]],
    [{ amount: 100 }, { amount: 70 }],
    ['refunded 100', 'more 75'],
  ],
  ['a charge by its number', [[100], [7]], [{ charge: '2', amount: 7 }], ['refunded 7']],
  [
    'a charge by its id, and another is not its own',
    [[100], []],
    [{ charge: 'ch_2', amount: 100 }],
    ['not_refunded 0'],
  ],
  ['a charge that is not there', [[100]], [{ charge: 'ch_9' }], ['not_found 0']],
  ['a card of two charges', [[], []], [{ charge: '*4242' }], ['not_found 0']],
])('%s', (_, refunds, rows, expected) => {
  expect(words(compare(orderWith(...refunds), rows))).toEqual(expected);
});

it.each<[string, Json, readonly Partial<InputRow>[], readonly string[]]>([
  ['nothing is shown', orderWith([]), [{ amount: 100 }], ['unconfirmed 0']],
  ['a part is shown', orderWith([50]), [{ amount: 100 }], ['unconfirmed 50']],
  ['as much is shown, which may be another refund', orderWith([100]), [{ amount: 100 }], ['unconfirmed 100']],
  ['more is shown', orderWith([101]), [{ amount: 100 }], ['unconfirmed 101']],
  [
    'the other row of the charge is short of it',
    orderWith([100]),
    [{ amount: 100 }, { amount: 100 }],
    ['refunded 100', 'unconfirmed 0'],
  ],
  [
    'a row of another charge has all that it wants',
    orderWith([], [7]),
    [
      { charge: '1', amount: 100 },
      { charge: '2', amount: 7 },
    ],
    ['unconfirmed 0', 'refunded 7'],
  ],
  [
    'a row of another charge is short of money',
    orderWith([], []),
    [{ charge: '2', amount: 7 }],
    ['unconfirmed 0'],
  ],
])('an unconfirmed refund of a charge: %s', (_, order, rows, expected) => {
  expect(words(compare(order, rows, unshown()))).toEqual(expected);
});

it('a row that waits for another row of its order is not refunded, and says which row that is', () => {
  const rows = [
    { charge: '1', amount: 100, line: 2 },
    { charge: '2', amount: 7, line: 3 },
  ];
  const compared = compare(orderWith([], []), rows, unshown({ key: 'ch_1 100 ' }));
  expect(words(compared)).toEqual(['unconfirmed 0', 'not_refunded 0']);
  expect(compared[1]?.why).toBe('waits for line 2, which is unconfirmed');
});

it('a refund that was there before a row was sent does not stand for the refund of that row', () => {
  const own = { key: 'any 100 ', before: ['rf_11'] };
  const rows = [{ amount: 100 }];
  const both = [{ amount: 100 }, { amount: 100, ref: 'b' }];
  expect(words(compare(orderWith([100]), rows, unshown(own)))).toEqual(['unconfirmed 0']);
  expect(words(compare(orderWith([40]), rows, unshown(own)))).toEqual(['unconfirmed 0']);
  expect(words(compare(orderWith([100]), rows, unshown({ ...own, state: 'recorded made' })))).toEqual([
    'recorded_made 0',
  ]);
  expect(words(compare(orderWith([40]), rows, unshown({ ...own, state: 'recorded made' })))).toEqual([
    'recorded_made 0',
  ]);
  expect(words(compare(orderWith([100]), both, unshown(own)))).toEqual(['unconfirmed 0', 'refunded 100']);
  expect(words(compare(orderWith([100, 5]), rows, unshown(own)))).toEqual(['unconfirmed 5']);
});

it('a refund that never arrived decides nothing: the row says it', () => {
  const old = { mayAppear: false };
  expect(words(compare(orderWith([]), [{ amount: 100 }], unshown(old)))).toEqual(['not_refunded 0']);
  expect(words(compare(orderWith([100]), [{ amount: 100 }], unshown(old)))).toEqual(['refunded 100']);
  const own = compare(orderWith([100]), [{ amount: 100 }], unshown({ ...old, key: 'any 100 ' }));
  expect(words(own)).toEqual(['refunded 100']);
  expect(own[0]?.why).toContain('never arrived');
});

it('an order whose charges are not shown is there: nothing shows a refund, or the order says how much', () => {
  const { charges: _, ...bare } = orderWith([]);
  const { payment_status: __, ...unpaid } = bare;
  const said = (order: Json, ...known: readonly KnownRefund[]) =>
    compare(order, [{ amount: 100 }], ...known).map(({ verdict, why }) => [verdict, why]);
  expect(said(unpaid)).toEqual([['not_shown', 'the order shows no charges: nothing shows a refund']]);
  expect(said({ ...bare, amount_refunded: 5 })).toEqual([
    ['not_shown', expect.stringMatching(/charges.*: amount_refunded is 5$/)],
  ]);
  expect(said({ ...orderWith([]), amount: null })).toEqual([
    ['not_shown', 'the amount is not a whole number: nothing shows a refund'],
  ]);
  const open = [expect.stringMatching(/: nothing shows a refund; .*paydesk journal (reconcile|show) i_1$/)];
  expect(said(unpaid, unshown())).toEqual([['unconfirmed', ...open]]);
  expect(said(unpaid, unshown({ state: 'recorded made' }))).toEqual([['recorded_made', ...open]]);
  expect(said(unpaid, unshown({ mayAppear: false }))[0]?.[0]).toBe('not_shown');
});

it('every refund of the order counts for just one row', () => {
  const amounts = fc.integer({ min: 1, max: 9 });
  fc.assert(
    fc.property(
      fc.array(amounts, { maxLength: 6 }),
      fc.array(amounts, { minLength: 1, maxLength: 6 }),
      (made, wanted) => {
        const found = compare(
          orderWith(made),
          wanted.map((amount, index) => ({ amount, ref: `r${index}`, line: index + 2 })),
        );
        expect(found.map(({ row }) => row?.line)).toEqual(wanted.map((_, index) => index + 2));
        const ids = found.flatMap(({ refunds }) => refunds.map(({ id }) => id));
        expect(ids.toSorted()).toEqual(made.map((_, index) => `rf_1${index + 1}`).toSorted());
        for (const { refunded, refunds, verdict, why, wanted: sum = 0 } of found) {
          const amountOf = new Map(made.map((amount, index) => [`rf_1${index + 1}`, amount]));
          expect(refunded).toBe(refunds.reduce((all, { id }) => all + (amountOf.get(id) ?? 0), 0));
          expect(verdict).toBe(
            refunded > sum
              ? 'more'
              : refunded === sum
                ? 'refunded'
                : refunded > 0
                  ? 'in_part'
                  : why === undefined
                    ? 'not_refunded'
                    : 'twice_in_file',
          );
        }
      },
    ),
  );
});

it.each([
  [
    'pending',
    {},
    ['pending 0'],
    'rf_11 is pending: the service has taken it up, and the money has not gone back yet',
  ],
  ['failed', {}, ['failed 0'], 'rf_11 of 100 MXN failed after it was made: that money did not go back'],
  ['word_42', {}, ['unconfirmed 0'], 'rf_11 has the status word_42, which paydesk does not know'],
  [
    'succeeded',
    { amount_refunded: 600 },
    ['unconfirmed 100'],
    'amount_refunded is 600, and its refunds add up to 100',
  ],
])('a refund whose status is %s', (status, more, expected, why) => {
  const record = refundOf('rf_11', 100, { status });
  const order = orderOf('ord_1', [chargeOf('ch_1', 1000, { refunds: listOf(record) })], {
    amount_refunded: 0,
    ...more,
  });
  const found = compare(order, [{ amount: 100 }]);
  expect(words(found)).toEqual(expected);
  expect(found[0]?.why).toBe(why);
});

it('what a person recorded as made counts for a row that is short of money', () => {
  const said = (order: Json, rows: readonly Partial<InputRow>[]) =>
    compare(order, rows, unshown({ state: 'recorded made' })).map(({ verdict, why }) => [verdict, why]);
  const hand =
    '100 MXN was recorded as made by somebody, and the order does not show it: paydesk journal show i_1';
  expect(said(orderWith([]), [{ amount: 100 }])).toEqual([['recorded_made', hand]]);
  expect(said(orderWith([]), [{ amount: 30 }])).toEqual([['recorded_made', hand]]);
  expect(said(orderWith([40]), [{ amount: 100 }])).toEqual([['recorded_made', hand]]);
  expect(said(orderWith([100]), [{ amount: 100 }])).toEqual([['recorded_made', hand]]);
  expect(said(orderWith([101]), [{ amount: 100 }])).toEqual([['more', hand]]);
  expect(said(orderWith([], []), [{ charge: 'ch_2', amount: 100 }])).toEqual([['not_refunded', undefined]]);
  expect(
    said(orderWith([]), [
      { line: 2, amount: 100 },
      { line: 3, amount: 100 },
    ]),
  ).toEqual([
    ['recorded_made', hand],
    ['twice_in_file', 'counted for line 2 already'],
  ]);
});

it.each<[claim: string, order: Json, rows: readonly Partial<InputRow>[], why: string | undefined]>([
  ['the same refund', orderWith([100]), [{ amount: 100 }, { amount: 100 }], 'counted for line 2 already'],
  ['all of its order', orderWith([1000], [1000]), [{}, {}], 'counted for line 2 already'],
  [
    'the same id',
    orderWith([100]),
    [{ refundId: 'rf_11' }, { refundId: 'rf_11' }],
    'counted for line 2 already',
  ],
  ['another amount', orderWith([100]), [{ amount: 100 }, { amount: 70 }], undefined],
  ['another charge', orderWith([100], []), [{ amount: 100 }, { charge: '2', amount: 100 }], undefined],
  ['another charge by its number', orderWith([100], []), [{ charge: '1' }, { charge: '2' }], undefined],
])('a second row of %s says for which line it is counted', (_, order, rows, why) => {
  const [, second] = compare(
    order,
    rows.map((row, index) => ({ ...row, line: index + 2 })),
  );
  expect([second?.verdict, second?.refunded, second?.why]).toEqual([
    why === undefined ? 'not_refunded' : 'twice_in_file',
    0,
    why,
  ]);
});

it('a card of two charges: the row names both', () => {
  const [row] = compare(orderWith([], []), [{ charge: '*4242' }]);
  expect(row?.why).toBe('it has 2 charges *4242: 1 (ch_1) and 2 (ch_2); name one');
});

it('a row of which more went back says which refund is the one of the file, and who made each', () => {
  const read = orderWith([100, 60]);
  const known = knownOrder(read, [], now);
  const senderOf: CompareRules['senderOf'] = ({ record }) => (record?.id === 'rf_11' ? 'ana' : 'elsewhere');
  const [row] = compareOrder('ord_1', [inputRow({ amount: 100 })], known, { ...rules, senderOf });
  expect(row).toMatchObject({
    verdict: 'more',
    refunded: 160,
    why: 'rf_11 is the refund of this row; the rest went back in addition',
  });
  expect(compareRecord(row as Compared, { columns: [] })).toMatchObject({ operator: 'ana, elsewhere' });
});
