/** The kinds of errors, each with its exit code. Every error is printed once, in cli/run.ts. */

import { getSystemErrorMessage } from 'node:util';
import type { RefusalCode } from './refusal-codes.ts';

/** The exit code of each kind of error. */
export const exitCodes = {
  /** A bug. */
  internal: 1,
  /** A read got a reply that makes no sense: HTML, a redirect, a wrong shape. */
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
  /** The service says that what was asked for does not exist, or the whole list was read without finding it. */
  not_found: 5,
  /** The network or the service failed, or the service asked to wait. It is certain that nothing changed. */
  network: 6,
  /** A change was sent and no trustworthy answer came: a person must look. */
  unconfirmed: 7,
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

/** Not an error: the reader of the output went away, as `head` does, and the command changes nothing. */
export const unreadExitCode = 141;

export type ErrorKind = keyof typeof exitCodes;

/** One item of `details` in an error of the service (service: Errors). */
export interface ErrorDetail {
  readonly message?: string | undefined;
  readonly debugMessage?: string | undefined;
  readonly code?: string | undefined;
  readonly param?: string | undefined;
}

/** What an error is about: fields of its JSON, so that a script need not search its texts. */
export interface ErrorSubject {
  /** The journal's id of the change. */
  readonly change?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly orderId?: string | undefined;
  readonly profile?: string | undefined;
  /** A request for the approval of a second person. */
  readonly approval?: string | undefined;
}

/** What an error says besides its message. */
export interface CliErrorParts extends ErrorSubject {
  /** The first words of the error, instead of the usual words for its kind: `MADE TWICE:`, `no match for`. */
  readonly opening?: string;
  /** What is certain in spite of the error: `nothing was sent`. */
  readonly certain?: string;
  /**
   * What is certain about the records that were read: `250 orders were read; there may be more`. It says nothing about what was
   * sent.
   */
  readonly read?: string;
  /** What to do now: sentences and exact commands, each on its own line. */
  readonly now?: readonly string[];
  /** Lines of `now` that somebody else types, so that no script runs them. */
  readonly forOthers?: readonly string[];
  /** Why it is refused, for a script. No person sees it. */
  readonly ownCode?: RefusalCode | undefined;
  /** The commands in `now` that can be run as they are, each as its words. */
  readonly commands?: readonly (readonly string[])[];
  /** The service's type of error (service: Errors). */
  readonly type?: string | undefined;
  /** The service's code, as received (service: Errors). */
  readonly code?: string | undefined;
  readonly logId?: string | undefined;
  readonly httpStatus?: number | undefined;
  readonly details?: readonly ErrorDetail[];
  /** The order in an error of the service, if there was one. */
  readonly data?: unknown;
  /**
   * When a limit over 24 hours has room for the amount again, Unix seconds; null: never, because the amount is above the limit
   * itself.
   */
  readonly roomAt?: number | null | undefined;
  /** How much the limit still allows; absent if it was not a limit on amounts that refused. */
  readonly allows?: number | undefined;
  /** The refund that the charge already has, equal to the one that was asked for. */
  readonly equalTo?: string;
  readonly cause?: unknown;
}

/** An error in words for a person: what happened (the message), what is certain, and what to do now. */
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

/**
 * The exit code of a command that runs until a signal comes: that is its normal end, so no error is printed. The code tells which
 * signal it was.
 */
export function exitCodeOf({ reason }: AbortSignal): number {
  return reason instanceof CliError ? reason.exitCode : exitCodes.interrupted;
}

/**
 * paydesk refuses, and nothing was sent, unless the parts say otherwise. `now`: what to do. If `more` is only a word, it is the
 * code for scripts.
 */
export function refused(
  message: string,
  now: readonly string[] = [],
  more: CliErrorParts | RefusalCode = {},
): CliError {
  const parts = typeof more === 'string' ? { ownCode: more } : more;
  return new CliError('refused', message, { certain: 'nothing was sent', now, ...parts });
}

/** The same error with more parts. What it already says about its subject stays. */
export function withParts(error: CliError, more: CliErrorParts): CliError {
  const { change, idempotencyKey, orderId, profile, approval } = error.parts;
  const parts: CliErrorParts = {
    ...error.parts,
    ...more,
    change: change ?? more.change,
    idempotencyKey: idempotencyKey ?? more.idempotencyKey,
    orderId: orderId ?? more.orderId,
    profile: profile ?? more.profile,
    approval: approval ?? more.approval,
  };
  const same = new CliError(error.kind, error.message, parts);
  if (error.stack !== undefined) same.stack = error.stack;
  return same;
}

/** Does something, and adds these parts, such as what it was about, to the CliError that it throws. */
export async function about<T>(parts: CliErrorParts, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof CliError ? withParts(error, parts) : error;
  }
}

/** For `catch()`: turns a CliError into what `instead` returns. Any other error is a bug, and is thrown on. */
export function orElse<T>(instead: (error: CliError) => T): (error: unknown) => T {
  return (error) => {
    if (error instanceof CliError) return instead(error);
    throw error;
  };
}

/** The error when the service does not accept the key. `more` are further lines about what to do now. */
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

/** What `act` returns; undefined if it throws. For values that are only looked at, and may have any form. */
export function orUndefined<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** Every exit code with its meaning, as `help exit-codes` prints it. */
export const exitMeanings: ReadonlyMap<number, string> = new Map([
  [0, 'done, and confirmed'],
  [1, 'unexpected: a bug, or a reply to a read that makes no sense'],
  [2, 'usage: a bad, missing or contradictory argument, flag or file; nothing was sent'],
  [3, 'refused by paydesk, or declined at a prompt; nothing was sent'],
  [4, 'no profile, no key, or the key was not accepted'],
  [5, 'refused by the service, or not found there'],
  [6, 'network, timeout, or a service that fails or wants fewer requests; certainly nothing changed'],
  [7, 'a person must look: a change is unconfirmed, or a duplicate is likely'],
  [8, 'some rows of a file or plan are not refunded, or cannot be'],
  [
    9,
    'output or record incomplete: disk full, pipe closed early, a list broke off between pages, a limit reached',
  ],
  [129, 'hang-up, while no change was being sent'],
  [130, 'Ctrl-C, while no change was being sent'],
  [
    unreadExitCode,
    'the reader of the output went away, as `head` does; only for commands that change nothing',
  ],
  [143, 'terminated, while no change was being sent'],
]);

/** The system's code for a failure, such as `ENOENT`; `unknown error` if it has none. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'unknown error';
}

/** The message of an error; the text of anything else that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Why something failed: `permission denied (EACCES)`. It is only the code if the system has no words for it. */
export function systemReason(error: unknown): string {
  const code = systemCode(error);
  // SQLite has one code for everything that can happen to it.
  if (code === 'ERR_SQLITE_ERROR' && error instanceof Error) return error.message;
  const errno = error instanceof Error && 'errno' in error ? error.errno : undefined;
  return typeof errno === 'number' && errno < 0 ? `${getSystemErrorMessage(errno)} (${code})` : code;
}
