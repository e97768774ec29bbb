/** Redaction: personal data of orders is searched for in every output and every exported file, plain and in five encodings. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { createRedaction } from '../../src/terminal/redaction.ts';
import { chargeOf, type Json, orderOf, refundedWhole, refundOf } from '../harness/orders.ts';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { newPolicy } from '../harness/policy.ts';
import { json } from '../harness/server.ts';
import { startService, storeShop } from '../harness/service.ts';
import { unzip } from '../harness/workbook.ts';

const isRoot = process.getuid?.() === 0;

const letters = 'bcdfghjklmnpqrstvwxz';
/** A word that stands nowhere else, made of a number. */
const wordOf = (seed: number): string =>
  `Qu${Array.from(String(seed * 7919 + 104_729), (digit) => `${letters[Number(digit)] ?? 'b'}a`).join('')}`;

interface Person {
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly street: string;
  readonly card: string;
}

const personOf = (at: number): Person => ({
  name: `${wordOf(at)} ${wordOf(at + 1000)}`,
  email: `${wordOf(at + 2000).toLowerCase()}@mail.example`,
  phone: `+52 55 ${String(40_000_000 + at * 7331)}`,
  street: `Calle ${wordOf(at + 3000)} ${at + 1}`,
  card: String(7000 + at),
});

const orderWith = (at: number): Json => {
  // The eighth is a twin of the seventh.
  const { name, email, phone, street, card } = personOf(at === 8 ? 7 : at);
  const charge = chargeOf(`ch_${at}`, 35_000, {
    payment_method: { object: 'card_payment', type: 'card', name, last4: card, brand: 'visa' },
    ...(at % 7 === 3
      ? { refunds: { object: 'list', data: [refundOf(`rf_${at}`, 500)], has_more: false } }
      : {}),
  });
  return orderOf(`ord_${at}`, [charge], {
    customer_info: { object: 'customer_info', customer_id: `cus_${at === 8 ? 7 : at}`, name, email, phone },
    shipping_contact: {
      receiver: name,
      phone,
      address: { street1: street, city: wordOf(at + 4000), postal_code: '06700' },
    },
    metadata: { shop_order: `A-${at}`, gift_for: name },
    ...(at % 7 === 3 ? { amount_refunded: 500, payment_status: 'partially_refunded' } : {}),
  });
};

const people = Array.from({ length: 500 }, (_, at) => personOf(at));
const service = await startService({
  orders: people.map((_, at) => orderWith(at)),
  onPost: (order = {}) => json(refundedWhole(order)),
});
await storeShop(service.home, service);
afterAll(() => service[Symbol.asyncDispose]());

/** A text plain and in five encodings: base64, hex, percent, the escapes of JSON, entities of HTML. */
function formsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const units = Array.from(text, (letter) => letter.charCodeAt(0));
  return [
    text,
    bytes.toString('base64').replace(/=+$/, '').slice(0, -1),
    bytes.toString('hex'),
    encodeURIComponent(text) === text ? text : encodeURIComponent(text),
    units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join(''),
    units.map((unit) => `&#${unit};`).join(''),
  ];
}

/** What of these people stands in a text, a card only as a card is written. */
function foundIn(text: string, whom: readonly Person[] = people): readonly string[] {
  return whom.flatMap(({ name, email, phone, street, card }) => {
    const parts = [...name.split(' '), email, phone, street];
    const asCard = new RegExp(`\\*${card}\\b|"${card}"|ending in ${card}\\b|last4\\S* ${card}\\b`);
    return [
      ...parts.filter((part) => formsOf(part).some((form) => text.includes(form))),
      ...(asCard.test(text) ? [card] : []),
    ];
  });
}

// What a person reads who opens the file.
function contentOf(name: string, bytes: Buffer): string {
  if (name.endsWith('.gz')) return gunzipSync(bytes).toString();
  return name.endsWith('.xlsx') ? [...unzip(bytes).values()].join('\n') : bytes.toString();
}

