/**
 * Profiles: named ways to reach an account of the service, as the rest of paydesk sees them: types, names,
 * rules of files.
 */

import type { AuthScheme, Mode } from '../api/spec.ts';
import { CliError } from '../errors.ts';
import type { HostForms } from './base-url.ts';
import type { Folders } from './folders.ts';
import type { KeyPlace } from './profile-file.ts';
import type { Settings, SettingTexts } from './settings.ts';

export {
  aboutMoney,
  accountLabel,
  checkMode,
  commandLine,
  otherModeLine,
  wrongMode,
} from './account-words.ts';
// The journal and the locks keep their files by the same rules.
export {
  checkOwnFile,
  checkOwnFolder,
  type FileRules,
  openOwnFile,
  syncFolderOf,
  unwritable,
  writeAll,
  writeOwnFile,
} from './own-file.ts';
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
  /** Origin, vendor and mode in one line: the journal matches attempts by it. */
  readonly account: string;
}

/** The profiles of this user. Every method that writes does so under a lock and leaves either the old or the new file. */
export interface Profiles {
  /** The path of the profile file. */
  readonly file: string;
  readonly folders: Folders;
  /** How many bytes a key may have. */
  readonly keyLimit: number;
  /** `--api-version` and `--lang` of this run, or their variables. */
  readonly given: { readonly apiVersion: string | undefined; readonly lang: string | undefined };
  /**
   * Opens the named profile, or the one of this run: -p, PAYDESK_PROFILE, `profile use`, the environment.
   * Throws CliError 'auth' when there is none, 'refused' when variables of the environment contradict it.
   * `trial`: a key to use instead of the stored one; throws CliError 'usage' when it cannot be a key.
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
  /** The host of a base URL in ASCII and in Unicode; undefined for a text that is not a base URL. */
  hostOf(baseUrl: string): HostForms | undefined;
  /** Why the system keyring cannot be used here, in words; undefined when it answers. */
  keyringProblem(): Promise<string | undefined>;
  /** Throws CliError 'refused' or 'usage' unless a profile of this name can be added. */
  checkFree(name: string): Promise<void>;
  /** Throws CliError 'auth' unless there is a stored profile of this name, 'refused' for a built-in one. */
  checkStored(name: string): Promise<void>;
  /** Reads a profile that a lead wrote down for the team (`profile add --from`). Throws CliError 'usage' with what is wrong. */
  readLead(text: string, where: string): Omit<ProfileDraft, 'name'>;
  /** Stores a profile with its key; returns it as it will be used. */
  add(draft: ProfileDraft, key: NewKey): Promise<{ readonly profile: Profile; readonly keptIn: string }>;
  /** Makes it the default. */
  use(name: string): Promise<void>;
  /** Sets a setting, or one of api-version, lang, auth; the value `default` removes it. */
  set(name: string, setting: string, value: string): Promise<SettingChange>;
  /** Stores a new key, in the place of the old one unless another place is given. */
  replaceKey(
    name: string,
    key: TypedKey & { readonly place?: KeyPlace | undefined },
  ): Promise<KeyDescription>;
  /** Removes the profile and its key. */
  remove(name: string): Promise<void>;
  /** The order that `rememberOrder` stored for this profile, if any. */
  seenOrder(name: string): Promise<string | undefined>;
  /** Remembers an order that a stored profile has shown; does nothing for the built-in profiles. */
  rememberOrder(name: string, orderId: string): Promise<void>;
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
  /** The first 16 hex digits of the key's SHA-256. Throws like `key`. */
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

/** A key as somebody gave it, and how in words: `--key-stdin`. */
export interface TypedKey {
  readonly text: string;
  readonly where: string;
}

/** A key, and where it is to be stored. */
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

/** A value of a profile and where it comes from: `flag or argument`, `environment PAYDESK_LANG`, `profile`, `default`. */
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

/** A setting before and after a change, as texts; undefined is the default. */
export interface SettingChange {
  /** Its full name, the currency in capitals. */
  readonly setting: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The built-in profile of the embedded simulator. */
export const demoName = 'demo';
/** The profile that the variables of the environment form. */
export const environmentName = 'environment';
const reserved: readonly string[] = [demoName, environmentName, 'simulator'];

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** What is wrong with a name for a stored profile, or undefined. */
export function nameProblem(name: string): string | undefined {
  if (reserved.includes(name.toLowerCase()))
    return `${name} is built in: a profile of yours needs another name`;
  return namePattern.test(name)
    ? undefined
    : `profile name ${name}: use letters, digits, dot, dash and underscore, at most 63, a letter or digit first`;
}

/** Throws CliError 'refused' for a built-in name, 'usage' for one that no profile can have. */
export function checkName(name: string): void {
  const problem = nameProblem(name);
  if (problem === undefined) return;
  const kind = reserved.includes(name.toLowerCase()) ? 'refused' : 'usage';
  throw new CliError(kind, problem, { certain: 'nothing was changed' });
}
