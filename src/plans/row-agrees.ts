/** Whether what a row of a plan shows is what would be sent for it. Somebody may have written the file with a program. Pure. */

import type { PlanHead, PlanRow } from './plan-types.ts';
import { rowKey } from './row-key.ts';

/** What is wrong with a row that was read from a plan, after `line 3`; undefined if nothing is. */
export function rowProblem(
  row: PlanRow,
  { origin, mode }: Pick<PlanHead, 'origin' | 'mode'>,
): string | undefined {
  const { state, sum, expected, orderId, chargeId, amount, ref } = row;
  // Nothing of it is sent or counted.
  if (state === 'impossible') return undefined;
  // A negative row would lower the sum of the others, and it is that sum that people and limits look at.
  if (sum < 0 || expected.some((one) => one.amount >= 0)) return 'takes money instead of paying it back';
  // What was sent before stands in the row as the journal has it, and a repaired journal may not know all of it.
  if (state === 'done' || state === 'unconfirmed') return undefined;
  if (!sendsWhatItShows(row)) return 'would send another refund than it shows';
  // Of a text that held an API key the file has only the mask, so nothing can be compared.
  if ([orderId, chargeId, ref].some((text) => text?.includes(mask))) return undefined;
  // Under another key the journal would not find what was sent for this row.
  return row.key === rowKey({ origin, mode, orderId, chargeId, amount, ref })
    ? undefined
    : 'has the key of another row';
}

// What paydesk writes in place of an API key.
const mask = '[key]';

function sendsWhatItShows({ sum, expected, body, amount, chargeId, reason }: PlanRow): boolean {
  if (body === undefined || body.reason !== reason) return false;
  if (sum !== expected.reduce((all, one) => all - one.amount, 0)) return false;
  if (amount !== 'full' && (amount !== sum || body.amount !== amount)) return false;
  if (body.amount !== undefined && body.amount !== sum) return false;
  if (chargeId !== undefined && body.charge_id !== chargeId) return false;
  // Without a charge the service refunds the whole order.
  if (body.charge_id === undefined) return body.amount === undefined && sum > 0;
  return expected.length === 1 && expected[0]?.chargeId === body.charge_id;
}
