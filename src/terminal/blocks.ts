/** Turns blocks into lines for a screen. The cells of a grid are drawn in columns, two spaces apart. */

import Table from 'cli-table3';
import type { Block } from './terminal.ts';
import {
  cutInMiddle,
  isOutgoing,
  longestWord,
  type Piece,
  paintPiece,
  piecesOf,
  type ScreenStyle,
  widthOfPieces,
  wrap,
} from './text-lines.ts';

/** The lines of some blocks, without line ends. */
export function blockLines(blocks: readonly Block[], style: ScreenStyle): readonly string[] {
  return blocks.flatMap((block) => {
    if (block === 'blank') return [''];
    if ('line' in block) return wrap(piecesOf(block.line, style), block.indent ?? 0, style, block.hang);
    return gridLines(block, style);
  });
}

type Grid = Extract<Block, { readonly grid: unknown }>;

// A chart with fewer cells says nothing. Without a terminal, a chart gets the room that it has on a usual screen.
const leastChart = 6;
const usualRoom = 40;

// Puts the charts after the rows, if there is room for them next to everything else.
function withCharts({ beside, ...block }: Grid, style: ScreenStyle): Grid {
  if (beside === undefined) return block;
  const { grid, right, indent = 0 } = block;
  const cells = grid.map((row) => row.map((cell) => piecesOf(cell, style)));
  const widths = columnWidths(cells, right);
  const room = style.width === undefined ? usualRoom : style.width - indent - total(widths) - 2;
  if (room < leastChart) return block;
  return { ...block, grid: grid.map((row, index) => [...row, beside[index]?.(room) ?? '']) };
}

// The widths of all columns. The last cell of a short row may be wider than its column.
function columnWidths(
  rows: readonly (readonly (readonly Piece[])[])[],
  right: readonly number[] = [],
): number[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: columns }, (_, index) => {
    const counting = rows.filter(
      ({ length }) => length === columns || index < length - 1 || right.includes(index),
    );
    return Math.max(0, ...counting.map((row) => widthOfPieces(row[index])));
  });
}

// The last column needs this width to be wrapped inside itself.
const narrowest = 12;

// If the columns do not fit, the last one is wrapped inside itself. If that does not help, whole rows are wrapped.
function gridLines(block: Grid, style: ScreenStyle): readonly string[] {
  const { grid, right = [], shrink = [], least, indent = 0, narrow } = withCharts(block, style);
  const rows = grid.map((row) =>
    row.map((cell, index) => {
      const pieces = piecesOf(cell, style);
      return right.includes(index) ? pieces.map(asMoney) : pieces;
    }),
  );
  const widths = columnWidths(rows, right);
  const columns = widths.length;
  const room = (style.width ?? Number.POSITIVE_INFINITY) - indent;
  shrinkColumns(widths, { shrink, least }, room);
  const lead = total(widths.slice(0, -1)) + 2;
  const wraps = total(widths) > room && room - lead >= narrowest && !right.includes(columns - 1);
  // A word that is longer than its column, such as an id, would run over the edge.
  const fits = wraps && rows.every((row) => longestWord(row[columns - 1] ?? []) <= room - lead);
  if (total(widths) > room && !fits && narrow !== undefined) return blockLines(narrow, style);
  if (total(widths) > room && !wraps)
    return rows.flatMap((row) => wrap(spaced(row), indent, style, indent + 2));
  const contents = rows.map((row) => {
    const [first = []] = row;
    // A row of one cell may fill the line. If it is wrapped, the next lines keep its leading spaces.
    const leading = first[0]?.text.search(/\S|$/);
    if (row.length === 1) return [wrap(first, 0, { ...style, width: room }, leading).join('\n')];
    return row.map((pieces, index) => {
      if (wraps && index === columns - 1) return wrap(pieces, 0, { ...style, width: room - lead }).join('\n');
      return shownCell(pieces, shrink.includes(index) ? widths[index] : undefined, style);
    });
  });
  return drawCells(contents, widths, right).map((line) => ' '.repeat(indent) + line);
}

// cli-table3 draws the cells (`orders show` takes 1.00 and `today` 1.05 times the CPU of lines of our own). The last cell of a row
// spans all columns after it, and one more that is as wide as it needs.
function drawCells(
  rows: readonly (readonly string[])[],
  widths: readonly number[],
  right: readonly number[],
): readonly string[] {
  const edges = Object.keys(new Table().options.chars ?? {});
  const table = new Table({
    chars: { ...Object.fromEntries(edges.map((name) => [name, ''])), middle: ' ' },
    style: { border: [], 'padding-left': 0, 'padding-right': 1 },
    colWidths: widths.map((width) => width + 1),
    colAligns: widths.map((_, index) => (right.includes(index) ? 'right' : 'left')),
  });
  for (const row of rows) {
    const last = row.length - 1;
    const behind = widths.length - last;
    const end = right.includes(last)
      ? [row[last], ...Array<string>(behind).fill('')]
      : [{ content: row[last], colSpan: behind + 1 }];
    table.push([...row.slice(0, last), ...end]);
  }
  const lines = table.toString().split('\n');
  return rows.length === 0 ? [] : lines.map((line) => line.trimEnd());
}

// Styles money that went back. Only right-aligned columns hold amounts.
function asMoney(piece: Piece): Piece {
  return isOutgoing(piece.text) ? { text: piece.text, style: 'out' } : piece;
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + 2, -2);
}

// The cells of a row one after the other, for a terminal without room for columns.
function spaced(row: readonly (readonly Piece[])[]): readonly Piece[] {
  return row
    .filter((pieces) => widthOfPieces(pieces) > 0)
    .flatMap((pieces, index) => (index === 0 ? pieces : [{ text: '  ', style: undefined }, ...pieces]));
}

type Shrinking = Pick<Grid, 'shrink' | 'least'>;

function shrinkColumns(widths: number[], { shrink = [], least = 6 }: Shrinking, room: number): void {
  let over = total(widths) - room;
  for (const index of [...shrink].sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))) {
    if (over <= 0) return;
    const width = widths[index] ?? 0;
    const taken = Math.max(0, Math.min(over, width - least));
    widths[index] = width - taken;
    over -= taken;
  }
}

// `width`: that of the column, if its cells may be cut.
function shownCell(
  pieces: readonly Piece[],
  width: number | undefined,
  { paint, ...style }: ScreenStyle,
): string {
  if (style.width === undefined || width === undefined || widthOfPieces(pieces) <= width)
    return pieces.map((piece) => paintPiece(piece, paint)).join('');
  const text = cutInMiddle(pieces.map((piece) => piece.text).join(''), width);
  return paintPiece({ text, style: pieces[0]?.style }, paint);
}
