import { describe, expect, it } from 'vitest';
import { readMoney } from '../../src/api/charges.ts';
import { disagreement, moved, otherRefund, refundedOf, withoutGone } from '../../src/journal/agreement.ts';
import type { FoundRefund } from '../../src/journal/change.ts';
import type { PreImage, Proof } from '../../src/journal/rows/journal-rows.ts';

const refund = (id: string, amount: number) => ({ id, amount });
const record = (id: string, amount: number, chargeId = 'ch_1'): FoundRefund & { readonly id: string } => ({
  chargeId,
  id,
  amount,
  createdAt: undefined,
  authCode: undefined,
});
const charge = (refunds: object[] = [], more: object = {}) => ({
  id: 'ch_1',
  amount: 100,
  status: 'paid',
  refunds: { data: refunds },
  ...more,
});

function judge(before: Partial<PreImage>, order: object, records: ReturnType<typeof record>[] = []) {
  const reading = readMoney({
    object: 'order',
    id: 'ord_1',
    amount: 100,
    charges: { data: [charge()] },
    ...order,
  });
  if ('problem' in reading) throw new Error(reading.problem);
  return disagreement({ charges: [{ id: 'ch_1', refunds: [] }], ...before }, reading.money, records);
}

const five = { charges: { data: [charge([refund('r1', -5)])] } };

describe('sums and records agree', () => {
  it.each<[string, Partial<PreImage>, object, ReturnType<typeof record>[]]>([
    ['nothing moved', { amountRefunded: 0 }, { amount_refunded: 0 }, []],
    [
      'the sum moved by the record',
      { amountRefunded: 0 },
      { amount_refunded: 5, ...five },
      [record('r1', -5)],
    ],
    ['on top of what there was', { amountRefunded: 7 }, { amount_refunded: 12, ...five }, [record('r1', -5)]],
    ['a sum that was not shown before is that of all records', {}, { amount_refunded: 5, ...five }, []],
    ['a sum that is not shown any more, with a record', { amountRefunded: 0 }, five, [record('r1', -5)]],
    ['no sums at all', {}, {}, []],
  ])('%s', (_, before, order, records) => {
    expect(judge(before, order, records)).toBeUndefined();
  });
});

