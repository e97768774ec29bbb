/** A row of the bench's table: two things measured side by side, and the goals for their ratios. */

import type { Taken } from './measure.ts';

/** The samples of two things, A and B, and the goal for A ÷ B. Samples of the same round stand at the same place. */
interface Ratio {
  /** The ratio of the medians should be this at most; undefined if it is only shown. */
  readonly goal?: number | undefined;
  readonly samplesA: readonly number[];
  readonly samplesB: readonly number[];
}

/** What was measured: time or memory, and CPU time if it is known. */
export interface Measured extends Ratio {
  readonly name: string;
  /** Of the samples; `ms` unless said otherwise. */
  readonly unit?: 'ms' | 'MB' | 'rows/s';
  /** CPU time in milliseconds, user and system. */
  readonly cpu?: Ratio;
}

/** What could not be measured here, and why. */
export interface NotRun {
  readonly name: string;
  readonly goal?: number | undefined;
  readonly notRun: string;
}

export type Row = Measured | NotRun;

/** A row of times: by the clock, and CPU time. */
export function timesRow(
  name: string,
  goals: { readonly wall?: number; readonly cpu?: number },
  a: readonly Taken[],
  b: readonly Taken[],
): Measured {
  const of = (samples: readonly Taken[], which: keyof Taken) => samples.map((taken) => taken[which]);
  return {
    name,
    goal: goals.wall,
    samplesA: of(a, 'wall'),
    samplesB: of(b, 'wall'),
    cpu: { goal: goals.cpu, samplesA: of(a, 'cpu'), samplesB: of(b, 'cpu') },
  };
}

/** The middle of some samples. */
export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

const head = ['row', 'ratio', 'min … max', 'goal', 'CPU', 'goal', 'A', 'B'];

/** All rows as one table of Markdown; min and max are those of the rounds' own ratios. */
export function tableOf(rows: readonly Row[]): string {
  const cells = [head, ...rows.map(cellsOf)];
  const widths = head.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  lines.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  return `${lines.join('\n')}\n`;
}

function cellsOf(row: Row): string[] {
  const name = row.name.replaceAll('|', '\\|');
  if ('notRun' in row) return [name, '', '', `not run: ${row.notRun}`, '', '', '', ''];
  const { samplesA, samplesB, unit = 'ms', cpu } = row;
  const ratios = samplesA.map((sample, round) => sample / (samplesB[round] ?? Number.NaN));
  const shown = (samples: readonly number[]) => `${figure(median(samples))} ${unit}`;
  return [
    name,
    ratioOf(row).toFixed(2),
    `${Math.min(...ratios).toFixed(2)} … ${Math.max(...ratios).toFixed(2)}`,
    verdictOf(row),
    cpu === undefined ? '' : ratioOf(cpu).toFixed(2),
    cpu === undefined ? '' : verdictOf(cpu),
    shown(samplesA),
    shown(samplesB),
  ];
}

function ratioOf({ samplesA, samplesB }: Ratio): number {
  return median(samplesA) / median(samplesB);
}

// The figure that is shown decides, so that no row says "1.10, goal 1.1, missed".
function verdictOf(ratio: Ratio): string {
  if (ratio.goal === undefined) return '';
  return `≤ ${ratio.goal} ${Number(ratioOf(ratio).toFixed(2)) <= ratio.goal ? 'met' : 'missed'}`;
}

function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
