/** Keys in random texts, in up to five layers of escapes: every one is found. `PAYDESK_TEST_LONG=1` takes 100,000 texts. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { layersOf, spellingsOf } from '../../src/terminal/key-spellings.ts';
import { createSecrets } from '../../src/terminal/secrets.ts';
import { isLong } from '../harness/long.ts';

const keys = ['key_Zq9+/x"Y7', "sk_live_4u9fQ2mZ7'Rw", 'pk-0123456789abcdef0123456789ABCDEF0123456789abcdef'];
const numRuns = isLong ? 100_000 : 500;

const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;', "'": '&apos;' };

/** The escapes of a layer: how each writes a character. */
const escapes: Readonly<Record<string, (character: string) => string>> = {
  'JSON, as short as it can be': (one) => ('"\\/'.includes(one) ? `\\${one}` : `\\u00${hex(one)}`),
  'JSON with \\u': (one) => `\\u00${hex(one).toUpperCase()}`,
  'a script with \\u{…}': (one) => `\\u{00${hex(one)}}`,
  'a script with \\x': (one) => `\\x${hex(one)}`,
  'a URL': (one) => `%${hex(one)}`,
  'HTML with names': (one) => entities[one] ?? `&#${one.charCodeAt(0)};`,
  'HTML with hexadecimal numbers': (one) => `&#X0${hex(one)};`,
};

/** The texts that a key may be in before it is escaped. */
const written: readonly ((key: string) => string)[] = [
  (key) => key,
  (key) => key.toLowerCase(),
  (key) => Buffer.from(`${key}:`).toString('base64'),
  (key) => Buffer.from(`user:${key}`).toString('base64url'),
  (key) => Buffer.from(key).toString('hex'),
];

const noise = fc.string({
  unit: fc.constantFrom(...' ":,.{}/\\%&;#=u0041x_kKeyé😀\n'.split(''), '\\"', '\\u00e9', '&amp;', '%20'),
  maxLength: 40,
});

const layer = fc.record({
  by: fc.constantFrom(...Object.values(escapes)),
  // Of how many characters one is escaped.
  one: fc.constantFrom(1, 2, 9, 40),
  dice: fc.nat(),
});

// What begins an escape is always escaped, so that the text in the layer is whole.
function inLayer(
  text: string,
  { by, one, dice }: { by: (c: string) => string; one: number; dice: number },
): string {
  return text.replace(/[!-~]/g, (character, at: number) =>
    '\\%&'.includes(character) || (Math.imul(dice + at, 2654435761) >>> 16) % one === 0
      ? by(character)
      : character,
  );
}

const planted = fc.record({
  key: fc.constantFrom(...keys),
  write: fc.constantFrom(...written),
  layers: fc.array(layer, { maxLength: 5 }),
  before: noise,
  after: noise,
});

// More layers would only make it longer.
const longEnough = 2000;

it('finds every key that is planted in a text, in whatever layers of escapes', () => {
  fc.assert(
    fc.property(planted, ({ key, write, layers, before, after }) => {
      const spelt = layers.reduce(
        (text, how) => (text.length > longEnough ? text : inLayer(text, how)),
        write(key),
      );
      const secrets = createSecrets();
      secrets.add(key);
      const text = `${before} "${spelt}" ${after}`;
      expect(secrets.holds(text)).toBe(true);
      const cleaned = Buffer.from(secrets.cleanBody(Buffer.from(text))).toString();
      expect(cleaned).toContain('[key]');
      expect(secrets.holds(cleaned)).toBe(false);
    }),
    { numRuns },
  );
});

it('finds in a text what is found when all of it is decoded, and nothing else', () => {
  let found = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...keys),
      fc.array(fc.oneof(noise, fc.nat()), { maxLength: 8 }),
      (key, all) => {
        // Pieces of the key in some escape, which may or may not make a whole key.
        const spell = Object.values(escapes);
        const pieces = all.map((one) => {
          if (typeof one === 'string') return one;
          const half = key.length >> 1;
          const text = one % 3 === 0 ? key : one % 3 === 1 ? key.slice(0, half) : key.slice(half);
          return text.replace(/[!-~]/g, (character, at: number) =>
            (one >> (at % 16)) % 4 === 0 ? (spell[(one + at) % spell.length]?.(character) ?? '') : character,
          );
        });
        const text = pieces.join('');
        const secrets = createSecrets();
        secrets.add(key);
        const expected = [...layersOf(text)].some((one) =>
          spellingsOf(key).some((spelling) => one.text.includes(spelling.text)),
        );
        found += Number(expected);
        expect(secrets.holds(text)).toBe(expected);
      },
    ),
    { numRuns },
  );
  expect(found).toBeGreaterThan(numRuns / 10);
  expect(found).toBeLessThan(numRuns * 0.9);
});
