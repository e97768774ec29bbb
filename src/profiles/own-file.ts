/**
 * Reads and writes files that only their owner, or one group, may touch. Checks them before reading, and replaces them as a whole.
 */

import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CliError, refused, systemCode, systemReason } from '../errors.ts';

/** Who must own a file, and whom to tell about a repair. */
export interface FileRules {
  /** This user's id. Undefined on systems without ids, where owner and mode are not checked. */
  readonly uid: number | undefined;
  /** Tells the person that a file was repaired. */
  readonly notice: (line: string) => void;
  /** The id of the group that shares these files. Absent: they are this user's alone. */
  readonly group?: number;
  /** The variable or setting that moves these files, for hints in errors. Absent: XDG_CONFIG_HOME. */
  readonly movedBy?: 'XDG_STATE_HOME' | 'journal.folder';
}

/** The modes of new files and folders. Anything created in a folder with 2770 gets the folder's group. */
export function modesOf({ group }: Pick<FileRules, 'group'>): {
  readonly file: number;
  readonly folder: number;
} {
  return group === undefined ? { file: 0o600, folder: 0o700 } : { file: 0o660, folder: 0o2770 };
}

/**
 * The text of a file; undefined if there is none. If others could read it or enter its folder, removes their rights with a notice.
 * Throws CliError 'refused' for a symbolic or hard link, another owner, rights that cannot be removed, and an unreadable file.
 */
export function readOwnFile(path: string, rules: FileRules): string | undefined {
  checkOwnFolder(dirname(path), rules);
  const handle = openOwnFile(path, constants.O_RDONLY, rules);
  if (handle === undefined) return undefined;
  try {
    return readFileSync(handle, 'utf8');
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    closeSync(handle);
  }
}

/**
 * Opens a file for the caller to close; undefined if there is none. Follows no link and never waits for a FIFO. Throws CliError
 * 'refused' like `readOwnFile`.
 */
export function openOwnFile(path: string, flags: number, rules: FileRules): number | undefined {
  let handle: number;
  try {
    handle = openSync(path, flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'ELOOP') throw unsafe(path, 'is a symbolic link', rules);
    // ENXIO: a FIFO without a reader, or a socket.
    if (code === 'ENXIO' || code === 'EISDIR') throw unsafe(path, 'is not a plain file', rules);
    throw unreadable(path, error);
  }
  try {
    const [stat, mode] = [fstatSync(handle), modesOf(rules).file];
    checkOwn(path, stat, rules);
    repairMode(path, stat, mode, rules, () => fchmodSync(handle, mode));
    return handle;
  } catch (error) {
    closeSync(handle);
    throw error instanceof CliError ? error : unreadable(path, error);
  }
}

/**
 * Whether there is a file. Checks it like `readOwnFile` without opening it: if this process opened and closed a file of SQLite,
 * the system would drop SQLite's locks on it.
 */
export function checkOwnFile(path: string, rules: FileRules): boolean {
  return checkUnopened(path, rules, modesOf(rules).file, (stat) => checkOwn(path, stat, rules));
}

/** Whether there is a folder, with the same checks. Throws CliError 'refused' like `readOwnFile`. */
export function checkOwnFolder(path: string, rules: FileRules): boolean {
  return checkUnopened(path, rules, modesOf(rules).folder, (stat) => {
    if (!stat.isDirectory()) throw unsafe(path, 'is not a folder', rules);
    checkOwner(path, stat, rules);
  });
}

function checkUnopened(path: string, rules: FileRules, mode: number, check: (stat: Stats) => void): boolean {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return false;
    if (stat.isSymbolicLink()) throw unsafe(path, 'is a symbolic link', rules);
    check(stat);
    repairMode(path, stat, mode, rules, () => chmodSync(path, mode));
    return true;
  } catch (error) {
    // ENOTDIR: part of the path is a file, so there is no such file.
    if (systemCode(error) === 'ENOTDIR') return false;
    throw error instanceof CliError ? error : unreadable(path, error);
  }
}

/** Creates a folder, or repairs its mode with a notice. Throws CliError 'refused' like `readOwnFile`. */
export function prepareOwnFolder(path: string, rules: FileRules): void {
  try {
    const mode = modesOf(rules).folder;
    mkdirSync(path, { recursive: true, mode });
    checkOwnFolder(path, rules);
    // The umask may have removed our own rights.
    if (rules.uid !== undefined && (lstatSync(path).mode & 0o700) !== 0o700) chmodSync(path, mode);
  } catch (error) {
    throw error instanceof CliError ? error : unwritable(path, error);
  }
}

