/** Opening the profile of a run, and telling of it. */

import { CliError } from '../errors.ts';
import type { Core } from './core.ts';
import { demoProfile } from './demo.ts';
import { describeSettings, describeValues } from './describe.ts';
import { environmentKey, environmentKeyPlace, environmentProfile } from './environment.ts';
import { fingerprint, lastFour, readKey } from './key.ts';
import { demoName, environmentName } from './names.ts';
import type { KeyDescription, OpenProfile, Profile, ProfileDescription, TypedKey } from './profile.ts';
import { type Choice, chooseProfile, unknownProfile, withGiven } from './resolve.ts';
import type { ProfileFile, StoredProfile } from './store.ts';
import { profileOf } from './stored.ts';

interface Found {
  readonly profile: Profile;
  readonly choice: Choice;
  /** Absent for the built-in ones. */
  readonly stored: StoredProfile | undefined;
  /** There are other stored profiles beside it. */
  readonly several: boolean;
  readonly key: () => Promise<string>;
}

/** Opens the named profile, or that of the run. Throws CliError 'auth' when there is none, 'refused' as `chooseProfile`. */
export async function openProfile(
  core: Core,
  name: string | undefined,
  trial?: TypedKey,
): Promise<OpenProfile> {
  const { profile, choice, several, key: keptKey } = await find(core, name);
  const tried = trial === undefined ? undefined : readKey(trial.text, trial.where);
  if (tried !== undefined) core.parts.learnKey(tried);
  const key = async () => tried ?? keptKey();
  return {
    profile,
    chosenBy: choice.chosenBy,
    key,
    fingerprint: async () => fingerprint(await key()),
    approveChange() {
      if (profile.mode !== 'production' || choice.chosenBy !== 'default' || !several) return;
      throw new CliError(
        'refused',
        `profile ${profile.name} is production and only the default: with several profiles, a change names its own`,
        { certain: 'nothing was sent', now: [`add it to the command: -p ${profile.name}`] },
      );
    },
  };
}

/** All that `profile show` tells. A key that cannot be read is told of, not thrown. */
export async function describeProfile(core: Core, name: string | undefined): Promise<ProfileDescription> {
  const { given, env } = core.parts;
  const found = await find(core, name);
  return {
    profile: found.profile,
    values: describeValues(found.profile, found.choice, found.stored, given, env),
    settings: describeSettings(found.stored?.settings ?? {}),
    key: await describeKey(core, found),
    fromDigest: found.stored?.from_digest,
  };
}

/** Where the key of a profile is kept, in words. */
export function keptIn(core: Core, kind: Profile['kind'], stored: StoredProfile | undefined): string {
  if (kind === 'demo') return 'none needed';
  if (kind === 'environment') return environmentKeyPlace(core.parts.env);
  return stored?.key_in === 'keyring' ? 'system keyring' : core.keyFile;
}

async function find(core: Core, argument: string | undefined): Promise<Found> {
  const found = await choose(core, argument);
  const key = async () => {
    const read = await found.key();
    core.parts.learnKey(read);
    return read;
  };
  return { ...found, key };
}

async function choose(core: Core, argument: string | undefined): Promise<Found> {
  const { given, env, demo } = core.parts;
  let known: ProfileFile | undefined;
  // The file is read only when it decides something: `-p demo` works beside a damaged one.
  const load = () => {
    known ??= core.read();
    return known;
  };
  const choice = chooseProfile(argument, given, env, load);
  if (choice.name === environmentName) {
    const profile = withGiven(environmentProfile(env), given);
    return {
      profile,
      choice,
      stored: undefined,
      several: false,
      key: async () => environmentKey(env, core.parts.cwd),
    };
  }
  if (choice.name === demoName) {
    const simulator = await demo();
    const profile = withGiven(demoProfile(simulator), given);
    return { profile, choice, stored: undefined, several: false, key: async () => simulator.key };
  }
  const { profiles } = load();
  const stored = profiles.get(choice.name);
  if (stored === undefined) throw unknownProfile(choice.name, [...profiles.keys()]);
  const profile = withGiven(profileOf(choice.name, stored), given);
  const key = () => core.vault.read(choice.name, stored.key_in, profile.origin);
  return { profile, choice, stored, several: profiles.size > 1, key };
}

async function describeKey(core: Core, found: Found): Promise<KeyDescription> {
  const place = keptIn(core, found.profile.kind, found.stored);
  const unknown = { keptIn: place, lastFour: undefined, fingerprint: undefined, problem: undefined };
  if (found.profile.kind === 'demo') return unknown;
  try {
    const key = await found.key();
    return { ...unknown, lastFour: lastFour(key), fingerprint: fingerprint(key) };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { ...unknown, problem: error.message };
  }
}
