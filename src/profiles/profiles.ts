/** Profiles as the rest of paydesk sees them. A profile is a named way to reach an account of the service. */

import { join } from 'node:path';
import type { AmountStyle } from '../amounts.ts';
import type { AuthScheme, Mode } from '../api/spec.ts';
import type { HostForms } from './base-url.ts';
import type { DeskKey } from './desk-key.ts';
import type { Folders } from './folders.ts';
import type { Limits, Raise, SettingTexts } from './limits.ts';
import type { FileRules } from './own-file.ts';
import type { KeyPlace } from './profile-file.ts';
import type { Settings } from './settings.ts';

export * from './account-words.ts';
// The journal and the locks use the same rules for their files.
export * from './own-file.ts';
export { demoName, environmentName } from './profile-names.ts';
export type { DeskKey, Folders, KeyPlace, Limits, Settings, SettingTexts };

/** The key of the desk with this folder of configuration. Its code is loaded only here. */
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
  /** The sender of the team, which has the key. `baseUrl` is then its address; `origin` and `account` are those of the service. */
  readonly sender?: SenderOfProfile | undefined;
  /** The limits that the machine's policy sets, and its file. Settings already hold the stricter value of each. */
  readonly policy?: { readonly file: string; readonly limits: Limits };
}

/** Who sends for a profile that has no key of its own. */
export interface SenderOfProfile {
  /** `https://host:port`. The token goes there only. */
  readonly origin: string;
  /** The name of the account there. */
  readonly account: string;
  /** Who this desk is there, and as what, when it joined or was checked last. */
  readonly member: string;
  readonly role: string;
  /** The name of this desk there. */
  readonly desk: string;
}

/** The profiles of this user. A method that writes takes a lock first. A crash leaves either the old or the new file. */
export interface Profiles {
  /** The path of the profile file. */
  readonly file: string;
  readonly folders: Folders;
  /** The longest key, in bytes. */
  readonly keyLimit: number;
  /** The values of `--api-version` and `--lang`, or of their variables. */
  readonly given: { readonly apiVersion: string | undefined; readonly lang: string | undefined };
  /**
   * Opens the named profile, or else the profile of this run, from -p, PAYDESK_PROFILE, `profile use` or the environment.
   * Throws CliError 'auth' when there is none, 'refused' when variables of the environment contradict it. `trial` is a key
   * to use instead of the stored one. Throws CliError 'usage' when it cannot be a key.
   */
  open(name?: string, trial?: TypedKey): Promise<OpenProfile>;
  /** Opens a profile that is not stored, with this key. Throws CliError 'usage' or 'refused' if something in it is wrong. */
  openDraft(draft: ProfileDraft, key: TypedKey): OpenProfile;
  /** `isOfRun`: times are then shown as this profile says. */
  describe(name?: string, isOfRun?: true): Promise<ProfileDescription>;
  list(): Promise<readonly ListedProfile[]>;
  /**
   * How the named profile shows amounts. Without decimals if there is no such profile any more, or if it cannot be read, so
   * that the journal can always be shown.
   */
  amountStyle(name: string): AmountStyle;
  /** The account of a stored profile, even if the profile has a wrong setting. Throws like `checkStored`. */
  accountOf(name: string): Promise<StoredAccount>;
  /** The names of the profiles that reach an account. */
  reaching(account: string): Promise<readonly string[]>;
  /** What is wrong with an answer to a prompt, or undefined. The message repeats no key. */
  readonly problem: {
    readonly name: (text: string) => string | undefined;
    readonly baseUrl: (text: string) => string | undefined;
    readonly key: (text: string) => string | undefined;
  };
  /** Why a setting is likely mistyped though it can be read, such as a status that nobody has seen; undefined if it is not. */
  doubt(setting: string, value: string): string | undefined;
  /** The host of a base URL in ASCII and in Unicode; undefined for a text that is not a base URL. */
  hostOf(baseUrl: string): HostForms | undefined;
  /** Why the system keyring cannot be used here; undefined if it can. */
  keyringProblem(): Promise<string | undefined>;
  /** Throws CliError 'refused' or 'usage' unless a profile of this name can be added. */
  checkFree(name: string): Promise<void>;
  /** Throws CliError 'auth' unless there is a stored profile of this name, 'refused' for a built-in one. */
  checkStored(name: string): Promise<void>;
  /** Throws CliError as `use` does for a profile that cannot be the default. */
  checkUsable(name: string): Promise<void>;
  /** Throws CliError as `add` does for a profile that cannot be stored. */
  checkDraft(draft: ProfileDraft): Promise<void>;
  /** Throws CliError as `set` does for a change that cannot be made. */
  checkSetting(name: string, setting: string, value: string): Promise<void>;
  /** Reads a profile that a lead wrote down for the team (`profile add --from`). Throws CliError 'usage' if it is wrong. */
  readLead(text: string, where: string): Omit<ProfileDraft, 'name'>;
  /** Stores a profile with its key. */
  add(draft: ProfileDraft, key: NewKey): Promise<{ readonly profile: Profile; readonly keptIn: string }>;
  /** Makes a profile the default. */
  use(name: string): Promise<void>;
  /** Stores what the sender of a profile says now: its facts and settings, and the role of the member. */
  learnFromSender(draft: ProfileDraft): Promise<void>;
  /**
   * The full name of the limit that a setting is, with the currency in capitals; undefined if it is none. Throws CliError 'usage' for a
   * value that it cannot have; `default` removes it.
   */
  limitNamed(setting: string, value: string): string | undefined;
  /** Of the limits of an account and more limits, such as those of a policy, the stricter ones. */
  strictest(limits: SettingTexts, more: SettingTexts): SettingTexts;
  /** What a change of this one limit allows more than before; undefined if it allows no more. */
  raise(limit: string, before: SettingTexts, after: SettingTexts): Raise | undefined;
  /** What a limit does with its value, in words: `a plan has 20 rows at most`. */
  effect(limit: string, value: string): string;
  /** Changes a setting, or api-version, lang or auth. The value `default` removes it. */
  set(name: string, setting: string, value: string): Promise<SettingChange>;
  /** Stores a new key. It goes where the old one is, unless another place is given. */
  replaceKey(
    name: string,
    key: TypedKey & { readonly place?: KeyPlace | undefined },
  ): Promise<KeyDescription>;
  /** Removes a profile and its key. */
  remove(name: string): Promise<void>;
  /** The order that `rememberOrder` stored for this profile, if any. */
  seenOrder(name: string): Promise<string | undefined>;
  /** Remembers an order that a stored profile has shown. Does nothing for built-in profiles. */
  rememberOrder(name: string, orderId: string): Promise<void>;
  readonly indexKeys: IndexKeys;
}

