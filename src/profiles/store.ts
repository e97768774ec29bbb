/** The profile file, for reading: its form, its version, and what is said when it cannot be used. */

import * as v from 'valibot';
import {
  apiVersionPattern,
  authSchemes,
  isObject,
  langPattern,
  modes,
  orderIdPattern,
  vendorPattern,
} from '../api/spec.ts';
import { CliError } from '../errors.ts';
import { baseUrlText } from './base-url.ts';
import { nameProblem } from './names.ts';
import { type FileRules, readOwnFile } from './own-file.ts';

/** The version of the file's form that this program reads and writes. */
export const fileVersion = 1;

/** Where the key of a profile is kept. */
const keyPlaces = ['file', 'keyring'] as const;
export type KeyPlace = (typeof keyPlaces)[number];

/** What a lead's file may hold: everything but the key. */
export const leadFile = v.strictObject({
  mode: v.picklist(modes),
  base_url: baseUrlText,
  vendor: v.optional(v.pipe(v.string(), v.regex(vendorPattern))),
  api_version: v.optional(v.pipe(v.string(), v.regex(apiVersionPattern))),
  lang: v.optional(v.pipe(v.string(), v.regex(langPattern))),
  auth: v.optional(v.picklist(authSchemes)),
  settings: v.optional(v.record(v.string(), v.string()), {}),
});

/** A profile as the file keeps it. What is absent has its default. */
export const storedProfile = v.strictObject({
  ...leadFile.entries,
  key_in: v.picklist(keyPlaces),
  /** SHA-256 of the lead's file that it was made from. */
  from_digest: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
  /** An order that this profile saw: a new key must see it too. */
  seen_order: v.optional(v.pipe(v.string(), v.regex(orderIdPattern))),
});
export type StoredProfile = v.InferOutput<typeof storedProfile>;

const fileForm = v.strictObject({
  version: v.literal(fileVersion),
  default: v.optional(v.string()),
  profiles: v.optional(v.custom<object>(isObject, 'is no object'), {}),
});

/** The whole file. A Map, so that a profile may be called `constructor`. */
export interface ProfileFile {
  readonly default: string | undefined;
  readonly profiles: ReadonlyMap<string, StoredProfile>;
}

/** Reads the profile file; none is an empty one. Throws CliError 'refused' and leaves the file as it is. */
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

/** What is wrong with a field, in words that do not repeat its value. */
export function issueText(issue: v.BaseIssue<unknown>): string {
  const field = v.getDotPath(issue);
  if (field === null) return issue.kind === 'schema' ? 'it is no object of fields' : issue.message;
  if (issue.expected === 'never') return `there is no field ${field}`;
  if (issue.type === 'check') return `${field} ${issue.message}`;
  return issue.received === 'undefined' ? `${field} is missing` : `${field} is not as it should be`;
}

/** The JSON of a file of ours. Throws CliError 'refused'; the words never quote the file. */
export function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw damaged(path, 'it is no JSON');
  }
}

/** Refuses a file of a newer form; it is never rewritten. */
export function refuseNewer(path: string, value: unknown): void {
  if (!isObject(value) || !('version' in value)) return;
  const { version } = value;
  if (typeof version !== 'number' || version <= fileVersion) return;
  throw new CliError(
    'refused',
    `${path} was written by a newer paydesk (its version is ${version}, this one reads ${fileVersion})`,
    {
      certain: 'nothing was sent; the file was left as it is',
      now: ['install the newer paydesk, or set XDG_CONFIG_HOME to another folder for this one'],
    },
  );
}

/** The error of a file that does not read. */
export function damaged(path: string, what: string): CliError {
  return new CliError('refused', `${path} is damaged: ${what}`, {
    certain: 'nothing was sent; the file was left as it is',
    now: [
      'correct it by hand, or put it aside and add the profiles again:',
      `mv '${path}' '${path}.damaged'`,
    ],
  });
}
