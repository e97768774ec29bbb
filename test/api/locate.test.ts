import { describe, expect, test } from 'vitest';
import type { Located, LocateOptions } from '../../src/api/api.ts';
import type { Profile } from '../../src/profiles/profiles.ts';
import { defaultSettings } from '../harness/profile-in-use.ts';
import { type Handler, json, reply, type SeenRequest, startServer } from '../harness/server.ts';
import { list, openClient, rejection } from './open-client.ts';

const notFound = json(
  { object: 'error', type: 'resource_not_found_error', details: [{ message: 'no', code: 'a.errors.b' }] },
  404,
);

interface Habits {
  readonly unknownCursor?: Handler;
  readonly ignoresPrevious?: boolean;
  readonly ignoresCursors?: boolean;
  readonly ignoresLimit?: boolean;
  readonly largestLimit?: number;
}

/** A service of these orders with habits of its own; `ids` may change between requests. */
function service(ids: string[], habits: Habits = {}): Handler {
  return (request, response, socket) => {
    const answer = (handler: Handler) => handler(request, response, socket);
    const query = new URL(request.url, 'http://x').searchParams;
    const largest = habits.largestLimit ?? 250;
    const limit = habits.ignoresLimit === true ? 3 : Number(query.get('limit') ?? Math.min(20, largest));
    if (limit > largest) return answer(json({ object: 'error' }, 422));
    const next = habits.ignoresCursors === true ? null : query.get('next');
    const previous =
      habits.ignoresCursors === true || habits.ignoresPrevious === true ? null : query.get('previous');
    const cursor = next ?? previous;
    const at = cursor === null ? -1 : ids.indexOf(cursor);
    if (cursor !== null && at === -1) return answer(habits.unknownCursor ?? notFound);
    const start = previous !== null ? Math.max(0, at - limit) : at + 1;
    const end = previous !== null ? at : start + limit;
    const data = ids.slice(start, end).map((id) => ({ id, object: 'order' }));
    return answer(json(list(data, { has_more: previous !== null ? start > 0 : end < ids.length })));
  };
}

const ids = ['ord_9', 'ord_8', 'ord_7', 'ord_6', 'ord_5', 'ord_4', 'ord_3', 'ord_2', 'ord_1'];

async function run(
  handler: Handler,
  id: string,
  options: LocateOptions = {},
  profile: Partial<Profile> = {},
): Promise<{ located: Located; urls: string[] }> {
  await using server = await startServer(handler);
  const located = await openClient(server, profile).service.locate('orders', id, options);
  return { located, urls: server.requests.map(({ url }: SeenRequest) => url) };
}

