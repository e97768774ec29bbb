/** What the profile functions share: the parts from outside, the file, the keys, the turn to write. */

import { join } from 'node:path';
import type { Clock, Env } from '../io.ts';
import type { Locks } from '../locks/locks.ts';
import type { Demo } from './demo.ts';
import type { Folders } from './folders.ts';
import { createKeyring } from './keyring.ts';
import type { Given } from './resolve.ts';
import { type ProfileFile, readProfileFile } from './store.ts';
import { createVault, type Vault } from './vault.ts';
import { type OpenStore, withStore } from './write.ts';

/** What the profiles of a run are made of. */
export interface ProfileParts {
  readonly folders: Folders;
  readonly env: Env;
  /** The values of the global options: flag or variable, already merged. */
  readonly given: Given;
  readonly locks: Locks;
  readonly clock: Clock;
  /** This user's id; undefined where the system has none. */
  readonly uid: number | undefined;
  /** `process.execPath`, for asking the keyring. */
  readonly execPath: string;
  /** The folder that a relative name of a file belongs to. */
  readonly cwd: () => string;
  /** Called with every key that is read, before it is used or kept; may throw, and then it is neither. */
  readonly learnKey: (key: string) => void;
  /** Takes a sentence about a file that was repaired, or a key that could not be removed. */
  readonly notice: (line: string) => void;
  /** The embedded simulator; asked only when the profile `demo` is used. */
  readonly demo: () => Promise<Demo>;
  /** The keyring's module; the optional dependency when absent. */
  readonly keyringModule?: string;
}

/** What every function of this folder starts from. */
export interface Core {
  readonly parts: ProfileParts;
  readonly file: string;
  readonly keyFile: string;
  readonly vault: Vault;
  readonly read: () => ProfileFile;
  /** Lets one writer at a time change the file, between all processes. */
  readonly change: <T>(work: (store: OpenStore) => Promise<T>) => Promise<T>;
}

/** Joins the parts. Nothing is read or written yet. */
export function createCore(parts: ProfileParts): Core {
  const { folders, env, uid, notice, locks, clock, execPath } = parts;
  const file = join(folders.config, 'profiles.json');
  const keyFile = join(folders.config, 'keys.json');
  const rules = { uid, notice };
  const keyring = createKeyring({ execPath, env, module: parts.keyringModule });
  return {
    parts,
    file,
    keyFile,
    vault: createVault({ keyFile, rules, keyring }),
    read: () => readProfileFile(file, rules),
    change: (work) => withStore({ path: file, rules, locks, clock }, work),
  };
}
