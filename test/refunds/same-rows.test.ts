/** A row is the same row for ever: what was applied is never sent again, whatever file or plan it stands in. */

import { expect, it } from 'vitest';
import { later } from '../harness/clock.ts';
import { inProduction, notReturnable } from '../harness/orders.ts';
import { inOneLine } from '../harness/ran.ts';
import { json } from '../harness/server.ts';
import { orders, recordsIn, splitOrder, startRefunds } from './refund-service.ts';

const titles = 'order_id,charge_id,amount,ref,seat';
const rows = [
  titles,
  'ord_1,any,full,,A1',
  'ord_2,any,100,first,B2',
  'ord_2,any,100,second,B3',
  'ord_s,2,500,,C4',
];

function newService() {
  return startRefunds([...orders(4), splitOrder('ord_s', 1000, 2000)]);
}

const dayMs = 86_400_000;

it('F26 a plan that is applied twice sends nothing the second time, and reports the same', async () => {
  await using service = await newService();
  await service.plan(rows);

  const first = await service.apply('--json');
  const posts = service.posts.length;
  const second = await service.apply('--json');

  expect(first.code).toBe(0);
  expect(posts).toBe(4);
  // The orders were read again, perhaps a second later.
  const unread = (text: string) => text.replaceAll(/"read_at":\d+,/g, '');
  expect({ ...second, stdout: unread(second.stdout) }).toEqual({
    ...first,
    stdout: unread(first.stdout),
    stderr:
      'of 4 rows 4 made (35700 MXN)\nas a text for a mail: paydesk refunds status refunds.plan --report\n',
  });
  expect(first.stderr).toContain('of 4 rows 4 made (35700 MXN)\n');
  expect(service.posts).toHaveLength(posts);
});

it('F26 the same file planned again three days later is done: nothing is sent', async () => {
  await using service = await newService();
  await service.plan(rows);
  await service.apply();
  const env = later(3 * dayMs);

  const planned = await service.run(['refunds', 'plan', 'refunds.csv', '--to', 'again.plan', '--json'], {
    env,
  });
  const applied = await service.run(['refunds', 'apply', 'again.plan', '--yes'], { env });

  expect([planned.code, applied.code]).toEqual([0, 0]);
  expect(recordsIn(planned).map(({ verdict }) => verdict)).toEqual(['done', 'done', 'done', 'done']);
  expect(planned.stderr).toContain('0 refunds to send; 4 made before');
  expect(service.posts).toHaveLength(4);
});

it('F27 rows and columns that moved are the same rows: only a new row is sent', async () => {
  await using service = await newService();
  await service.plan(rows);
  await service.apply();

  const planned = await service.plan(
    [
      'seat,note,ref,amount,charge_id,order_id',
      'C4,moved,,500,2,ord_s',
      'D5,new,,full,any,ord_3',
      'B3,,second,100,any,ord_2',
      'A1,,,full,any,ord_1',
      'B2,,first,100,any,ord_2',
    ],
    '--json',
  );
  const applied = await service.apply();

  expect(recordsIn(planned).map(({ order_id, verdict }) => [order_id, verdict])).toEqual([
    ['ord_s', 'done'],
    ['ord_3', 'ready'],
    ['ord_2', 'done'],
    ['ord_1', 'done'],
    ['ord_2', 'done'],
  ]);
  expect(applied.code).toBe(0);
  expect(service.posts.slice(4).map(({ url }) => url)).toEqual(['/orders/ord_3/refunds']);
});

it('F27 an amount that was changed after its row was applied needs --again when it is planned', async () => {
  await using service = await newService();
  await service.plan([titles, 'ord_1,any,100,,A1']);
  await service.apply();
  const changed = [titles, 'ord_1,any,250,,A1'];

  const refused = await service.plan(changed, '--json');
  const applied = await service.apply();

  expect([refused.code, applied.code]).toEqual([8, 8]);
  expect(recordsIn(refused)).toMatchObject([
    {
      verdict: 'impossible',
      why: expect.stringMatching(
        /^rf_1 refunded this charge before with 100 \(plan p_\w+\): .* add --again rf_1$/,
      ),
    },
  ]);
  expect(service.posts).toHaveLength(1);

  const allowed = await service.plan(changed, '--again', 'rf_1', '--json');
  const sent = await service.apply();
  expect(recordsIn(allowed)).toMatchObject([{ verdict: 'ready', amount: 250 }]);
  expect([allowed.code, sent.code]).toEqual([0, 0]);
  expect(service.made).toEqual([
    { order: 'ord_1', charge: 'ch_ord_1', amount: 100 },
    { order: 'ord_1', charge: 'ch_ord_1', amount: 250 },
  ]);
});

