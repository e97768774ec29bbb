/** What an export writes: stdout and files, their manifests, and which files are refused. */

import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync, gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { readCsv } from '../harness/csv.ts';
import { type Home, newHome, paydesk } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { inOneLine } from '../harness/ran.ts';
import { json, startServer } from '../harness/server.ts';
import { startService } from '../harness/service.ts';
import { exporting, orderAt, orders, startOrders } from './many-orders.ts';

const at = (home: Home, name: string) => join(home.path, name);
const text = (home: Home, name: string) => readFileSync(at(home, name), 'utf8');
const manifest = (home: Home, name: string) => JSON.parse(text(home, `${name}.manifest.json`));

const count = 60;
const lines = orders(count).map((order) => `${JSON.stringify(order)}\n`);

test('stdout gets every order of every page, byte for byte, and nothing else', async () => {
  await using server = await startOrders(count);
  using home = newHome();
  const ran = await exporting(server, home, '--limit', '25');
  expect(ran).toMatchObject({ code: 0, stdout: lines.join('') });
  expect(ran.stderr).toBe('60 orders, complete\n');
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/orders?limit=25',
    '/orders?limit=25&next=ord_000000000036',
    '/orders?limit=25&next=ord_000000000011',
  ]);
});

test('a terminal is not filled with records: both commands are named, and -o shows them all the same', async () => {
  using home = newHome();
  const person = sit(['-p', 'demo', 'orders', 'export', '--since', '2020-01-01'], { home, env: {} }, 120);
  const { code, screen } = await person.leaves;
  expect(code).toBe(2);
  expect(screen).not.toContain('{"');
  expect(screen).toContain('paydesk -p demo orders export --since 2020-01-01 --to orders.csv\n');
  expect(screen).toContain('paydesk -p demo orders export --since 2020-01-01 -o ndjson\n');
  const shown = await sit(['-p', 'demo', 'orders', 'export', '-o', 'ndjson'], { home, env: {} }).leaves;
  expect(shown).toMatchObject({ code: 0, screen: expect.stringContaining('{"') });
});

// What stdout gets of them in each format, as all the files below hold it.
const onStdout = new Map<string, string>();
beforeAll(async () => {
  await using server = await startOrders(count);
  using home = newHome();
  for (const format of ['ndjson', 'json', 'csv'])
    onStdout.set(format, (await exporting(server, home, '-o', format)).stdout);
});

test('JSON is one envelope, CSV one table whose heading line is always the same', async () => {
  await using server = await startOrders(count);
  using home = newHome();
  const envelope: unknown = JSON.parse(onStdout.get('json') ?? '');
  expect(envelope).toEqual({ object: 'list', data: orders(count), has_more: false });
  const csv = await exporting(server, home, '--csv', '--columns', 'id,amount,created_at');
  const [head, first, ...rest] = readCsv(csv.stdout);
  expect(head).toEqual(['id', 'amount', 'created_at']);
  expect(first).toEqual(['ord_000000000060', '10000', '2026-11-18T11:06:40Z']);
  expect(rest).toHaveLength(count - 1);
});

