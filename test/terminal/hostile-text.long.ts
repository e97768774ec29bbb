/** More than 2,000 hostile strings in every text field of a service, on every screen for people, in a real terminal: none of their signs comes through. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chargeOf, customerOf, errorBody, type Json, listOf, orderOf, refundOf } from '../harness/orders.ts';
import { bin, cleanEnv } from '../harness/paydesk.ts';
import { type Pty, runInPty, withoutEscapes } from '../harness/pty.ts';
import { json } from '../harness/server.ts';
import { type Service, startAnswering, startService } from '../harness/service.ts';
import { attacks, rawAttack } from './attacks.ts';

// Each has a number before it, so that it is found again on a screen; 40 of them are one text.
const numbered = attacks.slice(0, -1).map((attack, index) => `<${index}>${attack}`);
const texts = Array.from({ length: Math.ceil(numbered.length / 40) }, (_, index) =>
  numbered.slice(index * 40, index * 40 + 40).join(' '),
);

function evilOrder(text: string, index: number): Json {
  const refund = refundOf(`rf_${index}`, 100, {
    status: text,
    auth_code: text,
    reason: text,
    note: text,
    [text]: text,
  });
  const charge = chargeOf(`ch_${index}`, 35_000, {
    status: text,
    description: text,
    failure_message: text,
    failure_code: text,
    auth_code: text,
    payment_method: { type: text, last4: text, brand: text, name: text, reference: text },
    refunds: listOf(refund),
  });
  return orderOf(`ord_${index}`, [charge], {
    amount_refunded: 100,
    payment_status: index % 2 === 0 ? 'paid' : text,
    channel: text,
    metadata: { [text]: text, shop_order: text },
    customer_info: { name: text, email: text, phone: text, customer_id: text },
    line_items: listOf({
      id: text,
      name: text,
      unit_price: 35_000,
      quantity: 1,
      sku: text,
      description: text,
    }),
    shipping_contact: { receiver: text, address: { street1: text } },
    [text]: text,
  });
}

const evilCustomer = (text: string, index: number): Json =>
  customerOf(`cus_${index}`, {
    name: text,
    email: text,
    phone: text,
    custom_reference: text,
    metadata: { [text]: text },
  });

const orders = texts.map(evilOrder);
/** Orders that can be refunded. */
const payable = texts.map((text, index) =>
  orderOf(
    `ord_${index}`,
    [chargeOf(`ch_${index}`, 35_000, { payment_method: { type: text, last4: text, brand: text } })],
    {
      customer_info: { name: text, email: text, phone: text },
      channel: text,
      metadata: { [text]: text, shop_order: text },
      line_items: listOf({ id: text, name: text, unit_price: 35_000, quantity: 1, sku: text }),
    },
  ),
);
const customers = texts.map(evilCustomer);

/** On a terminal, without what paydesk itself writes there: the line of progress, and ends of lines. */
async function screenOf(
  { home, env }: Service,
  words: string,
  columns: number,
  answers?: (pty: Pty) => Promise<void>,
) {
  const pty = runInPty(process.execPath, [bin, ...words.split(' ')], {
    cwd: home.path,
    env: cleanEnv({ home, env: { ...env, NO_COLOR: '1', TZ: 'UTC' } }),
    columns,
    rows: 500,
  });
  await answers?.(pty);
  const { transcript } = await pty.end;
  return transcript.replaceAll(/\r([\w:, ]*)\x1b\[K/g, '$1').replaceAll('\r\n', '\n');
}

/** The numbers of the strings that stand on a screen, after none of their signs was found there. */
function shownOn(screen: string, words: string): readonly string[] {
  const at = screen.search(rawAttack);
  expect(at < 0 ? '' : JSON.stringify(screen.slice(Math.max(0, at - 40), at + 40)), words).toBe('');
  return screen.match(/(?<=<)\d+(?=>)/g) ?? [];
}

test('there are more than 2,000', () => {
  expect(numbered.length).toBeGreaterThan(2000);
});

const period = '--period 2020-01-01..2041-01-01';

// How many of them are on the screen: a table cuts a cell, and not every screen has a text of every order.
test.each([
  ['orders list --all', 1900],
  ['orders list --all -o list', 2000],
  ['orders list --all --columns id,channel,buyer,email,metadata', 1900],
  ['orders list --all --debug', 1900],
  ['orders find <', 2000],
  [`orders summary ${period} --by method`, 2000],
  [`refunds list ${period}`, 2000],
  [`refunds list ${period} -o list`, 2000],
  [`refunds summary ${period} --by brand`, 2000],
  [`refunds compare file.csv ${period}`, 0],
  [`orders compare file.csv ${period}`, 0],
  ['refunds plan notes.csv --to x.plan', 50],
  ['customers list --all', 2000],
  ['customers list --all -o list', 2000],
  ['customers find <', 2000],
  ['today', 0],
  ['api GET orders', 700],
  ['api GET customers -o list', 700],
] as const)('paydesk %s', async (words, least) => {
  await using service = await startService({ orders, customers });
  const file = (name: string, lines: readonly string[]) =>
    writeFileSync(join(service.home.path, name), lines.join('\n'));
  file('file.csv', ['order_id,amount', ...texts.map((_, index) => `ord_${index},100`), '']);
  const quoted = texts.map((text) => `"${text.replaceAll('"', '""')}"`);
  file('notes.csv', ['order_id,amount,note', ...quoted.map((text, index) => `ord_${index},100,${text}`), '']);
  expect(new Set(shownOn(await screenOf(service, words, 4000), words)).size).toBeGreaterThanOrEqual(least);
});

test.each([
  'orders show ord_',
  'orders show ord_ -o list',
  'customers show cus_',
  'orders refund ord_ --dry-run',
])('paydesk %s, each of them', async (words) => {
  await using service = await startService({
    orders: words.includes('refund') ? payable : orders,
    customers,
  });
  const shown = new Set<string>();
  for (const index of texts.keys()) {
    const line = words.replace('_', `_${index}`);
    for (const number of shownOn(await screenOf(service, line, 200), line)) shown.add(number);
  }
  expect(shown.size).toBeGreaterThan(2000);
});

test('the question before a refund', async () => {
  await using service = await startService({ orders: payable });
  const shown = new Set<string>();
  for (const index of texts.keys()) {
    const words = `orders refund ord_${index} --reason other --note n`;
    const screen = await screenOf(service, words, 200, (pty) => pty.answer(/Send back .*\?/, '\x03'));
    // A prompt moves the cursor, as any does: nothing else is an escape.
    for (const number of shownOn(withoutEscapes(screen).replaceAll('\r', ''), words)) shown.add(number);
    expect(screen).not.toMatch(/\x1b[\]P_]|\x07/);
  }
  expect(service.posts).toEqual([]);
  expect(shown.size).toBeGreaterThan(2000);
});

test('an error of the service with all of them', async () => {
  const details = texts.map((text) => ({ message: text, code: text, param: text, debug_message: text }));
  await using service = await startAnswering(
    json({ ...errorBody({ type: texts[0], log_id: texts[1] }), details }, 422),
  );
  const words = 'orders list';
  expect(new Set(shownOn(await screenOf(service, words, 200), words)).size).toBeGreaterThan(40);
});
