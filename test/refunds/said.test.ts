/** What the screens of bulk refunds say: the same numbers everywhere, the reasons of rows, and hints that work as printed. */

import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { later } from '../harness/clock.ts';
import { chargeOf, errorBody, orderOf } from '../harness/orders.ts';
import { onScreen } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { inOneLine } from '../harness/ran.ts';
import { type Handler, json, reset } from '../harness/server.ts';
import { journalOf } from './batch.ts';
import { order, orders, recordsIn, splitOrder, startRefunds } from './refund-service.ts';
import { openIn } from './settle-all.ts';

const titles = 'order_id,amount,ref';

it('a stale plan with an unconfirmed row is exit 7, and says how all rows ended', async () => {
  await using service = await startRefunds(orders(2), {
    sendsDate: false,
    instead: (id) => (id === 'ord_1' ? reset : undefined),
  });
  await service.plan([titles, 'ord_1,100,', 'ord_2,100,', 'ord_9,100,']);
  expect((await service.apply()).code).toBe(7);

  const stale = await service.run(['refunds', 'apply', 'refunds.plan', '--yes'], {
    env: later(25 * 3_600_000),
  });

  expect(stale.code).toBe(7);
  expect(inOneLine(stale.stderr)).toMatch(/^refused: refunds\.plan is too old: it was made .* 25 h ago/);
  expect(inOneLine(stale.stderr)).toContain(
    'nothing was sent now; of 3 rows 1 made (100 MXN), 1 unconfirmed (100 MXN), 1 impossible',
  );
  expect(stale.stderr).toContain('paydesk journal reconcile --all');
  expect(stale.stderr).not.toContain('need no sending');
  expect(service.posts).toHaveLength(2);
});

it('the plan and the preview count only what is sent now, not what is looked up first or waits behind it', async () => {
  await using service = await startRefunds(orders(2), {
    instead: (id) => (id === 'ord_1' ? reset : undefined),
  });
  await service.plan([titles, 'ord_1,100,a']);
  expect((await service.apply()).code).toBe(7);

  const planned = await service.plan([titles, 'ord_1,100,a', 'ord_1,200,b', 'ord_2,300,']);
  const person = sit(['refunds', 'apply', 'refunds.plan'], service);
  await person.waitFor('Send them?');
  person.type('n\r');
  const { screen } = await person.leaves;

  expect(inOneLine(planned.stderr)).toContain(
    '1 refund, 300 MXN to send; 1 sent before and unconfirmed: they are looked up first; 1 waiting for an unconfirmed row of the same order',
  );
  expect(screen).toContain('1 refund, 300 MXN, of 1 order');
});

it('the preview names the charge that money comes from, also of rows that name none, and a card of two charges is asked for', async () => {
  await using service = await startRefunds([
    splitOrder('ord_s', 1000, 2000),
    splitOrder('ord_t', 1000, 2000),
    order('ord_1'),
  ]);
  service.refund('ord_s', 'ch_1', 1000);

  const planned = await service.plan(
    ['order_id,amount,charge_id', 'ord_s,full,any', 'ord_1,full,any', 'ord_t,5,*4242'],
    '--json',
  );
  const person = sit(['refunds', 'apply', 'refunds.plan'], service);
  await person.answer('Send them?', 'n\r');
  const { screen } = await person.leaves;

  expect(screen).toMatch(/line 2 +ord_s +ch_2 +2000 MXN/);
  expect(screen).toMatch(/line 3 +ord_1 +the whole order +35000 MXN/);
  expect(recordsIn(planned)[2]).toMatchObject({
    verdict: 'impossible',
    why: 'the order has 2 charges *4242: 1 (ch_1) and 2 (ch_2); name one',
  });
});

it('apply names every unconfirmed row up to eight, and why rows were not sent', async () => {
  await using service = await startRefunds(orders(11), {
    instead: (id) => (id === 'ord_11' ? undefined : json({}, 502)),
  });
  await service.plan([titles, ...orders(11).map(({ id }) => `${String(id)},100,`)]);
  service.refund('ord_11', 'ch_ord_11', 5);

  const ran = await service.apply('--max-failures', '20', '--concurrency', '1');
  await service.apply('--max-failures', '20', '--concurrency', '1');
  const last = await service.apply('--max-failures', '20', '--concurrency', '16');

  expect([ran.code, last.code]).toEqual([7, 7]);
  expect(openIn(journalOf(service.home)).length).toBeGreaterThan(8);
  expect(last.stderr.match(/: paydesk journal reconcile i_/g)).toHaveLength(8);
  expect(inOneLine(last.stderr)).toMatch(/and \d more rows?: paydesk refunds status refunds\.plan/);
  expect(inOneLine(last.stderr)).toContain('line 12, ord_11: the order has changed since the plan was made');
});

