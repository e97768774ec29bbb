/** Writing the profile file: conf, one writer at a time between all processes of this user. */

import { basename, dirname } from 'node:path';
import type ConfClass from 'conf';
import { CliError } from '../errors.ts';
import type { Clock } from '../io.ts';
import type { Held, Locks } from '../locks/locks.ts';
import { type FileRules, prepareOwnFolder, unwritable } from './own-file.ts';
import { fileVersion, type ProfileFile, readProfileFile } from './store.ts';

/** What writing the profile file takes. */
export interface WriterParts {
  /** The profile file, in the configuration folder. */
  readonly path: string;
  readonly rules: FileRules;
  readonly locks: Locks;
  readonly clock: Clock;
}

/** The file while nobody else can write it. */
export interface OpenStore {
  readonly file: ProfileFile;
  /** Replaces the file: the old or the new one is there at any moment, whole. */
  readonly save: (file: ProfileFile) => Promise<void>;
}

const patienceMs = 30_000;

/** Reads the file under the lock and lets `work` change it. Throws CliError 'refused' when others write for too long. */
export async function withStore<T>(parts: WriterParts, work: (store: OpenStore) => Promise<T>): Promise<T> {
  // Loaded before the turn, so that others do not wait for it.
  const { default: Conf } = await import('conf');
  const lock = await takeTurn(parts);
  try {
    const file = readProfileFile(parts.path, parts.rules);
    return await work({ file, save: async (changed) => save(Conf, parts, changed) });
  } finally {
    await lock.release();
  }
}

async function takeTurn({ locks, clock, path }: WriterParts): Promise<Held> {
  const deadline = clock.monotonic() + patienceMs;
  for (;;) {
    const left = deadline - clock.monotonic();
    const lock = await locks.take(`profiles ${path}`, { waitMs: Math.max(0, left) });
    if (lock.held) return lock;
    if (left <= 0) {
      const who = lock.owner === undefined ? 'another paydesk' : `paydesk ${lock.owner.command}`;
      throw new CliError('refused', `${who} has been writing ${path} for ${patienceMs / 1000} s`, {
        certain: 'nothing was changed',
        now: ['look what it is waiting for, then run the command again'],
      });
    }
    await clock.sleep(20 + Math.random() * 80);
  }
}

function save(Conf: typeof ConfClass, { path, rules }: WriterParts, file: ProfileFile): void {
  prepareOwnFolder(dirname(path), rules);
  try {
    const conf = new Conf<Record<string, unknown>>({
      cwd: dirname(path),
      configName: basename(path, '.json'),
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
    });
    conf.store = {
      version: fileVersion,
      ...(file.default === undefined ? {} : { default: file.default }),
      profiles: Object.fromEntries(file.profiles),
    };
  } catch (error) {
    throw unwritable(path, error);
  }
}
