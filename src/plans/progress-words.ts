/** The progress line of a batch: a bar, how the rows ended, the time left, and the money that went back. */

import { type AmountStyle, briefFigure } from '../amounts.ts';
import { counted } from '../counted.ts';
import type { ProgressLine } from '../terminal/terminal.ts';

export interface BatchProgress {
  /** How many rows were applied, also by earlier runs of the plan. */
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
