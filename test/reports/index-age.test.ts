/** How old an index may be for a report, what the report then says, and the commands that it names. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { json } from '../harness/server.ts';
import { type Service, type ServiceOptions, storeShop } from '../harness/service.ts';
import { ok } from '../index/shop.ts';
import { orderAt, rowsOf, startDated } from './refunded-orders.ts';

// Mexico City is six hours behind UTC, so its day begins at 06:00.
const zone = 'America/Mexico_City';
const time = (text: string) => standingAt(`2040-11-21T${text}:00Z`);

/** An order every 20 hours. One of them was refunded in October. */
const orders = Array.from({ length: 60 }, (_, index) =>
  orderAt(
    `ord_${index}`,
    new Date(Date.parse('2040-11-21T05:00:00Z') - index * 20 * 3_600_000).toISOString(),
    {
      refunds: index === 40 ? [{ amount: 50, at: '2040-10-20T12:00:00Z' }] : [],
    },
  ),
);

const ask = (service: Service, words: string, env: Readonly<Record<string, string>>) =>
  service.run(words.split(' '), { env });

async function startIndexed(options: ServiceOptions = { orders }): Promise<Service> {
  const service = await startDated(options);
  await ok(ask(service, 'index build --yes --quiet', time('05:58')));
  return service;
}

/** The same with a newer order, and the second of them was refunded a minute after the day in Mexico City began. */
const later = [
  orderAt('ord_new', '2040-11-21T06:01:30Z'),
  ...orders.slice(0, 1),
  orderAt('ord_1', '2040-11-20T09:00:00Z', { refunds: [{ amount: 70, at: '2040-11-21T06:01:00Z' }] }),
  ...orders.slice(2),
];

describe('an index of which only new orders were read since the day began', () => {
  test.each(['today', 'refunds list --period today', 'refunds summary --period today'])(
    'does not answer %s',
    async (words) => {
      await using service = await startIndexed();
      service.orders = later;
      // One short page, which joins what is known.
      await ok(ask(service, 'orders list --limit 2', time('06:02')));
      const { stdout, stderr } = await ask(service, `${words} --tz ${zone} --ndjson`, time('06:03'));
      expect(stderr).toContain(
        'cannot answer: its orders of the newest 3 days were last read on 20 Nov 2040 23:58:00 UTC-6. Every order is read instead',
      );
      expect(JSON.stringify(rowsOf(stdout))).toContain('70');
      expect(rowsOf(stdout).every(({ complete }) => complete === true)).toBe(true);
      // A refresh would not read them again yet, because its day is that of the profile.
      expect(stderr).not.toContain('index refresh');
      const before = service.requests.length;
      await ok(ask(service, `${words} --tz ${zone}`, time('06:04')));
      expect(service.requests.length).toBe(before);
    },
  );

  test('answers after a refresh, which reads the newest orders again though they were read within the hour', async () => {
    await using service = await startDated({ orders });
    await storeShop(service.home, service, { 'time.zone': zone });
    const run = (words: string, at: string) =>
      service.run(['-p', 'shop', ...words.split(' ')], {
        env: { ...time(at), PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '' },
      });
    await ok(run('index build --yes --quiet', '05:58'));
    service.orders = later;
    await ok(run('orders list --limit 2', '06:02'));
    await ok(run('index refresh --quiet', '06:03'));
    const before = service.requests.length;
    const { stdout } = await run('today', '06:04');
    expect(stdout).toMatch(/^refunded today +1 refund +70 MXN/m);
    expect(service.requests.length).toBe(before);
    // What was read since the day began is not read again within the hour.
    await ok(run('index refresh --quiet', '06:05'));
    expect(service.requests.length - before).toBe(2);
  });
});

