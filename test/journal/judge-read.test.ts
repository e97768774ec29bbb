import { describe, expect, it } from 'vitest';
import { judgeRead, preImage } from '../../src/journal/judge-read.ts';
import { charge, nothing, order, proof, whole } from './proof.ts';

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

  it.each<[string, object, object, string | undefined]>([
    ['as before', {}, {}, undefined],
    ['in another currency', { currency: 'USD' }, {}, 'currency USD instead of MXN'],
    [
      'of a charge in another currency',
      {},
      { currency: 'USD' },
      'currency of charge ch_1 USD instead of MXN',
    ],
    ['with the status pending', {}, { status: 'pending' }, undefined],
  ])('the expected record, %s', (_, ofOrder, { status, ...ofCharge }: { status?: string }, contradicts) => {
    const refunds = [
      { id: 'old', amount: -5, status: 'failed' },
      { id: 'new', amount: -5, status },
    ];
    const seen = order({ id: 'ch_1', amount: 100, currency: 'MXN', ...ofCharge, refunds: { data: refunds } });
    const charges = [{ id: 'ch_1', currency: 'MXN', refunds: [{ id: 'old', amount: -5 }] }];
    const before = { amount: 100, currency: 'MXN', charges };
    const evidence = judgeRead(proof({ before }), { ...seen, currency: 'MXN', ...ofOrder }, nothing);
    expect(evidence).toMatchObject({ shows: 'expected' });
    expect(evidence).toHaveProperty('contradicts', contradicts);
  });

  it('charges in different currencies contradict nothing while each keeps its own', () => {
    const split = { ...whole, before: { charges: [] } };
    const inCurrency = (currency: string, one: object) => ({ ...one, currency });
    const before = {
      charges: ['MXN', 'USD'].map((currency, index) => ({ id: `ch_${index + 1}`, currency, refunds: [] })),
    };
    const seen = order(
      inCurrency('MXN', charge('ch_1', 60, [['a', -60]])),
      inCurrency('USD', charge('ch_2', 40, [['b', -40]])),
    );
    expect(judgeRead({ ...split, before }, seen, nothing)).toMatchObject({
      shows: 'expected',
      contradicts: undefined,
    });
  });

  it('a refund by somebody else that failed contradicts nothing, one of two of ours is a part that failed', () => {
    const failed = (chargeId: string, id: string, amount: number, status: string) => ({
      id: chargeId,
      amount: 100,
      status: 'paid',
      refunds: { data: [{ id, amount, status }] },
    });
    const theirs = order(charge('ch_1', 60, [['a', -60]]), charge('ch_2', 40, [['b', -40]]));
    const beside = {
      ...theirs,
      charges: { data: [...theirs.charges.data, failed('ch_3', 'c', -9, 'failed')] },
    };
    expect(judgeRead(whole, beside, nothing)).toMatchObject({ shows: 'expected', contradicts: undefined });
    const ours = order(
      charge('ch_1', 60, [['a', -60]]),
      failed('ch_2', 'b', -40, 'failed'),
      charge('ch_3', 9, null),
    );
    expect(judgeRead(whole, ours, nothing)).toMatchObject({ shows: 'failed', isPart: true });
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
  ])('of a whole order: %s', (_, charges, evidence) => {
    expect(judgeRead(whole, order(...charges), nothing)).toMatchObject(evidence);
  });

  const done = order(
    charge('ch_1', 100, [
      ['old', -5],
      ['new', -5],
    ]),
  );
  it.each<[string, unknown, string]>([
    ['no order', { ...done, object: 'charge' }, 'it is not an order'],
    ['another order', { ...done, id: 'ord_2' }, 'it is another order'],
    ['an order of the other mode', { ...done, livemode: false }, 'its livemode says the other mode'],
    ['charges that are not shown', { ...done, charges: undefined }, 'the charges are not shown'],
    [
      'an old record under another id',
      order(
        charge('ch_1', 100, [
          ['x', -5],
          ['new', -5],
        ]),
      ),
      'refund old is gone or has another amount',
    ],
    ['nothing at all', undefined, 'it is not an order'],
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

  it('a duplicate has the refunds that may be ours, and no other', () => {
    const value = order(
      charge('ch_1', 100, [
        ['old', -5],
        ['new', -5],
        ['more', -5],
        ['other', -6],
      ]),
    );
    expect(judgeRead(proof(), value, nothing)).toMatchObject({
      shows: 'duplicate',
      refunds: [{ id: 'new' }, { id: 'more' }],
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
  ])('a capture, with the order %s', (payment_status, evidence) => {
    expect(judgeRead(proof({ kind: 'capture' }), { ...order(), payment_status }, nothing)).toEqual(evidence);
  });

  const captured = { ...order(), payment_status: 'paid', currency: 'MXN' };
  it.each<[string, object, object, string | undefined]>([
    ['as it was', { amount: 100, currency: 'MXN' }, captured, undefined],
    ['as it was, in other letters', { amount: 100, currency: 'mxn' }, captured, undefined],
    ['of another amount', { amount: 99, currency: 'MXN' }, captured, 'amount 100 instead of 99'],
    ['in another currency', { amount: 100, currency: 'USD' }, captured, 'currency MXN instead of USD'],
    [
      'that shows no money',
      { amount: 100, currency: 'MXN' },
      { ...captured, amount: null, currency: undefined },
      undefined,
    ],
    [
      'of an amount too large for a number',
      { amount: 100, currency: 'MXN' },
      { ...captured, amount: 10n ** 20n },
      'amount 100000000000000000000 instead of 100',
    ],
    [
      'of an amount that is no number',
      { amount: 100, currency: 'MXN' },
      { ...captured, amount: {} },
      'amount a object instead of 100',
    ],
    ['whose money an old row does not hold', {}, captured, undefined],
  ])('a capture of an order %s', (_, before, value, contradicts) => {
    const capture = proof({ kind: 'capture', before: { ...before, charges: [] } });
    expect(judgeRead(capture, value, nothing)).toEqual({
      shows: 'expected',
      refunds: [],
      others: false,
      contradicts,
    });
  });

  it('a capture is not judged by another order', () => {
    expect(judgeRead(proof({ kind: 'capture' }), { ...captured, id: 'ord_2' }, nothing)).toEqual({
      shows: 'unreadable',
      problem: 'it is another order',
    });
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
  ])('a creation: %s', (_, orders, evidence) => {
    const { refunds, ...rest } = { refunds: [], ...evidence };
    expect(judgeRead(creation, { data: orders }, nothing)).toEqual({ ...rest, refunds });
  });

  it.each<[string, unknown[], object]>([
    ['made at the earliest moment: it is', [{ ...created, created_at: 1000 }], { created: 'ord_9' }],
    [
      'made up to two minutes before: a doubt',
      [{ ...created, created_at: 880 }],
      {
        shows: 'disagreement',
        refunds: [],
        problem: 'order ord_9 has the same content, but was created before this one was sent',
      },
    ],
    ['made earlier: another one', [{ ...created, created_at: 879 }], { shows: 'nothing' }],
    [
      'made before, and one made since: the one made since',
      [
        { ...created, id: 'ord_10', created_at: 999 },
        { ...created, created_at: 1001 },
      ],
      { shows: 'expected', created: 'ord_9' },
    ],
  ])('an equal order that was %s', (_, orders, evidence) => {
    expect(judgeRead(creation, { data: orders }, nothing, 1_000_000)).toMatchObject(evidence);
  });

  it('a creation that orders with a gap do not show may have been made; one that they show was', () => {
    const gap = 'its list is not newest first';
    expect(judgeRead(creation, { data: [], gap }, nothing)).toEqual({ shows: 'unreadable', problem: gap });
    expect(judgeRead(creation, { data: [created], gap }, nothing)).toMatchObject({ created: 'ord_9' });
  });

  it('a creation is recognised by metadata whose keys come back in another order', () => {
    const sent = { ...body, metadata: { box: { width: 2, height: 3 } } };
    const back = { ...created, metadata: { box: { height: 3, width: 2 } } };
    expect(judgeRead({ ...creation, body: sent }, { data: [back] }, nothing)).toMatchObject({
      shows: 'expected',
    });
  });

  it('a creation without customer and metadata is told by its items', () => {
    const bare = { ...creation, body: { currency: 'MXN', line_items: body.line_items } };
    expect(judgeRead(bare, { data: [created] }, nothing)).toMatchObject({ shows: 'expected' });
    expect(judgeRead(bare, { data: [created] }, new Set(['ord_9']))).toMatchObject({ shows: 'nothing' });
    expect(judgeRead({ ...creation, body: undefined }, { data: [created] }, nothing)).toMatchObject({
      shows: 'nothing',
    });
  });

  it.each(['checkout', 'api'] as const)('a read cannot show a change of kind %s', (kind) => {
    expect(judgeRead(proof({ kind }), { ...order(), id: 'ord_1' }, nothing)).toEqual({
      shows: 'unreadable',
      problem: 'paydesk cannot look up this kind of change',
    });
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
        amount: 100,
        amountRefunded: 5,
        isRefundable: undefined,
        updatedAt: undefined,
        charges: [
          {
            id: 'ch_1',
            status: 'paid',
            isRefundable: undefined,
            amount: 100,
            amountRefunded: undefined,
            refunds: [{ id: 'old', amount: -5, createdAt: undefined }],
          },
        ],
      },
    });
  });

  it('is no basis for a refund where its charges are not all shown; a capture needs its status only (F32)', () => {
    const value = { ...order(), charges: { has_more: true, data: [] } };
    expect(preImage('refund', value)).toEqual({ problem: 'the charges are not all shown' });
    expect(preImage('capture', value)).toEqual({ before: { status: 'paid', amount: 100, charges: [] } });
    expect(preImage('capture', { ...value, amount: 7.5, currency: 'MXN' })).toEqual({
      before: { status: 'paid', amount: undefined, currency: 'MXN', charges: [] },
    });
    const odd = { before: { status: undefined, charges: [] } };
    expect(preImage('capture', { ...value, amount: '100', payment_status: 7 })).toEqual(odd);
    expect(preImage('api', undefined)).toEqual({ before: { status: undefined, charges: [] } });
  });

  it('is the newest orders for one that is created', () => {
    expect(preImage('order', { data: [{ id: 'ord_8' }] })).toEqual({
      before: { charges: [], newest: ['ord_8'] },
    });
  });
});

