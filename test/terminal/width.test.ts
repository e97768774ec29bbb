import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { cut, cutInMiddle } from '../../src/terminal/text-lines.ts';
import { widthOf } from '../../src/terminal/width.ts';

const letters = ['aZ09 -~', 'éÑłœȯ', 'λΩ', 'яЖ', 'Nguyễn', '–…·', '李小龍', 'さくらサ', '김철수', '한'].join(
  '',
);

test.each([
  'José Núñez',
  'Łukasz Żółć',
  'Nguyễn Thị Hồng',
  'Ελένη',
  'Сергей',
  '李小龍',
  'さくら',
  'スーパー',
  '佐々木',
  '김철수',
  'ליאור כהן',
  'ليلى حدّاد',
  'สมชาย ใจดี',
  'น้ำ',
  'Jose\u0301',
])('%s is as wide as string-width says', (name) => {
  expect(widthOf(name)).toBe(stringWidth(name));
});

test('every character that is counted here is as wide as string-width says', () => {
  for (let code = 0x20; code < 0xd800; code += 1) {
    const text = String.fromCodePoint(code);
    if (/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/u.test(text)) continue;
    expect(widthOf(text), code.toString(16)).toBe(stringWidth(text));
  }
});

test('every picture, alone and with the sign that makes it one, is as wide as string-width says', () => {
  for (let code = 0x1f000; code < 0x1fb00; code += 1)
    for (const text of [String.fromCodePoint(code), `${String.fromCodePoint(code)}\ufe0f`])
      expect(widthOf(text), code.toString(16)).toBe(stringWidth(text));
});

const marked = fc.constantFrom(...letters.split(''), ...'สมชายน้ำכּהدّ'.split(''), '\u0301', '\u0e49', '\u05bc');
const others = fc.constantFrom(
  '🌵',
  '👩\u200d🌾',
  '\u200d',
  '\ufe0f',
  '↔',
  'ㅎ',
  'ﾊ',
  '\u1100',
  '\u1161',
  'क्षि',
  '🎟\ufe0f',
  '🎟',
  '❤\ufe0f',
  '⚡',
  '⚡\ufe0e',
  '👍🏽',
  '🏽',
  '🇲🇽',
  '🇲',
  '1\ufe0f\u20e3',
  '🏴\u{e0067}\u{e0062}\u{e007f}',
);

test.each([
  ['such characters', marked],
  ['such characters and others', fc.oneof(marked, others)],
])('so is any text of %s', (_, some) => {
  fc.assert(
    fc.property(fc.array(some, { maxLength: 12 }), (parts) => {
      const text = parts.join('');
      expect(widthOf(text)).toBe(stringWidth(text));
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['such characters', marked],
  ['such characters and others', fc.oneof(marked, others)],
])('a text of %s is cut between graphemes, to no more cells than asked', (_, some) => {
  fc.assert(
    fc.property(fc.array(some, { maxLength: 12 }), fc.integer({ min: 1, max: 12 }), (parts, width) => {
      const text = parts.join('');
      const shown = cut(text, width);
      expect(stringWidth(shown)).toBeLessThanOrEqual(width);
      if (shown === text) return;
      const graphemes = Array.from(new Intl.Segmenter('en').segment(text), ({ segment }) => segment);
      const starts = graphemes.map((_one, index) => graphemes.slice(0, index).join(''));
      expect(starts).toContain(shown.slice(0, -1));
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['José Ángel Hernández (night shift)', 20, 'José Ángel…ht shift)'],
  ['José Ángel Hernández (night shift)', 60, 'José Ángel Hernández (night shift)'],
  ['王小明王小明王小明', 8, '王小…明'],
])('%s in %i cells, cut in its middle: %s', (text, width, shown) => {
  expect(cutInMiddle(text, width)).toBe(shown);
});

test('a text of such characters and others is cut in its middle to no more cells than asked', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(marked, others), { maxLength: 24 }),
      fc.integer({ min: 1, max: 24 }),
      (parts, width) => {
        const text = parts.join('');
        const shown = cutInMiddle(text, width);
        expect(stringWidth(shown)).toBeLessThanOrEqual(width);
        const cuts = [...shown.matchAll(/…/g)].map(({ index }) => [
          shown.slice(0, index),
          shown.slice(index + 1),
        ]);
        const isHonest = cuts.some(([start = '', end = '']) => text.startsWith(start) && text.endsWith(end));
        expect(shown === text || isHonest).toBe(true);
      },
    ),
    { numRuns: 1000 },
  );
});
