/** The screens of orders at 80 columns, whole, as a person sees them. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  chargeOf,
  inProduction,
  type Json,
  listOf,
  newRefundOf,
  notReturnable,
  orderOf,
  refundOf,
} from '../harness/orders.ts';
import { type Home, newHome, onScreen, paydesk } from '../harness/paydesk.ts';
import { type Person, sit } from '../harness/person.ts';
import { type Handler, json, reply } from '../harness/server.ts';
import { type Service, type ServiceOptions, startService, storeShop } from '../harness/service.ts';

// In a year that is over, so that the year is always shown.
const bought = Date.UTC(2020, 10, 20, 23, 8, 51) / 1000;

const card = (last4: string, brand: string, name: string, auth: string): Json => ({
  object: 'card_payment',
  type: 'credit',
  name,
  auth_code: auth,
  last4,
  brand,
});
const first = chargeOf('656f1c0e9a2b4d0018c3e5a1', 35000, {
  paid_at: bought + 11,
  status: 'partially_refunded',
  payment_method: card('4242', 'visa', 'BUYER NAME', '490215'),
  refunds: listOf(refundOf('656f21d79a2b4d0018c40c11', 12000, { created_at: bought + 6909 })),
});
const second = chargeOf('656f1c0e9a2b4d0018c3e5b4', 17000, {
  paid_at: bought + 12,
  payment_method: card('5100', 'mastercard', 'B NAME', '771034'),
});
const order = orderOf('ord_2tQ7zRk9PwE5xNvAm', [first, second], {
  payment_status: 'partially_refunded',
  amount_refunded: 12000,
  created_at: bought,
  updated_at: bought + 6909,
  customer_info: {
    object: 'customer_info',
    name: 'Buyer Name',
    email: 'buyer@example.com',
    phone: '+5215555555555',
    customer_id: 'cus_2sZp8LmQ4tVx',
  },
  metadata: { shop_order: 'A-10023' },
  line_items: listOf(
    { id: 'line_item_1', name: 'Wool blanket', sku: 'WB-2', quantity: 2, unit_price: 16000 },
    { id: 'line_item_2', name: 'Lamp', sku: 'L-9', quantity: 1, unit_price: 20000 },
  ),
});
const inCash = chargeOf('ch_1', 18900, {
  currency: 'USD',
  payment_method: { type: 'cash' },
  refunds: listOf(refundOf('rf_1', 18900)),
});
const orders: readonly Json[] = [
  orderOf('ord_2tQ8mVxK4nRz7LcWp', [first], { created_at: bought + 3600, amount_refunded: 12000 }),
  order,
  orderOf('ord_2tQ7wCn4UgS8bMyHe', [inCash], {
    created_at: bought - 3600,
    currency: 'USD',
    payment_status: 'refunded',
    amount_refunded: 18900,
  }),
  { id: 'ord_2tQ7sLf1DtX6kPjQr', object: 'order', livemode: false, amount: 7450, currency: 'MXN' },
];

let home: Home;
let service: Service;
beforeEach(() => {
  home = newHome();
});
afterEach(async () => {
  home[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

/** Serves these orders behind the stored profile `shop-mx`. */
async function open(options: Partial<ServiceOptions> = {}, settings: Readonly<Record<string, string>> = {}) {
  service = await startService({ orders, ...options });
  await storeShop(home, service, settings);
}

/** The screen of a command at 80 columns, with what changes from run to run put the same. */
async function screenOf(
  args: readonly string[],
  ...typed: readonly (readonly [string, string])[]
): Promise<string> {
  return screenAt(80, args, ...typed);
}

