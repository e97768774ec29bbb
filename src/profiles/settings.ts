/** The settings of a profile and the limits of its account: names, how their texts are read, and what production refuses. */

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

// The profile settings with one value. The second argument of `optional` is the default, as typed.
const ofProfile = v.object({
  'orders.get': v.optional(pagedOrDirect, 'paged'),
  'customers.get': v.optional(pagedOrDirect, 'paged'),
  'orders.order': v.optional(v.picklist(['unknown', 'newest-first'], 'unknown or newest-first'), 'unknown'),
  'orders.status': v.optional(v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,64}$/, 'a status such as paid'))),
  /** Turned into a path without its first slash, relative to the base URL like every request path. */
  'checkouts.path': v.optional(checkoutsPath, '/checkouts'),
  /** How a payment link's body spells its expiry. The document has both spellings (service: Endpoints 4 and 5). */
  'checkouts.expiry_field': v.optional(v.picklist(expiryFields, expiryFields.join(' or ')), 'expired_at'),
  /** The metadata keys that may hold the shop's own number. The first one on an order is its reference. */
  'reference.keys': v.optional(metadataKeys, usualReferenceKeys),
  'refund.send_within': v.optional(
    v.pipe(duration, v.minValue(1, 'at least 1ms'), v.maxValue(3_600_000, 'at most 1h')),
    '10s',
  ),
  'refund.horizon_part': v.optional(duration, '24h'),
  'refund.horizon_whole': v.optional(duration, '15min'),
  'reconcile.after': v.optional(moments, '0,2,5,15'),
  'time.zone': v.optional(timeZone),
  /** Whether to mask personal data in everything printed. */
  redact: v.optional(v.picklist(['on', 'off'], 'on or off'), 'off'),
  /** Which order texts the index holds. Ids, customers and amounts are always in it. */
  'index.fields': v.optional(keptFields, 'all'),
  /** The maximum age of orders in the index. */
  'index.keep': v.optional(keptDays, 'all'),
  /** Whether screens group the digits of amounts by thousands, with a space. */
  'amounts.grouping': v.optional(v.picklist(['on', 'off'], 'on or off'), 'off'),
  /** How many days a refund takes to show on a statement, as the shop tells its buyers. */
  'receipt.days': v.optional(
    v.pipe(v.string(), v.regex(/^[1-9][0-9]?$/, 'a number of days from 1 to 99'), v.transform(Number)),
  ),
  /** The shop's own text for a refund that was made. `profile set` reads it from a file. */
  'receipt.template': v.optional(receiptTemplate),
});

const decimals = v.pipe(v.string(), v.regex(/^[0-6]$/, 'a number from 0 to 6'), v.transform(Number));

// All settings with one value, and all per-currency ones, such as `refund.max_amount.MXN`.
const single = { ...ofProfile.entries, ...singleLimits.entries };
const perCurrency = {
  ...limitsPerCurrency,
  /** Changes how amounts are shown, and how a typed amount with a decimal point is read. */
  'amounts.decimals': decimals,
} as const;
type PerCurrencyName = keyof typeof perCurrency;
const perCurrencyNames = Object.keys(perCurrency) as PerCurrencyName[];

export type Settings = Readonly<v.InferOutput<typeof ofProfile>> &
  Limits & { readonly 'amounts.decimals': Readonly<Record<string, number>> };

/** The value for `profile set` that removes a setting, so that its default applies again. */
export const defaultWord = 'default';

/** A setting in help and `profile show`. `.CUR` stands for a currency. */
interface SettingWords {
  readonly name: string;
  readonly defaultText: string | undefined;
  /** Its only values, if there is a fixed set. */
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

/** The full name of a setting, with the currency in capitals; undefined if there is none. */
export function settingName(text: string): string | undefined {
  if (Object.hasOwn(single, text)) return text;
  const prefix = perCurrencyNames.find((name) => text.startsWith(`${name}.`));
  const currency = prefix === undefined ? '' : text.slice(prefix.length + 1).toUpperCase();
  return currencyPattern.test(currency) ? `${prefix}.${currency}` : undefined;
}

/** Whether the value of a setting is a number. */
export function isNumeric(name: string): boolean {
  return typeof v.safeParse(schemaOf(name), '1').output === 'number';
}

/** The values of a setting that are spelled like an invalid text. */
export function meantValues(name: string, text: string): readonly string[] {
  const schema = schemaOf(name);
  const choices = 'wrapped' in schema ? valueAt(schema.wrapped, ['options']) : undefined;
  const known = name === 'time.zone' ? Intl.supportedValuesOf('timeZone') : choices;
  return Array.isArray(known) ? closestNames(text.slice(0, 40), known.map(String)) : [];
}

/** What is wrong with a limit in a file of limits; undefined if nothing. */
export function limitProblem(name: string, text: string): string | undefined {
  if (settingName(name) !== name || !isLimit(name)) return 'there is no such limit';
  const problem = settingProblem(name, text);
  return problem && `not ${problem}`;
}

/** What the value should be, if the text is invalid. */
export function settingProblem(name: string, text: string): string | undefined {
  const result = v.safeParse(schemaOf(name), text);
  return result.success ? undefined : result.issues[0].message;
}

export function settingDoubt(name: string, text: string): string | undefined {
  const currency = settingName(name)?.match(/\.([A-Z]{3})$/)?.[1];
  if (currency !== undefined && !Intl.supportedValuesOf('currency').includes(currency))
    return `there is no currency ${currency}`;
  if (name !== 'orders.status' || text === defaultWord || Object.hasOwn(statusMeanings, text))
    return undefined;
  return `paydesk does not know this status; it knows ${Object.keys(statusMeanings).join(', ')}`;
}

/** The error for an unknown setting. `where`: the file that names it. */
export function unknownSetting(name: string, where?: string): CliError {
  const known = settingWords().map((setting) => setting.name);
  const [, last = ''] = /\.([A-Za-z]{3})$/.exec(name) ?? [];
  // In `refund.max`, the end is not a currency.
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
 * Reads the settings of a profile, without limits. Throws CliError 'refused' for a limit, and for a text that is unreadable or
 * that production refuses. `fix`: what to do about the setting; without it, the command that removes the setting from a stored
 * profile.
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

/** Throws CliError 'refused' for a text that is not a valid value. `fix`: what to do about the setting. */
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

// If paydesk waited less than by default, or sent later, a refund could be paid twice.
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
