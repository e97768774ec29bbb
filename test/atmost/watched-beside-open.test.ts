/** A refund that was made and is watched, beside a later one on the same order whose reply was lost: each keeps its own. */

import { describe, expect, test } from 'vitest';
import { later } from '../harness/clock.ts';
import { newRefundOf, withRefund } from '../harness/orders.ts';
import type { Home } from '../harness/paydesk.ts';
import { json, reset } from '../harness/server.ts';
import { journalRows, ledgerAndDesk } from './desk.ts';
import { honest, type LedgerOrder } from './ledger.ts';

const { ledger, desk } = await ledgerAndDesk();

const refundOf = ({ id }: LedgerOrder, amount: number) =>
  ['orders', 'refund', id, '--charge', '1', '--amount', String(amount), '--yes'] as const;

/** The first refund is made; the second is made too, but its reply is lost and the reads after it show an old copy. */
async function twoRefunds(home: Home, second: number, again: (order: LedgerOrder) => readonly string[]) {
  const order = ledger.add('refund');
  expect((await desk.run(home, refundOf(order, 300))).code).toBe(0);
  const old = order.value;
  order.onPost = (_, apply) => {
    apply();
    return reset;
  };
  let reads = 0;
  order.onRead = () => {
    reads += 1;
    return reads > 2 ? json(old) : undefined;
  };
  expect((await desk.run(home, [...refundOf(order, second), ...again(order)])).code).toBe(7);
  order.onRead = undefined;
  order.onPost = honest;
  const changes = [...new Set(journalRows(home).map(({ change }) => change))];
  return { order, first: changes[0] ?? '', second: changes[1] ?? '' };
}

async function outcomeOf(home: Home, change: string) {
  const { stdout } = await desk.run(home, ['journal', 'list', '--json']);
  const { data } = JSON.parse(stdout) as { data: readonly Record<string, unknown>[] };
  const found = data.find((one) => one.change === change) ?? {};
  return { verdict: found.verdict, refunds: found.refunds, alarm: found.alarm };
}

describe('a look at the refund that was made', () => {
  test('does not take the one whose reply was lost for its own: that one is found, and not called "not seen"', async () => {
    using home = desk.newHome();
    const { order, first, second } = await twoRefunds(home, 200, () => []);
    expect((await desk.run(home, ['journal', 'reconcile', first])).code).toBe(0);
    expect((await desk.run(home, ['journal', 'reconcile', second])).code).toBe(0);
    expect(await outcomeOf(home, first)).toMatchObject({ verdict: 'applied', refunds: `rf_${order.id}_1` });
    expect(await outcomeOf(home, second)).toMatchObject({ verdict: 'applied', refunds: `rf_${order.id}_2` });
    expect(order.posts).toHaveLength(2);
  });

  test('raises no false alarm where the lost one repeats it', async () => {
    using home = desk.newHome();
    const { order, first, second } = await twoRefunds(home, 300, ({ id }) => ['--again', `rf_${id}_1`]);
    const looked = await desk.run(home, ['journal', 'reconcile', first]);
    expect(looked.stdout).not.toContain('TWICE');
    expect((await desk.run(home, ['journal', 'reconcile', second])).code).toBe(0);
    expect(await outcomeOf(home, second)).toMatchObject({ verdict: 'applied', refunds: `rf_${order.id}_2` });
    expect((await desk.run(home, ['journal', 'reconcile', first])).code).toBe(0);
    expect(await outcomeOf(home, first)).toMatchObject({ alarm: null, refunds: `rf_${order.id}_1` });
    expect(order.posts).toHaveLength(2);
  });

  test('still raises the alarm where the service doubled one of them', async () => {
    using home = desk.newHome();
    const { order, first, second } = await twoRefunds(home, 300, ({ id }) => ['--again', `rf_${id}_1`]);
    order.value = withRefund(order.value, newRefundOf(`rf_${order.id}_x`, 300), 300);
    const ran = await desk.run(home, ['journal', 'reconcile', '--all'], later(60_000));
    expect(ran.code).toBe(7);
    const alarms = [await outcomeOf(home, first), await outcomeOf(home, second)].map(({ alarm }) => alarm);
    expect(alarms).toContain('duplicate');
    expect(order.posts).toHaveLength(2);
  });

  test("does not say that another desk's refund is this desk's", async () => {
    using home = desk.newHome();
    const order = ledger.add('refund');
    expect((await desk.run(home, [...refundOf(order, 300), '--note', 'ticket 8812'])).code).toBe(0);
    order.value = withRefund(order.value, newRefundOf('rf_other', 200), 200);
    expect((await desk.run(home, ['journal', 'reconcile', '--all'])).code).toBe(0);
    const shown = await desk.run(home, ['orders', 'show', order.id]);
    expect(shown.stdout.match(/ticket 8812/g)).toHaveLength(1);
    expect(shown.stdout).toContain('elsewhere');
  });
});
