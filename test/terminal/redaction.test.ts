/** Redaction: personal data of orders is searched for in every output and every exported file, plain and in five encodings. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { commands, findCommand } from '../../src/commands/commands.ts';
import { createRedaction } from '../../src/terminal/redaction.ts';
import { chargeOf, customerOf, orderOf, refundedWhole, refundOf } from '../harness/orders.ts';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { newPolicy } from '../harness/policy.ts';
import { lastRecord } from '../harness/ran.ts';
import { json } from '../harness/server.ts';
import { startService, storeShop } from '../harness/service.ts';
import { unzip } from '../harness/workbook.ts';
import { refunding, startLedger } from '../sender/ledger.ts';
import { buyerless, elsewhere, reads } from './redacted-lines.ts';
import { formsOf, foundIn, orderWith, people, personOf } from './redacted-people.ts';

const isRoot = process.getuid?.() === 0;

const service = await startService({
  orders: people.map((_, at) => orderWith(at)),
  customers: people.map(({ name, email, phone }, at) =>
    customerOf(`cus_${at}`, { name, email, phone, custom_reference: `regular ${name}` }),
  ),
  onPost: refunding(),
});
await storeShop(service.home, service);
afterAll(() => service[Symbol.asyncDispose]());

// What a person reads who opens the file.
function contentOf(name: string, bytes: Buffer): string {
  if (name.endsWith('.gz')) return gunzipSync(bytes).toString();
  return name.endsWith('.xlsx') ? [...unzip(bytes).values()].join('\n') : bytes.toString();
}

const run = (home: Home, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  paydesk(['-p', 'shop', ...args], { home, env: { TZ: 'UTC', ...env } });

// What the lines read: a refund with a note in the journal, two files, and a plan.
const note = `asked by ${personOf(5).name}`;
const inHome = (name: string): string => join(service.home.path, name);
writeFileSync(inHome('invoices.csv'), 'order_id,amount\nord_3,35000\nord_5,35000\n');
writeFileSync(inHome('refunds.csv'), `order_id,amount,note\nord_6,1000,${note}\nord_8,1000,${note}\n`);
for (const line of [
  ['orders', 'refund', 'ord_5', '--note', note, '--idempotency-key', 'ticket-5', '--yes'],
  ['refunds', 'plan', 'refunds.csv', '--to', 'refunds.plan'],
]) {
  const { code, stderr } = await run(service.home, line);
  if (code !== 0) throw new Error(stderr);
}

test('every command that changes nothing is searched, or stands with the reason among those that are not', () => {
  const named = [...reads.map((line) => findCommand(line)?.words.join(' ')), ...Object.keys(elsewhere)];
  const all = commands
    .filter(
      ({ changes, isRead, runs }) =>
        changes === 'nothing' || changes === 'machine' || isRead !== undefined || runs !== undefined,
    )
    .map(({ words }) => words.join(' '));
  expect(all.filter((name) => !named.includes(name)).sort()).toEqual(Object.keys(buyerless).sort());
  expect(Object.keys(elsewhere).filter((name) => !all.includes(name))).toEqual([]);
});

describe('under --redact nothing of 500 buyers is in what is printed', () => {
  test.each(reads.map((line) => [line.join(' '), line] as const))('%s', async (_, line) => {
    const { code, stdout, stderr } = await run(service.home, [...line, '--redact']);
    // 8: what is compared differs.
    expect([0, 8], stderr).toContain(code);
    expect(stdout).not.toBe('');
    expect(foundIn(stdout + stderr)).toEqual([]);
  });

  test('what an index finds, by a word of a masked text too', async () => {
    using home = newHome();
    await storeShop(home, service);
    const built = await run(home, ['index', 'build', '--yes', '--redact']);
    expect(built.code, built.stderr).toBe(0);
    for (const words of [
      ['wrapped', 'A-7'],
      ['wrapped', 'A-7', '--json'],
      ['mail.example', 'A-7'],
    ]) {
      const { code, stdout, stderr } = await run(home, ['orders', 'find', ...words, '--redact']);
      expect(code, stderr).toBe(0);
      expect(stdout).toContain('ord_7');
      expect(foundIn(built.stdout + built.stderr + stdout + stderr)).toEqual([]);
    }
  });

  test('the screen of orders browse', async () => {
    const person = sit(['-p', 'shop', 'orders', 'browse', '--redact'], { home: service.home, env: {} });
    await person.answer('q leave', '\r');
    await person.answer('Enter goes back to the orders', '\r');
    await person.answer('q leave', 'q');
    const { code, screen } = await person.leaves;
    expect(code, screen).toBe(0);
    expect(person.transcript).toContain('ord_0');
    expect(foundIn(person.transcript + screen)).toEqual([]);
  });

  test('what waits for a second person', async () => {
    await using ledger = await startLedger({ orders: people.slice(0, 9).map((_, at) => orderWith(at)) });
    const ana = await ledger.sender.desk('ana', 'operator', 'desk-1');
    const lea = await ledger.sender.desk('lea', 'lead', 'desk-2');
    const shop = ['-p', 'shop'];
    const limits = ['sender', 'limits', 'set', 'all', 'MXN', '--max', '100000', '--second', '500', '--yes'];
    expect((await lea.run([...shop, ...limits])).code).toBe(0);
    const refund = ['orders', 'refund', 'ord_5', '--amount', '600', '--note', note, '--yes', '--json'];
    const { approval } = lastRecord((await ana.run([...shop, ...refund])).stderr);
    for (const words of [
      ['list'],
      ['list', '--json'],
      ['show', String(approval)],
      ['show', String(approval), '--json'],
    ]) {
      const { code, stdout, stderr } = await lea.run([...shop, 'approvals', ...words, '--redact']);
      expect(code, stderr).toBe(0);
      expect(stdout).toContain('ord_5');
      expect(foundIn(stdout + stderr)).toEqual([]);
    }
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

  test('a variable that is off counts before the setting, and a word that is neither is refused (2)', async () => {
    await using other = await startService({ orders: [orderWith(1)] });
    await storeShop(other.home, other, { redact: 'on' });
    const show = (value: string, more = {}) =>
      run(other.home, ['orders', 'show', 'ord_1'], { PAYDESK_REDACT: value, ...more });
    expect(foundIn((await show('off')).stdout)).not.toEqual([]);
    expect(foundIn((await show('on')).stdout)).toEqual([]);
    expect(foundIn((await show('off', { PAYDESK_AGENT: 'helper' })).stdout)).toEqual([]);
    expect(await run(other.home, ['orders', 'show', 'ord_1', '--redact=off'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--redact takes no value: add it as it is, or leave it out'),
    });
    expect(await show('maybe')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('PAYDESK_REDACT maybe: not one of 1, on, true, yes, 0, off, false, no'),
    });
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
    const person = sit(['-p', 'shop', 'orders', 'refund', '--redact', '--reason', 'other', '--note', note], {
      home: other.home,
      env: { TZ: 'UTC' },
    });
    await person.waitFor('ord_0');
    person.type('ord_2\r');
    await person.answer('How much?', '\r');
    await person.answer(/Send back .*\?/, 'y\r');
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

  test('in files: what was typed to find a buyer, in the manifest and on the second sheet', async () => {
    using home = newHome();
    await storeShop(home, service);
    const { name, email } = personOf(5);
    for (const words of [
      ['export', '--customer', email, '--to', 'a.ndjson'],
      ['export', '--customer', 'cus_5', '--to', 'b.xlsx'],
      ['find', name, '--since', '400d', '--to', 'c.xlsx'],
    ]) {
      const ran = await run(home, ['orders', ...words, '--redact']);
      expect([0, 4], ran.stderr).toContain(ran.code);
    }
    const files = readdirSync(home.path, { withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      const content = contentOf(file.name, readFileSync(join(home.path, file.name)));
      expect(foundIn(content), file.name).toEqual([]);
      expect(content).not.toContain('--customer cus_5');
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
    for (const line of [
      ['orders', 'show', 'ord_3', '--for-buyer'],
      ['refunds', 'receipt', 'ticket-5'],
    ]) {
      const { code, stdout, stderr } = await run(service.home, [...line, '--redact']);
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toContain('the words for a buyer hold personal data');
      expect(foundIn(stderr)).toEqual([]);
    }
  });
});

test('without it the same search finds them, in each form', async () => {
  const { stdout } = await run(service.home, ['orders', 'show', 'ord_3', '--json']);
  const { name, email, phone, card, street } = personOf(3);
  expect(foundIn(stdout)).toEqual(expect.arrayContaining([...name.split(' '), email, phone, street, card]));
  for (const form of formsOf(email)) expect(foundIn(`x ${form} y`)).toContain(email);
});

describe('what a shop puts into fields of its own', () => {
  // Each of these words stands nowhere else.
  const planted = [
    '612345678',
    'QEXX800101',
    '5599887766',
    'Xochitl Quetzal',
    'itzel',
    'Morelia',
    'tlayacapan',
    '19.4326',
    'Tlaloc_Perez_77',
    'Pago de Quetzalli',
    'ring at Onix',
    '646180111812345678',
    'call Itzcoatl',
  ];
  const order = {
    ...orderOf(
      'ord_77',
      [
        chargeOf('ch_77', 35_000, {
          description: 'Pago de Quetzalli',
          refunds: { object: 'list', data: [refundOf('rf_77', 500)], has_more: false },
        }),
      ],
      {
        metadata: {
          shop_order: 'A-77',
          phone: '612345678',
          curp: 'QEXX800101',
          msisdn: 5_599_887_766,
          'Xochitl Quetzal': 'x',
          driver: 'itzel',
        },
        contact: { tel: 5_599_887_766 },
        shipping_contact: {
          receiver: 'Ana Torres',
          address: { street1: 'x', state: 'Morelia', neighborhood: 'tlayacapan', country: 'MX' },
        },
        antifraud_info: { pickup_latlon: '19.4326', driver_id: 'Tlaloc_Perez_77' },
        amount_refunded: 500,
        payment_status: 'partially_refunded',
      },
    ),
    line_items: {
      object: 'list',
      data: [{ name: 'Mug', description: 'ring at Onix', unit_price: 35_000, quantity: 1 }],
    },
  };
  const customer = customerOf('cus_77', {
    name: 'Ana Torres',
    payment_sources: {
      object: 'list',
      data: [{ id: 'src_1', type: 'spei_recurrent', reference: '646180111812345678' }],
    },
  });
  const refund = ['orders', 'refund', 'ord_77', '--amount', '100', '--yes'];
  const lines = [
    ['orders', 'show', 'ord_77'],
    ['orders', 'show', 'ord_77', '--json'],
    ['orders', 'list', '--columns', 'id,note'],
    ['orders', 'list', '--columns', 'id,note,metadata.phone,metadata.curp', '--csv'],
    ['orders', 'list', '--ndjson'],
    ['orders', 'export'],
    ['orders', 'find', 'A-77'],
    ['api', 'GET', 'orders'],
    ['customers', 'show', 'cus_77'],
    ['customers', 'show', 'cus_77', '--json'],
    [...refund, '--dry-run', '--note', 'call Itzcoatl', '--again', 'rf_77'],
  ];

  test('is masked, as text, figure or name of a field; ids, money and the shop’s own number stay', async () => {
    await using own = await startService({ orders: [order], customers: [customer], onPost: refunding() });
    await storeShop(own.home, own);
    const sent = await run(own.home, [...refund, '--note', 'call Itzcoatl']);
    expect(sent.code, sent.stderr).toBe(0);
    for (const line of lines) {
      const { stdout, stderr } = await run(own.home, [...line, '--redact']);
      expect(stdout + stderr, line.join(' ')).toMatch(/ord_77|cus_77|ch_77/);
      expect(
        planted.filter((word) => (stdout + stderr).includes(word)),
        line.join(' '),
      ).toEqual([]);
    }
    const shown = await run(own.home, ['orders', 'show', 'ord_77', '--json', '--redact']);
    const { metadata, amount } = JSON.parse(shown.stdout);
    expect([metadata.shop_order, amount]).toEqual(['A-77', 35_000]);
    const reply = await run(own.home, ['api', 'GET', 'orders', '--redact']);
    expect(JSON.parse(reply.stdout).data).toMatchObject([{ id: 'ord_77' }]);
    const exported = await run(own.home, ['orders', 'export', '--redact']);
    const { metadata: exportedMetadata } = JSON.parse(exported.stdout);
    expect(exportedMetadata.shop_order).toBe('A-77');
    for (const [key, value] of Object.entries(exportedMetadata).slice(1))
      expect(`${key} ${String(value)}`).toMatch(/^masked-[0-9a-f]{12} masked-[0-9a-f]{12}$/);
    // Without it all of them are there.
    const plain = await run(own.home, ['orders', 'show', 'ord_77', '--json']);
    expect(planted.filter((word) => plain.stdout.includes(word))).toHaveLength(planted.length - 2);
  });
});

test('people are initials, and ids, money, states and times stay', () => {
  const redaction = createRedaction(
    () => true,
    () => ({ reference: ['shop_order'], columns: [] }),
  );
  const value = {
    id: '7c61492d85603a6f',
    created_at: 1795812884,
    buyer: 'Ana Torres',
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
