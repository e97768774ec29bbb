/** The two profiles that are not stored: `demo` is the simulator inside paydesk, `environment` comes from environment variables. */

import { closeSync, openSync, readSync, statSync } from 'node:fs';
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
import { accountOf, goodBaseUrl } from './base-url.ts';
import { keyLimit, parseKey } from './key-store.ts';
import { demoName, environmentName, type ListedProfile, type Profile } from './profiles.ts';
import { readSettings } from './settings.ts';

export interface Demo {
  /** Renewed by `simulator reset`. */
  readonly instance: string;
  /** The address of its requests, which never leave this process. */
  readonly baseUrl: string;
  readonly key: string;
}

/** The profile `demo`. A reset of the simulator makes it a new account. */
export function demoProfile(demo: Demo): Profile {
  const origin = `demo:${demo.instance}`;
  return {
    name: demoName,
    kind: 'demo',
    mode: 'sandbox',
    baseUrl: demo.baseUrl.replace(/\/+$/, ''),
    origin,
    vendor: defaultVendor,
    apiVersion: defaultApiVersion,
    lang: undefined,
    auth: defaultAuth,
    settings: readSettings({}, 'sandbox', demoName),
    account: accountOf(origin, defaultVendor, 'sandbox'),
  };
}

const names = {
  baseUrl: 'PAYDESK_BASE_URL',
  mode: 'PAYDESK_MODE',
  key: 'PAYDESK_API_KEY',
  keyFile: 'PAYDESK_KEY_FILE',
  vendor: 'PAYDESK_VENDOR',
  auth: 'PAYDESK_AUTH',
} as const;

/** The variables of the profile `environment` that are set. An empty one counts as not set. */
export function setVariables(env: Env): readonly string[] {
  return Object.values(names).filter((name) => variable(env, name) !== undefined);
}

/** Throws CliError 'auth' if a variable is missing, 'usage' or 'refused' if one is wrong. */
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

/** The line of `environment` in `profile list`, even if variables are wrong; undefined if none is set. */
export function listEnvironment(env: Env): ListedProfile | undefined {
  if (setVariables(env).length === 0) return undefined;
  return {
    name: environmentName,
    kind: 'environment',
    mode: modes.find((mode) => mode === variable(env, names.mode)),
    baseUrl: variable(env, names.baseUrl),
    isDefault: false,
    hasSender: false,
    keptIn: environmentKeyPlace(env),
  };
}

/** The variable that holds the key or names its file. */
export function environmentKeyPlace(env: Env): string {
  return variable(env, names.key) === undefined ? names.keyFile : names.key;
}

/** The key of the profile `environment`. Throws CliError 'auth' when there is none, 'usage' when the text cannot be a key. */
export function environmentKey(env: Env, cwd: () => string): string {
  const key = variable(env, names.key);
  const file = variable(env, names.keyFile);
  if (key !== undefined && file !== undefined) {
    throw new CliError('usage', `${names.key} and ${names.keyFile} are both set: set only one of them`, {
      certain: 'nothing was sent',
    });
  }
  if (key !== undefined) return parseKey(key, names.key);
  if (file === undefined) throw missing(`${names.key} or ${names.keyFile}`);
  return parseKey(readStart(file, cwd), names.keyFile);
}

// Reads slightly more than the longest key, to notice a longer text. Plain files only: a pipe or device might never end.
function readStart(named: string, cwd: () => string): string {
  const unreadable = (why: string, cause?: unknown) =>
    new CliError('auth', `the file of ${names.keyFile}, ${named}, ${why}`, {
      certain: 'nothing was sent',
      cause,
    });
  try {
    const path = fullPath(cwd, named);
    if (!statSync(path).isFile()) throw unreadable('is not a plain file');
    const start = Buffer.alloc(keyLimit + 3);
    const handle = openSync(path, 'r');
    try {
      return start.toString('utf8', 0, readSync(handle, start));
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
  return new CliError('auth', `the profile from the environment is not complete: ${name} is not set`, {
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
  return new CliError('usage', `${name}: ${text} is not ${what}`, { certain: 'nothing was sent' });
}
