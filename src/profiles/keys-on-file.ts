/** The keys in files and variables, read before anything else and only to be masked: no file is checked or repaired here. */

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { shortestKey } from '../api/spec.ts';
import { type Env, fullPath, variable } from '../io.ts';

// Far more than the keys of one person need: a larger file is not ours.
const mostBytes = 1024 * 1024;

/** The keys of a configuration folder and of PAYDESK_API_KEY and PAYDESK_KEY_FILE. A file that cannot be read counts as empty. */
export function keysOnFile(configFolder: string, env: Env, cwd: () => string): readonly string[] {
  const named = variable(env, 'PAYDESK_KEY_FILE');
  const kept = textOf(() => join(configFolder, 'keys.json')).matchAll(/"key"\s*:\s*("(?:[^"\\]|\\.)*")/g);
  const keys = [
    variable(env, 'PAYDESK_API_KEY') ?? '',
    named === undefined ? '' : textOf(() => fullPath(cwd, named)).replace(/\r?\n$/, ''),
    ...Array.from(kept, ([, literal = '""']) => unquoted(literal)),
  ];
  return [...new Set(keys)].filter((key) => key.length >= shortestKey);
}

// Plain files only: a pipe or a device might never end.
function textOf(path: () => string): string {
  try {
    const handle = openSync(path(), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const { size } = fstatSync(handle);
      if (!fstatSync(handle).isFile() || size > mostBytes) return '';
      const bytes = Buffer.alloc(size);
      return bytes.toString('utf8', 0, readSync(handle, bytes));
    } finally {
      closeSync(handle);
    }
  } catch {
    return '';
  }
}

function unquoted(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return '';
  }
}
