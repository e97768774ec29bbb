/** The two places that keep keys by the names of profiles: a file of one's own, and the system keyring. */

import { CliError } from '../errors.ts';
import { type KeptKey, readKeptKey, readKeyFile, writeKeyFile } from './key-file.ts';
import { type Keyring, KeyringError } from './keyring.ts';
import type { FileRules } from './own-file.ts';

/** One place that keeps keys. */
export interface Keeper {
  /** Throws CliError 'auth' when the place is of no use, or holds something else. */
  find(name: string): Promise<KeptKey | undefined>;
  /** Throws CliError 'refused' when it cannot. */
  keep(name: string, kept: KeptKey): Promise<void>;
  /** Returns in words what could not be removed. */
  drop(name: string): Promise<string | undefined>;
}

/** Keys in a file. */
export function inFile(path: string, rules: FileRules): Keeper {
  return {
    find: async (name) => readKeyFile(path, rules).get(name),
    async keep(name, kept) {
      writeKeyFile(path, new Map([...readKeyFile(path, rules), [name, kept]]), rules);
    },
    async drop(name) {
      const keys = new Map(readKeyFile(path, rules));
      if (keys.delete(name)) writeKeyFile(path, keys, rules);
      return undefined;
    },
  };
}

/** Keys in the system keyring, each under the account of its profile. */
export function inKeyring(keyring: Keyring, account: (name: string) => string): Keeper {
  return {
    async find(name) {
      try {
        return keptIn(await keyring.read(account(name)));
      } catch (error) {
        throw failed(error, 'auth', `the key of profile ${name} is in the system keyring`, [
          `give it again, kept in a file that only you can read: paydesk profile key ${name} --key-store file`,
        ]);
      }
    },
    async keep(name, kept) {
      try {
        await keyring.write(account(name), JSON.stringify(kept));
      } catch (error) {
        throw failed(error, 'refused', 'the system keyring cannot keep the key', [
          'keep it in a file that only you can read: --key-store file',
        ]);
      }
    },
    async drop(name) {
      try {
        await keyring.remove(account(name));
        return undefined;
      } catch (error) {
        if (!(error instanceof KeyringError)) throw error;
        return `the key of ${name} may still be in the system keyring: ${error.message}`;
      }
    },
  };
}

function keptIn(text: string | undefined): KeptKey | undefined {
  if (text === undefined) return undefined;
  const kept = readKeptKey(text);
  if (kept === undefined) throw new KeyringError('what it holds is no key');
  return kept;
}

function failed(error: unknown, kind: 'auth' | 'refused', what: string, now: readonly string[]): unknown {
  if (!(error instanceof KeyringError)) return error;
  return new CliError(kind, `${what}: ${error.message}`, { certain: 'nothing was sent', now, cause: error });
}
