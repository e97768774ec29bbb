/**
 * The witness: a text file outside the journal's folder, with one line per row and a seal that shows that the line is
 * whole. Lines are only ever added.
 */

import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, readFileSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError, systemReason } from '../../errors.ts';
import {
  checkOwnFolder,
  type FileRules,
  openOwnFile,
  syncFolderOf,
  writeAll,
  writeOwnFile,
} from '../../profiles/profiles.ts';
import type { WitnessLine, WitnessText } from '../witness-lines.ts';

/** The end of the witness. A change reads no more than this of it. */
export type WitnessEnd =
  | { readonly is: 'missing' }
  | { readonly is: 'damaged'; readonly problem: string }
  | {
      readonly is: 'whole';
      readonly key: string;
      /** The newest whole line; undefined when there is none yet. */
      readonly last: WitnessLine | undefined;
      /** Bytes up to the end of that line. */
      readonly size: number;
      /** A part of a line follows, because the machine stopped while it was written. */
      readonly torn: boolean;
    };

// Room for a few of the longest lines.
const tailBytes = 16_384;

/** Reads only the first line and the end. Throws CliError 'refused' for a file that is not safe. */
export function readWitnessEnd(path: string, rules: FileRules): WitnessEnd {
  const handle = openWitness(path, constants.O_RDONLY, rules);
  if (handle === undefined) return { is: 'missing' };
  try {
    const { size } = fstatSync(handle);
    if (size === 0) return { is: 'damaged', problem: 'is empty' };
    const key = keyIn(readAt(handle, 0, headerLength));
    if (key === undefined) return { is: 'damaged', problem: 'does not begin like a witness' };
    const from = Math.max(headerLength, size - tailBytes);
    return endIn(readAt(handle, from, size - from), { from, key });
  } finally {
    closeSync(handle);
  }
}

// One line at the end may be torn, because the machine stopped while it was written. More than one is damage.
function endIn(tail: string, { from, key }: { readonly from: number; readonly key: string }): WitnessEnd {
  const texts = tail.split('\n');
  const cut = texts.pop() ?? '';
  if (from > headerLength) texts.shift();
  const sizeWithout = (text: string) => from + tail.length - text.length;
  if (texts.length === 0) return { is: 'whole', key, last: undefined, size: headerLength, torn: cut !== '' };
  const [newest = '', before] = texts.toReversed();
  const last = lineIn(newest, key);
  if (last !== undefined) return { is: 'whole', key, last, size: sizeWithout(cut), torn: cut !== '' };
  const older = before === undefined ? undefined : lineIn(before, key);
  if (cut !== '' || (before !== undefined && older === undefined))
    return { is: 'damaged', problem: 'has a damaged end' };
  const size = sizeWithout(`${newest}\n`);
  return { is: 'whole', key, last: older, size, torn: true };
}