it('status says why a row was not sent; if it reads nothing, it names the command that says it', async () => {
  await using service = await startRefunds(orders(3));
  await service.plan([titles, 'ord_1,100,a', 'ord_1,200,b', 'ord_2,300,', 'ord_3,400,']);
  service.refund('ord_2', 'ch_ord_2', 5);
  service.refund('ord_1', 'ch_ord_1', 5);
  expect((await service.apply()).code).toBe(8);

  const status = await service.run(['refunds', 'status', 'refunds.plan', '--json']);
  const offline = await service.run(['refunds', 'status', 'refunds.plan', '--offline']);
  const hint =
    /to see why rows were not sent: paydesk (.*?--dry-run)/.exec(inOneLine(offline.stderr))?.[1] ?? '';
  const dry = await service.run([...hint.split(' '), '--json']);

  const changed = expect.stringContaining('the order has changed since the plan was made') as string;
  expect(recordsIn(status).map(({ why }) => why)).toEqual([changed, changed, changed, null]);
  expect(hint).toBe('refunds apply refunds.plan --dry-run');
  expect(dry.code, dry.stderr).toBe(8);
  expect(recordsIn(dry).map(({ verdict, why }) => [verdict, why])).toEqual([
    ['not_sent', changed],
    ['not_sent', null],
    ['not_sent', changed],
    ['made', null],
  ]);
  expect(service.posts).toHaveLength(1);
});

it('a dry run has the exit code of the run: 0, 8 if a row changed, 7 while a row is unconfirmed', async () => {
  await using service = await startRefunds(orders(4), {
    instead: (id) => (id === 'ord_3' ? json({}, 502) : undefined),
  });
  const dry = async () => {
    const ran = await service.run(['refunds', 'apply', 'refunds.plan', '--dry-run']);
    return { code: ran.code, last: ran.stderr.trimEnd().split('\n').at(-1) };
  };
  await service.plan([titles, 'ord_1,100,a', 'ord_2,300,b']);
  const all = await dry();
  service.refund('ord_2', 'ch_ord_2', 5);
  const some = await dry();
  expect((await service.apply()).code).toBe(8);
  await service.plan([titles, 'ord_3,100,a', 'ord_3,100,b']);
  expect((await service.apply()).code).toBe(7);
  const posts = service.posts.length;
  const open = await dry();
  const words = await service.run(['refunds', 'apply', 'refunds.plan', '--dry-run']);
  expect(words.stderr).toMatch(
    /line 2, ord_3: unconfirmed: blocked until tomorrow \d\d:\d\d at the latest: paydesk journal reconcile i_\w+/,
  );

  expect([all, some, open]).toEqual([
    { code: 0, last: 'nothing was sent (--dry-run); 2 refunds, 400 MXN would be sent' },
    {
      code: 8,
      last: 'nothing was sent (--dry-run); 1 refund, 100 MXN would be sent, 1 row would not be sent',
    },
    { code: 7, last: 'nothing was sent (--dry-run); 0 refunds would be sent, 2 rows would not be sent' },
  ]);
  expect(service.posts).toHaveLength(posts);
});

it('a dry run of which the service refuses the key is exit 4', async () => {
  let isRefused = false;
  await using service = await startRefunds(orders(2), {
    onPage: () => (isRefused ? json(errorBody({ type: 'authentication_error' }), 401) : undefined),
  });
  await service.plan([titles, 'ord_1,100,a', 'ord_2,300,b']);
  isRefused = true;

  const ran = await service.run(['refunds', 'apply', 'refunds.plan', '--dry-run']);

  expect(ran.code).toBe(4);
  expect(ran.stderr).toContain('certain: nothing was sent (--dry-run)');
});

