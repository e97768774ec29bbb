/** `archiveOld` of the store: what is moved, what stays, and that everything asked about an order is answered as before. */

import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isDoubted, isOpen, isUnsettled, isWatched } from '../../../src/journal/attempt-state.ts';
import { claimsOfOthers } from '../../../src/journal/claims.ts';
import { decide } from '../../../src/journal/guards.ts';
import { claimedBy, ownRefunds } from '../../../src/journal/questions/verdicts-say.ts';
import { nothingToRepeat, oldRead, unnamedEqual } from '../../../src/journal/read-guards.ts';
import { archiveInto } from '../../../src/journal/rows/archive-file.ts';
import { areOver, inShort, verdictsIn } from '../../../src/journal/rows/archived-rows.ts';
import {
  type AttemptRecord,
  attemptKey,
  type JournalRow,
  type SentRow,
} from '../../../src/journal/rows/journal-rows.ts';
import { archiveStore, verifyArchive } from '../../../src/journal/sqlite/archive-store.ts';
import { createSqliteStore } from '../../../src/journal/sqlite/sqlite-store.ts';
import { isLong } from '../../harness/long.ts';
import { attemptsIn } from '../../harness/memory-store.ts';
import { addAtOnce } from '../../harness/rows-at-once.ts';
import { answer, draft, newestFirst, query, rowsOf } from '../random-questions.ts';
import { momentAt, sent, setting, verdict } from '../rows.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paydesk-archive-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (place = folder) =>
  createSqliteStore({
    file: join(place, 'journal/journal.db'),
    witness: join(place, 'witness/journal.witness'),
    cwd: () => place,
  });

async function fill(rows: readonly JournalRow[], place = folder) {
  const store = open(place);
  for (const row of rows) await store.append(row);
  return store;
}

const said = { operator: 'ana', time: 1000 };
const archiving = (before: number) => ({ before, path: 'old.paydesk', said });

/** A refund that is made and was read again after its horizon. */
const settled = (change: string, time: number, more: Partial<SentRow> = {}): JournalRow[] => {
  const refunds = [
    { id: `re_${change}`, chargeId: 'ch_1', amount: -5, createdAt: undefined, authCode: undefined },
  ];
  const row = { ...verdict(change, time + 1), refunds };
  return [sent(change, time, { horizonMs: 10, ...more }), row, { ...row, time: time + 20, by: 'read' }];
};

const onOrder = (orderId: string): Partial<SentRow> => {
  const { proof } = sent('i', 0);
  return { proof: { ...proof, orderId } };
};