test.each(['o.ndjson', 'o.json', 'o.csv', 'o.ndjson.gz', 'o.json.gz', 'o.csv.gz'])(
  '%s holds what stdout gets, and its manifest describes it',
  async (name) => {
    await using server = await startOrders(count);
    using home = newHome();
    const format = name.split('.')[1] ?? '';
    const ran = await exporting(server, home, '--to', name, '--limit', '25');
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    expect(ran.stderr).toContain(`${name}: 60 orders, `);
    const bytes = readFileSync(at(home, name));
    expect((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()).toBe(onStdout.get(format));
    expect(manifest(home, name)).toMatchObject({
      object: 'export_manifest',
      file: name,
      complete: true,
      account: { origin: server.url, vendor: 'service', mode: 'sandbox' },
      query: { rows: 'orders', by: 'created', since: null, until: null, format },
      rows: count,
      records_read: count,
      first_id: 'ord_000000000060',
      last_id: 'ord_000000000001',
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    expect(text(home, `${name}.manifest.json`)).not.toContain('key_test');
    expect(readdirSync(home.path).filter((file) => file.startsWith('o.'))).toEqual([
      name,
      `${name}.manifest.json`,
    ]);
    expect(statSync(at(home, name)).mode & 0o777).toBe(0o600);
    expect(statSync(at(home, `${name}.manifest.json`)).mode & 0o777).toBe(0o600);
  },
);

test('a .gz has one member for each page, so that each page can be read by itself', async () => {
  await using server = await startOrders(count);
  using home = newHome();
  await exporting(server, home, '--to', 'o.ndjson.gz', '--limit', '25');
  const bytes = readFileSync(at(home, 'o.ndjson.gz'));
  const starts = [0, 1, 2].map((page) => Buffer.from(lines.slice(page * 25, page * 25 + 25).join('')));
  let from = 0;
  for (const page of starts) {
    // The head of a member: its magic number, deflate, no flags, no time.
    expect(bytes.subarray(from, from + 8)).toEqual(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]));
    const next = bytes.indexOf(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), from + 8);
    const member = bytes.subarray(from, next === -1 ? bytes.length : next);
    expect(gunzipSync(member)).toEqual(page);
    from += member.length;
  }
  expect(from).toBe(bytes.length);
});

test('a file that exists, a link, a folder: refused, nothing is sent, nothing is touched; --force replaces a file (F61)', async () => {
  await using server = await startOrders(3);
  using home = newHome();
  writeFileSync(at(home, 'there.csv'), 'mine');
  writeFileSync(at(home, 'target.csv'), 'mine');
  symlinkSync(at(home, 'target.csv'), at(home, 'link.csv'));
  symlinkSync(at(home, 'nowhere.csv'), at(home, 'dangling.csv'));
  mkdirSync(at(home, 'folder.csv'));
  for (const name of ['there.csv', 'link.csv', 'dangling.csv', 'folder.csv']) {
    const ran = await exporting(server, home, '--to', name);
    expect(ran, name).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toContain(`--to ${name}: `);
  }
  for (const name of ['link.csv', 'dangling.csv', 'folder.csv']) {
    expect((await exporting(server, home, '--to', name, '--force')).code, name).toBe(3);
  }
  expect(server.requests).toHaveLength(0);
  expect(text(home, 'there.csv')).toBe('mine');
  expect(text(home, 'target.csv')).toBe('mine');
  expect(existsSync(at(home, 'nowhere.csv'))).toBe(false);
  expect(await exporting(server, home, '--to', 'there.csv', '--force')).toMatchObject({ code: 0 });
  expect(text(home, 'there.csv')).toContain('ord_000000000003');
});

test('an unfinished file that somebody else put there is not written to (F61)', async () => {
  await using server = await startOrders(3);
  using home = newHome();
  writeFileSync(at(home, 'mine'), 'mine');
  linkSync(at(home, 'mine'), at(home, 'o.csv.partial'));
  for (const more of [[], ['--resume']]) {
    const ran = await exporting(server, home, '--to', 'o.csv', ...more);
    expect(ran).toMatchObject({ code: 3 });
    expect(ran.stderr).toContain('o.csv.partial');
  }
  expect(text(home, 'mine')).toBe('mine');
  expect(server.requests).toHaveLength(0);
});

test.each([
  [['--to', 'o.txt'], '--to o.txt: end the name in .xlsx, .ndjson'],
  [['--to', 'o.ndjson', '--csv'], '--to o.ndjson says ndjson, -o says csv'],
  [['-o', 'table'], '-o table: an export is ndjson, json, csv'],
  [['--resume'], '--resume needs --to FILE'],
  [['--force'], '--force needs --to FILE'],
  [['--max-age', '26h'], '--max-age needs --verify FILE'],
  [['--tz', 'Mars/Olympus'], '--tz Mars/Olympus: this machine knows no such time zone'],
  [['--to', 'none/o.csv'], '--to none/o.csv: its folder cannot be used: no such file or directory (ENOENT)'],
  [['--to', '/etc/passwd/o.csv'], '--to /etc/passwd/o.csv: it cannot be used: not a directory (ENOTDIR)'],
  [['--to', `o.${'x'.repeat(235)}.csv`], 'it cannot be used: name too long (ENAMETOOLONG)'],
  [['--to', 'o.csv', '--columns', 'nope'], '--columns nope: there is no such column'],
  [['--verify', 'nothing.csv', '--to', 'o.csv'], '--verify'],
])('%j exits 2, sends nothing and leaves no file', async (words, message) => {
  await using server = await startOrders(3);
  using home = newHome();
  const ran = await exporting(server, home, ...words);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(message);
  expect(server.requests).toHaveLength(0);
  expect(readdirSync(home.path).filter((file) => file.startsWith('o.'))).toEqual([]);
});

