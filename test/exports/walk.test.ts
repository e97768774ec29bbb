/** How an export reads pages, and what it does when a disk is full or a reply is odd. */

import { spawn } from 'node:child_process';
import { openSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../bin/process-io.ts';
import { createPace } from '../../src/api/api.ts';
import { openClient } from '../api/open-client.ts';
import { hasStrace } from '../atmost/strace.ts';
import { standingAt } from '../harness/clock.ts';
import { bin, cleanEnv, newHome, paydesk } from '../harness/paydesk.ts';
import { endOf } from '../harness/ran.ts';
import { json, startServer } from '../harness/server.ts';
import { environment, pageOf, testKey } from '../harness/service.ts';
import { exporting, orders, ordersService, startOrders } from './many-orders.ts';

test('the next page is asked for, on the wire, before a page is handed on', async () => {
  await using server = await startServer(ordersService(orders(40)));
  let page = 0;
  for await (const { records } of openClient(server).service.pages(
    'orders',
    { limit: 10 },
    { ahead: true },
  )) {
    page += 1;
    expect(records).toHaveLength(10);
    // It arrives although nobody asks for another page here.
    await server.waitFor(Math.min(page + 1, 4));
    expect(server.requests).toHaveLength(Math.min(page + 1, 4));
  }
  expect(page).toBe(4);
});

test('a walk that is left in the middle gives up the page that it asked for ahead', async () => {
  await using server = await startOrders(40, (number) => (number === 2 ? () => undefined : undefined));
  for await (const _ of openClient(server).service.pages('orders', { limit: 10 }, { ahead: true })) break;
  await server.waitForAborted(1);
  expect(server.requests).toHaveLength(2);
});

test('page URLs of every kind are never requested by an export: the other host sees no connection (F56)', async () => {
  await using other = await startServer(json({}));
  // One kind a page.
  const kinds = [
    `${other.url}/orders?next=x`,
    `//127.0.0.1:${other.port}/`,
    `http://user:pass@127.0.0.1:${other.port}/`,
    `https://127.0.0.1:${other.port}/`,
    'http://xn--e1afmkfd.example/',
    '../../etc',
  ];
  await using server = await startServer((request, response, socket) => {
    const url = kinds[request.index];
    const page = pageOf(orders(30), new URL(request.url, 'http://service').searchParams);
    return json({ next_page_url: url, previous_page_url: url, ...page })(request, response, socket);
  });
  using home = newHome();
  const ran = await exporting(server, home, '--limit', '5');
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stdout.split('\n')).toHaveLength(31);
  expect(server.requests.map((request) => request.url)).toEqual([
    '/orders?limit=5',
    ...['26', '21', '16', '11', '06'].map((last) => `/orders?limit=5&next=ord_0000000000${last}`),
  ]);
  expect(other.connections).toBe(0);
});

test('a full disk ends an export with 9, says how much was written, and sends no more requests than it must (F60)', async () => {
  await using server = await startOrders(2_000);
  using home = newHome();
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [bin, 'orders', 'export', '--csv', '--limit', '50'], {
    env: cleanEnv({ home, env: environment(server.url) }),
    stdio: ['ignore', full, 'pipe'],
  });
  const { code, stderr } = await endOf(child);
  expect(code, stderr).toBe(9);
  expect(stderr).toContain('ENOSPC');
  expect(server.requests.length).toBeLessThanOrEqual(3);
});

test('stdout on a full disk: the JSON of the error says what is certain and what to do (F60)', async () => {
  await using server = await startOrders(200);
  using home = newHome();
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [bin, 'orders', 'export', '--json', '--limit', '50'], {
    env: cleanEnv({ home, env: environment(server.url) }),
    stdio: ['ignore', full, 'pipe'],
  });
  const { code, stderr } = await endOf(child);
  expect(code, stderr).toBe(9);
  expect(JSON.parse(stderr)).toMatchObject({
    certain: 'not everything that was read could be written',
    now: [
      'free some space, or export into a file on another disk, where you can resume it: paydesk orders export --limit 50 --json --to FILE.json',
    ],
  });
});

