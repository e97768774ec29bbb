/** Reads the profile file: checks its form and version, and turns its contents into profiles. */

import * as v from 'valibot';
import { isObject, lineOfError } from '../api/json-values.ts';
import {
  apiVersionPattern,
  authSchemes,
  defaultApiVersion,
  defaultAuth,
  defaultVendor,
  langPattern,
  modes,
  orderIdPattern,
  vendorPattern,
} from '../api/spec.ts';
import { CliError, refused } from '../errors.ts';
import { accountOf, baseUrlProblem, goodBaseUrl } from './base-url.ts';
import { isLimit } from './limits.ts';
import { type FileRules, readOwnFile } from './own-file.ts';
import type { Profile, ProfileDraft } from './profiles.ts';
import { nameProblem } from './profiles.ts';
import {
  isNumeric,
  readSettings,
  refuseUnreadable,
  settingName,
  settingProblem,
  unknownSetting,
} from './settings.ts';

/** The file format version of this program. */
export const fileVersion = 1;

const keyPlaces = ['file', 'keyring'] as const;
export type KeyPlace = (typeof keyPlaces)[number];

// A lead may write 50000 instead of "50000". Refuses a number that JavaScript would round.
const settingValue = v.union(
  [
    v.string(),
    v.pipe(
      v.number(),
      v.check((value) => !Number.isInteger(value) || Number.isSafeInteger(value)),
      v.transform(String),
    ),
  ],
  'must be text or a number, for example "50000"',
);

// What a team lead may share: everything except the key.
const leadFile = v.strictObject({
  mode: v.picklist(modes),
  base_url: v.pipe(
    v.string(),
    v.check((text) => baseUrlProblem(text) === undefined, 'is not a base URL that paydesk can use'),
  ),
  vendor: v.optional(v.pipe(v.string(), v.regex(vendorPattern))),
  api_version: v.optional(v.pipe(v.string(), v.regex(apiVersionPattern))),
  lang: v.optional(v.pipe(v.string(), v.regex(langPattern))),
  auth: v.optional(v.picklist(authSchemes)),
  settings: v.optional(v.record(v.string(), settingValue), {}),
});

const storedProfile = v.strictObject({
  ...leadFile.entries,
  settings: v.optional(v.record(v.string(), v.string()), {}),
  key_in: v.picklist(keyPlaces),
  /** SHA-256 of the lead's file behind this profile. */
  from_digest: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
  /** The sender. Such a profile has a token instead of a key. */
  sender: v.optional(
    v.strictObject({
      origin: v.pipe(
        v.string(),
        v.check((text) => baseUrlProblem(text) === undefined, 'is not an address that paydesk can use'),
      ),
      account: v.string(),
      member: v.string(),
      role: v.string(),
      desk: v.string(),
    }),
  ),
  /** An order that this profile has shown. A new key must be able to read it too. */
  seen_order: v.optional(v.pipe(v.string(), v.regex(orderIdPattern))),
});
/** A missing field has its default. */
export type StoredProfile = v.InferOutput<typeof storedProfile>;

const fileForm = v.strictObject({
  version: v.literal(fileVersion),
  default: v.optional(v.string()),
  profiles: v.optional(v.custom<object>(isObject, 'is not an object'), {}),
});

/** The whole file. `profiles` is a Map, so that one may be called `constructor`. */
export interface ProfileFile {
  readonly default: string | undefined;
  readonly profiles: ReadonlyMap<string, StoredProfile>;
}

/** A missing file counts as empty. Throws CliError 'refused' for a damaged file, and leaves it unchanged. */
export function readProfileFile(path: string, rules: FileRules): ProfileFile {
  const text = readOwnFile(path, rules);
  if (text === undefined) return { default: undefined, profiles: new Map() };
  const value = parseJson(path, text);
  refuseNewer(path, value);
  const file = v.safeParse(fileForm, value);
  if (!file.success) throw damaged(path, issueText(file.issues[0]));
  const profiles = new Map<string, StoredProfile>();
  for (const [name, stored] of Object.entries(file.output.profiles)) {
    const problem = nameProblem(name);
    if (problem !== undefined) throw damaged(path, problem);
    const profile = v.safeParse(storedProfile, stored);
    if (!profile.success) throw damaged(path, `profile ${name}: ${issueText(profile.issues[0])}`);
    profiles.set(name, profile.output);
  }
  return { default: file.output.default, profiles };
}

