/** The report of a plan, in every format: it adds up to what the service made, and shows the columns of the file safely. */

import { expect, it } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { readCsv } from '../harness/csv.ts';
import { type Json, notReturnable } from '../harness/orders.ts';
import { onScreen } from '../harness/paydesk.ts';
import { reveals } from '../harness/reveals.ts';
import { json } from '../harness/server.ts';
import { testKey } from '../harness/service.ts';
import { order, orders, type RefundService, recordsIn, startRefunds } from './refund-service.ts';

const rows = [
  'order_id,amount,ref,seat',
  'ord_1,full,,A1',
  'ord_2,100,x,B2',
  'ord_3,full,,C3',
  'ord_4,250,,D4',
  'ord_5,full,,E5',
];

// One row is refused by the service, one is unconfirmed, one is impossible, two are applied.
async function applied(): Promise<RefundService> {
  const service = await startRefunds([...orders(4), order('ord_5', { payment_status: 'pre_authorized' })], {
    sendsDate: false,
    instead: (id) => (id === 'ord_3' ? json(notReturnable, 428) : id === 'ord_4' ? json({}, 502) : undefined),
  });
  await service.plan(rows);
  await service.apply();
  return service;
}

it('adds up to what the service made, as JSON and as CSV', async () => {
  await using service = await applied();

  const list = await service.run(['refunds', 'status', 'refunds.plan', '--json']);
  const table = await service.run(['refunds', 'status', 'refunds.plan', '--csv']);

  expect([list.code, table.code]).toEqual([7, 7]);
  const records = recordsIn(list);
  const shown = service.orders.flatMap(refundsOf);
  const made = records.filter(({ verdict }) => verdict === 'made');
  expect(new Map(made.map(({ refund_id, amount }) => [refund_id, amount]))).toEqual(
    new Map(shown.map(({ id, amount }) => [id, -Number(amount)])),
  );
  for (const { order_id, after } of made)
    expect(service.orders.find(({ id }) => id === order_id)?.amount_refunded).toBe(after);
  expect(records.map(({ verdict }) => verdict)).toEqual([
    'made',
    'made',
    'refused',
    'unconfirmed',
    'impossible',
  ]);
  expect(records[2]).toMatchObject({ log_id: '5f2c81', refund_id: null, before: 0, after: null });

  const [titles = [], ...lines] = readCsv(table.stdout);
  for (const name of ['line', 'order_id', 'amount', 'verdict', 'log_id', 'change', 'before'])
    expect([name, ...lines.map((cells) => cells[titles.indexOf(name)])]).toEqual([
      name,
      ...records.map((record) => (record[name] === null ? '' : `${record[name] as string | number}`)),
    ]);
  expect(lines.map((cells) => cells[titles.indexOf('input.seat')])).toEqual(['A1', 'B2', 'C3', 'D4', 'E5']);
  expect(table.stderr).toContain(
    'of 5 rows 2 made (35100 MXN), 1 unconfirmed (250 MXN), 1 refused, 1 impossible',
  );
});

function refundsOf({ charges }: Json): readonly Json[] {
  const { data } = charges as {
    readonly data: readonly { readonly refunds: { readonly data: readonly Json[] } | null }[];
  };
  return data.flatMap(({ refunds }) => refunds?.data ?? []);
}

it.each([80, 120])('fits a terminal of %i columns, and says every verdict', async (columns) => {
  await using service = await applied();

  const { code, screen } = await onScreen(['refunds', 'status', 'refunds.plan'], {
    home: service.home,
    env: service.env,
    columns,
  });
  const lines = screen.replaceAll('\r', '').split('\n');

  expect(code).toBe(7);
  expect(lines.filter((line) => line.length > columns)).toEqual([]);
  for (const verdict of ['made', 'refused', 'unconfirmed', 'impossible'])
    expect(screen).toMatch(new RegExp(`ord_\\d +\\d+ MXN +${verdict}`));
  expect(screen).toContain('##');
});

it('shows the columns of the file again, whatever their titles and cells are', async () => {
  await using service = await startRefunds(orders(2));
  const file = [
    `order_id,amount,__proto__,constructor,=1+1,"two\tparts",key ${testKey}`,
    `ord_1,100,p1,c1,=SUM(A1:A9),"a\u001b[31mred\u0007",${testKey}`,
    'ord_2,100,p2,c2,@x,"two\nlines",nothing',
  ];

  const planned = await service.plan(file, '--json');
  const sent = await service.apply('--json');
  const table = await service.run(
    ['refunds', 'status', 'refunds.plan', '--columns', 'order_id,input.__proto__,input.constructor'],
    { columns: 120 },
  );
  const csv = await service.run(['refunds', 'status', 'refunds.plan', '--csv']);
  const rest = await service.run(['refunds', 'compare', 'refunds.csv', '--csv']);

  expect([planned.code, sent.code, table.code, csv.code, rest.code]).toEqual([0, 0, 0, 0, 0]);
  const [first] = recordsIn(sent);
  expect(Object.entries(first?.input as Json).slice(0, 3)).toEqual([
    ['__proto__', 'p1'],
    ['constructor', 'c1'],
    ['=1+1', '=SUM(A1:A9)'],
  ]);
  expect(table.stdout).toMatch(/ord_1 +p1 +c1/);
  const [titles = [], ...lines] = readCsv(csv.stdout);
  const cells = lines[0]?.slice(titles.indexOf('input.__proto__'));
  expect(cells?.slice(0, 3)).toEqual(['p1', 'c1', "'=SUM(A1:A9)"]);
  for (const { stdout, stderr } of [planned, sent, table, csv, rest]) {
    expect(stdout).not.toMatch(/[\u0007\u001b]/);
    expect(reveals(testKey, stdout + stderr)).toBe(false);
  }
  expect(reveals(testKey, service.read('refunds.plan'))).toBe(false);
});

