/** Signs a release, and checks one against digest, time and enrolled keys: security keys, and keys made from a passphrase. */

import { spawn } from 'node:child_process';
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
import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import * as v from 'valibot';
import { CliError, orUndefined, systemReason } from '../errors.ts';
import { fullPath } from '../io.ts';
import { type Released, tolerableSkewMs } from '../journal/journal.ts';
import { type EnrolledFile, type ReleaseParts, type Releases, releaseMs } from './release.ts';
import { namespace, publicKeyIn, signatureProblem, withoutArmour } from './security-key.ts';

// What is signed: the first line of the file, byte for byte. The second line is the signature.
const claimForm = v.strictObject({
  object: v.literal('release'),
  version: v.literal(1),
  id: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/)),
  digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  until: v.pipe(v.number(), v.integer()),
  by: v.string(),
});

export function createReleases(parts: ReleaseParts): Releases {
  const { enrolled } = parts;
  const keysOf = (by: string) => readKeys(enrolled).filter((key) => key.by === by);
  return {
    enrolled,
    kindsOf: (by) => keysOf(by).map(kindOf),
    async enrol(by, signedWith) {
      const line = JSON.stringify(
        'passphrase' in signedWith
          ? { by, passphrase: await newPassphraseKey(signedWith.passphrase) }
          : { by, security_key: publicKeyOf(parts, signedWith.keyFile) },
      );
      enrolled.write?.(`${enrolled.read() ?? ''}${line}\n`);
      return { line, added: enrolled.write !== undefined };
    },
    async sign({ by, until, digest }, signedWith) {
      const id = randomBytes(8).toString('hex');
      const claim = JSON.stringify({ object: 'release', version: 1, id, digest, until, by });
      const keys = keysOf(by);
      const signature =
        'keyFile' in signedWith
          ? await signWithKeyFile(parts, signedWith.keyFile, claim)
          : await signWithOneOf(keys, signedWith.passphrase, claim);
      const signer = signerOf(keys, claim, signature);
      if (typeof signer !== 'string') return `${claim}\n${signature}\n`;
      throw refused(
        'keyFile' in signedWith ? `the signature ${signer}` : `this is not the passphrase of ${by}`,
        'nothing was released',
      );
    },
    async check(text, digest, now) {
      const [claim = '', signature = '', ...rest] = text.split('\n');
      const read = v.safeParse(v.pipe(v.string(), v.parseJson(), claimForm), claim);
      if (!read.success || JSON.stringify(read.output) !== claim || rest.join('') !== '')
        throw refused('the release is not as paydesk writes it');
      const { id, by, until } = read.output;
      const signer = signerOf(keysOf(by), claim, signature);
      if (typeof signer === 'string')
        throw refused(`the release by ${by} is not valid: its signature ${signer}`);
      if (read.output.digest !== digest)
        throw refused('the release is for another plan, or for this one before somebody changed it');
      if (now > until) throw refused('the release has expired: it is valid for an hour');
      if (until > now + releaseMs + tolerableSkewMs)
        throw refused('the release is valid for longer than an hour: a clock is or was wrong');
      return { id, by, until, with: kindOf(signer) };
    },
  };
}

function kindOf(key: EnrolledKey): Released['with'] {
  return 'passphrase' in key ? 'passphrase' : 'security key';
}

// The key that made a signature, or what is wrong with it.
function signerOf(keys: readonly EnrolledKey[], claim: string, signature: string): EnrolledKey | string {
  let problem = 'is not from an enrolled key';
  for (const key of keys) {
    if ('passphrase' in key) {
      if (isSignedWith(key.passphrase, claim, signature)) return key;
      continue;
    }
    const found = signatureProblem(key.security_key, claim, signature);
    if (found === undefined) return key;
    if (found.startsWith('was made without')) problem = found;
  }
  return problem;
}

// Somebody may have enrolled more than one passphrase.
async function signWithOneOf(
  keys: readonly EnrolledKey[],
  passphrase: string,
  claim: string,
): Promise<string> {
  for (const key of keys) {
    if (!('passphrase' in key)) continue;
    const signature = await signWithPassphrase(key.passphrase, passphrase, claim);
    if (isSignedWith(key.passphrase, claim, signature)) return signature;
  }
  return '';
}