/** Throws CliError 'refused' if one of its settings cannot be used. */
export function profileOf(name: string, stored: StoredProfile): Profile {
  const { baseUrl, origin } = goodBaseUrl(stored.base_url, `of profile ${name}`);
  const vendor = stored.vendor ?? defaultVendor;
  const { sender } = stored;
  return {
    name,
    kind: 'stored',
    mode: stored.mode,
    baseUrl: sender === undefined ? baseUrl : `${sender.origin}/v1/service/${sender.account}`,
    origin,
    vendor,
    apiVersion: stored.api_version ?? defaultApiVersion,
    lang: stored.lang,
    auth: sender === undefined ? (stored.auth ?? defaultAuth) : 'bearer',
    settings: readSettings(stored.settings, stored.mode, name),
    account: accountOf(origin, vendor, stored.mode),
    sender,
  };
}

/** The only origin that a stored profile's key may go to: the sender's, if it has one. */
export function keyOriginOf(stored: StoredProfile): string {
  return stored.sender === undefined ? placeOf(stored).origin : stored.sender.origin;
}

/** The exact origin of a stored profile, and its account, even if a setting is wrong. */
export function placeOf(stored: StoredProfile): { readonly origin: string; readonly account: string } {
  const { origin } = goodBaseUrl(stored.base_url, 'of a stored profile');
  return { origin, account: accountOf(origin, stored.vendor ?? defaultVendor, stored.mode) };
}

/** A draft as it will be stored. Throws CliError 'usage' or 'refused' if something is wrong. */
export function storedOf(draft: ProfileDraft, place: KeyPlace): StoredProfile {
  const { baseUrl } = goodBaseUrl(draft.baseUrl, `of profile ${draft.name}`);
  const result = v.safeParse(storedProfile, {
    mode: draft.mode,
    base_url: baseUrl,
    vendor: draft.vendor,
    api_version: draft.apiVersion,
    lang: draft.lang,
    auth: draft.auth,
    settings: draft.settings,
    key_in: place,
    from_digest: draft.fromDigest,
    sender: draft.sender,
  });
  if (!result.success) throw usage(`profile ${draft.name}: ${issueText(result.issues[0])}`);
  const unknown = Object.keys(result.output.settings).find((name) => settingName(name) === undefined);
  if (unknown !== undefined) throw unknownSetting(unknown);
  // The profile is not stored yet, so no command can change it.
  readSettings(result.output.settings, draft.mode, draft.name, correct);
  for (const [name, text] of Object.entries(draft.limits ?? {}))
    refuseUnreadable(name, text, draft.name, correct);
  return result.output;
}

function correct(name: string): string {
  return `correct ${name} in the file of --from, then run the same command again`;
}

