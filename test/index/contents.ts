/** What an index holds, read with its own key, for tests that compare two of them. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { indexFileIn, openFile } from '../../src/index/index-file.ts';
import { createSealer } from '../../src/index/sealed-segments.ts';
import type { Entry } from '../../src/index/segment.ts';
import type { Home } from '../harness/paydesk.ts';

/** The entries of the index of an account, in their order, without the times at which they were read. */
export function contentsOf(home: Home, account: string): readonly Omit<Entry, 'readAt'>[] {
  const rules = { uid: process.getuid?.(), notice: () => undefined };
  const folder = join(home.path, '.local/state/paydesk/index');
  const file = openFile(indexFileIn(folder, account), rules);
  if (file === undefined) return [];
  try {
    const { keys } = JSON.parse(readFileSync(join(home.path, '.config/paydesk/keys.json'), 'utf8')) as {
      readonly keys: readonly (readonly [string, { readonly key: string }])[];
    };
    const key = new Map(keys).get(`index ${file.key.id}`)?.key ?? '';
    const segments = file.unsealed(createSealer(Buffer.from(key, 'base64url'), account));
    return segments
      .edges()
      .flatMap((segment) => segments.entries(segment))
      .map(({ id, text, facts }) => ({ id, text, facts }));
  } finally {
    file.close();
  }
}
