/** An export on its way into its file: a page, its checkpoint, the next page; at the end its name and manifest. */

import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { CliError } from '../errors.ts';
import type { Clock, ExportFile, ExportRequest, Held, PrintedRecord } from '../ports.ts';
import {
  type CheckpointHead,
  type CheckpointPage,
  type CheckpointWriter,
  removeCheckpoint,
} from './checkpoint.ts';
import { brokenFile, kindOf, replaceFile, syncFolderOf } from './disk.ts';
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
export interface Begun {
  readonly head: CheckpointHead;
  readonly handle: FileHandle;
  readonly checkpoint: CheckpointWriter;
  readonly tallies: Tallies;
  /** Over the bytes of the file so far. */
  readonly hash: Hash;
  readonly bytes: number;
  readonly pages: readonly CheckpointPage[];
  readonly notes: readonly string[];
}

/** What an export into a file is made of. */
export interface FileParts extends Begun {
  readonly request: ExportRequest;
  readonly names: Names;
  readonly lock: Held;
  readonly clock: Clock;
  readonly version: string;
  readonly format: FileFormatter;
}

const compress = promisify(gzip);

/** The export of one run. */
export function exportFile(parts: FileParts): ExportFile {
  const { request, names, head, handle, checkpoint, tallies, hash, lock } = parts;
  let { bytes } = parts;
  const text = parts.format({ ...request, begun: { bytes, rows: tallies.total().rows } });

  const write = async (piece: string | Uint8Array): Promise<Uint8Array> => {
    const plain = typeof piece === 'string' ? Buffer.from(piece) : piece;
    // The same bytes always: Node writes no time into the head of a member.
    const stored = request.gzip && plain.length > 0 ? await compress(plain) : plain;
    for (let at = 0; at < stored.length; )
      at += (await handle.write(stored, at, stored.length - at, bytes + at)).bytesWritten;
    bytes += stored.length;
    hash.update(stored);
    return stored;
  };
  const manifest = (file: string, why: string | undefined): string =>
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
      bytes,
      sha256: hash.copy().digest('hex'),
    });
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
    startedAt: head.startedAt,
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
        const stored = await write(text.page(rows.map(({ record }) => record)));
        const tally = tallyOf(rows, walked);
        const sha256 = createHash('sha256').update(stored).digest('hex');
        const { last, ids, state } = walked;
        await checkpoint.add({ last, ids, state, bytes: stored.length, sha256, tally });
        tallies.add(tally);
      }),
    complete: () =>
      onDisk(async () => {
        await write(text.end());
        await handle.sync();
        await close();
        refuseTakenMeanwhile(request, names);
        // The manifest first: whoever sees the finished name finds the manifest of that very file.
        await replaceFile(names.manifest, manifest(names.file, undefined));
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
        await lock.release();
        return { manifest: names.manifest, rows: tallies.total().rows, bytes };
      }),
    async leave(why) {
      await close();
      if (tallies.total().read === 0) {
        await rm(names.partial, { force: true });
        await removeCheckpoint(names.checkpoint);
      } else await replaceFile(names.partialManifest, manifest(names.partial, why)).catch(() => undefined);
      await lock.release();
    },
  };
}

function refuseTakenMeanwhile({ force, path }: ExportRequest, { file }: Names): void {
  if (force || kindOf(file) === undefined) return;
  throw new CliError('incomplete', `--to ${path}: somebody else made that file meanwhile`);
}
