/**
 * Knows how a key may be spelled: in base64, base32 and hex, with separators between its letters, and with the escapes of JSON,
 * URLs and HTML. Pure.
 */

import { Buffer } from 'node:buffer';

/** A text after its escapes were decoded a number of times. */
interface Layer {
  readonly text: string;
  /** Where the character at `at` is in the original text. `at` may also be the end. */
  place(at: number): number;
}

/** A text that gives the key away. It is searched for after escapes were decoded. */
export interface Spelling {
  readonly text: string;
  /** In base64 the characters right before and after the spelling hold bits of the key too. */
  readonly isBase64: boolean;
}

// How many layers of escapes are decoded. Nobody encodes a key more often than that by accident: `%252525` has three layers. A
// limit also keeps the work on a hostile text small.
const deepest = 6;
// Only escapes of printable ASCII count, because a key has no other characters.
const hexCode = '([2-7][0-9a-fA-F])';
const escapes = new RegExp(
  [
    String.raw`\\u00${hexCode}|\\u\{0*${hexCode}\}|\\x${hexCode}|%${hexCode}|&#[xX]0*${hexCode};?`,
    String.raw`&#0*(3[2-9]|[4-9]\d|1[01]\d|12[0-6]);?|&(amp|lt|gt|quot|apos);|\\([/"\\'])`,
  ].join('|'),
  'g',
);
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
// The groups of `escapes`. Five of them hold hex digits.
const [hexGroups, decimalGroup, nameGroup, selfGroup] = [[1, 2, 3, 4, 5], 6, 7, 8] as const;

/** The spellings of one key, in lower case too, because a host name with a key in it is shown in lower case. */
export function spellingsOf(key: string): readonly Spelling[] {
  const plain = new Set<string>();
  // A key may hold characters that look like an escape. The search sees such a key decoded.
  for (const cased of [key, key.toLowerCase(), key.toUpperCase()])
    for (const { text } of layersOf(cased)) plain.add(text);
  const hex = Buffer.from(key).toString('hex');
  const encoded = [key, encodeURIComponent(key), inJson(key)].flatMap((text) => base64Of(Buffer.from(text)));
  return [
    ...[...plain, hex, hex.toUpperCase()].map((text) => ({ text, isBase64: false })),
    ...[...new Set(encoded)].map((text) => ({ text, isBase64: true })),
  ];
}

/**
 * Longer spellings of one key, which are searched for only in the text itself, without decoding escapes: base64 of base64 and of
 * UTF-16, base32, and the same separator between all letters or bytes, such as `k-e-y`, a NUL as in UTF-16, or `6B:65:79`.
 */
export function longSpellingsOf(key: string): readonly Spelling[] {
  const bytes = Buffer.from(key);
  const base64 = [
    ...base64Of(Buffer.from(key, 'utf16le')),
    ...base64Of(bytes).flatMap((inner) => base64Of(Buffer.from(inner))),
  ];
  const cased = [key, key.toLowerCase(), key.toUpperCase()].map((text) => Array.from(text));
  const spread = [...cased, ...cased.map((letters) => letters.map(inJson))];
  const hex = bytes.toString('hex').match(/../g) ?? [];
  const texts = [
    ...spread.flatMap((some) => [...signs, ...unseen].map((sign) => some.join(sign))),
    ...[hex, hex.map((byte) => byte.toUpperCase())].flatMap((some) =>
      [...signs, ...signsOfBytes].map((sign) => some.join(sign)),
    ),
    ...base32Of(bytes),
  ];
  return [
    ...[...new Set(texts)].map((text) => ({ text, isBase64: false })),
    ...[...new Set(base64)].map((text) => ({ text, isBase64: true })),
  ];
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const signs = Array.from(' -._:,/|');
// `=` comes from quoted-printable.
const signsOfBytes = [', ', ', 0x', ' 0x', ',0x', '='];
// Invisible characters, also as JSON writes them, and as JSON inside JSON does.
const unseen = ['0000', '00ad', '200b', '200c', '200d', '2060', 'feff'].flatMap((code) => [
  String.fromCharCode(Number.parseInt(code, 16)),
  ...[code, code.toUpperCase()].flatMap((digits) => [`\\u${digits}`, `\\\\u${digits}`]),
]);

// The letters of base32 that depend only on these bytes, wherever they begin in a group of five.
function base32Of(bytes: Buffer): readonly string[] {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return [0, 1, 2, 3, 4].flatMap((before) => {
    const fives = bits.slice((5 - ((before * 8) % 5)) % 5).match(/.{5}/g) ?? [];
    const letters = fives
      .map((five) => 'abcdefghijklmnopqrstuvwxyz234567'.charAt(Number.parseInt(five, 2)))
      .join('');
    return [letters, letters.toUpperCase()];
  });
}

// The base64 characters that depend only on these bytes. A text after `Bearer ` or `user:` may begin at any of three places in a
// group of bytes, and each place gives other characters.
function base64Of(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes, Buffer.alloc(2)]);
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor(((before + bytes.length) * 8) / 6);
    return [padded.toString('base64').slice(from, to), padded.toString('base64url').slice(from, to)];
  });
}

