import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { widthOf } from '../../src/terminal/text-lines.ts';

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

test('so is any text, of such characters or others', () => {
  const some = fc.constantFrom(
    ...letters.split(''),
    '🌵',
    'สมชาย',
    'e\u0301',
    '\u200d',
    '\ufe0f',
    '↔',
    'ㅎ',
    'ﾊ',
    '\u1100',
    '\u1161',
  );
  fc.assert(
    fc.property(fc.array(some, { maxLength: 12 }), (parts) => {
      const text = parts.join('');
      expect(widthOf(text)).toBe(stringWidth(text));
    }),
    { numRuns: 1000 },
  );
});
