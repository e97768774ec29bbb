/** The settings of a profile, all of them: what each means, its default, how its text reads, what production may not set. */

import * as v from 'valibot';
import { parseAmount } from '../api/spec.ts';
import { CliError } from '../errors.ts';
import { duration, moments } from './durations.ts';

const way = v.picklist(['paged', 'direct'], 'paged or direct');
const horizon = { part: '24h', whole: '15min' } as const;
const sendWithin = '10s';
const reconcileAfter = '0,2,5,15';

const requirable = ['reason', 'note'] as const;
const required = v.pipe(
  v.string(),
  v.regex(/^(none|(reason|note)(,(reason|note))?)$/, 'reason, note, reason,note or none'),
  v.transform((text) => requirable.filter((word) => text.split(',').includes(word))),
  v.readonly(),
);

const wholeNumber = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,8}$/, 'a whole number from 1'),
  v.transform(Number),
);

// A creation is sent there: never one of the documented places where a POST does something else.
const checkoutsPath = v.pipe(
  v.string(),
  v.regex(/^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*){1,8}$/, 'a path such as /checkouts'),
  v.check(
    (path) => !/^\/(orders|customers|charges)(\/|$)/i.test(path),
    'a path of its own: orders, customers and charges are other things',
  ),
  v.transform((path) => path.slice(1)),
);

const timeZone = v.pipe(v.string(), v.check(isTimeZone, 'a time zone such as America/Mexico_City or UTC'));

const flag = v.pipe(
  v.picklist(['true', 'false'], 'true or false'),
  v.transform((text) => text === 'true'),
);

/** Settings with one value: their text → their value; the second argument of `optional` is the default, as typed. */
const single = v.object({
  'orders.get': v.optional(way, 'paged'),
  'customers.get': v.optional(way, 'paged'),
  'orders.order': v.optional(v.picklist(['unknown', 'newest-first'], 'unknown or newest-first'), 'unknown'),
  'orders.status': v.optional(v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,64}$/, 'a state such as paid'))),
  /** Relative to the base URL, without the leading slash, as every path of a request. */
  'checkouts.path': v.optional(checkoutsPath, '/checkouts'),
  'refund.require': v.optional(required, 'none'),
  'plan.max_count': v.optional(wholeNumber),
  /** Milliseconds, as every time below. */
  'plan.max_age': v.optional(duration, '24h'),
  'refund.send_within': v.optional(
    v.pipe(duration, v.minValue(1, 'at least 1ms'), v.maxValue(3_600_000, 'at most 1h')),
    sendWithin,
  ),
  'refund.horizon_part': v.optional(duration, horizon.part),
  'refund.horizon_whole': v.optional(duration, horizon.whole),
  'reconcile.after': v.optional(moments, reconcileAfter),
  'time.zone': v.optional(timeZone),
  redact: v.optional(flag, 'false'),
});

const amount = v.pipe(
  v.string(),
  v.transform(parseAmount),
  v.number("an amount: the service's own integer, digits only, 1 to 9007199254740991"),
);
const decimals = v.pipe(v.string(), v.regex(/^[0-6]$/, 'a number from 0 to 6'), v.transform(Number));

/** Settings with a value a currency, `refund.max_amount.MXN`. */
const perCurrency = {
  'refund.max_amount': amount,
  'plan.max_total': amount,
  /** For display only. */
  'amounts.decimals': decimals,
} as const;
type PerCurrencyName = keyof typeof perCurrency;
const perCurrencyNames = Object.keys(perCurrency) as PerCurrencyName[];

/** Settings of a profile, as the program uses them. A map of currencies has no prototype. */
export type Settings = Readonly<v.InferOutput<typeof single>> & {
  readonly [K in PerCurrencyName]: Readonly<Record<string, v.InferOutput<(typeof perCurrency)[K]>>>;
};

/** Settings as the profile file keeps them: name → text as typed. Only what was set. */
export type SettingTexts = Readonly<Record<string, string>>;

/** What stands for no value of its own in `profile set`: back to the default. */
export const defaultWord = 'default';

/** A setting in words, for help and `profile show`. `.CUR` stands for a currency. */
export interface SettingWords {
  readonly name: string;
  readonly defaultText: string | undefined;
}

