/** The settings of a profile, all of them: how the text of each reads, and its default. */

import * as v from 'valibot';
import { parseAmount } from '../api/spec.ts';
import { duration, moments } from './durations.ts';

const way = v.picklist(['paged', 'direct'], 'paged or direct');

const requirable = ['reason', 'note'] as const;
const required = v.pipe(
  v.string(),
  v.regex(/^(none|(reason|note)(,(reason|note))?)$/, 'reason, note, reason,note or none'),
  v.transform((text) => requirable.filter((word) => text.split(',').includes(word))),
  v.readonly(),
);

// A creation is sent there: never one of the documented places where a POST does something else.
const checkoutsPath = v.pipe(
  v.string(),
  v.regex(/^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*){1,8}$/, 'a path such as /checkouts'),
  v.check(
    (path) => !/\/(orders|customers|charges)(\/|$)|refund|captur/i.test(path),
    'a path of its own: orders, customers, charges, refunds and captures are other things',
  ),
  v.transform((path) => path.slice(1)),
);

const timeZone = v.pipe(v.string(), v.check(isTimeZone, 'a time zone such as America/Mexico_City or UTC'));

/** Settings with one value: their text → their value; the second argument of `optional` is the default, as typed. */
export const single = v.object({
  'orders.get': v.optional(way, 'paged'),
  'customers.get': v.optional(way, 'paged'),
  'orders.order': v.optional(v.picklist(['unknown', 'newest-first'], 'unknown or newest-first'), 'unknown'),
  'orders.status': v.optional(v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,64}$/, 'a state such as paid'))),
  /** Relative to the base URL, without the leading slash, as every path of a request. */
  'checkouts.path': v.optional(checkoutsPath, '/checkouts'),
  'refund.require': v.optional(required, 'none'),
  /** Milliseconds, as every time below. */
  'refund.send_within': v.optional(
    v.pipe(duration, v.minValue(1, 'at least 1ms'), v.maxValue(3_600_000, 'at most 1h')),
    '10s',
  ),
  'refund.horizon_part': v.optional(duration, '24h'),
  'refund.horizon_whole': v.optional(duration, '15min'),
  'reconcile.after': v.optional(moments, '0,2,5,15'),
  'time.zone': v.optional(timeZone),
});

const amount = v.pipe(
  v.string(),
  v.transform(parseAmount),
  v.number("an amount: the service's own integer, digits only, 1 to 9007199254740991"),
);
const decimals = v.pipe(v.string(), v.regex(/^[0-6]$/, 'a number from 0 to 6'), v.transform(Number));

/** Settings with a value a currency, `refund.max_amount.MXN`. */
export const perCurrency = {
  'refund.max_amount': amount,
  /** For display only. */
  'amounts.decimals': decimals,
} as const;
export type PerCurrencyName = keyof typeof perCurrency;

/** Settings of a profile, as the program uses them. A map of currencies has no prototype. */
export type Settings = Readonly<v.InferOutput<typeof single>> & {
  readonly [K in PerCurrencyName]: Readonly<Record<string, v.InferOutput<(typeof perCurrency)[K]>>>;
};

function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}
