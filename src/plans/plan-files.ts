/** Reads input files and plans from disk, and writes plans and requested lists. */

import { randomBytes } from 'node:crypto';
import { constants, lstatSync, type Stats } from 'node:fs';
import { access, link, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CliError, systemCode, systemReason, withParts } from '../errors.ts';
import { besideFile, fullPath } from '../io.ts';
import { readInputFile, unreadableFile } from './input-file.ts';
import { readPlan, writePlan } from './plan-text.ts';
import type { PlanFiles } from './plan-types.ts';

interface PlanFileParts {
  readonly cwd: () => string;
  /** Throws CliError 'usage' for one of paydesk's own files. */
  readonly refuseOwnFile: (path: string) => void;
  /** Reads a file, or standard input for `-`. Throws CliError 'usage' if it cannot be read or is too large. */
  readonly read: (path: string, maxBytes: number) => Promise<Uint8Array>;
  /** The same as `read`, but part by part. */
  readonly chunks: (path: string, maxBytes: number) => AsyncIterable<Uint8Array>;
  /** Masks keys in a line of JSON, and in a text. */
  readonly cleanJson: (json: string) => string;
  readonly clean: (text: string) => string;
  /** Called when a file with many rows is opened: working with them leaves a lot of unused memory behind. */
  readonly keepHeapSmall: () => void;
}

/** An input file of 100,000 rows is about 10 MB; a much larger one is probably not a list of refunds. */
const inputMax = 64 * 1024 * 1024;
const planMax = 512 * 1024 * 1024;
// About 300 rows.
const largeInput = 8 * 1024;
const largePlan = 256 * 1024;

export function createPlans(parts: PlanFileParts): PlanFiles {
  const { cwd, refuseOwnFile, read, chunks, cleanJson, clean, keepHeapSmall } = parts;
  const toWrite = (path: string) => {
    refuseOwnFile(path);
    return fullPath(cwd, path);
  };
  return {
    async input(path, how) {
      const bytes = await read(path, inputMax);
      if (bytes.length > largeInput) keepHeapSmall();
      // The first bytes of zip files, and of the office formats before 2007.
      if (/^(504b0304|d0cf11e0)/.test(Buffer.from(bytes.subarray(0, 4)).toString('hex'))) {
        const { readWorkbook } = await import('./read-workbook.ts');
        return await readWorkbook(bytes, how);
      }
      return how.sheet === undefined
        ? readInputFile(bytes, how)
        : unreadableFile('--sheet is for a workbook, and this is not one');
    },
    open: (path) =>
      readPlan(path, noticed(chunks(path, planMax), largePlan, keepHeapSmall)).catch(
        async (error: unknown) => {
          throw await withPlansBeside(path, fullPath(cwd, path), error);
        },
      ),
    async save(path, head, rows, force) {
      const { lines, digest } = writePlan(head, rows, cleanJson);
      await writeNew(path, toWrite(path), chunksOf(lines), force);
      return { ...head, rows, digest: digest() };
    },
    writtenAt: async (path) => (await statOf(fullPath(cwd, path)))?.mtimeMs,
    exists: async (path) => (await statOf(fullPath(cwd, path))) !== undefined,
    isSameFile: async (one, other) => one !== '-' && isSameFile(fullPath(cwd, one), fullPath(cwd, other)),
    checkNew: async (path, force) => checkNew(path, toWrite(path), force),
    write: async (path, text, force) => writeNew(path, toWrite(path), [Buffer.from(clean(text))], force),
  };
}

// Passes the chunks on, and calls `notice` once when there were more than `bytes` bytes.
async function* noticed(
  chunks: AsyncIterable<Uint8Array>,
  bytes: number,
  notice: () => void,
): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for await (const chunk of chunks) {
    if (left >= 0 && chunk.length > left) notice();
    left -= chunk.length;
    yield chunk;
  }
}

// The most plans that are named.
const mostPlans = 5;

// Names the newest plans in the folder of a file that is not there.
async function withPlansBeside(name: string, path: string, error: unknown): Promise<unknown> {
  if (!(error instanceof CliError) || systemCode(error.cause) !== 'ENOENT') return error;
  const names = (await readdir(dirname(path)).catch(() => [])).filter((one) => one.endsWith('.plan'));
  const plans = await Promise.all(
    names.map(async (one) => ({ one, at: (await statOf(join(dirname(path), one)))?.mtimeMs ?? 0 })),
  );
  const newest = plans.toSorted((a, b) => b.at - a.at).map(({ one }) => one);
  const now =
    newest.length === 0
      ? ['there is no plan in that folder; to make one: paydesk refunds plan FILE.csv']
      : [
          `plans in that folder, the newest first: ${newest
            .slice(0, mostPlans)
            .map((one) => besideFile(name, one))
            .join(', ')}`,
        ];
  return withParts(error, { now });
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  if (resolve(one) === resolve(other)) return true;
  const [first, second] = await Promise.all([statOf(one), statOf(other)]);
  return first !== undefined && first.dev === second?.dev && first.ino === second.ino;
}

// If a file cannot be inspected, reading or writing it will say why.
function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}

// A half-written file never has the final name: the text reaches the disk first.
async function writeNew(
  name: string,
  path: string,
  chunks: Iterable<string | Uint8Array>,
  force: boolean,
): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      for (const chunk of chunks) await handle.writeFile(chunk);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await (force ? rename(temporary, path) : nameNew(temporary, path));
  } catch (error) {
    // The cleanup may fail for the same reason; the first error is the one to report.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw notWritten(name, error);
  }
}

async function checkNew(name: string, path: string, force: boolean): Promise<void> {
  try {
    const there = lstatSync(path, { throwIfNoEntry: false });
    if (there?.isDirectory() === true) throw Object.assign(new Error('folder'), { code: 'EISDIR' });
    if (there !== undefined && !force) throw taken(undefined);
    await access(dirname(path), constants.W_OK);
  } catch (error) {
    throw notWritten(name, error);
  }
}

// Making a link fails if the name is taken, even if that happened just now. Some file systems have no links.
async function nameNew(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
    await rm(temporary, { force: true });
  } catch (error) {
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw taken(error);
    await rename(temporary, path);
  }
}

function taken(cause: unknown): Error {
  return Object.assign(new Error('taken', { cause }), { code: 'EEXIST' });
}

const chunkLength = 32 * 1024;

function* chunksOf(lines: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

function notWritten(name: string, error: unknown): CliError {
  const exists = systemCode(error) === 'EEXIST';
  return new CliError(
    'refused',
    exists ? `${name} exists already` : `${name} cannot be written: ${systemReason(error)}`,
    {
      now: [
        exists ? 'name another file; --force replaces it' : 'name a file in a folder that you may write to',
      ],
      cause: error,
    },
  );
}