it('a dry run says the same of all rows that would be sent', async () => {
  await using service = await startRefunds(orders(2));
  await service.plan([titles, 'ord_1,100,a', 'ord_1,full,b', 'ord_2,300,', 'ord_9,1,']);

  const dry = await service.run(['refunds', 'apply', 'refunds.plan', '--dry-run', '--json']);
  const words = await service.run(['refunds', 'apply', 'refunds.plan', '--dry-run']);

  expect(recordsIn(dry).map(({ why }) => why)).toEqual([
    'dry run: it would be sent',
    'dry run: it would be sent',
    'dry run: it would be sent',
    'there is no order ord_9',
  ]);
  expect(words.stderr).toContain('line 5, ord_9: there is no order ord_9\n');
  expect(words.stderr).toContain(
    'nothing was sent (--dry-run); 3 refunds, 35300 MXN would be sent, 1 row would not be sent\n',
  );
  expect([dry.code, words.code]).toEqual([8, 8]);
  expect(service.posts).toEqual([]);
});

it('status shows the digest and the control totals of the plan', async () => {
  await using service = await startRefunds([...orders(2), order('ord_3', { currency: 'USD' })]);
  await service.plan([titles, 'ord_1,100,', 'ord_2,250,', 'ord_3,9,']);
  const digest = /"digest":"(\w{64})/.exec(service.read('refunds.plan'))?.[1] ?? '';

  const { stderr } = await service.run(['refunds', 'status', 'refunds.plan']);

  expect(inOneLine(stderr)).toContain(
    `this plan has --expect-count 3 --expect-total MXN=350 --expect-total USD=9 digest ${digest}`,
  );
  const totals = ['--expect-count', '3', '--expect-total', 'MXN=350', '--expect-total', 'USD=9'];
  expect((await service.apply(...totals)).code).toBe(0);
  // Nobody needs them for a plan that has nothing left to send.
  expect((await service.run(['refunds', 'status', 'refunds.plan'])).stderr).not.toMatch(/digest|--expect/);
});

it('the digest may be typed in capitals and with spaces around it', async () => {
  await using service = await startRefunds([order('ord_1', { livemode: true })], { mode: 'production' });
  await service.plan([titles, 'ord_1,100,'], '--expect-count', '1', '--expect-total', 'MXN=100');
  const digest = /"digest":"(\w{8})/.exec(service.read('refunds.plan'))?.[1] ?? '';

  const person = sit(['refunds', 'apply', 'refunds.plan'], service);
  await person.waitFor('Type the digest');
  person.type('00000000\r');
  await person.waitFor('00000000 is not the digest above');
  person.type(`${'\u007f'.repeat(8)} ${digest.toUpperCase()} \r`);
  const { code, screen } = await person.leaves;

  expect(code, screen).toBe(0);
  expect(service.made).toHaveLength(1);
});

it('the notes of rows that are sent stand below the plan', async () => {
  await using service = await startRefunds([
    order('ord_1', { customer_info: { name: 'Ana', email: 'ana@example.com' } }),
    order('ord_2', { customer_info: { name: 'Ana', email: 'ana@example.com' } }),
  ]);

  const planned = await service.plan([titles, 'ord_1,100,', 'ord_2,100,']);

  expect(planned.code, planned.stderr).toBe(0);
  expect(inOneLine(planned.stderr)).toMatch(/line 2: note: ord_2, same buyer and amount/);
});

it('of two rows about the same money the error names the one without a ref', async () => {
  await using service = await startRefunds(orders(1));

  const ran = await service.plan([titles, 'ord_1,100,', 'ord_1,200,b']);

  expect(ran.code).toBe(2);
  expect(inOneLine(ran.stderr)).toContain(
    'line 2 has no ref, line 3 has b: give line 2 one of its own if both are meant, or delete one',
  );
});

it('--errors FILE that exists: the errors are counted all the same, exit 2', async () => {
  await using service = await startRefunds(orders(1));
  service.write('errors.csv', 'mine');

  const ran = await service.plan([titles, 'ord_1,x,'], '--errors', 'errors.csv', '--to', 'new.plan');

  expect(ran.code).toBe(2);
  expect(inOneLine(ran.stderr)).toContain('refunds.csv has 1 error');
  expect(inOneLine(ran.stderr)).toContain('errors.csv exists already');
  expect(service.read('errors.csv')).toBe('mine');
});

it('journal show names the plan, the line and the ref of a row', async () => {
  await using service = await startRefunds(orders(1));
  await service.plan([titles, 'ord_1,100,A']);
  await service.apply();
  const [sent] = journalOf(service.home);

  const { stdout } = await service.run(['journal', 'show', sent?.change ?? '']);

  expect(stdout).toMatch(/plan +p_\w+, line 2, ref A\n/);
});

