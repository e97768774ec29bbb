/** Exports that were interrupted and resumed, and two runs that want one file. */

import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { slotOf } from '../../src/locks/sqlite/slot-files.ts';
import { until } from '../atmost/running.ts';
import { failingSync, hasStrace } from '../atmost/strace.ts';
import { isLong } from '../harness/long.ts';
import { bin, cleanEnv, type Home, newHome, paydesk } from '../harness/paydesk.ts';
import { endOf } from '../harness/ran.ts';
import { randomNumbers } from '../harness/seed.ts';
import { cutBody, type Handler, json, reply, reset, startServer } from '../harness/server.ts';
import { environment } from '../harness/service.ts';
import { exporting, orders, ordersService, startOrders } from './many-orders.ts';

const read = (home: Home, name: string) => readFileSync(join(home.path, name));
const manifest = (home: Home, name: string) => JSON.parse(read(home, `${name}.manifest.json`).toString());

const page = (ids: readonly string[], more: boolean) =>
  json({ object: 'list', has_more: more, data: ids.map((id) => ({ id, object: 'order' })) });

// What a service may do instead of giving its third page, once or for ever.
const faults: readonly (readonly [name: string, handler: Handler, code: number, words: string])[] = [
  ['429 (F58)', json({ object: 'error', type: 'api_error' }, 429, { 'retry-after': '0' }), 9, 'HTTP 429'],
  [
    'a 429 that asks for an hour (F58)',
    json({}, 429, { 'retry-after': '3600' }),
    9,
    'it asks us to wait 3600 s',
  ],
  ['503 (F58)', json({}, 503, { 'retry-after': '0' }), 9, 'HTTP 503'],
  ['a reset (F58)', reset, 9, ''],
  ['a body that is cut (F58)', cutBody('{"object":"list","data":[{"id":"ord_1"'), 9, ''],
  ['an HTML page (F59)', reply('<html>', 200, { 'content-type': 'text/html' }), 9, 'an HTML page'],
  ['a page that was there before (F57)', page(['ord_000000000060'], true), 9, 'the same page again'],
  ['an empty page with has_more (F57)', page([], true), 9, 'but sends nothing'],
  [
    'a page that leads back (F57)',
    page(['ord_x', 'ord_000000000041'], true),
    9,
    'the pages of the service lead in a circle, back to ord_000000000041',
  ],
  [
    'a page that does not say whether more follow',
    json({ object: 'list', data: [{ id: 'ord_x' }] }),
    9,
    'does not say whether there are more',
  ],
  [
    'a list with a record that is no JSON',
    json('{"object":"list","has_more":true,"data":[{"id":tru}]}'),
    9,
    'not JSON',
  ],
  [
    'a key that is refused',
    json({ object: 'error', type: 'authentication_error' }, 401),
    4,
    'did not accept the key',
  ],
];

// What an export gives that nothing interrupts.
let whole: Home;
beforeAll(async () => {
  whole = newHome();
  await using server = await startOrders(60);
  await exporting(server, whole, '--to', 'o.csv.gz', '--limit', '10');
});
afterAll(() => whole[Symbol.dispose]());

test('an interrupted export is refused by --verify', async () => {
  await using server = await startOrders(60, (number) => (number > 2 ? reset : undefined));
  using home = newHome();
  await exporting(server, home, '--to', 'o.csv.gz', '--limit', '10');
  const ran = await exporting(server, home, '--verify', 'o.csv.gz');
  expect(ran).toMatchObject({ code: 9, stderr: expect.stringContaining('o.csv.gz.partial, not complete') });
});

test.concurrent.each(faults)(
  '%s: not complete, exit as it is, and --resume gives the very bytes',
  async (_, handler, code, words) => {
    let broken = true;
    await using server = await startOrders(60, (_number, url) =>
      broken && url.searchParams.get('next') === 'ord_000000000041' ? handler : undefined,
    );
    using home = newHome();
    const first = await exporting(server, home, '--to', 'o.csv.gz', '--limit', '10');
    expect(first).toMatchObject({ code, stdout: '' });
    expect(first.stderr).toContain(words);
    expect(first.stderr).toContain('20 orders are in ');
    expect(first.stderr).toContain('paydesk orders export --limit 10 --to o.csv.gz --resume');
    expect(existsSync(join(home.path, 'o.csv.gz'))).toBe(false);
    expect(existsSync(join(home.path, 'o.csv.gz.manifest.json'))).toBe(false);
    expect(manifest(home, 'o.csv.gz.partial')).toMatchObject({ complete: false, rows: 20 });

    broken = false;
    const before = server.requests.length;
    const second = await exporting(server, home, '--to', 'o.csv.gz', '--limit', '10', '--resume');
    expect(second.code, second.stderr).toBe(0);
    expect(server.requests[before]?.url).toBe('/orders?limit=10&next=ord_000000000041');
    expect(read(home, 'o.csv.gz')).toEqual(read(whole, 'o.csv.gz'));
    const { sums, rows, sha256 } = manifest(whole, 'o.csv.gz');
    expect(manifest(home, 'o.csv.gz')).toMatchObject({ complete: true, sums, rows, sha256 });
    expect(readdirSync(home.path).filter((file) => file.includes('partial'))).toEqual([]);
  },
);