/** Replaces a file as a whole. It has its mode from the start, and is on the disk when this returns. */
export function writeOwnFile(path: string, text: string | Uint8Array, rules: FileRules): void {
  prepareOwnFolder(dirname(path), rules);
  const whole = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    const mode = modesOf(rules).file;
    const handle = openSync(whole, 'wx', mode);
    try {
      // The umask may remove our own rights, and then the next read would fail.
      fchmodSync(handle, mode);
      writeFileSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(whole, path);
  } catch (error) {
    rmSync(whole, { force: true });
    throw unwritable(path, error);
  }
  syncFolderOf(path);
}

/**
 * The error for a file or folder that cannot be written. It suggests no other folder: files there would not know this folder's
 * limits and unconfirmed changes.
 */
export function unwritable(path: string, error: unknown): CliError {
  return new CliError('refused', `${path} cannot be written: ${systemReason(error)}`, {
    certain: 'nothing was changed',
    now: ['free space, or give yourself the right to write there'],
    cause: error,
  });
}

/** Makes a file's name survive a power cut, if the system can. Throws CliError 'refused' if the disk fails. */
export function syncFolderOf(path: string): void {
  try {
    syncFolder(dirname(path));
  } catch (error) {
    throw refused(
      `the change to ${path} may be lost in a power cut: ${systemReason(error)}`,
      ['check that disk, then do it again'],
      {
        certain:
          'nothing was sent; the file is written, and a power cut may bring back what was there before',
        cause: error,
      },
    );
  }
}

// Another user's folder may be closed to us, and some file systems cannot sync a folder.
const noFolderSync: readonly string[] = ['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP'];

/** Makes the names in a folder survive a power cut, if the system can. Throws the system's error if the disk fails. */
export function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (!noFolderSync.includes(systemCode(error))) throw error;
  }
}

function checkOwn(path: string, stat: Stats, rules: FileRules): void {
  if (!stat.isFile()) throw unsafe(path, 'is not a plain file', rules);
  checkOwner(path, stat, rules);
  if (rules.uid !== undefined && stat.nlink > 1) throw unsafe(path, 'has a second name (hard link)', rules);
}

function checkOwner(path: string, { uid, gid }: Stats, rules: FileRules): void {
  const isShared = rules.group !== undefined;
  if (rules.uid === undefined || (isShared ? gid === rules.group : uid === rules.uid)) return;
  throw unsafe(path, `belongs to another ${isShared ? 'group' : 'user'}`, rules);
}

/** The environment variable or machine setting that says where these files are. */
export function variableOf(rules: Pick<FileRules, 'movedBy'> | undefined): string {
  return rules?.movedBy ?? 'XDG_CONFIG_HOME';
}

// Removes others' rights, and adds missing ones for the group. Only a file's owner can do that.
function repairMode(path: string, stat: Stats, mode: number, rules: FileRules, change: () => void): void {
  const isOpen = (stat.mode & ~mode & 0o077) !== 0;
  const isClosed = (mode & ~stat.mode & 0o2070) !== 0;
  if (rules.uid === undefined || !(isOpen || isClosed)) return;
  const to = isOpen ? 'open to other users' : 'closed to its group';
  try {
    change();
  } catch (error) {
    throw unsafe(path, `is ${to}, and that cannot be changed: ${systemReason(error)}`, rules);
  }
  rules.notice(`${path} was ${to}; it is ${mode.toString(8)} now`);
}

function unsafe(path: string, what: string, { group }: FileRules): CliError {
  const now =
    group === undefined
      ? 'find out who made it, then make it your own (chown, chmod 600); never delete a journal: it stops second refunds'
      : `ask an administrator to find out who made it, and to correct it: group ${group}, files 660, folders 2770`;
  return refused(`${path} ${what}, so it is not used`, [now], {
    certain: 'nothing was sent and nothing was changed',
  });
}

function unreadable(path: string, error: unknown): CliError {
  return refused(`${path} cannot be read: ${systemReason(error)}`, ['give yourself the right to read it'], {
    certain: 'nothing was sent and nothing was changed',
    cause: error,
  });
}

/** Removes a file if it is there. Throws as in `unwritable`. */
export function removeOwnFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw unwritable(path, error);
  }
}