describe('archiveOld', () => {
  it('leaves one short row of each attempt, and the file has all rows with bodies and notes', async () => {
    const rows = [...settled('i_a', 1, onOrder('ord_a')), setting(30), ...settled('i_b', 40)];
    const store = await fill([...rows, sent('i_c', 90, onOrder('ord_c'))]);
    const { head } = await store.verify();
    expect(await store.countOver(80)).toBe(2);
    expect(await store.countOver(80, 1)).toBe(1);
    const moved = await store.archiveOld(archiving(80));
    expect(moved).toMatchObject({ attempts: 2, rowsBefore: 8, rows: 5 });
    expect(await store.verify(head, 2000)).toMatchObject({
      rows: 5,
      findings: [],
      knowsHead: true,
      witness: { lines: 5, state: 'agrees' },
    });
    const [short] = await store.attempts({ change: 'i_a' });
    expect(short?.sent).toMatchObject({ operator: 'op7', archived: { at: 1000 } });
    expect(JSON.stringify(short)).not.toMatch(/ticket 8840|"body"/);
    expect((await store.attempts({ change: 'i_c' }))[0]?.sent.note).toBe('ticket 8840');
    expect(await store.countOver(80)).toBe(0);
    const [whole] = await (await archiveStore('old.paydesk', () => folder)).attempts({ change: 'i_a' });
    expect(whole).toEqual(attemptsIn(rows)[0]);
    expect(await verifyArchive('old.paydesk', () => folder, head)).toMatchObject({
      rows: 8,
      head,
      knowsHead: true,
      sha256: moved.sha256,
    });
  });

  it('says in its first row which journal it comes from, each time', async () => {
    const store = await fill([...settled('i_a', 1, onOrder('ord_a')), ...settled('i_b', 100)]);
    const first = await store.verify();
    await store.archiveOld(archiving(50));
    const second = await store.verify();
    await store.archiveOld({ before: 500, path: 'newer.paydesk', said: { ...said, time: 2000 } });
    const heads = [first.head, second.head];
    expect((await store.settings()).map(({ from }) => from)).toEqual([`${heads[1]} 5`, `${heads[0]} 6`]);
    for (const head of heads) expect((await store.verify(head)).knowsHead).toBe(true);
    expect((await store.verify('f'.repeat(64))).knowsHead).toBe(false);
    const all = await store.attempts({ orderIds: new Set(['ord_a', 'ord_1']) });
    expect(all.map((one) => one.sent.archived?.at)).toEqual([1000, 2000]);
  });

  it.each<[string, JournalRow[]]>([
    ['is unconfirmed', [sent('i_a', 1)]],
    ['is watched', settled('i_a', 1).slice(0, 2)],
    ['was recorded by hand', [sent('i_a', 1), { ...verdict('i_a', 2), by: 'person', operator: 'lea' }]],
    ['has an alarm', [...settled('i_a', 1), { ...verdict('i_a', 60), alarm: 'duplicate' }]],
    ['had an alarm', [...settled('i_a', 1), { ...verdict('i_a', 60), acknowledged: 'duplicate' }]],
    ['was sent later', settled('i_a', 300)],
    ['had not ended by then', settled('i_a', 1, { horizonMs: 500 })],
    ['was written by clocks that disagreed', [sent('i_a', 1), { ...verdict('i_a', 2), skewed: true }]],
  ])('leaves a change that %s, and all others of its order', async (_, rows) => {
    const store = await fill([...settled('i_0', 0), ...rows, ...settled('i_b', 100, onOrder('ord_b'))]);
    const before = await store.attempts({ orderId: 'ord_1' });
    expect(await store.archiveOld(archiving(200))).toMatchObject({ attempts: 1 });
    expect(await store.attempts({ orderId: 'ord_1' })).toEqual(before);
  });

  it('finds the verdicts of a change however far behind it they are, and what was sent on its order since', async () => {
    const changes = Array.from({ length: 300 }, (_, at) => settled(`i_${at}`, at, onOrder(`ord_${at}`)));
    const first = changes.map(([row]) => row as JournalRow);
    const later = [
      ...settled('i_again', 1500, onOrder('ord_7')),
      ...settled('i_new', 2500, onOrder('ord_8')),
    ];
    const rows = [...first, ...changes.flatMap(([, ...rest]) => rest), ...later];
    const store = open();
    await addAtOnce(store, rows);
    expect(await store.archiveOld(archiving(2000))).toMatchObject({
      attempts: 300,
      rowsBefore: 906,
      rows: 307,
    });
    const ofOrder = async (orderId: string) =>
      (await store.attempts({ orderId })).map(({ sent: { change, archived } }) => [change, archived?.at]);
    expect(await ofOrder('ord_7')).toEqual([
      ['i_7', 1000],
      ['i_again', 1000],
    ]);
    expect(await ofOrder('ord_8')).toEqual([
      ['i_8', undefined],
      ['i_new', undefined],
    ]);
    expect(await store.verify()).toMatchObject({ rows: 307, findings: [] });
  });

  it('replaces no file, and moves nothing then', async () => {
    const store = await fill(settled('i_a', 1));
    await archiveInto(store, 'old.paydesk', () => folder);
    await expect(store.archiveOld(archiving(200))).rejects.toThrow('exists already');
    expect(await store.verify()).toMatchObject({ rows: 3, findings: [] });
  });

  it.each([
    ['a row was changed', `UPDATE rows SET row = replace(row, 'op7', 'op8') WHERE seq = 1`],
    ['a row is missing', 'DELETE FROM rows WHERE seq = 2'],
    ['the last row was changed', `UPDATE rows SET row = replace(row, 'applied', 'rejected') WHERE seq = 6`],
    ['what is looked up was changed', `UPDATE attempts SET operator = 'op8' WHERE sent = 4`],
    ['what is looked up hides a change', `UPDATE attempts SET last = 5 WHERE sent = 4`],
  ])('refuses when %s, and writes no file', async (_, damage) => {
    const store = await fill([...settled('i_a', 1), ...settled('i_b', 30)]);
    store.close();
    using db = new DatabaseSync(join(folder, 'journal/journal.db'));
    db.exec(damage);
    await expect(open().archiveOld(archiving(200))).rejects.toThrow('is not whole');
    expect(existsSync(join(folder, 'old.paydesk'))).toBe(false);
  });

  it('takes a verdict on an archived attempt, and archives nothing of its order then', async () => {
    const store = await fill(settled('i_a', 1));
    await store.archiveOld(archiving(200));
    const wrong = { ...verdict('i_a', 2000), verdict: 'rejected', by: 'person' } as const;
    await store.append(wrong);
    const [record] = await store.attempts({ doubted: true });
    expect(record?.verdicts.map((row) => row.verdict)).toEqual(['applied', 'applied', 'rejected']);
    expect(await store.countOver(9000)).toBe(0);
    expect(await store.verify()).toMatchObject({ findings: [] });
  });

  it('keeps a run out that had the old file open: it sends nothing, and a verdict gets into the new one', async () => {
    const store = await fill([...settled('i_a', 1), sent('i_c', 90, onOrder('ord_c'))]);
    const late = open();
    expect(await late.attempts({ orderId: 'ord_c' })).toHaveLength(1);
    await store.archiveOld(archiving(80));
    await expect(late.append(sent('i_d', 95, onOrder('ord_d')))).rejects.toThrow(
      'replaced while this run used it',
    );
    await late.append(verdict('i_c', 96));
    expect((await open().attempts({ change: 'i_c' }))[0]?.verdicts).toHaveLength(1);
    expect(await open().verify()).toMatchObject({ findings: [] });
  });
});

