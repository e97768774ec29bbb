import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { repairStore } from '../../src/journal/repair.ts';
import { createFileStore } from '../../src/journal/store.ts';
import { sent, verdict } from './rows.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paydesk-journal-'));
  file = join(folder, 'state', 'journal.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function filled(): Promise<void> {
  const store = createFileStore(file);
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

describe('the journal file', () => {
  it('takes no SENT from a run that did not see what another one wrote about the order since it looked', async () => {
    const query = { origin: 'https://pay.example', orderId: 'ord_1' };
    const [one, other] = [createFileStore(file), createFileStore(file)];
    expect(await one.attempts(query)).toEqual([]);
    await other.append(sent('i_b', 1));
    await expect(one.append(sent('i_a', 2))).rejects.toMatchObject({
      kind: 'refused',
      message: 'another run changed ord_1 meanwhile, past the lock on it',
    });
    await one.attempts(query);
    await other.append(verdict('i_b', 3));
    await expect(one.append(sent('i_a', 4))).rejects.toMatchObject({ kind: 'refused' });
    await one.attempts(query);
    await one.append(sent('i_a', 5));
    const elsewhere = { ...sent('i_c', 6), proof: { ...sent('i_c', 6).proof, orderId: 'ord_2' } };
    await other.append(elsewhere);
    await one.append(verdict('i_a', 7));
    expect(await other.attempts(query)).toHaveLength(2);
  });

  it('takes one SENT under a script’s id: not that of a run which did not see the other one’s', async () => {
    const query = { origin: 'https://pay.example', given: 'T1' };
    const on = (intent: string, orderId: string) => ({
      ...sent(intent, 1, { given: 'T1', asked: { order: orderId } }),
      proof: { ...sent(intent, 1).proof, orderId },
    });
    const [one, other, third] = [createFileStore(file), createFileStore(file), createFileStore(file)];
    for (const store of [one, other, third]) expect(await store.attempts(query)).toEqual([]);
    await one.append(on('i_a', 'ord_1'));
    await expect(other.append(on('i_b', 'ord_2'))).rejects.toMatchObject({
      kind: 'refused',
      message: 'the intent T1 was something else: recorded with order ord_1; asked for now with order ord_2',
      parts: { now: ['paydesk journal show i_a'] },
    });
    await expect(third.append(on('i_c', 'ord_1'))).rejects.toMatchObject({
      kind: 'refused',
      message: 'another run under the intent T1 came first',
    });
    await one.append(verdict('i_a', 2));
    expect(await other.attempts(query)).toHaveLength(1);
    await other.append({ ...on('i_a', 'ord_1'), attempt: 2 });
    await other.append(sent('i_d', 3, { given: 'T2' }));
  });

  it('gives back what was written, in another process too', async () => {
    const store = createFileStore(file);
    await store.append(sent('i_a', 1));
    await store.append(verdict('i_a', 2));
    const other = createFileStore(file);
    expect(await other.attempts({ orderId: 'ord_1' })).toEqual([
      { sent: sent('i_a', 1), verdicts: [verdict('i_a', 2)] },
    ]);
    await store.append(sent('i_b', 3));
    // What was made is watched: its verdict may still change.
    expect((await other.attempts({ unsettled: true })).map(({ sent: { intent } }) => intent)).toEqual([
      'i_a',
      'i_b',
    ]);
    expect((await other.newest()).time).toBe(3);
  });

  it('gives the attempts on several orders, and none that is on no order', async () => {
    const store = createFileStore(file);
    const on = (intent: string, orderId: string | undefined) => ({
      ...sent(intent, 1),
      proof: {
        ...sent(intent, 1).proof,
        kind: orderId === undefined ? ('order' as const) : ('refund' as const),
        orderId,
      },
    });
    for (const row of [on('i_a', 'ord_1'), on('i_b', 'ord_2'), on('i_c', 'ord_3'), on('i_d', undefined)])
      await store.append(row);
    const found = await store.attempts({ orderIds: new Set(['ord_1', 'ord_3', 'ord_4']) });
    expect(found.map((record) => record.sent.intent)).toEqual(['i_a', 'i_c']);
  });

  it('is private from its first moment, and is not made by a read', async () => {
    const store = createFileStore(file);
    expect(await store.attempts({})).toEqual([]);
    expect(() => statSync(file)).toThrow('ENOENT');
    await store.append(sent('i_a', 1));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'state')).mode & 0o777).toBe(0o700);
  });

  it('holds one SENT an attempt, and no verdict without one', async () => {
    const store = createFileStore(file);
    await store.append(sent('i_a', 1));
    await expect(createFileStore(file).append(sent('i_a', 9))).rejects.toMatchObject({ kind: 'refused' });
    await expect(store.append(verdict('i_x', 9))).rejects.toMatchObject({ kind: 'refused' });
  });

  it('is refused when a newer paydesk wrote it', async () => {
    await filled();
    damage('PRAGMA user_version = 99');
    await expect(createFileStore(file).attempts({})).rejects.toMatchObject({
      kind: 'refused',
      message: `the journal ${file} was written by a newer paydesk (version 99)`,
    });
  });

  it('knows a head that was noted elsewhere, and one that it never had', async () => {
    await filled();
    const store = createFileStore(file);
    const { head, rows } = await store.verify();
    await store.append(sent('i_d', 9));
    expect(rows).toBe(6);
    expect(await store.verify(head)).toMatchObject({ knowsHead: true, findings: [] });
    expect(await store.verify('f'.repeat(64))).toMatchObject({ knowsHead: false });
  });

  it('forgets bodies and notes of settled attempts, and stays whole', async () => {
    await filled();
    const store = createFileStore(file);
    await store.append(sent('i_open', 2));
    expect(await store.forget(4)).toBe(2);
    const [forgotten, , kept, open] = await store.attempts({});
    expect([forgotten?.sent.note, forgotten?.sent.request.body]).toEqual([undefined, undefined]);
    expect([kept?.sent.note, open?.sent.note]).toEqual(['ticket 8840', 'ticket 8840']);
    expect((await store.verify()).findings).toEqual([]);
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
    ['a torn tail', 'DELETE FROM rows WHERE seq = 6', 6, 'was the newest and is not there as it was'],
    [
      'a swapped pair',
      'UPDATE rows SET seq = 99 WHERE seq = 3; UPDATE rows SET seq = 3 WHERE seq = 4; UPDATE rows SET seq = 4 WHERE seq = 99',
      3,
      'does not follow the row before it',
    ],
  ])('%s', async (_, statement, seq, problem) => {
    await filled();
    damage(statement);
    const store = createFileStore(file);
    expect((await store.verify()).findings).toContainEqual({ seq, problem });
    await expect(store.attempts({})).rejects.toMatchObject({ kind: 'refused' });
    await expect(store.append(sent('i_d', 9))).rejects.toMatchObject({ kind: 'refused' });
    store.close();

    const before = readFileSync(file);
    const repair = await repairStore(file, 7);
    expect(readFileSync(repair.copy ?? '').equals(before)).toBe(true);
    const repaired = createFileStore(file);
    expect((await repaired.verify()).findings).toEqual([]);
    const intents = (await repaired.attempts({})).map((record) => record.sent.intent);
    // A row that is gone may have been a change: without a witness one unconfirmed attempt stands for it.
    const standIns = repair.lost.map((lost) => `i_lost7x${lost}`);
    expect(intents).toEqual(['i_a', 'i_b', 'i_c', ...standIns]);
  });

  it('keeps an attempt whose SENT was changed as an open outcome of its order', async () => {
    await filled();
    damage(
      `UPDATE rows SET row = replace(row, '"amount":-5', '"amount":-6') WHERE seq = 3; DELETE FROM rows WHERE seq = 4`,
    );
    expect(await repairStore(file, 7)).toMatchObject({ kept: 4, doubtful: 1, lost: [4] });
    expect(await createFileStore(file).attempts({ intent: 'i_b' })).toMatchObject([
      {
        sent: { intent: 'i_b', proof: { orderId: 'ord_1', kind: 'api' }, horizonMs: Number.MAX_SAFE_INTEGER },
      },
    ]);
    expect(await createFileStore(file).attempts({ intent: 'i_lost7x4' })).toMatchObject([
      { sent: { origin: '', lost: 'unknown' } },
    ]);
  });

  it('any flipped bit in the file is found, or changes nothing', async () => {
    await filled();
    const whole = readFileSync(file);
    const original = await createFileStore(file).attempts({});
    const flipped = `${file}.flipped`;
    let found = 0;
    for (let at = 100; at < whole.length; at += 61) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(flipped, bytes);
      const store = createFileStore(flipped);
      const read = await store.attempts({}).catch((error: unknown) => error);
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
    await expect(createFileStore(file).attempts({})).rejects.toMatchObject({ kind: 'refused' });
  });
});
