/** What an account is: the journal matches attempts by it. */

import type { Mode } from '../api/spec.ts';

/** origin + vendor + mode, in one line. Keys rotate, so the key is no part of it. */
export function accountOf(origin: string, vendor: string, mode: Mode): string {
  return `${origin} ${vendor} ${mode}`;
}
