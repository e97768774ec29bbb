/** `api` never goes around the commands that keep money safe: what its path, query, body and headers may say. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parsePath, refuseMoneyRoute } from '../../src/changes/api-request.ts';
import { type Desk, startDesk } from '../harness/desk.ts';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { json } from '../harness/server.ts';
import { sentTo, startCreations } from '../harness/service.ts';

const id = 'ord_2tQ7zRk9PwE5xNvAm';

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

const api = (...args: readonly string[]): Promise<Ran> => paydesk(['api', ...args], { home, env: desk.env });

describe('a path that refunds or captures is refused with the command that does it, and nothing is sent', () => {
  test.each([
    `orders/${id}/refunds`,
    `/orders/${id}/Refunds`,
    `orders/${id}/refunds.json`,
    `orders/${id}/refunds?x=1`,
    `orders/${id}/%72efunds`,
    `orders/${id}/refunds%20`,
    `orders/${id}/refund%2573`,
    `orders/${id}/refund%252573`,
    `orders/${id}/refunds%00`,
    `orders/${id}%2Frefunds`,
    `orders%252F${id}%252frefunds`,
    `orders/${id}/x%5Crefunds`,
    `orders/${id}\\refunds`,
    `orders/${id}/refunds;x=1`,
    `orders/${id};x=1/refunds`,
    `orders//${id}/refunds`,
    `./orders/${id}/./refunds`,
    `orders/${id}/x/../refunds`,
    `v1/orders/${id}/refunds`,
    `orders/${id}/charges/ch_1/refund`,
    `orders/${id}/%EF%BD%92efunds`,
    `orders/${id}/%25u0072efunds`,
    `orders/${id}%3Arefund`,
    `orders%EF%BC%8F${id}%EF%BC%8Frefunds`,
    `orders/${id}/%EF%BC%8572efunds`,
  ])('POST %s', async (path) => {
    const seen = desk.requests.length;
    const ran = await api('POST', path, '--yes');
    expect(ran.code, ran.stderr).toBe(3);
    expect(ran.stderr).toContain(`paydesk orders refund ${id}`);
    expect(desk.requests).toHaveLength(seen);
  });

  test.each([
    ['PUT', `/ORDERS/${id}/capture`, `paydesk orders capture ${id}`],
    ['POST', 'charges/ch_1/refund', 'paydesk orders refund ID'],
    ['POST', 'charges/ch_1/CAPTURE', 'paydesk orders capture ID'],
    ['POST', 'refunds', 'paydesk orders refund ID'],
  ])('%s %s', async (method, path, command) => {
    const seen = desk.requests.length;
    const ran = await api(method, path, '--yes');
    expect(ran.code, ran.stderr).toBe(3);
    expect(ran.stderr).toContain(command);
    expect(desk.requests).toHaveLength(seen);
  });

  test('DELETE of a refund is not answered with a command that refunds again', async () => {
    const seen = desk.requests.length;
    const ran = await api('DELETE', `orders/${id}/refunds/re_1`, '--yes');
    expect(ran.code, ran.stderr).toBe(3);
    expect(ran.stderr).toContain(`paydesk orders show ${id}`);
    expect(ran.stderr).not.toContain('orders refund');
    expect(desk.requests).toHaveLength(seen);
  });

  test('with -p the command names the profile', async () => {
    const ran = await paydesk(['-p', 'demo', 'api', 'POST', `orders/${id}/refunds`], { home });
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain(`paydesk -p demo orders refund ${id}`);
  });

  test('whatever its encoding, prefix and end, no change is sent', async () => {
    const seen = desk.changes().length;
    await fc.assert(
      fc.asyncProperty(moneyPaths(), fc.constantFrom('POST', 'PUT', 'DELETE'), async (path, method) => {
        const { code } = await api(method, path, '--yes');
        expect([2, 3]).toContain(code);
      }),
      { numRuns: 25 },
    );
    expect(desk.changes()).toHaveLength(seen);
  });

  test('whatever its encoding, prefix and end, it is refused, or is no path', () => {
    fc.assert(
      fc.property(moneyPaths(), (path) => {
        expect(() => {
          refuseMoneyRoute('POST', path);
          parsePath(path);
        }).toThrow(expect.objectContaining({ name: 'CliError' }));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('what is no refund and no capture', () => {
  test('GET may read such a path', async () => {
    const ran = await api('GET', `orders/${id}/refunds`);
    expect(desk.requests.at(-1)).toMatchObject({ method: 'GET', url: `/orders/${id}/refunds` });
    expect(ran.code).toBe(5);
  });

  test('an id and a value of the query may hold the word', () => {
    const fine = ['orders/ord_refunds/charges', 'customers/cus_refund1', 'things?note=refunds', 'a%25b'];
    for (const path of fine) {
      refuseMoneyRoute('POST', path);
      expect(parsePath(path)).toBe(path);
    }
  });

  test('a path whose decoded bytes are no UTF-8 is refused', () => {
    expect(() => parsePath('orders/%25c1%25b2efunds')).toThrow('not a path under the base URL');
  });
});

describe('no name and no header makes a server use another method', () => {
  test.each([
    ['GET', `orders/${id}/refunds?_method=POST`, []],
    ['GET', `orders/${id}/refunds?%5Fmethod=POST`, []],
    ['GET', `orders/${id}/refunds`, ['--field', '_method=POST']],
    ['GET', `orders/${id}/refunds`, ['--raw-field', 'X-HTTP-Method-Override=POST']],
    ['POST', 'things', ['--field', '_METHOD=DELETE', '--yes']],
  ])('%s %s %j is refused, exit 3', async (method, path, more) => {
    const seen = desk.requests.length;
    const ran = await api(method, path, ...more);
    expect(ran.code, ran.stderr).toBe(3);
    expect(desk.requests).toHaveLength(seen);
  });

  test.each([
    'X-HTTP-Method-Override:POST',
    'X_HTTP_Method_Override:POST',
    'X-HTTP-Method:POST',
    'X-Method-Override:POST',
    '_method:POST',
    'X-Original-URL:/orders/ord_1/refunds',
    'X_Rewrite_Url:/orders/ord_1/refunds',
    'X-Accel-Redirect:/orders/ord_1/refunds',
    'Proxy_Authorization:Basic x',
  ])('the header %s is refused, exit 2', async (header) => {
    const seen = desk.requests.length;
    const ran = await api('GET', 'orders', '--header', header);
    expect(ran.code, ran.stderr).toBe(2);
    expect(desk.requests).toHaveLength(seen);
  });

  test('a payment method is an ordinary field', async () => {
    await using service = await startCreations();
    const ran = await service.run(['api', 'POST', 'things', '--field', 'payment_method=card', '--yes']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(sentTo(service)).toMatchObject([{ body: { payment_method: 'card' } }]);
  });
});

describe('a change that names an order locks that order, wherever it names it', () => {
  test.each([
    ['in the path', (order: string) => [`charges/${order}`]],
    ['in the path under a prefix', (order: string) => [`v1/orders/${order}/notes`]],
    ['in an encoded path', (order: string) => [`orders/${order.replace('o', '%256f')}/charges`]],
    ['in the query', (order: string) => [`charges?order_id=${order}`]],
    ['in the body', (order: string) => ['charges', '--field', `order_id=${order}`]],
    [
      'deep in the body',
      (order: string) => ['charges', '--body', '-', `{"a":[{"order":{"id":"${order}"}}]}`],
    ],
  ])('%s: it stays open on a lost answer, and the refund is refused until then', async (_where, wordsOf) => {
    using own = newHome();
    await using broken = await startDesk({
      instead: ({ method }) => (method === 'POST' ? json([]) : undefined),
    });
    const order = (await broken.orders())[0]?.id ?? '';
    const words = wordsOf(order);
    const input = words.find((word) => word.startsWith('{')) ?? '';
    const run = (args: readonly string[]) => paydesk(args, { home: own, env: broken.env, input });
    const lost = await run(['api', 'POST', ...words.filter((word) => word !== input), '--yes']);
    expect(lost.code, lost.stderr).toBe(7);
    const refund = await run(['orders', 'refund', order, '--yes']);
    expect(refund.code, refund.stderr).toBe(3);
    const list = await run(['journal', 'list', '--open', '--json']);
    expect(JSON.parse(list.stdout)).toMatchObject({ data: [{ kind: 'api', order }] });
    expect(broken.changes()).toHaveLength(1);
  });

  test('what a shop keeps in metadata names no order of the service', async () => {
    await using service = await startCreations();
    const body = { metadata: { order_id: 'ord_ours17', orders: ['ord_a', 'ord_b'] } };
    const ran = await service.run(['api', 'POST', 'things', '--body', '-', '--yes'], {
      input: JSON.stringify(body),
    });
    expect(ran.code, ran.stderr).toBe(0);
    expect(sentTo(service)).toMatchObject([{ body }]);
  });

  test('a request that names two orders is refused, since it can lock only one', async () => {
    const seen = desk.requests.length;
    const ran = await api('POST', `orders/${id}/charges`, '--field', 'order_id=ord_other', '--yes');
    expect(ran.code, ran.stderr).toBe(3);
    expect(ran.stderr).toContain('ord_other');
    expect(desk.changes()).toHaveLength(0);
    expect(desk.requests).toHaveLength(seen);
  });
});

// Paths that some server or proxy may take for a refund or a capture, written in every way that one of them undoes.
function moneyPaths(): fc.Arbitrary<string> {
  const encoded = (text: string) =>
    fc.array(fc.nat({ max: 3 }), { minLength: text.length, maxLength: text.length }).map((levels) =>
      text
        .split('')
        .map((letter, index) => encodedLetter(letter, levels[index] ?? 0))
        .join(''),
    );
  const letters = (text: string) =>
    fc
      .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
      .map((upper) =>
        text
          .split('')
          .map((letter, i) => (upper[i] === true ? letter.toUpperCase() : letter))
          .join(''),
      )
      .chain(encoded);
  const end = fc.constantFrom(
    '',
    '%20',
    ';x=1',
    '.json',
    '%00',
    '/',
    '//',
    '%2F',
    '?x=1',
    '%3F',
    '%E2%80%8B',
  );
  const prefix = fc.constantFrom('', '/', 'v1/', './', 'a/../', '%2e/', '//', 'api%2Fv2/');
  const owner = fc.constantFrom(
    `orders/${id}`,
    'charges/ch_1',
    `orders//${id}`,
    `orders/${id}/charges/ch_1`,
    id,
  );
  const verb = fc.constantFrom('refunds', 'refund', 'capture', 'captures').chain(letters);
  return fc
    .tuple(prefix, owner, fc.constantFrom('/', '%2F', '%252f', '/./', '\\'), verb, end)
    .map((parts) => parts.join(''));
}

// 0: as it is, 1: percent, 2: double percent, 3: triple.
function encodedLetter(letter: string, level: number): string {
  if (level === 0) return letter;
  const hex = letter.charCodeAt(0).toString(16);
  return `%${'25'.repeat(level - 1)}${hex}`;
}
