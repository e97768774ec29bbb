/** Reports from the index of this machine: the sums of a live walk without a request, how old they are, and when the service is asked instead. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { chargesOf, type Json, listOf, withCharge } from '../harness/orders.ts';
import type { Ran } from '../harness/ran.ts';
import { hangUp, json } from '../harness/server.ts';
import { type Service, type ServiceOptions, startService, storeShop } from '../harness/service.ts';
import { ok } from '../index/shop.ts';
import { clock, orderAt, refundAs, rowsOf, startDated, startRefunding } from './refunded-orders.ts';

const hour = 3_600_000;
const start = Date.parse('2040-11-21T15:31:12Z');
const time = (ms: number) => new Date(ms).toISOString();
const afterHours = (hours: number) => standingAt(time(start + hours * hour));

/** Orders of a year, the newest first: half of them were refunded in the last three weeks, some wait, two are twins. */
const orders = Array.from({ length: 400 }, (_, index) =>
  orderAt(`ord_${index}`, time(start - hour - index * 22 * hour - (index % 2) * 21.9 * hour), {
    amount: 9_000 + Math.ceil(index / 2),
    currency: index % 3 === 0 ? 'USD' : 'MXN',
    customer_info: { name: 'Ana Torres', email: `buyer${Math.ceil(index / 2)}@example.com` },
    refunds:
      index % 2 === 0 ? [] : [{ amount: 100 + index, at: time(start - (index % 20) * 24 * hour - hour) }],
    ...(index % 10 === 4 ? { payment_status: 'pre_authorized' } : {}),
  }),
).toSorted((one, other) => Number(other.created_at) - Number(one.created_at));

async function startIndexed(options: ServiceOptions = { orders }): Promise<Service> {
  const service = await startDated(options);
  await ok(service.run(['index', 'build', '--yes', '--quiet'], { env: clock }));
  return service;
}

/** An order after a refund that was made an hour after the index was read. */
const refunded = ({ id, amount, currency, created_at: created }: Json, sum: number) =>
  orderAt(String(id), time(Number(created) * 1000), {
    amount: Number(amount),
    currency: String(currency),
    refunds: [{ amount: sum, at: time(start + hour), changes: { currency } }],
  });

const ask = (service: Service, words: string, env = clock) => service.run(words.split(' '), { env });

/** The rows without what says where they come from. */
const figures = (stdout: string) =>
  rowsOf(stdout).map(({ source: _source, complete: _complete, as_of: _asOf, ...row }) => row);

