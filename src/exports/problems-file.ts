/**
 * Writes and recognises the problems file beside an export, `FILE.problems.csv`: orders with something missing from the rows,
 * what is missing, and why.
 */

import { hash } from 'node:crypto';
import { open, readFile, rm } from 'node:fs/promises';
import * as v from 'valibot';
import { refused } from '../errors.ts';
import { cleanCell, csvLine, formulaSafe } from '../terminal/terminal.ts';
import { kindOf } from './files-on-disk.ts';

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
