/** With which signs charts are drawn: parts of blocks; `#` and digits where those may not show; none for a screen reader. Pure. */

import { type ColorChoice, colorLevel } from './color.ts';
import type { Output } from './terminal.ts';

/** What the signs depend on. */
export interface SignFacts {
  readonly accessible: boolean;
  readonly color: ColorChoice | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

/** The signs for a run. Somebody who switched colour off gets plain signs as well, whether stdout is a terminal or not. */
export function chartSigns({ accessible, color, env, platform }: SignFacts): Output['charts'] {
  if (accessible) return 'none';
  const isPlain = colorLevel({ isTTY: true }, color, env) === 0;
  return isPlain || !showsUnicode(env, platform) ? 'plain' : 'blocks';
}

// Without any of these variables a system uses the locale C. Windows has none of them, and its terminals show Unicode.
function showsUnicode(env: SignFacts['env'], platform: string): boolean {
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((value) => value !== undefined && value !== '');
  return locale === undefined ? platform === 'win32' : /utf-?8/i.test(locale);
}
