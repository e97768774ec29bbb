/**
 * Notices that a journal and its witness were restored from a copy. A copy changes the file's mark, and the landmark (a small file
 * outside the home) names the newest row.
 */

import { hash as digest } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { parse, posix, win32 } from 'node:path';
import { orUndefined } from '../../errors.ts';
import { type Io, variable } from '../../io.ts';
import { checkOwnFolder, type FileRules, openOwnFile } from '../../profiles/profiles.ts';

/**
 * What a copy changes about a file, as text: its inode and its birth time. Moving, renaming or changing rights keeps both. Leaves
 * out inodes on file systems that renumber them, and birth times that the system does not report. Empty if neither can be used;
 * undefined if there is no such file.
 */
export function fileMark(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const ino = stat.ino !== 0n && keepsInodes(path) ? [`ino=${stat.ino}`] : [];
  const birth = knowsBirth(stat, path) ? [`birth=${stat.birthtimeNs}`] : [];
  return [...ino, ...birth].join(' ');
}

/** Whether both marks are of the same file. A part that only one of them has is not compared. */
export function isSameFile(recorded: string | undefined, now: string | undefined): boolean {
  const known = partsOf(now);
  return [...partsOf(recorded)].every(([name, value]) => (known.get(name) ?? value) === value);
}

/** Whether this is a different file from the one that paydesk wrote. */
export function isOtherFile({ recorded, now }: MarkedFile): boolean {
  return recorded === repairedMark || !isSameFile(recorded, now);
}

/** Returns a function that says whether the path still has the same file, or still none. */
export function watchPlace(path: string): () => boolean {
  const look = () => statSync(path, { bigint: true, throwIfNoEntry: false });
  const [stat, mark] = [look(), fileMark(path)];
  return () => {
    const now = look();
    if (now?.ino === stat?.ino && now?.birthtimeNs === stat?.birthtimeNs) return true;
    const other = fileMark(path);
    return mark !== undefined && other !== undefined && isSameFile(mark, other);
  };
}

function partsOf(mark = ''): ReadonlyMap<string, string> {
  return new Map(mark.split(' ').map((part) => [part.slice(0, part.indexOf('=')), part]));
}

// File systems that may renumber inodes when they are mounted again. The numbers are from linux/magic.h.
const renumbering: ReadonlySet<number> = new Set([
  // FUSE: the program chooses the numbers, and many just count up.
  0x65735546,
  // FAT, exFAT: there are no inodes on the disk.
  0x4d44, 0x2011bab0,
  // Folders that a virtual machine shares with its host.
  0x786f4256, 0xbacbacbc,
]);

function keepsInodes(path: string): boolean {
  // A system that cannot say has none of these.
  return orUndefined(() => renumbering.has(statfsSync(path).type >>> 0)) !== true;
}

// 0: the file system keeps no birth time. Where the system call is missing (an old kernel, some sandboxes), Node gives the time of
// the last change instead. In a new file the two may be equal, so an older file decides.
function knowsBirth(stat: BigIntStats, path: string): boolean {
  if (stat.birthtimeNs === 0n) return false;
  if (stat.birthtimeNs !== stat.ctimeNs) return true;
  const root = statSync(parse(path).root || '/', { bigint: true });
  return root.birthtimeNs !== root.ctimeNs;
}

/** A file's mark when paydesk made it, and now. */
interface MarkedFile {
  readonly recorded: string | undefined;
  readonly now: string | undefined;
}

/** What shows whether journal and witness are the ones that paydesk wrote last. */
export interface CopyFacts {
  readonly journal: MarkedFile;
  readonly witness: MarkedFile;
  /** Read this before the journal: another run writes its row first, then the landmark. */
  readonly landmark: Landmark | undefined;
  /** The hash of the row with the landmark's number, as journal or witness has it. */
  readonly atLandmark: string | undefined;
  /** The newest row of the journal. */
  readonly newest: Landmark | undefined;
}

/** The mark of a journal that was repaired while it counted as a copy, or while this was unknown. */
export const repairedMark = 'repaired';

/**
 * Why this journal counts as a copy, in words; undefined if nothing suggests it. A missing landmark, or one whose row is there,
 * suggests nothing. Pure. `shortTime` takes Unix milliseconds.
 */
export function copyFound(
  facts: CopyFacts,
  shortTime: (ms: number) => string = (ms) => new Date(ms).toISOString(),
): string | undefined {
  const reasons = [...otherFiles(facts), ...landmarkReasons(facts, shortTime)];
  if (reasons.length === 0) return undefined;
  const { newest } = facts;
  const unknown = newest === undefined ? 'before now' : `after ${shortTime(newest.time)}`;
  return `this journal is a copy: what was sent ${unknown} is unknown (${reasons.join('; ')})`;
}

