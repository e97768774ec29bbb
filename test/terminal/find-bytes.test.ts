import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyIn } from '../../src/terminal/secrets.ts';

const bytes = (limits: fc.StringConstraints) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'c'), ...limits }).map((text) => Buffer.from(text));

it('finds one of the texts exactly when a search for each of them does', () => {
  const texts = fc.array(bytes({ minLength: 2, maxLength: 6 }), { minLength: 1, maxLength: 4 });
  let found = 0;
  fc.assert(
    fc.property(texts, bytes({ maxLength: 40 }), (all, where) => {
      const expected = all.some((text) => where.includes(text));
      found += Number(expected);
      expect(anyIn(all)(where)).toBe(expected);
    }),
    { numRuns: 2000 },
  );
  expect(found).toBeGreaterThan(200);
  expect(found).toBeLessThan(1800);
});

it('finds texts longer than 256 bytes at the start and at the end, and no part of them', () => {
  const long = Buffer.from(`${'x'.repeat(299)}y`);
  const find = anyIn([long, Buffer.from(`${'z'.repeat(400)}`)]);
  expect(find(Buffer.concat([long, Buffer.from('..')]))).toBe(true);
  expect(find(Buffer.concat([Buffer.from('..'), long]))).toBe(true);
  expect(find(long.subarray(0, 299))).toBe(false);
  expect(find(long.subarray(1))).toBe(false);
});
