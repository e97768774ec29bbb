/**
 * The one file without Node: README's walk by a user without rights, on a machine where locks have to be tried by a second process, and
 * what the files of other platforms are.
 */

import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chargeOf, orderOf } from '../harness/orders.ts';
import { newHome } from '../harness/paydesk.ts';
import { endOf, type Ran } from '../harness/ran.ts';
import { type Service, startService, testKey } from '../harness/service.ts';

const root = join(import.meta.dirname, '../..');
const release = join(root, 'release');
const nobody = 65_534;

let shop: Service;
/** The home of that user, with the file in its bin. */
let home: string;
beforeAll(async () => {
  execFileSync(process.execPath, [join(root, 'tools/one-file.ts')], { stdio: 'pipe' });
  shop = await startService({ orders: [orderOf('ord_1', [chargeOf('ch_1', 35000)])] });
  home = mkdtempSync(join(tmpdir(), 'paydesk-one-file-'));
  const folders = [home, ...['.local', '.local/bin', 'tmp', 'tools'].map((name) => join(home, name))];
  execFileSync('mkdir', ['-p', ...folders]);
  for (const name of ['bash', 'cat', 'id', 'man']) symlinkSync(`/usr/bin/${name}`, join(home, 'tools', name));
  cpSync(join(release, 'paydesk-linux-x64'), join(home, '.local/bin/paydesk'));
  writeFileSync(join(home, 'key.txt'), testKey);
  chmodSync(join(home, 'key.txt'), 0o600);
  for (const path of [...folders, join(home, 'key.txt')]) chownSync(path, nobody, nobody);
}, 600_000);
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

// In a namespace without the kernel's list of locks, so that only a second process can show that they hold.
const without =
  '/usr/bin/mount --bind /dev/null /proc/locks && exec /usr/bin/setpriv --reuid=65534 --regid=65534 --clear-groups "$@"';

/** Runs a line as that user, with no Node in PATH. */
function run(line: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const child = spawn('/usr/bin/unshare', ['--mount', '/bin/sh', '-c', without, 'sh', 'bash', '-c', line], {
    env: {
      HOME: home,
      TMPDIR: join(home, 'tmp'),
      PATH: `${join(home, '.local/bin')}:${join(home, 'tools')}`,
      LANG: 'C.UTF-8',
      ...env,
    },
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return endOf(child);
}

/** What README asks a person for, as options. */
const answers: Readonly<Record<string, string>> = {
  '--reason requested_by_client': ' --yes',
  'profile add shop': ' --mode sandbox --key-store file --key-file key.txt --base-url ',
};

function answered(line: string): string {
  const typed = line.replaceAll('npx paydesk', 'paydesk');
  const [end, more] = Object.entries(answers).find(([one]) => typed.endsWith(one)) ?? ['', ''];
  return `${typed}${more}${end.startsWith('profile') ? shop.url : ''}`;
}

test("README's walk passes without Node, without rights, and with locks that test themselves", async () => {
  expect((await run('command -v node npm; id -u; cat /proc/locks')).stdout).toBe(`${nobody}\n`);
  const blocks = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)];
  const lines = blocks.flatMap(([, block = '']) => block.trim().split('\n'));
  const walk = lines.filter((line) => !line.startsWith('npm ')).map(answered);
  expect(walk.length).toBeGreaterThan(10);
  const ended: (Ran & { readonly line: string })[] = [];
  for (const line of walk) ended.push({ line, ...(await run(line)) });
  expect(ended.filter(({ code }) => code !== 0).map(({ line, stderr }) => [line, stderr])).toEqual([]);
  expect(readdirSync(join(home, '.local/state/paydesk/locks'))).toContain('tested.json');
  expect(ended.some(({ stdout }) => stdout.includes('refunded 5000 MXN'))).toBe(true);
});

test('it is of this version, has every page of help, the migrations, and no door for options of Node', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const spy = join(home, 'spy.cjs');
  writeFileSync(spy, 'process.stdout.write("spied\\n")');
  const env = { NODE_OPTIONS: `--require ${spy} --inspect=0` };
  expect(await run('paydesk --version', env)).toMatchObject({ stdout: `${version}\n`, stderr: '' });
  expect((await run(`paydesk --require ${spy} orders list`)).code).toBe(2);
  expect((await run('paydesk --inspect orders list')).code).toBe(2);
  for (const page of ['help safety', 'orders refund --help', 'orders refund --help --all', 'help commands'])
    expect((await run(`paydesk ${page}`)).stdout, page).toBe(
      execFileSync(process.execPath, [join(root, 'bin/paydesk.js'), ...page.split(' ')], {
        env: { HOME: home },
        encoding: 'utf8',
      }),
    );
});

test('the native part of the keyring is inside, and leaves no copy', async () => {
  const ran = await run(
    `paydesk profile add other --mode sandbox --key-store keyring --key-file key.txt --base-url ${shop.url}`,
  );
  expect(ran.code).toBe(3);
  expect(ran.stderr).toContain('none is running, or it refused');
  const asked = await run(`echo '{"action":"read","account":"x"}' | paydesk __keyring`, {
    PAYDESK_AGENT: 'helper',
  });
  expect(asked).toMatchObject({ code: 3, stdout: '' });
  expect(globSync('/tmp/paydesk-keyring-*')).toEqual([]);
});

test('it installs completions and man page for its user, and both work', async () => {
  expect(
    (await run('paydesk completion bash --install --yes && paydesk help man --install --yes')).code,
  ).toBe(0);
  const script = join(home, '.local/share/bash-completion/completions/paydesk');
  const tab = `source ${script}; COMP_WORDS=(paydesk profile show sh); COMP_CWORD=3; _paydesk; echo "\${COMPREPLY[@]}"`;
  expect((await run(tab)).stdout).toBe('shop\n');
  expect((await run('man --where paydesk')).stdout).toBe(
    `${join(home, '.local/share/man/man1/paydesk.1')}\n`,
  );
});

test('that of Linux arm64 refunds an order of the demo, on an emulator', () => {
  const names = ['libc6', 'libatomic1', 'libstdc++6', 'libgcc-s1'].map((name) => `${name}-arm64-cross`);
  const needed = ['install', '-y', '--no-install-recommends', 'qemu-user-static', ...names];
  execFileSync('apt-get', needed, { stdio: 'ignore' });
  const words = '-p demo orders refund ord_2tQ7zRk9PwE5xNvAm --charge 1 --amount 100 --yes'.split(' ');
  const machine = ['-L', '/usr/aarch64-linux-gnu', join(release, 'paydesk-linux-arm64')];
  using other = newHome();
  const env = { HOME: other.path, PATH: '/usr/bin:/bin' };
  const printed = execFileSync('qemu-aarch64-static', [...machine, ...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(printed.toString()).toContain('refunded 100 MXN');
});

test.each([
  ['linux-arm64', [0x7f, 0x45, 0x4c, 0x46], 18, 0xb7],
  ['darwin-arm64', [0xcf, 0xfa, 0xed, 0xfe], 4, 0x0c],
  ['win32-x64.exe', [0x4d, 0x5a], undefined, 0x8664],
])('the file for %s has the header of its platform, and paydesk inside', (name, magic, at, machine) => {
  const bytes = readFileSync(join(release, `paydesk-${name}`));
  expect([...bytes.subarray(0, magic.length)]).toEqual(magic);
  // A program for Windows says where its header is.
  expect(bytes.readUInt16LE(at ?? bytes.readUInt32LE(0x3c) + 4)).toBe(machine);
  expect(bytes.includes(readFileSync(join(root, 'man/paydesk.1')))).toBe(true);
});
