/** `profile set` as a pure change of a stored profile. */

import { apiVersionPattern, authSchemes, langPattern } from '../api/spec.ts';
import { CliError } from '../errors.ts';
import type { SettingChange } from './profiles.ts';
import { defaultWord, readSettings, settingName, settingProblem, unknownSetting } from './settings.ts';
import type { StoredProfile } from './store.ts';

/** A stored profile after a change, and the change in words. */
export interface Edit {
  readonly stored: StoredProfile;
  readonly change: SettingChange;
}

/**
 * Sets a setting, or one of api-version, lang, auth; `default` takes it back. Throws CliError 'usage' for an unknown
 * name or a text that does not read, 'refused' for what would make it another account or production may not have.
 */
export function editStored(profile: string, stored: StoredProfile, name: string, text: string): Edit {
  if (['base-url', 'mode', 'vendor'].includes(name)) {
    throw new CliError(
      'refused',
      `${name} of profile ${profile} cannot be changed: it would be another account`,
      {
        certain: 'nothing was changed',
        now: ['add a profile for that account: paydesk profile add NAME'],
      },
    );
  }
  const edit = editField(stored, name, text) ?? editSetting(stored, name, text);
  // What production may not have is refused before it is written. Taking back is the way out of what is wrong already.
  if (text !== defaultWord) readSettings(edit.stored.settings, stored.mode, profile);
  return edit;
}

function editField(stored: StoredProfile, name: string, text: string): Edit | undefined {
  const value = text === defaultWord ? undefined : text;
  const done = (field: Partial<StoredProfile>, before: string | undefined): Edit => ({
    stored: { ...stored, ...field },
    change: { setting: name, before, after: value },
  });
  switch (name) {
    case 'api-version':
      if (value !== undefined && !apiVersionPattern.test(value))
        throw wrong(name, text, 'a version such as 2.3.0');
      return done({ api_version: value }, stored.api_version);
    case 'lang':
      if (value !== undefined && !langPattern.test(value))
        throw wrong(name, text, 'a language code such as es');
      return done({ lang: value }, stored.lang);
    case 'auth': {
      const auth = authSchemes.find((scheme) => scheme === value);
      if (value !== undefined && auth === undefined) throw wrong(name, text, authSchemes.join(' or '));
      return done({ auth }, stored.auth);
    }
    default:
      return undefined;
  }
}

function editSetting(stored: StoredProfile, typed: string, text: string): Edit {
  // Whatever the file holds can be taken back, a setting or not.
  const takenBack = text === defaultWord && Object.hasOwn(stored.settings, typed);
  const name = takenBack ? typed : settingName(typed);
  if (name === undefined) throw unknownSetting(typed);
  const { [name]: before, ...others } = stored.settings;
  if (text === defaultWord) {
    return {
      stored: { ...stored, settings: others },
      change: { setting: name, before, after: undefined },
    };
  }
  const problem = settingProblem(name, text);
  if (problem !== undefined) throw wrong(name, text, problem);
  return {
    stored: { ...stored, settings: { ...others, [name]: text } },
    change: { setting: name, before, after: text },
  };
}

function wrong(name: string, text: string, what: string): CliError {
  return new CliError('usage', `${name} ${text === '' ? "''" : text}: not ${what}`, {
    certain: 'nothing was changed',
  });
}
