/** Turns the texts of settings into values: durations, moments, amounts, paths, keys. Each schema says what it accepts. */

import * as v from 'valibot';
import { parseAmount } from '../api/spec.ts';
import { knowsZone } from '../terminal/terminal.ts';
import { indexFields } from './profiles.ts';

const unitMs = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const yearMs = 365 * unitMs.d;

/**
 * Turns `10s`, `15min`, `15m`, `24h`, `500ms` or `2d` into milliseconds. Refuses a number without a unit, which would be a guess.
 */
export const duration = v.pipe(
  v.string(),
  v.regex(/^\d{1,8} ?(ms|s|m|min|h|d)$/, 'a number with a unit: 500ms, 10s, 15m, 15min, 24h or 2d'),
  v.transform((text) => {
    const unit = text.endsWith('ms') ? 'ms' : (text.replace(/^\d+ ?/, '') as keyof typeof unitMs);
    return Number.parseInt(text, 10) * unitMs[unit];
  }),
  v.maxValue(yearMs, 'at most 365d'),
);

/** Turns seconds such as `0,2,5,15` into milliseconds. Up to three decimals. */
export const moments = v.pipe(
  v.string(),
  v.regex(
    /^\d{1,4}(\.\d{1,3})?(,\d{1,4}(\.\d{1,3})?){0,19}$/,
    'seconds in rising order, separated by commas: 0,2,5,15',
  ),
  v.transform((text) => text.split(',').map((part) => Math.round(Number(part) * 1000))),
  v.check(
    (list) => list.every((ms, index) => ms >= (list[index - 1] ?? 0)),
    'seconds in rising order: 0,2,5,15',
  ),
  v.readonly(),
);

const requirable = ['reason', 'note'] as const;
/** What a refund also needs: `reason`, `note`, both, or `none`. */
export const required = v.pipe(
  v.string(),
  v.regex(/^(none|(reason|note)(,(reason|note))?)$/, 'one of: reason / note / reason,note / none'),
  v.transform((text) => requirable.filter((word) => text.split(',').includes(word))),
  v.readonly(),
);

/** paydesk creates orders with a POST to this path, so it must not be a documented path where a POST does something else. */
export const checkoutsPath = v.pipe(
  v.string(),
  v.regex(/^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*){1,8}$/, 'a path such as /checkouts'),
  v.check(
    (path) => !/\/(orders|customers|charges)(\/|$)|refund|captur/i.test(path),
    'another path: orders, customers, charges, refunds and captures are taken',
  ),
  v.transform((path) => path.slice(1)),
);

/** The default of `reference.keys`. */
// Assumed: these are the names that shops use for their own number, unless the setting says otherwise; the document shows no key of
// metadata.
export const usualReferenceKeys = 'shop_order, reference, order_number';

export const metadataKeys = v.pipe(
  v.string(),
  v.check(
    (text) => text.split(',').every((key) => /^[^\s\p{C}]([^\p{C}]{0,62}[^\s\p{C}])?$/u.test(key.trim())),
    'keys of metadata, separated by commas: shop_order,ticket',
  ),
  v.transform((text) => text.split(',').map((key) => key.trim())),
  v.readonly(),
);

const fieldWords = `all, none, or some of ${indexFields.join(',')}`;
export const keptFields = v.pipe(
  v.string(),
  v.check(
    (text) =>
      ['all', 'none'].includes(text) ||
      text.split(',').every((word) => indexFields.some((field) => field === word.trim())),
    fieldWords,
  ),
  v.transform((text) => {
    const words = text.split(',').map((word) => word.trim());
    return indexFields.filter((field) => text === 'all' || words.includes(field));
  }),
  v.readonly(),
);

/** Turns days into milliseconds; `all` means no limit. */
export const keptDays = v.pipe(
  v.string(),
  v.regex(/^(all|[1-9]\d{0,4}d)$/, 'all, or a number of days such as 400d'),
  v.transform((text) => (text === 'all' ? Number.POSITIVE_INFINITY : Number.parseInt(text, 10) * unitMs.d)),
);

/** Whether records are found by paging, or with one request for the id. */
export const pagedOrDirect = v.picklist(['paged', 'direct'], 'paged or direct');
/** A whole number in the service's units, or 0. */
export const amount = v.pipe(
  v.string(),
  v.transform((text) => (text === '0' ? 0 : parseAmount(text))),
  v.number('a whole number, no decimals or commas, 0 to 9007199254740991'),
);
/** A time zone that this machine knows. */
export const timeZone = v.pipe(
  v.string(),
  v.check(knowsZone, 'a time zone such as America/Mexico_City or UTC'),
);

// The placeholders of a template, such as `{amount}`.
const templatePlaces: readonly string[] = ['amount', 'card', 'date', 'auth', 'order', 'days'];
const templateWords = `a text with {amount}; the only other placeholders are ${templatePlaces
  .slice(1)
  .map((name) => `{${name}}`)
  .join(', ')}`;

/** The shop's own wording for a made refund. */
export const receiptTemplate = v.pipe(
  v.string(),
  v.maxLength(2000, 'a text of at most 2000 characters'),
  v.check((text) => {
    const places = [...text.matchAll(/\{([^{}\n]*)\}/g)].map(([, name = '']) => name);
    return places.includes('amount') && places.every((name) => templatePlaces.includes(name));
  }, templateWords),
);
