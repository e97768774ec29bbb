/** Amounts where a lead declared decimals: shown beside the service's integers everywhere, typed with a point, sent as integers. */

import { describe, expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { chargeOf, inProduction, newRefundOf, orderOf, withRefund } from '../harness/orders.ts';
import { paydesk, type Ran } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { withoutEscapes } from '../harness/pty.ts';
import { inOneLine } from '../harness/ran.ts';
import { json } from '../harness/server.ts';
import { type Service, startService, storeShop } from '../harness/service.ts';
import { atTerminal } from '../harness/terminal.ts';
import { differences } from '../harness/two-widths.ts';

const id = 'ord_2tQ7zRk9PwE5xNvAm';
const now = '2026-11-21T09:31:40Z';
const seconds = Date.parse(now) / 1000;

const paid = chargeOf('656f1c0e9a2b4d0018c3e5a1', 35_000);
// Part of it went back the evening before.
const order = withRefund(
  orderOf(id, [paid], { created_at: seconds - 60_000 }),
  newRefundOf('656f21d79a2b4d0018c40c11', 12_000, { created_at: seconds - 50_000 }),
  12_000,
);

interface Shop extends AsyncDisposable {
  readonly service: Service;
  run(args: readonly string[], columns?: number): Promise<Ran>;
}

const decimals = { 'amounts.decimals.MXN': '2' };

/** A profile `shop` of a service with this one order. Refunds of an amount are carried out. */
async function openShop(
  settings: Readonly<Record<string, string>> = decimals,
  { mode = 'sandbox', live = now }: { mode?: 'sandbox' | 'production'; live?: string | undefined } = {},
): Promise<Shop> {
  const service = await startService({
    orders: [inProduction(order, mode === 'production')],
    mode,
    sendsDate: false,
    onPost: (held = {}, on, { body }) => {
      const { amount = 0 } = JSON.parse(body) as { amount?: number };
      const made = newRefundOf('656fa9349a2b4d0018c51f07', amount, { created_at: Date.parse(live) / 1000 });
      on.orders = [withRefund(held, made, amount)];
      return json(on.orders[0]);
    },
  });
  await storeShop(service.home, service, { 'time.zone': 'UTC', ...settings });
  return {
    service,
    run: (args, columns) =>
      paydesk(['-p', 'shop', ...args], {
        home: service.home,
        env: standingAt(now),
        ...(columns === undefined ? {} : { columns }),
      }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

function sent({ service }: Shop): readonly string[] {
  return service.posts.map(({ body }) => body);
}

// The journal's ids are random.
function steady(text: string): string {
  return text.replaceAll(/i_[0-9a-f]{8}/g, 'i_7f3k2m9q');
}

const refund = (...more: readonly string[]) => ['orders', 'refund', id, '--charge', '1', '--yes', ...more];

describe('screens', () => {
  test('orders show has both figures', async () => {
    await using shop = await openShop();
    const { stdout } = await shop.run(['orders', 'show', id], 80);
    expect(stdout).toMatchInlineSnapshot(`
      "ord_2tQ7zRk9PwE5xNvAm  partially_refunded, can be refunded  sandbox shop
      created 20 Nov 2026 16:51:40 UTC    read just now, 21 Nov 09:31:40
      buyer   Buyer Name  buyer@example.com

      MONEY (MXN, in the service's units)            amount   refunded       kept
      charge 1  656f1c0e9a2b4d0018c3e5a1  *4242       35000     -12000      23000
                in MXN                               350.00    -120.00     230.00
                visa, BUYER NAME, part_ref, paid 21 Sep 14:13:45, auth 490215, fee 900
                (9.00)
      order     refund total matches the service      35000     -12000      23000
                in MXN                               350.00    -120.00     230.00

      REFUNDS  from charge            amount  when              auth    by
               1 *4242      -12000 (-120.00)  20 Nov 19:38 UTC  490215  elsewhere
               id 656f21d79a2b4d0018c40c11  not sent from here: ask your lead who did

      ITEMS    Wool blanket  sku WB-2  1 x 35000 (350.00)  35000 (350.00)
               items 35000 (350.00): equal to the order amount

      refund the rest of charge 1, 23000 (230.00):
        paydesk -p shop orders refund ord_2tQ7zRk9PwE5xNvAm --charge 1
      "
    `);
    const wide = await shop.run(['orders', 'show', id], 120);
    expect(differences(wide.stdout, stdout)).toMatchInlineSnapshot(`
      "instead of lines 8 to 9:
                visa, BUYER NAME, part_ref, paid 21 Sep 14:13:45, auth 490215, fee 900 (9.00)"
    `);
  });

  test('orders list has both figures at 120 columns; at 80 only the decimals, and no column is dropped', async () => {
    await using shop = await openShop();
    expect((await shop.run(['orders', 'list'], 80)).stdout).toMatchInlineSnapshot(`
      "ID                     AT UTC  STATUS             MXN  REFUND  CARD   BUYER     
      ord_2tQ7zRk9PwE5xNvAm  20 Nov  part_ref        350.00  120.00  *4242  Buyer Name
      "
    `);
    expect((await shop.run(['orders', 'list'], 120)).stdout).toMatchInlineSnapshot(`
      "ID                     CREATED UTC   STATUS                         MXN          REFUND  CARD   BUYER       REASON  NOTE
      ord_2tQ7zRk9PwE5xNvAm  20 Nov 16:51  partially_refunded  35000 (350.00)  12000 (120.00)  *4242  Buyer Name  -       -   
      "
    `);
  });

  test('preview, result and journal of a refund have both figures', async () => {
    await using shop = await openShop();
    const ran = await shop.run(refund('--amount', '230.00'), 80);
    expect(ran.code, ran.stderr).toBe(0);
    expect(steady(ran.stderr)).toMatchInlineSnapshot(`
      "REFUND THE REST OF A CHARGE                                     sandbox shop
      order   ord_2tQ7zRk9PwE5xNvAm  35000 MXN (350.00)  partially_refunded  20 Nov
              16:51
      buyer   Buyer Name  buyer@example.com
      from    charge 1 of 1, visa *4242, 656f1c0e9a2b4d0018c3e5a1
      reason  none is sent
                                 charge 1             order
        paid               35000 (350.00)    35000 (350.00)
        refunded so far  -12000 (-120.00)  -12000 (-120.00)  20 Nov 19:38, elsewhere
        THIS REFUND      -23000 (-230.00)  -23000 (-230.00)  all that is left of
                                                             charge 1
        left afterwards          0 (0.00)          0 (0.00)
      note: this charge was refunded before; the buyer may mean that refund
      will send once: {"charge_id":"656f1c0e9a2b4d0018c3e5a1", "amount":23000}
      "
    `);
    expect(steady(ran.stdout)).toMatchInlineSnapshot(`
      "refunded 23000 MXN (230.00) to visa *4242                       sandbox shop
      order    ord_2tQ7zRk9PwE5xNvAm   partially_refunded -> refunded
      refund   656fa9349a2b4d0018c51f07   21 Nov 2026 09:31:40 UTC   auth 490215
      money    12000 -> 35000 refunded of 35000; 0 left      journal i_7f3k2m9q
               120.00 -> 350.00 refunded of 350.00; 0.00 left (MXN)
      words for the buyer: paydesk refunds receipt i_7f3k2m9q
      "
    `);
    await using another = await openShop();
    const wide = await another.run(refund('--amount', '230.00'), 120);
    expect(differences(wide.stderr, ran.stderr)).toMatchInlineSnapshot(`
      "instead of lines 2 to 3:
      order   ord_2tQ7zRk9PwE5xNvAm  35000 MXN (350.00)  partially_refunded  20 Nov 16:51
      instead of lines 10 to 11:
        THIS REFUND      -23000 (-230.00)  -23000 (-230.00)  all that is left of charge 1"
    `);
    expect(steady(wide.stdout)).toBe(steady(ran.stdout));
    expect(steady((await shop.run(['journal', 'list'], 80)).stdout)).toMatchInlineSnapshot(`
      "CHANGE      SENT UTC      ORDER                             MXN  OUTCOME  BY  
      i_7f3k2m9q  21 Nov 09:31  ord_2tQ7zRk9PwE5xNvAm  23000 (230.00)  made     root
      "
    `);
    const [, change = ''] = /journal (i_\w+)/.exec(ran.stdout) ?? [];
    const shown = (await shop.run(['journal', 'show', change], 80)).stdout;
    expect(shown).toContain('refund of 23000 MXN (230.00): made');
    expect(shown).toContain('a refund of 23000 MXN (230.00) on charge');
  });

  test('no heading covers amounts in decimals and in the units of the service', async () => {
    await using shop = await openShop();
    await shop.run(refund('--amount', '230.00'));
    const demo = ['-p', 'demo', 'orders', 'refund', id, '--charge', '1', '--amount', '7000', '--yes'];
    const { home } = shop.service;
    expect((await paydesk(demo, { home, env: standingAt(now) })).code).toBe(0);
    const list = ['journal', 'list', '--all-profiles'];
    const ran = await paydesk(list, { home, env: { ...standingAt(now), TZ: 'UTC' }, columns: 80 });
    // Both were sent at one moment, so they are in no certain order.
    const rows = steady(ran.stdout).split(/^(?=i_)/m);
    expect(rows.toSorted().toReversed().join('')).toMatchInlineSnapshot(`
      "i_7f3k2m9q  21 Nov 09:31  23000 MXN (230.00)  made     shop   
                  order ord_2tQ7zRk9PwE5xNvAm
      i_7f3k2m9q  21 Nov 09:31            7000 MXN  made     demo   
                  order ord_2tQ7zRk9PwE5xNvAm
      CHANGE      SENT UTC                  AMOUNT  OUTCOME  PROFILE
      "
    `);
    expect(ran.stderr).not.toContain("* in the service's units");
    const env = { ...standingAt(now), TZ: 'UTC' };
    const again = await paydesk(['journal', 'reconcile', '--all'], { home, env, columns: 80 });
    expect(again.stdout).toMatch(/ 23000 MXN \(230\.00\) +made +shop *\n/);
    expect(again.stdout).toMatch(/ 7000 MXN +made +demo *\n/);
    expect(inOneLine(again.stderr)).toContain(
      '2 of these were made before; paydesk read their orders again in case a refund shows twice',
    );
    const wide = await paydesk(list, { home, env: { ...standingAt(now), TZ: 'UTC' }, columns: 120 });
    expect(wide.stdout).toContain('23000 MXN (230.00)');
    expect(wide.stdout).toContain(' 7000 MXN ');
  });

  test('with amounts.grouping = on the thousands stand apart; without it they never do', async () => {
    await using shop = await openShop({ ...decimals, 'amounts.grouping': 'on' });
    const { stdout } = await shop.run(['orders', 'show', id]);
    expect(stdout).toContain('35\u00a0000');
    expect(stdout).toContain('350.00');
    await using plain = await openShop();
    expect((await plain.run(['orders', 'show', id])).stdout).not.toContain('\u00a0');
  });

  test('json, ndjson and csv keep the integers of the service', async () => {
    await using shop = await openShop({ ...decimals, 'amounts.grouping': 'on' });
    const machine = await Promise.all(
      ['json', 'ndjson', 'csv'].map((format) => shop.run(['orders', 'list', '-o', format])),
    );
    for (const { stdout } of machine) {
      expect(stdout).toContain('35000');
      expect(stdout).not.toMatch(/350\.00|\u00a0/);
    }
  });

  test('without declared decimals there is one figure only', async () => {
    await using shop = await openShop({ 'amounts.decimals.USD': '2' });
    expect((await shop.run(['orders', 'show', id])).stdout).not.toContain('350.00');
  });
});

describe('--amount', () => {
  test.each([
    ['230.00', '{"charge_id":"656f1c0e9a2b4d0018c3e5a1","amount":23000}'],
    ['0.05', '{"charge_id":"656f1c0e9a2b4d0018c3e5a1","amount":5}'],
    ['230.00 MXN', '{"charge_id":"656f1c0e9a2b4d0018c3e5a1","amount":23000}'],
    ['23 000', '{"charge_id":"656f1c0e9a2b4d0018c3e5a1","amount":23000}'],
    ['230', '{"charge_id":"656f1c0e9a2b4d0018c3e5a1","amount":230}'],
  ])('%s sends the integer of the service', async (amount, body) => {
    await using shop = await openShop();
    const ran = await shop.run(refund('--amount', amount));
    expect(ran.code, ran.stderr).toBe(0);
    expect(sent(shop)).toEqual([body]);
  });

  test('a whole number stays in the units of the service, and a warning says what that is', async () => {
    await using shop = await openShop();
    const { stderr } = await shop.run(refund('--amount', '230', '--note', 'ticket 8840'));
    expect(stderr).toContain(
      `note: 230 is in the service's units: 2.30 MXN. If you mean 230.00 MXN, send nothing (press Enter) and run: paydesk -p shop orders refund ${id} --charge 1 --amount 230.00 --note 'ticket 8840'\n`,
    );
    expect(stderr).toContain('-230 (-2.30)');
    await using other = await openShop();
    expect((await other.run(refund('--amount', '230.00'))).stderr).not.toContain("service's units");
  });

  test.each([
    ['230.0', 2, '--amount 230.0: MXN has 2 decimals'],
    ['230.0', 2, 'now:     type 230.00\n'],
    ['230.000', 2, '--amount 230.000 can be read in two ways'],
    ['230.000', 2, 'now:     type 230.00 or 230000.00\n'],
    ['230.005', 2, 'now:     type an amount such as 100.00'],
    ['230,00', 2, '--amount 230,00: an amount has no commas'],
    ['230,00', 2, 'now:     type 230.00\n'],
    ['1,5', 2, 'now:     type 1.50\n'],
    ['1.234,50', 2, 'now:     type 1234.50\n'],
    ['23,000', 2, '--amount 23,000 can be read in two ways'],
    ['23,000', 2, 'now:     type 23.00 or 23000.00\n'],
    ['23,000 MXN', 2, 'now:     type 23.00 MXN or 23000.00 MXN\n'],
    ['1.234,50 MXN', 2, 'now:     type 1234.50 MXN\n'],
    ['23,005', 2, 'now:     type 23005.00\n'],
    ['1,234,567', 2, 'now:     type 1234567.00\n'],
    ['abc', 2, '--amount abc: not an amount, which is a number above 0, without commas\n'],
    ['1,234,567.00', 2, 'now:     type 1234567.00\n'],
    ['230.00 USD', 3, 'the order is in MXN'],
    ['351.00', 3, '35100 (351.00) is more than is left'],
  ])('%s is refused (%i) and nothing is sent', async (amount, code, words) => {
    await using shop = await openShop();
    const ran = await shop.run(refund('--amount', amount));
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toContain(words);
    expect(sent(shop)).toEqual([]);
  });

  test('decimals of another currency do not count', async () => {
    await using shop = await openShop({ 'amounts.decimals.USD': '2' });
    const ran = await shop.run(refund('--amount', '230.00'));
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('declares no decimals for MXN');
    expect(sent(shop)).toEqual([]);
  });

  test('the same --idempotency-key in two spellings is one change, since integers are compared', async () => {
    await using shop = await openShop();
    expect((await shop.run(refund('--amount', '230.00', '--idempotency-key', 't-1'))).code).toBe(0);
    const again = await shop.run(refund('--amount', '23000', '--idempotency-key', 't-1'));
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).toContain('nothing was sent now');
    expect(sent(shop)).toHaveLength(1);
  });

  test('a printed command has the amount with its decimals, and works as it stands', async () => {
    await using shop = await openShop();
    const person = sit(
      ['-p', 'shop', 'orders', 'refund', id, '--charge', '1', '--amount', '100.00', '--only-confirm'],
      { home: shop.service.home, env: standingAt(now) },
    );
    await person.answer(/Send back .*\?/, '\r');
    expect(inOneLine((await person.leaves).screen)).toContain(
      `paydesk -p shop orders refund ${id} --charge 1 --amount 100.00 --only-confirm`,
    );
    // 120.00 went back before.
    const repeat = await shop.run(refund('--amount', '120.00'));
    expect(repeat.code).toBe(3);
    const command = `--charge 1 --amount 120.00 --again 656f21d79a2b4d0018c40c11`;
    expect(inOneLine(repeat.stderr)).toContain(`orders refund ${id} ${command}`);
    expect(sent(shop)).toEqual([]);
    const again = await shop.run(['orders', 'refund', id, ...command.split(' '), '--yes']);
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).not.toContain("service's units");
    expect(sent(shop)).toEqual(['{"charge_id":"656f1c0e9a2b4d0018c3e5a1","amount":12000}']);
  });

  test('a limit of the profile is in the units of the service, and both figures are said', async () => {
    await using shop = await openShop({ ...decimals, 'refund.max_amount.MXN': '32000' });
    const ran = await shop.run(refund('--amount', '200.01'));
    expect(ran.code).toBe(3);
    expect(inOneLine(ran.stderr)).toContain(
      `20001 MXN (200.01) is over the limit of this account: refund.max_amount.MXN is 32000 (320.00) per order in 24 hours, and 12000 (120.00) of ${id} was refunded before (the service does not say what time it is)`,
    );
    expect((await shop.run(refund('--amount', '200.00'))).code).toBe(0);
    expect((await shop.run(['profile', 'show', 'shop'])).stdout).toContain('32000 (320.00)');
  });
});

describe('in production, in a terminal', () => {
  const production = () => openShop(decimals, { mode: 'production', live: new Date().toISOString() });

  test.each(['23000', '23 000', '23000 MXN', '230.00', '230.00 mxn'])(
    '%s sends the refund of 23000',
    async (typed) => {
      await using shop = await production();
      const person = sit(
        [
          '-p',
          'shop',
          'orders',
          'refund',
          id,
          '--charge',
          '1',
          '--amount',
          '230.00',
          '--reason',
          'other',
          '--note',
          'ticket 8840',
        ],
        { home: shop.service.home, env: {} },
      );
      await person.answer('Type the amount to send it, or press Enter to cancel:', `${typed}\r`);
      const { code, screen } = await person.leaves;
      expect(code, screen).toBe(0);
      expect(screen).toContain('-23000 (-230.00)');
      expect(sent(shop)).toEqual([
        '{"charge_id":"656f1c0e9a2b4d0018c3e5a1","amount":23000,"reason":"other"}',
      ]);
    },
  );

  const typedWhole = ['-p', 'shop', 'orders', 'refund', id, '--charge', '1', '--amount', '100'];

  test('a number that reads both ways is sent only if the yes has its decimals', async () => {
    await using shop = await production();
    const person = sit(
      [...typedWhole, '--reason', 'other', '--note', 'ticket 8840'],
      {
        home: shop.service.home,
        env: {},
      },
      160,
    );
    const question =
      'This is 1.00 MXN, not 100.00. Type the amount with its decimals to send it, or press Enter to cancel:';
    await person.answer(question, '100\r');
    await person.answer('100 can be read in two ways (2 tries left).', `${id}\r`);
    await person.answer('(last try)', '1.00\r');
    const { code, screen } = await person.leaves;
    expect(code, screen).toBe(0);
    expect(sent(shop)).toEqual(['{"charge_id":"656f1c0e9a2b4d0018c3e5a1","amount":100,"reason":"other"}']);
  });

  test('somebody who means 100.00 and types 100 each time sends nothing', async () => {
    await using shop = await production();
    const person = sit(
      [...typedWhole, '--reason', 'other', '--note', 'ticket 8840'],
      {
        home: shop.service.home,
        env: {},
      },
      160,
    );
    await person.answer('Type the amount with its decimals to send it', '100\r');
    await person.answer('(2 tries left)', '100.00\r');
    await person.answer('(last try)', '100\r');
    expect((await person.leaves).code).toBe(3);
    expect(sent(shop)).toEqual([]);
  });

  test('a yes with commas is told to leave them out', async () => {
    await using shop = await production();
    const args = ['-p', 'shop', 'orders', 'refund', id, '--charge', '1', '--amount', '230.00'];
    const person = sit(
      [...args, '--reason', 'other', '--note', 'ticket 8840'],
      { home: shop.service.home, env: {} },
      160,
    );
    await person.answer('Type the amount to send it', '23,000\r');
    await person.answer('23,000 is not the amount: type it without commas (2 tries left)', '\r');
    expect((await person.leaves).code).toBe(3);
    expect(sent(shop)).toEqual([]);
  });

  test('How much? takes no number that reads both ways', async () => {
    await using shop = await production();
    const person = sit(['-p', 'shop', 'orders', 'refund', id, '--charge', '1'], {
      home: shop.service.home,
      env: {},
    });
    await person.answer('How much?', '50\r');
    await person.waitFor(
      /50\s+is\s+0\.50\s+MXN\s+in\s+the\s+service's\s+units;\s+type\s+0\.50,\s+or\s+50\.00/,
    );
    person.type('5,000\r');
    await person.waitFor(/5,000\s+can\s+be\s+read\s+in\s+two\s+ways;\s+type\s+5\.00\s+or\s+5000\.00/);
    person.type('\x03');
    await person.leaves;
    expect(sent(shop)).toEqual([]);
  });

  test('the field is empty after a refused amount: what is typed next stands alone (real terminal)', async () => {
    await using shop = await production();
    const args = [
      '-p',
      'shop',
      'orders',
      'refund',
      id,
      '--charge',
      '1',
      '--reason',
      'other',
      '--note',
      'n8840',
    ];
    const person = atTerminal(args, { home: shop.service.home });
    await person.answer('How much?', '1\r');
    await person.answer(/type\s+0\.01,\s+or\s+1\.00/, '1.00\r');
    await person.answer('Type the amount to send it', '\r');
    const { exitCode, transcript } = await person.end;
    expect(exitCode).toBe(3);
    expect(withoutEscapes(transcript)).toContain('-100 (-1.00)');
    expect(sent(shop)).toEqual([]);
  });

  test('a mistype is told what it would be and asked for again, twice; then nothing is sent (real terminal)', async () => {
    await using shop = await production();
    const args = ['-p', 'shop', 'orders', 'refund', id, '--charge', '1', '--amount', '230.00'];
    const person = atTerminal([...args, '--reason', 'other', '--note', 'ticket 8840'], {
      home: shop.service.home,
    });
    await person.waitFor('-23000 (-230.00)');
    await person.answer('Type the amount to send it', '230\r');
    await person.answer(
      /230\s+is\s+not\s+the\s+amount:\s+in\s+decimals\s+it\s+is\s+2\.30\s+\(2\s+tries\s+left\)/,
      '230.0\r',
    );
    await person.answer(/MXN has 2 decimals.*\(last try\)/s, '2300000\r');
    const { exitCode, transcript } = await person.end;
    expect(exitCode).toBe(3);
    expect(withoutEscapes(transcript).replaceAll(/\s+/g, ' ')).toContain(
      `2300000 is neither 23000 MXN (230.00) nor ${id}; typed wrong 3 times`,
    );
    expect(sent(shop)).toEqual([]);
  });
});
