/** The two stores of the journal keep the rules of the port. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createSqliteStore } from '../../../src/journal/sqlite/sqlite-store.ts';
import { createMemoryStore, Memory } from '../../harness/memory-store.ts';
import { storeContract } from '../store-contract.ts';

const changed = (seq: number) =>
  `UPDATE rows SET row = replace(row, '"amount":-5', '"amount":-6') WHERE seq = ${seq}`;
const lost = (seq: number) => `DELETE FROM rows WHERE seq = ${seq}`;

storeContract('a SQLite file with its witness', (folder) => {
  const file = join(folder, 'state/journal/journal.db');
  const witness = join(folder, 'state/witness/journal.witness');
  const rules = { uid: process.getuid?.(), notice: () => undefined };
  const exec = (statement: string) => {
    using db = new DatabaseSync(file);
    db.exec(statement);
  };
  return {
    open: () => createSqliteStore({ file, witness, rules }),
    change: (seq) => exec(changed(seq)),
    lose: (seq) => exec(lost(seq)),
  };
});

storeContract('memory', () => {
  const memory = new Memory();
  return {
    open: () => createMemoryStore(memory),
    change: (seq) => memory.tables.db.exec(changed(seq)),
    lose: (seq) => memory.tables.db.exec(lost(seq)),
  };
});
