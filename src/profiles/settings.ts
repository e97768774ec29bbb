/** The settings of a profile and the limits of its account: their names, how their texts are read, and what production refuses. */

import * as v from 'valibot';
import { valueAt } from '../api/json-values.ts';
import { currencyPattern, expiryFields, type Mode, statusMeanings } from '../api/spec.ts';
import { CliError, refused } from '../errors.ts';
import { closestNames } from '../terminal/terminal.ts';
import {
  isLimit,
  type Limits,
  limitsPerCurrency,
  parseLimits,
  type SettingTexts,
  singleLimits,
  valuesPerCurrency,
} from './limits.ts';
import {
  checkoutsPath,
  duration,
  keptDays,
  keptFields,
  metadataKeys,
  moments,
  pagedOrDirect,
  receiptTemplate,
  timeZone,
  usualReferenceKeys,
} from './setting-values.ts';

// The settings of a profile with one value. The second argument of `optional` is the default, written as a person types it.
const ofProfile = v.object({
  'orders.get': v.optional(pagedOrDirect, 'paged'),
  'customers.get': v.optional(pagedOrDirect, 'paged'),
  'orders.order': v.optional(v.picklist(['unknown', 'newest-first'], 'unknown or newest-first'), 'unknown'),
  'orders.status': v.optional(v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,64}$/, 'a status such as paid'))),
  /** Becomes a path without its first slash, relative to the base URL, like the path of every request. */
  'checkouts.path': v.optional(checkoutsPath, '/checkouts'),
  /** How the body of a payment link spells its expiry. The document writes it both ways (service: Endpoints 4 and 5). */
  'checkouts.expiry_field': v.optional(v.picklist(expiryFields, expiryFields.join(' or ')), 'expired_at'),
  /** The metadata keys that may hold the shop's own number; the first that an order has is its reference. */
  'reference.keys': v.optional(metadataKeys, usualReferenceKeys),
  'refund.send_within': v.optional(
    v.pipe(duration, v.minValue(1, 'at least 1ms'), v.maxValue(3_600_000, 'at most 1h')),
    '10s',
  ),
  'refund.horizon_part': v.optional(duration, '24h'),
  'refund.horizon_whole': v.optional(duration, '15min'),
  'reconcile.after': v.optional(moments, '0,2,5,15'),
  'time.zone': v.optional(timeZone),
  /** Whether personal data is masked in all that is printed. */
  redact: v.optional(v.picklist(['on', 'off'], 'on or off'), 'off'),
  /** Which texts of an order the index holds. Ids, customers and amounts are always in it. */
  'index.fields': v.optional(keptFields, 'all'),
  /** How old the orders in the index may be. */
  'index.keep': v.optional(keptDays, 'all'),
  /** Whether a space stands between the thousands of amounts on screens. */
  'amounts.grouping': v.optional(v.picklist(['on', 'off'], 'on or off'), 'off'),
  /** How many days a refund may take to show on a statement, as the shop tells its buyers. */
  'receipt.days': v.optional(
    v.pipe(v.string(), v.regex(/^[1-9][0-9]?$/, 'a number of days from 1 to 99'), v.transform(Number)),
  ),
  /** The shop's own sentences for a refund that was made. `profile set` reads them from a file. */
  'receipt.template': v.optional(receiptTemplate),
});

const decimals = v.pipe(v.string(), v.regex(/^[0-6]$/, 'a number from 0 to 6'), v.transform(Number));

// All settings with one value, and all with one for each currency, such as `refund.max_amount.MXN`.
const single = { ...ofProfile.entries, ...singleLimits.entries };
const perCurrency = {
  ...limitsPerCurrency,
  /** Changes what is shown, and how a typed amount with a point is read. */
  'amounts.decimals': decimals,
} as const;
type PerCurrencyName = keyof typeof perCurrency;
const perCurrencyNames = Object.keys(perCurrency) as PerCurrencyName[];

/** The settings of a profile with the limits of its account, as the program uses them. */
export type Settings = Readonly<v.InferOutput<typeof ofProfile>> &
  Limits & { readonly 'amounts.decimals': Readonly<Record<string, number>> };

