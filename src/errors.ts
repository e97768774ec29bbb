/** What can go wrong, in kinds: each kind has one exit code, and every error is printed once, in cli/run.ts. */

import { getSystemErrorMessage } from 'node:util';

/** Kind of error → exit code. `help exit-codes` and the tests hold the same table. */
export const exitCodes = {
  /** A bug. */
  internal: 1,
  /** A reply to a read that makes no sense: HTML, a redirect, a wrong shape. */
  reply: 1,
  /** A bad flag or value, or a missing one; nothing was sent. */
  usage: 2,
  /** Refused by paydesk; nothing was sent. */
  refused: 3,
  /** Declined at a prompt (No, end of input); nothing was sent. */
  cancelled: 3,
  /** No profile, no key, or the key was not accepted. */
  auth: 4,
  /** Refused by the service. */
  rejected: 5,
  /** The service, or a complete walk, says that it does not exist. */
  not_found: 5,
  /** Network, time-out, throttled or failing service; provably nothing changed. */
  network: 6,
  /** A change was sent and no trustworthy answer came: a person must look. */
  unknown: 7,
  /** A batch ended with some rows not done. */
  batch: 8,
  /** Output or record incomplete. */
  incomplete: 9,
  /** SIGHUP with nothing in flight. */
  hangup: 129,
  /** Ctrl-C with nothing in flight. */
  interrupted: 130,
  /** SIGTERM with nothing in flight. */
  terminated: 143,
} as const;

/** A kind of error, by its name. */
export type ErrorKind = keyof typeof exitCodes;

/** One item of an error body's `details` (service: Errors), as far as it was there. */
export interface ErrorDetail {
  readonly message?: string | undefined;
  readonly debugMessage?: string | undefined;
  readonly code?: string | undefined;
  readonly param?: string | undefined;
}

/** What an error says besides its message. */
export interface CliErrorParts {
  /** What opens the first line instead of the kind's own words: `DUPLICATE?`, `no match for`. */
  readonly opening?: string;
  /** What is certain. */
  readonly certain?: string;
  /** What to do now: sentences and exact commands, a line each. */
  readonly now?: readonly string[];
  /** The service's type of error (service: Errors). */
  readonly type?: string | undefined;
  /** The service's code, as received (service: Errors). */
  readonly code?: string | undefined;
  /** The service's `log_id`. */
  readonly logId?: string | undefined;
  readonly httpStatus?: number | undefined;
  readonly details?: readonly ErrorDetail[];
  /** The order object of an error body, when there was one. */
  readonly data?: unknown;
  readonly cause?: unknown;
}

/** An error with words for a person: what happened (message), what is certain, what to do now. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly kind: ErrorKind;
  readonly parts: CliErrorParts;

  constructor(kind: ErrorKind, message: string, parts: CliErrorParts = {}) {
    super(message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.kind = kind;
    this.parts = parts;
  }

  get exitCode(): number {
    return exitCodes[this.kind];
  }
}

/** The error of a key that the service refuses, read or change; `certain`: what it leaves certain; `more`: to do besides. */
export function keyRefused(
  profile: { readonly name: string; readonly kind: 'stored' | 'environment' | 'demo' },
  parts: CliErrorParts,
  certain: string,
  more: readonly string[] = [],
): CliError {
  return new CliError(
    'auth',
    `the service did not accept the key of profile ${profile.name} (HTTP ${parts.httpStatus})`,
    { ...parts, certain, now: [...newKeyWords(profile), ...more] },
  );
}

function newKeyWords({ name, kind }: { readonly name: string; readonly kind: string }): readonly string[] {
  if (kind === 'stored') return ['ask for the new key, then:', `paydesk profile key ${name}`];
  if (kind === 'demo') return ['run the command again'];
  return ['set PAYDESK_API_KEY or PAYDESK_KEY_FILE to a key of this account'];
}

/** Every exit code with its meaning, in the order of the table; `help exit-codes` prints it. */
export const exitMeanings: ReadonlyMap<number, string> = new Map([
  [0, 'done, and confirmed'],
  [1, 'unexpected: a bug, or a reply to a read that makes no sense'],
  [2, 'usage: a bad, missing or contradictory argument, flag or file; nothing was sent'],
  [3, 'refused by paydesk, or declined at a prompt; nothing was sent'],
  [4, 'no profile, no key, or the key was not accepted'],
  [5, 'refused by the service, or not found there'],
  [6, 'network, time-out, throttled or failing service; provably nothing changed'],
  [7, 'a person must look: a change was sent and its outcome is not certain, or a duplicate is likely'],
  [8, 'a batch ended with some rows not done'],
  [9, 'output or record incomplete: disk full, pipe closed early, paging broke, a bound reached'],
  [129, 'hang-up, with nothing in flight'],
  [130, 'Ctrl-C, with nothing in flight'],
  [143, 'terminated, with nothing in flight'],
]);

/** The system's word for why something failed, `ENOENT`; `unknown error` if there is no code. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'unknown error';
}

/**
 * Why something failed, in the words of the system: `permission denied (EACCES)`; only the code if the system
 * has no words for it.
 */
export function systemReason(error: unknown): string {
  const code = systemCode(error);
  const errno = error instanceof Error && 'errno' in error ? error.errno : undefined;
  return typeof errno === 'number' && errno < 0 ? `${getSystemErrorMessage(errno)} (${code})` : code;
}

// Folders that belong to others may be closed to us; file systems that sync none have a code for it.
const noFolderSync: readonly string[] = ['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP'];

/**
 * Whether a folder could not be synced because it is not allowed or not possible there. Any other error of a
 * sync is a failure of the disk.
 */
export function cannotSyncFolder(error: unknown): boolean {
  return noFolderSync.includes(systemCode(error));
}