describe('a lost or changed short row', () => {
  const at = (name: string) => join(folder, name);

  it.each([
    [
      'changed',
      `UPDATE rows SET row = replace(row, '"archived":{"at":1000', '"archived":{"at":1001') WHERE seq = 2`,
      { blocked: 1, doubtful: 1, kept: 2 },
    ],
    ['removed', 'DELETE FROM rows WHERE seq = 2', { blocked: 1, doubtful: 0, kept: 2 }],
  ])('that was %s is found, and blocks its order until somebody settles it', async (_, damage, counts) => {
    const store = await fill([...settled('i_a', 1), ...settled('i_b', 40, onOrder('ord_b'))]);
    await store.archiveOld(archiving(200));
    store.close();
    using db = new DatabaseSync(at('journal/journal.db'));
    db.exec(damage);
    db.close();
    const damaged = open();
    await expect(damaged.attempts({ orderId: 'ord_1' })).rejects.toThrow('the journal is damaged');
    expect(await damaged.attempts({ orderId: 'ord_b' })).toHaveLength(1);
    const { blocked, doubtful, kept } = await damaged.repair(5000);
    expect({ blocked: blocked.length, doubtful, kept }).toEqual(counts);
    const [record] = await damaged.attempts({ orderId: 'ord_1' });
    expect(record && isOpen(record, momentAt(9_000_000_000))).toBe(true);
    const [other] = await damaged.attempts({ orderId: 'ord_b' });
    expect(other && isUnsettled(other)).toBe(false);
  });

  it('does not count as the last word when a later verdict on it is lost', async () => {
    const store = await fill(settled('i_a', 1));
    await store.archiveOld(archiving(200));
    await store.append({ ...verdict('i_a', 2000), verdict: 'unknown', by: 'read' });
    await store.append(setting(2001));
    store.close();
    using db = new DatabaseSync(at('journal/journal.db'));
    db.exec('DELETE FROM rows WHERE seq = 3');
    db.close();
    await open().repair(5000);
    const [record] = await open().attempts({ unconfirmed: true });
    expect(record?.verdicts.at(-1)?.verdict).toBe('unknown');
  });
});

