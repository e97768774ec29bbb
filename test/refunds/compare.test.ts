/** `refunds compare` against the ledger of the simulator, which a script of the test reads on its own. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsv } from '../harness/csv.ts';
import { type Desk, type Order, startDesk } from '../harness/desk.ts';
import type { Json } from '../harness/orders.ts';
import { json } from '../harness/server.ts';
import { csvOf, recordsIn, sumsIn } from './refund-service.ts';

// ── The file of 40, and what was refunded by anybody ────────────────────────────────────────────

const kinds = {
  refunded: 14,
  refundedInPart: 4,
  inPart: 5,
  more: 4,
  not: 6,
  unconfirmed: 3,
  elsewhere: 3,
} as const;

let desk: Desk;
let file: readonly (readonly [id: string, charge: string, amount: string])[];
const lost = new Set<string>();
const missing = [
  'ord_2zzzzzzzzzzzzzzz1',
  'ord_2zzzzzzzzzzzzzzz2',
  'ord_2zzzzzzzzzzzzzzz3',
  'ord_2zzzzzzzzzzzzzzz4',
];
// Not today: the test may begin a second before midnight.
const since = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

beforeAll(async () => {
  desk = await startDesk({
    args: ['--orders', '400'],
    instead: ({ method, url }) =>
      method === 'POST' && [...lost].some((id) => url.includes(id)) ? json({}, 502) : undefined,
  });
  const all = (await desk.orders()).filter(
    ({ payment_status, is_refundable, amount, amount_refunded, charges }) =>
      payment_status === 'paid' &&
      is_refundable === true &&
      amount > 1000 &&
      amount_refunded === 0 &&
      charges?.data.length === 1,
  );
  const take = (count: number) => all.splice(0, count);
  const refund = async (order: Order, body: Json) => {
    const { status } = await desk.request('POST', `/orders/${order.id}/refunds`, body);
    expect(status).toBeLessThan(300);
  };
  const part = (order: Order, amount: number) => ({ charge_id: order.charges?.data[0]?.id, amount });
  const refunded = take(kinds.refunded);
  for (const [index, order] of refunded.entries())
    if (index > 0) await refund(order, {});
    else expect((await desk.script(['orders', 'refund', order.id, '--yes'])).code).toBe(0);
  const refundedInPart = take(kinds.refundedInPart);
  for (const order of refundedInPart) await refund(order, part(order, 300));
  const inPart = take(kinds.inPart);
  for (const order of inPart) await refund(order, part(order, 300));
  const more = take(kinds.more);
  for (const order of more) {
    await refund(order, part(order, 51));
    await refund(order, part(order, 300));
  }
  for (const order of take(kinds.elsewhere)) await refund(order, part(order, 77));
  const not = take(kinds.not);
  const unconfirmed = take(kinds.unconfirmed);
  for (const { id } of unconfirmed) {
    lost.add(id);
    expect((await desk.script(['orders', 'refund', id, '--yes'])).code).toBe(7);
  }
  file = [
    ...refunded.map(
      ({ id }, index) => [id, index % 2 === 0 ? 'any' : 'full', index % 3 === 0 ? '' : 'full'] as const,
    ),
    ...refundedInPart.map(({ id }) => [id, '1', '300'] as const),
    ...inPart.map(({ id, charges }) => [id, charges?.data[0]?.id ?? '', '400'] as const),
    ...more.map(({ id }) => [id, 'any', '299'] as const),
    ...not.map(({ id }) => [id, 'any', 'full'] as const),
    ...unconfirmed.map(({ id }) => [id, 'any', 'full'] as const),
    ...missing.map((id) => [id, 'any', '5'] as const),
  ];
  expect(file).toHaveLength(40);
});

afterAll(() => desk[Symbol.asyncDispose]());

function compare(rows: typeof file, ...more: readonly string[]) {
  const lines = rows.map(([id, charge, amount], index) => `row ${index},${id},${charge},${amount}`);
  writeFileSync(join(desk.home.path, 'file.csv'), csvOf(['who,order_id,charge_id,amount', ...lines]));
  return desk.script(['refunds', 'compare', 'file.csv', ...more]);
}

// ── What the ledger says, without our code ──────────────────────────────────────────────────────

interface Said {
  readonly order_id: string;
  readonly verdict: string;
  readonly refunded: number;
  readonly refund_id: string | null;
}

function saidByLedger(ledger: readonly Order[], rows: typeof file): readonly Said[] {
  return rows.map(([id, , amount]) => {
    const found = ledger.find((order) => order.id === id);
    if (found === undefined) return { order_id: id, verdict: 'not_found', refunded: 0, refund_id: null };
    const records = recordsOf(found);
    const sum = records.reduce((total, record) => total - record.amount, 0);
    const wanted = amount === '' || amount === 'full' ? found.amount : Number(amount);
    const short = lost.has(id) ? 'unconfirmed' : sum === 0 ? 'not_refunded' : 'in_part';
    const verdict = sum > wanted ? 'more' : sum === wanted ? 'refunded' : short;
    return {
      order_id: id,
      verdict,
      refunded: sum,
      refund_id: records.map((record) => record.id).join(' ') || null,
    };
  });
}

function recordsOf({ charges }: Order) {
  return (charges?.data ?? []).flatMap(({ refunds }) => refunds?.data ?? []) as unknown as readonly {
    readonly id: string;
    readonly amount: number;
    readonly created_at: number;
  }[];
}

function elsewhereByLedger(ledger: readonly Order[], rows: typeof file): readonly Said[] {
  const named = new Set(rows.map(([id]) => id));
  return ledger
    .filter(({ id }) => !named.has(id))
    .flatMap((order) =>
      recordsOf(order)
        .filter((record) => record.created_at * 1000 >= Date.parse(since))
        .map((record) => ({
          order_id: order.id,
          verdict: 'not_in_file',
          refunded: -record.amount,
          refund_id: record.id,
        })),
    );
}

function said(stdout: string): readonly Said[] {
  const { data } = JSON.parse(stdout) as { readonly data: readonly Said[] };
  return data.map(({ order_id, verdict, refunded, refund_id }) => ({
    order_id,
    verdict,
    refunded,
    refund_id,
  }));
}

const byId = (one: Said, other: Said) =>
  `${one.order_id}${one.refund_id}`.localeCompare(`${other.order_id}${other.refund_id}`);

// ── The claims ──────────────────────────────────────────────────────────────────────────────────

it('a file of 40 with every verdict: each row, and every refund that is not in the file, is as the ledger has it', async () => {
  const ledger = await desk.orders();

  const ran = await compare(file, '--since', since, '--json');
  const found = said(ran.stdout);

  expect(found.slice(0, 40)).toEqual(saidByLedger(ledger, file));
  const elsewhere = elsewhereByLedger(ledger, file);
  expect(elsewhere.length).toBeGreaterThanOrEqual(kinds.elsewhere);
  expect(found.slice(40).toSorted(byId)).toEqual(elsewhere.toSorted(byId));
  const times = recordsIn(ran)
    .slice(40)
    .map(({ refunded_at: at }) => Number(at));
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  expect(new Set(found.map(({ verdict }) => verdict))).toEqual(
    new Set(['refunded', 'in_part', 'more', 'not_refunded', 'unconfirmed', 'not_found', 'not_in_file']),
  );
  expect(ran.code).toBe(7);
});

it('its closing lines count the verdicts and add up what went back', async () => {
  const ledger = await desk.orders();
  const rows = saidByLedger(ledger, file);
  const currencies = new Map(ledger.map(({ id, currency }) => [id, currency]));

  const { stderr } = await compare(file);

  for (const [verdict, words] of [
    ['refunded', 'refunded as the file says'],
    ['in_part', 'in part'],
    ['more', 'more than the file says'],
  ]) {
    const some = rows.filter((row) => row.verdict === verdict);
    expect(stderr).toContain(`${some.length} ${words} (`);
    for (const [currency, ofIt] of Map.groupBy(some, ({ order_id }) => currencies.get(order_id)))
      expect(stderr).toContain(`${ofIt.reduce((sum, { refunded }) => sum + refunded, 0)} ${currency}`);
  }
  expect(stderr).toContain('6 not refunded (the file says ');
  expect(stderr).toContain('3 unconfirmed: paydesk journal reconcile --all\n');
  expect(stderr).toContain('4 not found (the file says 20, currency unknown)\n');
});

it('has the sums of each currency beside its rows: what the file says, what went back, the difference, what is not in the file', async () => {
  const ran = await compare(file, '--since', since, '--json');
  const rows = recordsIn(ran);
  const plain = new Map<unknown, number[]>();
  for (const { currency, line, wanted, refunded, difference } of rows) {
    expect(difference).toBe(wanted === null ? null : Number(wanted) - Number(refunded));
    const sums = plain.get(currency) ?? [0, 0, 0, 0, 0];
    plain.set(currency, sums);
    const [count = 0, asked = 0, back = 0, , others = 0] = sums;
    const isInFile = line !== null;
    const all = isInFile
      ? [count + 1, asked + Number(wanted), back + Number(refunded)]
      : [count, asked, back];
    sums.splice(0, 5, ...all, (all[1] ?? 0) - (all[2] ?? 0), isInFile ? others : others + Number(refunded));
  }
  expect(plain.size).toBeGreaterThan(1);
  expect(sumsIn(ran)).toEqual([...plain].map(([currency, sums]) => [currency, ...sums]));
  expect(sumsIn(ran).some((sums) => sums.at(-1) !== 0)).toBe(true);
});

it('says who refunded, if this machine knows, and shows the columns of the file', async () => {
  const data = recordsIn(await compare(file.slice(0, 2), '--json'));

  expect(data.map(({ operator }) => operator)).toEqual([expect.any(String), null]);
  const screen = await compare(file.slice(0, 2), '--width', '100');
  expect(screen.stdout).toMatch(/DIFFERENCE +MADE.* BY /);
  expect(screen.stdout).toMatch(/ elsewhere *\n/);
  expect(screen.stderr).toMatch(/^as of .*: the orders were read from the service$/m);
  expect(data.map(({ input }) => input)).toMatchObject([{ who: 'row 0' }, { who: 'row 1' }]);
});

it('the CSV has the same rows as the JSON', async () => {
  const table = await compare(file, '--csv');
  const list = await compare(file, '--json');

  const [titles = [], ...rows] = readCsv(table.stdout);
  const at = (title: string) => titles.indexOf(title);
  expect(rows.map((row) => [row[at('order_id')], row[at('verdict')], Number(row[at('refunded')])])).toEqual(
    said(list.stdout).map(({ order_id, verdict, refunded }) => [order_id, verdict, refunded]),
  );
});

describe('the exit code', () => {
  it('is 0 only if every row was refunded as it says', async () => {
    expect((await compare(file.slice(0, kinds.refunded + kinds.refundedInPart))).code).toBe(0);
  });

  it.each([
    ['a row was refunded in part', 18],
    ['a row was refunded more', 23],
    ['a row was not refunded', 27],
    ['a row was not found', 36],
  ])('is 8 if %s', async (_, index) => {
    expect((await compare([...file.slice(0, 3), ...file.slice(index, index + 1)])).code).toBe(8);
  });

  it('is 8 if the service shows a refund that is not in the file', async () => {
    expect((await compare(file.slice(0, 3), '--since', since)).code).toBe(8);
  });

  it('is 7 while a row is unconfirmed', async () => {
    expect((await compare(file.slice(0, 36))).code).toBe(7);
  });
});

it('sends nothing', async () => {
  const posts = desk.changes().length;
  await compare(file, '--since', since);
  expect(desk.changes()).toHaveLength(posts);
});
