/** How a key comes in, and that no error, whatever a service does, ever brings it out again. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AuthScheme } from '../../src/api/spec.ts';
import { filesWith, leaksOf, newCanary } from '../harness/canary.ts';
import { certificate } from '../harness/certificate.ts';
import { each } from '../harness/each.ts';
import { examplesOf, helpOf, leafCommands, optionsOf } from '../harness/help-text.ts';
import { paidOrder } from '../harness/orders.ts';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { storeProfile } from '../harness/profile.ts';
import {
  closedPort,
  cutBody,
  type Handler,
  json,
  reply,
  reset,
  type SeenRequest,
  stall,
  startServer,
} from '../harness/server.ts';
import { emptyList, pages } from '../harness/service.ts';
import { isPlain, wordsOf } from '../harness/shell.ts';

describe.concurrent('no flag takes a key (I68)', () => {
  test('help lists none whose value is a key', async () => {
    const leaves = await leafCommands();
    const helps = await Promise.all(leaves.map((words) => helpOf(words)));
    const named = helps
      .flatMap((help) => optionsOf(help))
      .filter(({ name, value }) => value !== undefined && /key|token|secret|pass|auth/.test(name))
      .map(({ name, value }) => `--${name} ${value}`);
    expect([...new Set(named)].sort()).toEqual([
      '--auth SCHEME',
      '--cert-key FILE',
      '--idempotency-key ID',
      '--key-file FILE',
      '--key-store WHERE',
      '--security-key FILE',
    ]);
  });

  test.each([
    'orders list --api-key KEY',
    'orders list --json --api-key=KEY',
    '--api-key=KEY profile add a',
    'orders list --key KEY',
    'orders list --json --token=KEY',
    '--secret=KEY profile add a',
    'orders list --password KEY',
  ])('%s exits 2, says how keys come in, and does not repeat it', async (line) => {
    using home = newHome();
    const key = newCanary();
    const args = line.split(' ').map((word) => word.replace('KEY', () => key));
    const ran = await paydesk(args, { home });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(/--key-stdin|--key-file/);
    expect(leaksOf(key, ran.stdout + ran.stderr)).toEqual([]);
  });

  const add = (home: Home, url: string, words: readonly string[], input?: string) =>
    paydesk(
      ['profile', 'add', 'a', '--base-url', url, '--mode', 'sandbox', '--key-store', 'file', ...words],
      {
        home,
        ...(input === undefined ? {} : { input }),
      },
    );

  test('a key comes by standard input, a file, or the environment', async () => {
    await using server = await startServer(emptyList);
    const ways: readonly ((home: Home, key: string) => Promise<Ran>)[] = [
      async (home, key) => {
        await add(home, server.url, ['--key-stdin'], `${key}\n`);
        return paydesk(['-p', 'a', 'orders', 'list'], { home });
      },
      async (home, key) => {
        writeFileSync(join(home.path, 'key.txt'), `${key}\r\n`);
        await add(home, server.url, ['--key-file', 'key.txt']);
        return paydesk(['-p', 'a', 'orders', 'list'], { home });
      },
      (home, key) => {
        const env = { PAYDESK_BASE_URL: server.url, PAYDESK_MODE: 'sandbox', PAYDESK_API_KEY: key };
        return paydesk(['orders', 'list'], { home, env });
      },
      (home, key) => {
        const path = join(home.path, 'key.txt');
        writeFileSync(path, `${key}\n`);
        const env = { PAYDESK_BASE_URL: server.url, PAYDESK_MODE: 'sandbox', PAYDESK_KEY_FILE: path };
        return paydesk(['orders', 'list'], { home, env });
      },
    ];
    for (const way of ways) {
      using home = newHome();
      const key = newCanary();
      const ran = await way(home, key);
      expect(ran.code).toBe(0);
      expect(leaksOf(key, ran.stdout + ran.stderr)).toEqual([]);
      expect(server.requests.at(-1)?.headers.authorization).toBe(`Bearer ${key}`);
    }
  });
});

// ── I69 ─────────────────────────────────────────────────────────────────────────────────────────

/** Answers that say the key back, as a careless service may. */
function sent({ headers }: SeenRequest): string {
  const given = headers.authorization ?? '';
  const basic = /^Basic (.*)$/.exec(given)?.[1];
  const key = basic === undefined ? given.replace('Bearer ', '') : Buffer.from(basic, 'base64').toString();
  return `${given} ${key} ${encodeURIComponent(key)} ${Buffer.from(key).toString('base64')}`;
}

function errorOf(status: number): Handler {
  return (request, response, socket) =>
    json(
      {
        object: 'error',
        type: `authentication_error ${sent(request)}`,
        log_id: sent(request),
        details: [
          { message: sent(request), debug_message: sent(request), param: sent(request), code: sent(request) },
        ],
        data: { object: 'order', note: sent(request) },
      },
      status,
    )(request, response, socket);
}

