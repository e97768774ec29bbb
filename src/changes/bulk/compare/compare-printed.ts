/** Makes what `refunds compare` prints: its columns and records, and the lines below them. Pure. */

import { unitsNote } from '../../../amounts.ts';
import type { JsonObject } from '../../../api/json-values.ts';
import { type Column, column, type Field, field, recordFrom } from '../../../api/resources.ts';
import { fullWord } from '../../../plans/plans.ts';
import { commandLine, type Profile } from '../../../profiles/profiles.ts';
import { elsewhere, foundWords, moneyColumns, saidWords, sumLines } from '../../../reports/reports.ts';
import { inFull, lineWords } from '../batch-words.ts';
import { inputColumnsOf, inputOf } from '../row-records.ts';
import type { Compared } from './compare-rows.ts';
import { compareVerdicts } from './compare-verdicts.ts';

interface Titles {
  readonly columns: readonly string[];
}

const ownColumns: readonly (Column | Field<Compared>)[] = [
  field('line', 'integer', ({ row }) => row?.line, { tableFrom: 0, stays: true }),
  field('order_id', 'id', ({ orderId }) => orderId || null, { title: 'ORDER', tableFrom: 0, stays: true }),
  ...moneyColumns<Compared>('refunded', 'BACK', ({ refunded }) => refunded),
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
  const input = inputOf(compared.row?.cells, titles);
  return { ...recordFrom('refund_comparison', ownColumns, compared), input };
}

const verdictWords: Readonly<Record<(typeof compareVerdicts)[number], string>> = {
  refunded: 'refunded as the file says',
  in_part: 'in part',
  more: 'more than the file says',
  other_currency: 'in another currency than the file says',
  not_refunded: 'not refunded',
  twice_in_file: 'twice in the file',
  pending: 'pending: the service has taken it up',
  failed: 'failed',
  unconfirmed: 'unconfirmed: paydesk journal reconcile --all',
  made_twice: 'made twice',
  appeared: 'appeared',
  gone: 'gone',
  recorded_made: 'recorded as made; the order does not show it',
  not_shown: 'on orders that do not show their charges, so nothing shows a refund',
  not_found: 'not found',
  not_in_file: 'not in the file',
};

// The verdicts for which the sum in the file differs from what went back.
const saysMore: ReadonlySet<Compared['verdict']> = new Set([
  'in_part',
  'more',
  'other_currency',
  'not_refunded',
  'twice_in_file',
  'not_found',
]);

/** A table cuts the reasons off or leaves them out, so the first ones are printed below it. */
export function whyLines(all: readonly Compared[], profile: Profile, file: string): readonly string[] {
  const rows = all.flatMap(({ row, why }) =>
    row === undefined || why === undefined ? [] : [{ line: row.line, why }],
  );
  return lineWords(rows, commandLine(profile, 'refunds', 'compare', file, ...inFull));
}

/** How many rows ended how. `isLookedFor`: refunds that are not in the file were looked for, so it is worth a line if there are none. */
export function closingLines(
  all: readonly Compared[],
  { settings }: Profile,
  isLookedFor: boolean,
): readonly string[] {
  return compareVerdicts.flatMap((verdict) => {
    const some = all.filter((one) => one.verdict === verdict);
    const isNews = isLookedFor && verdict === 'not_in_file';
    if (some.length === 0 && !isNews) return [];
    const back = some.filter(({ currency, refunded }) => currency !== undefined && refunded > 0);
    const money = saidWords(
      back.map(({ refunded, currency }) => ({ wanted: refunded, currency })),
      settings,
    );
    const said = saysMore.has(verdict) ? saidWords(some, settings) : '';
    const isSaid = verdict === 'failed' && some.every(({ row }) => row?.isFailed === true);
    return [
      `${some.length} ${verdictWords[verdict]}${isSaid ? ', as the file says' : ''}${foundWords(money, 'went back', said)}`,
    ];
  });
}

/** What the rows of the file want in each currency, and what went back for them. */
export function currencyLines(all: readonly Compared[], { settings }: Profile): readonly string[] {
  const said = all.map(({ row, currency, wantedCurrency = currency }) => {
    const amount = row?.exact ?? row?.amount;
    const isWhole = amount !== fullWord && row?.decimals === undefined;
    return { amount: isWhole ? amount : undefined, currency: wantedCurrency };
  });
  return [unitsNote(settings, said) ?? [], sumLines(summed(all), 'went back', settings)].flat();
}

/** The rows, as their sums need them. */
export function summed(all: readonly Compared[]) {
  return all.map((one) => {
    const sum = { ...one, isInFile: one.row !== undefined, found: one.refunded };
    // The file asks for nothing from a refund that it says failed.
    return one.row?.isFailed === true ? { ...sum, isRest: true as const } : sum;
  });
}
