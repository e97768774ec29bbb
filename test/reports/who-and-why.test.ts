/** Which refunds `refunds list` shows, and what it, exports and the journal say of who asked and why. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { inOneLine } from '../harness/ran.ts';
import type { Service } from '../harness/service.ts';
import { readWorkbook, rowOf, said } from '../harness/workbook.ts';
import { recordsIn, startRefunds } from '../refunds/refund-service.ts';
import { clock, orderAt, refundAs, startDated, startRefunding } from './refunded-orders.ts';

const ask = (service: Service, ...words: readonly string[]) => service.run(words, { env: clock });
const ordersOf = (stdout: string) =>
  (JSON.parse(stdout) as { readonly data: readonly { readonly order_id: string }[] }).data.map(
    ({ order_id: id }) => id,
  );
const list = ['refunds', 'list', '--period', '2040-11', '--json'];

/** Three refunds of this machine, by two people, and one of somebody else. */
async function startShop(): Promise<Service> {
  const sizes = { a: 400_000, b: 399_999, c: 900_000 };
  const service = await startRefunding(
    Object.entries(sizes).map(([name, amount]) => orderAt(`ord_${name}`, '2040-11-20T10:00:00Z', { amount })),
  );
  await refundAs(service, 'ana', 'ord_a');
  await refundAs(service, 'ben', 'ord_b');
  await refundAs(service, 'ben', 'ord_c');
  const made = { amount: 500_000, at: '2040-11-21T09:00:00Z' };
  const elsewhere = orderAt('ord_e', '2040-11-20T10:00:00Z', { amount: 1_000_000, refunds: [made] });
  service.orders = [...service.orders, elsewhere];
  return service;
}

