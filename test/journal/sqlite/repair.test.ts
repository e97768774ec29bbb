/** The repair of a damaged journal file: what the new one holds, and when it takes the old one's place. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JournalRow } from '../../../src/journal/rows/journal-rows.ts';
import { createSqliteStore } from '../../../src/journal/sqlite/sqlite-store.ts';
import { bin, cleanEnv, type Home, newHome, paydesk } from '../../harness/paydesk.ts';
import { sent, setting, verdict } from '../rows.ts';

let home: Home;
let file: string;

beforeEach(() => {
  home = newHome();
  file = join(home.path, '.local/state/paydesk/journal/journal.db');
});
afterEach(() => home[Symbol.dispose]());

async function fill(rows: readonly JournalRow[], damage: string, witness?: string): Promise<void> {
  for (const path of [file, ...(witness === undefined ? [] : [witness])])
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const store = createSqliteStore({ file, witness });
  for (const row of rows) await store.append(row);
  store.close();
  const db = new DatabaseSync(file);
  db.exec(damage);
  db.close();
}

const changed = (seq: number) =>
  `UPDATE rows SET row = replace(row, '"attempt":1', '"attempt":9') WHERE seq = ${seq};`;
const one = [sent('i_a', 1), verdict('i_a', 2)];
const two = [...one, sent('i_b', 3), verdict('i_b', 4)];

describe('a repair', () => {
  it('that cannot write every row leaves the damaged file in its place, and nothing beside it', async () => {
    await fill(
      Array.from({ length: 60 }, (_, index) => sent(`i_${index}`, index + 1)),
      changed(7),
    );
    const before = readFileSync(file);
    const words = ['-c', 'ulimit -f 40; exec "$0" "$@"', process.execPath, bin];
    const repair = ['journal', 'verify', '--repair', '--yes'];
    const { status, stdout, stderr } = spawnSync('bash', [...words, ...repair], {
      env: cleanEnv({ home }),
      encoding: 'utf8',
    });
    expect({ status, stdout }, stderr).toEqual({ status: 3, stdout: '' });
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /the journal \S+ cannot be rebuilt: .* nothing was changed: the damaged file is in its place/,
    );
    // The limit on the size of a file is no full disk, so nothing is advised but the repair itself.
    expect(stderr).not.toContain('free some space');
    expect(stderr).toMatch(/now: +paydesk journal verify --repair\n/);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(dirname(file)).filter((name) => name.startsWith('journal.db.'))).toEqual([]);
    expect(await paydesk(repair, { home })).toMatchObject({
      code: 7,
      stdout: expect.stringContaining('59 rows kept, 1 doubtful, 0 lost'),
    });
  });

  it.each<[string, readonly JournalRow[], string, object]>([
    [
      'a changed SENT is doubtful, and its verdict kept, so it blocks nothing',
      two,
      changed(3),
      { kept: 3, doubtful: 1, lost: [], blocked: [], unblocked: [{ change: 'i_b', orderId: 'ord_1' }] },
    ],
    [
      'a changed SENT without a verdict is doubtful, and blocks its order',
      [...one, sent('i_b', 3)],
      changed(3),
      { kept: 2, doubtful: 1, lost: [], blocked: [{ change: 'i_b', orderId: 'ord_1' }], unblocked: [] },
    ],
    [
      'a changed verdict is lost, so its attempt is open',
      two,
      changed(4),
      { kept: 3, doubtful: 0, lost: [4], blocked: [{ change: 'i_b', orderId: 'ord_1' }] },
    ],
    [
      'a verdict whose SENT is gone is lost, and nothing is doubtful',
      two,
      'DELETE FROM rows WHERE seq = 1',
      { kept: 2, doubtful: 0, lost: [1, 2] },
    ],
    [
      'a changed SENT with a later time comes before its verdict all the same',
      two,
      `${changed(1)} UPDATE rows SET time = 9 WHERE seq = 1`,
      { kept: 3, doubtful: 1, lost: [] },
    ],
    [
      'of two SENT rows of one attempt the intact one is kept',
      two,
      `DROP INDEX one_sent; ${changed(1)} UPDATE rows SET change = 'i_b' WHERE seq = 1`,
      { kept: 2, doubtful: 0, lost: [1, 2] },
    ],
    [
      'a changed row about a setting is lost, and blocks nothing',
      [...one, setting(3), ...two.slice(2)],
      `UPDATE rows SET row = replace(row, '"500"', '"900"') WHERE seq = 3`,
      { kept: 4, doubtful: 0, lost: [3], blocked: [] },
    ],
  ])('%s', async (_, rows, damage, counts) => {
    await fill(rows, damage);
    expect(await createSqliteStore({ file }).repair(7)).toMatchObject(counts);
    expect((await createSqliteStore({ file }).verify()).findings).toEqual([]);
  });

  const repaired = async () => {
    const { code, stdout } = await paydesk(['journal', 'verify', '--repair', '--yes'], { home });
    return { code, lines: stdout.split('\n').filter((line) => !line.includes(' kept: ')) };
  };

  it('exits 7 when a row is lost, and names the order that this leaves unconfirmed', async () => {
    await fill(two, changed(4));
    expect(await repaired()).toEqual({
      code: 7,
      lines: [
        '3 rows kept, 0 doubtful, 1 lost',
        'unconfirmed, because their rows are lost: i_b on ord_1',
        'look at these orders, and settle them: paydesk journal list --open --all-profiles',
        'until then these orders cannot be changed',
        '',
      ],
    });
  });

  it.each([
    [
      'leaves an order unconfirmed',
      [...one, sent('i_b', 3)],
      [
        '2 rows kept, 1 doubtful, 0 lost',
        'unconfirmed, because their rows are lost: i_b on ord_1',
        'look at these orders, and settle them: paydesk journal list --open --all-profiles',
        'until then these orders cannot be changed',
        '',
      ],
    ],
    [
      'leaves of a change only how it ended, and says that it blocks no order',
      two,
      [
        '3 rows kept, 1 doubtful, 0 lost',
        'their records are lost, and how they ended is known: i_b on ord_1',
        'the loss blocks no order; to see unconfirmed changes: paydesk journal list --open --all-profiles',
        '',
      ],
    ],
  ])('exits 7 when a changed row %s', async (_, rows, lines) => {
    await fill(rows, changed(3));
    expect(await repaired()).toEqual({ code: 7, lines });
    const { stdout } = await paydesk(['journal', 'list', '--open', '--all-profiles', '-o', 'ndjson'], {
      home,
    });
    expect(stdout.includes('i_b')).toBe(lines.length === 5);
  });

  it('exits 7 when a row is lost that something came after, and says that it blocks no order', async () => {
    const unknown = { ...verdict('i_b', 4), verdict: 'unknown', by: 'sender' } as const;
    const witness = join(home.path, '.local/share/paydesk/witness/journal.witness');
    await fill([...one, sent('i_b', 3), unknown, verdict('i_b', 5)], changed(4), witness);
    expect(await repaired()).toEqual({
      code: 7,
      lines: [
        '4 rows kept, 0 doubtful, 1 lost',
        'the loss blocks no order; to see unconfirmed changes: paydesk journal list --open --all-profiles',
        '',
      ],
    });
  });
});

describe('of rows about settings that are gone', () => {
  const witness = () => join(home.path, '.local/share/paydesk/witness/journal.witness');
  const gone = 'DELETE FROM rows WHERE seq = 3; DELETE FROM rows WHERE seq = 6;';
  const rows = [...one, setting(3), ...two.slice(2), setting(6)];

  it('the witness knows that they were no changes, so nothing is blocked', async () => {
    await fill(rows, gone, witness());
    const store = createSqliteStore({ file, witness: witness() });
    await expect(store.append(sent('i_c', 7))).rejects.toMatchObject({ kind: 'refused' });
    expect(await store.repair(7)).toMatchObject({ kept: 4, lost: [3, 6], blocked: [] });
    const after = createSqliteStore({ file, witness: witness() });
    await after.append(sent('i_c', 8));
    expect(await after.verify()).toMatchObject({ rows: 5, settings: 0, findings: [] });
  });

  it('nobody knows what they were without a witness, so everything is blocked', async () => {
    await fill(rows, gone);
    expect(await createSqliteStore({ file }).repair(7)).toMatchObject({
      kept: 4,
      blocked: [{ orderId: undefined }],
    });
  });

  it('none is called an unconfirmed change when the journal is older than its witness', async () => {
    await fill(
      rows,
      `${gone} UPDATE head SET seq = 5, hash = (SELECT hash FROM rows WHERE seq = 5)`,
      witness(),
    );
    const { parts } = await createSqliteStore({ file, witness: witness() })
      .ready()
      .then(
        () => ({ parts: {} }),
        (error: { parts: object }) => error,
      );
    expect(JSON.stringify(parts)).not.toContain('unconfirmed, and missing');
  });
});

describe('what a person recorded last is damaged', () => {
  const person = { by: 'person', operator: 'op7', note: 'bank file' } as const;
  const notMade = { ...verdict('i_a', 2), ...person, verdict: 'rejected', confirmed: true } as const;
  const corrected = { ...verdict('i_a', 3), ...person, corrects: true } as const;
  const twice = { ...verdict('i_a', 2), alarm: 'duplicate' } as const;
  const acknowledged = { ...verdict('i_a', 3), ...person, by: 'reply', acknowledged: 'duplicate' } as const;

  it.each([
    ['a correction: the record before it, which was wrong, does not count again', [notMade, corrected]],
    ['an acknowledgement: the order is read again', [twice, acknowledged]],
  ])('%s', async (_, verdicts) => {
    await fill([sent('i_a', 1), ...verdicts], changed(3));
    expect(await paydesk(['journal', 'verify', '--repair', '--yes'], { home })).toMatchObject({ code: 7 });
    const [attempt] = await createSqliteStore({ file }).attempts({ change: 'i_a' });
    expect(attempt?.verdicts.at(-1)).toMatchObject({ verdict: 'unknown' });
  });
});