/** The value that removes a setting in `profile set`. Then its default counts again. */
export const defaultWord = 'default';

/** A setting, as help and `profile show` name it. `.CUR` stands for a currency. */
interface SettingWords {
  readonly name: string;
  readonly defaultText: string | undefined;
  /** Its only values, where it has such. */
  readonly choices?: readonly string[] | undefined;
}

/** All settings with their defaults, in the order of the documentation. */
export function settingWords(): readonly SettingWords[] {
  const singles = Object.entries(single).map(([name, schema]) => ({
    name,
    defaultText: 'default' in schema && typeof schema.default === 'string' ? schema.default : undefined,
    choices: 'options' in schema.wrapped ? schema.wrapped.options : undefined,
  }));
  return [...singles, ...perCurrencyNames.map((name) => ({ name: `${name}.CUR`, defaultText: undefined }))];
}

/** The full name of a setting, with the currency in capitals; undefined if there is no such setting. */
export function settingName(text: string): string | undefined {
  if (Object.hasOwn(single, text)) return text;
  const prefix = perCurrencyNames.find((name) => text.startsWith(`${name}.`));
  const currency = prefix === undefined ? '' : text.slice(prefix.length + 1).toUpperCase();
  return currencyPattern.test(currency) ? `${prefix}.${currency}` : undefined;
}

/** The number that a text means for a setting whose values are numbers; undefined if it means none. */
export function settingNumber(name: string, text: string): number | undefined {
  const { success, output } = v.safeParse(schemaOf(name), text);
  return success && typeof output === 'number' ? output : undefined;
}

/** Values of a setting that are spelled like this text, which is none. */
export function meantValues(name: string, text: string): readonly string[] {
  const schema = schemaOf(name);
  const choices = 'wrapped' in schema ? valueAt(schema.wrapped, ['options']) : undefined;
  const known = name === 'time.zone' ? Intl.supportedValuesOf('timeZone') : choices;
  return Array.isArray(known) ? closestNames(text.slice(0, 40), known.map(String)) : [];
}

/** What is wrong with a limit and its text in a file of limits; undefined if nothing is. */
export function limitProblem(name: string, text: string): string | undefined {
  if (settingName(name) !== name || !isLimit(name)) return 'there is no such limit';
  const problem = settingProblem(name, text);
  return problem && `not ${problem}`;
}

/** If a text is no value of a setting: what the value should be. */
export function settingProblem(name: string, text: string): string | undefined {
  const result = v.safeParse(schemaOf(name), text);
  return result.success ? undefined : result.issues[0].message;
}

/**
 * Why a value is likely mistyped although it can be read; undefined if it is a word that paydesk knows. The service may have
 * statuses that its document does not show, so only a person can tell.
 */
export function settingDoubt(name: string, text: string): string | undefined {
  const currency = settingName(name)?.match(/\.([A-Z]{3})$/)?.[1];
  if (currency !== undefined && !Intl.supportedValuesOf('currency').includes(currency))
    return `there is no currency ${currency}`;
  if (name !== 'orders.status' || text === defaultWord || Object.hasOwn(statusMeanings, text))
    return undefined;
  return `paydesk does not know this status; it knows ${Object.keys(statusMeanings).join(', ')}`;
}

/** The error for a setting that does not exist. `where`: the file that names it. */
export function unknownSetting(name: string, where?: string): CliError {
  const known = settingWords().map((setting) => setting.name);
  const [, last = ''] = /\.([A-Za-z]{3})$/.exec(name) ?? [];
  // The end of `refund.max` is no currency.
  const currency = Intl.supportedValuesOf('currency').includes(last.toUpperCase()) ? last : undefined;
  const typable = known.map((one) =>
    currency === undefined ? one : one.replace(/\.CUR$/, `.${currency.toUpperCase()}`),
  );
  const close = closestNames(name, typable);
  return new CliError('usage', `${where === undefined ? '' : `${where}: `}there is no setting ${name}`, {
    certain: 'nothing was changed',
    now: [
      ...(close.length === 0 ? [] : [`did you mean ${close.join(' or ')}?`]),
      `settings: ${known.join(', ')}`,
      'also: api-version, lang, auth; CUR is a currency such as MXN',
    ],
  });
}

