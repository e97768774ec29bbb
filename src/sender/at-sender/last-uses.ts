/** When each token was used last, and by which machines: in memory, and in a small file of the sender. */

import { rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as v from 'valibot';
import type { ClockWithTimers } from '../../io.ts';
import { type FileRules, prepareOwnFolder, readOwnFile } from '../../profiles/profiles.ts';

/** The last use of a token: by each machine that said its name, Unix milliseconds. */
export type LastUse = Readonly<Record<string, number>>;

/** The last uses of all tokens. */
export interface LastUses {
  note(token: string, desk: string): void;
  /** Writes what is new. Does nothing if that is not possible: nobody is kept from working by it. Nobody waits for the disk. */
  save(): Promise<void>;
}

const form = v.record(v.string(), v.record(v.string(), v.number()));
// A token that somebody copies to machine after machine does not fill the memory.
const mostDesks = 8;

/** The last uses as the file of a sender knows them. Nothing is written before `save`. */
export function createLastUses(
  file: string,
  rules: FileRules,
  clock: Pick<ClockWithTimers, 'now'>,
): LastUses {
  const uses = new Map(Object.entries(readLastUses(file, rules)));
  let isNew = false;
  return {
    note(token, desk) {
      const before = uses.get(token) ?? {};
      if (!Object.hasOwn(before, desk) && Object.keys(before).length >= mostDesks) return;
      uses.set(token, { ...before, [desk]: clock.now() });
      isNew = true;
    },
    async save() {
      if (!isNew) return;
      isNew = false;
      try {
        prepareOwnFolder(dirname(file), rules);
        await writeFile(`${file}.new`, `${JSON.stringify(Object.fromEntries(uses))}\n`, { mode: 0o600 });
        await rename(`${file}.new`, file);
      } catch {
        isNew = true;
      }
    },
  };
}

/** What the file of a sender says. A file that cannot be read says nothing. */
export function readLastUses(file: string, rules: FileRules): Readonly<Record<string, LastUse>> {
  const text = readOwnFile(file, rules);
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), form), text ?? '{}');
  return read.success ? read.output : {};
}
