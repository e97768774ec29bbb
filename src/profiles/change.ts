/** Changes of the profile file and its keys, each under the lock, each leaving an old or a new file whole. */

import { CliError } from '../errors.ts';
import type { Core } from './core.ts';
import { editStored } from './edit.ts';
import { fingerprint, lastFour, readKey } from './key.ts';
import { checkName, demoName, environmentName } from './names.ts';
import { keptIn } from './open.ts';
import type { KeyDescription, NewKey, Profile, ProfileDraft, SettingChange, TypedKey } from './profiles.ts';
import { unknownProfile } from './resolve.ts';
import type { KeyPlace, ProfileFile, StoredProfile } from './store.ts';
import { placeOf, profileOf, storedOf } from './stored.ts';

/** Throws CliError 'refused' when the name is taken or built in, 'usage' when it cannot be one. */
export function checkFree(profiles: ProfileFile['profiles'], name: string): void {
  checkName(name);
  if (!profiles.has(name)) return;
  throw new CliError('refused', `there is a profile ${name} already`, {
    certain: 'nothing was changed',
    now: [`look at it: paydesk profile show ${name}`, `or make room: paydesk profile remove ${name}`],
  });
}

/** The stored profile of that name. Throws CliError 'auth' when there is none, 'refused' for a built-in one. */
export function storedIn(profiles: ProfileFile['profiles'], name: string): StoredProfile {
  const stored = profiles.get(name);
  if (stored !== undefined) return stored;
  if (name === demoName || name === environmentName) {
    throw new CliError(
      'refused',
      `profile ${name} is built in: it is not stored, so nothing of it can change`,
      {
        certain: 'nothing was changed',
      },
    );
  }
  throw unknownProfile(name, [...profiles.keys()]);
}

/** Stores a profile with its key. Throws CliError 'usage' or 'refused', and then keeps neither. */
export async function addProfile(
  core: Core,
  draft: ProfileDraft,
  newKey: NewKey,
): Promise<{ readonly profile: Profile; readonly keptIn: string }> {
  checkName(draft.name);
  const stored = storedOf(draft, newKey.place);
  const key = readKey(newKey.text, newKey.where);
  core.parts.learnKey(key);
  await core.change(async ({ file, save }) => {
    checkFree(file.profiles, draft.name);
    await core.vault.keep(draft.name, newKey.place, { origin: placeOf(stored).origin, key });
    try {
      await save(withProfile(file, draft.name, stored));
    } catch (error) {
      // A key without a profile would be seen by nobody.
      await core.vault.drop(draft.name, newKey.place).catch(() => undefined);
      throw error;
    }
  });
  return { profile: profileOf(draft.name, stored), keptIn: keptIn(core, 'stored', stored) };
}

/** Makes a profile the default. */
export async function makeDefault(core: Core, name: string): Promise<void> {
  await core.change(async ({ file, save }) => {
    if (name !== demoName) storedIn(file.profiles, name);
    await save({ ...file, default: name });
  });
}

/** Sets a setting of a stored profile. Throws as `storedIn` and `editStored`. */
export function setSetting(core: Core, name: string, setting: string, value: string): Promise<SettingChange> {
  return core.change(async ({ file, save }) => {
    const edit = editStored(name, storedIn(file.profiles, name), setting, value);
    await save(withProfile(file, name, edit.stored));
    return edit.change;
  });
}

/** Keeps a new key for the profile's origin of now, where it was kept before unless told otherwise. */
export function replaceKey(
  core: Core,
  name: string,
  newKey: TypedKey & { readonly place?: KeyPlace | undefined },
): Promise<KeyDescription> {
  const key = readKey(newKey.text, newKey.where);
  core.parts.learnKey(key);
  return core.change(async ({ file, save }) => {
    const before = storedIn(file.profiles, name);
    const stored = { ...before, key_in: newKey.place ?? before.key_in };
    await core.vault.keep(name, stored.key_in, { origin: placeOf(stored).origin, key });
    if (stored.key_in !== before.key_in) {
      await save(withProfile(file, name, stored));
      const left = await core.vault.drop(name, before.key_in);
      if (left !== undefined) core.parts.notice(left);
    }
    const place = keptIn(core, 'stored', stored);
    return { keptIn: place, lastFour: lastFour(key), fingerprint: fingerprint(key), problem: undefined };
  });
}

/** Removes a profile with its key. */
export async function removeProfile(core: Core, name: string): Promise<void> {
  await core.change(async ({ file, save }) => {
    const stored = storedIn(file.profiles, name);
    // The key first: what a crash leaves behind must not be a key that nobody sees.
    const left = await core.vault.drop(name, stored.key_in);
    if (left !== undefined) core.parts.notice(left);
    const profiles = new Map(file.profiles);
    profiles.delete(name);
    await save({ default: file.default === name ? undefined : file.default, profiles });
  });
}

/** An order that a stored profile saw and remembers. */
export function seenOrder(core: Core, name: string): string | undefined {
  return core.read().profiles.get(name)?.seen_order;
}

/** Remembers an order that a stored profile saw; nothing for the others. */
export async function rememberOrder(core: Core, name: string, orderId: string): Promise<void> {
  const stored = core.read().profiles.get(name);
  if (stored === undefined || stored.seen_order === orderId) return;
  await core.change(async ({ file, save }) => {
    const now = file.profiles.get(name);
    if (now !== undefined) await save(withProfile(file, name, { ...now, seen_order: orderId }));
  });
}

function withProfile(file: ProfileFile, name: string, stored: StoredProfile): ProfileFile {
  return { ...file, profiles: new Map([...file.profiles, [name, stored]]) };
}
