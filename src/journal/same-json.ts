/** Whether two values are the same, as JSON means it. Pure. */

import { isDeepStrictEqual } from 'node:util';

/** Whether two values are the same JSON: in whatever order the keys of an object stand, but the items of an array. */
export function sameJson(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(asWritten(one), asWritten(other));
}

// One of them may come out of the journal, where what is undefined is left out.
function asWritten(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}
