/** Which profile a run works with, and who said so. */

import { CliError } from '../errors.ts';
import { type Env, variable } from '../io.ts';
import { setVariables } from './environment.ts';
import { demoName, environmentName } from './names.ts';
import type { OpenProfile, Profile } from './profiles.ts';
import type { ProfileFile } from './store.ts';

/** The values of global options: flag or variable, already merged. */
export interface Given {
  readonly profile: string | undefined;
  readonly apiVersion: string | undefined;
  readonly lang: string | undefined;
}

/** The profile of a run, and who chose it. */
export interface Choice {
  readonly name: string;
  readonly chosenBy: OpenProfile['chosenBy'];
  /** In words, for `profile show`. */
  readonly from: string;
}

/**
 * The profile of a run: the argument, -p or PAYDESK_PROFILE, then `profile use`, then the environment.
 * Throws CliError 'auth' when there is none, 'refused' when variables of the environment stand beside a named one.
 */
export function chooseProfile(
  argument: string | undefined,
  given: Given,
  env: Env,
  file: () => ProfileFile,
): Choice {
  const variables = setVariables(env);
  const choice = named(argument, given, env) ?? byDefault(file);
  if (choice === undefined) {
    if (variables.length === 0) throw noProfile([...file().profiles.keys()]);
    return { name: environmentName, chosenBy: 'environment', from: 'environment' };
  }
  if (variables.length > 0 && choice.name !== environmentName) {
    throw new CliError(
      'refused',
      `profile ${choice.name} is named, but the environment forms one too (${variables.join(', ')}): which is meant?`,
      {
        certain: 'nothing was sent',
        now: [`unset ${variables.join(' ')}`, `or use the variables: -p ${environmentName}`],
      },
    );
  }
  return choice;
}

/** The profile with `--api-version` and `--lang` of this run. */
export function withGiven(profile: Profile, given: Given): Profile {
  return {
    ...profile,
    apiVersion: given.apiVersion ?? profile.apiVersion,
    lang: given.lang ?? profile.lang,
  };
}

/** Where the value of a global option comes from. A variable of the same value is taken to be it. */
export function givenFrom(value: string, env: Env, name: string, flag: string): string {
  return variable(env, name) === value ? `environment ${name}` : `flag ${flag}`;
}

/** The error for a name that no profile has. */
export function unknownProfile(name: string, known: readonly string[]): CliError {
  return new CliError('auth', `there is no profile ${name}`, {
    certain: 'nothing was sent',
    now: [known.length === 0 ? 'none is stored yet' : namesLine(known), `paydesk profile add ${name}`],
  });
}

function named(argument: string | undefined, given: Given, env: Env): Choice | undefined {
  if (argument !== undefined) return { name: argument, chosenBy: 'name', from: 'argument' };
  if (given.profile === undefined) return undefined;
  const from = givenFrom(given.profile, env, 'PAYDESK_PROFILE', '-p');
  return { name: given.profile, chosenBy: 'name', from };
}

function byDefault(file: () => ProfileFile): Choice | undefined {
  const name = file().default;
  return name === undefined ? undefined : { name, chosenBy: 'default', from: 'profile use' };
}

function namesLine(stored: readonly string[]): string {
  return `stored: ${stored.join(', ')}; built in: ${demoName}`;
}

function noProfile(stored: readonly string[]): CliError {
  const [first] = stored;
  return new CliError('auth', 'no profile is named and none is the default', {
    certain: 'nothing was sent',
    now: [
      ...(first === undefined ? [] : [namesLine(stored), `name one: -p ${first}`]),
      'try it on the built-in simulator: paydesk -p demo orders list',
      'or set up an account: paydesk profile add NAME',
    ],
  });
}
