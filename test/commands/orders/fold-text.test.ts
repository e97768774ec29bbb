/** Texts compared without case and accents. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fold } from '../../../src/commands/orders/search/fold-text.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 40 });

describe('a folded text', () => {
  test.each([
    ['Pérez', 'perez'],
    ['José Ángel Muñoz Peña', 'jose angel munoz pena'],
    ['Íñiguez', 'iniguez'],
    ['Søren Østergård', 'soren ostergard'],
    ['Łukasz Żółć', 'lukasz zolc'],
    ['İbrahim Şahin', 'ibrahim sahin'],
    ['Straße, ŒUVRE, Þór', 'strasse, oeuvre, thor'],
    ['O’Connor', "o'connor"],
    ['ΓΙΩΡΓΟΣ', 'γιωργοσ'],
    ['Γιώργος', 'γιωργοσ'],
    ['Nguyễn Thị Hồng Ánh', 'nguyen thi hong anh'],
    ['ＰＥＲＥＺ', 'perez'],
    ['Pe\u0301rez', 'perez'],
    ['P\u200bé\u00adrez', 'perez'],
    ['王小明', '王小明'],
  ])('%s reads as %s', (text, folded) => expect(fold(text)).toBe(folded));

  test('stays as it is when folded again', () => {
    fc.assert(fc.property(anyText, (text) => fold(fold(text)) === fold(text)));
  });

  test('is the same for a text, its upper and its lower case where Unicode leads back', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('abcxyzñáéöçüşğλωя 0-@.')) }), (text) => {
        expect(fold(text.toUpperCase())).toBe(fold(text));
        expect(fold(text.toLowerCase())).toBe(fold(text));
      }),
    );
  });

  test('is the same however its accents are written', () => {
    fc.assert(fc.property(anyText, (text) => fold(text.normalize('NFD')) === fold(text.normalize('NFC'))));
  });

  test('holds the folded parts of its text, also over the places where a long text is cut', () => {
    const letter = fc.constantFrom('a', 'É', 'ñ', 'ß', '王', '🌵', 'e\u0301', ' ');
    const long = fc.array(letter, { minLength: 2_000, maxLength: 6_000 });
    fc.assert(
      fc.property(long, fc.nat(5_900), (letters, at) => {
        const part = letters.slice(at, at + 40).join('');
        return fold(letters.join('')).includes(fold(part));
      }),
      { numRuns: 30 },
    );
  });
});

describe('folding a text of a megabyte', () => {
  const units: readonly (readonly [string, string])[] = [
    ['plain text', 'Perez '],
    ['accents', 'Pérez '],
    ['nothing but marks, in the order that costs most to sort', '\u0301\u0323'],
    ['letters of two halves', '🌵'],
    ['Hangul', '김'],
  ];
  // Time of the processor, so that other work on the machine does not count. At the square of its length a megabyte
  // of marks takes six minutes; in proportion, less than a second.
  test.each(units)('takes time in proportion to its length: %s', (_, unit) => {
    const text = unit.repeat(1_000_000 / unit.length);
    const start = process.cpuUsage();
    fold(text);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1_000_000).toBeLessThan(10);
  });
});