// How a walk breaks off is the same wherever its orders go: one fault of each exit code, and one of what is 200.
test.concurrent.each(faults.filter(([name]) => /503|empty page|key that/.test(name)))(
  '%s: on stdout as well, never 0 with less than all',
  async (_, handler, code) => {
    await using server = await startOrders(60, (number) => (number > 2 ? handler : undefined));
    using home = newHome();
    const ran = await exporting(server, home, '--json', '--limit', '10');
    expect(ran.code).toBe(code);
    expect(JSON.parse(ran.stdout).has_more).toBe(true);
    expect(JSON.parse(ran.stderr)).toMatchObject({ object: 'error', exit_code: code });
  },
);

test('records that appear twice while pages shift are dropped by id and counted (F57)', async () => {
  const all = orders(30);
  // An order that was made meanwhile moves everything down by one.
  await using server = await startOrders(30, (number, url) => {
    const next = url.searchParams.get('next');
    const from = all.findIndex(({ id }) => id === next);
    return number === 2
      ? json({ object: 'list', has_more: true, data: all.slice(from, from + 10) })
      : undefined;
  });
  using home = newHome();
  expect((await exporting(server, home, '--to', 'o.ndjson', '--limit', '10')).code).toBe(0);
  expect(manifest(home, 'o.ndjson')).toMatchObject({ rows: 30, repeated: 1 });
  expect(read(home, 'o.ndjson').toString()).toBe(all.map((order) => `${JSON.stringify(order)}\n`).join(''));
});

test('a first page that fails leaves no file and keeps its own exit code', async () => {
  await using server = await startOrders(60, () => json({}, 503, { 'retry-after': '0' }));
  using home = newHome();
  expect((await exporting(server, home, '--to', 'o.csv')).code).toBe(6);
  expect(readdirSync(home.path).filter((file) => file.startsWith('o.'))).toEqual([]);
});

test('--force leaves an unfinished export alone until the new one has a page; then its old manifest goes too', async () => {
  const down = json({}, 503, { 'retry-after': '0' });
  let broken: 'third' | 'all' | 'held' = 'third';
  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  const service = ordersService(orders(60));
  await using server = await startOrders(60, (_, url) => {
    const isThird = url.searchParams.get('next') === 'ord_000000000041';
    if (broken === 'all' || (broken === 'third' && isThird)) return down;
    if (broken !== 'held' || !url.searchParams.has('next')) return undefined;
    return async (...exchange) => {
      await held;
      await service(...exchange);
    };
  });
  using home = newHome();
  const words = ['--to', 'o.ndjson', '--limit', '10'];
  expect((await exporting(server, home, ...words, '--force')).code).toBe(9);
  const unfinished = read(home, 'o.ndjson.partial');
  broken = 'all';
  const again = await exporting(server, home, ...words, '--force');
  expect(again.code, again.stderr).toBe(6);
  expect(read(home, 'o.ndjson.partial')).toEqual(unfinished);
  expect(readdirSync(home.path).filter((name) => name.startsWith('o.'))).toEqual([
    'o.ndjson.partial',
    'o.ndjson.partial.manifest.json',
  ]);
  broken = 'held';
  const sent = server.requests.length;
  const resumed = exporting(server, home, ...words, '--resume');
  await server.waitFor(sent + 1);
  expect(server.requests[sent]?.url).toBe('/orders?limit=10&next=ord_000000000041');
  go();
  expect((await resumed).code).toBe(0);
});

