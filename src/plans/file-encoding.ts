/** In which encoding an input file is: UTF-8, or Windows-1252 if no other encoding could have made its bytes. Pure. */

import { isUtf8 } from 'node:buffer';
import type { FileEncoding } from './plan-types.ts';

/** The bytes of a file as UTF-8, without a byte order mark; or why they cannot be read as that. */
type Decoded =
  | {
      readonly bytes: Uint8Array;
      readonly hasBom: boolean;
      readonly encoding: FileEncoding;
      /** Some bytes are no UTF-8, and could be of several encodings or of none: the first line of them, and what to say of it. */
      readonly unsure: { readonly line: number; readonly words: string } | undefined;
    }
  | { readonly unreadable: string };

/** Whatever the bytes are, it does not throw, and it never guesses. */
export function decodeFile(bytes: Uint8Array): Decoded {
  if (bytes.length === 0) return { unreadable: 'the file is empty' };
  const wide = wideName(bytes);
  if (wide !== undefined) return { unreadable: `the file is ${wide}: ${saveAgain}` };
  const [a, b, c] = bytes;
  const hasBom = a === 0xef && b === 0xbb && c === 0xbf;
  const whole = hasBom ? bytes.subarray(3) : bytes;
  const utf8 = { bytes: whole, hasBom, encoding: 'utf-8', unsure: undefined } as const;
  if (isUtf8(whole)) return utf8;
  const line = firstBadLine(whole);
  // A mark says UTF-8, so what is not UTF-8 behind it is damaged.
  const readings = hasBom ? [] : readingsOf(wordsWithAccents(whole));
  const [first, ...others] = readings;
  const isCertain = first?.name === 'Windows-1252' && others.every(({ text }) => text === first.text);
  if (!isCertain) return { ...utf8, unsure: { line, words: unsureWords(readings) } };
  return { ...utf8, bytes: Buffer.from(windows1252.decode(whole)), encoding: 'windows-1252' };
}

const saveAgain = 'save it as UTF-8 (in a spreadsheet: CSV UTF-8)';

// Encodings with several bytes for each character: with a byte order mark, or because of the zeros at the start.
function wideName(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 64));
  const mark = start.toString('hex', 0, 4);
  if (mark === 'fffe0000' || mark === '0000feff') return 'UTF-32';
  if (/^(fffe|feff)/.test(mark)) return 'UTF-16';
  if (start.length < 4) return undefined;
  const zeros = [0, 0, 0, 0];
  start.forEach((byte, index) => {
    if (byte === 0) zeros[index % 4] = (zeros[index % 4] ?? 0) + 1;
  });
  const many = zeros.map((count) => count > start.length / 8);
  const none = zeros.filter((count) => count === 0).length;
  const [first, second, third, fourth] = many;
  if (none > 0 && second && third && (first || fourth)) return 'UTF-32';
  return none > 1 && ((first && third) || (second && fourth)) ? 'UTF-16' : undefined;
}

/** The line with the first byte that is not UTF-8, from 1. */
function firstBadLine(bytes: Uint8Array): number {
  // No byte of a longer character is a line feed or carriage return, so each line is UTF-8 by itself or not.
  let line = 1;
  let from = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const isEnd = bytes[at] === 10 || (bytes[at] === 13 && bytes[at + 1] !== 10);
    if (!isEnd) continue;
    if (!isUtf8(bytes.subarray(from, at))) return line;
    from = at + 1;
    line += 1;
  }
  return line;
}

/** A text in the encoding of a file. A character that it does not have becomes a question mark. */
export function encodeText(text: string, encoding: FileEncoding): Uint8Array {
  if (encoding === 'utf-8') return Buffer.from(text);
  const high = Array.from({ length: 128 }, (_, index) => index + 128);
  const bytes = new Map(high.map((byte) => [windows1252.decode(Uint8Array.of(byte)), byte]));
  return Uint8Array.from(text, (sign) => bytes.get(sign) ?? (sign < '\u0080' ? sign.charCodeAt(0) : 63));
}

// ── What the bytes may be ───────────────────────────────────────────────────────────────────────

/** The words of a file as one encoding reads them. */
interface Reading {
  readonly name: string;
  readonly text: string;
}

/** An encoding that programs write CSV in. `languages`: those with letters beyond A to Z, as regular expressions of a word. */
interface Encoding {
  readonly name: string;
  readonly decode: (bytes: Uint8Array) => string;
  readonly languages: readonly RegExp[];
}

const windows1252 = new TextDecoder('windows-1252');

// Each word of a language has only its own letters. Polish has no ń before a vowel, so Muñoz is not Muńoz.
const western = languagesOf(
  'áéíñóúü àçèéíïòóúü áâãàçéêíóôõúü àâæçèéêëîïôœùûüÿ äöüßé àèéìíîòóù áéëïóöü æøåéèêóòâô äöåé áðéíóúýþæö',
);
const central = languagesOf('ąćęłńóśźż áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž áéíóöőúüű âăîşţș čćđšž äöüß');
const baltic = languagesOf('ąčęėįšųūž āčēģīķļņšūž äõöüšž');
const turkish = languagesOf('âçğıiîöşûü');
const others = [/^[^\p{Script=Latin}]+$/u];

