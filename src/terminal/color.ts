/** Decides whether a stream is coloured and with which characters charts are drawn, and paints text in a few styles. */

import type { Output, Style } from './terminal.ts';

/** Paints one piece of text. On a stream without colour it returns the text as it is. */
export type Paint = (text: string, style: Style) => string;
/** 0: without colour; 1: with colour. */
export type ColorLevel = 0 | 1;
/** `--color WHEN`. */
export type ColorChoice = 'auto' | 'always' | 'never';

/**
 * Whether a stream is coloured. The first of these decides: the flag, PAYDESK_COLOR, NO_COLOR, FORCE_COLOR, TERM=dumb, and
 * finally whether it is a terminal. An empty variable counts as unset. With `auto`, NO_COLOR and those after it decide.
 */
export function colorLevel(
  stream: { readonly isTTY: boolean },
  flag: ColorChoice | undefined,
  env: Readonly<Record<string, string | undefined>>,
): ColorLevel {
  for (const choice of [flag, env.PAYDESK_COLOR]) {
    if (choice === 'always') return 1;
    if (choice === 'never') return 0;
    if (choice === 'auto') break;
  }
  if (env.NO_COLOR) return 0;
  if (env.FORCE_COLOR) return env.FORCE_COLOR === '0' || env.FORCE_COLOR === 'false' ? 0 : 1;
  return env.TERM !== 'dumb' && stream.isTTY ? 1 : 0;
}

/** Paints light on dark, so that a camera can read it whatever colours the terminal has. */
export async function loadLightOnDark(level: ColorLevel): Promise<(line: string) => string> {
  if (level === 0) return (line) => line;
  const { Chalk } = await import('chalk');
  return new Chalk({ level }).whiteBright.bgBlack;
}

/** The paint of one stream. Chalk is loaded only if the stream has colour. */
export async function loadPaint(level: ColorLevel): Promise<Paint> {
  if (level === 0) return (text) => text;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level });
  const styles = {
    strong: chalk.bold,
    faint: chalk.dim,
    good: chalk.green,
    // Yellow cannot be read on a light background.
    warn: chalk.magenta,
    bad: chalk.red,
    out: chalk.red,
    // Inverse, so that it is easy to see on a light and on a dark background.
    production: chalk.red.bold.inverse,
  };
  return (text, style) => (text === '' ? text : styles[style](text));
}

/** What the characters of charts depend on. */
export interface SignFacts {
  readonly accessible: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

/**
 * The characters for the charts of a run, whether stdout is a terminal or not. A block is not a colour, so NO_COLOR changes
 * nothing.
 */
export function chartSigns({ accessible, env, platform }: SignFacts): Output['charts'] {
  if (accessible) return 'none';
  return showsUnicode(env, platform) ? 'blocks' : 'plain';
}

// Whether a terminal shows Unicode. Without any of these variables, a system uses the locale C. Windows has none of them, and its
// terminals show Unicode.
function showsUnicode(env: SignFacts['env'], platform: string): boolean {
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((value) => value !== undefined && value !== '');
  return locale === undefined ? platform === 'win32' : /utf-?8/i.test(locale);
}