const run = (home: Home, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  paydesk(['-p', 'shop', ...args], { home, env: { TZ: 'UTC', ...env } });

const seventh = personOf(7);
const reads: readonly (readonly string[])[] = [
  ['orders', 'list', '--limit', '30'],
  ['orders', 'list', '--limit', '30', '-o', 'list'],
  ['orders', 'list', '--limit', '30', '--json'],
  ['orders', 'list', '--limit', '30', '--ndjson'],
  ['orders', 'list', '--limit', '30', '--csv'],
  ['orders', 'list', '--columns', 'id,buyer,email,card,customer_info.phone,metadata.gift_for'],
  ['orders', 'show', 'ord_3'],
  ['orders', 'show', 'ord_3', '--json'],
  ['orders', 'show', 'ord_3', '-o', 'list'],
  ['orders', 'show', 'ord_3', '--csv'],
  ['orders', 'find', seventh.name.split(' ')[0] ?? ''].slice(0, 2).concat('A-7'),
  ['orders', 'find', 'A-7', '--json'],
  ['orders', 'refund', 'ord_3', '--dry-run'],
  ['orders', 'refund', 'ord_4', '--dry-run', '--json'],
  ['orders', 'twins', '--period', '2020-01-01..2041-01-01'],
  ['orders', 'summary', '--period', '2020-01-01..2041-01-01', '--by', 'brand'],
  ['orders', 'waiting'],
  ['orders', 'export', '--csv'],
  ['orders', 'export', '--rows', 'charges', '--csv'],
  ['orders', 'export', '--rows', 'refunds', '--ndjson'],
  ['refunds', 'list', '--period', '2020-01-01..2041-01-01'],
  ['refunds', 'list', '--period', '2020-01-01..2041-01-01', '--json'],
  ['refunds', 'list', '--period', '2020-01-01..2041-01-01', '--columns', 'order_id,buyer,email,card'],
  ['refunds', 'summary', '--period', '2020-01-01..2041-01-01'],
  ['today'],
  ['today', '--json'],
  ['api', 'GET', 'orders', '--field', 'limit=5'],
  ['api', 'GET', 'orders', '--field', 'limit=5', '--json'],
  ['api', 'GET', 'orders', '--field', 'limit=5', '--include'],
];

describe('under --redact nothing of 500 buyers is in what is printed', () => {
  test.each(reads.map((line) => [line.join(' '), line] as const))('%s', async (_, line) => {
    const { code, stdout, stderr } = await run(service.home, [...line, '--redact']);
    expect(code, stderr).toBe(0);
    expect(stdout).not.toBe('');
    expect(foundIn(stdout + stderr)).toEqual([]);
  });

  test.each([
    ['a variable', [], { PAYDESK_REDACT: '1' }],
    ['--debug, of stderr', ['--debug'], {}],
  ])('with %s', async (what, flags, env) => {
    const { stdout, stderr } = await run(service.home, ['orders', 'show', 'ord_9', ...flags], env);
    expect(foundIn(what.startsWith('--debug') ? stderr : stdout + stderr)).toEqual([]);
  });

  test('with a setting of the profile', async () => {
    await using other = await startService({ orders: [orderWith(1)] });
    await storeShop(other.home, other, { redact: 'on' });
    const { stdout } = await run(other.home, ['orders', 'show', 'ord_1']);
    expect(stdout).toContain('ord_1');
    expect(foundIn(stdout)).toEqual([]);
  });

  test.skipIf(!isRoot)('with the policy of the machine, whatever flag and profile say', async () => {
    using machine = newPolicy({ redact: 'on' });
    const { machineFile } = machine;
    const env = { TZ: 'UTC', PAYDESK_REDACT: '0' };
    const shown = await paydesk(['-p', 'shop', 'orders', 'show', 'ord_1'], {
      home: service.home,
      env,
      machineFile,
    });
    expect(shown.stdout).toContain('ord_1');
    expect(foundIn(shown.stdout)).toEqual([]);
  });

  test('in the picker, the preview and the result of a refund; what is sent is not masked', async () => {
    await using other = await startService({
      orders: Array.from({ length: 12 }, (_, at) => orderWith(at)),
      onPost: (order = {}) => json(refundedWhole(order)),
    });
    await storeShop(other.home, other);
    const note = `asked by ${personOf(2).name}`;
    const person = sit(['-p', 'shop', 'orders', 'refund', '--redact', '--reason', 'other', '--note', note], {
      home: other.home,
      env: { TZ: 'UTC' },
    });
    await person.waitFor('ord_0');
    person.type('ord_2\r');
    await person.answer('How much?', '\r');
    await person.answer('Send it?', 'y\r');
    const { code, screen } = await person.leaves;
    expect(code, screen).toBe(0);
    expect(foundIn(person.transcript + screen)).toEqual([]);
    expect(other.posts).toHaveLength(1);
    for (const line of [
      ['journal', 'list'],
      ['journal', 'list', '--json'],
      ['journal', 'list', '--columns', 'order,note'],
    ]) {
      const ran = await run(other.home, [...line, '--redact']);
      expect(ran.code, ran.stderr).toBe(0);
      expect(foundIn(ran.stdout + ran.stderr)).toEqual([]);
    }
    const kept = await run(other.home, ['journal', 'list', '--json']);
    expect(kept.stdout).toContain(note);
  });

  test('in files: an export has one token for one value, and another run another', async () => {
    using home = newHome();
    await storeShop(home, service);
    const exported = async (name: string) => {
      const ran = await run(home, ['orders', 'export', '--to', name, '--redact']);
      expect(ran.code, ran.stderr).toBe(0);
      expect(ran.stderr).toContain('complete, personal data masked; manifest ');
      const manifest = JSON.parse(readFileSync(join(home.path, `${name}.manifest.json`), 'utf8'));
      expect(manifest.query.redacted).toBe(true);
      return readFileSync(join(home.path, name));
    };
    const text = (await exported('a.ndjson')).toString();
    const first = JSON.parse(text.split('\n')[0] ?? '');
    expect(first.customer_info.name).toBe(first.shipping_contact.receiver);
    expect(first.customer_info.name).toMatch(/^masked-[0-9a-f]{12}$/);
    expect(first.amount).toBe(35_000);
    const again = JSON.parse((await exported('b.ndjson')).toString().split('\n')[0] ?? '');
    expect(again.customer_info.name).not.toBe(first.customer_info.name);
    await exported('c.csv');
    await exported('d.json');
    await exported('e.ndjson.gz');
    await exported('f.xlsx');
    const listed = await run(home, ['orders', 'list', '--limit', '20', '--to', 'g.xlsx', '--redact']);
    expect(listed.code, listed.stderr).toBe(0);
    const report = await run(home, [
      'report',
      '--to',
      'r.html',
      '--names',
      '--period',
      '2020-01-01..2041-01-01',
      '--redact',
    ]);
    expect(report.code, report.stderr).toBe(0);
    const files = readdirSync(home.path, { withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(6);
    for (const { name } of files) {
      const bytes = readFileSync(join(home.path, name));
      expect(foundIn(contentOf(name, bytes)), name).toEqual([]);
    }
  });

  test('the preview of a new order masks what was typed, and sends it as it is', async () => {
    const { name, email } = personOf(3);
    const body = {
      currency: 'MXN',
      customer_info: { name, email, phone: '+5215512345678' },
      line_items: [{ name: 'Mug', unit_price: 100, quantity: 1 }],
    };
    writeFileSync(join(service.home.path, 'body.json'), JSON.stringify(body));
    const tried = await run(service.home, [
      'orders',
      'create',
      '--body',
      'body.json',
      '--dry-run',
      '--redact',
    ]);
    expect(foundIn(tried.stdout + tried.stderr)).toEqual([]);
  });

  test('the words for a buyer are refused', async () => {
    const ran = await run(service.home, ['orders', 'show', 'ord_3', '--for-buyer', '--redact']);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('the words for a buyer hold personal data');
  });
});

test('without it the same search finds them, in each form', async () => {
  const { stdout } = await run(service.home, ['orders', 'show', 'ord_3', '--json']);
  const { name, email, phone, card, street } = personOf(3);
  expect(foundIn(stdout)).toEqual(expect.arrayContaining([...name.split(' '), email, phone, street, card]));
  for (const form of formsOf(email)) expect(foundIn(`x ${form} y`, [personOf(3)])).toContain(email);
});

test('people are initials, and ids, money, states and times stay', () => {
  const redaction = createRedaction(() => true);
  const value = {
    id: '7c61492d85603a6f',
    created_at: 1795812884,
    buyer: 'Ana Torres',
    line_items: { data: [{ name: 'Blue lamp' }] },
    metadata: { shop_order: 'A-10023', who: 'Marta Sol' },
    note: 'for Marta Sol',
    why: 'Ana Torres has another order',
    state: 'made twice',
    strange_text: 'Something Else',
  };
  expect(redaction.record({ value }, 'initials').value).toEqual({
    ...value,
    buyer: 'A. T.',
    metadata: { shop_order: 'A-10023', who: '***' },
    note: '***',
    why: 'A. T. has another order',
    strange_text: '***',
  });
  expect(redaction.text('asked by Ana Torres, +52 55 1234 5678, ana@example.com, visa *4242; Anabel')).toBe(
    'asked by A. T., ***, ***, visa ****; Anabel',
  );
});
