/** Replies to a change that leave its outcome open, or only seem to close it: what each must come to. */

import type { Socket } from 'node:net';
import {
  errorOf,
  type Json,
  newRefundOf,
  notReturnable,
  undocumentedError,
  withCharge,
  withRefund,
} from '../harness/orders.ts';
import {
  cutBody,
  cutChunked,
  type Handler,
  hangUp,
  json,
  rawReply,
  reply,
  reset,
  stall,
  stallAfter,
} from '../harness/server.ts';
import { refundAmount } from './desk.ts';

/** What a run comes to when the change was made, and when it was not. */
export interface Ends {
  readonly applied: End;
  readonly not: End;
}

export interface End {
  readonly exit: number;
  /** The journal's rows of the attempt. */
  readonly story: string;
}

export interface Reply {
  /** Its number in the list of faults. */
  readonly fault: string;
  readonly name: string;
  /** `now` is the order as the service holds it, `before` as it was; `trap` is another server's URL. */
  readonly answer: (
    now: Json,
    about: { readonly before: Json; readonly trap: string; readonly url: string },
  ) => Handler;
  readonly only?: 'refund' | 'capture';
  readonly timeout?: number;
  readonly ends: Ends;
}

// ── What an answer may come to ──────────────────────────────────────────────────────────────────

/** No evidence in the reply: the reads decide. */
const open: Ends = {
  applied: { exit: 0, story: 'sent unknown applied' },
  not: { exit: 7, story: 'sent unknown not_seen' },
};
/** A reply that contradicts the request needs a person, whatever the reads show. */
const contradiction: Ends = {
  applied: { exit: 7, story: 'sent unknown applied' },
  not: { exit: 7, story: 'sent unknown not_seen' },
};
/** The service's own refusal; if a read shows the change nevertheless, a person must look. */
const refused = (exit: number): Ends => ({
  applied: { exit: 7, story: 'sent applied' },
  not: { exit, story: 'sent rejected' },
});

// ── Their bodies ────────────────────────────────────────────────────────────────────────────────

const splitCode = 'service.errors.processing.charge_operations.refund.split_payment.charge_id_is_required';
const page = '<!doctype html><html><body>Bad gateway</body></html>';
const html = (status: number): Handler => reply(page, status, { 'content-type': 'text/html' });

const refunded = (order: Json, amount: number, id = 'rf_reply'): Json =>
  withRefund(order, newRefundOf(id, amount), amount);

