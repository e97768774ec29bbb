/** The checkpoint of an unfinished export: what it holds, and a line a page, only ever added to. */

import { type FileHandle, open, readFile, rm, truncate } from 'node:fs/promises';
import * as v from 'valibot';
import type { WalkedBefore } from '../api/api.ts';
import type { JsonObject } from '../api/spec.ts';
import { CliError, systemCode, systemReason } from '../errors.ts';
import { brokenFile, notUsable } from './disk.ts';
import type { Tally } from './tally.ts';

const words = v.optional(v.string(), () => undefined);
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
// No page is larger: what says so is damaged, and nobody makes room for it.
const pageBytes = v.pipe(count, v.maxValue(2 ** 30));

const headLine = v.object({
  version: v.literal(1),
  startedAt: v.number(),
  asked: v.array(v.string()),
  account: v.string(),
  keyFingerprint: words,
  query: v.record(v.string(), v.unknown()),
});

const pageLine = v.object({
  /** The id that the next page follows. */
  last: words,
  /** The ids of its records, whether they became rows or not. */
  ids: v.array(v.string()),
  /** What makes rows goes on from here. */
  state: v.record(v.string(), v.unknown()),
  /** Bytes of the page in the file, and their hash. */
  bytes: pageBytes,
  sha256: v.string(),
  tally: v.object({
    rows: count,
    first: words,
    last: words,
    unsummed: count,
    read: count,
    repeated: count,
    odd: count,
    left: count,
    sums: v.array(
      v.object({
        currency: words,
        status: words,
        day: words,
        rows: count,
        amount: v.pipe(
          v.string(),
          v.regex(/^-?\d+$/),
          v.transform((digits) => BigInt(digits)),
        ),
      }),
    ),
  }),
});

/** What an export is, and when it began (Unix milliseconds). */
export type CheckpointHead = Omit<v.InferOutput<typeof headLine>, 'query'> & { readonly query: JsonObject };

/** One page of it. */
export interface CheckpointPage extends WalkedBefore {
  readonly state: JsonObject;
  readonly bytes: number;
  readonly sha256: string;
  readonly tally: Tally;
}

/** A checkpoint as it was found. */
export interface Checkpoint {
  readonly head: CheckpointHead;
  readonly pages: readonly CheckpointPage[];
  /** Where the line of the head, and of each page, ends in the file. */
  readonly ends: readonly number[];
}

/** Reads a checkpoint up to its last whole line; undefined when there is none that can be read. */
export async function readCheckpoint(path: string): Promise<Checkpoint | undefined> {
  // What follows the last line end is a line that a killed run did not finish.
  const lines = (await textOf(path)).split('\n').slice(0, -1);
  const head = v.safeParse(headLine, parsed(lines[0]));
  if (!head.success) return undefined;
  const pages: CheckpointPage[] = [];
  let end = sizeOf(lines[0]);
  const ends = [end];
  for (const line of lines.slice(1)) {
    const page = v.safeParse(pageLine, parsed(line));
    if (!page.success) break;
    pages.push(page.output);
    end += sizeOf(line);
    ends.push(end);
  }
  return { head: head.output, pages, ends };
}

/** Where lines are added. */
export interface CheckpointWriter {
  add(line: CheckpointHead | CheckpointPage): Promise<void>;
  close(): Promise<void>;
}

/** Starts a checkpoint, replacing what was there. Throws CliError 'refused' when it cannot be made. */
export async function startCheckpoint(
  path: string,
  head: CheckpointHead,
  clean: (json: string) => string,
): Promise<CheckpointWriter> {
  const writer = writerOf(path, clean, await usable(path, () => open(path, 'w', 0o600)));
  await writer.add(head);
  return writer;
}

/** Goes on with a checkpoint after so many of its pages. Throws CliError 'refused' when it cannot be written. */
export async function continueCheckpoint(
  path: string,
  { ends }: Checkpoint,
  pages: number,
  clean: (json: string) => string,
): Promise<CheckpointWriter> {
  await usable(path, () => truncate(path, ends[pages] ?? 0));
  return writerOf(path, clean, await usable(path, () => open(path, 'a')));
}

function writerOf(path: string, clean: (json: string) => string, handle: FileHandle): CheckpointWriter {
  return {
    add: async (line) => {
      try {
        await handle.appendFile(`${clean(JSON.stringify(line, digits))}\n`);
      } catch (error) {
        throw brokenFile(path, error);
      }
    },
    close: () => handle.close(),
  };
}

async function usable<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw notUsable(path, error);
  }
}

/** Takes a checkpoint away. */
export async function removeCheckpoint(path: string): Promise<void> {
  await rm(path, { force: true });
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw new CliError('refused', `${path} cannot be read: ${systemReason(error)}`, {
      certain: 'nothing was sent',
      now: ['--force without --resume starts again'],
      cause: error,
    });
  }
}

function sizeOf(line = ''): number {
  return Buffer.byteLength(line) + 1;
}

function parsed(line = ''): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

// Sums may be larger than a JavaScript number is exact.
function digits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