test('beside a name that says the format, --json says how the run speaks: a failure is one JSON object', async () => {
  let broken = true;
  await using server = await startOrders(count, (page) =>
    broken && page > 1 ? json({}, 503, { 'retry-after': '0' }) : undefined,
  );
  using home = newHome();
  const words = ['--to', 'o.csv.gz', '--limit', '25', '--json'];
  const failed = await exporting(server, home, ...words);
  expect(failed).toMatchObject({ code: 9, stdout: '' });
  expect(JSON.parse(failed.stderr)).toMatchObject({
    object: 'error',
    exit_code: 9,
    now: ['go on with the export: paydesk orders export --limit 25 --json --to o.csv.gz --resume'],
  });
  broken = false;
  expect(await exporting(server, home, ...words, '--resume')).toMatchObject({ code: 0, stdout: '' });
  expect(gunzipSync(readFileSync(at(home, 'o.csv.gz'))).toString()).toBe(onStdout.get('csv'));
});

test('--verify tells a whole file from a changed, a short, an unfinished and an old one, without the service', async () => {
  await using server = await startOrders(count);
  using home = newHome();
  await exporting(server, home, '--to', 'o.csv');
  const check = (...words: readonly string[]) =>
    exporting({ url: 'http://127.0.0.1:9' }, home, '--verify', ...words);
  const good = await check('o.csv', '--max-age', '26h', '--json');
  expect(good.code).toBe(0);
  expect(JSON.parse(good.stdout)).toMatchObject({ object: 'export_check', ok: true, rows: count });
  const whole = text(home, 'o.csv');
  writeFileSync(at(home, 'o.csv'), whole.replace('10000', '10001'));
  expect(await check('o.csv')).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining('SHA-256'),
  });
  writeFileSync(at(home, 'o.csv'), whole.slice(0, -10));
  expect(await check('o.csv')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('its manifest says'),
  });
  writeFileSync(at(home, 'o.csv'), whole);
  const older = { ...manifest(home, 'o.csv'), started_at: Math.floor(Date.now() / 1000) - 27 * 3600 };
  writeFileSync(at(home, 'o.csv.manifest.json'), JSON.stringify(older));
  expect(await check('o.csv', '--max-age', '26h')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('27 h old'),
  });
  expect(await check('o.csv')).toMatchObject({ code: 3, stderr: expect.stringContaining('is not signed') });
  expect(await check('other.csv')).toMatchObject({
    code: 9,
    stderr: expect.stringContaining('other.csv: there is no such file, and no manifest for it'),
  });
  writeFileSync(at(home, 'other.csv'), 'id\n');
  expect((await check('other.csv')).stderr.replace(/\s+/g, ' ')).toContain('other.csv.manifest.json');
  writeFileSync(at(home, 'o.csv.manifest.json'), '{}');
  expect(await check('o.csv')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not a manifest'),
  });
});

