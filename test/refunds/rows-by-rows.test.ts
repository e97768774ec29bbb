/** What a plan says of each row, and which rows are sent. */

import { describe, expect, it } from 'vitest';
import { clockOff, later } from '../harness/clock.ts';
import { inProduction, type Json } from '../harness/orders.ts';
import { inOneLine } from '../harness/ran.ts';
import { json } from '../harness/server.ts';
import { storeShop } from '../harness/service.ts';
import { order, orders, type RefundService, recordsIn, splitOrder, startRefunds } from './refund-service.ts';

// The variables of the profile `environment` may not stand beside a stored profile.
const stored = { PAYDESK_BASE_URL: '', PAYDESK_API_KEY: '', PAYDESK_MODE: '', PAYDESK_PROFILE: 'shop' };

async function withSettings(
  some: readonly Json[],
  settings: Readonly<Record<string, string>>,
): Promise<RefundService> {
  const service = await startRefunds(some, { env: stored });
  await storeShop(service.home, service, settings);
  return service;
}

// ── States ──────────────────────────────────────────────────────────────────────────────────────

it.each([
  [
    'a status that paydesk does not know',
    { payment_status: 'in_review' },
    'in_review',
    'paydesk does not know the payment_status in_review',
  ],
  [
    'a charge that was charged back',
    { payment_status: 'charged_back' },
    'charged_back',
    'this order was charged back: the bank has paid the buyer, and a refund pays a second time',
  ],
  ['no status', { payment_status: undefined }, 'absent', 'the order shows no payment_status'],
  ['no is_refundable', { is_refundable: undefined }, 'absent', 'the order does not show is_refundable'],
])('an order with %s is not sent before somebody allows it', async (_, changes, word, why) => {
  await using service = await startRefunds([order('ord_1', changes), order('ord_2')]);
  const rows = ['order_id,amount', 'ord_1,full', 'ord_2,full'];

  const planned = await service.plan(rows, '--json');
  const applied = await service.apply();
  const posts = service.posts.map(({ url }) => url);
  const wrong = await service.plan(rows, '--allow-status', 'under_review', '--json');
  const allowed = await service.plan(rows, '--allow-status', word, '--json');
  const sent = await service.apply();

  expect([planned.code, applied.code, wrong.code, allowed.code, sent.code]).toEqual([8, 8, 8, 0, 0]);
  expect(recordsIn(planned)).toMatchObject([
    { verdict: 'look', why: `${why}: to send it all the same, add --allow-status ${word}` },
    { verdict: 'ready' },
  ]);
  expect(posts).toEqual(['/orders/ord_2/refunds']);
  expect(recordsIn(wrong)).toMatchObject([{ verdict: 'look' }, { verdict: 'done' }]);
  expect(service.made.map((made) => made.order)).toEqual(['ord_2', 'ord_1']);
});

it.each([
  ['is not there', 'ord_9,full', 'there is no order ord_9', 0],
  ['was refunded', 'ord_1,full', 'the order is refunded already', 35_000],
  ['is only authorized', 'ord_2,full', 'the order is only authorized, no money taken', 35_000],
  ['has less left than the amount', 'ord_3,35001', '35001 is more than is left on charge 1', 35_001],
  ['is not refundable', 'ord_4,full', 'the service says that ord_4 is not refundable', 35_000],
  ['has no such charge', 'ord_3,5', 'has no charge ch_x', 5],
])('a row whose order %s is impossible, and the others go on', async (_, row, why, refund) => {
  await using service = await startRefunds([
    ...[1, 3, 5].map((number) => order(`ord_${number}`)),
    order('ord_2', { payment_status: 'pre_authorized' }),
    order('ord_4', { is_refundable: false }),
  ]);
  service.refund('ord_1', 'ch_ord_1', 35_000);
  const charge = why.includes('ch_x') ? 'ch_x' : 'any';

  const planned = await service.plan(
    ['order_id,amount,charge_id', `${row},${charge}`, 'ord_5,full,any'],
    '--json',
  );
  const applied = await service.apply();

  expect([planned.code, applied.code]).toEqual([8, 8]);
  expect(recordsIn(planned)).toMatchObject([
    { verdict: 'impossible', why: expect.stringContaining(why), amount: refund },
    { verdict: 'ready' },
  ]);
  expect(service.posts.map(({ url }) => url)).toEqual(['/orders/ord_5/refunds']);
});

