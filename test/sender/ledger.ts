/** The service and the sender of these tests: a ledger that refunds what it is asked to, and knows how often it was asked. */

import { type Json, newRefundOf, paidOrder, withRefund } from '../harness/orders.ts';
import { type SenderOptions, startSender, type TestSender } from '../harness/sender.ts';
import { json } from '../harness/server.ts';
import { type Service, type ServiceOptions, startService } from '../harness/service.ts';

/** A sender with its service. */
export interface Ledger extends AsyncDisposable {
  readonly service: Service;
  readonly sender: TestSender;
  /** How often a refund of this order was asked for. */
  posts(orderId: string): number;
}

/** Orders `ord_A1` … that can each be refunded, newest first. */
export function ordersOf(count: number): readonly Json[] {
  return Array.from({ length: count }, (_, at) => paidOrder(`ord_A${at + 1}`));
}

/** Makes every refund that it is asked for. */
export function refunding(): NonNullable<ServiceOptions['onPost']> {
  let made = 0;
  return (order, service, { body }) => {
    made += 1;
    const { amount = Number(order?.amount) } = JSON.parse(body || '{}') as { readonly amount?: number };
    const refunded = withRefund(order ?? {}, newRefundOf(`rf_${made}`, amount), amount);
    service.orders = service.orders.map((one) => (one.id === order?.id ? refunded : one));
    return json(refunded);
  };
}

export async function startLedger(
  options: ServiceOptions & Pick<SenderOptions, 'settings' | 'config' | 'machineFile'> = {},
): Promise<Ledger> {
  const service = await startService({ orders: ordersOf(3), onPost: refunding(), ...options });
  const sender = await startSender({ url: service.url, ...options });
  return {
    service,
    sender,
    posts: (id) => service.posts.filter(({ url }) => url === `/orders/${id}/refunds`).length,
    async [Symbol.asyncDispose]() {
      await sender[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}
