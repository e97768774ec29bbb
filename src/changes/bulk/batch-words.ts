/** Writes the words about the rows of a plan: what would be sent, how many ended how, and why some were not sent. Pure. */

import { type AmountStyle, amountWords, sumsWords } from '../../amounts.ts';
import { counted, linesWords } from '../../counted.ts';
import { type ControlTotals, digestShown, type Plan, type PlanRow, sumsOf } from '../../plans/plans.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import { titleLine } from '../change-words.ts';
import { bar } from './batch-progress.ts';
import {
  countVerdicts,
  isAlarming,
  isDone,
  movedNothing,
  type RowReport,
  type RowVerdict,
  whyBesideOrder,
} from './row-verdicts.ts';

/** `112 refunds, 1203400 MXN and 900 USD`. */
export function rowsAndSums(rows: readonly PlanRow[], style: AmountStyle): string {
  return rowsAndSumsOf({ rows: rows.length, sums: sumsOf(rows) }, style);
}

/** The same for totals that are known already. */
export function rowsAndSumsOf(
  { rows, sums }: { readonly rows: number; readonly sums: readonly { currency: string; amount: number }[] },
  style: AmountStyle,
): string {
  const many = counted(rows, 'refund');
  const moved = sums.filter(({ amount }) => amount > 0);
  return moved.length === 0 ? many : `${many}, ${sumsWords(moved, style)}`;
}

// The verdicts for which a sum says nothing.
const withoutSum: readonly RowVerdict[] = ['refused', 'recorded_not_made', 'not_sent', 'look', 'impossible'];

/** `of 300 rows 112 made (1203400 MXN), 2 refused, 3 unconfirmed (41000 MXN), 183 not sent`. */
export function countWords(reports: readonly RowReport[], style: AmountStyle): string {
  const count = (some: readonly RowReport[], words: string, hasSum: boolean) => {
    const sums = sumsOf(some.map(moneyOf)).filter(({ amount }) => amount > 0);
    return `${some.length} ${words}${hasSum && sums.length > 0 ? ` (${sumsWords(sums, style)})` : ''}`;
  };
  const parts = countVerdicts(reports).map(({ verdict, reports: some }) =>
    count(some, verdictWords(verdict), !withoutSum.includes(verdict)),
  );
  return `of ${manyRows(reports.map(({ row }) => row))} ${parts.join(', ')}`;
}

/** The same with a line for each verdict and every sum: `made: 2 refunds, 1500 MXN; 1 refund, 16000 USD`. */
export function countLines(reports: readonly RowReport[], style: AmountStyle): readonly string[] {
  return countVerdicts(reports).map(({ verdict, reports: some }) => {
    const sums = sumsOf(some.map(moneyOf)).map(({ currency, rows, amount }) => {
      const known = currency === '?' ? 'sum not known' : amountWords(amount, currency, style);
      return `${counted(rows, 'refund')}, ${known}`;
    });
    return `${verdictWords(verdict)}: ${sums.join('; ')}`;
  });
}

function verdictWords(verdict: RowVerdict): string {
  return verdict === 'look' ? 'to be looked at first' : verdict.replaceAll('_', ' ');
}

// What a row asks for; for a row that was made twice, what went back.
function moneyOf({ row, verdict, attempt }: RowReport): Pick<PlanRow, 'currency' | 'sum'> {
  const { currency, sum } = row;
  return { currency, sum: verdict === 'made_twice' ? (attempt?.made?.sum ?? sum) : sum };
}

/** `60 rows`; if amounts were spread over charges: `64 refunds (60 rows of the file)`. */
export function manyRows(rows: readonly PlanRow[]): string {
  const lines = new Set(rows.map(({ line }) => line)).size;
  const words = counted(lines, 'row');
  return lines === rows.length ? words : `${rows.length} refunds (${words} of the file)`;
}

/** How many rows the file has and how many refunds the plan has, if these differ: `60 rows of the file, 64 refunds`. */
export function spreadWords(rows: readonly PlanRow[]): readonly string[] {
  const lines = new Set(rows.map(({ line }) => line)).size;
  if (lines === rows.length) return [];
  return [`${counted(lines, 'row')} of the file, ${rows.length} refunds`];
}

/** A table on a narrow terminal cuts the reasons off, so the reasons of this many rows are printed below it. */
export const shownRows = 8;

