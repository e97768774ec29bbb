/**
 * One row of a long journal is removed, changed, moved or doubled, or what is looked up of it is lost: its order is refused, and
 * verify finds it. Other orders are changed as before.
 */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AttemptRow, SentRow } from '../../src/journal/rows/journal-rows.ts';
import { type CopiedJournal, createSqliteStore } from '../../src/journal/sqlite/sqlite-store.ts';
import { isLong } from '../harness/long.ts';
import type { Home } from '../harness/paydesk.ts';
import { addAtOnce } from '../harness/rows-at-once.ts';
import { reset } from '../harness/server.ts';
import { horizonMs, sent, setting, verdict } from '../journal/rows.ts';
import { changeArgs, journalFile, ledgerAndDesk, stateOf, witnessFile } from './desk.ts';
import type { LedgerOrder } from './ledger.ts';

const { ledger, desk } = await ledgerAndDesk();
const rows = isLong ? 100_000 : 2000;
const cases = isLong ? 200 : 8;
const rules = { uid: process.getuid?.(), notice: () => undefined };

/** A refund with the idempotency key under which it was sent and its rows in the long journal. */
interface Recorded {
  readonly order: LedgerOrder;
  /** Its reply was lost, and no read shows it. */
  readonly isOpen: boolean;
  readonly given: string;
  readonly seqs: readonly number[];
}

/** Its journal has that many rows, with these refunds among them. */
let home: Home;
let refunds: readonly Recorded[];
const whole = new Map<string, Buffer>();

async function inStore<T>(of: Home, act: (store: CopiedJournal) => Promise<T>): Promise<T> {
  const folders = [stateOf(of), join(stateOf(of), 'journal')];
  const store = createSqliteStore({ file: journalFile(of), witness: witnessFile(of), rules, folders });
  try {
    return await act(store);
  } finally {
    store.close();
  }
}

beforeAll(async () => {
  const orders = Array.from({ length: isLong ? 40 : 8 }, (_, index) =>
    isOpen(index) ? ledger.add('refund', () => reset) : ledger.add('refund'),
  );
  home = desk.newHome();
  const attempts = await sentIn(orders);
  await inStore(home, (store) => addAtOnce(store, [...amongOthers(attempts), setting(Date.now())]));
  const db = new DatabaseSync(journalFile(home));
  const seqsOf = db.prepare('SELECT seq FROM rows WHERE order_id = ? OR about = ? ORDER BY seq');
  refunds = orders.map((order, index) => ({
    order,
    isOpen: isOpen(index),
    given: givenOf(index),
    seqs: seqsOf.all(order.id, order.id).map(({ seq }) => Number(seq)),
  }));
  db.close();
  for (const file of [journalFile(home), witnessFile(home)]) whole.set(file, readFileSync(file));
}, 600_000);
afterAll(() => {
  home[Symbol.dispose]();
});

const givenOf = (index: number) => `night-${index}`;
const isOpen = (index: number) => index % 2 === 0;

/** Sends each of them, and gives back what the journal recorded. */
async function sentIn(orders: readonly LedgerOrder[]): Promise<readonly (readonly AttemptRow[])[]> {
  using donor = desk.newHome();
  for (const [index, order] of orders.entries()) {
    const { code } = await desk.run(donor, [...changeArgs(order), '--idempotency-key', givenOf(index)]);
    expect(code).toBe(isOpen(index) ? 7 : 0);
  }
  return await inStore(donor, (store) =>
    Promise.all(
      orders.map(async ({ id }) => {
        const found = await store.attempts({ orderId: id });
        return found.flatMap((record) => [record.sent, ...record.verdicts]);
      }),
    ),
  );
}

/** Settled refunds of other orders, and these attempts at even distances among them. */
function amongOthers(attempts: readonly (readonly AttemptRow[])[]): readonly AttemptRow[] {
  const start = Date.now() - 10 * 86_400_000;
  const every = Math.floor(rows / 2 / attempts.length);
  return Array.from({ length: rows / 2 }, (_, index): readonly AttemptRow[] => {
    const change = `i_f${index}`;
    const time = start + index;
    const settled = [onOther(change, `ord_F${index}`, time), verdict(change, time + horizonMs + 1)];
    const mine = index % every === Math.floor(every / 2) ? (attempts[Math.floor(index / every)] ?? []) : [];
    return [...mine, ...settled];
  }).flat();
}

