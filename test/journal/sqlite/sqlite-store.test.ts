/** The journal in its two files: who may read them, which damage is found by whom, and what a repair leaves. */

import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../bin/process-io.ts';
import type { JournalRow, SentRow } from '../../../src/journal/rows/journal-rows.ts';
import { type CopiedJournal, createSqliteStore } from '../../../src/journal/sqlite/sqlite-store.ts';
import { sent, verdict } from '../rows.ts';

let folder: string;
let file: string;
let witness: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paydesk-journal-'));
  file = join(folder, 'state', 'journal.sqlite');
  witness = join(folder, 'state', 'witness', 'journal.witness');
});
afterEach(() => rmSync(folder, { recursive: true }));

const rules = { uid: process.getuid?.(), notice: () => undefined };
const opened = () => createSqliteStore({ file, witness, rules, clock: systemClock });

/** Opens the journal for as long as this takes. */
async function inStore<T>(act: (store: CopiedJournal) => Promise<T>): Promise<T> {
  const store = opened();
  try {
    return await act(store);
  } finally {
    store.close();
  }
}

function on(change: string, order: string, time: number, more: Partial<SentRow> = {}): SentRow {
  const row = sent(change, time, more);
  return { ...row, proof: { ...row.proof, orderId: order } };
}

/** Three refunds that were made, rows 1 to 6: `i_a` on ord_1, `i_b` on ord_2, `i_c` on ord_3. */
async function filled(): Promise<void> {
  await inStore(async (store) => {
    for (const [change, order, time] of [
      ['i_a', 'ord_1', 1],
      ['i_b', 'ord_2', 3],
      ['i_c', 'ord_3', 5],
    ] as const) {
      await store.append(on(change, order, time));
      await store.append(verdict(change, time + 1));
    }
  });
}

function damage(statement: string, path = file): void {
  const db = new DatabaseSync(path);
  db.exec(statement);
  db.close();
}

/** Writes other words into a row, and the hash that belongs to them. */
function rechain(seq: number): void {
  const db = new DatabaseSync(file);
  const {
    row,
    prev,
    body_hash: body,
  } = db.prepare('SELECT row, prev, body_hash FROM rows WHERE seq = ?').get(seq) ?? {};
  const words = String(row).replace('"op7"', '"op8"').replace('"reply"', '"read"');
  const changed = hash('sha256', `${String(prev)}\n${String(body ?? '')}\n${words}`);
  db.prepare('UPDATE rows SET row = ?, hash = ? WHERE seq = ?').run(words, changed, seq);
  db.close();
}

/** What becomes of one question or change: `done`, or the words of the refusal. */
async function outcome(act: (store: CopiedJournal) => Promise<unknown>): Promise<string> {
  return inStore((store) =>
    act(store).then(
      () => 'done',
      ({ kind, message }: { kind?: string; message: string }) => `${kind}: ${message}`,
    ),
  );
}

describe('a row that this run has read before', () => {
  it.each([
    ['was changed', () => damage('UPDATE rows SET row = replace(row, \'"op7"\', \'"op8"\') WHERE seq = 3')],
    ['differs from the witness', () => rechain(3)],
    ['is missing', () => damage('DELETE FROM rows WHERE seq = 3')],
  ])('is not taken when it %s since then', async (problem, change) => {
    await filled();
    await inStore(async (store) => {
      expect(await store.attempts({ change: 'i_b' })).toHaveLength(1);
      change();
      expect(await store.attempts({ change: 'i_a' })).toHaveLength(1);
      await expect(store.attempts({ orderId: 'ord_2' })).rejects.toMatchObject({
        kind: 'refused',
        message: `the journal is damaged: row 3 ${problem}`,
      });
    });
  });
});

/** Another process adds a row. */
function addElsewhere(row: JournalRow): void {
  const source = (path: string) => JSON.stringify(join(import.meta.dirname, '../../../src', path));
  const script = `
    const { createSqliteStore } = await import(${source('journal/sqlite/sqlite-store.ts')});
    const rules = { uid: process.getuid?.(), notice: () => undefined };
    const [file, witness, row] = process.argv.slice(1);
    await createSqliteStore({ file, witness, rules }).append(JSON.parse(row));`;
  execFileSync(process.execPath, ['--input-type=module', '-e', script, file, witness, JSON.stringify(row)]);
}

