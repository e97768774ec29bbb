/** The account of a profile and the key of its index for TAB, read quickly from the user's files. Nothing is checked or repaired. */

import { defaultVendor, modes } from '../api/spec.ts';
import { accountOf, readBaseUrl } from './base-url.ts';
import { fieldsOf, fieldsOnFile } from './early-reads.ts';
import { indexKeyName } from './profile-names.ts';

/** The account of a stored profile; undefined if it cannot be read. */
export function accountOnFile(configFolder: string, name: string): string | undefined {
  const { profiles } = fieldsOnFile(configFolder, 'profiles.json');
  const { base_url: address, mode, vendor = defaultVendor } = fieldsOf(fieldsOf(profiles)[name]);
  const known = modes.find((one) => one === mode);
  if (typeof address !== 'string' || typeof vendor !== 'string' || known === undefined) return undefined;
  const reading = readBaseUrl(address);
  return 'problem' in reading ? undefined : accountOf(reading.origin, vendor, known);
}

/** The key of an index in the key file; undefined if it is not there. */
export function indexKeyOnFile(configFolder: string, id: string): string | undefined {
  const { keys } = fieldsOnFile(configFolder, 'keys.json');
  const pairs: readonly unknown[] = Array.isArray(keys) ? keys : [];
  const [pair] = pairs.filter((one) => Array.isArray(one) && one[0] === indexKeyName(id));
  const { key } = fieldsOf(Array.isArray(pair) ? pair[1] : undefined);
  return typeof key === 'string' ? key : undefined;
}

/** The account of the demo of this instance. */
export function demoAccount(instance: string): string {
  return accountOf(`demo:${instance}`, defaultVendor, 'sandbox');
}
