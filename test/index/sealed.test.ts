/** What the index keeps can be read with its key alone: the bytes of its files, wrong keys, moved segments, other accounts. */

import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLong } from '../harness/long.ts';
import type { Json } from '../harness/orders.ts';
import type { Home } from '../harness/paydesk.ts';
import { type Service, startService, storeShop } from '../harness/service.ts';
import { idAt, ok, ordersOf, type Shop, startShop, statusOf } from './shop.ts';

const folderOf = (home: Home): string => join(home.path, '.local/state/paydesk/index');

function indexFiles(home: Home): readonly string[] {
  return readdirSync(folderOf(home)).map((name) => join(folderOf(home), name));
}

function databaseOf(home: Home): string {
  return indexFiles(home).find((file) => file.endsWith('.db')) ?? '';
}

/** Those of the texts that stand in the bytes of a file, in UTF-8 or UTF-16, in any case. */
function shownIn(bytes: Buffer, texts: readonly string[]): readonly string[] {
  const plain = bytes.toString('latin1').toLowerCase();
  return texts.filter((text) =>
    [Buffer.from(text), Buffer.from(text.toLowerCase()), Buffer.from(text, 'utf16le')].some((needle) =>
      plain.includes(needle.toString('latin1').toLowerCase()),
    ),
  );
}

