/** Texts compared without case and accents. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fold } from '../../src/commands/orders/folding.ts';

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
  // Ten times the length may cost ten times the time; a square would cost a hundred times.
  const worst: readonly (readonly [string, string])[] = [
    ['plain text', 'Perez '],
    ['accents', 'Pérez '],
    ['nothing but marks, in the order that costs most to sort', '\u0301\u0323'],
    ['letters of two halves', '🌵'],
    ['Hangul', '김'],
  ];
  test.each(worst)('takes time in proportion to its length: %s', (_, unit) => {
    const text = (length: number): string => unit.repeat(length / unit.length);
    const best = (length: number): number =>
      Math.min(
        ...[1, 2, 3].map(() => {
          const start = performance.now();
          fold(text(length));
          return performance.now() - start;
        }),
      );
    fold(text(10_000));
    expect(best(1_000_000)).toBeLessThan(40 * best(100_000) + 20);
  });
});
