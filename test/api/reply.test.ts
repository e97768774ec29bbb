import { expect, test } from 'vitest';
import type { RawReply } from '../../src/api/api.ts';
import { readJson } from '../../src/api/json.ts';
import { understand } from '../../src/api/reply.ts';

function raw(status: number, body: unknown, more: Partial<RawReply> = {}): RawReply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, contentType: 'application/json', body: new TextEncoder().encode(text), ...more };
}

test.each<[string, RawReply]>([
  ['HTTP 200, an empty body', raw(200, '')],
  ['HTTP 500, an empty body', raw(500, '')],
  ['HTTP 502, an HTML page', raw(502, 'oops', { contentType: 'text/html' })],
  ['HTTP 404, an HTML page', raw(404, '\n<!DOCTYPE html><p>')],
  ['HTTP 200, text that is no JSON', raw(200, '{"object":"ord')],
  ['HTTP 307, a redirect to other.example', raw(307, '{}', { redirectTo: 'other.example' })],
  ['HTTP 304, a redirect', raw(304, '')],
  ['HTTP 409, JSON that is no error of the service', raw(409, { error: 'conflict' })],
])('%s', (words, reply) => {
  expect(understand(reply, readJson)).toEqual({ kind: 'odd', words });
});

test('the documented split-payment error keeps the order it carries', () => {
  const order = { id: 'ord_1', object: 'order', payment_status: 'paid', amount_refunded: 0 };
  const code = 'acme.errors.processing.charge_operations.refund.split_payment.charge_id_is_required';
  const understood = understand(
    raw(402, {
      object: 'error',
      type: 'processing_error',
      log_id: 'l1',
      details: [{ debug_message: 'charge_id is required', message: '', param: null, code }],
      data: order,
    }),
    readJson,
  );
  expect(understood).toMatchObject({
    kind: 'error',
    summary: 'charge_id is required',
    parts: { type: 'processing_error', code, logId: 'l1', httpStatus: 402, data: order },
  });
});