it('a key in a wrong cell, in its error and in the file of errors is masked', async () => {
  await using service = await startRefunds(orders(1));

  const ran = await service.plan(
    ['order_id,amount,seat', `ord_1,${testKey},${testKey}`],
    '--errors',
    'errors.csv',
  );

  expect(ran.code).toBe(2);
  expect(reveals(testKey, ran.stderr)).toBe(false);
  expect(reveals(testKey, service.read('errors.csv'))).toBe(false);
});

it('looks like this at 80 columns', async () => {
  const time = '2040-11-21T05:05:12Z';
  await using service = await startRefunds([...orders(2)], {
    env: standingAt(time),
    sendsDate: false,
    madeAt: Date.parse(time) / 1000,
  });
  const planned = await service.plan([
    'order_id,amount,ref,seat',
    'ord_1,full,,A1',
    'ord_2,100,x,B2',
    'ord_9,full,,C3',
  ]);
  expect(planned.code).toBe(8);
  await service.apply();

  const { screen } = await onScreen(['refunds', 'status', 'refunds.plan'], {
    home: service.home,
    env: { ...service.env, ...standingAt(time) },
    columns: 80,
  });

  expect(
    screen
      .replaceAll('\r', '')
      .replace(/digest \w{8};/, 'digest 12345678;')
      .replace(/\w{64}/, '1234'.repeat(16)),
  ).toMatchInlineSnapshot(`
    "LINE  ORDER     AMOUNT  VERDICT     WHY                      REF
       2  ord_1  35000 MXN  made        -                        -  
       3  ord_2    100 MXN  made        -                        x  
       4  ord_9          0  impossible  there is no order ord_9  -  
    [###############xxxxxxx]  # made, x not possible
    of 3 rows 2 made (35100 MXN), 1 impossible
    the orders were read: 05:05:12
    next: paydesk refunds status refunds.plan --rest refunds-rest.csv
    as a text for a mail: paydesk refunds status refunds.plan --report
    "
  `);
});

it('--report is a text for a mail: outcomes with their sums, what each other row needs, and as of when', async () => {
  const time = '2040-11-21T05:05:12Z';
  await using service = await startRefunds([...orders(3), order('ord_4', { currency: 'USD' })], {
    env: standingAt(time),
    sendsDate: false,
    madeAt: Date.parse(time) / 1000,
  });
  await service.plan(['order_id,amount', 'ord_1,full', 'ord_2,100', 'ord_3,50', 'ord_4,9', 'ord_9,full']);
  service.refund('ord_3', 'ch_ord_3', 5);
  await service.apply();
  const command = ['refunds', 'status', 'refunds.plan', '--report'];

  const piped = await service.run(command);
  const offline = await service.run([...command, '--offline', '--json']);

  expect([piped.code, piped.stderr, offline.code]).toEqual([8, '', 8]);
  expect(piped.stdout.replace(/digest \w{8}/, 'digest 12345678')).toMatchInlineSnapshot(`
    "Refunds of refunds.csv, sandbox environment: 5 rows

    made: 2 refunds, 35100 MXN; 1 refund, 9 USD
    not sent: 1 refund, 50 MXN
    impossible: 1 refund, sum not known

    line 4, ord_3: the order has changed since the plan was made: it has a new refund of 5, rf_1
    line 6, ord_9: there is no order ord_9

    the orders were read: 21 Nov 2040 05:05:12 UTC
    plan refunds.plan, made 21 Nov 2040 05:05:12 UTC by root, digest 12345678
    "
  `);
  expect(JSON.parse(offline.stdout)).toMatchObject({
    object: 'plan_report',
    text: expect.stringContaining('line 4, ord_3: not tried yet') as string,
  });
  const { screen } = await onScreen(command, {
    home: service.home,
    env: { ...service.env, ...standingAt(time) },
    columns: 80,
  });
  expect(
    screen
      .replaceAll('\r', '')
      .split('\n')
      .filter((line) => line.length > 80),
  ).toEqual([]);
  expect(screen).toContain('made: 2 refunds, 35100 MXN; 1 refund, 9 USD');
});

it('--report has no list: it stands alone', async () => {
  await using service = await startRefunds(orders(1));
  await service.plan(['order_id,amount', 'ord_1,full']);
  for (const other of [
    ['--to', 'a.csv'],
    ['--only', 'made'],
  ])
    expect((await service.run(['refunds', 'status', 'refunds.plan', '--report', ...other])).code).toBe(2);
});