describe('refunds list', () => {
  test.each([
    ['--min-amount', ['--min-amount', '400000'], ['ord_a', 'ord_c', 'ord_e']],
    ['--max-amount', ['--max-amount', '400000'], ['ord_a', 'ord_b']],
    ['both', ['--min-amount', '399999', '--max-amount', '500000'], ['ord_a', 'ord_b', 'ord_e']],
    ['--operator', ['--operator', 'ben'], ['ord_b', 'ord_c']],
    ['--reason', ['--reason', 'requested_by_client', '--max-amount', '500000'], ['ord_a', 'ord_b']],
    ['--state', ['--state', 'elsewhere'], ['ord_e']],
    ['two states', ['--state', 'pending,elsewhere'], ['ord_e']],
    ['--asked-by', ['--asked-by', 'ana'], ['ord_a']],
    ['--approved-by', ['--approved-by', 'lea'], []],
    ['--approved-by nobody', ['--approved-by', 'nobody'], ['ord_a', 'ord_b', 'ord_c']],
  ])('shows those of %s by the refund itself, not by its order', async (_, words, ids) => {
    await using service = await startShop();
    const ran = await ask(service, ...list, ...words);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ordersOf(ran.stdout).toSorted()).toEqual(ids);
    expect(ran.stderr).toMatch(new RegExp(`^${ids.length} of 4 refunds, .*from`, 'm'));
  });

  test('at 80 columns --operator keeps the columns that there are, since BY names that person; --asked-by adds one', async () => {
    await using service = await startShop();
    const headingOf = async (...words: readonly string[]) => {
      const list = ['refunds', 'list', '--period', '2040-11', '--width', '80', ...words];
      return (await ask(service, ...list)).stdout.split('\n')[0]?.trimEnd().split(/ {2,}/);
    };
    const usual = ['MADE UTC', 'ORDER', 'AMOUNT', 'BY', 'REASON'];
    expect(await headingOf()).toEqual(usual);
    expect(await headingOf('--operator', 'ben')).toEqual(usual);
    expect((await ask(service, ...list.slice(0, -1), '--width', '80', '--asked-by', 'ana')).stdout).toMatch(
      /ASKED BY|asked by ana/,
    );
  });

  test('a name is looked for as the journal writes it, in one word', async () => {
    await using service = await startRefunding([orderAt('ord_a', '2040-11-20T10:00:00Z')]);
    await refundAs(service, 'Ana Torres', 'ord_a');
    for (const name of ['Ana Torres', 'Ana_Torres']) {
      expect(ordersOf((await ask(service, ...list, '--operator', name)).stdout)).toEqual(['ord_a']);
      const journal = await ask(service, 'journal', 'list', '--operator', name, '--json');
      expect(recordsIn(journal).map(({ operator }) => operator)).toEqual(['Ana_Torres']);
    }
  });

  test('says which names there are when one matches nothing', async () => {
    await using service = await startShop();
    const ran = await ask(service, ...list, '--operator', 'bne', '--to', 'bne.csv');
    expect([ran.code, inOneLine(ran.stderr)]).toEqual([
      2,
      expect.stringContaining('--operator bne: nobody here has that name; there is ana, ben'),
    ]);
    expect(existsSync(join(service.home.path, 'bne.csv'))).toBe(false);
    for (const verb of ['list', 'summary']) {
      const asked = await ask(service, 'refunds', verb, '--asked-by', 'bne');
      expect([asked.code, inOneLine(asked.stderr)]).toEqual([
        2,
        expect.stringContaining('--asked-by bne: nobody here has that name; there is ana, ben'),
      ]);
    }
    const capitals = await ask(service, ...list, '--operator', 'BEN');
    expect(ordersOf(capitals.stdout).toSorted()).toEqual(['ord_b', 'ord_c']);
    const other = await ask(service, ...list, '--asked-by', 'elsewhere');
    expect(other.stderr).toContain('refunds that are not from this machine: --state elsewhere');
    expect(JSON.parse((await ask(service, ...list, '--state', 'elsewhere')).stdout).data).toMatchObject([
      { origin: 'elsewhere', operator: null, reason: null, asked_by: null },
    ]);
  });

  test('a state that no order shows is looked for in the journal, and the line says so', async () => {
    await using service = await startShop();
    const ran = await ask(service, ...list, '--state', 'unconfirmed,gone');
    expect(ordersOf(ran.stdout)).toEqual([]);
    expect(ran.stderr).toContain('--state gone: no order shows');
    expect(ran.stderr).toContain(
      '--state unconfirmed: no order shows such a refund of this period, and none was sent from here\n',
    );
  });

  test('refunds that the journal alone knows are counted, and the command that lists them is named', async () => {
    const orders = ['ord_a', 'ord_b'].map((id) => orderAt(id, '2040-11-20T10:00:00Z'));
    await using service = await startRefunding(orders, 'ord_b');
    await refundAs(service, 'ana', 'ord_a');
    const lost = await ask(
      service,
      'orders',
      'refund',
      'ord_b',
      '--reason',
      'other',
      '--note',
      'lost',
      '--yes',
    );
    expect(lost.code).toBe(7);
    const said =
      '--state unconfirmed: only what orders show is a row here; the journal has 1 refund of this period that is unconfirmed: paydesk journal list --open\n';
    for (const command of ['list', 'summary'])
      expect(
        (await ask(service, 'refunds', command, '--period', '2040-11', '--state', 'unconfirmed')).stderr,
      ).toContain(said);
    const before = await ask(service, 'refunds', 'list', '--period', '2040-10', '--state', 'unconfirmed');
    expect(before.stderr).toContain('and none was sent from here');
    // Every sum has what the journal knows, and no list has a row of it.
    const figuresOf = async () => {
      const lists = await ask(service, ...list);
      const sums = await ask(service, 'refunds', 'summary', '--period', '2040-11', '--json');
      await ask(service, 'report', '--period', '2040-11', '--to', 'r.html', '--force');
      const [, page = ''] =
        /<pre id="figures">([\s\S]*?)<\/pre>/.exec(readFileSync(join(service.home.path, 'r.html'), 'utf8')) ??
        [];
      const shown = [
        JSON.parse(lists.stdout).sums[0],
        JSON.parse(sums.stdout).data[0],
        JSON.parse(page).sums[0],
      ];
      const table = await ask(service, 'refunds', 'summary', '--period', '2040-11');
      return {
        shown: shown.map((one) => [one.refunded, one.unconfirmed, one.recorded_made]),
        list: lists.stderr
          .trimEnd()
          .split('\n')
          .slice(-2)
          .map((line) => line.split(': ').at(-1)),
        table: /^note +(1 .*)$/m.exec(table.stdout)?.[1],
      };
    };
    expect(await figuresOf()).toEqual({
      shown: Array(3).fill([10_000, 10_000, 0]),
      list: ['1 went back, 10000 MXN', '1 unconfirmed, 10000 MXN'],
      table: '1 unconfirmed, 10000 MXN: in no sum',
    });
    const [, change = ''] = /paydesk journal reconcile (i_\w+)/.exec(lost.stderr) ?? [];
    const settle = [
      'journal',
      'settle',
      change,
      '--applied',
      '--note',
      'seen at the bank',
      '--confirm',
      'ord_b',
    ];
    const settled = await service.run(settle, { env: standingAt('2040-11-21T16:31:12Z') });
    expect(settled.code, lost.stderr + settled.stderr).toBe(0);
    const recorded = await ask(service, ...list, '--state', 'recorded made');
    expect(inOneLine(recorded.stderr)).toContain(
      `the journal has 1 refund of this period that is recorded as made: ${change} (paydesk journal show ${change})`,
    );
    expect(await figuresOf()).toEqual({
      shown: Array(3).fill([10_000, 0, 10_000]),
      list: ['1 went back, 10000 MXN', '1 recorded made, 10000 MXN'],
      table: '1 recorded made, 10000 MXN: in no sum',
    });
    // Once the order shows it, it counts there alone.
    const refunds = [{ amount: 10_000, at: '2040-11-21T15:31:12Z' }];
    const seen = orderAt('ord_b', '2040-11-20T10:00:00Z', { refunds });
    service.orders = service.orders.map((one) => (one.id === 'ord_b' ? seen : one));
    const { shown, list: closing } = await figuresOf();
    expect([shown, closing.at(-1)]).toEqual([Array(3).fill([20_000, 0, 0]), '2 went back, 20000 MXN']);
    expect((await ask(service, 'today')).stdout).toMatch(/refunded today +2 refunds +20000 MXN/);
  });

  test('refunds summary adds up those that the same flags choose, and says how many', async () => {
    await using service = await startShop();
    const sumOf = async (...words: readonly string[]) => {
      const ran = await ask(service, 'refunds', 'summary', '--period', '2040-11', '--json', ...words);
      expect(ran.code, ran.stderr).toBe(0);
      const [row] = JSON.parse(ran.stdout).data;
      return [row.refunds, row.refunded, /^only with .*$/m.exec(ran.stderr)?.[0]];
    };
    expect(await sumOf('--operator', 'ben')).toEqual([
      2,
      1_299_999,
      'only with --operator ben: 2 of 4 refunds',
    ]);
    expect(await sumOf('--asked-by', 'ana')).toEqual([
      1,
      400_000,
      'only with --asked-by ana: 1 of 4 refunds',
    ]);
    expect(await sumOf('--state', 'elsewhere', '--min-amount', '1')).toEqual([
      1,
      500_000,
      'only with --state elsewhere --min-amount 1: 1 of 4 refunds',
    ]);
    expect(await sumOf('--reason', 'requested_by_client')).toEqual([
      3,
      1_699_999,
      'only with --reason requested_by_client: 3 of 4 refunds',
    ]);
  });

  test('takes the time as a period or as its two ends, and has local times in a CSV if a zone is named', async () => {
    await using service = await startShop();
    const ends = ['refunds', 'list', '--since', '2040-11-01', '--until', '2040-12-01', '--json'];
    const [one, other] = [await ask(service, ...list), await ask(service, ...ends)];
    expect(ordersOf(one.stdout).length).toBeGreaterThan(2);
    expect(ordersOf(other.stdout)).toEqual(ordersOf(one.stdout));
    const zoned = await ask(
      service,
      'refunds',
      'list',
      '--period',
      '2040-11',
      '--tz',
      'Europe/Madrid',
      '--csv',
    );
    const [heading = '', first = ''] = zoned.stdout.split('\n');
    const at = heading.split(',').indexOf('refunded_at_local');
    expect(first.split(',')[at]).toMatch(/^2040-11-\d\dT[\d:]{8}\+01:00$/);
  });

  test('shows buyer, address and number of the order as columns', async () => {
    const made = { amount: 300, at: '2040-11-20T12:00:00Z' };
    const order = orderAt('ord_1', '2040-11-20T10:00:00Z', { refunds: [made], metadata: { number: 'SO-1' } });
    await using service = await startDated({ orders: [order] });
    const ran = await ask(
      service,
      'refunds',
      'list',
      '--period',
      '2040-11',
      '--csv',
      '--columns',
      'buyer,email',
    );
    expect(ran.stdout).toBe('buyer,email\nBuyer Name,ord_1@example.com\n');
  });

  test('names a refund without an amount as left out where amounts are compared', async () => {
    const made = { amount: 300, at: '2040-11-20T12:00:00Z', changes: { amount: null } };
    const order = orderAt('ord_1', '2040-11-20T10:00:00Z', { refunds: [made] });
    await using service = await startDated({ orders: [{ ...order, amount_refunded: 0 }] });
    const ran = await ask(service, ...list, '--min-amount', '1');
    expect(ordersOf(ran.stdout)).toEqual([]);
    expect(ran.stderr).toContain('1 refund left out: no amount is shown, so it cannot be compared');
  });
});

