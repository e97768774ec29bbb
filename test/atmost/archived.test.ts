/** Refunds of long ago are archived: everything that stops a second one works as before, and a kill leaves a whole journal. */

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSqliteStore } from '../../src/journal/sqlite/sqlite-store.ts';
import { later } from '../harness/clock.ts';
import { each } from '../harness/each.ts';
import { isLong } from '../harness/long.ts';
import { bin, copyOf, type Home, type Ran } from '../harness/paydesk.ts';
import { reset } from '../harness/server.ts';
import { sent, verdict } from '../journal/rows.ts';
import { changeArgs, journalFile, journalRows, ledgerAndDesk, stateOf, witnessFile } from './desk.ts';
import type { LedgerOrder } from './ledger.ts';
import { type Call, type CallName, hasStrace, targetOf, traced } from './strace.ts';

const { ledger, desk } = await ledgerAndDesk();

const day = 24 * 60 * 60_000;
const archive = ['journal', 'archive', '--before', '40d', '--to', 'old.paydesk', '--yes'];
const inTwoMonths = later(60 * day);

/** A refund under an idempotency key that was made, a capture, and a refund whose reply was lost. Two months later the first two are archived. */
let home: Home;
let [made, captured, lost]: LedgerOrder[] = [];
let head: string;
let change: string;
const scripted = (order: LedgerOrder) => [
  ...changeArgs(order),
  '--idempotency-key',
  't-1',
  '--note',
  'ticket 8840',
];
const run = (args: readonly string[], of = home) => desk.run(of, args, inTwoMonths);
const json = ({ stdout }: Ran) => JSON.parse(stdout);

beforeAll(async () => {
  home = desk.newHome();
  [made, captured] = [ledger.add('refund'), ledger.add('capture')];
  lost = ledger.add('refund', () => reset);
  expect((await desk.run(home, scripted(made))).code).toBe(0);
  expect((await desk.run(home, changeArgs(captured))).code).toBe(0);
  expect((await desk.run(home, changeArgs(lost))).code).toBe(7);
  // The last look at what was made.
  ledger.clock.offMs = 2 * day;
  await desk.run(home, ['journal', 'reconcile', '--all'], later(2 * day));
  ledger.clock.offMs = 60 * day;
  head = json(await run(['journal', 'verify', '--json'])).head;
  const ran = await run([...archive, '--json']);
  expect(ran.code, ran.stderr).toBe(0);
  expect(json(ran)).toMatchObject({ object: 'journal_archive', file: 'old.paydesk', changes: 2 });
  change = json(await run(['journal', 'show', 't-1', '--json'])).change;
});
afterAll(() => home[Symbol.dispose]());

const posts = () => [made, captured, lost].map((order) => order?.posts.length);

/** Runs it, and nothing is sent. */
async function unsent(args: readonly string[], of = home): Promise<Ran> {
  const before = posts();
  const ran = await run(args, of);
  expect(posts(), ran.stderr).toEqual(before);
  return ran;
}

