/**
 * Reads the texts that come with paydesk: from the folder of its package, or out of the one file that runs without Node
 * (tools/one-file.ts).
 */

import { readdirSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { getAsset, getAssetKeys, isSea } from 'node:sea';

/** The text of a file, by its path in the package. */
export function packageFile(path: string): string {
  return isSea() ? getAsset(path, 'utf8') : readFileSync(join(packageFolder(), path), 'utf8');
}

/** The names of the files in a folder of the package, sorted. */
export function packageFilesIn(folder: string): readonly string[] {
  const names = isSea()
    ? getAssetKeys().flatMap((key) => (key.startsWith(`${folder}/`) ? [key.slice(folder.length + 1)] : []))
    : readdirSync(join(packageFolder(), folder));
  return names.toSorted();
}

function packageFolder(): string {
  return dirname(findPackageJSON(import.meta.url) ?? '');
}