describe('11 no name or address is in the bytes', () => {
  const texts = (orders: readonly Json[]): readonly string[] =>
    [
      ...new Set(
        orders.flatMap(({ customer_info: buyer, id, metadata }) => {
          const { name, email, phone, customer_id: customer } = buyer as Record<string, string>;
          return [
            name,
            email,
            phone,
            customer,
            String(id),
            String((metadata as Json).shop_order ?? id),
          ].flatMap((text) => text ?? []);
        }),
      ),
    ].slice(0, isLong ? 10_000 : 1_000);

  test('of the database, its log and temporary files, during a build and after forgetting; the search finds a planted one', async () => {
    const orders = ordersOf(1_500);
    await using service = await startService({
      orders,
      onGet: ({ home }) => {
        if (!existsSync(folderOf(home))) return;
        for (const file of indexFiles(home)) during.push(...shownIn(readFileSync(file), names));
      },
    });
    const names = texts(orders);
    const during: string[] = [];
    expect(names).toHaveLength(isLong ? names.length : 1_000);
    await ok(service.run(['index', 'build', '--yes']));
    await ok(service.run(['index', 'forget', '--buyer', 'buyer7@example.com', '--yes']));
    await ok(service.run(['index', 'refresh']));
    await ok(service.run(['orders', 'find', 'torres', '--csv', '--columns', 'id']));
    expect(during).toEqual([]);
    for (const file of indexFiles(service.home))
      expect([file, shownIn(readFileSync(file), names)]).toEqual([file, []]);
    const planted = Buffer.concat([readFileSync(databaseOf(service.home)), Buffer.from(names[500] ?? '')]);
    expect(shownIn(planted, names)).toContain(names[500]);
  });

  test('the files belong to their owner alone', async () => {
    await using shop = await startShop(ordersOf(50));
    expect(statSync(folderOf(shop.home)).mode & 0o777).toBe(0o700);
    for (const file of indexFiles(shop.home)) expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe('12 what does not open is refused, with the command', () => {
  const keysOf = (home: Home): string => join(home.path, '.config/paydesk/keys.json');

  // What needs only the state and the edges of an index does not open its other parts.
  async function refused(
    shop: Service,
    commands: readonly (readonly string[])[] = everyCommand,
  ): Promise<void> {
    for (const command of commands) {
      const { code, stderr, stdout } = await shop.run(command);
      expect([command, code, stdout]).toEqual([command, 3, '']);
      expect(stderr).toContain('paydesk index forget --all --yes\n');
      expect(stderr).toContain('paydesk index build\n');
    }
    expect((await shop.run(['orders', 'find', 'torres'])).stderr).toContain(
      'paydesk orders find torres --live\n',
    );
    // A list is shown all the same, and says that the index did not learn from it.
    const listed = await shop.run(['orders', 'list', '--limit', '2']);
    expect(listed.code).toBe(0);
    if (commands === everyCommand) expect(listed.stderr).toContain('the index did not learn from this');
    const live = await shop.run(['orders', 'find', 'REF-4', '--live']);
    expect(live.code).toBe(0);
    await ok(shop.run(['index', 'forget', '--all', '--yes']));
    await ok(shop.run(['index', 'build', '--yes']));
    await ok(shop.run(['orders', 'find', 'REF-4']));
  }

  const search = ['orders', 'find', 'torres'];
  const everyCommand = [search, ['index', 'status'], ['index', 'refresh']];
  const small = () => startShop(ordersOf(60));
  const change = (shop: Shop, sql: string): void => {
    using db = new DatabaseSync(databaseOf(shop.home));
    db.exec(sql);
  };

  test('another key', async () => {
    await using shop = await small();
    const file = keysOf(shop.home);
    const keys = JSON.parse(readFileSync(file, 'utf8')) as { readonly keys: [string, { key: string }][] };
    const [, entry] = keys.keys.find(([name]) => name.startsWith('index ')) ?? [];
    if (entry !== undefined) entry.key = Buffer.alloc(32, 7).toString('base64url');
    writeFileSync(file, JSON.stringify(keys));
    await refused(shop);
  });

  test('a key that is lost', async () => {
    await using shop = await small();
    const file = keysOf(shop.home);
    const keys = JSON.parse(readFileSync(file, 'utf8')) as { readonly keys: [string, unknown][] };
    writeFileSync(
      file,
      JSON.stringify({ ...keys, keys: keys.keys.filter(([name]) => !name.startsWith('index ')) }),
    );
    await refused(shop);
  });

  const first = 0;
  const last = -1;
  // One shop for all: its index is built again at the end of each.
  let large: Shop;
  beforeAll(async () => {
    large = await startShop(ordersOf(2_100));
  });
  afterAll(() => large[Symbol.asyncDispose]());
  test.each([
    [
      'two segments in the place of each other',
      `UPDATE segments SET pos = 9e9 WHERE pos = ${first}; UPDATE segments SET pos = ${first} WHERE pos = ${last};
       UPDATE segments SET pos = ${last} WHERE pos = 9e9`,
    ],
    [
      'the texts of one segment in another',
      `UPDATE segments SET text = (SELECT text FROM segments WHERE pos = ${last}) WHERE pos = ${first}`,
    ],
    [
      'the edge of one segment in another',
      `UPDATE segments SET edge = (SELECT edge FROM segments WHERE pos = ${last}) WHERE pos = ${first}`,
    ],
    ['a segment that is missing', `DELETE FROM segments WHERE pos = ${last}`],
    [
      'one byte that was changed',
      "UPDATE segments SET ids = CAST(substr(ids, 1, 40) || X'00' || substr(ids, 42) AS BLOB)",
    ],
    ['a state from before', 'UPDATE head SET writing = writing + 1'],
  ])('%s', async (name, sql) => {
    change(large, sql);
    await refused(large, /texts|byte/.test(name) ? [search] : everyCommand);
  });

  test('the file of another account, and a file that is no database', async () => {
    await using shop = await small();
    await using other = await startShop(ordersOf(60, { apart: 300 }));
    cpSync(databaseOf(other.home), databaseOf(shop.home));
    // Whoever can copy the file may be able to copy the key as well.
    const keys = JSON.parse(readFileSync(keysOf(shop.home), 'utf8')) as { readonly keys: unknown[] };
    const more = JSON.parse(readFileSync(keysOf(other.home), 'utf8')) as { readonly keys: unknown[] };
    writeFileSync(keysOf(shop.home), JSON.stringify({ ...keys, keys: [...keys.keys, ...more.keys] }));
    await refused(shop);
    writeFileSync(
      databaseOf(shop.home),
      'this is no database, but it is long enough to look like one'.repeat(40),
    );
    await refused(shop);
  });
});

describe('13 one index per account', () => {
  test('two profiles of one account share it, and another mode has its own', async () => {
    await using service = await startService({ orders: ordersOf(80) });
    const { home } = service;
    await storeShop(home, service);
    const { storeProfile } = await import('../harness/profile.ts');
    const { testKey } = await import('../harness/service.ts');
    await storeProfile(home, { name: 'second', baseUrl: service.url, mode: 'sandbox' }, testKey);
    await storeProfile(home, { name: 'real', baseUrl: service.url, mode: 'production' }, testKey);
    const env = { PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '' };
    await ok(service.run(['-p', 'shop', 'index', 'build', '--yes'], { env }));
    const status = JSON.parse(
      (await ok(service.run(['-p', 'second', 'index', 'status', '--json'], { env }))).stdout,
    );
    expect(status).toMatchObject({ orders: 80, complete: true });
    const before = service.requests.length;
    expect((await ok(service.run(['-p', 'second', 'orders', 'find', 'REF-72'], { env }))).stdout).toContain(
      idAt(72),
    );
    expect(service.requests.length - before).toBe(3);
    const real = await service.run(['-p', 'real', 'index', 'status'], { env });
    expect(real.code).toBe(3);
    expect(real.stderr).toContain('paydesk -p real index build');

    // It stays as long as one of them reaches the account.
    await ok(service.run(['profile', 'remove', 'shop', '--yes'], { env }));
    await ok(service.run(['-p', 'second', 'index', 'status'], { env }));
    const removed = await ok(service.run(['profile', 'remove', 'second', '--yes'], { env }));
    expect(removed.stderr).toContain('the index of its orders was erased with it');
    expect(indexFiles(home)).toEqual([]);
    expect(readFileSync(join(home.path, '.config/paydesk/keys.json'), 'utf8')).not.toContain('index ');
  });

  test('simulator reset erases that of the demo', async () => {
    await using service = await startService({});
    const { home } = service;
    const env = { PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '' };
    await ok(service.run(['-p', 'demo', 'index', 'build', '--yes'], { env }));
    expect(indexFiles(home)).not.toEqual([]);
    await ok(service.run(['simulator', 'reset'], { env }));
    expect(indexFiles(home)).toEqual([]);
    expect((await service.run(['-p', 'demo', 'index', 'status'], { env })).code).toBe(3);
  });
});

test('a new key opens everything, the old one nothing, and only one of them is kept', async () => {
  await using shop = await startShop(ordersOf(1_300));
  const keys = join(shop.home.path, '.config/paydesk/keys.json');
  const before = readFileSync(keys, 'utf8');
  const status = await statusOf(shop);
  await ok(shop.run(['index', 'rekey']));
  expect(readFileSync(keys, 'utf8')).not.toBe(before);
  expect(readFileSync(keys, 'utf8').match(/"index /g)).toHaveLength(1);
  expect(await statusOf(shop)).toEqual({ ...status, bytes: expect.any(Number) });
  expect((await shop.find('REF-400')).ids).toEqual([idAt(400)]);
  const now = readFileSync(keys, 'utf8');
  writeFileSync(keys, before);
  expect((await shop.find('REF-400')).code).toBe(3);
  writeFileSync(keys, now);
  expect((await shop.find('REF-400')).code).toBe(0);
});

test('the key of the index is masked like every other key', async () => {
  await using shop = await startShop(ordersOf(10));
  const { keys } = JSON.parse(readFileSync(join(shop.home.path, '.config/paydesk/keys.json'), 'utf8')) as {
    readonly keys: readonly (readonly [string, { readonly key: string }])[];
  };
  const [, { key } = { key: '' }] = keys[0] ?? [];
  shop.orders = [{ ...ordersOf(1)[0], metadata: { note: key } }];
  const ran = await shop.run(['orders', 'list', '--json']);
  expect(key.length).toBeGreaterThan(40);
  expect(ran.stdout).not.toContain(key);
});