describe('after journal archive', () => {
  test('the same refund is refused until --again names the earlier one, and that name works once', async () => {
    const order = made as LedgerOrder;
    using other = copyOf(home);
    const refused = await unsent(changeArgs(order), other);
    expect(refused.code, refused.stderr).toBe(3);
    const [, id = ''] = /--again (\S+)/.exec(refused.stderr) ?? [];
    expect(id).not.toBe('');
    const again = [...changeArgs(order), '--again', id];
    expect((await run(again, other)).code).toBe(0);
    expect((await unsent(again, other)).code).toBe(3);
    expect(order.posts).toHaveLength(2);
  });

  test('a repeat under its --idempotency-key shows the outcome and sends nothing; another change under it is refused', async () => {
    const again = await unsent(scripted(made as LedgerOrder));
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).toContain(`journal ${change}`);
    const other = await run([...changeArgs(ledger.add('refund')), '--idempotency-key', 't-1']);
    expect(other.code, other.stderr).toBe(3);
  });

  test('what was unconfirmed still blocks its order', async () => {
    const refused = await unsent(changeArgs(lost as LedgerOrder));
    expect(refused.code, refused.stderr).not.toBe(0);
  });

  test('journal show says that it is archived, and where; --from shows all of it', async () => {
    const shown = await run(['journal', 'show', change]);
    expect(shown.stdout).toMatch(
      /archived +\d+ \w+ \d{4}.*all of it: paydesk journal show i_\w+ --from \S*old\.paydesk/s,
    );
    expect(shown.stdout).not.toContain('ticket 8840');
    expect(json(await run(['journal', 'show', change, '--json']))).toMatchObject({
      archived: true,
      note: null,
      verdict: 'applied',
    });
    const whole = json(await run(['journal', 'show', change, '--from', 'old.paydesk', '--json']));
    expect(whole).toMatchObject({ change, note: 'ticket 8840', idempotency_key: 't-1' });
    expect(whole).not.toHaveProperty('archived');
  });

  test('journal list --from lists the file, and reads no order again', async () => {
    const reads = lost?.reads;
    const listed = json(await run(['journal', 'list', '--from', 'old.paydesk', '--json']));
    expect(listed.data).toHaveLength(3);
    expect(lost?.reads).toBe(reads);
  });

  test('the head that was noted before is still known, and the file answers for it as well', async () => {
    for (const from of [[], ['--from', 'old.paydesk']]) {
      expect((await run(['journal', 'verify', ...from])).code).toBe(0);
      expect((await run(['journal', 'verify', ...from, '--head', head])).code).toBe(0);
      const strange = await run(['journal', 'verify', ...from, '--head', 'f'.repeat(64)]);
      expect(strange.code, strange.stderr).toBe(3);
      if (from.length === 0) expect(strange.stderr).toMatch(/--from \S*old\.paydesk/);
    }
  });

  test('journal export and import carry the short rows', async () => {
    using machine = desk.newHome();
    expect((await run(['journal', 'export', '--to', join(machine.path, 'moved.paydesk')])).code).toBe(0);
    expect((await run(['journal', 'import', 'moved.paydesk', '--yes'], machine)).code).toBe(0);
    expect(journalRows(machine)).toEqual(journalRows(home));
    const again = await unsent(scripted(made as LedgerOrder), machine);
    expect(again.code, again.stderr).toBe(0);
  });
});

describe('journal archive', () => {
  test.each([
    ['no file', ['--before', '40d'], 'missing --to'],
    ['no time', ['--to', 'x.paydesk'], 'missing --before'],
    ['the last 30 days', ['--before', '29d', '--to', 'x.paydesk'], 'at least 30 days ago'],
  ])('refuses %s', async (_, words, says) => {
    const refused = await run(['journal', 'archive', ...words, '--yes']);
    expect(refused.code).toBe(2);
    expect(refused.stderr.replaceAll(/\s+/g, ' ')).toContain(says);
  });

  test('moves nothing a second time, without a yes, or under --dry-run', async () => {
    using old = desk.newHome();
    await longAgo(old, 3);
    const words = archive.slice(0, -1);
    const before = journalRows(old);
    const dry = await run([...words, '--dry-run'], old);
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('would move 3 settled changes') });
    expect((await run(words, old)).code).toBe(2);
    expect(existsSync(join(old.path, 'old.paydesk'))).toBe(false);
    expect(journalRows(old)).toEqual(before);
    expect((await run(archive, old)).code).toBe(0);
    expect((await run(archive.with(5, 'newer.paydesk'), old)).code).toBe(3);
    expect(existsSync(join(old.path, 'newer.paydesk'))).toBe(false);
  });
});

/** A journal of refunds that were made a year ago, and one that is unconfirmed. */
async function longAgo(of: Home, count: number): Promise<void> {
  const store = createSqliteStore({ file: journalFile(of), witness: witnessFile(of) });
  const time = Date.now() - 365 * day;
  const onOrder = (orderId: string) => ({ proof: { ...sent('i', 0).proof, orderId } });
  for (let index = 0; index < count; index += 1) {
    const name = `i_${index}`;
    await store.append(sent(name, time + index, onOrder(`ord_${index}`)));
    await store.append(verdict(name, time + index));
    await store.append({ ...verdict(name, time + day + index), by: 'read' });
  }
  await store.append(sent('i_lost', time + day, onOrder('ord_lost')));
  store.close();
}

