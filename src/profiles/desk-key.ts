/** The key that signs a desk's evidence: Ed25519, in its own file beside the service keys. */

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError, systemCode } from '../errors.ts';
import { type FileRules, prepareOwnFolder, readOwnFile, unwritable } from './own-file.ts';

/** Anyone who has the key's file can sign as this desk. */
export interface DeskKey {
  /** In base64; undefined if this desk has signed nothing yet. */
  publicKey(): string | undefined;
  /** The public key. Creates the key if there is none. */
  made(): string;
  /** Signs bytes, in base64. Creates the key if there is none. */
  sign(bytes: Uint8Array): string;
  isSigned(publicKey: string, bytes: Uint8Array, signature: string): boolean;
}

/** The key in this file, created with the first signature. */
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

// One line to copy: the bytes between the first and last lines of a PEM file.
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
    now: ['restore it from a copy; or move the file away: the next signature creates a new key'],
  });
}

// If two runs create the key at once, the loser gets undefined.
function newKey(path: string, rules: FileRules): KeyObject | undefined {
  prepareOwnFolder(dirname(path), rules);
  const { privateKey } = generateKeyPairSync('ed25519');
  try {
    const handle = openSync(path, 'wx', 0o600);
    try {
      writeFileSync(handle, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
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
