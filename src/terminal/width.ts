/** How wide text is on a terminal, and cutting it between graphemes. */

import stringWidth from 'string-width';

/** What a text that was cut ends in. */
export const ellipsis = '…';

// What string-width needs for other scripts takes 40 ms to set up; most names need none of it. One cell each: Latin, Greek
// and Cyrillic letters, digits, the usual punctuation. Two each: Chinese characters, kana, Hangul syllables.
const narrow = String.raw` -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u1e00-\u1eff\u2010-\u2027`;
const wide = String.raw`\u3000\u3005\u3041-\u3096\u30a1-\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3`;
const allNarrow = new RegExp(`^[${narrow}]*$`);
const narrowOrWide = new RegExp(`^[${narrow}${wide}]*$`);
const anyWide = new RegExp(`[${wide}]`, 'g');

/** Cells that a clean line takes up. */
export function widthOf(text: string): number {
  if (allNarrow.test(text)) return text.length;
  if (narrowOrWide.test(text)) return text.length + (text.match(anyWide)?.length ?? 0);
  return stringWidth(text);
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
