/** `profile purge` leaves nothing of a user on this machine, and removes nothing while a change is unconfirmed. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { hasStrace } from '../atmost/strace.ts';
import { bin, cleanEnv, type Home, newHome, paydesk } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { storeShop, testKey } from '../harness/service.ts';
import { newSharedMachine } from '../harness/shared-machine.ts';
import { order, type RefundService, startRefunds } from '../refunds/refund-service.ts';
import { canary, createTestUser } from './test-user.ts';

const refund = ['-p', 'demo', 'orders', 'refund', 'ord_2tQ7zRk9PwE5xNvAm', '--charge', '2', '--yes'];

// The harness keeps the program's compiled code elsewhere.
function filesOf({ path }: Home): readonly string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(path, name)).isFile())
    .toSorted();
}

// A home with everything that paydesk keeps.
async function fill(home: Home, service: RefundService): Promise<void> {
  await storeShop(home, service);
  const lines = [
    ['-p', 'shop', 'index', 'build', '--yes'],
    ['-p', 'demo', 'index', 'build', '--yes'],
    refund,
    ['-p', 'demo', 'orders', 'export', '--to', join(home.path, 'orders.csv')],
    ...['bash', 'zsh', 'fish', 'man'].map((one) => ['completion', one, '--install', '--yes']),
  ];
  for (const line of lines) expect(await paydesk(line, { home })).toMatchObject({ code: 0 });
}

async function wordFor(home: Home): Promise<string> {
  const { stdout } = await paydesk(['profile', 'purge', '--dry-run', '--json'], { home });
  return String(JSON.parse(stdout).confirm);
}

test('it says what it will remove, a script needs the word of this journal, and then nothing is left', async () => {
  await using service = await startRefunds([order('ord_1')]);
  using home = newHome();
  await fill(home, service);
  const before = filesOf(home);
  const dry = await paydesk(['profile', 'purge', '--dry-run'], { home });
  for (const part of ['profile shop', 'indexes', '_paydesk', 'paydesk.1', 'journal.db', 'journal.witness'])
    expect(dry.stdout).toContain(part);
  expect(dry.stdout).not.toContain(testKey);
  expect(await paydesk(['profile', 'purge', '--yes'], { home })).toMatchObject({ code: 2 });
  const wrong = await paydesk(['profile', 'purge', '--yes', '--confirm', '00000000'], { home });
  expect(wrong).toMatchObject({ code: 3 });
  expect(filesOf(home)).toEqual(before);
  const word = await wordFor(home);
  expect(await paydesk(['profile', 'purge', '--yes', '--confirm', word], { home })).toMatchObject({
    code: 0,
  });
  // What a person named stays.
  expect(filesOf(home).filter((name) => !name.startsWith('orders.csv'))).toEqual([]);
  const again = await paydesk(refund, { home });
  expect(again).toMatchObject({ code: 0 });
});

test('a journal that is not there is not named', async () => {
  using home = newHome();
  expect(await paydesk(['-p', 'demo', 'orders', 'list'], { home })).toMatchObject({ code: 0 });
  const { removes } = JSON.parse(
    (await paydesk(['profile', 'purge', '--dry-run', '--json'], { home })).stdout,
  );
  expect(removes.join('\n')).toContain('the demo');
  expect(removes.join('\n')).not.toMatch(/journal|witness/);
});

test('an unconfirmed refund stops it before anything is removed', async () => {
  await using service = await startRefunds([order('ord_1')]);
  using home = newHome();
  await fill(home, service);
  const [, other = ''] =
    /^(ord_\w+)/m.exec(
      (await paydesk(['-p', 'demo', 'orders', 'list', '--status', 'paid', '--limit', '1'], { home })).stdout,
    ) ?? [];
  const lost = await paydesk(['-p', 'demo', 'orders', 'refund', other, '--yes'], {
    home,
    env: { PAYDESK_DEMO_FAULT: 'drop' },
  });
  expect(lost).toMatchObject({ code: 7 });
  const before = filesOf(home);
  const ran = await paydesk(['profile', 'purge', '--yes', '--confirm', 'x'], { home });
  expect(ran).toMatchObject({ code: 3, stdout: '' });
  expect(ran.stderr).toContain('nothing was removed');
  expect(ran.stderr).toContain('paydesk journal reconcile --all');
  expect(filesOf(home)).toEqual(before);
});

// What another window did while the question stood, and what is said then.
const meanwhile = [
  [
    'a limit was set',
    'the journal is not as it was',
    0,
    ['profile', 'set', 'shop', 'refund.max_amount.MXN', '500'],
  ],
  ['a refund got no reply', 'unconfirmed, or with an alarm', 7, refund],
] as const;

test.each(meanwhile)('if %s since the question, nothing is removed', async (_what, says, code, line) => {
  await using service = await startRefunds([order('ord_1')]);
  using home = newHome();
  await storeShop(home, service);
  const setUp = ['profile', 'set', 'shop', 'refund.require', 'reason'];
  expect(await paydesk(setUp, { home })).toMatchObject({ code: 0 });
  const person = sit(['profile', 'purge'], { home, env: {} });
  await person.waitFor('to remove all of it');
  const word = await wordFor(home);
  const env = { PAYDESK_DEMO_FAULT: 'drop' };
  expect(await paydesk(line, { home, env })).toMatchObject({ code });
  const before = filesOf(home);
  person.type(`${word}\r`);
  const { code: left, screen } = await person.leaves;
  expect(left).toBe(3);
  expect(screen).toContain(says);
  expect(screen).toContain('nothing was removed');
  expect(filesOf(home)).toEqual(before);
});

test('a person who types nothing cancels it, and an agent is refused', async () => {
  await using service = await startRefunds([order('ord_1')]);
  using home = newHome();
  await fill(home, service);
  const before = filesOf(home);
  const person = sit(['profile', 'purge'], { home, env: {} });
  await person.answer('to remove all of it', '\r');
  expect(await person.leaves).toMatchObject({ code: 3 });
  const word = await wordFor(home);
  const env = { PAYDESK_AGENT: 'helper' };
  const ran = await paydesk(['profile', 'purge', '--yes', '--confirm', word], { home, env });
  expect(ran).toMatchObject({ code: 3 });
  expect(ran.stderr).toContain('only a person');
  expect(filesOf(home)).toEqual(before);
});

// Of the indexes, of the keys, of a folder, and of the journal.
const killedAt = ['unlink 1', 'rename 1', 'rename 2', 'unlink 4', 'rmdir 1', 'rename 3', 'rmdir 7'];

test.skipIf(!hasStrace()).each(killedAt)(
  'killed at %s, it is finished by the same command',
  async (point) => {
    await using service = await startRefunds([order('ord_1')]);
    using home = newHome();
    await fill(home, service);
    const line = ['profile', 'purge', '--yes', '--confirm', await wordFor(home)];
    const [call, nth] = point.split(' ');
    const words = ['-f', '-o', '/dev/null', '-e', `inject=${call}:signal=KILL:when=${nth}`];
    const options = { env: cleanEnv({ home }), cwd: home.path };
    const { signal } = spawnSync('strace', [...words, process.execPath, bin, ...line], options);
    expect(signal).toBe('SIGKILL');
    expect(await paydesk(line, { home })).toMatchObject({ code: 0 });
    expect(filesOf(home).filter((name) => !name.startsWith('orders.csv'))).toEqual([]);
  },
);

test.each([
  ['a folder beside the journal', '.local/state/paydesk/journal-before'],
  ['a file beside it', '.local/state/paydesk/journal/journal.db.old'],
  ['a witness', '.local/share/paydesk/witness/journal.witness.old'],
])('an older journal stops it, since something in it may be unconfirmed: %s', async (_, path) => {
  using home = newHome();
  expect(await paydesk(refund, { home })).toMatchObject({ code: 0 });
  const old = join(home.path, path);
  mkdirSync(old, { recursive: true });
  writeFileSync(join(old, 'journal.db'), 'rows');
  const line = ['profile', 'purge', '--yes', '--confirm', 'x'];
  const { code, stderr } = await paydesk(line, { home });
  expect({ code, isNamed: stderr.includes(old) }).toEqual({ code: 3, isNamed: true });
  expect(filesOf(home)).toContain(join(path, 'journal.db'));
});

test('what somebody else wrote where a shell looks stays, and does not stop it', async () => {
  using home = newHome();
  const place = '.local/share/bash-completion/completions/paydesk';
  mkdirSync(dirname(join(home.path, place)), { recursive: true });
  writeFileSync(join(home.path, place), '# mine\n');
  expect(await paydesk(['profile', 'purge', '--yes'], { home })).toMatchObject({ code: 0 });
  expect(filesOf(home)).toEqual([place]);
});

test('stopped between the journal and its witness, it is finished, and until then nothing is sent', async () => {
  await using service = await startRefunds([order('ord_1')]);
  using home = newHome();
  await fill(home, service);
  const state = join(home.path, '.local/state/paydesk');
  const line = ['profile', 'purge', '--yes', '--confirm', await wordFor(home)];
  renameSync(join(state, 'journal'), join(state, 'journal-removed'));
  expect(await paydesk(refund, { home })).toMatchObject({ code: 3 });
  expect(await paydesk(line, { home })).toMatchObject({ code: 0 });
  const left = filesOf(home).filter((name) => !name.startsWith('orders.csv'));
  // The name of the landmark is that of the journal, and nobody knows it any more.
  expect(left.filter((name) => !name.startsWith('paydesk-'))).toEqual([]);
});

test.skipIf(process.getuid?.() !== 0)(
  'the common journal of a machine stays, and a user who runs a sender is refused',
  async () => {
    await using service = await startRefunds([order('ord_1')]);
    using home = newHome();
    using machine = newSharedMachine();
    const { machineFile, folder } = machine;
    await storeShop(home, service);
    expect(await paydesk(refund, { home, machineFile })).toMatchObject({ code: 0 });
    const senderFile = join(home.path, '.config/paydesk/sender.json');
    writeFileSync(senderFile, '{}', { mode: 0o600 });
    const line = ['profile', 'purge', '--yes'];
    expect(await paydesk(line, { home, machineFile })).toMatchObject({ code: 3 });
    rmSync(senderFile);
    const ran = await paydesk(line, { home, machineFile });
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain(`the journal stays, since others use it: ${folder}`);
    expect(readdirSync(join(folder, 'journal'))).toContain('journal.db');
    expect(filesOf(home).filter((name) => !name.startsWith('paydesk-'))).toEqual([]);
  },
);

test('no key stays in the keyring, and a keyring that does not answer stops it', async () => {
  const keyring = (name: string) => fileURLToPath(new URL(`keyrings/${name}.js`, import.meta.url));
  const user = createTestUser();
  const run = (name: string) => user.run({ env: { HOME: user.home }, keyringModule: keyring(name) });
  try {
    const key = { text: canary, where: 'a test', place: 'keyring' } as const;
    const draft = { baseUrl: 'https://api.example.com', mode: 'sandbox' } as const;
    for (const name of ['x', 'y']) await run('kept').add({ ...draft, name }, key);
    await expect(run('denies').removeAll()).rejects.toMatchObject({ kind: 'refused' });
    expect((await run('kept').list()).map(({ name }) => name)).toEqual(expect.arrayContaining(['x', 'y']));
    await run('kept').removeAll();
    expect(readdirSync(user.home).filter((name) => name.startsWith('paydesk '))).toEqual([]);
  } finally {
    user.remove();
  }
});
