/** An export on its way into its file: a page, its checkpoint, the next page; at the end its name and manifest. */

import { createHash } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { CliError } from '../errors.ts';
import type { Clock } from '../io.ts';
import type { Held } from '../locks/locks.ts';
import type { PrintedRecord } from '../terminal/terminal.ts';
import { type BytesBegun, fileBytes } from './bytes.ts';
import {
  type CheckpointHead,
  type CheckpointPage,
  type CheckpointWriter,
  removeCheckpoint,
} from './checkpoint.ts';
import { brokenFile, kindOf, replaceFile, syncFolderOf } from './disk.ts';
import type { ExportFile, ExportRequest } from './exports.ts';
import { manifestText } from './manifest.ts';
import type { Names } from './names.ts';
import { type Tallies, tallyOf } from './tally.ts';

/** Texts that make up a file, one after the other. */
export interface FileText {
  page(records: readonly PrintedRecord[]): string | Uint8Array;
  end(): string | Uint8Array;
}

/** The text of a file, from what stands in it on. */
export type FileFormatter = (file: {
  readonly format: ExportRequest['format'];
  readonly columns: ExportRequest['columns'];
  readonly begun: { readonly bytes: number; readonly rows: number };
}) => FileText;

/** A file that was opened, and what stands in it. */
export interface Begun extends BytesBegun {
  readonly head: CheckpointHead;
  readonly checkpoint: CheckpointWriter;
  readonly tallies: Tallies;
  readonly pages: readonly CheckpointPage[];
  readonly notes: readonly string[];
  /** Whether it has the names of an unfinished export, or still those that it began under. */
  readonly inPlace: boolean;
}

/** What an export into a file is made of. */
export interface FileParts extends Begun {
  readonly request: ExportRequest;
  readonly names: Names;
  readonly lock: Held;
  readonly clock: Clock;
  readonly version: string;
  readonly clean: (json: string) => string;
  readonly format: FileFormatter;
}

/** The export of one run. */
export function exportFile(parts: FileParts): ExportFile {
  const { request, names, head, handle, checkpoint, tallies, lock } = parts;
  const text = parts.format({ ...request, begun: { bytes: parts.bytes, rows: tallies.total().rows } });
  const bytes = fileBytes(parts, request.gzip);

  const manifest = (file: string, why: string | undefined): string =>
    parts.clean(
      manifestText({
        file: basename(file),
        why,
        profile: request.profile,
        keyFingerprint: request.keyFingerprint,
        query: head.query,
        startedAt: head.startedAt,
        endedAt: parts.clock.now(),
        version: parts.version,
        tally: tallies.total(),
        bytes: bytes.count,
        sha256: bytes.sha256(),
      }),
    );
  let { inPlace } = parts;
  const putInPlace = async (): Promise<void> => {
    if (inPlace) return;
    // Whichever of the two a killed run leaves old: a page that is not as the checkpoint says is read again.
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
      const { read, rows } = tallies.total();
      return { read, rows };
    },
    page: (rows, walked) =>
      onDisk(async () => {
        const stored = await bytes.add(text.page(rows.map(({ record }) => record)));
        const tally = tallyOf(rows, walked);
        const sha256 = createHash('sha256').update(stored).digest('hex');
        const { last, ids, state } = walked;
        await checkpoint.add({ last, ids, state, bytes: stored.length, sha256, tally });
        if (tally.read > 0) await putInPlace();
        tallies.add(tally);
      }),
    complete: () =>
      onDisk(async () => {
        await bytes.add(text.end());
        await handle.sync();
        await close();
        refuseTakenMeanwhile(request, names);
        await putInPlace();
        await giveName(names, manifest(names.file, undefined));
        await lock.release();
        return { manifest: names.manifest, rows: tallies.total().rows, bytes: bytes.count };
      }),
    async leave(why) {
      await close();
      if (!inPlace) await removeUnfinished(names.begun);
      else if (tallies.total().read === 0) {
        await removeUnfinished(names);
        await rm(names.partialManifest, { force: true });
      } else await replaceFile(names.partialManifest, manifest(names.partial, why)).catch(() => undefined);
      await lock.release();
    },
  };
}

/** Takes away an unfinished file and its checkpoint. */
export async function removeUnfinished({
  partial,
  checkpoint,
}: Pick<Names, 'partial' | 'checkpoint'>): Promise<void> {
  await rm(partial, { force: true });
  await removeCheckpoint(checkpoint);
}

function refuseTakenMeanwhile({ force, path }: ExportRequest, { file }: Names): void {
  if (force || kindOf(file) === undefined) return;
  throw new CliError('incomplete', `--to ${path}: somebody else made that file meanwhile`);
}

// The manifest first: whoever sees the finished name finds the manifest of that very file.
async function giveName(names: Names, manifest: string): Promise<void> {
  await replaceFile(names.manifest, manifest);
  await rename(names.partial, names.file);
  try {
    await syncFolderOf(names.file);
  } catch (error) {
    // A name that may be gone after a power cut is not that of a finished file.
    await rename(names.file, names.partial);
    throw error;
  }
  await rm(names.partialManifest, { force: true });
  await removeCheckpoint(names.checkpoint);
}
