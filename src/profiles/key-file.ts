/** The keys in a file: one 0600 file beside the profiles, each key with the one origin it may be sent to. */

import * as v from 'valibot';
import { keyPattern } from '../api/spec.ts';
import { type FileRules, readOwnFile, writeOwnFile } from './own-file.ts';
import { damaged, fileVersion, issueText, parseJson, refuseNewer } from './store.ts';

const keptKey = v.strictObject({ origin: v.string(), key: v.pipe(v.string(), v.regex(keyPattern)) });
/** A key with the one origin it may be sent to. */
export type KeptKey = v.InferOutput<typeof keptKey>;

const keyFile = v.strictObject({
  version: v.literal(fileVersion),
  // Pairs, not an object: no name of a profile is special, and none is dropped.
  keys: v.array(v.strictTuple([v.string(), keptKey])),
});

/** The keys by profile. Throws CliError 'refused'; the words never quote the file. */
export function readKeyFile(path: string, rules: FileRules): ReadonlyMap<string, KeptKey> {
  const text = readOwnFile(path, rules);
  if (text === undefined) return new Map();
  const value = parseJson(path, text);
  refuseNewer(path, value);
  const file = v.safeParse(keyFile, value);
  if (!file.success) throw damaged(path, issueText(file.issues[0]));
  return new Map(file.output.keys);
}

/** Writes all keys. Only under the lock of the profile file. */
export function writeKeyFile(path: string, keys: ReadonlyMap<string, KeptKey>, rules: FileRules): void {
  writeOwnFile(path, `${JSON.stringify({ version: fileVersion, keys: [...keys] }, undefined, 2)}\n`, rules);
}

/** A kept key out of its text in the keyring; undefined when it is none. */
export function readKeptKey(text: string): KeptKey | undefined {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), keptKey), text);
  return result.success ? result.output : undefined;
}
