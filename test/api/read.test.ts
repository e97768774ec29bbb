import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextTry } from '../../src/api/read.ts';

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
