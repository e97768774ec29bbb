/**
 * Keeps notes of the changes that this desk handed over and whose end it has not shown yet. Each note is a file, written before
 * the first byte of its change leaves.
 */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { isObject, type JsonObject } from '../../api/json-values.ts';
import { refused } from '../../errors.ts';
import {
  type Change,
  type ChangeKind,
  type ChangeSubject,
  changeIdPattern,
  changeKinds,
} from '../../journal/journal.ts';
import {
  checkOwnFolder,
  type FileRules,
  readOwnFile,
  removeOwnFile,
  writeOwnFile,
} from '../../profiles/profiles.ts';

const kinds = Object.keys(changeKinds) as ChangeKind[];
const json = v.custom<JsonObject>(isObject);

const noteForm = v.strictObject({
  change: v.pipe(v.string(), v.regex(changeIdPattern)),
  /** When it was handed over, Unix milliseconds. */
  at: v.number(),
  /** The sender's address, and the account's name there. */
  sender: v.string(),
  account: v.string(),
  idempotencyKey: v.optional(v.string()),
  asked: v.optional(json),
  again: v.array(v.string()),
  subject: v.strictObject({
    kind: v.picklist(kinds),
    orderId: v.optional(v.string()),
    amount: v.optional(v.number()),
    currency: v.optional(v.string()),
    request: v.custom<ChangeSubject['request']>(isObject),
  }),
});
export type HandedNote = v.InferOutput<typeof noteForm>;

export interface HandedOver {
  /** The note is on the disk when this returns. Throws CliError 'refused' if it cannot be written. */
  write(note: HandedNote): void;
  remove(change: string): void;
  /** Oldest first. Throws CliError 'refused' for an unreadable file: nobody knows what it says. */
  list(of: Pick<HandedNote, 'sender' | 'account'>): readonly HandedNote[];
}

/** The notes in a folder, created with the first note. */
export function createHandedOver(folder: string, rules: FileRules): HandedOver {
  const fileOf = (change: string) => join(folder, `${change}.json`);
  return {
    write: (note) => writeOwnFile(fileOf(note.change), `${JSON.stringify(note)}\n`, rules),
    remove: (change) => removeOwnFile(fileOf(change)),
    list({ sender, account }) {
      if (!checkOwnFolder(folder, rules)) return [];
      const names = readdirSync(folder).filter((name) => changeIdPattern.test(name.replace(/\.json$/, '')));
      return names
        .flatMap((name) => readNote(join(folder, name), rules) ?? [])
        .filter((note) => note.sender === sender && note.account === account)
        .toSorted((one, other) => one.at - other.at);
    },
  };
}

// Undefined if another run removed it first.
function readNote(path: string, rules: FileRules): HandedNote | undefined {
  const text = readOwnFile(path, rules);
  if (text === undefined) return undefined;
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), noteForm), text);
  if (read.success) return read.output;
  throw refused(`${path} cannot be read, and says what was handed over to the sender`, [
    'look for that change, then remove the file: paydesk journal list',
  ]);
}

export function noteOf(
  { kind, orderId, amount, currency, request, idempotencyKey, asked, again }: Change,
  where: Pick<HandedNote, 'change' | 'at' | 'sender' | 'account'>,
): HandedNote {
  const { headers: _headers, ...sent } = request;
  return {
    ...where,
    idempotencyKey: idempotencyKey,
    asked,
    again: [...again],
    subject: { kind, orderId, amount, currency, request: sent },
  };
}
