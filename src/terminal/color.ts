/** Whether a stream is coloured, and the few styles there are: only the 16 ANSI colours. */

import type { Style } from './terminal.ts';

/** Colours one piece of text, or leaves it alone. */
export type Paint = (text: string, style: Style) => string;
/** Without colour, or with. */
export type ColorLevel = 0 | 1;
/** `--color WHEN`. */
export type ColorChoice = 'auto' | 'always' | 'never';

/**
 * 1 where a stream is coloured, 0 where not. Order: the flag, PAYDESK_COLOR, NO_COLOR, FORCE_COLOR, TERM=dumb, is it a
 * terminal. An empty variable counts as unset; `auto` decides nothing.
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

/** Light on dark, whatever the terminal's own colours are, so that a camera can read it. */
export async function loadLightOnDark(level: ColorLevel): Promise<(line: string) => string> {
  if (level === 0) return (line) => line;
  const { Chalk } = await import('chalk');
  return new Chalk({ level }).whiteBright.bgBlack;
}

/** The painter of one stream; chalk is loaded only where there is colour. */
export async function loadPaint(level: ColorLevel): Promise<Paint> {
  if (level === 0) return (text) => text;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level });
  const styles = {
    strong: chalk.bold,
    faint: chalk.dim,
    good: chalk.green,
    warn: chalk.yellow,
    bad: chalk.red,
  };
  return (text, style) => (text === '' ? text : styles[style](text));
}
