/** A row of the bench's table: two things measured side by side, and the goal for their ratio. */

/** What was measured: samples of the same round stand at the same place. */
export interface Measured {
  readonly name: string;
  /** The ratio of the medians, A ÷ B, is to be this at most. */
  readonly goal: number;
  readonly samplesA: readonly number[];
  readonly samplesB: readonly number[];
  /** Of the samples; `ms` unless said otherwise. */
  readonly unit?: 'ms' | 'MB';
}

/** What could not be measured here, and why. */
export interface NotRun {
  readonly name: string;
  readonly goal: number;
  readonly notRun: string;
}

export type Row = Measured | NotRun;

/** The middle of some samples. */
export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

const head = ['row', 'ratio', 'min … max', 'A', 'B', 'rounds', 'goal', ''];

/** All rows as one table of Markdown; min and max are those of the rounds' own ratios. */
export function tableOf(rows: readonly Row[]): string {
  const cells = [head, ...rows.map(cellsOf)];
  const widths = head.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  lines.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  return `${lines.join('\n')}\n`;
}

function cellsOf(row: Row): string[] {
  const goal = `≤ ${row.goal}`;
  if ('notRun' in row) return [row.name, '', '', '', '', '', goal, `not run: ${row.notRun}`];
  const { name, samplesA, samplesB, unit = 'ms' } = row;
  const ratio = median(samplesA) / median(samplesB);
  const ratios = samplesA.map((sample, round) => sample / (samplesB[round] ?? Number.NaN));
  const shown = (samples: readonly number[]) => `${figure(median(samples))} ${unit}`;
  return [
    name,
    ratio.toFixed(2),
    `${Math.min(...ratios).toFixed(2)} … ${Math.max(...ratios).toFixed(2)}`,
    shown(samplesA),
    shown(samplesB),
    String(samplesA.length),
    goal,
    ratio <= row.goal ? 'met' : 'missed',
  ];
}

function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
