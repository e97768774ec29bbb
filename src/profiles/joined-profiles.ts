/** Joins stored and built-in profiles for the commands, and describes them for `profile list` and `profile show`. */

import { hash } from 'node:crypto';
import { type AmountStyle, plainAmounts } from '../amounts.ts';
import { CliError, orElse } from '../errors.ts';
import { baseUrlProblem, hostOf } from './base-url.ts';
import {
  demoProfile,
  environmentKeyPlace,
  environmentProfile,
  listEnvironment,
  setVariables,
} from './built-in-profiles.ts';
import {
  addProfile,
  checkFree,
  checkUsable,
  editStored,
  learnFromSender,
  limitNamed,
  makeDefault,
  rememberOrder,
  removeAllProfiles,
  removeProfile,
  replaceKey,
  setSetting,
  storedIn,
} from './change-profiles.ts';
import { fingerprint, keyLimit, keyProblem, lastFour } from './key-store.ts';
import { isLimit, limitEffect, raiseOf, type SettingTexts, strictest } from './limits.ts';
import { type FoundProfile, findProfile, givenFrom, openDraft, openProfile } from './open-profile.ts';
import {
  draftOfLead,
  keyOriginOf,
  placeOf,
  profileOf,
  type StoredProfile,
  storedOf,
} from './profile-file.ts';
import { createProfileStore, keyPlaceWords, type ProfileParts, type ProfileStore } from './profile-store.ts';
import {
  type Described,
  demoName,
  environmentName,
  type IndexKeys,
  indexKeyName,
  type KeyDescription,
  type ListedProfile,
  nameProblem,
  type Profile,
  type ProfileDescription,
  type Profiles,
  type StoredAccount,
} from './profiles.ts';
import { settingDoubt, settingName, settingWords } from './settings.ts';

/** Reads nothing yet. */
export function createProfiles(parts: ProfileParts): Profiles {
  const store = createProfileStore(parts);
  return {
    file: store.file,
    folders: parts.folders,
    keyLimit,
    given: parts.given,
    problem: { name: nameProblem, baseUrl: baseUrlProblem, key: keyProblem },
    doubt: settingDoubt,
    hostOf,
    open: (name, trial) => openProfile(store, name, trial),
    openDraft: (draft, key) => openDraft(store, draft, key),
    describe: (name) => describeProfile(store, name),
    list: async () => listProfiles(store),
    amountStyle: (name) => amountStyle(store, name),
    accountOf: (name) => accountOfStored(store, name),
    reaching: (account) => profilesReaching(store, account),
    keyringProblem: () => store.keys.keyringProblem(),
    checkFree: async (name) => checkFree(store.read().profiles, name),
    checkStored: async (name) => {
      storedIn(store.read().profiles, name);
    },
    checkUsable: async (name) => checkUsable(store.read().profiles, name),
    checkDraft: async (draft) => {
      storedOf(draft, 'file');
    },
    checkSetting: async (name, setting, value) => {
      editStored(name, storedIn(store.read().profiles, name), setting, value);
    },
    readLead: (text, where) => ({ ...draftOfLead(text, where), fromDigest: hash('sha256', text) }),
    add: (draft, key) => addProfile(store, draft, key),
    use: (name) => makeDefault(store, name),
    learnFromSender: (draft) => learnFromSender(store, draft),
    limitNamed,
    raise: raiseOf,
    effect: limitEffect,
    strictest,
    set: (name, setting, value) => setSetting(store, { name, setting, value }),
    replaceKey: async (name, key) => replaceKey(store, name, key),
    remove: (name) => removeProfile(store, name),
    removeAll: () => removeAllProfiles(store),
    seenOrder: async (name) => store.read().profiles.get(name)?.seen_order,
    rememberOrder: (name, orderId) => rememberOrder(store, name, orderId),
    indexKeys: indexKeysOf(store),
  };
}

function indexKeysOf(store: ProfileStore): IndexKeys {
  const { keys, keyFile, parts } = store;
  return {
    placeFor: async ({ name, kind }) =>
      kind === 'stored' ? (store.read().profiles.get(name)?.key_in ?? 'file') : 'file',
    placeWords: (place) => (place === 'keyring' ? 'the system keyring' : keyFile),
    async read(id, place) {
      const stored = await keys.readOther(indexKeyName(id), place);
      if (stored !== undefined) parts.learnKey(stored.key);
      return stored?.key;
    },
    async write(id, place, key) {
      parts.learnKey(key.key);
      await store.change(() => keys.write(indexKeyName(id), place, key));
    },
    async remove(id, place) {
      const problem = await store.change(() => keys.remove(indexKeyName(id), place));
      if (problem !== undefined) parts.notice(problem);
      return problem === undefined;
    },
  };
}

function listProfiles(store: ProfileStore): readonly ListedProfile[] {
  const { default: chosen, profiles } = store.read();
  const stored = [...profiles].map(([name, profile]) => ({
    name,
    kind: 'stored' as const,
    mode: profile.mode,
    baseUrl: profile.base_url,
    isDefault: chosen === name,
    hasSender: profile.sender !== undefined,
    keptIn: keptWords(store, profile),
  }));
  const demo = {
    name: demoName,
    kind: 'demo' as const,
    mode: 'sandbox' as const,
    baseUrl: undefined,
    isDefault: chosen === demoName,
    hasSender: false,
    keptIn: noKeyNeeded,
  };
  const environment = listEnvironment(store.parts.env);
  return [...stored, demo, ...(environment === undefined ? [] : [environment])];
}