/** The words that make a command show each row in one line, with its whole reason. */
export const inFull: readonly string[] = ['--csv', '--columns', 'line,order_id,verdict,why'];

/**
 * Why rows are not sent: a line for each of the first ones. With `orderId` the line names the order too. `all`: the command that
 * shows the others too.
 */
export function lineWords(
  rows: readonly (Pick<SaidRow, 'line' | 'why'> & Partial<Pick<SaidRow, 'orderId'>>)[],
  all: string,
): readonly string[] {
  return [
    ...rows.slice(0, shownRows).map(({ line, orderId, why = notTried }) => {
      if (orderId === undefined) return `line ${line}: ${why}`;
      return `line ${line}, ${orderId}: ${whyBesideOrder(why, { orderId })}`;
    }),
    ...moreWords(rows.length - shownRows, all),
  ];
}

type SaidRow = Pick<PlanRow, 'line' | 'orderId' | 'why'>;

/** Why a row is not tried: an earlier row of its order is unconfirmed. */
export function waitsWords(line: number): string {
  return `waits for line ${line}, which is unconfirmed`;
}

const notTried = 'not tried yet';

/** The same where no list shows the rows: a line for each of the first reasons, with the rows that it holds for. */
export function reasonWords(rows: readonly SaidRow[], all: string): readonly string[] {
  const reasons = [...Map.groupBy(rows, (row) => sharedReason(row))];
  const shown = reasons.slice(0, shownRows);
  const told = shown.reduce((sum, [, some]) => sum + some.length, 0);
  return [
    ...shown.map(([why, some]) => {
      const [first, second] = some;
      const words = second === undefined && first?.why !== undefined ? whyOfOrder(first) : why;
      return `${linesWords(some.map(({ line }) => line))}: ${words}`;
    }),
    ...moreWords(rows.length - told, all),
  ];
}

// The reason without the id of the order: the number of the line says which order it is about.
function whyOfOrder({ orderId, why = notTried }: SaidRow): string {
  return why.replace(` of ${orderId}`, '').replace(`order ${orderId}`, 'order').replace(orderId, 'the order');
}

// The reason without its card and figures: rows that differ only in these have it in common.
function sharedReason(row: SaidRow): string {
  return whyOfOrder(row)
    .replace(/ \(\*\d{4}\)/, '')
    .replace(/^line \d+ of this file takes /, 'a row before it takes ')
    .replace(/: [\d.,]+ of [\d.,]+ [A-Z]{3} went back$/, '');
}

/** What became of the rows that moved nothing, where no list shows them. `status`: the command that shows the plan. */
export function movedNothingWords(reports: readonly RowReport[], status: string): readonly string[] {
  const left = reports.filter((report) => movedNothing(report) && report.why !== undefined);
  return reasonWords(
    left.map(({ row: { line, orderId }, why }) => ({ line, orderId, why })),
    `${status} ${inFull.join(' ')}`,
  );
}

/** `and 3 more rows: COMMAND`; nothing if there are none. */
export function moreWords(more: number, command: string): readonly string[] {
  return more > 0 ? [`and ${counted(more, 'more row')}: ${command}`] : [];
}

/** A bar of the verdicts, and what the signs in it mean. */
export function verdictBar(reports: readonly RowReport[]): string {
  const of = (...verdicts: readonly RowVerdict[]) =>
    reports.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const rows = {
    applied: reports.filter(isDone).length,
    unconfirmed: reports.filter(isAlarming).length,
    refused: of('refused', 'recorded_not_made', 'impossible', 'look'),
    left: of('not_sent', 'would_be_sent'),
  };
  const signs = [
    ...(rows.applied > 0 ? ['# made'] : []),
    ...(rows.unconfirmed > 0 ? ['? unconfirmed'] : []),
    ...(rows.refused > 0 ? ['x not possible'] : []),
    ...(rows.left > 0 ? ['. not sent'] : []),
  ];
  return `${bar(rows, barLength)}  ${signs.join(', ')}`;
}

const barLength = 24;

/** `made 28 Nov 2026 09:31:39 UTC by ana from refunds.csv`, `made … by agent mcp for ana`. */
export function planMadeWords({ operator, file }: Pick<Plan, 'operator' | 'file'>, madeAt: string): string {
  return `made ${madeAt} by ${operator}${file === '-' ? '' : ` from ${file}`}`;
}

