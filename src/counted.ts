/** A number of things, or a share of them, in words. */

/** `3 orders`, `1 order`. */
export function counted(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? '' : 's'}`;
}

/**
 * How many percent a part is of a whole, with one decimal, rounded half up: `4.4`. Never `0.0` for something, but `<0.1`, and never `100.0`
 * for what is not all, but `>99.9`. Undefined if there is no whole.
 */
export function percent(part: number | bigint, whole: number | bigint): string | undefined {
  if (whole <= 0 || part < 0) return undefined;
  const [some, all] = [BigInt(part), BigInt(whole)];
  const tenths = (some * 2_000n + all) / (all * 2n);
  if (tenths === 0n && some > 0n) return '<0.1';
  if (tenths === 1_000n && some !== all) return some < all ? '>99.9' : '>100.0';
  return `${tenths / 10n}.${tenths % 10n}`;
}