/** All names with their defaults as text, in the order of the documentation. */
export function settingWords(): readonly SettingWords[] {
  const singles = Object.entries(single.entries).map(([name, schema]) => ({
    name,
    defaultText: 'default' in schema && typeof schema.default === 'string' ? schema.default : undefined,
  }));
  return [...singles, ...perCurrencyNames.map((name) => ({ name: `${name}.CUR`, defaultText: undefined }))];
}

/** The setting of that name, its currency in capitals; undefined when there is none. */
export function settingName(text: string): string | undefined {
  if (Object.hasOwn(single.entries, text)) return text;
  const prefix = perCurrencyNames.find((name) => text.startsWith(`${name}.`));
  const currency = prefix === undefined ? '' : text.slice(prefix.length + 1).toUpperCase();
  return /^[A-Z]{3}$/.test(currency) ? `${prefix}.${currency}` : undefined;
}

/** What is wrong with a text for a setting (what it should be), or undefined. */
export function settingProblem(name: string, text: string): string | undefined {
  const result = v.safeParse(schemaOf(name), text);
  return result.success ? undefined : result.issues[0].message;
}

/**
 * Settings out of their texts. Throws CliError 'refused' with the setting and the profile when a text does not read
 * or production may not have it.
 */
export function readSettings(texts: SettingTexts, mode: string, profile: string): Settings {
  for (const [name, text] of Object.entries(texts)) {
    const problem =
      settingName(name) === name ? settingProblem(name, text) : 'one of the settings: there is none so named';
    if (problem !== undefined) {
      throw new CliError('refused', `${name} of profile ${profile} is ${text}: not ${problem}`, {
        certain: 'nothing was sent',
        now: [`paydesk profile set ${profile} ${name} ${defaultWord}`],
      });
    }
  }
  const settings = parseSettings(texts);
  const limit = mode === 'production' ? productionProblem(settings) : undefined;
  if (limit !== undefined) {
    throw new CliError(
      'refused',
      `${limit.name} of profile ${profile} is ${texts[limit.name]}: production takes ${limit.bound}`,
      {
        certain: 'nothing was sent',
        now: [`paydesk profile set ${profile} ${limit.name} ${defaultWord}`],
      },
    );
  }
  return settings;
}

function parseSettings(texts: SettingTexts): Settings {
  return {
    ...v.parse(single, texts),
    'refund.max_amount': currencies('refund.max_amount', texts),
    'plan.max_total': currencies('plan.max_total', texts),
    'amounts.decimals': currencies('amounts.decimals', texts),
  };
}

// No prototype: a currency comes from the service, and could be called `constructor`.
function currencies(name: PerCurrencyName, texts: SettingTexts): Readonly<Record<string, number>> {
  const values: Record<string, number> = Object.create(null);
  for (const [key, text] of Object.entries(texts)) {
    if (key.startsWith(`${name}.`)) values[key.slice(name.length + 1)] = v.parse(perCurrency[name], text);
  }
  return values;
}

function schemaOf(name: string): v.GenericSchema<unknown, unknown> {
  const prefix = perCurrencyNames.find((known) => name.startsWith(`${known}.`));
  if (prefix !== undefined) return perCurrency[prefix];
  const found = Object.entries(single.entries).find(([known]) => known === name);
  return found === undefined ? v.never() : found[1];
}

// In production these protect money: waiting less, or sending later, than the defaults could pay twice.
function productionProblem(settings: Settings): { name: string; bound: string } | undefined {
  const standard = parseSettings({});
  for (const name of ['refund.horizon_part', 'refund.horizon_whole'] as const) {
    if (settings[name] < standard[name]) return { name, bound: `at least ${textOf(name)}` };
  }
  if (settings['refund.send_within'] > standard['refund.send_within'])
    return { name: 'refund.send_within', bound: `at most ${sendWithin}` };
  const after = settings['reconcile.after'];
  const usual = standard['reconcile.after'];
  return after.length < usual.length || (after.at(-1) ?? 0) < (usual.at(-1) ?? 0)
    ? { name: 'reconcile.after', bound: `as many reads as ${reconcileAfter} at least, and as late` }
    : undefined;
}

function textOf(name: 'refund.horizon_part' | 'refund.horizon_whole'): string {
  return name === 'refund.horizon_part' ? horizon.part : horizon.whole;
}

function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}
