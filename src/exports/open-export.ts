/** Opens an export: a new file, or an unfinished one to resume. Existing files are replaced only with --force. */

import { createHash, hash } from 'node:crypto';
import { type FileHandle, rm } from 'node:fs/promises';
import { textIn } from '../api/json-values.ts';
import { type CliError, refused } from '../errors.ts';
import { type Clock, fullPath } from '../io.ts';
import type { Held, Locks } from '../locks/locks.ts';
import type { DeskKey } from '../profiles/profiles.ts';
import {
  type Checkpoint,
  type CheckpointHead,
  type CheckpointWriter,
  continueCheckpoint,
  readCheckpoint,
  startCheckpoint,
} from './checkpoint.ts';
import { type Begun, exportFile, type FileFormatter, removeUnfinished } from './export-file.ts';
import type { ExportRequest, Exports } from './exports.ts';
import {
  createFile,
  kindOf,
  makeFolder,
  type Names,
  namesOf,
  openFile,
  refuseForeign,
} from './files-on-disk.ts';
import { isManifest, verifyExport } from './manifest.ts';
import { openFinished } from './read-export.ts';
import { createTotals } from './totals.ts';

/** What exports need from the rest of paydesk. */
export interface ExportParts {
  readonly folder: string;
  readonly locks: Locks;
  readonly clock: Clock;
  /** Where relative file names start. */
  readonly cwd: () => string;
  /** Throws CliError 'usage' for one of paydesk's own files. */
  readonly refuseOwnFile: (path: string) => void;
  /** Undefined on a system without user ids. */
  readonly uid: number | undefined;
  /** The version of paydesk, for the manifest. */
  readonly version: string;
  /** Masks keys in the JSON of a manifest or checkpoint before writing. */
  readonly clean: (json: string) => string;
  readonly format: FileFormatter;
  readonly deskKey: () => Promise<DeskKey>;
}

/** Reads and writes nothing yet. */
export function createExports(parts: ExportParts): Exports {
  return {
    async open(request) {
      // Refuses wrong --columns before any file is created.
      const text = await parts.format({
        ...request,
        zone: textIn(request.query.zone),
        startedAt: parts.clock.now(),
        begun: { bytes: 0, rows: 0 },
      });
      const columns = text.columns ?? request.ownFields ?? null;
      parts.refuseOwnFile(request.path);
      const names = namesOf(request.path, parts);
      parts.refuseOwnFile(names.problems);
      await refuseTaken(request, names);
      await makeFolder(parts.folder);
      const lock = await takeLock(parts.locks, names);
      try {
        return await exportFile({
          ...parts,
          key: await parts.deskKey(),
          request,
          names,
          lock,
          ...(await begin(parts, request, names, columns)),
        });
      } catch (error) {
        await lock.release();
        throw error;
      }
    },
    async verify(path, { maxAgeMs, signedBy }) {
      const trust = { deskKey: await parts.deskKey(), signedBy };
      return await verifyExport(fullPath(parts.cwd, path), maxAgeMs, parts.clock.now(), trust);
    },
    read: (path) => openFinished({ name: path, file: fullPath(parts.cwd, path) }, parts.clock.now()),
  };
}

async function refuseTaken(
  { force, path }: ExportRequest,
  { file, manifest, partial, problems }: Names,
): Promise<void> {
  const taken = (words: string, now: string): CliError => refused(`--to ${path}: ${words}`, [now]);
  const kind = kindOf(file);
  if (kind !== undefined && kind !== 'file') throw taken('this is not a plain file', 'name another file');
  if (kind === 'file' && !force)
    throw taken('the file exists', '--force replaces it once the export is complete');
  if (kindOf(partial) === 'folder')
    throw taken(`${partial} is a folder`, 'move it away, or name another file');
  const beside = kindOf(manifest);
  if (beside !== undefined && beside !== 'file')
    throw taken(`${manifest} is not a plain file`, 'move it away, or name another file');
  if (beside === 'file' && !force && !(await isManifest(manifest)))
    throw taken(`${manifest} exists and is not a manifest of an export`, '--force replaces it too');
  await refuseForeign(problems, 'nothing was sent');
}

async function takeLock(locks: Locks, { file }: Names): Promise<Held> {
  // An export may take an hour. No refund should wait for its lock.
  const lock = await locks.take(`export ${file}`, { waitMs: 0, alone: true });
  if (lock.held) return lock;
  throw refused(`another export is writing ${file} now`, [
    'wait until it ends, or name another file with --to',
  ]);
}

