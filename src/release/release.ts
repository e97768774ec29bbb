/** A person's release of a plan, for an agent that may not send by itself: a signature over digest, signer and expiry. */

import type { Released } from '../journal/journal.ts';

/** How long a release is valid, in milliseconds. */
export const releaseMs = 60 * 60_000;

/** The fewest characters of a passphrase: anybody who can read the enrolled keys can guess as often as they like. */
export const passphraseLeast = 15;

/** A passphrase, or the file of a security key. */
export type SignedWith = { readonly passphrase: string } | { readonly keyFile: string };

export interface EnrolledFile {
  readonly file: string;
  /** Why any program under this account could enrol a key; undefined: none can, so a release proves that a person made it. */
  readonly weakness: string | undefined;
  /** The text of the file; undefined if there is none. Throws CliError 'refused' if anybody but its owner can change it. */
  readonly read: () => string | undefined;
  /** Undefined if only an administrator may write it. */
  readonly write: ((text: string) => void) | undefined;
}

export interface Releases {
  readonly enrolled: Pick<EnrolledFile, 'file' | 'weakness'>;
  /** The kinds of somebody's enrolled keys. Throws CliError 'refused' for a file that cannot be trusted. */
  kindsOf(by: string): readonly Released['with'][];
  /** The line that enrols a key; it holds no secret. It is added to the file if this account may write it. */
  enrol(by: string, signedWith: SignedWith): Promise<{ readonly line: string; readonly added: boolean }>;
  /** The text of a release that is valid until `until` (Unix milliseconds). Throws CliError 'refused' if the key is not enrolled. */
  sign(claim: Pick<Released, 'by' | 'until'> & { digest: string }, signedWith: SignedWith): Promise<string>;
  /** What a text releases. Throws CliError 'refused' for another plan or time, and for a signature without an enrolled key. */
  check(text: string, digest: string, now: number): Promise<Released>;
}

export interface ReleaseParts {
  readonly enrolled: EnrolledFile;
  /** The environment for `ssh-keygen`, which signs with a security key. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: () => string;
}
