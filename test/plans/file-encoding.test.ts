/** Files that are not UTF-8: read as Windows-1252 if they can be nothing else, and otherwise refused with what they may be. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFile, encodeText } from '../../src/plans/file-encoding.ts';

/** `\xe9` stands for the byte 0xe9. */
function decode(text: string) {
  return decodeFile(Buffer.from(text, 'latin1'));
}

function readAs(text: string): string {
  const decoded = decode(text);
  if ('unreadable' in decoded) return decoded.unreadable;
  return decoded.unsure?.words ?? `${decoded.encoding} ${Buffer.from(decoded.bytes).toString()}`;
}

describe('Windows-1252 is read, and ISO-8859-1 with it', () => {
  it.each([
    ['Jos\xe9', 'José'],
    ['JOS\xc9 Pe\xf1a', 'JOSÉ Peña'],
    ['Mu\xf1oz', 'Muñoz'],
    ['Mart\xednez,P\xe9rez', 'Martínez,Pérez'],
    ['\x93dos cobros\x94, mi\xe9rcoles', '“dos cobros”, miércoles'],
    ['O\x92Brien,Andr\xe9s', 'O’Brien,Andrés'],
    ['\x80 120,\xbfd\xf3nde?,se\xf1ora', '€ 120,¿dónde?,señora'],
    ['cobro n.\xba 2 \x96 duplicado, se\xf1or', 'cobro n.º 2 – duplicado, señor'],
    ['\xd1and\xfa;C\xf3rdoba;G\xfcell', 'Ñandú;Córdoba;Güell'],
    ['Gonz\xe1lez|N\xfa\xf1ez', 'González|Núñez'],
  ])('%j', (bytes, text) => {
    expect(readAs(bytes)).toBe(`windows-1252 ${text}`);
  });
});

describe('what could be another encoding is refused, and said', () => {
  it.each([
    ['Dvo\xf8\xe1k', 'Windows-1250 (Dvořák)'],
    ['Zo\xeb', 'Windows-1257 (Zoė)'],
    ['tr\xe8s', 'Windows-1252 (très)'],
    ['Mu\x96oz', 'Mac Roman (Muñoz)'],
    ['Garc\x92a', 'Mac Roman (García)'],
    ['Mu\xa4oz,Jos\x82', 'MS-DOS (code page 850) (Muñoz)'],
    ['\xcf\xf0\xe8\xe2\xe5\xf2', 'Windows-1251 (Привет)'],
    ['\xc4\xe3\xba\xc3', 'GBK (你好)'],
    ['\xa4 5, se\xf1or', 'ISO-8859-15 (€)'],
  ])('%j', (bytes, named) => {
    expect(readAs(bytes)).toContain(named);
    expect(readAs(bytes)).toMatch(/^here the file is not UTF-8, and may be /);
  });

  it('a file that is UTF-8 in one line and not in another is neither', () => {
    expect(readAs('Jos\xc3\xa9\nAndr\xe9s')).toMatch(/^here the file is not UTF-8: save it as UTF-8/);
  });

  it('bytes behind a mark of UTF-8 are damaged UTF-8', () => {
    expect(readAs('\xef\xbb\xbfJos\xe9')).toMatch(/^here the file is not UTF-8: save it/);
  });

  it.each([
    ['UTF-32', 'little end first, with a mark', Buffer.from('fffe000061000000', 'hex')],
    ['UTF-32', 'big end first, with a mark', Buffer.from('0000feff00000061', 'hex')],
    ['UTF-32', 'without one', Buffer.from('o\0\0\0r\0\0\0')],
    ['UTF-16', 'with a mark', Buffer.from('\ufefforder', 'utf16le')],
    ['UTF-16', 'without one', Buffer.from('order_id', 'utf16le').swap16()],
  ])('%s, %s', (name, _, bytes) => {
    expect(decodeFile(bytes)).toEqual({
      unreadable: `the file is ${name}: save it as UTF-8 (in a spreadsheet: CSV UTF-8)`,
    });
  });
});

it('what is read as Windows-1252 is written as the same bytes', () => {
  const words = fc.constantFrom('José', 'Muñoz', '“sí”', '€ 5', 'O’Brien', '–', 'ord_1', 'Güell', ',', '\n');
  fc.assert(
    fc.property(fc.array(words, { minLength: 1 }), (parts) => {
      const bytes = encodeText(parts.join(' '), 'windows-1252');
      const read = decodeFile(bytes);
      if ('unreadable' in read) throw new Error(read.unreadable);
      if (read.encoding === 'utf-8') return;
      expect(Buffer.from(read.bytes).toString()).toBe(parts.join(' '));
      expect(Buffer.from(encodeText(parts.join(' '), read.encoding))).toEqual(Buffer.from(bytes));
    }),
  );
  expect(Buffer.from(encodeText('é€漢', 'windows-1252')).toString('latin1')).toBe('\xe9\x80?');
});

it('never throws, whatever the bytes are', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (bytes) => {
      const read = decodeFile(bytes);
      expect('unreadable' in read || read.unsure === undefined || read.unsure.line > 0).toBe(true);
    }),
  );
});
