/** Looks at an HTML file in a real browser: light, dark, 360 pixels wide, printed, without colour, and at several widths. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const tools = join(import.meta.dirname, '../../tools/browser');
// They stay, so that a person can look at them.
const pictures = join(import.meta.dirname, '../../reports/pictures');

/** What was found in one of these ways. */
export interface Look {
  readonly requests: readonly string[];
  readonly messages: readonly string[];
  readonly findings: readonly string[];
  readonly width: number;
  readonly scrollWidth: number;
  readonly cut: readonly string[];
  readonly paper: string;
  readonly ink: string;
  readonly bar: string;
  readonly details: string;
  readonly text: string;
}

/** What cannot be read at one width: tables that scroll, figures with a line break between two digits, labels under a figure. */
export interface Cut {
  readonly scrolling: readonly string[];
  readonly broken: readonly string[];
  readonly touching: readonly string[];
}

/** Opens the file. Installs what is missing first. */
export function lookAt(file: string): {
  readonly looks: Readonly<Record<string, Look>>;
  readonly atWidths: Readonly<Record<string, Cut>>;
} {
  if (!existsSync('/usr/bin/chromium'))
    run('apt-get', 'install', '-y', '--no-install-recommends', 'chromium');
  if (!existsSync(join(tools, 'node_modules')))
    run('npm', 'ci', '--prefix', tools, '--no-audit', '--no-fund');
  mkdirSync(pictures, { recursive: true });
  return JSON.parse(run(process.execPath, join(tools, 'look.mjs'), file, pictures));
}

function run(command: string, ...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}: ${stderr}`);
  return stdout;
}