/** Where a run is killed: at this call of its main thread, or of the thread that does its other calls. */
interface Point {
  readonly call: 'rename' | 'fsync' | 'pwrite64' | 'ftruncate' | 'unlink';
  readonly nth: number;
  readonly follows: boolean;
}

// What the short form leaves out is between two of these: nothing is durable before a sync, or in its place before a rename.
const calls = isLong
  ? (['rename', 'fsync', 'pwrite64', 'ftruncate', 'unlink'] as const)
  : (['rename', 'fsync'] as const);

/** Archives under strace, which kills it at this point. Returns whether it was killed, and how often it made each call. */
function ranKilled(of: Home, point?: Point) {
  const follows = point?.follows === false ? [] : ['-f'];
  const words = [...follows, '-o', join(of.path, 'log'), '-e', `trace=${point?.call ?? calls.join()}`];
  const inject = point === undefined ? [] : ['-e', `inject=${point.call}:signal=KILL:when=${point.nth}`];
  // All calls that are not of the main thread are of one thread, so that they can be counted.
  const env = desk.env(of, { NODE_COMPILE_CACHE: '', UV_THREADPOOL_SIZE: '1' });
  const { signal } = spawnSync('strace', [...words, ...inject, process.execPath, bin, ...archive], {
    env,
    cwd: of.path,
  });
  const log = readFileSync(join(of.path, 'log'), 'utf8');
  const lines = log.split('\n');
  // It ends last.
  const main = lines.at(-2)?.split(' ')[0];
  return {
    killed: signal === 'SIGKILL' || log.includes('killed by SIGKILL'),
    count: (call: Point['call'], isMain: boolean) =>
      lines.filter((line) => line.includes(` ${call}(`) && line.startsWith(`${main} `) === isMain).length,
  };
}

describe.skipIf(!hasStrace())('killed while it archives', () => {
  test('at each rename and sync, and at others: the journal is the old one or the new one, and whole', async () => {
    using old = desk.newHome();
    await longAgo(old, 8);
    const before = (await desk.run(old, ['journal', 'verify', '--json'])).stdout;
    using whole = copyOf(old);
    const { count } = ranKilled(whole);
    const points = calls
      .flatMap((call) => [false, true].map((follows) => ({ call, follows, count: count(call, !follows) })))
      .flatMap(({ call, follows, count }): Point[] => {
        const all = Array.from({ length: count }, (_, index) => ({ call, follows, nth: index + 1 }));
        const step = call === 'rename' || isLong ? 1 : Math.ceil(count / 6);
        return all.filter((_, index) => index % step === 0);
      });
    const ends = await each(points, async (point) => {
      using copy = copyOf(old);
      const { killed } = ranKilled(copy, point);
      const words = JSON.stringify(point);
      const verified = await desk.run(copy, ['journal', 'verify', '--json']);
      expect(verified.code, `${words} ${verified.stderr}`).toBe(0);
      const { rows, head: now, witness } = JSON.parse(verified.stdout);
      expect(witness, words).toBe('agrees');
      const isOld = now === JSON.parse(before).head;
      expect(rows, words).toBe(isOld ? 25 : 10);
      // Whatever is only in the file is there, whole.
      if (!isOld)
        expect((await desk.run(copy, ['journal', 'verify', '--from', 'old.paydesk'])).code, words).toBe(0);
      const { code, stderr } = await desk.run(copy, [
        'journal',
        'settle',
        'i_lost',
        '--not-applied',
        '--note',
        'n',
        '--yes',
      ]);
      expect([0, 2, 3, 4, 5], `${words} ${stderr}`).toContain(code);
      const again = await desk.run(copy, archive.with(5, 'again.paydesk'));
      expect(again.code, `${words} ${again.stderr}`).toBe(isOld ? 0 : 3);
      expect((await desk.run(copy, ['journal', 'verify'])).code, words).toBe(0);
      return killed ? (isOld ? 'old' : 'new') : 'not killed';
    });
    expect(ends.filter((end) => end === 'old').length).toBeGreaterThan(5);
    expect(ends.filter((end) => end === 'new').length).toBeGreaterThan(1);
    expect(readdirSync(join(stateOf(old), 'journal'))).not.toContain('journal.db.archived');
  }, 900_000);
});

