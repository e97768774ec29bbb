/** Every unclear reply to a refund and to a capture, once with the change made and once without. */

import { describe, expect, it } from 'vitest';
import type { SendReport } from '../../src/api/api.ts';
import type { Change, Outcome } from '../../src/journal/change.ts';
import { createChange } from '../../src/journal/make-change.ts';
import { createMemoryStore } from '../harness/memory-store.ts';
import { MemoryLocks } from '../locks/memory-locks.ts';
import { Ledger, reply, serviceOf, VirtualClock } from './world.ts';

type Kind = 'refund' | 'capture';
type Answer = (order: () => Record<string, unknown>, before: Record<string, unknown>) => SendReport;

const envelope = (type: string, code: string, more: object = {}) => ({
  object: 'error',
  type,
  log_id: 'log_1',
  details: [{ message: 'no', debug_message: 'no', param: null, code }],
  ...more,
});
const refusal = envelope('parameter_validation_error', 'acme.errors.parameter_validation.x');
const notReturnable = envelope(
  'precondition_required_error',
  'acme.errors.precondition_required.combo.order.is_not_returnable',
);
const chargeIdRequired = (data: object) =>
  envelope(
    'processing_error',
    'acme.errors.processing.charge_operations.refund.split_payment.charge_id_is_required',
    { data },
  );
const html =
  (status: number): Answer =>
  () =>
    reply(status, '<html><body>oops</body></html>', 'text/html');
const status =
  (code: number, body: unknown): Answer =>
  () =>
    reply(code, body);
const lost =
  (reason: string): Answer =>
  () => ({ kind: 'no_reply', reason });
const raw =
  (bytes: Uint8Array): Answer =>
  () => ({
    kind: 'reply',
    reply: { status: 200, contentType: 'application/json', body: bytes },
  });

/** Says nothing certain: what a read shows decides. */
const uncertain: readonly [string, Answer][] = [
  ['2 an RST before it was read', lost('the connection was reset')],
  ['3 a FIN without a reply', lost('the connection was closed')],
  ['4 no reply at all', lost('no answer within 60 s')],
  ['5 headers, then a stall', lost('no end of the answer within 60 s')],
  ['6 a short body', lost('the answer was cut')],
  ['7 an empty object', status(200, {})],
  ['7 null', status(200, null)],
  ['7 a number', status(200, 123)],
  ['7 a list', status(200, [])],
  ['7 HTML with 200', html(200)],
  ['7 an order cut in the middle', (order) => reply(200, JSON.stringify(order()).slice(0, -20))],
  ['7 duplicated keys', (order) => reply(200, JSON.stringify(order()).replace('{', '{"object":"order",'))],
  ['7 invalid UTF-8', raw(new Uint8Array([0x22, 0xff, 0x22]))],
  ['8 an order without livemode', (order) => reply(200, { ...order(), livemode: undefined })],
  ['9 500 with an error of the service', status(500, envelope('processing_error', 'acme.errors.x'))],
  ['9 500 empty', () => reply(500, '')],
  ['9 502 HTML', html(502)],
  ['9 503 HTML', html(503)],
  ['9 504 HTML', html(504)],
  ['10 429 with an error of the service', status(429, refusal)],
  ['10 429 HTML', html(429)],
  ['11 408', status(408, refusal)],
  ['11 409', status(409, refusal)],
  ['11 421', status(421, refusal)],
  ['11 423', status(423, refusal)],
  ['11 425', status(425, refusal)],
  ['12 301', html(301)],
  ['12 302', () => reply(302, '')],
  ['12 303', () => reply(303, '')],
  ['12 307', () => reply(307, '')],
  ['12 308 with an error of the service', status(308, refusal)],
  ['14 403 HTML', html(403)],
  ['14 404 HTML', html(404)],
  ['14 413 HTML', html(413)],
  ['14 404 with a JSON that is no error', status(404, { message: 'Not Found' })],
  ['14 422 without type and details', status(422, { object: 'error' })],
  ['17 200 with an undocumented error', status(200, refusal)],
  ['17 201 with an undocumented error', status(201, refusal)],
  ['17 200 empty', () => reply(200, '')],
  ['17 204', () => reply(204, '')],
];

