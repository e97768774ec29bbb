/** The files of an export: their names, how to open, replace and sync them, and `FILE.problems.csv`, which says what the rows lack. */

import { hash, randomBytes } from 'node:crypto';
import { constants, lstatSync, realpathSync } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import * as v from 'valibot';
import { CliError, refused, systemCode, systemReason } from '../errors.ts';
import { fullPath } from '../io.ts';
import { cleanCell, csvLine, formulaSafe } from '../terminal/terminal.ts';

/** Absolute paths. */
export interface Names {
  readonly file: string;
  readonly manifest: string;
  /** Names what is missing from the rows. */
  readonly problems: string;
  /** The unfinished file. Its name says so, so no loader reads it. */
  readonly partial: string;
  readonly partialManifest: string;
  readonly checkpoint: string;
  /** The first names of a new export. It replaces an older unfinished one only after its first page. */
  readonly begun: { readonly partial: string; readonly checkpoint: string };
}

/**
 * All paths, from the requested file. `folder` holds the checkpoints; relative names start at `cwd`. Throws CliError 'usage' if
 * the file's folder is missing, or a name gets too long.
 */
export function namesOf(
  path: string,
  { folder, cwd }: { readonly folder: string; readonly cwd: () => string },
): Names {
  const wanted = resolve(fullPath(cwd, path));
  const file = join(realFolder(dirname(wanted), path), basename(wanted));
  const partial = partialOf(file);
  const checkpoint = join(folder, `${hash('sha256', file).slice(0, 32)}.jsonl`);
  const partialManifest = manifestOf(partial);
  refuseUnusable(partialManifest, path);
  return {
    file,
    partial,
    manifest: manifestOf(file),
    problems: problemsOf(file),
    partialManifest,
    checkpoint,
    begun: { partial: `${partial}.new`, checkpoint: `${checkpoint}.new` },
  };
}

export function partialOf(file: string): string {
  return `${file}.partial`;
}

export function manifestOf(file: string): string {
  return `${file}.manifest.json`;
}

export function problemsOf(file: string): string {
  return `${file}.problems.csv`;
}

// Resolves links: a file has one checkpoint, however its folder was typed.
function realFolder(folder: string, path: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    throw new CliError('usage', `--to ${path}: its folder cannot be used: ${systemReason(error)}`, {
      certain: 'nothing was sent',
      now: ['make that folder, or name a file in another one'],
      cause: error,
    });
  }
}

// Checks the longest name beside the file, so a name that is too long is found before anything is sent.
function refuseUnusable(longest: string, path: string): void {
  try {
    kindOf(longest);
  } catch (error) {
    throw new CliError('usage', `--to ${path}: it cannot be used: ${systemReason(error)}`, {
      certain: 'nothing was sent',
      now: ['name another file; paydesk adds .partial.manifest.json to its name while it writes'],
      cause: error,
    });
  }
}

/** What is at a path; undefined if nothing. Does not follow links. */
export function kindOf(path: string): 'file' | 'folder' | 'special' | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (stat.isDirectory()) return 'folder';
  return stat.isFile() ? 'file' : 'special';
}

const { O_RDWR, O_CREAT, O_EXCL } = constants;
// Some systems have no O_NOFOLLOW.
const noFollow = constants.O_NOFOLLOW ?? 0;

/** Creates a file, or replaces that of a killed run. Throws CliError 'refused' if it cannot. */
export async function createFile(path: string): Promise<FileHandle> {
  try {
    await rm(path, { force: true });
    return await open(path, O_RDWR | O_CREAT | O_EXCL | noFollow, 0o600);
  } catch (error) {
    throw notUsable(path, error);
  }
}

/** Opens an earlier run's file. Throws CliError 'refused' unless it is a plain file of this user. */
export async function openFile(path: string, uid: number | undefined): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(path, O_RDWR | noFollow);
  } catch (error) {
    throw notUsable(path, error);
  }
  const stat = await handle.stat();
  const foreign = uid !== undefined && (stat.uid !== uid || stat.nlink > 1);
  if (stat.isFile() && !foreign) return handle;
  await handle.close();
  throw refused(`${path} belongs to somebody else or is not a plain file, so paydesk does not write it`, [
    'find out who made it; --force replaces it',
  ]);
}

/** Makes a folder for this user only. Throws CliError 'refused'. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw notUsable(path, error);
  }
}

/** Replaces a file in one step; the text is on the disk when it resolves. Rejects with the system's error, leaving the old file. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const whole = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    await writeFile(whole, text, { flag: 'wx', mode: 0o600, flush: true });
    await rename(whole, path);
  } catch (error) {
    await rm(whole, { force: true });
    throw error;
  }
}

/** The error for a file that cannot be opened for writing. */
export function notUsable(path: string, error: unknown): CliError {
  return refused(
    `${path} cannot be written: ${systemReason(error)}`,
    ['name a file in a folder that you may write to'],
    { cause: error },
  );
}

// The disk is full, or the user's quota is used up.
const full: readonly string[] = ['ENOSPC', 'EDQUOT'];

/** The error for a disk that failed during writing. */
export function brokenFile(path: string, error: unknown): CliError {
  return new CliError('incomplete', `${path} could not be written: ${systemReason(error)}`, {
    now: full.includes(systemCode(error)) ? ['free space on its disk, then:'] : [],
    cause: error,
  });
}

/** An order with something missing from the rows of an export. */
export const exportProblem = v.object({
  /** '' if the order has no id. */
  order_id: v.string(),
  missing: v.picklist(['charges', 'refunds', 'date', 'amount']),
  why: v.string(),
});
export type ExportProblem = Readonly<v.InferOutput<typeof exportProblem>>;

const columns = ['order_id', 'missing', 'why'] as const;
// paydesk recognises a problems file by its first line.
const heading = csvLine(columns);

export function problemsText(problems: readonly ExportProblem[]): string {
  const lines = problems.map((one) => csvLine(columns.map((column) => formulaSafe(cleanCell(one[column])))));
  return heading + lines.join('');
}

/**
 * Throws CliError 'refused' unless a problems file may be written at a path: nothing is there, or paydesk's own problems file.
 * `--force` does not change that.
 */
export async function refuseForeign(path: string, certain: string): Promise<void> {
  const kind = kindOf(path);
  if (kind === undefined || (kind === 'file' && (await isProblemsFile(path)))) return;
  throw refused(
    `${path} exists, and paydesk did not write it`,
    ['move it away, or name another file with --to'],
    { certain },
  );
}

async function isProblemsFile(path: string): Promise<boolean> {
  const handle = await open(path, 'r').catch(() => undefined);
  if (handle === undefined) return false;
  try {
    const start = Buffer.alloc(heading.length);
    const { bytesRead } = await handle.read(start, 0, start.length, 0);
    return start.toString('utf8', 0, bytesRead) === heading;
  } finally {
    await handle.close();
  }
}

/** Removes an earlier export's problems file, and nothing else. */
export async function removeProblems(path: string): Promise<void> {
  if (kindOf(path) === 'file' && (await isProblemsFile(path))) await rm(path, { force: true });
}

/** The SHA-256 of a problems file; undefined if it cannot be read. */
export async function hashOfProblems(path: string): Promise<string | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  return bytes === undefined ? undefined : hash('sha256', bytes);
}