function onOther(change: string, orderId: string, time: number): SentRow {
  const row = sent(change, time);
  return { ...row, proof: { ...row.proof, orderId } };
}

/** Both files as they were, in their places: not even a landmark knows what was written since. */
function putBack(): void {
  for (const [file, bytes] of whole) writeFileSync(file, bytes);
  for (const name of [`paydesk-${process.getuid?.() ?? ''}`])
    rmSync(join(home.path, name), { recursive: true, force: true });
}

function damage(statement: string, ...values: readonly (string | number)[]): void {
  const db = new DatabaseSync(journalFile(home));
  for (const one of statement.split(';')) {
    const prepared = db.prepare(one);
    const used = one.split('?').length - 1;
    expect(prepared.run(...values.slice(0, used)).changes, one).toBeGreaterThan(0);
  }
  db.close();
}

async function refund(order: LedgerOrder, ...more: readonly string[]) {
  const before = order.posts.length;
  const { code, stderr } = await desk.run(home, [...changeArgs(order), ...more]);
  return { code, sent: order.posts.length - before, words: stderr.replaceAll(/\s+/g, ' ') };
}

const findings = async () => (await inStore(home, (store) => store.verify())).findings;

/** The order and the idempotency key are refused, verify finds it, and another order is changed. */
async function expectRefused(what: string, { order, given }: Recorded): Promise<void> {
  const found = await findings();
  expect({ what, isFound: found.length > 0 }).toEqual({ what, isFound: true });
  for (const ran of [await refund(order), await refund(order, '--idempotency-key', given)]) {
    expect({ what, ...ran }, ran.words).toMatchObject({ what, code: 3, sent: 0 });
    expect(ran.words, what).toMatch(/the journal is damaged: row \d+ /);
  }
  const other = await refund(ledger.add('refund'));
  expect({ what, ...other }, other.words).toMatchObject({ what, code: 0, sent: 1 });
  expect(order.posts).toHaveLength(1);
}