/** Speak of an order, but not as asked for: an alarm, whatever a read shows. */
const contradicting: readonly [string, Answer][] = [
  ['8 another order', (order) => reply(200, { ...order(), id: 'ord_2' })],
  ['8 the other mode', (order) => reply(200, { ...order(), livemode: true })],
  ['8 nothing was done', (_, before) => reply(200, before)],
];

/** Only a list of refunds can be hidden, wrong, or more than asked for. */
const refundsOnly: readonly [string, Answer, 'uncertain' | 'contradicting'][] = [
  [
    '8 another amount',
    (order) => reply(200, withRefunds(order(), [{ id: 'r', amount: -1 }])),
    'contradicting',
  ],
  [
    '8 two new refunds',
    (order) =>
      reply(
        200,
        withRefunds(order(), [
          { id: 'r', amount: -5000 },
          { id: 's', amount: -5000 },
        ]),
      ),
    'contradicting',
  ],
  [
    '32 not all refunds shown',
    (order) => reply(200, withRefunds(order(), [], { has_more: true })),
    'uncertain',
  ],
  [
    '32 a total that is not the count',
    (order) => reply(200, withRefunds(order(), [], { total: 9 })),
    'uncertain',
  ],
  ['32 charges null', (order) => reply(200, { ...order(), charges: null }), 'uncertain'],
  ['32 charges of a wrong type', (order) => reply(200, { ...order(), charges: 'none' }), 'uncertain'],
  [
    '32 an amount that is not a whole number',
    (order) => reply(200, withRefunds(order(), [{ id: 'r', amount: 0.5 }])),
    'uncertain',
  ],
];

const refusals: readonly [string, Answer][] = [
  ['13 401', status(401, envelope('authentication_error', 'acme.errors.authentication'))],
  ['13 403', status(403, envelope('authentication_error', 'acme.errors.authentication'))],
  ['15 the documented precondition error', status(428, notReturnable)],
  ['15 the documented precondition error with 500', status(500, notReturnable)],
  ['16 the documented split-payment error', (_, before) => reply(402, chargeIdRequired(before))],
  ['17 a documented error with 200', status(200, notReturnable)],
  ['422 with an error of the service', status(422, refusal)],
];

function withRefunds(
  order: Record<string, unknown>,
  data: object[],
  more: object = {},
): Record<string, unknown> {
  const refunds = { object: 'list', has_more: false, data, ...more };
  return {
    ...order,
    charges: { has_more: false, data: [{ id: 'ch_1', amount: 35000, status: 'paid', refunds }] },
  };
}

interface Ended {
  readonly outcome: Outcome;
  readonly posts: number;
}

async function send(kind: Kind, made: boolean, answer: Answer): Promise<Ended> {
  const ledger = new Ledger();
  if (kind === 'capture') ledger.status = 'pre_authorized';
  const before = ledger.order();
  const clock = new VirtualClock();
  const change = createChange({
    service: serviceOf(() => Promise.resolve(ledger.order())),
    send: (request) => {
      ledger.posts += 1;
      if (made) ledger.apply(request);
      return Promise.resolve(answer(() => ledger.order(), before));
    },
    locks: new MemoryLocks(),
    store: createMemoryStore(),
    clock,
    operator: 'op',
    shortTime: String,
    options: { dryRun: false, timeoutMs: 60_000 },
    notes: { note: () => undefined, warn: () => undefined, waiting: () => () => undefined },
    ids: () => 'i_1',
  });
  const outcome = await change(changes[kind], { checkFresh: () => Promise.resolve() });
  return { outcome, posts: ledger.posts };
}