describe('a refund that was made before this one was sent', () => {
  const made = (createdAt: unknown) => {
    const value = order(charge('ch_1', 100, [['old', -5]]));
    const refunds = {
      data: [
        { id: 'old', amount: -5 },
        { id: 'new', amount: -5, created_at: createdAt },
      ],
    };
    return { ...value, charges: { data: [{ ...charge('ch_1', 100, null), refunds }] } };
  };

  it('is not ours', () => {
    expect(judgeRead(proof(), made(1_000_000), nothing, 1_000_000_001)).toMatchObject({
      shows: 'disagreement',
      problem: 'refund new was made at 1970-01-12T13:46:40.000Z, before this one was sent',
    });
    expect(judgeRead(proof(), made(1_000_000), nothing, 1_000_000_000)).toMatchObject({ shows: 'expected' });
    expect(judgeRead(proof(), made(undefined), nothing, 1_000_000_001)).toMatchObject({ shows: 'expected' });
    expect(judgeRead(proof(), made(-1e20), nothing, 0)).toMatchObject({
      problem: 'refund new was made at -100000000000000000000, before this one was sent',
    });
  });

  it('counts for nothing where its amount is not ours', () => {
    const six = proof({ expected: [{ chargeId: 'ch_1', amount: -6 }] });
    expect(judgeRead(six, made(1), nothing, 1_000_000_000)).toMatchObject({ shows: 'nothing' });
  });
});

