/** The settings that limit refunds and plans, and whether a change of one of them allows more than before. Pure. */

import { type SettingTexts, settingNumber, settingWords } from './settings.ts';

// Each of them may be set for several currencies.
const perCurrency = ['refund.max_amount', 'plan.max_total'];
const single = ['plan.max_count', 'plan.max_age'];
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
  const kind = perCurrency.find((one) => name.startsWith(`${one}.`));
  if (kind === undefined && !single.includes(name)) return undefined;
  const wasRefused = kind !== undefined && before[name] === undefined && refusesOthers(kind, before);
  const [from, to] = [wasRefused ? refused : limitIn(before, name), limitIn(after, name)];
  return to.limit > from.limit ? { from: from.words, to: to.words } : undefined;
}

const refused = { words: 'refused', limit: 0 };

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