it('F27 a changed amount needs --again too if a person recorded the first refund', async () => {
  await using service = await startRefunds(orders(2), { instead: () => json({}, 502) });
  await service.plan([titles, 'ord_1,any,100,,A1']);
  const lost = await service.apply('--json');
  const { change } = recordsIn(lost)[0] ?? {};
  const settled = await service.run(
    [
      'journal',
      'settle',
      String(change),
      '--applied',
      '--note',
      'the bank shows the money',
      '--confirm',
      'ord_1',
    ],
    { env: later(2 * dayMs) },
  );

  const planned = await service.run(['refunds', 'plan', '-', '--to', 'changed.plan', '--json'], {
    env: later(2 * dayMs),
    input: `${titles}\nord_1,any,250,,A1\n`,
  });

  expect([lost.code, settled.code]).toEqual([7, 0]);
  expect(recordsIn(planned)).toMatchObject([
    { verdict: 'impossible', why: expect.stringContaining(`add --again ${String(change)}`) },
  ]);
});

it('F26 a row that was applied in the sandbox is another row in production, also at the same address', async () => {
  await using service = await newService();
  await service.plan(rows);
  await service.apply();
  service.orders = [...orders(4), splitOrder('ord_s', 1000, 2000)].map((one) => inProduction(one));
  const env = { PAYDESK_MODE: 'production' };
  const totals = ['--expect-count', '4', '--expect-total', 'MXN=35700'];

  const planned = await service.run(
    ['refunds', 'plan', 'refunds.csv', '--to', 'live.plan', '--json', ...totals],
    { env },
  );
  const digest = /"digest":"(\w{8})/.exec(service.read('live.plan'))?.[1] ?? '';
  const applied = await service.run(['refunds', 'apply', 'live.plan', '--confirm', digest, ...totals], {
    env,
  });
  const again = await service.run(
    ['refunds', 'plan', 'refunds.csv', '--to', 'again.plan', '--json', ...totals],
    {
      env,
    },
  );

  expect(recordsIn(planned).map(({ verdict }) => verdict)).toEqual(['ready', 'ready', 'ready', 'ready']);
  expect([planned.code, applied.code, again.code], applied.stderr).toEqual([0, 0, 0]);
  expect(recordsIn(again).map(({ verdict }) => verdict)).toEqual(['done', 'done', 'done', 'done']);
  expect(service.posts).toHaveLength(8);
});

it('a row of another plan that was changed needs no --again if that plan was of the sandbox', async () => {
  await using service = await newService();
  await service.plan([titles, 'ord_1,any,100,,A1']);
  await service.apply();
  service.orders = orders(1).map((one) => inProduction(one));

  service.write('changed.csv', `${titles}\nord_1,any,250,,A1\n`);

  const planned = await service.run(
    ['refunds', 'plan', 'changed.csv', '--json', '--expect-count', '1', '--expect-total', 'MXN=250'],
    { env: { PAYDESK_MODE: 'production' } },
  );

  expect(recordsIn(planned)).toMatchObject([{ verdict: 'ready' }]);
});

it('F51 two parts of one charge with a ref of their own are both sent, once', async () => {
  await using service = await newService();
  await service.plan(rows);

  await service.apply();
  await service.apply();

  expect(service.made.filter(({ order }) => order === 'ord_2')).toEqual([
    { order: 'ord_2', charge: 'ch_ord_2', amount: 100 },
    { order: 'ord_2', charge: 'ch_ord_2', amount: 100 },
  ]);
});

it.each([
  ['without a ref', 'ord_s,2,500,,', 'ord_s,2,500,,'],
  ['with one ref between them', 'ord_s,2,500,a,', 'ord_s,2,500,,'],
  ['with the same ref', 'ord_s,2,500,a,', 'ord_s,2,500,a,'],
  ['that name the charge in two ways', 'ord_s,2,500,,', 'ord_s,ch_2,400,,'],
  ['of which one is the whole order', 'ord_s,2,500,,', 'ord_s,full,full,,'],
])('F51 two rows about one charge %s are refused with their line, and nothing is sent', async (_, ...two) => {
  await using service = await newService();

  const ran = await service.plan([titles, ...two]);

  expect(ran.code).toBe(2);
  expect(inOneLine(ran.stderr)).toContain('line 3: line 2 may refund the same money (ord_s, ');
  expect(ran.stderr).toContain('refunds.csv has 1 error');
  expect(service.posts).toEqual([]);
});