it('a row of an order with an unconfirmed refund is not sent before that is cleared up', async () => {
  await using service = await startRefunds(orders(2), {
    instead: (id) => (id === 'ord_1' ? json({}, 502) : undefined),
  });
  const lost = await service.run(['orders', 'refund', 'ord_1', '--yes']);

  const planned = await service.plan(['order_id,amount', 'ord_1,100', 'ord_2,full'], '--json');
  const applied = await service.apply();

  expect([lost.code, planned.code, applied.code]).toEqual([7, 8, 8]);
  expect(recordsIn(planned)).toMatchObject([
    {
      verdict: 'look',
      why: expect.stringMatching(
        /^an earlier refund of 35000 MXN is unconfirmed: paydesk journal reconcile i_/,
      ),
    },
    { verdict: 'ready' },
  ]);
  expect(service.posts).toHaveLength(2);
});

// ── Twins ───────────────────────────────────────────────────────────────────────────────────────

const sameBuyer = { customer_info: { object: 'customer_info', name: 'Buyer', email: 'same@example.com' } };

it('a possible twin is marked, and its row is sent', async () => {
  await using service = await startRefunds([
    order('ord_1', sameBuyer),
    order('ord_2', sameBuyer),
    order('ord_3'),
  ]);

  const planned = await service.plan(['order_id,amount', 'ord_1,full', 'ord_3,full'], '--json');

  expect(planned.code).toBe(0);
  expect(recordsIn(planned)).toMatchObject([
    { verdict: 'ready', notes: expect.stringMatching(/^ord_2, another order of this buyer, same amount, /) },
    { verdict: 'ready', notes: null },
  ]);
});

it('a duplicated_transaction whose twin was refunded is sent only with --again', async () => {
  await using service = await startRefunds([
    order('ord_1', sameBuyer),
    order('ord_2', sameBuyer),
    order('ord_3'),
  ]);
  const id = service.refund('ord_2', 'ch_ord_2', 35_000);
  const rows = ['order_id,amount,reason', 'ord_1,full,duplicated_transaction', 'ord_3,full,'];

  const planned = await service.plan(rows, '--json');
  const named = await service.plan(rows, '--again', id, '--json');
  const applied = await service.apply();

  expect(recordsIn(planned)).toMatchObject([
    {
      verdict: 'look',
      why: expect.stringMatching(
        new RegExp(
          `^ord_2, another order of this buyer, .*: settled; if you refund both, the buyer gets both payments back; if that is meant, add --again ${id}$`,
        ),
      ),
    },
    { verdict: 'ready' },
  ]);
  expect(recordsIn(named)).toMatchObject([{ verdict: 'ready' }, { verdict: 'ready' }]);
  expect([planned.code, named.code, applied.code]).toEqual([8, 0, 0]);
  expect(service.made).toHaveLength(3);
});

// ── References ──────────────────────────────────────────────────────────────────────────────────

const numbered = (id: string, number: string) => order(id, { metadata: { ticket: number } });

it('reference names an order if exactly one has it; a reference of none or of two is an error with its line', async () => {
  await using service = await withSettings(
    [numbered('ord_1', 'A-1'), numbered('ord_2', 'A-2'), numbered('ord_3', 'A-2')],
    { 'reference.keys': 'ticket' },
  );

  const wrong = await service.plan(
    ['reference,amount', 'A-1,full', 'A-2,full', 'A-3,full'],
    '--errors',
    'errors.csv',
  );
  const right = await service.plan(['reference,amount', 'A-1,full'], '--json');
  const applied = await service.apply();

  expect([wrong.code, right.code, applied.code]).toEqual([2, 0, 0]);
  expect(wrong.stderr).toContain(
    "line 3: 2 orders have the shop's own number A-2: ord_2, ord_3\nline 4: no order has the shop's own number A-3\n",
  );
  expect(service.read('errors.csv')).toContain("\n4,no order has the shop's own number A-3,A-3,full\n");
  expect(recordsIn(right)).toMatchObject([{ order_id: 'ord_1', verdict: 'ready' }]);
  expect(service.made).toEqual([{ order: 'ord_1', charge: 'ch_ord_1', amount: 35_000 }]);
});