test('orders export --rows refunds --min-amount is about the refund, and --rows charges about the charge', async () => {
  await using service = await startShop();
  const rows = async (kind: string, least: string) => {
    const words = ['orders', 'export', '--rows', kind, '--min-amount', least, '--csv', '--columns', 'amount'];
    const ran = await ask(service, ...words);
    expect(ran.code, ran.stderr).toBe(0);
    return ran.stdout.trim().split('\n').slice(1);
  };
  expect((await rows('refunds', '500001')).toSorted()).toEqual(['-900000']);
  expect((await rows('charges', '500001')).toSorted()).toEqual(['1000000', '900000']);
});

test('a row whose amount is not shown is named when amounts are compared, never left out silently', async () => {
  const made = { amount: 300, at: '2040-11-20T12:00:00Z', changes: { amount: null } };
  const order = { ...orderAt('ord_1', '2040-11-20T10:00:00Z', { refunds: [made] }), amount_refunded: 0 };
  await using service = await startDated({ orders: [order] });
  const words = ['orders', 'export', '--rows', 'refunds', '--min-amount', '1', '--to', 'r.csv'];
  expect(await ask(service, ...words)).toMatchObject({ code: 9 });
  expect(readFileSync(join(service.home.path, 'r.csv.problems.csv'), 'utf8')).toBe(
    'order_id,missing,why\nord_1,amount,rf_ord_1_1 shows no amount\n',
  );
});

