/** Many processes write to a journal, read it and check it at the same moment. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createSqliteStore } from '../../../src/journal/sqlite/sqlite-store.ts';
import { isLong } from '../../harness/long.ts';
import { addAtOnce } from '../../harness/rows-at-once.ts';
import { sent, setting, verdict } from '../rows.ts';

interface Told {
  readonly role: string;
  readonly rounds: number;
  readonly refused: readonly string[];
  readonly grown: number;
}

const crowd = isLong ? { each: 12, ms: 600_000, changes: 100_000 } : { each: 3, ms: 0, changes: 500 };

async function member(folder: string, name: string, role: string): Promise<Told> {
  const program = join(import.meta.dirname, 'crowd-member.ts');
  const child = spawn(process.execPath, ['--expose-gc', program, folder, name, role, String(crowd.ms)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [told] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return JSON.parse(told);
}

async function fill(folder: string): Promise<number> {
  const store = open(folder);
  const rows = Array.from({ length: crowd.changes }, (_, index) => {
    const row = sent(`i_old${index}`, index);
    return [{ ...row, proof: { ...row.proof, orderId: `ord_old${index}` } }, verdict(`i_old${index}`, index)];
  }).flat();
  for (let from = 0; from < rows.length; from += 10_000)
    await addAtOnce(store, [...rows.slice(from, from + 10_000), setting(from)]);
  const { rows: count } = await store.verify();
  store.close();
  return count;
}

function open(folder: string) {
  const rules = { uid: process.getuid?.(), notice: () => undefined };
  const witness = join(folder, 'witness/journal.witness');
  return createSqliteStore({ file: join(folder, 'journal.db'), witness, rules });
}

it('nobody loses a row, nobody is refused, and memory stays as it was', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-crowd-'));
  try {
    const before = await fill(folder);
    const names = Array.from({ length: crowd.each }, (_, index) => `n${index}`);
    const told = await Promise.all([
      ...names.map((name) => member(folder, name, 'writes')),
      ...names.map((name) => member(folder, name, 'reads')),
      ...names.slice(0, 2).map((name) => member(folder, name, 'checks')),
    ]);
    expect(told.flatMap(({ refused }) => refused)).toEqual([]);
    const writers = told.filter(({ role }) => role === 'writes');
    const changes = writers.reduce((all, { rounds }) => all + rounds, 0);
    const { rows, findings, witness } = await open(folder).verify();
    expect({ rows, findings }).toEqual({ rows: before + 2 * changes, findings: [] });
    expect(rows - witness.lines).toBeOneOf([0, 1]);
    const most = Math.max(...told.map(({ grown }) => grown));
    expect(most).toBeLessThan(1.2);
    console.log(
      `${told.length} processes, ${changes} changes: memory at most ${most.toFixed(2)} of what it was`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
