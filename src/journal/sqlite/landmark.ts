/**
 * The landmark: a small file outside of the home that says which row of a journal is the newest. A home that is restored
 * does not bring it back. It may be missing or old, and then it says nothing.
 */

import { hash as digest } from 'node:crypto';
import { closeSync, constants, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { orUndefined } from '../../errors.ts';
import { type Io, variable } from '../../io.ts';
import { checkOwnFolder, type FileRules, openOwnFile } from '../../profiles/profiles.ts';

/** A row of the journal, by its number. */
export interface Landmark {
  readonly seq: number;
  /** The hash of the row. */
  readonly hash: string;
  /** When the row was written, in Unix milliseconds. */
  readonly time: number;
}

/** Where landmarks are kept. */
export interface LandmarkPlace {
  /** Folders of this user. A new landmark is made in the first; one that another holds is read, and kept up to date. */
  readonly folders: readonly string[];
  readonly rules: FileRules;
}

/**
 * The folders of `LandmarkPlace`: in TMPDIR if that is set, and always in the folder of the system for temporary files that
 * outlive a restart. So TMPDIR only adds a place, and takes none away.
 */
export function landmarkFolders({
  env,
  platform,
  uid,
  userName,
}: Pick<Io, 'env' | 'platform' | 'uid' | 'userName'>): readonly string[] {
  if (platform === 'win32') {
    const common = variable(env, 'ProgramData') ?? 'C:\\ProgramData';
    return [win32.join(common, `paydesk-landmarks-${userName()}`)];
  }
  const own = `paydesk-${uid ?? userName()}`;
  const temporary = variable(env, 'TMPDIR');
  const isLasting = temporary !== undefined && posix.isAbsolute(temporary) && !forgotten.test(temporary);
  return [...(isLasting ? [temporary] : []), '/var/tmp'].map((folder) => posix.join(folder, own));
}

// What the system sets by itself, and empties at a restart.
const forgotten = /^(?:\/tmp\/?$|\/(?:private\/)?var\/folders\/)/;

/** The newest landmark of this journal; undefined when none can be read. Never throws. */
export function readLandmark({ folders, rules }: LandmarkPlace, journalId: string): Landmark | undefined {
  const found = folders.flatMap((folder) => readFrom(folder, rules, journalId) ?? []);
  return found.toSorted((one, other) => other.seq - one.seq)[0];
}

/** Writes the landmark. It is lost, and nothing else happens, where a folder belongs to somebody else or has no room. */
export function writeLandmark({ folders, rules }: LandmarkPlace, journalId: string, row: Landmark): void {
  folders.forEach((folder, index) => {
    // A refund never fails because of its landmark.
    orUndefined(() => {
      const handle = openIn(folder, rules, journalId, constants.O_WRONLY);
      const file = handle ?? (index === 0 ? make(folder, rules, journalId) : undefined);
      if (file === undefined) return;
      closing(file, () => writeSync(file, textOf(journalId, row), 0, 'latin1'));
    });
  });
}

function readFrom(folder: string, rules: FileRules, journalId: string): Landmark | undefined {
  return orUndefined(() => {
    const handle = openIn(folder, rules, journalId, constants.O_RDONLY);
    if (handle === undefined) return undefined;
    const bytes = Buffer.alloc(length);
    closing(handle, () => readSync(handle, bytes, 0, length, 0));
    return rowIn(bytes.toString('latin1'), journalId);
  });
}

// Undefined when there is no file, or the id is none: it comes from a file that may be damaged, and would name any path.
function openIn(folder: string, rules: FileRules, journalId: string, flags: number): number | undefined {
  if (!/^\w+$/.test(journalId) || !checkOwnFolder(folder, rules)) return undefined;
  return openOwnFile(`${folder}/${journalId}`, flags, rules);
}

function make(folder: string, rules: FileRules, journalId: string): number | undefined {
  if (!/^\w+$/.test(journalId)) return undefined;
  orUndefined(() => mkdirSync(folder, { mode: 0o700 }));
  if (!checkOwnFolder(folder, rules)) return undefined;
  return openSync(`${folder}/${journalId}`, 'wx', 0o600);
}

function closing(handle: number, act: () => void): void {
  try {
    act();
  } finally {
    closeSync(handle);
  }
}

// Each text is as long as the one before, so it is written over that one, in one call.
const length = 256;

function textOf(journalId: string, { seq, hash, time }: Landmark): string {
  const text = `paydesk-landmark 1 ${journalId} ${seq} ${hash} ${time}`;
  return `${`${text} ${sealOf(text)}`.padEnd(length - 1)}\n`;
}

// Undefined for a text that was torn, or is that of another journal.
function rowIn(text: string, journalId: string): Landmark | undefined {
  const [, , , seq = '', hash = '', time = ''] = text.split(' ');
  const row = { seq: Number(seq), hash, time: Number(time) };
  return textOf(journalId, row) === text ? row : undefined;
}

function sealOf(text: string): string {
  return digest('sha256', text).slice(0, 16);
}
