/** Profiles, as the rest of paydesk sees them. A profile is a named way to reach an account of the service. */

import { join } from 'node:path';
import type { AmountStyle } from '../amounts.ts';
import type { AuthScheme, Mode } from '../api/spec.ts';
import { CliError } from '../errors.ts';
import type { HostForms } from './base-url.ts';
import type { DeskKey } from './desk-key.ts';
import type { Folders } from './folders.ts';
import type { Limits, Raise, SettingTexts } from './limits.ts';
import type { FileRules } from './own-file.ts';
import type { KeyPlace } from './profile-file.ts';
import type { Settings } from './settings.ts';

export * from './account-words.ts';
export { isLoopback } from './base-url.ts';
// The journal and the locks use the same rules for their files.
export * from './own-file.ts';
export type { DeskKey, Folders, KeyPlace, Limits, Settings, SettingTexts };

/** The desk's key in this configuration folder. Its code is loaded only here. */
export async function deskKeyIn({ config }: Pick<Folders, 'config'>, rules: FileRules): Promise<DeskKey> {
  const { createDeskKey } = await import('./desk-key.ts');
  return createDeskKey(join(config, 'desk-key.pem'), rules);
}

/** A named way to reach one account. */
export interface Profile {
  readonly name: string;
  readonly kind: 'stored' | 'environment' | 'demo';
  readonly mode: Mode;
  /** Without a trailing slash; may hold a path prefix. */
  readonly baseUrl: string;
  /** `https://host:port`, or `demo:<instance>`. */
  readonly origin: string;
  readonly vendor: string;
  readonly apiVersion: string;
  readonly lang: string | undefined;
  readonly auth: AuthScheme;
  readonly settings: Settings;
  /** Origin, vendor and mode in one line. The journal uses it to find attempts of the same account. */
  readonly account: string;
  /** The team's sender, which has the key. Then `baseUrl` is the sender's; `origin` and `account` are the service's. */
  readonly sender?: SenderOfProfile | undefined;
  /** The limits in the machine's policy, and its file. Settings already hold the stricter values. */
  readonly policy?: { readonly file: string; readonly limits: Limits };
}

/** Who sends for a profile without a key. */
export interface SenderOfProfile {
  /** `https://host:port`. The token goes only there. */
  readonly origin: string;
  /** The account's name there. */
  readonly account: string;
  /** The member and role of this desk there, when it joined or was last checked. */
  readonly member: string;
  readonly role: string;
  readonly desk: string;
}

