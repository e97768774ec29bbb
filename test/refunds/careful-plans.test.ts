/** What a plan must not overlook: twins that are not in the file, repeats, halves of a row, and what somebody settled by hand. */

import { describe, expect, it } from 'vitest';
import { later } from '../harness/clock.ts';
import { chargeOf, notReturnable, orderOf } from '../harness/orders.ts';
import { inOneLine } from '../harness/ran.ts';
import { json } from '../harness/server.ts';
import { storeShop } from '../harness/service.ts';
import { order, orders, recordsIn, splitOrder, startRefunds } from './refund-service.ts';

const sameBuyer = { customer_info: { object: 'customer_info', name: 'Buyer', email: 'same@example.com' } };
const twins = () => [order('ord_1', sameBuyer), order('ord_2', sameBuyer), ...orders(9).slice(2)];
const duplicate = (id: string) => `${id},full,duplicated_transaction`;
const titles = 'order_id,amount,reason';

describe('twins', () => {
  it('a refunded twin that no row names is found, and the row waits for --again', async () => {
    await using service = await startRefunds(twins());
    const id = service.refund('ord_2', 'ch_ord_2', 35_000);

    const planned = await service.plan([titles, duplicate('ord_1')], '--json');
    const applied = await service.apply();
    const named = await service.plan([titles, duplicate('ord_1')], '--again', id, '--json');

    expect([planned.code, applied.code, named.code]).toEqual([8, 8, 0]);
    expect(recordsIn(planned)).toMatchObject([
      {
        verdict: 'look',
        why: expect.stringMatching(new RegExp(`^ord_2, another order of this buyer, .* add --again ${id}$`)),
      },
    ]);
    expect(recordsIn(named)).toMatchObject([{ verdict: 'ready' }]);
    expect(service.posts).toEqual([]);
  });

  it.each(['requested_by_client', ''])(
    'a row with the reason "%s" is marked with a twin that is not in the file',
    async (reason) => {
      await using service = await startRefunds(twins());

      const planned = await service.plan([titles, `ord_1,full,${reason}`], '--json');

      expect(recordsIn(planned)).toMatchObject([
        {
          verdict: 'ready',
          notes: expect.stringMatching(/^ord_2, another order of this buyer, same amount, /),
        },
      ]);
      expect(planned.stderr).not.toContain('did not read');
    },
  );

  it('of many orders that are read where the index has them the neighbours are not read, and a note says so', async () => {
    await using service = await startRefunds(orders(1000));
    await service.run(['index', 'build', '--yes']);
    const rows = Array.from({ length: 21 }, (_, at) => `ord_${at * 40 + 60},full,`);
    const looks = () => service.requests.filter(({ url }) => url.includes('limit=50')).length;

    const few = await service.plan([titles, ...rows.slice(1)]);
    const looksOfFew = looks();
    const many = await service.plan([titles, ...rows]);

    expect([few.code, many.code]).toEqual([0, 0]);
    expect([looksOfFew, looks()]).toEqual([40, 40]);
    expect(few.stderr).not.toContain('did not read');
    expect(inOneLine(many.stderr)).toContain(
      'paydesk did not read the orders next to 21 of the 21 orders, so a twin that is not in the file may be missing',
    );
  });

  it('of two twins in one file the second waits for --again with the first order', async () => {
    await using service = await startRefunds(twins());
    const rows = [titles, duplicate('ord_1'), duplicate('ord_2')];

    const planned = await service.plan(rows, '--json');
    const named = await service.plan(rows, '--again', 'ord_1', '--json');

    expect(recordsIn(planned)).toMatchObject([
      {
        verdict: 'ready',
        notes: expect.stringContaining('ord_2, same buyer and amount, is in this file too (line 3)'),
      },
      {
        verdict: 'look',
        why: 'ord_1, same buyer and amount, is in this file too (line 2): the buyer gets both payments back; if that is meant, add --again ord_1',
      },
    ]);
    expect(recordsIn(named).map(({ verdict }) => verdict)).toEqual(['ready', 'ready']);
  });

  it('a twin in the file that cannot be refunded stops nothing', async () => {
    const [one, two, ...more] = twins();
    await using service = await startRefunds([{ ...one, is_refundable: false }, two ?? {}, ...more]);

    const planned = await service.plan([titles, duplicate('ord_1'), duplicate('ord_2')], '--json');

    expect(recordsIn(planned).map(({ verdict }) => verdict)).toEqual(['impossible', 'ready']);
  });
});

