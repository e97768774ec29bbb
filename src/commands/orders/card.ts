/** How a charge was paid, in a word or two. Pure. */

import { type JsonObject, valueAt } from '../../api/spec.ts';

/** `*4242`, or the type of a payment that is no card. */
export function paidBy(charge: JsonObject): string {
  const last4 = valueAt(charge, ['payment_method', 'last4']);
  const type = valueAt(charge, ['payment_method', 'type']);
  if (typeof last4 === 'string' && last4 !== '') return `*${last4}`;
  return typeof type === 'string' && type !== '' ? type : 'not shown';
}

/** `visa *4242`: with the brand where the service shows one. */
export function brandAndCard(charge: JsonObject): string {
  const brand = valueAt(charge, ['payment_method', 'brand']);
  return `${typeof brand === 'string' && brand !== '' ? `${brand} ` : ''}${paidBy(charge)}`;
}
