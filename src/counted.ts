/** Writes a number of things, a share of them, or the lines of a file in words. */

/** `3 orders`, `1 order`. */
export function counted(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? '' : 's'}`;
}

/**
 * What percentage of a whole a part is, with one decimal, rounded half up: `4.4`. A part that is not zero is never `0.0` but
 * `<0.1`, and one that is not the whole is never `100.0` but `>99.9`. Undefined if the whole is not above zero, or the part is
 * below zero.
 */
export function percent(part: number | bigint, whole: number | bigint): string | undefined {
  if (whole <= 0 || part < 0) return undefined;
  const [some, all] = [BigInt(part), BigInt(whole)];
  const tenths = (some * 2_000n + all) / (all * 2n);
  if (tenths === 0n && some > 0n) return '<0.1';
  if (tenths === 1_000n && some !== all) return some < all ? '>99.9' : '>100.0';
  return `${tenths / 10n}.${tenths % 10n}`;
}

/** The first of these, and how many more there are: `ana, bruno and 3 more`. */
export function namedUpTo(most: number, names: readonly (string | number)[]): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const namedLines = 6;

/** `line 2`, `lines 2, 3 and 7`, `12 rows, lines 2, 3, 7, 9, 12, 13 and 6 more`. */
export function linesWords(lines: readonly number[]): string {
  const [only, second] = lines;
  if (second === undefined) return `line ${only}`;
  const more = lines.length - namedLines;
  if (more <= 0) return `lines ${lines.slice(0, -1).join(', ')} and ${lines.at(-1)}`;
  return `${lines.length} rows, lines ${lines.slice(0, namedLines).join(', ')} and ${more} more`;
}