it("the shop's own number in the column order_id is looked up, and which order it is is said; none or two are an error of the row", async () => {
  await using service = await withSettings(
    [numbered('ord_1', 'A-1'), numbered('ord_2', 'A-2'), numbered('ord_3', 'A-2'), order('ord_4')],
    { 'reference.keys': 'ticket' },
  );
  const rows = ['order_id,amount', 'A-1\u00a0,\u00a0100', '" ord_4 ",50'];

  const wrong = await service.plan([...rows, 'A-2,full', 'A-3,full', 'ord_4,1 0'], '--errors', 'errors.csv');
  const right = await service.plan(rows, '--json');
  const compared = await service.run(['refunds', 'compare', 'refunds.csv']);
  const applied = await service.apply();

  expect([wrong.code, right.code, compared.code, applied.code]).toEqual([2, 0, 8, 0]);
  expect(wrong.stderr).toContain(
    "line 4: 2 orders have the shop's own number A-2: ord_2, ord_3\nline 5: no order has the shop's own number A-3\nline 6: amount 1 0: ",
  );
  expect(service.read('errors.csv')).toContain("\n5,no order has the shop's own number A-3,A-3,full\n");
  expect([right.stderr, compared.stderr].every((text) => text.includes('line 2: A-1 is ord_1\n'))).toBe(true);
  expect(recordsIn(right)).toMatchObject([
    { order_id: 'ord_1', amount: 100 },
    { order_id: 'ord_4', amount: 50 },
  ]);
  expect(service.made).toHaveLength(2);
});

it("a number without its dash is taken if one order has it, and said; an id one letter off is asked about in the row's error, and never taken", async () => {
  const id = 'ord_v4JESNiqGS0shddsd';
  await using service = await withSettings(
    [numbered('ord_1', 'A-99994'), numbered('ord_2', 'B-77'), numbered('ord_3', 'B77-'), order(id)],
    { 'reference.keys': 'ticket' },
  );

  const right = await service.plan(['reference,amount', 'a99994,full'], '--json');
  const applied = await service.apply();
  const wrong = await service.plan(
    ['order_id,amount', 'B77,full', 'ord_v4JESNiqGS0shddse,full'],
    '--errors',
    'errors.csv',
    '--force',
  );
  const alone = await service.plan(['order_id,amount', 'ord_v4JESNiqGS0shddse,full'], '--json', '--force');

  expect([right.code, applied.code, wrong.code]).toEqual([0, 0, 2]);
  expect(right.stderr).toContain('line 2: a99994 is A-99994, ord_1\n');
  expect(recordsIn(right)).toMatchObject([{ order_id: 'ord_1', verdict: 'ready' }]);
  const meant = `there is no order ord_v4JESNiqGS0shddse; did you mean ${id}?`;
  expect(wrong.stderr).toContain("line 2: 2 orders have the shop's own number B77: ord_2, ord_3\n");
  expect(wrong.stderr).toContain(`line 3: ${meant}\n`);
  expect(service.read('errors.csv')).toContain(meant);
  expect(recordsIn(alone)).toMatchObject([{ order_id: 'ord_v4JESNiqGS0shddse', why: meant }]);
  expect(service.made).toHaveLength(1);
});

it('ids in capitals name their orders, also where the id is the number at the shop', async () => {
  const ids = Array.from({ length: 8 }, (_, index) => `ord_aaaabbbb000${index}`);
  await using service = await withSettings(
    ids.map((id) => numbered(id, id)),
    { 'reference.keys': 'ticket' },
  );
  const { code, stderr } = await service.plan([
    'order_id,amount',
    ...ids.map((id) => `${id.toUpperCase()},100`),
  ]);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain(
    'line 7: ord_aaaabbbb0005 is ord_aaaabbbb0005\nand 2 more rows without the id of the order\n',
  );
});

it('F51 an order that one row names by its id and another by its reference is refused', async () => {
  await using service = await withSettings([numbered('ord_1', 'A-1')], { 'reference.keys': 'ticket' });

  const ran = await service.plan(['reference,order_id,amount', 'A-1,,full', ',ord_1,100']);

  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('line 3: line 2 may refund the same money (ord_1, any charge)');
  expect(service.posts).toEqual([]);
});

// ── A plan made anew, and the rest of one ───────────────────────────────────────────────────────

