/** Files that are not UTF-8 are refused: their encoding is never guessed. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeFile } from '../../src/plans/input-file.ts';

it('the line is named on which a file stops to be UTF-8', () => {
  expect(decodeFile(Buffer.from('Jos\xe9\nAndr\xe9s\n', 'latin1'))).toMatchObject({ badLine: 1 });
  expect(decodeFile(Buffer.from('ord_1\r\nord_2\rAndr\xe9s\n', 'latin1'))).toMatchObject({ badLine: 3 });
  expect(decodeFile(Buffer.from('Jos\xe9\nAndrés\n'))).toMatchObject({ badLine: undefined });
});

it('bytes behind a byte order mark of UTF-8 have to be UTF-8', () => {
  const marked = Buffer.from('\xef\xbb\xbfJos\xe9', 'latin1');
  expect(decodeFile(marked)).toEqual({ bytes: marked.subarray(3), hasBom: true, badLine: 1 });
});

it.each([
  ['UTF-32', 'little end first, with a mark', Buffer.from('fffe000061000000', 'hex')],
  ['UTF-32', 'big end first, with a mark', Buffer.from('0000feff00000061', 'hex')],
  ['UTF-32', 'without one', Buffer.from('o\0\0\0r\0\0\0')],
  ['UTF-16', 'with a mark', Buffer.from('\ufefforder', 'utf16le')],
  ['UTF-16', 'without one', Buffer.from('order_id', 'utf16le').swap16()],
])('%s, %s, is said', (name, _, bytes) => {
  expect(decodeFile(bytes)).toEqual({
    unreadable: `the file is ${name}: save it as UTF-8 (in a spreadsheet: CSV UTF-8)`,
  });
});

it('never throws, whatever the bytes are', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (bytes) => {
      const read = decodeFile(bytes);
      expect('unreadable' in read || read.badLine === undefined || read.badLine > 0).toBe(true);
    }),
  );
});
