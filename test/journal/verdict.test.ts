import { describe, expect, it } from 'vitest';
import type { Proof } from '../../src/journal/rows.ts';
import { judgeRead, judgeReply, preImage, rulingOf } from '../../src/journal/verdict.ts';

// Accounted for by other attempts.
const nothing: ReadonlySet<string> = new Set();

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
    expect(judgeRead(proof(), order(charge('ch_1', 100, refunds)), nothing)).toMatchObject({ shows });
  });

  it('others beside the expected one are told', () => {
    const seen = order(
      charge('ch_1', 100, [
        ['old', -5],
        ['new', -5],
        ['other', -6],
      ]),
    );
    expect(judgeRead(proof(), seen, nothing)).toMatchObject({ shows: 'expected', others: true });
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
    expect(judgeRead(whole, order(...charges), nothing)).toMatchObject(sight);
  });

  const done = order(
    charge('ch_1', 100, [
      ['old', -5],
      ['new', -5],
    ]),
  );
  it.each<[string, unknown, string]>([
    ['no order', { ...done, object: 'charge' }, 'it is no order'],
    ['another order', { ...done, id: 'ord_2' }, 'it is another order'],
    ['an order of the other mode', { ...done, livemode: false }, 'its livemode is of the other mode'],
    ['charges that are not shown', { ...done, charges: undefined }, 'the charges are not shown'],
    [
      'an old record under another id',
      order(
        charge('ch_1', 100, [
          ['x', -5],
          ['new', -5],
        ]),
      ),
      'refund old is not shown as before',
    ],
    ['nothing at all', undefined, 'it is no order'],
  ])('%s is no evidence', (_, value, problem) => {
    expect(judgeRead(proof(), value, nothing)).toEqual({ shows: 'unreadable', problem });
  });

  it('the same amount on another charge is not ours', () => {
    const other = { ...proof().before.charges[0], id: 'ch_2', refunds: [] };
    const before = { charges: [...proof().before.charges, other] };
    const value = order(charge('ch_1', 100, [['old', -5]]), charge('ch_2', 100, [['new', -5]]));
    expect(judgeRead(proof({ before }), value, nothing)).toMatchObject({
      shows: 'nothing',
      refunds: [{ id: 'new' }],
    });
  });

  it('one charge of a whole order refunded twice is a duplicate', () => {
    const value = order(
      charge('ch_1', 120, [
        ['a', -60],
        ['c', -60],
      ]),
      charge('ch_2', 40, [['b', -40]]),
      charge('ch_3', 9, null),
    );
    expect(judgeRead(whole, value, nothing)).toMatchObject({ shows: 'duplicate' });
  });
});

describe('what a read shows of other changes', () => {
  it.each<[unknown, object]>([
    ['paid', { shows: 'expected', refunds: [], others: false }],
    ['pre_authorized', { shows: 'nothing', refunds: [] }],
    ['refunded', { shows: 'unreadable', problem: 'its payment_status is refunded' }],
    [undefined, { shows: 'unreadable', problem: 'its payment_status is not shown' }],
    [7, { shows: 'unreadable', problem: 'its payment_status is not shown' }],
  ])('a capture, with the order %s', (payment_status, sight) => {
    expect(judgeRead(proof({ kind: 'capture' }), { ...order(), payment_status }, nothing)).toEqual(sight);
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
      { shows: 'expected', others: false, created: 'ord_9' },
    ],
    [
      'an equal order that was there before',
      [{ ...created, id: 'ord_8' }],
      { shows: 'nothing', refunds: [] },
    ],
    [
      'a new order that equals it, after one whose price is beyond what a number holds exactly',
      [
        {
          ...created,
          id: 'ord_10',
          line_items: { data: [{ name: 'Tee', unit_price: 90071992547409931n, quantity: 1 }] },
        },
        { ...created, id: 'ord_11', metadata: { shop: 90071992547409931n } },
        created,
      ],
      { shows: 'expected', others: false, created: 'ord_9' },
    ],
    ['a new order of another currency', [{ ...created, currency: 'USD' }], { shows: 'nothing' }],
    ['a new order with other items', [{ ...created, line_items: { data: [] } }], { shows: 'nothing' }],
    ['a new order of another customer', [{ ...created, customer_info: null }], { shows: 'nothing' }],
    ['a new order with other metadata', [{ ...created, metadata: {} }], { shows: 'nothing' }],
    ['no orders', [], { shows: 'nothing' }],
  ])('a creation: %s', (_, orders, sight) => {
    const { refunds, ...rest } = { refunds: [], ...sight };
    expect(judgeRead(creation, orders, nothing)).toEqual({ ...rest, refunds });
  });

  it('a creation is recognised by metadata whose keys come back in another order', () => {
    const sent = { ...body, metadata: { box: { width: 2, height: 3 } } };
    const back = { ...created, metadata: { box: { height: 3, width: 2 } } };
    expect(judgeRead({ ...creation, body: sent }, [back], nothing)).toMatchObject({ shows: 'expected' });
  });

  it('a creation without customer and metadata is told by its items', () => {
    const bare = { ...creation, body: { currency: 'MXN', line_items: body.line_items } };
    expect(judgeRead(bare, [created], nothing)).toMatchObject({ shows: 'expected' });
    expect(judgeRead(bare, [created], new Set(['ord_9']))).toMatchObject({ shows: 'nothing' });
    expect(judgeRead({ ...creation, body: undefined }, [created], nothing)).toMatchObject({
      shows: 'nothing',
    });
  });

  it.each(['checkout', 'api'] as const)('a read cannot show a change of kind %s', (kind) => {
    expect(judgeRead(proof({ kind }), { ...order(), id: 'ord_1' }, nothing)).toEqual({
      shows: 'unreadable',
      problem: 'a read cannot show it',
    });
  });
});