it('--refresh keeps the identity of the rows and the id of the plan, and has a new digest', async () => {
  await using service = await startRefunds(orders(2));
  await service.plan(['order_id,amount,ref,seat', 'ord_1,full,a,A1', 'ord_2,100,,B2']);
  const before = linesOf(service.read('refunds.plan'));

  const ran = await service.run(['refunds', 'plan', '--refresh', 'refunds.plan', '--to', 'new.plan'], {
    env: later(60_000),
  });
  const after = linesOf(service.read('new.plan'));

  expect(ran.code).toBe(0);
  const keys = (lines: readonly Json[]) => lines.map(({ key }) => key);
  expect(keys(after)).toEqual(keys(before));
  expect(after[0]).toMatchObject({ id: before[0]?.id, refreshes: before.at(-1)?.digest, columns: ['seat'] });
  expect(after.at(-1)?.digest).not.toBe(before.at(-1)?.digest);
  expect(after.slice(1, -1).map(({ more }) => more)).toEqual([['A1'], ['B2']]);
});

function linesOf(text: string): readonly Json[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
}

it('--rest holds the rows that moved nothing, and they can be planned; unconfirmed rows are not in it', async () => {
  await using service = await startRefunds([...orders(4), splitOrder('ord_s', 1000, 2000)], {
    instead: (id) => (id === 'ord_2' ? json({}, 502) : undefined),
  });
  await service.plan(
    [
      'order_id,amount,note,seat',
      'ord_1,full,,A1',
      'ord_2,full,,B2',
      'ord_3,100,"a, b",=C3',
      'ord_9,full,,D4',
      'ord_s,1500,,E5',
    ],
    '--allocate',
    'in-order',
  );
  service.refund('ord_3', 'ch_ord_3', 5);
  service.refund('ord_s', 'ch_2', 5);
  const applied = await service.apply();

  const status = await service.run(['refunds', 'status', 'refunds.plan', '--rest', 'rest.csv', '--json']);
  const again = await service.run(['refunds', 'status', 'refunds.plan', '--rest', 'rest.csv']);
  const planned = await service.plan('rest.csv', '--json');

  expect([applied.code, status.code, again.code, planned.code]).toEqual([7, 7, 3, 8]);
  expect(status.stderr).toContain('line 3, ord_2, is unconfirmed: blocked until ');
  expect(service.read('rest.csv')).toBe(
    [
      'line,error,order_id,charge_id,amount,reason,ref,note,again,seat',
      `2,"line 4 of refunds.csv: the order has changed since the plan was made: it has a new refund of 5, rf_1",ord_3,any,100,,,"a, b",,'=C3`,
      '3,line 5 of refunds.csv: there is no order ord_9,ord_9,any,full,,,,,D4',
      '4,"line 6 of refunds.csv: the order has changed since the plan was made: it has a new refund of 5, rf_2",ord_s,ch_1,1000,,,,,E5',
      '5,"line 6 of refunds.csv: the order has changed since the plan was made: it has a new refund of 5, rf_2",ord_s,ch_2,500,,,,,E5',
      '',
    ].join('\n'),
  );
  expect(
    recordsIn(planned).map(({ order_id, amount, verdict, input }) => [order_id, amount, verdict, input]),
  ).toEqual([
    ['ord_3', 100, 'ready', { seat: '=C3' }],
    ['ord_9', 0, 'impossible', { seat: 'D4' }],
    ['ord_s', 1000, 'ready', { seat: 'E5' }],
    ['ord_s', 500, 'ready', { seat: 'E5' }],
  ]);
});

// ── Parts of an amount ──────────────────────────────────────────────────────────────────────────

