/** Masks known keys in every text that leaves the program, however they are spelled. */

import { Buffer } from 'node:buffer';
import { parsedJson } from '../api/json-values.ts';
import { escapedWords, layersOf, longSpellingsOf, type Spelling, spellingsOf } from './key-spellings.ts';
import type { Piece } from './list-format.ts';

const replacement = '[key]';
// Two less than the shortest key. A text of this length in PAYDESK_API_KEY is refused as a key, but was meant as one. Shorter
// texts would be found inside ordinary words.
const shortestHidden = 6;

/** Keys that must never leave the program. */
export type Secrets = ReturnType<typeof createSecrets>;

/** An empty set of keys. */
export function createSecrets() {
  const keys = new Set<string>();
  let sought = soughtOf(keys);
  const clean = (text: string): string => (sought.inText(text) ? masked(text, sought.spellings) : text);
  const cleanJson = (json: string): string => {
    if (!sought.inText(json)) return json;
    // The result is masked as text too, because it may not be JSON, or may hold a key between the tokens.
    return clean(mapTokens(json, (token) => cleanToken(token, clean)));
  };
  return {
    /** Masks this key from now on. */
    add(key: string) {
      if (key.length < shortestHidden || keys.has(key)) return;
      keys.add(key);
      sought = soughtOf(keys);
    },
    /** No longer masks this key. For `simulator serve`, which prints its key on purpose. */
    reveal(key: string) {
      if (keys.delete(key)) sought = soughtOf(keys);
    },
    /** Whether a text holds a key, however it is spelled. */
    holds: (text: string) => sought.inText(text),
    /** The text with its keys masked. */
    clean,
    /** JSON text with its keys masked. It stays JSON: only the strings and numbers that hold a key are changed. */
    cleanJson,
    /** The body of a reply with its keys masked. Without a key it is the same bytes. */
    cleanBody(body: Uint8Array) {
      if (!sought.inBytes(body)) return body;
      return Buffer.from(cleanJson(new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)));
    },
    /** A filter for text that comes in pieces. It holds back the end of a piece if a key may begin there. */
    filter: () => filterOf(() => sought, clean),
  };
}

// A filter for one stream.
function filterOf(sought: () => ReturnType<typeof soughtOf>, clean: (text: string) => string) {
  let held = '';
  return {
    push(piece: Piece) {
      const known = sought();
      const { spellings } = known;
      if (typeof piece !== 'string' && held === '' && !known.inBytes(piece)) {
        // The bytes stay as they are, unless a key may begin at their end.
        const end = piece.subarray(Math.max(0, piece.length - longestOpen(spellings)));
        if (openEnd(Buffer.from(end).toString('latin1'), spellings) === 0) return piece;
      }
      const text = typeof piece === 'string' ? piece : new TextDecoder().decode(piece);
      const all = clean(held + text);
      const keep = openEnd(all, spellings);
      held = keep === 0 ? '' : all.slice(-keep);
      return keep === 0 ? all : all.slice(0, -keep);
    },
    /** Returns the text that was held back. */
    end() {
      const rest = held;
      held = '';
      return rest;
    },
  };
}

function soughtOf(keys: ReadonlySet<string>) {
  const spellings = [...keys].flatMap(spellingsOf);
  // Searching for plain texts is many times faster than a pattern, and searching in bytes is faster still. Almost no text holds a
  // key.
  const texts = spellings.map(({ text }) => text);
  const long = [...keys].flatMap(longSpellingsOf);
  const isInBytes = anyIn(texts.map((text) => Buffer.from(text)));
  // Searched for separately, since a search for longer texts jumps further.
  const isLongIn = anyIn(long.map(({ text }) => Buffer.from(text)));
  const wordsIn = escapedWords(texts);
  const isHidden = (bytes: Buffer): boolean => {
    for (const word of wordsIn(bytes))
      for (const layer of layersOf(word)) if (texts.some((one) => layer.text.includes(one))) return true;
    return false;
  };
  const isIn = (bytes: Buffer): boolean => isInBytes(bytes) || isLongIn(bytes) || isHidden(bytes);
  return {
    spellings: [...spellings, ...long],
    inText: (text: string) => isIn(Buffer.from(text)),
    inBytes: ({ buffer, byteOffset, length }: Uint8Array) => isIn(Buffer.from(buffer, byteOffset, length)),
  };
}

// Masks what is found, then searches again, because a key may also be spelled in a deeper layer.
function masked(text: string, spellings: readonly Spelling[]): string {
  let rest = text;
  for (;;) {
    const spans = spansIn(rest, spellings);
    if (spans.length === 0) return rest;
    let kept = '';
    let at = 0;
    for (const [start, end] of spans) {
      if (start < at) continue;
      kept += rest.slice(at, start) + replacement;
      at = end;
    }
    rest = kept + rest.slice(at);
  }
}

type Span = readonly [start: number, end: number];

// The spans of the first layer that has any, sorted by start; of two with the same start, the longer one first.
function spansIn(text: string, spellings: readonly Spelling[]): readonly Span[] {
  for (const layer of layersOf(text)) {
    const spans = spellings.flatMap((spelling) =>
      partsOf(layer.text, spelling).map(([start, end]): Span => [layer.place(start), layer.place(end)]),
    );
    if (spans.length > 0) return spans.sort(([a, aEnd], [b, bEnd]) => a - b || bEnd - aEnd);
  }
  return [];
}

