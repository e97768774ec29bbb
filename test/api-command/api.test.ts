/** `api METHOD PATH`: what reaches the service, what comes back, and where it does not go. */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parsePath } from '../../src/changes/api-request.ts';
import { journalFile } from '../atmost/desk.ts';
import { type Desk, startDesk } from '../harness/desk.ts';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { json, startServer } from '../harness/server.ts';
import { sentTo, startCreations } from '../harness/service.ts';

let desk: Desk;
let home: Home;
beforeAll(async () => {
  desk = await startDesk();
  home = newHome();
});
afterAll(async () => {
  await desk[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const api = (args: readonly string[], input?: string): Promise<Ran> =>
  paydesk(['api', ...args], { home, env: desk.env, ...(input === undefined ? {} : { input }) });

describe('GET', () => {
  test('prints the service’s JSON, and carries key, version and language', async () => {
    const ran = await api(['GET', '/orders?limit=2', '--lang', 'es', '--api-version', '2.1.0']);
    expect(ran.code, ran.stderr).toBe(0);
    const orders = await desk.orders();
    expect(JSON.parse(ran.stdout)).toMatchObject({ object: 'list', data: orders.slice(0, 2) });
    const { url, headers } = desk.requests.at(-1) ?? { url: '', headers: {} };
    expect(url).toBe('/orders?limit=2');
    expect(headers).toMatchObject({
      authorization: `Bearer ${desk.key}`,
      accept: 'application/vnd.service-v2.1.0+json',
      'accept-language': 'es',
    });
  });

  test('puts fields into the query', async () => {
    await api(['get', 'orders', '--field', 'limit=1', '--raw-field', 'note=a b&c']);
    expect(desk.requests.at(-1)?.url).toBe('/orders?limit=1&note=a+b%26c');
  });

  test('sends more headers, and none of the profile’s', async () => {
    await api(['GET', 'orders', '--header', 'X-Request-Note: hello']);
    expect(desk.requests.at(-1)?.headers).toMatchObject({ 'x-request-note': 'hello' });
    const seen = desk.requests.length;
    for (const header of [
      'Authorization:Bearer x',
      'Accept:text/html',
      'Host:evil.example',
      'X-HTTP-Method-Override:POST',
    ]) {
      expect((await api(['GET', 'orders', '--header', header])).code, header).toBe(2);
    }
    expect(desk.requests).toHaveLength(seen);
  });

  test('--include shows status and headers, in JSON as one document', async () => {
    const people = await api(['GET', 'orders?limit=1', '--include']);
    expect(people.stdout).toMatch(/^HTTP 200\n[\s\S]*content-type: application\/json\n/);
    const script = await api(['GET', 'orders?limit=1', '--include', '--json']);
    expect(JSON.parse(script.stdout)).toMatchObject({
      object: 'reply',
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: { object: 'list' },
    });
  });

  test.each(['orders', 'customers'])('--paginate merges every page of %s', async (resource) => {
    const ran = await api(['GET', resource, '--field', 'limit=25', '--paginate', '--json']);
    expect(ran.code, ran.stderr).toBe(0);
    const { data, has_more: more } = JSON.parse(ran.stdout) as { data: { id: string }[]; has_more: boolean };
    expect(more).toBe(false);
    expect(data.length).toBeGreaterThan(25);
    expect(new Set(data.map(({ id }) => id)).size).toBe(data.length);
  });

  test('--paginate is refused where no list is documented', async () => {
    expect((await api(['GET', 'checkouts', '--paginate'])).code).toBe(2);
    expect((await api(['GET', 'orders?status=paid', '--paginate'])).code).toBe(2);
  });

  test('an error of the service: exit 5 with its words', async () => {
    const ran = await api(['GET', 'nonsense']);
    expect(ran).toMatchObject({ code: 5, stdout: '' });
    expect(ran.stderr).toContain('HTTP 404');
  });

  test('numbers that JavaScript rounds stay as they came', async () => {
    await using exact = await startServer(json('{"n":12345678901234567890,"deep":[{"x":1.50}]}'));
    const env = { ...desk.env, PAYDESK_BASE_URL: exact.url };
    const ran = await paydesk(['api', 'GET', 'numbers'], { home, env });
    expect(ran.stdout).toBe(
      '{\n  "n": 12345678901234567890,\n  "deep": [\n    {\n      "x": 1.50\n    }\n  ]\n}\n',
    );
  });
});

describe('a change', () => {
  test('sends typed fields, and raw ones as text', async () => {
    await using service = await startCreations();
    const fields = ['amount=300', 'live=true', 'none=null', 'zip=06100', 'name=a=b', 'price=1.50'];
    const typed = fields.flatMap((field) => ['--field', field]);
    const ran = await service.run(['api', 'PUT', 'things/1', ...typed, '--raw-field', 'code=300', '--yes']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(sentTo(service)).toEqual([
      {
        method: 'PUT',
        path: '/things/1',
        body: { amount: 300, live: true, none: null, zip: '06100', name: 'a=b', price: '1.50', code: '300' },
      },
    ]);
  });

  test('sends a body from standard input, or none', async () => {
    await using service = await startCreations();
    await service.run(['api', 'POST', 'things', '--body', '-', '--yes'], { input: '{"a":{"b":[1,null]}}' });
    await service.run(['api', 'DELETE', 'things/1', '--yes']);
    expect(sentTo(service)).toEqual([
      { method: 'POST', path: '/things', body: { a: { b: [1, null] } } },
      { method: 'DELETE', path: '/things/1', body: undefined },
    ]);
  });

  test('under a script’s id is the same with its fields in another order: answered from the journal', async () => {
    await using service = await startCreations();
    const first = ['api', 'POST', 'things', '--field', 'amount=300', '--field', 'b=1'];
    const second = ['api', 'POST', 'things', '--field', 'b=1', '--field', 'amount=300'];
    expect((await service.run([...first, '--idempotency-key', 'a1', '--yes'])).code).toBe(0);
    const repeat = await service.run([...second, '--idempotency-key', 'a1', '--yes']);
    expect(repeat.code, repeat.stderr).toBe(0);
    expect(repeat.stderr).toContain('a1 was made before');
    expect(sentTo(service)).toHaveLength(1);
  });

  test('that got no answer is told again under its id as the request that was sent', async () => {
    await using broken = await startDesk({
      instead: ({ method }) => (method === 'POST' ? json([]) : undefined),
    });
    const words = ['api', 'POST', 'things/1', '--field', 'a=1', '--idempotency-key', 'open-1', '--yes'];
    expect((await paydesk(words, { home, env: broken.env })).code).toBe(7);
    const repeat = await paydesk(words, { home, env: broken.env });
    expect({ code: repeat.code, stderr: repeat.stderr.replaceAll(/\s+/g, ' ') }).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('no usable answer to the POST /things/1 ('),
    });
    expect(broken.changes()).toHaveLength(1);
  });

  test('a header that is added is sent, and stays out of the journal', async () => {
    await using service = await startCreations();
    const header = ['--header', 'X-Secret-Token: s3cr3t-v4lue'];
    const ran = await service.run([
      'api',
      'POST',
      'things',
      '--field',
      'a=1',
      ...header,
      '--yes',
      '--include',
    ]);
    expect(ran.stdout).toContain('HTTP 200');
    expect(service.server.requests.at(-1)?.headers).toMatchObject({ 'x-secret-token': 's3cr3t-v4lue' });
    const journal = readFileSync(journalFile(service.home), 'utf8');
    expect(journal).toContain('"kind":"api"');
    expect(journal).not.toContain('s3cr3t');
    expect(ran.stderr).not.toContain('s3cr3t');
  });

  test('charges of an order are a change of that order: it is located, locked, and stays open on a lost answer', async () => {
    const [first] = await desk.orders();
    const id = first?.id ?? '';
    await using broken = await startDesk({
      instead: ({ method }) => (method === 'POST' ? json([]) : undefined),
    });
    const [other] = await broken.orders();
    const path = `orders/${other?.id}/charges`;
    const run = (args: readonly string[]) => paydesk(args, { home, env: broken.env });
    expect((await run(['api', 'POST', path, '--field', 'amount=1', '--yes'])).code).toBe(7);
    const refund = await run(['orders', 'refund', other?.id ?? '', '--yes']);
    expect(refund.code).toBe(3);
    const list = await run(['journal', 'list', '--open', '--json']);
    expect(JSON.parse(list.stdout)).toMatchObject({ data: [{ kind: 'api', order: other?.id }] });
    expect(broken.changes()).toHaveLength(1);
    const refused = await api(['POST', `orders/${id}/charges`, '--field', 'amount=1', '--yes']);
    expect(refused.code).toBe(5);
  });
});

describe('where it does not go', () => {
  const outside = [
    '../x',
    '//evil.example/x',
    'http://evil.example/',
    'mailto:a',
    'orders/../x',
    'orders/%2e%2e/x',
    'orders%2Fx',
    'a\\b',
    'orders//x',
    'orders#x',
    'or ders',
    'orders/x;refunds',
    '',
    '/',
  ];

  test('paths outside the base URL, or of another spelling, are no paths', () => {
    for (const path of outside) expect(() => parsePath(path), path).toThrow('not a path under the base URL');
  });

  test('such a path exits 2 and sends nothing, whatever the method', async () => {
    const seen = desk.requests.length;
    for (const [method, path] of [
      ['GET', '//evil.example/x'],
      ['GET', 'orders/%2e%2e/x'],
      ['POST', 'http://evil.example/'],
      ['POST', 'orders/x;charges'],
    ] as const) {
      const ran = await api([method, path, '--yes']);
      expect(ran.code, `${method} ${path}`).toBe(2);
      expect(ran.stderr).toContain(`PATH ${path}: not a path under the base URL`);
    }
    expect(desk.requests).toHaveLength(seen);
  });

  test.each([
    ['PATCH is no method of the service', ['PATCH', 'orders']],
    ['GET takes no body', ['GET', 'orders', '--body', '-']],
    ['a field given twice', ['POST', 'x', '--field', 'a=1', '--raw-field', 'a=2', '--yes']],
    ['a field without a value', ['POST', 'x', '--field', 'a', '--yes']],
    ['a number that would be rounded', ['POST', 'x', '--field', 'a=9007199254740993', '--yes']],
    ['a body beside fields', ['POST', 'x', '--field', 'a=1', '--body', '-', '--yes']],
    ['--paginate with a change', ['POST', 'orders', '--paginate', '--yes']],
    ['an order without a valid id', ['POST', 'orders/5/charges', '--yes']],
  ])('%s: exit 2, nothing sent', async (_name, args) => {
    const seen = desk.requests.length;
    expect((await api(args)).code).toBe(2);
    expect(desk.requests).toHaveLength(seen);
  });
});
