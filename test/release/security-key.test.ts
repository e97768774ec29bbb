/** Releases by a security key: the signature says whether somebody touched it and gave the PIN, and nothing else counts. */

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { publicKeyIn, signatureProblem } from '../../src/release/security-key.ts';
import { journalRows } from '../atmost/desk.ts';
import { newHome } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import type { RefundService } from '../refunds/refund-service.ts';
import { apply, asAna, digestOf, keysFile, proposed } from './released.ts';
import { armoured, type Kind, newToken, signatureOf } from './token.ts';

const kinds: readonly Kind[] = ['ed25519', 'ecdsa'];
const both = 5;

test.each(kinds)('a signature of a touched key with its PIN counts, and no other (%s)', (kind) => {
  const token = newToken(kind);
  const key = publicKeyIn(token.publicKey) ?? '';
  const problem = (signature: string) => signatureProblem(key, 'a plan', signature);
  const good = signatureOf(token, 'a plan', { flags: both });
  const bytes = Buffer.from(good, 'base64');

  expect(problem(good)).toBeUndefined();
  expect(problem(signatureOf(token, 'a plan', { flags: both, hash: 'sha256' }))).toBeUndefined();
  expect(problem(signatureOf(token, 'a plan', { flags: 0 }))).toBe('was made without a touch of the key');
  expect(problem(signatureOf(token, 'a plan', { flags: 4 }))).toBe('was made without a touch of the key');
  expect(problem(signatureOf(token, 'a plan', { flags: 1 }))).toBe('was made without the PIN of the key');
  expect(problem(signatureOf(token, 'another plan', { flags: both }))).toBe('does not fit');
  expect(problem(signatureOf(token, 'a plan', { flags: both, namespace: 'file' }))).toBe(
    'was made for something else',
  );
  expect(problem(signatureOf(newToken(kind), 'a plan', { flags: both }))).toBe('was made with another key');
  const odd = [
    '',
    'SSHSIG',
    signatureOf(token, 'a plan', { flags: both, hash: 'md5' }),
    ...Array.from({ length: bytes.length - 1 }, (_, length) => bytes.subarray(0, length).toString('base64')),
  ];
  expect(new Set(odd.map(problem))).toEqual(new Set(['is not a signature of a security key']));
  // A flag that was put in later is not what the key has signed.
  const untouched = Buffer.from(signatureOf(token, 'a plan', { flags: 0 }), 'base64');
  untouched[untouched.length - 5] = both;
  expect(problem(untouched.toString('base64'))).toBe('does not fit');
});

test.each(kinds)('OpenSSH reads such a signature, and does not look at touch and PIN (%s)', (kind) => {
  using home = newHome();
  const token = newToken(kind);
  const [allowed, signature] = [join(home.path, 'allowed'), join(home.path, 'plan.sig')];
  writeFileSync(allowed, `ana ${token.publicKey}\n`);
  writeFileSync(signature, armoured(signatureOf(token, 'a plan', { flags: 0 })));
  const words = ['-Y', 'verify', '-f', allowed, '-I', 'ana', '-n', 'paydesk-release', '-s', signature];
  expect(execFileSync('ssh-keygen', words, { input: 'a plan' }).toString()).toContain('Good');
});

test('a key that is no security key is not enrolled: whatever runs as its owner signs with it', async () => {
  await using service = await proposed();
  const file = join(service.home.path, 'id_ed25519');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
  const person = sit(
    ['release', '--enrol', '--security-key', file],
    { home: service.home, env: { ...service.env, ...asAna } },
    200,
  );
  const left = await person.leaves;
  expect([left.code, left.screen]).toEqual([3, expect.stringContaining('is not the key of a security key')]);
});

// `ssh-keygen` of this test signs with a key made of software, and notes whether it could have asked an ssh-agent.
function withToken(service: RefundService, flags: number) {
  const token = newToken('ed25519');
  const { path } = service.home;
  service.write('id_sk.pub', `${token.publicKey}\n`);
  service.write('token.json', JSON.stringify({ ...token, flags }));
  mkdirSync(join(path, 'bin'), { recursive: true });
  const program = join(path, 'bin', 'ssh-keygen');
  const lines = [
    `#!${process.execPath}`,
    `import { readFileSync, writeFileSync } from 'node:fs';`,
    `import { armoured, signatureOf } from ${JSON.stringify(join(import.meta.dirname, 'token.ts'))};`,
    `const { flags, ...token } = JSON.parse(readFileSync(${JSON.stringify(join(path, 'token.json'))}, 'utf8'));`,
    `writeFileSync(${JSON.stringify(join(path, 'asked.json'))}, JSON.stringify([process.argv.slice(2), process.env.SSH_AUTH_SOCK ?? null]));`,
    `process.stdout.write(armoured(signatureOf(token, readFileSync(0, 'utf8'), { flags })));`,
  ];
  writeFileSync(program, `${lines.join('\n')}\n`);
  chmodSync(program, 0o755);
  return {
    ...service.env,
    ...asAna,
    PATH: `${join(path, 'bin')}:/usr/bin:/bin`,
    SSH_AUTH_SOCK: '/run/agent',
  };
}

async function releaseWithKey(service: RefundService, flags: number) {
  const env = withToken(service, flags);
  const enrolled = await sit(
    ['release', '--enrol', '--security-key', 'id_sk'],
    { home: service.home, env },
    200,
  ).leaves;
  expect(enrolled.code, enrolled.screen).toBe(0);
  const person = sit(
    ['release', 'refunds.plan', '--security-key', 'id_sk'],
    { home: service.home, env },
    200,
  );
  await person.answer('Type the digest', `${digestOf(service)}\r`);
  return await person.leaves;
}

test('a plan that was released with a security key is sent, and the journal says so', async () => {
  await using service = await proposed();

  const released = await releaseWithKey(service, both);
  const applied = await apply(service);

  expect([released.code, applied.code], released.screen + applied.stderr).toEqual([0, 0]);
  expect(service.made).toHaveLength(2);
  expect(journalRows(service.home)[0]).toMatchObject({ released: { by: 'ana', with: 'security key' } });
  const asked: unknown = JSON.parse(service.read('asked.json'));
  expect(asked).toEqual([
    ['-Y', 'sign', '-n', 'paydesk-release', '-f', join(service.home.path, 'id_sk')],
    null,
  ]);
});

test('a key that was only touched releases nothing, and a release with such a signature is refused', async () => {
  await using service = await proposed();

  const released = await releaseWithKey(service, 1);
  const claim = {
    object: 'release',
    version: 1,
    id: '0'.repeat(16),
    digest: wholeDigest(service),
    until: Date.now() + 60_000,
    by: 'ana',
  };
  const text = JSON.stringify(claim);
  const { kind, secret } = JSON.parse(service.read('token.json'));
  service.write('refunds.plan.release', `${text}\n${signatureOf({ kind, secret }, text, { flags: 1 })}\n`);
  const touched = await apply(service);
  service.write('refunds.plan.release', `${text}\n${signatureOf({ kind, secret }, text, { flags: both })}\n`);
  const withPin = await apply(service);

  expect([released.code, touched.code, withPin.code]).toEqual([3, 3, 0]);
  expect(released.screen).toContain('was made without the PIN of the key');
  expect(touched.stderr).toContain('was made without the PIN of the key');
  expect(service.read(keysFile)).toContain('sk-ssh-ed25519@openssh.com');
});

function wholeDigest(service: RefundService): string {
  return /"digest":"(\w{64})"\}\s*$/.exec(service.read('refunds.plan'))?.[1] ?? '';
}
