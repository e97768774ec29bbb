/** With which signs charts are drawn: parts of blocks; ASCII signs where those may not show; none for a screen reader. Pure. */

import type { Output } from './terminal.ts';

/** What the signs depend on. */
export interface SignFacts {
  readonly accessible: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

/** The signs for a run, whether stdout is a terminal or not. A block is no colour, so NO_COLOR changes nothing. */
export function chartSigns({ accessible, env, platform }: SignFacts): Output['charts'] {
  if (accessible) return 'none';
  return showsUnicode(env, platform) ? 'blocks' : 'plain';
}

// Without any of these variables a system uses the locale C. Windows has none of them, and its terminals show Unicode.
function showsUnicode(env: SignFacts['env'], platform: string): boolean {
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((value) => value !== undefined && value !== '');
  return locale === undefined ? platform === 'win32' : /utf-?8/i.test(locale);
}
