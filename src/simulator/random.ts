/** Random values and ids: from a seed for data and faults, from the system for ids and keys of a running simulator. */

import { randomInt } from 'node:crypto';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const hex = '0123456789abcdef';

export interface Random {
  /** At least 0, below 1. */
  fraction(): number;
  /** A whole number, both bounds included. */
  integer(min: number, max: number): number;
  pick<T>(list: readonly [T, ...T[]]): T;
  /** Letters and digits, as in the ids of the document. */
  letters(length: number): string;
  hex(length: number): string;
}

export function seededRandom(seed: string): Random {
  let state = hashOf(seed);
  // Algorithm: mulberry32.
  return randomFrom(() => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  });
}

export function systemRandom(): Random {
  return randomFrom(() => randomInt(2 ** 32) / 2 ** 32);
}

function randomFrom(fraction: () => number): Random {
  const integer = (min: number, max: number): number => min + Math.floor(fraction() * (max - min + 1));
  const text = (alphabet: string, length: number): string => {
    let result = '';
    while (result.length < length) result += alphabet.charAt(integer(0, alphabet.length - 1));
    return result;
  };
  return {
    fraction,
    integer,
    pick: (list) => list[integer(0, list.length - 1)] ?? list[0],
    letters: (length) => text(base62, length),
    hex: (length) => text(hex, length),
  };
}

// Algorithm: FNV-1a.
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return hash;
}

export interface Ids {
  order(): string;
  customer(): string;
  lineItem(): string;
  shippingContact(): string;
  fiscalEntity(): string;
  paymentSource(): string;
  checkout(): string;
  /** For charges and refunds, which have no documented prefix. */
  plain(): string;
}

/** The same seed gives the same ids. */
export function idsFrom(random: Random): Ids {
  return {
    order: () => `ord_${random.letters(17)}`,
    customer: () => `cus_${random.letters(17)}`,
    lineItem: () => `line_item_${random.letters(17)}`,
    shippingContact: () => `ship_cont_${random.letters(17)}`,
    fiscalEntity: () => `fis_ent_${random.letters(17)}`,
    paymentSource: () => `off_ref_${random.letters(17)}`,
    // Assumed: no prefix is documented for a checkout.
    checkout: () => random.hex(24),
    plain: () => random.hex(24),
  };
}
