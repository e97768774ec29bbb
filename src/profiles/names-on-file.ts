/** The names in the profile file, for completions: no check of the rest, no repair, no package. */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { demoName, nameProblem } from './names.ts';

/** The stored profiles with their modes, then the built-in demo; and which is the default. */
export interface NamesOnFile {
  readonly names: readonly { readonly name: string; readonly mode: string }[];
  readonly chosen: string | undefined;
}

/** Reads the names in the file of this folder; only the demo where there is none, or none that can be read. */
export function namesOnFile(configFolder: string): NamesOnFile {
  const { profiles, default: chosen } = fieldsOf(readJson(join(configFolder, 'profiles.json')));
  const stored = Object.entries(fieldsOf(profiles))
    .filter(([name]) => nameProblem(name) === undefined)
    .map(([name, profile]) => ({ name, mode: modeOf(fieldsOf(profile).mode) }));
  return {
    names: [...stored, { name: demoName, mode: 'the simulator inside paydesk' }],
    chosen: typeof chosen === 'string' ? chosen : undefined,
  };
}

function readJson(file: string): unknown {
  try {
    return statSync(file).isFile() ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function modeOf(mode: unknown): string {
  return mode === 'production' || mode === 'sandbox' ? mode : '';
}
