/** Where keys are kept: the key file or the system keyring, each key with the one origin it may be sent to. */

import { CliError } from '../errors.ts';
import { type KeptKey, readKeptKey, readKeyFile, writeKeyFile } from './key-file.ts';
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
  /** Keys of the file. */
  keysOfFile(): readonly string[];
}

/** The keys of one configuration folder. Nothing is read before it is asked for. */
export function createVault({ keyFile, rules, keyring }: VaultParts): Vault {
  // A configuration folder of its own has keys of its own.
  const account = (name: string) => `${name} of ${keyFile}`;

  async function find(name: string, place: KeyPlace): Promise<KeptKey | undefined> {
    if (place === 'file') return readKeyFile(keyFile, rules).get(name);
    const text = await keyring.read(account(name));
    if (text === undefined) return undefined;
    const kept = readKeptKey(text);
    if (kept === undefined) throw new KeyringError('what it holds is no key');
    return kept;
  }

  return {
    async read(name, place, origin) {
      const kept = await find(name, place).catch((error: unknown) => {
        throw keyringFailed(error, 'auth', `the key of profile ${name} is in the system keyring`, [
          `give it again, kept in a file that only you can read: paydesk profile key ${name} --key-store file`,
        ]);
      });
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
    },

    async keep(name, place, kept) {
      if (place === 'file') {
        writeKeyFile(keyFile, new Map([...readKeyFile(keyFile, rules), [name, kept]]), rules);
        return;
      }
      await keyring.write(account(name), JSON.stringify(kept)).catch((error: unknown) => {
        throw keyringFailed(error, 'refused', 'the system keyring cannot keep the key', [
          'keep it in a file that only you can read: --key-store file',
        ]);
      });
    },

    async drop(name, place) {
      if (place === 'file') {
        const keys = new Map(readKeyFile(keyFile, rules));
        if (keys.delete(name)) writeKeyFile(keyFile, keys, rules);
        return undefined;
      }
      try {
        await keyring.remove(account(name));
        return undefined;
      } catch (error) {
        if (!(error instanceof KeyringError)) throw error;
        return `the key of ${name} may still be in the system keyring: ${error.message}`;
      }
    },

    async keyringProblem() {
      try {
        await keyring.read(account('a question'));
        return undefined;
      } catch (error) {
        if (error instanceof KeyringError) return error.message;
        throw error;
      }
    },

    keysOfFile: () => [...readKeyFile(keyFile, rules).values()].map(({ key }) => key),
  };
}

function keyringFailed(
  error: unknown,
  kind: 'auth' | 'refused',
  what: string,
  now: readonly string[],
): unknown {
  if (!(error instanceof KeyringError)) return error;
  return new CliError(kind, `${what}: ${error.message}`, { certain: 'nothing was sent', now, cause: error });
}