/** A lead's file as a draft. Throws CliError 'usage' if something is wrong, and never quotes the file. */
export function draftOfLead(text: string, where: string): Omit<ProfileDraft, 'name' | 'fromDigest'> {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), leadFile), text);
  if (!result.success) {
    const [issue] = result.issues;
    const field = v.getDotPath(issue);
    // A setting at the top level: its value is not repeated.
    const isSetting = field !== null && issue.expected === 'never' && settingName(field) !== undefined;
    if (issue.type === 'parse_json')
      throw usage(`${where}: it is not JSON (line ${lineOfError(text)})`, [
        'look there for a missing comma, a comma before } or ], or a text without its double quotes',
      ]);
    const name =
      issue.type === 'union' && issue.path?.[0]?.key === 'settings' ? issue.path[1]?.key : undefined;
    if (typeof name === 'string') throw wrongSetting(name, where, issueText(issue));
    throw usage(
      `${where}: ${issueText(issue)}`,
      isSetting ? [`${field} is a setting: write it into "settings": {"${settingName(field)}": "…"}`] : [],
    );
  }
  const { base_url: baseUrl, api_version: apiVersion, ...same } = result.output;
  const unknown = Object.keys(same.settings).find((name) => settingName(name) === undefined);
  if (unknown !== undefined) throw unknownSetting(unknown, where);
  const texts = Object.entries(same.settings).map(
    ([name, text]) => [settingName(name) ?? name, text] as const,
  );
  return {
    ...same,
    settings: Object.fromEntries(texts.filter(([name]) => !isLimit(name))),
    limits: Object.fromEntries(texts.filter(([name]) => isLimit(name))),
    baseUrl,
    apiVersion,
  };
}

// A setting whose value is neither text nor number.
function wrongSetting(typed: string, where: string, otherwise: string): CliError {
  const name = settingName(typed);
  if (name === undefined) return unknownSetting(typed, where);
  const form = settingProblem(name, '');
  if (form === undefined || isNumeric(name)) return usage(`${where}: ${otherwise}`, [correct(name)]);
  return usage(`${where}: settings.${name} must be text in double quotes: ${form}`, [correct(name)]);
}

function usage(message: string, now: readonly string[] = []): CliError {
  return new CliError('usage', message, { certain: 'nothing was changed', now });
}

/** What is wrong with a field, without its value. */
export function issueText(issue: v.BaseIssue<unknown>): string {
  const field = v.getDotPath(issue);
  if (field === null) return issue.kind === 'schema' ? 'it is not a JSON object' : issue.message;
  if (issue.expected === 'never') return `there is no field ${field}`;
  if (['check', 'union'].includes(issue.type)) return `${field} ${issue.message}`;
  if (issue.received === 'undefined') return `${field} is missing`;
  return `${field} ${neededWords(issue)}`;
}

// Examples for fields whose pattern is unreadable.
const examples: Readonly<Record<string, string>> = {
  base_url: 'https://pay.example.com',
  vendor: 'service',
  api_version: '2.3.0',
  lang: 'es',
};

function neededWords({ expected, type, path }: v.BaseIssue<unknown>): string {
  if (type === 'picklist' || type === 'literal')
    return `must be ${expected?.replace(/^\((.*)\)$/, '$1').replaceAll(' | ', ' or ')}`;
  if (type !== 'string' && type !== 'regex') return `must be ${type === 'array' ? 'a list' : 'an object'}`;
  const example = path?.[0]?.key === 'settings' ? '50000' : examples[String(path?.at(-1)?.key)];
  if (example !== undefined) return `must be text, for example "${example}"`;
  return type === 'string' ? 'must be text' : 'cannot be read';
}

/** Parses the profile file or the key file. Throws CliError 'refused' if it is not JSON, and never quotes the file. */
export function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw damaged(path, 'it is not JSON');
  }
}

/** Throws CliError 'refused' for a newer version, so that paydesk never rewrites such a file. */
export function refuseNewer(path: string, value: unknown): void {
  if (!isObject(value) || !('version' in value)) return;
  const { version } = value;
  if (typeof version !== 'number' || version <= fileVersion) return;
  throw refused(
    `${path} was written by a newer paydesk (its version is ${version}, this one reads ${fileVersion})`,
    ['install the newer paydesk, or set XDG_CONFIG_HOME to another folder for this one'],
    { certain: 'nothing was sent; the file was left as it is' },
  );
}

/** The error for an unreadable profile or key file. */
export function damaged(path: string, what: string): CliError {
  return refused(
    `${path} is damaged: ${what}`,
    ['correct it by hand, or move it away and add the profiles again:', `mv '${path}' '${path}.damaged'`],
    { certain: 'nothing was sent; the file was left as it is' },
  );
}
