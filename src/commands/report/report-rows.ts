/** What every report with sums shares: one row for each bucket and currency for scripts, or a screen for people. */

import type { JsonObject } from '../../api/json-values.ts';
import type { Column, Field, ValueKind } from '../../api/resources.ts';
import { secondsOf } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { boundSeconds } from '../../flags/typed-time.ts';
import {
  type Dimension,
  type Facts,
  isTimeUnit,
  type Line,
  namesOf,
  type Split,
  type Summary,
  type SummaryQuery,
  unitsFrom,
} from '../../reports/reports.ts';
import type { Block } from '../../terminal/terminal.ts';
import { openSource } from './report-flags.ts';
import { aboutWords, endsOf } from './report-period.ts';
import type { Asked, AsOfLine, Needs, Source } from './report-source.ts';
import { closingBlocks, isComplete, labelWords, refuseGaps } from './report-words.ts';

/** A column of such rows. All of them are in CSV, and in a table if somebody names columns. */
export function rowColumn(name: string, kind: ValueKind): Column {
  return { name, title: name.toUpperCase(), kind, value: (row) => row[name], tableFrom: 0 };
}

/** The columns that every row begins with. */
export const firstColumns: readonly Column[] = [
  rowColumn('since', 'time'),
  rowColumn('until', 'time'),
  rowColumn('zone', 'text'),
];

/** The columns that every row ends with. */
export const lastColumns: readonly Column[] = [
  rowColumn('source', 'text'),
  rowColumn('complete', 'flag'),
  rowColumn('as_of', 'time'),
  rowColumn('only_currency', 'text'),
];

/** A line of a summary, and whether payments are known beside its refunds. */
type SumLine<Name extends string> = Line<Name> & Pick<Source, 'knowsPayments'>;

/** A figure in the rows of a summary. */
export function figure<Name extends string>(
  name: string,
  kind: ValueKind,
  of: (line: SumLine<Name>) => unknown,
): Field<SumLine<Name>> {
  return { ...rowColumn(name, kind), of };
}

// By what a summary is split, its figures, and where they come from.
function sumColumns(figures: readonly Column[]): readonly Column[] {
  const split = ['by', 'bucket', 'currency'].map((name) => rowColumn(name, 'text'));
  return [...firstColumns, ...split, ...figures, ...lastColumns];
}

// The second dimension of a pair, behind the first.
function withSecond(columns: readonly Column[]): readonly Column[] {
  return columns.flatMap((one) =>
    one.name === 'bucket' ? [one, rowColumn('by_2', 'text'), rowColumn('bucket_2', 'text')] : one,
  );
}

function bucketFields(split: Split, bucket: string): JsonObject {
  const [by, second] = [split].flat();
  const [name, other] = namesOf(bucket);
  return { by, bucket: name, ...(second === undefined ? {} : { by_2: second, bucket_2: other }) };
}

// Every day, week or month of the period: one that is missing would look as if it had not been read.
function unitsOf(by: Split, source: Source): readonly string[] {
  const ends = endsOf(source);
  const isRead = (source.reachesBackTo ?? 0) <= (source.range.since ?? 0);
  return isTimeUnit(by) && ends !== undefined && isRead ? unitsFrom(...ends, by) : [];
}

/** The same for a list of orders or refunds: its table has no room for them, and no row says its source. */
export const lastColumnsOfList: readonly Column[] = lastColumns
  .filter(({ name }) => name !== 'source')
  .map(({ tableFrom: _, ...column }) => column);

/** The fields that every row begins with: the period, in Unix seconds. */
export function firstFields({ range, zone }: Pick<Source, 'range' | 'zone'>): JsonObject {
  return { since: boundSeconds(range.since), until: boundSeconds(range.until), zone };
}

/**
 * The fields that every row ends with. From an index, only the refunds of a period that was over when the orders were read are
 * complete: the index knows nothing later. `only_currency`: the row was made with --currency, so other currencies may have more.
 */
export function lastFields({ kind, asOf, currency, isWhole }: Source, complete: boolean): JsonObject {
  return {
    source: kind,
    complete: complete && isWhole(),
    as_of: secondsOf(asOf),
    only_currency: currency ?? null,
  };
}

/** The same for a list of orders or refunds. */
export function lastFieldsOfList(source: Source, isComplete: boolean): JsonObject {
  const { source: _, ...fields } = lastFields(source, isComplete);
  return fields;
}