it('a row that was settled by hand as not made says so before it is sent again, also with --quiet', async () => {
  let isLost = true;
  await using service = await startRefunds(orders(2), {
    instead: () => (isLost ? json({}, 502) : undefined),
  });
  await service.plan(['order_id,amount', 'ord_1,100']);
  const lost = await service.apply('--json');
  isLost = false;
  const env = later(10 * 60_000);
  const said = ['--not-applied', '--note', 'the bank shows nothing', '--confirm', 'ord_1'];
  await service.run(['journal', 'settle', String(recordsIn(lost)[0]?.change), ...said], { env });

  const status = await service.run(['refunds', 'status', 'refunds.plan', '--json'], { env });
  const planned = await service.run(['refunds', 'plan', 'refunds.csv', '--to', 'new.plan', '--json'], {
    env,
  });
  const sent = await service.run(['refunds', 'apply', 'refunds.plan', '--yes', '--quiet'], { env });

  expect(recordsIn(status)).toMatchObject([{ verdict: 'recorded_not_made' }]);
  expect(status.stderr).toContain('of 1 row 1 recorded not made');
  expect(status.stderr).not.toContain('refused by the service');
  const words = "'s note: the bank shows nothing)";
  expect(recordsIn(planned)).toMatchObject([{ verdict: 'ready', notes: expect.stringContaining(words) }]);
  expect(inOneLine(sent.stderr)).toContain('line 2, ord_1: settled by hand: ');
  expect(inOneLine(sent.stderr)).toContain(words);
  expect(inOneLine(sent.stderr)).toContain('If it was made after all, this pays the buyer twice');
  expect(sent.code).toBe(0);
  expect(service.posts).toHaveLength(2);
});

it('a charge that was refunded before is marked with how much and when; full says what went back', async () => {
  await using service = await startRefunds(orders(2), { madeAt: 1_700_000_000 });
  const id = service.refund('ord_1', 'ch_ord_1', 16_000);

  const planned = await service.plan(['order_id,amount', 'ord_1,full'], '--json');

  const [row] = recordsIn(planned);
  expect(row).toMatchObject({ verdict: 'ready', amount: 19_000 });
  expect(row?.notes).toContain('16000 of 35000 MXN went back before: full means the rest');
  expect(row?.notes).toMatch(
    new RegExp(`refunded before: 16000 MXN, ${id}, made at .*2023.*, elsewhere; the buyer may mean`),
  );
});

describe('rows of one order', () => {
  it('a row whose money another line takes names that line', async () => {
    await using service = await startRefunds([splitOrder('ord_s', 1000, 2000)]);

    const planned = await service.plan(
      ['order_id,charge_id,amount,ref', 'ord_s,1,full,a', 'ord_s,1,5,b', 'ord_s,2,1900,c', 'ord_s,2,101,d'],
      '--json',
    );

    expect(recordsIn(planned).map(({ why, amount }) => [amount, why])).toEqual([
      [1000, null],
      [5, 'line 2 of this file takes all that is left'],
      [1900, null],
      [101, 'line 4 of this file takes so much that only 100 of 101 MXN is left for this row'],
    ]);
  });

  it('what cannot be sent shows what the file asks for', async () => {
    await using service = await startRefunds([
      order('ord_1', { is_refundable: false }),
      order('ord_2', { payment_status: 'pre_authorized' }),
    ]);

    const rows = ['order_id,amount', 'ord_1,full', 'ord_2,full', 'ord_9,70', 'ord_8,full'];
    const planned = await service.plan(rows, '--csv', '--columns', 'order_id,amount,verdict');

    expect(planned.stdout).toBe(
      'order_id,amount,verdict\nord_1,35000,impossible\nord_2,35000,impossible\nord_9,70,impossible\nord_8,,impossible\n',
    );
  });
});

