/** The HTML report of a usual month: what a lead reads on a screen and on paper. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isLong } from '../harness/long.ts';
import { type Json, withCharge } from '../harness/orders.ts';
import { storeShop } from '../harness/service.ts';
import { lookAt } from './browser.ts';
import { clock, orderAt, refundAs, startRefunding } from './refunded-orders.ts';

const two = (number: number): string => String(number).padStart(2, '0');

// A shop in Madrid that sells in two currencies: some orders on each day of two months, and refunds on most.
function usualMonth(): readonly Json[] {
  const days = ['2040-10', '2040-11'].flatMap((month) =>
    Array.from({ length: month === '2040-10' ? 31 : 21 }, (_, day) => `${month}-${two(day + 1)}`),
  );
  return days.flatMap((day, index) =>
    ['MXN', 'USD'].map((currency, place) => {
      const card = {
        type: 'credit',
        brand: ['visa', 'mastercard', 'amex'][index % 3],
        last4: `42${10 + index}`,
      };
      // A refund on every day but two of each currency.
      const isBack = index % 20 !== place;
      const order = orderAt(`ord_2tQ7zRk9PwE5x${currency}${10 + index}`, `${day}T08:${two(place)}:00Z`, {
        amount: 1_495_224 + index * 70_301,
        currency,
        refunds: isBack ? [{ amount: 149_522 + ((index * 7919) % 90_000), at: `${day}T12:00:00Z` }] : [],
      });
      return withCharge(order, { payment_method: card });
    }),
  );
}

const operators = ['mara', 'mara', 'jon', 'jon', 'jo ann', 'lucia'] as const;
const decimals = { 'amounts.decimals.MXN': '2', 'amounts.decimals.USD': '2' };
const env = { PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '', PAYDESK_PROFILE: 'shop' };

/** The report of that month, after six refunds of this machine. */
async function reported(
  words: readonly string[],
  { orders = usualMonth(), lost }: { readonly orders?: readonly Json[]; readonly lost?: Json } = {},
) {
  const own = operators.map((_, index) =>
    orderAt(`ord_2tQ7zRk9PwE5own${index}`, '2040-11-20T10:00:00Z', { amount: 52_000 + index }),
  );
  const waiting = withCharge(
    orderAt('ord_2tQ7zRk9PwE5wait', '2040-11-20T10:00:00Z', { payment_status: 'pre_authorized' }),
    { status: 'pre_authorized' },
  );
  const service = await startRefunding([...own, waiting, ...(lost ? [lost] : []), ...orders], lost?.id);
  await storeShop(service.home, service, decimals);
  for (const [index, operator] of operators.entries())
    await refundAs(service, operator, String(own[index]?.id), env);
  if (lost !== undefined)
    await service.run(['orders', 'refund', String(lost.id), '--yes'], { env: { ...clock, ...env } });
  const { code, stderr } = await service.run(['report', '--to', 'report.html', ...words], {
    env: { ...clock, ...env, PAYDESK_OPERATOR: 'lea' },
  });
  if (code !== 0) throw new Error(stderr);
  const file = join(service.home.path, 'report.html');
  return {
    file,
    html: readFileSync(file, 'utf8'),
    run: (...more: readonly string[]) => service.run(more, { env: { ...clock, ...env } }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** What a person reads in the file. */
const textOf = (html: string) =>
  html
    .replace(/<style>[\s\S]*?<\/style>|<pre[\s\S]*?<\/pre>|<svg[\s\S]*?<\/svg>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('\u00a0', ' ');

const figuresOf = (html: string) =>
  JSON.parse(/<pre id="figures"[^>]*>(.*)<\/pre>/.exec(html)?.[1] ?? '') as Readonly<
    Record<string, readonly Json[]>
  >;

test('with declared decimals money is as people read it, and the units of the service stand there once', async () => {
  await using one = await reported([]);
  const text = textOf(one.html);
  const [first] = figuresOf(one.html).sums ?? [];
  expect(first).toMatchObject({ currency: 'MXN', refunded: 4_223_954, paid: 92_240_880 });
  expect(text).toMatch(/this period +26 +42,239\.54 MXN +[+-][\d.]+ % +4\.6 % +27 +922,408\.80 MXN/);
  expect(text.match(/4223954|92240880/g)).toEqual(['4223954', '92240880']);
  expect(text).toContain('In the units of the service: MXN 4223954 refunded, 92240880 paid');
  expect(text).not.toMatch(/\d+ \(\d/);
});

test('it compares the period with the time before, and one that is not over with the same days until the same hour', async () => {
  await using one = await reported(['--tz', 'UTC']);
  const text = textOf(one.html);
  expect(text).toMatch(
    /this period +\d+ +\S+ MXN +[+-][\d.]+ % [^%]*% [\s\S]*1 Oct to 21 Oct 2040, the same days +19 +\S+ MXN +[\d.]+ % /,
  );
  expect(text).toMatch(/1 Oct to 31 Oct 2040 +29 +\S+ MXN +[\d.]+ % /);
  await using day = await reported(['--period', 'today', '--tz', 'UTC']);
  expect(textOf(day.html)).toMatch(/20 Nov 2040, until the same time of day +/);
  const at = (time: string) => Date.parse(time) / 1000;
  const { before = [] } = figuresOf(one.html);
  expect(before).toMatchObject([
    { since: at('2040-10-01T00:00:00Z'), until: at('2040-10-21T15:31:12Z'), zone: 'UTC' },
    { since: at('2040-10-01T00:00:00Z'), until: at('2040-11-01T00:00:00Z'), zone: 'UTC' },
  ]);
  const { stdout } = await one.run('refunds', 'summary', '--period', 'last-month', '--tz', 'UTC', '--json');
  const names = ['currency', 'refunds', 'refunded', 'payments', 'paid', 'rate_percent'];
  const only = (rows: readonly Json[]) => rows.map((row) => names.map((name) => row[name]));
  const [, whole] = before;
  expect(only(whole?.sums as readonly Json[])).toEqual(only(JSON.parse(stdout).data));
});

test.each([
  ['2040-03', '1 Feb to 29 Feb 2040'],
  ['2040-W10', '27 Feb to 4 Mar 2040'],
  ['2040-03-01', '29 Feb 2040'],
  ['2040', '1 Jan to 31 Dec 2039'],
  ['2040-03-05..2040-03-10', '29 Feb to 4 Mar 2040'],
])('%s is compared with %s', async (period, before) => {
  await using one = await reported(['--tz', 'UTC', '--period', period], {
    orders: [orderAt('ord_1', '2040-03-06T10:00:00Z'), orderAt('ord_2', '2040-03-01T10:00:00Z')],
  });
  expect(textOf(one.html)).toContain(` ${before} `);
});

test('the zone stands there by its name, with the day on which its clocks change', async () => {
  await using one = await reported(['--tz', 'Europe/Madrid', '--period', 'last-month']);
  const text = textOf(one.html);
  expect(text).toContain('Time zone  Europe/Madrid, UTC+2 until 28 Oct, then UTC+1');
  expect(text).toContain('Refunds, 1 Oct to 31 Oct 2040 (Europe/Madrid) ');
});

test('who made it and when, what waits and the reasons are said in words; the figures for programs have codes', async () => {
  const lost = orderAt('ord_2tQ7zRk9PwE5lost', '2040-11-20T10:00:00Z', { amount: 77_700 });
  await using one = await reported(['--tz', 'UTC'], { orders: [], lost });
  const text = textOf(one.html);
  expect(text).toContain('Made  21 Nov 2040 15:31:12 UTC by lea');
  expect(text).toContain('Not captured yet  1 authorized order, 100.00 MXN');
  expect(text).toContain('Unconfirmed  1 change, 777.00 MXN');
  expect(text).toMatch(/Reason +Refunds[\s\S]*the buyer asked for it +6 /);
  expect(text).toContain('jo_ann: the buyer asked for it');
  expect(text).not.toContain('requested_by_client');
  const figures = figuresOf(one.html);
  expect(figures).toMatchObject({
    made_by: 'lea',
    made_at: Date.parse('2040-11-21T15:31:12Z') / 1000,
    not_captured: [{ currency: 'MXN', count: 1, amount: 10_000 }],
    unconfirmed: [{ currency: 'MXN', count: 1, amount: 77_700 }],
  });
  expect(figures.by_reason).toContainEqual(expect.objectContaining({ bucket: 'requested_by_client' }));
});

test('refunds that are all from elsewhere are in no table of reasons, and a bar that has nothing beside it is not drawn', async () => {
  await using one = await reported(['--period', 'last-month'], {
    orders: [
      withCharge(
        orderAt('ord_1', '2040-10-20T10:00:00Z', { refunds: [{ amount: 5, at: '2040-10-20T11:00:00Z' }] }),
        { payment_method: { type: 'credit', brand: 'visa', last4: '4242' } },
      ),
    ],
  });
  const text = textOf(one.html);
  expect(text).toContain('By card');
  expect(text).not.toContain('By reason');
  expect(text.match(/elsewhere/g)).toHaveLength(1);
  expect(text).toMatch(/Visa +1 +0\.05 +100\.0 %/);
  expect(one.html).not.toContain('class="row-bar"');
});

if (isLong)
  test.each([['this-month'], ['last-month']])(
    '%s: two pages of A4 and of Letter, and nothing wraps at 1100 pixels',
    async (period) => {
      await using one = await reported(['--tz', 'Europe/Madrid', '--period', period]);
      const { looks, atWidths, papers } = lookAt(one.file);
      for (const [name, look] of Object.entries(looks))
        expect(look, name).toMatchObject({ requests: [], messages: [], findings: [], cut: [] });
      expect(atWidths['1100']).toEqual({ scrolling: [], broken: [], wrapped: [] });
      for (const [name, pages] of Object.entries(papers)) {
        expect(pages, name).toHaveLength(2);
        expect(pages[0], name).toContain('Page 1 of 2');
        // The chart of the days is on the page of its heading and its figures. Tables are tables.
        expect(pages[0], name).toMatch(
          /By day\n[\s\S]*largest: [\s\S]*Day +Refunds +Refunded +Share[\s\S]*20 +/,
        );
        expect(pages[1], name).toMatch(/Order +Amount +Made +Card +By/);
      }
    },
  );

if (isLong)
  test('a busy month is two pages too: a row for each day in two currencies, all lists full, and twins', async () => {
    const twins = Array.from({ length: 12 }, (_, pair) =>
      ['a', 'b'].map((name, place) =>
        orderAt(`ord_2tQ7zRk9PwE5twin${pair}${name}`, `2040-11-${two(pair + 1)}T10:0${place}:00Z`, {
          amount: 16_000 + pair,
          customer_info: { object: 'customer_info', name: 'Ana', email: 'ana@example.com' },
        }),
      ),
    ).flat();
    await using one = await reported(['--tz', 'Europe/Madrid', '--period', '2040-10-21..2040-11-22'], {
      orders: [...usualMonth(), ...twins],
    });
    expect(textOf(one.html)).toContain('12 pairs');
    for (const [name, pages] of Object.entries(lookAt(one.file).papers)) expect(pages, name).toHaveLength(2);
  });

if (isLong)
  test('a table of several pages has its headings on each of them', async () => {
    const orders = Array.from({ length: 62 }, (_, index) => {
      const day = new Date(Date.UTC(2040, 8, 1 + index)).toISOString().slice(0, 10);
      return orderAt(`ord_${index}`, `${day}T10:00:00Z`, {
        refunds: [{ amount: 5 + index, at: `${day}T11:00:00Z` }],
      });
    });
    await using one = await reported(['--tz', 'UTC', '--period', '2040-09-01..2040-11-02'], { orders });
    const { papers } = lookAt(one.file);
    for (const [name, pages] of Object.entries(papers)) {
      const withDays = pages.filter((page) => /^2040-(09|10)-\d\d /m.test(page));
      expect(withDays.length, name).toBeGreaterThan(1);
      for (const page of withDays) expect(page, name).toMatch(/Day +Refunds +Refunded +Share/);
    }
  });
