/** What is said on a Node that is too old, and what a Node that is not says by itself. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { startDesk } from '../harness/desk.ts';
import { bin, newHome, paydesk, paydeskProcess } from '../harness/paydesk.ts';
import { atTerminal } from '../harness/terminal.ts';

const run = promisify(execFile);

// The very same program, told another version by the runtime.
const pretending = (version: string) => [
  '--import',
  `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`,
];

function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number);
  return major >= 26 || (major === 24 && minor >= 15);
}

// Every Node on this machine's PATH that is too old.
async function oldNodes(): Promise<readonly string[]> {
  const all = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  const versions = await Promise.all(
    [...new Set(all)]
      .filter(existsSync)
      .map(async (path) => ({ path, version: (await run(path, ['--version'])).stdout })),
  );
  return versions.filter(({ version }) => !isSupported(version)).map(({ path }) => path);
}

describe.concurrent('on an unsupported Node one line names the needed version (K76)', () => {
  test.each(['20.20.2', '24.14.9', '25.9.0'])('Node %s', async (version) => {
    using home = newHome();
    const ran = await paydeskProcess(['-p', 'demo', 'orders', 'list'], {
      home,
      nodeArgs: pretending(version),
    });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toMatch(/^error: .*24\.15.*\n$/);
    expect(ran.stderr).toContain(version);
  });

  test.each(['24.15.0', '26.0.0'])('Node %s is supported', async (version) => {
    using home = newHome();
    const ran = await paydeskProcess(['--help'], { home, nodeArgs: pretending(version) });
    expect(ran.code).toBe(0);
  });

  test('the old ones on this machine say the same, without a trace', async () => {
    using home = newHome();
    for (const node of await oldNodes()) {
      const failed = await run(node, [bin, 'orders', 'list'], { env: { HOME: home.path } }).catch(
        (error: { readonly code: number; readonly stderr: string }) => error,
      );
      expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/^error: .*24\.15.*\n$/) });
    }
  });
});

describe.concurrent('on a supported Node there are no warnings of Node itself (K76)', () => {
  const noWarning = /Warning|\(node:\d+\)|--trace-/;

  test('of any command, as a script', async () => {
    using home = newHome();
    await using desk = await startDesk({ args: ['--orders', '40'] });
    const orders = await desk.orders();
    const paid = orders.find(({ payment_status }) => payment_status === 'paid')?.id ?? '';
    const held = orders.find(({ payment_status }) => payment_status === 'pre_authorized')?.id ?? '';
    const add = [
      'profile',
      'add',
      'a',
      '--base-url',
      desk.url,
      '--mode',
      'sandbox',
      '--key-stdin',
      '--key-store',
      'file',
    ];
    for (const args of [
      ['--help'],
      ['-p', 'demo', 'orders', 'list'],
      add,
      ['profile', 'list'],
      ['profile', 'check', 'a'],
      ['-p', 'a', 'customers', 'list', '--csv'],
      ['-p', 'a', 'orders', 'show', paid],
      ['-p', 'a', 'orders', 'refund', paid, '--yes'],
      ['-p', 'a', 'orders', 'capture', held, '--yes', '--json'],
      ['profile', 'remove', 'a', '--yes'],
      ['simulator', 'reset'],
    ]) {
      const ran = await paydesk(args, { home, input: args === add ? desk.key : '' });
      expect(ran.code, args.join(' ')).toBe(0);
      expect(ran.stderr, args.join(' ')).not.toMatch(noWarning);
    }
  });

  test('at a terminal, with every variable about colour', async () => {
    using home = newHome();
    for (const env of [{}, { FORCE_COLOR: '1', NO_COLOR: '1' }, { FORCE_COLOR: '3' }, { TERM: 'dumb' }]) {
      const ended = await atTerminal(['profile', 'list'], { home, env }).end;
      expect(ended.exitCode).toBe(0);
      expect(ended.transcript).not.toMatch(noWarning);
    }
  });
});