/** The same numbers in every run. */
function chanceOf(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

type RowDamage = readonly [what: string, statement: string];

/** `?1`: a row of one of the refunds; `?2`: any row of another order. */
const rowDamages: readonly RowDamage[] = [
  ['removed', 'DELETE FROM rows WHERE seq = ?1'],
  ['changed in its text', `UPDATE rows SET row = replace(row, '"attempt":1', '"attempt":2') WHERE seq = ?1`],
  ['changed in its hash', 'UPDATE rows SET hash = prev WHERE seq = ?1'],
  ['changed in its time', 'UPDATE rows SET time = time + 1 WHERE seq = ?1'],
  ['moved to another order', "UPDATE rows SET about = 'ord_F1' WHERE seq = ?1"],
  [
    'moved to another order in each column',
    "UPDATE rows SET about = 'ord_F1', order_id = 'ord_F1' WHERE seq = ?1",
  ],
  [
    'moved to another place',
    'UPDATE rows SET seq = -1 WHERE seq = ?1; UPDATE rows SET seq = ?1 WHERE seq = ?2; UPDATE rows SET seq = ?2 WHERE seq = -1',
  ],
  [
    'doubled in place of another',
    `DELETE FROM rows WHERE seq = ?2;
     INSERT INTO rows SELECT ?2, row, body, body_hash, prev, hash, 'verdict', time, change, attempt, origin, order_id, plan, ref, about
     FROM rows WHERE seq = ?1`,
  ],
];

describe(`a single row of a journal of ${rows} rows`, () => {
  test('is removed, changed, moved or doubled: its order is refused, and verify finds it', async () => {
    for (let index = 0; index < cases; index += 1) {
      const chance = chanceOf(index);
      const [name, statement] = rowDamages[index % rowDamages.length] ?? ['', ''];
      const one = refunds[chance(refunds.length)];
      if (one === undefined) throw new Error('there is no refund');
      const seq = one.seqs[chance(one.seqs.length)] ?? 0;
      const other = otherThan(1 + chance(rows));
      damageRows(statement, seq, other);
      const whose = one.isOpen ? 'an unconfirmed refund' : 'a refund that was made';
      await expectRefused(`${index}: row ${seq} of ${whose} ${name} (${other})`, one);
      putBack();
    }
    const posts = refunds.reduce((sum, { order }) => sum + order.posts.length, 0);
    console.log(`single rows of ${rows}: ${cases} damaged, ${posts - refunds.length} refunds sent again`);
    expect(await findings()).toEqual([]);
  }, 3_600_000);
});

function otherThan(seq: number): number {
  return refunds.some(({ seqs }) => seqs.includes(seq)) ? otherThan(seq - 3) : seq;
}

// `?1` and `?2` stand for the two rows.
function damageRows(statement: string, seq: number, other: number): void {
  damage(statement.replaceAll('?1', String(seq)).replaceAll('?2', String(other)));
}

const ofRow = '(SELECT sent FROM attempts WHERE about = ?)';

describe('what is looked up of an unconfirmed refund is lost', () => {
  test.each([
    ['its line', `DELETE FROM attempts WHERE sent = ${ofRow}`],
    ['that it is open', `UPDATE attempts SET is_open = NULL WHERE sent = ${ofRow}`],
    ['its order', `UPDATE attempts SET about = 'ord_F1' WHERE sent = ${ofRow}`],
    ['the idempotency key', `UPDATE attempts SET idempotency_key = NULL WHERE sent = ${ofRow}`],
    [
      'the idempotency key, which is another’s',
      `UPDATE attempts SET idempotency_key = idempotency_key + 1 WHERE sent = ${ofRow}`,
    ],
    ['its account', `UPDATE attempts SET origin = 'https://pay.example' WHERE sent = ${ofRow}`],
    ['its change', `UPDATE attempts SET change = 'i_other' WHERE sent = ${ofRow}`],
    ['its newest row', `UPDATE attempts SET last = 1 WHERE sent = ${ofRow}`],
  ])('%s: nothing is sent, and verify finds it', async (what, statement) => {
    const [one] = refunds;
    if (one === undefined) throw new Error('there is no refund');
    damage(statement, one.order.id);
    await expectLookedUp(what, one);
    putBack();
  });

  test.each(['row_about', 'one_sent', 'attempt_key', 'attempt_open'])(
    'its entry in the index %s: nothing is sent, and verify finds it',
    async (index) => {
      const [one] = refunds;
      if (one === undefined) throw new Error('there is no refund');
      forgetInIndex(index, one);
      await expectLookedUp(index, one);
      putBack();
    },
  );

  test('what it made, of a refund that was made', async () => {
    const made = ledger.add('refund');
    expect((await refund(made)).code).toBe(0);
    damage('DELETE FROM made');
    expect(await findings()).not.toEqual([]);
    expect(await refund(made)).toMatchObject({ code: 3, sent: 0 });
    putBack();
  });
});

/** Neither the order nor the idempotency key sends it again, and verify finds what is wrong. */
async function expectLookedUp(what: string, { order, given }: Recorded): Promise<void> {
  expect(await findings(), what).not.toEqual([]);
  for (const { code, sent: posts, words } of [
    await refund(order),
    await refund(order, '--idempotency-key', given),
  ]) {
    expect({ what, posts }, words).toEqual({ what, posts: 0 });
    expect([3, 7], words).toContain(code);
  }
  const under = await refund(ledger.add('refund'), '--idempotency-key', given);
  expect({ what, ...under }, under.words).toMatchObject({ what, code: 3, sent: 0 });
}

/** The index has all entries but those of one refund: as if their page had been lost. */
function forgetInIndex(index: string, { order }: Recorded): void {
  const db = new DatabaseSync(journalFile(home));
  const found = db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(index);
  const [before = '', where = ''] = String(found?.sql).split(' WHERE ');
  const column = index.startsWith('attempt') ? 'sent' : 'seq';
  const table = index.startsWith('attempt') ? 'attempts' : 'rows';
  const seqs = db.prepare(`SELECT ${column} AS seq FROM ${table} WHERE about = ?`).all(order.id);
  const without = `${column} NOT IN (${seqs.map(({ seq }) => String(seq)).join(', ')})`;
  // The index is made anew without them; then its words are those of before.
  db.exec(`DROP INDEX ${index}; ${before} WHERE ${where === '' ? without : `${where} AND ${without}`}`);
  db.enableDefensive(false);
  db.exec('PRAGMA writable_schema = ON');
  db.prepare('UPDATE sqlite_schema SET sql = ? WHERE name = ?').run(String(found?.sql), index);
  db.close();
}