describe('a row that another process adds between two questions of a run', () => {
  it('is seen by every question, and stops a refund of its order', async () => {
    await filled();
    await inStore(async (store) => {
      expect(await store.attempts({ orderId: 'ord_2', beforeSending: true })).toHaveLength(1);
      expect(await store.attempts({ unconfirmed: true })).toEqual([]);
      expect(await store.newest()).toMatchObject({ time: 6 });
      addElsewhere(on('i_d', 'ord_2', 7));
      await expect(store.append(on('i_e', 'ord_2', 8))).rejects.toThrow('another run changed ord_2');
      expect(await store.newest()).toMatchObject({ time: 7 });
      expect(await store.attempts({ unconfirmed: true })).toMatchObject([{ sent: { change: 'i_d' } }]);
      expect(await store.attempts({ orderId: 'ord_2', beforeSending: true })).toHaveLength(2);
      addElsewhere(verdict('i_d', 9));
      expect(await store.attempts({ unconfirmed: true })).toEqual([]);
      expect(await store.attempts({ orderId: 'ord_2', beforeSending: true })).toMatchObject([
        {},
        { verdicts: [{ time: 9 }] },
      ]);
      await store.append(on('i_e', 'ord_2', 10));
      expect(await store.attempts({ unconfirmed: true })).toMatchObject([{ sent: { change: 'i_e' } }]);
    });
  });

  it('is seen when it is only in the journal, because its process was killed before it wrote the line', async () => {
    await filled();
    await inStore(async (store) => {
      expect(await store.attempts({ orderId: 'ord_2' })).toHaveLength(1);
      addElsewhere(on('i_d', 'ord_2', 7));
      damage('DELETE FROM lines WHERE seq = 7; DELETE FROM open', witness);
      expect(await store.attempts({ orderId: 'ord_2' })).toHaveLength(2);
      expect(await store.attempts({ unconfirmed: true })).toMatchObject([{ sent: { change: 'i_d' } }]);
    });
  });
});

