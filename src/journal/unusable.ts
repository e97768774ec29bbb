/** A journal file that cannot be used, in words: whose fault it is and what helps. */

import { CliError, systemReason } from '../errors.ts';

// SQLite's primary codes, the low byte of what it throws: BUSY and LOCKED; CORRUPT and NOTADB.
const inUse = [5, 6];
const broken = [11, 26];

function codeOf(error: unknown): number {
  return Number(Object(error).errcode) & 0xff;
}

/** SQLite finds the file itself damaged. */
export function isBroken(error: unknown): boolean {
  return broken.includes(codeOf(error));
}

/** The refusal of a journal that cannot be opened or read: in use, damaged, or what the system says. */
export function unreadable(file: string, error: unknown): CliError {
  const parts = { certain: 'nothing was sent', cause: error };
  if (inUse.includes(codeOf(error))) {
    return new CliError('refused', `the journal ${file} is in use by another run that does not get on`, {
      ...parts,
      now: ['wait for that run to end, or wake it if it was stopped; then run the command again'],
    });
  }
  // Neither SQLite nor the system: rows that do not read.
  const strange = codeOf(error) === 0 && Object(error).syscall === undefined;
  if (strange || isBroken(error)) return damaged(file, String(error), error);
  const why = codeOf(error) === 0 ? systemReason(error) : Object(error).message;
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