/** The keys of indexes. They are kept where the keys of profiles are. */
export interface IndexKeys {
  /** Where the key of an index is kept that is built with this profile: where its own key is. */
  placeFor(profile: Pick<Profile, 'name' | 'kind'>): Promise<KeyPlace>;
  /** A place in words: `system keyring`, or a file. */
  placeWords(place: KeyPlace): string;
  /** Undefined if there is no such key. Throws CliError 'auth' if the keyring does not answer. */
  read(id: string, place: KeyPlace): Promise<string | undefined>;
  write(id: string, place: KeyPlace, key: { readonly origin: string; readonly key: string }): Promise<void>;
  remove(id: string, place: KeyPlace): Promise<void>;
}

/** A profile in use, with its key. */
export interface OpenProfile {
  readonly profile: Profile;
  /** `name` means an argument, -p or PAYDESK_PROFILE; `default` means `profile use`. */
  readonly chosenBy: 'name' | 'default' | 'environment';
  /** Reads the key. Throws CliError 'auth' when there is none, 'refused' when it may only go to another origin. */
  readonly key: () => Promise<string>;
  /** Call it before a change. Throws CliError 'refused' in production if only `profile use` chose this profile among several. */
  allowChange(): void;
}

/** A profile before it is stored. A missing field has its default. */
export interface ProfileDraft extends Pick<Profile, 'name' | 'baseUrl' | 'mode' | 'sender'> {
  readonly vendor?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly lang?: string | undefined;
  readonly auth?: AuthScheme | undefined;
  readonly settings?: SettingTexts | undefined;
  /** Limits for its account. They are not stored with it. */
  readonly limits?: SettingTexts | undefined;
  /** SHA-256 of the lead's file that it was made from. */
  readonly fromDigest?: string | undefined;
}

/** A key that somebody gave. `where` says how: `--key-stdin`. */
export interface TypedKey {
  readonly text: string;
  readonly where: string;
}

/** A key, and the place where it will be stored. */
export interface NewKey extends TypedKey {
  readonly place: KeyPlace;
}

/** One line of `profile list`. */
export interface ListedProfile {
  readonly name: string;
  readonly kind: Profile['kind'];
  readonly mode: Mode | undefined;
  readonly baseUrl: string | undefined;
  readonly isDefault: boolean;
  /** Its changes are in the journal of a sender. */
  readonly hasSender: boolean;
  /** Says where its key is stored. */
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

/** A value of a profile. `from` is its source: `flag --lang`, `environment PAYDESK_LANG`, `profile`, `default`. */
export interface Described {
  readonly name: string;
  readonly value: string | undefined;
  readonly from: string;
}

/** What may be shown of a key. */
export interface KeyDescription {
  /** `system keyring`, a file, a variable, `none needed`. */
  readonly keptIn: string;
  readonly lastFour: string | undefined;
  readonly fingerprint: string | undefined;
  /** Why it could not be read. */
  readonly problem: string | undefined;
}

/** A setting before and after a change. Undefined means the default. */
export interface SettingChange {
  /** The full name, with the currency in capitals. */
  readonly setting: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The account of a stored profile, and what tells whether it is that of another one. */
export interface StoredAccount extends Pick<Profile, 'origin' | 'account' | 'mode'> {
  /** Undefined if the key cannot be read, and where a sender has it. */
  readonly keyFingerprint: string | undefined;
  /** The limits that the file still holds, where an older paydesk kept them. */
  readonly limitsInFile: readonly string[];
}

/** The kinds of texts of an order that the index may hold (setting index.fields). */
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

/** The default of refund.note_length. */
export const usualNoteLength = '3';