/** What one summary has of its own. */
interface Sums<Name extends string, By extends Dimension> extends Pick<Asked, 'period'> {
  readonly flags: Asked['flags'] & { readonly currency?: string | undefined };
  readonly object: string;
  /** The figures of a row, after its bucket and currency. */
  readonly figures: readonly Field<SumLine<Name>>[];
  readonly needs: Omit<Needs, 'by'>;
  readonly by: Split<By>;
  /** Whether rows for scripts are split too. */
  readonly isSplit: boolean;
  readonly adding: (query: SummaryQuery<Split<By>>, source: Source) => Adding<Name>;
  readonly screen: (source: Source, result: Summary<Name>) => readonly Block[];
  /** What the lines below the screen say, besides when the numbers were true. A file says it too. */
  readonly closing: (source: Source, result: Summary<Name>) => readonly AsOfLine[];
  /** What is incomplete if something is missing. */
  readonly records: string;
  /** Rows for scripts instead of the sums: the records that were added up. */
  readonly listed?:
    | {
        readonly columns: readonly Column[];
        readonly rows: (source: Source, isComplete: boolean) => readonly JsonObject[];
      }
    | undefined;
}

interface Adding<Name extends string> {
  readonly add: (facts: Facts) => void;
  readonly result: (units?: readonly string[]) => Summary<Name>;
}

/** Adds up what a source knows and prints it. Throws CliError 'incomplete' after that if something is missing in the sums. */
export async function showSums<Name extends string, By extends Dimension>(
  ctx: Context,
  {
    flags,
    period,
    object,
    figures,
    needs,
    by,
    isSplit,
    adding,
    screen,
    closing,
    records,
    listed,
  }: Sums<Name, By>,
): Promise<void> {
  const columns = sumColumns(figures);
  const shown = listed?.columns ?? (isSplit && typeof by !== 'string' ? withSecond(columns) : columns);
  ctx.out.checkColumns(shown);
  const source = await openSource(ctx, { flags, period, needs: { ...needs, by: [by].flat() } });
  const { range: span, days, knowsPayments } = source;
  const rules = { dayOf: (at: number) => days.day(at), now: ctx.clock.now() / 1000 };
  const { add, result } = adding({ span, by, currency: flags.currency, rules }, source);
  for await (const facts of source.facts) add(facts);
  const sums = result(unitsOf(by, source));
  const complete = isComplete(sums.gaps);
  const summed = (isSplit ? sums.buckets : sums.totals).map((line) => ({
    object,
    ...firstFields(source),
    ...(isSplit ? bucketFields(by, line.bucket) : { by: null, bucket: null }),
    currency: line.currency ?? null,
    ...Object.fromEntries(figures.map(({ name, of }) => [name, of({ ...line, knowsPayments }) ?? null])),
    ...lastFields(source, complete),
  }));
  const rows = listed?.rows(source, complete) ?? summed;
  const lines = closing(source, sums);
  await showReport(ctx, shown, rows, source, () => [
    ...screen(source, sums),
    ...closingBlocks(source, lines),
  ]);
  if (flags.to !== undefined || ctx.out.format === 'xlsx') {
    ctx.notes.note(`about: ${[aboutWords(ctx, source), labelWords(source)].filter(Boolean).join(', ')}`);
    if (!saysAsOf(source)) sayAsOf(ctx, source);
    sayLines(ctx, lines);
  }
  if (flags.to !== undefined && !isSplit && listed === undefined)
    ctx.notes.note(
      `the file has the totals only; to split them as on the screen, run the same command with --by ${String(by)} --force`,
    );
  refuseGaps(sums.gaps, records);
}

/** Prints a report: as a screen for people, as rows for everything else, and as rows too if somebody named columns. */
export async function showReport(
  { out, options, notes }: Pick<Context, 'out' | 'options' | 'notes'>,
  columns: readonly Column[],
  rows: readonly JsonObject[],
  source: Source,
  screen: () => readonly Block[],
): Promise<void> {
  if (out.format === 'table' && options.columns === undefined) return out.own({}, screen);
  await out.ownList(columns, rows, source);
  if (saysAsOf(source)) sayAsOf({ notes }, source);
}

// Whether rows alone do not say when they were true, and of what.
function saysAsOf({ kind, currency }: Source): boolean {
  return kind === 'index' || currency !== undefined;
}

/** Said below a list if nobody named the period, since sums and reports begin with the month. */
export const onlyToday = 'this is today; --period this-month shows more';

/** Says below a list when the facts were true. */
export function sayAsOf(ctx: Pick<Context, 'notes'>, { asOfLines }: Source): void {
  sayLines(ctx, asOfLines());
}

function sayLines({ notes }: Pick<Context, 'notes'>, lines: readonly AsOfLine[]): void {
  for (const [label, text] of lines) notes.note(`${label}${label === 'as of' ? '' : ':'} ${text}`);
}
