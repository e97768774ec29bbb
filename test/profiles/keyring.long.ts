/** A real system keyring: gnome-keyring on a bus of its own. It needs Debian's gnome-keyring, dbus-daemon and gdbus, and installs them. */

import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { filesUnder, newCanary } from '../harness/canary.ts';
import { paidOrder } from '../harness/orders.ts';
import { newHome, paydeskProcess } from '../harness/paydesk.ts';
import { revealing, reveals } from '../harness/reveals.ts';
import { type Handler, startServer } from '../harness/server.ts';
import { orderPages, pages } from '../harness/service.ts';
import { spellings } from '../terminal/spellings.ts';

const packages = ['gnome-keyring', 'dbus-daemon', 'libglib2.0-bin'];
const secrets = 'org.freedesktop.secrets';
const home = newHome();
const address = `unix:path=${home.path}/bus`;
const env = { DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: home.path, HOME: home.path };
const [first, second] = [newCanary(), newCanary()];
let bus: ChildProcess;
let daemon: ChildProcess;
const server = await startServer((...request) => answer(...request));
let answer: Handler;

const gdbus = (...words: readonly string[]) =>
  promisify(execFile)('gdbus', words, { env: { PATH: process.env.PATH, ...env } });
const run = async (words: string, input = '') => {
  const ran = await paydeskProcess(words.split(' '), { home, env, input });
  for (const key of [first, second]) {
    expect(reveals(key, ran.stdout + ran.stderr)).toBe(false);
    expect(revealing(key, filesUnder(home.path))).toEqual([]);
  }
  return ran;
};
const add = `profile add shop --base-url ${server.url} --mode sandbox --key-stdin`;
const keyUsed = () => server.requests.at(-1)?.headers.authorization;

/** Its password is that of the user, as at the desktop: it opens the keyring. */
async function startKeyring(): Promise<void> {
  daemon = spawn('gnome-keyring-daemon', ['--foreground', '--components=secrets', '--unlock'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  daemon.stdin?.end('a password');
  await gdbus('wait', '--session', '--timeout', '60', secrets);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

const ask = (method: string, given: string) =>
  gdbus(
    'call',
    '--session',
    '--dest',
    secrets,
    '--object-path',
    '/org/freedesktop/secrets',
    '--method',
    `org.freedesktop.Secret.Service.${method}`,
    given,
  );
const lock = () => ask('Lock', "['/org/freedesktop/secrets/collection/login']");
/** What lies there of paydesk. */
const kept = async () =>
  (await ask('SearchItems', "{'service': 'paydesk'}")).stdout.match(/\/collection\/login\/\d+/g) ?? [];

beforeAll(async () => {
  execFileSync('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { stdio: 'ignore' });
  // A bus that starts nothing by itself: who is not there is not there, and no window asks for a password.
  const config = join(home.path, 'bus.conf');
  writeFileSync(
    config,
    `<busconfig><type>session</type><listen>${address}</listen>
<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>`,
  );
  bus = spawn('dbus-daemon', ['--config-file', config, '--nofork', '--print-address'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (bus.stdout !== null) await once(createInterface({ input: bus.stdout }), 'line');
}, 600_000);

afterAll(async () => {
  await stop(bus);
  await server.close();
  home[Symbol.dispose]();
});

beforeEach(async () => {
  answer = pages([paidOrder('ord_1')]);
  await startKeyring();
  return () => stop(daemon);
});

test('a key is kept there and in no file, read for each run, replaced, and removed with its profile', async () => {
  const added = await run(add, first);
  expect(added.code, added.stderr).toBe(0);
  expect(added.stdout).toMatch(/key_in +system keyring/);
  expect(await kept()).toHaveLength(1);
  expect((await run('-p shop orders list --json')).code).toBe(0);
  expect(keyUsed()).toBe(`Bearer ${first}`);
  const replaced = await run('profile key shop --key-stdin', second);
  expect(replaced.code, replaced.stderr).toBe(0);
  expect((await run('-p shop orders list --json')).code).toBe(0);
  expect(keyUsed()).toBe(`Bearer ${second}`);
  const removed = await run('profile remove shop --yes');
  expect({ code: removed.code, stderr: removed.stderr }).toEqual({ code: 0, stderr: '' });
  expect(removed.stdout).toContain('removed profile shop and its key');
  expect(await kept()).toEqual([]);
});

test('a key from there that the service echoes in 45 spellings is in no output and no file; a line that holds it is refused', async () => {
  expect((await run(add, first)).code).toBe(0);
  const echo = Object.values(spellings).map((spell) => spell(first));
  answer = pages([paidOrder('ord_1', { channel: echo[3], metadata: { echo: echo.join(' ') } })]);
  for (const format of ['table', 'list', 'json', 'csv']) {
    const listed = await run(`-p shop orders list --debug -o ${format}`);
    expect(listed.code, listed.stderr).toBe(0);
  }
  const exported = await run('-p shop orders export --to a.ndjson');
  expect(exported.code, exported.stderr).toBe(0);
  const requests = server.requests.length;
  const typed = await run(`-p shop orders find ${first}`);
  expect({ code: typed.code, requests: server.requests.length }, typed.stderr).toEqual({ code: 2, requests });
  // A leak is found.
  writeFileSync(join(home.path, 'planted'), `x ${spellings['as base32']?.(first)}`);
  expect(revealing(first, filesUnder(home.path))).toEqual([join(home.path, 'planted')]);
  rmSync(join(home.path, 'planted'));
  expect((await run('profile remove shop --yes')).code).toBe(0);
});

test('while it is locked, no key is read, replaced or purged; a profile is removed, and its key is said to stay', async () => {
  expect((await run(add, first)).code).toBe(0);
  await lock();
  const requests = server.requests.length;
  const read = await run('-p shop orders list');
  expect(read.code).toBe(4);
  expect(read.stderr).toContain('the key of profile shop cannot be read from the system keyring');
  const replaced = await run('profile key shop --key-stdin', second);
  expect(replaced.code).toBe(3);
  expect(replaced.stderr).toContain('--key-store file');
  const purged = await run('profile purge --yes');
  expect(purged.code, purged.stdout).toBe(3);
  expect(purged.stderr).toContain('unlock the system keyring, then run the command again');
  expect(server.requests).toHaveLength(requests);
  const removed = await run('profile remove shop --yes');
  expect(removed.code).toBe(0);
  expect(removed.stdout).toContain('removed profile shop\n');
  expect(removed.stderr).toContain('the key of shop may still be in the system keyring');
});

test('when it goes away in the middle of a list, the list is whole; the next run says that no keyring is there', async () => {
  expect((await run(add, first)).code).toBe(0);
  const twoPages = orderPages({ pages: 2, count: 1 });
  answer = async (...request) => {
    await stop(daemon);
    return twoPages(...request);
  };
  const listed = await run('-p shop orders list --all --json');
  expect(listed.code, listed.stderr).toBe(0);
  expect(JSON.parse(listed.stdout).data).toHaveLength(2);
  const requests = server.requests.length;
  const absent = await run('-p shop orders list');
  expect(absent.code).toBe(4);
  expect(absent.stderr).toContain('none is running, or it refused');
  expect(server.requests).toHaveLength(requests);
  // Somebody signs in again.
  await startKeyring();
  expect((await run('-p shop orders list')).code).toBe(0);
  expect(keyUsed()).toBe(`Bearer ${first}`);
});
