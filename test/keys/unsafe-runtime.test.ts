/** How Node was started: what would show a key or run other code stops production before anything is sent. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Desk, startDesk } from '../harness/desk.ts';
import { newHome, paydeskProcess, startInMemory, startProcess } from '../harness/paydesk.ts';
import { closedPort } from '../harness/server.ts';

// Nothing is to arrive at the first; the others answer.
let production: Desk;
let answering: Desk;
let sandbox: Desk;
beforeAll(async () => {
  const starting = [
    startDesk({ mode: 'production' }),
    startDesk({ mode: 'production' }),
    startDesk(),
  ] as const;
  [production, answering, sandbox] = await Promise.all(starting);
});
afterAll(async () => {
  for (const desk of [production, answering, sandbox]) await desk[Symbol.asyncDispose]();
});

const options = [
  '--use-env-proxy',
  '--openssl-config=./empty',
  '--openssl-shared-config',
  '--use-openssl-ca',
  '--cpu-prof',
  '--heap-prof',
  '--heapsnapshot-signal=SIGUSR2',
  '--heapsnapshot-near-heap-limit=1',
  '--trace-tls',
  '--tls-keylog=./keys',
  '--tls-min-v1.0',
  '--require ./empty',
  '-r ./empty',
  '--import ./empty',
  '--loader ./empty',
  '--env-file=./empty',
  '--report-on-signal',
  '--report-uncaught-exception',
  '--diagnostic-dir=.',
  '--inspect-port=0',
  '--trace-events-enabled',
  '--redirect-warnings=./warnings',
];

// Node hands all of them to the program in the same way: two are given to a process, the others to a run in memory.
const isProcess = (option: string) => ['--cpu-prof', '-r ./empty'].includes(option);

describe.concurrent('production is refused, exit 3, with the option named and nothing sent', () => {
  test.each(options)('%s', async (option) => {
    using home = newHome();
    writeFileSync(join(home.path, 'empty'), '');
    const execArgv = option.split(' ');
    const options = { home, env: production.env };
    const ran = isProcess(option)
      ? await paydeskProcess(['orders', 'list'], { ...options, nodeArgs: execArgv })
      : await startInMemory(['orders', 'list'], { ...options, execArgv }).end;
    expect(ran.code, ran.stderr).toBe(3);
    const [name = ''] = option.split(/[= ]/);
    expect(ran.stderr).toContain(`start paydesk without ${name}`);
    expect(ran.stdout).toBe('');
    expect(production.requests).toEqual([]);
  });

  test.each([
    'NODE_DEBUG=http',
    'NODE_USE_ENV_PROXY=1',
    'NODE_V8_COVERAGE=.',
    'SSLKEYLOGFILE=./keys',
    'OPENSSL_CONF=./empty',
    'NODE_OPTIONS=--trace-tls',
    'NODE_OPTIONS="--cpu_prof"',
  ])('%s', async (set) => {
    using home = newHome();
    writeFileSync(join(home.path, 'empty'), '');
    const [name = '', ...value] = set.split('=');
    const env = { ...production.env, [name]: value.join('=') };
    const start = set.includes('--trace-tls') ? startProcess : startInMemory;
    const ran = await start(['orders', 'list'], { home, env }).end;
    expect(ran.code, ran.stderr).toBe(3);
    expect(ran.stderr).toContain(name);
    expect(production.requests).toEqual([]);
  });
});

describe.concurrent('harmless options run in production', () => {
  test.each([
    [{ TZ: 'Asia/Tokyo' }, []],
    [{ NODE_OPTIONS: '--max-old-space-size=200 --no-warnings' }, ['--enable-source-maps']],
    [{ NODE_EXTRA_CA_CERTS: '/dev/null' }, ['--use-system-ca', '--stack-trace-limit=20']],
  ])('%j %j', async (env, nodeArgs) => {
    using home = newHome();
    const ran = await paydeskProcess(['orders', 'list'], {
      home,
      env: { ...answering.env, ...env },
      nodeArgs,
    });
    expect(ran.code, ran.stderr).toBe(0);
  });
});

describe.concurrent('a debugger that is open is refused in every mode, before a key is read', () => {
  test.each([
    ['--inspect', ['--inspect=127.0.0.1:0'], {}],
    ['--inspect in NODE_OPTIONS', [], { NODE_OPTIONS: '--inspect=127.0.0.1:0' }],
  ])('%s', async (_how, nodeArgs, env) => {
    using home = newHome();
    await using unused = await startDesk();
    for (const desk of [production, unused]) {
      const ran = await paydeskProcess(['orders', 'list'], { home, env: { ...desk.env, ...env }, nodeArgs });
      expect(ran).toMatchObject({ code: 3, stdout: '' });
      expect(ran.stderr).toContain('start paydesk without --inspect');
      expect(desk.requests).toEqual([]);
    }
  });

  test('a debugger whose port could not be opened is refused in production only', async () => {
    using home = newHome();
    await using taken = await closedPort();
    const nodeArgs = [`--inspect=127.0.0.1:${taken.port}`];
    expect((await paydeskProcess(['orders', 'list'], { home, env: production.env, nodeArgs })).code).toBe(3);
    expect((await paydeskProcess(['orders', 'list'], { home, env: sandbox.env, nodeArgs })).code).toBe(0);
  });
});
