/** No question about the journal looks at all of it: the plans that SQLite makes for them. */

import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { AttemptFilter, AttemptQuery } from '../../../src/journal/rows/attempt-query.ts';
import { journalKind } from '../../../src/journal/sqlite/journal-columns.ts';
import { JournalTables } from '../../../src/journal/sqlite/journal-tables.ts';
import { KnownJournal } from '../../../src/journal/sqlite/known-journal.ts';
import { Witness } from '../../../src/journal/sqlite/witness/witness.ts';
import { witnessKind } from '../../../src/journal/sqlite/witness/witness-file.ts';
import { sent, setting, verdict } from '../rows.ts';

/** Tables that remember which statements they were asked for. */
class RememberingTables extends JournalTables {
  readonly asked = new Set<string>();

  override sql(text: string): ReturnType<JournalTables['sql']> {
    this.asked?.add(text);
    return super.sql(text);
  }
}

function newTables(): RememberingTables {
  const db = new DatabaseSync(':memory:');
  db.exec(journalKind.tables);
  return new RememberingTables(db);
}

function plansOf(db: DatabaseSync, statements: Iterable<string>): readonly string[] {
  return [...statements].flatMap((text) =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${text}`)
      .all(...Array.from({ length: text.split('?').length - 1 }, () => null))
      .map(({ detail }) => `${String(detail)}   ${text.replaceAll(/\s+/g, ' ')}`),
  );
}

// A table that is read from one end to the other, or sorted as a whole. A list of ids that was handed in is no table, and a few
// rows from one end of a table are few.
function isSlow(plan: string): boolean {
  const isOfAnEnd = /ORDER BY seq(?: DESC)? LIMIT/.test(plan);
  return /^SCAN (?:rows|attempts|made|lines)(?! USING)|TEMP B-TREE/.test(plan) && !isOfAnEnd;
}

const questions: readonly AttemptQuery[] = [
  { orderId: 'ord_1' },
  { orderIds: new Set(['ord_1', 'ord_2']), origin: 'o' },
  { change: 'i_a' },
  { idempotencyKey: 'T1' },
  { made: new Set(['rf_1']) },
  { again: new Set(['rf_1']) },
  { unconfirmed: true, origin: 'o' },
  { open: { skewed: false }, origin: 'o' },
  { doubted: true },
  { watched: { dueBy: 9, limit: 20 } },
  { watched: { dueBy: 9, limit: 20 }, origin: 'o' },
  { watched: { dueBy: 9, limit: 20 }, origin: 'o', since: 5, operator: 'ana' },
  { madeByHand: { time: 9, skewed: false, boot: { id: 'b1', ms: 5 } } },
  { madeByHand: { time: 9, skewed: true }, origin: 'o', since: 5, operator: 'ana' },
  { byHand: true },
];

it('what is asked about attempts', () => {
  const tables = newTables();
  const asked = { orders: new Map(), scripts: new Map() };
  const rows = [setting(1), sent('i_a', 2, { idempotencyKey: 'T1' }), verdict('i_a', 3)];
  tables.add(new KnownJournal(tables, asked).link(...rows));
  const known = new KnownJournal(tables, asked);
  for (const query of questions) known.attempts(query);
  void [known.settings(), known.newest, known.end, known.seenOf(sent('i_b', 4)), known.operators(undefined)];
  known.refunded({ origin: 'o', operator: 'ana', currency: 'MXN', livemode: true, since: 1 });
  void [known.approvals({ id: 'r_1' }), known.approvals({ since: 1 })];
  expect(known.storedRows([sent('i_a', 2, { approval: 'r_1' })]).rows).toHaveLength(2);
  known.refuseMisplaced(sent('i_b', 4));
  known.refuseUnseen(sent('i_b', 4, { idempotencyKey: 'T1' }));
  known.refuseWhileLost();
  known.refuseDamaged(sent('i_b', 4));
  expect(plansOf(tables.db, tables.asked).filter(isSlow)).toEqual([]);
  expect(tables.asked.size).toBeGreaterThan(15);
});

it.each<[string, AttemptFilter]>([
  ['of all', {}],
  ['of an account', { origin: 'o' }],
  ['of an account since a time', { origin: 'o', since: 1, until: 9 }],
  ['of a person', { operator: 'ana' }],
  ['of a kind', { kind: 'checkout' }],
  ['of the refunds of a period', { kind: 'refund', since: 1, until: 9 }],
  ['of a desk', { desk: 'desk-4' }],
])('a page of the newest %s', (_, filter) => {
  const tables = newTables();
  const known = new KnownJournal(tables, { orders: new Map(), scripts: new Map() });
  known.list(filter, { limit: 20 });
  known.list(filter, { limit: 20, before: { time: 5, change: 'i_a', attempt: 1 } });
  expect(plansOf(tables.db, tables.asked).filter(isSlow)).toEqual([]);
});

it('what the witness is asked', () => {
  const db = new DatabaseSync(':memory:');
  db.exec(witnessKind.tables);
  const asked = new Set<string>();
  const prepare = db.prepare.bind(db);
  const witness = new Witness(
    Object.assign(Object.create(db), {
      prepare(text: string) {
        asked.add(text);
        return prepare(text);
      },
    }),
    '0'.repeat(64),
  );
  void [witness.end(), witness.about('ord_1'), witness.openSents(), witness.sentsUnderKey(1)];
  void [witness.after(1, 9), witness.headsAfter(1, 9), witness.checked(), witness.mark()];
  expect(plansOf(db, asked).filter(isSlow)).toEqual([]);
  expect(asked.size).toBeGreaterThan(5);
});