/** A method that writes takes a lock first. A crash leaves either the old file or the new one. */
export interface Profiles {
  readonly file: string;
  readonly folders: Folders;
  readonly keyLimit: number;
  /** The values of `--api-version` and `--lang`, or of their variables. */
  readonly given: { readonly apiVersion: string | undefined; readonly lang: string | undefined };
  /**
   * Opens the named profile, or else the profile of this run, from -p, PAYDESK_PROFILE, `profile use` or the environment. Throws
   * CliError 'auth' if there is none, 'refused' if environment variables contradict it. `trial` is a key to use instead of the
   * stored one; throws CliError 'usage' if it cannot be a key.
   */
  open(name?: string, trial?: TypedKey): Promise<OpenProfile>;
  /** Opens an unstored profile with this key. Throws CliError 'usage' or 'refused' if something is wrong with it. */
  openDraft(draft: ProfileDraft, key: TypedKey): OpenProfile;
  /** `isOfRun`: show times in this profile's way. */
  describe(name?: string, isOfRun?: true): Promise<ProfileDescription>;
  list(): Promise<readonly ListedProfile[]>;
  /**
   * How the named profile shows amounts. Without decimals if the profile is gone or unreadable, so that the journal can always be
   * shown.
   */
  amountStyle(name: string): AmountStyle;
  /** The account of a stored profile, even if a setting is wrong. Throws like `checkStored`. */
  accountOf(name: string): Promise<StoredAccount>;
  reaching(account: string): Promise<readonly string[]>;
  /** What is wrong with an answer to a prompt, or undefined. Repeats no key. */
  readonly problem: {
    readonly name: (text: string) => string | undefined;
    readonly baseUrl: (text: string) => string | undefined;
    readonly key: (text: string) => string | undefined;
  };
  /** Why a valid setting is probably a typing mistake, such as a status that nobody has seen; undefined if it is not. */
  doubt(setting: string, value: string): string | undefined;
  /** The host of a base URL in ASCII and Unicode; undefined if it is not a base URL. */
  hostOf(baseUrl: string): HostForms | undefined;
  /** Why the system keyring cannot be used here; undefined if it can. */
  keyringProblem(): Promise<string | undefined>;
  /** Throws CliError 'refused' or 'usage' unless a profile with this name can be added. */
  checkFree(name: string): Promise<void>;
  /** Throws CliError 'auth' unless a stored profile has this name, 'refused' for a built-in one. */
  checkStored(name: string): Promise<void>;
  checkUsable(name: string): Promise<void>;
  checkDraft(draft: ProfileDraft): Promise<void>;
  checkSetting(name: string, setting: string, value: string): Promise<void>;
  /** Reads a lead's profile for the team (`profile add --from`). Throws CliError 'usage' if it is wrong. */
  readLead(text: string, where: string): Omit<ProfileDraft, 'name'>;
  add(draft: ProfileDraft, key: NewKey): Promise<{ readonly profile: Profile; readonly keptIn: string }>;
  use(name: string): Promise<void>;
  /** Stores what the profile's sender says now: facts, settings and the member's role. */
  learnFromSender(draft: ProfileDraft): Promise<void>;
  /**
   * The full name of a limit, with the currency in capitals; undefined for another setting. Throws CliError 'usage' for an invalid
   * value; `default` removes it.
   */
  limitNamed(setting: string, value: string): string | undefined;
  /** The stricter of an account's limits and others, such as a policy's. */
  strictest(limits: SettingTexts, more: SettingTexts): SettingTexts;
  /** How a change of this limit allows more; undefined if it does not. */
  raise(limit: string, before: SettingTexts, after: SettingTexts): Raise | undefined;
  /** What a limit does, in words: `a plan has 20 rows at most`. */
  effect(limit: string, value: string): string;
  /** Changes a setting, or api-version, lang or auth. `default` removes it. */
  set(name: string, setting: string, value: string): Promise<SettingChange>;
  /** Stores a new key where the old one is, unless another place is given. */
  replaceKey(
    name: string,
    key: TypedKey & { readonly place?: KeyPlace | undefined },
  ): Promise<KeyDescription>;
  /** Returns whether its key is gone too; if not, a notice says why. */
  remove(name: string): Promise<boolean>;
  /** Removes every stored profile after its key. Throws CliError 'refused' if a key stays in the keyring. */
  removeAll(): Promise<void>;
  /** The order that `rememberOrder` stored for this profile, if any. */
  seenOrder(name: string): Promise<string | undefined>;
  /** Remembers an order that a stored profile has shown. Ignores built-in profiles. */
  rememberOrder(name: string, orderId: string): Promise<void>;
  readonly indexKeys: IndexKeys;
}

/** The keys of indexes, kept with the keys of profiles. */
export interface IndexKeys {
  /** Where to keep the key of an index built with this profile: with the profile's own key. */
  placeFor(profile: Pick<Profile, 'name' | 'kind'>): Promise<KeyPlace>;
  /** A place in words: `system keyring`, or a file. */
  placeWords(place: KeyPlace): string;
  /** Undefined if there is no such key. Throws CliError 'auth' if the keyring does not answer. */
  read(id: string, place: KeyPlace): Promise<string | undefined>;
  write(id: string, place: KeyPlace, key: { readonly origin: string; readonly key: string }): Promise<void>;
  /** Returns whether it is gone; if not, a notice says why. */
  remove(id: string, place: KeyPlace): Promise<boolean>;
}

