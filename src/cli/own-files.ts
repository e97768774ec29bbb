/** Keeps the files of paydesk itself from being replaced by what a person asks to be written. */

import { readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../errors.ts';
import { fullPath } from '../io.ts';

/** What belongs to paydesk. None of it has to exist. */
interface OwnFiles {
  readonly cwd: () => string;
  /** Folders of which everything is paydesk's own: journal, witness, keys, profiles, indexes, locks, landmarks. */
  readonly folders: readonly string[];
  /** Files elsewhere: the configuration of the machine, and the file of a key. */
  readonly files: readonly string[];
}

/**
 * Throws CliError 'usage' for a file that is paydesk's own, or would lie in a folder of its own. No spelling, no link and no
 * second name of a file gets around that. Whoever writes a file that a person named calls this first, with --force too.
 */
export function createOwnFileGuard({ cwd, folders, files }: OwnFiles): (path: string) => void {
  return (path) => {
    const whole = fullPath(cwd, path);
    const own = new Set(folders.flatMap((folder) => markOf(folder) ?? []));
    const isInside = (file: string) => parentsOf(file).some((folder) => own.has(markOf(folder) ?? ''));
    const mark = markOf(whole);
    const isOwn =
      isInside(whole) ||
      (mark !== undefined &&
        (isInside(realpathSync(whole)) || allMarks({ cwd, folders, files }).includes(mark)));
    if (!isOwn) return;
    throw new CliError('usage', `${path} is a file of paydesk itself, or would be among them`, {
      certain: 'nothing was written and nothing was sent',
      now: ['name a file in another folder'],
    });
  };
}

// A file or folder by its number on its disk; undefined when there is none. Follows links.
function markOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

// The folders that a file is in, without links. None if its folder is missing: then nothing can be written.
function parentsOf(file: string): readonly string[] {
  try {
    const parents = [realpathSync(dirname(file))];
    for (let up = dirname(parents[0] ?? ''); up !== parents.at(-1); up = dirname(up)) parents.push(up);
    return parents;
  } catch {
    return [];
  }
}

function allMarks({ cwd, folders, files }: OwnFiles): readonly (string | undefined)[] {
  const inside = folders.flatMap((folder) => {
    try {
      return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
    } catch {
      return [];
    }
  });
  return [...files.map((file) => fullPath(cwd, file)), ...inside].map(markOf);
}
