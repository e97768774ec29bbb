/** A command line as a shell hands it over, before it is run: text, never expanded. */

import type { Shell } from '../../terminal/terminal.ts';

/** A line up to the cursor, in words. */
export interface TypedLine {
  /** The words before the one at the cursor, without `paydesk`. */
  readonly before: readonly string[];
  /** The word at the cursor, as far as it is there. */
  readonly current: string;
  /** How much of the current word comes before what the shell will replace: `--reason=` in bash. */
  readonly kept: number;
}

/** Reads the words a shell sent, of which the one at `index` is to be completed; absent, it is empty. */
export function readTypedLine(shell: Shell, index: number, sent: readonly string[]): TypedLine {
  const pieces = [...sent.slice(0, index), sent[index] ?? ''];
  const words = shell === 'bash' ? joined(pieces) : pieces;
  const current = words.at(-1) ?? '';
  const last = pieces.at(-1) ?? '';
  return {
    before: words.slice(0, -1).map((word) => unquoted(shell, word)),
    current: unquoted(shell, current),
    kept: current === last ? 0 : current.length - (isBreak(last) ? 0 : last.length),
  };
}

// Bash cuts words at `=` and `:` (COMP_WORDBREAKS) and makes words of these, too.
function joined(pieces: readonly string[]): readonly string[] {
  const words: string[] = [];
  let open = false;
  for (const piece of pieces) {
    const last = words.at(-1);
    const glues = last !== undefined && (open || isBreak(piece));
    if (glues) words[words.length - 1] = last + piece;
    else words.push(piece);
    open = isBreak(piece);
  }
  return words;
}

function isBreak(piece: string): boolean {
  return /^[=:]+$/.test(piece);
}

// Quotes and escapes go, an open quote too; what they hold stays as it is.
function unquoted(shell: Shell, word: string): string {
  if (shell === 'fish') return word;
  const parts =
    shell === 'powershell'
      ? /'([^']*)'?|"([^"]*)"?|`(.)|([^'"`]+)/gs
      : /'([^']*)'?|"((?:\\.|[^"\\])*)"?|\\(.)|([^'"\\]+)/gs;
  return [...word.matchAll(parts)]
    .map(([, single, double, escaped, plain]) => single ?? double ?? escaped ?? plain ?? '')
    .join('');
}
