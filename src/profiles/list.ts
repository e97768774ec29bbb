/** What is known of all profiles together: the list, and who reaches an account. */

import type { Core } from './core.ts';
import { demoProfile } from './demo.ts';
import { environmentBaseUrl, environmentMode, environmentProfile, setVariables } from './environment.ts';
import { demoName, environmentName } from './names.ts';
import { keptIn } from './open.ts';
import type { ListedProfile } from './profiles.ts';
import { placeOf } from './stored.ts';

/** The stored profiles, then the built-in ones. */
export function listProfiles(core: Core): readonly ListedProfile[] {
  const { default: chosen, profiles } = core.read();
  const { env } = core.parts;
  const stored = [...profiles].map(([name, profile]) => ({
    name,
    kind: 'stored' as const,
    mode: profile.mode,
    baseUrl: profile.base_url,
    isDefault: chosen === name,
    keptIn: keptIn(core, 'stored', profile),
  }));
  const demo = {
    name: demoName,
    kind: 'demo' as const,
    mode: 'sandbox' as const,
    baseUrl: undefined,
    isDefault: chosen === demoName,
    keptIn: keptIn(core, 'demo', undefined),
  };
  if (setVariables(env).length === 0) return [...stored, demo];
  const environment = {
    name: environmentName,
    kind: 'environment' as const,
    mode: environmentMode(env),
    baseUrl: environmentBaseUrl(env),
    isDefault: false,
    keptIn: keptIn(core, 'environment', undefined),
  };
  return [...stored, demo, environment];
}

/** Names of the profiles that reach an account. */
export async function profilesReaching(core: Core, account: string): Promise<readonly string[]> {
  const { env, demo } = core.parts;
  const names = [...core.read().profiles]
    .filter(([, stored]) => placeOf(stored).account === account)
    .map(([name]) => name);
  if (setVariables(env).length > 0 && environmentProfile(env).account === account)
    names.push(environmentName);
  if (account.startsWith('demo:') && demoProfile(await demo()).account === account) names.push(demoName);
  return names;
}