function publicKeyOf({ cwd }: ReleaseParts, name: string): string {
  const file = `${name.replace(/\.pub$/, '')}.pub`;
  let text: string;
  try {
    text = readFileSync(fullPath(cwd, file), 'utf8');
  } catch (error) {
    throw refused(`${file} cannot be read: ${systemReason(error)}`, 'nothing was enrolled');
  }
  const key = publicKeyIn(text);
  if (key !== undefined) return key;
  throw refused(
    `${file} is not the key of a security key: any program that runs as you can sign with any other key, without you`,
    'nothing was enrolled',
    ['make one, with a security key plugged in:', 'ssh-keygen -t ed25519-sk -O verify-required'],
  );
}

// ssh-keygen must not learn of ssh-agent, whose keys sign for any program.
async function signWithKeyFile({ env, cwd }: ReleaseParts, name: string, claim: string): Promise<string> {
  const { SSH_AUTH_SOCK: _, SSH_ASKPASS: __, ...others } = env;
  const file = fullPath(cwd, name.replace(/\.pub$/, ''));
  const child = spawn('ssh-keygen', ['-Y', 'sign', '-n', namespace, '-f', file], {
    env: others,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(claim);
  try {
    const [text, code] = await Promise.all([buffer(child.stdout), ended]);
    if (code === 0) return withoutArmour(text.toString());
  } catch (error) {
    throw refused(`ssh-keygen cannot be run: ${systemReason(error)}`, 'nothing was released');
  }
  throw refused(`ssh-keygen did not sign with ${name}`, 'nothing was released');
}

function refused(message: string, certain = 'nothing was sent', now: readonly string[] = []): CliError {
  return new CliError('refused', message, { certain, now });
}

const by = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
const bytes = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{16,64}$/));
const lineForm = v.union([
  v.strictObject({ by, passphrase: v.strictObject({ salt: bytes, key: bytes }) }),
  v.strictObject({
    by,
    security_key: v.pipe(
      v.string(),
      v.check((text) => publicKeyIn(text) === text),
    ),
  }),
]);

type EnrolledKey = v.InferOutput<typeof lineForm>;

/** The keys in the file; none if there is no file. Throws CliError 'refused' for another form, or a file that cannot be trusted. */
function readKeys({ file, read }: EnrolledFile): readonly EnrolledKey[] {
  const lines = (read() ?? '').split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, index) => {
    const key = v.safeParse(v.pipe(v.string(), v.parseJson(), lineForm), line);
    if (key.success) return key.output;
    throw new CliError(
      'refused',
      `the file of enrolled keys, ${file}, has no enrolled key in line ${index + 1}`,
      {
        certain: 'nothing was sent',
        now: ['remove that line, or correct the file: each line is as paydesk release --enrol prints it'],
      },
    );
  });
}

/** Both in base64url, and neither is secret. */
interface PassphraseKey {
  readonly salt: string;
  readonly key: string;
}

// Half a second and 128 MB per guess.
const cost: ScryptOptions = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 2 ** 20 };
// The bytes before the seed of an Ed25519 key in PKCS#8.
const head = Buffer.from('302e020100300506032b657004220420', 'hex');
const purpose = 'paydesk release\0';

async function newPassphraseKey(passphrase: string): Promise<PassphraseKey> {
  const salt = randomBytes(16).toString('base64url');
  const { x = '' } = createPublicKey(await keyOf(passphrase, salt)).export({ format: 'jwk' });
  return { salt, key: x };
}

/** The signature of a text, base64. */
async function signWithPassphrase(
  { salt }: PassphraseKey,
  passphrase: string,
  text: string,
): Promise<string> {
  return sign(null, Buffer.from(purpose + text), await keyOf(passphrase, salt)).toString('base64');
}

function isSignedWith({ key }: PassphraseKey, text: string, signature: string): boolean {
  const isSigned = orUndefined(() => {
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key }, format: 'jwk' });
    return verify(null, Buffer.from(purpose + text), publicKey, Buffer.from(signature, 'base64'));
  });
  return isSigned === true;
}

function keyOf(passphrase: string, salt: string): Promise<KeyObject> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64url'), 32, cost, (error, seed) => {
      if (error !== null) return reject(error);
      resolve(createPrivateKey({ key: Buffer.concat([head, seed]), format: 'der', type: 'pkcs8' }));
    });
  });
}
