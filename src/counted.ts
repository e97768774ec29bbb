/** A number of things in words, which differ for one and for many. */

/** `3 orders`, `1 order`. */
export function counted(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? '' : 's'}`;
}