describe('rows of several orders that wait for the disk together', () => {
  // SQLite counts the commits of a file in its head.
  const commits = (path: string) => readFileSync(path).readUInt32BE(24);
  const orders = ['ord_4', 'ord_5', 'ord_6', 'ord_7'];

  it('share one commit of each file, and are there in both once they are said to be recorded', async () => {
    await filled();
    await inStore(async (store) => {
      await store.ready();
      const before = [commits(file), commits(witness)];
      await Promise.all(orders.map((order, index) => store.append(on(`i_${index}`, order, 7))));
      expect([commits(file), commits(witness)]).toEqual(before.map((count) => count + 1));
    });
    const { rows, findings } = await inStore((store) => store.verify());
    expect([rows, findings]).toEqual([10, []]);
  });

  it('are sixteen for a commit at most, and the others follow in their order', async () => {
    await filled();
    await inStore(async (store) => {
      await store.ready();
      const before = [commits(file), commits(witness)];
      const recorded: number[] = [];
      const add = (at: number) => store.append(on(`i_${at}`, `ord_${at}`, 7)).then(() => recorded.push(at));
      const wanted = Array.from({ length: 35 }, (_, at) => at + 4);
      await Promise.all(wanted.map(add));
      expect(recorded).toEqual(wanted);
      expect([commits(file), commits(witness)]).toEqual(before.map((count) => count + 3));
    });
    expect((await inStore((store) => store.verify())).findings).toEqual([]);
  });

  describe('while rows of other changes are to come', () => {
    beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
    afterEach(() => vi.useRealTimers());

    /** Which of two rows are recorded, once a row was added for one change of two that are under way, and then this happened. */
    async function recordedAfter(happens: (store: CopiedJournal, over: () => void) => Promise<void> | void) {
      await filled();
      return await inStore(async (store) => {
        const [, over = () => undefined] = [store.expectRows?.(), store.expectRows?.()];
        const recorded: string[] = [];
        const before = [commits(file), commits(witness)];
        const add = (change: string, order: string) =>
          store.append(on(change, order, 7)).then(() => recorded.push(change));
        const added = [add('i_4', 'ord_4')];
        for (let turns = 0; turns < 3; turns += 1) await turn();
        expect(recorded).toEqual([]);
        await happens({ ...store, append: async () => void added.push(add('i_5', 'ord_5')) }, over);
        await Promise.all(added);
        const after = [commits(file), commits(witness)].map((count, index) => count - (before[index] ?? 0));
        return { recorded, commits: after };
      });
    }

    it('a row waits for them, and shares their commit', async () => {
      const ended = await recordedAfter((store) => store.append(on('i_5', 'ord_5', 7)));
      expect(ended).toEqual({ recorded: ['i_4', 'i_5'], commits: [1, 1] });
    });

    it('a row waits no longer than half a commit', async () => {
      const ended = await recordedAfter(() => void vi.runAllTimers());
      expect(ended).toEqual({ recorded: ['i_4'], commits: [1, 1] });
    });

    it('a row goes on once no other is to come', async () => {
      const ended = await recordedAfter((_store, over) => over());
      expect(ended).toEqual({ recorded: ['i_4'], commits: [1, 1] });
    });
  });

  it('a row that is refused takes none of the others with it', async () => {
    await filled();
    await inStore(async (store) => {
      const rows = [on('i_4', 'ord_4', 7), on('i_a', 'ord_1', 7), on('i_5', 'ord_5', 7)];
      const ended = await Promise.allSettled(rows.map((row) => store.append(row)));
      expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(ended[1]).toMatchObject({ reason: { kind: 'refused' } });
      expect(await store.attempts({ orderId: 'ord_5' })).toMatchObject([{ sent: { change: 'i_5' } }]);
    });
    const { rows, findings } = await inStore((store) => store.verify());
    expect([rows, findings]).toEqual([8, []]);
  });

  it('a witness that cannot be written stops what would be sent, and neither a verdict nor the reason of a refused row is lost', async () => {
    await filled();
    await inStore(async (store) => {
      await store.append(on('i_4', 'ord_4', 7));
      damage("CREATE TRIGGER full BEFORE INSERT ON lines BEGIN SELECT RAISE(ABORT, 'no room'); END", witness);
      const rows = [verdict('i_4', 8), on('i_5', 'ord_5', 8), on('i_a', 'ord_1', 8)];
      const ended = await Promise.allSettled(rows.map((row) => store.append(row)));
      expect(ended).toMatchObject([
        { status: 'fulfilled' },
        { reason: { message: expect.stringContaining('witness') } },
        { reason: { message: 'the journal cannot hold this row of i_a' } },
      ]);
      expect(await store.attempts({ change: 'i_4' })).toMatchObject([{ verdicts: [{ time: 8 }] }]);
    });
  });

  it('the same verdict behind a row of its commit is recorded, and nobody is told otherwise', async () => {
    await filled();
    await inStore(async (store) => {
      await store.append(on('i_4', 'ord_4', 7));
      damage("CREATE TRIGGER full BEFORE INSERT ON lines BEGIN SELECT RAISE(ABORT, 'no room'); END", witness);
      const rows = [on('i_5', 'ord_5', 8), verdict('i_4', 8)];
      const ended = await Promise.allSettled(rows.map((row) => store.append(row)));
      expect(ended).toMatchObject([
        { reason: { message: expect.stringContaining('witness') } },
        { status: 'fulfilled' },
      ]);
      expect(await store.attempts({ change: 'i_4' })).toMatchObject([{ verdicts: [{ time: 8 }] }]);
    });
  });
});

