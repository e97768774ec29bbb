/**
 * The limits of an account: their names, how their texts are read, and what allows more than before. The journal keeps them, so
 * they apply to every profile of the account.
 */

import * as v from 'valibot';
import { type Profile, usualNoteLength } from './profiles.ts';
import { amount, duration, required } from './setting-values.ts';

/** Which changes an account allows: none, refunds, captures, or all. */
const roles = ['viewer', 'refunder', 'capturer', 'full'] as const;

/** The limits with one value. The second argument of `optional` is the default, as typed. */
export const singleLimits = v.object({
  role: v.optional(v.picklist(roles, roles.join(', ')), 'full'),
  'refund.require': v.optional(required, 'none'),
  /** The fewest letters and digits in a required note. */
  'refund.note_length': v.optional(
    v.pipe(v.string(), v.regex(/^([1-9][0-9]?|100)$/, 'a whole number from 1 to 100'), v.transform(Number)),
    usualNoteLength,
  ),
  /** How long paydesk waits between confirmation and sending, so that somebody can still stop it. */
  'refund.hold': v.optional(v.pipe(duration, v.maxValue(600_000, 'at most 10min')), '0s'),
  /** The maximum age of an order to refund, from its day of creation. */
  'refund.max_age': v.optional(v.pipe(duration, v.minValue(1, 'at least 1ms'))),
  /** Whether software agents see personal data. */
  'agents.personal_data': v.optional(v.picklist(['masked', 'shown'], 'masked or shown'), 'masked'),
  /** Whether currencies without a limit are allowed once another has one. */
  'refund.other_currencies': v.optional(v.picklist(['refuse', 'allow'], 'refuse or allow'), 'refuse'),
  'plan.max_count': v.optional(
    v.pipe(
      v.string(),
      v.regex(/^(0|[1-9][0-9]{0,4}|100000)$/, 'a whole number from 0 to 100000'),
      v.transform(Number),
    ),
  ),
  /** The maximum age of a plan when it is applied. */
  'plan.max_age': v.optional(v.pipe(duration, v.minValue(1, 'at least 1ms')), '24h'),
});

/** The limits with one value per currency. 0 allows nothing. */
export const limitsPerCurrency = {
  /** The most that all refunds of one order may add up to within 24 hours. */
  'refund.max_amount': amount,
  /** The most that the rows of one plan may add up to. */
  'plan.max_total': amount,
} as const;

export type Limits = Readonly<v.InferOutput<typeof singleLimits>> & {
  readonly [K in keyof typeof limitsPerCurrency]: Readonly<Record<string, number>>;
};

/** Texts as typed, by setting name, for set ones only. */
export type SettingTexts = Readonly<Record<string, string>>;

/** Whether a setting (full name) is a limit of the account. */
export function isLimit(name: string): boolean {
  return Object.hasOwn(singleLimits.entries, name) || kindOf(name) !== undefined;
}

/** The values of limits, with defaults. The texts must be valid. */
export function parseLimits(texts: SettingTexts): Limits {
  return {
    ...v.parse(singleLimits, texts),
    'refund.max_amount': valuesPerCurrency('refund.max_amount', amount, texts),
    'plan.max_total': valuesPerCurrency('plan.max_total', amount, texts),
  };
}

/** The values of a per-currency setting. Without a prototype: a service could call a currency `constructor`. */
export function valuesPerCurrency(
  name: string,
  schema: v.GenericSchema<string, number>,
  texts: SettingTexts,
): Readonly<Record<string, number>> {
  const values: Record<string, number> = Object.create(null);
  for (const [key, text] of Object.entries(texts)) {
    if (key.startsWith(`${name}.`)) values[key.slice(name.length + 1)] = v.parse(schema, text);
  }
  return values;
}

export function withLimits(profile: Profile, texts: SettingTexts): Profile {
  return { ...profile, settings: { ...profile.settings, ...parseLimits(texts) } };
}

// ── What allows more ────────────────────────────────────────────────────────────────────────────

const otherCurrencies = 'refund.other_currencies';

/** A raised limit in words: from `50000` to `no limit`. */
export interface Raise {
  readonly from: string;
  readonly to: string;
}

/**
 * How a changed limit allows more: it is higher or gone, a refused currency gets one, the role differs, or less is required.
 * Undefined if it allows no more than before.
 */
export function raiseOf(name: string, before: SettingTexts, after: SettingTexts): Raise | undefined {
  const kind = kindOf(name);
  const wasRefused = kind !== undefined && before[name] === undefined && refusesOthers(kind, before);
  const from = wasRefused ? 'refused' : textIn(before, name);
  const to = textIn(after, name);
  if (before[name] === after[name] || !isMore(name, wasRefused ? '0' : from, to)) return undefined;
  return { from: from ?? 'no limit', to: to ?? 'no limit' };
}

function isMore(name: string, from: string | undefined, to: string | undefined): boolean {
  switch (name) {
    case 'role':
      return from !== to && from !== 'full' && to !== 'viewer';
    case 'refund.require':
      return wordsIn(from).some((word) => word !== 'none' && !wordsIn(to).includes(word));
    case otherCurrencies:
      return from !== 'allow' && to === 'allow';
    case 'agents.personal_data':
      return from !== 'shown' && to === 'shown';
    case 'refund.hold':
    case 'refund.note_length':
      return numberIn(name, to) < numberIn(name, from);
    default:
      return numberIn(name, to) > numberIn(name, from);
  }
}

