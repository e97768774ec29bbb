/** One truth on one screen: what the journal knows of an unconfirmed refund stands on every screen that shows the order. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { chargeOf, type Json, listOf, orderOf, refundOf, withRefund } from '../harness/orders.ts';
import { onScreen, type Ran } from '../harness/paydesk.ts';
import { reset } from '../harness/server.ts';
import { type Service, startService, storeShop } from '../harness/service.ts';
import { atTerminal } from '../harness/terminal.ts';
import { differences } from '../harness/two-widths.ts';

const created = Date.parse('2026-11-20T18:42:00Z') / 1000;
const buyer = { object: 'customer_info', name: 'Ana', email: 'ana@example.com' };

function bought(id: string, changes: Json = {}): Json {
  return orderOf(id, [chargeOf(`ch_${id}`, 35_000, { paid_at: created + 20 })], {
    created_at: created,
    updated_at: created + 30,
    customer_info: buyer,
    ...changes,
  });
}

const lost = bought('ord_2tQ8mVxK4nRz7LcWp');
const other = bought('ord_2tQ8mTd6JhB3sYfGq', { created_at: created - 6000 });
const madeAt = Date.parse('2026-11-21T05:05:13Z') / 1000;

let service: Service;
beforeEach(async () => {
  service = await startService({ orders: [lost, other], sendsDate: false, onPost: () => reset });
});
afterEach(async () => {
  await service[Symbol.asyncDispose]();
});

async function run(time: string, line: string, columns?: number): Promise<Ran> {
  const env = { ...standingAt(`2026-11-21T${time}Z`), PAYDESK_OPERATOR: 'root' };
  return await service.run(line.split(' '), columns === undefined ? { env } : { env, columns });
}

/** Sends a refund of 900 whose reply is lost; the service does not show it. */
async function loseRefund(): Promise<string> {
  const { code, stderr } = await run(
    '05:05:12',
    'orders refund ord_2tQ8mVxK4nRz7LcWp --charge 1 --amount 900 --yes',
  );
  expect(code, stderr).toBe(7);
  return /i_\w+/.exec(stderr)?.[0] ?? '';
}

const withoutIds = ({ stdout, stderr }: Ran) =>
  `${stdout}${stderr}`.replaceAll(/i_[0-9a-z]{8}/g, 'i_7f3k2m9x');