describe('with an index of all orders', () => {
  const reports = [
    'orders summary --period 2040-11',
    'orders summary --period this-week --by day',
    'orders summary --period 2040-01-01..2041-01-01 --by week',
    'orders summary --period 2040-10 --by status',
    'orders summary --by brand --period 2040-01-01..2041-01-01',
    'orders summary --by method --period 2040-01-01..2041-01-01',
    'orders summary --by age --period 2040-01-01..2041-01-01',
    'orders waiting --by age',
    'orders waiting --by month --period 2040-01-01..2041-01-01',
    'refunds summary',
    'refunds summary --by day',
    'refunds summary --by reason',
    'refunds summary --by operator',
    'refunds summary --by origin',
    'refunds summary --by brand --currency MXN',
    'refunds summary --by method',
    'refunds summary --by status',
    'refunds summary --by age --period last-week',
    'refunds list --period this-month --sort amount',
    'today',
  ];
  let service: Service;
  // All of them before the first --live, which reads into the index.
  const fromIndex = new Map<string, Ran>();
  beforeAll(async () => {
    service = await startIndexed();
    const before = service.requests.length;
    for (const words of reports) fromIndex.set(words, await ask(service, `${words} --ndjson`, afterHours(1)));
    expect(service.requests.length).toBe(before);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  test.each(reports)('%s has the rows of --live, and no request is sent', async (words) => {
    const { code, stdout = '', stderr } = fromIndex.get(words) ?? {};
    expect(code, stderr).toBe(0);
    const before = service.requests.length;
    const live = await ask(service, `${words} --live --ndjson`, afterHours(1));
    expect(service.requests.length).toBeGreaterThan(before);
    const rows = rowsOf(stdout);
    expect(rows.length).toBeGreaterThan(0);
    expect(figures(stdout)).toEqual(figures(live.stdout));
    expect(new Set(rows.map(({ complete, as_of: at }) => `${String(complete)} ${String(at)}`))).toEqual(
      new Set([`${words.includes('last-week')} ${start / 1000}`]),
    );
    expect(new Set(rowsOf(live.stdout).map(({ complete }) => complete))).toEqual(new Set([true]));
    expect(stderr).toContain('as of ');
    expect(stderr).toMatch(/exact: the same with --live \(about \d requests?\)/);
  });
});

describe('a refund that was sent from here', () => {
  const order = orderAt('ord_1', '2039-01-02T10:00:00Z');
  const build = (service: Service, env: typeof clock) =>
    ok(service.run(['index', 'build', '--yes', '--quiet'], { env }));
  const alarms = async (service: Service, words: string) =>
    rowsOf((await ask(service, `${words} --ndjson`, afterHours(1))).stdout)
      .filter(({ what, count }) => ['failed', 'gone', 'unconfirmed'].includes(String(what)) && count !== 0)
      .map(({ what, source }) => [what, source]);

  test.each(['failed', 'gone'])(
    '%s before its order was read into the index: today says so as with --live',
    async (what) => {
      await using service = await startRefunding([order]);
      await refundAs(service, 'ana', 'ord_1');
      const [made = order] = service.orders;
      const [refund = {}] = chargesOf({ charges: chargesOf(made)[0]?.refunds });
      service.orders = [
        what === 'gone' ? order : withCharge(order, { refunds: listOf({ ...refund, status: 'failed' }) }),
      ];
      await build(service, afterHours(0.2));
      expect(await alarms(service, 'today')).toEqual([[what, 'index']]);
      expect(await alarms(service, 'today --live')).toEqual([[what, 'live']]);
    },
  );

  test('after its order was read into the index is not called gone', async () => {
    await using service = await startRefunding([order]);
    await build(service, afterHours(-0.2));
    await refundAs(service, 'ana', 'ord_1');
    expect(await alarms(service, 'today')).toEqual([]);
  });
});

test('what an index does not keep is said, whatever asked for it: a column, or a workbook', async () => {
  await using service = await startIndexed();
  const named = await ask(service, 'refunds list --columns order_id,buyer', afterHours(1));
  expect(named.stderr).toContain(
    "it keeps no buyers and none of the shop's own numbers. Every order is read instead",
  );
  const sheet = await ask(service, 'refunds list --to r.xlsx', afterHours(1));
  expect(sheet.stderr).toContain('with them: the same with --live --force\n');
});

test('orders twins finds the pairs in the index, and reads only their orders again: buyers and cards are those of --live', async () => {
  await using service = await startIndexed();
  const words = 'orders twins --period this-week --settled';
  const before = service.requests.length;
  const indexed = await ask(service, `${words} --ndjson`, afterHours(1));
  const reads = service.requests.slice(before).map(({ url }) => url);
  const live = await ask(service, `${words} --live --ndjson`, afterHours(1));
  expect(figures(indexed.stdout)).toEqual(figures(live.stdout));
  expect(rowsOf(indexed.stdout)[0]).toMatchObject({ buyer: 'Ana Torres', complete: false });
  expect(reads.length).toBeGreaterThan(0);
  expect(reads.every((url) => /limit=([1-9]|10)(&|$)/.test(url))).toBe(true);
});

test('the screen says how old each age is, that the sums are a lower bound, and what makes them exact', async () => {
  await using service = await startIndexed();
  const { stdout } = await ask(service, 'refunds summary --period this-week --by day', afterHours(5));
  expect(stdout).toMatchInlineSnapshot(`
    "REFUNDS  19 Nov to 21 Nov 2040 (UTC), so far    sandbox environment
           REFUNDS  REFUNDED  OF PAID   PAID    NET
      MXN       13      3713   20.6 %  18002  14289
      USD        7      2107   23.4 %   9000   6893

    BY DAY, MXN          REFUNDS  REFUNDED  OF PAID   PAID    NET
      2040-11-19               0         0    0.0 %  18002  18002
      2040-11-20              13      3713        -      0  -3713  ########################
      2040-11-21 (part)        0         0        -      0      0

    BY DAY, USD          REFUNDS  REFUNDED  OF PAID  PAID    NET
      2040-11-19               0         0        -     0      0
      2040-11-20               7      2107        -     0  -2107  ########################
      2040-11-21 (part)        0         0    0.0 %  9000   9000

    as of  newest 3 days 15:31, 90 days 15:31, older ones 15:31, in the index of this machine: refunds made on these orders since then may be missing, so the sums are a lower bound
    exact  the same with --live (about 2 requests)
    rate   refunds made in this period, of the payments of this period (OF PAID)
    net    the payments of this period, less the refunds made in it
    so far MXN 0.6 %, USD 0.0 % of the payments of this period went back
    "
  `);
  const short = await ask(service, 'orders summary --period yesterday', afterHours(5));
  expect(short.stdout).toContain(
    'as of  newest 3 days 15:31, in the index of this machine: what was changed since then is shown as it was',
  );
  const open = await ask(service, 'orders summary --period this-week', afterHours(5));
  expect(open.stdout).toContain('in the index of this machine: orders made since then are missing, and what');
});

test('where only the newest orders were read again, each age has its own time, and as_of is the oldest', async () => {
  await using service = await startIndexed();
  await ask(service, 'orders list --limit 10', afterHours(20));
  const { stdout, code } = await ask(service, 'refunds summary --period this-week', afterHours(21));
  expect(code).toBe(0);
  expect(stdout).toContain(
    'as of  newest 3 days 21 Nov 15:31, 90 days 21 Nov 15:31, older ones 21 Nov 15:31',
  );
});

test('a refund that was made elsewhere after the reading is missing, as the lines say; after a refresh it is there', async () => {
  await using service = await startIndexed();
  const [first = {}, ...rest] = orders;
  service.orders = [refunded(first, 77), ...rest];
  const today = async (hours: number) =>
    rowsOf((await ask(service, 'refunds list --period this-week --ndjson', afterHours(hours))).stdout).filter(
      ({ amount }) => amount === -77,
    );
  expect(await today(3)).toHaveLength(0);
  await ok(ask(service, 'index refresh --quiet', afterHours(3)));
  expect(await today(3)).toEqual([expect.objectContaining({ order_id: first.id, complete: false })]);
});

test('a refund that this machine made after the reading is counted as missing until the order is read again', async () => {
  const [first = {}] = orders;
  await using service = await startIndexed({
    orders,
    onPost(_order, own) {
      const after = refunded(first, Number(first.amount));
      own.orders = [after, ...orders.slice(1)];
      return json(after);
    },
  });
  const env = { ...afterHours(1), PAYDESK_OPERATOR: 'op7' };
  const made = await service.run(
    ['orders', 'refund', String(first.id), '--reason', 'suspected_fraud', '--yes'],
    { env },
  );
  expect(made.code, made.stderr).toBe(0);
  const words = 'refunds summary --period today --by operator';
  expect((await ask(service, words, afterHours(1.5))).stdout).toContain(
    'note   1 refund that this machine made is not in these sums yet; to read the newest: paydesk index refresh',
  );
  expect((await ask(service, `${words} --currency JPY`, afterHours(1.5))).stdout).not.toContain(
    'not in these',
  );
  await ok(ask(service, 'index refresh --quiet', afterHours(1.5)));
  const { stdout } = await ask(service, words, afterHours(1.5));
  expect(stdout).not.toContain('not in these');
  expect(stdout).toMatch(/op7 +1 +9000/);
});

test('a refund of another account with real money is not missing in the report of this one', async () => {
  const isLive = (order: Json): Json => ({
    ...order,
    livemode: true,
    charges: listOf(...chargesOf(order).map((charge) => ({ ...charge, livemode: true }))),
  });
  const live = orders.map(isLive);
  const [first = {}] = live;
  await using service = await startIndexed({ orders: live, mode: 'production' });
  await using other = await startService({
    orders: live,
    mode: 'production',
    sendsDate: false,
    onPost: () => json(isLive(refunded(first, Number(first.amount)))),
  });
  const id = String(first.id);
  const made = await service.run(['orders', 'refund', id, '--confirm', id, '--reason', 'other'], {
    env: { ...afterHours(1), PAYDESK_BASE_URL: other.url, PAYDESK_API_KEY: 'key_another0000000000' },
  });
  expect({ code: made.code, posts: other.posts.length }, made.stderr).toEqual({ code: 0, posts: 1 });
  const shown = await ask(service, 'refunds summary --period today', afterHours(1.5));
  expect(shown.code, shown.stderr).toBe(0);
  expect(shown.stdout).not.toContain('not in these sums');
});

test('29 a refund whose reply was lost is probably of this machine, also in a split order of the index', async () => {
  const two = (refunds: readonly { amount: number; at: string }[]) => {
    const one = orderAt('ord_1', '2040-11-21T10:00:00Z', { amount: 500, refunds });
    const other = orderAt('ord_2', '2040-11-21T10:00:00Z', { amount: 900 });
    const data = [one, other].flatMap(({ charges }) => (charges as { data: Json[] }).data);
    return {
      ...one,
      amount: 1_400,
      payment_status: refunds.length === 0 ? 'paid' : 'partially_refunded',
      charges: { object: 'list', has_more: false, total: 2, data },
    };
  };
  await using service = await startIndexed({
    orders: [two([])],
    onPost: () => hangUp,
  });
  const env = { ...clock, PAYDESK_OPERATOR: 'op7' };
  const refund = 'orders refund ord_1 --charge ch_ord_1 --amount 500 --reason other --yes';
  expect((await ask(service, refund, env)).code).toBe(7);
  service.orders = [two([{ amount: 500, at: '2040-11-21T15:31:13Z' }])];
  await ok(ask(service, 'index refresh --quiet', { ...env, ...afterHours(2) }));
  const before = service.requests.length;
  const list = await ask(service, 'refunds list --ndjson', { ...env, ...afterHours(2) });
  expect(rowsOf(list.stdout)).toEqual([
    expect.objectContaining({ origin: 'probably this machine', operator: 'op7', reason: 'other' }),
  ]);
  expect(service.requests.length).toBe(before);
});

test('20 an order that hides its refunds makes the sums incomplete, exit 9, also if nothing of it is in the period', async () => {
  const hiding = {
    ...orderAt('ord_hides', '2039-11-21T10:00:00Z'),
    amount_refunded: 5,
    payment_status: 'partially_refunded',
  };
  await using service = await startIndexed({ orders: [...orders, hiding] });
  const { code, stdout, stderr } = await ask(service, 'refunds summary --period today');
  expect(code).toBe(9);
  expect(stdout).toContain('NOT COMPLETE');
  expect(stderr).toContain('ord_hides');
});

test('28 sums beyond 2^53 are exact', async () => {
  const large = [9_007_199_254_740_991, 9_007_199_254_740_990].map((amount, index) =>
    orderAt(`ord_${index}`, `2040-11-2${1 - index}T10:00:00Z`, {
      amount,
      refunds: [{ amount, at: '2040-11-21T12:00:00Z' }],
    }),
  );
  await using service = await startIndexed({ orders: large });
  const { stdout } = await ask(service, 'refunds summary --csv');
  expect(stdout).toContain(
    ',MXN,2,18014398509481981,0,0,0,0,0,2,18014398509481981,0,100,18014398509481981,100,0,index,false,',
  );
});

describe('the service is asked instead, and a note says why, where the index', () => {
  const fallsBack = async (
    service: Service,
    { words, why, hours = 1 }: { readonly words: string; readonly why: string; readonly hours?: number },
  ) => {
    const before = service.requests.length;
    const ran = await ask(service, `${words} --ndjson`, afterHours(hours));
    const sent = service.requests.length - before;
    expect(ran.stderr).toContain(`the index of this machine cannot answer: ${why}`);
    expect(ran.stderr).toContain('Every order is read instead');
    expect(sent).toBeGreaterThan(0);
    expect(rowsOf(ran.stdout).every(({ complete }) => complete === true)).toBe(true);
    const live = await ask(service, `${words} --live --ndjson`, afterHours(hours));
    expect(figures(ran.stdout)).toEqual(figures(live.stdout));
    expect(ran.code).toBe(live.code);
    return ran;
  };

  test('was last read before the period began; the walk reads it into the index, and the next report is from there', async () => {
    await using service = await startIndexed();
    const why = 'the newest orders were last read into it on 21 Nov 2040 15:31:12 UTC';
    const { stderr } = await fallsBack(service, { words: 'today', why, hours: 20 });
    expect(stderr).toContain('so that it can: paydesk index refresh');
    const before = service.requests.length;
    expect((await ask(service, 'today', afterHours(20))).stdout).toContain('in the index of this machine');
    expect(service.requests.length).toBe(before);
  });

  test('was not read for more than a day, and the period goes on', async () => {
    await using service = await startIndexed();
    const why = 'the newest orders were last read into it on 21 Nov 2040 15:31:12 UTC';
    await fallsBack(service, { words: 'refunds summary --period this-month', why, hours: 25 });
    await using other = await startIndexed();
    // A month that was over before the reading is another matter.
    const { stdout } = await ask(other, 'orders summary --period 2040-10', afterHours(25));
    expect(stdout).toContain('in the index of this machine');
  });

  test('was not read for more than two hours, and the period began less than two days ago', async () => {
    await using service = await startIndexed();
    const words = 'refunds summary --period today';
    expect((await ask(service, words, afterHours(1.9))).stdout).toContain('in the index of this machine');
    const month = 'refunds summary --period this-month';
    expect((await ask(service, month, afterHours(2.1))).stdout).toContain('in the index of this machine');
    const why = 'the newest orders were last read into it on 21 Nov 2040 15:31:12 UTC';
    await fallsBack(service, { words, why, hours: 2.1 });
  });

  test('is not whole yet', async () => {
    await using service = await startDated({ orders });
    let page = 0;
    await using broken = await startDated({
      orders,
      onPage: () => {
        page += 1;
        return page === 2 ? json({ object: 'error', type: 'broken', details: [] }, 422) : undefined;
      },
    });
    expect((await ask(broken, 'index build --yes --quiet')).code).toBe(9);
    const { stderr } = await fallsBack(broken, {
      words: 'refunds summary',
      why: 'it knows 250 orders, and there are more',
    });
    expect(stderr).toContain('so that it can: paydesk index build --resume');
    // Without an index nothing is said.
    expect((await ask(service, 'refunds summary --ndjson')).stderr).toBe('');
  });

  test('is of a list that is not newest first', async () => {
    await using service = await startIndexed({ orders: orders.toReversed() });
    await fallsBack(service, {
      words: 'orders summary --period 2040-01-01..2041-01-01',
      why: 'this list is not newest first',
    });
  });

  test('has a gap', async () => {
    await using service = await startIndexed();
    const more = Array.from({ length: 30 }, (_, index) =>
      orderAt(`ord_more${index}`, time(start + (30 - index) * 60_000)),
    );
    service.orders = [...more, ...orders];
    await ok(ask(service, 'orders list --limit 10 --quiet', afterHours(1)));
    await fallsBack(service, {
      words: 'refunds summary --period this-week',
      why: 'there may be orders between those that it knows',
    });
  });

  test('keeps only newer orders than those of the period', async () => {
    await using service = await startIndexed();
    await ok(ask(service, 'index forget --before 2040-10-01 --yes'));
    const why = 'it has no orders from before 1 Oct 2040 00:00:00 UTC';
    await fallsBack(service, { words: 'orders waiting', why });
    await using other = await startIndexed();
    await ok(ask(other, 'index forget --before 2040-10-01 --yes'));
    const { stdout } = await ask(other, 'refunds summary --period this-month');
    expect(stdout).toContain('note   orders made before 1 Oct 2040 00:00:00 UTC are not in the index');
  });

  test('has no names, for report --names', async () => {
    await using service = await startIndexed();
    const { stderr } = await ask(service, 'report --to names.html --names');
    expect(stderr).toContain("cannot answer: it keeps no buyers and none of the shop's own numbers");
    expect(readFileSync(join(service.home.path, 'names.html'), 'utf8')).toContain('Ana Torres');
  });
});

test('the HTML report says as of which day and time it is; what makes it exact is said to whoever makes it', async () => {
  await using service = await startIndexed();
  const before = service.requests.length;
  const { code, stdout, stderr } = await ask(service, 'report --to report.html', afterHours(1));
  expect([code, service.requests.length - before]).toEqual([0, 0]);
  expect(stdout).toContain('refunds; 400 orders in the index of this machine');
  expect(stderr).toContain('exact: the same with --live (about 2 requests)');
  const html = readFileSync(join(service.home.path, 'report.html'), 'utf8');
  expect(html).toContain(
    '<dt>As of</dt><dd>21 Nov 2040 15:31:12 UTC, when 400 orders had been read: refunds made on these orders since then may be missing, so the sums are a lower bound</dd>',
  );
  expect(html).toContain('what was refunded after they were read is missing');
  // Whoever gets the file by mail has no terminal.
  expect(html).not.toMatch(/--live|index refresh|newest 3 days 15:31/);
  expect(html).toMatch(/"source":\s*"index",\s*"complete":\s*false/);
});

test('12 an index that does not open stops a report, exit 3, and the error says how to ask without it', async () => {
  await using service = await startIndexed();
  const status = JSON.parse((await ask(service, 'index status --json')).stdout) as Json;
  writeFileSync(String(status.file), 'no index');
  const before = service.requests.length;
  const { code, stdout, stderr } = await ask(service, 'refunds summary');
  expect([code, stdout, service.requests.length - before]).toEqual([3, '', 0]);
  expect(stderr).toContain('the same command with --live');
  expect((await ask(service, 'refunds summary --live')).code).toBe(0);
});

test('where the profile says that the newest come first, exact names the requests of the short walk', async () => {
  await using service = await startIndexed();
  await storeShop(service.home, service, { 'orders.order': 'newest-first', 'time.zone': 'UTC' });
  const env = { ...clock, PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '' };
  const run = (words: string) => service.run(['-p', 'shop', ...words.split(' ')], { env });
  expect((await run('orders summary --period this-week')).stdout).toContain('(about 1 request)');
  expect((await run('refunds summary --period this-week')).stdout).toContain('(about 2 requests)');
});
