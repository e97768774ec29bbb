/** The key with which a desk signs what it hands out as evidence: Ed25519, in a file of its own beside the keys of the service. */

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError, systemCode } from '../errors.ts';
import { type FileRules, prepareOwnFolder, readOwnFile, unwritable, writeAll } from './own-file.ts';

/** The key with which this desk signs what it hands out as evidence. Whoever has its file can sign in the name of the desk. */
export interface DeskKey {
  /** The public key, in base64; undefined if this desk has signed nothing yet. */
  publicKey(): string | undefined;
  /** The same. Makes the key if there is none. */
  made(): string;
  /** The signature of these bytes, in base64. Makes the key if there is none. */
  sign(bytes: Uint8Array): string;
  /** Whether a signature is one of these bytes by this public key. */
  isSigned(publicKey: string, bytes: Uint8Array, signature: string): boolean;
}

/** The key in this file. It is made with the first signature. */
export function createDeskKey(path: string, rules: FileRules): DeskKey {
  const read = (): KeyObject | undefined => {
    const pem = readOwnFile(path, rules);
    return pem === undefined ? undefined : keyIn(path, pem);
  };
  const made = (): KeyObject => read() ?? newKey(path, rules) ?? made();
  return {
    publicKey() {
      const key = read();
      return key && publicOf(key);
    },
    made: () => publicOf(made()),
    sign: (bytes) => sign(null, bytes, made()).toString('base64'),
    isSigned: isSignedBy,
  };
}

function isSignedBy(publicKey: string, bytes: Uint8Array, signature: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
    return verify(null, bytes, key, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}

// One line that can be copied: the same bytes as in a PEM file, between its first and its last line.
function publicOf(key: KeyObject): string {
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');
}

function keyIn(path: string, pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {}
  throw new CliError('refused', `${path} does not hold the key of this desk`, {
    certain: 'nothing was signed',
    now: ['put it back from a copy; without one, move the file away: the next signature makes another key'],
  });
}

// Two runs may come here at the same time: then one of them made the key, and undefined says so to the other one.
function newKey(path: string, rules: FileRules): KeyObject | undefined {
  prepareOwnFolder(dirname(path), rules);
  const { privateKey } = generateKeyPairSync('ed25519');
  try {
    const handle = openSync(path, 'wx', 0o600);
    try {
      writeAll(handle, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    return privateKey;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return undefined;
    throw unwritable(path, error);
  }
}