function languagesOf(lists: string): readonly RegExp[] {
  return lists.split(' ').map((letters) => {
    const never = letters.includes('ń') ? '(?!.*ń[aeiouyąęó])' : '';
    return new RegExp(`^${never}[a-z${letters}]+$`, 'iu');
  });
}

// The letters of MS-DOS; what is no letter is a box or a sign, which no word has.
const dos = [
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤',
  'ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
].join('');

function decodeDos(bytes: Uint8Array): string {
  return [...bytes]
    .map((byte) => (byte < 128 ? String.fromCharCode(byte) : (dos[byte - 128] ?? '\ufffd')))
    .join('');
}

// Windows-1252 first. What ISO-8859-1 has is the same there. The same bytes in ISO-8859-15 differ in € and a few rare letters.
function encodings(): readonly Encoding[] {
  const known = (name: string, languages: readonly RegExp[], label: string = name): Encoding => {
    const decoder = new TextDecoder(label, { fatal: true });
    return { name, languages, decode: (bytes) => decoder.decode(bytes) };
  };
  return [
    known('Windows-1252', western),
    known('ISO-8859-15', western),
    known('Windows-1250', central),
    known('ISO-8859-2', central),
    known('Windows-1257', baltic),
    known('Windows-1254', turkish),
    known('Mac Roman', western, 'macintosh'),
    { name: 'MS-DOS (code page 850)', languages: western, decode: decodeDos },
    ...['Windows-1251', 'KOI8-R', 'Windows-1253', 'Windows-1255', 'Windows-1256'].map((name) =>
      known(name, others),
    ),
    ...['GBK', 'Shift_JIS', 'Big5', 'EUC-KR'].map((name) => known(name, others)),
  ];
}

/** The encodings in which every word of the file can be a word. */
function readingsOf(words: readonly Uint8Array[]): readonly Reading[] {
  return encodings().flatMap(({ name, decode, languages }) => {
    const texts: string[] = [];
    for (const word of words) {
      const text = decoded(decode, word);
      if (text === undefined || !canBeWord(text, languages)) return [];
      texts.push(text);
    }
    return [{ name, text: texts.join(' ') }];
  });
}

function decoded(decode: Encoding['decode'], word: Uint8Array): string | undefined {
  try {
    return decode(word).normalize('NFC');
  } catch {
    return undefined;
  }
}

// What stands between blanks, quotes and delimiters, once each, if it has more than ASCII. In no encoding above is such a sign a
// part of a longer character.
function wordsWithAccents(bytes: Uint8Array): readonly Uint8Array[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const words = text.match(/[^\s,;:"]*\P{ASCII}[^\t\n\r ,;:"]*/gu) ?? [];
  return [...new Set(words)].map((word) => Buffer.from(word, 'latin1'));
}

// Whether a text is what people write: letters of one language in the usual case, and signs only where they belong.
function canBeWord(text: string, languages: readonly RegExp[]): boolean {
  if (/[\ufffd\u0080-\u009f\p{Co}\p{Cn}]/u.test(text)) return false;
  const letters = text.match(/[\p{L}\p{M}]*(?:[^\P{L}\p{ASCII}ªº]|\p{M})[\p{L}\p{M}]*/gu) ?? [];
  const areWords = letters.every(
    (word) =>
      /^(\p{Lu}?[\p{Ll}\p{M}]+|[\p{Lu}\p{M}]+|[\p{Lo}\p{M}]+)$/u.test(word) &&
      languages.some((language) => language.test(word)),
  );
  // A digit beside such a letter is nothing that people write, except behind a word (Ñ2 is a seat).
  if (!areWords || /\d[^\P{L}\p{ASCII}ªº]/u.test(text)) return false;
  return (
    inPlace.reduce((rest, sign) => rest.replaceAll(sign, ''), text).search(/[^\p{ASCII}\p{L}\p{M}]/u) === -1
  );
}

// Where people put the signs that are no letters.
const inPlace: readonly RegExp[] = [
  /(?<![\p{L}\d])[¿¡«“‘„‚]+(?=[\p{L}\d€£$*(¿¡«“‘]|$)/gu,
  /(?<=[\p{L}\d.!?)…%€£$*]|^)[»”’…]+(?!\p{L})/gu,
  /(?<=\p{L})’(?=\p{L})/gu,
  /(?<!\p{L})[€£¢¥±½¼¾©®§°×•·](?!\p{L})/gu,
  /(?<=[\p{L}\d.])[ªº°](?!\p{L})/gu,
  /[–—]/gu,
  /\u00a0/gu,
];

// What to say of a file that may be several encodings, with the first word that they read differently.
function unsureWords(readings: readonly Reading[]): string {
  const [first, ...rest] = readings;
  const here = 'here the file is not UTF-8';
  if (first === undefined) return `${here}: ${saveAgain}`;
  const different = [...Map.groupBy(readings, ({ text }) => text).values()].flatMap(([one]) => one ?? []);
  const words = different.map(({ text }) => text.split(' '));
  const at = (words[0] ?? []).findIndex((word, index) => words.some((other) => other[index] !== word));
  const named = different.slice(0, 3).map(({ name }, index) => {
    const word = words[index]?.[Math.max(at, 0)] ?? '';
    return `${name} (${word.slice(0, 40)})`;
  });
  const may = rest.length === 0 ? named.join('') : `${named.slice(0, -1).join(', ')} or ${named.at(-1)}`;
  return `${here}, and may be ${may}: ${saveAgain}`;
}
