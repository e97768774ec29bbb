/** How wide text is on a terminal, and cutting it between graphemes. */

import stringWidth from 'string-width';

/** What a text that was cut ends in. */
export const ellipsis = '…';

// Latin letters, digits and the usual punctuation, one cell each.
const plain = /^[ -~\u00a0-\u00ac\u00ae-\u024f\u2010-\u2027]*$/;

/** Cells that a clean line takes up. */
export function widthOf(text: string): number {
  // What string-width needs for other scripts takes 30 ms to set up.
  return plain.test(text) ? text.length : stringWidth(text);
}

/** Text of at most so many cells: what is too long is cut between graphemes and ends in `…`. */
export function cut(text: string, width: number): string {
  // No grapheme that is drawn is longer than this; the rest of a huge text is not looked at.
  const start = text.slice(0, (width + 1) * 40);
  if (start.length === text.length && widthOf(text) <= width) return text;
  let used = 0;
  let kept = '';
  for (const { segment } of new Intl.Segmenter('en').segment(start)) {
    const next = used + widthOf(segment);
    if (next > width - 1) break;
    used = next;
    kept += segment;
  }
  return kept + ellipsis;
}
