/** Blocks → lines of a screen: wrapping at spaces, grids of columns. */

import type { Block, Cell, Span, Style, TimeSpan } from '../ports.ts';
import type { Paint } from './color.ts';
import type { Times } from './time.ts';
import { absent, asReceived, mark } from './values.ts';
import { cut, widthOf } from './width.ts';

/** How blocks are drawn. */
export interface ScreenStyle {
  /** Undefined: no terminal, nothing is wrapped or cut. */
  readonly width: number | undefined;
  readonly paint: Paint;
  readonly times: Times;
  readonly clean: (text: string) => string;
}

interface Piece {
  readonly text: string;
  readonly style: Style | undefined;
}

/** The lines of some blocks, without line ends. */
export function blockLines(blocks: readonly Block[], style: ScreenStyle): readonly string[] {
  return blocks.flatMap((block) => {
    if (block === 'blank') return [''];
    if ('line' in block) return wrap(piecesOf(block.line, style), block.indent ?? 0, style);
    return gridLines(block, style);
  });
}

/** The lines of one text whose continuations are indented: `certain: …`. */
export function hangingLines(cell: Cell, hang: number, style: ScreenStyle): readonly string[] {
  return wrap(piecesOf(cell, style), 0, style, hang);
}

function piecesOf(cell: Cell, style: ScreenStyle): readonly Piece[] {
  const spans: readonly (Span | TimeSpan)[] = isList(cell) ? cell : [cell];
  return spans.map((span) => {
    if (typeof span === 'string') return { text: style.clean(span), style: undefined };
    if ('text' in span) return { text: style.clean(span.text), style: span.style };
    return timePiece(span, style);
  });
}

function isList(cell: Cell): cell is readonly (Span | TimeSpan)[] {
  return Array.isArray(cell);
}

function timePiece({ time, precision }: TimeSpan, { times, clean }: ScreenStyle): Piece {
  if (times.valid(time)) return { text: times.show(time, precision), style: undefined };
  if (time === undefined || time === null || time === '') return { text: absent, style: 'faint' };
  return { text: clean(asReceived(time)) + mark, style: 'warn' };
}

function paintPiece({ text, style }: Piece, paint: Paint): string {
  return style === undefined ? text : paint(text, style);
}

// Breaks only at spaces, so that an id stays whole even where it is wider than the terminal.
function wrap(
  pieces: readonly Piece[],
  indent: number,
  style: ScreenStyle,
  hang = indent,
): readonly string[] {
  const lines: (readonly Piece[])[] = [];
  let line: Piece[] = [];
  let used = 0;
  let spaces: Piece = { text: '', style: undefined };
  for (const word of wordsOf(pieces)) {
    if (word.spaces !== undefined) {
      spaces = { text: spaces.text + word.spaces.text, style: word.spaces.style };
      continue;
    }
    const size = word.pieces.reduce((sum, piece) => sum + widthOf(piece.text), 0);
    const room = (style.width ?? Number.POSITIVE_INFINITY) - (lines.length === 0 ? indent : hang);
    if (used > 0 && used + spaces.text.length + size > room) {
      lines.push(line);
      line = [];
      used = 0;
    } else {
      line.push(spaces);
      used += spaces.text.length;
    }
    line.push(...word.pieces);
    used += size;
    spaces = { text: '', style: undefined };
  }
  return [...lines, line].map(
    (pieces, index) => ' '.repeat(index === 0 ? indent : hang) + paintPieces(pieces, style.paint),
  );
}

// Neighbours of one style are painted at once, so that a phrase stays a phrase in the bytes too.
function paintPieces(pieces: readonly Piece[], paint: Paint): string {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last !== undefined && last.style === piece.style)
      joined.splice(-1, 1, { text: last.text + piece.text, style: last.style });
    else if (piece.text !== '') joined.push(piece);
  }
  return joined.map((piece) => paintPiece(piece, paint)).join('');
}

type Word = { readonly spaces: Piece } | { readonly spaces?: undefined; readonly pieces: readonly Piece[] };

// Runs of spaces, and the words between them; a word may be made of pieces of several styles.
function wordsOf(pieces: readonly Piece[]): readonly Word[] {
  const words: Word[] = [];
  let current: Piece[] = [];
  const close = (): void => {
    if (current.length > 0) words.push({ pieces: current });
    current = [];
  };
  for (const { text, style } of pieces) {
    for (const part of text.split(/( +)/)) {
      if (part === '') continue;
      if (part.startsWith(' ')) {
        close();
        words.push({ spaces: { text: part, style } });
      } else {
        current.push({ text: part, style });
      }
    }
  }
  close();
  return words;
}

type Grid = Extract<Block, { readonly grid: unknown }>;

function gridLines(
  { grid, right = [], shrink = [], indent = 0 }: Grid,
  style: ScreenStyle,
): readonly string[] {
  const rows = grid.map((row) => row.map((cell) => piecesOf(cell, style)));
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, index) =>
    Math.max(
      0,
      ...rows.map((row) =>
        index === row.length - 1 && columns > row.length ? 0 : widthOfPieces(row[index]),
      ),
    ),
  );
  if (style.width !== undefined) shrinkColumns(widths, shrink, style.width - indent);
  return rows.map((row) => {
    const cells = row.map((pieces, index) => {
      const last = index === row.length - 1;
      return fill(pieces, widths[index] ?? 0, right.includes(index), last, shrink.includes(index), style);
    });
    return `${' '.repeat(indent)}${cells.join('  ')}`.trimEnd();
  });
}

function widthOfPieces(pieces: readonly Piece[] | undefined): number {
  return (pieces ?? []).reduce((sum, piece) => sum + widthOf(piece.text), 0);
}

function shrinkColumns(widths: number[], shrink: readonly number[], room: number): void {
  let over = widths.reduce((sum, width) => sum + width + 2, -2) - room;
  for (const index of [...shrink].sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))) {
    if (over <= 0) return;
    const width = widths[index] ?? 0;
    const taken = Math.max(0, Math.min(over, width - 6));
    widths[index] = width - taken;
    over -= taken;
  }
}

function fill(
  pieces: readonly Piece[],
  width: number,
  right: boolean,
  last: boolean,
  cuttable: boolean,
  style: ScreenStyle,
): string {
  const own = widthOfPieces(pieces);
  const only = pieces[0];
  if (own > width && cuttable && only !== undefined && style.width !== undefined) {
    return paintPiece(
      { text: cut(pieces.map((piece) => piece.text).join(''), width), style: only.style },
      style.paint,
    );
  }
  const text = pieces.map((piece) => paintPiece(piece, style.paint)).join('');
  const space = ' '.repeat(Math.max(0, width - own));
  if (right) return space + text;
  return last ? text : text + space;
}
