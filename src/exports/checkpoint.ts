/** The checkpoint of an unfinished export: an append-only file with one line for the export and one per page. */

import { type FileHandle, open, readFile, truncate } from 'node:fs/promises';
import * as v from 'valibot';
import type { WalkedBefore } from '../api/api.ts';
import { type JsonObject, parsedJson } from '../api/json-values.ts';
import { refused, systemCode, systemReason } from '../errors.ts';
import { brokenFile, type ExportProblem, exportProblem, notUsable } from './files-on-disk.ts';
import { storedTotals, type Totals } from './totals.ts';

const word = v.optional(v.string(), () => undefined);

const headLine = v.object({
  version: v.literal(1),
  startedAt: v.number(),
  asked: v.array(v.string()),
  account: v.string(),
  keyFingerprint: word,
  query: v.record(v.string(), v.unknown()),
  /** What a row holds: the columns of CSV, or the fields of rows that paydesk makes; null: the service's own records. */
  columns: v.nullable(v.array(v.string())),
});

const pageLine = v.object({
  /** The id of the last record. The next page follows it. */
  last: word,
  /** The ids of the page's records, including those without a row. */
  ids: v.array(v.string()),
  state: v.record(v.string(), v.unknown()),
  /** The page's bytes in the file. The limit catches a damaged line before paydesk allocates memory for it. */
  bytes: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 30)),
  /** The SHA-256 of those bytes. */
  sha256: v.string(),
  problems: v.array(exportProblem),
  // The totals of the page. Their name stays `tally`, because checkpoints of version 1 have it.
  tally: storedTotals,
});

/** What is exported, and when the export began (Unix milliseconds). */
export type CheckpointHead = Omit<v.InferOutput<typeof headLine>, 'query'> & { readonly query: JsonObject };

export interface CheckpointPage extends WalkedBefore {
  readonly state: JsonObject;
  readonly bytes: number;
  readonly sha256: string;
  readonly problems: readonly ExportProblem[];
  readonly tally: Totals;
}

export interface Checkpoint {
  readonly head: CheckpointHead;
  readonly pages: readonly CheckpointPage[];
  /** The byte offset of each line's end: first the export's line, then one per page. */
  readonly ends: readonly number[];
}

/** Reads a checkpoint up to its last whole line. Undefined if there is none, or if its first line is damaged. */
export async function readCheckpoint(path: string): Promise<Checkpoint | undefined> {
  // A killed run may leave a last line without a line break; `slice` drops it.
  const lines = (await textOf(path)).split('\n').slice(0, -1);
  const head = v.safeParse(headLine, parsedJson(lines[0] ?? ''));
  if (!head.success) return undefined;
  const pages: CheckpointPage[] = [];
  let end = sizeOf(lines[0]);
  const ends = [end];
  for (const line of lines.slice(1)) {
    const page = v.safeParse(pageLine, parsedJson(line));
    if (!page.success) break;
    pages.push(page.output);
    end += sizeOf(line);
    ends.push(end);
  }
  return { head: head.output, pages, ends };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw refused(
      `${path} cannot be read: ${systemReason(error)}`,
      ['--force without --resume starts again'],
      { cause: error },
    );
  }
}

function sizeOf(line = ''): number {
  return Buffer.byteLength(line) + 1;
}

export interface CheckpointWriter {
  /** Rejects with CliError 'incomplete' if the disk fails. */
  add(line: CheckpointHead | CheckpointPage): Promise<void>;
  close(): Promise<void>;
}

/** Starts a checkpoint and replaces an old one. `clean` masks keys. Throws CliError 'refused' if the file cannot be made. */
export async function startCheckpoint(
  path: string,
  head: CheckpointHead,
  clean: (json: string) => string,
): Promise<CheckpointWriter> {
  const writer = writerOf(path, clean, await usable(path, () => open(path, 'w', 0o600)));
  await writer.add(head);
  return writer;
}

/** Continues a checkpoint after its first pages, and cuts off later lines. Throws CliError 'refused' if it cannot be written. */
export async function continueCheckpoint(
  path: string,
  { ends }: Checkpoint,
  pages: number,
  clean: (json: string) => string,
): Promise<CheckpointWriter> {
  await usable(path, () => truncate(path, ends[pages] ?? 0));
  return writerOf(path, clean, await usable(path, () => open(path, 'a')));
}

async function usable<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw notUsable(path, error);
  }
}

function writerOf(path: string, clean: (json: string) => string, handle: FileHandle): CheckpointWriter {
  return {
    add: async (line) => {
      try {
        await handle.appendFile(`${clean(JSON.stringify(line, withDigits))}\n`);
      } catch (error) {
        throw brokenFile(path, error);
      }
    },
    close: () => handle.close(),
  };
}

// JSON.stringify refuses bigints, so they become text.
function withDigits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
