/** Several users of one machine with a common folder (`journal.folder`) have one journal and the same locks. */

import { cpSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { paydesk } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { type MachineUser, newSharedMachine } from '../harness/shared-machine.ts';
import { planOf } from '../refunds/planned.ts';
import { changeArgs, ledgerAndDesk, rowsIn, told } from './desk.ts';
import type { LedgerOrder } from './ledger.ts';

const { ledger, desk } = await ledgerAndDesk();
const isRoot = process.getuid?.() === 0;

const run = (user: MachineUser, args: readonly string[]) => user.start(['-p', 't', ...args]).end;

/** `2770 61000 locks`, for all that lies in the folder: mode, group and name. */
function modesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
    const { mode, gid } = statSync(join(folder, name));
    return `${(mode & 0o7777).toString(8)} ${gid} ${name}`;
  });
}

/** The reply to the refund comes when `others` have ended. `seen`: it has arrived. */
function answerAfter(order: LedgerOrder, others: Promise<unknown>, seen?: () => void): void {
  order.onPost = (_, apply) => async (_request, response) => {
    seen?.();
    await others;
    const body = JSON.stringify(apply());
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(body);
  };
}

describe.skipIf(!isRoot)('two users of a machine with a common journal', () => {
  test('who refund the same at the same moment send it once; the other is told who is at it', async () => {
    using machine = newSharedMachine();
    using anaHome = desk.newHome();
    using benHome = desk.newHome();
    const users = [machine.user(anaHome, { umask: '077' }), machine.user(benHome, { umask: '000' })];
    const order = ledger.add('refund');
    const first = Promise.withResolvers<void>();
    answerAfter(order, first.promise);
    const runs = users.map((user) => run(user, changeArgs(order)));
    for (const ended of runs) void ended.then(() => first.resolve());
    const ended = await Promise.all(runs);
    const [sender, other] = ended[0]?.code === 0 ? [0, 1] : [1, 0];
    expect(
      ended.map(({ code }) => code),
      ended.map(({ stderr }) => stderr).join(),
    ).toEqual(sender === 0 ? [0, 3] : [3, 0]);
    expect(order.posts).toHaveLength(1);
    expect(inOneLine(ended[other]?.stderr ?? '')).toContain(
      `is being changed by uid ${users[sender]?.uid} (orders refund)`,
    );
    expect(told(rowsIn(join(machine.folder, 'journal')))).toBe('sent applied');
  });

  test('what one has sent, the other sees, with who it was, and is not sent again by mistake', async () => {
    using machine = newSharedMachine();
    using anaHome = desk.newHome();
    using benHome = desk.newHome();
    const [ana, ben] = [machine.user(anaHome), machine.user(benHome)];
    const order = ledger.add('refund');
    const made = await run(ana, changeArgs(order));
    expect(made.code, made.stderr).toBe(0);
    const listed = await run(ben, ['journal', 'list', '--json']);
    expect(JSON.parse(listed.stdout).data).toMatchObject([
      { order: order.id, operator: `uid ${ana.uid}`, verdict: 'applied' },
    ]);
    const { stdout: offered } = await paydesk(['__complete', 'bash', '2', 'journal', 'show', ''], {
      home: benHome,
      machineFile: machine.machineFile,
    });
    expect(offered).toMatch(/^i_[0-9a-f]+\n$/);
    const again = await run(ben, changeArgs(order));
    expect({ code: again.code, posts: order.posts.length }, again.stderr).toEqual({ code: 3, posts: 1 });
    expect(inOneLine(again.stderr)).toContain(`uid ${ana.uid}`);
  });

  test('an unconfirmed refund of one stops the other, who may look it up', async () => {
    using machine = newSharedMachine();
    using anaHome = desk.newHome();
    using benHome = desk.newHome();
    const [ana, ben] = [machine.user(anaHome), machine.user(benHome)];
    const order = ledger.add('refund', () => (_request, response) => void response.destroy());
    const lost = await run(ana, changeArgs(order));
    expect(lost.code, lost.stderr).toBe(7);
    const stopped = await run(ben, changeArgs(order));
    expect({ code: stopped.code, posts: order.posts.length }, stopped.stderr).toEqual({ code: 3, posts: 1 });
    expect(inOneLine(stopped.stderr)).toContain(`by uid ${ana.uid}) is still unconfirmed`);
    const { body } = order.posts[0] ?? { body: '' };
    order.apply(body);
    const looked = await run(ben, ['journal', 'reconcile', '--all']);
    expect(looked.code, looked.stderr).toBe(0);
    expect(told(rowsIn(join(machine.folder, 'journal')))).toMatch(/^sent unknown .*applied$/);
  });

  test.each(['077', '022', '000', '777'])(
    'under umask %s all files are of the group, which may write them, and of nobody else',
    async (umask) => {
      using machine = newSharedMachine();
      using anaHome = desk.newHome();
      using benHome = desk.newHome();
      const [ana, ben] = [machine.user(anaHome, { umask }), machine.user(benHome, { umask })];
      for (const user of [ana, ben]) {
        const { code, stderr } = await run(user, changeArgs(ledger.add('refund')));
        expect(code, stderr).toBe(0);
        // Nothing there had to be repaired.
        expect(stderr).not.toContain(machine.folder);
      }
      const found = modesIn(machine.folder);
      expect(found).toContain(`2770 ${machine.group} journal`);
      expect(found).toContain(`660 ${machine.group} ${join('journal', 'journal.db')}`);
      expect(found.filter((line) => !/^(2770 61000 \w+|660 61000 .*\.\w+(-\w+)?)$/.test(line))).toEqual([]);
    },
  );

  test('a journal that one of them repairs stays a journal of all', async () => {
    using machine = newSharedMachine();
    using anaHome = desk.newHome();
    using benHome = desk.newHome();
    const [ana, ben] = [machine.user(anaHome), machine.user(benHome, { umask: '077' })];
    expect((await run(ana, changeArgs(ledger.add('refund')))).code).toBe(0);
    writeFileSync(join(machine.folder, 'journal/journal.db'), 'no journal\n'.repeat(900));
    const repaired = await run(ben, ['journal', 'verify', '--repair', '--yes']);
    expect(repaired.stderr).not.toContain('cannot be');
    expect(modesIn(machine.folder).filter((line) => !/^(2770|660) 61000 /.test(line))).toEqual([]);
    const verified = await run(ana, ['journal', 'verify']);
    expect(verified.code, verified.stderr).toBe(0);
  });

  test('who apply one plan at the same time: one does, the other is told who', async () => {
    using machine = newSharedMachine();
    using anaHome = desk.newHome();
    using benHome = desk.newHome();
    const orders = await planOf({ ledger, desk, home: anaHome, rows: 2 });
    cpSync(join(anaHome.path, 'rows.plan'), join(benHome.path, 'rows.plan'));
    const [ana, ben] = [machine.user(anaHome), machine.user(benHome)];
    const [looked, sending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    for (const order of orders) answerAfter(order, looked.promise, sending.resolve);
    const apply = ['refunds', 'apply', 'rows.plan', '--yes'];
    const applied = run(ana, apply);
    await sending.promise;
    const refused = await run(ben, apply);
    looked.resolve();
    expect(refused.code, refused.stderr).toBe(3);
    expect(inOneLine(refused.stderr)).toMatch(
      new RegExp(`another run is applying plan p_\\w+: uid ${ana.uid}, since`),
    );
    expect((await applied).code).toBe(0);
    expect((await run(ben, apply)).code).toBe(0);
    expect(orders.map(({ posts }) => posts.length)).toEqual([1, 1]);
  });

  test('keys, profiles and exports stay with each of them', async () => {
    using machine = newSharedMachine();
    using anaHome = desk.newHome();
    const ana = machine.user(anaHome);
    expect((await run(ana, changeArgs(ledger.add('refund')))).code).toBe(0);
    expect((await run(ana, ['profile', 'set', 't', 'refund.max_amount.MXN', '90000'])).code).toBe(0);
    expect(readdirSync(machine.folder).toSorted()).toEqual(['journal', 'locks', 'witness']);
    expect(readdirSync(join(anaHome.path, '.local/state/paydesk'))).toEqual(['locks']);
  });

  test('profile show says where the journal is, and which file says so', async () => {
    using machine = newSharedMachine();
    using home = desk.newHome();
    const { stdout } = await run(machine.user(home), ['profile', 'show', 't', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      journal_folder: machine.folder,
      journal_folder_from: machine.machineFile,
      journal_file: join(machine.folder, 'journal/journal.db'),
    });
  });
});
