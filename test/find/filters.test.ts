/** Filters of `orders list` and `orders find`, times in the zone of the run, and where a date ends a walk. */

import { spawn } from 'node:child_process';
import { afterEach, describe, expect, test } from 'vitest';
import { chargeOf, errorBody, listOf, paidOrder } from '../harness/orders.ts';
import { bin, cleanEnv } from '../harness/paydesk.ts';
import { runInPty, withoutEscapes } from '../harness/pty.ts';
import { type Handler, json } from '../harness/server.ts';
import { pages, type Service, startAnswering, storeShop } from '../harness/service.ts';

type Fields = Readonly<Record<string, unknown>>;

let desk: Service | undefined;
afterEach(async () => {
  await desk?.[Symbol.asyncDispose]();
  desk = undefined;
});

async function open(handler: Handler): Promise<Service> {
  desk = await startAnswering(handler);
  return desk;
}

const id = (number: number): string => `ord_${String(number).padStart(17, '0')}`;
const seconds = (time: string): number => Date.parse(time) / 1000;
const at = (number: number, time: string, more: Fields = {}): Fields =>
  paidOrder(id(number), { created_at: seconds(time), ...more });
const numbersIn = (ndjson: string): readonly number[] =>
  [...ndjson.matchAll(/^\{"id":"ord_(\d+)"/gm)].map(([, digits]) => Number(digits));
const asked = ({ server }: Service): number => server.requests.length;

const november = [
  at(9, '2026-11-20T06:00:00Z'),
  at(8, '2026-11-20T05:59:59Z', { amount: 100 }),
  at(7, '2026-11-20T00:00:00Z', { amount: 200, is_refundable: false }),
  at(6, '2026-11-19T23:59:59Z', { amount: 300, payment_status: 'refunded', is_refundable: false }),
  at(5, '2026-11-19T06:00:00Z', { customer_info: { customer_id: 'cus_other', email: 'Zoe@Example.com' } }),
  at(4, '2026-11-18T00:00:00Z', {
    customer_info: { customer_id: null, name: 'Luis' },
    charges: listOf(chargeOf('ch_4', 35_000, { customer_id: 'cus_other' })),
  }),
];

// Every flag, and every border of it.
const narrowed: readonly (readonly [string, readonly string[], readonly number[]])[] = [
  ['--since is included', ['--since', '2026-11-20'], [9, 8, 7]],
  ['--until is not', ['--until', '2026-11-20'], [6, 5, 4]],
  ['both make one day', ['--since', '2026-11-19', '--until', '2026-11-20'], [6, 5]],
  ['a moment with its offset', ['--since', '2026-11-20T00:00:00-06:00'], [9]],
  [
    '--min-amount is included',
    ['--min-amount', '300', '--max-amount', '35000', '--until', '2026-11-20'],
    [6, 5, 4],
  ],
  ['--max-amount is included', ['--max-amount', '200'], [8, 7]],
  ['--refundable', ['--refundable', '--max-amount', '300'], [8]],
  ['--status as the service writes it', ['--status', 'refunded'], [6]],
  ['--customer by id, of the order or of a charge', ['--customer', 'cus_other'], [5, 4]],
  ['--customer by e-mail, in any case', ['--customer', 'zoe@example.com'], [5]],
];

describe('filters', () => {
  test.each(narrowed)('%s, in list', async (_, flags, numbers) => {
    const one = await open(pages(november));
    const listed = await one.run(['orders', 'list', ...flags, '--all', '--ndjson']);
    expect({ code: listed.code, numbers: numbersIn(listed.stdout) }).toEqual({ code: 0, numbers });
  });

  // The same code filters both: one row of each flag.
  test.each(
    narrowed.filter(([what]) => /^(both|--min|--refundable|--status|--customer by e-mail)/.test(what)),
  )('%s, in find', async (_, flags, numbers) => {
    const one = await open(pages(november));
    const found = await one.run(['orders', 'find', 'mxn', ...flags, '--ndjson']);
    expect({ code: found.code, numbers: numbersIn(found.stdout) }).toEqual({ code: 0, numbers });
  });

  test.each([
    ['find x', ['--since', 'someday'], '--since someday: not a time such as today'],
    ['find x', ['--min-amount', '2', '--max-amount', '1'], 'no amount is between --min-amount 2'],
    ['list', ['--since', 'someday'], '--since someday: not a time such as today'],
    ['list', ['--since', 'yestarday'], 'now:     did you mean --since yesterday?'],
    ['list', ['--until', 'lastmonth'], 'now:     did you mean --until last-month?'],
    ['list', ['--since', '2026/11/2'], 'now:     did you mean --since 2026-11-02?'],
    ['list', ['--until', '2026-02-30'], '--until 2026-02-30: not a time'],
    [
      'list',
      ['--since', '2026-11-20', '--until', '2026-11-20'],
      '--since 2026-11-20 is not before --until 2026-11-20',
    ],
    [
      'list',
      ['--min-amount', '2', '--max-amount', '1'],
      'no amount is between --min-amount 2 and --max-amount 1',
    ],
    ['list', ['--min-amount', '1.50'], '--min-amount 1.50: profile environment declares no decimals'],
    ['list', ['--customer', 'Ana'], '--customer Ana: neither the id of a customer'],
    ['list', ['--status', ''], '--status is empty'],
    ['list', ['--min-amount', '1,000'], '--min-amount 1,000: an amount has no commas'],
  ])('%s %j is a usage error that sends nothing', async (command, flags, message) => {
    const one = await open(pages(november));
    const ran = await one.run(['orders', ...command.split(' '), ...flags]);
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
    expect(asked(one)).toBe(0);
  });

  test.each([
    ['list', ['--status', 'pad'], 'did you mean: --status paid\n'],
    ['find x', ['--status', 'payed'], 'did you mean: --status paid\n'],
    ['list', ['--status', 'pre_authorised'], 'did you mean: --status pre_authorized\n'],
    ['list', ['--charge-status', 'refund'], 'did you mean: --charge-status refunded\n'],
    ['export --to x.csv', ['--status', 'payed'], 'did you mean: --status paid\n'],
  ])('%s %j is a usage error, since no order that was read has it', async (command, flags, message) => {
    const one = await open(pages(november));
    const ran = await one.run(['orders', ...command.split(' '), ...flags]);
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
    expect(ran.stderr).toContain(`${flags.join(' ')}: no order that was read has this status`);
  });

  test('a status that the service sends is found, although it is nearly a documented one', async () => {
    const odd = at(9, '2026-11-20T06:00:00Z', {
      payment_status: 'payed',
      charges: listOf(chargeOf('ch_9', 35_000, { status: 'refund' })),
    });
    const one = await open(pages([odd, ...november.slice(1)]));
    for (const flags of [
      ['--status', 'payed'],
      ['--charge-status', 'refund'],
    ]) {
      const ran = await one.run(['orders', 'list', ...flags, '--ndjson']);
      expect([ran.code, numbersIn(ran.stdout)], ran.stderr).toEqual([0, [9]]);
      expect(ran.stderr).toContain(`${flags.join(' ')}: not a status that paydesk knows`);
    }
  });

  test('a status that no order shows is said, with those that orders show and those that are documented', async () => {
    const one = await open(pages(november));
    const words = 'no order has the status unpaid. Statuses here: paid, refunded, pre_authorized';
    for (const command of [['list'], ['find', 'mxn']])
      expect((await one.run(['orders', ...command, '--status', 'unpaid'])).stderr).toContain(words);
    const doubt = await one.run(['orders', 'list', '--status', 'unpaid', '--quiet']);
    expect(doubt.stderr).toBe('--status unpaid: not a status that paydesk knows; did you mean paid?\n');
    expect((await one.run(['orders', 'list', '--status', 'authorised'])).stderr).toContain(
      'not a status that paydesk knows; did you mean pre_authorized?',
    );
    const other = await one.run(['orders', 'list', '--status', 'paid', '--min-amount', '99999999']);
    expect(other.stderr).not.toContain('no order that was read');
  });

  test('an order that does not show what is asked about is left out, and that is said', async () => {
    const one = await open(pages([at(3, '2026-11-20T00:00:00Z'), paidOrder(id(2), { created_at: null })]));
    const ran = await one.run(['orders', 'list', '--since', '2026-01-01', '--ndjson']);
    expect(numbersIn(ran.stdout)).toEqual([3]);
    expect(ran.stderr).toContain('1 order shows no created_at and was left out');
  });

  test('the command for the next page repeats them, with 30d as the moment it was', async () => {
    const now = Math.floor(Date.now() / 1000);
    const recent = Array.from({ length: 6 }, (_, index) =>
      paidOrder(id(9 - index), { created_at: now - index * 3600, amount: 1000 + index }),
    );
    const one = await open(pages(recent));
    const words = ['orders', 'list', '--since', '30d', '--min-amount', '1001', '--limit', '2', '--ndjson'];
    const first = await one.run(words);
    expect(numbersIn(first.stdout)).toEqual([8, 7]);
    const next =
      /next: paydesk (orders list --limit 2 --min-amount 1001 --since \S+Z --ndjson --next \S+)$/m.exec(
        first.stderr,
      )?.[1] ?? '';
    const second = await one.run(next.split(' '));
    expect(numbersIn(second.stdout)).toEqual([6, 5]);
  });
});

describe('a date without an offset', () => {
  test.each([
    ['America/Mexico_City', [], [9]],
    ['Asia/Tokyo', [], [9, 8, 7, 6]],
    ['America/Mexico_City', ['--utc'], [9, 8, 7]],
  ])('begins in the zone of the run: %s %j', async (TZ, flags, numbers) => {
    const one = await open(pages(november));
    const ran = await one.run(['orders', 'list', '--since', '2026-11-20', '--all', '--ndjson', ...flags], {
      env: { TZ },
    });
    expect(numbersIn(ran.stdout)).toEqual(numbers);
  });

  test('begins in time.zone of the profile', async () => {
    const one = await open(pages(november));
    await storeShop(one.home, one, { 'time.zone': 'America/Mexico_City' });
    const ran = await stored(one, ['orders', 'list', '--since', '2026-11-20', '--all', '--ndjson']);
    expect(numbersIn(ran.stdout)).toEqual([9]);
    const none = await stored(one, ['orders', 'find', 'nothere']);
    expect(none.stderr).toContain('no match for "nothere" in 6 orders, 17 Nov to 20 Nov 2026 (UTC-6)');
    const all = await one.run(['orders', 'find', '--customer', 'cus_other']);
    expect(all.stderr).toMatch(/^2 orders: \d+ MXN paid, \d+ MXN of it went back, net \d+ MXN$/m);
    const nobody = await stored(one, ['orders', 'find', '--customer', 'cus_nobody']);
    expect(nobody.stderr).toContain('no match for --customer cus_nobody in 6 orders');
  });
});

describe('where a date ends a walk', () => {
  const hours = (count: number): readonly Fields[] =>
    Array.from({ length: count }, (_, index) =>
      paidOrder(id(count - index), {
        created_at: seconds('2026-11-20T00:00:00Z') - index * 3600,
        amount: 1000 + index,
      }),
    );
  const since = ['--since', '2026-11-19T22:00:00Z'];
  const list = ['orders', 'list', ...since, '--limit', '10'];
  const ten = [...since, '--page-size', '10'];

  test('nothing does when no order is promised: every page is read', async () => {
    const one = await open(pages(hours(60)));
    await storeShop(one.home, one);
    const ran = await stored(one, [...list, '--all', '--ndjson']);
    expect(numbersIn(ran.stdout)).toEqual([60, 59, 58]);
    expect(asked(one)).toBe(6);
  });

  test('the first page with an older order does under newest-first', async () => {
    const one = await open(pages(hours(60)));
    await storeShop(one.home, one, { 'orders.order': 'newest-first' });
    const listed = await stored(one, [...list, '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject({ has_more: false, data: { length: 3 } });
    expect(listed.stderr).toContain('3 orders, sandbox shop. There are no more');
    expect(asked(one)).toBe(1);
    const found = await stored(one, ['orders', 'find', 'mxn', ...ten, '--ndjson']);
    expect(numbersIn(found.stdout)).toEqual([60, 59, 58]);
    expect(found.stderr).toContain(
      `older orders: paydesk -p shop orders find mxn --page-size 10 --ndjson --next ${id(58)}`,
    );
    expect(asked(one)).toBe(2);
  });

  test('no match up to it exits 9, says so, and goes on behind it', async () => {
    const one = await open(pages(hours(60)));
    await storeShop(one.home, one, { 'orders.order': 'newest-first' });
    const none = await stored(one, ['orders', 'find', '1030', ...ten]);
    expect(none).toMatchObject({ code: 9, stdout: '' });
    expect(none.stderr).toContain('older ones were not');
    const command = /paydesk -p shop (orders find .*)$/m.exec(none.stderr)?.[1] ?? '';
    expect(command).toBe(`orders find 1030 --page-size 10 --next ${id(58)}`);
    const found = await stored(one, [...command.split(' '), '--ndjson']);
    expect(numbersIn(found.stdout)).toEqual([30]);
  });

  test('a first page of old orders alone does not: the next page shows whether the newest come first', async () => {
    const old = Array.from({ length: 10 }, (_, index) => at(10 + index, '2026-10-01T00:00:00Z'));
    const one = await open(pages([...old, ...hours(60)]));
    await storeShop(one.home, one, { 'orders.order': 'newest-first' });
    const listed = await stored(one, [...list, '--all', '--ndjson']);
    expect(numbersIn(listed.stdout)).toEqual([60, 59, 58]);
    const exported = await stored(one, ['orders', 'export', ...since.slice(0, 2)]);
    expect(numbersIn(exported.stdout)).toEqual([60, 59, 58]);
  });

  test('nothing does once a page contradicts the promise: that is said, and the walk goes on', async () => {
    const [first, second, third, ...rest] = hours(60);
    const mixed = [third ?? {}, first ?? {}, second ?? {}, ...rest];
    const one = await open(pages([...mixed, at(99, '2026-11-20T00:00:00Z')]));
    await storeShop(one.home, one, { 'orders.order': 'newest-first' });
    const ran = await stored(one, [...list, '--all', '--ndjson']);
    expect(numbersIn(ran.stdout)).toEqual([58, 60, 59, 99]);
    expect(ran.stderr).toContain(
      `the list is not newest first, although orders.order says so: ${id(60)} is newer than ${id(58)} before it; reading on`,
    );
    expect(asked(one)).toBe(7);
  });
});

describe('a search', () => {
  test('shows the first hits before later pages have come', async () => {
    let release = (): void => undefined;
    const shown = new Promise<void>((resolve) => {
      release = resolve;
    });
    const serve = pages([
      ...november,
      ...Array.from({ length: 300 }, (_, index) => paidOrder(id(1000 + index))),
    ]);
    const one = await open(async (request, response, socket) => {
      // The second page is given only after the test saw the hit of the first one.
      if (request.url.includes('next=')) await shown;
      await serve(request, response, socket);
    });
    const child = spawn(process.execPath, [bin, 'orders', 'find', 'zoe@', '--ndjson'], {
      env: cleanEnv({ home: one.home, env: one.env }),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let stdout = '';
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk);
      if (stdout.includes(id(5))) release();
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(code).toBe(0);
    expect(numbersIn(stdout)).toEqual([5]);
    expect(asked(one)).toBe(2);
  });

  test('says on a terminal how far it is', async () => {
    let release = (): void => undefined;
    const seen = new Promise<void>((resolve) => {
      release = resolve;
    });
    const serve = pages([
      ...november,
      ...Array.from({ length: 300 }, (_, index) => paidOrder(id(1000 + index))),
    ]);
    const one = await open(async (request, response, socket) => {
      if (request.url.includes('next=')) await seen;
      await serve(request, response, socket);
    });
    const pty = runInPty(process.execPath, [bin, 'orders', 'find', 'nothere'], {
      columns: 80,
      rows: 24,
      cwd: one.home.path,
      env: cleanEnv({ home: one.home, env: one.env }),
    });
    await pty.waitFor(/250 orders read, .*, 0 found/);
    release();
    const { exitCode, transcript } = await pty.end;
    expect(exitCode).toBe(5);
    expect(withoutEscapes(transcript)).toContain('no match for "nothere" in 306 orders');
  });

  test('leaves the page size to a service that refuses long pages', async () => {
    const serve = pages(november);
    const refusal = json(errorBody(), 422);
    const one = await open((request, response, socket) =>
      (request.url.includes('limit=250') ? refusal : serve)(request, response, socket),
    );
    const ran = await one.run(['orders', 'find', 'zoe', '--ndjson']);
    expect(numbersIn(ran.stdout)).toEqual([5]);
    expect(one.server.requests.map(({ url }) => url)).toEqual(['/orders?limit=250', '/orders']);
  });

  test('that breaks off exits 9 with what was found, and the command to go on from there', async () => {
    const serve = pages(november);
    const refusal = json(errorBody(), 422);
    const one = await open((request, response, socket) =>
      (request.url.includes('next=') ? refusal : serve)(request, response, socket),
    );
    const ran = await one.run(['orders', 'find', 'buyer', '--page-size', '3', '--json']);
    expect(ran.code).toBe(9);
    expect(JSON.parse(ran.stdout)).toMatchObject({ has_more: true, data: { length: 3 } });
    expect(JSON.parse(ran.stderr)).toMatchObject({
      exit_code: 9,
      certain: '3 orders were read and 3 found; there may be more',
      now: ['go on from there:', `paydesk orders find buyer --page-size 3 --json --next ${id(7)}`],
    });
  });

  test('--limit is what is shown, and the command under it goes on behind the last one', async () => {
    const one = await open(pages(november));
    const ran = await one.run(['orders', 'find', 'buyer', '--limit', '2', '--ndjson']);
    const [shown, next = ''] = [numbersIn(ran.stdout), /paydesk (orders find .*)$/m.exec(ran.stderr)?.[1]];
    expect(shown).toHaveLength(2);
    const more = await one.run(next.split(' '));
    expect(more.code).toBe(0);
    const all = await one.run(['orders', 'find', 'buyer', '--ndjson']);
    expect([...shown, ...numbersIn(more.stdout)]).toEqual(numbersIn(all.stdout).slice(0, 4));
  });

  test('finds a name in whatever accents it was typed', async () => {
    const one = await open(
      pages([paidOrder(id(1), { customer_info: { name: 'José Pérez Núñez' } }), paidOrder(id(2))]),
    );
    for (const text of ['PÉREZ nunez', 'Pe\u0301rez'])
      expect(numbersIn((await one.run(['orders', 'find', text, '--ndjson'])).stdout), text).toEqual([1]);
  });

  test('never sends its text anywhere', async () => {
    const one = await open(pages(november));
    await one.run(['orders', 'find', 'zoe@example.com']);
    expect(one.server.requests.map(({ url }) => url)).toEqual(['/orders?limit=250']);
  });

  test('keeps escape sequences of what matched off the terminal', async () => {
    const one = await open(
      pages([paidOrder(id(1), { metadata: { 'k\u001b[2J': 'evil\u001b]0;x\u0007 value' } })]),
    );
    const ran = await one.run(['orders', 'find', 'evil']);
    expect(ran.code).toBe(0);
    expect(ran.stdout).not.toContain('\u001b');
  });
});

function stored(one: Service, args: readonly string[]) {
  const bare = { PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '' };
  return one.run(['-p', 'shop', ...args], { env: bare });
}
