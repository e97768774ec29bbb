/** A created order whose answer is lost is looked for among all that were made since, and is never called not made when the list cannot tell. */

import { expect, test } from 'vitest';
import { story } from '../atmost/desk.ts';
import { type Json, orderOf } from '../harness/orders.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { hangUp, json } from '../harness/server.ts';
import { startService, storeShop } from '../harness/service.ts';

/** Seconds; what is made here is made from now on. */
const now = Math.floor(Date.now() / 1000);
const create = ['-p', 'shop', 'orders', 'create', '--item', 'Lamp:300:1', '--currency', 'MXN', '--yes'];
const created = {
  ...orderOf('ord_lamp', []),
  amount: 300,
  line_items: { object: 'list', data: [{ name: 'Lamp', unit_price: 300, quantity: 1 }] },
  created_at: now + 500,
};
const others = (count: number, from: number): readonly Json[] =>
  Array.from({ length: count }, (_, index) => ({
    ...orderOf(`ord_${from + index}`, []),
    created_at: from + index,
  }));

/** Its answer to a creation is lost, and its list is then this one. */
async function losing(before: readonly Json[], after: readonly Json[]) {
  return await startService({
    orders: before,
    onPost: (_, service) => {
      service.orders = after;
      return hangUp;
    },
  });
}

test('60 orders that were made after it stand above it: it is found, exit 0', async () => {
  using home = newHome();
  const before = others(3, now).toReversed();
  await using service = await losing(before, [...others(60, now + 1000).toReversed(), created, ...before]);
  await storeShop(home, service, { 'reconcile.after': '0' });
  const ran = await paydesk([...create, '--json'], { home });
  expect({ code: ran.code, posts: service.posts.length }, ran.stderr).toEqual({ code: 0, posts: 1 });
  expect(JSON.parse(ran.stdout)).toMatchObject({ id: 'ord_lamp' });
});

test('a list that is oldest first is read to its end: it is found there, exit 0', async () => {
  using home = newHome();
  const before = others(60, now);
  await using service = await losing(before, [...before, created]);
  await storeShop(home, service, { 'reconcile.after': '0' });
  const ran = await paydesk(create, { home });
  expect({ code: ran.code, posts: service.posts.length }, ran.stderr).toEqual({ code: 0, posts: 1 });
  expect(ran.stdout).toContain('ord_lamp');
});

test('the same again, when the first has shown meanwhile: refused (3), and one was sent', async () => {
  using home = newHome();
  const before = others(3, now).toReversed();
  await using service = await losing(before, before);
  await storeShop(home, service, { 'reconcile.after': '0' });
  expect((await paydesk(create, { home })).code).toBe(7);
  service.orders = [created, ...before];
  const again = await paydesk(create, { home });
  expect({ code: again.code, posts: service.posts.length }, again.stderr).toEqual({ code: 3, posts: 1 });
  expect(again.stderr).toContain('an earlier change was made after all');
  const later = await paydesk(create, { home });
  expect({ code: later.code, posts: service.posts.length }, later.stderr).toEqual({ code: 3, posts: 1 });
  expect(later.stderr).toContain('the same change was made before');
  // Under an id of its own it is another wish.
  await paydesk([...create, '--idempotency-key', 'cart-2'], { home });
  expect(service.posts).toHaveLength(2);
});

test.each([
  ['an equal order of the day before it was sent', { ...created, created_at: now - 86_400 }, 'not_seen'],
  [
    'an equal order whose created_at lies just before it was sent',
    { ...created, created_at: now - 30 },
    'unknown',
  ],
  ['a list without a single order that was there before', undefined, 'unknown'],
])('%s is no proof: exit 7', async (_name, equal, verdict) => {
  using home = newHome();
  const before = others(3, now).toReversed();
  await using service = await losing(before, equal === undefined ? [] : [equal, ...before]);
  await storeShop(home, service, { 'reconcile.after': '0' });
  const ran = await paydesk(create, { home });
  expect({ code: ran.code, story: story(home) }, ran.stderr).toEqual({
    code: 7,
    story: `sent unknown ${verdict}`,
  });
});

test('an equal order whose created_at lies just before it was sent, and a refusal: not called refused (7), and the same again is refused (3)', async () => {
  using home = newHome();
  const before = others(3, now).toReversed();
  const refusal = { object: 'error', type: 'parameter_validation_error', details: [] };
  await using service = await startService({
    orders: before,
    onPost: (_, to) => {
      to.orders = [{ ...created, created_at: now - 30 }, ...before];
      return json(refusal, 422);
    },
  });
  await storeShop(home, service, { 'reconcile.after': '0' });
  const ran = await paydesk(create, { home });
  expect({ code: ran.code, story: story(home) }, ran.stderr).toEqual({ code: 7, story: 'sent unknown' });
  const again = await paydesk(create, { home });
  expect({ code: again.code, posts: service.posts.length }, again.stderr).toEqual({ code: 3, posts: 1 });
});
