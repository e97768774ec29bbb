/** Cells → pieces of cleaned text, each of one style. */

import type { Paint } from './color.ts';
import type { Cell, Span, Style, TimeSpan } from './terminal.ts';
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

// Cells of one piece of text on a terminal.
const longest = 2_000;

/** Cleaned text of one style. */
export interface Piece {
  readonly text: string;
  readonly style: Style | undefined;
}

/** The pieces of a cell. */
export function piecesOf(cell: Cell, style: ScreenStyle): readonly Piece[] {
  const spans: readonly (Span | TimeSpan)[] = isList(cell) ? cell : [cell];
  return spans.map((span) => {
    if (typeof span === 'string') return { text: bounded(span, style), style: undefined };
    if ('text' in span) return { text: bounded(span.text, style), style: span.style };
    return timePiece(span, style);
  });
}

function isList(cell: Cell): cell is readonly (Span | TimeSpan)[] {
  return Array.isArray(cell);
}

function timePiece(span: TimeSpan, { times, clean }: ScreenStyle): Piece {
  const { time, precision } = span;
  if (times.valid(time)) {
    const another = 'after' in span && !times.sameDay(time, span.after);
    return { text: times.show(time, another ? 'second' : precision), style: undefined };
  }
  if (time === undefined || time === null || time === '') return { text: absent, style: 'faint' };
  return { text: clean(asReceived(time)) + mark, style: 'warn' };
}

// A megabyte in one field would push everything else off the screen; what goes into a file is whole.
function bounded(text: string, style: ScreenStyle): string {
  const clean = style.clean(text);
  return style.width === undefined || clean.length <= longest ? clean : cut(clean, longest);
}

/** A piece in its colour. */
export function paintPiece({ text, style }: Piece, paint: Paint): string {
  return style === undefined ? text : paint(text, style);
}

/** Pieces in their colours; neighbours of one style are painted at once, so that a phrase stays one in the bytes. */
export function paintPieces(pieces: readonly Piece[], paint: Paint): string {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last !== undefined && last.style === piece.style)
      joined.splice(-1, 1, { text: last.text + piece.text, style: last.style });
    else if (piece.text !== '') joined.push(piece);
  }
  return joined.map((piece) => paintPiece(piece, paint)).join('');
}

/** How wide pieces are side by side. */
export function widthOfPieces(pieces: readonly Piece[] | undefined): number {
  return (pieces ?? []).reduce((sum, piece) => sum + widthOf(piece.text), 0);
}
