/** Writes an export: each page into the file, then its line into the checkpoint; at the end the manifest. */

import { type Hash, hash } from 'node:crypto';
import { type FileHandle, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { isObject, type JsonObject, textIn } from '../api/json-values.ts';
import { CliError } from '../errors.ts';
import type { Held } from '../locks/locks.ts';
import { type DeskKey, syncFolder } from '../profiles/profiles.ts';
import type { BegunWorkbook, FileFormat } from '../terminal/terminal.ts';
import type { CheckpointHead, CheckpointPage, CheckpointWriter } from './checkpoint.ts';
import type { ExportFile, ExportRequest } from './exports.ts';
import { signManifest } from './file-digests.ts';
import {
  brokenFile,
  type ExportProblem,
  kindOf,
  type Names,
  problemsText,
  refuseForeign,
  removeProblems,
  replaceFile,
} from './files-on-disk.ts';
import { type Manifest, manifestText } from './manifest.ts';
import type { ExportParts } from './open-export.ts';
import { type GrowingTotals, totalsOfPage } from './totals.ts';

/** Starts the text of a file. `begun`: how much an earlier run wrote. */
export type FileFormatter = (
  file: Pick<ExportRequest, 'format' | 'columns' | 'localTimes' | 'query' | 'asked' | 'profile'> & {
    /** The time zone of local times; undefined: the zone of the process. */
    readonly zone: string | undefined;
    readonly begun: BegunWorkbook;
    /** Unix milliseconds; if several runs write the file, the start of the first one. */
    readonly startedAt: number;
  },
) => Promise<FileFormat>;

/** An opened file, and how far its export got. */
export interface Begun {
  readonly handle: FileHandle;
  readonly bytes: number;
  /** The SHA-256 of those bytes; more can be added. */
  readonly hash: Hash;
  readonly head: CheckpointHead;
  readonly checkpoint: CheckpointWriter;
  readonly totals: GrowingTotals;
  readonly pages: readonly CheckpointPage[];
  readonly notes: readonly string[];
  /** False while a new export still writes under its first names (`Names.begun`). */
  readonly inPlace: boolean;
}

interface FileParts extends Begun, Pick<ExportParts, 'clock' | 'version' | 'clean' | 'format'> {
  readonly request: ExportRequest;
  readonly names: Names;
  readonly lock: Held;
  readonly key: DeskKey;
}

/** Writes the export into an opened file. */
export async function exportFile(parts: FileParts): Promise<ExportFile> {
  const { request, names, head, handle, checkpoint, totals, lock } = parts;
  const zone = textIn(head.query.zone);
  const [begun, rowsBegun] = [parts.bytes, totals.total().rows];
  const text = await parts.format({
    ...request,
    query: head.query,
    startedAt: head.startedAt,
    zone,
    begun: {
      bytes: begun,
      rows: rowsBegun,
      state: formatState(parts.pages.at(-1)?.state),
      hash: parts.hash,
    },
  });
  const bytes = fileBytes(parts, request.gzip);

  const manifest = (file: string, why: string | undefined, more: Pick<Manifest, 'gaps' | 'notes'>): string =>
    manifestFor(parts, {
      file,
      why,
      ...more,
      columns: text.columns,
      bytes: bytes.count,
      sha256: bytes.sha256(),
    });
  // A resumed export also names the problems of its first run.
  const problems: ExportProblem[] = parts.pages.flatMap((page) => page.problems);
  let { inPlace } = parts;
  const putInPlace = async (): Promise<void> => {
    if (inPlace) return;
    // If paydesk is killed between these renames, the old file does not match the new checkpoint, and a resume reads its pages
    // again.
    await rename(names.begun.checkpoint, names.checkpoint);
    await rename(names.begun.partial, names.partial);
    await rm(names.partialManifest, { force: true });
    inPlace = true;
  };
  const close = async (): Promise<void> => {
    await handle.close();
    await checkpoint.close();
  };
  const onDisk = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw error instanceof CliError ? error : brokenFile(names.partial, error);
    }
  };

  return {
    query: head.query,
    after: parts.pages.at(-1)?.last,
    before: parts.pages,
    state: parts.pages.at(-1)?.state,
    get taken() {
      return kindOf(names.file) !== undefined;
    },
    partial: names.partial,
    notes: parts.notes,
    get progress() {
      const { read, rows } = totals.total();
      return { read, rows };
    },
    page: (rows, walked) =>
      onDisk(async () => {
        const stored = await bytes.add(text.page(rows.map(({ record }) => record)));
        const tally = totalsOfPage(rows, walked);
        const sha256 = hash('sha256', stored);
        const { last, ids, problems: found } = walked;
        const state = text.state === undefined ? walked.state : { ...walked.state, format: text.state() };
        await checkpoint.add({ last, ids, state, bytes: stored.length, sha256, problems: found, tally });
        problems.push(...found);
        if (tally.read > 0) await putInPlace();
        totals.add(tally);
      }),
    complete: (notes) =>
      onDisk(async () => {
        await bytes.add(text.end(notes));
        await handle.sync();
        await close();
        refuseTakenMeanwhile(request, names);
        await refuseForeign(names.problems, `the rows are in ${names.partial}`);
        await putInPlace();
        const named = problems.length === 0 ? undefined : parts.clean(problemsText(problems));
        const gaps =
          named === undefined ? undefined : { problems: problems.length, sha256: hash('sha256', named) };
        await giveName(names, manifest(names.file, undefined, { gaps, notes }), named);
        await lock.release();
        return {
          manifest: names.manifest,
          notes: text.notes,
          rows: totals.total().rows,
          bytes: bytes.count,
          gaps: gaps && { file: names.problems, problems },
        };
      }),
    async leave(why) {
      await close();
      if (!inPlace) await removeUnfinished(names.begun);
      else if (totals.total().read === 0) {
        await removeUnfinished(names);
        await rm(names.partialManifest, { force: true });
      } else
        await replaceFile(
          names.partialManifest,
          manifest(names.partial, why, { gaps: undefined, notes: [] }),
        ).catch(() => undefined);
      await lock.release();
    },
  };
}

