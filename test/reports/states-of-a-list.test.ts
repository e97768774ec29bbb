/** `refunds list` for people: the state of a refund and the person who made it are two columns. */

import { expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { onScreen } from '../harness/paydesk.ts';
import type { Service } from '../harness/service.ts';
import { at, clock, orderAt, refundAs, rowsOf, startRefunding } from './refunded-orders.ts';

const screenAt = async (service: Service, columns: number, ...words: readonly string[]) => {
  const list = ['refunds', 'list', '--period', '2040-11', '-q', ...words];
  const env = { ...service.env, ...clock };
  return (await onScreen(list, { home: service.home, env, columns })).screen;
};

test('a list with a refund that moved no money has a column STATE at every width, and BY has only the person', async () => {
  await using service = await startRefunding([
    orderAt('ord_2tQ7zRk9PwE5xNvA1', '2040-11-20T10:00:00Z'),
    orderAt('ord_2tQ7zRk9PwE5xNvA2', '2040-11-20T10:00:00Z'),
  ]);
  await refundAs(service, 'ana', 'ord_2tQ7zRk9PwE5xNvA1');
  for (const columns of [40, 80, 120]) expect(await screenAt(service, columns)).not.toContain('STATE');
  const failed = { amount: 3000, at: '2040-11-20T12:00:00Z', changes: { status: 'failed' } };
  service.orders = service.orders.map((one) =>
    one.id === 'ord_2tQ7zRk9PwE5xNvA2'
      ? orderAt('ord_2tQ7zRk9PwE5xNvA2', '2040-11-20T10:00:00Z', { refunds: [failed], amount_refunded: 0 })
      : one,
  );
  for (const columns of [40, 60, 80, 100, 160]) {
    const screen = await screenAt(service, columns);
    expect(screen, `${columns}`).toMatch(/STATE/);
    expect(screen, `${columns}`).toMatch(/ord_2tQ7zRk9PwE5xNvA2 .*\bfailed\b/);
    expect(screen).not.toContain('failed;');
    expect(screen, `${columns}`).toMatch(/elsewhere/);
  }
  const [heading = '', ...rows] = (await screenAt(service, 80)).split('\n');
  expect(heading.trim().split(/ {2,}/)).toEqual(['MADE UTC', 'ORDER', 'AMOUNT', 'STATE', 'BY', 'REASON']);
  expect(rows.map((row) => row.trim().split(/ {2,}/).slice(3, 5)).slice(0, 2)).toEqual([
    ['made', 'ana'],
    ['failed', 'elsewhere'],
  ]);
});

test('who has no column for a name that is not known here is counted below the list', async () => {
  await using service = await startRefunding([
    orderAt('ord_a', '2040-11-20T10:00:00Z'),
    orderAt('ord_b', '2040-11-20T10:00:00Z', { refunds: [{ amount: 3000, at: '2040-11-20T12:00:00Z' }] }),
  ]);
  await refundAs(service, 'ana', 'ord_a');
  const list = (columns: string) =>
    service.run(['refunds', 'list', '--period', '2040-11', '--columns', columns], { env: clock });
  const line = '1 of these rows is elsewhere: who sent, asked and approved is not known on this machine\n';
  expect((await list('order_id,amount,operator,approved_by')).stderr).toContain(line);
  expect((await list('order_id,amount,by')).stderr).not.toContain(line);
});

test('verdict_at stays when the outcome was recorded, however often somebody looks later', async () => {
  await using service = await startRefunding([orderAt('ord_a', '2040-11-20T10:00:00Z')]);
  await refundAs(service, 'ana', 'ord_a');
  const rows = async (env: typeof clock) =>
    rowsOf((await service.run(['journal', 'list', '--all', '--ndjson'], { env })).stdout);
  const [first] = await rows(clock);
  const later = standingAt('2040-11-22T09:00:00Z');
  const reconcile = ['journal', 'reconcile', String(first?.change)];
  expect((await service.run(reconcile, { env: later })).code).toBe(0);
  const shown = await service.run(['journal', 'show', String(first?.change), '--json'], { env: later });
  // The read is in the history, and the outcome is as old as it was.
  expect(JSON.parse(shown.stdout).history.at(-1).verdict_at).toBe(at('2040-11-22T09:00:00Z'));
  expect((await rows(later))[0]?.verdict_at).toBe(first?.verdict_at);
  expect(first?.verdict_at).toBe(at('2040-11-21T15:31:12Z'));
});
