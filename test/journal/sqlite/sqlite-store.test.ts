import { hash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { createSqliteStore } from '../../../src/journal/sqlite/sqlite-store.ts';
import { sent, verdict } from '../rows.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paydesk-journal-'));
  file = join(folder, 'state', 'journal.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function filled(): Promise<void> {
  const store = createSqliteStore({ file });
  for (const [intent, time] of [
    ['i_a', 1],
    ['i_b', 3],
    ['i_c', 5],
  ] as const) {
    await store.append(sent(intent, time));
    await store.append(verdict(intent, time + 1));
  }
  store.close();
}

function damage(statement: string): void {
  const db = new DatabaseSync(file);
  db.exec(statement);
  db.close();
}

describe('a row that this run has read before', () => {
  const rechained = (seq: number) => {
    const db = new DatabaseSync(file);
    const row = String(db.prepare('SELECT row FROM rows WHERE seq = ?').get(seq)?.row).replace(
      '"op7"',
      '"op8"',
    );
    const { prev, body_hash: body } =
      db.prepare('SELECT prev, body_hash FROM rows WHERE seq = ?').get(seq) ?? {};
    const changed = hash('sha256', `${String(prev)}\n${String(body ?? '')}\n${row}`);
    db.prepare('UPDATE rows SET row = ?, hash = ? WHERE seq = ?').run(row, changed, seq);
    db.close();
  };

  it.each([
    ['was changed', () => damage('UPDATE rows SET row = replace(row, \'"op7"\', \'"op8"\') WHERE seq = 3')],
    ['was changed', () => rechained(3)],
    ['is missing', () => damage('DELETE FROM rows WHERE seq = 3')],
  ])('is not taken when it %s since then', async (problem, change) => {
    await filled();
    const store = createSqliteStore({ file });
    expect(await store.attempts({ intent: 'i_b' })).toHaveLength(1);
    change();
    expect(await store.attempts({ intent: 'i_a' })).toHaveLength(1);
    await expect(store.attempts({ intent: 'i_b' })).rejects.toMatchObject({
      kind: 'refused',
      message: `the journal is damaged: row 3 ${problem}`,
    });
    store.close();
  });
});

const page = { limit: 9 };

describe('the journal file', () => {
  it('is private from its first moment, and is not made by a read', async () => {
    const store = createSqliteStore({ file });
    expect(await store.list({}, page)).toEqual([]);
    expect(() => statSync(file)).toThrow('ENOENT');
    await store.append(sent('i_a', 1));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'state')).mode & 0o777).toBe(0o700);
  });

  it('is refused when a newer paydesk wrote it', async () => {
    await filled();
    damage('PRAGMA user_version = 99');
    await expect(createSqliteStore({ file }).list({}, page)).rejects.toMatchObject({
      kind: 'refused',
      message: `the journal ${file} was written by a newer paydesk (version 99)`,
    });
  });

  it('leaves nothing of erased bodies and notes in its bytes', async () => {
    await filled();
    const store = createSqliteStore({ file });
    await store.append(sent('i_open', 2));
    expect(await store.eraseBodies(4)).toBe(2);
    expect(readFileSync(file, 'latin1').split('ticket 8840').length - 1).toBe(2);
  });
});

describe('a damaged journal is named by verify, blocks changes, and can be repaired (F41)', () => {
  it.each([
    [
      'a changed row',
      `UPDATE rows SET row = replace(row, '"amount":-5', '"amount":-6') WHERE seq = 3`,
      3,
      'was changed',
    ],
    [
      'a changed body',
      `UPDATE rows SET body = replace(body, '8840', '8841') WHERE seq = 3`,
      3,
      'has a changed body',
    ],
    ['a changed column', `UPDATE rows SET order_id = 'ord_2' WHERE seq = 3`, 3, 'has a changed order_id'],
    ['a deleted row', 'DELETE FROM rows WHERE seq = 2', 2, 'is missing'],
    ['a torn tail', 'DELETE FROM rows WHERE seq = 6', 6, 'was the newest one, and is missing or changed'],
    [
      'a swapped pair',
      'UPDATE rows SET seq = 99 WHERE seq = 3; UPDATE rows SET seq = 3 WHERE seq = 4; UPDATE rows SET seq = 4 WHERE seq = 99',
      3,
      'does not follow the row before it',
    ],
  ])('%s', async (_, statement, seq, problem) => {
    await filled();
    damage(statement);
    const store = createSqliteStore({ file });
    expect((await store.verify()).findings).toContainEqual({ seq, problem });
    await expect(store.attempts({ orderId: 'ord_1' })).rejects.toMatchObject({ kind: 'refused' });
    await expect(store.append(sent('i_d', 9))).rejects.toMatchObject({ kind: 'refused' });
    store.close();

    const before = readFileSync(file);
    const repair = await createSqliteStore({ file }).repair(7);
    expect(readFileSync(repair.copy ?? '').equals(before)).toBe(true);
    const repaired = createSqliteStore({ file });
    expect((await repaired.verify()).findings).toEqual([]);
    const intents = (await repaired.list({}, page)).map((record) => record.sent.intent).toReversed();
    // A row that is gone may have been a change: without a witness one unconfirmed attempt stands for it.
    const standIns = repair.lost.map((lost) => `i_lost7x${lost}`);
    expect(intents).toEqual(['i_a', 'i_b', 'i_c', ...standIns]);
  });

  it('keeps an attempt whose SENT was changed as an open outcome of its order', async () => {
    await filled();
    damage(
      `UPDATE rows SET row = replace(row, '"amount":-5', '"amount":-6') WHERE seq = 3; DELETE FROM rows WHERE seq = 4`,
    );
    expect(await createSqliteStore({ file }).repair(7)).toMatchObject({ kept: 4, doubtful: 1, lost: [4] });
    expect(await createSqliteStore({ file }).attempts({ intent: 'i_b' })).toMatchObject([
      {
        sent: { intent: 'i_b', proof: { orderId: 'ord_1', kind: 'api' }, horizonMs: Number.MAX_SAFE_INTEGER },
      },
    ]);
    expect(await createSqliteStore({ file }).attempts({ intent: 'i_lost7x4' })).toMatchObject([
      { sent: { origin: '', lost: 'unknown' } },
    ]);
  });

  it('any flipped bit in the file is found, or changes nothing', async () => {
    await filled();
    const whole = readFileSync(file);
    const original = await createSqliteStore({ file }).list({}, page);
    const flipped = `${file}.flipped`;
    let found = 0;
    for (let at = 100; at < whole.length; at += 61) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(flipped, bytes);
      const store = createSqliteStore({ file: flipped });
      const read = await store.list({}, page).catch((error: unknown) => error);
      store.close();
      if (read instanceof CliError) found += 1;
      else expect(read).toEqual(original);
    }
    expect(found).toBeGreaterThan(20);
  });

  it('a zero-filled block is found', async () => {
    await filled();
    const bytes = readFileSync(file);
    bytes.fill(0, 4096, 8192);
    writeFileSync(file, bytes);
    copyFileSync(file, `${file}.copy`);
    await expect(createSqliteStore({ file }).list({}, page)).rejects.toMatchObject({ kind: 'refused' });
  });
});
