/** Ids of orders for TAB, from the index of an account whose key is in a file. The system keyring is not asked: it may take seconds. */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Segments } from './fit-run.ts';
import { openFile } from './index-file.ts';
import { createSealer } from './sealed-segments.ts';

/** The name of the file of an account's index. The name of an account may be long and holds characters that a file name cannot have. */
export function indexFileIn(folder: string, account: string): string {
  return join(folder, `${createHash('sha256').update(account).digest('hex').slice(0, 32)}.db`);
}

interface IdsAsked {
  readonly folder: string;
  readonly account: string;
  /** The key of this id in the key file; undefined if it is not there. */
  readonly keyOf: (id: string) => string | undefined;
  /** What the ids begin with. */
  readonly start: string;
  readonly most: number;
}

/** The newest ids that begin so. None if there is no index, or no key in the file. Throws if it does not open. */
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

/** The newest ids that begin so. */
export function idsFrom(
  segments: Pick<Segments, 'edges' | 'ids'>,
  start: string,
  most: number,
): readonly string[] {
  const found: string[] = [];
  for (const edge of segments.edges()) {
    if (found.length >= most) break;
    found.push(...segments.ids(edge).filter((id) => id.startsWith(start)));
  }
  return found.slice(0, most);
}
