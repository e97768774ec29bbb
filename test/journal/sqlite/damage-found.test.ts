/** Damage to one of the two files: it is refused where it would change an answer, `verify` finds it, and a repair ends it. */

import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JournalRow, SentRow, VerdictRow } from '../../../src/journal/rows/journal-rows.ts';
import { type CopiedJournal, createSqliteStore } from '../../../src/journal/sqlite/sqlite-store.ts';
import { isLong } from '../../harness/long.ts';
import { sent, setting, verdict } from '../rows.ts';

const folder = mkdtempSync(join(tmpdir(), 'paydesk-damage-'));
const file = join(folder, 'journal.db');
const witness = join(folder, 'witness', 'journal.witness');
const rules = { uid: process.getuid?.(), notice: () => undefined };
const whole = { [file]: Buffer.alloc(0), [witness]: Buffer.alloc(0) };
let answers: Readonly<Record<string, string>>;

function on(change: string, orderId: string | undefined, time: number, more: Partial<SentRow> = {}): SentRow {
  const row = sent(change, time, more);
  return { ...row, proof: { ...row.proof, orderId } };
}

function ruling(change: string, time: number, more: Partial<VerdictRow>): VerdictRow {
  return { ...verdict(change, time), ...more };
}

const created = { kind: 'checkout', expected: [] } as const;
const rows: readonly JournalRow[] = [
  on('i_made', 'ord_1', 1, { idempotencyKey: 'T1' }),
  ruling('i_made', 2, {
    refunds: [{ id: 'rf_1', chargeId: 'ch_1', amount: -5, createdAt: 1, authCode: undefined }],
  }),
  setting(3),
  on('i_open', 'ord_2', 4, { idempotencyKey: 'T2', note: 'n'.repeat(600) }),
  on('i_doubted', 'ord_3', 5),
  ruling('i_doubted', 6, { verdict: 'rejected', by: 'person', operator: 'op7', confirmed: true }),
  { ...on('i_link', undefined, 7), proof: { ...sent('i_link', 7).proof, ...created, orderId: undefined } },
  ruling('i_link', 8, { created: 'chk_1', link: 'https://pay.example/chk_1' }),
  on('i_again', 'ord_1', 9, { operator: 'op8', again: ['i_made'] }),
  ruling('i_again', 10, { verdict: 'unknown', by: 'sender' }),
  ruling('i_again', 11, { verdict: 'rejected', confirmed: true }),
  on('i_stated', 'ord_6', 12),
  ruling('i_stated', 13, { by: 'person', operator: 'op7', clocks: { wall: 13, boot: { id: 'b1', ms: 13 } } }),
  { ...on('i_sold', undefined, 14), proof: { ...sent('i_sold', 14).proof, ...created, orderId: undefined } },
  ruling('i_sold', 15, { verdict: 'rejected', by: 'person', operator: 'op7', confirmed: true }),
  setting(16),
  on('i_late', 'ord_4', 17),
  ruling('i_late', 18, { verdict: 'unknown', by: 'sender' }),
];

/** What a guard asks before anything is sent: a wrong answer could send the same twice. */
const guards: Readonly<Record<string, (store: CopiedJournal) => Promise<unknown>>> = {
  ...Object.fromEntries(
    ['ord_1', 'ord_2', 'ord_3', 'ord_4', 'ord_5'].map((orderId) => [
      orderId,
      (store: CopiedJournal) => store.attempts({ orderId }),
    ]),
  ),
  orders: (store) => store.attempts({ orderIds: new Set(['ord_1', 'ord_3']) }),
  ...Object.fromEntries(
    ['T1', 'T2', 'T3'].map((idempotencyKey) => [
      idempotencyKey,
      (store: CopiedJournal) => store.attempts({ idempotencyKey }),
    ]),
  ),
  // About no order.
  i_link: (store) => store.attempts({ change: 'i_link' }),
  unconfirmed: (store) => store.attempts({ unconfirmed: true }),
  'no order': (store) => store.attempts({ withoutOrder: true, unconfirmed: true }),
  settings: (store) => store.settings(),
};

