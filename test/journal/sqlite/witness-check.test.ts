/** The witness: what it knows of the rows, and what it means when it and the journal do not match. */

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WitnessLine } from '../../../src/journal/rows/witness-lines.ts';
import { BothFiles } from '../../../src/journal/sqlite/both-files.ts';
import { findFile } from '../../../src/journal/sqlite/journal-file.ts';
import { salvageWitness } from '../../../src/journal/sqlite/salvage.ts';
import { createSqliteStore } from '../../../src/journal/sqlite/sqlite-store.ts';
import { Turns } from '../../../src/journal/sqlite/turns.ts';
import { type AtOneMoment, verifyFiles, wholeRows } from '../../../src/journal/sqlite/verify-files.ts';
import { addAtOnce } from '../../harness/rows-at-once.ts';
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

/** Opens both files as a run does that writes, at once when it is called. */
async function fileOpener() {
  const rest = { folders: [], rules };
  const places = { journal: file, witness: { path: witness, ...rest } };
  await findFile({ path: file, ...rest }, true);
  const turns = new Turns(file, [file, witness]);
  const asked = { orders: new Map(), scripts: new Map() };
  const openFile = await turns.opener();
  return () => {
    const both = new BothFiles({ path: file, places, turns, asked }, openFile);
    return Object.assign(both, { [Symbol.dispose]: () => both.close() });
  };
}

function addFirstRow(both: BothFiles): void {
  both.write((known) => {
    both.beginWitness();
    both.tables.add(known.link(sent('i_a', 1)));
  });
  both.catchUp();
}

async function filled() {
  const store = open();
  await store.append(sent('i_a', 1));
  await store.append(verdict('i_a', 2));
  await store.append(sent('i_b', 3));
  store.close();
}

/** The lines that are in the file. */
function linesNow(): readonly WitnessLine[] {
  const { lines, broken, key } = salvageWitness(readFileSync(witness));
  expect({ broken, key }).toEqual({ broken: [], key: expect.stringMatching(/^[0-9a-f]{64}$/) });
  return lines;
}

function damage(statement: string): void {
  const db = new DatabaseSync(witness);
  db.exec(statement);
  db.close();
}

async function refusedAs(says: string | RegExp): Promise<void> {
  for (const change of [(store: ReturnType<typeof open>) => store.ready(), append]) {
    const store = open();
    await expect(change(store)).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(says),
    });
    store.close();
  }
}

const append = (store: ReturnType<typeof open>) => store.append(sent('i_c', 9));

/** A repair of the witness alone: no row is lost, and changes are made again. */
async function repairs(rows: number): Promise<void> {
  const store = open();
  expect(await store.repair(7)).toMatchObject({ kept: rows, lost: [], blocked: [] });
  store.close();
  const repaired = open();
  expect((await repaired.verify()).witness).toMatchObject({ lines: rows, state: 'agrees' });
  await append(repaired);
  repaired.close();
}

describe('two runs at a journal that has no row yet', () => {
  it('the first row, added after one of them looked for the witness, is no damage', async () => {
    const openBoth = await fileOpener();
    using writing = openBoth();
    using asking = openBoth();
    asking.check();
    addFirstRow(writing);
    asking.atOnce((known) => asking.refuseMismatch(known));
    expect(asking.found.is).toBe('whole');
  });

  it('a journal that is begun after one of them looked for it is not lost', async () => {
    const openBoth = await fileOpener();
    const store = open();
    const asking = store.ready();
    using writing = openBoth();
    addFirstRow(writing);
    await asking;
    store.close();
  });
});

