/** Parses JSON with numbers that do not fit a JavaScript number. JSON.parse with a reviver takes 20 times the memory. */

import { Buffer } from 'node:buffer';

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const words: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };

/** The bytes, and how far they have been read. */
interface Place {
  readonly bytes: Buffer;
  at: number;
}

/**
 * Parses UTF-8 bytes like JSON.parse, but an integer beyond 2^53-1 becomes a bigint, and a number that is too large for
 * JavaScript stays text. Throws SyntaxError if the bytes are not JSON. The caller limits the depth.
 */
export function parseExactly({ buffer, byteOffset, length }: Uint8Array): unknown {
  const place: Place = { bytes: Buffer.from(buffer, byteOffset, length), at: 0 };
  skipSpace(place);
  const value = readValue(place);
  if (place.at < length) throw noJson();
  return value;
}

// Each of these functions starts at the first byte of its value, and stops after the white space behind the value.
function readValue(place: Place): unknown {
  const first = place.bytes[place.at];
  if (first === openObject) return readObject(place);
  if (first === openArray) return readArray(place);
  return first === quote ? readString(place) : readScalar(place);
}

function readArray(place: Place): unknown[] {
  const items: unknown[] = [];
  step(place);
  if (place.bytes[place.at] === closeArray) {
    step(place);
    return items;
  }
  for (;;) {
    items.push(readValue(place));
    if (endsOrGoesOn(place, closeArray)) return items;
  }
}

function readObject(place: Place): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  step(place);
  if (place.bytes[place.at] === closeObject) {
    step(place);
    return object;
  }
  for (;;) {
    if (place.bytes[place.at] !== quote) throw noJson();
    const name = readString(place);
    if (place.bytes[place.at] !== colon) throw noJson();
    step(place);
    setMember(object, name, readValue(place));
    if (endsOrGoesOn(place, closeObject)) return object;
  }
}

// An assignment to `__proto__` would set the prototype instead.
function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

function endsOrGoesOn(place: Place, close: number): boolean {
  const byte = place.bytes[place.at];
  if (byte !== close && byte !== comma) throw noJson();
  step(place);
  return byte === close;
}

function readString(place: Place): string {
  const { bytes, at: start } = place;
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  place.at = at;
  step(place);
  // JSON.parse refuses a string that does not end, a bad escape and a control character.
  return String(JSON.parse(bytes.toString('utf8', start, at + 1)));
}

function readScalar(place: Place): unknown {
  const { bytes, at: start } = place;
  let at = start;
  while (at < bytes.length && isScalar(bytes[at] ?? comma)) at += 1;
  const text = bytes.toString('latin1', start, at);
  place.at = at;
  skipSpace(place);
  if (number.test(text)) return numberOf(text);
  if (Object.hasOwn(words, text)) return words[text];
  throw noJson();
}

function numberOf(text: string): unknown {
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(text) ? value : BigInt(text);
}

function isScalar(byte: number): boolean {
  return byte > 0x20 && byte !== comma && byte !== closeArray && byte !== closeObject && byte !== colon;
}

function step(place: Place): void {
  place.at += 1;
  skipSpace(place);
}

function skipSpace(place: Place): void {
  for (;;) {
    const byte = place.bytes[place.at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
    place.at += 1;
  }
}

function noJson(): SyntaxError {
  return new SyntaxError('not JSON');
}