/** What is shown, or read again: `verify` has to find what makes one of these another. */
const shown: Readonly<Record<string, (store: CopiedJournal) => Promise<unknown>>> = {
  i_made: (store) => store.attempts({ change: 'i_made' }),
  i_open: (store) => store.attempts({ change: 'i_open' }),
  again: (store) => store.attempts({ again: new Set(['i_made']) }),
  made: (store) => store.attempts({ made: new Set(['rf_1', 'chk_1', 'https://pay.example/chk_1']) }),
  open: (store) => store.attempts({ open: { skewed: false } }),
  doubted: (store) => store.attempts({ doubted: true }),
  'made by hand': (store) => store.attempts({ madeByHand: { time: 20, skewed: false } }),
  'made by hand by the time since a start': (store) =>
    store.attempts({ madeByHand: { time: 10 ** 12, skewed: false, boot: { id: 'b1', ms: 20 } } }),
  byHand: (store) => store.attempts({ byHand: true }),
  watched: (store) => store.attempts({ watched: { dueBy: 10 ** 12, limit: 9 } }),
  list: (store) => store.list({}, { limit: 4 }),
  'list of op8': (store) => store.list({ operator: 'op8' }, { limit: 4 }),
  'list of an origin': (store) => store.list({ origin: 'https://pay.example' }, { limit: 9 }),
  'list of links': (store) => store.list({ kind: 'checkout' }, { limit: 9 }),
  operators: (store) => store.operators(undefined),
  newest: async (store) => (await store.newest()).time,
};

beforeAll(async () => {
  const store = createSqliteStore({ file, witness, rules });
  for (const row of rows) await store.append(row);
  store.close();
  for (const path of [file, witness]) whole[path] = readFileSync(path);
  answers = await allAnswers();
});
afterEach(putBack);
afterAll(() => rmSync(folder, { recursive: true }));

async function inStore<T>(act: (store: CopiedJournal) => Promise<T>): Promise<T> {
  const store = createSqliteStore({ file, witness, rules });
  try {
    return await act(store);
  } finally {
    store.close();
  }
}

const refused = 'refused';
const asked = (store: CopiedJournal, ask: (store: CopiedJournal) => Promise<unknown>): Promise<string> =>
  ask(store).then(
    (answer) => `${JSON.stringify(answer).length} ${hash('sha256', JSON.stringify(answer)).slice(0, 8)}`,
    ({ kind, message }: { kind?: string; message?: string }) =>
      kind === refused ? refused : `error: ${message}`,
  );

function allAnswers(): Promise<Readonly<Record<string, string>>> {
  return inStore(async (store) => {
    const found: Record<string, string> = {};
    for (const [name, ask] of Object.entries({ ...guards, ...shown })) found[name] = await asked(store, ask);
    return found;
  });
}

/** How many things `verify` found; one if it refused to look. */
const found = (): Promise<number> =>
  inStore((store) =>
    store.verify().then(
      ({ findings }) => findings.length,
      ({ kind }) => (kind === refused ? 1 : 0),
    ),
  );

function putBack(): void {
  for (const path of [file, witness]) writeFileSync(path, whole[path] ?? '');
}

/** No guard is told anything else, and what is told else or refused is found. Whether anything was. */
async function expectFound(what: string): Promise<boolean> {
  const now = await allAnswers();
  const others = Object.keys(answers).filter((name) => now[name] !== answers[name]);
  const wrong = others.filter((name) => name in guards && now[name] !== refused);
  expect({ what, wrong: wrong.map((name) => `${name}: ${now[name]}`) }).toEqual({ what, wrong: [] });
  const findings = await found();
  expect({ what, others, isFound: findings > 0 || others.length === 0 }).toMatchObject({
    what,
    isFound: true,
  });
  return findings > 0;
}

describe.each([
  ['journal', file],
  ['witness', witness],
])('any flipped bit of the %s', (_, path) => {
  it('is refused, or found by verify, or changes no answer', async () => {
    let [findings, flips] = [0, 0];
    const bytes = whole[path] ?? Buffer.alloc(0);
    // Most of both files is empty.
    const written = [...bytes.keys()].filter((at) => bytes[at] !== 0);
    for (const at of written.filter((_, index) => index % (isLong ? 1 : 181) === 0)) {
      const changed = Buffer.from(bytes);
      const bit = (at * 7) % 8;
      changed[at] = (changed[at] ?? 0) ^ (1 << bit);
      writeFileSync(path, changed);
      if (await expectFound(`bit ${bit} of byte ${at}`)) findings += 1;
      flips += 1;
      putBack();
    }
    console.log(`flipped bits: ${flips}, ${findings} of them found by verify`);
    expect(findings).toBeGreaterThan(20);
  });
});

