/** Bodies and drafts hold what was said and nothing else. */

type Said<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** An object without the fields that nobody gave. */
export function said<const T extends object>(values: T): Said<T>;
export function said(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** The same, or nothing at all when nobody gave any of it. */
export function saidOrNothing<const T extends object>(values: T): Said<T> | undefined {
  const given = said(values);
  return Object.keys(given).length === 0 ? undefined : given;
}