it('a capture whose order moved and is still authorized is not clear', () => {
  const authorized = { ...order(charge('ch_1', 100, null)), payment_status: 'pre_authorized', updated_at: 2 };
  const capture = proof({ kind: 'capture', before: { charges: [], updatedAt: 1 } });
  const problem = 'updated_at was 1 and is 2';
  expect(judgeRead(capture, authorized, nothing)).toEqual({ shows: 'disagreement', refunds: [], problem });
  expect(judgeRead(capture, { ...authorized, charges: undefined }, nothing)).toEqual({
    shows: 'disagreement',
    refunds: [],
    problem,
  });
  expect(judgeRead(capture, { ...authorized, updated_at: 1 }, nothing)).toMatchObject({ shows: 'nothing' });
});

it('an order that hides its refunds is no basis for another one', () => {
  const hidden = { ...order(charge('ch_1', 100, null)), amount_refunded: 300 };
  const problem = 'amount_refunded is 300, but no charge shows a refund';
  expect(preImage('refund', hidden)).toEqual({ problem });
  expect(preImage('capture', hidden)).toMatchObject({ before: { amountRefunded: 300 } });
});

it('a charge that is not shown any more proves nothing', () => {
  const gone = order(charge('ch_2', 100, null));
  expect(judgeRead(proof(), gone, nothing)).toEqual({
    shows: 'unreadable',
    problem: 'charge ch_1 is not shown any more',
  });
});

it('the order before a capture whose charges are not shown holds its sum and time', () => {
  const value = { object: 'order', id: 'ord_1', amount: 100, amount_refunded: 3, updated_at: 7 };
  expect(preImage('capture', value)).toMatchObject({
    before: { amountRefunded: 3, updatedAt: 7, charges: [] },
  });
});

it('a capture whose sums moved is not clear, whether a time is shown or not', () => {
  const authorized = {
    ...order(charge('ch_1', 100, null)),
    payment_status: 'pre_authorized',
    amount_refunded: 3,
  };
  const capture = proof({ kind: 'capture', before: { charges: [], amountRefunded: 0 } });
  expect(judgeRead(capture, authorized, nothing)).toMatchObject({
    shows: 'disagreement',
    problem: 'amount_refunded went from 0 to 3, but no refund is listed for it',
  });
});
