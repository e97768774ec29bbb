/** `orders compare`: an invoice list beside what was charged. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chargeOf, type Json, listBeforeMore, orderOf, refundOf, withRefund } from '../harness/orders.ts';
import { paydesk } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { type Service, startService, storeShop } from '../harness/service.ts';
import { said as inSheet, readWorkbook } from '../harness/workbook.ts';
import { recordsIn, sumsIn } from '../refunds/refund-service.ts';

const october = 1_790_812_800; // 1 October 2026, UTC
const paid = (name: string, amount: number, at = october, code = `4${name}`): Json =>
  chargeOf(`ch_${name}`, amount, {
    paid_at: at,
    payment_method: { object: 'card_payment', auth_code: code, last4: '4242' },
  });
const order = (name: string, charges: readonly Json[], changes: Json = {}): Json =>
  orderOf(`ord_${name}`, charges, { metadata: { number: `SO-${name}` }, ...changes });

const orders = [
  order('whole', [paid('whole', 1000)]),
  order('less', [paid('less', 900)]),
  order('twice', [paid('twice1', 1000), paid('twice2', 1000)], { amount: 1000 }),
  order('parts', [paid('part1', 400), paid('part2', 600)]),
  order('declined', [chargeOf('ch_declined', 1000, { status: 'declined', paid_at: null })], {
    payment_status: 'declined',
  }),
  order('hidden', [], { amount: 1000, charges: listBeforeMore(paid('hidden', 400)) }),
  order('other', [paid('other', 77)]),
  order('later', [paid('later', 78, october + 40 * 86_400)]),
];

async function startStored(some = orders): Promise<Service> {
  const service = await startService({ orders: some });
  await storeShop(service.home, service, { 'reference.keys': 'number' });
  return service;
}

async function compare(service: Service, lines: readonly string[], ...more: readonly string[]) {
  writeFileSync(join(service.home.path, 'invoices.csv'), `${lines.join('\n')}\n`);
  const words = ['-p', 'shop', 'orders', 'compare', 'invoices.csv', '--json', ...more];
  const ran = await paydesk(words, { home: service.home, env: { TZ: 'UTC' } });
  const data = recordsIn({ ...ran, stdout: ran.stdout || '{"data":[]}' });
  return { ...ran, said: data.map(({ line, verdict, charged }) => [line, verdict, charged]) };
}

test('each row is paid, paid less, twice, in parts, not paid, not shown or not found', async () => {
  await using service = await startStored();
  const ids = ['whole', 'less', 'twice', 'parts', 'declined', 'hidden', 'nobody'];
  const ran = await compare(service, ['order_id,amount', ...ids.map((id) => `ord_${id},1000`)]);
  expect(ran.code, ran.stderr).toBe(8);
  expect(ran.said).toEqual([
    [2, 'paid', 1000],
    [3, 'paid_less', 900],
    [4, 'paid_twice', 2000],
    [5, 'paid', 1000],
    [6, 'not_paid', 0],
    [7, 'not_shown', 400],
    [8, 'not_found', 0],
  ]);
  expect(ran.stderr).toContain('2 paid as the file says (2000 MXN charged)');
  expect(sumsIn(ran)).toEqual([
    ['MXN', 6, 6000, 5300, 700, 0],
    [null, 1, 1000, 0, 1000, 0],
  ]);
});

test.each([
  ['order_id', 'ord_whole'],
  ['reference', 'SO-whole'],
  ['charge_id', 'ch_whole'],
  ['auth_code', '4whole'],
])('a payment is found by %s', async (title, name) => {
  await using service = await startStored();
  const ran = await compare(service, [`invoice,${title},amount`, `F-1,${name},1000`]);
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.said).toEqual([[2, 'paid', 1000]]);
});

test('# before the number of the shop is decoration, in files and in a search', async () => {
  await using service = await startStored([
    order('1', [paid('1', 1000)], { metadata: { number: 'A-1' } }),
    order('2', [paid('2', 1000)], { metadata: { number: '#1002' } }),
  ]);
  const lines = ['reference,amount', '#A-1,1000', '1002,1000', '#1002,1000'];
  const ran = await compare(service, lines);
  expect(ran.said.slice(0, 2)).toEqual([
    [2, 'paid', 1000],
    [3, 'paid', 1000],
  ]);
  writeFileSync(join(service.home.path, 'r.csv'), `${lines.slice(0, 3).join('\n')}\n`);
  const words = ['-p', 'shop', 'refunds', 'compare', 'r.csv', '--json'];
  const refunds = await paydesk(words, { home: service.home });
  expect(recordsIn(refunds).map(({ order_id: id }) => id)).toEqual(['ord_1', 'ord_2']);
  for (const [typed, id] of [
    ['#A-1', 'ord_1'],
    ['1002', 'ord_2'],
    ['#1002', 'ord_2'],
  ] as const) {
    const found = await paydesk(['-p', 'shop', 'orders', 'find', typed, '--json'], { home: service.home });
    expect(
      recordsIn(found).map((one) => one.id),
      found.stderr,
    ).toEqual([id]);
  }
});

test.each(['Order number', 'order_number'])(
  'the title %s is a reference if reference.keys has it',
  async (title) => {
    await using service = await startService({
      orders: [orderOf('ord_own', [paid('own', 1000)], { metadata: { order_number: 'SO-own' } })],
    });
    await storeShop(service.home, service);
    const ran = await compare(service, [`Invoice,${title},amount`, 'F-1,SO-own,1000']);
    expect(ran.said, ran.stderr).toEqual([[2, 'paid', 1000]]);
  },
);

test('what a row names must all be true of the payment', async () => {
  await using service = await startStored();
  const ran = await compare(service, ['order_id,auth_code,amount', 'ord_whole,4less,900']);
  expect(ran.said).toEqual([[2, 'not_paid', 0]]);
  expect(recordsIn(ran)[0]?.why).toBe(
    'no payment of its order has all that the row names; a charge that was declined is no payment',
  );
});

test('a row that was not paid says the status of its order; one without an order says which column may name it', async () => {
  await using service = await startStored();
  const ran = await compare(service, ['order_id,amount', 'ord_declined,1000']);
  expect(ran.stderr).toContain('1 not paid (the file says 1000 MXN)\n');
  expect(recordsIn(ran)[0]).toMatchObject({
    verdict: 'not_paid',
    why: 'no charge of it was paid; the status of its order is declined',
  });
  const other = await compare(service, ['order_id,order_number,amount', 'ord_whole,,1000', ',SO-less,900']);
  expect([other.code, inOneLine(other.stderr)]).toEqual([
    2,
    expect.stringContaining("if order_number has the shop's own number, rename it reference"),
  ]);
});

test('the command that shows more than the first reasons keeps the time, the file and the sheet that were typed', async () => {
  await using service = await startStored();
  const lines = ['order_id,amount', ...Array.from({ length: 9 }, () => 'ord_declined,1000')];
  const ran = await compare(service, lines, '--period', '2026-10', '--currency', 'MXN');
  expect(inOneLine(ran.stderr)).toContain(
    'orders compare invoices.csv --since 2026-10-01T00:00:00Z --until 2026-11-01T00:00:00Z --currency MXN --csv',
  );
});

test('two rows about one order share its payments, and one payment counts once', async () => {
  await using service = await startStored();
  const parts = await compare(service, ['order_id,amount', 'ord_parts,600', 'ord_parts,400']);
  expect(parts.said).toEqual([
    [2, 'paid', 600],
    [3, 'paid', 400],
  ]);
  const same = await compare(service, ['order_id,amount', 'ord_whole,1000', 'ord_whole,1000']);
  expect(same.said).toEqual([
    [2, 'paid', 1000],
    [3, 'twice_in_file', 0],
  ]);
  expect(same.code).toBe(8);
  expect(same.stderr).toContain('1 twice in the file (the file says 1000 MXN)\n');
  expect(same.stderr).not.toContain('not paid');
  const other = await compare(service, ['order_id,amount', 'ord_whole,1000', 'ord_whole,900']);
  expect(other.said.at(-1)).toEqual([3, 'not_paid', 0]);
});

test('--period finds payments of that time that are not in the file, and no others', async () => {
  await using service = await startStored();
  const ids = ['whole', 'less', 'twice', 'parts'];
  const lines = ['order_id', ...ids.map((id) => `ord_${id}`)];
  const ran = await compare(service, lines, '--period', '2026-10');
  expect(ran.said.filter(([, verdict]) => verdict === 'not_in_file')).toEqual([
    [null, 'not_in_file', 400],
    [null, 'not_in_file', 77],
  ]);
  expect((await compare(service, lines)).said).toHaveLength(4);
});

test('an export of charges is a list that agrees with what was charged', async () => {
  const some = orders.filter(({ id }) => id !== 'ord_hidden' && id !== 'ord_declined');
  await using service = await startStored(some);
  const { stdout } = await service.run(['orders', 'export', '--rows', 'charges', '--csv']);
  const ran = await compare(service, [stdout.trimEnd()], '--period', '2026');
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.said).toHaveLength(8);
});

test.each(['Importe', 'price', 'sum', 'amount_mxn', 'amount (MXN)', 'Charged'])(
  'a column %s is read as the amount, and said to be; beside another of money it is refused',
  async (title) => {
    await using service = await startStored();
    const ran = await compare(service, [`order_id,${title},Date`, 'ord_whole,7,2026-10-01']);
    expect(ran.said).toEqual([[2, 'paid_more', 1000]]);
    const named = /mxn/i.test(title) ? ' in MXN' : '';
    expect(ran.stderr).toContain(`read: ${title} as amount${named}\n`);
    const two = await compare(service, [`order_id,${title},Net,Date`, 'ord_whole,7,6,2026-10-01']);
    expect(two.code).toBe(2);
    expect(inOneLine(two.stderr)).toContain(`there is no column amount, and ${title} looks like one`);
    expect(two.stderr).not.toContain('Date');
    writeFileSync(join(service.home.path, 'refunds.csv'), `order_id,${title},Net\nord_whole,7,6\n`);
    const line = ['-p', 'shop', 'refunds', 'compare', 'refunds.csv'];
    expect(await paydesk(line, { home: service.home })).toMatchObject({ code: 2 });
  },
);

test.each(['Order number', 'order', 'Pedido', 'order_no'])(
  'the title %s above ids or numbers of the shop names the orders of a list',
  async (title) => {
    await using service = await startStored();
    for (const name of ['ord_whole', 'SO-whole']) {
      const ran = await compare(service, [`${title},amount`, `${name},1000`]);
      expect(ran.said, ran.stderr).toEqual([[2, 'paid', 1000]]);
    }
  },
);

test.each([[], ['--rows', 'charges']])('an export of paydesk is read: %s', async (...rows) => {
  const some = orders.filter(({ id }) => id !== 'ord_hidden');
  await using shop = await startStored(some);
  for (const to of ['o.csv', 'o.xlsx']) {
    const line = (...words: readonly string[]) =>
      paydesk(['-p', 'shop', 'orders', ...words], { home: shop.home, env: { TZ: 'UTC' } });
    expect(await line('export', ...rows, '--to', to)).toMatchObject({ code: 0 });
    const ran = await line('compare', to, '--json');
    const verdicts = recordsIn(ran).map(({ verdict }) => verdict);
    const odd = rows.length === 0 ? ['paid_twice', 'not_paid'] : ['not_paid'];
    expect(new Set(verdicts), ran.stderr).toEqual(new Set(['paid', ...odd]));
  }
});

test.each([
  ['Nº', 'Fecha', 'Pedido', 'Neto', 'IVA', 'Total'],
  ['No.', 'Date', 'Order', 'Net', 'VAT', 'Gross'],
  ['No.', 'Date', 'Order', 'Sub-total', 'VAT', 'total'],
])('of an invoice with its net and its taxes the total is compared: %s %s %s %s %s %s', async (...titles) => {
  await using service = await startStored();
  const ran = await compare(service, [titles.join(','), '1,2026-10-01,SO-whole,862,138,1000']);
  expect(ran.said, ran.stderr).toEqual([[2, 'paid', 1000]]);
  expect(inOneLine(ran.stderr)).toContain(`${titles[5]} as amount`);
  expect(inOneLine(ran.stderr)).toMatch(new RegExp(`not read: .*${titles[3]}, ${titles[4]} `));
});

test.each(['$ 1,520.00', '1520', '1 520,00', '(7)', '7 MXN'])(
  'a list without an amount is refused if a column looks like money: %s',
  async (cell) => {
    await using service = await startStored();
    const ran = await compare(service, [
      'order_id,Summa',
      `ord_whole,"${cell}"`,
      'ord_less,7',
      'ord_other,none',
    ]);
    expect(ran.code).toBe(2);
    expect(inOneLine(ran.stderr)).toContain('there is no column amount, and Summa looks like one');
  },
);

test('a list without an amount may have dates and words, which are named, and its verdicts do not speak for the file', async () => {
  await using service = await startStored();
  const lines = [
    'order_id,Vendedor,Date',
    'ord_whole,Ana,30.11.2026',
    'ord_less,Ana,30 Nov',
    'ord_other,Li,01.12.2026',
  ];
  const ran = await compare(service, lines);
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stderr).toContain('not read: Vendedor, Date\n');
  expect(ran.stderr).toContain('no amount column: only that the orders were paid is compared\n');
  expect(ran.stderr).toContain('3 paid as the order says (1977 MXN charged)\n');
  expect(ran.stderr).not.toContain('the file says');
});

test('a column that is not read is named, beside the one with the money', async () => {
  await using service = await startStored();
  const ran = await compare(service, ['order_id,amount,Importe,Vendedor', 'ord_whole,1000,7,Ana']);
  expect(ran.code, ran.stderr).toBe(0);
  expect(inOneLine(ran.stderr)).toContain('not read: Importe, Vendedor; amount is the column with the money');
  writeFileSync(join(service.home.path, 'refunds.csv'), 'order_id,amount,Vendedor\nord_whole,7,Ana\n');
  const refunds = await paydesk(['-p', 'shop', 'refunds', 'compare', 'refunds.csv'], { home: service.home });
  expect(inOneLine(refunds.stderr)).toContain('not read: Vendedor; amount is the column with the money');
});

test('refunds compare without an amount: a column of numbers is refused, one of words is named', async () => {
  await using service = await startStored();
  const refunds = (...lines: readonly string[]) => {
    writeFileSync(join(service.home.path, 'refunds.csv'), `${lines.join('\n')}\n`);
    return paydesk(['-p', 'shop', 'refunds', 'compare', 'refunds.csv'], { home: service.home });
  };
  const numbers = await refunds('order_id,Summa', 'ord_whole,"1.520,00"', 'ord_less,7', 'ord_other,none');
  expect(numbers.code).toBe(2);
  expect(inOneLine(numbers.stderr)).toContain('there is no column amount, and Summa looks like one');
  const words = await refunds('order_id,Vendedor', 'ord_whole,Ana');
  expect(words.code, words.stderr).toBe(8);
  expect(words.stderr).toContain('not read: Vendedor\n');
  expect(words.stderr).toContain('no amount column: the whole order is meant\n');
});

test('each row says its difference, and the last line the file against what was charged', async () => {
  await using service = await startStored();
  const lines = ['order_id,amount', 'ord_whole,1000', 'ord_less,1000', 'ord_twice,1000'];
  const ran = await compare(service, lines, '--period', '2026-10');
  const rows = recordsIn(ran).map(({ line, difference }) => [line, difference]);
  expect(rows.slice(0, 4)).toEqual([
    [2, 0],
    [3, 100],
    [4, -1000],
    [null, null],
  ]);
  expect(inOneLine(ran.stderr)).toContain(
    'MXN: the file says 3000 MXN in 3 rows, 3900 MXN was charged for its rows, difference -900 MXN',
  );
});

test('where decimals are declared, both comparisons say in which unit the amounts of the file were read', async () => {
  await using service = await startService({ orders });
  await storeShop(service.home, service, { 'amounts.decimals.MXN': '2' });
  const lines = ['order_id,amount', 'ord_nobody,7', 'ord_whole,520'];
  const ran = await compare(service, lines);
  const note = "whole amounts of the file are in the service's units: 7 is 0.07 MXN";
  expect(inOneLine(ran.stderr)).toContain(note);
  const line = ['-p', 'shop', 'refunds', 'compare', 'invoices.csv'];
  const refunds = await paydesk(line, { home: service.home });
  expect(inOneLine(refunds.stderr)).toContain(note);
});

const yen = (charge: Json): Json => ({ ...charge, currency: 'JPY' });
const inTwoCurrencies = [order('mx', [paid('mx', 152000)]), yen(order('yen', [yen(paid('yen', 52000))]))];

test.each(['Amount (USD)', 'Importe USD', 'usd_amount'])(
  'the title %s says the currency of each row, also beside a column of currencies',
  async (title) => {
    await using service = await startService({ orders: inTwoCurrencies });
    await storeShop(service.home, service);
    const ran = await compare(service, [`order_id,${title},currency`, 'ord_mx,152000,MXN']);
    expect(ran.said).toEqual([[2, 'other_currency', 152000]]);
    const line = ['-p', 'shop', 'refunds', 'compare', 'invoices.csv', '--json'];
    const refunds = recordsIn(await paydesk(line, { home: service.home }));
    expect(refunds.map(({ verdict }) => verdict)).toEqual(['other_currency']);
  },
);

test.each(['Total (all items)', 'Amount try', 'Price top', 'Total in pen and paper'])(
  'a plain word of the title %s is no currency',
  async (title) => {
    await using service = await startStored();
    const ran = await compare(service, [`order_id,${title}`, 'ord_whole,7']);
    expect(ran.stderr).toContain(`read: ${title} as amount\n`);
  },
);

test('--currency leaves out the rows of another currency, and names them', async () => {
  await using service = await startService({ orders: inTwoCurrencies });
  await storeShop(service.home, service);
  const rows = ['ord_mx,152000,', 'ord_yen,52000,', 'ord_yen,52000,MXN', 'ord_mx,1,JPY'];
  const lines = ['order_id,amount,currency', ...rows];
  const ran = await compare(service, lines, '--currency', 'MXN');
  expect(ran.said).toEqual([
    [2, 'paid', 152000],
    [4, 'other_currency', 0],
  ]);
  expect(ran.stderr).toContain('not compared, because of --currency: line 3 (JPY), line 5 (JPY)\n');
  const one = await compare(service, lines.slice(0, 3), '--currency', 'MXN');
  expect([one.code, one.said]).toEqual([0, [[2, 'paid', 152000]]]);
});

test('a row in pesos where the service counts cents says so beside its verdict', async () => {
  await using service = await startService({ orders: inTwoCurrencies });
  await storeShop(service.home, service, { 'amounts.decimals.MXN': '2' });
  const ran = await compare(service, ['order_id,amount', 'ord_mx,1520', 'ord_yen,520']);
  expect(recordsIn(ran).map(({ verdict, why }) => [verdict, why])).toEqual([
    [
      'paid_more',
      '1520 is read as 15.20 MXN, and the order shows 1520.00: write the decimals too (in a spreadsheet: give the column the format 0.00)',
    ],
    ['paid_more', null],
  ]);
  expect(inOneLine(ran.stderr)).toContain('line 2: 1520 is read as 15.20 MXN');
});

test.each(['1520.00', '"1520,00"', '"1.520,00"', '"1,520.00"'])(
  'where decimals are declared, both comparisons read %s as the command line reads 1520.00',
  async (text) => {
    await using service = await startService({ orders: inTwoCurrencies });
    await storeShop(service.home, service, { 'amounts.decimals.MXN': '2' });
    const ran = await compare(service, ['order_id,amount', `ord_mx,${text}`, 'ord_nobody,5.20']);
    expect(ran.said).toEqual([
      [2, 'paid', 152000],
      [3, 'not_found', 0],
    ]);
    // An order that is not there has no currency, but the profile has one only.
    expect(recordsIn(ran).map(({ wanted }) => wanted)).toEqual([152000, 520]);
    expect(ran.stderr).not.toContain('whole amounts');
    const line = ['-p', 'shop', 'refunds', 'compare', 'invoices.csv', '--json'];
    const refunds = await paydesk(line, { home: service.home });
    expect(recordsIn(refunds).map(({ wanted }) => wanted)).toEqual([152000, 520]);
  },
);

test.each(['orders', 'refunds'])(
  '%s compare refuses decimals that the currency of the order does not have, and prints no row',
  async (noun) => {
    await using service = await startService({ orders: inTwoCurrencies });
    await storeShop(service.home, service, { 'amounts.decimals.MXN': '2' });
    writeFileSync(join(service.home.path, 'some.csv'), 'order_id,amount\nord_mx,"1.520,5"\nord_yen,520.00\n');
    const ran = await paydesk(['-p', 'shop', noun, 'compare', 'some.csv'], { home: service.home });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(inOneLine(ran.stderr)).toContain(
      "line 2: amount 1.520,5: MXN has 2 decimals; type 1520.50 (in a spreadsheet: give the column the format 0.00) line 3: amount 520.00: the profile declares no decimals for JPY; type the service's whole number: if it counts hundredths 52000, if not 520 (amounts.decimals.JPY)",
    );
  },
);

test('a file without any name of a payment is refused, and the error has all titles that name one', async () => {
  await using service = await startStored();
  const ran = await compare(service, ['invoice,amount', 'F-1,1000']);
  expect(ran.code).toBe(2);
  expect(inOneLine(ran.stderr)).toContain(
    'there is no column order_id, reference, charge_id or auth_code: it names the payment of each row',
  );
  expect(service.requests).toEqual([]);
});

const missing = ['ord_whole,324601', 'ord_nobody,500'];
const known = ['order_id,amount,currency', ...missing.map((line) => `${line},mxn`)];

test.each([
  ['its column currency', {}, known, 'MXN'],
  [
    'the only currency of the profile',
    { 'amounts.decimals.MXN': '0' },
    ['order_id,amount', ...missing],
    'MXN',
  ],
  ['nothing', {}, ['order_id,amount', ...missing], undefined],
])(
  'the sum of the file has the rows that were not found, in the currency by %s',
  async (_, settings, lines, currency) => {
    await using service = await startService({ orders });
    await storeShop(service.home, service, settings);
    const ran = await compare(service, lines, '--to', 'c.json');
    writeFileSync(join(service.home.path, 'refunds.csv'), `${lines.join('\n')}\n`);
    const words = (...more: readonly string[]) => [
      '-p',
      'shop',
      'refunds',
      'compare',
      'refunds.csv',
      ...more,
    ];
    const refunds = await paydesk(words('--to', 'r.xlsx'), { home: service.home });
    for (const { stderr } of [ran, refunds]) {
      const said = inOneLine(stderr).replaceAll(/ \(\d+\)/g, '');
      const all = currency === undefined ? ['324601 MXN', '500, currency unknown'] : ['325101 MXN'];
      expect(said).toContain(`1 not found (the file says ${all.at(-1)?.replace('325101', '500')}`);
      expect(said).toContain(`MXN: the file says ${all[0]} in `);
      expect(said.includes('currency unknown: the file says 500 in 1 row, 0 ')).toBe(currency === undefined);
    }
    const { about } = readWorkbook(readFileSync(join(service.home.path, 'r.xlsx')));
    const sums = inSheet(about);
    expect(sums.get('sum of wanted')?.filter((cell) => typeof cell === 'number')).toEqual(
      currency === undefined ? [324601, 500] : [325101],
    );
    expect(sums.get('sum of refunded')).toHaveLength(2);
  },
);

test('a row in another currency than its order is a difference of its own, and its amount counts in its own currency', async () => {
  const rows = ['ord_mx,152000,usd', 'ord_yen,52000,JPY', 'ord_whole,,MXN', 'ord_less,,EUR'];
  await using service = await startService({ orders: [...inTwoCurrencies, ...orders] });
  await storeShop(service.home, service, { 'amounts.decimals.MXN': '2', 'amounts.decimals.USD': '2' });
  const ran = await compare(service, ['order_id,amount,currency', ...rows]);
  expect(ran.code, ran.stderr).toBe(8);
  expect(
    recordsIn(ran).map(({ verdict, wanted, charged, currency, difference }) => [
      verdict,
      wanted,
      charged,
      currency,
      difference,
    ]),
  ).toEqual([
    ['other_currency', 152000, 152000, 'MXN', 152000],
    ['paid', 52000, 52000, 'JPY', 0],
    ['no_amount', null, 1000, 'MXN', null],
    ['other_currency', null, 900, 'MXN', null],
  ]);
  expect(recordsIn(ran)[0]?.why).toBe('the file says 152000 USD (1520.00), and the order is in MXN');
  expect(recordsIn(ran)[3]?.why).toBe('the file says EUR, and the order is in MXN');
  // Rows, what the file says, what was charged for it, the difference, and what was charged for no row.
  expect(sumsIn(ran)).toEqual([
    ['USD', 1, 152000, 0, 152000, 0],
    ['MXN', 0, 0, 0, 0, 0],
    ['JPY', 1, 52000, 52000, 0, 0],
    ['EUR', 1, 0, 0, 0, 0],
  ]);
  // What was charged for the rows in another currency, and for those without an amount, stands beside these sums.
  const { sums } = JSON.parse(ran.stdout) as { readonly sums: readonly Json[] };
  expect(sums.map(({ other_currency, no_amount }) => [other_currency, no_amount])).toEqual([
    [0, 0],
    [152900, 1000],
    [0, 0],
    [0, 0],
  ]);
  const screen = inOneLine(ran.stderr);
  expect(screen).toContain('MXN: 152900 MXN (1529.00) was charged for rows that say another currency');
  expect(screen).toContain(
    '2 in another currency than the file says (152900 MXN (1529.00) charged, the file says 152000 USD (1520.00))',
  );
  expect(screen).toContain(
    'USD: the file says 152000 USD (1520.00) in 1 row, 0 USD (0.00) was charged for its rows, difference',
  );
  expect(screen).toContain('line 2: the file says 152000 USD (1520.00), and the order is in MXN');
  const words = ['-p', 'shop', 'orders', 'compare', 'invoices.csv', '--width'];
  const headings = await Promise.all(
    ['99', '60'].map(async (width) => (await paydesk([...words, width], { home: service.home })).stdout),
  );
  expect(headings.map((text) => /CHARGED|PAID \w+/.exec(text)?.[0])).toEqual(['CHARGED', 'PAID MXN']);
});

test('a row without an amount among rows with one is not paid as the file says, and is in no sum of what the file says', async () => {
  await using service = await startStored();
  const ran = await compare(service, ['order_id,amount', 'ord_whole,1000', 'ord_parts,', 'ord_less,900']);
  expect(ran.code, ran.stderr).toBe(8);
  expect(recordsIn(ran).map(({ verdict, wanted, difference }) => [verdict, wanted, difference])).toEqual([
    ['paid', 1000, 0],
    ['no_amount', null, null],
    ['paid', 900, 0],
  ]);
  const screen = inOneLine(ran.stderr);
  expect(screen).toContain(
    'line 3: the file says no amount: what was charged is compared with the amount of the order',
  );
  expect(screen).toContain('2 paid as the file says (1900 MXN charged)');
  expect(screen).toContain('1 without an amount in the file (1000 MXN charged)');
  expect(screen).toContain('MXN: the file says 1900 MXN in 2 rows, 1900 MXN was charged for its rows');
  expect(sumsIn(ran)).toEqual([['MXN', 2, 1900, 1900, 0, 0]]);
});

test('a negative amount is no charge: its line is refused, and the command for what went back is named', async () => {
  await using service = await startStored();
  const ran = await compare(service, [
    'order_id,amount',
    'ord_whole,-1000',
    'ord_less,(900)',
    'ord_parts,1000',
  ]);
  expect(ran).toMatchObject({ code: 2 });
  for (const line of ['line 2: amount -1000', 'line 3: amount (900)'])
    expect(inOneLine(ran.stderr)).toContain(
      `${line}: less than 0, and a list of charges has only what was paid`,
    );
});

test('with a period it says which one, and how many payments of it no row is about, also if there is none', async () => {
  await using service = await startStored([orders[0] ?? {}]);
  const ran = await compare(
    service,
    ['order_id,amount', 'ord_whole,1000'],
    '--period',
    '2026-10',
    '--tz',
    'Europe/Madrid',
  );
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stderr).toContain('payments of 1 Oct to 31 Oct 2026 (Europe/Madrid) that no row is about: 0\n');
});

test('the columns of a comparison add up to its sums in each currency, on a screen, in a CSV, in JSON and in a workbook', async () => {
  await using service = await startService({ orders: [...inTwoCurrencies, ...orders] });
  await storeShop(service.home, service, { 'reference.keys': 'number', 'amounts.decimals.MXN': '2' });
  const rows = ['ord_mx,152000,USD', 'ord_whole,800,MXN', 'ord_yen,9,MXN', 'ord_less,,', 'ord_nobody,70,MXN'];
  const lines = ['order_id,amount,currency', ...rows];
  const ran = await compare(service, lines, '--period', '2026-10');
  const { sums } = JSON.parse(ran.stdout) as { readonly sums: readonly Json[] };
  const all = recordsIn(ran);
  const adds = (name: string, in_: string, currency: unknown) =>
    all.reduce((sum, one) => sum + (one[in_] === currency ? Number(one[name] ?? 0) : 0), 0);
  expect(sums.map(({ currency }) => currency)).toEqual(['USD', 'MXN', 'JPY']);
  for (const { currency, wanted, difference, charged, ...apart } of sums) {
    expect([currency, adds('wanted', 'wanted_currency', currency)]).toEqual([currency, wanted]);
    expect([currency, adds('difference', 'wanted_currency', currency)]).toEqual([currency, difference]);
    expect(Number(wanted) - Number(charged)).toBe(difference);
    const others = [apart.other_currency, apart.no_amount, apart.not_in_file].map(Number);
    expect(adds('charged', 'currency', currency)).toBe(
      others.reduce((one, more) => one + more, Number(charged)),
    );
  }
  expect(sums.find(({ currency }) => currency === 'MXN')).toMatchObject({ wanted: 879, difference: -121 });
  expect(inOneLine(ran.stderr)).toContain(
    'MXN: the file says 879 MXN (8.79) in 3 rows, 1000 MXN (10.00) was charged for its rows, difference -121 MXN (-1.21): the file says less',
  );
  const words = ['-p', 'shop', 'orders', 'compare', 'invoices.csv', '--period', '2026-10'];
  const screen = await paydesk(words, { home: service.home, env: { TZ: 'UTC' } });
  expect(screen.stdout).toMatch(/ord_yen +9 MXN \(0\.09\) +52000 JPY +other_currency +9 MXN/);
  // The decimals of these columns are those of the currency of the file.
  const decimals = ['--csv', '--columns', 'line,wanted,wanted_decimal,wanted_currency'];
  const { stdout } = await paydesk([...words, ...decimals], { home: service.home, env: { TZ: 'UTC' } });
  expect(stdout.split(/\r?\n/).slice(1, 4)).toEqual(['2,152000,,USD', '3,800,8.00,MXN', '4,9,0.09,MXN']);
  expect((await paydesk([...words, '--to', 'c.xlsx'], { home: service.home })).code).toBe(8);
  const { about } = readWorkbook(readFileSync(join(service.home.path, 'c.xlsx')));
  const said = inSheet(about);
  expect(said.get('sum of wanted')).toEqual(expect.arrayContaining([152000, 879]));
  expect(said.get('sum of difference')).toEqual(expect.arrayContaining([152000, -121]));
});

test.each([
  ['before', ['ord_less,900,USD', 'ord_less,900,MXN'], ['other_currency', 'paid']],
  ['behind', ['ord_less,900,MXN', 'ord_less,900,USD'], ['paid', 'other_currency']],
])('a row in another currency takes no payment from the right row %s it', async (_, rows, verdicts) => {
  await using service = await startService({ orders });
  await storeShop(service.home, service);
  const ran = await compare(service, ['order_id,amount,currency', ...rows]);
  expect(recordsIn(ran).map(({ verdict }) => verdict)).toEqual(verdicts);
});

test('a row that stands twice says for which line its payment was counted', async () => {
  await using service = await startService({ orders });
  await storeShop(service.home, service);
  const ran = await compare(service, ['order_id,amount', 'ord_less,900', 'ord_less,900']);
  expect(recordsIn(ran).map(({ verdict, why }) => [verdict, why])).toEqual([
    ['paid', null],
    ['twice_in_file', 'counted for line 2 already'],
  ]);
});

test('decimals of a row in another currency are read by that currency', async () => {
  await using service = await startService({ orders: inTwoCurrencies });
  await storeShop(service.home, service, { 'amounts.decimals.USD': '2' });
  const ran = await compare(service, ['order_id,amount,Moneda', 'ord_mx,520.00,USD']);
  expect(ran.code, ran.stderr).toBe(8);
  expect(recordsIn(ran)[0]).toMatchObject({ verdict: 'other_currency' });
  expect(sumsIn(ran)[0]).toEqual(['USD', 1, 52000, 0, 52000, 0]);
});

test.each(['orders', 'refunds'])(
  '%s compare refuses a currency that nobody can read, and names its line',
  async (noun) => {
    await using service = await startService({ orders });
    await storeShop(service.home, service, {});
    writeFileSync(join(service.home.path, 'some.csv'), 'order_id,amount,currency\nord_whole,1000,pesos\n');
    const ran = await paydesk(['-p', 'shop', noun, 'compare', 'some.csv'], { home: service.home });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(inOneLine(ran.stderr)).toContain(
      'line 2: currency pesos: not a currency of three letters such as MXN; leave it blank if the order tells it',
    );
  },
);

test('a heading that names no payment is refused with the new name of the column, and --errors is not offered for it', async () => {
  await using service = await startStored();
  const ran = await compare(service, ['invoice_no,customer,amount', 'SO-whole,Ana,1000']);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain("if invoice_no has the shop's own number, rename it reference");
  expect(ran.stderr).not.toContain('--errors');
});

test('at 80 columns each row has its reference and its difference', async () => {
  await using service = await startStored();
  writeFileSync(join(service.home.path, 'invoices.csv'), 'reference,amount\nSO-less,1000\n');
  const words = ['-p', 'shop', 'orders', 'compare', 'invoices.csv', '--width', '80'];
  const { stdout } = await paydesk(words, { home: service.home, env: { TZ: 'UTC' } });
  expect(stdout).toMatch(/ DIFF.* REFERENCE/);
  expect(stdout).toMatch(/ 1000 .* 900 .*paid_less +100 +SO-less/);
});

test('what went back since is no part of what was charged: it has a column of its own and a line', async () => {
  const back = withRefund(order('back', [paid('back', 1000)]), refundOf('rf_1', 300), 300);
  await using service = await startStored([back, order('whole', [paid('whole', 1000)])]);
  const ran = await compare(service, ['order_id,amount', 'ord_back,1000', 'ord_whole,1000']);
  expect(ran.code, ran.stderr).toBe(0);
  expect(recordsIn(ran).map(({ charged, refunded }) => [charged, refunded])).toEqual([
    [1000, 300],
    [1000, 0],
  ]);
  expect(inOneLine(ran.stderr)).toContain(
    'of what was charged, 300 MXN went back so far; to see for which rows:',
  );
});

test('an amount whose order is not there needs a currency to be in a sum, and its line says so', async () => {
  await using service = await startService({ orders });
  await storeShop(service.home, service, { 'amounts.decimals.MXN': '2', 'amounts.decimals.USD': '2' });
  const why =
    'nothing says the currency of 50.00, so it is in no sum: write the currency in a column currency';
  const [row] = recordsIn(await compare(service, ['order_id,amount', 'ord_nobody,50.00']));
  expect([row?.verdict, row?.wanted, row?.why]).toEqual(['not_found', null, why]);
  const [cured] = recordsIn(await compare(service, ['order_id,amount,currency', 'ord_nobody,50.00,MXN']));
  expect([cured?.wanted, cured?.why]).toEqual([5000, null]);
  writeFileSync(join(service.home.path, 'old.csv'), 'order_id,amount\nord_nobody,50.00\n');
  const back = await paydesk(['-p', 'shop', 'refunds', 'compare', 'old.csv', '--json'], {
    home: service.home,
    env: { TZ: 'UTC' },
  });
  expect(recordsIn(back)[0]?.why).toBe(`there is no order ord_nobody; ${why}`);
});