describe('while another run waits for two replies', () => {
  it('puts both verdicts into the new journal, though they come together', async () => {
    const rows = [sent('i_c', 90, onOrder('ord_c')), sent('i_d', 91, onOrder('ord_d'))];
    const store = await fill([...settled('i_a', 1), ...rows]);
    await open().archiveOld(archiving(80));
    await Promise.all(rows.map(({ change }) => store.append(verdict(change, 95))));
    expect(await store.attempts({ unconfirmed: true })).toEqual([]);
    expect((await store.verify()).findings).toEqual([]);
  });

  it('sends nothing on an order that a third run changed since, whose rows have lower numbers now', async () => {
    const rows = [sent('i_d', 91, onOrder('ord_d')), ...settled('i_b', 2)];
    const store = await fill([...settled('i_a', 1), ...rows]);
    await store.attempts({ orderId: 'ord_c', beforeSending: true });
    await open().archiveOld(archiving(80));
    await open().append(sent('i_c', 92, onOrder('ord_c')));
    await store.append(verdict('i_d', 95));
    await expect(store.append(sent('i_e', 96, onOrder('ord_c')))).rejects.toThrow(
      'another run changed ord_c',
    );
  });
});

describe('stopped in between', () => {
  const files = ['journal/journal.db', 'journal/journal.db-journal', 'witness/journal.witness'] as const;

  it.each([
    ['before the new journal is in its place', [], 'old'],
    ['after it, before the new witness', ['journal/journal.db'], 'new'],
    [
      'while the new witness is put in its place',
      ['journal/journal.db', 'witness/journal.witness.new-journal'],
      'new',
    ],
  ] as const)('%s, the journal is whole', async (_, done, which) => {
    const rows = [...settled('i_a', 1), sent('i_c', 90, onOrder('ord_c'))];
    const store = await fill(rows);
    store.close();
    for (const name of files)
      if (existsSync(join(folder, name))) copyFileSync(join(folder, name), join(folder, `${name}.old`));
    const { head } = await open().verify();
    const again = open();
    await again.archiveOld(archiving(80));
    again.close();
    // As it is when the run has prepared the new witness.
    renameSync(join(folder, 'witness/journal.witness'), join(folder, 'witness/journal.witness.new'));
    renameSync(
      join(folder, 'witness/journal.witness-journal'),
      join(folder, 'witness/journal.witness.new-journal'),
    );
    const isDone = (name: string) => done.some((one) => one === name);
    for (const name of files)
      if (!isDone(name) && existsSync(join(folder, `${name}.old`)))
        copyFileSync(join(folder, `${name}.old`), join(folder, name));
    if (isDone('witness/journal.witness.new-journal'))
      renameSync(
        join(folder, 'witness/journal.witness.new-journal'),
        join(folder, 'witness/journal.witness-journal'),
      );
    const next = open();
    await next.ready();
    expect(await next.problem()).toBe(undefined);
    expect(await next.verify(head)).toMatchObject({
      rows: which === 'old' ? 4 : 3,
      findings: [],
      knowsHead: true,
      witness: { state: 'agrees' },
    });
    await next.append(verdict('i_c', 91));
    await next.append(sent('i_d', 95, onOrder('ord_d')));
    expect((await next.attempts({ unconfirmed: true })).map((one) => one.sent.change)).toEqual(['i_d']);
    expect(await next.verify()).toMatchObject({ findings: [] });
  });
});

// ── Everything that guards look at ──────────────────────────────────────────────────────────────

// Only links and what is in a body or note are not there any more.
const shortened = (record: AttemptRecord): AttemptRecord => {
  const short = inShort(record, said.time);
  return { sent: JSON.parse(JSON.stringify(short)), verdicts: verdictsIn(short) };
};

