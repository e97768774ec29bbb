import { describe, expect, it } from 'vitest';
import type { Proof } from '../../src/journal/rows.ts';
import { judgeRead, judgeReply, preImage, rulingOf } from '../../src/journal/verdict.ts';

const charge = (id: string, amount: number, refunds: [string, number][] | null) => ({
  id,
  amount,
  status: 'paid',
  refunds: refunds === null ? null : { data: refunds.map(([refund, sum]) => ({ id: refund, amount: sum })) },
});
const order = (...charges: object[]) => ({
  object: 'order',
  id: 'ord_1',
  livemode: true,
  amount: 100,
  payment_status: 'paid',
  charges: { data: charges },
});

function proof(more: Partial<Proof> = {}): Proof {
  return {
    kind: 'refund',
    orderId: 'ord_1',
    livemode: true,
    expected: [{ chargeId: 'ch_1', amount: -5 }],
    tolerated: [],
    before: { charges: [{ id: 'ch_1', refunds: [{ id: 'old', amount: -5 }] }] },
    ...more,
  };
}

const whole = proof({
  expected: [
    { chargeId: 'ch_1', amount: -60 },
    { chargeId: 'ch_2', amount: -40 },
  ],
  tolerated: ['ch_3'],
  before: { charges: ['ch_1', 'ch_2', 'ch_3'].map((id) => ({ id, refunds: [] })) },
});

describe('what a read shows of a refund', () => {
  it.each<[string, [string, number][], string]>([
    ['nothing new', [['old', -5]], 'nothing'],
    [
      'just the expected record',
      [
        ['old', -5],
        ['new', -5],
      ],
      'expected',
    ],
    [
      'the expected record twice',
      [
        ['old', -5],
        ['new', -5],
        ['more', -5],
      ],
      'duplicate',
    ],
    [
      'another amount',
      [
        ['old', -5],
        ['new', -6],
      ],
      'nothing',
    ],
    [
      'the expected record beside others',
      [
        ['old', -5],
        ['new', -5],
        ['other', -6],
      ],
      'expected',
    ],
    ['less than before: an old copy', [], 'unreadable'],
    ['an old record with another amount', [['old', -4]], 'unreadable'],
  ])('%s', (_, refunds, shows) => {
    expect(judgeRead(proof(), order(charge('ch_1', 100, refunds)))).toMatchObject({ shows });
  });

  it('others beside the expected one are told', () => {
    const seen = order(
      charge('ch_1', 100, [
        ['old', -5],
        ['new', -5],
        ['other', -6],
      ]),
    );
    expect(judgeRead(proof(), seen)).toMatchObject({ shows: 'expected', others: true });
  });

  it('what another attempt accounts for is not ours', () => {
    const seen = order(
      charge('ch_1', 100, [
        ['old', -5],
        ['theirs', -5],
      ]),
    );
    expect(judgeRead(proof(), seen, new Set(['theirs']))).toEqual({ shows: 'nothing', refunds: [] });
  });

  it.each<[string, object[], object]>([
    [
      'every charge that counts',
      [charge('ch_1', 60, [['a', -60]]), charge('ch_2', 40, [['b', -40]]), charge('ch_3', 9, null)],
      { shows: 'expected', others: false },
    ],
    [
      'a declined charge too',
      [charge('ch_1', 60, [['a', -60]]), charge('ch_2', 40, [['b', -40]]), charge('ch_3', 9, [['c', -9]])],
      { shows: 'expected', others: false },
    ],
    [
      'only one of two',
      [charge('ch_1', 60, [['a', -60]]), charge('ch_2', 40, null), charge('ch_3', 9, null)],
      { shows: 'partial' },
    ],
    [
      'a charge that is gone',
      [charge('ch_1', 60, null), charge('ch_2', 40, null)],
      { shows: 'unreadable', problem: 'charge ch_3 is not shown any more' },
    ],
  ])('of a whole order: %s', (_, charges, sight) => {
    expect(judgeRead(whole, order(...charges))).toMatchObject(sight);
  });

  it.each<[string, unknown]>([
    ['no order', { ...order(charge('ch_1', 100, [])), object: 'charge' }],
    ['another order', { ...order(charge('ch_1', 100, [])), id: 'ord_2' }],
    ['an order of the other mode', { ...order(charge('ch_1', 100, [])), livemode: false }],
    ['charges that are not shown', { ...order(), charges: undefined }],
    ['nothing at all', undefined],
  ])('%s is no evidence', (_, value) => {
    expect(judgeRead(proof(), value)).toMatchObject({ shows: 'unreadable' });
  });
});

