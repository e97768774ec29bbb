/** Breaking a line that is too long for the terminal, at spaces only. */

import { type Piece, paintPieces, type ScreenStyle, widthOfPieces } from './pieces.ts';

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
  // Whether a word stands on the line: the first one stays there, however long.
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
