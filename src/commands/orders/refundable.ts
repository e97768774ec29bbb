/** Which orders and charges can be refunded, as far as what was read shows it. */

import { type ChargeMoney, readMoney } from '../../api/charges.ts';
import { type JsonObject, statuses } from '../../api/spec.ts';

/** Charges that a refund can come out of; none when the order does not show its charges. */
export function countingCharges(order: JsonObject): readonly ChargeMoney[] {
  const reading = readMoney(order);
  return 'money' in reading ? reading.money.charges.filter(({ counts }) => counts) : [];
}

/**
 * The service says so; where it says nothing, a charge that counts says it. Absent is "not shown", never "false". What
 * is not charged yet has nothing to give back, whatever the service says.
 */
export function canBeRefunded(order: JsonObject): boolean {
  const { is_refundable: said, payment_status: status } = order;
  if (status === statuses.preAuthorized) return false;
  return said === true || (said !== false && countingCharges(order).length > 0);
}
