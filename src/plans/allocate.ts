/** Spreads an amount over an order's charges. Pure. */

import type { AllocateWay } from './plan-types.ts';

/** A charge, and what is left to refund, in the service's units. */
interface ChargeLeft {
  readonly id: string;
  readonly left: number;
}

/** What goes back from one charge. */
interface ChargePart {
  readonly id: string;
  readonly amount: number;
}

/**
 * The parts of the amount, from the first charge on, or from the one with most left. Charges with equal amounts left keep their
 * order. Undefined if there is not enough, or the amount is not a positive whole number.
 */
export function allocate(
  amount: number,
  charges: readonly ChargeLeft[],
  how: AllocateWay,
): readonly ChargePart[] | undefined {
  if (!Number.isSafeInteger(amount) || amount < 1) return undefined;
  const usable = charges.filter(({ left }) => Number.isSafeInteger(left) && left > 0);
  const ordered = how === 'in-order' ? usable : usable.toSorted((a, b) => b.left - a.left);
  const parts: ChargePart[] = [];
  let open = amount;
  for (const { id, left } of ordered) {
    if (open === 0) break;
    const part = Math.min(open, left);
    parts.push({ id, amount: part });
    open -= part;
  }
  return open === 0 ? parts : undefined;
}
