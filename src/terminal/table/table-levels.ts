/** Chooses how much the cells of a table say: at the first level at which the terminal leaves out and cuts the least. Pure. */

import type { Column } from '../../api/resources.ts';
import { statuses } from '../../api/spec.ts';
import type { Reading } from './shown-values.ts';
import { type DrawnCell, type Layout, type LineStyle, shownWidth, withRoomForWhole } from './table-lines.ts';
import { fitColumns, hasShortTime, type UsualCells, usualWidths, withReserve } from './table-widths.ts';

/** The pages of a table, and the terminal that they are for. */
export interface PagesStyle extends Pick<LineStyle, 'width'> {
  /** More than one page may follow, so columns keep room for what later pages may show. */
  readonly manyPages: boolean;
  /** Other pages may be drawn by other runs, so the choice of columns does not depend on what this page holds. */
  readonly isPaged: boolean;
  readonly reading: Reading;
}

/** How much cells say. */
export interface Level {
  /** Some titles and texts have a short form. */
  readonly isShort: boolean;
  /** The currency is in the heading, and a time of another year has no clock. */
  readonly isBrief: boolean;
  /** The only form of an amount with declared decimals. */
  readonly alone: 'decimals' | 'units' | undefined;
  /** A time that has a short title is only a clock or only a day. */
  readonly dayOrClock: boolean;
}

/** A layout, and how much its cells say. */
export interface LevelLayout extends Layout {
  readonly level: Level;
}

const full: Level = { isShort: false, isBrief: false, alone: undefined, dayOrClock: false };
/** Titles and texts in their short form, everything else in full. */
export const short: Level = { ...full, isShort: true };
const shorter: Level = { ...short, isBrief: true };

// The levels below `full`, from the one that says the most to the one that says the least. A terminal gets the first level at which
// the least is left out and cut.
const levels: readonly Level[] = [
  short,
  shorter,
  { ...shorter, alone: 'decimals' },
  { ...shorter, dayOrClock: true },
  { ...shorter, alone: 'decimals', dayOrClock: true },
];

/**
 * The layout that the first page sets: the first level at which the least is left out and cut. Without a terminal everything is
 * shown in full. `alone`: the only form that amounts have if there is no room for both.
 */
export function firstLayout(
  columns: readonly Column[],
  linesAt: (level: Level) => readonly (readonly DrawnCell[])[],
  { alone, ...style }: PagesStyle & Pick<Level, 'alone'>,
): LevelLayout {
  const { width, manyPages } = style;
  const possible = levels
    .filter(({ dayOrClock }) => !dayOrClock || columns.some(hasShortTime))
    .flatMap((level) => (level.alone === undefined ? level : alone === undefined ? [] : { ...level, alone }));
  let best = fittedAt(full, columns, linesAt(full), style);
  for (const level of possible) {
    if (best.leftOut + best.cut === 0) break;
    const other = fittedAt(level, columns, linesAt(level), style);
    // The service's own integers and the clock are left out only if that makes room for a whole column.
    const isBetter =
      level.alone !== undefined || level.dayOrClock
        ? other.leftOut < best.leftOut
        : other.leftOut + other.cut < best.leftOut + best.cut;
    if (isBetter) best = other;
  }
  const { level, widths } = best;
  const fitting = best.shown.flatMap((index) => columns[index] ?? []);
  return { level, columns: fitting, widths: manyPages ? withReserve(fitting, widths, width) : widths };
}

// `leftOut`: columns without room, weighed. `cut`: the largest share that is cut from the status or a column that stays, below 1.
function fittedAt(
  level: Level,
  columns: readonly Column[],
  lines: readonly (readonly DrawnCell[])[],
  { width, isPaged, reading }: PagesStyle,
) {
  const natural = columns.map((_, index) => Math.max(...lines.map((line) => shownWidth(line[index]))));
  if (width === undefined) return { level, shown: [...columns.keys()], widths: natural, leftOut: 0, cut: 0 };
  const usual = isPaged
    ? usualWidths(columns, usualCellsAt(level, reading), {
        natural,
        titles: columns.map((_, index) => shownWidth(lines[0]?.[index])),
      })
    : undefined;
  const fitting = withRoomForWhole(columns, lines);
  const fitted = fitColumns(fitting, natural, { width, usual });
  // Judged by what would be lost on a usual page, so that all pages say equally much.
  const judged =
    usual === undefined ? fitted : fitColumns(fitting, withLongStatus(columns, usual), { width, usual });
  const cuts = judged.shown.map((one, at) => {
    const matters = fitting[one]?.stays === true || columns[one]?.kind === 'status';
    const wanted = columns[one]?.kind === 'status' && usual !== undefined ? longStatus : (natural[one] ?? 0);
    return matters ? 1 - (judged.widths[at] ?? 0) / Math.max(1, wanted) : 0;
  });
  // A text that has a short form is better shown short than cut.
  const texts = fitted.shown.map((one, at) =>
    columns[one]?.kind === 'text' && columns[one]?.brief?.value !== undefined
      ? 1 - (fitted.widths[at] ?? 0) / Math.max(1, natural[one] ?? 0)
      : 0,
  );
  const leftOut = columns.filter((_, index) => !judged.shown.includes(index));
  // A time or an amount is missed more than a text.
  const missing = leftOut.reduce((sum, { kind }) => sum + (kind === 'text' ? 1 : 1.5), 0);
  return { level, ...fitted, leftOut: missing, cut: Math.max(0, ...cuts, ...texts) };
}

const longStatus = statuses.partiallyRefunded.length;

function withLongStatus(columns: readonly Column[], usual: readonly number[]): readonly number[] {
  return usual.map((one, index) => (columns[index]?.kind === 'status' ? longStatus : one));
}

function usualCellsAt(level: Level, { amounts }: Reading): UsualCells {
  const declares = Object.values(amounts['amounts.decimals']).some((places) => places > 0);
  return {
    brief: level.isBrief,
    decimals: !declares || level.alone === 'units' ? 'none' : level.alone === 'decimals' ? 'alone' : 'beside',
    dayOrClock: level.dayOrClock,
  };
}