describe('of random journals', () => {
  it(`every question is answered as before`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(draft, { maxLength: 6 }),
        fc.array(query, { minLength: 4, maxLength: 10 }),
        fc.nat(6),
        async (drafts, queries, before) => {
          const place = mkdtempSync(join(folder, 'one-'));
          const rows = drafts.flatMap((one, index) => rowsOf(one, index, true));
          const store = await fill(rows, place);
          if (rows.length === 0) return;
          const all = attemptsIn(rows);
          const aboutOf = ({ sent: { proof, idempotencyKey, change } }: AttemptRecord) =>
            proof.orderId ?? idempotencyKey ?? change;
          const isOver = (record: AttemptRecord) =>
            areOver(
              all.filter((other) => aboutOf(other) === aboutOf(record)),
              before,
            );
          const now = all.map((record) => (isOver(record) ? shortened(record) : record));
          const { head } = await store.verify();
          expect(await store.countOver(before)).toBe(all.filter(isOver).length);
          await store.archiveOld(archiving(before));
          for (const one of queries) expect(await store.attempts(one)).toEqual(answer(one, now));
          expect(await store.list({}, { limit: 99 })).toEqual(newestFirst(now));
          expect(await store.verify(head)).toMatchObject({ findings: [], knowsHead: true });
          expect((await store.newest()).time).toBe(Math.max(0, ...rows.map(({ time }) => time)));
          // Nothing is unsettled only now, or settled only now.
          for (const one of [{ unconfirmed: true }, { doubted: true }, { byHand: true }] as const)
            expect((await store.attempts(one)).map(keyOf)).toEqual(answer(one, all).map(keyOf));
          store.close();
        },
      ),
      { numRuns: isLong ? 1000 : 15 },
    );
  }, 600_000);

  it('every guard decides as before', () => {
    fc.assert(
      fc.property(
        fc.array(draft, { minLength: 1, maxLength: 6 }),
        fc.record({
          kind: fc.constantFrom('refund' as const, 'capture' as const, 'order' as const),
          orderId: fc.constantFrom('ord_1', undefined),
          idempotencyKey: fc.constantFrom(undefined, 't-1'),
          again: fc.constantFrom([], ['re_1'], ['i_0'], ['i_0', 're_2'], ['i_1.2']),
        }),
        fc.nat(300),
        (drafts, asking, time) => {
          const all = attemptsIn(drafts.flatMap((one, index) => rowsOf(one, index, false))).filter(
            ({ sent: { proof } }) => proof.orderId === asking.orderId,
          );
          fc.pre(all.length > 0 && areOver(all, 9));
          const now = all.map(shortened);
          const { request, proof } = sent('i_new', 500);
          const asked = { ...asking, request, change: 'i_new', expected: proof.expected };
          const moment = momentAt(time + 9);
          const words = (known: readonly AttemptRecord[]) => {
            const image = {
              charges: [
                {
                  id: 'ch_1',
                  refunds: [
                    { id: 're_1', amount: -5 },
                    { id: 're_2', amount: -5 },
                  ],
                },
              ],
            };
            const decision = decide(asked, known, moment);
            const refusals = [
              unnamedEqual(asked, image, known),
              nothingToRepeat(asked, image, known, []),
              oldRead({ orderId: asking.orderId }, { charges: [] }, known),
            ];
            const record = { sent: sent('i_new', 500), verdicts: [] };
            return JSON.stringify([
              decision.go,
              'refusal' in decision && decision.refusal.why,
              refusals.map((one) => (typeof one === 'string' ? one : one?.why)),
              [...claimedBy(known, record)],
              ['re_1', 're_2', 'chk_1'].map((id) => claimsOfOthers([...known, record], record).has(id)),
              known.map((one) => [
                isOpen(one, moment),
                isWatched(one),
                isDoubted(one),
                isUnsettled(one),
                ownRefunds(one).map(({ id }) => id),
              ]),
            ]);
          };
          expect(words(now)).toBe(words(all));
        },
      ),
      { numRuns: isLong ? 20_000 : 300 },
    );
  });
});

function keyOf({ sent: row }: AttemptRecord): string {
  return attemptKey(row);
}
