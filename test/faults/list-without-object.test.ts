/** A list that does not call itself one (`object`) shows records, and proves nothing about those it does not show. */

import { expect, test } from 'vitest';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { type Handler, hangUp, json, startServer } from '../harness/server.ts';
import { environment, sentTo, startCreations } from '../harness/service.ts';

const create = ['orders', 'create', '--item', 'Lamp:300:1', '--currency', 'MXN', '--yes'];
const error = { object: 'error', type: 'resource_not_found_error', details: [] };

test.each<[string, Handler]>([
  ['an empty list', json({ has_more: false, data: [] })],
  [
    'an empty list, and 404 for a cursor',
    (request, response, socket) => {
      const answer = request.url.includes('ord_') ? json(error, 404) : json({ has_more: false, data: [] });
      return answer(request, response, socket);
    },
  ],
])('%s without object: no order is called missing by it, exit 9', async (_name, handler) => {
  using home = newHome();
  await using server = await startServer(handler);
  const env = environment(server.url);
  const ran = await paydesk(['orders', 'show', 'ord_1'], { home, env });
  expect(ran.code, ran.stderr).toBe(9);
  expect(ran.stderr).toContain('does not say whether there are more');
});

test('an order whose reply was lost is not called "not seen" by a list without object', async () => {
  await using desk = await startCreations({ onChange: hangUp, unnamed: true });
  const ran = await desk.run([...create, '--json']);
  expect({ code: ran.code, posts: sentTo(desk).length }, ran.stderr).toEqual({ code: 7, posts: 1 });
  const listed = await desk.run(['journal', 'list', '--json']);
  expect(JSON.parse(listed.stdout)).toMatchObject({ data: [{ kind: 'order', verdict: 'unknown' }] });
});
