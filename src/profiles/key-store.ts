/** Keeps keys in a file or in the system keyring, checks typed keys, and says how much of a key may be shown. */

import { hash } from 'node:crypto';
import * as v from 'valibot';
import { keyPattern, shortestKey } from '../api/spec.ts';
import { CliError, refused } from '../errors.ts';
import { type Keyring, KeyringError } from './keyring.ts';
import { type FileRules, readOwnFile, writeOwnFile } from './own-file.ts';
import { damaged, fileVersion, issueText, type KeyPlace, parseJson, refuseNewer } from './profile-file.ts';

/** The longest key, in bytes. */
export const keyLimit = 4096;

/** Never repeats the key. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'the key is empty';
  if (key.length < shortestKey) return `that is not a key: it is shorter than ${shortestKey} characters`;
  if (key.length > keyLimit) return `the key is longer than ${keyLimit} characters`;
  if (!keyPattern.test(key)) return 'the key must be printable ASCII, without spaces or line breaks';
  // In Basic authorization the user name ends at a colon: two different keys would be the same user at the service.
  return key.includes(':') ? 'that is not a key: it holds a colon' : undefined;
}

/** The key in a text, without a line break at the end. Throws CliError 'usage', without repeating the text. */
export function parseKey(text: string, where: string): string {
  const key = text.replace(/\r?\n$/, '');
  const problem = keyProblem(key);
  if (problem === undefined) return key;
  throw new CliError('usage', `${problem} (${where})`, { certain: 'nothing was sent and nothing was kept' });
}

/** The first 16 hex digits of a key's SHA-256: enough to tell keys apart, no help in guessing one. */
export function fingerprint(key: string): string {
  return hash('sha256', key).slice(0, 16);
}

/** The last four characters of a key; undefined for a short key, where they would show too much. */
export function lastFour(key: string): string | undefined {
  return key.length < 12 ? undefined : key.slice(-4);
}

const storedKey = v.strictObject({ origin: v.string(), key: v.pipe(v.string(), v.regex(keyPattern)) });
/** A key, and the only origin that it may be sent to. */
type StoredKey = v.InferOutput<typeof storedKey>;

/** The keys of all profiles, in the file and in the keyring. */
export interface KeyStore {
  /** Throws CliError 'auth' if there is none, 'refused' if it may only go to another origin. */
  read(name: string, place: KeyPlace, origin: string): Promise<string>;
  /** Call it under the lock of the profile file. Throws CliError 'refused', and never tries the other place. */
  write(name: string, place: KeyPlace, key: StoredKey): Promise<void>;
  /** Call it under the lock. Returns a sentence if an existing key could not be removed. */
  remove(name: string, place: KeyPlace): Promise<string | undefined>;
  /** What is stored under a name that is not a profile's; undefined if nothing is. Throws CliError 'auth'. */
  readOther(name: string, place: KeyPlace): Promise<StoredKey | undefined>;
  keyringProblem(): Promise<string | undefined>;
}

/** Reads nothing yet. */
export function createKeyStore(keyFile: string, rules: FileRules, keyring: Keyring): KeyStore {
  // The account holds the file's name, so each configuration folder has its own keyring entries.
  const account = (name: string) => `${name} of ${keyFile}`;
  const places = { file: keysInFile(keyFile, rules), keyring: keysInKeyring(keyring, account) };
  return {
    read: async (name, place, origin) => keyFor(origin, name, await places[place].read(name)),
    write: (name, place, key) => places[place].write(name, key),
    remove: (name, place) => places[place].remove(name),
    readOther: (name, place) => places[place].read(name),
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

function keyFor(origin: string, name: string, stored: StoredKey | undefined): string {
  if (stored === undefined) {
    throw new CliError('auth', `profile ${name} has no key`, {
      certain: 'nothing was sent',
      now: [`paydesk profile key ${name}`],
    });
  }
  if (stored.origin === origin) return parseKey(stored.key, `the key of profile ${name}`);
  throw refused(
    `the key of profile ${name} was given for ${stored.origin}, but its base URL is at ${origin}`,
    [
      `if ${origin} is right, give the key for it: paydesk profile key ${name}`,
      'if not, put the base URL back',
    ],
  );
}

interface Place {
  /** Throws CliError 'auth' if the place cannot be used, or holds something that is not a key. */
  read(name: string): Promise<StoredKey | undefined>;
  write(name: string, key: StoredKey): Promise<void>;
  remove(name: string): Promise<string | undefined>;
}

function keysInFile(path: string, rules: FileRules): Place {
  return {
    read: async (name) => readKeyFile(path, rules).get(name),
    async write(name, key) {
      writeKeyFile(path, new Map([...readKeyFile(path, rules), [name, key]]), rules);
    },
    async remove(name) {
      const keys = new Map(readKeyFile(path, rules));
      if (keys.delete(name)) writeKeyFile(path, keys, rules);
      return undefined;
    },
  };
}

const keyFileForm = v.strictObject({
  version: v.literal(fileVersion),
  // Pairs, because some profile names would be special as keys of an object.
  keys: v.array(v.strictTuple([v.string(), storedKey])),
});

function readKeyFile(path: string, rules: FileRules): ReadonlyMap<string, StoredKey> {
  const text = readOwnFile(path, rules);
  if (text === undefined) return new Map();
  const value = parseJson(path, text);
  refuseNewer(path, value);
  const file = v.safeParse(keyFileForm, value);
  if (!file.success) throw damaged(path, issueText(file.issues[0]));
  return new Map(file.output.keys);
}

function writeKeyFile(path: string, keys: ReadonlyMap<string, StoredKey>, rules: FileRules): void {
  writeOwnFile(path, `${JSON.stringify({ version: fileVersion, keys: [...keys] }, undefined, 2)}\n`, rules);
}

function keysInKeyring(keyring: Keyring, account: (name: string) => string): Place {
  return {
    async read(name) {
      try {
        const text = await keyring.read(account(name));
        return text === undefined ? undefined : parseStoredKey(text);
      } catch (error) {
        throw keyringFailed(
          error,
          'auth',
          `the key of profile ${name} cannot be read from the system keyring`,
          [
            `give it again, kept in a file that only you can read: paydesk profile key ${name} --key-store file`,
          ],
        );
      }
    },
    async write(name, key) {
      try {
        await keyring.write(account(name), JSON.stringify(key));
      } catch (error) {
        throw keyringFailed(error, 'refused', 'the system keyring cannot keep the key', [
          'keep it in a file that only you can read: --key-store file',
        ]);
      }
    },
    async remove(name) {
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

function parseStoredKey(text: string): StoredKey {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), storedKey), text);
  if (!result.success) throw new KeyringError('what is stored there is not a key');
  return result.output;
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