test.skipIf(!hasStrace()).each([
  ['at the first page', 'o.csv.partial.new', 'none of the orders were saved; o.csv was not written', []],
  ['later', 'o.csv.partial', 'o.csv.partial; o.csv was not written', ['--resume']],
])(
  'a full disk under --to, %s: what is certain, and the command once there is space (F60)',
  async (_, name, certain, more) => {
    await using server = await startOrders(60);
    using home = newHome();
    const at = realpathSync(home.path);
    const fails = ['-e', 'trace=pwrite64', '-e', 'inject=pwrite64:error=ENOSPC', '-P', join(at, name)];
    const words = ['orders', 'export', '--limit', '10', '--to', 'o.csv'];
    const child = spawn('strace', ['-f', '-o', '/dev/null', ...fails, process.execPath, bin, ...words], {
      env: cleanEnv({ home, env: environment(server.url) }),
      cwd: home.path,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const { code, stderr } = await endOf(child);
    expect(code, stderr).toBe(9);
    expect(stderr).toContain('no space left on device (ENOSPC)');
    expect(stderr.replace(/\s+/g, ' ')).toContain(certain);
    expect(stderr).toContain('free space on its disk, then:');
    const command = /: paydesk (.*)$/m.exec(stderr)?.[1]?.split(' ') ?? [];
    expect(command).toEqual(['orders', 'export', '--limit', '10', '--to', 'o.csv', ...more]);
    const again = await paydesk(command, { home, env: environment(server.url) });
    expect(again.code, again.stderr).toBe(0);
  },
);

test('a file that may not grow further: exit 9, no finished name, and --resume goes on once it may (F60)', async () => {
  await using server = await startOrders(200);
  using home = newHome();
  const command = `ulimit -f 40; exec "${process.execPath}" "${bin}" orders export --limit 20 --to o.ndjson`;
  const child = spawn('bash', ['-c', command], {
    env: cleanEnv({ home, env: environment(server.url) }),
    cwd: home.path,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const { code, stderr } = await endOf(child);
  expect(code, stderr).toBe(9);
  expect(stderr).toContain('file too large (EFBIG)');
  expect(stderr).toContain('--to o.ndjson --resume');
  const ran = await exporting(server, home, '--limit', '20', '--to', 'o.ndjson', '--resume');
  expect(ran.code, ran.stderr).toBe(0);
  expect(readFileSync(join(home.path, 'o.ndjson'), 'utf8')).toBe(
    orders(200)
      .map((order) => `${JSON.stringify(order)}\n`)
      .join(''),
  );
});

test('formulas, odd amounts and times, and missing fields reach CSV as data, NDJSON as they came (F62 to F64)', async () => {
  const odd = [
    { id: 'ord_1', customer_info: { name: '=1+1' }, amount: -5, currency: 'MXN' },
    { id: 'ord_2', customer_info: { name: '\t@SUM(A1)' }, amount: 1.5, created_at: 1e20 },
    { id: 'ord_3', amount: '7', created_at: -1, charges: null },
    { id: 'ord_4', payment_status: 'brand_new_word', charges: 'many', created_at: 1_795_000_000_000 },
    { id: 'ord_5', customer_info: null, amount: null },
  ];
  await using server = await startServer(json({ object: 'list', has_more: false, data: odd }));
  using home = newHome();
  const csv = await exporting(
    server,
    home,
    '--csv',
    '--columns',
    'id,customer_info.name,amount,created_at,payment_status',
  );
  expect(csv.code).toBe(0);
  expect(csv.stdout).toBe(
    [
      'id,customer_info.name,amount,created_at,payment_status',
      "ord_1,'=1+1,-5,,",
      "ord_2,'\t'@SUM(A1),1.5,100000000000000000000,",
      'ord_3,,7,-1,',
      'ord_4,,,1795000000000,brand_new_word',
      'ord_5,,,,',
      '',
    ].join('\n'),
  );
  const raw = await exporting(server, home, '--ndjson');
  expect(raw.stdout).toBe(odd.map((order) => `${JSON.stringify(order)}\n`).join(''));
});

test('--max-rps keeps requests apart, retries included, by a clock that only the pace moves', async () => {
  let now = 1_000;
  const left: number[] = [];
  const service = ordersService(orders(50), (number) => (number === 2 ? json({}, 503) : undefined));
  await using server = await startServer((request, response, socket) => {
    left.push(now);
    return service(request, response, socket);
  });
  const clock = {
    ...systemClock,
    now: () => now,
    monotonic: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  const pace = createPace(clock);
  pace.limit(20);
  const client = openClient(server, {}, { clock, pace });
  let read = 0;
  const pages = client.service.pages('orders', { limit: 10 }, { ahead: true });
  for await (const { records } of pages) read += records.length;
  expect(read).toBe(50);
  expect(left).toEqual([1_000, 1_050, 1_100, 1_150, 1_200, 1_250]);
  using home = newHome();
  const env = { ...environment(server.url), ...standingAt('2040-11-21T05:05:12Z') };
  const line = ['orders', 'export', '--limit', '10', '--max-rps', '1', '--to', 'o.ndjson'];
  expect(await paydesk(line, { home, env })).toMatchObject({ code: 0 });
  const manifest = JSON.parse(readFileSync(join(home.path, 'o.ndjson.manifest.json'), 'utf8'));
  // Five pages, and nothing but the pace takes time.
  expect(manifest).toMatchObject({ rows: 50, ended_at: manifest.started_at + 4 });
});

test('the key of a reply that echoes it reaches neither stdout nor a file', async () => {
  const echo = {
    id: 'ord_1',
    object: 'order',
    metadata: { authorization: `Bearer ${testKey}`, plain: testKey },
  };
  await using server = await startServer(json({ object: 'list', has_more: false, data: [echo] }));
  using home = newHome();
  const out = await exporting(server, home);
  expect(out.stdout).toContain('Bearer [key]');
  expect(out.stdout).not.toContain(testKey);
  await exporting(server, home, '--to', 'o.ndjson');
  expect(readFileSync(join(home.path, 'o.ndjson'), 'utf8')).not.toContain(testKey);
});

test('customers are exported the same way', async () => {
  using home = newHome();
  const ran = await paydesk(['-p', 'demo', 'customers', 'export', '--to', 'c.json'], { home });
  expect(ran.code).toBe(0);
  expect(JSON.parse(readFileSync(join(home.path, 'c.json'), 'utf8')).data).toHaveLength(60);
  expect(JSON.parse(readFileSync(join(home.path, 'c.json.manifest.json'), 'utf8'))).toMatchObject({
    rows: 60,
    odd_records: 0,
    unsummed_rows: 0,
    query: { resource: 'customers' },
  });
});

test('a run whose stderr is no terminal says now and then how far it is, unless --quiet', async () => {
  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  await using server = await startOrders(20, (number) =>
    number === 2
      ? async (request, response, socket) => {
          await held;
          await ordersService(orders(20))(request, response, socket);
        }
      : undefined,
  );
  using home = newHome();
  const child = spawn(process.execPath, [bin, 'orders', 'export', '--limit', '10', '--to', 'o.csv'], {
    env: cleanEnv({ home, env: environment(server.url) }),
    cwd: home.path,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    // The page that it waits for comes only when it has said how far it is.
    if (stderr.includes('\n')) go();
  });
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
  expect(stderr).toMatch(/^10 orders read, \d+ per second, \d+ s\n/);
  expect((await exporting(server, home, '--quiet', '--to', 'o.csv', '--force')).stderr).toBe('');
});
