/** The profiles of this user, joined behind one door. */

import { hostOf, readBaseUrl } from './base-url.ts';
import {
  addProfile,
  checkFree,
  makeDefault,
  rememberOrder,
  removeProfile,
  replaceKey,
  seenOrder,
  setSetting,
  storedIn,
} from './change.ts';
import { createCore, type ProfileParts } from './core.ts';
import { keyLimit, keyProblem, sha256 } from './key.ts';
import { listProfiles, profilesReaching } from './list.ts';
import { nameProblem } from './names.ts';
import { describeProfile, openProfile } from './open.ts';
import type { Profiles } from './profiles.ts';
import { draftOfLead } from './stored.ts';

/** The profiles of this user. Nothing is read before it is asked for, nothing written but by the methods that say so. */
export function createProfiles(parts: ProfileParts): Profiles {
  const core = createCore(parts);
  return {
    file: core.file,
    folders: parts.folders,
    keyLimit,
    given: parts.given,
    problem: { name: nameProblem, baseUrl: baseUrlProblem, key: keyProblem },
    hostOf,
    open: (name, trial) => openProfile(core, name, trial),
    describe: (name) => describeProfile(core, name),
    list: async () => listProfiles(core),
    reaching: (account) => profilesReaching(core, account),
    keyringProblem: () => core.vault.keyringProblem(),
    checkFree: async (name) => checkFree(core.read().profiles, name),
    checkStored: async (name) => {
      storedIn(core.read().profiles, name);
    },
    readLead: (text, where) => ({ ...draftOfLead(text, where), fromDigest: sha256(text) }),
    add: (draft, key) => addProfile(core, draft, key),
    use: (name) => makeDefault(core, name),
    set: (name, setting, value) => setSetting(core, name, setting, value),
    replaceKey: async (name, key) => replaceKey(core, name, key),
    remove: (name) => removeProfile(core, name),
    seenOrder: async (name) => seenOrder(core, name),
    rememberOrder: (name, orderId) => rememberOrder(core, name, orderId),
  };
}

function baseUrlProblem(text: string): string | undefined {
  const reading = readBaseUrl(text);
  return 'problem' in reading ? reading.problem : undefined;
}
