/** The words for the buyer: what a support agent pastes into a mail, in English and Spanish, and never more than is known. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { chargeOf, newRefundOf, orderOf, withRefund } from '../harness/orders.ts';
import { newHome, onScreen, paydesk, type RunOptions } from '../harness/paydesk.ts';
import { hangUp, json } from '../harness/server.ts';
import { type Service, startService, storeShop } from '../harness/service.ts';

const id = 'ord_2tQ7zRk9PwE5xNvAm';
const now = '2026-11-21T09:31:40Z';
const refunded = { created_at: Date.parse('2026-11-20T22:30:00Z') / 1000, auth_code: '490215' };
const visa = { object: 'card_payment', type: 'credit', brand: 'visa', last4: '4242', auth_code: '490215' };
const order = withRefund(
  orderOf(id, [{ ...chargeOf('656f1c0e9a2b4d0018c3e5a1', 35_000), payment_method: visa }], {
    customer_info: { object: 'customer_info', name: 'Ana Torres', email: 'ana@example.com' },
    metadata: { shop_order: 'A-10023' },
  }),
  newRefundOf('656f21d79a2b4d0018c40c11', 12_000, refunded),
  12_000,
);

async function shopWith(settings: Readonly<Record<string, string>> = {}, held = order): Promise<Service> {
  const service = await startService({
    orders: [held],
    mode: 'sandbox',
    sendsDate: false,
    onPost: (before = {}, on, { body }) => {
      const { amount = 0 } = JSON.parse(body) as { amount?: number };
      on.orders = [withRefund(before, newRefundOf('656fa9349a2b4d0018c51f07', amount), amount)];
      return json(on.orders[0]);
    },
  });
  await storeShop(service.home, service, { 'time.zone': 'UTC', ...settings });
  return service;
}

function ask({ home }: Service, words: string, more: Partial<RunOptions> = {}) {
  return paydesk(['-p', 'shop', ...words.split(' ')], { home, env: standingAt(now), ...more });
}

describe('the words for the buyer of an order', () => {
  const decimals = { 'amounts.decimals.MXN': '2', 'receipt.days': '10' };

  test('name amount, card, date, what a bank looks for and how long it may take', async () => {
    await using shop = await shopWith(decimals);
    const { code, stdout, stderr } = await ask(shop, `orders show ${id} --for-buyer`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`Hello Ana Torres,

On 20 November 2026 we refunded 120.00 MXN to your Visa card ending in 4242.
If your bank asks, the authorization code of the payment is 490215.
It can take up to 10 days to show on your statement.

Order: A-10023
`);
  });

  test('do not say card twice where the brand does', async () => {
    const method = { ...visa, brand: 'mastercard' };
    const charge = { ...chargeOf('656f1c0e9a2b4d0018c3e5a1', 35_000), payment_method: method };
    const made = newRefundOf('656f21d79a2b4d0018c40c11', 12_000, refunded);
    await using shop = await shopWith(decimals, withRefund(orderOf(id, [charge]), made, 12_000));
    const { stdout } = await ask(shop, `orders show ${id} --for-buyer`);
    expect(stdout).toContain('to your Mastercard ending in 4242.');
  });

  test('are Spanish with --lang es, and no paydesk words are among them in any other language', async () => {
    await using shop = await shopWith(decimals);
    expect((await ask(shop, `orders show ${id} --for-buyer --lang es`)).stdout).toBe(`Hola, Ana Torres:

El 20 de noviembre de 2026 le reembolsamos 120.00 MXN a su tarjeta Visa terminada en 4242.
Si su banco se lo pide, el código de autorización del pago es 490215.
Puede tardar hasta 10 días en aparecer en su estado de cuenta.

Pedido: A-10023
`);
    const french = await ask(shop, `orders show ${id} --for-buyer --lang fr`);
    expect(french).toMatchObject({ code: 2, stdout: '' });
    expect(french.stderr).toMatch(
      /no words for buyers in fr\n.*\nnow: +--lang en: English\n +--lang es: Spanish\n/,
    );
  });

  test('warn whoever pastes them while nobody has said how many decimals the currency has', async () => {
    await using shop = await shopWith();
    const { stdout, stderr } = await ask(shop, `orders show ${id} --for-buyer`);
    expect(stdout).toContain('12000 MXN');
    expect(stderr).toContain('no decimals of MXN are declared');
    expect((await ask(shop, `orders show ${id} --for-buyer --quiet`)).stderr).toBe('');
  });

  test('are one record for scripts', async () => {
    await using shop = await shopWith(decimals);
    const { stdout } = await ask(shop, `orders show ${id} --for-buyer --json`);
    expect(JSON.parse(stdout)).toMatchObject({
      object: 'buyer_text',
      order: id,
      language: 'en',
      text: expect.stringContaining('we refunded 120.00 MXN'),
    });
  });

  test.each([
    ['that was never refunded', orderOf(id, [chargeOf('ch_1', 500)]), 'Nothing has been refunded'],
    [
      'that was only authorized',
      orderOf(id, [chargeOf('ch_1', 500)], { payment_status: 'pre_authorized' }),
      '500 MXN was authorized on your card, but you have not been charged.',
    ],
    ['whose charges are not all shown', { ...order, charges: null }, 'cannot confirm an amount yet'],
    ['whose figures contradict each other', { ...order, amount_refunded: 7 }, 'cannot confirm an amount yet'],
  ])('of an order %s claim nothing', async (_, held, words) => {
    await using shop = await shopWith({}, held);
    const { stdout } = await ask(shop, `orders show ${id} --for-buyer`);
    expect(stdout).toContain(words);
    expect(stdout).not.toMatch(/we refunded/i);
  });

  test('go to the clipboard of the terminal with --copy, cleaned as the screen is', async () => {
    await using shop = await shopWith(decimals, {
      ...order,
      customer_info: { object: 'customer_info', name: 'Ana \u001b]0;x\u0007Torres', email: 'a@example.com' },
    });
    const args = ['-p', 'shop', 'orders', 'show', id, '--for-buyer', '--copy'];
    const { screen } = await onScreen(args, { home: shop.home, env: standingAt(now), columns: 100 });
    const [, copied = ''] = /\u001b\]52;c;([A-Za-z0-9+/=]+)\u0007/.exec(screen) ?? [];
    const text = Buffer.from(copied, 'base64').toString();
    expect(text).toContain('we refunded 120.00 MXN to your Visa card ending in 4242.');
    expect(text).not.toContain('\u001b');
    expect(screen).toContain('copied, if your terminal');
  });

  test.each([
    [['--for-buyer', '--copy'], '--copy needs a terminal'],
    [['--copy'], 'add --for-buyer'],
  ])('%j is refused before anything is read', async (flags, words) => {
    await using shop = await shopWith();
    const { code, stderr } = await ask(shop, ['orders', 'show', id, ...flags].join(' '));
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(shop.requests).toEqual([]);
  });
});

describe('refunds receipt', () => {
  test('is about one refund, by its change, its id, the idempotency key of a script, or its order if that has only one', async () => {
    await using shop = await shopWith({ 'amounts.decimals.MXN': '2' });
    const refund = `orders refund ${id} --amount 300 --yes --idempotency-key ticket-8840`;
    const sent = await ask(shop, refund);
    const [, change = ''] = /words for the buyer: paydesk refunds receipt (i_\w+)/.exec(sent.stdout) ?? [];
    const all = await Promise.all(
      [change, 'ticket-8840', '656fa9349a2b4d0018c51f07', id].map((name) =>
        ask(shop, `refunds receipt ${name}`),
      ),
    );
    for (const { code, stdout } of all) {
      expect(code).toBe(0);
      expect(stdout).toContain('we refunded 3.00 MXN to your Visa card ending in 4242.');
      expect(stdout).not.toContain('120.00');
    }
    expect(shop.posts.length).toBe(1);
  });

  test('of a refund that nobody can confirm says that it is checked', async () => {
    await using lost = await startService({
      orders: [order],
      mode: 'sandbox',
      sendsDate: false,
      onPost: () => hangUp,
    });
    await storeShop(lost.home, lost, { 'time.zone': 'UTC' });
    const key = ['--idempotency-key', 'ticket-1'];
    const sent = await ask(lost, ['orders', 'refund', id, '--amount', '300', '--yes', ...key].join(' '));
    expect(sent.code).toBe(7);
    const { code, stdout } = await ask(lost, 'refunds receipt ticket-1');
    expect(code).toBe(0);
    expect(stdout).toContain('We are checking a refund of 300 MXN to your Visa card ending in 4242.');
    expect(stdout).not.toMatch(/we refunded/i);
  });

  test('an unknown name is not found (5)', async () => {
    using home = newHome();
    const { code, stderr } = await paydesk(['refunds', 'receipt', 'i_0000000a'], { home });
    expect(code).toBe(5);
    expect(stderr).toContain('i_0000000a');
  });
});

describe('receipt.template', () => {
  function templateIn({ home }: Service, text: string): string {
    const path = join(home.path, 'receipt.txt');
    writeFileSync(path, text);
    return path;
  }

  test('is the shop’s own text for a refund that was made, and for no other', async () => {
    await using shop = await shopWith({ 'amounts.decimals.MXN': '2', 'receipt.days': '5' });
    const path = templateIn(
      shop,
      'Good news! {amount} went to {card} on {date}.\nCode {auth}, {days} days.\n',
    );
    expect((await ask(shop, `profile set shop receipt.template ${path}`)).code).toBe(0);
    expect((await ask(shop, `orders show ${id} --for-buyer`)).stdout).toContain(
      'Good news! 120.00 MXN went to your Visa card ending in 4242 on 20 November 2026.\nCode 490215, 5 days.\n',
    );
    const pending = withRefund(
      orderOf(id, [{ ...chargeOf('656f1c0e9a2b4d0018c3e5a1', 35_000), payment_method: visa }]),
      newRefundOf('656f21d79a2b4d0018c40c11', 12_000, { ...refunded, status: 'pending' }),
      0,
    );
    shop.orders = [pending];
    const { stdout } = await ask(shop, `orders show ${id} --for-buyer`);
    expect(stdout).toContain('is under way');
    expect(stdout).not.toContain('Good news');
  });

  test.each([
    ['Hello {buyer}, {amount}', '{amount}, {card}'],
    ['You got your money back.', '{amount}'],
  ])('%j is refused when it is set', async (text) => {
    await using shop = await shopWith();
    const path = templateIn(shop, text);
    const { code, stderr } = await ask(shop, `profile set shop receipt.template ${path}`);
    expect(code).toBe(2);
    expect(stderr).toContain('{amount}');
    expect((await ask(shop, 'profile show shop --json')).stdout).not.toContain(text);
  });
});

test('what a person must know first comes with a command for the profile that was named', async () => {
  using home = newHome();
  const ofDemo = async (words: string, env = {}) =>
    paydesk(['-p', 'demo', ...words.split(' ')], { home, env });
  await ofDemo(`orders refund ${id} --charge 1 --amount 500 --yes`, { PAYDESK_DEMO_FAULT: 'drop' });
  const { stderr } = await ofDemo(`orders show ${id} --for-buyer`);
  expect(stderr).toContain(`unconfirmed: paydesk -p demo orders show ${id}`);
});