/** What a person sees before a plan is applied. */
export function applyPreview(
  plan: Plan,
  path: string,
  send: readonly PlanRow[],
  reports: readonly RowReport[],
  shown: {
    readonly profile: Profile;
    readonly madeAt: string;
    readonly expected: ControlTotals;
    /** Somebody else approves the plan too, and compares the whole digest. */
    readonly needsSecond: boolean;
    /** The buyers of orders, by their ids, as far as they were read. */
    readonly buyers: ReadonlyMap<string, string>;
  },
): readonly Block[] {
  const { profile, madeAt, expected, needsSecond, buyers } = shown;
  const { settings } = profile;
  const orders = new Set(send.map(({ orderId }) => orderId)).size;
  const marked = notedOf(send);
  const keys = new Set(send.map(({ key }) => key));
  const again = reports.filter(
    ({ row, attempt }) => attempt?.isSentAnew === true && keys.has(row.key),
  ).length;
  const totals = [
    ...(expected.count === undefined ? [] : [`--expect-count ${expected.count}`]),
    ...expected.totals.map(({ currency, amount }) => `--expect-total ${currency}=${amount}`),
  ];
  const line = (name: string, text: string): Block => ({ line: `${name.padEnd(8)}${text}`, hang: 8 });
  return [
    titleLine('REFUND THE ROWS OF A PLAN', profile, 'strong'),
    line('plan', `${path}, ${planMadeWords(plan, madeAt)}, as the plan says`),
    line('so far', countWords(reports, settings)),
    ...marked.slice(0, markedShown).map((row) => line('note', noteOf(row))),
    ...(marked.length > markedShown
      ? [
          line(
            'note',
            `${marked.length === markedShown + 1 ? '1 more row has' : `${marked.length - markedShown} more rows have`} notes: ${commandLine(profile, 'refunds', 'status', path, '-o', 'list', '--columns', 'line,order_id,notes')}`,
          ),
        ]
      : []),
    ...(again === 0
      ? []
      : [
          line(
            'again',
            `${again === 1 ? '1 of them was' : `${again} of them were`} refused or recorded as not made before, and ${again === 1 ? 'is' : 'are'} sent once more`,
          ),
        ]),
    {
      line: [
        'sends   ',
        {
          text: `${rowsAndSums(send, settings)}, of ${counted(orders, 'order')}`,
          style: 'out',
        },
      ],
      hang: 8,
    },
    ...sendingRows(send, path, profile, buyers),
    ...(totals.length === 0 ? [] : [line('totals', `as you expect: ${totals.join(' ')}`)]),
    line('digest', needsSecond ? plan.digest : plan.digest.slice(0, digestShown)),
  ];
}

// Somebody who says yes, or signs a release, sees which orders it is about.
function sendingRows(
  send: readonly PlanRow[],
  path: string,
  profile: Profile,
  buyers: ReadonlyMap<string, string>,
): readonly Block[] {
  const shown = send.slice(0, shownRows);
  const rows = shown.map(({ line, orderId, body, sum, currency, reason = '', ref }) => [
    `line ${line}`,
    orderId,
    typeof body?.charge_id === 'string' ? body.charge_id : 'the whole order',
    amountWords(sum, currency, profile.settings),
    reason,
    ref,
    buyers.get(orderId) ?? '',
  ]);
  const notes = shown.flatMap(({ line, note = '' }) => (note === '' ? [] : [`line ${line} note: ${note}`]));
  const all = commandLine(profile, 'refunds', 'status', path, '--all-rows');
  return [
    { grid: rows, right: [3], shrink: [6], indent: 8 },
    ...notes.map((text) => ({ line: text, indent: 8, hang: 10 })),
    ...moreWords(send.length - shownRows, all).map((text) => ({ line: text, indent: 8, hang: 8 })),
  ];
}

/** The rows that a person should look at; those that repeat a refund come first. */
export function notedOf(rows: readonly PlanRow[]): readonly PlanRow[] {
  return rows
    .filter(({ marks, again }) => marks.length + again.length > 0)
    .toSorted((one, other) => Number(other.again.length > 0) - Number(one.again.length > 0));
}

/**
 * What a person should know about a row: `line 3: NOTES`. The refunds that it repeats are taken from what is sent, whatever its
 * marks say.
 */
export function noteOf({ line, marks, again }: Pick<PlanRow, 'line' | 'marks' | 'again'>): string {
  return `line ${line}: ${[...again.map((name) => `repeats refund ${name}`), ...marks].join('; ')}`;
}

const markedShown = 5;
