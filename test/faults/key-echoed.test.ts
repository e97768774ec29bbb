/** A key that a service echoes, in 45 spellings and in every place of a reply, leaves the program nowhere. */

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesUnder, newCanary } from '../harness/canary.ts';
import { chargeOf, listOf, orderOf } from '../harness/orders.ts';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { storeProfile } from '../harness/profile.ts';
import { revealing, reveals } from '../harness/reveals.ts';
import { type Handler, reply, type SeenRequest, startServer, type TestServer } from '../harness/server.ts';
import { spellings } from '../terminal/spellings.ts';

const type = { 'content-type': 'application/json' };

/** The key in every spelling, twice as JSON: as text, and, where that is JSON, with its escapes as they are. */
function echoes(key: string): string {
  const spelt = Object.values(spellings).map((spell) => spell(key));
  return JSON.stringify(spelt)
    .slice(1, -1)
    .concat(
      ',',
      spelt
        .filter(isLiteral)
        .map((text) => `"${text}"`)
        .join(','),
    );
}

function isLiteral(text: string): boolean {
  try {
    return typeof JSON.parse(`"${text}"`) === 'string';
  } catch {
    return false;
  }
}

function orderFullOf(key: string, refunded = false): string {
  const texts = Object.values(spellings).map((spell) => spell(key));
  const charge = chargeOf('ch_1', 300, {
    description: texts.join(' '),
    ...(refunded
      ? {
          status: 'refunded',
          refunds: listOf({
            id: 'rf_1',
            object: 'refund',
            amount: -300,
            created_at: 1_790_003_600,
            auth_code: texts[2],
          }),
        }
      : {}),
  });
  const order = orderOf('ord_1', [charge], {
    customer_info: { object: 'customer_info', name: `Ana ${texts.join(' ')}`, email: texts[9] },
    channel: texts[4],
    ...(refunded ? { payment_status: 'refunded', amount_refunded: 300, is_refundable: false } : {}),
  });
  return JSON.stringify({ ...order, [texts[0] ?? '']: 'a name of a field' }).replace(
    '"metadata":{}',
    `"metadata":{"echoes":[${echoes(key)}]}`,
  );
}

function errorFullOf(key: string): string {
  const text = JSON.stringify(
    Object.values(spellings)
      .map((spell) => spell(key))
      .join(' '),
  );
  const detail = `{"message":${text},"debug_message":${text},"param":${text},"code":${text}}`;
  return `{"object":"error","type":${text},"log_id":${text},"details":[${detail},${detail}],"data":[${echoes(key)}]}`;
}

const headers = (key: string): Record<string, string> =>
  Object.fromEntries(
    Object.values(spellings).flatMap((spell, index) =>
      // What a header cannot hold, it cannot echo.
      /^[ -\xff]*$/.test(spell(key)) ? [[`x-echo-${index}`, spell(key)]] : [],
    ),
  );

const listing = (...orders: readonly string[]): string =>
  `{"object":"list","has_more":false,"data":[${orders.join(',')}]}`;

/** A service that holds one order and says the key back in whatever it says. */
function echoing(onPost: (key: string) => Handler): Handler {
  let changed = false;
  return (request, response, socket) => {
    const key = keyOf(request);
    if (request.method === 'GET') {
      const body = request.url.includes('customers') ? errorFullOf(key) : listing(orderFullOf(key, changed));
      return reply(body, request.url.includes('customers') ? 422 : 200, { ...type, ...headers(key) })(
        request,
        response,
        socket,
      );
    }
    changed = true;
    return onPost(key)(request, response, socket);
  };
}

function keyOf({ headers: { authorization = '' } }: SeenRequest): string {
  return authorization.replace('Bearer ', '');
}

interface Planted {
  readonly home: Home;
  readonly key: string;
  readonly ran: (...args: readonly string[]) => Promise<Ran>;
}

async function plant(home: Home, { url }: TestServer): Promise<Planted> {
  const key = newCanary();
  const settings = { 'reconcile.after': '0' };
  await storeProfile(home, { name: 'a', baseUrl: url, mode: 'sandbox', settings }, key);
  return { home, key, ran: (...args) => paydesk(['-p', 'a', ...args], { home, env: { TZ: 'UTC' } }) };
}

const keptIn = (home: Home): string => join(home.path, '.config', 'paydesk', 'keys.json');

function expectNowhere({ home, key }: Planted, runs: readonly Ran[]): void {
  for (const { stdout, stderr } of runs) {
    expect(reveals(key, stdout), stdout).toBe(false);
    expect(reveals(key, stderr), stderr).toBe(false);
  }
  expect(revealing(key, filesUnder(home.path))).toEqual([keptIn(home)]);
}

