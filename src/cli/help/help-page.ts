/** A page of help as lines that are not wrapped yet, and how they are wrapped to the terminal. Pure, and loads nothing. */

import { type Env, type Io, variable } from '../../io.ts';

/**
 * A line of a page. A string is wrapped at its own indent; a command to copy is wrapped with backslashes. A text with `hang`
 * is wrapped, and its further lines are indented that far. A term has its text next to it. Code stays as it is.
 */
export type HelpLine =
  | string
  | { readonly code: string }
  | { readonly text: string; readonly hang: number }
  | { readonly term: string; readonly termWidth: number; readonly text: string };

/** A page of help. The build writes all pages to files, so that `--help` loads no command. */
export type HelpPage = readonly HelpLine[];

/** The text of a page. A line is longer than the width only if a single word is, or if it is code. */
export function layOut(page: HelpPage, width: number): string {
  return page.map((line) => `${laidOut(line, width)}\n`).join('');
}

function laidOut(line: HelpLine, width: number): string {
  if (typeof line === 'string')
    return /^ +(\$|paydesk) /.test(line)
      ? continued(line, width)
      : wrapLine(line, width, line.search(/\S|$/));
  if ('code' in line) return line.code;
  return 'hang' in line ? wrapLine(line.text, width, line.hang) : item(line, width);
}

// In less than 60 columns, and next to a long term, there is no room: the text goes on the next line.
function item(
  { term, termWidth, text }: Extract<HelpLine, { readonly term: string }>,
  width: number,
): string {
  if (text === '') return `  ${term}`;
  if (width < 60 || term.length > termWidth)
    return `${wrapLine(`  ${term}`, width, 2)}\n${wrapLine(`    ${text}`, width, 4)}`;
  return wrapLine(`  ${term.padEnd(termWidth)}  ${text}`, width, termWidth + 4);
}

// Wraps a command line with backslashes, so that it can still be copied. An option stays on the same line as its value. A word that
// is as long as the line gets no indent.
function continued(line: string, width: number): string {
  const start = /^ */.exec(line)?.[0] ?? '';
  const further = `${start}    `;
  const words = line.trimStart().match(/-\S+ [^-\s]\S*|\S+/g) ?? [];
  const fitting = words.flatMap((word) =>
    further.length + word.length > width - 2 ? word.split(' ') : [word],
  );
  const out: string[] = [];
  let current = '';
  for (const word of fitting) {
    const next = current === '' ? start + word : `${current} ${word}`;
    if (next.length > width - 2 && current !== '') {
      out.push(`${current} \\`);
      current = (further.length + word.length > width ? '' : further) + word;
    } else {
      current = next;
    }
  }
  return [...out, current].join('\n');
}

/** Wraps one line at spaces, and indents the lines that follow. */
export function wrapLine(line: string, width: number, indent: number): string {
  const out: string[] = [];
  let current = '';
  for (const word of line.split(/(?<=\S) (?=\S)/)) {
    if (current !== '' && current.length + 1 + word.length > width) {
      out.push(current);
      current = ' '.repeat(indent) + word;
    } else {
      current = current === '' ? word : `${current} ${word}`;
    }
  }
  return [...out, current].join('\n');
}

/** How wide help is: as wide as the terminal. If stdout is not a terminal, COLUMNS says how wide. */
export function helpWidth({
  stdout,
  env,
}: {
  readonly stdout: Pick<Io['stdout'], 'isTTY' | 'columns'>;
  readonly env: Env;
}): number {
  const width = stdout.isTTY === true ? (stdout.columns ?? 0) : Number(variable(env, 'COLUMNS'));
  return Number.isInteger(width) && width >= 20 ? Math.min(width, 120) : 80;
}
