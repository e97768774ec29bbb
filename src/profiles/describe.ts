/** What `profile show` tells: every value with where it comes from. */

import type { Env } from '../io.ts';
import type { Described, Profile } from './profiles.ts';
import { type Choice, type Given, givenFrom } from './resolve.ts';
import { isRetired, type SettingTexts, settingName, settingWords } from './settings.ts';
import type { StoredProfile } from './store.ts';

/** The values of a profile, in the order of `profile show`. `stored` is absent for the built-in ones. */
export function describeValues(
  profile: Profile,
  choice: Choice,
  stored: StoredProfile | undefined,
  given: Given,
  env: Env,
): readonly Described[] {
  const own = profile.kind === 'stored' ? 'profile' : profile.kind === 'demo' ? 'built in' : 'environment';
  const from = (kept: string | undefined, variable: string) => {
    if (profile.kind === 'environment')
      return (env[variable] ?? '') === '' ? 'default' : `environment ${variable}`;
    return profile.kind === 'stored' && kept === undefined ? 'default' : own;
  };
  const global = (value: string | undefined, kept: string | undefined, name: string, flag: string) => {
    if (value !== undefined) return givenFrom(value, env, name, flag);
    return kept === undefined ? 'default' : 'profile';
  };
  return [
    { name: 'name', value: profile.name, from: choice.from },
    { name: 'mode', value: profile.mode, from: from(stored?.mode, 'PAYDESK_MODE') },
    { name: 'base_url', value: profile.baseUrl, from: from(stored?.base_url, 'PAYDESK_BASE_URL') },
    { name: 'origin', value: profile.origin, from: profile.kind === 'demo' ? own : 'base_url' },
    { name: 'vendor', value: profile.vendor, from: from(stored?.vendor, 'PAYDESK_VENDOR') },
    {
      name: 'api_version',
      value: profile.apiVersion,
      from: global(given.apiVersion, stored?.api_version, 'PAYDESK_API_VERSION', '--api-version'),
    },
    {
      name: 'lang',
      value: profile.lang,
      from: global(given.lang, stored?.lang, 'PAYDESK_LANG', '--lang'),
    },
    { name: 'auth', value: profile.auth, from: from(stored?.auth, 'PAYDESK_AUTH') },
  ];
}

/** All settings as text; those a currency only where they are set, and last what the profile holds that nothing reads. */
export function describeSettings(texts: SettingTexts): readonly Described[] {
  const all = settingWords().flatMap(({ name, defaultText }) => {
    if (!name.endsWith('.CUR')) return [{ name, value: defaultText, from: 'default' }];
    const prefix = name.slice(0, -'CUR'.length);
    return Object.keys(texts)
      .filter((key) => key.startsWith(prefix) && settingName(key) === key)
      .map((key) => ({ name: key, value: undefined, from: 'default' }));
  });
  const read = all.map((setting) => {
    const text = Object.hasOwn(texts, setting.name) ? texts[setting.name] : undefined;
    return text === undefined ? setting : { name: setting.name, value: text, from: 'profile' };
  });
  const unread = Object.entries(texts).filter(([name]) => isRetired(name));
  return [...read, ...unread.map(([name, value]) => ({ name, value, from: 'profile, read by nothing' }))];
}