/** The screen of a command on a terminal of so many columns. */
async function screenAt(
  columns: number,
  args: readonly string[],
  ...typed: readonly (readonly [string, string])[]
): Promise<string> {
  const line = ['-p', 'shop', ...args];
  const env = { TZ: 'America/Mexico_City', PAYDESK_OPERATOR: 'op7' };
  const { screen } = await (typed.length === 0
    ? onScreen(line, { home, env, columns })
    : typeAt(sit(line, { home, env }, columns), typed));
  return (
    screen
      // A slow machine draws its progress, and takes it away again.
      .replaceAll(/[^\n]*\r/g, '')
      .replaceAll(/^(\? \[\w+\] [^[]*)\? \[.*$/gm, '$1')
      .replaceAll(/i_[0-9a-z]{8}/g, 'i_7f3k2m9x')
      // Of a refund that is made now, in full and without its year.
      .replaceAll(/\d\d? \w{3} (?!20[0-9][0-5])20\d\d \d\d:\d\d:\d\d (?=UTC)/g, 'D MMM YYYY HH:MM:SS ')
      .replaceAll(/(-300 {2})\d\d? \w{3} \d\d:\d\d UTC-6( *)/g, '$1D MMM HH:MM UTC-6  ')
      .replaceAll(/read just now, \d+ \w+ \d\d:\d\d:\d\d/g, 'read just now, 21 Nov 09:31:12')
      .replaceAll(/(sent once at |until |once, at )\d\d:\d\d:\d\d/g, '$1HH:MM:SS')
      .replaceAll(/(blocked until )\d+ \w+ \d+ \d\d:\d\d:\d\d/g, '$1D MMM YYYY HH:MM:SS')
  );
}

async function typeAt(person: Person, typed: readonly (readonly [string, string])[]) {
  for (const [words, keys] of typed) await person.answer(words, keys);
  return await person.leaves;
}

test('orders list', async () => {
  await open();
  expect(await screenOf(['orders', 'list', '--limit', '4'])).toMatchInlineSnapshot(`
    "ID                     CREATED -06  STATUS          MXN  REFUND  CARD   BUYER   
    ord_2tQ8mVxK4nRz7LcWp  20 Nov 2020  paid          35000   12000  *4242  Buyer N…
    ord_2tQ7zRk9PwE5xNvAm  20 Nov 2020  part_ref      52000   12000  split  Buyer N…
    ord_2tQ7wCn4UgS8bMyHe  20 Nov 2020  refunded  18900 USD   18900  cash   Buyer N…
    ord_2tQ7sLf1DtX6kPjQr  -            -              7450       -  -      -       
    4 orders, sandbox shop. There are no more
    "
  `);
});

test('orders show', async () => {
  await open();
  expect(await screenOf(['orders', 'show', 'ord_2tQ7zRk9PwE5xNvAm'])).toMatchInlineSnapshot(`
    "ord_2tQ7zRk9PwE5xNvAm  partially_refunded, can be refunded  sandbox shop
    created 20 Nov 2020 17:08:51 UTC-6    read just now, 21 Nov 09:31:12
    buyer   Buyer Name  buyer@example.com  +5215555555555  cus_2sZp8LmQ4tVx

    MONEY (MXN, in the service's units)            amount   refunded       kept
    charge 1  656f1c0e9a2b4d0018c3e5a1  *4242       35000     -12000      23000
              visa, BUYER NAME, part_ref, paid 17:09:02, auth 490215, fee 900
    charge 2  656f1c0e9a2b4d0018c3e5b4  *5100       17000          0      17000
              mastercard, B NAME, paid 17:09:03, auth 771034, fee 900
    order     refund total matches the service      52000     -12000      40000

    REFUNDS  from charge  amount  when                     auth    by
             1 *4242      -12000  20 Nov 2020 19:04 UTC-6  490215  elsewhere
             id 656f21d79a2b4d0018c40c11  not sent from here: ask your lead who did

    ITEMS    Wool blanket  sku WB-2  2 x 16000  32000
             Lamp  sku L-9           1 x 20000  20000
             items 52000: equal to the order amount
    metadata shop_order=A-10023

    refund the rest of charge 1, 23000:
      paydesk -p shop orders refund ord_2tQ7zRk9PwE5xNvAm --charge 1
    refund charge 2, 17000:
      paydesk -p shop orders refund ord_2tQ7zRk9PwE5xNvAm --charge 2
    "
  `);
});

test.each([
  ['a terminal of 20 lines', { columns: 80, rows: 20 }, 2, 'the sum'],
  ['a terminal of 22 lines', { columns: 80, rows: 22 }, 2, 'the sum'],
  ['a terminal of 23 lines', { columns: 80, rows: 23 }, 1, 'the sum'],
  ['a terminal of 24 lines', { columns: 80, rows: 24 }, 1, 'the sum'],
  ['a terminal that is high enough', { columns: 80, rows: 25 }, 1, 'each'],
  ['a terminal that does not say how high it is', { columns: 80, rows: 0 }, 1, 'each'],
  ['a pipe', {}, 1, 'each'],
])('orders show on %s: what is known of the order stays in view', async (_, size, times, items) => {
  await open();
  const args = ['-p', 'shop', 'orders', 'show', 'ord_2tQ7zRk9PwE5xNvAm', '-o', 'table'];
  const { stdout } = await paydesk(args, { home, ...size });
  const verdict = 'ord_2tQ7zRk9PwE5xNvAm  partially_refunded, can be refunded  sandbox shop\n';
  expect(stdout.split(verdict)).toHaveLength(times + 1);
  expect(stdout.startsWith(verdict)).toBe(true);
  expect(stdout.endsWith(`--charge 2\n\n${verdict}`)).toBe(times === 2);
  expect(stdout.includes('Wool blanket')).toBe(items === 'each');
  const sum = 'ITEMS    2, 52000: equal to the order amount (-o list shows each)\n';
  expect(stdout.includes(sum)).toBe(items === 'the sum');
});

test('orders show: an order that is only authorized, and a charge that was paid on another day', async () => {
  const later = { ...second, paid_at: bought + 86_400 };
  const authorized = { ...first, status: 'pre_authorized', refunds: null, paid_at: undefined };
  await open({
    orders: [
      orderOf('ord_later', [later], { created_at: bought }),
      orderOf('ord_held', [authorized], { created_at: bought, payment_status: 'pre_authorized' }),
    ],
  });
  expect(await screenOf(['orders', 'show', 'ord_later'])).toContain(
    'mastercard, B NAME, paid 21 Nov 2020 17:08:51, auth 771034, fee 900\n',
  );
  const held = await screenOf(['orders', 'show', 'ord_held']);
  expect(held).toContain('ord_held  pre_authorized, only authorized, no money taken  sandbox shop\n');
  expect(
    held.endsWith(
      '\n\nif the buyer cancelled, do not capture it: your shop can release it at the bank,\n  else it lapses; the service does not say when\nif the buyer gets the goods, charge it:\n  paydesk -p shop orders capture ord_held\n',
    ),
  ).toBe(true);
});

test('a refund of this desk: who and why, in show and, from 120 columns, in the list', async () => {
  const after = withRefunds(newRefundOf('656fa9349a2b4d0018c51f07', 300));
  await open({ orders: [order], onPost: answered(after, json(after)) });
  const note = 'ticket 8840, the second parcel came broken and she sent pictures';
  const part = ['--charge', '1', '--amount', '300', '--reason', 'requested_by_client', '--note', note];
  await screenOf(['orders', 'refund', id, ...part, ...atOnce]);
  expect(await screenOf(['orders', 'show', id])).toContain(`
REFUNDS  from charge  amount  when                     auth    by
         1 *4242      -12000  20 Nov 2020 19:04 UTC-6  490215  elsewhere
         id 656f21d79a2b4d0018c40c11  not sent from here: ask your lead who did
         1 *4242        -300  D MMM HH:MM UTC-6  490215  op7: ticket 8840,
                                                               the second parcel
                                                               came broken and
                                                               she sent pictures
         id 656fa9349a2b4d0018c51f07  requested_by_client
`);
  expect(await screenAt(100, ['orders', 'list'])).not.toContain('REASON');
  expect(await screenAt(140, ['orders', 'list'])).toMatchInlineSnapshot(`
    "ID                     CREATED -06        STATUS                 AMOUNT  REFUNDED  CARD   BUYER       REASON              NOTE              
    ord_2tQ7zRk9PwE5xNvAm  20 Nov 2020 17:08  partially_refunded  52000 MXN     12300  split  Buyer Name  requested_by_clie…  ticket 8840, the …
    1 order, sandbox shop. There are no more
    "
  `);
  const { stdout } = await paydesk(['-p', 'shop', 'orders', 'list', '--csv', '--columns', 'id,reason,note'], {
    home,
  });
  expect(stdout).toBe(`id,reason,note\n${id},requested_by_client,"${note}"\n`);
});

const id = 'ord_2tQ7zRk9PwE5xNvAm';
// Without the preview: what matters is the end.
const atOnce = ['--yes', '--quiet'];
const refund = [
  'orders',
  'refund',
  id,
  '--charge',
  '1',
  '--reason',
  'requested_by_client',
  '--note',
  'ticket 8840',
];

/** The order after these new refunds of its first charge. */
function withRefunds(...refunds: readonly Json[]): Json {
  const { data } = first.refunds as { readonly data: readonly Json[] };
  const all = [...data, ...refunds];
  const refunded = all.reduce((sum, { amount }) => sum - Number(amount), 0);
  const charge = { ...first, refunds: listOf(...all) };
  return { ...order, amount_refunded: refunded, charges: listOf(charge, second) };
}

/** Answers a POST, and holds this order from then on. */
const answered =
  (after: Json, handler: Handler): NonNullable<ServiceOptions['onPost']> =>
  (_order, held) => {
    held.orders = held.orders.map((one) => (one.id === id ? after : one));
    return handler;
  };

test('a refund: preview and result; the note is shown as one that stays here, and is not in the request', async () => {
  const after = withRefunds(newRefundOf('656fa9349a2b4d0018c51f07', 23000));
  await open({ onPost: answered(after, json(after)) });
  expect(await screenOf(refund, ['How much?', '\r'], ['Send back', 'y\r'])).toMatchInlineSnapshot(`
    "? [sandbox] Buyer Name, *4242, MXN: How much? (Enter: all 23000)
    REFUND THE REST OF A CHARGE                                     sandbox shop
    order   ord_2tQ7zRk9PwE5xNvAm  52000 MXN  partially_refunded  20 Nov 2020 17:08
    buyer   Buyer Name  buyer@example.com  shop_order=A-10023
    from    charge 1 of 2, visa *4242, 656f1c0e9a2b4d0018c3e5a1
    reason  requested_by_client   the buyer asked for it
    note    ticket 8840   kept only on this machine
                       charge 1   order
      paid                35000   52000
      refunded so far    -12000  -12000  20 Nov 2020 19:04, elsewhere
      THIS REFUND        -23000  -23000  all that is left of charge 1
      left afterwards         0   17000
    note: this charge was refunded before; the buyer may mean that refund
    will send once: {"charge_id":"656f1c0e9a2b4d0018c3e5a1", "amount":23000,
                     "reason":"requested_by_client"}
    ? [sandbox] ord_2tQ7zRk9PwE5xNvAm, Buyer Name, *4242
      Send back 23000 MXN? (y/N) (Esc: back)
      Send back 23000 MXN? (y/N) y? [sandbox] ord_2tQ7zRk9PwE5xNvAm, Buyer Name, *4242
      Send back 23000 MXN? Yes
    refunded 23000 MXN to visa *4242                                sandbox shop
    order    ord_2tQ7zRk9PwE5xNvAm   partially_refunded, as before
    refund   656fa9349a2b4d0018c51f07   D MMM YYYY HH:MM:SS UTC-6   auth 490215
    money    12000 -> 35000 refunded of 52000; 17000 left      journal i_7f3k2m9x
    words for the buyer: paydesk refunds receipt i_7f3k2m9x
    "
  `);
  expect(service.posts.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    { charge_id: '656f1c0e9a2b4d0018c3e5a1', amount: 23000, reason: 'requested_by_client' },
  ]);
});

test('a small part of a charge in production; suspected fraud comes with a warning of disputes', async () => {
  await open({ mode: 'production', orders: [inProduction(order)] });
  const small = ['orders', 'refund', id, '--charge', '2', '--amount', '300', '--reason', 'suspected_fraud'];
  expect(await screenOf(small, ['Note', '\r'], ['Type the amount', '\r'])).toMatchInlineSnapshot(`
    "? [PRODUCTION] Buyer Name, *5100, MXN
      Note, kept only on this machine (Enter: none):
      Note, kept only on this machine (Enter: none):? [PRODUCTION] Buyer Name, *5100, MXN
      Note, kept only on this machine (Enter: none):
    REFUND PART OF AN ORDER                                      PRODUCTION shop
    order   ord_2tQ7zRk9PwE5xNvAm  52000 MXN  partially_refunded  20 Nov 2020 17:08
    buyer   Buyer Name  buyer@example.com  shop_order=A-10023
    from    charge 2 of 2, mastercard *5100, 656f1c0e9a2b4d0018c3e5b4
    reason  suspected_fraud   fraud is suspected
                       charge 2   order
      paid                17000   52000
      refunded so far         0  -12000
      THIS REFUND          -300    -300  1.8 % of charge 2
      left afterwards     16700   39700
    note: paydesk cannot see disputes: a refund and a chargeback together pay twice
    will send once: {"charge_id":"656f1c0e9a2b4d0018c3e5b4", "amount":300,
                     "reason":"suspected_fraud"}
    ? [PRODUCTION] Buyer Name, *5100, MXN
      Type the amount to send it, or press Enter to cancel: (Esc: back)
      Type the amount to send it, or press Enter to cancel: (Esc: back)? [PRODUCTION] Buyer Name, *5100, MXN
      Type the amount to send it, or press Enter to cancel:
    cancelled: not confirmed
    certain: nothing was sent
    now:     the same as one command, for later:
             paydesk -p shop orders refund ord_2tQ7zRk9PwE5xNvAm --charge 2 --amount 300 --reason suspected_fraud --only-confirm
    "
  `);
});

test('a capture: preview and result', async () => {
  const authorized = orderOf(id, [chargeOf('ch_1', 7450, { status: 'pre_authorized' })], {
    payment_status: 'pre_authorized',
    created_at: bought,
  });
  await open({
    orders: [authorized],
    onPost: answered(
      { ...authorized, payment_status: 'paid' },
      json({ ...authorized, payment_status: 'paid' }),
    ),
  });
  expect(await screenOf(['orders', 'capture', id], ['Capture', 'y\r'])).toMatchInlineSnapshot(`
    "CAPTURE AN ORDER                                                sandbox shop
    order   ord_2tQ7zRk9PwE5xNvAm  pre_authorized  20 Nov 2020 17:08
    buyer   Buyer Name  buyer@example.com
    from    charge 1, visa *4242, ch_1
      THIS CAPTURE  7450 MXN   all that was authorized
    will send once: no body
    ? [sandbox] ord_2tQ7zRk9PwE5xNvAm: Capture 7450 MXN? (y/N)
    captured 7450 MXN                                               sandbox shop
    order    ord_2tQ7zRk9PwE5xNvAm   paid      journal i_7f3k2m9x
    "
  `);
});

describe('bad moments', () => {
  const quick = { 'reconcile.after': '0' };

  test('a lost reply', async () => {
    await open(
      { onPost: answered(order, reply('<h1>Bad</h1>', 502, { 'content-type': 'text/html' })) },
      quick,
    );
    expect(await screenOf([...refund, ...atOnce])).toMatchInlineSnapshot(`
      "unconfirmed: no usable answer to the refund of 23000 MXN on
               ord_2tQ7zRk9PwE5xNvAm (HTTP 502, an HTML page). It may have been made
      certain: sent once at HH:MM:SS; looked once, at HH:MM:SS, and it is not there
               yet
      now:     tell the buyer "it is being checked"; do not refund it anywhere else;
               in a few minutes: paydesk journal reconcile i_7f3k2m9x
               blocked until D MMM YYYY HH:MM:SS UTC-6 at the latest, or until you
               settle it
      "
    `);
  });

  test('two new refunds instead of one', async () => {
    const after = withRefunds(
      newRefundOf('656fa9349a2b4d0018c51f07', 23000),
      newRefundOf('656fa9369a2b4d0018c51f0c', 23000),
    );
    await open({ onPost: answered(after, reply('', 502)) }, quick);
    expect(await screenOf([...refund, ...atOnce])).toMatchInlineSnapshot(`
      "MADE TWICE: 2 new refunds of 23000 MXN on charge 1 (*4242) of this order (HTTP
               502)
               ord_2tQ7zRk9PwE5xNvAm
               656fa9349a2b4d0018c51f07 and 656fa9369a2b4d0018c51f0c
      certain: this machine sent one; the service lists both, -46000 together;
               paydesk cannot take a refund back
      now:     leave this order alone; show your lead:
               paydesk journal show i_7f3k2m9x
      "
    `);
  });

  test('refunded by someone else meanwhile', async () => {
    const other = refundOf('656fa9349a2b4d0018c51f07', 20000, { created_at: bought + 50000 });
    await open({
      onPost: answered({ ...withRefunds(other), is_refundable: false }, json(notReturnable, 428)),
    });
    expect(await screenOf([...refund, ...atOnce])).toMatchInlineSnapshot(`
      "refused by the service: order ord_2tQ7zRk9PwE5xNvAm is not refundable (HTTP 428,
               log_id 5f2c81)
               The order is not refundable.
               (service.errors.precondition_required.combo.order.is_not_returnable)
      certain: this refund moved no money; 32000 of 52000 MXN went back on 21 Nov 2020
               07:02:11 UTC-6, elsewhere
      now:     give the buyer this time and the bank's auth code 490215
               paydesk -p shop orders show ord_2tQ7zRk9PwE5xNvAm
      "
    `);
  });

  test('the key is refused', async () => {
    const body = { object: 'error', type: 'authentication_error', log_id: '5f2c82', details: [] };
    await open({ onPost: answered(order, json(body, 401)) });
    expect(await screenOf([...refund, ...atOnce])).toMatchInlineSnapshot(`
      "error:   the service did not accept the key of profile shop (HTTP 401)
               (authentication_error, log_id 5f2c82)
      certain: nothing was changed
      now:     ask for the new key, then:
               paydesk profile key shop
      "
    `);
  });

  test('the wrong mode', async () => {
    await open({ orders: [inProduction(order)] });
    expect(await screenOf([...refund, ...atOnce])).toMatchInlineSnapshot(`
      "refused: profile shop says sandbox, but ord_2tQ7zRk9PwE5xNvAm is real money
               (livemode true)
      certain: nothing was sent
      now:     this key is for production; do not use it for practice:
               paydesk profile check shop
      "
    `);
  });
});
