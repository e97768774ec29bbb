/** One look at what a change is about: its order, or the newest orders for one that is being created. */

import { CliError } from '../errors.ts';
import type { Intent, Service, WireRecord } from '../ports.ts';

/** What a look showed. */
export interface LastRead {
  /** What sight.ts judges: the order, or a list of the newest ones. */
  readonly value: unknown;
  readonly record?: WireRecord | undefined;
  /** The newest orders, for one that is being created. */
  readonly newest?: readonly WireRecord[] | undefined;
  readonly neighbour?: string | undefined;
}

/** What is looked at; `neighbour` is the record before the order when it was last located. */
export interface Target {
  readonly kind: Intent['kind'];
  readonly orderId?: string | undefined;
  readonly neighbour?: string | undefined;
}

const newest = 50;
const walkMax = 5000;

/** Reads it. Throws CliError 'not_found' or 'refused' when it is not there, and what the reads throw. */
export async function lookAt(service: Service, { kind, orderId, neighbour }: Target): Promise<LastRead> {
  if (kind === 'order') {
    const records = await newestOrders(service);
    return { value: records.map(({ value }) => value), newest: records };
  }
  if (orderId === undefined) return { value: undefined };
  const located = await service.locate('orders', orderId, { neighbour, max: walkMax });
  if ('found' in located) {
    return { value: located.found.value, record: located.found, neighbour: located.neighbour };
  }
  const profile = service.profile.name;
  const now = [`paydesk -p ${profile} orders list`];
  const certain = 'nothing was sent';
  if ('missing' in located) throw new CliError('not_found', `there is no order ${orderId}`, { certain, now });
  const message = `${orderId} is not among the newest ${located.read} orders`;
  throw new CliError('refused', message, { certain, now });
}

async function newestOrders(service: Service): Promise<readonly WireRecord[]> {
  for await (const page of service.pages('orders', { limit: newest })) {
    return page.records;
  }
  return [];
}

/** The record that an outcome is about: the order read, or the created one among the newest. */
export function recordIn(last: LastRead | undefined, created: string | undefined): WireRecord | undefined {
  if (last?.record !== undefined || created === undefined) return last?.record;
  return last?.newest?.find(({ value }) => value.id === created);
}
