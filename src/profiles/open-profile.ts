/** Finds the profile of a run and how it was chosen, and opens it with its key. */

import { CliError, refused } from '../errors.ts';
import { type Env, variable } from '../io.ts';
import { closestNames } from '../terminal/terminal.ts';
import { demoProfile, environmentKey, environmentProfile, setVariables } from './built-in-profiles.ts';
import { parseKey } from './key-store.ts';
import { keyOriginOf, type ProfileFile, profileOf, type StoredProfile, storedOf } from './profile-file.ts';
import type { Given, ProfileStore } from './profile-store.ts';
import {
  demoName,
  environmentName,
  type OpenProfile,
  type Profile,
  type ProfileDraft,
  type TypedKey,
} from './profiles.ts';

export async function openProfile(
  store: ProfileStore,
  name: string | undefined,
  trial?: TypedKey,
): Promise<OpenProfile> {
  const { profile, choice, several, key: storedKey } = await findProfile(store, name);
  const tried = trial === undefined ? undefined : parseKey(trial.text, trial.where);
  if (tried !== undefined) store.parts.learnKey(tried);
  const key = async () => tried ?? storedKey();
  return {
    profile,
    chosenBy: choice.chosenBy,
    key,
    allowChange() {
      if (profile.mode !== 'production' || choice.chosenBy !== 'default' || !several) return;
      throw refused(
        `profile ${profile.name} is production and was chosen only by "profile use"; with several profiles stored, a change must name its profile`,
        [`add it to the command: -p ${profile.name}`],
        'profile_needed',
      );
    },
  };
}

export function openDraft(store: ProfileStore, draft: ProfileDraft, typed: TypedKey): OpenProfile {
  // Where the key will be kept makes no difference here.
  const profile = withGiven(profileOf(draft.name, storedOf(draft, 'file')), store.parts.given);
  const key = parseKey(typed.text, typed.where);
  store.parts.learnKey(key);
  return {
    profile,
    chosenBy: 'name',
    key: async () => key,
    allowChange() {
      throw new CliError(
        'refused',
        `profile ${profile.name} is not stored yet, so nothing is changed with it`,
        { ownCode: 'profile_needed' },
      );
    },
  };
}

/** A profile found by name, or chosen for the run. */
export interface FoundProfile {
  readonly profile: Profile;
  readonly choice: Choice;
  /** As in the file; undefined for a built-in profile. */
  readonly stored: StoredProfile | undefined;
  /** Whether there are other stored profiles. */
  readonly several: boolean;
  readonly key: () => Promise<string>;
}

/** Finds the named profile, or else the profile of this run. Throws like `openProfile`. */
export async function findProfile(store: ProfileStore, argument: string | undefined): Promise<FoundProfile> {
  const found = await find(store, argument);
  const key = async () => {
    const read = await found.key();
    store.parts.learnKey(read);
    return read;
  };
  return { ...found, key };
}

async function find(store: ProfileStore, argument: string | undefined): Promise<FoundProfile> {
  const { given, env, cwd, demo } = store.parts;
  let read: ProfileFile | undefined;
  // Read only if the file decides something: `-p demo` works even if the file is damaged.
  const file = () => {
    read ??= store.read();
    return read;
  };
  const choice = chooseProfile(argument, given, env, file);
  if (choice.name === environmentName) {
    const profile = withGiven(environmentProfile(env), given);
    return { profile, choice, stored: undefined, several: false, key: async () => environmentKey(env, cwd) };
  }
  if (choice.name === demoName) {
    const simulator = await demo();
    const profile = withGiven(demoProfile(simulator), given);
    return { profile, choice, stored: undefined, several: false, key: async () => simulator.key };
  }
  const { profiles } = file();
  const stored = profiles.get(choice.name);
  if (stored === undefined)
    throw unknownProfile(choice.name, [...profiles.keys()], [...profiles.keys(), demoName]);
  const profile = withGiven(profileOf(choice.name, stored), given);
  const key = () => store.keys.read(choice.name, stored.key_in, keyOriginOf(stored));
  return { profile, choice, stored, several: profiles.size > 1, key };
}

function withGiven(profile: Profile, given: Given): Profile {
  return {
    ...profile,
    apiVersion: given.apiVersion ?? profile.apiVersion,
    lang: given.lang ?? profile.lang,
  };
}

/** The profile name of a run, and how it was chosen. */
interface Choice {
  readonly name: string;
  readonly chosenBy: OpenProfile['chosenBy'];
  /** The source of the name, for `profile show`. */
  readonly from: string;
}

// In this order: the argument, -p, PAYDESK_PROFILE, `profile use`, the environment variables.
function chooseProfile(
  argument: string | undefined,
  given: Given,
  env: Env,
  file: () => ProfileFile,
): Choice {
  const variables = setVariables(env);
  const choice = choiceByName(argument, given, env) ?? choiceByDefault(file);
  if (choice === undefined) {
    if (variables.length === 0) throw noProfile([...file().profiles.keys()]);
    return { name: environmentName, chosenBy: 'environment', from: 'environment' };
  }
  if (variables.length > 0 && choice.name !== environmentName) {
    throw refused(
      `profile ${choice.name} is named, but the environment sets one too (${variables.join(', ')}): which is meant?`,
      [`unset ${variables.join(' ')}`, `or use the variables: -p ${environmentName}`],
      'profile_needed',
    );
  }
  return choice;
}

function choiceByName(argument: string | undefined, given: Given, env: Env): Choice | undefined {
  if (argument !== undefined) return { name: argument, chosenBy: 'name', from: 'argument' };
  if (given.profile === undefined) return undefined;
  const from = givenFrom(given.profile, env, 'PAYDESK_PROFILE', '-p');
  return { name: given.profile, chosenBy: 'name', from };
}

function choiceByDefault(file: () => ProfileFile): Choice | undefined {
  const name = file().default;
  return name === undefined ? undefined : { name, chosenBy: 'default', from: 'profile use' };
}

/** Where the value of a global option comes from. If flag and variable agree, names the variable. */
export function givenFrom(value: string, env: Env, name: string, flag: string): string {
  return variable(env, name) === value ? `environment ${name}` : `flag ${flag}`;
}

/**
 * The error for a missing profile. `usable`: the names that would do here. If none resembles the typed one, a new profile may be
 * meant.
 */
export function unknownProfile(
  name: string,
  stored: readonly string[],
  usable: readonly string[] = stored,
): CliError {
  const close = closestNames(name, usable);
  return new CliError('auth', `there is no profile ${name}`, {
    certain: 'nothing was sent',
    now: [
      ...(close.length === 0 ? [] : [`did you mean ${close.join(' or ')}?`]),
      stored.length === 0 ? 'no profile is stored yet' : namesLine(stored),
      ...(close.length === 0 ? [`paydesk profile add ${name}`] : []),
    ],
  });
}

function noProfile(stored: readonly string[]): CliError {
  const [first] = stored;
  return new CliError('auth', 'no profile is given, and there is no default profile', {
    certain: 'nothing was sent',
    now: [
      ...(first === undefined ? [] : [namesLine(stored), `name one: -p ${first}`]),
      'try it on the built-in simulator: paydesk -p demo orders list',
      'or set up an account: paydesk profile add NAME',
    ],
  });
}

function namesLine(stored: readonly string[]): string {
  return `stored: ${stored.join(', ')}; built in: ${demoName}`;
}