const answers: readonly {
  readonly name: string;
  readonly handler: Handler;
  readonly more?: readonly string[];
}[] = [
  { name: '401 that repeats it', handler: errorOf(401) },
  { name: '403 that repeats it', handler: errorOf(403) },
  { name: '422 that repeats it', handler: errorOf(422) },
  {
    name: 'an HTML page that repeats it',
    handler: (request, response, socket) =>
      reply(`<html><title>${sent(request)}</title></html>`, 502, { 'content-type': 'text/html' })(
        request,
        response,
        socket,
      ),
  },
  {
    name: 'a redirect that carries it',
    handler: (request, response, socket) =>
      reply('', 302, { location: `http://127.0.0.1:9/?key=${encodeURIComponent(sent(request))}` })(
        request,
        response,
        socket,
      ),
  },
  {
    name: 'no JSON that repeats it',
    handler: (request, response, socket) => json(`{"data": ${sent(request)}`)(request, response, socket),
  },
  {
    name: 'JSON of another shape that repeats it',
    handler: (request, response, socket) =>
      json({ object: sent(request), data: sent(request) })(request, response, socket),
  },
  {
    name: 'orders full of it',
    handler: (request, response, socket) =>
      json({
        object: 'list',
        has_more: false,
        data: [paidOrder('ord_1', { metadata: { k: sent(request) }, payment_status: sent(request) })],
      })(request, response, socket),
  },
  {
    name: 'half an answer that repeats it',
    handler: (request, response, socket) => cutBody(`{"data":["${sent(request)}`)(request, response, socket),
  },
  { name: 'a reset', handler: reset },
  { name: 'silence', handler: stall, more: ['--timeout', '1'] },
  {
    name: 'nesting too deep to read',
    handler: json(`{"object":"list","data":${'['.repeat(200_000)}`),
  },
];

interface Planted {
  readonly home: Home;
  readonly key: string;
  readonly env: Readonly<Record<string, string>>;
  /** `-p NAME`, for a stored key. */
  readonly words: readonly string[];
  /** The one file that may hold it. */
  readonly keptIn: readonly string[];
}

async function plant(
  home: Home,
  url: string,
  how: 'environment' | 'stored',
  auth: AuthScheme,
): Promise<Planted> {
  const key = newCanary();
  if (how === 'environment') {
    const env = { PAYDESK_BASE_URL: url, PAYDESK_MODE: 'sandbox', PAYDESK_API_KEY: key, PAYDESK_AUTH: auth };
    return { home, key, env, words: [], keptIn: [] };
  }
  const settings = { 'reconcile.after': '0' };
  await storeProfile(home, { name: 'a', baseUrl: url, mode: 'sandbox', auth, settings }, key);
  const keptIn = [join(home.path, '.config', 'paydesk', 'keys.json')];
  return { home, key, env: {}, words: ['-p', 'a'], keptIn };
}

async function expectUnseen(planted: Planted, args: readonly string[], notCode = 0): Promise<Ran> {
  const { home, key, env, words, keptIn } = planted;
  const ran = await paydesk([...words, ...args], { home, env });
  expect(leaksOf(key, ran.stdout), `stdout of ${args.join(' ')}`).toEqual([]);
  expect(leaksOf(key, ran.stderr), `stderr of ${args.join(' ')}`).toEqual([]);
  expect(filesWith(key, home.path)).toEqual(keptIn);
  expect(ran.code).not.toBe(notCode);
  return ran;
}