describe('what a read shows of other changes', () => {
  it.each([
    ['paid', 'expected'],
    ['pre_authorized', 'nothing'],
    ['refunded', 'unreadable'],
    [undefined, 'unreadable'],
  ])('a capture, with the order %s', (payment_status, shows) => {
    expect(judgeRead(proof({ kind: 'capture' }), { ...order(), payment_status })).toMatchObject({ shows });
  });

  const body = {
    currency: 'mxn',
    customer_info: { customer_id: 'cus_1' },
    line_items: [{ name: 'a', unit_price: 1, quantity: 2, sku: 'x' }],
    metadata: { shop: 'A-1' },
  };
  const created = {
    id: 'ord_9',
    currency: 'MXN',
    customer_info: { customer_id: 'cus_1', name: 'x' },
    line_items: { data: [{ name: 'a', unit_price: 1, quantity: 2, id: 'line_item_1' }] },
    metadata: { shop: 'A-1', more: 1 },
  };
  const creation = proof({
    kind: 'order',
    orderId: undefined,
    body,
    expected: [],
    before: { charges: [], newest: ['ord_8'] },
  });

  it.each<[string, unknown[], object]>([
    [
      'a new order that equals the body',
      [created, { ...created, id: 'ord_8' }],
      { shows: 'expected', created: 'ord_9' },
    ],
    ['an equal order that was there before', [{ ...created, id: 'ord_8' }], { shows: 'nothing' }],
    ['a new order of another currency', [{ ...created, currency: 'USD' }], { shows: 'nothing' }],
    ['a new order with other items', [{ ...created, line_items: { data: [] } }], { shows: 'nothing' }],
    ['a new order of another customer', [{ ...created, customer_info: null }], { shows: 'nothing' }],
    ['a new order with other metadata', [{ ...created, metadata: {} }], { shows: 'nothing' }],
    ['no orders', [], { shows: 'nothing' }],
  ])('a creation: %s', (_, orders, sight) => {
    expect(judgeRead(creation, orders)).toMatchObject(sight);
  });

  it('a creation without customer and metadata is told by its items', () => {
    const bare = { ...creation, body: { currency: 'MXN', line_items: body.line_items } };
    expect(judgeRead(bare, [created])).toMatchObject({ shows: 'expected' });
    expect(judgeRead(bare, [created], new Set(['ord_9']))).toMatchObject({ shows: 'nothing' });
    expect(judgeRead({ ...creation, body: undefined }, [created])).toMatchObject({ shows: 'nothing' });
  });

  it.each(['checkout', 'api'] as const)('a read cannot show a change of kind %s', (kind) => {
    expect(judgeRead(proof({ kind }), order())).toMatchObject({ shows: 'unreadable' });
  });
});

