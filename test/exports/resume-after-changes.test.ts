/** Resumed exports when the service, the files or the machine changed after the first run. */

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { storeProfile } from '../harness/profile.ts';
import { type Handler, json, startServer, type TestServer } from '../harness/server.ts';
import { environment, testKey } from '../harness/service.ts';
import { exporting, orders, ordersService, startOrders } from './many-orders.ts';

const refusal = json({ object: 'error', type: 'authentication_error' }, 401);
const third = 'ord_000000000041';
const asLines = (all: readonly unknown[]) => all.map((order) => `${JSON.stringify(order)}\n`).join('');
const read = (home: Home, name: string) => readFileSync(join(home.path, name), 'utf8');

/** Sixty orders whose third page of ten is whatever `now` says. */
async function interrupted(): Promise<{ server: TestServer; now: { third: Handler | undefined } }> {
  const now: { third: Handler | undefined } = { third: refusal };
  const server = await startOrders(60, (_, url) => {
    if (url.searchParams.get('next') !== third) return undefined;
    const handler = now.third;
    now.third = handler === refusal ? refusal : undefined;
    return handler;
  });
  return { server, now };
}

// The line that says how to go on, as somebody would paste it.
function printedCommand(ran: Ran): readonly string[] {
  const line = /go on with the export: paydesk (.*)$/m.exec(ran.stderr)?.[1];
  return line?.split(' ') ?? [];
}

const all = orders(60);

test('when the service leads a resumed walk back to its first page, nothing of it is written, and the next run goes on', async () => {
  const { server, now } = await interrupted();
  await using _ = server;
  using home = newHome();
  const words = ['--to', 'o.ndjson', '--limit', '10'];
  await exporting(server, home, ...words);
  now.third = json({ object: 'list', has_more: true, data: all.slice(0, 10) });
  const back = await exporting(server, home, ...words, '--resume');
  expect(back).toMatchObject({ code: 9, stderr: expect.stringContaining('20 orders are in ') });
  expect((await exporting(server, home, ...words, '--resume')).code).toBe(0);
  expect(read(home, 'o.ndjson')).toBe(asLines(all));
});

test('a resumed walk drops records that the earlier run wrote, as an uninterrupted walk does', async () => {
  const { server, now } = await interrupted();
  await using _ = server;
  using home = newHome();
  const words = ['--to', 'o.ndjson', '--limit', '10'];
  await exporting(server, home, ...words);
  now.third = json({ object: 'list', has_more: true, data: all.slice(17, 30) });
  expect((await exporting(server, home, ...words, '--resume')).code).toBe(0);
  expect(read(home, 'o.ndjson')).toBe(asLines(all));
  expect(JSON.parse(read(home, 'o.ndjson.manifest.json'))).toMatchObject({ rows: 60, repeated: 3 });
});

// Newest first is promised; where it is broken, a date ends no walk: not that of a later run either.
test.each([
  ['on the first page', (index: number) => (index === 3 ? 500 : -index)],
  ['where the resumed run begins', (index: number) => (index === 20 ? 500 : -index)],
])('orders.order broken %s: the resumed export holds all that it should', async (_, offset) => {
  const mixed = all.map((order, index) => ({
    ...order,
    id: String(order.id),
    created_at: index === 39 ? 1_700_000_000 : 1_795_000_000 + offset(index),
  }));
  let broken = true;
  await using server = await startServer(
    ordersService(mixed, (_number, url) =>
      broken && url.searchParams.get('next') === third ? refusal : undefined,
    ),
  );
  using home = newHome();
  const settings = { 'orders.order': 'newest-first' };
  const profile = { name: 'shop', baseUrl: server.url, mode: 'sandbox', settings } as const;
  await storeProfile(home, profile, testKey);
  const words = ['-p', 'shop', 'orders', 'export', '--since', '2026-01-01T00:00:00Z', '--limit', '10'];
  const first = await paydesk([...words, '--to', 'o.ndjson'], { home });
  expect(first.code, first.stderr).toBe(4);
  broken = false;
  const second = await paydesk([...words, '--to', 'o.ndjson', '--resume'], { home });
  expect(second.code, second.stderr).toBe(0);
  // All but the one of an earlier year, those behind it too.
  expect(read(home, 'o.ndjson')).toBe(asLines(mixed.filter((_order, index) => index !== 39)));
});