describe.concurrent('a key in 45 spellings in every place of a reply is masked (F69)', () => {
  test('there are 45 spellings, and each is found by the search', () => {
    const key = newCanary();
    const found = Object.entries(spellings).filter(([, spell]) => reveals(key, `a ${spell(key)} b`));
    expect(found).toHaveLength(45);
    expect(reveals(key, echoes(newCanary()))).toBe(false);
  });

  test.each(['table', 'list', 'json', 'ndjson', 'csv'])('lists and one order, -o %s', async (format) => {
    using home = newHome();
    await using server = await startServer(echoing(() => reply('', 500)));
    const planted = await plant(home, server);
    const runs = [
      await planted.ran('orders', 'list', '-o', format, '--debug'),
      await planted.ran('orders', 'show', 'ord_1', '-o', format),
      await planted.ran('orders', 'find', 'Ana', '-o', format),
      await planted.ran('customers', 'list', '-o', format, '--debug'),
    ];
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 5]);
    expect(runs[0]?.stdout + (runs[1]?.stdout ?? '')).toContain('[key]');
    if (format === 'json') for (const { stdout } of runs.slice(0, 2)) JSON.parse(stdout);
    if (format === 'json') JSON.parse(runs[3]?.stderr ?? '');
    expectNowhere(planted, runs);
  });

  test('JSON with a masked key is still JSON, and the rest is as the service wrote it', async () => {
    using home = newHome();
    const order =
      '{"id":"ord_1", "object":"order","amount":1.0,"big":9007199254740993,"note":"KEY","name":"Jos\\u00e9"}';
    await using server = await startServer((request, response, socket) =>
      reply(listing(order.replace('KEY', () => JSON.stringify(keyOf(request)).slice(1, -1))), 200, type)(
        request,
        response,
        socket,
      ),
    );
    const planted = await plant(home, server);
    const ran = await planted.ran('orders', 'list', '--ndjson');
    expect(ran.stdout).toBe(`${order.replace('KEY', '[key]')}\n`);
    expectNowhere(planted, [ran]);
  });

  test('exports with their manifests, api, and the headers that it shows', async () => {
    using home = newHome();
    await using server = await startServer(echoing(() => reply('', 500)));
    const planted = await plant(home, server);
    const runs = [
      await planted.ran('orders', 'export', '--to', 'o.ndjson'),
      await planted.ran('orders', 'export', '--to', 'o.json'),
      await planted.ran('orders', 'export', '--to', 'o.csv'),
      await planted.ran('orders', 'export', '--json'),
      await planted.ran('api', 'GET', 'orders', '--include'),
      await planted.ran('api', 'GET', 'customers', '--include', '--json'),
    ];
    expect(
      runs.map(({ code }) => code),
      runs.at(-2)?.stderr,
    ).toEqual([0, 0, 0, 0, 0, 5]);
    const made = readdirSync(home.path).filter((name) => name.startsWith('o.'));
    expect(made).toHaveLength(6);
    expectNowhere(planted, runs);
  });

  const answers: Readonly<Record<string, (key: string) => Handler>> = {
    'the refunded order': (key) => reply(orderFullOf(key, true), 200, { ...type, ...headers(key) }),
    'a refusal': (key) => reply(errorFullOf(key), 422, { ...type, ...headers(key) }),
    'an HTML page': (key) =>
      reply(
        `<html>${Object.values(spellings)
          .map((spell) => spell(key))
          .join('<br>')}`,
        502,
        { 'content-type': 'text/html' },
      ),
    'no JSON': (key) => reply(`{"data":[${echoes(key)}`, 200, type),
  };
  test.each(Object.entries(answers))(
    'a refund that is answered by %s, and its journal',
    async (_, onPost) => {
      using home = newHome();
      await using server = await startServer(echoing(onPost));
      const planted = await plant(home, server);
      const runs = [
        await planted.ran('orders', 'refund', 'ord_1', '--dry-run'),
        await planted.ran('orders', 'refund', 'ord_1', '--yes', '--json', '--debug'),
        await planted.ran('orders', 'refund', 'ord_1', '--yes'),
        await planted.ran('journal', 'list', '--json'),
        await planted.ran('journal', 'list', '-o', 'list'),
        await planted.ran('journal', 'list', '--all'),
        await paydesk(['__complete', 'zsh', '2', 'journal', 'show', ''], { home }),
      ];
      const change = /i_[0-9a-f]{8}/.exec(runs[3]?.stdout ?? '')?.[0] ?? '';
      runs.push(
        await planted.ran('journal', 'show', change, '--json'),
        await planted.ran('journal', 'show', change),
      );
      expect(runs.slice(7).map(({ code }) => code)).toEqual([0, 0]);
      expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
      expect(filesUnder(home.path).some((path) => path.endsWith('journal.db'))).toBe(true);
      expectNowhere(planted, runs);
    },
  );

  test('a redirect to a host that is the key, in the lower case of host names', async () => {
    using home = newHome();
    const key = 'Sk-Live-4u9fQ2mZ7';
    await using server = await startServer(reply('', 302, { location: `https://${key}.example/?k=${key}` }));
    const env = { PAYDESK_BASE_URL: server.url, PAYDESK_MODE: 'sandbox', PAYDESK_API_KEY: key };
    const ran = await paydesk(['orders', 'list', '--debug'], { home, env });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('[key].example');
    expect(reveals(key, ran.stdout + ran.stderr)).toBe(false);
  });

  test('a body that comes in pieces of three bytes', async () => {
    using home = newHome();
    await using server = await startServer((request, response) => {
      const body = Buffer.from(listing(orderFullOf(keyOf(request))));
      response.writeHead(200, type);
      for (let at = 0; at < body.length; at += 3) response.write(body.subarray(at, at + 3));
      response.end();
    });
    const planted = await plant(home, server);
    const ran = await planted.ran('orders', 'list', '--json');
    expect(JSON.parse(ran.stdout)).toMatchObject({ data: [{ id: 'ord_1', amount: 300 }] });
    expectNowhere(planted, [ran]);
  });
});

test('the search finds a key that is planted in a file of each kind', async () => {
  using home = newHome();
  await using server = await startServer(echoing((key) => reply(orderFullOf(key, true), 200, type)));
  const planted = await plant(home, server);
  await planted.ran('orders', 'refund', 'ord_1', '--yes');
  await planted.ran('orders', 'export', '--to', 'o.ndjson');
  const key = newCanary();
  const files = filesUnder(home.path).filter((path) => !path.includes('compile'));
  expect(files.length).toBeGreaterThan(4);
  expect(revealing(key, files)).toEqual([]);
  const spells = Object.values(spellings);
  files.forEach((path, index) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `x ${spells[index % spells.length]?.(key) ?? key} y`, { flag: 'a' });
  });
  expect(revealing(key, files)).toEqual(files);
});
