/** What a person should know about a row of a plan that can be sent. Pure. */

import { amountWords, partWords } from '../../amounts.ts';
import { newestOf, type OrderMoney } from '../../api/charges.ts';
import type { ExpectedRefund } from '../../journal/journal.ts';
import { fullWord } from '../../plans/plans.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { isPlanned } from './order-after.ts';
import type { NewRow, OrderOfRow } from './order-of-rows.ts';
import { twinMarks } from './row-doubts.ts';
import { otherRefunds } from './row-repeats.ts';

interface Refund {
  readonly money: OrderMoney;
  readonly expected: readonly ExpectedRefund[];
}

/** The marks of a row, one sentence each. The refunds of other rows of the file are no news. */
export function rowMarks(
  row: NewRow,
  refund: Refund,
  read: OrderOfRow,
  { settings }: Profile,
): readonly string[] {
  const { twins, gaps = [], byHandNotes } = read;
  return [
    ...(byHandNotes?.(refund.expected) ?? []),
    ...restMark(row, refund, settings),
    ...refundedMark(refund, read, settings),
    ...twinMarks(twins),
    ...gaps,
  ];
}

// `full` means the rest, if some of it went back before.
function restMark(
  { amount, chargeId }: NewRow,
  { money }: Refund,
  settings: Profile['settings'],
): readonly string[] {
  const charges = money.charges.filter(({ id }) => chargeId === undefined || id === chargeId);
  const refunds = charges.flatMap((charge) => charge.refunds.filter(({ id }) => !isPlanned(id)));
  if (amount !== fullWord || refunds.length === 0) return [];
  const gone = refunds.reduce((sum, one) => sum - one.amount, 0);
  const paid = chargeId === undefined ? money.amount : (charges[0]?.amount ?? 0);
  return [`${partWords(gone, paid, money.currency, settings)} went back before: full means the rest`];
}

function refundedMark(
  refund: Refund,
  { ofOrder, madeWords = () => '' }: OrderOfRow,
  settings: Profile['settings'],
): readonly string[] {
  const others = otherRefunds(refund, ofOrder);
  const newest = newestOf(others);
  if (newest === undefined) return [];
  const more = others.length === 1 ? '' : ` and ${others.length - 1} more`;
  const figure = amountWords(-newest.amount, refund.money.currency, settings);
  return [
    `this charge was refunded before: ${figure}, ${newest.id}${madeWords(newest)}${more}; the buyer may mean that refund`,
  ];
}
