/** Reads rows out of the bytes of a journal file, without SQLite. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readPages } from '../../../src/journal/sqlite/sqlite-pages.ts';

interface Written {
  readonly text: string;
  readonly number: number;
  readonly nothing: string | null;
}

function bytesOf(rows: readonly Written[], forgotten: number): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-pages-'));
  try {
    const file = join(folder, 'one.db');
    const db = new DatabaseSync(file);
    db.exec('PRAGMA secure_delete = ON; PRAGMA synchronous = OFF');
    db.exec('CREATE TABLE t (seq INTEGER PRIMARY KEY, text TEXT, number INTEGER, empty TEXT) STRICT');
    const insert = db.prepare('INSERT INTO t (text, number, empty) VALUES (?, ?, ?)');
    db.exec('BEGIN');
    for (const { text, number, nothing } of rows) insert.run(text, number, nothing);
    db.exec('COMMIT');
    // Frees pages, as `journal forget` does.
    db.prepare("UPDATE t SET text = '' WHERE seq <= ?").run(forgotten);
    db.close();
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const written = fc.record({
  text: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.integer({ min: 0, max: 20_000 }).map((length) => 'é'.repeat(length)),
  ),
  number: fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -300, max: 300 })),
  nothing: fc.option(fc.constant('x'), { nil: null }),
});

it('reads every row that SQLite wrote, of any size and over any number of pages, and finds no page unreadable', () => {
  fc.assert(
    fc.property(fc.array(written, { maxLength: 60 }), fc.nat(60), (some, forgotten) => {
      // SQLite ends a text at a NUL, and keeps no lone half of a pair.
      const rows = some.map((row) => ({ ...row, text: row.text.toWellFormed().replaceAll('\0', '') }));
      const { records, unreadable } = readPages(bytesOf(rows, forgotten));
      const found = records.toSorted((one, other) => one.rowid - other.rowid);
      expect(found.map(({ values }) => values)).toEqual(
        rows.map(({ text, number, nothing }, index) => [
          null,
          index < forgotten ? '' : text,
          number,
          nothing,
        ]),
      );
      expect(unreadable).toBe(0);
    }),
    { numRuns: 60 },
  );
});

it('never throws and never hangs, whatever the bytes are', () => {
  const whole = bytesOf([{ text: 'long '.repeat(4000), number: 1, nothing: null }], 0);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 200 }), (edits) => {
      const bytes = Buffer.from(whole);
      for (const [at, value] of edits) bytes[at] = value;
      expect(readPages(bytes).records.length).toBeLessThan(5000);
    }),
  );
});
