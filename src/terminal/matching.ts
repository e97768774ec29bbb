/** Which choices a search finds. */

import type { Labelled } from './ask.ts';

/** The indexes of the choices that hold every word of a term, in whatever case and with whatever accents. */
export function matching(choices: readonly Labelled[], term: string): readonly number[] {
  const words = fold(term).split(/\s+/);
  return choices.flatMap(({ label, tail, detail }, index) => {
    const text = fold(`${label} ${tail ?? ''} ${detail ?? ''}`);
    return words.every((word) => text.includes(word)) ? [index] : [];
  });
}

function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
