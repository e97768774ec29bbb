/** A list whose end is not stated is never called complete: by lists, searches and a look for one order. */

import { expect, test } from 'vitest';
import { chargeOf, orderOf } from '../harness/orders.ts';
import { newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { json, startServer } from '../harness/server.ts';
import { environment } from '../harness/service.ts';

const order = orderOf('ord_1', [chargeOf('ch_1', 35000)]);

async function ask(reply: object, ...args: readonly string[]): Promise<Ran> {
  await using server = await startServer(json(reply));
  using home = newHome();
  const env = environment(server.url);
  return await paydesk(['orders', ...args], { home, env });
}

const pageWith = (hasMore: unknown) => ({ object: 'list', data: [order], has_more: hasMore });

test('has_more that is no truth value: one page of a list says so and exits 0', async () => {
  const ran = await ask(pageWith('true'), 'list');
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stderr).toContain('The service does not say whether there are more');
});

test.each([
  [undefined, 'list --all --csv'],
  ['true', 'list --all --csv'],
  ['false', 'list --all --csv'],
  ['false', 'find nobody'],
  ['false', 'show ord_other'],
  [1, 'list --all --csv'],
  [null, 'list --all --csv'],
])('has_more %s: %s exits 9', async (hasMore, line) => {
  const ran = await ask(pageWith(hasMore), ...line.split(' '));
  expect(ran.code, ran.stderr).toBe(9);
  expect(ran.stderr).toContain('the service does not say whether there are more');
});

test('an empty page that says more follow exits 9, and JSON says has_more (F57)', async () => {
  const ran = await ask({ object: 'list', data: [], has_more: true }, 'list', '--json');
  expect(ran.code, ran.stderr).toBe(9);
  expect(JSON.parse(ran.stdout)).toEqual({ object: 'list', data: [], has_more: true });
});
