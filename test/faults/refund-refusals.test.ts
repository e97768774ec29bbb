/** Refunds of the wrong charge, amount, unit or mode. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Desk, type Order, startDesk } from '../harness/desk.ts';
import { type Home, newHome, paydesk } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { storeProfile } from '../harness/profile.ts';
import { json, startServer } from '../harness/server.ts';
import { declinedBeside, paidOnce, paidTwice, preAuthorized } from '../orders/order-kinds.ts';

let desk: Desk;
let production: Desk;
let orders: readonly Order[];

beforeAll(async () => {
  [desk, production] = await Promise.all([startDesk(), startDesk({ mode: 'production' })]);
  orders = await desk.orders();
});
afterAll(async () => {
  await desk[Symbol.asyncDispose]();
  await production[Symbol.asyncDispose]();
});

const chargesOf = (order: Order) => order.charges?.data ?? [];

// The n-th order of a kind; each test that changes one takes its own.
function orderWith(kind: (order: Order) => boolean, index = 0): Order {
  const found = orders.filter(kind)[index];
  if (found === undefined) throw new Error('the seed has no such order');
  return found;
}

const refundedWhole = (order: Order) => order.payment_status === 'refunded';
const refundedInPart = (order: Order) =>
  order.payment_status === 'partially_refunded' && chargesOf(order).length === 1;
const lockedCharge = (order: Order) =>
  chargesOf(order).length === 1 &&
  chargesOf(order)[0]?.is_refundable === false &&
  order.payment_status === 'paid';

function refund(home: Home, id: string, ...words: readonly string[]) {
  return paydesk(['orders', 'refund', id, '--yes', ...words], { home, env: desk.env });
}

const changesOf = (id: string) => desk.changes().filter(({ url }) => url.includes(id));

describe('--amount never leaves without charge_id (F43)', () => {
  test.each([
    { name: 'one charge', kind: paidOnce },
    { name: 'a declined charge beside a paid one', kind: declinedBeside },
  ])('$name: the charge that counts is resolved, and sent as charge_id', async ({ kind }) => {
    using home = newHome();
    const order = orderWith(kind, 0);
    const paid = chargesOf(order).find(({ status }) => status === 'paid');
    const ran = await refund(home, order.id, '--amount', '300');
    expect(ran.code).toBe(0);
    const [sent] = changesOf(order.id);
    expect(JSON.parse(sent?.body ?? '')).toEqual({ charge_id: paid?.id, amount: 300 });
    expect((await desk.order(order.id)).amount_refunded).toBe(300);
  });

  test('several charges: refused (3), each listed with its command, nothing sent', async () => {
    using home = newHome();
    const order = orderWith(paidTwice);
    const ran = await refund(home, order.id, '--amount', '300');
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('--charge 1');
    expect(ran.stderr).toContain('--charge 2');
    expect(changesOf(order.id)).toEqual([]);
  });

  test('no body of any run of this file had amount without charge_id', () => {
    const bodies = desk.changes().map(({ body }) => JSON.parse(body || '{}') as Record<string, unknown>);
    expect(bodies.filter((body) => 'amount' in body && !('charge_id' in body))).toEqual([]);
  });
});

describe.concurrent('what cannot be refunded is refused (3) with the numbers, and nothing is sent (F46)', () => {
  test('more than the charge', async () => {
    using home = newHome();
    const order = orderWith(paidOnce, 1);
    const ran = await refund(home, order.id, '--charge', '1', '--amount', String(order.amount + 1));
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain(String(order.amount + 1));
    expect(ran.stderr).toMatch(new RegExp(`\\b${order.amount}\\b`));
    expect(changesOf(order.id)).toEqual([]);
  });

  test('more than is left of a charge that was refunded in part', async () => {
    using home = newHome();
    const order = orderWith(refundedInPart);
    const left = order.amount - order.amount_refunded;
    const ran = await refund(home, order.id, '--charge', '1', '--amount', String(left + 1));
    expect(ran.code).toBe(3);
    expect(ran.stderr).toMatch(new RegExp(`\\b${left}\\b`));
    expect(changesOf(order.id)).toEqual([]);
  });

  test.each([
    {
      name: 'an order that is only authorized',
      kind: preAuthorized,
      words: ['is only authorized, no money taken', 'Do not capture it just to refund it'],
    },
    { name: 'an order that is refunded already', kind: refundedWhole, words: ['refunded already'] },
    { name: 'an order that the service calls not refundable', kind: lockedCharge, words: ['not refundable'] },
  ])('$name', async ({ kind, words }) => {
    using home = newHome();
    const order = orderWith(kind);
    const whole = await refund(home, order.id);
    for (const word of words) expect(whole.stderr).toContain(word);
    const charge = await refund(home, order.id, '--charge', '1');
    const part = await refund(home, order.id, '--charge', '1', '--amount', '5');
    for (const ran of [whole, charge, part]) {
      expect(ran.code).toBe(3);
      expect(ran.stderr).toContain('nothing was sent');
    }
    expect(changesOf(order.id)).toEqual([]);
  });
});

const refundOf = ({ id }: { readonly id: string }, amount: number): readonly string[] => {
  const part = ['--charge', '1', '--amount', String(amount)];
  return ['orders', 'refund', id, ...part, '--reason', 'other', '--note', 'n'];
};

describe.concurrent('a mistake of unit is seen before it is sent (F47)', () => {
  test('the preview shows the raw integer beside the charge amount, with its share of the order', async () => {
    using home = newHome();
    const order = orderWith(paidOnce, 2);
    const [charge] = chargesOf(order);
    const asked = Math.floor(order.amount / 4);
    const person = sit(refundOf(order, asked), { home, env: production.env }, 100);
    await person.answer('Type the amount', '\r');
    const { screen, code } = await person.leaves;
    const [before = ''] = screen.split('Type the amount');
    expect(before).toMatch(new RegExp(`paid +${charge?.amount} `));
    expect(before).toMatch(new RegExp(`THIS REFUND +-${asked} .*\\b2[45](?:\\.\\d)? %`));
    expect(before).toContain(`"amount":${asked}`);
    expect(code).toBe(3);
    expect(production.changes()).toEqual([]);
  });

  test.each(['35000', '350.00'])(
    'in production another figure than that of the preview cancels: %s',
    async (typed) => {
      using home = newHome();
      const order = orderWith(paidOnce, 2);
      const person = sit(refundOf(order, 350), { home, env: production.env });
      await person.answer('Type the amount', `${typed}\r`);
      await person.answer('is not the amount', '\r');
      expect(await person.leaves).toMatchObject({ code: 3 });
      expect(production.changes()).toEqual([]);
    },
  );

  test('a limit of the profile refuses what is over it, and what is not passes', async () => {
    using home = newHome();
    const order = orderWith((one) => paidOnce(one) && one.currency === 'MXN', 3);
    const settings = { 'refund.max_amount.MXN': '500' };
    await storeProfile(home, { name: 'a', baseUrl: desk.url, mode: 'sandbox', settings }, desk.key);
    const words = ['-p', 'a', 'orders', 'refund', order.id, '--yes'];
    for (const asked of [[], ['--amount', '501']]) {
      const over = await paydesk([...words, ...asked], { home });
      expect(over.code).toBe(3);
      expect(over.stderr).toContain('refund.max_amount.MXN is 500');
    }
    expect(changesOf(order.id)).toEqual([]);
    expect((await paydesk([...words, '--amount', '500'], { home })).code).toBe(0);
    expect((await desk.order(order.id)).amount_refunded).toBe(500);
  });
});

describe.concurrent('an order of the other mode is refused (3) before anything is sent (F48)', () => {
  test.each([
    {
      says: 'sandbox',
      holds: () => production,
      words: ['real money (livemode true)', 'this key is for production; do not use it for practice:'],
    },
    {
      says: 'production',
      holds: () => desk,
      words: ['practice (livemode false)', 'this key is for sandbox; do not use it for real money:'],
    },
  ])('the profile says $says', async ({ says, holds, words }) => {
    using home = newHome();
    const service = holds();
    const env = { ...service.env, PAYDESK_MODE: says };
    const paid = orderWith(paidOnce, 6).id;
    const held = orderWith(preAuthorized).id;
    for (const args of [
      ['orders', 'refund', paid, '--yes', '--confirm', paid],
      ['orders', 'capture', held, '--yes', '--confirm', held],
      ['profile', 'check'],
    ]) {
      const ran = await paydesk(args, { home, env });
      expect(ran.code).toBe(3);
      expect(ran.stderr).toContain(`says ${says}`);
      for (const word of words) expect(ran.stderr.replace(/\s+/g, ' ')).toContain(word);
      if (args[0] !== 'profile') continue;
      expect(ran.stderr).toContain('set PAYDESK_MODE to the mode of the key');
      expect(ran.stderr).not.toContain('profile remove');
    }
    // Other tests of this file change other orders of the same service at the same time.
    expect(service.changes().filter(({ url }) => [paid, held].some((id) => url.includes(id)))).toEqual([]);
  });

  test('an order whose mode turns between the preview and the sending is refused as well', async () => {
    using home = newHome();
    const order = {
      id: 'ord_1',
      object: 'order',
      livemode: false,
      amount: 700,
      amount_refunded: 0,
      currency: 'MXN',
      payment_status: 'paid',
      is_refundable: true,
      created_at: 1_790_000_000,
      updated_at: 1_790_000_000,
      charges: {
        object: 'list',
        has_more: false,
        total: 1,
        data: [
          {
            id: 'ch_1',
            object: 'charge',
            livemode: false,
            amount: 700,
            currency: 'MXN',
            status: 'paid',
            is_refundable: true,
            created_at: 1_790_000_000,
            refunds: null,
          },
        ],
      },
    };
    await using server = await startServer((request, response, socket) => {
      const data = [{ ...order, livemode: request.index > 0 }];
      return json({ object: 'list', has_more: false, data })(request, response, socket);
    });
    const env = {
      PAYDESK_BASE_URL: server.url,
      PAYDESK_MODE: 'sandbox',
      PAYDESK_API_KEY: crypto.randomUUID(),
    };
    const ran = await paydesk(['orders', 'refund', 'ord_1', '--yes'], { home, env });
    expect(ran.code).toBe(3);
    expect(server.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('every question says the mode', async () => {
    using home = newHome();
    const cases = [
      { mode: 'PRODUCTION', env: production.env, at: 'Type the amount' },
      { mode: 'sandbox', env: desk.env, at: 'Send back .*\\?' },
      { mode: 'simulator', env: { PAYDESK_PROFILE: 'demo' }, at: 'Send back .*\\?' },
    ];
    for (const { mode, env, at } of cases) {
      const terminal = sit(['orders', 'refund'], { home, env: { ...env, NO_COLOR: '1' } }, 120);
      await terminal.answer(`[${mode}] Which order?`, '');
      await terminal.answer('> ', '\r');
      await terminal.answer(new RegExp(`\\[${mode}\\] .*How much\\?`), '\r');
      await terminal.answer(new RegExp(`\\[${mode}\\] .*Why\\?`), '\r');
      await terminal.answer(new RegExp(`\\[${mode}\\] .*Note`), '\r');
      await terminal.answer(new RegExp(`\\[${mode}\\] .*${at}`), '\r');
      expect(await terminal.leaves).toMatchObject({ code: 3 });
    }
  });
});
