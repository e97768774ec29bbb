import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecrets } from '../../src/terminal/secrets.ts';

const key = 'key_Zq9+/x"Y7';

function withKey() {
  const secrets = createSecrets();
  secrets.add(key);
  return secrets;
}

describe('the key filter', () => {
  it.each([
    ['plain', key],
    ['behind Bearer', `Bearer ${key}`],
    ['as Basic credentials', Buffer.from(`${key}:`).toString('base64')],
    ['as base64', Buffer.from(key).toString('base64')],
    ['percent-encoded', encodeURIComponent(key)],
    [
      'percent-encoded in lower case',
      encodeURIComponent(key)
        .toLowerCase()
        .replace(/key_zq9/, 'key_Zq9')
        .replace('x%22y7', 'x%22Y7'),
    ],
    ['inside a JSON string', JSON.stringify(key)],
  ])('stops a key %s', (_, echoed) => {
    const cleaned = withKey().clean(`before ${echoed} after`);
    expect(cleaned).toContain('[key]');
    expect(cleaned).not.toContain(echoed.replace('Bearer ', ''));
    expect(cleaned).toMatch(/^before .* after$/);
  });

  it('stops a key that comes in pieces, wherever it is split, and loses nothing else', () => {
    const text = `a ${key} b ${Buffer.from(`${key}:`).toString('base64')} key_Zq`;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 8 }), (cuts) => {
        const filter = withKey().filter();
        const points = [0, ...cuts.sort((a, b) => a - b), text.length];
        const pieces = points.map((point, index) => text.slice(point, points[index + 1]));
        const out = pieces.map((piece) => filter.push(piece)).join('') + filter.end();
        expect(out).toBe(withKey().clean(text));
        expect(out).not.toContain(key);
      }),
    );
  });

  it('leaves text without keys alone', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (pieces) => {
        const filter = withKey().filter();
        expect(pieces.map((piece) => filter.push(piece)).join('') + filter.end()).toBe(pieces.join(''));
      }),
    );
  });

  it('knows keys that are added later', () => {
    const secrets = withKey();
    const filter = secrets.filter();
    secrets.add('another-key-9000');
    expect(filter.push('x another-key-9000\n')).toBe('x [key]\n');
  });
});
