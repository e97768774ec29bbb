import { expect, test } from 'vitest';
import type { Page } from '../../src/api/api.ts';
import { probableNext } from '../../src/api/client.ts';
import { json, startServer } from '../harness/server.ts';
import { idsOf, list, openClient } from './open-client.ts';

const guess = (text: string) => probableNext(Buffer.from(text));
const page = (data: string, more = 'true') => `{"object":"list","has_more":${more},"data":[${data}]}`;

async function walked(server: { readonly url: string }): Promise<Page[]> {
  const pages: Page[] = [];
  for await (const one of openClient(server).service.pages('orders', {}, { ahead: true })) pages.push(one);
  return pages;
}

test.each<[string, string, string | undefined]>([
  ['the last of several records', page('{"id":"a"},{"id":"b"}'), 'b'],
  ['the only record', page('{"id":"a"}'), 'a'],
  ['has_more behind the records', '{"object":"list","data":[{"id":"a"},{"id":"b"}],"has_more":true}', 'b'],
  [
    'a list inside the last record',
    page('{"id":"a"},{"id":"b","charges":{"data":[{"id":"c"},{"id":"d"}]}}'),
    'b',
  ],
  ['brackets in a text of the last record', page('{"id":"a"},{"id":"b","note":"]},{"}'), 'b'],
  ['no more pages', page('{"id":"a"}', 'false'), undefined],
  ['has_more is a word', page('{"id":"a"}', '"true"'), undefined],
  ['no record', page(''), undefined],
  ['a record without an id', page('{"id":"a"},{"name":"b"}'), undefined],
  ['a record that is no object', page('{"id":"a"},7'), undefined],
  ['a page that was cut off', page('{"id":"a"},{"id":"b"}').slice(0, -12), undefined],
  ['no list', '{"id":"a","has_more":true}', undefined],
  ['data far inside', `{"has_more":true,"x":"${' '.repeat(5_000)}","data":[{"id":"a"}]}`, undefined],
  ['an end that is far away', `{"has_more":true,"data":[{"id":"a"}],"x":"${' '.repeat(5_000)}"}`, undefined],
  ['nothing', '', undefined],
])('guesses by %s', (_, text, next) => {
  expect(guess(text)).toBe(next);
});

test('a walk asks for the next page before it reads a page', async () => {
  const deep = `{"id":"ord_2","deep":${'['.repeat(70)}${']'.repeat(70)}}`;
  const data = `${deep},{"id":"ord_1"}`;
  await using server = await startServer(json(page(data)));
  await expect(walked(server)).rejects.toMatchObject({ kind: 'reply' });
  expect(server.requests.map(({ url }) => url)).toEqual(['/orders', '/orders?next=ord_1']);
});

test('a wrong guess is dropped, and the page that the records lead to is read', async () => {
  await using server = await startServer((request, response, socket) => {
    const next = new URL(request.url, 'http://x').searchParams.get('next');
    const first = {
      ...list([{ id: 'ord_3' }, { id: 'ord_2' }], { has_more: true }),
      x: [{ id: 'p' }, { id: 'q' }],
    };
    const reply = next === null ? first : list([{ id: next === 'q' ? 'ord_9' : 'ord_1' }]);
    return json(reply)(request, response, socket);
  });
  expect(idsOf(await walked(server))).toEqual(['ord_3', 'ord_2', 'ord_1']);
  expect(server.requests.map(({ url }) => url)).toEqual(['/orders', '/orders?next=q', '/orders?next=ord_2']);
});