test('an export that --force starts again replaces the unfinished one, its checkpoint and its manifest with the first page', async () => {
  let broken = true;
  await using server = await startOrders(60, (_, url) => {
    if (url.searchParams.get('next') === null) return undefined;
    return broken ? json({}, 503, { 'retry-after': '0' }) : () => undefined;
  });
  using home = newHome();
  const words = ['--to', 'o.ndjson', '--limit', '10'];
  await exporting(server, home, ...words, '--status', 'paid');
  broken = false;
  const sent = server.requests.length;
  const child = spawn(process.execPath, [bin, 'orders', 'export', ...words, '--force'], {
    env: cleanEnv({ home, env: environment(server.url) }),
    cwd: home.path,
    stdio: 'ignore',
  });
  const end = endOf(child);
  await server.waitFor(sent + 2);
  await until(() => !existsSync(join(home.path, 'o.ndjson.partial.manifest.json')));
  child.kill('SIGKILL');
  await end;
  expect(read(home, 'o.ndjson.partial').toString().split('\n')).toHaveLength(11);
  expect(readdirSync(home.path).filter((name) => name.startsWith('o.'))).toEqual(['o.ndjson.partial']);
  expect(readdirSync(join(home.path, '.local/state/paydesk/exports'))).toHaveLength(1);
});

test('an export of something else, or of another account, is not resumed; another key of the account is', async () => {
  let broken = true;
  const all = orders(60);
  const handler = ordersService(all, (_, url) =>
    broken && url.searchParams.get('next') === 'ord_000000000041' ? json({}, 401) : undefined,
  );
  await using server = await startServer(handler);
  await using other = await startServer(ordersService(all));
  using home = newHome();
  await exporting(server, home, '--to', 'o.ndjson', '--limit', '10');
  const differing: readonly (readonly string[])[] = [
    ['--limit', '20'],
    ['--rows', 'refunds'],
    ['--status', 'paid'],
  ];
  for (const words of differing) {
    const ran = await exporting(server, home, '--to', 'o.ndjson', '--resume', ...words);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('the unfinished export was started as');
  }
  expect((await exporting(other, home, '--to', 'o.ndjson', '--limit', '10', '--resume')).code).toBe(3);
  expect(other.requests).toHaveLength(0);
  expect((await exporting(server, home, '--to', 'o.ndjson', '--limit', '10')).code).toBe(3);
  broken = false;
  const ran = await paydesk(['orders', 'export', '--to', 'o.ndjson', '--limit', '10', '--resume'], {
    home,
    env: { ...environment(server.url), PAYDESK_API_KEY: 'key_test_another_one' },
  });
  expect(ran.code).toBe(0);
  expect(ran.stderr).toContain('the key has changed since this export began\n');
  expect(read(home, 'o.ndjson').toString().split('\n')).toHaveLength(61);
});

test('a file that was shortened, changed or written beyond its checkpoint is read again from there', async () => {
  const damages: readonly ((file: string) => void)[] = [
    (file) => truncateSync(file, 9_000),
    (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('ord_000000000055', 'ord_000000000000')),
    (file) => appendFileSync(file, '{"id":"ord_half'),
  ];
  for (const damage of damages) {
    let broken = true;
    await using server = await startOrders(60, (_, url) =>
      broken && url.searchParams.get('next') === 'ord_000000000031' ? reset : undefined,
    );
    using home = newHome();
    await exporting(server, home, '--to', 'o.ndjson', '--limit', '10');
    damage(join(home.path, 'o.ndjson.partial'));
    broken = false;
    expect((await exporting(server, home, '--to', 'o.ndjson', '--limit', '10', '--resume')).code).toBe(0);
    expect(read(home, 'o.ndjson').toString()).toBe(
      orders(60)
        .map((order) => `${JSON.stringify(order)}\n`)
        .join(''),
    );
  }
});

/** A service of 60 orders that holds its second page until `held` is over. */
const startHeld = (held: Promise<void>) =>
  startOrders(60, (number) => {
    if (number !== 2) return undefined;
    return async (request, response, socket) => {
      await held;
      await ordersService(orders(60))(request, response, socket);
    };
  });

test('two exports to different files run at once, whatever locks their names would share', async () => {
  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  await using server = await startHeld(held);
  using home = newHome();
  const slot = (name: string) => slotOf(`export ${join(realpathSync(home.path), name)}`);
  let number = 0;
  while (slot(`${number}.ndjson`) !== slot('o.ndjson')) number += 1;
  const other = `${number}.ndjson`;
  const first = exporting(server, home, '--to', 'o.ndjson', '--limit', '10');
  await server.waitFor(2);
  const second = await exporting(server, home, '--to', other, '--limit', '10');
  expect(second.code, second.stderr).toBe(0);
  go();
  expect((await first).code).toBe(0);
  expect(read(home, other).equals(read(home, 'o.ndjson'))).toBe(true);
});

