/** Measures text: how many cells of a terminal it takes. */

import stringWidth from 'string-width';

// string-width and Intl.Segmenter take 10 ms and more to set up, 30 for an emoji, and most texts do not need them. Letters of the
// Latin, Greek, Cyrillic, Hebrew, Arabic and Thai scripts, digits and the usual punctuation have one cell each. Chinese characters,
// kana and Hangul syllables have two. Marks are above or below the character before them, and have none.
const latin = String.raw` -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u1e00-\u1eff\u2010-\u2027`;
const narrow = String.raw`${latin}\u05d0-\u05ea\u0621-\u064a\u0e01-\u0e30\u0e32\u0e3f-\u0e46`;
const marks = String.raw`\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e`;
const wide = String.raw`\u3000\u3005\u3041-\u3096\u30a1-\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3`;
const allNarrow = new RegExp(`^[${narrow}]*$`);
const allUsual = new RegExp(`^[${narrow}${marks}${wide}]*$`);
const anyWide = new RegExp(`[${wide}]`, 'g');
const anyMark = new RegExp(`[${marks}]`, 'g');
// An emoji by itself, which no modifier, joiner or second letter of a flag changes, takes two cells.
const simpleEmoji =
  /(?!\p{RI})(?:\p{Emoji_Presentation}|[\p{Emoji}&&\p{Extended_Pictographic}]\ufe0f)(?!\u200d|\ufe0e|\ufe0f|\p{Emoji_Modifier})/gv;
const withItsMarks = new RegExp(`.[${marks}]*`, 'g');

/** How many cells a clean line takes. */
export function widthOf(text: string): number {
  if (allNarrow.test(text)) return text.length;
  const others = text.replace(simpleEmoji, '');
  if (!allUsual.test(others)) return stringWidth(text);
  const pictures = others.length === text.length ? 0 : count(text, simpleEmoji);
  return 2 * pictures + others.length + count(others, anyWide) - count(others, anyMark);
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** What a reader sees as characters, one by one. */
export function graphemesOf(text: string): readonly string[] {
  if (allUsual.test(text)) return text.match(withItsMarks) ?? [];
  return Array.from(new Intl.Segmenter('en').segment(text), ({ segment }) => segment);
}
