/** What speaks against an order that shows what was asked for: other money than was read before, a refund that failed. Pure. */

import type { OrderMoney } from '../api/charges.ts';
import { failedWords, valueAt } from '../api/spec.ts';
import type { FoundRefund } from './journal.ts';
import type { PreImage } from './journal-rows.ts';

/** The money of an order before its capture; undefined in rows that are older than this comparison. */
type Before = Pick<PreImage, 'amount' | 'currency' | 'charges'>;

/** Why an order does not show the capture of what was read before; undefined when nothing speaks against it. */
export function otherCapture(before: Before, value: unknown): string | undefined {
  return (
    differs('amount', before.amount, valueAt(value, ['amount'])) ??
    differs('currency', before.currency, valueAt(value, ['currency']))
  );
}

/** Why an order does not show these refunds of what was read before; undefined when nothing speaks against it. */
export function otherRefund(
  before: Before,
  { currency, charges }: OrderMoney,
  refunds: readonly FoundRefund[],
): string | undefined {
  const own = refunds.map(({ chargeId }) => {
    const was = before.charges.find(({ id }) => id === chargeId)?.currency;
    const now = charges.find(({ id }) => id === chargeId)?.value.currency;
    return differs(`currency of charge ${chargeId}`, was, now);
  });
  return [differs('currency', before.currency, currency), ...own, ...refunds.map(failed)].find(
    (words) => words !== undefined,
  );
}

// What is not shown contradicts nothing.
function differs(name: string, before: number | string | undefined, now: unknown): string | undefined {
  if (before === undefined || now === undefined || now === null) return undefined;
  const shown = told(now);
  if (shown.toUpperCase() === told(before).toUpperCase()) return undefined;
  return `${name} ${shown} instead of ${before}`;
}

function told(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : `a ${typeof value}`;
}

function failed({ id, status }: FoundRefund): string | undefined {
  if (status === undefined || !failedWords.includes(status.toLowerCase())) return undefined;
  return `the status ${status} of refund ${id ?? 'without an id'}`;
}