const changes: Readonly<Record<Kind, Change>> = {
  refund: {
    kind: 'refund',
    orderId: 'ord_1',
    request: { method: 'POST', path: 'orders/ord_1/refunds', body: { charge_id: 'ch_1', amount: 5000 } },
    expected: [{ chargeId: 'ch_1', amount: -5000 }],
    again: [],
  },
  capture: {
    kind: 'capture',
    orderId: 'ord_1',
    request: { method: 'POST', path: 'orders/ord_1/capture' },
    again: [],
  },
};

const kinds: readonly Kind[] = ['refund', 'capture'];
const inBoth = (answers: readonly [string, Answer][]) =>
  kinds.flatMap((kind) => answers.map(([name, answer]) => [name, kind, answer] as const));
const ofRefunds = (sort: string) =>
  refundsOnly.filter(([, , is]) => is === sort).map(([name, answer]) => [name, 'refund', answer] as const);

describe('a reply that is no clear answer is sent once and decided by a read (F2 to F17, F32)', () => {
  it.each([...inBoth(uncertain), ...ofRefunds('uncertain')])('F%s to a %s', async (_, kind, answer) => {
    const made = await send(kind, true, answer);
    expect(made).toMatchObject({ posts: 1, outcome: { verdict: 'applied', by: 'read', alarm: undefined } });
    const notMade = await send(kind, false, answer);
    expect(notMade).toMatchObject({ posts: 1, outcome: { verdict: 'not_seen', reads: 4, alarm: undefined } });
  });
});

describe('a reply that contradicts the request stays an alarm, whatever a read shows (F8)', () => {
  it.each([...inBoth(contradicting), ...ofRefunds('contradicting')])(
    'F%s to a %s',
    async (_, kind, answer) => {
      const made = await send(kind, true, answer);
      expect(made).toMatchObject({
        posts: 1,
        outcome: { verdict: 'applied', by: 'read', alarm: 'contradiction' },
      });
      const notMade = await send(kind, false, answer);
      expect(notMade).toMatchObject({ posts: 1, outcome: { verdict: 'not_seen', alarm: 'contradiction' } });
    },
  );
});

describe('a refusal is confirmed by a read (F13 to F17)', () => {
  it.each(inBoth(refusals))('F%s to a %s', async (_, kind, answer) => {
    const notMade = await send(kind, false, answer);
    expect(notMade).toMatchObject({
      posts: 1,
      outcome: { verdict: 'rejected', confirmed: true, alarm: undefined },
    });
    const made = await send(kind, true, answer);
    expect(made).toMatchObject({
      posts: 1,
      outcome: { verdict: 'applied', alarm: 'applied_though_rejected' },
    });
  });

  it('data that is not the order as it was before is an alarm (F16)', async () => {
    const changed = (_: unknown, before: Record<string, unknown>) =>
      reply(402, chargeIdRequired({ ...before, amount_refunded: 1 }));
    expect((await send('refund', false, changed)).outcome).toMatchObject({
      verdict: 'rejected',
      alarm: 'contradiction',
    });
    const stranger = (_: unknown, before: Record<string, unknown>) =>
      reply(402, chargeIdRequired({ ...before, id: 'ord_2' }));
    expect((await send('refund', false, stranger)).outcome).toMatchObject({
      verdict: 'rejected',
      alarm: 'contradiction',
    });
  });
});

it('a clear yes needs no read', async () => {
  const yes: Answer = (order) => reply(200, order());
  expect(await send('refund', true, yes)).toMatchObject({
    posts: 1,
    outcome: { verdict: 'applied', by: 'reply' },
  });
  expect(await send('capture', true, yes)).toMatchObject({
    posts: 1,
    outcome: { verdict: 'applied', by: 'reply' },
  });
});

it('what never left is not sent, and no read is made (F1)', async () => {
  const closed: Answer = () => ({ kind: 'not_sent', reason: 'connection refused' });
  expect((await send('refund', false, closed)).outcome).toMatchObject({
    verdict: 'not_sent',
    reason: 'connection refused',
  });
});

it('the table holds forty ambiguous replies and more', () => {
  expect(uncertain.length + contradicting.length + refundsOnly.length).toBeGreaterThanOrEqual(40);
});
