/** A journal that another process holds: paydesk says what it could not write down, and never treats it as done. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { changeArgs, journalFile, journalRows, ledgerAndDesk, openDesk, story } from '../atmost/desk.ts';
import { startLedger } from '../atmost/ledger.ts';
import { certificate } from '../harness/certificate.ts';
import { later } from '../harness/clock.ts';
import type { Home } from '../harness/paydesk.ts';
import { startRelay } from '../harness/relay.ts';
import { json, reset } from '../harness/server.ts';

const { ledger, desk } = await ledgerAndDesk();

/**
 * Runs it while the journal of this home can be read, and not be written. It waits five seconds for that, without a moment
 * for anybody else in its process: so each is a process of its own, and they wait together.
 */
async function whileKept(home: Home, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const other = new DatabaseSync(journalFile(home));
  try {
    other.exec('BEGIN IMMEDIATE');
    return await desk.runProcess(home, args, env);
  } finally {
    other.close();
  }
}

describe.concurrent('of a refund whose answer was lost', () => {
  const lostRefund = async (home: Home) => {
    const order = ledger.add('refund', () => reset);
    expect((await desk.run(home, changeArgs(order))).code).toBe(7);
    const [sent] = journalRows(home);
    return { order, change: sent?.change ?? '' };
  };

  test('the word of a person: exit 7, and the order stays blocked', async () => {
    using home = desk.newHome();
    const { order, change } = await lostRefund(home);
    const settle = ['--not-applied', '--note', 'asked the service', '--confirm', order.id];
    const passed = later(600_000);
    const ran = await whileKept(home, ['journal', 'settle', change, ...settle], passed);
    expect({ code: ran.code, stdout: ran.stdout, story: story(home) }, ran.stderr).toEqual({
      code: 7,
      stdout: '',
      story: 'sent unknown not_seen',
    });
    const words = ran.stderr.replaceAll(/\s+/g, ' ');
    expect(words).toContain(`the result for ${order.id} could not be recorded`);
    expect(words).toContain('the journal may or may not contain that; nothing was sent now');
    expect((await desk.run(home, ['journal', 'settle', change, ...settle], passed)).code).toBe(0);
    expect(story(home)).toBe('sent unknown not_seen rejected');
  });

  test('what a read shows is said: exit 7, and the next run writes it down', async () => {
    using home = desk.newHome();
    const { order, change } = await lostRefund(home);
    order.apply(order.posts[0]?.body ?? '');
    const one = await whileKept(home, ['journal', 'reconcile', change]);
    expect({ code: one.code, stdout: one.stdout }, one.stderr).toEqual({ code: 7, stdout: '' });
    expect(one.stderr).toContain('certain: applied: ');
    const all = await whileKept(home, ['journal', 'reconcile', '--all']);
    expect(all.code, all.stderr).toBe(7);
    expect(all.stderr).toContain(`${change} was not checked`);
    expect(story(home)).toBe('sent unknown not_seen');
    expect((await desk.run(home, ['journal', 'reconcile', '--all'])).code).toBe(0);
    expect(story(home)).toBe('sent unknown not_seen applied');
  });

  test('what would be erased: exit 3, and the journal is called in use', async () => {
    using home = desk.newHome();
    await lostRefund(home);
    const ran = await whileKept(home, ['journal', 'forget', '--before', '2100-01-01', '--yes']);
    expect(ran.code, ran.stderr).toBe(3);
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain('is in use by another run that does not finish');
  });
});

test.concurrent('that not a byte of a refund left: exit 6, and the command that says so to the journal is printed', async () => {
  await using secure = await startLedger(certificate);
  await using relay = await startRelay(secure.server.port);
  using reaching = await openDesk({ url: `https://127.0.0.1:${relay.port}` });
  using home = reaching.newHome();
  const trusted = join(home.path, 'trusted.pem');
  writeFileSync(trusted, certificate.cert);
  const env = { NODE_EXTRA_CA_CERTS: trusted };
  const order = secure.add('refund');
  let other: DatabaseSync | undefined;
  const closing = () => {
    other = new DatabaseSync(journalFile(home));
    other.exec('BEGIN IMMEDIATE');
  };
  order.onRead = (read) => {
    if (read === 2) relay.turn({ closing });
    return json(order.value, 200, { connection: 'close' });
  };
  const ran = await reaching.run(home, changeArgs(order), env);
  other?.close();
  relay.turn({ to: secure.server.port });
  expect({ code: ran.code, posts: order.posts.length, story: story(home) }, ran.stderr).toEqual({
    code: 6,
    posts: 0,
    story: 'sent',
  });
  const words = ran.stderr.replaceAll(/\s+/g, ' ');
  expect(words).toContain('it never left this machine');
  const [change = ''] = /i_\w+(?= --not-applied --note TEXT)/.exec(words) ?? [];
  const settle = [
    'journal',
    'settle',
    change,
    '--not-applied',
    '--note',
    'not a byte was sent',
    '--confirm',
    order.id,
  ];
  const passed = later(600_000);
  expect((await reaching.run(home, settle, { ...env, ...passed })).code).toBe(0);
  const again = await reaching.run(home, changeArgs(order), env);
  expect({ code: again.code, posts: order.posts.length }, again.stderr).toEqual({ code: 0, posts: 1 });
});