it('F25 an order that a second desk refunded between plan and apply is not sent; the rest goes through', async () => {
  await using service = await newService();
  await service.plan(rows);
  const id = service.refund('ord_2', 'ch_ord_2', 50);

  const ran = await service.apply('--json');

  expect(ran.code).toBe(8);
  expect(recordsIn(ran).map(({ order_id, verdict, why }) => [order_id, verdict, why])).toEqual([
    ['ord_1', 'made', null],
    ['ord_2', 'not_sent', `the order has changed since the plan was made: it has a new refund of 50, ${id}`],
    // The first row of an order that is not applied stops the rest of that order.
    ['ord_2', 'not_sent', null],
    ['ord_s', 'made', null],
  ]);
  expect(ran.stderr).toContain('paydesk refunds plan --refresh refunds.plan --to refunds-2.plan');
  expect(service.posts.map(({ url }) => url).toSorted()).toEqual([
    '/orders/ord_1/refunds',
    '/orders/ord_s/refunds',
  ]);
});

it('F25 after a second desk refunded an order, a refreshed plan sends its rows', async () => {
  await using service = await newService();
  await service.plan(rows);
  service.refund('ord_2', 'ch_ord_2', 50);
  await service.apply();

  const planned = await service.run([
    'refunds',
    'plan',
    '--refresh',
    'refunds.plan',
    '--to',
    'new.plan',
    '--json',
  ]);
  const applied = await service.run(['refunds', 'apply', 'new.plan', '--yes']);

  expect(recordsIn(planned).map(({ verdict }) => verdict)).toEqual(['done', 'ready', 'ready', 'done']);
  expect([planned.code, applied.code]).toEqual([0, 0]);
  expect(service.posts).toHaveLength(4);
});

it.each([
  ['payment_status', { payment_status: 'expired' }, 'payment_status was paid and is expired'],
  ['is_refundable', { is_refundable: false }, 'is_refundable was true and is false'],
  ['the amount', { amount: 34_000 }, 'its amount was 35000 and is 34000'],
  ['the currency', { currency: 'USD' }, 'its currency was MXN and is USD'],
])('F25 an order whose %s changed between plan and apply is not sent', async (_, change, words) => {
  await using service = await newService();
  await service.plan([titles, 'ord_1,any,full,,']);
  service.change('ord_1', change);

  const ran = await service.apply('--json');

  expect(ran.code).toBe(8);
  expect(recordsIn(ran)).toMatchObject([
    { verdict: 'not_sent', why: `the order has changed since the plan was made: ${words}` },
  ]);
  expect(service.posts).toEqual([]);
});

it.each([
  ['payment_status was paid and is charged_back', { payment_status: 'charged_back' }],
  ['is_refundable was true and is absent', { is_refundable: undefined }],
])('a chargeback after the first row of an order stops its other rows: %s', async (words, change) => {
  await using service = await startRefunds(orders(2), {
    instead: (id, apply) => {
      const refunded = apply();
      if (id === 'ord_1') service.change('ord_1', change);
      return json(refunded);
    },
  });
  await service.plan([
    titles,
    'ord_1,any,100,a,',
    'ord_1,any,200,b,',
    'ord_1,any,300,c,',
    'ord_2,any,100,d,',
  ]);

  const ran = await service.apply('--json');
  const again = await service.apply('--json');

  expect([ran.code, again.code]).toEqual([8, 8]);
  for (const one of [ran, again])
    expect(recordsIn(one).map(({ verdict, why }) => [verdict, why])).toEqual([
      ['made', null],
      ['not_sent', `the order has changed since the plan was made: ${words}`],
      ['not_sent', null],
      ['made', null],
    ]);
  expect(service.made).toHaveLength(2);
});

