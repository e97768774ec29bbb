/** Cuts, colours and wraps text for a terminal. */

import { meaningOfStatus, type StatusMeaning } from '../api/spec.ts';
import type { Paint } from './color.ts';
import type { Times } from './local-time.ts';
import { absent, asReceived, mark } from './table/shown-values.ts';
import type { Cell, Style, TimeSpan } from './terminal.ts';
import { graphemesOf, widthOf } from './width.ts';

/** The end of a text that was cut. */
export const ellipsis = '…';

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

/** Cuts a text in its middle, so that its beginning and its end stay: names may differ only at their end. */
export function cutInMiddle(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let end = '';
  for (const grapheme of graphemesOf(text).toReversed()) {
    if (widthOf(grapheme + end) > Math.floor((width - 1) / 2)) break;
    end = grapheme + end;
  }
  return cut(text, width - widthOf(end)) + end;
}

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

// Paints pieces. Adjacent pieces with the same style are painted together, so that a phrase can still be found in the output.
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
  // Whether the line already has a word. The first word stays on the line, however long it is.
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

// What follows the name of the program in a command. In a sentence, another word follows: `paydesk cannot take a refund back`.
const command =
  /(?<=^|: )paydesk (?=-|(?:api|approvals|checkout|completion|customers|help|index|journal|mcp|orders|profile|prove|refunds|release|report|sender|simulator|today|undo)\b)/;

/** The position of the command at the end of a text; -1 if there is none. */
export function commandIn(text: string): number {
  return text.search(command);
}

// A command to copy stays whole. If it were broken, its first half could run as another command.
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

/** The width of the longest word. A command counts as one word. */
export function longestWord(pieces: readonly Piece[]): number {
  return Math.max(0, ...wordsOf(pieces).map((word) => ('pieces' in word ? widthOfPieces(word.pieces) : 0)));
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
