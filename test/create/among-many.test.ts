/** A created order whose answer is lost is looked for among all that were made since, and is never called not made when the list cannot tell. */

import { expect, test } from 'vitest';
import { story } from '../atmost/desk.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { hangUp } from '../harness/server.ts';
import { type Json, orderOf, startService, storeProfile } from '../orders/service.ts';

const create = ['-p', 'shop', 'orders', 'create', '--item', 'Lamp:300:1', '--currency', 'MXN', '--yes'];
const created = {
  ...orderOf('ord_lamp', []),
  amount: 300,
  line_items: { object: 'list', data: [{ name: 'Lamp', unit_price: 300, quantity: 1 }] },
  created_at: 1_790_000_500,
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
  const before = others(3, 1_790_000_000).toReversed();
  await using service = await losing(before, [...others(60, 1_790_001_000).toReversed(), created, ...before]);
  await storeProfile(home, service, { 'reconcile.after': '0' });
  const ran = await paydesk([...create, '--json'], { home });
  expect({ code: ran.code, posts: service.posts.length }, ran.stderr).toEqual({ code: 0, posts: 1 });
  expect(JSON.parse(ran.stdout)).toMatchObject({ id: 'ord_lamp' });
});

test('a list that is not newest first does not show it: unknown, exit 7, and the same is refused; where all is read, it is found', async () => {
  using home = newHome();
  const before = others(60, 1_790_000_000);
  await using service = await losing(before, [...before, created]);
  await storeProfile(home, service, { 'reconcile.after': '0' });
  const ran = await paydesk(create, { home });
  expect({ code: ran.code, story: story(home) }, ran.stderr).toEqual({
    code: 7,
    story: 'sent unknown unknown',
  });
  expect(ran.stderr.replaceAll(/\s+/g, ' ')).toMatch(/1 read up to \S+ settles nothing/);
  const again = await paydesk(create, { home });
  expect({ code: again.code, posts: service.posts.length }, again.stderr).toEqual({ code: 3, posts: 1 });
  service.orders = [...before.slice(30), created];
  const later = await paydesk(['-p', 'shop', 'journal', 'reconcile', '--all'], { home });
  expect({ code: later.code, story: story(home) }, later.stderr).toEqual({
    code: 0,
    story: 'sent unknown unknown applied',
  });
});
