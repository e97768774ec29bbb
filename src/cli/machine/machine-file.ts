/** Reads a file that the administrator of a machine writes: only root may be able to change it, or a folder above it. */

import { lstatSync, readFileSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { isObject, type JsonObject, lineOfError, repeatedKey } from '../../api/json-values.ts';
import { CliError, refused, systemCode, systemReason } from '../../errors.ts';
import type { Io } from '../../io.ts';
import { quoted } from '../../profiles/profiles.ts';

/** Such a file, and what it is called in errors. */
interface MachineFile extends Pick<Io, 'uid'> {
  readonly path: string;
  /** `the configuration of this machine` */
  readonly name: string;
}

const none = { throwIfNoEntry: false } as const;

/**
 * The JSON object in it; undefined if there is no such file. Throws CliError 'refused' if others can change it, if this user cannot
 * read it, and if it holds something else. `correct`: what the error then says to ask an administrator for.
 */
export function readMachineObject(file: MachineFile, correct: string): JsonObject | undefined {
  const text = readMachineFile(file);
  if (text === undefined) return undefined;
  const value = objectIn(text);
  if (typeof value === 'string') throw invalidMachineFile(file, value, correct);
  return value;
}

/** The JSON object in a text, or what is wrong with it. */
export function objectIn(text: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text, asWritten);
    const twice = repeatedKey(text);
    if (twice !== undefined) return `says ${twice} twice`;
    return isObject(value) ? value : 'holds no JSON object';
  } catch {
    return `holds no JSON object: line ${lineOfError(text)} is not right`;
  }
}

// A number that JavaScript cannot hold exactly stays as the text in the file.
function asWritten(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? context?.source : value;
}

/** Its text; undefined if there is none. Throws CliError 'refused' if others can change it, or if this user cannot read it. */
export function readMachineFile(file: MachineFile): string | undefined {
  const { path, uid } = file;
  try {
    if (lstatSync(path, none) === undefined) return undefined;
    if (uid === undefined)
      throw invalidMachineFile(file, 'cannot be used on a system without user ids', 'to remove it');
    const [problem] = unsafePlaces(path);
    if (problem !== undefined) throw unsafe(file, problem);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return undefined;
    if (error instanceof CliError) throw error;
    const open = `chmod a+rX ${quoted(dirname(path))} ${quoted(path)}`;
    throw invalidMachineFile(
      file,
      `cannot be read: ${systemReason(error)}`,
      `to let everybody read it: ${open}`,
    );
  }
}

/** Why users other than root may have written a file: looks at the file and the folders above it, as far as they exist. */
export function unsafePlaces(path: string): readonly string[] {
  // Somebody who can write a folder above can replace what is in it.
  return [...foldersAbove(path), path].flatMap((place) => {
    const stat = lstatSync(place, none);
    const problem = stat === undefined ? undefined : unsafety(stat);
    return problem === undefined ? [] : [`${place} ${problem}`];
  });
}

function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === path ? [] : [...foldersAbove(folder), folder];
}

// Why users other than root may have written something; undefined if none can. In a folder with the sticky bit, such as /tmp,
// others cannot replace what belongs to root.
function unsafety(stat: Stats): string | undefined {
  if (stat.isSymbolicLink()) return 'is a symbolic link';
  if (!stat.isFile() && !stat.isDirectory()) return 'is not a regular file';
  if (stat.uid !== 0) return 'belongs to another user than root';
  const isSticky = stat.isDirectory() && (stat.mode & 0o1000) !== 0;
  return (stat.mode & 0o022) === 0 || isSticky ? undefined : 'can be written by other users than root';
}

function unsafe({ name }: MachineFile, problem: string): CliError {
  return refused(
    `${name} is not used: ${problem}`,
    ['ask an administrator: it must belong to root, and only root may write it (chown root, chmod go-w)'],
    { certain },
  );
}

/** The error for a file that is not understood. `ask`: what to ask an administrator for. */
export function invalidMachineFile(
  { path, name }: Pick<MachineFile, 'path' | 'name'>,
  problem: string,
  ask: string,
): CliError {
  return refused(`${name}, ${path}, ${problem}`, [`ask an administrator ${ask}`], { certain });
}

/** What is certain while such a file is refused. */
export const certain = 'nothing was sent and nothing was changed';
