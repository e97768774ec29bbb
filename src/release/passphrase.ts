/** A key that is made of a passphrase, each time that somebody types it: no file has it. */

import {
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  type ScryptOptions,
  scrypt,
  sign,
  verify,
} from 'node:crypto';

/** What is enrolled: both in base64url, and neither is secret. */
export interface PassphraseKey {
  readonly salt: string;
  readonly key: string;
}

// Half a second and 128 MB for each guess.
const cost: ScryptOptions = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 2 ** 20 };
// What stands before the seed of an Ed25519 key in PKCS#8.
const head = Buffer.from('302e020100300506032b657004220420', 'hex');
const purpose = 'paydesk release\0';

export async function newPassphraseKey(passphrase: string): Promise<PassphraseKey> {
  const salt = randomBytes(16).toString('base64url');
  const { x = '' } = createPublicKey(await keyOf(passphrase, salt)).export({ format: 'jwk' });
  return { salt, key: x };
}

/** The signature of a text, base64. */
export async function signWithPassphrase(
  { salt }: PassphraseKey,
  passphrase: string,
  text: string,
): Promise<string> {
  return sign(null, Buffer.from(purpose + text), await keyOf(passphrase, salt)).toString('base64');
}

export function isSignedWith({ key }: PassphraseKey, text: string, signature: string): boolean {
  try {
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key }, format: 'jwk' });
    return verify(null, Buffer.from(purpose + text), publicKey, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}

function keyOf(passphrase: string, salt: string): Promise<KeyObject> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64url'), 32, cost, (error, seed) => {
      if (error !== null) return reject(error);
      resolve(createPrivateKey({ key: Buffer.concat([head, seed]), format: 'der', type: 'pkcs8' }));
    });
  });
}
