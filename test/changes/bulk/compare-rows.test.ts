/** The rows of a file beside the refunds of their orders. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type Compared,
  compareOrder,
  type KnownOfOrder,
  type Unshown,
} from '../../../src/changes/bulk/compare-rows.ts';
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

const keyOf: KnownOfOrder['keyOf'] = ({ chargeId = 'any', amount, ref }) => `${chargeId} ${amount} ${ref}`;
const nothing: KnownOfOrder = { unshown: [], probable: new Map(), keyOf };

/** A refund of 100 that this machine sent, and that the order does not show. */
function unshown(changes: Partial<Unshown> = {}): Pick<KnownOfOrder, 'unshown'> {
  const one: Unshown = {
    is: 'unconfirmed',
    chargeId: 'ch_1',
    amount: -100,
    words: 'sent',
    keys: [],
    before: new Set(),
    isOpen: true,
    ...changes,
  };
  return { unshown: [one] };
}

function compare(order: Json, rows: readonly Partial<InputRow>[], known: Partial<KnownOfOrder> = {}) {
  return compareOrder('ord_1', rows.map(inputRow), order, { ...nothing, ...known });
}

const words = (all: readonly Compared[]) => all.map(({ verdict, refunded }) => `${verdict} ${refunded}`);

it.each<[string, readonly number[][], readonly Partial<InputRow>[], readonly string[]]>([
  ['nothing went back', [[]], [{ amount: 100 }], ['not 0']],
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
  ['equal rows need two refunds', [[100]], [{ amount: 100 }, { amount: 100 }], ['refunded 100', 'not 0']],
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
    ['not 0'],
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

it('a refund that was there before a row was sent does not stand for the refund of that row', () => {
  const own = { keys: ['any 100 '], before: new Set(['rf_11']) };
  const rows = [{ amount: 100 }];
  const both = [{ amount: 100 }, { amount: 100, ref: 'b' }];
  expect(words(compare(orderWith([100]), rows, unshown(own)))).toEqual(['unconfirmed 0']);
  expect(words(compare(orderWith([40]), rows, unshown(own)))).toEqual(['unconfirmed 0']);
  expect(words(compare(orderWith([100]), rows, unshown({ ...own, is: 'by_hand' })))).toEqual(['by_hand 0']);
  expect(words(compare(orderWith([40]), rows, unshown({ ...own, is: 'by_hand' })))).toEqual(['by_hand 0']);
  expect(words(compare(orderWith([100]), both, unshown(own)))).toEqual(['unconfirmed 0', 'refunded 100']);
  expect(words(compare(orderWith([100, 5]), rows, unshown(own)))).toEqual(['unconfirmed 5']);
});

it('an unconfirmed refund that is too old to move money counts for its own row only', () => {
  const old = { isOpen: false };
  expect(words(compare(orderWith([]), [{ amount: 100 }], unshown(old)))).toEqual(['not 0']);
  expect(words(compare(orderWith([100]), [{ amount: 100 }], unshown(old)))).toEqual(['refunded 100']);
  expect(
    words(compare(orderWith([100]), [{ amount: 100 }], unshown({ ...old, keys: ['any 100 '] }))),
  ).toEqual(['unconfirmed 100']);
});

it('an order whose charges are not shown is there: nothing shows a refund, or the order says how much', () => {
  const { charges: _, ...bare } = orderWith([]);
  const { payment_status: __, ...unpaid } = bare;
  const said = (order: Json, known = {}) =>
    compare(order, [{ amount: 100 }], known).map(({ verdict, why }) => [verdict, why]);
  expect(said(unpaid)).toEqual([['not_shown', 'the order shows no charges: nothing shows a refund']]);
  expect(said({ ...bare, amount_refunded: 5 })).toEqual([
    ['not_shown', expect.stringMatching(/charges.*: amount_refunded is 5$/)],
  ]);
  expect(said({ ...orderWith([]), amount: null })).toEqual([
    ['not_shown', 'the amount is not a whole number: nothing shows a refund'],
  ]);
  const open = [expect.stringMatching(/: nothing shows a refund; sent$/)];
  expect(said(unpaid, unshown())).toEqual([['unconfirmed', ...open]]);
  expect(said(unpaid, unshown({ is: 'by_hand' }))).toEqual([['by_hand', ...open]]);
  expect(said(unpaid, unshown({ isOpen: false }))[0]?.[0]).toBe('not_shown');
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
        for (const { refunded, refunds, verdict, wanted: sum = 0 } of found) {
          expect(refunded).toBe(refunds.reduce((all, { amount }) => all - amount, 0));
          expect(verdict).toBe(
            refunded > sum ? 'more' : refunded === sum ? 'refunded' : refunded === 0 ? 'not' : 'in_part',
          );
        }
      },
    ),
  );
});

it('a refund that an unconfirmed attempt probably made is not confirmed by being there', () => {
  const [row] = compare(orderWith([100]), [{ amount: 100 }], { probable: new Map([['rf_11', 'i_1']]) });
  expect(row).toMatchObject({
    verdict: 'unconfirmed',
    why: 'probably ours and not confirmed yet: paydesk journal reconcile i_1',
  });
});

it('what a person recorded as made counts for a row that is short of money', () => {
  const byHand = unshown({ is: 'by_hand', words: 'by hand' });
  const said = (order: Json, rows: readonly Partial<InputRow>[]) =>
    compare(order, rows, byHand).map(({ verdict, why }) => [verdict, why]);
  expect(said(orderWith([]), [{ amount: 100 }])).toEqual([['by_hand', 'by hand']]);
  expect(said(orderWith([]), [{ amount: 30 }])).toEqual([['by_hand', 'by hand']]);
  expect(said(orderWith([40]), [{ amount: 100 }])).toEqual([['by_hand', 'by hand']]);
  expect(said(orderWith([100]), [{ amount: 100 }])).toEqual([['by_hand', 'by hand']]);
  expect(said(orderWith([101]), [{ amount: 100 }])).toEqual([['more', 'by hand']]);
  expect(said(orderWith([], []), [{ charge: 'ch_2', amount: 100 }])).toEqual([['not', undefined]]);
  expect(said(orderWith([]), [{ amount: 100 }, { amount: 100 }])).toEqual([
    ['by_hand', 'by hand'],
    ['not', undefined],
  ]);
});