describe.concurrent('whatever the service answers, the key is never shown and stands in no other file (I69)', () => {
  const manners = [
    { how: 'environment', auth: 'bearer', args: ['orders', 'list', '--debug'] },
    { how: 'stored', auth: 'basic', args: ['orders', 'list', '--json', '--debug'] },
  ] as const;
  test.each(answers.flatMap((answer) => manners.map((manner) => ({ ...answer, ...manner }))))(
    '$name: key $how, $auth, $args',
    async ({ name, handler, more = [], how, auth, args }) => {
      using home = newHome();
      await using server = await startServer(handler);
      const planted = await plant(home, server.url, how, auth);
      const mayWork = name === 'orders full of it';
      await expectUnseen(planted, [...args, ...more], mayWork ? -1 : 0);
      expect(server.requests.length).toBeGreaterThan(0);
    },
  );

  test.each(answers.filter(({ name }) => /^(422|no JSON|JSON of another shape)/.test(name)))(
    '$name: one order, asked for without --debug',
    async ({ handler }) => {
      using home = newHome();
      await using server = await startServer(handler);
      const planted = await plant(home, server.url, 'environment', 'basic');
      await expectUnseen(planted, ['orders', 'show', 'ord_1']);
      expect(server.requests.length).toBeGreaterThan(0);
    },
  );

  test.each(['bearer', 'basic'] as const)('a refund whose reply repeats it, %s', async (auth) => {
    using home = newHome();
    await using server = await startServer((request, response, socket) => {
      if (request.method === 'POST') return errorOf(500)(request, response, socket);
      return json({ object: 'list', has_more: false, data: [paidOrder('ord_1')] })(request, response, socket);
    });
    const planted = await plant(home, server.url, 'stored', auth);
    const ran = await expectUnseen(planted, ['orders', 'refund', 'ord_1', '--yes', '--debug']);
    expect(ran.code).toBe(7);
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test('no such host, a closed port, a certificate that nobody vouches for', async () => {
    await using closed = await closedPort();
    await using tls = await startServer(emptyList, { tls: certificate });
    for (const url of ['https://paydesk-test.invalid', `http://127.0.0.1:${closed.port}`, tls.url]) {
      using home = newHome();
      const planted = await plant(home, url, 'environment', 'bearer');
      await expectUnseen(planted, ['orders', 'list', '--debug', '--timeout', '5']);
    }
    expect(tls.requests).toEqual([]);
  });

  const withBreak = (key: string) => `${key}\n${newCanary()}`;
  const withSpace = (key: string) => `${key} `;
  // What a door could take off a key is tried at each of them, the rest at one.
  const malformed = [
    { name: 'a line break in it', door: 'environment', make: withBreak },
    { name: 'a line break in it', door: 'stdin', make: withBreak },
    { name: 'a line break in it', door: 'file', make: withBreak },
    { name: 'a space', door: 'environment', make: withSpace },
    { name: 'a space', door: 'stdin', make: withSpace },
    { name: 'a space', door: 'file', make: withSpace },
    { name: 'a line break and a header in it', door: 'environment', make: (key) => `${key}\r\nX-Other: 1` },
    { name: 'letters beyond ASCII', door: 'environment', make: (key) => `${key}ключ` },
    { name: 'a NUL-like control character', door: 'stdin', make: (key) => `${key}\x01` },
  ] as const satisfies readonly { name: string; door: string; make: (key: string) => string }[];
  test.each(malformed)('a key with $name, by $door, is refused without repeating any of it', async (one) => {
    using home = newHome();
    await using server = await startServer(emptyList);
    const planted = newCanary();
    const key = one.make(planted);
    const where = ['--base-url', server.url, '--mode', 'sandbox'];
    const path = join(home.path, 'key.txt');
    if (one.door === 'file') writeFileSync(path, key);
    const env = { PAYDESK_BASE_URL: server.url, PAYDESK_MODE: 'sandbox', PAYDESK_API_KEY: key };
    const ran = await {
      environment: () => paydesk(['orders', 'list', '--debug'], { home, env }),
      stdin: () =>
        paydesk(['profile', 'add', 'b', ...where, '--key-stdin', '--key-store', 'file', '--debug'], {
          home,
          input: key,
        }),
      file: () =>
        paydesk(['profile', 'add', 'b', ...where, '--key-file', path, '--key-store', 'file', '--debug'], {
          home,
        }),
    }[one.door]();
    expect(ran.code).toBe(2);
    expect(leaksOf(planted, ran.stdout + ran.stderr)).toEqual([]);
    expect(filesWith(planted, home.path)).toEqual(one.door === 'file' ? [path] : []);
    expect(server.connections).toBe(0);
  });
});

test('an agent reaches no key by any command: neither stored, nor of the environment, as its examples are written', async () => {
  using home = newHome();
  await using server = await startServer(pages([paidOrder('ord_1')]));
  const stored = await plant(home, server.url, 'stored', 'bearer');
  const given = await plant(home, server.url, 'environment', 'bearer');
  const lines = (await each(await leafCommands(), async (words) => examplesOf(await helpOf(words))))
    .flat()
    .filter((line) => isPlain(line) && !/ (serve|mcp)\b/.test(line))
    .map((line) => wordsOf(line).slice(1));
  expect(lines.length).toBeGreaterThan(100);
  for (const line of lines)
    for (const env of [{}, given.env]) {
      const args = [...line, '--debug', '--yes'];
      const { stdout, stderr } = await paydesk(args, { home, env: { ...env, PAYDESK_AGENT: 'helper' } });
      for (const { key } of [stored, given])
        expect(leaksOf(key, stdout + stderr), line.join(' ')).toEqual([]);
    }
  expect(filesWith(stored.key, home.path)).toEqual(stored.keptIn);
  expect(filesWith(given.key, home.path)).toEqual([]);
});
