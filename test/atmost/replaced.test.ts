/** The ground is pulled from under a run: its journal or its locks are taken away while it decides. Nothing is sent that they do not hold. */

import { cpSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { Home } from '../harness/paydesk.ts';
import { json } from '../harness/server.ts';
import { changeArgs, journalFile, ledgerAndDesk, stateOf } from './desk.ts';
import type { LedgerOrder } from './ledger.ts';

const { ledger, desk } = await ledgerAndDesk();

/** A refund during whose final read something is done; what it reads is the order as it was before that. */
async function refundWhile(home: Home, act: (order: LedgerOrder) => unknown) {
  await desk.run(home, changeArgs(ledger.add('refund')));
  const order = ledger.add('refund');
  order.onRead = async (read) => {
    if (read !== 2) return undefined;
    const before = order.value;
    await act(order);
    return json(before);
  };
  const ran = await desk.run(home, changeArgs(order));
  return { ran, order };
}

test.concurrent.each<[string, (folder: string) => void]>([
  ['removed', (folder) => rmSync(folder, { recursive: true })],
  ['moved away', (folder) => renameSync(folder, `${folder}.old`)],
  [
    'replaced by a copy',
    (folder) => {
      cpSync(folder, `${folder}.copy`, { recursive: true });
      rmSync(folder, { recursive: true });
      renameSync(`${folder}.copy`, folder);
    },
  ],
])('the journal is %s while the order is read: nothing is sent, exit 3', async (_, act) => {
  using home = desk.newHome();
  const { ran, order } = await refundWhile(home, () => act(dirname(journalFile(home))));
  expect({ code: ran.code, posts: order.posts.length }, ran.stderr).toEqual({ code: 3, posts: 0 });
  expect(ran.stderr).toContain('nothing was sent');
});

test.concurrent('the journal is damaged and repaired while the order is read: nothing is sent, exit 3', async () => {
  using home = desk.newHome();
  const repairs: (number | null)[] = [];
  const { ran, order } = await refundWhile(home, async () => {
    const db = new DatabaseSync(journalFile(home));
    db.exec("UPDATE rows SET row = replace(row, 'op7', 'op8') WHERE seq = 1");
    db.close();
    repairs.push((await desk.run(home, ['journal', 'verify', '--repair', '--yes'])).code);
  });
  expect({ code: ran.code, repairs, posts: order.posts.length }, ran.stderr).toEqual({
    code: 3,
    repairs: [7],
    posts: 0,
  });
  expect((await desk.run(home, ['journal', 'verify'])).code).toBe(0);
});

test.concurrent('the locks are removed, and another run refunds the order: the one that read before it sends nothing', async () => {
  using home = desk.newHome();
  const others: (number | null)[] = [];
  const { ran, order } = await refundWhile(home, async (wanted) => {
    rmSync(join(stateOf(home), 'locks'), { recursive: true });
    others.push((await desk.run(home, changeArgs(wanted))).code);
  });
  expect({ code: ran.code, others, posts: order.posts.length }, ran.stderr).toEqual({
    code: 3,
    others: [0],
    posts: 1,
  });
  expect(ran.stderr).toContain('nothing was sent');
});
