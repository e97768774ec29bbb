/** The names of an export: the finished file, its manifest, the unfinished one beside it, and its checkpoint. */

import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CliError, systemReason } from '../errors.ts';
import { fullPath } from '../io.ts';

/** Absolute paths. */
export interface Names {
  readonly file: string;
  readonly manifest: string;
  /** Never read by a loader: the name says that it is not all. */
  readonly partial: string;
  readonly partialManifest: string;
  readonly checkpoint: string;
  /** What a new export begins under: what was unfinished before stays until the new one has its first page. */
  readonly begun: { readonly partial: string; readonly checkpoint: string };
}

/** The names of a file that somebody asked for. Throws CliError 'usage' when its folder is not there. */
export function namesOf(
  path: string,
  { folder, cwd }: { readonly folder: string; readonly cwd: () => string },
): Names {
  const wanted = resolve(fullPath(cwd, path));
  const file = join(realFolder(dirname(wanted), path), basename(wanted));
  const partial = partialOf(file);
  const hash = createHash('sha256').update(file).digest('hex').slice(0, 32);
  const checkpoint = join(folder, `${hash}.jsonl`);
  return {
    file,
    partial,
    manifest: manifestOf(file),
    partialManifest: manifestOf(partial),
    checkpoint,
    begun: { partial: `${partial}.new`, checkpoint: `${checkpoint}.new` },
  };
}

/** The unfinished file beside the name that it is to have. */
export function partialOf(file: string): string {
  return `${file}.partial`;
}

/** The manifest beside a file. */
export function manifestOf(file: string): string {
  return `${file}.manifest.json`;
}

// One file has one checkpoint, by whatever way its folder is named.
function realFolder(folder: string, path: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    throw new CliError('usage', `--to ${path}: its folder cannot be used: ${systemReason(error)}`, {
      certain: 'nothing was sent',
      now: ['make that folder, or name a file in another one'],
      cause: error,
    });
  }
}