test('the column ticket of a plan stands in the list of refunds, in an export, in the journal and on the order', async () => {
  await using service = await startRefunds([orderAt('ord_1', '2026-11-20T10:00:00Z')]);
  writeFileSync(
    join(service.home.path, 'rows.csv'),
    'order_id,amount,note,Ticket,seat\nord_1,full,box was empty,T-8840,A1\n',
  );
  await service.run(['refunds', 'plan', 'rows.csv', '--to', 'rows.plan']);
  const applied = await service.run(['refunds', 'apply', 'rows.plan', '--yes']);
  expect(applied.code, applied.stderr).toBe(0);
  const period = ['--period', '2020-01-01..2100-01-01', '--json'];
  const [listed] = recordsIn(await service.run(['refunds', 'list', ...period]));
  // No reason is words on a screen, and nothing in what a script reads.
  expect(listed?.reason).toBe(null);
  const screen = await service.run(['refunds', 'list', ...period.slice(0, -1), '--width', '100']);
  expect(screen.stdout).toMatch(/ root +- /);
  const [exported] = (await service.run(['orders', 'export', '--rows', 'refunds', '--ndjson'])).stdout.split(
    '\n',
  );
  const [sent] = recordsIn(await service.run(['journal', 'list', '--json']));
  const told = {
    ticket: 'T-8840',
    note: 'box was empty',
    asked_by: sent?.operator,
    approved_by: null,
    approved_at: null,
    request: null,
  };
  for (const row of [listed, JSON.parse(exported ?? ''), sent]) expect(row).toMatchObject(told);
  const shown = await service.run(['orders', 'show', 'ord_1']);
  expect(shown.stdout).toContain('ticket T-8840');
  expect(shown.stdout).toContain('box was empty');
  const reported = await service.run(['report', '--period', '2020-01-01..2100-01-01', '--to', 'r.html']);
  expect(reported.code, reported.stderr).toBe(0);
  expect(readFileSync(join(service.home.path, 'r.html'), 'utf8')).toMatch(
    /<th[^>]*>Ticket<\/th>[\s\S]*T-8840/,
  );
});

