/** Opens the profile file and the keys together, and lets one process at a time change them. */

import { basename, dirname, join } from 'node:path';
import type ConfClass from 'conf';
import { CliError } from '../errors.ts';
import type { Clock, Io } from '../io.ts';
import type { Held, Locks } from '../locks/locks.ts';
import type { Demo } from './built-in-profiles.ts';
import { createKeyStore, type KeyStore } from './key-store.ts';
import { createKeyring } from './keyring.ts';
import { type FileRules, prepareOwnFolder, unwritable } from './own-file.ts';
import { fileVersion, type ProfileFile, readProfileFile, type StoredProfile } from './profile-file.ts';
import type { Folders } from './profiles.ts';

export interface ProfileParts extends Pick<Io, 'env' | 'uid' | 'execPath' | 'cwd'> {
  readonly folders: Folders;
  /** The global options, from flags and variables. */
  readonly given: Given;
  readonly locks: Locks;
  readonly clock: Clock;
  /** Called with every key before it is used or stored. If it throws, the key is neither used nor stored. */
  readonly learnKey: (key: string) => void;
  /** Tells the person that a file was repaired, or that a key could not be removed. */
  readonly notice: (line: string) => void;
  /** Opens the simulator inside paydesk, only for the profile `demo`. */
  readonly demo: () => Promise<Demo>;
  /** The keyring's module. Absent: the optional dependency. */
  readonly keyringModule?: string;
  /** The keyring's time limit, in milliseconds. Absent: 10 s. */
  readonly keyringLimitMs?: number;
}

/** The global options that choose a run's profile or replace its values. */
export interface Given {
  readonly profile: string | undefined;
  readonly apiVersion: string | undefined;
  readonly lang: string | undefined;
}

/** The profile file and the keys of this user. */
export interface ProfileStore {
  readonly parts: ProfileParts;
  readonly file: string;
  readonly keyFile: string;
  readonly keys: KeyStore;
  read(): ProfileFile;
  /** Lets one process at a time change the file. Throws CliError 'refused' if others write for too long. */
  change<T>(work: (open: OpenProfileFile) => Promise<T>): Promise<T>;
}

/** The profile file while no other process can write it. */
interface OpenProfileFile {
  readonly file: ProfileFile;
  /** Replaces the file. A crash leaves the whole old file or the whole new one. */
  readonly save: (file: ProfileFile) => Promise<void>;
}

/** Reads and writes nothing yet. */
export function createProfileStore(parts: ProfileParts): ProfileStore {
  const { folders, env, execPath, keyringModule, keyringLimitMs } = parts;
  const file = join(folders.config, 'profiles.json');
  const keyFile = join(folders.config, 'keys.json');
  const keyring = createKeyring({ execPath, env, module: keyringModule, limitMs: keyringLimitMs });
  const read = () => readProfileFile(file, parts);
  return {
    parts,
    file,
    keyFile,
    keys: createKeyStore(keyFile, parts, keyring),
    read,
    async change(work) {
      // Loaded before taking the lock, so that other processes do not wait for it.
      const { default: Conf } = await import('conf');
      const lock = await takeLock(parts, file);
      try {
        return await work({ file: read(), save: async (changed) => save(Conf, file, parts, changed) });
      } finally {
        await lock.release();
      }
    },
  };
}

export function keyPlaceWords({ keyFile }: ProfileStore, { key_in: place }: StoredProfile): string {
  return place === 'keyring' ? 'system keyring' : keyFile;
}

const patienceMs = 30_000;

async function takeLock({ locks, clock }: ProfileParts, path: string): Promise<Held> {
  const deadline = clock.monotonic() + patienceMs;
  for (;;) {
    const left = deadline - clock.monotonic();
    const lock = await locks.take(`profiles ${path}`, { waitMs: Math.max(0, left) });
    if (lock.held) return lock;
    if (left <= 0) {
      const who = lock.owner === undefined ? 'another paydesk' : `paydesk ${lock.owner.command}`;
      throw new CliError('refused', `${who} has been writing ${path} for ${patienceMs / 1000} s`, {
        certain: 'nothing was changed',
        now: ['find out what it is waiting for, then run the command again'],
      });
    }
    await clock.sleep(20 + Math.random() * 80);
  }
}

function save(Conf: typeof ConfClass, path: string, rules: FileRules, file: ProfileFile): void {
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