function wordsIn(text: string | undefined): readonly string[] {
  return text?.split(',') ?? [];
}

// Whether a limit in one currency refuses all currencies without one. `kind` is the setting without its currency.
function refusesOthers(kind: string, texts: SettingTexts): boolean {
  return texts[otherCurrencies] !== 'allow' && Object.keys(texts).some((name) => name.startsWith(`${kind}.`));
}

// The text in effect; undefined if there is no limit.
function textIn(texts: SettingTexts, name: string): string | undefined {
  const schema = Object.entries(singleLimits.entries).find(([known]) => known === name)?.[1];
  const usual = schema !== undefined && 'default' in schema ? schema.default : undefined;
  return texts[name] ?? (typeof usual === 'string' ? usual : undefined);
}

function numberIn(name: string, text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const single = Object.entries(singleLimits.entries).find(([known]) => known === name)?.[1];
  const { success, output } = v.safeParse<v.GenericSchema<unknown, unknown>>(single ?? amount, text);
  return success && typeof output === 'number' ? output : 0;
}

function kindOf(name: string): keyof typeof limitsPerCurrency | undefined {
  const kinds = Object.keys(limitsPerCurrency) as (keyof typeof limitsPerCurrency)[];
  return kinds.find((kind) => name.startsWith(`${kind}.`));
}

// ── What allows less ────────────────────────────────────────────────────────────────────────────

/** Combines two sets of limits, keeping the stricter of each. The defaults of `more` do not count. */
export function strictest(limits: SettingTexts, more: SettingTexts): SettingTexts {
  const names = new Set([limits, more].flatMap(Object.keys));
  const pairs = [...names].flatMap((name) => {
    const text = stricter(name, limits, more);
    return text === undefined ? [] : [[name, text] as const];
  });
  return Object.fromEntries(pairs);
}

function stricter(name: string, limits: SettingTexts, more: SettingTexts): string | undefined {
  const kind = kindOf(name);
  // A currency without a limit is refused if others have one.
  const inKind = (texts: SettingTexts) =>
    texts[name] ?? (kind !== undefined && refusesOthers(kind, texts) ? '0' : undefined);
  const other = kind === undefined ? more[name] : inKind(more);
  if (name === otherCurrencies) return [limits, more].some(refusesAny) ? 'refuse' : (limits[name] ?? other);
  if (other === undefined) return limits[name];
  const own = kind === undefined ? textIn(limits, name) : inKind(limits);
  if (name === 'role') return narrower(own ?? 'full', other);
  if (name === 'refund.require') {
    const words = [...new Set([...wordsIn(own), ...wordsIn(other)])].filter((word) => word !== 'none');
    return words.length === 0 ? 'none' : words.join(',');
  }
  return isMore(name, own, other) ? own : other;
}

function refusesAny(texts: SettingTexts): boolean {
  return Object.keys(limitsPerCurrency).some((kind) => refusesOthers(kind, texts));
}

// A refunder and a capturer have nothing in common.
function narrower(role: string, other: string): string {
  if (role === 'full' || role === other) return other;
  return other === 'full' ? role : 'viewer';
}

// ── What each of them does ──────────────────────────────────────────────────────────────────────

const roleEffects: Readonly<Record<string, string>> = {
  viewer: 'no change is made',
  refunder: 'only refunds are made',
  capturer: 'only captures are made',
  full: 'it refuses nothing',
};

const effects: Readonly<Record<keyof Limits, (said: string, currency: string) => string>> = {
  role: (said) => roleEffects[said] ?? said,
  'refund.max_amount': (said, currency) =>
    `the refunds of an order in ${currency} add up to ${said} at most within any 24 hours${none(said)}`,
  'plan.max_total': (said, currency) =>
    `the refunds of a plan in ${currency} add up to ${said} at most${none(said)}`,
  'plan.max_count': (said) => `a plan has ${said} rows at most`,
  'plan.max_age': (said) => `a plan that is older than ${said} is not applied`,
  'refund.require': (said) =>
    said === 'none' ? 'it asks for nothing' : `a refund needs a ${said.replace(',', ' and a ')}`,
  'refund.note_length': (said) => `a note that is required has ${said} letters or digits at least`,
  'refund.hold': (said) =>
    /[1-9]/.test(said) ? `refunds wait ${said} after they are confirmed` : 'refunds need not wait',
  'refund.max_age': (said) => `orders that are older than ${said} are not refunded`,
  'refund.other_currencies': (said) =>
    said === 'refuse'
      ? 'once a currency has a limit, refunds in those without one are refused'
      : 'it refuses no currency',
  'agents.personal_data': (said) =>
    said === 'masked' ? 'software agents see no personal data' : 'software agents may see personal data',
};

function none(said: string): string {
  return said === '0' ? ': none is made' : '';
}

export function limitEffect(name: string, said: string): string {
  const [rule, effect] =
    Object.entries(effects).find(([one]) => name === one || name.startsWith(`${one}.`)) ?? [];
  if (rule === undefined || effect === undefined) throw new Error(`${name} is not a limit`);
  return effect(said, name.slice(rule.length + 1));
}
