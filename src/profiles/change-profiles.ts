/** Changes the profile file and the keys, for `profile add`, `set`, `use`, `key` and `remove`. */

import { apiVersionPattern, authSchemes, langPattern } from '../api/spec.ts';
import { CliError, refused } from '../errors.ts';
import { fingerprint, lastFour, parseKey } from './key-store.ts';
import { isLimit } from './limits.ts';
import { unknownProfile } from './open-profile.ts';
import {
  type KeyPlace,
  keyOriginOf,
  type ProfileFile,
  placeOf,
  profileOf,
  type StoredProfile,
  storedOf,
} from './profile-file.ts';
import { keyPlaceWords, type ProfileStore } from './profile-store.ts';
import {
  checkName,
  demoName,
  environmentName,
  type KeyDescription,
  type NewKey,
  type ProfileDraft,
  type SettingChange,
  type TypedKey,
} from './profiles.ts';
import {
  defaultWord,
  meantValues,
  readSettings,
  settingName,
  settingProblem,
  unknownSetting,
} from './settings.ts';

export function checkFree(profiles: ProfileFile['profiles'], name: string): void {
  checkName(name);
  if (!profiles.has(name)) return;
  throw new CliError('refused', `there is already a profile ${name}`, {
    certain: 'nothing was changed',
    now: [`look at it: paydesk profile show ${name}`, `or remove it: paydesk profile remove ${name}`],
  });
}

export function storedIn(profiles: ProfileFile['profiles'], name: string): StoredProfile {
  const stored = profiles.get(name);
  if (stored !== undefined) return stored;
  if (name === demoName || name === environmentName) {
    throw new CliError('refused', `profile ${name} is built in and cannot be changed`, {
      certain: 'nothing was changed',
      now: [
        'add an account of your own, which has settings: paydesk profile add NAME',
        ...(name === demoName ? ['an account to try settings on: paydesk simulator serve'] : []),
      ],
    });
  }
  throw unknownProfile(name, [...profiles.keys()]);
}

/** Stores a profile with its key. If it throws CliError 'usage' or 'refused', neither is stored. */
export async function addProfile(store: ProfileStore, draft: ProfileDraft, newKey: NewKey) {
  checkName(draft.name);
  const stored = storedOf(draft, newKey.place);
  const key = parseKey(newKey.text, newKey.where);
  store.parts.learnKey(key);
  await store.change(async ({ file, save }) => {
    checkFree(file.profiles, draft.name);
    await store.keys.write(draft.name, newKey.place, { origin: keyOriginOf(stored), key });
    try {
      await save(withProfile(file, draft.name, stored));
    } catch (error) {
      // Without its profile, nobody would see or remove this key.
      await store.keys.remove(draft.name, newKey.place).catch(() => undefined);
      throw error;
    }
  });
  return { profile: profileOf(draft.name, stored), keptIn: keyPlaceWords(store, stored) };
}

/** Stores what the profile's sender says now. Throws CliError 'refused' if it is another account. */
export async function learnFromSender(store: ProfileStore, draft: ProfileDraft): Promise<void> {
  await store.change(async ({ file, save }) => {
    const before = storedIn(file.profiles, draft.name);
    // Keeps what this desk set itself, such as its time zone.
    const settings = { ...before.settings, ...draft.settings };
    const now = storedOf({ ...draft, settings }, before.key_in);
    if (placeOf(now).account !== placeOf(before).account) throw otherAccount(draft.name);
    if (JSON.stringify(now) === JSON.stringify({ ...before, seen_order: undefined })) return;
    await save(withProfile(file, draft.name, { ...now, seen_order: before.seen_order }));
  });
}

function otherAccount(name: string): CliError {
  return new CliError('refused', `the sender of profile ${name} now has another account under that name`, {
    certain: 'nothing was changed',
    now: ['ask your lead which one is meant', `then add it again: paydesk profile remove ${name}`],
  });
}

/** Throws CliError as `storedIn` does, except for the demo: it can be the default although it is not stored. */
export function checkUsable(profiles: ProfileFile['profiles'], name: string): void {
  if (name !== demoName) storedIn(profiles, name);
}

export async function makeDefault(store: ProfileStore, name: string): Promise<void> {
  await store.change(async ({ file, save }) => {
    checkUsable(file.profiles, name);
    await save({ ...file, default: name });
  });
}

