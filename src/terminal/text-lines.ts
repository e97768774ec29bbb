/** Text on a terminal: how wide it is, where it is cut, its colours, and where a long line breaks. */

import stringWidth from 'string-width';
import type { Paint } from './color.ts';
import { absent, asReceived, mark } from './columns.ts';
import type { Times } from './local-time.ts';
import type { Cell, Span, Style, TimeSpan } from './terminal.ts';

/** What a text that was cut ends in. */
export const ellipsis = '…';

// What string-width needs for other scripts takes 40 ms to set up; most names need none of it. One cell each: Latin, Greek
// and Cyrillic letters, digits, the usual punctuation. Two each: Chinese characters, kana, Hangul syllables.
const narrow = String.raw` -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u1e00-\u1eff\u2010-\u2027`;
const wide = String.raw`\u3000\u3005\u3041-\u3096\u30a1-\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3`;
const allNarrow = new RegExp(`^[${narrow}]*$`);
const narrowOrWide = new RegExp(`^[${narrow}${wide}]*$`);
const anyWide = new RegExp(`[${wide}]`, 'g');

/** Cells that a clean line takes up. */
export function widthOf(text: string): number {
  if (allNarrow.test(text)) return text.length;
  if (narrowOrWide.test(text)) return text.length + (text.match(anyWide)?.length ?? 0);
  return stringWidth(text);
}

/** Text of at most this many cells: a longer text is cut between graphemes and ends in `…`. */
export function cut(text: string, width: number): string {
  // No grapheme that is drawn is longer than this; the rest of a huge text is not looked at.
  const start = text.slice(0, (width + 1) * 40);
  if (start.length === text.length && widthOf(text) <= width) return text;
  let used = 0;
  let kept = '';
  for (const { segment } of new Intl.Segmenter('en').segment(start)) {
    const next = used + widthOf(segment);
    if (next > width - 1) break;
    used = next;
    kept += segment;
  }
  return kept + ellipsis;
}

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

/**
 * The lines of some pieces: the first indented by `indent`, the others by `hang`. Breaks only at spaces, so that an id
 * stays whole even where it is wider than the terminal.
 */
export function wrap(
  pieces: readonly Piece[],
  indent: number,
  style: ScreenStyle,
  hang = indent,
): readonly string[] {
  const lines: (readonly Piece[])[] = [];
  let line: Piece[] = [];
  let used = 0;
  // Whether the line has a word: the first one stays on it, however long.
  let begun = false;
  let spaces: Piece = { text: '', style: undefined };
  for (const word of wordsOf(pieces)) {
    if (word.spaces !== undefined) {
      spaces = { text: spaces.text + word.spaces.text, style: word.spaces.style };
      continue;
    }
    const size = widthOfPieces(word.pieces);
    const room = (style.width ?? Number.POSITIVE_INFINITY) - (lines.length === 0 ? indent : hang);
    if (begun && used + spaces.text.length + size > room) {
      lines.push(line);
      line = [];
      used = 0;
    } else {
      line.push(spaces);
      used += spaces.text.length;
    }
    line.push(...word.pieces);
    used += size;
    begun = true;
    spaces = { text: '', style: undefined };
  }
  return [...lines, line].map(
    (parts, index) => ' '.repeat(index === 0 ? indent : hang) + paintPieces(parts, style.paint),
  );
}

// A command to copy stays whole: broken in two, its first half would run as something else.
function partsOf(text: string): readonly string[] {
  const at = text.search(/(?<=^|: )paydesk /);
  return at === -1 ? text.split(/( +)/) : [...text.slice(0, at).split(/( +)/), text.slice(at)];
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
    for (const part of partsOf(text)) {
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
