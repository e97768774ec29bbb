/** The columns and records of `refunds compare`, and how many of its rows ended how. Pure. */

import type { JsonObject } from '../../api/json-values.ts';
import { type Column, column, type Field, field } from '../../api/resources.ts';
import { inputColumnsOf } from '../../changes/changes.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { elsewhere } from '../../reports/reports.ts';
import { endLine, type Finding, moneyColumns } from './compared-sums.ts';
import type { Compared } from './refund-rows.ts';
import { refundVerdicts } from './refund-verdicts.ts';
import { comparedRecord, type Titles } from './show-compared.ts';

/** What the service paid back for the rows. */
export const wentBackFor: Finding<Compared> = {
  name: 'refunded',
  shortTitle: 'BACK',
  did: 'went back',
  of: ({ refunded }) => refunded,
};

const ownColumns: readonly (Column | Field<Compared>)[] = [
  field('line', 'integer', ({ row }) => row?.line, { tableFrom: 0, stays: true }),
  field('order_id', 'id', ({ orderId }) => orderId || null, { title: 'ORDER', tableFrom: 0, stays: true }),
  ...moneyColumns(wentBackFor),
  field('refunded_at', 'time', ({ refunds }) => refunds.at(-1)?.createdAt, { title: 'MADE', tableFrom: 0 }),
  column('by', 'text', {
    tableFrom: 100,
    isMissed: true,
    derived: true,
    value: ({ operator, refund_id: id }) => operator ?? (id === null ? null : elsewhere),
  }),
  field('operator', 'text', ({ refunds }) => operatorsOf(refunds)),
  field('refund_id', 'id', ({ refunds }) => refunds.map(({ id }) => id).join(' ') || null, {
    tableFrom: 120,
    isMissed: true,
    brief: { value: firstRefund },
  }),
  field(
    'why',
    'text',
    ({ why, verdict }) => why ?? (verdict === 'not_refunded' ? 'nothing of it went back' : null),
    {
      tableFrom: 160,
    },
  ),
  field('state', 'text', ({ state }) => state),
  field('currency', 'text', ({ currency }) => currency),
  field('charge', 'text', ({ row }) => row?.charge),
  field('charge_id', 'text', ({ refunds }) => refunds.at(-1)?.chargeId),
  field('ref', 'text', ({ row }) => row?.ref ?? ''),
];

// Who made these refunds, as lists say it: null if all are from elsewhere; beside one of ours, `elsewhere` is named.
function operatorsOf(refunds: Compared['refunds']): string | null {
  const names = [...new Set(refunds.map(({ by }) => by))].join(', ');
  return names === elsewhere ? null : names || null;
}

/** The columns of a comparison; `all`: what it prints. The columns of the file come last, as `input.TITLE`. */
export function compareColumns(titles: Titles, all: readonly Compared[]): readonly Column[] {
  // The reasons of rows are below the table, so that it has room for who and when.
  const hasReasons = all.some(({ row, why }) => row === undefined && why !== undefined);
  const own = ownColumns.map((one) =>
    hasReasons && one.name === 'why' ? { ...one, tableFrom: 100, isMissed: true as const } : one,
  );
  return [...own, ...inputColumnsOf(titles)];
}

// Several ids would leave no room for the money and the times.
function firstRefund({ refund_id: ids }: JsonObject): unknown {
  if (typeof ids !== 'string') return ids;
  const [first, ...more] = ids.split(' ');
  return more.length === 0 ? first : `${first} +${more.length}`;
}

/** A row of the comparison as a record. */
export function compareRecord(compared: Compared, titles: Titles): JsonObject {
  return comparedRecord('refund_comparison', ownColumns, compared, titles);
}

// The verdicts for which the sum in the file differs from what went back.
const saysMore: ReadonlySet<Compared['verdict']> = new Set([
  'in_part',
  'more',
  'other_currency',
  'not_refunded',
  'twice_in_file',
  'not_found',
]);

/** How many rows ended how. `isLookedFor`: refunds that are not in the file were looked for, so it is worth a line if there are none. */
export function closingLines(
  all: readonly Compared[],
  { settings }: Profile,
  isLookedFor: boolean,
): readonly string[] {
  return Object.entries(refundVerdicts).flatMap(([verdict, words]) => {
    const some = all.filter((one) => one.verdict === verdict);
    const isNews = isLookedFor && verdict === 'not_in_file';
    if (some.length === 0 && !isNews) return [];
    const back = some.filter(({ currency, refunded }) => currency !== undefined && refunded > 0);
    const found = back.map(({ refunded, currency }) => ({ wanted: refunded, currency }));
    const said = some.filter((one) => saysMore.has(one.verdict));
    const isSaid = verdict === 'failed' && some.every(({ row }) => row?.isFailed === true);
    const ended = `${words}${isSaid ? ', as the file says' : ''}`;
    return [endLine(some.length, ended, { found, did: 'went back', said }, settings)];
  });
}