const row = (change: string) => `sent = (SELECT seq FROM rows WHERE change = '${change}' AND type = 'sent')`;

describe('what is looked up is lost, or is another', () => {
  it.each<[string, string, readonly string[]]>([
    ['the line of an open change', `DELETE FROM attempts WHERE ${row('i_open')}`, ['T2', 'unconfirmed']],
    ['the line of a settled change', `DELETE FROM attempts WHERE ${row('i_made')}`, ['T1']],
    ['that a change is open', `UPDATE attempts SET is_open = NULL WHERE ${row('i_open')}`, ['unconfirmed']],
    ['that a change is open now', `UPDATE attempts SET is_open = 0 WHERE ${row('i_open')}`, []],
    ['that a change is settled', `UPDATE attempts SET is_open = 1 WHERE ${row('i_made')}`, ['unconfirmed']],
    [
      'the order of an open change',
      `UPDATE attempts SET about = 'ord_9' WHERE ${row('i_open')}`,
      ['T2', 'unconfirmed'],
    ],
    ['the order of a settled change', `UPDATE attempts SET about = 'ord_2' WHERE ${row('i_made')}`, ['T1']],
    ['the idempotency key', `UPDATE attempts SET idempotency_key = NULL WHERE ${row('i_open')}`, ['T2']],
    ['another idempotency key', `UPDATE attempts SET idempotency_key = 7 WHERE ${row('i_made')}`, ['T1']],
    [
      'the idempotency key of two that changed places',
      `UPDATE attempts SET idempotency_key = (SELECT max(idempotency_key) + min(idempotency_key) - attempts.idempotency_key FROM attempts AS both) WHERE idempotency_key IS NOT NULL`,
      ['T1', 'T2'],
    ],
    ['the change', `UPDATE attempts SET change = 'i_x' WHERE ${row('i_link')}`, []],
    [
      'a line too many',
      `INSERT INTO attempts SELECT 99, last, about, has_order, 'i_x', attempt, origin, profile, idempotency_key, kind, operator, desk, time, amount, currency, counted, live, is_open, is_doubted, due, young_until, young_boot, by_hand FROM attempts WHERE ${row('i_open')}`,
      ['T2', 'unconfirmed'],
    ],
    ['which refund was made', "DELETE FROM made WHERE id = 'rf_1'", []],
    ['which link was made', "UPDATE made SET id = 'chk_2' WHERE id = 'chk_1'", []],
    ['the name that a repeat used up', 'DELETE FROM again', []],
    ['a name too many', "INSERT INTO again VALUES ('i_open', 1)", []],
    ['a refund too many', "INSERT INTO made VALUES ('rf_9', 1)", []],
    ['that a change is doubted', `UPDATE attempts SET is_doubted = NULL WHERE ${row('i_doubted')}`, []],
    ['when a change is read again', `UPDATE attempts SET due = NULL WHERE ${row('i_made')}`, []],
    ['until when a change is young', `UPDATE attempts SET young_until = 7 WHERE ${row('i_stated')}`, []],
    ['since which start', `UPDATE attempts SET young_boot = NULL WHERE ${row('i_stated')}`, []],
    ['whose word it is', `UPDATE attempts SET by_hand = NULL WHERE ${row('i_sold')}`, []],
    ['who sent it', `UPDATE attempts SET operator = 'op9' WHERE ${row('i_again')}`, []],
    ['when it was sent', `UPDATE attempts SET time = 77 WHERE ${row('i_again')}`, []],
    ['how much it was', `UPDATE attempts SET amount = 77 WHERE ${row('i_again')}`, []],
    ['the account', `UPDATE attempts SET origin = '' WHERE ${row('i_open')}`, []],
    ['the newest row of a change', `UPDATE attempts SET last = 1000 WHERE ${row('i_again')}`, []],
    [
      'what a row is about',
      `UPDATE rows SET about = 'ord_9' WHERE ${row('i_open').replace('sent', 'seq')}`,
      ['ord_2', 'T2', 'unconfirmed'],
    ],
    ['that a row is about an order', "UPDATE rows SET about = '' WHERE seq = 2", ['ord_1']],
    ['that a row is about a setting', "UPDATE rows SET about = 'ord_2' WHERE seq = 3", ['ord_2', 'settings']],
    ['the latest time', 'UPDATE head SET time = 999', []],
  ])('in the journal: %s', async (what, statement, refuses) => {
    damage(file, statement);
    const now = await allAnswers();
    expect(Object.keys(now).filter((name) => now[name] === refused && name in guards)).toEqual(
      expect.arrayContaining([...refuses]),
    );
    expect(await expectFound(what)).toBe(true);
    await expectRepaired();
  });

  it.each<[string, string, readonly string[]]>([
    ['a line', 'DELETE FROM lines WHERE seq = 2', ['ord_1']],
    ['the line of an open change', 'DELETE FROM lines WHERE seq = 4', ['ord_2']],
    ['what a line is about', "UPDATE lines SET about = 'ord_1' WHERE seq = 4", ['ord_1', 'ord_2']],
    [
      'the hash of a row',
      'UPDATE lines SET line = replace(line, \'"head":"\', \'"head":"0\') WHERE seq = 4',
      ['ord_2'],
    ],
    ['the idempotency key', 'UPDATE lines SET idempotency_key = NULL WHERE seq = 4', ['T2']],
    ['that a change is open', 'DELETE FROM open WHERE sent = 4', ['unconfirmed']],
    ['that a change is settled', 'INSERT INTO open VALUES (1)', ['unconfirmed']],
    ['a seal', "UPDATE lines SET seal = '0' WHERE seq = 4", []],
  ])('in the witness: %s', async (what, statement, refuses) => {
    damage(witness, statement);
    const now = await allAnswers();
    expect(Object.keys(now).filter((name) => now[name] === refused && name in guards)).toEqual(
      expect.arrayContaining([...refuses]),
    );
    expect(await expectFound(what)).toBe(true);
    await expectRepaired();
  });
});