describe('--allocate', () => {
  const closed = () => {
    const charges = [
      chargeOf('ch_1', 1210, { order_id: 'ord_s' }),
      chargeOf('ch_2', 726, { order_id: 'ord_s', is_refundable: false }),
    ];
    return orderOf('ord_s', charges);
  };

  it('sends nothing of a row of which a part cannot go back', async () => {
    await using service = await startRefunds([closed(), order('ord_2')]);

    const rows = ['order_id,amount', 'ord_s,1936', 'ord_2,full'];
    const planned = await service.plan(rows, '--allocate', 'in-order', '--json');
    const applied = await service.apply();
    const single = await service.run([
      'orders',
      'refund',
      'ord_s',
      '--amount',
      '1936',
      '--allocate',
      'in-order',
      '--yes',
    ]);

    expect([planned.code, applied.code, single.code]).toEqual([8, 8, 3]);
    const why = 'only 1210 of 1936 MXN can be refunded: charge 2 is not refundable';
    expect(recordsIn(planned)).toMatchObject([
      { verdict: 'impossible', amount: 1936, why },
      { verdict: 'ready' },
    ]);
    expect(inOneLine(single.stderr)).toContain(why);
    expect(service.made.map((made) => made.order)).toEqual(['ord_2']);
  });

  it('is not needed if only one charge can be refunded: a row is then planned as the refund alone', async () => {
    const why = '1936 is more than is left on charge 1 (*4242) of ord_s: 1210 paid, 0 refunded, 1210 left';
    await using service = await startRefunds([closed()]);
    const alone = (amount: string) =>
      service.run(['orders', 'refund', 'ord_s', '--amount', amount, '--dry-run']);
    const plan = (amount: string) =>
      service.plan(['order_id,amount', `ord_s,${amount}`], '--json', '--dry-run');

    expect(recordsIn(await plan('500'))).toMatchObject([{ verdict: 'ready', amount: 500, why: null }]);
    expect((await alone('500')).stdout).toContain('"charge_id":"ch_1", "amount":500');
    expect(recordsIn(await plan('1936'))).toMatchObject([{ verdict: 'impossible', amount: 1936, why }]);
    expect(inOneLine((await alone('1936')).stderr)).toContain(why);
    await service.plan(['order_id,amount', 'ord_s,500']);
    await service.apply();
    expect(service.made).toMatchObject([{ order: 'ord_s', charge: 'ch_1', amount: 500 }]);
  });

  it.each(['plan', 'refresh'])(
    'all parts are impossible if one of them repeats a refund, by %s',
    async (how) => {
      await using service = await startRefunds([splitOrder('ord_s', 1000, 2000)]);
      const rows = ['order_id,amount', 'ord_s,1500'];
      const repeat = () => service.refund('ord_s', 'ch_2', 500);
      if (how === 'plan') repeat();
      const first = await service.plan(rows, '--allocate', 'in-order', '--json');
      if (how === 'refresh') repeat();
      const refresh = ['refunds', 'plan', '--refresh', 'refunds.plan', '--to', 'new.plan', '--json'];
      const planned = how === 'plan' ? first : await service.run(refresh);
      const path = how === 'plan' ? 'refunds.plan' : 'new.plan';
      const applied = await service.run(['refunds', 'apply', path, '--yes']);

      expect(recordsIn(planned)).toMatchObject([
        {
          charge_id: 'ch_1',
          amount: 1000,
          verdict: 'impossible',
          why: expect.stringMatching(/^only 1000 of 1500 MXN can be refunded: charge 2 .* add --again rf_1$/),
        },
        { charge_id: 'ch_2', amount: 500, verdict: 'impossible' },
      ]);
      expect([planned.code, applied.code]).toEqual([8, 8]);
      expect(service.posts).toEqual([]);
    },
  );

  it('a row whose parts are over the limit of the order is not sent in part', async () => {
    const stored = { PAYDESK_BASE_URL: '', PAYDESK_API_KEY: '', PAYDESK_MODE: '', PAYDESK_PROFILE: 'shop' };
    await using service = await startRefunds([splitOrder('ord_s', 1000, 2000)], { env: stored });
    await storeShop(service.home, service, { 'refund.max_amount.MXN': '1200' });

    const planned = await service.plan(['order_id,amount', 'ord_s,1500'], '--allocate', 'in-order', '--json');

    expect(recordsIn(planned).map(({ verdict }) => verdict)).toEqual(['impossible', 'impossible']);
  });

  it('a row of which a limit stops every part says the limit, and not that there is no money', async () => {
    const stored = { PAYDESK_BASE_URL: '', PAYDESK_API_KEY: '', PAYDESK_MODE: '', PAYDESK_PROFILE: 'shop' };
    await using service = await startRefunds([splitOrder('ord_s', 1000, 2000)], { env: stored });
    await storeShop(service.home, service, { 'refund.max_amount.MXN': '300' });

    const planned = await service.plan(['order_id,amount', 'ord_s,1500'], '--allocate', 'in-order', '--json');
    const status = await service.run(['refunds', 'status', 'refunds.plan']);

    const why = expect.stringMatching(/^1000 MXN is over the limit of this account/) as string;
    expect(recordsIn(planned)).toMatchObject([{ why }, { why }]);
    expect(status.code).toBe(8);
  });

  it('planned again without it, a row goes on with the parts that were sent, and asks for it', async () => {
    await using service = await startRefunds([splitOrder('ord_s', 1000, 2000)], {
      instead: () => (service.made.length === 1 ? json(notReturnable, 428) : undefined),
    });
    const rows = ['order_id,amount', 'ord_s,1500'];
    await service.plan(rows, '--allocate', 'in-order');
    await service.apply();

    const planned = await service.plan(rows, '--expect-count', '1', '--expect-total', 'MXN=1500', '--json');

    expect(recordsIn(planned)).toMatchObject([
      { charge_id: 'ch_1', amount: 1000, verdict: 'done' },
      {
        amount: 500,
        verdict: 'impossible',
        why: '500 MXN of this row was not sent yet: to spread that over the charges, add --allocate in-order or largest-first',
      },
    ]);
  });
});

