/** A journal read from a file that `journal archive` or `journal export --to` wrote. Nothing can be added to it. */

import { refused } from '../../errors.ts';
import { writeAtOnce } from '../../sqlite.ts';
import { readArchive } from '../rows/archive-file.ts';
import { chainStart } from '../rows/chain.ts';
import { type JournalStore, methodsOf, storeMethods, type Verification } from '../rows/journal-store.ts';
import { journalKind } from './journal-columns.ts';
import { JournalTables } from './journal-tables.ts';
import { KnownJournal } from './known-journal.ts';

/** Reads the whole file once. Throws CliError 'refused' if it is not whole, and 'usage' if it cannot be read. */
export async function archiveStore(path: string, cwd: () => string): Promise<JournalStore> {
  const archive = readArchive(path, cwd);
  const { DatabaseSync } = await import('node:sqlite');
  // SQLite's private temporary file, removed on close. What fits into the cache never reaches the disk.
  const db = new DatabaseSync('');
  db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; ${journalKind.tables}`);
  const tables = new JournalTables(db);
  writeAtOnce(db, () => tables.add(archive.rows()));
  const known = new KnownJournal(tables, { orders: new Map(), scripts: new Map() });
  const onlyRead = () =>
    Promise.reject(refused(`${path} is read-only`, [], { certain: 'nothing was changed' }));
  return {
    ...methodsOf(storeMethods, onlyRead),
    place: path,
    witness: undefined,
    attempts: async (query) => known.attempts(query),
    list: async (filter, page) => known.list(filter, page),
    operators: async (origin) => known.operators(origin),
    settings: async () => known.settings(),
    refunded: async (of) => known.refunded(of),
    approvals: async (query) => known.approvals(query),
    storedRows: async (sents) => known.storedRows(sents),
    newest: async () => known.newest,
    problem: () => Promise.resolve(undefined),
    verify: (head) => verifyArchive(path, cwd, head),
    checkSome: () => Promise.resolve(undefined),
    wholeCheckAt: () => Promise.resolve(undefined),
    close: () => db.close(),
  };
}

/** Checks the digest of such a file and its chain, row by row. Throws as `archiveStore` does. `head`: a hash noted elsewhere. */
export async function verifyArchive(
  path: string,
  cwd: () => string,
  head: string | undefined,
): Promise<Verification & { readonly sha256: string }> {
  const { count, head: last, sha256, rows } = readArchive(path, cwd);
  let [settings, knowsHead] = [0, head === chainStart];
  for (const { type, hash } of rows()) {
    if (type === 'setting') settings += 1;
    knowsHead ||= hash === head;
  }
  return {
    rows: count,
    settings,
    head: last,
    findings: [],
    knowsHead: head === undefined ? undefined : knowsHead,
    witness: { file: '', lines: 0, state: 'none yet' },
    sha256,
  };
}
