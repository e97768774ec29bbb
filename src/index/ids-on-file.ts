/** Finds order ids for TAB in the index of an account whose key is in a file. Skips the system keyring, which may take seconds. */

import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Segments } from './fit-run.ts';
import { openFile } from './index-file.ts';
import { createSealer } from './sealed-segments.ts';

/** The file of an account's index. An account name may be too long for a file name, or hold characters that it cannot have. */
export function indexFileIn(folder: string, account: string): string {
  return join(folder, `${hash('sha256', account).slice(0, 32)}.db`);
}

interface IdsAsked {
  readonly folder: string;
  readonly account: string;
  /** The key with this id in the key file; undefined if there is none. */
  readonly keyOf: (id: string) => string | undefined;
  /** What the ids begin with. */
  readonly start: string;
  readonly most: number;
}

/** The newest ids with this start. None without an index, or without a key in the file. Throws if the index does not open. */
export function idsOnFile({ folder, account, keyOf, start, most }: IdsAsked): readonly string[] {
  const file = openFile(indexFileIn(folder, account), { uid: undefined, notice: () => undefined });
  if (file === undefined) return [];
  try {
    const key = file.key.place === 'file' ? keyOf(file.key.id) : undefined;
    if (key === undefined) return [];
    return idsFrom(file.unsealed(createSealer(Buffer.from(key, 'base64url'), account)), start, most);
  } finally {
    file.close();
  }
}

function idsFrom(segments: Pick<Segments, 'edges' | 'ids'>, start: string, most: number): readonly string[] {
  const found: string[] = [];
  for (const edge of segments.edges()) {
    if (found.length >= most) break;
    found.push(...segments.ids(edge).filter((id) => id.startsWith(start)));
  }
  return found.slice(0, most);
}