/** A profile in use, with its key. */
export interface OpenProfile {
  readonly profile: Profile;
  /** `name`: an argument, -p or PAYDESK_PROFILE. `default`: `profile use`. */
  readonly chosenBy: 'name' | 'default' | 'environment';
  /** Throws CliError 'auth' if there is none, 'refused' if it may only go to another origin. */
  readonly key: () => Promise<string>;
  /** Call this before a change. Throws CliError 'refused' in production if only `profile use` chose this profile among several. */
  allowChange(): void;
}

/** A profile before it is stored. A missing field has its default. */
export interface ProfileDraft extends Pick<Profile, 'name' | 'baseUrl' | 'mode' | 'sender'> {
  readonly vendor?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly lang?: string | undefined;
  readonly auth?: AuthScheme | undefined;
  readonly settings?: SettingTexts | undefined;
  /** Limits for its account, stored elsewhere. */
  readonly limits?: SettingTexts | undefined;
  /** SHA-256 of the lead's file behind it. */
  readonly fromDigest?: string | undefined;
}

/** `where` says how the key was given: `--key-stdin`. */
export interface TypedKey {
  readonly text: string;
  readonly where: string;
}

export interface NewKey extends TypedKey {
  readonly place: KeyPlace;
}

export interface ListedProfile {
  readonly name: string;
  readonly kind: Profile['kind'];
  readonly mode: Mode | undefined;
  readonly baseUrl: string | undefined;
  readonly isDefault: boolean;
  /** Its changes are in a sender's journal. */
  readonly hasSender: boolean;
  /** Where its key is stored, in words. */
  readonly keptIn: string;
}

/** A profile as `profile show` shows it. */
export interface ProfileDescription {
  readonly profile: Profile;
  readonly values: readonly Described[];
  readonly settings: readonly Described[];
  readonly key: KeyDescription;
  readonly fromDigest: string | undefined;
}

/** `from` is the source of the value: `flag --lang`, `environment PAYDESK_LANG`, `profile`, `default`. */
export interface Described {
  readonly name: string;
  readonly value: string | undefined;
  readonly from: string;
}

/** What may be shown about a key. */
export interface KeyDescription {
  /** `system keyring`, a file, a variable, `none needed`. */
  readonly keptIn: string;
  readonly lastFour: string | undefined;
  readonly fingerprint: string | undefined;
  readonly problem: string | undefined;
}

/** A setting before and after a change. Undefined means the default. */
export interface SettingChange {
  /** The full name, with the currency in capitals. */
  readonly setting: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The account of a stored profile, and what tells it from others. */
export interface StoredAccount extends Pick<Profile, 'origin' | 'account' | 'mode'> {
  /** Undefined if the key is unreadable, or a sender has it. */
  readonly keyFingerprint: string | undefined;
  /** Limits still in the file, from an older paydesk. */
  readonly limitsInFile: readonly string[];
}

/** The kinds of order texts that the index may hold (setting index.fields). */
export const indexFields = [
  'name',
  'email',
  'phone',
  'card',
  'auth',
  'reference',
  'item',
  'metadata',
] as const;

export const usualNoteLength = '3';

export const demoName = 'demo';
export const environmentName = 'environment';
const reserved: readonly string[] = [demoName, environmentName, 'simulator'];

/** The name of a profile, and of an account at its sender. It fits into a path and a shell line without escapes. */
export const profileNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

export function nameProblem(name: string): string | undefined {
  if (reserved.includes(name.toLowerCase()))
    return `${name} is built in: a profile of yours needs another name`;
  return profileNamePattern.test(name)
    ? undefined
    : `profile name ${name}: use letters, digits, dot, dash and underscore, at most 63, a letter or digit first`;
}

/** Throws CliError 'refused' for a built-in name, 'usage' for an impossible one. */
export function checkName(name: string): void {
  const problem = nameProblem(name);
  if (problem === undefined) return;
  const kind = reserved.includes(name.toLowerCase()) ? 'refused' : 'usage';
  throw new CliError(kind, problem, { certain: 'nothing was changed' });
}

/** The name of an index key. No profile can have it: it holds a space. */
export function indexKeyName(id: string): string {
  return `index ${id}`;
}