/** Adds lines after the end that was read. When this returns, they are on the disk. Throws CliError 'refused'. */
export function addToWitness(
  path: string,
  text: string,
  end: { readonly size: number; readonly torn: boolean },
  rules: FileRules,
): void {
  try {
    const handle = openWitness(path, constants.O_WRONLY | constants.O_APPEND, rules);
    if (handle === undefined)
      throw new CliError('refused', `the witness ${path} of the journal is gone`, {
        certain: 'nothing was sent',
      });
    try {
      if (end.torn) ftruncateSync(handle, end.size);
      writeAll(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw error instanceof CliError ? error : unwritten(path, error);
  }
}

function unwritten(path: string, error: unknown): CliError {
  return new CliError(
    'refused',
    `the witness ${path} of the journal cannot be written: ${systemReason(error)}`,
    {
      certain: 'nothing was sent',
      now: [
        'without a witness nothing is sent: free space or give yourself the right to write there, or set XDG_STATE_HOME to another folder',
      ],
      cause: error,
    },
  );
}

/** Replaces the whole witness or nothing. When this returns, it is on the disk. Throws CliError 'refused'. */
export function writeWitness(path: string, text: string, rules: FileRules): void {
  try {
    writeOwnFile(path, text, rules);
    // Its folder may be new as well.
    syncFolderOf(dirname(path), rules);
  } catch (error) {
    throw error instanceof CliError && error.parts.cause !== undefined
      ? unwritten(path, error.parts.cause)
      : error;
  }
}

/** A new random key for a witness, 64 hex digits. */
export function newWitnessKey(): string {
  return randomBytes(32).toString('hex');
}

/** The text of a witness with these lines. */
export function witnessText(key: string, lines: Iterable<string>): string {
  return [headerText(key), ...lines].join('');
}

/** Reads every whole line; undefined without a file. A torn last line is left out and does not count as broken. */
export function readWitness(path: string, rules: FileRules): WitnessText | undefined {
  const handle = openWitness(path, constants.O_RDONLY, rules);
  if (handle === undefined) return undefined;
  try {
    const text = readAt(handle, 0, fstatSync(handle).size);
    const key = keyIn(text.slice(0, headerLength));
    const texts = text.slice(headerLength).split('\n');
    if (texts.at(-1) === '' || key !== undefined) texts.pop();
    if (key === undefined) return { key, lines: [], broken: texts.map((_, index) => index + 1) };
    const read = texts.map((line) => lineIn(line, key));
    const broken = read.flatMap((line, index) => (line === undefined ? [index + 1] : []));
    return { key, lines: read.filter((line) => line !== undefined), broken };
  } finally {
    closeSync(handle);
  }
}

/** The bytes of the file as they are; none when there is no file. */
export function readWitnessBytes(path: string, rules: FileRules): Uint8Array {
  const handle = openWitness(path, constants.O_RDONLY, rules);
  if (handle === undefined) return new Uint8Array();
  try {
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}

function openWitness(path: string, flags: number, rules: FileRules): number | undefined {
  checkOwnFolder(dirname(path), rules);
  return openOwnFile(path, flags, rules);
}

function readAt(handle: number, from: number, length: number): string {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const more = readSync(handle, bytes, read, length - read, from + read);
    if (more === 0) break;
    read += more;
  }
  // Lines are ASCII. In a damaged line, each byte still becomes one character, so all places stay right.
  return bytes.toString('latin1', 0, read);
}

const opening = 'paydesk-witness 1';

/** Characters of the first line, its line break included. */
const headerLength = opening.length + 1 + 64 + 1 + 16 + 1;

/** The first line: the version, and the key (64 hex digits) for the hashes of bodies and lines. */
function headerText(key: string): string {
  return `${opening} ${key} ${sealOf(key, opening)}\n`;
}

/** The key in the first line; undefined when that line is not whole. */
function keyIn(header: string): string | undefined {
  const key = header.slice(opening.length + 1, opening.length + 65);
  return /^[0-9a-f]{64}$/.test(key) && header === headerText(key) ? key : undefined;
}

/** The name by which the journal knows its witness. It is made from the key but does not reveal it. */
export function nameOf(key: string): string {
  return hashUnder(key, 'name').slice(0, 16);
}

/** A line as text of ASCII characters, with its seal and a line break. */
export function lineText(line: WitnessLine, key: string): string {
  const text = JSON.stringify(line).replaceAll(
    /[^ -~]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${text} ${sealOf(key, text)}\n`;
}

/** The line in its text (without the line break); undefined when it is not whole. */
function lineIn(text: string, key: string): WitnessLine | undefined {
  const json = text.slice(0, -17);
  if (text.length < 18 || text !== `${json} ${sealOf(key, json)}`) return undefined;
  const line: WitnessLine = JSON.parse(json);
  return line;
}

function sealOf(key: string, text: string): string {
  return hashUnder(key, text).slice(0, 16);
}

/** A keyed hash, 64 hex digits. */
export function hashUnder(key: string, text: string): string {
  // With the bytes of the key instead of a key object, this takes three times as long.
  return createHmac('sha256', createSecretKey(key, 'hex')).update(text).digest('hex');
}
