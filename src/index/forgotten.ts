/** What was forgotten, as keyed hashes: an order or a buyer that is read again is recognised, and nobody can read who it was. */

import { createHash } from 'node:crypto';

/** A name in the sense of this list: the id of an order, or an e-mail, a phone number or a customer id of its buyer. */
export type Name = string;

export interface Forgotten {
  readonly isEmpty: boolean;
  /** Whether one of the names was forgotten. */
  holds(names: readonly Name[]): boolean;
  /** The list with more names. */
  with(names: readonly Name[]): readonly string[];
}

/** Opens the list. `salt` belongs to this index. */
export function openForgotten(hashes: readonly string[], salt: string): Forgotten {
  const known = new Set(hashes);
  const hashOf = (name: Name): string =>
    createHash('sha256').update(`${salt}\n${name}`).digest('base64url').slice(0, 22);
  return {
    isEmpty: known.size === 0,
    // Most indexes have forgotten nobody, and then nothing is hashed.
    holds: (names) => known.size > 0 && names.some((name) => known.has(hashOf(name))),
    with: (names) => [...new Set([...hashes, ...names.map(hashOf)])],
  };
}
