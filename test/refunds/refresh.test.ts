/** `refunds plan --refresh` keeps what was allowed for rows that were not sent yet, and nothing for rows that were. */

import { expect, it } from 'vitest';
import { json } from '../harness/server.ts';
import { order, orders, type RefundService, recordsIn, startRefunds } from './refund-service.ts';

const titles = 'order_id,charge_id,amount,ref';

async function refresh(service: RefundService, from: string, to: string, ...more: readonly string[]) {
  const ran = await service.run(['refunds', 'plan', '--refresh', from, '--to', to, '--json', ...more]);
  return recordsIn(ran).map(({ verdict }) => verdict);
}

it('a name of --again that was not sent yet is kept, also for a refund of another amount', async () => {
  await using service = await startRefunds(orders(1));
  await service.plan([titles, 'ord_1,any,100,a']);
  await service.apply();
  await service.plan([titles, 'ord_1,any,250,a'], '--again', 'rf_1');

  const once = await refresh(service, 'refunds.plan', 'once.plan');
  const twice = await refresh(service, 'once.plan', 'twice.plan');
  const applied = await service.run(['refunds', 'apply', 'twice.plan', '--yes']);

  expect([once, twice]).toEqual([['ready'], ['ready']]);
  expect(applied.code, applied.stderr).toBe(0);
  expect(service.made.map(({ amount }) => amount)).toEqual([100, 250]);
});

it('a twin that --again named is kept', async () => {
  const buyer = { customer_info: { object: 'customer_info', name: 'Buyer', email: 'same@example.com' } };
  await using service = await startRefunds([order('ord_1', buyer), order('ord_2', buyer)]);
  const id = service.refund('ord_2', 'ch_ord_2', 35_000);
  await service.plan(['order_id,amount,reason', 'ord_1,full,duplicated_transaction'], '--again', id);

  expect(await refresh(service, 'refunds.plan', 'new.plan')).toEqual(['ready']);
});

it('a name that a row has used is not there for the next row', async () => {
  await using service = await startRefunds(orders(1));
  await service.plan([titles, 'ord_1,any,100,a']);
  await service.apply();
  const two = [titles, 'ord_1,any,250,a', 'ord_1,any,300,b'];
  const planned = await service.plan(two, '--again', 'rf_1', '--json');
  await service.apply();

  const kept = await refresh(service, 'refunds.plan', 'kept.plan');
  const later = await refresh(service, 'kept.plan', 'later.plan');
  const named = await refresh(service, 'later.plan', 'named.plan', '--again', 'rf_1');

  expect(recordsIn(planned).map(({ verdict }) => verdict)).toEqual(['ready', 'impossible']);
  expect([kept, later, named]).toEqual([
    ['done', 'impossible'],
    ['done', 'impossible'],
    ['done', 'ready'],
  ]);
});

it('a name that an unconfirmed row has used is not there for the next row either', async () => {
  await using service = await startRefunds(orders(1), {
    instead: () => (service.posts.length === 2 ? json({}, 502) : undefined),
  });
  await service.plan([titles, 'ord_1,any,100,a']);
  await service.apply();
  await service.plan([titles, 'ord_1,any,250,a', 'ord_1,any,300,b'], '--again', 'rf_1');
  expect((await service.apply()).code).toBe(7);

  expect(await refresh(service, 'refunds.plan', 'new.plan')).toEqual(['unconfirmed', 'impossible']);
});
