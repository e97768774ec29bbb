/** Parts of a spread amount in a file of --rest: they are the rows that they were, so no way back pays more than the file says. */

import { expect, it } from 'vitest';
import { type RefundService, recordsIn, splitOrder, startRefunds } from './refund-service.ts';

const file = ['order_id,amount,ref', 'ord_s,300,a'];

/** Spreads 300 over two charges, writes what is left as a file, and sends these of its two rows from there. */
async function sentFromRest(lines: readonly number[]): Promise<RefundService> {
  const service = await startRefunds([splitOrder('ord_s', 200, 150, 500)]);
  await service.plan(file, '--allocate', 'in-order');
  await service.run(['refunds', 'status', 'refunds.plan', '--rest', 'all.csv']);
  const [titles = '', ...parts] = service.read('all.csv').trimEnd().split('\n');
  service.write('rest.csv', [titles, ...parts.filter((_, index) => lines.includes(index)), ''].join('\n'));
  await service.run(['refunds', 'plan', 'rest.csv', '--to', 'rest.plan']);
  const sent = await service.run(['refunds', 'apply', 'rest.plan', '--yes', '--json']);
  expect(recordsIn(sent).map(({ verdict }) => verdict)).toEqual(lines.map(() => 'made'));
  return service;
}

const ways = {
  'the plan itself': [['refunds', 'apply', 'refunds.plan', '--yes']],
  'the plan, refreshed': [
    ['refunds', 'plan', '--refresh', 'refunds.plan', '--to', 'new.plan'],
    ['refunds', 'apply', 'new.plan', '--yes'],
  ],
  'the file, planned again': [
    ['refunds', 'plan', 'refunds.csv', '--to', 'new.plan', '--allocate', 'in-order'],
    ['refunds', 'apply', 'new.plan', '--yes'],
  ],
  'the file, spread in another way': [
    ['refunds', 'plan', 'refunds.csv', '--to', 'new.plan', '--allocate', 'largest-first'],
    ['refunds', 'apply', 'new.plan', '--yes'],
  ],
  'the file of the rest once more': [
    ['refunds', 'plan', 'all.csv', '--to', 'new.plan'],
    ['refunds', 'apply', 'new.plan', '--yes'],
  ],
} as const;

const subsets = [[0], [1], [0, 1]];

it.each(Object.keys(ways).flatMap((way) => subsets.map((lines) => [way, lines] as const)))(
  'F26 %s sends no part again that went back from the rest (rows %j)',
  async (way, lines) => {
    await using service = await sentFromRest(lines);
    const known: Readonly<Record<string, readonly (readonly string[])[]>> = ways;

    for (const words of known[way] ?? []) await service.run(words);
    for (const words of known[way]?.slice(-1) ?? []) await service.run(words);

    const sums = Map.groupBy(service.made, ({ charge }) => charge);
    expect(sums.get('ch_1')?.map(({ amount }) => amount) ?? [200]).toEqual([200]);
    expect(sums.get('ch_2')?.map(({ amount }) => amount) ?? [100]).toEqual([100]);
    expect(sums.has('ch_3')).toBe(false);
  },
);

it.each(['the plan itself', 'the plan, refreshed', 'the file of the rest once more'] as const)(
  '%s sends the part that is left',
  async (way) => {
    await using service = await sentFromRest([1]);

    for (const words of ways[way]) await service.run(words);

    expect(service.made.map(({ charge, amount }) => [charge, amount])).toEqual([
      ['ch_2', 100],
      ['ch_1', 200],
    ]);
  },
);

it.each(['in-order', 'largest-first'])(
  'planned again and spread %s, the file says why it waits',
  async (how) => {
    await using service = await sentFromRest([0]);

    const ran = await service.plan(file, '--allocate', how, '--json');

    expect(recordsIn(ran).map(({ verdict }) => verdict)).not.toContain('ready');
    expect(recordsIn(ran)[0]?.why).toMatch(/--again rf_1|ref of its own/);
  },
);
