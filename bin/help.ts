/** Answers `--help` from the pages that the build wrote (tools/help-pages.ts), so that no command is loaded. */

import { readFileSync, writeFileSync } from 'node:fs';
import { isatty } from 'node:tty';
import { type HelpPage, helpWidth, layOut } from '../src/cli/help-page.ts';
import { startedClosed } from './process-io.ts';

/**
 * Writes the page that the line asks for to stdout. Returns false if there is none, or if stdout cannot be written: then the
 * whole program answers the line.
 */
export function answerHelp(process: NodeJS.Process): boolean {
  const name = pageName(process.argv.slice(2));
  if (name === undefined || startedClosed(1)) return false;
  try {
    // To open process.stdout takes time, and only a terminal has a width.
    const stdout = isatty(1) ? process.stdout : {};
    const page: HelpPage = JSON.parse(readFileSync(`${import.meta.dirname}/help/${name}.json`, 'utf8'));
    writeFileSync(1, layOut(page, helpWidth({ stdout, env: process.env })));
    return true;
  } catch {
    return false;
  }
}

// Only words of commands, then `--help`, `-h` or `--help --all`. Any other line is read by the whole program.
function pageName(argv: readonly string[]): string | undefined {
  const line = /^((?:[a-z]+ )*)(?:--help|-h)( --all)?$/.exec(argv.join(' '));
  if (line === null) return undefined;
  const [, words = '', all] = line;
  // No word of a line can name the page of --all: it has no hyphen.
  return `${(words.trim() || 'paydesk').replaceAll(' ', '.')}${all === undefined ? '' : '-all'}`;
}