test.each([
  [
    'a workbook of a list',
    ['refunds', 'list', '--to', 'r.xlsx'],
    'r.xlsx',
    'its rows are as written; not signed',
  ],
  ['a report', ['report', '--period', 'today', '--to', 'r.html'], 'r.html', 'as written; not signed'],
])(
  '--verify of %s compares its own SHA-256, and says that nobody signed it',
  async (_, words, file, line) => {
    await using service = await startService({ orders: [] });
    const written = await service.run(words);
    expect(written.code, written.stderr).toBe(0);
    const verify = ['orders', 'export', '--verify', file];
    const ran = await service.run(verify);
    expect([ran.code, ran.stdout]).toEqual([0, `${file}: ${line}\n`]);
    const record = JSON.parse((await service.run([...verify, '--json'])).stdout);
    expect(record).toMatchObject({ ok: true, manifest: null, rows: null, signature_checked: false });
    // Nobody who asks for a signature or an age may take it for one.
    expect(await service.run([...verify, '--max-age', '1h'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it has no manifest'),
    });
  },
);

test('--verify where no key is known to compare with says on stdout that the signer is not known, exit 0', async () => {
  await using service = await startService({ orders: [] });
  using elsewhere = newHome();
  await service.run(['orders', 'export', '--to', 'o.csv']);
  const verify = ['orders', 'export', '--verify', at(service.home, 'o.csv')];
  expect((await service.run(verify)).stdout).toMatch(
    /: complete, 0 rows, as of .*; unchanged, signed by this desk\n$/,
  );
  const ran = await paydesk(verify, { home: elsewhere });
  expect([ran.code, ran.stdout]).toEqual([
    0,
    expect.stringMatching(/: complete, 0 rows, as of .*; who signed it is not known here\n$/),
  ]);
  const record = JSON.parse((await paydesk([...verify, '--json'], { home: elsewhere })).stdout);
  expect(record).toMatchObject({ ok: true, signature_checked: false });
  // Another desk is not told to make it again, but how to look whose it is.
  await paydesk(['orders', 'export', '--to', 'own.csv'], { home: elsewhere, env: service.env });
  const other = await paydesk(verify, { home: elsewhere });
  expect(other).toMatchObject({ code: 3 });
  expect(inOneLine(other.stderr)).toContain(
    'if another desk wrote it, add --signed-by with its key (desk_key of its profile show)',
  );
});

test('--verify of a list without a SHA-256 says what can be verified', async () => {
  await using service = await startService({ orders: [] });
  await service.run(['orders', 'list', '--to', 'r.csv']);
  const ran = await service.run(['orders', 'export', '--verify', 'r.csv']);
  const said = ran.stderr.replaceAll(/\s+/g, ' ');
  expect([ran.code, said]).toEqual([2, expect.stringContaining('it has no manifest')]);
  expect(said).toContain('orders export --to FILE writes');
  expect(said).not.toMatch(/--resume|do not load/);
});

test('--verify refuses a workbook of a list that another program packed again', async () => {
  await using service = await startService({ orders: [] });
  await service.run(['refunds', 'list', '--to', 'r.xlsx']);
  const path = at(service.home, 'r.xlsx');
  const bytes = readFileSync(path);
  const about = bytes.subarray(bytes.indexOf('<sheetData', bytes.indexOf('xl/worksheets/sheet2.xml')));
  const head = Buffer.alloc(30);
  head.write('PK\u0003\u0004', 'latin1');
  head.writeUInt16LE(8, 8);
  writeFileSync(path, Buffer.concat([head, deflateRawSync(about)]));
  const ran = await service.run(['orders', 'export', '--verify', 'r.xlsx']);
  expect([ran.code, ran.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
    3,
    expect.stringContaining('another program saved it after paydesk'),
  ]);
});

test('--verify of a workbook of a list whose rows were changed refuses it, also without a manifest', async () => {
  await using service = await startService({ orders: [] });
  const written = await service.run(['refunds', 'list', '--to', 'r.xlsx']);
  expect(written.code, written.stderr).toBe(0);
  const path = at(service.home, 'r.xlsx');
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(40) ^ 1, 40);
  writeFileSync(path, bytes);
  const ran = await service.run(['orders', 'export', '--verify', 'r.xlsx']);
  expect([ran.code, ran.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
    3,
    expect.stringContaining(
      'it is not as paydesk wrote it: the SHA-256 on its second sheet, about, does not match',
    ),
  ]);
});