describe('one order by id', () => {
  test('is found between its neighbours, with two requests', async () => {
    const { located, urls } = await run(service([...ids]), 'ord_5');
    expect(located).toMatchObject({ found: { value: { id: 'ord_5' } }, neighbour: 'ord_6' });
    expect(urls).toEqual(['/orders?limit=1&previous=ord_5', '/orders?limit=1&next=ord_6']);
  });

  test('keeps the bytes as received', async () => {
    const { located } = await run(service([...ids]), 'ord_5');
    const bytes = 'found' in located ? located.found.bytes : [];
    expect(Buffer.from(bytes).toString()).toBe('{"id":"ord_5","object":"order"}');
  });

  test('is found when it is the last', async () => {
    const { located } = await run(service([...ids]), 'ord_1');
    expect(located).toMatchObject({ found: { value: { id: 'ord_1' } }, neighbour: 'ord_2' });
  });

  test('is found when it is the first, without a neighbour', async () => {
    const { located, urls } = await run(service([...ids]), 'ord_9');
    expect(located).toMatchObject({ found: { value: { id: 'ord_9' } } });
    expect('neighbour' in located && located.neighbour).toBeUndefined();
    expect(urls).toEqual(['/orders?limit=1&previous=ord_9', '/orders?limit=1']);
  });

  test('is found with one request where it was before', async () => {
    const { located, urls } = await run(service([...ids]), 'ord_5', { neighbour: 'ord_6' });
    expect(located).toMatchObject({ found: { value: { id: 'ord_5' } }, neighbour: 'ord_6' });
    expect(urls).toEqual(['/orders?limit=1&next=ord_6']);
  });

  test.each([['ord_3'], ['ord_77']])(
    'is found although the remembered neighbour %s is wrong',
    async (wrong) => {
      const { located, urls } = await run(service([...ids]), 'ord_5', { neighbour: wrong });
      expect(located).toMatchObject({ found: { value: { id: 'ord_5' } }, neighbour: 'ord_6' });
      expect(urls).toHaveLength(3);
    },
  );

  test('is found when a new order takes the first place between the two reads', async () => {
    const growing = [...ids];
    const inner = service(growing);
    let reads = 0;
    const { located } = await run((request, response, socket) => {
      reads += 1;
      if (reads === 2) growing.unshift('ord_10');
      return inner(request, response, socket);
    }, 'ord_9');
    expect(located).toMatchObject({ found: { value: { id: 'ord_9' } }, neighbour: 'ord_10' });
  });

  test.each<[string, Habits]>([
    ['ignores previous', { ignoresPrevious: true }],
    ['refuses previous', { unknownCursor: json({ object: 'error' }, 422) }],
    ['gives more than limit', { ignoresLimit: true }],
    ['takes small pages only', { ignoresPrevious: true, largestLimit: 4 }],
  ])('is found although the service %s', async (_, habits) => {
    for (const id of ids) {
      const { located } = await run(service([...ids], habits), id);
      expect(located).toMatchObject({ found: { value: { id } } });
    }
  });

  test('that the service does not know is missing, by its own word and with its list in reach', async () => {
    const { located, urls } = await run(service([...ids]), 'ord_77');
    expect(located).toEqual({ missing: true });
    expect(urls).toEqual(['/orders?limit=1&previous=ord_77', '/orders?limit=1']);
  });

  test('is missing after a complete walk where the service says nothing', async () => {
    const progress: number[] = [];
    const habits = { unknownCursor: json(list([])), largestLimit: 5 };
    const { located } = await run(service([...ids], habits), 'ord_77', {
      progress: (read) => progress.push(read),
    });
    expect(located).toEqual({ missing: true });
    expect(progress.at(-1)).toBe(9);
  });

  test('is not called missing when the walk ends at its bound', async () => {
    const habits = { unknownCursor: json(list([])), largestLimit: 4 };
    const { located } = await run(service([...ids], habits), 'ord_77', { max: 4 });
    expect(located).toEqual({ boundReached: true, read: 4 });
  });

  test('is not called missing when paging leads nowhere', async () => {
    await using server = await startServer(
      json(list([{ id: 'ord_1' }, { id: 'ord_2' }], { has_more: true })),
    );
    const error = await rejection(openClient(server).service.locate('orders', 'ord_77'));
    expect(error).toMatchObject({ kind: 'incomplete', exitCode: 9 });
  });

  test.each<[string, Handler, string]>([
    ['the key is refused', json({ object: 'error' }, 401), 'auth'],
    ['the base URL is wrong', notFound, 'rejected'],
    ['a page of HTML comes', reply('<html>'), 'reply'],
  ])('is not called missing when %s', async (_, handler, kind) => {
    await using server = await startServer(handler);
    expect(await rejection(openClient(server).service.locate('orders', 'ord_5'))).toMatchObject({ kind });
  });
});

describe('one order by id, directly where the profile says so', () => {
  const direct = { settings: { ...defaultSettings, 'orders.get': 'direct' } } as const;

  test('is one request', async () => {
    const { located, urls } = await run(json('\n{"object":"order", "id":"ord_5"}\n'), 'ord_5', {}, direct);
    expect(urls).toEqual(['/orders/ord_5']);
    expect(located).toMatchObject({ found: { value: { id: 'ord_5' } } });
    const bytes = 'found' in located ? located.found.bytes : [];
    expect(Buffer.from(bytes).toString()).toBe('{"object":"order", "id":"ord_5"}');
  });

  test('is missing by the 404 of the service', async () => {
    expect((await run(notFound, 'ord_5', {}, direct)).located).toEqual({ missing: true });
  });

  test.each<[string, Handler, string]>([
    ['another order comes', json({ object: 'order', id: 'ord_6' }), 'reply'],
    ['HTML comes with 404', reply('<html>', 404), 'reply'],
    ['the service refuses', json({ object: 'error' }, 422), 'rejected'],
  ])('is not called missing when %s', async (_, handler, kind) => {
    await using server = await startServer(handler);
    expect(await rejection(openClient(server, direct).service.locate('orders', 'ord_5'))).toMatchObject({
      kind,
    });
  });
});

test('one customer is found the same way', async () => {
  await using server = await startServer((request, response, socket) =>
    json(list([{ id: request.url.includes('previous') ? 'cus_2' : 'cus_1' }]))(request, response, socket),
  );
  const located = await openClient(server).service.locate('customers', 'cus_1');
  expect(located).toMatchObject({ found: { value: { id: 'cus_1' } }, neighbour: 'cus_2' });
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/customers?limit=1&previous=cus_1',
    '/customers?limit=1&next=cus_2',
  ]);
});