describe('what a reply says of other changes', () => {
  const heard = (value: unknown, status = 200) => ({ status, body: { value } });

  const made = { says: 'applied', refunds: [] };
  const nothing = (why: string) => ({ says: 'nothing', why: `HTTP 200, ${why}` });
  it.each<['order' | 'checkout' | 'api', unknown, object]>([
    ['order', { object: 'order', id: 'ord_9', livemode: true }, { ...made, created: 'ord_9' }],
    ['order', { object: 'order', id: 'ord_9' }, { ...made, created: 'ord_9' }],
    [
      'order',
      { object: 'order', id: 'ord_9', livemode: false },
      { says: 'contradiction', why: 'HTTP 200, an order, but its livemode is of the other mode' },
    ],
    ['order', { object: 'order' }, nothing('a body that is no order')],
    ['order', { id: 'ord_9' }, nothing('a body that is no order')],
    ['checkout', { id: 'chk_1' }, made],
    [
      'checkout',
      { id: 'chk_1', livemode: false },
      { says: 'contradiction', why: 'HTTP 200, an object, but its livemode is of the other mode' },
    ],
    ['checkout', [], nothing('a body that is no object')],
    ['checkout', null, nothing('a body that is no object')],
    ['api', {}, made],
    ['api', 'yes', nothing('a body that is no object')],
  ])('%s: %j', (kind, value, answer) => {
    expect(judgeReply(proof({ kind }), heard(value))).toEqual(answer);
  });

  it('F12 a redirect names the host it points to, whatever else it says', () => {
    const redirect = { status: 307, redirectTo: 'elsewhere.example' };
    const answer = { says: 'nothing', why: 'HTTP 307, a redirect to elsewhere.example' };
    expect(judgeReply(proof(), { ...redirect, body: { value: { object: 'order', id: 'ord_1' } } })).toEqual(
      answer,
    );
    expect(judgeReply(proof(), { ...redirect, body: { problem: 'an empty body' } })).toEqual(answer);
  });

  it('an error whose first detail has no code has that of the next one', () => {
    const details = [{ message: 'm' }, { code: 'acme.errors.x' }, { code: 'acme.errors.y' }];
    const value = { object: 'error', type: 't', details };
    expect(judgeReply(proof({ kind: 'api' }), heard(value, 422))).toMatchObject({
      says: 'rejected',
      error: { code: 'acme.errors.x' },
    });
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

describe('what a reply to a refund says', () => {
  const heard = (status: number, value: unknown) => judgeReply(proof(), { status, body: { value } });
  const done = order(
    charge('ch_1', 100, [
      ['old', -5],
      ['new', -5],
    ]),
  );
  const says = (status: number, why: string) => ({ says: 'nothing', why: `HTTP ${status}, ${why}` });
  const vague = 'an error of the service that does not say what became of it';

  it.each([
    [200, done, { says: 'applied', refunds: [expect.objectContaining({ id: 'new', amount: -5 })] }],
    [299, done, { says: 'applied', refunds: [expect.objectContaining({ id: 'new' })] }],
    [199, done, { says: 'nothing', why: 'HTTP 199, without an error of the service' }],
    [300, done, { says: 'nothing', why: 'HTTP 300, without an error of the service' }],
    [200, { ...done, object: 'charge' }, says(200, 'a body that is no order')],
    [200, { ...done, livemode: undefined }, says(200, 'an order that does not show its livemode')],
    [200, { ...done, charges: null }, says(200, 'an order, but the charges are not shown')],
    [
      200,
      { ...done, id: 'ord_2' },
      { says: 'contradiction', why: 'HTTP 200, an order, but it is another order' },
    ],
    [
      200,
      order(charge('ch_1', 100, [['old', -5]])),
      { says: 'contradiction', why: 'HTTP 200, an order that shows less than was asked for' },
    ],
    [
      200,
      order(
        charge('ch_1', 100, [
          ['old', -5],
          ['new', -5],
          ['x', -5],
        ]),
      ),
      { says: 'contradiction', why: 'HTTP 200, an order that shows more than was asked for' },
    ],
    [
      200,
      order(
        charge('ch_1', 100, [
          ['old', -5],
          ['new', -5],
          ['x', -6],
        ]),
      ),
      { says: 'contradiction', why: 'HTTP 200, an order that shows more than was asked for' },
    ],
    [422, { object: 'error' }, says(422, vague)],
    [422, { object: 'error', type: 't' }, says(422, vague)],
    [422, { object: 'error', details: [] }, says(422, vague)],
    [399, { object: 'error', type: 't', details: [] }, says(399, vague)],
    [500, { object: 'error', type: 't', details: [] }, says(500, vague)],
    [400, { object: 'error', type: 't', details: [] }, expect.objectContaining({ says: 'rejected' })],
    [499, { object: 'error', type: 't', details: [] }, expect.objectContaining({ says: 'rejected' })],
  ])('%i %j', (status, value, answer) => {
    expect(heard(status, value)).toEqual(answer);
  });

  it('a part of a whole order contradicts', () => {
    const part = order(charge('ch_1', 60, [['a', -60]]), charge('ch_2', 40, null), charge('ch_3', 9, null));
    expect(judgeReply(whole, { status: 200, body: { value: part } })).toEqual({
      says: 'contradiction',
      why: 'HTTP 200, an order that shows less than was asked for',
    });
  });

  it('a body that could not be read says why', () => {
    const body = { problem: 'an HTML page' };
    expect(judgeReply(proof(), { status: 502, body })).toEqual({
      says: 'nothing',
      why: 'HTTP 502, an HTML page',
    });
  });

  it('F16 the data of a refused capture is no evidence; nor is a sum that was not shown before', () => {
    const data = order(
      charge('ch_1', 100, [
        ['old', -5],
        ['x', -7],
      ]),
    );
    const value = { object: 'error', type: 't', details: [], data };
    const capture = judgeReply(proof({ kind: 'capture' }), { status: 422, body: { value } });
    expect(capture).toMatchObject({ says: 'rejected', contradicts: false });
    const stranger = { ...value, data: { ...data, id: 'ord_2' } };
    const api = judgeReply(proof({ kind: 'api' }), { status: 422, body: { value: stranger } });
    expect(api).toMatchObject({ says: 'rejected', contradicts: false });
    const same = { ...order(charge('ch_1', 100, [['old', -5]])), amount_refunded: 6 };
    expect(heard(422, { ...value, data: same })).toMatchObject({ says: 'rejected', contradicts: false });
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
    const odd = { before: { status: undefined, charges: [] } };
    expect(preImage('capture', { ...value, payment_status: 7 })).toEqual(odd);
    expect(preImage('api', undefined)).toEqual({ before: { status: undefined, charges: [] } });
  });

  it('is the newest orders for one that is created', () => {
    expect(preImage('order', [{ id: 'ord_8' }])).toEqual({ before: { charges: [], newest: ['ord_8'] } });
  });
});

describe('the verdict of a sight', () => {
  const read = { by: 'read', refunds: [] };
  it.each([
    [
      { shows: 'expected', refunds: [], others: false, created: 'ord_9' },
      'not_seen',
      { ...read, verdict: 'applied', why: 'a read shows it: ours or identical', created: 'ord_9' },
    ],
    [
      { shows: 'expected', refunds: [], others: false },
      'rejected',
      {
        ...read,
        verdict: 'applied',
        why: 'a read shows it: ours or identical',
        alarm: 'applied_though_rejected',
      },
    ],
    [
      { shows: 'duplicate', refunds: [] },
      'not_seen',
      { ...read, verdict: 'applied', why: 'a read shows it more than once', alarm: 'duplicate' },
    ],
    [
      { shows: 'partial', refunds: [] },
      'not_seen',
      { ...read, verdict: 'unknown', why: 'a read shows a part of it', alarm: 'partial' },
    ],
    [
      { shows: 'nothing', refunds: [] },
      'not_seen',
      { ...read, verdict: 'not_seen', why: 'no read shows it' },
    ],
    [
      { shows: 'nothing', refunds: [] },
      'rejected',
      { ...read, verdict: 'rejected', why: 'the service refused it', confirmed: true },
    ],
  ] as const)('%j, none means %s', (sight, none, ruling) => {
    expect(rulingOf(sight, none)).toEqual(ruling);
  });
});
