/**
 * Quickly reads keys and profile names from the user's files: keys to mask them before anything else happens, names for TAB.
 * Checks and repairs nothing, and loads no package. An unreadable file counts as empty.
 */

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { parsedJson } from '../api/json-values.ts';
import { defaultVendor, modes, shortestKey } from '../api/spec.ts';
import { type Env, fullPath, variable } from '../io.ts';
import { accountOf, readBaseUrl } from './base-url.ts';
import { demoName, indexKeyName, nameProblem } from './profiles.ts';

/** All keys in the configuration folder, PAYDESK_API_KEY and the file of PAYDESK_KEY_FILE. */
export function keysOnFile(configFolder: string, env: Env, cwd: () => string): readonly string[] {
  const keyFile = variable(env, 'PAYDESK_KEY_FILE');
  const stored = textOf(() => join(configFolder, 'keys.json')).matchAll(/"key"\s*:\s*("(?:[^"\\]|\\.)*")/g);
  const keys = [
    variable(env, 'PAYDESK_API_KEY') ?? '',
    keyFile === undefined ? '' : textOf(() => fullPath(cwd, keyFile)).replace(/\r?\n$/, ''),
    ...Array.from(stored, ([, literal = '']) => parsedJson(literal)),
  ];
  const texts = keys.filter((key) => typeof key === 'string');
  return [...new Set(texts)].filter((key) => key.length >= shortestKey);
}

/** The stored profiles with their modes, then the built-in demo. `chosen` is the default profile. */
interface NamesOnFile {
  readonly names: readonly { readonly name: string; readonly mode: string }[];
  readonly chosen: string | undefined;
}

export function namesOnFile(configFolder: string): NamesOnFile {
  const { profiles, default: chosen } = fieldsOnFile(configFolder, 'profiles.json');
  const stored = Object.entries(fieldsOf(profiles))
    .filter(([name]) => nameProblem(name) === undefined)
    .map(([name, profile]) => ({ name, mode: modeOf(fieldsOf(profile).mode) }));
  return {
    names: [...stored, { name: demoName, mode: 'the simulator inside paydesk' }],
    chosen: typeof chosen === 'string' ? chosen : undefined,
  };
}

// A person's profiles and keys need far less: a larger file is not ours.
const mostBytes = 1024 * 1024;

/** The fields of a JSON file in a folder; none if it cannot be read. */
function fieldsOnFile(folder: string, name: string): Readonly<Record<string, unknown>> {
  return fieldsOf(parsedJson(textOf(() => join(folder, name))));
}

// Plain files only: a pipe or device might never end.
function textOf(path: () => string): string {
  try {
    const handle = openSync(path(), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const { size } = fstatSync(handle);
      if (!fstatSync(handle).isFile() || size > mostBytes) return '';
      const bytes = Buffer.alloc(size);
      return bytes.toString('utf8', 0, readSync(handle, bytes));
    } finally {
      closeSync(handle);
    }
  } catch {
    return '';
  }
}

/** The fields of an object; none of anything else. */
function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function modeOf(mode: unknown): string {
  return mode === 'production' || mode === 'sandbox' ? mode : '';
}

/** The account of a stored profile; undefined if unreadable. */
export function accountOnFile(configFolder: string, name: string): string | undefined {
  const { profiles } = fieldsOnFile(configFolder, 'profiles.json');
  const { base_url: address, mode, vendor = defaultVendor } = fieldsOf(fieldsOf(profiles)[name]);
  const known = modes.find((one) => one === mode);
  if (typeof address !== 'string' || typeof vendor !== 'string' || known === undefined) return undefined;
  const reading = readBaseUrl(address);
  return 'problem' in reading ? undefined : accountOf(reading.origin, vendor, known);
}

/** The key of an index in the key file; undefined if missing. */
export function indexKeyOnFile(configFolder: string, id: string): string | undefined {
  const { keys } = fieldsOnFile(configFolder, 'keys.json');
  const pairs: readonly unknown[] = Array.isArray(keys) ? keys : [];
  const [pair] = pairs.filter((one) => Array.isArray(one) && one[0] === indexKeyName(id));
  const { key } = fieldsOf(Array.isArray(pair) ? pair[1] : undefined);
  return typeof key === 'string' ? key : undefined;
}

export function demoAccount(instance: string): string {
  return accountOf(`demo:${instance}`, defaultVendor, 'sandbox');
}