function keptWords(store: ProfileStore, profile: StoredProfile): string {
  const place = keyPlaceWords(store, profile);
  return profile.sender === undefined ? place : `${place} (token of ${profile.sender.origin})`;
}

// Only stored profiles have settings.
function amountStyle(store: ProfileStore, name: string): AmountStyle {
  try {
    const stored = store.read().profiles.get(name);
    return stored === undefined ? plainAmounts : profileOf(name, stored).settings;
  } catch (error) {
    if (error instanceof CliError) return plainAmounts;
    throw error;
  }
}

async function profilesReaching(store: ProfileStore, account: string): Promise<readonly string[]> {
  const { env, demo } = store.parts;
  const names = [...store.read().profiles]
    .filter(([, stored]) => placeOf(stored).account === account)
    .map(([name]) => name);
  if (setVariables(env).length > 0 && environmentProfile(env).account === account)
    names.push(environmentName);
  if (account.startsWith('demo:') && demoProfile(await demo()).account === account) names.push(demoName);
  return names;
}

async function accountOfStored(store: ProfileStore, name: string): Promise<StoredAccount> {
  const stored = storedIn(store.read().profiles, name);
  const { mode, sender, settings } = stored;
  const limitsInFile = Object.keys(settings).filter(isLimit);
  const of = { ...placeOf(stored), mode, limitsInFile };
  if (sender !== undefined) return { ...of, keyFingerprint: undefined };
  try {
    const key = await store.keys.read(name, stored.key_in, keyOriginOf(stored));
    store.parts.learnKey(key);
    return { ...of, keyFingerprint: fingerprint(key) };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { ...of, keyFingerprint: undefined };
  }
}

// An unreadable key is not an error here: the description says why.
async function describeProfile(store: ProfileStore, name: string | undefined): Promise<ProfileDescription> {
  const found = await findProfile(store, name);
  return {
    profile: found.profile,
    values: describeValues(found, store.parts),
    settings: describeSettings(found.stored?.settings ?? {}),
    key: await describeKey(store, found),
    fromDigest: found.stored?.from_digest,
  };
}

function describeValues(
  { profile, choice, stored }: FoundProfile,
  { given, env }: ProfileParts,
): readonly Described[] {
  const source = profile.kind === 'stored' ? 'profile' : profile.kind === 'demo' ? 'built in' : 'environment';
  const from = (inFile: string | undefined, variable: string) => {
    if (profile.kind === 'environment')
      return (env[variable] ?? '') === '' ? 'default' : `environment ${variable}`;
    return profile.kind === 'stored' && inFile === undefined ? 'default' : source;
  };
  const ofOption = (
    value: string | undefined,
    inFile: string | undefined,
    variable: string,
    flag: string,
  ) => {
    if (value !== undefined) return givenFrom(value, env, variable, flag);
    return inFile === undefined ? 'default' : 'profile';
  };
  return [
    { name: 'name', value: profile.name, from: choice.from },
    { name: 'mode', value: profile.mode, from: from(stored?.mode, 'PAYDESK_MODE') },
    { name: 'base_url', value: profile.baseUrl, from: from(stored?.base_url, 'PAYDESK_BASE_URL') },
    { name: 'origin', value: profile.origin, from: profile.kind === 'demo' ? source : 'base_url' },
    { name: 'vendor', value: profile.vendor, from: from(stored?.vendor, 'PAYDESK_VENDOR') },
    {
      name: 'api_version',
      value: profile.apiVersion,
      from: ofOption(given.apiVersion, stored?.api_version, 'PAYDESK_API_VERSION', '--api-version'),
    },
    {
      name: 'lang',
      value: profile.lang,
      from: ofOption(given.lang, stored?.lang, 'PAYDESK_LANG', '--lang'),
    },
    { name: 'auth', value: profile.auth, from: from(stored?.auth, 'PAYDESK_AUTH') },
    ...senderValues(profile),
  ];
}

function senderValues({ sender }: Profile): readonly Described[] {
  if (sender === undefined) return [];
  const { origin, account, member, role, desk } = sender;
  const values = { sender: origin, sender_account: account, member, member_role: role, desk };
  return Object.entries(values).map(([name, value]) => ({ name, value, from: 'profile' }));
}

// Describes all settings. Per-currency ones are described only for currencies that are set.
function describeSettings(texts: SettingTexts): readonly Described[] {
  return settingWords().flatMap(({ name, defaultText }) => {
    if (!name.endsWith('.CUR')) {
      const text = Object.hasOwn(texts, name) ? texts[name] : undefined;
      return text === undefined
        ? [{ name, value: defaultText, from: 'default' }]
        : [{ name, value: text, from: 'profile' }];
    }
    return Object.entries(texts)
      .filter(([key]) => key.startsWith(name.slice(0, -'CUR'.length)) && settingName(key) === key)
      .map(([key, value]) => ({ name: key, value, from: 'profile' }));
  });
}

const noKeyNeeded = 'none needed';

async function describeKey(store: ProfileStore, found: FoundProfile): Promise<KeyDescription> {
  const { profile, stored } = found;
  const unknown = { lastFour: undefined, fingerprint: undefined, problem: undefined };
  if (profile.kind === 'demo') return { ...unknown, keptIn: noKeyNeeded };
  const keptIn = stored === undefined ? environmentKeyPlace(store.parts.env) : keyPlaceWords(store, stored);
  const problemOf = orElse(({ message: problem }) => ({ ...unknown, keptIn, problem }));
  return await found.key().then((key) => {
    return { ...unknown, keptIn, lastFour: lastFour(key), fingerprint: fingerprint(key) };
  }, problemOf);
}
