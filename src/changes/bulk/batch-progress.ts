/** Writes the line that shows how far a batch has come: a bar, how the rows ended, the time left, and the money that went back. */

import { type AmountStyle, briefFigure, sumsWords } from '../../amounts.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { newBatchRun, type PlanRow, type RowTold, sumsOf } from '../../plans/plans.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { ProgressLine } from '../../terminal/terminal.ts';
import type { Sending } from './send-row.ts';

export type BatchProgressLine = ReturnType<typeof startProgress>;

/** Starts the line. Its `end` takes it away. */
export function startProgress(ctx: Context, { settings }: Profile, rows: readonly PlanRow[]) {
  const run = newBatchRun();
  const startedAt = ctx.clock.monotonic();
  const counts = { applied: 0, refused: 0, unconfirmed: 0, notSent: 0 };
  const done = new Map<string, number>();
  const totals = sumsOf(rows);
  let readAgain = 0;
  let stoppedAt: number | undefined;
  // A request that was sent before the run was stopped is given up after the time that one request may take.
  const stopping = () => {
    if (!ctx.stopAsked.aborted || run.inFlight === 0) return undefined;
    const now = ctx.clock.monotonic();
    stoppedAt ??= now;
    return { inFlight: run.inFlight, atMostMs: stoppedAt + ctx.options.timeoutMs - now };
  };
  const end = ctx.notes.progressAlone((line) => {
    const ended = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const money = totals.map(({ currency, amount }) => ({
      currency,
      done: done.get(currency) ?? 0,
      total: amount,
    }));
    const elapsedMs = ctx.clock.monotonic() - startedAt;
    const progress = {
      ...counts,
      readAgain,
      left: Math.max(0, rows.length - ended),
      money,
      ended: ended - run.known,
      elapsedMs,
      stopping: stopping(),
    };
    return progressWords(progress, line, settings);
  });
  const waiting: Sending['waiting'] = (_, isRead) => {
    if (!isRead) return () => undefined;
    readAgain += 1;
    return () => {
      readAgain -= 1;
    };
  };
  const add = ({ currency = '?', sum }: PlanRow, how: RowTold['how']) => {
    if (how === 'applied') done.set(currency, (done.get(currency) ?? 0) + sum);
    counts[countOf[how]] += 1;
  };
  const soFar = () => {
    const sums = sumsWords(
      [...done].map(([currency, amount]) => ({ currency, amount })),
      settings,
    );
    const applied = `${counts.applied} made${sums === '' ? '' : ` (${sums})`}`;
    const { unconfirmed, refused } = counts;
    const left = rows.length - counts.applied - unconfirmed - refused;
    return `of ${rows.length} rows ${applied}, ${unconfirmed} unconfirmed, ${refused} refused, ${left} not sent`;
  };
  return {
    /** What happened so far in this run. Rows that earlier runs applied end at once, so they do not count for the time left. */
    run,
    /** Counts the rows whose reply was lost and whose order is read again. */
    waiting,
    add,
    /** How the rows ended, in words, for when the journal cannot be asked: `of 9 rows 3 made (300 MXN), …`. */
    soFar,
    end,
  };
}

const countOf = {
  applied: 'applied',
  refused: 'refused',
  unconfirmed: 'unconfirmed',
  not_sent: 'notSent',
} as const satisfies Record<RowTold['how'], string>;

export interface BatchProgress {
  /** How many rows were applied, including those of earlier runs of the plan. */
  readonly applied: number;
  readonly refused: number;
  readonly unconfirmed: number;
  /** How many were tried and certainly not sent. */
  readonly notSent: number;
  /** How many rows lost their reply and wait for a read of their order. */
  readonly readAgain: number;
  readonly left: number;
  /** Per currency: what went back, and what will have gone back when every row is applied. */
  readonly money: readonly { readonly currency: string; readonly done: number; readonly total: number }[];
  /** How many rows ended in this run, and how long it took: for estimating the time left. */
  readonly ended: number;
  readonly elapsedMs: number;
  /** Somebody stopped the run: how many rows it waits for, and the longest that their replies may take. */
  readonly stopping?: { readonly inFlight: number; readonly atMostMs: number } | undefined;
}

/**
 * The progress of a batch in one line. With little room, first the bar gets shorter and goes, then the time left, then all
 * currencies but the first, then the money. Numbers are never cut. There is a bar only where the line is redrawn: it helps neither
 * a log nor a screen reader.
 */
