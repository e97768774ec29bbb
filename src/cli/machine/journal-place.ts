/**
 * Decides where the journal and its locks are: in this user's own folder, or in a common folder for all users of the machine, if
 * its administrator chose one (`journal.folder`).
 */

import { accessSync, constants, lstatSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { JsonObject } from '../../api/json-values.ts';
import { CliError, refused, systemCode, systemReason } from '../../errors.ts';
import type { Io } from '../../io.ts';
import { type FileRules, quoted } from '../../profiles/profiles.ts';
import { certain, invalidMachineFile, readMachineObject } from './machine-file.ts';

/** Where the journal, its witness and its locks are. */
export interface JournalPlace {
  readonly folder: string;
  /** The folder of the witness. */
  readonly witness: string;
  /** What decided that: the state folder of this user, or the file of the machine's configuration. */
  readonly from: string;
  /** Who may use the files. */
  readonly rules: FileRules;
}

/** Who asks, and what this user has. */
interface PlaceParts extends Pick<Io, 'machineFile' | 'uid'> {
  readonly stateFolder: string;
  readonly witnessFolder: string;
  readonly notice: (line: string) => void;
}

/**
 * Reads the machine's configuration. Throws CliError 'refused' if that is not valid, if users other than root can write it, and if
 * this user cannot use the common folder: with a journal of their own, the same refund could be sent twice.
 */
export function findJournalPlace({ machineFile, uid, notice, ...own }: PlaceParts): JournalPlace {
  const value = readMachineObject({ path: machineFile, name: configuration, uid }, correct);
  const common = value === undefined ? undefined : folderIn(machineFile, value);
  if (common === undefined)
    return {
      folder: own.stateFolder,
      witness: own.witnessFolder,
      from: 'state_folder',
      rules: { uid, notice, movedBy: 'XDG_STATE_HOME' },
    };
  const group = groupOf(common);
  refuseOwnJournal(own.stateFolder, common, machineFile);
  const witness = join(common, 'witness');
  return {
    folder: common,
    witness,
    from: machineFile,
    rules: { uid, group, notice, movedBy: 'journal.folder' },
  };
}

/** The journal's file in such a folder. */
export function journalFileIn(folder: string): string {
  return join(folder, 'journal', 'journal.db');
}

/** The file of the sender of a user, in the folder of the configuration. */
export function senderFileIn(configFolder: string): string {
  return join(configFolder, 'sender.json');
}

const none = { throwIfNoEntry: false } as const;
const configuration = 'the configuration of this machine';

function folderIn(path: string, value: JsonObject): string | undefined {
  const { 'journal.folder': folder, ...others } = value;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalid(path, `has an unknown setting: ${unknown}`);
  if (folder === undefined) return undefined;
  if (typeof folder !== 'string' || !isAbsolute(folder))
    throw invalid(path, 'must give journal.folder as the full path of a folder');
  return folder;
}

// The group that shares the folder. Its members have all rights, and nobody else has any.
function groupOf(folder: string): number {
  try {
    const stat = lstatSync(folder);
    const owned = 'must be a folder of root and of the group of its users, with mode 2770';
    if (!stat.isDirectory() || stat.uid !== 0 || (stat.mode & 0o7777) !== 0o2770)
      throw unusable(folder, owned, `chown root:GROUP ${quoted(folder)} && chmod 2770 ${quoted(folder)}`);
    refuseStranger(folder, stat.gid);
    return stat.gid;
  } catch (error) {
    if (error instanceof CliError) throw error;
    const make = `install -d -o root -g GROUP -m 2770 ${quoted(folder)}`;
    throw unusable(folder, `cannot be used: ${systemReason(error)}`, make);
  }
}

function refuseStranger(folder: string, group: number): void {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (systemCode(error) !== 'EACCES') throw error;
    throw refused(
      `only the group ${group} may use the journal of this machine, ${folder}`,
      [`ask an administrator to add you: usermod -aG ${group} USER`, 'then sign in to this machine again'],
      { certain },
    );
  }
}

// What is unconfirmed in this user's own journal would no longer block any order.
function refuseOwnJournal(stateFolder: string, common: string, machineFile: string): void {
  const own = journalFileIn(stateFolder);
  if ((lstatSync(own, none)?.size ?? 0) === 0) return;
  const folder = dirname(own);
  throw refused(
    `you have a journal of your own, and this machine has a common one: ${common}`,
    [
      `if something in yours may be unconfirmed: let an administrator move ${machineFile} away, and look: paydesk journal list --open --all-profiles`,
      `when nothing is, keep yours under another name: mv ${quoted(folder)} ${quoted(`${folder}-before`)}`,
    ],
    { certain: `${certain}; the common one does not know what you sent before` },
  );
}

function invalid(path: string, problem: string): CliError {
  return invalidMachineFile({ path, name: configuration }, problem, correct);
}

const correct = 'to correct it: { "journal.folder": "/var/lib/paydesk" }';

function unusable(folder: string, problem: string, command: string): CliError {
  return refused(
    `the folder of the journal of this machine, ${folder}, ${problem}`,
    [`ask an administrator: ${command}`],
    { certain },
  );
}
