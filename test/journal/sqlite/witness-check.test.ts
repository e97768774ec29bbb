/** The witness file: reading its end, what a torn line means, and that every damage is found. */

import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSqliteStore } from '../../../src/journal/sqlite/sqlite-store.ts';
import { readWitness, readWitnessEnd } from '../../../src/journal/sqlite/witness-file.ts';
import { sent, verdict } from '../rows.ts';

let folder: string;
let file: string;
let witness: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paydesk-witness-'));
  file = join(folder, 'state/journal/journal.db');
  witness = join(folder, 'state/witness/journal.witness');
});
afterEach(() => rmSync(folder, { recursive: true }));

const rules = { uid: process.getuid?.(), notice: () => undefined };
const open = () => createSqliteStore({ file, witness, rules });

async function filled() {
  const store = open();
  await store.append(sent('i_a', 1));
  await store.append(verdict('i_a', 2));
  await store.append(sent('i_b', 3));
  store.close();
}

describe('the witness', () => {
  it('has one line per row, with its number and the head of the chain, and no note, amount or body', async () => {
    await filled();
    const lines = readWitness(witness, rules)?.lines;
    expect(lines).toMatchObject([
      {
        seq: 1,
        type: 'sent',
        intent: 'i_a',
        attempt: 1,
        order: 'ord_1',
        kind: 'refund',
        body: expect.any(String),
      },
      { seq: 2, type: 'verdict', intent: 'i_a', order: 'ord_1', verdict: 'applied', final: true },
      { seq: 3, type: 'sent', intent: 'i_b', order: 'ord_1' },
    ]);
    expect(lines?.at(-1)?.head).toBe((await open().verify()).head);
    expect(readFileSync(witness, 'latin1')).not.toMatch(/ticket|"amount"|reason|-5/);
    expect([statSync(witness).mode & 0o777, statSync(dirname(witness)).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it('gets the lines that it missed before the next change is sent', async () => {
    await filled();
    const kept = readFileSync(witness);
    const store = open();
    await store.append(verdict('i_b', 4));
    // As if the machine had stopped between the journal's commit and the line.
    writeFileSync(witness, kept);
    expect((await store.verify()).witness).toMatchObject({ lines: 3, state: 'witness behind' });
    await store.append(sent('i_c', 5));
    expect((await store.verify()).witness).toMatchObject({ lines: 5, state: 'agrees' });
    expect((await store.verify()).findings).toEqual([]);
  });

  it('loses a torn last line without harm, wherever the power cut it', async () => {
    await filled();
    const whole = readFileSync(witness);
    const start = whole.lastIndexOf('\n', whole.length - 2) + 1;
    for (let size = start; size < whole.length; size += 7) {
      writeFileSync(witness, whole.subarray(0, size));
      await open().ready();
    }
    truncateSync(witness, start + 20);
    await open().append(verdict('i_b', 4));
    expect(readWitness(witness, rules)).toMatchObject({
      broken: [],
      lines: [1, 2, 3, 4].map((seq) => ({ seq })),
    });
  });

  it('a torn line whose row the journal lacks means that the journal is older', async () => {
    await filled();
    const [journal, start] = [readFileSync(file), statSync(witness).size];
    await open().append(verdict('i_b', 4));
    truncateSync(witness, start + 30);
    await open().ready();
    writeFileSync(file, journal);
    await expect(open().ready()).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('is older than its witness: 1 of 4 rows is missing'),
    });
  });

  it('no line of it can be changed without being found', async () => {
    await filled();
    const whole = readFileSync(witness);
    const told = readWitness(witness, rules)?.lines ?? [];
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const bytes = Buffer.from(whole);
        bytes[at] = (bytes[at] ?? 0) ^ by;
        writeFileSync(witness, bytes);
        const text = readWitness(witness, rules);
        const known = told.map((line) => JSON.stringify(line));
        expect(text?.lines.every((line) => known.includes(JSON.stringify(line)))).toBe(true);
        expect(text?.lines.length ?? 0).toBeLessThan(told.length);
        readWitnessEnd(witness, rules);
      }),
      { numRuns: 300 },
    );
  });

  it('verify names a damaged line in its middle, and a repair writes it anew', async () => {
    await filled();
    const whole = readFileSync(witness);
    const at = whole.indexOf('"seq":2');
    whole[at + 6] = '7'.charCodeAt(0);
    writeFileSync(witness, whole);
    const store = open();
    const { findings, witness: compared } = await store.verify();
    expect({ findings, state: compared.state }).toEqual({
      findings: [{ seq: 0, problem: 'line 2 of the witness is damaged' }],
      state: 'damaged',
    });
    store.close();
    expect(await open().repair(7)).toMatchObject({ kept: 3, lost: [], blocked: [] });
    expect((await open().verify()).witness).toMatchObject({ lines: 3, state: 'agrees' });
  });

  it('two damaged lines at its end are damage, and stop every change', async () => {
    await filled();
    const lines = readFileSync(witness, 'latin1').split('\n');
    writeFileSync(witness, [...lines.slice(0, 2), 'x'.repeat(300), 'y'.repeat(300), ''].join('\n'));
    await expect(open().ready()).rejects.toMatchObject({ kind: 'refused' });
    appendFileSync(witness, '\n');
    await expect(open().append(sent('i_c', 9))).rejects.toMatchObject({ kind: 'refused' });
  });

  it('is created by the first change when the journal comes from a version without a witness', async () => {
    const old = createSqliteStore({ file });
    await old.append(sent('i_a', 1));
    old.close();
    const db = new DatabaseSync(file);
    db.exec('ALTER TABLE head DROP COLUMN witness; PRAGMA user_version = 1');
    db.close();
    const store = open();
    await store.ready();
    expect((await store.verify()).witness).toMatchObject({ lines: 0, state: 'none yet' });
    await store.append(verdict('i_a', 2));
    expect((await store.verify()).witness).toMatchObject({ lines: 2, state: 'agrees' });
    rmSync(witness);
    await expect(store.append(sent('i_b', 3))).rejects.toMatchObject({
      message: expect.stringContaining('is missing'),
    });
  });

  it('knows the kind of an attempt without an order, and a repair blocks every change of that kind', async () => {
    const proof = { ...sent('i_a', 1).proof, kind: 'order', orderId: undefined } as const;
    const store = open();
    await store.append(sent('i_a', 1, { proof }));
    store.close();
    rmSync(dirname(file), { recursive: true });
    const repaired = await open().repair(7);
    expect(repaired).toMatchObject({ kept: 0, lost: [1], blocked: [{ intent: 'i_a', orderId: undefined }] });
    expect(await open().attempts({ unconfirmed: true })).toMatchObject([{ sent: { lost: 'order' } }]);
  });
});
