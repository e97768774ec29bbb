/** The profile `environment`: what scripts form out of variables. */

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { Mode } from '../api/spec.ts';
import {
  authSchemes,
  defaultApiVersion,
  defaultAuth,
  defaultVendor,
  modes,
  vendorPattern,
} from '../api/spec.ts';
import { CliError, systemReason } from '../errors.ts';
import { type Env, fullPath, variable } from '../io.ts';
import { accountOf } from './account.ts';
import { goodBaseUrl } from './base-url.ts';
import { keyLimit, readKey } from './key.ts';
import { environmentName } from './names.ts';
import type { Profile } from './profile.ts';
import { readSettings } from './settings.ts';

const names = {
  baseUrl: 'PAYDESK_BASE_URL',
  mode: 'PAYDESK_MODE',
  key: 'PAYDESK_API_KEY',
  keyFile: 'PAYDESK_KEY_FILE',
  vendor: 'PAYDESK_VENDOR',
  auth: 'PAYDESK_AUTH',
} as const;

/** The variables of the profile that are set. Empty ones are not. */
export function setVariables(env: Env): readonly string[] {
  return Object.values(names).filter((name) => variable(env, name) !== undefined);
}

/** The profile that the variables form. Throws CliError 'auth' when one is missing, 'usage' or 'refused' when one is wrong. */
export function environmentProfile(env: Env): Profile {
  const { baseUrl, origin } = goodBaseUrl(required(env, names.baseUrl), `of ${names.baseUrl}`);
  const mode = oneOf(modes, names.mode, required(env, names.mode));
  const vendor = variable(env, names.vendor) ?? defaultVendor;
  if (!vendorPattern.test(vendor)) throw wrong(names.vendor, vendor, 'a vendor segment such as service');
  return {
    name: environmentName,
    kind: 'environment',
    mode,
    baseUrl,
    origin,
    vendor,
    apiVersion: defaultApiVersion,
    lang: undefined,
    auth: oneOf(authSchemes, names.auth, variable(env, names.auth) ?? defaultAuth),
    settings: readSettings({}, mode, environmentName),
    account: accountOf(origin, vendor, mode),
  };
}

/** Its mode, if that much is right. */
export function environmentMode(env: Env): Mode | undefined {
  return modes.find((mode) => mode === variable(env, names.mode));
}

/** Its base URL as typed, right or wrong. */
export function environmentBaseUrl(env: Env): string | undefined {
  return variable(env, names.baseUrl);
}

/** Which variable holds the key, or names its file. */
export function environmentKeyPlace(env: Env): string {
  return variable(env, names.key) === undefined ? names.keyFile : names.key;
}

/** The key of the environment. Throws CliError 'auth' when there is none, 'usage' when it cannot be one. */
export function environmentKey(env: Env, cwd: () => string): string {
  const key = variable(env, names.key);
  const file = variable(env, names.keyFile);
  if (key !== undefined && file !== undefined) {
    throw new CliError('usage', `${names.key} and ${names.keyFile} are both set: one of them holds the key`, {
      certain: 'nothing was sent',
    });
  }
  if (key !== undefined) return readKey(key, names.key);
  if (file === undefined) throw missing(`${names.key} or ${names.keyFile}`);
  return readKey(readSome(file, cwd), names.keyFile);
}

// As much as tells a key from something else. Not of a pipe or a device, which might never end.
function readSome(named: string, cwd: () => string): string {
  const unreadable = (why: string, cause?: unknown) =>
    new CliError('auth', `the file of ${names.keyFile}, ${named}, ${why}`, {
      certain: 'nothing was sent',
      cause,
    });
  try {
    const path = fullPath(cwd, named);
    if (!statSync(path).isFile()) throw unreadable('is no plain file');
    const some = Buffer.alloc(keyLimit + 3);
    const handle = openSync(path, 'r');
    try {
      return some.toString('utf8', 0, readSync(handle, some));
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw error instanceof CliError ? error : unreadable(`cannot be read: ${systemReason(error)}`, error);
  }
}

function required(env: Env, name: string): string {
  const value = variable(env, name);
  if (value === undefined) throw missing(name);
  return value;
}

function missing(name: string): CliError {
  return new CliError('auth', `the environment forms no profile: ${name} is not set`, {
    certain: 'nothing was sent',
    now: [
      `set ${names.baseUrl}, ${names.mode} and ${names.key} (or ${names.keyFile})`,
      'or name a profile: -p NAME',
    ],
  });
}

function oneOf<const T extends string>(choices: readonly T[], name: string, text: string): T {
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw wrong(name, text, choices.join(' or '));
  return found;
}

function wrong(name: string, text: string, what: string): CliError {
  return new CliError('usage', `${name} is ${text}: not ${what}`, { certain: 'nothing was sent' });
}
