/** What the parts of this folder are told about streams and about the person who reads them. */

import type { Writable } from 'node:stream';
import { cleanLine } from './sanitise.ts';
import type { Secrets } from './secrets.ts';

/** How figures and times are shown; asked for when something is shown, since a profile may be opened late. */
export interface Locale {
  /** IANA name; undefined: the zone of the process. */
  readonly zone: string | undefined;
  /** Currency → decimals (`amounts.decimals`). */
  readonly decimals: Readonly<Record<string, number>>;
}

/** A stream and what is known of it. */
export interface StreamFacts {
  readonly stream: Writable;
  readonly isTTY: boolean;
  /** Cells in a line; undefined when it is no terminal. */
  readonly columns: number | undefined;
  /** Lines of the terminal; undefined when it is none. */
  readonly rows: number | undefined;
}

/** The width to draw for; undefined when nothing is to be wrapped or cut. */
export function widthOfTerminal({ isTTY, columns }: StreamFacts): number | undefined {
  return isTTY && columns !== undefined && columns > 0 ? columns : undefined;
}

/** Makes a text safe for a screen; the key goes first, since cutting could leave a part of it. */
export function screenClean(secrets: Secrets): (text: string) => string {
  return (text) => cleanLine(secrets.clean(text));
}
