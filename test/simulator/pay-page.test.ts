/** The page at the link of a checkout: somebody pays with a test card or is declined, and the order then is what the service's document says. */

import { afterEach, expect, test } from 'vitest';
import { createSimulatorControl, type RunningSimulator } from '../../src/simulator/simulator.ts';
import { isLong } from '../harness/long.ts';
import { payInBrowser } from '../reports/browser.ts';

const nowMs = 1_790_000_000_000;
let clockMs = nowMs;
const running: RunningSimulator[] = [];
afterEach(async () => {
  clockMs = nowMs;
  await Promise.all(running.splice(0).map((serving) => serving.close()));
});

async function startDesk() {
  const control = createSimulatorControl({ folder: '/nowhere', cwd: () => '/', now: () => clockMs });
  const serving = await control.serve({ orders: 3 });
  running.push(serving);
  const headers = { authorization: `Bearer ${serving.key}`, 'content-type': 'application/json' };
  const call = async (path: string, body?: object) => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const reply = await fetch(`${serving.url}/${path}`, { headers, ...init });
    return (await reply.json()) as Order & Link;
  };
  return { serving, call };
}

interface Order {
  readonly id: string;
  readonly amount: number;
  readonly payment_status?: string;
  readonly is_refundable: boolean;
  readonly checkout: { readonly url: string };
  readonly charges?: { readonly data: readonly Readonly<Record<string, unknown>>[] };
  readonly data: readonly Order[];
}

interface Link {
  readonly url: string;
}

const lines = { currency: 'MXN', line_items: [{ name: 'Lamp', unit_price: 20000, quantity: 2 }] };
const hosted = (more: object = {}) => ({
  ...lines,
  checkout: { type: 'HostedPayment', allowed_payment_methods: ['card'], ...more },
});

async function pay(url: string, card: string, headers: Record<string, string> = {}) {
  return await fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ card }),
    headers: { origin: new URL(url).origin, ...headers },
    redirect: 'manual',
  });
}

test('an order is paid with the test card, once, and can be refunded', async () => {
  const { serving, call } = await startDesk();
  const { id, checkout } = await call('orders', hosted());
  expect(checkout.url).toMatch(new RegExp(`^${serving.url}/checkout/[0-9a-f]{12}$`));
  expect(await (await fetch(checkout.url)).text()).toContain('<button>Pay 40000 MXN</button>');

  const paid = await pay(checkout.url, '4242');
  expect([paid.status, paid.headers.get('location')]).toEqual([303, new URL(checkout.url).pathname]);
  await pay(checkout.url, '4242');

  const order = await call(`orders/${id}`);
  expect(order).toMatchObject({ payment_status: 'paid', is_refundable: true, amount: 40000 });
  expect(order.charges?.data).toMatchObject([
    { status: 'paid', amount: 40000, is_refundable: true, order_id: id, refunds: null },
  ]);
  expect(await (await fetch(checkout.url)).text()).toContain('This order is paid.');
  expect(await call(`orders/${id}/refunds`, {})).toMatchObject({ payment_status: 'refunded' });
});

test('a declined card leaves the order unpaid, with a charge that says why, and it can be tried again', async () => {
  const { call } = await startDesk();
  const { id, checkout } = await call('orders', hosted());
  const declined = await pay(checkout.url, '0002');
  const after = await fetch(new URL(declined.headers.get('location') ?? '', checkout.url));
  expect(await after.text()).toContain('<p role="alert">The card was declined: insufficient funds.');

  const order = await call(`orders/${id}`);
  expect(order.payment_status).toBeUndefined();
  expect(order.is_refundable).toBe(false);
  expect(order.charges?.data).toMatchObject([{ status: 'declined', failure_code: 'insufficient_funds' }]);

  await pay(checkout.url, '4242');
  expect(await call(`orders/${id}`)).toMatchObject({ payment_status: 'paid', is_refundable: true });
});

test('an expired checkout cannot be paid', async () => {
  const { call } = await startDesk();
  const { id, checkout } = await call('orders', hosted({ expires_at: nowMs / 1000 + 60 }));
  clockMs += 61_000;
  const [seen, tried] = [await fetch(checkout.url), await pay(checkout.url, '4242')];
  expect([seen.status, tried.status]).toEqual([410, 410]);
  const text = await seen.text();
  expect(text).toContain('has expired');
  expect(text).not.toContain('<form');
  expect((await call(`orders/${id}`)).charges).toBeUndefined();
});