test.each([
  ['columns', ['--to', 'o.csv', '--columns', 'id,amount']],
  ['a format that the name does not say, and a pace', ['--to', 'plain', '-o', 'csv', '--max-rps', '500']],
  ['a file that is to be replaced', ['--to', 'old.csv', '--force']],
])('the printed command goes on as it is: %s', async (_, words) => {
  const { server, now } = await interrupted();
  await using _server = server;
  using home = newHome();
  writeFileSync(join(home.path, 'old.csv'), 'old');
  const first = await exporting(server, home, '--limit', '10', ...words);
  expect(first.code, first.stderr).toBe(4);
  now.third = undefined;
  const command = printedCommand(first);
  expect(command).toEqual(expect.arrayContaining(words));
  const second = await paydesk(command, { home, env: environment(server.url) });
  expect(second.code, second.stderr).toBe(0);
  expect(read(home, words[1] ?? '').split('\n')).toHaveLength(62);
});

test('an export of orders is not resumed as one of another resource, nor without its heading line', async () => {
  const { server } = await interrupted();
  await using _server = server;
  using home = newHome();
  await exporting(server, home, '--to', 'o.csv', '--limit', '10');
  const sent = server.requests.length;
  for (const [words, message] of [
    [['customers', 'export'], 'orders --limit 10 -o csv, not customers --limit 10 -o csv'],
    [['orders', 'export', '--no-header'], 'not orders --limit 10 -o csv --no-header'],
  ] as const) {
    const ran = await paydesk([...words, '--to', 'o.csv', '--limit', '10', '--resume'], {
      home,
      env: environment(server.url),
    });
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining(message) });
  }
  expect(server.requests).toHaveLength(sent);
});

test('a file that somebody made meanwhile is not replaced; the printed command replaces it', async () => {
  using home = newHome();
  await using server = await startOrders(20, (number) => {
    if (number === 2) writeFileSync(join(home.path, 'o.ndjson'), 'theirs');
    return undefined;
  });
  const first = await exporting(server, home, '--to', 'o.ndjson', '--limit', '10');
  expect(first).toMatchObject({
    code: 9,
    stderr: expect.stringContaining('this file appeared while the export ran'),
  });
  expect(read(home, 'o.ndjson')).toBe('theirs');
  const second = await paydesk(printedCommand(first), { home, env: environment(server.url) });
  expect(second.code, second.stderr).toBe(0);
  expect(read(home, 'o.ndjson')).toBe(asLines(orders(20)));
});

test('a checkpoint that states absurd sizes is not believed: the pages are read again', async () => {
  const { server, now } = await interrupted();
  await using _ = server;
  using home = newHome();
  const folder = join(home.path, '.local/state/paydesk/exports');
  for (const size of ['1e15', '900000000']) {
    now.third = refusal;
    await exporting(server, home, '--to', 'o.ndjson', '--limit', '10', '--force');
    const [name = ''] = readdirSync(folder);
    const path = join(folder, name);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"bytes":\d+/, `"bytes":${size}`));
    now.third = undefined;
    const words = ['--to', 'o.ndjson', '--limit', '10', '--resume', '--force'];
    const ran = await exporting(server, home, ...words);
    expect(ran.code, ran.stderr).toBe(0);
    expect(read(home, 'o.ndjson')).toBe(asLines(all));
  }
});

test('a resumed export uses the zone of its first run, and is refused when this machine has no such zone', async () => {
  using home = newHome();
  let broken = true;
  const people = all.map(({ created_at }, index) => ({ id: `cus_${index}`, object: 'customer', created_at }));
  const list = (from: number, to: number, more: boolean) =>
    json({ object: 'list', has_more: more, data: people.slice(from, to) });
  await using server = await startServer((request, ...rest) =>
    (request.url.includes('next=') ? (broken ? refusal : list(10, 20, false)) : list(0, 10, true))(
      request,
      ...rest,
    ),
  );
  const run = (...words: readonly string[]) =>
    paydesk(['customers', 'export', '--to', 'c.csv', ...words], { home, env: environment(server.url) });
  expect((await run()).code).toBe(4);
  broken = false;
  const folder = join(home.path, '.local/state/paydesk/exports');
  const path = join(folder, readdirSync(folder)[0] ?? '');
  const sound = read(home, path.slice(home.path.length));
  writeFileSync(path, sound.replace(/"zone":"[^"]*"/, '"zone":"Nowhere/Else"'));
  expect(await run('--resume')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'the unfinished file counts days in Nowhere/Else: this machine knows no such time zone',
    ),
  });
  writeFileSync(path, sound);
  expect((await run('--resume')).code).toBe(0);
});