it('a row that the service refused is not sent by the same plan again, and nobody is asked for a yes', async () => {
  await using service = await startRefunds(orders(2), { instead: () => json(notReturnable, 428) });
  await service.plan([titles, 'ord_1,any,full,,']);
  await service.apply();

  const again = await service.apply();

  expect(again.code).toBe(8);
  expect(again.stderr).not.toContain('REFUND THE ROWS OF A PLAN');
  expect(service.posts).toHaveLength(1);
});

it.each([
  ['within its time', 60_000],
  ['after its time', 20 * 60_000],
])('a refusal that no read could confirm is read again by the next run, also %s: exit 8', async (_, ms) => {
  let isBroken = false;
  await using service = await startRefunds(orders(1), {
    sendsDate: false,
    instead: () => {
      isBroken = true;
      return json(notReturnable, 428);
    },
    onPage: () => (isBroken ? json({}, 500) : undefined),
  });
  await service.plan([titles, 'ord_1,any,full,,']);
  const apply = (env = {}) => service.run(['refunds', 'apply', 'refunds.plan', '--yes'], { env });

  const first = await apply();
  const unread = await apply(later(ms));
  isBroken = false;
  const read = await apply(later(ms));
  const again = await apply(later(ms));

  expect([first.code, unread.code, read.code, again.code], read.stderr).toEqual([7, 7, 8, 8]);
  expect(inOneLine(read.stderr)).toContain('of 1 row 1 refused');
  expect(service.posts).toHaveLength(1);
});

it('equal rows of one charge go on in a plan of the same file after the second was refused', async () => {
  let isRefused = true;
  await using service = await startRefunds(orders(2), {
    instead: (_, apply) => {
      const isSecond = service.made.length === 1;
      return isSecond && isRefused ? json(notReturnable, 428) : json(apply());
    },
  });
  const three = [titles, 'ord_1,any,100,a,', 'ord_1,any,100,b,', 'ord_1,any,100,c,'];
  await service.plan(three);
  const first = await service.apply('--json');
  isRefused = false;

  const planned = await service.plan(three, '--json');
  const second = await service.apply('--json');

  expect(recordsIn(first).map(({ verdict }) => verdict)).toEqual(['made', 'refused', 'not_sent']);
  expect(recordsIn(planned).map(({ verdict }) => verdict)).toEqual(['done', 'ready', 'ready']);
  expect(second.code).toBe(0);
  expect(service.made).toHaveLength(3);
});

it('--again names a refund for the first row that needs it; the next equal row names the refund of that row', async () => {
  let isRefused = true;
  await using service = await startRefunds(orders(1), {
    instead: (_, apply) => (isRefused ? json(notReturnable, 428) : json(apply())),
  });
  const id = service.refund('ord_1', 'ch_ord_1', 100);
  const two = [titles, 'ord_1,any,100,a,', 'ord_1,any,100,b,'];
  const unnamed = await service.plan(two, '--json');
  const named = await service.plan(two, '--again', id, '--json');
  await service.apply();
  isRefused = false;

  const anew = ['refunds', 'plan', '--refresh', 'refunds.plan', '--to'];
  await service.run([...anew, 'new.plan']);
  const sent = await service.run(['refunds', 'apply', 'new.plan', '--yes', '--json']);
  const rest = await service.plan(two, '--again', id, '--json');
  const again = await service.plan(two, '--again', 'rf_2', '--json');
  const second = await service.apply('--json');

  const before = 'charge 1 of ord_1 has a refund of 100 already';
  const ask = (name: string) =>
    `${before}, ${name}: if the buyer should get the same amount once more, add --again ${name}`;
  expect(recordsIn(unnamed)).toMatchObject([
    { verdict: 'impossible', why: ask(id) },
    { verdict: 'impossible', why: ask(id) },
  ]);
  expect(recordsIn(named)).toMatchObject([
    { verdict: 'ready' },
    {
      verdict: 'impossible',
      why: `${before}, ${id}, and --again ${id} is used by line 2: one id covers one line; for the next line plan the file again`,
    },
  ]);
  expect(recordsIn(sent).map(({ verdict }) => verdict)).toEqual(['made', 'impossible']);
  expect(recordsIn(rest)).toMatchObject([{ verdict: 'done' }, { verdict: 'impossible', why: ask('rf_2') }]);
  expect(recordsIn(again)).toMatchObject([{ verdict: 'done' }, { verdict: 'ready' }]);
  expect(recordsIn(second).map(({ verdict }) => verdict)).toEqual(['made', 'made']);
  expect(service.made).toHaveLength(3);
});