test('a refresh is named only where it reads the newest orders again: not within the hour', async () => {
  await using service = await startIndexed();
  await ok(ask(service, 'orders list --limit 2', time('06:50')));
  const since = 'refunds list --period 2040-11-21T06:30Z..';
  const early = await ask(service, since, time('06:51'));
  expect(early.stderr).toContain(
    'its orders of the newest 3 days were last read on 21 Nov 2040 05:58:00 UTC',
  );
  expect(early.stderr).not.toContain('index refresh');
  // Every order was read just now, and answers.
  const before = service.requests.length;
  await ok(ask(service, since, time('06:52')));
  expect(service.requests.length).toBe(before);
  const late = await ask(service, 'today --live', time('06:53'));
  expect(late.code).toBe(0);
  await ok(ask(service, 'orders list --limit 2', time('09:30')));
  const { stderr } = await ask(service, 'today', time('09:31'));
  expect(stderr).toContain('last read on 21 Nov 2040 06:53:00 UTC');
  expect(stderr).toContain('so that it can: paydesk index refresh');
});

describe('a period that was over before the orders were read', () => {
  const lower = 'so the sums are a lower bound';
  const whole = 'this period was over by then, so none of its refunds is missing';

  test.each(['2040-10', '2020', 'yesterday'])('%s: no refund of it is missing', async (period) => {
    await using service = await startIndexed();
    const { stdout } = await ask(service, `refunds summary --period ${period}`, time('06:30'));
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(whole);
    expect(stdout).not.toContain(lower);
  });

  test('a period that goes on, or that ended after the reading, is a lower bound', async () => {
    await using service = await startIndexed();
    for (const words of ['--period this-month', '--period 2040-11-01..2040-11-21T06:15:00Z']) {
      const { stdout } = await ask(service, `refunds summary ${words}`, time('06:30'));
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(lower);
      expect(stdout).not.toContain('was over by then');
    }
  });
});

test('the command that brings the index up to date names the profile', async () => {
  const [first = {}] = orders;
  await using service = await startDated({
    orders,
    onPost(_order, own) {
      const { id, amount } = first as { id: string; amount: number };
      const after = orderAt(id, '2040-11-21T05:00:00Z', {
        amount,
        refunds: [{ amount, at: '2040-11-21T06:10:00Z' }],
      });
      own.orders = [after, ...orders.slice(1)];
      return json(after);
    },
  });
  await storeShop(service.home, service, { 'time.zone': 'UTC' });
  const run = (words: string, at: string) =>
    service.run(['-p', 'shop', ...words.split(' ')], {
      env: { ...time(at), PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '' },
    });
  await ok(run('index build --yes --quiet', '05:58'));
  await ok(run('orders refund ord_0 --yes', '06:10'));
  const missing = '1 refund that this machine made is not in these sums yet';
  for (const words of ['refunds summary', 'today', 'refunds list']) {
    const { stdout, stderr } = await run(words, '06:20');
    expect(`${stdout}${stderr}`.replaceAll(/\s+/g, ' ')).toContain(
      `${missing}; to read the newest: paydesk -p shop index refresh`,
    );
  }
  const { stderr } = await run('report --to report.html', '06:20');
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('paydesk -p shop index refresh');
  const html = readFileSync(join(service.home.path, 'report.html'), 'utf8');
  expect(html).toContain(`<dt>Note</dt><dd>${missing}</dd>`);
  expect(service.posts).toHaveLength(1);
});

test('where the ages were read at different times, the file names each with its day', async () => {
  // More than a segment of the index has, so a refresh reads only the first thousand of them again.
  const old = Array.from({ length: 1_200 }, (_, index) => orderAt(`ord_old${index}`, '2040-01-01T00:00:00Z'));
  await using service = await startIndexed({ orders: [...orders, ...old] });
  await ok(ask(service, 'index refresh --quiet', time('07:58')));
  await ok(ask(service, 'report --to report.html', time('08:00')));
  const html = readFileSync(join(service.home.path, 'report.html'), 'utf8');
  const [, words = ''] = /<dt>As of<\/dt><dd>([^<]*)/.exec(html) ?? [];
  expect(words).toBe(
    'orders of the newest 3 days were read on 21 Nov 2040 07:58:00 UTC, those of the last 90 days were read on 21 Nov 2040 07:58:00 UTC, older ones were read on 21 Nov 2040 05:58:00 UTC: refunds made on these orders since then may be missing, so the sums are a lower bound',
  );
});