describe('--allocate', () => {
  const rows = ['order_id,amount', 'ord_s,2600'];

  it.each([
    [
      'in-order',
      [
        ['ch_1', 1000],
        ['ch_2', 1600],
      ],
    ],
    [
      'largest-first',
      [
        ['ch_2', 2000],
        ['ch_1', 600],
      ],
    ],
  ])('%s spreads an amount over the charges, exactly, and shows the parts', async (how, parts) => {
    await using service = await startRefunds([splitOrder('ord_s', 1000, 2000, 500)]);

    const planned = await service.plan(
      rows,
      '--allocate',
      how,
      '--expect-count',
      '1',
      '--expect-total',
      'MXN=2600',
    );
    const applied = await service.apply();

    for (const [charge, amount] of parts)
      expect(planned.stdout).toMatch(new RegExp(`ord_s +${charge} +${amount} MXN +ready`));
    expect([planned.code, applied.code]).toEqual([0, 0]);
    expect(service.made.map(({ charge, amount }) => [charge, amount])).toEqual(parts);
  });

  it('of orders refund prints the whole command that repeats an equal refund', async () => {
    await using service = await startRefunds([splitOrder('ord_s', 1000, 2000)]);
    service.refund('ord_s', 'ch_1', 300);

    const spread = ['orders', 'refund', 'ord_s', '--amount', '300', '--allocate', 'in-order'];
    const ran = await service.run([...spread, '--note', 'a b', '--yes']);

    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain(`paydesk ${spread.join(' ')} --note 'a b' --again rf_1\n`);
  });

  it('of orders refund prints a command that repeats the equal refund of each charge, and runs as it stands', async () => {
    await using service = await startRefunds([splitOrder('ord_s', 1000, 2000)]);
    service.refund('ord_s', 'ch_1', 500);
    service.refund('ord_s', 'ch_2', 500);

    const spread = ['orders', 'refund', 'ord_s', '--amount', '1000', '--allocate', 'in-order'];
    const ran = await service.run([...spread, '--yes']);
    const again = ['--again', 'rf_1,rf_2'];

    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('if 2 refunds should be made once more:');
    expect(ran.stderr).toContain(`paydesk ${[...spread, ...again].join(' ')}\n`);
    expect((await service.run([...spread, ...again, '--yes'])).code).toBe(0);
    expect(service.made).toHaveLength(4);
  });

  it('is needed for an amount of an order with several charges, and says so', async () => {
    await using service = await startRefunds([splitOrder('ord_s', 1000, 2000)]);

    const ran = await service.plan(rows, '--json');

    expect(ran.code).toBe(8);
    expect(recordsIn(ran)).toMatchObject([
      {
        verdict: 'impossible',
        why: 'the order has several charges: name one, or let paydesk spread 2600 MXN over them with --allocate in-order or largest-first',
      },
    ]);
  });

  it('refuses more than is left', async () => {
    await using service = await startRefunds([splitOrder('ord_s', 1000, 1599)]);

    const ran = await service.plan(rows, '--allocate', 'in-order', '--json');

    expect(recordsIn(ran)).toMatchObject([
      { verdict: 'impossible', why: '2600 MXN is more than is left of the order: 2599' },
    ]);
  });

  it.each(['apply', 'refresh', 'plan'])(
    'goes on with the part that is missing after the first was applied, by %s',
    async (how) => {
      let isRefused = true;
      await using service = await startRefunds([splitOrder('ord_s', 1000, 2000, 500)], {
        instead: () => (service.made.length === 1 && isRefused ? json({}, 500) : undefined),
      });
      await service.plan(rows, '--allocate', 'in-order');
      const first = await service.apply('--json');
      isRefused = false;
      const { change } = recordsIn(first)[1] ?? {};
      const env = later(10 * 60_000);
      const settled = await service.run(
        [
          'journal',
          'settle',
          String(change),
          '--not-applied',
          '--note',
          'nobody got the money',
          '--confirm',
          'ord_s',
        ],
        { env },
      );

      const anew = {
        apply: [],
        refresh: ['--refresh', 'refunds.plan', '--to', 'new.plan'],
        plan: ['refunds.csv', '--to', 'new.plan', '--allocate', 'largest-first'],
      }[how];
      const planned =
        anew?.length === 0 ? undefined : await service.run(['refunds', 'plan', ...(anew ?? [])], { env });
      const path = how === 'apply' ? 'refunds.plan' : 'new.plan';
      const second = await service.run(['refunds', 'apply', path, '--yes'], { env });

      expect(recordsIn(first).map(({ verdict }) => verdict)).toEqual(['made', 'unconfirmed']);
      expect([first.code, settled.code, planned?.code ?? 0, second.code]).toEqual([7, 0, 0, 0]);
      expect(service.made.map(({ charge, amount }) => [charge, amount])).toEqual([
        ['ch_1', 1000],
        ['ch_2', 1600],
      ]);
    },
  );

  const refundWords = ['orders', 'refund', 'ord_s', '--amount', '2600', '--allocate', 'in-order'];

  it('orders refund ID --amount N --allocate HOW makes a plan, one row a charge; nobody said yes, so exit 3', async () => {
    await using service = await startRefunds([splitOrder('ord_s', 1000, 2000, 500)]);

    const planned = await service.run([...refundWords, '--json']);
    const posts = service.posts.length;
    const twice = await service.run(refundWords);
    const other = await service.run(refundWords.map((word) => (word === '2600' ? '2500' : word)));
    const applied = await service.run(['refunds', 'apply', 'ord_s.plan', '--yes']);

    expect(recordsIn(planned).map(({ charge_id, amount }) => [charge_id, amount])).toEqual([
      ['ch_1', 1000],
      ['ch_2', 1600],
    ]);
    expect(JSON.parse(planned.stderr)).toMatchObject({
      exit_code: 3,
      certain: 'nothing was sent; the plan is in ord_s.plan',
      commands: [['paydesk', 'refunds', 'apply', 'ord_s.plan', '--yes']],
    });
    expect([planned.code, posts, applied.code]).toEqual([3, 0, 0]);
    expect([twice.code, other.code]).toEqual([3, 3]);
    expect(inOneLine(twice.stderr)).toContain('ord_s.plan exists already');
    expect(inOneLine(twice.stderr)).toMatch(/nothing of it was sent; .*: paydesk refunds apply ord_s\.plan/);
    expect(inOneLine(other.stderr)).toContain(
      'name another file with --to; what became of the plan that is there: paydesk refunds status ord_s.plan',
    );
    expect(twice.stderr).not.toContain('--force');
    expect(service.made).toHaveLength(2);
  });

  it('with --yes outside production it applies the plan, and prints one list', async () => {
    await using service = await startRefunds([splitOrder('ord_s', 1000, 2000, 500)]);

    const ran = await service.run([...refundWords, '--yes', '--json']);

    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).toMatch(/plan ord_s\.plan, digest \w{8}/);
    expect(ran.stderr).not.toMatch(/nothing was sent|next:/);
    expect(recordsIn(ran).map(({ verdict, amount }) => [verdict, amount])).toEqual([
      ['made', 1000],
      ['made', 1600],
    ]);
    expect(service.made).toHaveLength(2);
  });

  it('in production a script gets the command with the digest and the totals, exit 3', async () => {
    const [live] = [inProduction(splitOrder('ord_s', 1000, 2000, 500))];
    await using service = await startRefunds([live], { mode: 'production' });

    const planned = await service.run([...refundWords, '--yes', '--json']);
    const posts = service.posts.length;
    const { commands } = JSON.parse(planned.stderr) as { readonly commands: readonly string[][] };
    const applied = await service.run(commands[0]?.slice(1) ?? []);

    expect([planned.code, posts]).toEqual([3, 0]);
    expect(commands[0]?.slice(-4)).toEqual(['--expect-count', '1', '--expect-total', 'MXN=2600']);
    expect(applied.code, applied.stderr).toBe(0);
    expect(service.made).toHaveLength(2);
  });
});