function partsOf(text: string, { text: sought, isBase64 }: Spelling): readonly Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, at + sought.length)) {
    const end = at + sought.length;
    spans.push(isBase64 ? [at - bitsBefore(text, at), end + bitsAfter(text, end)] : [at, end]);
  }
  return spans;
}

function bitsBefore(text: string, at: number): number {
  return /[\w+/-]/.test(text.charAt(at - 1)) ? 1 : 0;
}

// If the encoded text ends soon after the key, everything up to that end is masked: it may hold a colon and padding.
function bitsAfter(text: string, at: number): number {
  const near = text.slice(at, at + 8);
  return (/^[\w+/-]{0,3}={0,2}(?![\w+/=-])/.exec(near) ?? /^[\w+/-]?/.exec(near))?.[0].length ?? 0;
}

// A spelling stays in its line, and common escapes need at most twelve characters for one.
function longestOpen(spellings: readonly Spelling[]): number {
  return 12 * spellings.reduce((most, one) => Math.max(most, one.text.length), 0);
}

// How many characters at the end of a text may be the beginning of a spelling.
function openEnd(text: string, spellings: readonly Spelling[]): number {
  const longest = longestOpen(spellings);
  let start = text.length;
  while (start > 0 && text.length - start < longest && !/[\r\n]/.test(text.charAt(start - 1))) start -= 1;
  if (start === text.length) return 0;
  const end = text.slice(start);
  let from = end.length;
  for (const layer of layersOf(end)) {
    const whole = layer.text.replace(brokenEscape, '');
    const open = spellings.reduce((most, one) => Math.max(most, begunBy(whole, one.text)), 0);
    const at = whole.length - open;
    if (at < layer.text.length) from = Math.min(from, layer.place(at));
  }
  return end.length - from;
}

// The end of a piece may be inside an escape.
const brokenEscape = /(?:\\(?:u[0-9a-fA-F{]{0,5}|x[0-9a-fA-F]?)?|%[0-9a-fA-F]?|&[#a-zA-Z0-9]{0,6})$/;

function begunBy(text: string, sought: string): number {
  for (let length = Math.min(sought.length - 1, text.length); length > 0; length -= 1) {
    if (sought.startsWith(text.slice(-length))) return length;
  }
  return 0;
}

// Changes the strings and numbers of a JSON text, and nothing else.
function mapTokens(json: string, change: (token: string) => string): string {
  const number = /[-0-9][-+.0-9eE]*/y;
  let out = '';
  let at = 0;
  let kept = 0;
  while (at < json.length) {
    const start = at;
    if (json.charAt(at) === '"') at = stringEnd(json, at);
    else {
      number.lastIndex = at;
      at += number.exec(json)?.[0].length ?? 0;
    }
    if (at === start) at += 1;
    else {
      const token = json.slice(start, at);
      const changed = change(token);
      if (changed !== token) {
        out += json.slice(kept, start) + changed;
        kept = at;
      }
    }
  }
  return out + json.slice(kept);
}

// The place after the closing quote of the string that begins at `from`.
function stringEnd(json: string, from: number): number {
  for (let at = from + 1; at < json.length; at += 1) {
    const character = json.charAt(at);
    if (character === '\\') at += 1;
    else if (character === '"') return at + 1;
  }
  return json.length;
}

// A number that holds a key becomes a string, because the mask is not a number.
function cleanToken(token: string, clean: (text: string) => string): string {
  const value = parsedJson(token);
  if (value === undefined) return token;
  const text = typeof value === 'string' ? value : token;
  const cleaned = clean(text);
  return cleaned === text ? token : JSON.stringify(cleaned);
}

/**
 * Tells whether bytes hold any of these texts, each of at least two bytes. It looks at two bytes, and jumps ahead as far as no
 * text can end in between: by almost the length of the shortest text if no text has these two bytes. Searching for one text after
 * the other takes three times as long (60 MB, 8 texts: 85 ms instead of 27).
 */
export function anyIn(texts: readonly Buffer[]): (bytes: Buffer) => boolean {
  const size = Math.min(256, ...texts.map(({ length }) => length));
  const pairAt = (bytes: Buffer, at: number) => ((bytes[at - 1] ?? 0) << 8) | (bytes[at] ?? 0);
  const jumps = new Uint8Array(0x10000).fill(size - 1);
  for (const text of texts)
    for (let at = 1; at < size; at += 1) {
      const pair = pairAt(text, at);
      jumps[pair] = Math.min(jumps[pair] ?? 0, size - 1 - at);
    }
  // Pairs such as `00` are in many texts, and in what is searched.
  const withPair = Map.groupBy(texts, (text) => pairAt(text, size - 1));
  return (bytes) => {
    let at = size - 1;
    while (at < bytes.length) {
      const pair = pairAt(bytes, at);
      const jump = jumps[pair] ?? 0;
      if (jump === 0 && withPair.get(pair)?.some((text) => isAt(text, bytes, at - size + 1)) === true)
        return true;
      at += jump || 1;
    }
    return false;
  };
}

function isAt(text: Buffer, bytes: Buffer, at: number): boolean {
  // Pairs of digits are everywhere, and a comparison takes longer than a look at one byte.
  return (
    bytes[at] === text[0] &&
    bytes.compare(text, 0, text.length, at, Math.min(at + text.length, bytes.length)) === 0
  );
}
