import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { judgeReply, parseReply, saidIn } from '../../src/journal/judge-reply.ts';
import { charge, order, proof, whole } from './proof.ts';

describe('the bytes of a reply', () => {
  const json = 'application/json';
  // Its value proves nothing, but it may name the log id.
  const twice = (value: object) => ({ problem: 'a body that has the same key twice', value });
  it.each<[string, string, string, object]>([
    ['nothing', '', json, { problem: 'an empty body' }],
    ['a page, by its first letter', '<html>', json, { problem: 'an HTML page' }],
    ['a page, by its type', 'sorry', 'text/html', { problem: 'an HTML page' }],
    ['half of an object', '{"a":', json, { problem: 'a body that is not JSON' }],
    ['bytes that are no UTF-8', '"\u00ff"', json, { problem: 'a body that is not JSON' }],
    [
      'brackets without end',
      '['.repeat(1000),
      json,
      { problem: 'a body of JSON nested deeper than 64 levels' },
    ],
    ['an object', '{"a":{"b":1},"b":2}', json, { value: { a: { b: 1 }, b: 2 } }],
    ['objects side by side', '[{"a":1},{"a":2}]', json, { value: [{ a: 1 }, { a: 2 }] }],
    ['a value like its key', '{"a":"a"}', json, { value: { a: 'a' } }],
    ['a key twice', '{"a":1,"a":1}', json, twice({ a: 1 })],
    ['a key twice, after an inner object', '{"a":{"b":1},"a":1}', json, twice({ a: 1 })],
    ['a key twice in an inner object', '{"a":{"b":1,"b":2}}', json, twice({ a: { b: 2 } })],
    ['a key twice, after a value with a brace', '{"a":"{","a":1}', json, twice({ a: 1 })],
    ['a key twice that holds a quote', '{"x\\"yz":1,"x\\"yz":2}', json, twice({ 'x"yz': 2 })],
    ['a key twice, spelled in two ways', '{"a":1,"\\u0061" :2}', json, twice({ a: 2 })],
  ])('%s', (_, text, contentType, body) => {
    const reply = { status: 200, contentType, body: Buffer.from(text, 'latin1') };
    const received = { httpStatus: 200, bytes: text.length, sha256: hash('sha256', reply.body) };
    expect(parseReply(reply)).toEqual({ status: 200, body, redirectTo: undefined, received });
  });
});