describe('the journal file', () => {
  it('is private from its first moment, and is not made by a read', async () => {
    const store = opened();
    expect(await store.attempts({ orderId: 'ord_1' })).toEqual([]);
    expect(() => statSync(file)).toThrow('ENOENT');
    await store.append(sent('i_a', 1));
    for (const path of [file, `${file}-journal`, witness, `${witness}-journal`])
      expect(statSync(path).mode & 0o777, path).toBe(0o600);
    for (const path of [file, witness]) expect(statSync(dirname(path)).mode & 0o777, path).toBe(0o700);
    store.close();
  });

  it.each([
    [1, 'an older', 'settle unconfirmed changes with the older paydesk'],
    [2, 'an older', 'settle unconfirmed changes with the older paydesk'],
    [99, 'a newer', 'use the newer paydesk on this machine'],
  ])('is refused when it has version %i', async (version, whose, now) => {
    await filled();
    damage(`PRAGMA user_version = ${version}`);
    await inStore((store) =>
      expect(store.attempts({ orderId: 'ord_1' })).rejects.toMatchObject({
        kind: 'refused',
        message: `the journal ${file} was written by ${whose} paydesk (version ${version})`,
        parts: { certain: 'nothing was sent', now: expect.arrayContaining([expect.stringContaining(now)]) },
      }),
    );
    expect(await outcome((store) => store.append(on('i_d', 'ord_4', 9)))).toContain(`(version ${version})`);
  });

  it.each([1, 99])('is refused when its witness has version %i', async (version) => {
    await filled();
    damage(`PRAGMA user_version = ${version}`, witness);
    expect(await outcome((store) => store.append(on('i_d', 'ord_4', 9)))).toMatch(
      /^refused: the witness .* was written by an? (older|newer) paydesk/,
    );
  });

  it('leaves nothing of erased bodies and notes in its bytes', async () => {
    await filled();
    await inStore(async (store) => {
      await store.append(sent('i_open', 2));
      expect(await store.eraseBodies(4)).toBe(2);
    });
    expect(readFileSync(file, 'latin1').split('ticket 8840').length - 1).toBe(2);
  });
});

describe('while a run has the files open', () => {
  const makeAnew = async () => {
    damage("UPDATE rows SET row = replace(row, 'op7', 'op8') WHERE seq = 1");
    await inStore((store) => store.repair(7));
  };
  it('and another run repairs them, a run that only asks goes on with the new ones, and says so', async () => {
    await filled();
    let replaced = 0;
    const onReplaced = () => {
      replaced += 1;
    };
    const store = createSqliteStore({ file, witness, rules, onReplaced });
    expect(await store.attempts({ orderId: 'ord_2' })).toHaveLength(1);
    await makeAnew();
    await inStore((other) => other.append(on('i_d', 'ord_2', 8)));
    expect(await store.attempts({ orderId: 'ord_2' })).toHaveLength(2);
    expect(await store.attempts({ orderId: 'ord_2' })).toHaveLength(2);
    expect(replaced).toBe(1);
    store.close();
  });

  it.each<[string, () => unknown, RegExp]>([
    [
      'another run repairs them',
      makeAnew,
      /^refused: the journal \S+ was moved away or replaced while this run used it$/,
    ],
    ['the journal is moved away', () => renameSync(file, `${file}.old`), /was moved away or replaced/],
    ['the witness is removed', () => rmSync(witness), /^refused: the witness \S+ of the journal is missing$/],
    [
      'the witness is replaced',
      () => {
        writeFileSync(`${witness}.other`, 'order,amount\n');
        renameSync(`${witness}.other`, witness);
      },
      /^refused: the witness \S+ of the journal does not begin like a witness/,
    ],
  ])('and %s, it adds nothing to what nobody finds any more', async (_, act, says) => {
    await filled();
    const store = opened();
    await store.append(on('i_d', 'ord_4', 7));
    await act();
    await expect(store.ready()).rejects.toMatchObject({ kind: 'refused' });
    const tried = await store.append(on('i_e', 'ord_5', 8)).then(
      () => 'done',
      ({ kind, message }) => `${kind}: ${message}`,
    );
    expect(tried).toMatch(says);
    store.close();
  });
});

// What `verify` finds of each, and which questions and changes are refused.
const ofOrder = [
  [
    'a changed row',
    `UPDATE rows SET row = replace(row, '"amount":-5', '"amount":-6') WHERE seq = 3`,
    'was changed',
  ],
  [
    'a changed body',
    `UPDATE rows SET body = replace(body, '8840', '8841') WHERE seq = 3`,
    'has a changed body',
  ],
  ['a changed column', `UPDATE rows SET order_id = 'ord_9' WHERE seq = 3`, 'has a changed order_id'],
  ['a deleted row', 'DELETE FROM rows WHERE seq = 3', 'is missing'],
  ['a row that is found under another order', `UPDATE rows SET about = 'ord_9' WHERE seq = 3`, 'is missing'],
  [
    'a swapped pair',
    'UPDATE rows SET seq = 99 WHERE seq = 3; UPDATE rows SET seq = 3 WHERE seq = 4; UPDATE rows SET seq = 4 WHERE seq = 99',
    'differs from the witness',
  ],
] as const;