interface Written extends Pick<Manifest, 'file' | 'why' | 'gaps' | 'notes' | 'bytes' | 'sha256'> {
  readonly columns: Manifest['columns'] | undefined;
}

// The manifest of what was written so far.
function manifestFor(
  { request, head, totals, clock, version, clean, key }: FileParts,
  written: Written,
): string {
  const text = clean(
    manifestText({
      ...written,
      file: basename(written.file),
      profile: request.profile,
      keyFingerprint: request.keyFingerprint,
      query: head.query,
      columns: written.columns ?? request.ownFields ?? null,
      startedAt: head.startedAt,
      endedAt: clock.now(),
      version,
      totals: totals.total(),
    }),
  );
  return signManifest(text, key);
}

// The formatter's data in the state of a page.
function formatState(state: JsonObject | undefined): JsonObject | undefined {
  return isObject(state?.format) ? state.format : undefined;
}

export async function removeUnfinished({
  partial,
  checkpoint,
}: Pick<Names, 'partial' | 'checkpoint'>): Promise<void> {
  await rm(partial, { force: true });
  await rm(checkpoint, { force: true });
}

interface FileBytes {
  /** Appends a text and returns the bytes written, compressed if the file is. Rejects with the system's error. */
  add(piece: string | Uint8Array): Promise<Uint8Array>;
  readonly count: number;
  /** SHA-256 of the whole file so far. */
  sha256(): string;
}

const compress = promisify(gzip);

// Appends to the file. With `zipped` each text becomes its own gzip member.
function fileBytes({ handle, hash: all, bytes }: Begun, zipped: boolean): FileBytes {
  let count = bytes;
  return {
    async add(piece) {
      const plain = typeof piece === 'string' ? Buffer.from(piece) : piece;
      // Node writes no time into a gzip header, so the same text always gives the same bytes.
      const stored = zipped && plain.length > 0 ? await compress(plain) : plain;
      for (let at = 0; at < stored.length; )
        at += (await handle.write(stored, at, stored.length - at, count + at)).bytesWritten;
      count += stored.length;
      all.update(stored);
      return stored;
    },
    get count() {
      return count;
    },
    sha256: () => all.copy().digest('hex'),
  };
}

function refuseTakenMeanwhile({ force, path }: ExportRequest, { file }: Names): void {
  if (force || kindOf(file) === undefined) return;
  throw new CliError(
    'incomplete',
    `--to ${path}: this file appeared while the export ran, and paydesk did not make it`,
  );
}

// Writes the manifest and the problems first: they must be there when the finished file appears.
async function giveName(names: Names, manifest: string, problems: string | undefined): Promise<void> {
  if (problems !== undefined) await replaceFile(names.problems, problems);
  await replaceFile(names.manifest, manifest);
  await rename(names.partial, names.file);
  try {
    syncFolder(dirname(names.file));
  } catch (error) {
    // Without the sync a power cut could undo the rename, so the file gets its unfinished name back.
    await rename(names.file, names.partial);
    throw error;
  }
  if (problems === undefined) await removeProblems(names.problems);
  await rm(names.partialManifest, { force: true });
  await rm(names.checkpoint, { force: true });
}