describe('what a reply says of other changes', () => {
  const parsed = (value: unknown, status = 200) => ({ status, body: { value } });

  const made = { says: 'applied', refunds: [] };
  const nothing = (why: string) => ({ says: 'nothing', why: `HTTP 200, ${why}` });
  it.each<['order' | 'checkout' | 'api', unknown, object]>([
    ['order', { object: 'order', id: 'ord_9', livemode: true }, { ...made, created: 'ord_9' }],
    ['order', { object: 'order', id: 'ord_9' }, { ...made, created: 'ord_9' }],
    [
      'order',
      { object: 'order', id: 'ord_9', livemode: false },
      { says: 'contradiction', why: 'HTTP 200, an order, but its livemode says the other mode' },
    ],
    ['order', { object: 'order' }, nothing('a body that is not an order')],
    ['order', { id: 'ord_9' }, nothing('a body that is not an order')],
    [
      'order',
      { object: 'order', id: 'ord_9', checkout: { url: 'https://pay.example.com/9' } },
      { ...made, created: 'ord_9', link: 'https://pay.example.com/9' },
    ],
    ['checkout', { id: 'chk_1' }, { ...made, created: 'chk_1' }],
    [
      'checkout',
      { id: 'chk_1', url: 'https://pay.example.com/1' },
      { ...made, created: 'chk_1', link: 'https://pay.example.com/1' },
    ],
    [
      'checkout',
      { id: 'chk_1', url: 'http://pay.example.com/1' },
      { ...made, created: 'chk_1', link: 'http://pay.example.com/1' },
    ],
    ['checkout', { id: 7, url: 'see https://pay.example.com/1' }, made],
    ['checkout', { id: '', url: 'https://pay.example.com/1 or 2' }, made],
    ['checkout', { id: 'a\nb', url: 'javascript:alert(1)' }, made],
    [
      'checkout',
      { id: 'chk_1', livemode: false },
      { says: 'contradiction', why: 'HTTP 200, an object, but its livemode says the other mode' },
    ],
    ['checkout', [], nothing('a body that is not an object')],
    ['checkout', null, nothing('a body that is not an object')],
    ['api', {}, made],
    ['api', 'yes', nothing('a body that is not an object')],
  ])('%s: %j', (kind, value, answer) => {
    expect(judgeReply(proof({ kind }), parsed(value))).toEqual(answer);
  });

  it('a redirect names the host it points to, whatever else it says (F12)', () => {
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
    expect(judgeReply(proof({ kind: 'api' }), parsed(value, 422))).toMatchObject({
      says: 'rejected',
      error: { code: 'acme.errors.x' },
    });
  });

  it('an error names all that it holds, and keeps its data', () => {
    const details = [{ message: 'm', debug_message: 'd', code: 'acme.errors.x', param: 'p' }];
    const value = { object: 'error', type: 't', log_id: 'l', details, data: { id: 'ord_1' } };
    expect(judgeReply(proof({ kind: 'api' }), parsed(value, 422))).toEqual({
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
  ])('the data of a refusal: %s (F16)', (_, data, contradicts) => {
    const before = { amountRefunded: 5, charges: proof().before.charges };
    const details = [
      { code: 'x.errors.processing.charge_operations.refund.split_payment.charge_id_is_required' },
    ];
    const value = { object: 'error', type: 'processing_error', details, data };
    expect(judgeReply(proof({ before }), parsed(value, 402))).toMatchObject({
      says: 'rejected',
      contradicts,
    });
  });

  it('a refusal whose order has another payment status contradicts itself, if the status was read before', () => {
    const { charges } = proof().before;
    const data = { ...order(charge('ch_1', 100, [['old', -5]])), payment_status: 'partially_refunded' };
    const refusal = parsed({ object: 'error', type: 't', details: [], data }, 422);
    const judged = (status?: string) => judgeReply(proof({ before: { status, charges } }), refusal);
    expect(judged('paid')).toMatchObject({ says: 'rejected', contradicts: true });
    expect(judged('partially_refunded')).toMatchObject({ says: 'rejected', contradicts: false });
    expect(judged()).toMatchObject({ says: 'rejected', contradicts: false });
    const untold = parsed(
      { object: 'error', type: 't', details: [], data: { ...data, payment_status: null } },
      422,
    );
    const before = { status: 'paid', charges };
    expect(judgeReply(proof({ before }), untold)).toMatchObject({ says: 'rejected', contradicts: false });
  });
});

describe('what a reply that is not trusted says for itself', () => {
  const details = [{ message: 'm', debug_message: 'd', code: 'acme.errors.x', param: 'p' }];
  const whole = { type: 't', code: 'acme.errors.x', logId: 'l', httpStatus: 500 };
  const detail = { message: 'm', debugMessage: 'd', code: 'acme.errors.x', param: 'p' };
  it.each<[string, unknown, object]>([
    [
      'an error of the service, without the order in it',
      { object: 'error', type: 't', log_id: 'l', details, data: { id: 'ord_1' } },
      { ...whole, details: [detail] },
    ],
    [
      'an error of the service without details',
      { object: 'error', type: 't', log_id: 'l', code: 'acme.errors.x', message: 'm' },
      { ...whole, details: [{ message: 'm', code: 'acme.errors.x' }] },
    ],
    [
      'an order, of which only the log id is no data',
      { object: 'order', log_id: 'l', type: 'x', title: 'y' },
      { logId: 'l' },
    ],
    ['a record with a message', { object: 'order', message: 'queued' }, { details: [{ message: 'queued' }] }],
    [
      'an error of another form',
      { error: 'bad_header', detail: 'no' },
      { details: [{ message: 'bad_header' }] },
    ],
    [
      'an error inside of another object',
      { error: { type: 't', code: 'c', log_id: 'l', message: 'm' } },
      { type: 't', code: 'c', logId: 'l', details: [{ message: 'm', code: 'c' }] },
    ],
    ['a message that is empty', { message: '', title: 'No' }, { details: [{ message: 'No' }] }],
    [
      'a message longer than 500 characters',
      { message: 'x'.repeat(501) },
      { details: [{ message: 'x'.repeat(500) }] },
    ],
    ['a list', [1], {}],
  ])('%s', (_, value, said) => {
    const none = { type: undefined, code: undefined, logId: undefined, details: [] };
    expect(saidIn({ status: 500, body: { value } })).toEqual({ ...none, httpStatus: 500, ...said });
  });

  it('of a body that is not JSON only the status is known', () => {
    expect(saidIn({ status: 502, body: { problem: 'an HTML page' } })).toEqual({
      httpStatus: 502,
      details: [],
    });
  });
});

describe('what a reply to a capture says', () => {
  it('an order that is still only authorized contradicts the capture, and says so', () => {
    const capture = proof({ kind: 'capture', before: { status: 'pre_authorized', charges: [] } });
    const value = { object: 'order', id: 'ord_1', livemode: true, payment_status: 'pre_authorized' };
    expect(judgeReply(capture, { status: 200, body: { value } })).toEqual({
      says: 'contradiction',
      why: 'HTTP 200, an order that is still pre_authorized',
    });
  });

  it('an order of another amount than was read before is no plain yes', () => {
    const capture = proof({ kind: 'capture', before: { amount: 7450, currency: 'MXN', charges: [] } });
    const value = { ...order(), amount: 745_000, currency: 'MXN' };
    expect(judgeReply(capture, { status: 200, body: { value } })).toEqual({
      says: 'contradiction',
      why: 'HTTP 200, an order that shows amount 745000 instead of 7450',
    });
  });
});

describe('what a reply to a refund says', () => {
  const parsed = (status: number, value: unknown) => judgeReply(proof(), { status, body: { value } });
  const done = order(
    charge('ch_1', 100, [
      ['old', -5],
      ['new', -5],
    ]),
  );
  const says = (status: number, why: string) => ({ says: 'nothing', why: `HTTP ${status}, ${why}` });
  const vague = 'it does not say whether the change was made';

  it.each([
    [200, done, { says: 'applied', refunds: [expect.objectContaining({ id: 'new', amount: -5 })] }],
    [299, done, { says: 'applied', refunds: [expect.objectContaining({ id: 'new' })] }],
    [199, done, { says: 'nothing', why: 'HTTP 199, not in the error form of the service' }],
    [300, done, { says: 'nothing', why: 'HTTP 300, not in the error form of the service' }],
    [200, { ...done, object: 'charge' }, says(200, 'a body that is not an order')],
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
    [422, { object: 'error' }, says(422, `an error of the service: ${vague}`)],
    [422, { object: 'error', type: 't' }, says(422, `t: ${vague}`)],
    [422, { object: 'error', details: [] }, says(422, `an error of the service: ${vague}`)],
    [
      402,
      {
        object: 'error',
        type: 't',
        log_id: 'l7',
        details: [{ code: 'service.errors.processing.bank.timeout' }],
      },
      says(402, `service.errors.processing.bank.timeout (log_id l7): ${vague}`),
    ],
    ...[200, 399, 402, 405, 408, 409, 410, 412, 413, 421, 423, 425, 428, 429, 499, 500, 503].map(
      (status): [number, object, object] => [
        status,
        { object: 'error', type: 't', details: [] },
        says(status, `t: ${vague}`),
      ],
    ),
    ...[400, 401, 403, 404, 406, 422].map((status): [number, object, object] => [
      status,
      { object: 'error', type: 't', details: [] },
      expect.objectContaining({ says: 'rejected' }),
    ]),
  ])('%i %j', (status, value, answer) => {
    expect(parsed(status, value)).toEqual(answer);
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

  it('the data of a refused capture is no evidence; nor is a sum that was not shown before (F16)', () => {
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
    expect(parsed(422, { ...value, data: same })).toMatchObject({ says: 'rejected', contradicts: false });
  });
});