describe('what a reply says of other changes', () => {
  const heard = (value: unknown, status = 200) => ({ status, body: { value } });

  it.each<['order' | 'checkout' | 'api', unknown, string]>([
    ['order', { object: 'order', id: 'ord_9', livemode: true }, 'applied'],
    ['order', { object: 'order', id: 'ord_9' }, 'applied'],
    ['order', { object: 'order', id: 'ord_9', livemode: false }, 'contradiction'],
    ['order', { object: 'order' }, 'nothing'],
    ['order', { id: 'ord_9' }, 'nothing'],
    ['checkout', { id: 'chk_1' }, 'applied'],
    ['checkout', [], 'nothing'],
    ['checkout', null, 'nothing'],
    ['api', {}, 'applied'],
    ['api', 'yes', 'nothing'],
  ])('%s: %j', (kind, value, says) => {
    expect(judgeReply(proof({ kind }), heard(value))).toMatchObject({ says });
  });

  it('an error names all that it holds, and keeps its data', () => {
    const details = [{ message: 'm', debug_message: 'd', code: 'acme.errors.x', param: 'p' }];
    const value = { object: 'error', type: 't', log_id: 'l', details, data: { id: 'ord_1' } };
    expect(judgeReply(proof({ kind: 'api' }), heard(value, 422))).toEqual({
      says: 'rejected',
      contradicts: false,
      error: {
        type: 't',
        code: 'acme.errors.x',
        logId: 'l',
        httpStatus: 422,
        details: [{ message: 'm', debugMessage: 'd', code: 'acme.errors.x', param: 'p' }],
        data: { id: 'ord_1' },
      },
    });
  });

  it.each<[string, unknown, boolean]>([
    ['the order as it was', order(charge('ch_1', 100, [['old', -5]])), false],
    ['the order without charges', { object: 'order', id: 'ord_1' }, false],
    [
      'the order with a new refund',
      order(
        charge('ch_1', 100, [
          ['old', -5],
          ['x', -7],
        ]),
      ),
      true,
    ],
    [
      'the order with ours',
      order(
        charge('ch_1', 100, [
          ['old', -5],
          ['x', -5],
        ]),
      ),
      true,
    ],
    ['another order', { object: 'order', id: 'ord_2' }, true],
    ['nothing', null, false],
    ['another sum', { ...order(charge('ch_1', 100, [['old', -5]])), amount_refunded: 6 }, true],
  ])('F16 the data of a refusal: %s', (_, data, contradicts) => {
    const before = { amountRefunded: 5, charges: proof().before.charges };
    const details = [
      { code: 'x.errors.processing.charge_operations.refund.split_payment.charge_id_is_required' },
    ];
    const value = { object: 'error', type: 'processing_error', details, data };
    expect(judgeReply(proof({ before }), heard(value, 402))).toMatchObject({ says: 'rejected', contradicts });
  });
});

describe('the order before the sending', () => {
  it('holds refund ids and sums per charge, and no personal data', () => {
    const value = {
      ...order(charge('ch_1', 100, [['old', -5]])),
      amount_refunded: 5,
      customer_info: { name: 'Ana' },
    };
    expect(preImage('refund', value)).toEqual({
      before: {
        status: 'paid',
        amountRefunded: 5,
        isRefundable: undefined,
        updatedAt: undefined,
        charges: [{ id: 'ch_1', refunds: [{ id: 'old', amount: -5 }] }],
      },
    });
  });

  it('F32 is no basis for a refund where its charges are not all shown; a capture needs its status only', () => {
    const value = { ...order(), charges: { has_more: true, data: [] } };
    expect(preImage('refund', value)).toEqual({ problem: 'the charges are not all shown' });
    expect(preImage('capture', value)).toEqual({ before: { status: 'paid', charges: [] } });
    expect(preImage('api', undefined)).toEqual({ before: { status: undefined, charges: [] } });
  });

  it('is the newest orders for one that is created', () => {
    expect(preImage('order', [{ id: 'ord_8' }])).toEqual({ before: { charges: [], newest: ['ord_8'] } });
  });
});

describe('the verdict of a sight', () => {
  it.each([
    [{ shows: 'expected', refunds: [], others: false }, 'not_seen', { verdict: 'applied', alarm: undefined }],
    [
      { shows: 'expected', refunds: [], others: false },
      'rejected',
      { verdict: 'applied', alarm: 'applied_though_rejected' },
    ],
    [{ shows: 'duplicate', refunds: [] }, 'not_seen', { verdict: 'applied', alarm: 'duplicate' }],
    [{ shows: 'partial', refunds: [] }, 'not_seen', { verdict: 'unknown', alarm: 'partial' }],
    [{ shows: 'nothing', refunds: [] }, 'not_seen', { verdict: 'not_seen', confirmed: undefined }],
    [{ shows: 'nothing', refunds: [] }, 'rejected', { verdict: 'rejected', confirmed: true }],
  ] as const)('%j, none means %s', (sight, none, ruling) => {
    expect(rulingOf(sight, none)).toMatchObject(ruling);
  });
});