test('two runs to one file: the second is refused while the first writes', async () => {
  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  await using server = await startHeld(held);
  using home = newHome();
  const first = exporting(server, home, '--to', 'o.ndjson', '--limit', '10');
  await server.waitFor(2);
  const second = await exporting(server, home, '--to', 'o.ndjson', '--limit', '10', '--force');
  expect(second).toMatchObject({ code: 3, stderr: expect.stringContaining('another export is writing') });
  go();
  expect((await first).code).toBe(0);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s in the middle: exit %i, and the command to go on', async (signal, code) => {
  await using server = await startOrders(60, (number) => (number === 3 ? () => undefined : undefined));
  using home = newHome();
  const child = spawn(process.execPath, [bin, 'orders', 'export', '--to', 'o.csv', '--limit', '10'], {
    env: cleanEnv({ home, env: environment(server.url) }),
    cwd: home.path,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const end = endOf(child);
  await server.waitFor(3);
  child.kill(signal);
  const ended = await end;
  expect(ended.code, ended.stderr).toBe(code);
  expect(ended.stderr).toMatch(/^interrupted: export paused after [12]0 orders$/m);
  expect(ended.stderr).toContain('--to o.csv --resume');
  expect((await exporting(server, home, '--to', 'o.csv', '--limit', '10', '--resume')).code).toBe(0);
});

test.skipIf(!hasStrace())(
  'a folder that the disk fails to sync: exit 9, no finished name, and --resume goes on once it can (F60)',
  async () => {
    await using server = await startOrders(60);
    using home = newHome();
    const words = [process.execPath, bin, 'orders', 'export', '--to', 'o.csv'];
    const child = spawn('strace', [...failingSync(home.path, 'EIO'), ...words], {
      env: cleanEnv({ home, env: environment(server.url) }),
      cwd: home.path,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const { code, stderr } = await endOf(child);
    expect(code, stderr).toBe(9);
    expect(stderr).toContain('i/o error (EIO)');
    expect(stderr).toContain('o.csv was not written');
    expect(readdirSync(home.path).filter((name) => name.startsWith('o.'))).toEqual([
      'o.csv.manifest.json',
      'o.csv.partial',
      'o.csv.partial.manifest.json',
    ]);
    expect((await exporting(server, home, '--verify', 'o.csv')).code).toBe(9);
    expect((await exporting(server, home, '--to', 'o.csv', '--resume')).code).toBe(0);
    expect((await exporting(server, home, '--verify', 'o.csv')).code).toBe(0);
  },
);

const random = randomNumbers();
const kills = isLong ? 500 : 2;
const many = isLong ? 20_000 : 2_000;

test(`kill -9 at ${kills} random moments of exports of ${many} orders, resumed each time: the file is the same to the byte`, async () => {
  // The server ends the process: in the middle of some page, at some moment of its work.
  let killIn = Number.POSITIVE_INFINITY;
  let kill = (): void => undefined;
  // Short ones: it is their number that counts here.
  const short = orders(many).map(({ id, amount, currency, payment_status, created_at }) => {
    return { id, object: 'order', amount, currency, payment_status, created_at };
  });
  const service = ordersService(short);
  await using server = await startServer((request, response, socket) => {
    killIn -= 1;
    if (killIn === 0) setTimeout(kill, random() * 15);
    return service(request, response, socket);
  });
  using home = newHome();
  const names = ['o.ndjson', 'o.csv'];
  const wanted = new Map<string, Buffer>();
  for (const name of names) {
    await exporting(server, home, '--to', `whole-${name}`);
    wanted.set(name, read(home, `whole-${name}`));
  }
  let killed = 0;
  let resumed = 0;
  for (let round = 0; killed < kills; round += 1) {
    const name = names[round % names.length] ?? '';
    for (;;) {
      killIn = 3 + Math.floor((random() * many) / 500);
      const child = spawn(
        process.execPath,
        [bin, 'orders', 'export', '--to', name, '--resume', '--force', '--quiet'],
        { env: cleanEnv({ home, env: environment(server.url) }), cwd: home.path, stdio: 'ignore' },
      );
      kill = () => child.kill('SIGKILL');
      const { code, signal } = await endOf(child);
      if (signal === 'SIGKILL') {
        killed += 1;
        resumed += existsSync(join(home.path, `${name}.partial`)) ? 1 : 0;
        continue;
      }
      expect(code).toBe(0);
      break;
    }
    expect(read(home, name).equals(wanted.get(name) ?? Buffer.alloc(0)), name).toBe(true);
    expect(manifest(home, name)).toMatchObject({ complete: true, rows: many });
  }
  console.log(
    `${killed} kills, ${resumed} of them left an unfinished file that was resumed; all files equal`,
  );
  expect(resumed).toBeGreaterThan(0);
}, 3_600_000);
