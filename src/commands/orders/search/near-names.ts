/** The buyers whose names are spelled like words that found nothing. Pure. */

import { counted } from '../../../counted.ts';
import { isTypedLike } from '../../../terminal/terminal.ts';
import { fold } from './fold-text.ts';

/** What is known of them so far. */
export interface NearNames {
  /** Looks at the name of the buyer of one order. An order may come twice. */
  see(order: string | undefined, name: unknown): void;
  /** The nearest names, each with the words that find it, the most frequent first. They are offered, and never taken by themselves. */
  offers(): readonly { readonly question: string; readonly words: readonly string[] }[];
}

const mostNames = 3;

/** Words with a digit or an @ are no name, and nothing is like them. */
export function nearNames(texts: readonly string[]): NearNames {
  const typed = texts.flatMap((text) => wordsOf(text));
  const isName = typed.length > 0 && typed.every((word) => /^[\p{L}.-]{3,30}$/u.test(word));
  const seen = new Map<string, { readonly name: string; readonly orders: Set<string> } | undefined>();
  return {
    see(order, name) {
      if (!isName || order === undefined || typeof name !== 'string') return;
      const words = wordsOf(name);
      const key = words.join(' ');
      if (!seen.has(key)) {
        const isNear = typed.every((one) => words.some((word) => isTypedLike(one, word)));
        seen.set(key, isNear ? { name, orders: new Set() } : undefined);
      }
      seen.get(key)?.orders.add(order);
    },
    offers: () =>
      [...seen.values()]
        .filter((one) => one !== undefined)
        .toSorted((one, other) => other.orders.size - one.orders.size)
        .slice(0, mostNames)
        .map(({ name, orders }) => ({
          question: `did you mean ${name} (${counted(orders.size, 'order')})?`,
          words: fold(name).split(/\s+/),
        })),
  };
}

function wordsOf(name: string): readonly string[] {
  return fold(name.slice(0, 200))
    .replaceAll("'", '')
    .split(/[\s,;]+/)
    .filter((word) => word !== '');
}
