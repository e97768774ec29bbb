/**
 * One of many processes that use a journal at the same moment: `crowd-member.ts FOLDER NAME writes|reads|checks MS`. It goes on for so long,
 * and at least for ten rounds, and prints what it did as JSON. Run it with --expose-gc.
 */

import { join } from 'node:path';
import { createSqliteStore } from '../../../src/journal/sqlite/sqlite-store.ts';
import { sent, verdict } from '../rows.ts';

const [folder = '', name = '', role, forMs] = process.argv.slice(2);
const place = {
  file: join(folder, 'journal.db'),
  witness: join(folder, 'witness/journal.witness'),
  rules: { uid: process.getuid?.(), notice: () => undefined },
};
const store = createSqliteStore(place);

const began = performance.now();
const refused: string[] = [];
let rounds = 0;
let memory = 0;
while (rounds < 10 || performance.now() < began + Number(forMs)) {
  rounds += 1;
  try {
    if (role === 'writes') await change(rounds);
    else if (role === 'reads') await look(rounds);
    else await check();
  } catch (error) {
    refused.push(error instanceof Error ? error.message : String(error));
  }
  // What a process takes in the first fifth of its time says nothing: its caches fill.
  if (memory === 0 && rounds >= 10 && performance.now() >= began + Number(forMs) / 5) memory = kept();
}
const grown = kept() / memory;
store.close();
process.stdout.write(`${JSON.stringify({ role, rounds, refused: refused.slice(0, 5), grown })}\n`);

// What is still in use after a collection: on a busy machine a heap may grow long before there is one.
function kept(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function change(round: number): Promise<void> {
  const orderId = `ord_${name}x${round}`;
  const change = `i_${name}x${round}`;
  await store.ready();
  if ((await store.attempts({ orderId })).length > 0) throw new Error(`${orderId} is known already`);
  const row = sent(change, Date.now());
  await store.append({ ...row, proof: { ...row.proof, orderId } });
  await store.append(verdict(change, Date.now()));
  const [record] = await store.attempts({ orderId });
  if (record?.verdicts.length !== 1) throw new Error(`${change} is not as it was written`);
}

async function look(round: number): Promise<void> {
  const page = await store.list({}, { limit: 20 });
  const ids = new Set(page.flatMap(({ sent: { proof } }) => proof.orderId ?? []));
  const found = await store.attempts({ orderIds: ids });
  if (found.length < page.length)
    throw new Error(`${page.length - found.length} attempts of a page are gone`);
  await store.attempts({ unconfirmed: true });
  if (round % 10 === 0) await store.checkSome({ limit: 500, now: Date.now() });
}

// As `journal verify` does, which is another process each time.
async function check(): Promise<void> {
  const opened = createSqliteStore(place);
  try {
    const { findings } = await opened.verify(undefined, Date.now());
    if (findings.length > 0)
      throw new Error(findings.map(({ seq, problem }) => `${seq} ${problem}`).join(', '));
  } finally {
    opened.close();
  }
}
