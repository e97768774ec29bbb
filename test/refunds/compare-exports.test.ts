/** `refunds compare` of what paydesk itself wrote, of a period, of several currencies, and of amounts that no number can hold. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chargeOf, type Json, listOf, orderOf, refundOf } from '../harness/orders.ts';
import { paydesk } from '../harness/paydesk.ts';
import { type Handler, json, reply } from '../harness/server.ts';
import { type Service, startAnswering, startService, storeShop } from '../harness/service.ts';
import { recordsIn, sumsIn } from './refund-service.ts';

const day = 86_400;
const october = 1_790_812_800; // 1 October 2026, UTC
const order = (name: string, refunds: readonly Json[], changes: Json = {}): Json =>
  orderOf(`ord_${name}`, [chargeOf(`ch_${name}`, 1000, { refunds: listOf(...refunds) })], {
    amount_refunded: refunds.reduce((sum, { amount }) => sum - Number(amount), 0),
    ...changes,
  });
const made = (id: string, amount: number, at: number) => refundOf(id, amount, { created_at: at });

// Each has an equal refund of another month, or one of another currency.
const orders = [
  order('a', [made('rf_sep', 300, october - day), made('rf_oct', 300, october + day)]),
  order('b', [made('rf_usd', 70, october + 2 * day)], { currency: 'USD' }),
  order('c', [made('rf_nov', 5, october + 40 * day)]),
];

it.each([
  [
    'orders export --rows refunds',
    ['orders', 'export', '--rows', 'refunds', '--since', '2026-10-01', '--until', '2026-11-01', '--csv'],
  ],
  ['refunds list', ['refunds', 'list', '--period', '2026-10', '--csv']],
])('a CSV of %s is compared refund by refund, whatever else its orders show', async (_, words) => {
  await using service = await startService({ orders });
  const { stdout } = await service.run(words);
  writeFileSync(join(service.home.path, 'october.csv'), stdout);
  const ran = await service.run(['refunds', 'compare', 'october.csv', '--period', '2026-10', '--json']);
  expect(ran.code, ran.stderr).toBe(0);
  expect(
    new Map(recordsIn(ran).map(({ refund_id: id, ...one }) => [id, [one.verdict, one.refunded]])),
  ).toEqual(
    new Map([
      ['rf_oct', ['refunded', 300]],
      ['rf_usd', ['refunded', 70]],
    ]),
  );
  const { notes } = await notesOf(service, 'october.csv');
  expect(notes).toContain('MXN: the file says 300 MXN in 1 row, 300 MXN went back for its rows');
  expect(notes).toContain('USD: the file says 70 USD in 1 row, 70 USD went back for its rows');
});

it.each([
  ['orders', 'export', '--rows', 'refunds', '--csv'],
  ['refunds', 'list', '--period', '2026-10', '--csv'],
])('a refund that failed, as %s %s says, is no difference', async (...words) => {
  const failed = refundOf('rf_failed', 690, { created_at: october + day, status: 'failed' });
  await using service = await startService({
    orders: [order('f', [failed], { amount_refunded: 0 }), order('a', [made('rf_oct', 300, october + day)])],
  });
  writeFileSync(join(service.home.path, 'october.csv'), (await service.run(words)).stdout);
  const ran = await service.run(['refunds', 'compare', 'october.csv', '--json']);
  expect(ran.code, ran.stderr).toBe(0);
  expect(recordsIn(ran).find(({ verdict }) => verdict === 'failed')).toMatchObject({
    wanted: 0,
    difference: 0,
  });
  // What the file says is the sum of the rows that it counts.
  expect(ran.stderr).toContain('MXN: the file says 300 MXN in 1 row, 300 MXN went back for its rows\n');
  expect(ran.stderr).toContain('1 failed, as the file says\n');
  expect(sumsIn(ran)).toEqual([['MXN', 1, 300, 300, 0, 0]]);
});

async function notesOf(service: Service, file: string) {
  return { notes: (await service.run(['refunds', 'compare', file, '--csv'])).stderr };
}

it('a refund that the file names and the order does not show is not refunded, though an equal one is there', async () => {
  await using service = await startService({ orders });
  writeFileSync(join(service.home.path, 'f.csv'), 'order_id,refund_id,amount\nord_a,rf_gone,-300\n');
  const ran = await service.run(['refunds', 'compare', 'f.csv', '--json']);
  expect(ran.code).toBe(8);
  expect(recordsIn(ran)).toMatchObject([{ verdict: 'not_refunded', wanted: 300, refunded: 0 }]);
});

it('--until ends the refunds that are looked for, and --period is both ends', async () => {
  await using service = await startService({ orders });
  writeFileSync(join(service.home.path, 'f.csv'), 'order_id,amount\nord_b,70\n');
  const others = async (...words: readonly string[]) =>
    recordsIn(await service.run(['refunds', 'compare', 'f.csv', '--json', ...words]))
      .filter(({ verdict }) => verdict === 'not_in_file')
      .map(({ refund_id: id }) => id);
  expect(await others('--since', '2026-10-01')).toEqual(['rf_oct', 'rf_nov']);
  expect(await others('--since', '2026-10-01', '--until', '2026-11-01')).toEqual(['rf_oct']);
  expect(await others('--until', '2026-10-01')).toEqual(['rf_sep']);
  expect(await others('--period', '2026-10')).toEqual(['rf_oct']);
  expect(
    (await service.run(['refunds', 'compare', 'f.csv', '--period', '2026-10', '--until', '2026-11-01'])).code,
  ).toBe(2);
});

it('with --period a row has what went back in that time, and says what its order shows of another time', async () => {
  const failed = refundOf('rf_failed', 690, { created_at: october + day, status: 'failed' });
  await using service = await startService({ orders: [...orders, order('f', [failed])] });
  writeFileSync(join(service.home.path, 'f.csv'), 'order_id,amount\nord_a,300\nord_c,5\nord_b,70\n');
  const words = ['refunds', 'compare', 'f.csv', '--json'];
  const ran = await service.run([...words, '--period', '2026-10']);
  expect(ran.code, ran.stderr).toBe(8);
  // A refund that failed is not missing in the file.
  expect(
    recordsIn(ran).map(({ verdict, refunded, refund_id: id, why }) => [verdict, refunded, id, why]),
  ).toEqual([
    ['refunded', 300, 'rf_oct', null],
    ['not_refunded', 0, null, 'went back at another time: rf_nov of 5 MXN'],
    ['refunded', 70, 'rf_usd', null],
  ]);
  // Without a time, all that went back of an order is that of its row.
  expect(recordsIn(await service.run(words)).map(({ verdict, refunded }) => [verdict, refunded])).toEqual([
    ['more', 600],
    ['refunded', 5],
    ['refunded', 70],
  ]);
});

it('full is what can be refunded: declined charges are no part of it', async () => {
  const declined = [1, 2, 3, 4].map((index) =>
    chargeOf(`ch_no${index}`, 10_000, { status: 'declined', paid_at: null }),
  );
  const paid = chargeOf('ch_yes', 10_000, { refunds: listOf(refundOf('rf_1', 10_000)), status: 'refunded' });
  const changes = { amount: 10_000, amount_refunded: 10_000, payment_status: 'refunded' };
  await using service = await startService({ orders: [orderOf('ord_1', [...declined, paid], changes)] });
  writeFileSync(join(service.home.path, 'f.csv'), 'order_id,amount\nord_1,full\n');
  const ran = await service.run(['refunds', 'compare', 'f.csv', '--json']);
  expect(ran.code, ran.stderr).toBe(0);
  expect(recordsIn(ran)).toMatchObject([{ verdict: 'refunded', wanted: 10_000, refunded: 10_000 }]);
});

// As text, since no number of JavaScript can hold the amount.
const large = (digits: string, status = 'refunded'): Handler =>
  reply(
    JSON.stringify(
      listOf(
        order('l', [{ ...made('rf_l', 7, october), status }], { amount: 7, payment_status: 'refunded' }),
      ),
    )
      .replaceAll(/(-?)\b7\b/g, `$1${digits}`)
      .replaceAll('1000', digits),
    200,
    { 'content-type': 'application/json' },
  );

const startLarge = (status?: string) =>
  startAnswering((request, response, socket) =>
    (request.url.includes('next=') || request.url.includes('previous=')
      ? json(listOf())
      : large('9007199254740993', status))(request, response, socket),
  );

it('a refund beyond 2^53 that failed, as the file says, is no difference', async () => {
  await using service = await startLarge('failed');
  const titles = 'id,order_id,charge_id,amount,refunded_at,state';
  writeFileSync(
    join(service.home.path, 'f.csv'),
    `${titles}\nrf_l,ord_l,ch_l,-9007199254740993,1790812800,failed\n`,
  );
  const ran = await service.run(['refunds', 'compare', 'f.csv', '--json']);
  expect(recordsIn(ran)).toMatchObject([{ verdict: 'failed', wanted: 0, refunded: 0 }]);
  expect(ran.code, ran.stderr).toBe(0);
});

it.each([
  ['pending', 'pending', 8],
  ['on_hold', 'unconfirmed', 7],
])('a refund beyond 2^53 that is %s is %s for a row, as any other', async (shown, verdict, code) => {
  await using service = await startLarge(shown);
  writeFileSync(join(service.home.path, 'f.csv'), 'order_id,amount\nord_l,-9007199254740993\n');
  const ran = await service.run(['refunds', 'compare', 'f.csv', '--json']);
  expect(recordsIn(ran)).toMatchObject([{ verdict, state: verdict, refunded: 0 }]);
  expect(ran.code, ran.stderr).toBe(code);
});

it.each([
  ['9007199254740993', 0, 'refunded'],
  ['9007199254740994', 8, 'in_part'],
  ['9007199254740992', 8, 'more'],
])('amounts beyond 2^53 are compared exactly: %s in the file', async (amount, code, verdict) => {
  await using service = await startLarge();
  writeFileSync(join(service.home.path, 'f.csv'), `order_id,amount\nord_l,-${amount}\n`);
  const ran = await service.run(['refunds', 'compare', 'f.csv', '--ndjson']);
  expect(ran.code, ran.stderr + ran.stdout).toBe(code);
  expect(ran.stdout).toContain(`"verdict":"${verdict}"`);
  expect(ran.stdout).toContain(`"wanted":${amount},"refunded":9007199254740993`);
});

it('an order that does not show its charges is named where refunds that are not in the file are looked for', async () => {
  const hidden = order('h', [], { charges: null, amount_refunded: 5 });
  await using service = await startService({ orders: [...orders, hidden] });
  writeFileSync(join(service.home.path, 'f.csv'), 'order_id,amount\nord_b,70\n');
  const ran = await service.run(['refunds', 'compare', 'f.csv', '--period', '2026-10', '--csv']);
  expect(ran.code).toBe(8);
  expect(ran.stderr).toContain(
    'ord_h: the charges are not shown: refunds of it that are not in the file are not found',
  );
});

it('an export with an order whose amounts are texts is compared all the same, and that order is named', async () => {
  const texts = order('t', [{ ...made('rf_t', 9, october + day), amount: '-9' }], { amount_refunded: 9 });
  await using service = await startService({ orders: [...orders, texts] });
  const { stdout } = await service.run(['orders', 'export', '--rows', 'refunds', '--csv']);
  writeFileSync(join(service.home.path, 'all.csv'), stdout);
  const ran = await service.run(['refunds', 'compare', 'all.csv', '--json']);
  expect(ran.code, ran.stderr).toBe(8);
  const verdicts = recordsIn(ran).map(({ order_id: id, verdict }) => `${String(id)} ${String(verdict)}`);
  expect(verdicts.filter((one) => !one.endsWith(' refunded'))).toEqual(['ord_t not_shown']);
});

it('an export in another time zone is compared with the days of that zone', async () => {
  // 30 September, 22:00 in Mexico City, and 1 October, 04:00 in UTC.
  const night = order('n', [made('rf_night', 9, october + 4 * 3600)]);
  await using service = await startService({ orders: [...orders, night] });
  const range = ['--since', '2026-10-01', '--until', '2026-11-01', '--tz', 'America/Mexico_City'];
  const { stdout } = await service.run(['orders', 'export', '--rows', 'refunds', ...range, '--csv']);
  writeFileSync(join(service.home.path, 'october.csv'), stdout);
  const compare = ['refunds', 'compare', 'october.csv', '--period', '2026-10', '--json'];
  const local = await service.run([...compare, '--tz', 'America/Mexico_City']);
  expect([local.code, local.stderr]).toEqual([
    0,
    expect.stringMatching(/^as of .* UTC-6: the orders were read/m),
  ]);
  const ran = await service.run(compare);
  expect(ran.code).toBe(8);
  expect(recordsIn(ran).at(-1)).toMatchObject({ verdict: 'not_in_file', refund_id: 'rf_night' });
});

it('a reference that no order has is not found, as an unknown order is, and the other rows are compared', async () => {
  const named = (name: string, number: string) =>
    order(name, [made(`rf_${name}`, 300, october)], { metadata: { number } });
  await using service = await startService({
    orders: [named('a', 'A-1'), named('b', 'B-1'), named('c', 'B-1')],
  });
  await storeShop(service.home, service, { 'reference.keys': 'number' });
  const compare = (...lines: readonly string[]) => {
    writeFileSync(join(service.home.path, 'f.csv'), `reference,amount\n${lines.join('\n')}\n`);
    return paydesk(['-p', 'shop', 'refunds', 'compare', 'f.csv', '--json'], { home: service.home });
  };
  const ran = await compare('A-1,300', 'A-9,300', 'A-8,20');
  expect(ran.code, ran.stderr).toBe(8);
  expect(recordsIn(ran).map(({ order_id, verdict, why }) => [order_id, verdict, why])).toEqual([
    ['ord_a', 'refunded', null],
    [null, 'not_found', "no order has the shop's own number A-9"],
    [null, 'not_found', "no order has the shop's own number A-8"],
  ]);
  const several = await compare('A-1,300', 'B-1,300');
  expect(several.code).toBe(2);
  expect(several.stderr).toContain("2 orders have the shop's own number B-1");
});

it('a row in another currency than its order is a difference of its own, and claims its refund all the same', async () => {
  await using service = await startService({ orders });
  const lines = ['ord_a,300,rf_oct,eur', 'ord_b,70,rf_usd,USD', 'ord_c,9,,EUR', 'ord_a,300,,MXN'];
  writeFileSync(
    join(service.home.path, 'f.csv'),
    `order_id,amount,refund_id,currency\n${lines.join('\n')}\n`,
  );
  const ran = await service.run(['refunds', 'compare', 'f.csv', '--since', '2026-09-01', '--json']);
  expect(ran.code, ran.stderr).toBe(8);
  expect(
    recordsIn(ran).map(({ verdict, wanted, refunded, difference, why }) => [
      verdict,
      wanted,
      refunded,
      difference,
      why,
    ]),
  ).toEqual([
    ['other_currency', 300, 300, 300, 'the file says 300 EUR, and the order is in MXN'],
    ['refunded', 70, 70, 0, null],
    ['other_currency', 9, 5, 9, 'the file says 9 EUR, and the order is in MXN'],
    ['refunded', 300, 300, 0, null],
  ]);
  // Rows, what the file says, what went back for it, the difference, and what went back for no row.
  expect(sumsIn(ran)).toEqual([
    ['EUR', 2, 309, 0, 309, 0],
    ['MXN', 1, 300, 300, 0, 0],
    ['USD', 1, 70, 70, 0, 0],
  ]);
  expect(ran.stderr).toContain(
    '2 in another currency than the file says (305 MXN went back, the file says 309 EUR)\n',
  );
  expect(ran.stderr).toContain('MXN: 305 MXN went back for rows that say another currency\n');
});

it('with a period, a refund beside the one that a row is about is no more of that row, but not in the file', async () => {
  const charge = chargeOf('ch_a', 20_000, {
    refunds: listOf(made('rf_own', 700, october), made('rf_else', 12_000, october)),
  });
  const shown = orderOf('ord_a', [charge], { amount_refunded: 12_700 });
  await using service = await startService({ orders: [shown] });
  writeFileSync(join(service.home.path, 'f.csv'), 'order_id,amount\nord_a,700\n');
  const ask = async (...more: readonly string[]) => {
    const ran = await service.run(['refunds', 'compare', 'f.csv', '--json', ...more]);
    return recordsIn(ran).map(({ verdict, refunded, difference }) => [verdict, refunded, difference]);
  };
  expect(await ask('--since', '2000-01-01')).toEqual([
    ['refunded', 700, 0],
    ['not_in_file', 12000, null],
  ]);
  expect(await ask()).toEqual([['more', 12700, -12000]]);
  // A row that is short of money still has the refund that is too large for it.
  writeFileSync(join(service.home.path, 'f.csv'), 'order_id,amount\nord_a,800\n');
  expect(await ask('--since', '2000-01-01')).toEqual([['more', 12700, -11900]]);
});

it('a list of the bank names each refund by its authorization code', async () => {
  const coded = (
    name: string,
    refunds: readonly (readonly [amount: number, code: string])[],
    own: string,
  ): Json =>
    orderOf(
      `ord_${name}`,
      [
        chargeOf(`ch_${name}`, 1000, {
          payment_method: { object: 'card_payment', auth_code: own, last4: '4242' },
          refunds: listOf(
            ...refunds.map(([amount, auth_code], at) => refundOf(`rf_${name}${at}`, amount, { auth_code })),
          ),
        }),
      ],
      { amount_refunded: refunds.reduce((sum, [amount]) => sum + amount, 0) },
    );
  await using service = await startService({
    orders: [
      coded(
        'a',
        [
          [300, 'A1'],
          [200, 'A2'],
        ],
        '100001',
      ),
      coded('b', [[70, '100002']], '100002'),
      coded('c', [], '100003'),
      coded('d', [], 'A2'),
    ],
  });
  const compare = async (...lines: readonly string[]) => {
    writeFileSync(
      join(service.home.path, 'bank.csv'),
      `auth_code;Importe devuelto;Fecha\n${lines.join('\n')}\n`,
    );
    return await service.run(['refunds', 'compare', 'bank.csv', '--json']);
  };
  const ran = await compare('A2;200;1', '100001;300;1', '100002;70;1', '100003;50;1', 'none;5;1');
  expect(ran.code, ran.stderr).toBe(8);
  expect(recordsIn(ran).map((one) => [one.line, one.verdict, one.order_id, one.refund_id])).toEqual([
    [2, 'refunded', 'ord_a', 'rf_a1'],
    [3, 'refunded', 'ord_a', 'rf_a0'],
    [4, 'refunded', 'ord_b', 'rf_b0'],
    [5, 'not_refunded', 'ord_c', null],
    [6, 'not_found', null, null],
  ]);
  expect(recordsIn(ran).at(-1)?.why).toBe('no charge and no refund has the auth_code none');
  expect(await compare('A1;200;1')).toMatchObject({ code: 8 });

  service.orders = [...service.orders, coded('e', [[9, '100002']], '100009')];
  const two = await compare('100002;70;1', ';1;1');
  expect(two).toMatchObject({ code: 2 });
  expect(two.stderr).toContain(
    'line 2: 2 orders have the auth_code 100002: ord_b, ord_e; name the right one in a column order_id',
  );
  expect(two.stderr).toContain('line 3: auth_code is blank: each row names its order');
});