// What a row holds, as in a checkpoint.
type RowColumns = readonly string[] | null;

async function begin(
  parts: ExportParts,
  request: ExportRequest,
  names: Names,
  columns: RowColumns,
): Promise<Begun> {
  const unfinished = kindOf(names.partial);
  const checkpoint = request.resume ? await readCheckpoint(names.checkpoint) : undefined;
  if (request.resume && unfinished !== undefined && checkpoint !== undefined) {
    refuseOther(checkpoint.head, request);
    refuseOtherColumns(checkpoint.head, columns);
    return await resume(parts, names, request, checkpoint);
  }
  if (unfinished !== undefined && !request.force) {
    throw refused(`${names.partial} is an unfinished export`, [
      request.resume
        ? 'its checkpoint is missing or damaged, so it cannot be resumed; --force starts again'
        : '--resume goes on with it, --force starts again',
    ]);
  }
  return await start(parts, names, request, columns);
}

async function start(
  { clock, clean }: ExportParts,
  names: Names,
  request: ExportRequest,
  columns: RowColumns,
): Promise<Begun> {
  const head: CheckpointHead = {
    version: 1,
    startedAt: clock.now(),
    asked: [...request.asked],
    account: request.profile.account,
    keyFingerprint: request.keyFingerprint,
    query: request.query,
    columns: columns === null ? null : [...columns],
  };
  const checkpoint = await startCheckpoint(names.begun.checkpoint, head, clean);
  return {
    head,
    handle: await createPartial(names, checkpoint),
    checkpoint,
    inPlace: false,
    totals: createTotals(),
    hash: createHash('sha256'),
    bytes: 0,
    pages: [],
    notes: [],
  };
}

async function createPartial(names: Names, checkpoint: CheckpointWriter): Promise<FileHandle> {
  try {
    return await createFile(names.begun.partial);
  } catch (error) {
    await checkpoint.close();
    await rm(names.begun.checkpoint, { force: true });
    throw error;
  }
}

// Keeps the pages that match the checkpoint. The rest is cut off and read again from the service.
async function resume(
  { uid, clean }: ExportParts,
  names: Names,
  request: ExportRequest,
  found: Checkpoint,
): Promise<Begun> {
  const handle = await openFile(names.partial, uid);
  const all = createHash('sha256');
  const totals = createTotals();
  let [bytes, pages] = [0, 0];
  for (const page of found.pages) {
    const part = Buffer.alloc(page.bytes);
    const { bytesRead } = await handle.read(part, 0, page.bytes, bytes);
    if (bytesRead !== page.bytes || hash('sha256', part) !== page.sha256) break;
    all.update(part);
    totals.add(page.tally);
    bytes += page.bytes;
    pages += 1;
  }
  await handle.truncate(bytes);
  await removeUnfinished(names.begun);
  return {
    head: found.head,
    handle,
    inPlace: true,
    checkpoint: await continueCheckpoint(names.checkpoint, found, pages, clean),
    totals,
    hash: all,
    bytes,
    pages: found.pages.slice(0, pages),
    notes: [
      ...(pages < found.pages.length
        ? [`the last pages of ${names.partial} were damaged; they are read again`]
        : []),
      ...(found.head.keyFingerprint === request.keyFingerprint
        ? []
        : ['the key has changed since this export began']),
    ],
  };
}

function refuseOther(head: CheckpointHead, { asked, profile: { account } }: ExportRequest): void {
  const same = JSON.stringify(head.asked) === JSON.stringify(asked);
  if (same && head.account === account) return;
  const was = head.account === account ? head.asked.join(' ') : head.account;
  const is = head.account === account ? asked.join(' ') : account;
  throw refused(`--resume: the unfinished export was started as ${was}, not ${is}`, [
    'to go on with it, run the command that started it, with --resume; to start again, use --force without --resume',
  ]);
}

// A file must not mix kinds of rows. `asked` matches by now, so columns differ only through PAYDESK_COLUMNS or another version of
// paydesk.
function refuseOtherColumns({ columns: before }: CheckpointHead, columns: RowColumns): void {
  if (JSON.stringify(before) === JSON.stringify(columns)) return;
  throw refused('--resume: the unfinished export has different columns', [
    `the unfinished export has ${before?.join(', ') ?? 'whole records'}`,
    `this run would write ${columns?.join(', ') ?? 'whole records'}`,
    'resume it with the same PAYDESK_COLUMNS and the same version of paydesk, or start again: --force without --resume',
  ]);
}
