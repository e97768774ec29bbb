/** Tells what an error of SQLite means for the journal: the file is in use, damaged or full, or the system denies access. */

import { CliError, systemReason } from '../../errors.ts';

// SQLite's primary codes (the low byte of the error code): BUSY and LOCKED; CORRUPT and NOTADB; and ERROR, since every statement
// fits tables that are whole.
const inUse = [5, 6];
const broken = [1, 11, 26];

// FULL; READONLY and CANTOPEN.
const full = [13];
const closed = [8, 14];

export function isFull(error: unknown): boolean {
  return isOneOf(full, error);
}

export function mayNotWrite(error: unknown): boolean {
  return isOneOf(closed, error);
}

function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined;
}

function isOneOf(codes: readonly number[], error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && codes.includes(code);
}

/** Whether SQLite says that the file itself is damaged. */
export function isBroken(error: unknown): boolean {
  return isOneOf(broken, error);
}

/** Whether another run holds the journal. Takes SQLite's error, or the refusal made from it. */
export function isInUse(error: unknown): boolean {
  return isOneOf(inUse, error) || (error instanceof CliError && isOneOf(inUse, error.cause));
}

/** The refusal if a journal cannot be opened or read: in use, damaged, or what the system says. */
export function unreadable(file: string, error: unknown): CliError {
  const parts = { certain: 'nothing was sent', cause: error };
  if (isOneOf(inUse, error)) {
    return new CliError('refused', `the journal ${file} is in use by another run that does not finish`, {
      ...parts,
      now: ['wait for that run to end, or resume it (fg) if it is suspended; then run the command again'],
    });
  }
  const bySystem = error instanceof Error && 'syscall' in error;
  const bySqlite = error instanceof Error && sqliteCode(error) !== undefined;
  // Any other error comes from rows that cannot be read.
  if (isBroken(error) || !(bySqlite || bySystem)) return damaged(file, String(error), error);
  const why = bySqlite ? error.message : systemReason(error);
  return new CliError('refused', `the journal ${file} cannot be used: ${why}`, {
    ...parts,
    // In another folder, a new journal would not know what is unconfirmed in this one.
    now: ['free space, or give yourself the right to write there'],
  });
}

/** What to do about a journal that is damaged. */
export const verifyAndRepair = ['paydesk journal verify', 'paydesk journal verify --repair   (keeps a copy)'];

export function damaged(file: string, problem: string, cause?: unknown): CliError {
  return new CliError('refused', `the journal ${file} is damaged: ${problem}`, {
    certain: 'nothing was sent',
    now: verifyAndRepair,
    cause,
  });
}
