/** A journal that is lost while its witness is damaged: neither a repair nor an import forgets that something was sent. */

import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Home } from '../harness/paydesk.ts';
import { json, reset } from '../harness/server.ts';
import { changeArgs, journalFile, ledgerAndDesk, story, witnessFile } from './desk.ts';

const { ledger, desk } = await ledgerAndDesk();

const loseJournal = (home: Home) => rmSync(dirname(journalFile(home)), { recursive: true });
const restoreJournal = (home: Home) => {
  loseJournal(home);
  cpSync(join(home.path, 'older'), dirname(journalFile(home)), { recursive: true });
};
const emptyJournal = (home: Home) => truncateSync(journalFile(home));
const spoil = (home: Home, change: (text: string) => string) =>
  writeFileSync(witnessFile(home), change(readFileSync(witnessFile(home), 'latin1')), 'latin1');
const badFirstLine = (home: Home) => spoil(home, (text) => `X${text.slice(1)}`);
const badLines = (home: Home) =>
  spoil(home, (text) => text.replaceAll(/.\n(?=.)/g, 'Z\n').replace(/Z\n/, '\n'));
const emptied = (home: Home) => spoil(home, () => '');

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

const damages = [
  ['lost', 'has a damaged first line', loseJournal, badFirstLine],
  ['lost', 'is empty', loseJournal, emptied],
  ['empty', 'is empty', emptyJournal, emptied],
  ['of last week', 'has a damaged first line', restoreJournal, badFirstLine],
] as const;

test.each(damages)(
  'a repair of a journal that is %s beside a witness that %s blocks the change that was sent',
  async (_journal, _witness, lose, damage) => {
    const { home, order } = await homeWithLostReply();
    using _ = home;
    lose(home);
    damage(home);
    const repaired = await desk.run(home, ['journal', 'verify', '--repair', '--yes']);
    expect(repaired.code, repaired.stderr).toBe(7);
    const again = await desk.run(home, changeArgs(order));
    expect(again).toMatchObject({ code: 3, stderr: expect.stringContaining('rows of the journal are lost') });
    expect(order.posts).toHaveLength(1);
  },
);

test('a repair of a whole journal only writes its damaged witness anew', async () => {
  const { home, order } = await homeWithLostReply();
  using _ = home;
  const before = story(home);
  badFirstLine(home);
  expect((await desk.run(home, ['journal', 'verify', '--repair', '--yes'])).code).toBe(0);
  expect(story(home)).toBe(before);
  expect((await desk.run(home, ['journal', 'verify'])).code).toBe(0);
  expect(order.posts).toHaveLength(1);
});

test.each([
  ['has a damaged first line', badFirstLine],
  ['has damaged lines', badLines],
  ['is empty', emptied],
])('an import is refused while the witness %s', async (_witness, damage) => {
  const { home, order, archive } = await homeWithLostReply();
  using _ = home;
  loseJournal(home);
  damage(home);
  const imported = await desk.run(home, ['journal', 'import', archive, '--yes']);
  expect(imported).toMatchObject({ code: 3, stderr: expect.stringContaining('may have rows') });
  expect((await desk.run(home, changeArgs(order))).code).toBe(3);
  expect(order.posts).toHaveLength(1);
});
