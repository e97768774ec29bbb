/** A security key made of software, from the format of OpenSSH alone (PROTOCOL.sshsig, PROTOCOL.u2f): it says what a test wants of touch and PIN. */

import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export type Kind = 'ed25519' | 'ecdsa';

const names = { ed25519: 'sk-ssh-ed25519@openssh.com', ecdsa: 'sk-ecdsa-sha2-nistp256@openssh.com' } as const;

const string = (value: string | Uint8Array) => {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint32(bytes.length), bytes]);
};
const uint32 = (value: number) => Buffer.of(value >>> 24, value >>> 16, value >>> 8, value);
const sha = (hash: string, bytes: string | Uint8Array) => createHash(hash).update(bytes).digest();

export interface Token {
  readonly kind: Kind;
  /** The line of its `.pub` file. */
  readonly publicKey: string;
  /** PKCS#8, PEM. */
  readonly secret: string;
}

export function newToken(kind: Kind): Token {
  const { privateKey } =
    kind === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const secret = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  return {
    kind,
    secret,
    publicKey: `${names[kind]} ${blobOf(kind, privateKey).toString('base64')} ana@desk`,
  };
}

function blobOf(kind: Kind, key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const [left, right] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
  const own =
    kind === 'ed25519'
      ? [string(left)]
      : [string('nistp256'), string(Buffer.concat([Buffer.of(4), left, right]))];
  return Buffer.concat([string(names[kind]), ...own, string('ssh:')]);
}

export interface Made {
  /** 1: touched; 4: with the PIN. */
  readonly flags: number;
  readonly namespace?: string;
  readonly hash?: 'sha256' | 'sha512' | 'md5';
}

/** A signature of a text, base64. */
export function signatureOf(
  { kind, secret }: Pick<Token, 'kind' | 'secret'>,
  text: string,
  { flags, namespace = 'paydesk-release', hash = 'sha512' }: Made,
): string {
  const key = createPrivateKey(secret);
  const head = [string(namespace), string(''), string(hash)];
  const signed = Buffer.concat([Buffer.from('SSHSIG'), ...head, string(sha(hash, text))]);
  const end = Buffer.concat([Buffer.of(flags), uint32(7)]);
  const data = Buffer.concat([sha('sha256', 'ssh:'), end, sha('sha256', signed)]);
  const raw =
    kind === 'ed25519'
      ? sign(null, data, key)
      : numbersOf(sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' }));
  const signature = Buffer.concat([string(names[kind]), string(raw), end]);
  const whole = [Buffer.from('SSHSIG'), uint32(1), string(blobOf(kind, key)), ...head, string(signature)];
  return Buffer.concat(whole).toString('base64');
}

// Two numbers, each without leading zeros, and with one before a byte that would make it negative.
function numbersOf(raw: Buffer): Buffer {
  const numbers = [raw.subarray(0, 32), raw.subarray(32)].map((bytes) => {
    const from = bytes.findIndex((byte) => byte !== 0);
    const short = bytes.subarray(from);
    return string((short[0] ?? 0) > 127 ? Buffer.concat([Buffer.of(0), short]) : short);
  });
  return Buffer.concat(numbers);
}

/** The signature as `ssh-keygen` writes it. */
export function armoured(signature: string): string {
  const lines = signature.match(/.{1,70}/g) ?? [];
  return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n');
}