describe('control totals on plan and apply', () => {
  const rows = ['order_id,amount', 'ord_s,1500', 'ord_1,full', 'ord_2,40000', 'ord_9,full'];
  const totals = (count: number, sum: number) => [
    '--expect-count',
    String(count),
    '--expect-total',
    `MXN=${sum}`,
  ];

  it('count the rows of the file, whatever can be sent: a spread row once', async () => {
    await using service = await startRefunds([splitOrder('ord_s', 1000, 2000), ...orders(2)]);
    const allocate = ['--allocate', 'in-order'];

    const right = await service.plan(rows, ...allocate, ...totals(4, 76_500));
    const wrong = await service.plan(rows, ...allocate, ...totals(3, 36_500));
    const refused = await service.apply(...totals(3, 36_500));
    const posts = service.posts.length;
    const applied = await service.apply(...totals(4, 76_500));

    expect([right.code, wrong.code, refused.code, applied.code]).toEqual([8, 2, 2, 8]);
    for (const { stderr } of [wrong, refused]) {
      expect(inOneLine(stderr)).toContain('--expect-count 3: there are 4 rows');
      expect(inOneLine(stderr)).toContain('--expect-total MXN=36500: the rows add up to 76500 MXN');
      expect(inOneLine(stderr)).toContain('impossible rows: lines 4, 5');
    }
    expect(posts).toBe(0);
    expect(service.made).toHaveLength(3);
  });
});

const inUsd = [
  [
    'a column',
    ['order_id,amount,currency,ticket', 'ord_1,500,usd,T-1', 'ord_2,500,MXN,T-2', 'ord_3,500,,T-3'],
  ],
  ['the cell', ['order_id,amount,ticket', 'ord_1,500 usd,T-1', 'ord_2,MXN 500,T-2', 'ord_3,500,T-3']],
] as const;

it.each(inUsd)(
  'a row that %s puts into another currency than its order is impossible, also in a plan made anew and in the rest',
  async (_, rows) => {
    await using service = await startRefunds(orders(3));
    const planned = await service.plan(rows, '--json');
    // A column of tickets is not one that nobody reads.
    expect(planned.stderr).not.toContain('not read');
    const refreshed = await service.run([
      'refunds',
      'plan',
      '--refresh',
      'refunds.plan',
      '--to',
      'new.plan',
      '--json',
    ]);
    const applied = await service.apply();
    await service.run(['refunds', 'status', 'refunds.plan', '--rest', 'rest.csv']);
    const screen = await service.plan(rows);

    const why = 'the file says 500 USD, and the order is in MXN';
    for (const ran of [planned, refreshed])
      expect(recordsIn(ran).map((row) => [row.order_id, row.verdict, row.why])).toEqual([
        ['ord_1', 'impossible', why],
        ['ord_2', 'ready', null],
        ['ord_3', 'ready', null],
      ]);
    expect([planned.code, applied.code]).toEqual([8, 8]);
    expect(service.made.map(({ order: id }) => id)).toEqual(['ord_2', 'ord_3']);
    expect(service.read('rest.csv')).toMatch(/usd/i);
    expect(inOneLine(screen.stderr + screen.stdout)).toContain(why);
  },
);

it('a cell and a column that name two currencies are an error', async () => {
  await using service = await startRefunds(orders(1));
  const ran = await service.plan(['order_id,amount,currency', 'ord_1,500 MXN,USD']);
  expect([ran.code, inOneLine(ran.stderr)]).toEqual([
    2,
    expect.stringContaining('line 2: amount is in MXN, and the column says USD: write the right one in both'),
  ]);
});

it('a file with decimals in another currency than that of the order is refused with both', async () => {
  const env = { PAYDESK_BASE_URL: '', PAYDESK_API_KEY: '', PAYDESK_MODE: '', PAYDESK_PROFILE: 'shop' };
  await using service = await startRefunds(orders(1), { env });
  await storeShop(service.home, service, { 'amounts.decimals.MXN': '2' });
  const ran = await service.plan(['order_id,amount,currency', 'ord_1,5.00,USD']);
  expect(ran.code).toBe(2);
  expect(inOneLine(ran.stderr)).toContain('the file says USD, and the order is in MXN');
});
