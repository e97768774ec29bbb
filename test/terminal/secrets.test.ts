import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecrets, type Secrets } from '../../src/terminal/secrets.ts';
import { reveals } from '../harness/reveals.ts';
import { spellings } from './spellings.ts';

const key = 'key_Zq9+/x"Y7';
const keys = [key, 'sk_live_4u9fQ2mZ7', 'Az%41&lt;09\\nGh-.~'];

function withKey(known = key): Secrets {
  const secrets = createSecrets();
  secrets.add(known);
  return secrets;
}

describe('the key filter', () => {
  const cases = Object.entries(spellings).flatMap(([name, spell]) =>
    keys.map((known) => ({ name, known, spelt: spell(known) })),
  );
  it.each(cases)('stops the key $known $name', ({ known, spelt }) => {
    const text = `before ${spelt} after`;
    const cleaned = withKey(known).clean(text);
    expect(reveals(known, text)).toBe(true);
    expect(cleaned).toContain('[key]');
    expect(cleaned).toMatch(/^before .* after$/);
    expect(reveals(known, cleaned)).toBe(false);
    expect(withKey(known).holds(text)).toBe(true);
    expect(withKey(known).holds(cleaned)).toBe(false);
  });

  it.each(cases)('stops the key $known $name, in whatever pieces it comes', ({ known, spelt }) => {
    const text = `{"a":"${spelt}","b":"${spelt.slice(0, 5)}`;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 8 }), (cuts) => {
        const filter = withKey(known).filter();
        const points = [0, ...cuts.sort((a, b) => a - b), text.length];
        const pieces = points.map((point, index) => text.slice(point, points[index + 1]));
        const out = pieces.map((piece) => filter.push(piece)).join('') + filter.end();
        expect(reveals(known, out)).toBe(false);
        expect(out).toContain(`"b":"${spelt.slice(0, 5)}`);
      }),
      { numRuns: 30 },
    );
  });

  it.each(cases)(
    'keeps JSON that holds the key $known $name valid, and its other values',
    ({ known, spelt }) => {
      const value = { a: spelt, [spelt]: [1, 'José "q" \\', 12345678901234567890n.toString()], b: null };
      const json = JSON.stringify(value);
      const cleaned = withKey(known).cleanJson(json);
      const parsed = JSON.parse(cleaned) as Record<string, unknown>;
      expect(parsed.b).toBe(null);
      expect(Object.values(parsed)[1]).toEqual(Object.values(value)[1]);
      expect(parsed.a).toContain('[key]');
      expect(reveals(known, cleaned)).toBe(false);
    },
  );

  it('leaves text without keys alone', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('\\', 'u', '0', '4', '%', '&', '#', ';', 'k', ' ') })),
        (pieces) => {
          const filter = withKey().filter();
          expect(pieces.map((piece) => filter.push(piece)).join('') + filter.end()).toBe(pieces.join(''));
        },
      ),
    );
  });

  it('changes nothing in JSON but what holds a key', () => {
    const json = `{ "n": 1.00, "big":123456789012345678901,"u":"\\u00e9\\/", "k" : "a${'key_Zq9+/x\\"Y7'}b" }`;
    expect(withKey().cleanJson(json)).toBe(
      '{ "n": 1.00, "big":123456789012345678901,"u":"\\u00e9\\/", "k" : "a[key]b" }',
    );
  });

  it('makes a string of a number that is a key, so that JSON stays JSON', () => {
    expect(withKey('123456789').cleanJson('[123456789,5]')).toBe('["[key]",5]');
  });

  it('masks a key in the body of a reply and leaves other bodies as they are', () => {
    const secrets = withKey();
    const body = Buffer.from('{"a":"\\u006bey_Zq9+/x\\"Y7"}');
    expect(Buffer.from(secrets.cleanBody(body)).toString()).toBe('{"a":"[key]"}');
    const other = Buffer.from('{"a":"\\u006bey_Zq9"}');
    expect(secrets.cleanBody(other)).toBe(other);
  });

  it('finds a key that begins in one piece of bytes and ends in the next', () => {
    const secrets = createSecrets();
    secrets.add('a-key-that-ends-"},');
    const filter = secrets.filter();
    const pieces = ['{"a":1},\n{"a":"José"}', ',\n{"a":"a-key-that-ends-"}', ',\n{"a":2}'];
    const out = pieces.map((piece) => Buffer.from(filter.push(Buffer.from(piece))).toString()).join('');
    expect(out + filter.end()).toBe('{"a":1},\n{"a":"José"},\n{"a":"[key]\n{"a":2}');
  });

  it('knows keys that are added later', () => {
    const secrets = withKey();
    const filter = secrets.filter();
    secrets.add('another-key-9000');
    expect(filter.push('x another-key-9000\n')).toBe('x [key]\n');
  });

  it('shows the key of a simulator once it was revealed', () => {
    const secrets = withKey();
    secrets.reveal(key);
    expect(secrets.clean(key)).toBe(key);
  });
});