describe('a damaged journal is named by verify, blocks changes, and can be repaired (F41)', () => {
  it.each(ofOrder)(
    '%s of an order: that order is refused, and others are not',
    async (_, statement, problem) => {
      await filled();
      damage(statement);
      const says = `refused: the journal is damaged: row 3 ${problem}`;
      expect(await outcome((store) => store.attempts({ orderId: 'ord_2' }))).toBe(says);
      expect(await outcome((store) => store.attempts({ orderIds: new Set(['ord_1', 'ord_2']) }))).toBe(says);
      expect(await outcome((store) => store.append(on('i_d', 'ord_2', 9)))).toBe(says);
      expect(await outcome((store) => store.append(on('i_d', 'ord_1', 9)))).toBe('done');
      const { findings } = await inStore((store) => store.verify());
      expect(findings.map(({ seq }) => seq)).toContain(3);

      const before = readFileSync(file);
      const repair = await inStore((store) => store.repair(7));
      expect(readFileSync(repair.copy ?? '').equals(before)).toBe(true);
      await inStore(async (store) => {
        expect((await store.verify()).findings).toEqual([]);
        expect((await store.attempts({ orderId: 'ord_2' })).map((one) => one.sent.change)).toEqual(['i_b']);
        expect(await store.attempts({ orderId: 'ord_1' })).toHaveLength(2);
      });
    },
  );

  it.each([
    [
      'a torn tail',
      'DELETE FROM rows WHERE seq = 6',
      /damaged: row 6 was the newest one, and is missing or changed/,
    ],
    [
      'a tail that the witness knows is torn',
      'DELETE FROM rows WHERE seq > 4',
      /older than its witness: 1 of 5 rows is missing/,
    ],
    ['another newest row', `UPDATE rows SET hash = prev WHERE seq = 6`, /damaged: row 6 was changed/],
    [
      'another note of the newest row',
      'UPDATE head SET seq = 5',
      /damaged: row 5 was the newest one, and is missing or changed/,
    ],
  ])('%s: every change is refused', async (_, statement, says) => {
    await filled();
    damage(statement);
    for (const order of ['ord_1', 'ord_3', 'ord_4'])
      expect(await outcome((store) => store.append(on('i_d', order, 9)))).toMatch(says);
    expect((await inStore((store) => store.verify())).findings).not.toEqual([]);
    await inStore((store) => store.repair(7));
    expect((await inStore((store) => store.verify())).findings).toEqual([]);
    expect(await outcome((store) => store.append(on('i_d', 'ord_4', 9)))).toBe('done');
  });

  it('keeps an attempt whose SENT was changed as an open outcome of its order', async () => {
    await filled();
    damage(
      `UPDATE rows SET row = replace(row, '"amount":-5', '"amount":-6') WHERE seq = 3; DELETE FROM rows WHERE seq = 4`,
    );
    // Without the witness: with it, the verdict is not forgotten.
    rmSync(witness);
    expect(await inStore((store) => store.repair(7))).toMatchObject({ kept: 4, doubtful: 1, lost: [4] });
    await inStore(async (store) => {
      expect(await store.attempts({ change: 'i_b' })).toMatchObject([
        {
          sent: {
            change: 'i_b',
            proof: { orderId: 'ord_2', kind: 'api' },
            horizonMs: Number.MAX_SAFE_INTEGER,
          },
        },
      ]);
      expect(await store.attempts({ change: 'i_lost7x4' })).toMatchObject([
        { sent: { origin: '', lost: 'unknown' } },
      ]);
    });
  });

  it('a zero-filled block is found', async () => {
    await filled();
    const bytes = readFileSync(file);
    bytes.fill(0, 4096, 8192);
    writeFileSync(file, bytes);
    expect(await outcome((store) => store.attempts({ orderId: 'ord_1' }))).toMatch(/^refused: /);
    expect((await inStore((store) => store.verify())).findings).not.toEqual([]);
  });
});
