/**
 * The files that commands write: exports and plans, whose code is loaded with the first one, and `--to FILE` of a list. None of
 * them replaces a file of paydesk itself.
 */

import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import type { Context } from '../context/context.ts';
import { CliError, systemReason } from '../errors.ts';
import type { Exports } from '../exports/exports.ts';
import type { createExports } from '../exports/open-export.ts';
import { fullPath, type Io, variable } from '../io.ts';
import { landmarkFolders } from '../journal/sqlite/copy-marks.ts';
import type { Locks } from '../locks/locks.ts';
import type { PlanFiles, Plans } from '../plans/plans.ts';
import { commandLine, type FileRules, profileNamed } from '../profiles/profiles.ts';
import { type AboutLine, asReceived, fileFormat, type ResultFile } from '../terminal/terminal.ts';
import { findJournalPlace, type JournalPlace } from './machine/journal-place.ts';
import { readPolicy } from './machine/policy.ts';
import type { RunState } from './run-state.ts';
import type { Globals } from './typed/global-options.ts';
import { createBytesReader, createChunkReader, createOwnFileGuard } from './user-files.ts';

/** Where the journal of this run is. */
export function placeOf({ io, folders }: RunState, rules: FileRules): JournalPlace {
  return findJournalPlace({
    ...rules,
    machineFile: io.machineFile,
    stateFolder: folders.state,
    witnessFolder: folders.witness,
  });
}

/** What `Context.refuseOwnFile` does, before there is a context. */
export async function refuseOwnFile(state: RunState, path: string): Promise<void> {
  ownFileGuard(state, (await readPolicy(state.io)).file)(path);
}

/** Throws CliError 'usage' for a file that is paydesk's own (user-files.ts). */
export function ownFileGuard(
  state: RunState,
  policyFile: string,
  place = placeOf(state, { uid: state.io.uid, notice: () => undefined, movedBy: 'XDG_STATE_HOME' }),
): (path: string) => void {
  const { io, folders } = state;
  return createOwnFileGuard({
    cwd: io.cwd,
    folders: [...Object.values(folders), place.folder, place.witness, ...landmarkFolders(io)],
    files: [io.machineFile, policyFile, variable(io.env, 'PAYDESK_KEY_FILE') ?? io.machineFile],
  });
}

/** The exports of a run. The code that writes them is loaded with the first one. */
export function exportDoor(parts: {
  readonly state: RunState;
  readonly globals: Globals;
  readonly locks: Locks;
  readonly folder: string;
  readonly refuseOwnFile: Context['refuseOwnFile'];
  readonly deskKey: Context['deskKey'];
}): Exports {
  const { state, globals } = parts;
  const load = async (): Promise<Exports> => {
    const { createExports } = await import('../exports/open-export.ts');
    return createExports({
      ...parts,
      version: state.version,
      clean: (json) => state.secrets.cleanJson(json),
      clock: state.clock,
      cwd: state.io.cwd,
      uid: state.io.uid,
      format: (file) =>
        fileFormat({
          ...file,
          named: globals.columns,
          usual: globals.usualColumns,
          header: globals.header,
          csv: globals.csv,
          locale: () => ({ ...state.locale(), zone: file.zone }),
          now: () => state.clock.now(),
          secrets: state.secrets,
          redaction: state.redaction,
          about: () => aboutExport(file),
        }),
    });
  };
  return {
    open: async (request) => (await load()).open(request),
    verify: async (path, maxAgeMs) => (await load()).verify(path, maxAgeMs),
    read: async (path) => (await load()).read(path),
  };
}

// What the second sheet of a workbook says about its export: whose it is, what was typed, when it began, and the query as the
// manifest has it. Without the name of the file and whether the export was resumed, so that the bytes are the same.
function aboutExport({
  profile,
  query,
  asked: [resource = '', ...words],
  startedAt,
}: Parameters<Parameters<typeof createExports>[0]['format']>[0]): readonly AboutLine[] {
  const lines = Object.entries(query).flatMap(([name, value]): readonly AboutLine[] => {
    if (
      value === null ||
      (Array.isArray(value) && value.length === 0) ||
      name === 'format' ||
      name === 'gzip' ||
      name === 'zone'
    )
      return [];
    const isTime = (name === 'since' || name === 'until') && typeof value === 'number';
    return [[name, isTime ? { at: value } : Array.isArray(value) ? value.join(' ') : asReceived(value)]];
  });
  return [
    ['profile', profile.name],
    ['account', profile.account],
    ['command', commandLine(profileNamed(profile.name), resource, 'export', ...words, '--to', 'FILE')],
    ['started', { at: Math.floor(startedAt / 1000) }],
    ...lines,
  ];
}

interface PlanDoorParts extends Pick<Context, 'refuseOwnFile' | 'notes'> {
  readonly state: RunState;
  readonly operator: string;
}

/** The plans of a run. The code that reads and writes them is loaded with the first one. */
export function planDoor({ state, operator, refuseOwnFile, notes }: PlanDoorParts): Plans {
  const { io, signal, secrets } = state;
  const load = async (): Promise<PlanFiles> => {
    const tell = (line: string) => notes.note(line);
    const { createPlans } = await import('../plans/plan-files.ts');
    return createPlans({
      cwd: io.cwd,
      refuseOwnFile,
      read: createBytesReader(io, signal, tell),
      chunks: createChunkReader(io, signal, tell),
      clean: (text) => secrets.clean(text),
      cleanJson: (json) => secrets.cleanJson(json),
      keepHeapSmall() {
        io.keepHeapSmall('old');
        io.keepHeapSmall('young');
      },
    });
  };
  return {
    operator,
    newId: () => `p_${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}`,
    input: async (...file) => (await load()).input(...file),
    open: async (path) => (await load()).open(path),
    save: async (...plan) => (await load()).save(...plan),
    writtenAt: async (path) => (await load()).writtenAt(path),
    exists: async (path) => (await load()).exists(path),
    isSameFile: async (...paths) => (await load()).isSameFile(...paths),
    checkNew: async (...file) => (await load()).checkNew(...file),
    write: async (...file) => (await load()).write(...file),
  };
}

/** Opens the file under another name. Throws CliError 'refused' if it exists, unless `force`, or cannot be written. */
export async function openResultFile(
  { name, force }: { readonly name: string; readonly force: boolean },
  { cwd }: Pick<Io, 'cwd'>,
): Promise<ResultFile> {
  const path = fullPath(cwd, name);
  const refused = (words: string, now: string, cause?: unknown): CliError =>
    new CliError('refused', `--to ${name}: ${words}`, { certain: 'nothing was sent', now: [now], cause });
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile()) throw refused('this is not a plain file', 'name another file');
  if (there !== undefined && !force) throw refused('the file exists', '--force replaces it');
  const temporary = `${path}.${randomBytes(6).toString('hex')}.new`;
  const handle = await open(temporary, 'wx', 0o600).catch((error: unknown) => {
    throw refused(`it cannot be written: ${systemReason(error)}`, 'name a file in another folder', error);
  });
  const stream = handle.createWriteStream({ flush: true });
  return {
    stream,
    async settle(isWhole) {
      try {
        await new Promise<void>((resolve, reject) => {
          if (stream.closed) return resolve();
          stream.once('error', reject).once('close', resolve);
          if (isWhole) stream.end();
          else stream.destroy();
        });
        if (isWhole) await rename(temporary, path);
      } catch (error) {
        throw new CliError('incomplete', `--to ${name}: it could not be written: ${systemReason(error)}`, {
          cause: error,
        });
      } finally {
        await rm(temporary, { force: true });
      }
    },
  };
}
