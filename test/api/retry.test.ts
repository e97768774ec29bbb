import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headOf } from '../../src/api/headers.ts';
import { nextTry } from '../../src/api/retry.ts';

const now = Date.UTC(2026, 10, 21, 9, 30);
const base = new URL('https://pay.example/v1/');

function head(status: number, headers: Record<string, string>) {
  return headOf(new Response(null, { status, headers }), base, now);
}

describe('what a service asks to wait', () => {
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
    expect(head(302, { location: 'http://[' }).redirectTo).toBe('a place that is no URL');
    expect(head(200, { location: '/elsewhere' }).redirectTo).toBeUndefined();
  });

  test('knows its date and media type, where they are any', () => {
    const known = head(200, { 'content-type': 'Text/HTML ; x', date: 'Sat, 21 Nov 2026 09:30:00 GMT' });
    expect(known).toMatchObject({ contentType: 'text/html', date: now });
    expect(head(200, { date: '5' })).toMatchObject({ contentType: '', date: undefined });
  });
});

describe('the next try of a read', () => {
  test('waits at random up to a limit that doubles, and never less than asked', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 0, max: 10_000 }),
        (tries, random, retryAfterMs) => {
          const next = nextTry({ status: 503, retryAfterMs }, tries, () => random);
          const waitMs = 'waitMs' in next ? next.waitMs : Number.NaN;
          expect(waitMs).toBeGreaterThanOrEqual(retryAfterMs);
          expect(waitMs).toBeLessThanOrEqual(Math.max(retryAfterMs, 300 * 2 ** (tries - 1)));
        },
      ),
    );
  });

  test.each([[200], [204], [302], [400], [401], [404], [409], [422], [428], [501]])(
    'does not come after HTTP %i',
    (status) => {
      expect(nextTry({ status }, 1, () => 0)).toEqual({ stop: 'final' });
    },
  );

  test('does not come after a fourth', () => {
    expect(nextTry({ status: 503 }, 3, () => 0)).toEqual({ waitMs: 0 });
    expect(nextTry({ status: 503 }, 4, () => 0)).toEqual({ stop: 'final' });
  });

  test('does not come when the service asks for more than 10 s', () => {
    expect(nextTry({ status: 429, retryAfterMs: 10_000 }, 1, () => 1)).toEqual({ waitMs: 10_000 });
    expect(nextTry({ status: 429, retryAfterMs: 10_001 }, 1, () => 1)).toEqual({
      stop: 'wait_too_long',
      askedMs: 10_001,
    });
  });
});