describe('sums and records do not agree', () => {
  it.each<[string, Partial<PreImage>, object, ReturnType<typeof record>[], string]>([
    [
      'the sum moved and no record shows it',
      { amountRefunded: 0 },
      { amount_refunded: 300 },
      [],
      'amount_refunded went from 0 to 300, but no refund is listed for it',
    ],
    [
      'a record without its sum',
      { amountRefunded: 2 },
      { amount_refunded: 2, ...five },
      [record('r1', -5)],
      'amount_refunded went from 2 to 2, but the refunds listed add up to 5',
    ],
    [
      'a sum that was not shown before is more than all records',
      {},
      { amount_refunded: 6, ...five },
      [record('r1', -5)],
      'amount_refunded is 6, but the refunds listed add up to 5',
    ],
    [
      'a sum that is not shown any more, without a record',
      { amountRefunded: 3 },
      {},
      [],
      'amount_refunded was 3 and is not shown',
    ],
    [
      'the sum of the charge moved alone',
      { charges: [{ id: 'ch_1', refunds: [], amountRefunded: 0 }] },
      { charges: { data: [charge([], { amount_refunded: 5 })] } },
      [],
      'amount_refunded of charge ch_1 went from 0 to 5, but no refund is listed for it',
    ],
    [
      'a record on another charge',
      { charges: [{ id: 'ch_1', refunds: [], amountRefunded: 0 }] },
      { charges: { data: [charge([], { amount_refunded: 5 })] } },
      [record('r1', -5, 'ch_2')],
      'amount_refunded of charge ch_1 went from 0 to 5, but no refund is listed for it',
    ],
    [
      'a sum of the charge that was not shown before',
      {},
      { charges: { data: [charge([refund('r1', -5)], { amount_refunded: 4 })] } },
      [],
      'amount_refunded of charge ch_1 is 4, but the refunds listed add up to 5',
    ],
  ])('%s', (_, before, order, records, words) => {
    expect(judge(before, order, records)).toBe(words);
  });

  const older = (...ids: string[]) => ({
    amountRefunded: 5 * ids.length,
    charges: [{ id: 'ch_1', refunds: ids.map((id) => refund(id, -5)) }],
  });
  const now = (amount_refunded: number, refunds: object[]) => ({
    amount_refunded,
    charges: { data: [charge(refunds)] },
  });
  const failed = (id: string) => ({ ...refund(id, -5), status: 'failed' });

  it.each<[string, Partial<PreImage>, object, ReturnType<typeof record>[], string]>([
    [
      'the sum moved, and the refund from before is as it was',
      older('r0'),
      now(9, [refund('r0', -5)]),
      [],
      'went from 5 to 9, but no refund is listed for it',
    ],
    [
      'the second of two refunds from before has failed since then, and the sum stays',
      older('r0', 'r1'),
      now(10, [refund('r0', -5), failed('r1')]),
      [],
      'went from 10 to 10, but the refunds listed add up to -5 without r1 (status failed)',
    ],
    [
      'two have failed, and the sum stays',
      older('r0', 'r1'),
      now(10, [failed('r0'), failed('r1')]),
      [],
      'add up to -10 without r0 (status failed) and r1 (status failed)',
    ],
    [
      'one from before has failed and one is new, and the sum stays',
      older('r0'),
      now(5, [failed('r0'), refund('r1', -4)]),
      [record('r1', -4)],
      'went from 5 to 5, but the refunds listed add up to -1 without r0 (status failed)',
    ],
    [
      'a pending one, and a sum that is neither with it nor without',
      { amountRefunded: 0 },
      now(2, [{ ...refund('r1', -5), status: 'pending' }]),
      [{ ...record('r1', -5), status: 'pending' }],
      'went from 0 to 2, but the refunds listed add up to 5',
    ],
  ])('%s', (_, before, order, records, words) => {
    expect(judge(before, order, records)).toContain(words);
  });

  it('a refund from before that is not shown any more has not changed', () => {
    expect(judge(older('r0'), now(9, []))).toContain('went from 5 to 9, but no refund is listed for it');
  });

  it('of what is summed in two charges each is held against its own records', () => {
    const two = (one: number, other: number) => ({
      charges: {
        data: [
          charge([], { amount_refunded: one }),
          { ...charge([], { amount_refunded: other }), id: 'ch_2' },
        ],
      },
    });
    const before = {
      charges: ['ch_1', 'ch_2'].map((id) => ({ id, refunds: [], amountRefunded: 0 })),
    };
    expect(judge(before, two(5, 0), [record('r1', -5)])).toBeUndefined();
    expect(judge(before, two(0, 5), [record('r1', -5)])).toContain('ch_1 went from 0 to 0');
  });
});

describe('where there is no record nothing may have moved', () => {
  it.each<[string, Partial<PreImage>, object, string]>([
    ['the amount', { amount: 99 }, {}, 'amount was 99 and is 100'],
    [
      'the status',
      { status: 'paid' },
      { payment_status: 'refunded' },
      'payment_status was paid and is refunded',
    ],
    [
      'is_refundable',
      { isRefundable: true },
      { is_refundable: false },
      'is_refundable was true and is false',
    ],
    ['updated_at', { updatedAt: 1 }, { updated_at: 2 }, 'updated_at was 1 and is 2'],
    ['what is not shown any more', { updatedAt: 1 }, {}, 'updated_at was 1 and is not shown'],
    [
      'the amount of a charge',
      { charges: [{ id: 'ch_1', refunds: [], amount: 99 }] },
      {},
      'the amount of charge ch_1 was 99 and is 100',
    ],
    [
      'the status of a charge',
      { charges: [{ id: 'ch_1', refunds: [], status: 'x' }] },
      {},
      'the status of charge ch_1 was x and is paid',
    ],
    [
      'is_refundable of a charge',
      { charges: [{ id: 'ch_1', refunds: [], isRefundable: true }] },
      { charges: { data: [charge([], { is_refundable: false })] } },
      'is_refundable of charge ch_1 was true and is false',
    ],
  ])('%s', (_, before, order, words) => {
    expect(judge(before, order)).toBe(words);
    // A record accounts for all of that.
    expect(judge(before, order, [record('r1', -5)])).toBeUndefined();
  });

  it('a charge that is not shown any more says nothing here', () => {
    expect(
      judge({ charges: [{ id: 'ch_9', refunds: [], amount: 1, amountRefunded: 1 }] }, {}),
    ).toBeUndefined();
  });
});