function otherFiles({ journal, witness }: CopyFacts): readonly string[] {
  if (journal.recorded === repairedMark)
    return ['it was repaired, and its newest rows may have been lost before'];
  const others = [
    ...(isSameFile(journal.recorded, journal.now) ? [] : ['the journal']),
    ...(isSameFile(witness.recorded, witness.now) ? [] : ['its witness']),
  ];
  if (others.length === 0) return [];
  const [is, file] = others.length === 1 ? ['is', 'another file'] : ['are', 'other files'];
  return [`${others.join(' and ')} ${is} ${file} than paydesk wrote`];
}

function landmarkReasons(
  { landmark, atLandmark, newest }: CopyFacts,
  shortTime: (ms: number) => string,
): readonly string[] {
  if (landmark === undefined) return [];
  const { seq, hash, time } = landmark;
  if (atLandmark === hash) return [];
  const ends = newest?.seq ?? 0;
  const differs = seq > ends ? `ends at row ${ends}` : 'has another row there';
  return [`this machine wrote row ${seq} at ${shortTime(time)}, and the journal ${differs}`];
}

// ── The landmark ───────────────────────────────────────────────────────────────────────────────────

/** A row of the journal, by its number. */
export interface Landmark {
  readonly seq: number;
  readonly hash: string;
  /** When the row was written, in Unix milliseconds. */
  readonly time: number;
}

export interface LandmarkPlace {
  /** Folders of this user. A new landmark goes into the first. One found in another is read and kept up to date. */
  readonly folders: readonly string[];
  readonly rules: FileRules;
}

/**
 * The folders of `LandmarkPlace`: TMPDIR if set, and always the system's folder for temporary files that survive a restart. So
 * TMPDIR only adds a place.
 */
export function landmarkFolders(io: Pick<Io, 'env' | 'platform' | 'uid' | 'userName'>): readonly string[] {
  const { env, platform, uid, userName } = io;
  if (platform === 'win32') {
    const common = variable(env, 'ProgramData') ?? 'C:\\ProgramData';
    return [win32.join(common, `paydesk-landmarks-${userName()}`)];
  }
  const own = `paydesk-${uid ?? userName()}`;
  const temporary = variable(env, 'TMPDIR');
  const isLasting = temporary !== undefined && posix.isAbsolute(temporary) && !forgotten.test(temporary);
  return [...(isLasting ? [temporary] : []), '/var/tmp'].map((folder) => posix.join(folder, own));
}

// Folders that the system sets as TMPDIR itself and empties at a restart.
const forgotten = /^(?:\/tmp\/?$|\/(?:private\/)?var\/folders\/)/;

/** The newest landmark of this journal; undefined when none can be read. Never throws. */
export function readLandmark({ folders, rules }: LandmarkPlace, journalId: string): Landmark | undefined {
  const found = folders.flatMap((folder) => readFrom(folder, rules, journalId) ?? []);
  return found.toSorted((one, other) => other.seq - one.seq)[0];
}

/** Writes the landmark. Fails silently where a folder belongs to somebody else or is full. */
export function writeLandmark({ folders, rules }: LandmarkPlace, journalId: string, row: Landmark): void {
  folders.forEach((folder, index) => {
    // A refund never fails because its landmark cannot be written.
    orUndefined(() => {
      const handle = openIn(folder, rules, journalId, constants.O_WRONLY);
      const file = handle ?? (index === 0 ? make(folder, rules, journalId) : undefined);
      if (file === undefined) return;
      closing(file, () => writeSync(file, textOf(journalId, row), 0, 'latin1'));
    });
  });
}

/** Removes the landmark of a journal that is removed. */
export function removeLandmark({ folders, rules }: LandmarkPlace, journalId: string): void {
  if (!/^\w+$/.test(journalId)) return;
  for (const folder of folders)
    orUndefined(() => {
      if (!checkOwnFolder(folder, rules)) return;
      rmSync(`${folder}/${journalId}`, { force: true });
      // Those of other journals stay, and so does their folder.
      rmdirSync(folder);
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

// Undefined if there is no file, or if the id is malformed: an id from a damaged file could name any path.
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

// All texts have the same length, so one write replaces the text before.
const length = 256;

function textOf(journalId: string, { seq, hash, time }: Landmark): string {
  const text = `paydesk-landmark 1 ${journalId} ${seq} ${hash} ${time}`;
  return `${`${text} ${digest('sha256', text).slice(0, 16)}`.padEnd(length - 1)}\n`;
}

// Undefined for a torn text, or one of another journal.
function rowIn(text: string, journalId: string): Landmark | undefined {
  const [, , , seq = '', hash = '', time = ''] = text.split(' ');
  const row = { seq: Number(seq), hash, time: Number(time) };
  return textOf(journalId, row) === text ? row : undefined;
}