describe('a refund whose reply was lost', () => {
  test('stands in the first block of orders show, and no command there refunds', async () => {
    await loseRefund();
    const shown = await run('05:10:00', 'orders show ord_2tQ8mVxK4nRz7LcWp', 80);
    expect(withoutIds(shown)).toMatchInlineSnapshot(`
      "ord_2tQ8mVxK4nRz7LcWp  paid, refund unconfirmed  sandbox environment
      UNCONFIRMED  refund of 900 MXN, sent at 05:05:12 by root
              it may have been made
              tell the buyer "it is being checked"; do not refund it anywhere else
              see whether it was made: paydesk journal reconcile i_7f3k2m9x
      created 20 Nov 2026 18:42:00 UTC    read just now, 21 Nov 05:10:00
      buyer   Ana  ana@example.com

      MONEY (MXN, in the service's units)           amount   refunded       kept
      charge 1  ch_ord_2tQ8mVxK4nRz7LcWp  *4242      35000          0      35000
                unconfirmed 900: may have gone back
                visa, BUYER NAME, paid 18:42:20, auth 490215, fee 900
      order                                          35000          0      35000

      ITEMS    Wool blanket  sku WB-2  1 x 35000  35000
               items 35000: equal to the order amount

      first find out what became of the unconfirmed refund:
        paydesk journal reconcile i_7f3k2m9x
      "
    `);
    expect(shown.stdout).not.toContain('orders refund');
    const wide = await run('05:10:00', 'orders show ord_2tQ8mVxK4nRz7LcWp', 120);
    expect(differences(withoutIds(wide), withoutIds(shown))).toMatchInlineSnapshot(`""`);
    const untouched = await run('05:10:00', 'orders show ord_2tQ8mTd6JhB3sYfGq', 80);
    expect(untouched.stdout).toContain('orders refund ord_2tQ8mTd6JhB3sYfGq');
    expect(service.posts).toHaveLength(1);
  });

  test('is the status of its order in lists and finds of people, and not of scripts', async () => {
    await loseRefund();
    expect(withoutIds(await run('05:10:00', 'orders list', 80))).toMatchInlineSnapshot(`
      "ID                     AT UTC  STATUS         MXN  REFUND  CARD   BUYER
      ord_2tQ8mVxK4nRz7LcWp  20 Nov  unconfirmed  35000       -  *4242  Ana  
      ord_2tQ8mTd6JhB3sYfGq  20 Nov  paid         35000       -  *4242  Ana  
      1 refund unconfirmed: ord_2tQ8mVxK4nRz7LcWp: paydesk journal reconcile --all
      2 orders, sandbox environment. There are no more
      "
    `);
    expect(withoutIds(await run('05:10:00', 'orders list', 120))).toMatchInlineSnapshot(`
      "ID                     CREATED UTC   STATUS          AMOUNT  REFUNDED  CARD   BUYER  REASON  NOTE
      ord_2tQ8mVxK4nRz7LcWp  20 Nov 18:42  unconfirmed  35000 MXN         -  *4242  Ana    -       -   
      ord_2tQ8mTd6JhB3sYfGq  20 Nov 17:02  paid         35000 MXN         -  *4242  Ana    -       -   
      1 refund unconfirmed: ord_2tQ8mVxK4nRz7LcWp: paydesk journal reconcile --all
      2 orders, sandbox environment. There are no more
      "
    `);
    const found = await run('05:10:00', 'orders find 4242', 80);
    expect(found.stdout).toMatch(/^ord_2tQ8mVxK4nRz7LcWp .* unconfirmed /m);
    expect(found.stdout).toMatch(/^ord_2tQ8mTd6JhB3sYfGq .* paid /m);
    const csv = await run('05:10:00', 'orders list --csv');
    expect(csv.stdout).not.toContain('unconfirmed');
    expect((await run('05:10:00', 'orders list --json')).stdout).not.toContain('unconfirmed');
  });

  test('is told on another day with that day', async () => {
    await loseRefund();
    const env = { ...standingAt('2026-11-22T04:00:00Z'), PAYDESK_OPERATOR: 'root' };
    const shown = await service.run(['orders', 'show', 'ord_2tQ8mVxK4nRz7LcWp'], { env });
    expect(shown.stdout).toContain('refund of 900 MXN, sent at 05:05:12 on 21 Nov by root');
  });

  test('refuses another refund of the order in the same words', async () => {
    await loseRefund();
    const refused = await run('05:10:00', 'orders refund ord_2tQ8mVxK4nRz7LcWp --yes', 80);
    expect(refused.code).toBe(3);
    expect(withoutIds(refused)).toMatchInlineSnapshot(`
      "refused: an earlier refund of 900 MXN on ord_2tQ8mVxK4nRz7LcWp (05:05:12, by
               root) is still unconfirmed
      certain: nothing was sent
      now:     paydesk journal reconcile i_7f3k2m9x
      "
    `);
    expect(service.posts).toHaveLength(1);
  });

  test('is red on a terminal', async () => {
    await loseRefund();
    const seat = { home: service.home, env: { ...service.env, NO_COLOR: '' }, columns: 80 };
    const { screen } = await onScreen(['orders', 'show', 'ord_2tQ8mVxK4nRz7LcWp'], seat);
    expect(screen).toContain('\x1b[31mrefund unconfirmed\x1b[39m');
    expect(screen).toContain('\x1b[31mUNCONFIRMED  refund of 900 MXN, sent at 05:05:12');
    const list = await onScreen(['orders', 'list'], seat);
    expect(list.screen).toContain('\x1b[31munconfirmed');
  });
});

test('whoever opens the order again sees its unconfirmed refund in red, and no command that refunds (real terminal)', async () => {
  await storeShop(service.home, service, { 'reconcile.after': '0' });
  const seat = { home: service.home, env: { TZ: 'UTC', PAYDESK_OPERATOR: 'root' } };
  const refund = ['-p', 'shop', 'orders', 'refund', 'ord_2tQ8mVxK4nRz7LcWp'];
  const sender = atTerminal(
    [...refund, '--reason', 'other', '--note', 'ticket 8840', '--only-confirm'],
    seat,
  );
  await sender.answer(/Send back .*\? \(y\/N\)/, 'y\r');
  expect((await sender.end).exitCode).toBe(7);
  const { exitCode, transcript } = await atTerminal(
    ['-p', 'shop', 'orders', 'show', 'ord_2tQ8mVxK4nRz7LcWp'],
    seat,
  ).end;
  expect(exitCode).toBe(0);
  expect(transcript).toContain('\x1b[31mUNCONFIRMED  refund of 35000 MXN');
  expect(transcript).toContain('paydesk journal reconcile i_');
  expect(transcript).not.toContain('orders refund');
  expect(service.posts).toHaveLength(1);
});

