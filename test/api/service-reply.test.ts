import { describe, expect, test } from 'vitest';
import type { RawReply } from '../../src/api/api.ts';
import { readJson } from '../../src/api/reply-json.ts';
import { headOf, understand } from '../../src/api/service-reply.ts';

function raw(status: number, body: unknown, more: Partial<RawReply> = {}): RawReply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, contentType: 'application/json', body: new TextEncoder().encode(text), ...more };
}

test.each<[string, RawReply]>([
  ['HTTP 200, an empty body', raw(200, '')],
  ['HTTP 500, an empty body', raw(500, '')],
  ['HTTP 502, an HTML page', raw(502, 'oops', { contentType: 'text/html' })],
  ['HTTP 404, an HTML page', raw(404, '\n<!DOCTYPE html><p>')],
  ['HTTP 200, text that is not JSON', raw(200, '{"object":"ord')],
  ['HTTP 307, a redirect to other.example', raw(307, '{}', { redirectTo: 'other.example' })],
  ['HTTP 304, a redirect', raw(304, '')],
])('%s', (words, reply) => {
  expect(understand(reply, readJson)).toEqual({ kind: 'odd', words });
});

test.each<[string, unknown, string, object]>([
  [
    'a message',
    { statusCode: 406, message: 'header not allowed', log_id: 'l1' },
    'header not allowed',
    { logId: 'l1', details: [{ message: 'header not allowed' }] },
  ],
  ['a word', { error: 'conflict' }, 'conflict', { details: [{ message: 'conflict' }] }],
  ['neither', { ok: false, why: [1, 2] }, '{"ok":false,"why":[1,2]}', { details: [] }],
  ['neither, on several lines', '{\n  "ok": 0\n}', '{ "ok": 0 }', { details: [] }],
  ['neither, and much of it', [`${'x'.repeat(400)}`], `["${'x'.repeat(298)}…`, { details: [] }],
])('JSON of another form with an error status shows its own text: %s', (_, body, summary, parts) => {
  expect(understand(raw(406, body), readJson)).toMatchObject({
    kind: 'other_error',
    summary,
    parts: { httpStatus: 406, ...parts },
  });
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

const now = Date.UTC(2026, 10, 21, 9, 30);
const base = new URL('https://pay.example/v1/');

function head(status: number, headers: Record<string, string>) {
  return headOf(new Response(null, { status, headers }), base, now);
}

describe('what a service asks us to wait', () => {
  test.each<[Record<string, string>, number | undefined]>([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': '1e9' }, undefined],
    [{ 'retry-after': '1000000000' }, 1e12],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': 'Sat, 21 Nov 2026 09:30:30 GMT' }, 30_000],
    [{ 'retry-after': 'Sat, 21 Nov 2020 09:30:30 GMT' }, 0],
    [{ 'ratelimit-reset': '30' }, 30_000],
    [{ 'x-ratelimit-reset': String(now / 1000 + 5) }, 5_000],
    [{ 'x-rate-limit-reset': String(now + 5_000) }, 5_000],
    [{ 'retry-after': '2', 'ratelimit-reset': '30' }, 2_000],
    [{ 'retry-after': 'x'.repeat(60_000) }, undefined],
  ])('%j', (headers, expected) => {
    expect(head(429, headers).retryAfterMs).toBe(expected);
  });

  test('a reset of a rate limit that was not hit is no wait', () => {
    expect(head(200, { 'x-ratelimit-reset': '30' }).retryAfterMs).toBeUndefined();
  });
});

describe('the head of a reply', () => {
  test('names a redirect by its host only', () => {
    expect(head(302, { location: 'https://a:b@other.example:99/x?y#z' }).redirectTo).toBe('other.example:99');
    expect(head(302, { location: '/elsewhere' }).redirectTo).toBe('pay.example');
    expect(head(302, { location: 'http://[' }).redirectTo).toBe('an address that is not a URL');
    expect(head(200, { location: '/elsewhere' }).redirectTo).toBeUndefined();
  });

  test('knows its date and media type, where they are any', () => {
    const known = head(200, { 'content-type': 'Text/HTML ; x', date: 'Sat, 21 Nov 2026 09:30:00 GMT' });
    expect(known).toMatchObject({ contentType: 'text/html', date: now });
    expect(head(200, { date: '5' })).toMatchObject({ contentType: '', date: undefined });
  });
});
