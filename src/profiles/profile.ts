/** What a profile is, and what the commands and cli/ are given of profiles. */

import type { AuthScheme, Mode } from '../api/spec.ts';
import type { HostForms } from './base-url.ts';
import type { Folders } from './folders.ts';
import type { Settings, SettingTexts } from './settings.ts';
import type { KeyPlace } from './store.ts';

export type { Folders, KeyPlace, Settings, SettingTexts };

/** A named way to reach one account. */
export interface Profile {
  readonly name: string;
  readonly kind: 'stored' | 'environment' | 'demo';
  readonly mode: Mode;
  /** Without a trailing slash; may hold a path prefix. */
  readonly baseUrl: string;
  /** Exact origin (`https://host:port`), or `demo:<instance>`. */
  readonly origin: string;
  readonly vendor: string;
  readonly apiVersion: string;
  readonly lang: string | undefined;
  readonly auth: AuthScheme;
  readonly settings: Settings;
  /** origin + vendor + mode: what the journal matches by. */
  readonly account: string;
}

/** A profile that a run works with. */
export interface OpenProfile {
  readonly profile: Profile;
  /** `name`: an argument, -p or PAYDESK_PROFILE; `default`: profile use; `environment`: its variables. */
  readonly chosenBy: 'name' | 'default' | 'environment';
  /**
   * The key, read when it is asked for. Throws CliError 'auth' when there is none, 'refused' when it was given for
   * another origin than the profile's.
   */
  readonly key: () => Promise<string>;
  /** The first 16 hex digits of the key's SHA-256. Throws as `key`. */
  fingerprint(): Promise<string>;
  /** Call before a change. Throws CliError 'refused' in production when only `profile use` chose among several. */
  approveChange(): void;
}

/** A profile to be stored. What is absent has its default. */
export interface ProfileDraft {
  readonly name: string;
  readonly baseUrl: string;
  readonly mode: Mode;
  readonly vendor?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly lang?: string | undefined;
  readonly auth?: AuthScheme | undefined;
  readonly settings?: SettingTexts | undefined;
  /** SHA-256 of the lead's file that it was made from. */
  readonly fromDigest?: string | undefined;
}

/** A key as it came, with the place it came from in words: `--key-stdin`. */
export interface TypedKey {
  readonly text: string;
  readonly where: string;
}

/** The same, with where it is to be kept. */
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
  /** Where its key is kept, in words. */
  readonly keptIn: string;
}

/** A value of a profile with where it comes from: `flag or argument`, `environment PAYDESK_LANG`, `profile`, `default`. */
export interface Described {
  readonly name: string;
  readonly value: string | undefined;
  readonly from: string;
}

/** A profile as `profile show` tells of it. */
export interface ProfileDescription {
  readonly profile: Profile;
  readonly values: readonly Described[];
  readonly settings: readonly Described[];
  readonly key: KeyDescription;
  readonly fromDigest: string | undefined;
}

/** What may be told of a key. */
export interface KeyDescription {
  /** `system keyring`, a file, a variable, `none needed`. */
  readonly keptIn: string;
  readonly lastFour: string | undefined;
  readonly fingerprint: string | undefined;
  /** Why it could not be read. */
  readonly problem: string | undefined;
}

/** The profiles of this user. Every method that writes does so under a lock, and leaves an old or a new file, whole. */
export interface Profiles {
  /** The profile file. */
  readonly file: string;
  readonly folders: Folders;
  /** How many bytes a key may have. */
  readonly keyLimit: number;
  /** `--api-version` and `--lang` of this run, or their variables. */
  readonly given: { readonly apiVersion: string | undefined; readonly lang: string | undefined };
  /**
   * Opens the named profile, or the one of this run: -p, PAYDESK_PROFILE, `profile use`, the environment.
   * Throws CliError 'auth' when there is none, 'refused' when variables of the environment contradict it.
   * `trial`: a key to open it with instead of the kept one; throws CliError 'usage' when it cannot be one.
   */
  open(name?: string, trial?: TypedKey): Promise<OpenProfile>;
  describe(name?: string): Promise<ProfileDescription>;
  list(): Promise<readonly ListedProfile[]>;
  /** Names of the profiles that reach an account. */
  reaching(account: string): Promise<readonly string[]>;
  /** What is wrong with a text, or undefined; for prompts. The words repeat no key. */
  readonly problem: {
    readonly name: (text: string) => string | undefined;
    readonly baseUrl: (text: string) => string | undefined;
    readonly key: (text: string) => string | undefined;
  };
  /** The host of a base URL in both of its forms; undefined for what is no base URL. */
  hostOf(baseUrl: string): HostForms | undefined;
  /** Why the system keyring is of no use here, in words; undefined when it answers. */
  keyringProblem(): Promise<string | undefined>;
  /** Throws CliError 'refused' or 'usage' unless a profile of this name can be added. */
  checkFree(name: string): Promise<void>;
  /** Throws CliError 'auth' unless there is a stored profile of this name, 'refused' for a built-in one. */
  checkStored(name: string): Promise<void>;
  /** Reads a lead's file. Throws CliError 'usage' with what is wrong. */
  readLead(text: string, where: string): Omit<ProfileDraft, 'name'>;
  /** Stores a profile with its key; returns it as it will be used. */
  add(draft: ProfileDraft, key: NewKey): Promise<{ readonly profile: Profile; readonly keptIn: string }>;
  /** Makes it the default. */
  use(name: string): Promise<void>;
  /** Sets a setting, or one of api-version, lang, auth; `default` takes it back. Returns it before and after. */
  set(name: string, setting: string, value: string): Promise<SettingChange>;
  /** Keeps a new key; where the old one was, unless the place is given. */
  replaceKey(
    name: string,
    key: TypedKey & { readonly place?: KeyPlace | undefined },
  ): Promise<KeyDescription>;
  /** Removes the profile and its key. */
  remove(name: string): Promise<void>;
  /** An order that `rememberOrder` kept for this profile, if one was. */
  seenOrder(name: string): Promise<string | undefined>;
  /** Remembers an order that a stored profile saw; nothing for the others. */
  rememberOrder(name: string, orderId: string): Promise<void>;
}

/** A setting before and after, as texts; undefined is the default. */
export interface SettingChange {
  /** Its full name, the currency in capitals. */
  readonly setting: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}