describe('a refund that shows after its reply was lost', () => {
  function showRefund(id: string, amount: number, createdAt = madeAt): void {
    service.orders = service.orders.map((order) =>
      order.id === lost.id
        ? withRefund(order, refundOf(id, amount, { created_at: createdAt }), amount)
        : order,
    );
  }

  test('is probably ours until it is confirmed, and then ours', async () => {
    const change = await loseRefund();
    showRefund('rf_1', 900);
    showRefund('rf_2', 500);
    const shown = await run('05:10:00', 'orders show ord_2tQ8mVxK4nRz7LcWp', 80);
    expect(withoutIds(shown)).toMatchInlineSnapshot(`
      "ord_2tQ8mVxK4nRz7LcWp  partially_refunded, refund unconfirmed  sandbox
      environment
      UNCONFIRMED  refund of 900 MXN, sent at 05:05:12 by root
              the order now shows such a refund, see below; do not refund it again
              confirm it: paydesk journal reconcile i_7f3k2m9x
      created 20 Nov 2026 18:42:00 UTC    read just now, 21 Nov 05:10:00
      buyer   Ana  ana@example.com

      MONEY (MXN, in the service's units)           amount   refunded       kept
      charge 1  ch_ord_2tQ8mVxK4nRz7LcWp  *4242      35000      -1400      33600
                visa, BUYER NAME, part_ref, paid 18:42:20, auth 490215, fee 900
      order                                          35000      -1400      33600

      REFUNDS  from charge  amount  when              auth    by
               1 *4242        -900  21 Nov 05:05 UTC  490215  probably ours: sent at
                                                              05:05:12, not confirmed
                                                              yet
               id rf_1  unconfirmed
               1 *4242        -500  21 Nov 05:05 UTC  490215  elsewhere
               id rf_2  not sent from here: ask your lead who did

      ITEMS    Wool blanket  sku WB-2  1 x 35000  35000
               items 35000: equal to the order amount

      the order shows such a refund; confirm it first:
        paydesk journal reconcile i_7f3k2m9x
      "
    `);
    const wide = await run('05:10:00', 'orders show ord_2tQ8mVxK4nRz7LcWp', 120);
    expect(differences(withoutIds(wide), withoutIds(shown))).toMatchInlineSnapshot(`
      "instead of lines 1 to 2:
      ord_2tQ8mVxK4nRz7LcWp  partially_refunded, refund unconfirmed  sandbox environment
      instead of lines 15 to 17:
               1 *4242        -900  21 Nov 05:05 UTC  490215  probably ours: sent at 05:05:12, not confirmed yet"
    `);

    expect((await run('05:11:00', `journal reconcile ${change}`)).code).toBe(0);
    const after = (await run('05:12:00', 'orders show ord_2tQ8mVxK4nRz7LcWp')).stdout;
    expect(after).toContain('root (probably: the reply was lost)');
    expect(after).not.toContain('probably ours');
    expect(after).not.toContain('UNCONFIRMED');
    expect(after).toContain('orders refund ord_2tQ8mVxK4nRz7LcWp');
  });

  test('twice is probably ours twice, and after the alarm one of the two is ours', async () => {
    const change = await loseRefund();
    showRefund('rf_1', 900);
    showRefund('rf_2', 900);
    const before = (await run('05:10:00', 'orders show ord_2tQ8mVxK4nRz7LcWp')).stdout;
    expect(before.match(/probably ours: sent at 05:05:12, not confirmed yet/g)).toHaveLength(2);
    expect((await run('05:11:00', `journal reconcile ${change}`)).code).toBe(7);
    const after = (await run('05:12:00', 'orders show ord_2tQ8mVxK4nRz7LcWp')).stdout;
    expect(after.match(/one of these is ours, sent at 05:05:12 by root/g)).toHaveLength(2);
    expect(after).toContain(
      'one of them is ours, sent at 05:05:12 by root; the other is the same again: repeated by the',
    );
    expect(after).not.toContain('  elsewhere');
  });

  test('of the whole order is probably ours on each of its charges', async () => {
    const split = orderOf('ord_split', [chargeOf('ch_1', 500), chargeOf('ch_2', 400)], {
      created_at: created,
      updated_at: created,
    });
    service.orders = [split];
    expect((await run('05:05:12', 'orders refund ord_split --yes')).code).toBe(7);
    const refund = (id: string, amount: number) => ({
      status: 'refunded',
      refunds: listOf(refundOf(id, amount, { created_at: madeAt })),
    });
    service.orders = [
      orderOf(
        'ord_split',
        [chargeOf('ch_1', 500, refund('rf_1', 500)), chargeOf('ch_2', 400, refund('rf_2', 400))],
        {
          created_at: created,
          updated_at: madeAt,
          payment_status: 'refunded',
          is_refundable: false,
          amount_refunded: 900,
        },
      ),
    ];
    const { stdout } = await run('05:10:00', 'orders show ord_split');
    expect(stdout.match(/probably ours/g)).toHaveLength(2);
  });

  test('is not ours if it was made before ours was sent', async () => {
    await loseRefund();
    showRefund('rf_1', 900, created + 60);
    const { stdout } = await run('05:10:00', 'orders show ord_2tQ8mVxK4nRz7LcWp');
    expect(stdout).toContain('elsewhere');
    expect(stdout).not.toContain('probably ours');
  });

  test('is probably ours even where somebody recorded that it was not made', async () => {
    const change = await loseRefund();
    const settle = `journal settle ${change} --not-applied --note asked-the-bank --confirm ord_2tQ8mVxK4nRz7LcWp`;
    const settled = await run('05:20:00', settle);
    expect(settled.code, settled.stderr).toBe(0);
    showRefund('rf_1', 900);
    const { stdout } = await run('05:30:00', 'orders show ord_2tQ8mVxK4nRz7LcWp');
    expect(stdout).toContain('probably ours: sent at 05:05:12, recorded by root as not made');
  });
});