test('a payment link makes its order when it is paid, and a second time only if it is recurrent', async () => {
  const { call } = await startDesk();
  const body = (recurrent: boolean) => ({
    name: 'Lamp',
    type: 'PaymentLink',
    recurrent,
    allowed_payment_methods: ['card'],
    expired_at: nowMs / 1000 + 600,
    needs_shipping_contact: false,
    order_template: { ...lines, customer_info: { name: 'Ana', email: 'a@example.com', phone: '1' } },
  });
  const [once, often] = [await call('checkouts', body(false)), await call('checkouts', body(true))];
  for (const { url } of [once, often]) {
    await pay(url, '0002');
    await pay(url, '4242');
    await pay(url, '4242');
  }
  const { data } = await call('orders?limit=10');
  const made = data.filter(({ amount }) => amount === 40000);
  expect(made.map(({ payment_status: status }) => status)).toEqual(['paid', 'paid', 'paid']);
  expect(made[0]).toMatchObject({ customer_info: { name: 'Ana', email: 'a@example.com' } });
});

test('success and failure lead to the shop, if it has a web address, and nowhere else', async () => {
  const { call } = await startDesk();
  const shop = { success_url: 'https://shop.example/thanks', failure_url: 'javascript:alert(1)' };
  const { checkout } = await call('orders', hosted(shop));
  const page = await fetch(checkout.url);
  expect(page.headers.get('content-security-policy')).toMatch(/form-action 'self' https:\/\/shop\.example$/);
  const failed = await pay(checkout.url, '0002');
  expect(failed.headers.get('location')).toBe(`${new URL(checkout.url).pathname}?declined`);
  expect((await pay(checkout.url, '4242')).headers.get('location')).toBe('https://shop.example/thanks');
});

test('nothing of a name is markup, and the page has no scripts', async () => {
  const { call } = await startDesk();
  const evil = '<script>alert(1)</script>"\'&';
  const { checkout } = await call('orders', {
    currency: 'MXN',
    line_items: [{ name: evil, unit_price: 1, quantity: 1 }],
    checkout: { type: 'HostedPayment', name: evil, allowed_payment_methods: ['card'] },
  });
  const page = await fetch(checkout.url);
  const text = await page.text();
  expect(text).not.toContain('<script');
  expect(text.match(/&lt;script&gt;alert\(1\)&lt;\/script&gt;&quot;&#39;&amp;/g)).toHaveLength(2);
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'unsafe-inline'/,
  );
});

test('another page cannot pay, no other card is taken, and an unknown address is none', async () => {
  const { serving, call } = await startDesk();
  const { id, checkout } = await call('orders', hosted());
  expect((await pay(checkout.url, '4242', { origin: 'https://elsewhere.example' })).status).toBe(403);
  expect((await fetch(`${serving.url}/checkout/000000000000`)).status).toBe(404);
  expect((await call(`orders/${id}`)).charges).toBeUndefined();
  const cash = await call('orders', hosted({ allowed_payment_methods: ['cash'] }));
  await pay(cash.checkout.url, '4242');
  expect((await call(`orders/${cash.id}`)).charges).toBeUndefined();
});

if (isLong) {
  test('in Chromium: paid, declined and expired, light and dark; axe finds nothing', async () => {
    const { call } = await startDesk();
    const past = await call('orders', hosted({ expires_at: nowMs / 1000 + 60 }));
    clockMs += 61_000;
    const one = await call('orders', hosted({ name: 'Two lamps' }));
    const two = await call('orders', hosted({ name: 'Two lamps' }));
    const shown = {
      ...(await payInBrowser([`paid=${one.checkout.url}:4242`, `declined=${two.checkout.url}:0002`])),
      ...(await payInBrowser([`expired=${past.checkout.url}:look`])),
    };
    const headings = Object.entries(shown).map(([name, { heading }]) => [name, heading]);
    expect(Object.fromEntries(headings)).toEqual({
      'paid light': 'Paid',
      'paid dark': 'Paid',
      'declined light': 'Pay',
      'declined dark': 'Pay',
      'expired light': 'Expired',
      'expired dark': 'Expired',
    });
    expect(shown['declined dark']?.text).toContain('The card was declined: insufficient funds.');
    const all = Object.values(shown);
    expect(all.flatMap(({ findings, elsewhere }) => [...findings, ...elsewhere])).toEqual([]);
    expect(await call(`orders/${one.id}`)).toMatchObject({ payment_status: 'paid' });
    expect((await call(`orders/${two.id}`)).charges?.data).toMatchObject([
      { status: 'declined' },
      { status: 'declined' },
    ]);
  });
}
