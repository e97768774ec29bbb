/** Settings as texts: which there are, in words for people, and what the texts of a profile come to. */

import * as v from 'valibot';
import { currencyPattern, type Mode } from '../api/spec.ts';
import { CliError } from '../errors.ts';
import { productionProblem } from './production.ts';
import { type PerCurrencyName, perCurrency, type Settings, single } from './settings-schema.ts';

export type { Settings };

const perCurrencyNames = Object.keys(perCurrency) as PerCurrencyName[];

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
  return currencyPattern.test(currency) ? `${prefix}.${currency}` : undefined;
}

/** Whether a profile may hold a setting that nothing reads: it could be set once, before anything did. */
export function isRetired(name: string): boolean {
  return /^(redact|plan\.max_(age|count|total\.[A-Z]{3}))$/.test(name);
}

/** What is wrong with a text for a setting (what it should be), or undefined. */
export function settingProblem(name: string, text: string): string | undefined {
  const result = v.safeParse(schemaOf(name), text);
  return result.success ? undefined : result.issues[0].message;
}

/** The error of a setting that somebody asks for and that is none. */
export function unknownSetting(name: string): CliError {
  const known = settingWords().map((setting) => setting.name);
  return new CliError('usage', `there is no setting ${name}`, {
    certain: 'nothing was changed',
    now: [`settings: ${known.join(', ')}`, 'also: api-version, lang, auth; CUR is a currency such as MXN'],
  });
}

/**
 * Settings out of their texts; one that is retired is left out. Throws CliError 'refused' with the setting and the
 * profile when a text does not read or production may not have it.
 */
export function readSettings(texts: SettingTexts, mode: Mode, profile: string): Settings {
  for (const [name, text] of Object.entries(texts)) {
    const problem = isRetired(name) ? undefined : textProblem(name, text);
    if (problem !== undefined)
      throw refused(profile, name, `${name} of profile ${profile} is ${text}: not ${problem}`);
  }
  const settings = parseSettings(texts);
  const limit = mode === 'production' ? productionProblem(settings, parseSettings({})) : undefined;
  if (limit !== undefined) {
    const { name, bound } = limit;
    throw refused(
      profile,
      name,
      `${name} of profile ${profile} is ${texts[name]}: production takes ${bound}`,
    );
  }
  return settings;
}

function textProblem(name: string, text: string): string | undefined {
  return settingName(name) === name
    ? settingProblem(name, text)
    : 'one of the settings: there is none so named';
}

function refused(profile: string, name: string, message: string): CliError {
  return new CliError('refused', message, {
    certain: 'nothing was sent',
    now: [`paydesk profile set ${profile} ${name} ${defaultWord}`],
  });
}

function parseSettings(texts: SettingTexts): Settings {
  return {
    ...v.parse(single, texts),
    'refund.max_amount': currencies('refund.max_amount', texts),
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
