/** The built-in profile `demo`: the embedded simulator, nothing to set up. */

import { defaultApiVersion, defaultAuth, defaultVendor } from '../api/spec.ts';
import { accountOf } from './account.ts';
import { demoName } from './names.ts';
import type { Profile } from './profile.ts';
import { readSettings } from './settings.ts';

/** The simulator of this user, as cli/ hands it in. */
export interface Demo {
  /** Renewed by `simulator reset`. */
  readonly instance: string;
  /** What requests to it are addressed to; they never leave this process. */
  readonly baseUrl: string;
  readonly key: string;
}

/** The profile of this instance of the simulator; after a reset it is another account. */
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