const folderAt = (suffix: string) => (at: string) => mkdirSync(`${at}${suffix}`);

test.each([
  ['a folder where the manifest belongs', folderAt('.manifest.json'), '', 'not a plain file'],
  ['a folder where the manifest belongs', folderAt('.manifest.json'), '--force', 'not a plain file'],
  [
    'a link there',
    (at: string) => symlinkSync('elsewhere', `${at}.manifest.json`),
    '--force',
    'not a plain file',
  ],
  ['a folder where the unfinished file belongs', folderAt('.partial'), '', 'is a folder'],
  ['a folder where the unfinished file belongs', folderAt('.partial'), '--resume --force', 'is a folder'],
])('%s is found before anything is sent: %s%s', async (_, make, words, message) => {
  await using server = await startOrders(3);
  using home = newHome();
  make(join(home.path, 'o.csv'));
  const ran = await exporting(server, home, '--to', 'o.csv', ...words.split(' ').filter(Boolean));
  expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining(message) });
  expect(server.requests).toHaveLength(0);
});

test('a foreign file in the place of the manifest is replaced only with --force, an old manifest also without it', async () => {
  await using server = await startOrders(3);
  using home = newHome();
  writeFileSync(join(home.path, 'o.csv.manifest.json'), '{"mine":true}\n');
  const ran = await exporting(server, home, '--to', 'o.csv');
  expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('is not a manifest of an export') });
  expect(read(home, 'o.csv.manifest.json')).toBe('{"mine":true}\n');
  expect((await exporting(server, home, '--to', 'o.csv', '--force')).code).toBe(0);
  writeFileSync(join(home.path, 'p.csv.manifest.json'), read(home, 'o.csv.manifest.json'));
  expect((await exporting(server, home, '--to', 'p.csv')).code).toBe(0);
});

test('a folder that cannot be written, and checkpoints that cannot: exit 3, the path by name, no warning of Node', async () => {
  await using server = await startOrders(3);
  using home = newHome();
  const nowhere = await exporting(server, home, '--to', '/proc/o.csv');
  expect(nowhere.code).toBe(3);
  expect(nowhere.stderr).toContain('/proc/o.csv.partial.new cannot be written');
  expect(nowhere.stderr).not.toContain('Warning');
  const folder = join(home.path, '.local/state/paydesk/exports');
  expect(readdirSync(folder)).toEqual([]);
  await exporting(server, home, '--to', 'o.csv');
  expect(readdirSync(folder)).toEqual([]);
});

test('a key that comes back as an id, a currency, a status or an error is in no file, not even an unfinished one', async () => {
  const echo = { id: testKey, object: 'order', currency: testKey, payment_status: testKey, amount: 1 };
  const answers = [
    json({ object: 'list', has_more: true, data: [echo] }),
    json({ object: 'error', type: testKey, details: [{ message: `bad ${testKey}`, code: testKey }] }, 400),
  ];
  let asked = 0;
  await using server = await startServer((...exchange) => {
    asked += 1;
    return answers[Math.min(asked, 2) - 1]?.(...exchange);
  });
  using home = newHome();
  const ran = await exporting(server, home, '--to', 'o.ndjson');
  expect(ran).toMatchObject({ code: 9, stderr: expect.stringContaining('1 orders are in ') });
  const files = readdirSync(home.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  expect(files.filter((path) => /partial|jsonl$/.test(path))).toHaveLength(3);
  expect(files.filter((path) => readFileSync(path).includes(testKey))).toEqual([]);
});