const dripping: Handler = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 100);
  response.on('close', () => clearInterval(timer));
};
const destroyed: Handler = (_request, _response, socket: Socket) => {
  socket.destroy();
};
const body = (text: string): Handler => reply(text, 200, { 'content-type': 'application/json' });
const closeDelimited = (text: string): Handler =>
  rawReply(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n${text}`);
const redirect = (status: number, location: string): Handler => json({}, status, { location });

const retryAfter: readonly (readonly [string, string])[] = [
  ['in seconds', '1'],
  ['as a date', 'Fri, 20 Nov 2026 10:00:00 GMT'],
  ['0', '0'],
  ['negative', '-5'],
  ['of 30 years', '1000000000'],
  ['as text', 'soon'],
];

/** The table. */
export const replies: readonly Reply[] = [
  { fault: 'F3', name: 'RST after the request was read', answer: () => reset, ends: open },
  { fault: 'F3', name: 'FIN after the request was read', answer: () => hangUp, ends: open },
  { fault: 'F3', name: 'the connection is destroyed', answer: () => destroyed, ends: open },
  { fault: 'F4', name: 'no reply at all', answer: () => stall, timeout: 4, ends: open },
  {
    fault: 'F5',
    name: 'headers, then nothing',
    answer: () => stallAfter(''),
    timeout: 4,
    ends: open,
  },
  {
    fault: 'F5',
    name: 'a body that stops half-way',
    answer: (now) => stallAfter(JSON.stringify(now).slice(0, 90)),
    timeout: 4,
    ends: open,
  },
  { fault: 'F5', name: 'a byte every 100 ms for ever', answer: () => dripping, timeout: 4, ends: open },
  {
    fault: 'F6',
    name: 'a body shorter than its Content-Length',
    answer: (now) => cutBody(JSON.stringify(now)),
    ends: open,
  },
  {
    fault: 'F6',
    name: 'chunks without the last one',
    answer: (now) => cutChunked(JSON.stringify(now)),
    ends: open,
  },
  {
    fault: 'F7',
    name: 'an order cut to nothing but its name, ended by the close',
    answer: () => closeDelimited('{"object":"order"}'),
    ends: contradiction,
  },
  { fault: 'F7', name: '{}', answer: () => body('{}'), ends: open },
  { fault: 'F7', name: 'null', answer: () => body('null'), ends: open },
  { fault: 'F7', name: '123', answer: () => body('123'), ends: open },
  { fault: 'F7', name: '[]', answer: () => body('[]'), ends: open },
  { fault: 'F7', name: 'an HTML page with 200', answer: () => html(200), ends: open },
  {
    fault: 'F7',
    name: 'the order with a key twice',
    answer: (now) => body(JSON.stringify(now).replace('{', '{"id":"ord_other",')),
    ends: open,
  },
  {
    fault: 'F7',
    name: 'JSON in bytes that are no UTF-8',
    answer: (now) => reply(Buffer.from(JSON.stringify({ ...now, note: 'ÿ' }), 'latin1')),
    ends: open,
  },
  {
    fault: 'F8',
    name: 'an order with another id',
    answer: (now) => json({ ...now, id: 'ord_other' }),
    ends: contradiction,
  },
  {
    fault: 'F8',
    name: 'an order of the other mode',
    answer: (now) => json({ ...now, livemode: true }),
    ends: contradiction,
  },
  {
    fault: 'F8',
    name: 'the order as it was before',
    answer: (_, { before }) => json(before),
    ends: contradiction,
  },
  {
    fault: 'F8',
    name: 'a refund of another amount',
    only: 'refund',
    answer: (_, { before }) => json(refunded(before, refundAmount + 1)),
    ends: contradiction,
  },
  {
    fault: 'F8',
    name: 'two new refunds',
    only: 'refund',
    answer: (_, { before }) => json(refunded(refunded(before, refundAmount), refundAmount, 'rf_two')),
    ends: contradiction,
  },
  {
    fault: 'F8',
    name: 'an order of another amount',
    only: 'capture',
    answer: (now) => json({ ...now, amount: 3_500_000 }),
    ends: contradiction,
  },
  {
    fault: 'F8',
    name: 'an order in another currency',
    answer: (now) => json({ ...now, currency: 'USD' }),
    ends: contradiction,
  },
  {
    fault: 'F8',
    name: 'a charge in another currency',
    only: 'refund',
    answer: (now) => json(withCharge(now, { currency: 'USD' })),
    ends: contradiction,
  },
  {
    fault: 'F8',
    name: 'a refund record that says failed',
    only: 'refund',
    answer: (_, { before }) =>
      json(withRefund(before, { ...newRefundOf('rf_reply', refundAmount), status: 'FAILED' }, refundAmount)),
    ends: contradiction,
  },
  {
    fault: 'F9',
    name: '500 with an error of the service',
    answer: () => json(undocumentedError, 500),
    ends: open,
  },
  { fault: 'F9', name: '500 with the order', answer: (now) => json(now, 500), ends: open },
  { fault: 'F9', name: '502 with HTML', answer: () => html(502), ends: open },
  { fault: 'F9', name: '503 with HTML', answer: () => html(503), ends: open },
  { fault: 'F9', name: '504 with HTML', answer: () => html(504), ends: open },
  ...retryAfter.map(
    ([words, value]): Reply => ({
      fault: 'F10',
      name: `429 with Retry-After ${words}`,
      answer: () => json(undocumentedError, 429, { 'retry-after': value }),
      ends: open,
    }),
  ),
  ...[408, 409, 421, 423, 425].map(
    (status): Reply => ({
      fault: 'F11',
      name: `${status} with an error of the service`,
      answer: () => json(undocumentedError, status),
      ends: open,
    }),
  ),
  ...[301, 302, 303, 307, 308].map(
    (status): Reply => ({
      fault: 'F12',
      name: `${status} to another host`,
      answer: (_, { trap }) => redirect(status, `${trap}/orders/ord_1/refunds`),
      ends: open,
    }),
  ),
  {
    fault: 'F12',
    name: '307 to the same host',
    answer: (now, { url }) => redirect(307, `${url}/orders/${String(now.id)}/refunds`),
    ends: open,
  },
  {
    fault: 'F12',
    name: '308 to another scheme',
    answer: (_, { trap }) => redirect(308, trap.replace('http:', 'https:')),
    ends: open,
  },
  {
    fault: 'F13',
    name: '401 with an error of the service',
    answer: () => json(undocumentedError, 401),
    ends: refused(4),
  },
  {
    fault: 'F13',
    name: '403 with an error of the service',
    answer: () => json(undocumentedError, 403),
    ends: refused(4),
  },
  { fault: 'F14', name: '403 with HTML', answer: () => html(403), ends: open },
  { fault: 'F14', name: '404 with HTML', answer: () => html(404), ends: open },
  { fault: 'F14', name: '413 with HTML', answer: () => html(413), ends: open },
  {
    fault: 'F15',
    name: 'the documented precondition error',
    answer: () => json(notReturnable, 428),
    ends: refused(5),
  },
  {
    fault: 'F15',
    name: 'the documented precondition error with 500',
    answer: () => json(notReturnable, 500),
    ends: refused(5),
  },
  {
    fault: 'F16',
    name: 'the documented split-payment error with the unchanged order',
    only: 'refund',
    answer: (_, { before }) => json({ ...errorOf('processing_error', splitCode), data: before }, 402),
    ends: refused(5),
  },
  {
    fault: 'F16',
    name: 'the documented split-payment error with a changed order',
    only: 'refund',
    answer: (_, { before }) =>
      json({ ...errorOf('processing_error', splitCode), data: refunded(before, 1) }, 402),
    ends: { applied: { exit: 7, story: 'sent applied' }, not: { exit: 7, story: 'sent rejected' } },
  },
  {
    fault: 'F17',
    name: '200 with the documented error',
    answer: () => json(notReturnable),
    ends: refused(5),
  },
  { fault: 'F17', name: '200 with another error', answer: () => json(undocumentedError), ends: open },
  { fault: 'F17', name: '200 without a body', answer: () => body(''), ends: open },
  { fault: 'F17', name: '201 without a body', answer: () => reply('', 201), ends: open },
  { fault: 'F17', name: '204', answer: () => rawReply('HTTP/1.1 204 No Content\r\n\r\n'), ends: open },
  {
    fault: 'F32',
    name: 'refunds that are not all of them',
    only: 'refund',
    answer: (now) =>
      json(withCharge(now, { refunds: { object: 'list', has_more: true, total: 9, data: [] } })),
    ends: open,
  },
  {
    fault: 'F32',
    name: 'charges that are not all of them',
    only: 'refund',
    answer: (now) => json({ ...now, charges: { ...(now.charges as Json), has_more: true } }),
    ends: open,
  },
  {
    fault: 'F32',
    name: 'charges with another total',
    only: 'refund',
    answer: (now) => json({ ...now, charges: { ...(now.charges as Json), total: 2 } }),
    ends: open,
  },
  {
    fault: 'F32',
    name: 'charges null',
    only: 'refund',
    answer: (now) => json({ ...now, charges: null }),
    ends: open,
  },
  {
    fault: 'F32',
    name: 'refunds of a wrong type',
    only: 'refund',
    answer: (now) => json(withCharge(now, { refunds: 'none' })),
    ends: open,
  },
];
