/** Answers `--help` from the pages that the build wrote (tools/help-pages.ts), so that no command is loaded. */

import { readFileSync, writeSync } from 'node:fs';
import { getAsset, isSea } from 'node:sea';
import { isatty } from 'node:tty';
import { type HelpPage, helpWidth, layOut } from '../src/cli/help/help-page.ts';
import { startedClosed } from './process-io.ts';

/**
 * Writes the page that the line asks for to stdout. Returns false if there is none, or if nothing could be written: then the
 * whole program answers the line.
 */
export function answerHelp(process: NodeJS.Process): boolean {
  const name = pageName(process.argv.slice(2));
  if (name === undefined || startedClosed(1)) return false;
  try {
    // To open process.stdout takes time, and only a terminal has a width.
    const stdout = isatty(1) ? process.stdout : {};
    const file = `help/${name}.json`;
    const text = isSea()
      ? getAsset(`dist/${file}`, 'utf8')
      : readFileSync(`${import.meta.dirname}/${file}`, 'utf8');
    const page: HelpPage = JSON.parse(text);
    const shown = Buffer.from(layOut(page, helpWidth({ stdout, env: process.env })));
    const rest = shown.subarray(writeSync(1, shown));
    if (rest.length > 0) writeRest(process, rest);
    return true;
  } catch {
    return false;
  }
}

// A pipe that does not block takes only what it has room for. The stream waits until somebody reads.
function writeRest({ stdout, stderr }: NodeJS.Process, rest: Uint8Array): void {
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    stderr.write(`incomplete: stdout could not be written (${code})\n`);
    process.exitCode = 9;
  });
  stdout.write(rest);
}

// Only words of commands, then `--help`, `-h` or `--help --all`. Any other line is read by the whole program.
function pageName(argv: readonly string[]): string | undefined {
  const line = /^((?:[a-z]+ )*)(?:--help|-h)( --all)?$/.exec(argv.join(' '));
  if (line === null) return undefined;
  const [, words = '', all] = line;
  // No word of a line can name the page of --all: it has no hyphen.
  return `${(words.trim() || 'paydesk').replaceAll(' ', '.')}${all === undefined ? '' : '-all'}`;
}