describe('a charge in another currency than before', () => {
  const [first, second] = ['ch_1', 'ch_2'].map((id) => ({ id, currency: 'MXN', refunds: [] }));
  const charges = [charge([], { currency: 'MXN' }), { ...charge([], { currency: 'USD' }), id: 'ch_2' }];
  const reading = readMoney({ object: 'order', id: 'ord_1', amount: 100, charges: { data: charges } });
  const told = (...records: ReturnType<typeof record>[]) => {
    if ('problem' in reading || first === undefined || second === undefined) throw new Error('no order');
    const refunds = records.map((one) => ({ ...one, status: undefined }));
    return otherRefund({ charges: [first, second] }, reading.money, refunds);
  };

  it('contradicts a refund of it, also beside a refund of another charge', () => {
    expect(told(record('r1', -5, 'ch_2'))).toBe('currency of charge ch_2 USD instead of MXN');
    expect(told(record('r1', -5), record('r2', -5, 'ch_2'))).toContain('of charge ch_2');
  });

  it('contradicts no refund of another charge', () => {
    expect(told(record('r1', -5))).toBeUndefined();
  });
});

it('what was not shown before has not moved, and neither has what stayed', () => {
  expect(moved('updated_at', undefined, 5)).toBeUndefined();
  expect(moved('updated_at', 5, 5)).toBeUndefined();
  expect(moved('updated_at', 5, undefined)).toBe('updated_at was 5 and is not shown');
});

it('amount_refunded of a charge counts as a whole number only', () => {
  const of = (amount_refunded: unknown) => refundedOf({ value: { amount_refunded } });
  expect(of(5)).toBe(5);
  expect(of('5')).toBeUndefined();
  expect(of(5.5)).toBeUndefined();
  expect(of(undefined)).toBeUndefined();
});

describe('the proof without the refunds that are gone', () => {
  const older = (id: string, amount: number, status?: string) => ({
    id,
    amount,
    ...(status === undefined ? {} : { status }),
  });
  const still = older('still', -3);
  const before: PreImage = {
    amountRefunded: 14,
    charges: [
      { id: 'ch_1', amountRefunded: 10, refunds: [older('gone', -7), still, older('f', -2, 'failed')] },
      { id: 'ch_2', refunds: [older('gone too', -4)] },
    ],
  };
  const proof: Proof = {
    kind: 'refund',
    orderId: 'ord_1',
    livemode: false,
    expected: [],
    tolerated: [],
    before,
  };

  it('takes those that were made out of the sums, and leaves the others', () => {
    const order = { id: 'ord_1', object: 'order', amount: 100, charges: { data: [charge([still])] } };
    expect(withoutGone(proof, order)).toEqual({
      ...proof,
      before: {
        amountRefunded: 3,
        charges: [
          { id: 'ch_1', amountRefunded: 3, refunds: [still] },
          { id: 'ch_2', amountRefunded: undefined, refunds: [] },
        ],
      },
    });
  });

  it('finds all of them gone where nothing is shown', () => {
    expect(withoutGone(proof, undefined).before.amountRefunded).toBe(0);
  });
});