describe('the witness', () => {
  it('has one line per row, with its number and the head of the chain, and no note, amount or body', async () => {
    await filled();
    const lines = linesNow();
    expect(lines).toMatchObject([
      {
        seq: 1,
        type: 'sent',
        change: 'i_a',
        attempt: 1,
        order: 'ord_1',
        kind: 'refund',
        body: expect.any(String),
      },
      { seq: 2, type: 'verdict', change: 'i_a', order: 'ord_1', verdict: 'applied', final: true },
      { seq: 3, type: 'sent', change: 'i_b', order: 'ord_1' },
    ]);
    expect(lines.at(-1)?.head).toBe((await open().verify()).head);
    expect(readFileSync(witness, 'latin1')).not.toMatch(/ticket|"amount"|reason|-5/);
    expect([statSync(witness).mode & 0o777, statSync(dirname(witness)).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it('gets the line of the first verdict on a change with the next row: without that verdict the change is unconfirmed again', async () => {
    await filled();
    const journal = readFileSync(file);
    const store = open();
    await store.append(verdict('i_b', 4));
    expect(await store.verify()).toMatchObject({
      findings: [],
      witness: { lines: 3, state: 'witness behind' },
    });
    store.close();
    const whole = readFileSync(file);
    writeFileSync(file, journal);
    const older = open();
    await older.ready();
    expect((await older.attempts({ unconfirmed: true })).map(({ sent: { change } }) => change)).toEqual([
      'i_b',
    ]);
    older.close();
    writeFileSync(file, whole);
    const next = open();
    await next.append(sent('i_c', 5));
    expect(await next.verify()).toMatchObject({ findings: [], witness: { lines: 5, state: 'agrees' } });
  });

  it('gets the line of every other verdict at once', async () => {
    await filled();
    const store = open();
    await store.append({ ...verdict('i_b', 4), verdict: 'rejected', by: 'person' });
    await store.append({ ...verdict('i_b', 5), verdict: 'applied', by: 'person' });
    expect((await store.verify()).witness).toMatchObject({ lines: 5, state: 'agrees' });
    await store.append(sent('i_c', 6));
    await store.append(sent('i_d', 7));
    await store.append(verdict('i_c', 8));
    await store.append(verdict('i_d', 9));
    expect((await store.verify()).witness).toMatchObject({ lines: 9, state: 'agrees' });
  });

  it('shows that the journal is older when it has a row that the journal lacks', async () => {
    await filled();
    const journal = readFileSync(file);
    const store = open();
    await store.append(sent('i_c', 4));
    store.close();
    writeFileSync(file, journal);
    await refusedAs('is older than its witness: 1 of 4 rows is missing');
    expect((await open().verify()).witness).toMatchObject({ lines: 4, state: 'journal behind' });
  });

  it('shows that the journal is another when it has another newest row', async () => {
    await filled();
    const journal = readFileSync(file);
    const store = open();
    await store.append(sent('i_c', 4));
    store.close();
    writeFileSync(file, journal);
    // A store without a witness adds a row that the witness does not know.
    const other = createSqliteStore({ file });
    await other.append(sent('i_c', 5));
    other.close();
    await refusedAs('does not belong to its witness: row 4 differs');
    expect((await open().verify()).witness).toMatchObject({ lines: 4, state: 'journal behind' });
  });

  it('that is cut off anywhere is damaged, and a repair makes it anew', async () => {
    await filled();
    const whole = readFileSync(witness);
    for (let size = 0; size < whole.length; size += 1021) {
      writeFileSync(witness, whole.subarray(0, size));
      await refusedAs(/^the (witness|journal) \S+ .*(does not begin like a witness|damage|is empty)/);
      expect((await open().verify()).witness.state).toBe('damaged');
    }
    await repairs(3);
  });

  it('no line of it can be changed without being found', async () => {
    await filled();
    const whole = readFileSync(witness);
    const known = linesNow().map((line) => JSON.stringify(line));
    const written = [...whole.keys()].filter((at) => whole[at] !== 0);
    fc.assert(
      fc.property(fc.constantFrom(...written), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const bytes = Buffer.from(whole);
        bytes[at] = (bytes[at] ?? 0) ^ by;
        const lines = salvageWitness(bytes).lines.map((line) => JSON.stringify(line));
        expect(known).toEqual(expect.arrayContaining(lines));
      }),
      { numRuns: 2000 },
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

  it.each([
    ["UPDATE lines SET seal = '0' WHERE seq = 3", /witness \S+ of the journal has a damaged end/],
    ["UPDATE lines SET line = '{' WHERE seq = 3", /witness \S+ of the journal has a damaged end/],
    ['UPDATE lines SET seq = 9 WHERE seq = 3', /witness \S+ of the journal has a damaged end/],
    ['UPDATE head SET key = substr(key, 33) || substr(key, 1, 32)', /does not begin like a witness/],
    ['DELETE FROM head', /does not begin like a witness/],
    ['DROP TABLE lines', /has a damaged end|no such table: lines/],
  ])('is damaged by %s, which stops every change; a repair makes it anew', async (statement, says) => {
    await filled();
    damage(statement);
    await refusedAs(says);
    expect((await open().verify()).witness.state).toBe('damaged');
    await repairs(3);
  });

  it('is created by the first change of a journal that has none, and missed from then on', async () => {
    const old = createSqliteStore({ file });
    await old.append(sent('i_a', 1));
    old.close();
    const store = open();
    await store.ready();
    expect((await store.verify()).witness).toMatchObject({ lines: 0, state: 'none yet' });
    await store.append(verdict('i_a', 2));
    expect((await store.verify()).witness).toMatchObject({ lines: 2, state: 'agrees' });
    rmSync(witness);
    await expect(store.append(sent('i_b', 3))).rejects.toMatchObject({
      message: expect.stringContaining('is missing'),
    });
    store.close();
  });

  it('knows the kind of an attempt without an order, and a repair blocks every change of that kind', async () => {
    const proof = { ...sent('i_a', 1).proof, kind: 'order', orderId: undefined } as const;
    const store = open();
    await store.append(sent('i_a', 1, { proof }));
    store.close();
    rmSync(dirname(file), { recursive: true });
    const repaired = await open().repair(7);
    expect(repaired).toMatchObject({ kept: 0, lost: [1], blocked: [{ change: 'i_a', orderId: undefined }] });
    expect(await open().attempts({ unconfirmed: true })).toMatchObject([{ sent: { lost: 'order' } }]);
  });
});

describe('while a long journal is read', () => {
  // Opens it twice. `moment`: as one of the two reads; the other adds rows after the second moment, in which the first part is read.
  async function readBesideWriter() {
    const store = open();
    const rows = Array.from({ length: 150 }, (_, at) => [sent(`i_${at}`, at), verdict(`i_${at}`, at)]);
    await addAtOnce(store, rows.flat());
    store.close();
    const openFiles = await fileOpener();
    const [both, other] = [openFiles(), openFiles()];
    let moments = 0;
    const moment: AtOneMoment = (read) => {
      const answer = both.atOnce(read);
      moments += 1;
      if (moments === 2)
        for (const row of [verdict('i_0', 999), sent('i_late', 1000), verdict('i_late', 1001)]) {
          other.write((known) => other.tables.add(known.link(row)));
          other.catchUp();
        }
      return answer;
    };
    const stack = new DisposableStack();
    for (const files of [both, other]) stack.use(files);
    return { both, moment, [Symbol.dispose]: () => stack.dispose() };
  }

  it('another run may write: a check reads that too, and finds nothing wrong with it', async () => {
    using read = await readBesideWriter();
    const { tables, found, places } = read.both;
    const { rows, findings, witness: of } = verifyFiles(tables, found, places, { moment: read.moment });
    expect({ rows, findings, of }).toMatchObject({
      rows: 303,
      findings: [],
      of: { state: 'agrees', lines: 303 },
    });
  });

  it('another run may write: a copy of all rows ends where it began to be written', async () => {
    using read = await readBesideWriter();
    const { tables, found, places } = read.both;
    const refuse = () => {
      throw new Error('not whole');
    };
    const how = { end: tables.end(), moment: read.moment, refuse };
    expect([...wholeRows(tables, found, places, how)].at(-1)?.seq).toBe(300);
    expect(tables.end().seq).toBe(303);
  });
});
