/** The spellings of a key: what it looks like in base64 and hex, and under the escapes of JSON, URLs and HTML. Pure. */

import { Buffer } from 'node:buffer';

/** A text after some layers of escapes were decoded. */
export interface Layer {
  readonly text: string;
  /** Where the character at `at`, or the end, is in the original text. */
  place(at: number): number;
}

/** A text that gives the key away. Escapes are decoded before it is searched for. */
export interface Spelling {
  readonly text: string;
  /** In base64 the characters right before and after it hold bits of the key too. */
  readonly isBase64: boolean;
}

// Nobody encodes a key more often by accident; `%252525` has three layers. It also limits the work on a hostile text.
const deepest = 6;
// A key is printable ASCII without spaces: no other escape can be part of one.
const hexCode = '([2-7][0-9a-fA-F])';
const escapes = new RegExp(
  [
    String.raw`\\u00${hexCode}|\\u\{0*${hexCode}\}|\\x${hexCode}|%${hexCode}|&#[xX]0*${hexCode};?`,
    String.raw`&#0*(3[2-9]|[4-9]\d|1[01]\d|12[0-6]);?|&(amp|lt|gt|quot|apos);|\\([/"\\'])`,
  ].join('|'),
  'g',
);
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
// The groups of `escapes`: five hold hex digits.
const [hexGroups, decimalGroup, nameGroup, selfGroup] = [[1, 2, 3, 4, 5], 6, 7, 8] as const;

/** The spellings of one key. In lower case too, since a host name with a key in it is shown so. */
export function spellingsOf(key: string): readonly Spelling[] {
  const plain = new Set<string>();
  // A key may itself contain what looks like an escape: the search meets it decoded.
  for (const cased of [key, key.toLowerCase(), key.toUpperCase()])
    for (const { text } of layersOf(cased)) plain.add(text);
  const hex = Buffer.from(key).toString('hex');
  const encoded = [key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)].flatMap(base64Of);
  return [
    ...[...plain, hex, hex.toUpperCase()].map((text) => ({ text, isBase64: false })),
    ...[...new Set(encoded)].map((text) => ({ text, isBase64: true })),
  ];
}

// The characters of base64 that depend on this text alone, for each of the three places where it may begin: behind
// `Bearer `, behind `user:`.
function base64Of(text: string): readonly string[] {
  const size = Buffer.byteLength(text);
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text), Buffer.alloc(2)]);
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor(((before + size) * 8) / 6);
    return [bytes.toString('base64').slice(from, to), bytes.toString('base64url').slice(from, to)];
  });
}

/** Whether a text has escapes that could hide a key. */
function hasEscapes(text: string): boolean {
  if (!(text.includes('\\') || text.includes('%') || text.includes('&'))) return false;
  return text.search(escapes) !== -1;
}

/** The text, then the text with one, two, three … layers of escapes decoded. */
export function* layersOf(text: string): Generator<Layer> {
  let layer: Layer = { text, place: (at) => at };
  yield layer;
  for (let depth = 0; depth < deepest && hasEscapes(layer.text); depth += 1) {
    layer = inside(layer);
    yield layer;
  }
}

function inside(outer: Layer): Layer {
  // Needed only where a key was found.
  let places: ((at: number) => number) | undefined;
  return {
    text: decoded(outer.text),
    place(at) {
      places ??= placesIn(outer.text);
      return outer.place(places(at));
    },
  };
}

// Turns a place in the decoded text into the place in the text.
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

function decoded(text: string): string {
  return text.replace(escapes, (...match: readonly unknown[]) => characterOf(match));
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
