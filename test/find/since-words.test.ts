/** `--since yesterday`: words for days, weeks and months in lists, searches, exports and the journal, and the span that is said. */

import { describe, expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { paidOrder } from '../harness/orders.ts';
import { newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { startService, storeShop } from '../harness/service.ts';
import { atTerminal } from '../harness/terminal.ts';

// In Berlin the clocks go back on 25 October 2026, so that Sunday has 25 hours. The run is on the Monday after it.
const zone = { 'time.zone': 'Europe/Berlin' };
const monday = '2026-10-26T09:00:00Z';
const times = [
  '2026-10-26T08:00:00Z',
  '2026-10-25T23:00:00Z',
  '2026-10-25T22:59:59Z',
  '2026-10-24T22:00:00Z',
  '2026-10-24T21:59:59Z',
  '2026-09-30T22:00:00Z',
  '2026-09-30T21:59:59Z',
  '2026-08-31T22:00:00Z',
  '2026-08-31T21:59:59Z',
];
const orders = times.map((time, index) =>
  paidOrder(`ord_${index + 1}`, { created_at: Date.parse(time) / 1000, updated_at: Date.parse(time) / 1000 }),
);

async function shop(args: readonly string[], columns?: number): Promise<Ran> {
  await using service = await startService({ orders, sendsDate: false });
  await storeShop(service.home, service, zone);
  return await paydesk(['-p', 'shop', ...args], {
    home: service.home,
    env: standingAt(monday),
    ...(columns === undefined ? {} : { columns }),
  });
}

function ids({ stdout }: Ran): readonly string[] {
  return [...stdout.matchAll(/"id":"(ord_\d)"/g)].map(([, id = '']) => id);
}

describe('orders list', () => {
  test.each([
    [
      ['--since', 'today'],
      ['ord_1', 'ord_2'],
    ],
    [
      ['--since', 'monday'],
      ['ord_1', 'ord_2'],
    ],
    [
      ['--since', 'this-week'],
      ['ord_1', 'ord_2'],
    ],
    [
      ['--since', 'yesterday', '--until', 'today'],
      ['ord_3', 'ord_4'],
    ],
    [
      ['--since', 'sunday', '--until', 'monday'],
      ['ord_3', 'ord_4'],
    ],
    [
      ['--since', 'this-month', '--until', 'yesterday'],
      ['ord_5', 'ord_6'],
    ],
    [
      ['--since', 'last-month', '--until', 'this-month'],
      ['ord_7', 'ord_8'],
    ],
    [['--until', 'last-month'], ['ord_9']],
  ])('%j, on a Monday after a day of 25 hours', async (flags, wanted) => {
    const ran = await shop(['orders', 'list', '--all', '--ndjson', ...flags]);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ids(ran)).toEqual(wanted);
  });

  test('says the span in full, at 80 columns', async () => {
    const ran = await shop(['orders', 'list', '--since', 'yesterday', '--until', 'today'], 80);
    expect(ran.stdout + ran.stderr).toMatchInlineSnapshot(`
      "ID     CREATED +01       STATUS              AMOUNT  REFUNDED  CARD   BUYER     
      ord_3  25 Oct 23:59      paid             35000 MXN         -  *4242  Buyer Name
      ord_4  25 Oct 00:00 +02  paid             35000 MXN         -  *4242  Buyer Name
      orders created from 25 Oct 2026 00:00:00 UTC+2, before 26 Oct 2026 00:00:00
      UTC+1
      possible twins, same buyer and amount within 10 minutes: ord_2 and ord_3
      possible twins, same buyer and amount within 10 minutes: ord_4 and ord_5
      2 orders, sandbox shop. There are no more
      "
    `);
  });

  test('says the span in full, at 120 columns', async () => {
    const ran = await shop(['orders', 'list', '--since', 'last-month', '--until', 'this-month'], 120);
    expect(ran.stdout + ran.stderr).toMatchInlineSnapshot(`
      "ID     CREATED +02        STATUS                     AMOUNT    REFUNDED  CARD   BUYER                     REASON    NOTE
      ord_7  30 Sep 23:59       paid                    35000 MXN           -  *4242  Buyer Name                -         -   
      ord_8  1 Sep 00:00        paid                    35000 MXN           -  *4242  Buyer Name                -         -   
      orders created from 1 Sep 2026 00:00:00 UTC+2, before 1 Oct 2026 00:00:00 UTC+2
      possible twins, same buyer and amount within 10 minutes: ord_6 and ord_7
      possible twins, same buyer and amount within 10 minutes: ord_8 and ord_9
      2 orders, sandbox shop. There are no more
      "
    `);
  });

  test('the command for the next page names the moment, so that it means the same tomorrow', async () => {
    const { stderr } = await shop(['orders', 'list', '--since', 'last-month', '--limit', '2']);
    expect(stderr).toContain('--since 2026-08-31T22:00:00Z');
  });

  test('--quiet does not say it; without a date nothing is said', async () => {
    expect((await shop(['orders', 'list', '--since', 'today', '--quiet'])).stderr).toBe('');
    expect((await shop(['orders', 'list'])).stderr).not.toContain('orders created');
  });

  test('all of a word needs the next word as its end, and the error says which', async () => {
    const ran = await shop(['orders', 'list', '--since', 'last-month', '--until', 'last-month']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('for all of it: --since last-month --until this-month');
  });
});

test('orders find and the journal say their span too', async () => {
  const found = await shop(['orders', 'find', 'mxn', '--since', 'today', '--ndjson']);
  expect(ids(found)).toEqual(['ord_1', 'ord_2']);
  expect(found.stderr).toContain('orders created from 26 Oct 2026 00:00:00 UTC+1 until now');
  const listed = await shop(['journal', 'list', '--since', 'last-week']);
  expect(listed.stderr).toContain('changes sent from 19 Oct 2026 00:00:00 UTC+2 until now');
});

test('an export counts by its own --tz, and says its span in that zone', async () => {
  const span = ['--since', 'yesterday', '--until', 'today', '--tz', 'America/Mexico_City'];
  const ran = await shop(['orders', 'export', ...span, '--ndjson']);
  expect(ran.code, ran.stderr).toBe(0);
  // At this moment it is 03:00 on Monday in Mexico City.
  expect(ids(ran)).toEqual(['ord_2', 'ord_3']);
  expect(ran.stderr).toContain(
    'orders created from 25 Oct 2026 00:00:00 UTC-6, before 26 Oct 2026 00:00:00 UTC-6',
  );
});

test('a person sees the span under the list (real terminal)', async () => {
  using home = newHome();
  const terminal = atTerminal(['-p', 'demo', 'orders', 'list', '--since', 'last-month', '--limit', '1'], {
    home,
  });
  await terminal.waitFor(/orders created from 1 \w{3} 20\d\d 00:00:00 UTC\S* until now/);
  expect((await terminal.end).exitCode).toBe(0);
});

test('orders find names the window that was asked for, because more orders were read than are in it', async () => {
  const { code, stderr } = await shop(['orders', 'find', '4242', '--since', 'yesterday', '--until', 'today']);
  expect(code).toBe(0);
  expect(inOneLine(stderr)).toContain(
    '2 found with --since 2026-10-24T22:00:00Z --until 2026-10-25T23:00:00Z; read: ',
  );
  expect((await shop(['orders', 'find', '4242'])).stderr).toMatch(/^9 found in 9 orders, /m);
});

test.each([
  ['371.50', ['371.50'], "if 371.50 means 37150 in the service's units: paydesk -p shop orders find 37150"],
  ['$1,235.03', ['$1,235.03'], "if $1,235.03 means 123503 in the service's units"],
  ['1.235,03', ['1.235,03'], "if 1.235,03 means 123503 in the service's units"],
  ['371.5', ['371.5'], undefined],
  [
    'a phone number without quotes',
    ['+52', '55', '1234', '5678'],
    "if that is one phone number: paydesk -p shop orders find '+52 55 1234 5678'",
  ],
])('orders find of %s that nothing has says what else may be meant', async (_, texts, says) => {
  const { code, stderr } = await shop(['orders', 'find', ...texts, '--no-input']);
  expect(code).toBe(5);
  const said = inOneLine(stderr);
  if (says === undefined) expect(said).not.toContain(`if ${texts[0]}`);
  else expect(said).toContain(says);
});