it('while a reply is lost the line of progress says that the order is read again', async () => {
  const gate = Promise.withResolvers<void>();
  await using service = await startRefunds(orders(1), {
    instead: () => reset,
    onPage: () => (service.posts.length === 0 ? undefined : afterGate),
  });
  const afterGate: Handler = async (...exchange) => {
    await gate.promise;
    await json({}, 503)(...exchange);
  };
  await service.plan([titles, 'ord_1,100,']);

  const person = sit(['refunds', 'apply', 'refunds.plan', '--yes'], service);
  await person.waitFor('1 left (reading 1 order again)');
  gate.resolve();
  const { code } = await person.leaves;

  expect(code).toBe(7);
});

it('a plan that has nothing to send does not say that it should be applied', async () => {
  await using service = await startRefunds([order('ord_1', { is_refundable: false })]);

  const planned = await service.plan(['order_id,amount', 'ord_1,full']);

  expect(planned.stderr).toContain('; nothing was sent, and nothing in it is left to send\n');
  expect(planned.stderr).not.toContain('next:');
});

it('the whole of an order that the service will refuse is impossible, and says which charge is in the way', async () => {
  const charges = [chargeOf('ch_1', 1000), chargeOf('ch_2', 500, { is_refundable: false })];
  await using service = await startRefunds([orderOf('ord_s', charges), order('ord_2')]);

  const planned = await service.plan(
    ['order_id,charge_id,amount', 'ord_s,full,full', 'ord_2,any,full'],
    '--json',
  );
  const applied = await service.apply();

  expect([planned.code, applied.code]).toEqual([8, 8]);
  expect(recordsIn(planned)).toMatchObject([
    {
      verdict: 'impossible',
      why: 'charge 2 (*4242) is not refundable, so the service refuses to refund the whole order: refund the other charges one by one',
    },
    { verdict: 'ready' },
  ]);
  expect(planned.stderr).toContain('1 refund, 35000 MXN to send; 1 impossible\n');
  expect(inOneLine(applied.stderr)).toContain(
    '1 row that the plan does not send: paydesk refunds status refunds.plan --only look,impossible --csv --columns line,order_id,verdict,why',
  );
  expect(service.made.map((made) => made.order)).toEqual(['ord_2']);
});

it('rows show their charges at 80 columns, and the file and the refunds are counted', async () => {
  await using service = await startRefunds([splitOrder('ord_s', 1000, 2000), order('ord_2')]);
  const allocated = ['--allocate', 'in-order', '--to', 'refunds.plan', '--force'];
  const screenOf = async (row: string) => {
    service.write('refunds.csv', `order_id,amount\n${row}\n`);
    const plan = ['refunds', 'plan', 'refunds.csv', ...allocated];
    return (await onScreen(plan, { home: service.home, env: service.env, columns: 80 })).screen;
  };

  const one = await screenOf('ord_2,5');
  const split = await screenOf('ord_s,1500');
  const status = await service.run(['refunds', 'status', 'refunds.plan']);

  expect(one).toMatch(/ord_2 +any +5 MXN/);
  expect(split).toMatch(/LINE +ORDER +CHARGE/);
  expect(split).toMatch(/ord_s +ch_1 +1000/);
  expect(split).toContain('1 row of the file, 2 refunds');
  expect(status.stderr).toContain('of 2 refunds (1 row of the file) 2 not sent');
});

it('--errors FILE of a file without errors is not written, and that is said', async () => {
  await using service = await startRefunds([order('ord_1')]);
  const ran = await service.plan([titles, 'ord_1,5000,'], '--errors', 'errors.csv', '--to', 'new.plan');
  expect(inOneLine(ran.stderr)).toContain(
    'errors.csv was not written: nothing is wrong with the file itself',
  );
});

it('a file that was written after its plan was made is named before the plan is applied', async () => {
  await using service = await startRefunds(orders(1));
  await service.plan([titles, 'ord_1,100,a']);
  const same = await service.apply('--dry-run');
  const nextYears = new Date('2090-01-01T00:00:00Z');
  utimesSync(join(service.home.path, 'refunds.csv'), nextYears, nextYears);
  const newer = await service.apply('--dry-run');

  const words = 'refunds.csv was written after this plan was made: the plan has its rows as they were';
  expect([same.code, newer.code]).toEqual([0, 0]);
  expect(inOneLine(same.stderr)).not.toContain(words);
  expect(inOneLine(newer.stderr)).toContain(`${words}; anew: paydesk refunds plan refunds.csv`);
});