describe('the line about unconfirmed changes', () => {
  const told = async () => (await run('05:10:00', 'orders list --json')).stderr;

  test('names the order of one, and says how many there are of several', async () => {
    service.orders = Array.from({ length: 5 }, (_, index) => bought(`ord_${index}`));
    await run('05:05:12', 'orders refund ord_0 --yes');
    expect(await told()).toContain('1 refund unconfirmed: ord_0: paydesk journal reconcile --all\n');
    for (const { id } of service.orders.slice(1)) await run('05:05:13', `orders refund ${String(id)} --yes`);
    expect(await told()).toContain('5 refunds unconfirmed: paydesk journal reconcile --all\n');
  });

  test('is one line, whatever must be looked at: how many of each, and the command', async () => {
    service.orders = [bought('ord_0'), bought('ord_1'), lost];
    const change = await loseRefund();
    service.orders = service.orders.map((order) =>
      order.id === lost.id
        ? ['rf_1', 'rf_2'].reduce(
            (one, id) => withRefund(one, refundOf(id, 900, { created_at: madeAt }), 900),
            order,
          )
        : order,
    );
    expect((await run('05:06:00', `journal reconcile ${change}`)).code).toBe(7);
    for (const id of ['ord_0', 'ord_1']) await run('05:07:00', `orders refund ${id} --yes`);
    expect(await told()).toContain(
      '2 refunds unconfirmed; 1 refund made twice: paydesk journal list --open\n',
    );
    const { stderr } = await run('05:10:00', 'orders show ord_0');
    expect(stderr.trim().split('\n')).toEqual([
      'other orders: 1 refund unconfirmed; 1 refund made twice: paydesk journal list --open',
    ]);
  });

  test('says how many of each kind there are', async () => {
    const held = bought('ord_held', { payment_status: 'pre_authorized' });
    service.orders = [lost, held];
    await loseRefund();
    expect((await run('05:05:12', 'orders capture ord_held --yes')).code).toBe(7);
    expect(await told()).toContain('1 refund and 1 capture unconfirmed: paydesk journal reconcile --all\n');
    const { stdout } = await run('05:10:00', 'orders show ord_held');
    expect(stdout).toContain('UNCONFIRMED  capture of 35000 MXN, sent at 05:05:12 by root');
    expect(stdout).toContain('do not capture it anywhere else');
    expect(stdout).not.toContain('orders capture ord_held');
  });
});
