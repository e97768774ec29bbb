/** A journal file that cannot be used, in words: whose fault it is and what helps. */

import { CliError, systemReason } from '../errors.ts';

// SQLite's primary codes, the low byte of what it throws: BUSY and LOCKED; CORRUPT and NOTADB.
const inUse = [5, 6];
const broken = [11, 26];

function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined;
}

function isOneOf(codes: readonly number[], error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && codes.includes(code);
}

/** SQLite finds the file itself damaged. */
export function isBroken(error: unknown): boolean {
  return isOneOf(broken, error);
}

/** Another run holds the journal: what SQLite throws, or the refusal made of it. */
export function isInUse(error: unknown): boolean {
  return isOneOf(inUse, error) || (error instanceof CliError && isOneOf(inUse, error.cause));
}

/** The refusal of a journal that cannot be opened or read: in use, damaged, or what the system says. */
export function unreadable(file: string, error: unknown): CliError {
  const parts = { certain: 'nothing was sent', cause: error };
  if (isOneOf(inUse, error)) {
    return new CliError('refused', `the journal ${file} is in use by another run that does not get on`, {
      ...parts,
      now: ['wait for that run to end, or wake it if it was stopped; then run the command again'],
    });
  }
  const bySystem = error instanceof Error && 'syscall' in error;
  const bySqlite = error instanceof Error && sqliteCode(error) !== undefined;
  // Neither SQLite nor the system: rows that do not read.
  if (isBroken(error) || !(bySqlite || bySystem)) return damaged(file, String(error), error);
  const why = bySqlite ? error.message : systemReason(error);
  return new CliError('refused', `the journal ${file} cannot be used: ${why}`, {
    ...parts,
    now: ['free space or give yourself the right to write there, or set XDG_STATE_HOME to another folder'],
  });
}

/** The refusal of a damaged journal. */
export function damaged(file: string, problem: string, cause?: unknown): CliError {
  return new CliError('refused', `the journal ${file} is damaged: ${problem}`, {
    certain: 'nothing was sent',
    now: ['paydesk journal verify', 'paydesk journal verify --repair   (keeps a copy)'],
    cause,
  });
}