/**
 * Reads the settings of a profile, which has no limits yet. Throws CliError 'refused' for a text that cannot be read, or that production refuses, and for a limit. `fix`:
 * what to do about the setting of this name; without it the command that removes it from a stored profile.
 */
export function readSettings(
  texts: SettingTexts,
  mode: Mode,
  profile: string,
  fix = (name: string) => `paydesk profile set ${profile} ${name} ${defaultWord}`,
): Settings {
  for (const [name, text] of Object.entries(texts)) {
    if (settingName(name) !== name)
      throw refused(`profile ${profile} sets ${name} to ${text}: there is no setting ${name}`, [fix(name)]);
    refuseUnreadable(name, text, profile, fix);
    if (isLimit(name))
      throw refused(
        `profile ${profile} holds ${name} in its file, where an older paydesk kept it: limits belong to the account, and the journal keeps them`,
        [`paydesk profile set ${profile} ${name} ${text}`],
      );
  }
  const settings = parseSettings(texts);
  const broken = mode === 'production' ? brokenBound(settings) : undefined;
  if (broken === undefined) return settings;
  const { name, bound } = broken;
  throw refused(`${name} of profile ${profile} is ${texts[name]}: in production it must be ${bound}`, [
    fix(name),
  ]);
}

/** Throws CliError 'refused' for a text that is no value of a setting. `fix`: what to do about the setting of this name. */
export function refuseUnreadable(
  name: string,
  text: string,
  profile: string,
  fix: (name: string) => string,
): void {
  const problem = settingProblem(name, text);
  if (problem !== undefined)
    throw refused(`${name} of profile ${profile} is ${text}: not ${problem}`, [fix(name)]);
}

/** What production refuses: `breaks` decides, and `bound` says what is allowed. */
interface Bound {
  readonly name: keyof typeof ofProfile.entries;
  readonly bound: string;
  readonly breaks: (settings: Settings, defaults: Settings) => boolean;
}

// A refund could be paid twice if paydesk waited less than the defaults say, or sent later.
const { entries } = ofProfile;
const bounds: readonly Bound[] = [
  {
    name: 'refund.horizon_part',
    bound: `at least ${entries['refund.horizon_part'].default}`,
    breaks: (settings, defaults) => settings['refund.horizon_part'] < defaults['refund.horizon_part'],
  },
  {
    name: 'refund.horizon_whole',
    bound: `at least ${entries['refund.horizon_whole'].default}`,
    breaks: (settings, defaults) => settings['refund.horizon_whole'] < defaults['refund.horizon_whole'],
  },
  {
    name: 'refund.send_within',
    bound: `at most ${entries['refund.send_within'].default}`,
    breaks: (settings, defaults) => settings['refund.send_within'] > defaults['refund.send_within'],
  },
  {
    name: 'reconcile.after',
    bound: `at least as many reads as ${entries['reconcile.after'].default}, the last one at least as late`,
    breaks: ({ 'reconcile.after': after }, { 'reconcile.after': usual }) =>
      after.length < usual.length || (after.at(-1) ?? 0) < (usual.at(-1) ?? 0),
  },
];

function brokenBound(settings: Settings): Bound | undefined {
  const defaults = parseSettings({});
  return bounds.find(({ breaks }) => breaks(settings, defaults));
}

function parseSettings(texts: SettingTexts): Settings {
  return {
    ...v.parse(ofProfile, texts),
    ...parseLimits({}),
    'amounts.decimals': valuesPerCurrency('amounts.decimals', decimals, texts),
  };
}

function schemaOf(name: string): v.GenericSchema<unknown, unknown> {
  const prefix = perCurrencyNames.find((known) => name.startsWith(`${known}.`));
  if (prefix !== undefined) return perCurrency[prefix];
  const found = Object.entries(single).find(([known]) => known === name);
  return found === undefined ? v.never() : found[1];
}
