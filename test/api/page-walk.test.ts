import { expect, test } from 'vitest';
import type { Page, PageQuery } from '../../src/api/api.ts';
import type { CliError } from '../../src/errors.ts';
import type { Handler } from '../harness/server.ts';
import { inTurn, json, reply, startServer } from '../harness/server.ts';
import { idsOf, list, openClient } from './open-client.ts';

/** A service with these orders, newest first, as the document and those in the wild page them. */
function ordersServer(ids: readonly string[], more: (url: URL) => object = () => ({})): Handler {
  return (request, response, socket) => {
    const url = new URL(request.url, 'http://x');
    const limit = Number(url.searchParams.get('limit') ?? 20);
    const next = url.searchParams.get('next');
    const previous = url.searchParams.get('previous');
    const end = previous === null ? ids.length : ids.indexOf(previous);
    const start = next !== null ? ids.indexOf(next) + 1 : previous !== null ? Math.max(0, end - limit) : 0;
    const page = ids.slice(start, Math.min(end, start + limit));
    const hasMore = previous === null ? start + limit < ids.length : start > 0;
    const data = page.map((id) => ({ id, object: 'order' }));
    return json(list(data, { has_more: hasMore, ...more(url) }))(request, response, socket);
  };
}

/** What a walk yields, and what it ends with. */
async function walk(
  server: { readonly url: string },
  query: PageQuery,
): Promise<{ pages: Page[]; error: CliError | undefined }> {
  const pages: Page[] = [];
  try {
    for await (const page of openClient(server).service.pages('orders', query)) pages.push(page);
  } catch (error) {
    return { pages, error: error as CliError };
  }
  return { pages, error: undefined };
}

const seven = ['ord_7', 'ord_6', 'ord_5', 'ord_4', 'ord_3', 'ord_2', 'ord_1'];

test('walks by the id of the last record and ends with has_more', async () => {
  await using server = await startServer(ordersServer(seven));
  const { pages } = await walk(server, { limit: 3 });
  expect(idsOf(pages)).toEqual(seven);
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/orders?limit=3',
    '/orders?limit=3&next=ord_5',
    '/orders?limit=3&next=ord_2',
  ]);
});

test('walks backwards by the id of the first record, as long as that direction has more', async () => {
  await using server = await startServer(ordersServer(seven));
  const { pages } = await walk(server, { limit: 2, previous: 'ord_2' });
  expect(pages.map((page) => idsOf([page]))).toEqual([['ord_4', 'ord_3'], ['ord_6', 'ord_5'], ['ord_7']]);
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/orders?limit=2&previous=ord_2',
    '/orders?limit=2&previous=ord_4',
    '/orders?limit=2&previous=ord_6',
  ]);
});

test('asks for a page only when it is wanted', async () => {
  await using server = await startServer(ordersServer(seven));
  for await (const page of openClient(server).service.pages('orders', { limit: 3 })) {
    expect(page.hasMore).toBe(true);
    break;
  }
  expect(server.requests).toHaveLength(1);
});

test('never requests a page URL, wherever it points', async () => {
  await using other = await startServer(json(list([])));
  await using server = await startServer(
    ordersServer(seven, () => ({
      next_page_url: `${other.url}/orders?next=ord_5&limit=3`,
      previous_page_url: `//user:pass@127.0.0.1:${other.port}/`,
    })),
  );
  const { pages } = await walk(server, { limit: 3 });
  expect(idsOf(pages)).toEqual(seven);
  expect(other.connections).toBe(0);
});

test.each<[string, object]>([
  ['page URLs are null', { next_page_url: null, previous_page_url: null }],
  ['page URLs are no strings', { next_page_url: 7 }],
  ['a total stands on the page', { total: 7 }],
])('does not mind that %s', async (_, more) => {
  await using server = await startServer(ordersServer(seven, () => more));
  expect(idsOf((await walk(server, { limit: 3 })).pages)).toEqual(seven);
});

test('takes has_more that is absent, null or a word neither for more pages nor for the end', async () => {
  for (const has_more of [undefined, null, 'true', 1]) {
    await using server = await startServer(json({ object: 'list', data: [{ id: 'ord_1' }], has_more }));
    const error = {
      kind: 'incomplete',
      message: expect.stringContaining('does not say whether there are more'),
    };
    expect(await walk(server, {})).toMatchObject({ pages: [{ hasMore: false, saysHasMore: false }], error });
    expect(server.requests).toHaveLength(1);
  }
});

test('drops records that were there before, as when the list grows between two pages', async () => {
  await using server = await startServer(
    inTurn(
      json(list([{ id: 'ord_3' }, { id: 'ord_2' }], { has_more: true })),
      json(list([{ id: 'ord_2' }, { id: 'ord_1' }])),
    ),
  );
  const { pages } = await walk(server, { limit: 2 });
  expect(idsOf(pages)).toEqual(['ord_3', 'ord_2', 'ord_1']);
});

test.each<[string, Handler, string[], string]>([
  [
    'the cursor is ignored',
    json(list([{ id: 'ord_2' }, { id: 'ord_1' }], { has_more: true })),
    ['ord_2', 'ord_1'],
    'the same page again',
  ],
  [
    'a page is empty although there is more',
    inTurn(json(list([{ id: 'ord_2' }], { has_more: true })), json(list([], { has_more: true }))),
    ['ord_2'],
    'but sends nothing',
  ],
  [
    'the last record has no id',
    json(list([{ id: 'ord_2' }, { amount: 1 }], { has_more: true })),
    ['ord_2', undefined as unknown as string],
    'has no id',
  ],
  [
    'pages lead in a circle',
    inTurn(
      json(list([{ id: 'ord_2' }], { has_more: true })),
      json(list([{ id: 'ord_1' }], { has_more: true })),
      json(list([{ id: 'ord_0' }, { id: 'ord_2' }], { has_more: true })),
    ),
    ['ord_2', 'ord_1', 'ord_0'],
    'the pages of the service lead in a circle, back to ord_2',
  ],
])('says that the list is incomplete when %s, after what was read', async (_, handler, ids, words) => {
  await using server = await startServer(handler);
  const { pages, error } = await walk(server, { limit: 2 });
  expect(idsOf(pages)).toEqual(ids);
  expect(error).toMatchObject({ kind: 'incomplete', exitCode: 9 });
  expect(error?.message).toContain(words);
  expect(error?.parts.read).toContain(`${ids.length} records were read`);
});

test('a page that fails ends the walk with its own error, after what was read', async () => {
  await using server = await startServer(
    inTurn(json(list([{ id: 'ord_2' }], { has_more: true })), reply('<html>', 200)),
  );
  const { pages, error } = await walk(server, { limit: 1 });
  expect(idsOf(pages)).toEqual(['ord_2']);
  expect(error).toMatchObject({ kind: 'reply' });
});

test('records keep their own bytes, spaces, order of keys and all', async () => {
  const one = '{ "b": 1.50,\t"id" : "ord_1", "a": "\\u00e9\\/" }';
  await using server = await startServer(json(`{ "data" : [ ${one} ,{"id":"ord_2"}\n] , "object":"list"}`));
  const { pages } = await walk(server, {});
  expect(pages[0]?.records.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([
    one,
    '{"id":"ord_2"}',
  ]);
});

test('a walk over the customers asks for customers', async () => {
  await using server = await startServer(json(list([{ id: 'cus_1', phone: null, payment_sources: null }])));
  for await (const page of openClient(server).service.pages('customers', { next: 'cus_9' })) {
    expect(idsOf([page])).toEqual(['cus_1']);
  }
  expect(server.requests[0]?.url).toBe('/customers?next=cus_9');
});