describe('refunds summary of some amounts', () => {
  test.each([
    ['--min-amount', ['--min-amount', '400000'], [3, 1_800_000]],
    ['--max-amount', ['--max-amount', '400000'], [2, 799_999]],
    ['both', ['--min-amount', '399999', '--max-amount', '500000'], [3, 1_299_999]],
  ])(
    'adds up with %s just what refunds list shows, and puts no payments beside it',
    async (_, words, sums) => {
      await using service = await startShop();
      const ran = await ask(service, 'refunds', 'summary', '--period', '2040-11', '--json', ...words);
      expect(ran.code, ran.stderr).toBe(0);
      expect(recordsIn(ran)).toMatchObject([{ payments: null, paid: null, rate_percent: null }]);
      expect(recordsIn(ran).map(({ refunds, refunded }) => [refunds, refunded])).toEqual([sums]);
      const listed = recordsIn(await ask(service, ...list, ...words)).map(({ amount }) => -Number(amount));
      expect([listed.length, listed.reduce((sum, amount) => sum + amount, 0)]).toEqual(sums);
    },
  );

  test('on a screen the rate is gone, and by reason only these refunds are split', async () => {
    await using service = await startShop();
    const words = ['refunds', 'summary', '--period', '2040-11', '--min-amount', '450000', '--by', 'operator'];
    const { code, stdout } = await ask(service, ...words);
    expect(code).toBe(0);
    expect(stdout).not.toContain('OF PAID');
    expect(stdout).toContain('there is no rate');
    expect(stdout).toMatch(/ben .*900000/);
    expect(stdout).not.toContain('ana');
  });
});

test('a workbook of refunds begins with what an accountant looks for, and compares refund by refund all the same', async () => {
  await using service = await startShop();
  const words = ['refunds', 'list', '--period', '2040-11', '--to', 'r.xlsx'];
  const ran = await ask(service, ...words);
  expect(ran.code, ran.stderr).toBe(0);
  const { rows } = readWorkbook(readFileSync(join(service.home.path, 'r.xlsx')));
  const exported = ['orders', 'export', '--rows', 'refunds', '--period', '2040-11', '--to', 'e.xlsx'];
  expect((await ask(service, ...exported)).code).toBe(0);
  const other = readWorkbook(readFileSync(join(service.home.path, 'e.xlsx'))).rows;
  const titlesOf = (all: typeof rows) =>
    rowOf(all, 1, 'ABCDEFGHIJKLMNOPQRS').map((cell) => cell?.text?.replace(/ \(.*/, ''));
  expect(titlesOf(other)).toEqual(titlesOf(rows));
  expect(titlesOf(rows).slice(0, 13)).toEqual([
    'refunded_at',
    'order_id',
    'reference',
    'buyer',
    'amount',
    'went_back',
    'currency',
    'state',
    'reason',
    'operator',
    'asked_by',
    'asked_at',
    'approved_by',
  ]);
  expect(rowOf(rows, 2, 'BDEGH').map((cell) => cell?.text ?? cell?.number)).toEqual([
    expect.stringMatching(/^ord_/),
    'Buyer Name',
    expect.any(Number),
    'MXN',
    expect.any(String),
  ]);
  const compared = await ask(service, 'refunds', 'compare', 'r.xlsx', '--json');
  expect(compared.code, compared.stderr).toBe(0);
  expect(recordsIn(compared)).toHaveLength(4);
});

test('a workbook of the journal adds up each kind and state by itself, beyond what a number holds', async () => {
  const amounts = { a: Number.MAX_SAFE_INTEGER, b: Number.MAX_SAFE_INTEGER, c: 5, lost: 7 };
  await using service = await startRefunding(
    Object.entries(amounts).map(([name, amount]) =>
      orderAt(`ord_${name}`, '2040-11-20T10:00:00Z', { amount }),
    ),
    'ord_lost',
  );
  for (const name of Object.keys(amounts))
    await service.run(['orders', 'refund', `ord_${name}`, '--yes'], { env: clock });
  const ran = await ask(service, 'journal', 'list', '--to', 'j.xlsx');
  expect(ran.code, ran.stderr).toBe(0);
  const sums = [...said(readWorkbook(readFileSync(join(service.home.path, 'j.xlsx'))).about)].filter(
    ([title]) => title.startsWith('sum of'),
  );
  const all = 2n * BigInt(Number.MAX_SAFE_INTEGER) + 5n;
  // In any order: the newest come first, and all are of the same second.
  expect(new Map(sums)).toEqual(
    new Map<string, unknown>([
      ['sum of amount: refund, made', [String(all), `${all} MXN`]],
      ['sum of amount: refund, unconfirmed', [7, '7 MXN']],
    ]),
  );
});
