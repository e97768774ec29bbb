/** A person's release of a plan, for an agent that may not send by itself: a signature over the digest of the plan, its signer and its end. */

import type { Released } from '../journal/journal.ts';

/** For how long a release counts, milliseconds. */
export const releaseMs = 60 * 60_000;

/** A passphrase has so many characters at least: whoever reads the enrolled keys may guess as often as they like. */
export const passphraseLeast = 15;

/** What a person signs with: a passphrase that they typed, or the file of a security key. */
export type SignedWith = { readonly passphrase: string } | { readonly keyFile: string };

/** The file of the enrolled keys. */
export interface EnrolledFile {
  readonly file: string;
  /** Why whatever runs as this account could enrol a key; undefined: it cannot, so that a release proves a person. */
  readonly weakness: string | undefined;
  /** Its text; undefined if there is none. Throws CliError 'refused' for one that others than its owner can change. */
  readonly read: () => string | undefined;
  /** Undefined where only an administrator writes it. */
  readonly write: ((text: string) => void) | undefined;
}

/** Releases of a run. */
export interface Releases {
  readonly enrolled: Pick<EnrolledFile, 'file' | 'weakness'>;
  /** The kinds of the keys that are enrolled for somebody. Throws CliError 'refused' for a file that cannot be trusted. */
  kindsOf(by: string): readonly Released['with'][];
  /** The line that enrols a key, which holds nothing secret. It is added to the file where this account may write that. */
  enrol(by: string, signedWith: SignedWith): Promise<{ readonly line: string; readonly added: boolean }>;
  /** The text of a release that counts until then (Unix milliseconds). Throws CliError 'refused' if the key is not enrolled. */
  sign(claim: Pick<Released, 'by' | 'until'> & { digest: string }, signedWith: SignedWith): Promise<string>;
  /** What a text releases. Throws CliError 'refused' for any other plan or time, and for a signature that no enrolled key made. */
  check(text: string, digest: string, now: number): Promise<Released>;
}

/** What it takes. */
export interface ReleaseParts {
  readonly enrolled: EnrolledFile;
  /** The environment of `ssh-keygen`, which signs with a security key. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: () => string;
}
