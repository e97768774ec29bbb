/** Measures, cuts, colours and wraps text for a terminal. */

import stringWidth from 'string-width';
import { meaningOfStatus, type StatusMeaning } from '../api/spec.ts';
import type { Paint } from './color.ts';
import type { Times } from './local-time.ts';
import { absent, asReceived, mark } from './table/columns.ts';
import type { Cell, Style, TimeSpan } from './terminal.ts';

/** The end of a text that was cut. */
export const ellipsis = '…';

// string-width and Intl.Segmenter take 10 ms and more to set up, and most texts do not need them. Letters of the Latin,
// Greek, Cyrillic, Hebrew, Arabic and Thai scripts, digits and the usual punctuation have one cell each. Chinese characters,
// kana and Hangul syllables have two. Marks stand above or below the character before them, and have none.
const latin = String.raw` -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u1e00-\u1eff\u2010-\u2027`;
const narrow = String.raw`${latin}\u05d0-\u05ea\u0621-\u064a\u0e01-\u0e30\u0e32\u0e3f-\u0e46`;
const marks = String.raw`\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e`;
const wide = String.raw`\u3000\u3005\u3041-\u3096\u30a1-\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3`;
const allNarrow = new RegExp(`^[${narrow}]*$`);
const allUsual = new RegExp(`^[${narrow}${marks}${wide}]*$`);
const anyWide = new RegExp(`[${wide}]`, 'g');
const anyMark = new RegExp(`[${marks}]`, 'g');
const withItsMarks = new RegExp(`.[${marks}]*`, 'g');

/** How many cells a clean line takes. */
export function widthOf(text: string): number {
  if (allNarrow.test(text)) return text.length;
  if (!allUsual.test(text)) return stringWidth(text);
  return text.length + count(text, anyWide) - count(text, anyMark);
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

// What a reader sees as characters, one by one.
function graphemesOf(text: string): readonly string[] {
  if (allUsual.test(text)) return text.match(withItsMarks) ?? [];
  return Array.from(new Intl.Segmenter('en').segment(text), ({ segment }) => segment);
}

/** Cuts a text to a number of cells, between graphemes. A text that was cut ends in `…`. */
export function cut(text: string, width: number): string {
  // No grapheme on a screen is longer than 40 units, so the rest of a huge text need not be looked at.
  const start = text.slice(0, (width + 1) * 40);
  if (start.length === text.length && widthOf(text) <= width) return text;
  let used = 0;
  let kept = '';
  for (const grapheme of graphemesOf(start)) {
    const next = used + widthOf(grapheme);
    if (next > width - 1) break;
    used = next;
    kept += grapheme;
  }
  return kept + ellipsis;
}

/**
 * Cuts a text in its middle, so that its beginning and its end stay: names may differ in their end alone. `ending` is a text with
 * which it ends, and that stays whole if there is room for it.
 */
export function cutInMiddle(text: string, width: number, ending = ''): string {
  if (widthOf(text) <= width) return text;
  const left = width - widthOf(ending);
  if (ending !== '') {
    const before = text.slice(0, -ending.length);
    return left < leastBefore ? cut(ending, width) : cutInMiddle(before, left) + ending;
  }
  let end = '';
  for (const grapheme of graphemesOf(text).toReversed()) {
    if (widthOf(grapheme + end) > Math.floor((width - 1) / 2)) break;
    end = grapheme + end;
  }
  return cut(text, width - widthOf(end)) + end;
}

// With fewer cells, the text before an ending says nothing.
const leastBefore = 6;

/** How blocks are drawn. */
export interface ScreenStyle {
  /** Undefined if there is no terminal: then nothing is wrapped or cut. */
  readonly width: number | undefined;
  readonly paint: Paint;
  readonly times: Times;
  readonly clean: (text: string) => string;
}

// The most cells of one piece of text on a terminal.
const longest = 2_000;

/** Clean text in one style. */
export interface Piece {
  readonly text: string;
  readonly style: Style | undefined;
}

export function piecesOf(cell: Cell, style: ScreenStyle): readonly Piece[] {
  const spans = isList(cell) ? cell : [cell];
  return spans.map((span) => {
    if (typeof span === 'string') return { text: bounded(span, style), style: undefined };
    if ('text' in span) return { text: bounded(span.text, style), style: span.style };
    if ('status' in span) return { text: bounded(span.status, style), style: statusStyle(span.status) };
    return timePiece(span, style);
  });
}

function isList(cell: Cell): cell is Extract<Cell, readonly unknown[]> {
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

// A megabyte in one field would push everything else off the screen, so it is cut there. In a file it stays whole.
function bounded(text: string, style: ScreenStyle): string {
  const clean = style.clean(text);
  return style.width === undefined || clean.length <= longest ? clean : cut(clean, longest);
}

export function paintPiece({ text, style }: Piece, paint: Paint): string {
  return style === undefined ? text : paint(text, style);
}

// Paints pieces. Neighbours of one style are painted together, so that a phrase can still be found in the output.
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

/** How many cells pieces take side by side. */
export function widthOfPieces(pieces: readonly Piece[] | undefined): number {
  return (pieces ?? []).reduce((sum, piece) => sum + widthOf(piece.text), 0);
}

/**
 * Wraps pieces into lines. The first line is indented by `indent`, the others by `hang`. Lines break only at spaces, so that
 * an id stays whole even if it is wider than the terminal.
 */
export function wrap(
  pieces: readonly Piece[],
  indent: number,
  style: Pick<ScreenStyle, 'width' | 'paint'>,
  hang = indent,
): readonly string[] {
  const lines: (readonly Piece[])[] = [];
  let line: Piece[] = [];
  let used = 0;
  // Whether the line has a word already. The first word stays on the line, however long it is.
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

// What follows the name of the program in a command. In a sentence another word does: `paydesk cannot take a refund back`.
const command =
  /(?<=^|: )paydesk (?=-|(?:api|approvals|checkout|completion|customers|help|index|journal|mcp|orders|profile|prove|refunds|release|report|sender|simulator|today|undo)\b)/;

/** Where the command begins with which a text ends; -1 if there is none. */
export function commandIn(text: string): number {
  return text.search(command);
}

// A command to copy stays whole. If it were broken, its first half would run as another command.
function partsOf(text: string): readonly string[] {
  const at = commandIn(text);
  return at === -1 ? text.split(/( +)/) : [...text.slice(0, at).split(/( +)/), text.slice(at)];
}

type Word = { readonly spaces: Piece } | { readonly spaces?: undefined; readonly pieces: readonly Piece[] };

// Splits pieces into words and the spaces between them. A word may have several styles.
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

// Yellow cannot be read on white, blue not on black, so neither is used.
const styles: Readonly<Record<StatusMeaning, Style>> = {
  in: 'good',
  awaited: 'warn',
  back: 'out',
  none: 'faint',
};

/** The style of a status; undefined for a word that paydesk does not know, which is shown as it came. */
export function statusStyle(status: unknown): Style | undefined {
  const meaning = meaningOfStatus(status);
  return meaning === undefined ? undefined : styles[meaning];
}

/** Whether a text is money that went back, or goes back: the service writes it negative (service: refund). */
export function isOutgoing(text: string): boolean {
  return /^-\d/.test(text);
}
