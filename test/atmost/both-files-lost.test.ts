/** A journal that is lost while its witness is damaged: neither a repair nor an import forgets that something was sent. */

import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { forgetMarks } from '../harness/copied-files.ts';
import type { Home } from '../harness/paydesk.ts';
import { json, reset } from '../harness/server.ts';
import { acceptRepaired, changeArgs, journalFile, ledgerAndDesk, story, witnessFile } from './desk.ts';

const { ledger, desk } = await ledgerAndDesk();

const loseJournal = (home: Home) => rmSync(dirname(journalFile(home)), { recursive: true });
const restoreJournal = (home: Home) => {
  loseJournal(home);
  cpSync(join(home.path, 'older'), dirname(journalFile(home)), { recursive: true });
  forgetMarks(home.path);
};
const emptyJournal = (home: Home) => truncateSync(journalFile(home));
const spoil = (home: Home, change: (bytes: Buffer) => Buffer) =>
  writeFileSync(witnessFile(home), change(readFileSync(witnessFile(home))));
const badStart = (home: Home) => spoil(home, (bytes) => Buffer.from(bytes).fill('X', 0, 1));
const badSchema = (home: Home) => spoil(home, (bytes) => Buffer.from(bytes).fill(0, 0, 4096));
const badPages = (home: Home) => spoil(home, (bytes) => Buffer.from(bytes).fill(0, 4096));
const pageOf = (bytes: Buffer, words: string) => Math.floor(bytes.lastIndexOf(words) / 4096) * 4096;
const badLines = (home: Home) =>
  spoil(home, (bytes) => {
    const page = pageOf(bytes, '"type":"sent"');
    return Buffer.from(bytes).fill(0, page, page + 4096);
  });
const badKey = (home: Home) => {
  const db = new DatabaseSync(witnessFile(home));
  db.exec("UPDATE head SET key = replace(key, substr(key, 1, 1), 'x')");
  db.close();
};
const emptied = (home: Home) => spoil(home, () => Buffer.alloc(0));

/** A home whose second refund was made, and whose reply is lost; `older` is its journal before that, `older.ndjson` its export. */
async function homeWithLostReply() {
  const home = desk.newHome();
  expect((await desk.run(home, changeArgs(ledger.add('refund')))).code).toBe(0);
  cpSync(dirname(journalFile(home)), join(home.path, 'older'), { recursive: true });
  const archive = join(home.path, 'older.ndjson');
  expect((await desk.run(home, ['journal', 'export', '--to', archive])).code).toBe(0);
  const order = ledger.add('refund', (_, apply) => {
    apply();
    return reset;
  });
  const old = order.value;
  order.onRead = () => json(old);
  expect((await desk.run(home, changeArgs(order))).code).toBe(7);
  return { home, order, archive };
}

// Every change is blocked where nobody can read any more which order it was.
const everyChange = 'rows of the journal are lost';
const thatOrder = 'an earlier refund whose record is lost';

const damages = [
  ['lost', 'has a damaged start', loseJournal, badStart, thatOrder],
  ['lost', 'has a damaged schema', loseJournal, badSchema, thatOrder],
  ['lost', 'has damaged pages', loseJournal, badPages, everyChange],
  ['lost', 'has damaged lines', loseJournal, badLines, everyChange],
  ['lost', 'has a damaged key', loseJournal, badKey, everyChange],
  ['lost', 'is empty', loseJournal, emptied, everyChange],
  ['empty', 'is empty', emptyJournal, emptied, everyChange],
  ['of last week', 'has a damaged start', restoreJournal, badStart, thatOrder],
  ['of last week', 'has a damaged key', restoreJournal, badKey, everyChange],
  ['of last week', 'has damaged lines', restoreJournal, badLines, everyChange],
] as const;

test.each(damages)(
  'a repair of a journal that is %s beside a witness that %s blocks the change that was sent',
  async (_journal, _witness, lose, damage, says) => {
    const { home, order } = await homeWithLostReply();
    using _ = home;
    lose(home);
    damage(home);
    const refused = await desk.run(home, changeArgs(order));
    expect(refused.code, refused.stderr).toBe(3);
    const repaired = await desk.run(home, ['journal', 'verify', '--repair', '--yes']);
    expect(repaired.code, repaired.stderr).toBe(7);
    await acceptRepaired(home, repaired);
    const again = await desk.run(home, [...changeArgs(order), '--confirm', order.id]);
    expect(again).toMatchObject({ code: 3, stderr: expect.stringContaining(says) });
    expect(order.posts).toHaveLength(1);
    const other = ledger.add('refund');
    const named = [...changeArgs(other), '--confirm', other.id];
    expect((await desk.run(home, named)).code).toBe(says === everyChange ? 3 : 0);
  },
);

test.each([
  ['a damaged start', badStart],
  ['a damaged schema', badSchema],
  ['a damaged key', badKey],
])('a repair of a whole journal only writes its witness anew, which has %s', async (_witness, damage) => {
  const { home, order } = await homeWithLostReply();
  using _ = home;
  const before = story(home);
  damage(home);
  expect((await desk.run(home, ['journal', 'verify', '--repair', '--yes'])).code).toBe(0);
  expect(story(home)).toBe(before);
  expect((await desk.run(home, ['journal', 'verify'])).code).toBe(0);
  expect(order.posts).toHaveLength(1);
});

test.each([
  ['has a damaged start', badStart],
  ['has a damaged schema', badSchema],
  ['has damaged pages', badPages],
  ['has damaged lines', badLines],
  ['has a damaged key', badKey],
  ['is empty', emptied],
])('an import is refused while the witness %s', async (_witness, damage) => {
  const { home, order, archive } = await homeWithLostReply();
  using _ = home;
  loseJournal(home);
  damage(home);
  const imported = await desk.run(home, ['journal', 'import', archive, '--yes']);
  expect(imported).toMatchObject({ code: 3, stderr: expect.stringMatching(/(may have|has) rows/) });
  expect((await desk.run(home, changeArgs(order))).code).toBe(3);
  expect(order.posts).toHaveLength(1);
});