// ── Limits ──────────────────────────────────────────────────────────────────────────────────────

describe('limits of the profile', () => {
  it('refund.max_amount counts all refunds of an order within a day, also those of the same plan', async () => {
    await using service = await withSettings([...orders(2), order('ord_3', { currency: 'USD' })], {
      'refund.max_amount.MXN': '1000',
    });
    service.refund('ord_2', 'ch_ord_2', 600);

    const planned = await service.plan(
      ['order_id,amount,ref', 'ord_1,600,a', 'ord_1,400,b', 'ord_1,1,c', 'ord_2,401,', 'ord_3,5,'],
      '--json',
    );

    expect(planned.code).toBe(8);
    expect(recordsIn(planned)).toMatchObject([
      { verdict: 'ready' },
      { verdict: 'ready' },
      {
        verdict: 'impossible',
        why: expect.stringMatching(
          /MXN is 1000 per order in 24 hours, and rows before it in this plan refund 1000 of ord_1$/,
        ),
      },
      {
        verdict: 'impossible',
        why: expect.stringMatching(/and 600 of ord_2 was refunded in the last 24 hours$/),
      },
      { verdict: 'impossible', why: expect.stringContaining('refund.other_currencies is refuse') },
    ]);
  });

  it('refund.max_amount counts the refunds of today, although the clock of the machine is days ahead', async () => {
    await using service = await withSettings(orders(2), { 'refund.max_amount.MXN': '1000' });
    service.refund('ord_2', 'ch_ord_2', 600);
    const env = clockOff(3 * 86_400_000);
    service.write('refunds.csv', 'order_id,amount\nord_2,401\n');

    const planned = await service.run(['refunds', 'plan', 'refunds.csv', '--to', 'refunds.plan', '--json'], {
      env,
    });

    expect(recordsIn(planned)).toMatchObject([
      { verdict: 'impossible', why: expect.stringContaining('refund.max_amount.MXN is 1000') },
    ]);
  });

  it.each([
    ['plan.max_count', { 'plan.max_count': '1' }, 'the plan would send 2 rows: plan.max_count is 1'],
    [
      'plan.max_total',
      { 'plan.max_total.MXN': '35099' },
      'the plan would refund 35100 MXN: plan.max_total.MXN is 35099',
    ],
    [
      'refund.other_currencies',
      { 'plan.max_total.USD': '9' },
      'there is no plan.max_total.MXN, and refund.other_currencies is refuse',
    ],
  ])('a plan over %s is refused when it is made and when it is applied', async (_, settings, words) => {
    await using service = await withSettings(orders(2), {});
    const rows = ['order_id,amount', 'ord_1,full', 'ord_2,100'];
    await service.plan(rows);
    await using strict = await startRefunds([], { env: stored });
    await storeShop(strict.home, service, settings);
    strict.write('refunds.plan', service.read('refunds.plan'));
    strict.write('refunds.csv', service.read('refunds.csv'));

    const planned = await strict.run(['refunds', 'plan', 'refunds.csv', '--to', 'new.plan']);
    const applied = await strict.apply();

    expect([planned.code, applied.code]).toEqual([3, 3]);
    expect(inOneLine(planned.stderr)).toContain(words);
    expect(inOneLine(applied.stderr)).toContain(words);
    expect(() => strict.read('new.plan')).toThrow('ENOENT');
    expect(service.posts).toEqual([]);
  });

  it('amounts with decimals are those of the currency of their order, and a row without an order has no currency', async () => {
    const [mxn = {}, yen = {}] = orders(2);
    await using service = await withSettings([mxn, { ...yen, currency: 'JPY' }], {
      'amounts.decimals.MXN': '2',
    });
    const ran = await service.plan(['order_id,amount,ref', 'ord_1,"120,00",a', 'ord_1,1.50,b']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(inOneLine(ran.stderr)).toContain('2 refunds, 12150 MXN (121.50) to send');
    const refused = await service.plan(['order_id,amount', 'ord_1,1.5', 'ord_2,120.00', 'ord_9,120.00']);
    expect(refused.code).toBe(2);
    const said = inOneLine(refused.stderr);
    expect(said).toContain('line 2: amount 1.5: MXN has 2 decimals; type 1.50');
    expect(said).toContain('line 3: amount 120.00: the profile declares no decimals for JPY');
    expect(said).toContain('line 4: amount 120.00: there is no order ord_9');
  });

  it('a whole amount beside one with decimals of the same currency is refused, since it may mean either', async () => {
    const [mxn = {}, yen = {}] = orders(2);
    await using service = await withSettings([mxn, { ...yen, currency: 'JPY' }], {
      'amounts.decimals.MXN': '2',
    });
    const mixed = await service.plan(['order_id,amount,ref', 'ord_1,7,a', 'ord_1,1.50,b', 'ord_2,7,c']);
    expect(mixed.code).toBe(2);
    const said = inOneLine(mixed.stderr);
    expect(said).toContain(
      'line 2: amount 7: line 3 has decimals (1.50); write 7 with its decimals too, or 0.07 if',
    );
    expect(said).not.toContain('line 4: amount');
    const apart = await service.plan(['order_id,amount,ref', 'ord_1,7.00,a', 'ord_1,full,b', 'ord_2,7,c']);
    expect(apart.stderr).not.toContain('has decimals');
  });

  it('rows that were made before do not count against plan.max_count', async () => {
    await using service = await withSettings(orders(3), { 'plan.max_count': '2' });
    await service.plan(['order_id,amount', 'ord_1,full', 'ord_2,full']);
    await service.apply();

    const ran = await service.plan(['order_id,amount', 'ord_1,full', 'ord_2,full', 'ord_3,full']);

    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('1 refund, 35000 MXN to send; 2 made before');
  });
});