it.each([
  ['that was sent', 7],
  ['that says what became of it', 8],
])('a change about no order is refused and found when the row is gone %s', async (what, seq) => {
  damage(file, `DELETE FROM rows WHERE seq = ${seq}`);
  expect((await allAnswers()).i_link).toBe(refused);
  expect(await expectFound(what)).toBe(true);
});

describe.each([
  ['journal', file, 'row_about', 'rows (about)', 18],
  // It has no line yet of the first verdict that came last.
  ['witness', witness, 'line_about', 'lines (about)', 17],
])('the index of the %s by which the rows of an order are found', (_, path, index, on, last) => {
  it('is refused where it lost the entry of a row, and verify finds it', async () => {
    for (let seq = 1; seq <= last; seq += 1) {
      loseEntry(path, index, `CREATE INDEX ${index} ON ${on}`, seq);
      expect(await expectFound(`${index} without row ${seq}`)).toBe(true);
      putBack();
    }
  });
});

function loseEntry(path: string, index: string, text: string, seq: number): void {
  const db = new DatabaseSync(path, { defensive: false });
  const write = (sql: string) => {
    db.exec('PRAGMA writable_schema = ON');
    const { changes } = db.prepare('UPDATE sqlite_schema SET sql = ? WHERE name = ?').run(sql, index);
    expect(Number(changes)).toBe(1);
    db.exec('PRAGMA writable_schema = RESET');
  };
  write(`${text} WHERE seq <> ${seq}`);
  db.exec(`REINDEX ${index}`);
  write(text);
  db.close();
}

function damage(path: string, statement: string): void {
  const db = new DatabaseSync(path);
  expect(Number(db.prepare(statement).run().changes)).toBeGreaterThan(0);
  db.close();
}

/** Nothing but what is looked up was lost, so a repair brings every answer back. */
async function expectRepaired(): Promise<void> {
  expect(await inStore((store) => store.repair(7))).toMatchObject({ lost: [], blocked: [], doubtful: 0 });
  expect(await found()).toBe(0);
  expect(await allAnswers()).toEqual(answers);
  putBack();
}
