/** Columns of tables: those that people name, those that are there without a terminal, and where they stand on later pages. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { chargeOf, type Json, listOf, orderOf, paidOrder, refundOf } from '../harness/orders.ts';
import { paydesk } from '../harness/paydesk.ts';
import { withoutEscapes } from '../harness/pty.ts';
import { changing, pages, type Service, startAnswering, storeShop } from '../harness/service.ts';
import { atTerminal } from '../harness/terminal.ts';

// 20 November 2020, 12:00 in UTC.
const bought = 1_605_873_600;

function refundedCharge(amount: number, refunded: number): Json {
  return chargeOf('ch_1', amount, { refunds: listOf(refundOf('rf_1', refunded)) });
}

const orders: readonly Json[] = [
  paidOrder('ord_2tQ8mVxK4nRz7LcWp', {
    created_at: bought,
    customer_info: { name: 'Ana Torres', email: 'ana@example.com', phone: '+5215555555555' },
    metadata: { shop_order: 'A-10023', gift: 'yes' },
  }),
  orderOf('ord_2tQ7zRk9PwE5xNvAm', [refundedCharge(35_000, 12_000), chargeOf('ch_2', 17_000)], {
    created_at: bought - 3600,
    payment_status: 'partially_refunded',
    amount_refunded: 12_000,
    customer_info: { name: 'Łukasz Żółć', email: 'lukasz@example.com' },
    metadata: { shop_order: 'A-10022' },
  }),
  paidOrder('ord_2tQ7sLf1DtX6kPjQr', { created_at: bought - 7200, customer_info: {}, metadata: {} }),
];
const named = 'id,buyer,email,reference,metadata.gift,customer_info.phone,created_at_local';

let service: Service;
beforeAll(async () => {
  service = await startAnswering(pages(orders));
});
afterAll(() => service[Symbol.asyncDispose]());

describe('named columns', () => {
  test('a heading is a name too, in any case', async () => {
    const { stdout } = await service.run(['orders', 'list', '--csv', '--columns', 'Status,CREATED,Buyer']);
    expect(stdout.split('\n')[0]).toBe('payment_status,created_at,buyer');
    const one = ['orders', 'show', 'ord_2tQ7sLf1DtX6kPjQr', '--csv', '--columns', 'STATUS'];
    expect((await service.run(one)).stdout).toBe('payment_status\npaid\n');
  });

  test('on a terminal of 120 columns', async () => {
    const { stdout } = await service.run(['orders', 'list', '--columns', named], { columns: 120 });
    expect(stdout).toMatchInlineSnapshot(`
      "ID                     BUYER        EMAIL           REFERENCE  METADATA.GIFT  CUSTOMER_INFO.…  CREATED_AT_LOCAL         
      ord_2tQ8mVxK4nRz7LcWp  Ana Torres   ana@example.c…  A-10023    yes            +5215555555555   2020-11-20T12:00:00+00:00
      ord_2tQ7zRk9PwE5xNvAm  Łukasz Żółć  lukasz@exampl…  A-10022    -              -                2020-11-20T11:00:00+00:00
      ord_2tQ7sLf1DtX6kPjQr  -            -               -          -              -                2020-11-20T10:00:00+00:00
      "
    `);
  });

  test('on a terminal of 80 columns texts are cut, and what has no room stands below its row', async () => {
    const ran = await service.run(['orders', 'list', '--columns', named], { columns: 80 });
    expect(ran.stdout + ran.stderr).toMatchInlineSnapshot(`
      "ID                     BUYER   EMAIL   REFER…  METAD…  CREATED_AT_LOCAL         
      ord_2tQ8mVxK4nRz7LcWp  Ana T…  ana@e…  A-100…  yes     2020-11-20T12:00:00+00:00
                             customer_info.phone +5215555555555
      ord_2tQ7zRk9PwE5xNvAm  Łukas…  lukas…  A-100…  -       2020-11-20T11:00:00+00:00
                             customer_info.phone -
      ord_2tQ7sLf1DtX6kPjQr  -       -       -       -       2020-11-20T10:00:00+00:00
                             customer_info.phone -
      3 orders, sandbox environment. There are no more
      "
    `);
  });

  test('in -o list and CSV', async () => {
    const words = ['orders', 'list', '--columns', named];
    expect((await service.run([...words, '-o', 'list'])).stdout).toMatchInlineSnapshot(`
      "id: ord_2tQ8mVxK4nRz7LcWp
      buyer: Ana Torres
      email: ana@example.com
      reference: A-10023
      metadata.gift: yes
      customer_info.phone: +5215555555555
      created_at_local: 2020-11-20T12:00:00+00:00

      id: ord_2tQ7zRk9PwE5xNvAm
      buyer: Łukasz Żółć
      email: lukasz@example.com
      reference: A-10022
      metadata.gift: -
      customer_info.phone: -
      created_at_local: 2020-11-20T11:00:00+00:00

      id: ord_2tQ7sLf1DtX6kPjQr
      buyer: -
      email: -
      reference: -
      metadata.gift: -
      customer_info.phone: -
      created_at_local: 2020-11-20T10:00:00+00:00
      "
    `);
    expect((await service.run([...words, '--csv'])).stdout).toMatchInlineSnapshot(`
      "id,buyer,email,reference,metadata.gift,customer_info.phone,created_at_local
      ord_2tQ8mVxK4nRz7LcWp,Ana Torres,ana@example.com,A-10023,yes,'+5215555555555,2020-11-20T12:00:00+00:00
      ord_2tQ7zRk9PwE5xNvAm,Łukasz Żółć,lukasz@example.com,A-10022,,,2020-11-20T11:00:00+00:00
      ord_2tQ7sLf1DtX6kPjQr,,,,,,2020-11-20T10:00:00+00:00
      "
    `);
  });

  test.each([
    ['orders', 'show', 'ord_2tQ8mVxK4nRz7LcWp'],
    ['orders', 'find', 'torres'],
    ['api', 'GET', 'orders'],
  ])('%s %s has them too', async (...words) => {
    const columns = words[0] === 'api' ? 'data.1.customer_info.email' : 'email,metadata.gift';
    const ran = await service.run([...words, '--csv', '--no-header', '--columns', columns]);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ana@example\.com/) });
  });

  test('of customers: buyer and reference are their name and number', async () => {
    const customer = { id: 'cus_1', name: 'Ana', custom_reference: 'C-1', metadata: { shop_order: 'M-1' } };
    const other = { ...customer, id: 'cus_2', custom_reference: '' };
    await using desk = await startAnswering(pages([], [customer, other]));
    const words = ['customers', 'list', '--csv', '--columns', 'id,buyer,reference,metadata.shop_order'];
    expect((await desk.run(words)).stdout).toBe(
      'id,buyer,reference,metadata.shop_order\ncus_1,Ana,C-1,M-1\ncus_2,Ana,M-1,M-1\n',
    );
  });

  test('PAYDESK_COLUMNS may name them, and every list shows those that it has', async () => {
    const env = { PAYDESK_COLUMNS: 'id,reference,metadata.gift,profile' };
    const list = await service.run(['orders', 'list', '--csv'], { env });
    expect(list.stdout.split('\n').slice(0, 2)).toEqual([
      'id,reference,metadata.gift',
      'ord_2tQ8mVxK4nRz7LcWp,A-10023,yes',
    ]);
  });

  test('one that is mistyped: exit 2 at once, and the name that was meant', async () => {
    const sent = service.requests.length;
    const ran = await service.run(['orders', 'list', '--columns', 'id,emial'], { columns: 80 });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatchInlineSnapshot(`
      "error:   --columns emial: there is no such column
      certain: nothing was changed
      now:     did you mean email?
               the columns here are id, created_at, payment_status, amount, refunded,
               card, amount_refunded, currency, buyer, email, reference,
               customer_info.name, customer_info.email, customer_info.phone,
               customer_info.customer_id, is_refundable, split_payment, livemode,
               channel, updated_at, reason, note, left, twin
               also every documented field by its path, such as customer_info.phone or
               metadata.KEY
               -o list shows every field of a record, paydesk help output says more
               about columns
      "
    `);
    expect(service.requests).toHaveLength(sent);
  });
});

test('a list has the columns that were asked for, in the zone of the profile (real terminal)', async () => {
  await storeShop(service.home, service, { 'reference.keys': 'gift,shop_order', 'time.zone': 'Asia/Tokyo' });
  const words = ['-p', 'shop', 'orders', 'list', '--columns', 'id,buyer,reference,created_at_local'];
  const person = atTerminal(words, { home: service.home, columns: 80 });
  await person.waitFor('There are no more');
  const { exitCode, transcript } = await person.end;
  expect(exitCode).toBe(0);
  expect(
    withoutEscapes(transcript)
      .replaceAll(/[^\n]*\r(?!\n)/g, '')
      .replaceAll('\r', ''),
  ).toMatchInlineSnapshot(`
    "ID                     BUYER        REFERENCE  CREATED_AT_LOCAL         
    ord_2tQ8mVxK4nRz7LcWp  Ana Torres   yes        2020-11-20T21:00:00+09:00
    ord_2tQ7zRk9PwE5xNvAm  Łukasz Żółć  A-10022    2020-11-20T20:00:00+09:00
    ord_2tQ7sLf1DtX6kPjQr  -            -          2020-11-20T19:00:00+09:00
    3 orders, sandbox shop. There are no more
    "
  `);
});

describe('without a terminal', () => {
  test('a table drops no column and cuts no text', async () => {
    const ran = await service.run(['orders', 'list']);
    expect(ran.stdout).toMatchInlineSnapshot(`
      "ID                     CREATED UTC        STATUS                 AMOUNT  REFUNDED  CARD   BUYER        REASON  NOTE
      ord_2tQ8mVxK4nRz7LcWp  20 Nov 2020 12:00  paid                35000 MXN         -  *4242  Ana Torres   -       -   
      ord_2tQ7zRk9PwE5xNvAm  20 Nov 2020 11:00  partially_refunded  52000 MXN     12000  split  Łukasz Żółć  -       -   
      ord_2tQ7sLf1DtX6kPjQr  20 Nov 2020 10:00  paid                35000 MXN         -  *4242  -            -       -   
      "
    `);
    expect(ran.stderr).not.toContain('has no room');
  });

  test.each([
    ['--width', '60'],
    ['--width', '100'],
  ])('%s %s draws it as a terminal of that width does', async (...width) => {
    const piped = await service.run(['orders', 'list', ...width]);
    const shown = await service.run(['orders', 'list'], { columns: Number(width[1]) });
    expect(piped.stdout).toBe(shown.stdout);
    const byVariable = await service.run(['orders', 'list'], { env: { PAYDESK_WIDTH: width[1] ?? '' } });
    expect(byVariable.stdout).toBe(shown.stdout);
  });
});

describe('--width', () => {
  test('counts more than the terminal, also for screens', async () => {
    const wide = await service.run(['orders', 'list', '--width', '100'], { columns: 60 });
    expect(wide.stdout).toBe((await service.run(['orders', 'list'], { columns: 100 })).stdout);
    const show = ['orders', 'show', 'ord_2tQ7zRk9PwE5xNvAm'];
    // The screen says when the order was read.
    const env = standingAt('2040-11-21T05:05:12Z');
    const narrow = await service.run([...show, '--width', '50'], { columns: 120, env });
    expect(narrow.stdout).toBe((await service.run(show, { columns: 50, env })).stdout);
  });

  test('is the width of the preview of a change', async () => {
    const order = paidOrder('ord_2tQ8mVxK4nRz7LcWp', { customer_info: { name: 'Ana '.repeat(30) } });
    await using desk = await startAnswering(changing(order));
    const words = [
      'orders',
      'refund',
      'ord_2tQ8mVxK4nRz7LcWp',
      '--reason',
      'other',
      '--yes',
      '--width',
      '60',
    ];
    const { code, stdout, stderr } = await desk.run(words, { columns: 120 });
    expect(code, stderr).toBe(0);
    const longest = Math.max(...`${stdout}${stderr}`.split('\n').map((line) => line.length));
    expect(longest).toBeLessThanOrEqual(60);
    expect(longest).toBeGreaterThan(50);
  });

  test('goes with the command for the next page, and says which columns it has no room for', async () => {
    const { stderr } = await service.run(['orders', 'list', '--limit', '1', '--width', '40']);
    expect(stderr).toContain('--width 40 has no room for CREATED, REFUNDED, CARD');
    expect(stderr).toContain('orders list --limit 1 --width 40 --next ord_2tQ8mVxK4nRz7LcWp');
  });

  test.each(['19', '1001', 'wide', ''])('%j is refused before anything is sent', async (width) => {
    const sent = service.requests.length;
    expect(await service.run(['orders', 'list', '--width', width])).toMatchObject({ code: 2, stdout: '' });
    expect(service.requests).toHaveLength(sent);
  });
});

describe('columns of later pages keep their places', () => {
  // Page 2: an older year, a longer status, larger amounts, a longer buyer.
  const first = Array.from({ length: 3 }, (_, index) =>
    paidOrder(`ord_2tQ8mVxK4nRz7Lc0${index}`, {
      created_at: 1_795_000_000 - index,
      customer_info: { name: 'Ana', email: 'ana@example.com' },
    }),
  );
  const later = Array.from({ length: 3 }, (_, index) =>
    paidOrder(`ord_2tQ8mVxK4nRz7Lc1${index}`, {
      created_at: 1_600_000_000 - index,
      amount: 1_234_567 * 10 ** index,
      amount_refunded: 1_234,
      charges: listOf(refundedCharge(1_234_567 * 10 ** index, 1_234)),
      payment_status: 'partially_refunded',
      customer_info: { name: 'María Fernanda Íñiguez', email: 'maria@example.com' },
    }),
  );

  /** Where each column begins or, if it is a number, ends. */
  function placesOf(line: string): readonly number[] {
    const ends = [...line.matchAll(/(?:MXN|\b1234|- ) /g)].map(
      ({ index, 0: text }) => index + text.trimEnd().length,
    );
    return [line.search(/ord_/), line.search(/\d\d? \w\w\w /), ...ends.slice(0, 2), line.search(/\*4242/)];
  }

  test.each([undefined, 80, 120])('on a terminal of %s columns', async (columns) => {
    await using desk = await startAnswering(pages([...first, ...later]));
    const words = ['orders', 'list', '--all', '--limit', '3'];
    const { stdout } = await desk.run(words, columns === undefined ? {} : { columns });
    const [, ...rows] = stdout.trimEnd().split('\n');
    expect(rows).toHaveLength(6);
    expect(new Set(rows.map((row) => placesOf(row).join())).size, stdout).toBe(1);
    for (const row of rows) expect(row.trimEnd().length).toBeLessThanOrEqual(columns ?? 200);
  });

  test('an id or amount that has no room is whole, and moves nothing but its own row', async () => {
    const long = paidOrder(`ord_${'x'.repeat(40)}`, { created_at: bought, amount: 9_007_199_254_740_991 });
    await using desk = await startAnswering(pages([...first, long, ...later]));
    const { stdout } = await desk.run(['orders', 'list', '--all', '--limit', '3'], { columns: 80 });
    const rows = stdout.trimEnd().split('\n').slice(1);
    const [odd = ''] = rows.splice(3, 1);
    expect(odd).toContain(`ord_${'x'.repeat(40)}`);
    expect(odd).toContain(' 9007199254740991 ');
    expect(new Set(rows.map((row) => placesOf(row).join())).size, stdout).toBe(1);
  });

  test('a page of long amounts, statuses and years has the same columns as one of short ones', async () => {
    const heading = async (orders: readonly Json[]) => {
      await using desk = await startAnswering(pages(orders));
      const { stdout } = await desk.run(['orders', 'list'], { columns: 80 });
      return stdout.split('\n')[0]?.trim().split(/ {2,}/);
    };
    const usual = ['ID', 'CREATED UTC', 'STATUS', 'MXN', 'REFUND', 'CARD', 'BUYER'];
    expect(await heading(first)).toEqual(usual);
    const long = {
      payment_status: 'partially_refunded',
      amount: 123_456_789,
      amount_refunded: 1_234_567,
      charges: listOf(refundedCharge(123_456_789, 1_234_567)),
    };
    expect(await heading(first.map((order) => ({ ...order, ...long, created_at: 1_600_000_000 })))).toEqual(
      usual,
    );
  });

  test('one page has no more room than it needs', async () => {
    await using desk = await startAnswering(pages(first));
    const { stdout } = await desk.run(['orders', 'list'], { columns: 80 });
    expect(stdout.split('\n')[0]).toBe(
      'ID                     CREATED UTC   STATUS    MXN  REFUND  CARD   BUYER',
    );
  });
});

test('the preview of a refund names the shop’s number by the same setting', async () => {
  const [order = {}] = orders;
  const metadata = { gift: 'yes', ticket: 'T-9' };
  await using desk = await startAnswering(changing({ ...order, metadata }));
  await storeShop(desk.home, desk, { 'reference.keys': 'ticket' });
  const id = 'ord_2tQ8mVxK4nRz7LcWp';
  const words = ['-p', 'shop', 'orders', 'refund', id, '--reason', 'other', '--yes'];
  const { code, stderr } = await paydesk(words, { home: desk.home });
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('buyer   Ana Torres  ana@example.com  ticket=T-9\n');
});