/** Stores a new key for the profile's origin: where the old key is, unless another place is given. */
export function replaceKey(
  store: ProfileStore,
  name: string,
  newKey: TypedKey & { readonly place?: KeyPlace | undefined },
): Promise<KeyDescription> {
  const key = parseKey(newKey.text, newKey.where);
  store.parts.learnKey(key);
  return store.change(async ({ file, save }) => {
    const before = storedIn(file.profiles, name);
    const stored = { ...before, key_in: newKey.place ?? before.key_in };
    await store.keys.write(name, stored.key_in, { origin: keyOriginOf(stored), key });
    if (stored.key_in !== before.key_in) {
      await save(withProfile(file, name, stored));
      await removeKey(store, name, before.key_in);
    }
    const keptIn = keyPlaceWords(store, stored);
    return { keptIn, lastFour: lastFour(key), fingerprint: fingerprint(key), problem: undefined };
  });
}

export function removeProfile(store: ProfileStore, name: string): Promise<boolean> {
  return store.change(async ({ file, save }) => {
    // Removes the key first: a crash must not leave a key that nobody sees.
    const isGone = await removeKey(store, name, storedIn(file.profiles, name).key_in);
    await save(withoutProfile(file, name));
    return isGone;
  });
}

/** Throws CliError 'refused' if a key stays in the keyring: its profile stays too, so that somebody sees it. */
export async function removeAllProfiles(store: ProfileStore): Promise<void> {
  for (const [name, { key_in: place }] of store.read().profiles)
    await store.change(async ({ file, save }) => {
      const problem = await store.keys.remove(name, place);
      if (problem !== undefined)
        throw refused(
          problem,
          [
            'unlock the system keyring, then run the command again',
            `or give that key up: paydesk profile remove ${name}`,
          ],
          { certain: 'what was removed before stays removed; the journal is as it was' },
        );
      await save(withoutProfile(file, name));
    });
}

async function removeKey({ keys, parts }: ProfileStore, name: string, place: KeyPlace): Promise<boolean> {
  const problem = await keys.remove(name, place);
  if (problem !== undefined) parts.notice(problem);
  return problem === undefined;
}

export async function rememberOrder(store: ProfileStore, name: string, orderId: string): Promise<void> {
  const stored = store.read().profiles.get(name);
  if (stored === undefined || stored.seen_order === orderId) return;
  await store.change(async ({ file, save }) => {
    const now = file.profiles.get(name);
    if (now !== undefined) await save(withProfile(file, name, { ...now, seen_order: orderId }));
  });
}

function withProfile(file: ProfileFile, name: string, stored: StoredProfile): ProfileFile {
  return { ...file, profiles: new Map([...file.profiles, [name, stored]]) };
}

function withoutProfile(file: ProfileFile, name: string): ProfileFile {
  const profiles = new Map(file.profiles);
  profiles.delete(name);
  return { default: file.default === name ? undefined : file.default, profiles };
}

/** A setting of a profile, and the text typed for it. */
interface TypedSetting {
  readonly name: string;
  readonly setting: string;
  readonly value: string;
}

/**
 * Changes a setting of the file, or api-version, lang or auth. `default` removes it. Throws CliError 'usage' for an unknown name
 * or unreadable value, 'refused' for a change to another account or one that production forbids.
 */
export function setSetting(
  store: ProfileStore,
  { name, setting, value }: TypedSetting,
): Promise<SettingChange> {
  return store.change(async ({ file, save }) => {
    const edit = editStored(name, storedIn(file.profiles, name), setting, value);
    await save(withProfile(file, name, edit.stored));
    return edit.change;
  });
}

/** The full name of the typed limit; undefined for another setting. Throws CliError 'usage' for an invalid value. */
export function limitNamed(typed: string, text: string): string | undefined {
  const name = settingName(typed);
  if (name === undefined || !isLimit(name)) return undefined;
  const problem = text === defaultWord ? undefined : settingProblem(name, text);
  if (problem !== undefined) throw wrong(name, text, problem);
  return name;
}

interface Edit {
  readonly stored: StoredProfile;
  readonly change: SettingChange;
}

/** Throws CliError as `setSetting` does. */
export function editStored(profile: string, stored: StoredProfile, name: string, text: string): Edit {
  if (['base-url', 'mode', 'vendor'].includes(name)) {
    throw refused(
      `${name} of profile ${profile} cannot be changed: it would be another account`,
      ['add a profile for that account: paydesk profile add NAME'],
      { certain: 'nothing was changed' },
    );
  }
  const edit = editField(stored, name, text) ?? editSetting(stored, name, text);
  // Checks production's rules before writing. A wrong setting can always be removed.
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
  // An unknown setting can be removed too, if the file has it.
  const removed = text === defaultWord && Object.hasOwn(stored.settings, typed);
  const name = removed ? typed : settingName(typed);
  if (name === undefined) throw unknownSetting(typed);
  const { [name]: before, ...others } = stored.settings;
  if (text === defaultWord)
    return { stored: { ...stored, settings: others }, change: { setting: name, before, after: undefined } };
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
    now: meantValues(name, text).map((meant) => `did you mean ${name} ${meant}?`),
  });
}