test('an export that was renamed with its manifest differs only by its name, unless it was changed too', async () => {
  await using server = await startOrders(count);
  using home = newHome();
  await exporting(server, home, '--to', 'o.csv');
  for (const end of ['', '.manifest.json']) renameSync(at(home, `o.csv${end}`), at(home, `p.csv${end}`));
  const check = async () => {
    const ran = await exporting({ url: 'http://127.0.0.1:9' }, home, '--verify', 'p.csv');
    return [ran.code, ran.stderr.replaceAll(/\s+/g, ' ')];
  };
  expect(await check()).toEqual([
    3,
    'refused: p.csv: only its name differs: it was written as o.csv, and its bytes match the manifest, whose signature is right certain: do not load it under this name now: give it and its manifest that name again: o.csv ',
  ]);
  writeFileSync(at(home, 'p.csv'), text(home, 'p.csv').replace('10000', '10001'));
  expect(await check()).toEqual([
    3,
    expect.stringContaining('(its SHA-256 differs); it was written as o.csv'),
  ]);
});

test('a service that refuses pages of 250 is read in pages of its own size', async () => {
  await using server = await startOrders(count, (_, url) =>
    Number(url.searchParams.get('limit') ?? 20) > 20
      ? (_request, response) => {
          response.writeHead(422, { 'content-type': 'application/json' });
          response.end(
            '{"object":"error","type":"parameter_validation_error","details":[{"message":"limit"}]}',
          );
        }
      : undefined,
  );
  using home = newHome();
  expect(await exporting(server, home)).toMatchObject({ code: 0, stdout: lines.join('') });
});

test('records that are not as documented are exported as they came, counted and named', async () => {
  const odd = { ...orderAt(0, 2), amount: '100.50', created_at: 'yesterday' };
  await using server = await startServer(
    json({ object: 'list', has_more: false, data: [odd, orderAt(1, 2)] }),
  );
  using home = newHome();
  const ran = await exporting(server, home, '--to', 'o.ndjson');
  expect(ran.code).toBe(0);
  expect(ran.stderr).toContain("ord_000000000002: not as the service's document says; exported as received");
  expect(text(home, 'o.ndjson').split('\n')[0]).toBe(JSON.stringify(odd));
  expect(manifest(home, 'o.ndjson')).toMatchObject({ rows: 2, odd_records: 1, unsummed_rows: 1 });
});

test('text that could move a cursor is escaped; integers beyond 2^53 and the order of keys are kept', async () => {
  const one = `{"id":"ord_1","b":"a\u009b31m\u202e","a":12345678901234567890,"n":1.50}`;
  const two = `{ "id" : "ord_2",\r\n "amount":9007199254740993, "currency":"MXN" }`;
  await using server = await startServer(json(`{"object":"list","has_more":false,"data":[${one}, ${two}]}`));
  using home = newHome();
  await exporting(server, home, '--to', 'o.ndjson');
  expect(text(home, 'o.ndjson')).toBe(
    '{"id":"ord_1","b":"a\\u009b31m\\u202e","a":12345678901234567890,"n":1.50}\n' +
      '{ "id" : "ord_2","amount":9007199254740993, "currency":"MXN" }\n',
  );
  expect(text(home, 'o.ndjson.manifest.json')).toContain('"amount": 9007199254740993');
});

test('an export without rows exits 0: an empty envelope, only a heading line, no line, and a manifest that says so (C32)', async () => {
  await using server = await startOrders(0);
  using home = newHome();
  const json = await exporting(server, home, '--json');
  expect(JSON.parse(json.stdout)).toEqual({ object: 'list', data: [], has_more: false });
  expect((await exporting(server, home, '--csv', '--columns', 'id,amount')).stdout).toBe('id,amount\n');
  const lines = await exporting(server, home);
  expect(lines).toMatchObject({ code: 0, stdout: '', stderr: '0 orders, complete\n' });
  await exporting(server, home, '--to', 'o.csv.gz', '--columns', 'id,amount');
  expect(gunzipSync(readFileSync(at(home, 'o.csv.gz'))).toString()).toBe('id,amount\n');
  expect(manifest(home, 'o.csv.gz')).toMatchObject({ complete: true, rows: 0, first_id: null, sums: [] });
  expect((await exporting(server, home, '--verify', 'o.csv.gz')).code).toBe(0);
});