export function progressWords(
  progress: BatchProgress,
  { room, redrawn }: ProgressLine,
  style: AmountStyle,
): string {
  const stopping = stoppingWords(progress);
  if (stopping !== undefined) {
    const forms = [roomy, tight].map((form) => `${stopping}${form.gap}${countsIn(progress, form)}`);
    return forms.find((text) => text.length <= room) ?? stopping;
  }
  const line = (form: Form) => words(progress, form, style);
  if (redrawn) {
    const form = [roomy, tight].find((one) => line(one).length + one.gap.length + one.shortestBar <= room);
    if (form !== undefined) {
      const cells = Math.min(longestBar, room - form.gap.length - line(form).length);
      return `${bar(progress, cells)}${form.gap}${line(form)}`;
    }
  }
  const [timeless, one, none] = [{ time: false }, { currencies: 1 }, { currencies: 0 }];
  const fewer = [{}, timeless, one, { ...one, ...timeless }, none, { ...none, ...timeless }];
  return (
    [roomy, ...fewer.map((less) => ({ ...tight, ...less }))].map(line).find((text) => text.length <= room) ??
    line({ ...tight, ...none, ...timeless })
  );
}

interface Form {
  readonly comma: string;
  readonly gap: string;
  readonly of: string;
  /** How many currencies to show. */
  readonly currencies: number;
  readonly time: boolean;
  readonly shortestBar: number;
}

const roomy: Form = {
  comma: ', ',
  gap: '  ',
  of: ' of ',
  currencies: Number.POSITIVE_INFINITY,
  time: true,
  shortestBar: 12,
};
const tight: Form = { ...roomy, comma: ' ', gap: ' ', of: '/', shortestBar: 7 };
const longestBar = 32;

function words(progress: BatchProgress, form: Form, style: AmountStyle): string {
  const counts = countsIn(progress, form);
  const money = moneyWords(progress, form, style);
  return [counts, money].filter((part) => part !== '').join(form.gap);
}

function countsIn(progress: BatchProgress, form: Form): string {
  const { applied, refused, unconfirmed, notSent, left } = progress;
  const counts = [
    `${applied} applied`,
    ...(refused === 0 ? [] : [`${refused} refused`]),
    ...(unconfirmed === 0 ? [] : [`${unconfirmed} unconfirmed`]),
    ...(notSent === 0 ? [] : [`${notSent} not sent`]),
    `${left} left${form.time ? (readingWords(progress) ?? timeLeft(progress)) : ''}`,
  ];
  return counts.join(form.comma);
}

function moneyWords({ money }: BatchProgress, { currencies, of, comma }: Form, style: AmountStyle): string {
  const shown = money.slice(0, currencies);
  if (shown.length === 0) return '';
  const figures = shown.map(({ currency, done, total }) => {
    const [less, more] = [briefFigure(done, currency, style), briefFigure(total, currency, style)];
    return `${less}${of}${more} ${currency}`;
  });
  const others = money.length - shown.length;
  return `${figures.join(comma)}${others === 0 ? '' : ` and ${others} more`}`;
}

// After Ctrl-C, people first want to know whether it was heard and what the run still waits for.
function stoppingWords({ stopping }: BatchProgress): string | undefined {
  if (stopping === undefined) return undefined;
  const { inFlight, atMostMs } = stopping;
  const seconds = Math.ceil(atMostMs / 1000);
  return `stopping: waiting for ${counted(inFlight, 'row')}${seconds > 0 ? ` (at most ${seconds} s)` : ''}`;
}

// While replies are lost, say what the run waits for. An estimate would be wrong then anyway.
function readingWords({ readAgain }: BatchProgress): string | undefined {
  if (readAgain === 0) return undefined;
  return ` (reading ${counted(readAgain, 'order')} again)`;
}

// An estimate from the first second would be far off.
const earliestEstimateMs = 1_000;

function timeLeft({ left, ended, elapsedMs, stopping }: BatchProgress): string {
  if (stopping !== undefined || left === 0 || ended === 0 || elapsedMs < earliestEstimateMs) return '';
  const seconds = Math.ceil(((elapsedMs / ended) * left) / 1000);
  if (seconds < 60) return ` (${seconds} s)`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? ` (${minutes} min)` : ` (${Math.floor(minutes / 60)} h ${minutes % 60} min)`;
}

/** `[####x?....]`. Each kind of row gets its share, at least one sign; the largest absorbs the rounding. */
export function bar(
  rows: Pick<BatchProgress, 'applied' | 'refused' | 'unconfirmed' | 'left'> & {
    readonly notSent?: number | undefined;
  },
  length: number,
): string {
  const cells = length - 2;
  const { applied, refused, unconfirmed, notSent = 0, left } = rows;
  const total = applied + refused + unconfirmed + notSent + left;
  const parts = [
    { sign: '#', rows: applied },
    { sign: 'x', rows: refused },
    { sign: '?', rows: unconfirmed },
    { sign: '.', rows: notSent + left },
  ].map((part) => ({
    ...part,
    size: part.rows === 0 ? 0 : Math.max(1, Math.floor((part.rows / total) * cells)),
  }));
  const taken = parts.reduce((sum, { size }) => sum + size, 0);
  const largest = parts.reduce((one, other) => (other.rows > one.rows ? other : one));
  const signs = parts.map((part) => part.sign.repeat(part.size + (part === largest ? cells - taken : 0)));
  return `[${signs.join('')}]`;
}