describe.skipIf(!hasStrace())('a call that fails while it archives', () => {
  // Of its own files. A landmark that cannot be written stops nothing.
  const isOfFiles = ({ name, line }: Call) =>
    ['pwrite64', 'fsync', 'ftruncate', 'write'].includes(name) &&
    /^journal\.(db|witness)|^old\.paydesk$/.test(targetOf(line));

  test('leaves the old journal and no file, or the new journal and its file, and the next try works', async () => {
    using old = desk.newHome();
    await longAgo(old, 8);
    const before = JSON.parse((await desk.run(old, ['journal', 'verify', '--json'])).stdout).head;
    const trace = async (): Promise<readonly Call[]> => {
      using whole = copyOf(old);
      return (await traced(desk, whole, archive)).calls.filter(isOfFiles);
    };
    const kindOf = ({ name, line }: Call) => `${name} ${targetOf(line)}`;
    const ofKind = (all: readonly Call[], call: Call) => all.filter((one) => kindOf(one) === kindOf(call));
    const calls = await trace();
    const chosen = isLong ? calls : [...new Map(calls.map((call) => [kindOf(call), call])).values()];
    const points = chosen.flatMap((call) =>
      (call.name.includes('write') ? ['EIO', 'ENOSPC'] : ['EIO']).map((error) => ({ call, error })),
    );
    const failAt = async (
      point: (typeof points)[number],
      nth = point.call.nth,
      tries = 1,
    ): Promise<string> => {
      const { call, error } = point;
      const { name, line } = call;
      using copy = copyOf(old);
      const injection = { call: name as CallName, what: `error=${error}`, when: String(nth) };
      const ran = await traced(desk, copy, archive, injection);
      const words = `${error} ${line} ${ran.stderr}`;
      expect(ran.injected, words).toBeDefined();
      // On a busy machine Node writes to its own pipes at other times, so the same number may be another call.
      if (targetOf(ran.injected ?? '') !== targetOf(line) && tries < 10) {
        const meant = ofKind(await trace(), call)[ofKind(calls, call).indexOf(call)];
        return await failAt(point, meant?.nth ?? nth, tries + 1);
      }
      expect(targetOf(ran.injected ?? ''), words).toBe(targetOf(line));
      const verified = await desk.run(copy, ['journal', 'verify', '--json']);
      expect(verified.code, `${words} ${verified.stderr}`).toBe(0);
      const { rows, head: now } = JSON.parse(verified.stdout);
      const isOld = now === before;
      expect({ rows, done: isOld || ran.code === 0 }, words).toEqual({ rows: isOld ? 25 : 10, done: true });
      expect(existsSync(join(copy.path, 'old.paydesk')), words).toBe(!isOld);
      if (isOld) expect((await desk.run(copy, archive)).code, words).toBe(0);
      const file = ['journal', 'verify', '--from', 'old.paydesk', '--head', before];
      expect((await desk.run(copy, file)).code, words).toBe(0);
      expect((await desk.run(copy, ['journal', 'verify', '--head', before])).code, words).toBe(0);
      return `${isOld ? 'old' : 'new'} ${name} ${targetOf(line)}`;
    };
    const ends = await each(points, (point) => failAt(point));
    console.log(`failing calls: ${ends.length} runs\n${[...new Set(ends)].join('\n')}`);
    expect(ends.filter((end) => end.startsWith('old')).length).toBeGreaterThan(5);
  }, 900_000);
});
