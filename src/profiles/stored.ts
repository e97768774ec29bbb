/** A stored profile as the program uses it, and a draft as it is stored. */

import * as v from 'valibot';
import { defaultApiVersion, defaultAuth, defaultVendor } from '../api/spec.ts';
import { CliError } from '../errors.ts';
import { accountOf } from './account.ts';
import { goodBaseUrl } from './base-url.ts';
import type { Profile, ProfileDraft } from './profiles.ts';
import { readSettings, settingName, unknownSetting } from './settings.ts';
import { issueText, type KeyPlace, leadFile, type StoredProfile, storedProfile } from './store.ts';

/** What a profile of the file means. Throws CliError 'refused' when a setting of it cannot be. */
export function profileOf(name: string, stored: StoredProfile): Profile {
  const { baseUrl, origin } = goodBaseUrl(stored.base_url, `of profile ${name}`);
  const vendor = stored.vendor ?? defaultVendor;
  return {
    name,
    kind: 'stored',
    mode: stored.mode,
    baseUrl,
    origin,
    vendor,
    apiVersion: stored.api_version ?? defaultApiVersion,
    lang: stored.lang,
    auth: stored.auth ?? defaultAuth,
    settings: readSettings(stored.settings, stored.mode, name),
    account: accountOf(origin, vendor, stored.mode),
  };
}

/** The exact origin of a stored profile, and its account. Looks at no setting. */
export function placeOf(stored: StoredProfile): { readonly origin: string; readonly account: string } {
  const { origin } = goodBaseUrl(stored.base_url, 'of a stored profile');
  return { origin, account: accountOf(origin, stored.vendor ?? defaultVendor, stored.mode) };
}

/** A draft in the form of the file. Throws CliError 'usage' or 'refused' with what is wrong. */
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
  });
  if (!result.success) throw usage(`profile ${draft.name}: ${issueText(result.issues[0])}`);
  const unknown = Object.keys(result.output.settings).find((name) => settingName(name) === undefined);
  if (unknown !== undefined) throw unknownSetting(unknown);
  readSettings(result.output.settings, draft.mode, draft.name);
  return result.output;
}

/** A lead's file as a draft. Throws CliError 'usage' with what is wrong, never quoting the file. */
export function draftOfLead(text: string, where: string): Omit<ProfileDraft, 'name' | 'fromDigest'> {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), leadFile), text);
  if (!result.success) {
    const [issue] = result.issues;
    throw usage(`${where}: ${issue.type === 'parse_json' ? 'it is no JSON' : issueText(issue)}`);
  }
  const lead = result.output;
  return {
    baseUrl: lead.base_url,
    mode: lead.mode,
    vendor: lead.vendor,
    apiVersion: lead.api_version,
    lang: lead.lang,
    auth: lead.auth,
    settings: lead.settings,
  };
}

function usage(message: string): CliError {
  return new CliError('usage', message, { certain: 'nothing was changed' });
}
