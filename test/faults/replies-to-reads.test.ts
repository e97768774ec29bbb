/** Replies that make no sense, lack something, or never come. */

import { expect, test } from 'vitest';
import { readCommandLine } from '../../src/cli/typed/command-line.ts';
import { each } from '../harness/each.ts';
import { helpOf } from '../harness/help-text.ts';
import { chargeOf, customerOf, errorBody, listBeforeMore, listOf, paidOrder } from '../harness/orders.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import {
  cutBody,
  cutChunked,
  type Handler,
  hangUp,
  inTurn,
  json,
  rawReply,
  reply,
  reset,
  stall,
  stallAfter,
  startServer,
} from '../harness/server.ts';
import { pages, startAnswering, testKey } from '../harness/service.ts';

const leaks = /\[object |undefined|SyntaxError|TypeError|terminated|Unexpected token|^\s+at |\{"/m;
const list = ['orders', 'list'];

interface Odd {
  readonly what: string;
  readonly handler: Handler;
  readonly code: number;
  readonly says: string;
}

// What else is no answer is in test/api/client.test.ts, as far as it gets the same words.
const odd: readonly Odd[] = [
  {
    what: 'an HTML page with 200',
    handler: reply('<html><body>hello', 200, { 'content-type': 'text/html' }),
    code: 1,
    says: 'HTTP 200, an HTML page',
  },
  { what: 'an empty body', handler: reply(''), code: 1, says: 'HTTP 200, an empty body' },
  { what: 'a 204', handler: reply('', 204), code: 1, says: 'HTTP 204' },
  {
    what: 'half of JSON, said to be all of it',
    handler: json('{"object":"list","data":[{"id":'),
    code: 1,
    says: 'not JSON',
  },
  { what: 'null', handler: json('null'), code: 1, says: 'not a list' },
  {
    what: 'data that are no objects',
    handler: json({ object: 'list', data: [1, 'two', null] }),
    code: 1,
    says: 'not a list',
  },
  {
    what: 'something that is not HTTP',
    handler: rawReply('SSH-2.0-OpenSSH_9.7\r\n'),
    code: 1,
    says: 'not HTTP',
  },
  {
    what: 'JSON of some proxy with 403',
    handler: json({ message: 'Forbidden' }, 403),
    code: 1,
    says: 'HTTP 403',
  },
  {
    what: 'a body cut off',
    handler: cutBody('{"object":"list","data":['),
    code: 6,
    says: 'a reply that was cut off',
  },
  {
    what: 'a chunked body cut off',
    handler: cutChunked('{"object":"list"'),
    code: 6,
    says: 'a reply that was cut off',
  },
  {
    what: 'a connection closed without an answer',
    handler: hangUp,
    code: 6,
    says: 'closed before a reply came',
  },
];

test.each(odd)('$what: exit $code, one clear line and what to do (C37)', async ({ handler, code, says }) => {
  await using desk = await startAnswering(handler);
  const ran = await desk.run(list);
  expect(ran).toMatchObject({ code, stdout: '' });
  expect(ran.stderr).toContain(says);
  expect(ran.stderr).toContain('certain: nothing was changed');
  expect(ran.stderr).toContain('now: ');
  expect(ran.stderr).not.toMatch(leaks);
  expect(ran.stderr.trimEnd().split('\n').length).toBeLessThan(5);
});

/** Orders with all that may be missing, null, new or odd. */
const strange: readonly Readonly<Record<string, unknown>>[] = [
  { id: 'ord_1' },
  paidOrder('ord_2', {
    payment_status: 'expired_by_a_new_rule',
    brand_new: { deep: [1] },
    channel: { segment: 'Checkout' },
    metadata: { big: 1, nested: { list: [1, true] }, none: null, empty: '' },
    amount: 'many',
  }),
  paidOrder('ord_3', {
    charges: null,
    line_items: null,
    customer_info: null,
    metadata: null,
    currency: null,
    amount: null,
    created_at: null,
  }),
  paidOrder('ord_4', {
    charges: listOf(
      chargeOf('ch_4', 35_000, { refunds: null, status: 'a_new_word', payment_method: null }),
      chargeOf('ch_5', 35_000, { refunds: { object: 'list', has_more: false, total: 0, data: [] } }),
    ),
    updated_at: undefined,
  }),
  paidOrder('ord_5', {
    payment_status: '',
    currency: '',
    customer_info: { name: '', email: '', phone: '', customer_id: '', antifraud_info: {} },
    charges: listOf(
      chargeOf('ch_6', 35_000, {
        customer_id: '',
        description: '',
        payment_method: { last4: '', issuer: '' },
      }),
    ),
  }),
  paidOrder('ord_6', {
    charges: { object: 'list', data: [] },
    line_items: undefined,
    customer_info: undefined,
  }),
];
const strangers = [
  { id: 'cus_1' },
  customerOf('cus_2', {
    name: null,
    email: null,
    phone: null,
    custom_reference: null,
    payment_sources: null,
  }),
  customerOf('cus_3', { name: '', payment_sources: listOf({ id: null, type: null }), extra: { a: null } }),
];

test('unknown, missing, null and empty fields fail nothing and print no null or undefined (C38)', async () => {
  await using desk = await startAnswering(pages(strange, strangers));
  const lines = [
    ...['table', 'list', 'csv'].flatMap((format) => [
      ['orders', 'list', '-o', format],
      ['customers', 'list', '-o', format],
    ]),
    ...strange.map((_, index) => ['orders', 'show', `ord_${index + 1}`]),
    ...strangers.map((_, index) => ['customers', 'show', `cus_${index + 1}`]),
    ['orders', 'list', '--refundable'],
  ];
  const ran = await each(lines, (line) => desk.run(line));
  for (const [index, line] of lines.entries()) {
    const { code, stdout, stderr } = ran[index] ?? { code: null, stdout: '', stderr: '' };
    expect(code, `${line.join(' ')}\n${stderr}`).toBe(0);
    expect(stdout + stderr, line.join(' ')).not.toMatch(/\bnull\b|undefined|NaN|\[object/);
  }
  expect(ran[0]?.stdout.trimEnd().split('\n')).toHaveLength(strange.length + 1);
});

test('JSON holds unknown fields and null as they came (C38)', async () => {
  await using desk = await startAnswering(pages(strange));
  const ran = await desk.run([...list, '--json']);
  expect(JSON.parse(ran.stdout).data).toEqual(JSON.parse(JSON.stringify(strange)));
});

const page = json(listOf(paidOrder('ord_1')));

test.each([
  {
    what: '429, then 503, then a reset',
    handler: inTurn(json(errorBody(), 429), json(errorBody(), 503, { 'retry-after': '0' }), reset, page),
    requests: 4,
  },
  {
    what: 'an HTML page with 502, then a cut body',
    handler: inTurn(reply('<html>', 502), cutBody('{"object":"list"'), page),
    requests: 3,
  },
])('a read that meets $what is tried again each time and succeeds (C40)', async ({ handler, requests }) => {
  await using desk = await startAnswering(handler);
  const ran = await desk.run(list);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(ran.stdout).toContain('ord_1');
  expect(desk.server.requests).toHaveLength(requests);
});

test('an empty id is none: a page that ends with it names no next page, and does not say that it is the last (C38)', async () => {
  await using desk = await startAnswering(json(listBeforeMore(paidOrder('ord_1'), paidOrder(''))));
  const ran = await desk.run(list);
  expect(ran.code).toBe(0);
  expect(ran.stderr).toContain(
    '2 orders, sandbox environment. There are more, but the last one has no id to go on from',
  );
  expect(ran.stderr).not.toContain('--next');
});

test('a read gives up after a few tries and says how many (C40)', async () => {
  await using desk = await startAnswering(json(errorBody(), 503));
  const ran = await desk.run(list);
  expect(ran).toMatchObject({ code: 6, stdout: '' });
  expect(ran.stderr).toContain('HTTP 503');
  expect(ran.stderr).toContain(`${desk.server.requests.length} times`);
  expect(desk.server.requests.length).toBeLessThan(6);
});

test.each([
  { name: 'retry-after', value: '3600' },
  { name: 'x-ratelimit-reset', value: '4102444800' },
])('$name: $value is not waited for: the wait is said and the run ends (C40)', async ({ name, value }) => {
  await using desk = await startAnswering(json(errorBody(), 429, { [name]: value }));
  const ran = await desk.run(list);
  expect(ran).toMatchObject({ code: 6, stdout: '' });
  expect(ran.stderr).toMatch(/it asks us to wait \d+ s/);
  expect(desk.server.requests).toHaveLength(1);
});

test('an error of the service is not tried again (C40)', async () => {
  await using desk = await startAnswering(json(errorBody(), 422));
  expect((await desk.run(list)).code).toBe(5);
  expect(desk.server.requests).toHaveLength(1);
});

// The other three are one path with these, and in test/api/client.test.ts.
test.each([302, 307])(
  'a %i is not followed: exit 1, and the other place sees neither a request nor the key (C41)',
  async (status) => {
    await using target = await startServer(page);
    await using desk = await startAnswering(reply('', status, { location: `${target.url}/orders` }));
    const ran = await desk.run([...list, '--debug']);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain(`HTTP ${status}, a redirect to 127.0.0.1:${target.port}`);
    expect(ran.stderr).not.toContain(testKey);
    expect(desk.server.requests).toHaveLength(1);
    expect(target.connections).toBe(0);
  },
);

test('a redirect to the same place, to nowhere, or without a place ends the same way (C41)', async () => {
  const ran = await each(['/orders', 'http://[', undefined], async (location) => {
    await using desk = await startAnswering(reply('', 302, location === undefined ? {} : { location }));
    const ended = await desk.run(list);
    return { ...ended, requests: desk.server.requests.length };
  });
  for (const { code, stdout, stderr, requests } of ran) {
    expect({ code, stdout, requests }).toEqual({ code: 1, stdout: '', requests: 1 });
    expect(stderr).toContain('HTTP 302, a redirect');
    expect(stderr).not.toMatch(leaks);
  }
});

test.each([
  { what: 'no answer', handler: stall, seconds: 1, says: 'no answer from 127.0.0.1' },
  // Time for a busy machine: its beginning is there before the end.
  {
    what: 'half an answer',
    handler: stallAfter('{"object":"list",'),
    seconds: 4,
    says: 'not complete within 4 s',
  },
])(
  '$what within --timeout ends a read with exit 6, and the request is given up (C42)',
  async ({ handler, seconds, says }) => {
    await using desk = await startAnswering(handler);
    const ran = await desk.run([...list, '--timeout', String(seconds)]);
    expect(ran).toMatchObject({ code: 6, stdout: '' });
    expect(ran.stderr).toContain(says);
    await desk.server.waitForAborted(1);
    expect(desk.server.requests).toHaveLength(1);
  },
);

test('--timeout and PAYDESK_TIMEOUT take whole seconds only, and help shows the default (C42)', async () => {
  using home = newHome();
  const timeout = (value: string) => ['orders', 'list', `--timeout=${value}`];
  for (const value of ['0', 'abc']) {
    const ran = await paydesk(timeout(value), { home });
    expect(ran, value).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr, value).toContain('--timeout');
  }
  for (const value of ['-1', '1.5', '', '1e1']) {
    await expect(readCommandLine(timeout(value), 80), value).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('--timeout'),
    });
  }
  const variable = await paydesk(['-p', 'demo', 'orders', 'list'], { home, env: { PAYDESK_TIMEOUT: 'abc' } });
  expect(variable).toMatchObject({ code: 2, stdout: '' });
  expect(variable.stderr).toContain('PAYDESK_TIMEOUT abc');
  expect(await helpOf(['orders', 'list'])).toMatch(/--timeout <SECONDS>[^-]*default 60/);
});

test('the flag wins over the variable (C42)', async () => {
  await using desk = await startAnswering(stall);
  const ran = await desk.run([...list, '--timeout', '1'], { env: { PAYDESK_TIMEOUT: '3000' } });
  expect(ran.code).toBe(6);
  expect(ran.stderr).toContain('within 1 s');
});
