/** The settings of a profile: their names, how their texts are read, their defaults, what production refuses, and which of them are limits. */

import * as v from 'valibot';
import { currencyPattern, expiryFields, type Mode, statusMeanings } from '../api/spec.ts';
import { CliError } from '../errors.ts';
import { closestNames } from '../terminal/terminal.ts';
import {
  amount,
  checkoutsPath,
  duration,
  keptDays,
  keptFields,
  metadataKeys,
  moments,
  pagedOrDirect,
  receiptTemplate,
  required,
  timeZone,
  usualReferenceKeys,
} from './setting-values.ts';

// The settings with one value. The second argument of `optional` is the default, written as a person types it.
const single = v.object({
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
  'refund.require': v.optional(required, 'none'),
  /** Whether currencies without a limit pass once a limit is set for another one. */
  'refund.other_currencies': v.optional(v.picklist(['refuse', 'allow'], 'refuse or allow'), 'refuse'),
  'refund.send_within': v.optional(
    v.pipe(duration, v.minValue(1, 'at least 1ms'), v.maxValue(3_600_000, 'at most 1h')),
    '10s',
  ),
  'refund.horizon_part': v.optional(duration, '24h'),
  'refund.horizon_whole': v.optional(duration, '15min'),
  'reconcile.after': v.optional(moments, '0,2,5,15'),
  /** The most rows of a plan. */
  'plan.max_count': v.optional(
    v.pipe(
      v.string(),
      v.regex(/^([1-9][0-9]{0,4}|100000)$/, 'a whole number from 1 to 100000'),
      v.transform(Number),
    ),
  ),
  /** How old a plan may be when it is applied. */
  'plan.max_age': v.optional(v.pipe(duration, v.minValue(1, 'at least 1ms')), '24h'),
  'time.zone': v.optional(timeZone),
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

// The settings with one value per currency, such as `refund.max_amount.MXN`.
const perCurrency = {
  /** The most that all refunds of one order in 24 hours may add up to. */
  'refund.max_amount': amount,
  /** The most that the rows of one plan may add up to. */
  'plan.max_total': amount,
  /** Changes what is shown, and how a typed amount with a point is read. */
  'amounts.decimals': v.pipe(v.string(), v.regex(/^[0-6]$/, 'a number from 0 to 6'), v.transform(Number)),
} as const;
type PerCurrencyName = keyof typeof perCurrency;
const perCurrencyNames = Object.keys(perCurrency) as PerCurrencyName[];

/** The settings of a profile, as the program uses them. */
export type Settings = Readonly<v.InferOutput<typeof single>> & {
  readonly [K in PerCurrencyName]: Readonly<Record<string, v.InferOutput<(typeof perCurrency)[K]>>>;
};

/** Settings as the profile file holds them: the texts as typed, by name. Only settings that were set are here. */
export type SettingTexts = Readonly<Record<string, string>>;

/** The value that removes a setting in `profile set`. Then its default counts again. */
export const defaultWord = 'default';

/** A setting, as help and `profile show` name it. `.CUR` stands for a currency. */
interface SettingWords {
  readonly name: string;
  readonly defaultText: string | undefined;
}

/** All settings with their defaults, in the order of the documentation. */
export function settingWords(): readonly SettingWords[] {
  const singles = Object.entries(single.entries).map(([name, schema]) => ({
    name,
    defaultText: 'default' in schema && typeof schema.default === 'string' ? schema.default : undefined,
  }));
  return [...singles, ...perCurrencyNames.map((name) => ({ name: `${name}.CUR`, defaultText: undefined }))];
}

/** The full name of a setting, with the currency in capitals; undefined if there is no such setting. */
export function settingName(text: string): string | undefined {
  if (Object.hasOwn(single.entries, text)) return text;
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
  return name === 'time.zone' ? closestNames(text.slice(0, 40), Intl.supportedValuesOf('timeZone')) : [];
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
 * Reads the settings of a profile. Throws CliError 'refused' for a text that cannot be read, or that production refuses. `fix`:
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
      throw refused(fix(name), `profile ${profile} sets ${name} to ${text}: there is no setting ${name}`);
    const problem = settingProblem(name, text);
    if (problem !== undefined)
      throw refused(fix(name), `${name} of profile ${profile} is ${text}: not ${problem}`);
  }
  const settings = parseSettings(texts);
  const broken = mode === 'production' ? brokenLimit(settings) : undefined;
  if (broken === undefined) return settings;
  const { name, bound } = broken;
  throw refused(
    fix(name),
    `${name} of profile ${profile} is ${texts[name]}: in production it must be ${bound}`,
  );
}

function refused(fix: string, message: string): CliError {
  return new CliError('refused', message, { certain: 'nothing was sent', now: [fix] });
}

/** What production refuses: `breaks` decides, and `bound` says what is allowed. */
interface Limit {
  readonly name: keyof typeof single.entries;
  readonly bound: string;
  readonly breaks: (settings: Settings, defaults: Settings) => boolean;
}

// A refund could be paid twice if paydesk waited less than the defaults say, or sent later.
const { entries } = single;
const limits: readonly Limit[] = [
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

function brokenLimit(settings: Settings): Limit | undefined {
  const defaults = parseSettings({});
  return limits.find(({ breaks }) => breaks(settings, defaults));
}

function parseSettings(texts: SettingTexts): Settings {
  return {
    ...v.parse(single, texts),
    'refund.max_amount': currencies('refund.max_amount', texts),
    'plan.max_total': currencies('plan.max_total', texts),
    'amounts.decimals': currencies('amounts.decimals', texts),
  };
}

// The object has no prototype, because a currency comes from the service and could be called `constructor`.
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

// ── Which of them are limits, and what raises one ───────────────────────────────────────────────

// Each of them may be set for several currencies.
const limitsPerCurrency = ['refund.max_amount', 'plan.max_total'];
const singleLimits = ['plan.max_count', 'plan.max_age'];
const otherCurrencies = 'refund.other_currencies';

/** A limit that is raised, in words: from `50000` to `no limit`. */
export interface Raise {
  readonly from: string;
  readonly to: string;
}

/**
 * What a change of this one setting allows more: a limit is raised or removed, or a currency that was refused gets a limit.
 * Undefined if it allows no more than before.
 */
export function raiseOf(name: string, before: SettingTexts, after: SettingTexts): Raise | undefined {
  if (before[name] === after[name]) return undefined;
  if (name === otherCurrencies)
    return after[name] === 'allow' ? { from: before[name] ?? 'refuse', to: 'allow' } : undefined;
  const kind = limitsPerCurrency.find((one) => name.startsWith(`${one}.`));
  if (kind === undefined && !singleLimits.includes(name)) return undefined;
  const wasRefused = kind !== undefined && before[name] === undefined && refusesOthers(kind, before);
  const [from, to] = [wasRefused ? refusedLimit : limitIn(before, name), limitIn(after, name)];
  return to.limit > from.limit ? { from: from.words, to: to.words } : undefined;
}

const refusedLimit = { words: 'refused', limit: 0 };

// Whether a limit for one currency refuses every currency that has none. `kind` is the setting without its currency.
function refusesOthers(kind: string, texts: SettingTexts): boolean {
  return texts[otherCurrencies] !== 'allow' && Object.keys(texts).some((name) => name.startsWith(`${kind}.`));
}

// A profile with a limit that cannot be read sends nothing, so such a limit counts as 0.
function limitIn(texts: SettingTexts, name: string): { readonly words: string; readonly limit: number } {
  const words = texts[name] ?? settingWords().find((setting) => setting.name === name)?.defaultText;
  if (words === undefined) return { words: 'no limit', limit: Number.POSITIVE_INFINITY };
  return { words, limit: settingNumber(name, words) ?? 0 };
}
