/** Redaction: personal data in fields of every kind, documented or not, is in no output, and all of it is there without redaction. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { createRedaction } from '../../src/terminal/redaction.ts';
import { isLong } from '../harness/long.ts';
import { chargeOf, customerOf, errorBody, type Json, orderOf } from '../harness/orders.ts';
import { newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { lastRecord } from '../harness/ran.ts';
import { json } from '../harness/server.ts';
import { startService, storeShop } from '../harness/service.ts';
import { unzip } from '../harness/workbook.ts';
import { agentAt } from '../mcp/agent.ts';
import { refunding } from '../sender/ledger.ts';
import { planted, plantedIn, plantedOrder } from './planted.ts';

const words = 'The buyer Ximena Quiroga (ximena) tel 5511110000 RFC XIQU800101 has no card';
const code = 'service.errors.precondition_required.combo.order.is_not_returnable';
const refusal = errorBody(
  { xiqu: 'ximena', type: 'ximena_error' },
  { message: words, debug_message: 'quiroga', param: 'ximena', code },
);
const made = refunding();
const service = await startService({
  orders: [plantedOrder(71), plantedOrder(72), plantedOrder(73), plantedOrder(74)],
  customers: [
    customerOf('cus_71', {
      name: 'ximena',
      custom_reference: 'quiroga',
      metadata: { quiroga: '5255998877', order_number: '912345678' },
      tax_id: 'XIQU800101',
      payment_sources: {
        object: 'list',
        data: [{ id: 'ximena', type: 'quiroga', reference: '646180111812345678' }],
      },
    }),
  ],
  onPost: (order, ...rest) => (order?.id === 'ord_72' ? json(refusal, 422) : made(order, ...rest)),
});
await storeShop(service.home, service);
afterAll(() => service[Symbol.asyncDispose]());

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  paydesk(['-p', 'shop', ...args], { home: service.home, env: { TZ: 'UTC', ...env } });
const refund = (id: string, ...more: readonly string[]) => [
  'orders',
  'refund',
  id,
  '--amount',
  '100',
  ...more,
];

const titles = 'order_id,amount,telefono,celular,cuenta,Ximena Quiroga,quiroga,customer,phone';
const cells = '5511110000,5255998877,646180111812345678,ximena,quiroga,ximena,5255998877';
writeFileSync(join(service.home.path, 'file.csv'), `${titles}\nord_71,100,${cells}\nord_73,200,${cells}\n`);
for (const [id, expected] of [
  ['ord_71', 0],
  ['ord_72', 5],
] as const) {
  const sent = await run(refund(id, '--note', 'ask ximena', '--yes'));
  if (sent.code !== expected) throw new Error(sent.stderr);
}

const period = ['--period', '2020-01-01..2041-01-01'];
const orders = ['orders', 'list', '--limit', '4'];
const lines = [
  orders,
  [...orders, '-o', 'list'],
  [...orders, '--json'],
  [...orders, '--csv'],
  [
    ...orders,
    '--csv',
    '--columns',
    'id,metadata.telefono,channel,charges,metadata,line_items.1.tags,reference',
  ],
  ['orders', 'show', 'ord_73'],
  ['orders', 'show', 'ord_73', '--json'],
  ['orders', 'show', 'ord_73', '-o', 'list'],
  ['orders', 'show', 'ord_73', '--csv'],
  ['orders', 'find', 'A-73', 'ximena'],
  ['orders', 'find', 'A-73', 'ximena', '--json'],
  ['orders', 'find', '912345678', '--json'],
  ['orders', 'twins', ...period, '--json'],
  ['orders', 'summary', ...period, '--by', 'brand'],
  ['orders', 'summary', ...period, '--by', 'method', '--json'],
  ['orders', 'export'],
  ['orders', 'export', '--csv'],
  ['orders', 'export', '--rows', 'charges', '--csv'],
  ['orders', 'export', '--rows', 'charges', '--ndjson'],
  ['orders', 'export', '--rows', 'refunds', '--csv'],
  ['orders', 'export', '--rows', 'refunds', '--ndjson'],
  ['orders', 'compare', 'file.csv', ...period],
  ['orders', 'compare', 'file.csv', ...period, '--json'],
  ['orders', 'compare', 'file.csv', ...period, '--csv'],
  ['refunds', 'compare', 'file.csv', ...period],
  ['refunds', 'compare', 'file.csv', ...period, '--json'],
  ['refunds', 'compare', 'file.csv', ...period, '--csv'],
  ['refunds', 'list', ...period],
  ['refunds', 'list', ...period, '--json'],
  ['refunds', 'list', ...period, '--csv'],
  ['refunds', 'summary', ...period, '--by', 'brand'],
  ['refunds', 'plan', 'file.csv', '--to', 'file.plan', '--force', '--json'],
  ['customers', 'list'],
  ['customers', 'list', '--csv'],
  ['customers', 'show', 'cus_71'],
  ['customers', 'show', 'cus_71', '--json'],
  ['customers', 'export', '--ndjson'],
  ['journal', 'list'],
  ['journal', 'list', '--json'],
  ['journal', 'show', 'ord_71'],
  ['journal', 'show', 'ord_72'],
  ['journal', 'show', 'ord_72', '--json'],
  ['journal', 'list', '--all', '--csv'],
  ['prove', '2020-01-01..2041-01-01', '--to', 'proof.ndjson', '--force', '--json'],
  ['today'],
  ['today', '--json'],
  ['api', 'GET', 'orders'],
  ['api', 'GET', 'orders', '--include'],
  ['api', 'GET', 'customers', '--csv'],
  ['api', 'GET', 'customers', '-o', 'list'],
  refund('ord_73', '--dry-run'),
  refund('ord_73', '--dry-run', '--json'),
  ['orders', 'refund', 'ord_74', '--dry-run'],
] as const;

describe('under redaction none of it is in what is printed', () => {
  test.each(lines.map((line) => [line.join(' '), line] as const))('%s', async (_, line) => {
    const { code, stdout, stderr } = await run([...line, '--redact']);
    expect([0, 3, 4, 8], stderr).toContain(code);
    expect(plantedIn(`${stdout}${stderr}`.replaceAll(line.join(' '), ''))).toEqual([]);
  });
});

// What a person reads who opens the file.
function contentOf(name: string, bytes: Buffer): string {
  if (name.endsWith('.gz')) return gunzipSync(bytes).toString();
  return name.endsWith('.xlsx') ? [...unzip(bytes).values()].join('\n') : bytes.toString();
}

test('under redaction none of it is in a file', async () => {
  using home = newHome();
  await storeShop(home, service);
  writeFileSync(join(home.path, 'file.csv'), readFileSync(join(service.home.path, 'file.csv')));
  const writing = [
    ['orders', 'export', '--to', 'a.ndjson'],
    ['orders', 'export', '--to', 'b.csv'],
    ['orders', 'export', '--to', 'c.json'],
    ['orders', 'export', '--to', 'd.ndjson.gz'],
    ['orders', 'export', '--to', 'e.xlsx'],
    ['orders', 'export', '--rows', 'refunds', '--to', 'f.xlsx'],
    ['customers', 'export', '--to', 'g.csv'],
    ['orders', 'list', '--limit', '4', '--to', 'h.xlsx'],
    ['orders', 'compare', 'file.csv', ...period, '--to', 'i.xlsx'],
    ['refunds', 'compare', 'file.csv', ...period, '--to', 'j.xlsx'],
    ['report', ...period, '--to', 'k.html', '--names'],
    ['report', ...period, '--to', 'l.html', '--from-file', 'plain.ndjson'],
    ['refunds', 'summary', ...period, '--by', 'brand', '--from-file', 'plain.ndjson', '--to', 'm.xlsx'],
  ];
  const plain = ['-p', 'shop', 'orders', 'export', '--to', 'plain.ndjson'];
  expect((await paydesk(plain, { home, env: {} })).code).toBe(0);
  for (const line of writing) {
    const { code, stderr } = await paydesk(['-p', 'shop', ...line, '--redact'], { home, env: { TZ: 'UTC' } });
    expect([0, 8], stderr).toContain(code);
  }
  const files = readdirSync(home.path).filter((name) => /^[a-m]\./.test(name));
  expect(files.filter((name) => !name.endsWith('.json') || name === 'c.json')).toHaveLength(writing.length);
  for (const name of files)
    expect(plantedIn(contentOf(name, readFileSync(join(home.path, name)))), name).toEqual([]);
});

test('under redaction none of it is on the screen of a refund, in its proof, or in what is said of a file with errors', async () => {
  const sent = await run(refund('ord_74', '--yes', '--redact'));
  expect(sent.code, sent.stderr).toBe(0);
  const proved = await run(['prove', 'ord_74', '--to', 'one.ndjson', '--redact']);
  expect(proved.code, proved.stderr).toBe(0);
  const proof = readFileSync(join(service.home.path, 'one.ndjson'), 'utf8');
  // The rows are as the journal wrote them: their hashes are the proof.
  const [, ...lines] = proof.trimEnd().split('\n');
  const shown = lines.map((line) => JSON.stringify({ ...JSON.parse(line), rows: [] })).join('\n');
  writeFileSync(
    join(service.home.path, 'wrong.csv'),
    `${titles}\nord_71,1x,${cells}\nXimena Quiroga,200,${cells}\n`,
  );
  const wrong = await run(['refunds', 'compare', 'wrong.csv', '--redact']);
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('line 3: order_id ***: '),
  });
  for (const text of [sent.stdout + sent.stderr, shown, wrong.stderr]) expect(plantedIn(text)).toEqual([]);
  for (const line of [
    ['refunds', 'compare', 'wrong.csv', '--errors', 'errors.csv'],
    ['orders', 'compare', 'wrong.csv', '--errors', 'errors.csv'],
    ['refunds', 'plan', 'wrong.csv', '--to', 'x.plan', '--errors', 'errors.csv'],
    ['refunds', 'status', 'file.plan', '--rest', 'errors.csv'],
  ])
    expect(await run([...line, '--redact']), line.join(' ')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('would write rows of the file as they are'),
    });
  expect(existsSync(join(service.home.path, 'errors.csv'))).toBe(false);
});

describe('an error of the service keeps a code and type that are documented, and nothing in its own words', () => {
  const again = refund('ord_72', '--yes', '--redact');
  test.each([
    ['screen', again, {}],
    ['JSON', [...again, '--json'], {}],
    ['debug', [...again, '--debug'], {}],
    ['a narrow screen', again, { PAYDESK_WIDTH: '40' }],
  ] as const)('%s', async (_, line, env) => {
    const ran = await run(line, env);
    const { stdout, stderr } = ran;
    expect(ran.code, stderr).toBe(5);
    expect(plantedIn(stdout + stderr)).toEqual([]);
    expect(stderr.replaceAll(/\s/g, '')).toContain(code);
  });

  test('a code that is not documented is masked, whatever its form', async () => {
    const named = errorBody({}, { code: 'service.errors.ximena.quiroga' });
    await using other = await startService({ onPage: () => json(named, 400) });
    await storeShop(other.home, other);
    const line = ['-p', 'shop', 'orders', 'list', '--redact', '--json'];
    const { stderr } = await paydesk(line, { home: other.home, env: {} });
    expect(plantedIn(stderr)).toEqual([]);
    expect(lastRecord(stderr)).toMatchObject({
      code: '***',
      type: '***',
      http_status: 400,
      log_id: '5f2c81',
    });
  });

  test('an error in a form that the document does not show', async () => {
    await using other = await startService({
      onPage: () => json({ oops: 'ximena', who: { name: 'Ximena Quiroga', tel: 5_511_110_000 } }, 400),
    });
    await storeShop(other.home, other);
    const line = ['-p', 'shop', 'orders', 'list'];
    const masked = await paydesk([...line, '--redact'], { home: other.home, env: {} });
    const plain = await paydesk(line, { home: other.home, env: {} });
    expect([plantedIn(masked.stderr), plantedIn(plain.stderr)]).toEqual([
      [],
      expect.arrayContaining(['ximena']),
    ]);
  });
});

test('an agent reads none of it, over its protocol and in a shell', async () => {
  await using agent = await agentAt({ home: service.home, env: service.env });
  for (const [tool, input] of [
    ['orders_show', { id: 'ord_73' }],
    ['orders_list', { limit: 4 }],
    ['orders_find', { text: ['A-73', 'ximena'] }],
    ['customers_show', { id: 'cus_71' }],
    ['journal_list', {}],
  ] as const) {
    const { text, exit_code: code } = await agent.call(tool, input);
    expect(code, text).toBe(0);
    expect(plantedIn(text), tool).toEqual([]);
  }
  const words = ['paydesk', '-p', 'shop', 'orders', 'refund', ''];
  const tab = await run(['__complete', 'zsh', String(words.length - 1), ...words]);
  expect(plantedIn(tab.stdout)).toEqual([]);
});

test('an agent finds a buyer by whole words, and spells nothing out by their parts', async () => {
  const helper = { PAYDESK_AGENT: 'helper' };
  for (const noun of ['orders', 'customers'])
    for (const [text, whole, part] of [
      ['ximena', 0, 0],
      ['imen', 0, 5],
    ] as const) {
      const by = (env: Readonly<Record<string, string>>) => run([noun, 'find', text, '--json'], env);
      expect([(await by({})).code, (await by(helper)).code], `${noun} ${text}`).toEqual([whole, part]);
    }
  const order = {
    ...plantedOrder(76),
    customer_info: { object: 'customer_info', phone: '+52 55 1234 5678', email: 'zoe@mail.example' },
  };
  await using own = await startService({ orders: [order] });
  await storeShop(own.home, own);
  const codes: unknown[] = [];
  for (const text of ['+52551', '1234567', '5512345678', '+525512345678', 'zoe@', 'zoe@mail.example'])
    codes.push([
      text,
      (await paydesk(['-p', 'shop', 'orders', 'find', text], { home: own.home, env: helper })).code,
    ]);
  expect(codes).toEqual([
    ['+52551', 5],
    ['1234567', 5],
    ['5512345678', 0],
    ['+525512345678', 0],
    ['zoe@', 5],
    ['zoe@mail.example', 0],
  ]);
});

test('an agent sets nothing that shows more, takes no whole journal away or brings one, erases nothing of it, and sets up no sender', async () => {
  const helper = { PAYDESK_AGENT: 'helper' };
  const profile = ['profile', 'set', 'shop'];
  for (const line of [
    [...profile, 'reference.keys', 'telefono'],
    [...profile, 'redact', 'off'],
    [...profile, 'redact', 'default'],
    [...profile, 'agents.personal_data', 'shown'],
    ['journal', 'export', '--to', 'whole.journal'],
    ['journal', 'archive', '--before', '400d', '--to', 'old.journal'],
    ['journal', 'forget', '--before', '400d'],
    ['journal', 'import', 'file.csv'],
    ['sender', 'init'],
    ['sender', 'serve'],
    ['sender', 'migrate'],
  ]) {
    const { code, stderr } = await run([...line, '--yes'], helper);
    expect([code, stderr], line.join(' ')).toEqual([
      3,
      expect.stringContaining('agent helper started this run'),
    ]);
  }
  expect((await run([...profile, 'redact', 'on'], helper)).code).toBe(0);
  expect((await run([...profile, 'redact', 'off'])).code).toBe(0);
  expect(readdirSync(service.home.path).filter((name) => name.endsWith('.journal'))).toEqual([]);
});

test('what paydesk says of itself is not masked', async () => {
  const helper = { PAYDESK_AGENT: 'helper' };
  const removed = await run(['profile', 'remove', 'shop', '--dry-run'], helper);
  const verified = await run(['journal', 'verify'], helper);
  expect(removed.stdout).toContain('would remove profile shop');
  expect(`${removed.stdout}${verified.stdout}`).not.toMatch(/\*\*\*|masked-/);
});

test('without redaction the same lines show every one of it', async () => {
  const found = new Set<string>();
  for (const line of [
    ['orders', 'show', 'ord_73', '--json'],
    ['orders', 'compare', 'file.csv', ...period, '--csv'],
    ['journal', 'show', 'ord_72', '--json'],
  ])
    for (const word of plantedIn((await run(line)).stdout)) found.add(word);
  expect(planted.filter((word) => !found.has(word))).toEqual([]);
});

test('a name of two letters, and an id that is one small word, are in no screen', async () => {
  const names = ['Li', '王明', 'jo', 'LI'];
  const orders = names.map((name, at) => {
    const payment = { object: 'card_payment', type: 'card', name, last4: '4242', brand: 'visa' };
    const charge = chargeOf(`ch_8${at}`, 35_000, { payment_method: payment });
    const buyer = { object: 'customer_info', name };
    return orderOf(`ord_8${at}`, [charge], { customer_info: buyer, shipping_contact: { receiver: name } });
  });
  await using own = await startService({ orders: [...orders, { ...plantedOrder(75), id: 'itzel' }] });
  await storeShop(own.home, own);
  for (const line of [
    ['orders', 'list'],
    ['orders', 'waiting'],
    ...names.flatMap((_, at) => [['orders', 'show', `ord_8${at}`], refund(`ord_8${at}`, '--dry-run')]),
  ]) {
    const { code, stdout, stderr } = await paydesk(['-p', 'shop', ...line, '--redact'], {
      home: own.home,
      env: {},
    });
    expect(code, stderr).toBe(0);
    const words: readonly string[] = (stdout + stderr).match(/[\p{L}\p{N}]+/gu) ?? [];
    expect(
      [...names, 'itzel'].filter((word) => words.includes(word)),
      line.join(' '),
    ).toEqual([]);
  }
});

test('a random order with them anywhere, in new fields too: none comes out', () => {
  const word = fc.constantFrom(...planted);
  const leaf = fc.oneof(word, word.map(Number).filter(Number.isSafeInteger), fc.constant(null), fc.boolean());
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(word, fc.constantFrom('note', 'id', 'state', 'name', 'data')), tie('tree')),
    ),
  }));
  const redaction = createRedaction(
    () => true,
    () => ({ reference: ['order_number'], columns: [] }),
  );
  fc.assert(
    fc.property(fc.nat(), fc.nat(), tree, word, fc.boolean(), (at, form, value, name, isToken) => {
      const order = plantedOrder(75);
      const changed = changedAt(order, at, form % 2 === 0 ? value : { [name]: value });
      const bytes = new TextEncoder().encode('{}');
      const record = { value: changed, ...(form % 3 === 0 ? {} : { bytes }) };
      const shown = redaction.record(record, isToken ? 'token' : 'initials').value;
      expect(plantedIn(JSON.stringify(shown))).toEqual([]);
    }),
    { numRuns: isLong ? 500 : 100 },
  );
});

// The order with another value at one of its places, which are counted.
function changedAt(order: Json, at: number, value: unknown): Json {
  let count = 0;
  JSON.stringify(order, (_, one: unknown) => {
    count += 1;
    return one;
  });
  // The first place is the order itself; its `id` and `object` say what it is.
  const chosen = 1 + (at % (count - 1));
  let seen = -1;
  const changed: unknown = JSON.parse(
    JSON.stringify(order, (name, one: unknown) => {
      seen += 1;
      if (seen !== chosen || name === 'object') return one;
      return typeof one === 'number' ? asTexts(value) : value;
    }),
  );
  return changed as Json;
}

// A figure of a documented field passes, whatever it is.
function asTexts(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, one: unknown) => (typeof one === 'number' ? String(one) : one)),
  );
}
