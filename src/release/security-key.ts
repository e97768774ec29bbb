/**
 * Checks signatures of security keys, as `ssh-keygen -Y sign` writes them. `ssh-keygen -Y verify` ignores touch and PIN, and may
 * be a different program, so paydesk does not use it.
 */

import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { orUndefined } from '../errors.ts';

/** The purpose of a signature: one for another purpose is invalid. */
export const namespace = 'paydesk-release';

const magic = 'SSHSIG';
const kinds = ['sk-ssh-ed25519@openssh.com', 'sk-ecdsa-sha2-nistp256@openssh.com'];

// The bits of a signature: the key was touched, and got its PIN.
const touched = 1;
const withPin = 4;

/** The public key in the text of a `.pub` file, without its comment; undefined if it is not a security key's. */
export function publicKeyIn(text: string): string | undefined {
  const [kind = '', blob = ''] = text.trim().split(/\s+/);
  if (!kinds.includes(kind)) return undefined;
  const key = `${kind} ${blob}`;
  return orUndefined(() => keyOf(blobOf(key))) === undefined ? undefined : key;
}

/** What is wrong with a base64 signature of a text; undefined if nothing. */
export function signatureProblem(key: string, text: string, signature: string): string | undefined {
  const parts = orUndefined(() => partsOf(Buffer.from(signature, 'base64')));
  const signer = orUndefined(() => keyOf(blobOf(key)));
  if (parts === undefined || signer === undefined) return 'is not a signature of a security key';
  if (!parts.key.equals(blobOf(key))) return 'was made with another key';
  if (parts.namespace !== namespace) return 'was made for something else';
  const { flags } = parts;
  const message = hash(parts.hash, text, 'buffer');
  const signed = Buffer.concat([Buffer.from(magic), ...[namespace, '', parts.hash, message].map(sized)]);
  const data = Buffer.concat([
    hash('sha256', signer.application, 'buffer'),
    Buffer.of(flags),
    parts.counter,
    hash('sha256', signed, 'buffer'),
  ]);
  if (orUndefined(() => signer.accepts(data, parts.raw)) !== true) return 'does not fit';
  if ((flags & touched) === 0) return 'was made without a touch of the key';
  return (flags & withPin) === 0 ? 'was made without the PIN of the key' : undefined;
}

/** The base64 in the output of `ssh-keygen -Y sign`. */
export function withoutArmour(text: string): string {
  return text.replaceAll(/-----[A-Z ]+-----|\s/g, '');
}

interface Signer {
  readonly application: Buffer;
  readonly accepts: (data: Buffer, raw: Buffer) => boolean;
}

function blobOf(key: string): Buffer {
  return Buffer.from(key.split(' ')[1] ?? '', 'base64');
}

function keyOf(blob: Buffer): Signer {
  const fields = new Fields(blob);
  const kind = fields.text();
  if (kind === kinds[0]) {
    const key = keyFrom({ kty: 'OKP', crv: 'Ed25519', x: fields.bytes().toString('base64url') });
    return { application: fields.last(), accepts: (data, raw) => verify(null, data, key, raw) };
  }
  if (kind !== kinds[1] || fields.text() !== 'nistp256') throw new RangeError('another kind of key');
  const point = fields.bytes();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((one) => one.toString('base64url'));
  const key = keyFrom({ kty: 'EC', crv: 'P-256', x, y });
  return {
    application: fields.last(),
    accepts(data, raw) {
      const numbers = new Fields(raw);
      const whole = Buffer.concat([inSize(numbers.bytes()), inSize(numbers.last())]);
      return verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, whole);
    },
  };
}

function keyFrom(key: Record<string, string | undefined>): KeyObject {
  return createPublicKey({ key, format: 'jwk' });
}

// A number in 32 bytes, without the leading zero that marks it as positive.
function inSize(number: Buffer): Buffer {
  const bytes = number.subarray(Math.max(0, number.length - 32));
  return Buffer.concat([Buffer.alloc(32 - bytes.length), bytes]);
}

function partsOf(bytes: Buffer) {
  if (bytes.subarray(0, magic.length).toString() !== magic) throw new RangeError('no signature');
  const fields = new Fields(bytes.subarray(magic.length));
  if (fields.number() !== 1) throw new RangeError('another version');
  const key = fields.bytes();
  const made = { key, namespace: fields.text(), reserved: fields.text(), hash: fields.text() };
  if (!/^sha(?:256|512)$/.test(made.hash)) throw new RangeError('another hash');
  const signature = new Fields(fields.last());
  signature.text();
  const raw = signature.bytes();
  return { ...made, raw, flags: signature.take(1).readUInt8(), counter: signature.take(4) };
}

// The fields of SSH's wire format, in order. Throws RangeError if one is missing.
class Fields {
  #rest: Buffer;

  constructor(bytes: Buffer) {
    this.#rest = bytes;
  }

  take(count: number): Buffer {
    if (this.#rest.length < count) throw new RangeError('too short');
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    return taken;
  }

  number(): number {
    return this.take(4).readUInt32BE();
  }

  bytes(): Buffer {
    return this.take(this.number());
  }

  text(): string {
    return this.bytes().toString();
  }

  last(): Buffer {
    const bytes = this.bytes();
    if (this.#rest.length > 0) throw new RangeError('too long');
    return bytes;
  }
}

function sized(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(bytes.length);
  return Buffer.concat([size, bytes]);
}