// Whether a text has escapes that could hide a key.
function hasEscapes(text: string): boolean {
  if (!(text.includes('\\') || text.includes('%') || text.includes('&'))) return false;
  return text.search(escapes) !== -1;
}

// All characters of escapes except `"`, `'` and `/`, which escapes never turn into anything else.
const marks = '\\%&';
const inEscapes = `${marks}{}#;0123456789abcdefABCDEFuxXmpltgqos`;

/**
 * Makes a search for the words of a text that may hold one of these spellings once their escapes are decoded. A character that is
 * in no escape and in no spelling is the same in every layer, and no spelling contains it. So it ends a word, and only long
 * words with an escape in them have to be decoded.
 */
export function escapedWords(spellings: readonly string[]): (bytes: Buffer) => Generator<string> {
  // Decoding makes a word shorter.
  const shortest = Math.min(...spellings.map(({ length }) => length)) + 1;
  // 0 for each byte that ends a word, 2 for one that may begin an escape.
  const kinds = new Uint8Array(0x100);
  for (const byte of Buffer.from(inEscapes + spellings.join(''))) kinds[byte] = 1;
  for (const mark of Buffer.from(marks)) kinds[mark] = 2;
  return function* (bytes) {
    // Every word that is long enough has a byte at one of these places.
    for (let at = shortest - 1; at < bytes.length; at += shortest) {
      let from = at;
      while (at < bytes.length && kinds[bytes[at] ?? 0] !== 0) at += 1;
      if (from === at) continue;
      while (from > 0 && kinds[bytes[from - 1] ?? 0] !== 0) from -= 1;
      if (at - from < shortest) continue;
      let mark = from;
      while (mark < at && kinds[bytes[mark] ?? 0] !== 2) mark += 1;
      if (mark < at) yield bytes.toString('utf8', from, at);
    }
  };
}

/** The text itself, then the text with its escapes decoded once, twice, and so on. */
export function* layersOf(text: string): Generator<Layer> {
  let layer: Layer = { text, place: (at) => at };
  yield layer;
  for (let depth = 0; depth < deepest && hasEscapes(layer.text); depth += 1) {
    layer = inside(layer);
    yield layer;
  }
}

function inside(outer: Layer): Layer {
  // Worked out only if a key was found.
  let places: ((at: number) => number) | undefined;
  return {
    text: outer.text.replace(escapes, (...match: readonly unknown[]) => characterOf(match)),
    place(at) {
      places ??= placesIn(outer.text);
      return outer.place(places(at));
    },
  };
}

// Returns a function from a place in the decoded text to the place in the text.
function placesIn(text: string): (at: number) => number {
  const decodedEnds: number[] = [0];
  const ends: number[] = [0];
  let shorter = 0;
  for (const match of text.matchAll(escapes)) {
    const end = match.index + match[0].length;
    shorter += match[0].length - 1;
    decodedEnds.push(end - shorter);
    ends.push(end);
  }
  return (at) => {
    let [low, high] = [0, decodedEnds.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((decodedEnds[middle] ?? 0) <= at) low = middle;
      else high = middle;
    }
    return (ends[low] ?? 0) + at - (decodedEnds[low] ?? 0);
  };
}

function characterOf(match: readonly unknown[]): string {
  const self = match[selfGroup];
  if (typeof self === 'string') return self;
  const name = match[nameGroup];
  if (typeof name === 'string') return named[name] ?? '';
  const decimal = match[decimalGroup];
  if (typeof decimal === 'string') return String.fromCharCode(Number(decimal));
  const hex = hexGroups.map((group) => match[group]).find((found) => typeof found === 'string') ?? '';
  return String.fromCharCode(Number.parseInt(hex, 16));
}
