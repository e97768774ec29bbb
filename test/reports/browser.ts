/** Looks at an HTML file in a real browser: light, dark, 360 pixels wide, printed, without colour, and at several widths. */

import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const tools = join(import.meta.dirname, '../../tools/browser');
// They stay, so that a person can look at them.
const pictures = join(import.meta.dirname, '../../reports/pictures');

/** What was found in one of these ways. */
export interface Look {
  readonly requests: readonly string[];
  readonly messages: readonly string[];
  readonly findings: readonly string[];
  readonly title: string;
  readonly width: number;
  readonly scrollWidth: number;
  readonly cut: readonly string[];
  readonly paper: string;
  readonly ink: string;
  readonly bar: string;
  readonly details: string;
  readonly text: string;
}

/** What cannot be read at one width: tables that scroll, figures with a line break between two digits; and cells of several lines. */
export interface Cut {
  readonly scrolling: readonly string[];
  readonly broken: readonly string[];
  readonly wrapped: readonly string[];
}

/** What a browser makes of a file. `papers`: the text of each page of paper. */
export interface Looked {
  readonly looks: Readonly<Record<string, Look>>;
  readonly atWidths: Readonly<Record<string, Cut>>;
  readonly papers: Readonly<Record<'A4' | 'Letter', readonly string[]>>;
}

/** A page of a checkout after it was paid or only looked at. */
interface Paid {
  readonly text: string;
  readonly heading: string;
  /** Of axe. */
  readonly findings: readonly string[];
  /** Requests to other servers. */
  readonly elsewhere: readonly string[];
}

/** Opens pages of checkouts, light and dark, and pays them: `NAME=URL:4242`, or `:look`. The server runs in another process. */
export async function payInBrowser(visits: readonly string[]): Promise<Readonly<Record<string, Paid>>> {
  install();
  const look = promisify(execFile);
  const { stdout } = await look(process.execPath, [join(tools, 'pay.mjs'), pictures, ...visits]);
  return JSON.parse(stdout);
}

/** Opens the file. Installs what is missing first. */
export function lookAt(file: string): Looked {
  install();
  const { papers, ...found } = JSON.parse(run(process.execPath, join(tools, 'look.mjs'), file, pictures));
  const pagesOf = (pdf: string) => run('pdftotext', '-layout', pdf, '-').split('\f').slice(0, -1);
  return { ...found, papers: { A4: pagesOf(papers.A4), Letter: pagesOf(papers.Letter) } };
}

function install(): void {
  if (!existsSync('/usr/bin/chromium') || !existsSync('/usr/bin/pdftotext'))
    run('apt-get', 'install', '-y', '--no-install-recommends', 'chromium', 'poppler-utils');
  if (!existsSync(join(tools, 'node_modules')))
    run('npm', 'ci', '--prefix', tools, '--no-audit', '--no-fund');
  mkdirSync(pictures, { recursive: true });
}

function run(command: string, ...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}: ${stderr}`);
  return stdout;
}
