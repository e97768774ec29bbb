/** Where keys are kept: the key file or the system keyring, each key with the one origin it may be sent to. */

import { CliError } from '../errors.ts';
import { inFile, inKeyring } from './keepers.ts';
import type { KeptKey } from './key-file.ts';
import { type Keyring, KeyringError } from './keyring.ts';
import type { FileRules } from './own-file.ts';
import type { KeyPlace } from './store.ts';

/** What the vault is made of. */
export interface VaultParts {
  readonly keyFile: string;
  readonly rules: FileRules;
  readonly keyring: Keyring;
}

/** The keys of all profiles, wherever they are kept. */
export interface Vault {
  /** The key of a profile for this origin. Throws CliError 'auth' when there is none, 'refused' when it is for another. */
  read(name: string, place: KeyPlace, origin: string): Promise<string>;
  /** Keeps a key. Only under the lock of the profile file. Throws CliError 'refused'; never keeps it elsewhere. */
  keep(name: string, place: KeyPlace, kept: KeptKey): Promise<void>;
  /** Removes a key, if there is one; returns in words what could not be removed. Only under the lock. */
  drop(name: string, place: KeyPlace): Promise<string | undefined>;
  /** Why the keyring is of no use, in words; undefined when it answers. */
  keyringProblem(): Promise<string | undefined>;
}

/** The keys of one configuration folder. Nothing is read before it is asked for. */
export function createVault({ keyFile, rules, keyring }: VaultParts): Vault {
  // A configuration folder of its own has keys of its own.
  const account = (name: string) => `${name} of ${keyFile}`;
  const keepers = { file: inFile(keyFile, rules), keyring: inKeyring(keyring, account) };
  return {
    read: async (name, place, origin) => keyFor(origin, name, await keepers[place].find(name)),
    keep: (name, place, kept) => keepers[place].keep(name, kept),
    drop: (name, place) => keepers[place].drop(name),
    async keyringProblem() {
      try {
        await keyring.read(account('a question'));
        return undefined;
      } catch (error) {
        if (error instanceof KeyringError) return error.message;
        throw error;
      }
    },
  };
}

function keyFor(origin: string, name: string, kept: KeptKey | undefined): string {
  if (kept === undefined) {
    throw new CliError('auth', `profile ${name} has no key`, {
      certain: 'nothing was sent',
      now: [`paydesk profile key ${name}`],
    });
  }
  if (kept.origin !== origin) {
    throw new CliError(
      'refused',
      `the key of profile ${name} was given for ${kept.origin}, but its base URL is at ${origin}`,
      {
        certain: 'nothing was sent',
        now: [
          `if ${origin} is right, give the key for it: paydesk profile key ${name}`,
          'else put the base URL back',
        ],
      },
    );
  }
  return kept.key;
}
