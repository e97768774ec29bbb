/** The power goes during a refund: whatever the disk was told and had not confirmed may be missing. */

import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { isLong } from '../harness/long.ts';
import type { Json } from '../harness/orders.ts';
import type { Home } from '../harness/paydesk.ts';
import { reset } from '../harness/server.ts';
import { changeArgs, journalFile, ledgerAndDesk, rowsIn, story, told, witnessFile } from './desk.ts';
import {
  type DiskCall,
  filesOf,
  journalNames,
  type Left,
  powerLosses,
  recorded,
  witnessNames,
} from './disk.ts';
import type { LedgerOrder } from './ledger.ts';
import { hasStrace } from './strace.ts';

const { ledger, desk } = await ledgerAndDesk();

/** Made, and the reply is lost: three rows. */
const lostReply = (): LedgerOrder =>
  ledger.add('refund', (_, apply) => {
    apply();
    return reset;
  });

/** The refund that the power loss met. */
interface Met {
  readonly home: Home;
  readonly order: LedgerOrder;
  readonly untouched: Json;
  /** What the journal told before it. */
  readonly earlier: string;
}

/** Every state of the disk that a power loss during a refund may leave. */
async function leftOf(home: Home, isFirst: boolean) {
  if (!isFirst) await desk.run(home, changeArgs(ledger.add('refund')));
  const [before, earlier] = [filesOf(home), story(home)];
  const order = lostReply();
  const untouched = order.value;
  const calls = await recorded(desk, home, changeArgs(order));
  expect(story(home)).toBe(`${earlier} sent unknown applied`.trim());
  expect(calls.filter(({ does }) => does === 'post')).toHaveLength(1);
  const met: Met = { home, order, untouched, earlier };
  return { met, left: powerLosses(before, calls), before, calls };
}

interface Found {
  /** The story of the refund that the power loss met, as the next run will find it. */
  readonly story: string;
  readonly rows: number;
  /** How many lines the witness has. */
  readonly lines: number;
}

/** What SQLite makes of both files. */
function foundIn(left: Left, earlier: string): Found {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-left-'));
  try {
    const files = left.files();
    for (const name of [...journalNames, ...witnessNames]) writeFileSync(join(folder, name), files[name]);
    const rows = rowsIn(folder);
    const all = told(rows);
    expect(all.startsWith(earlier), `${left.words}: ${all}`).toBe(true);
    return { story: all.slice(earlier.length).trim(), rows: rows.length, lines: linesIn(folder) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function linesIn(folder: string): number {
  using db = new DatabaseSync(join(folder, 'journal.witness'));
  db.exec('PRAGMA synchronous = OFF');
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE name = 'lines'").all();
  return tables.length === 0 ? 0 : Number(db.prepare('SELECT count(*) AS lines FROM lines').get()?.lines);
}

/** Lends a home the two databases of another, as they are left: a copy of them would be refused. */
function lend(left: Left, from: Home, home: Home): Disposable {
  const files = left.files();
  const lent = [journalFile, ...(files['journal.witness'].length > 0 ? [witnessFile] : [])];
  for (const of of lent) {
    mkdirSync(dirname(of(home)), { recursive: true, mode: 0o700 });
    renameSync(of(from), of(home));
  }
  for (const name of journalNames)
    writeFileSync(join(dirname(journalFile(home)), name), files[name], { mode: 0o600 });
  for (const name of witnessNames.filter((one) => files[one].length > 0))
    writeFileSync(join(dirname(witnessFile(home)), name), files[name], { mode: 0o600 });
  return {
    [Symbol.dispose]: () => {
      for (const of of lent) renameSync(of(home), of(from));
    },
  };
}

/** What these calls are when the disk lied about the sync of SENT, the last one of a file before the request leaves. */
function withoutSyncOfSent(
  calls: readonly DiskCall[],
  file: 'journal.db' | 'journal.witness',
): readonly DiskCall[] {
  const post = calls.findIndex(({ does }) => does === 'post');
  const sync = calls.findLastIndex(
    (call, index) => call.does === 'sync' && call.file === file && index < post,
  );
  return calls.filter((_, index) => index !== sync);
}

/** What the built program makes of it: whole, and neither forgotten nor sent twice. */
async function nextRun(left: Left, { home: from, order, untouched, earlier }: Met): Promise<string> {
  using home = desk.newHome();
  const found = foundIn(left, earlier).story;
  using _ = lend(left, from, home);
  const at = `${left.words}, "${found}"`;
  // Where the request had not left, nothing was made.
  if (!left.posted) order.value = untouched;
  const posts = order.posts.length;
  const verify = await desk.run(home, ['journal', 'verify']);
  expect(verify.code, `${at}: ${verify.stderr}`).toBe(0);
  const reconcile = await desk.run(home, ['journal', 'reconcile', '--all']);
  const isOpen = found !== '' && !left.posted;
  expect(reconcile.code, `${at}: ${reconcile.stderr}`).toBe(isOpen ? 7 : 0);
  const again = await desk.run(home, changeArgs(order));
  const isFree = found === '' && !left.posted;
  expect({ code: again.code, sent: order.posts.length - posts }, `${at}: ${again.stderr}`).toEqual(
    isFree ? { code: 0, sent: 1 } : { code: 3, sent: 0 },
  );
  const end = `${isFree ? 'sends' : 'refuses'}, "${story(home).slice(earlier.length).trim()}"`;
  return `${left.posted ? 'after ' : 'before'} the POST, "${found}"; the next run ${end}`;
}

describe.skipIf(!hasStrace())('the power goes (F19)', () => {
  test.each([
    ['the first refund of a journal', true],
    ['a later refund', false],
  ])(
    'during %s: once the request has left, SENT is on the disk in both files, whatever unsynced write is lost; a disk that lied about one sync of it is noticed',
    async (name, isFirst) => {
      using home = desk.newHome();
      const { met, left, before, calls } = await leftOf(home, isFirst);
      // Every seventeenth in the short form.
      const states = left
        .filter((_, index) => isLong || index % 17 === 0)
        .map((one) => ({ one, found: foundIn(one, met.earlier) }));
      for (const { one, found } of states) {
        expect(found.story, one.words).toMatch(one.posted ? /^sent( unknown( applied)?)?$/ : /^(sent)?$/);
        // The witness is never before the journal. It may lack the first verdict on the change before, and the row that comes next.
        expect(found.rows - found.lines, one.words).toBeOneOf([0, 1, 2]);
        if (one.posted && found.story === 'sent') expect(found.lines, one.words).toBe(found.rows);
      }
      // The built program itself: each outcome once, or all of them.
      const classes = new Map(
        states.map(({ one, found }) => [`${one.posted} ${found.story} ${found.lines}`, one]),
      );
      const chosen = isLong ? left : [...classes.values()];
      const made = met.order.value;
      const outcomes: string[] = [];
      // One after the other: all of them are the same two files.
      for (const one of chosen) {
        met.order.value = made;
        outcomes.push(await nextRun(one, met));
      }
      const counts = Map.groupBy(outcomes, (words) => words);
      console.log(
        `power losses, ${name}: ${left.length} states of the disk, ${outcomes.length} runs after one\n` +
          [...counts].map(([words, all]) => `${String(all.length).padStart(5)} x ${words}`).join('\n'),
      );
      for (const file of ['journal.db', 'journal.witness'] as const) {
        const lied = powerLosses(before, withoutSyncOfSent(calls, file)).filter(({ posted }) => posted);
        const isMissed = lied.some((one) => {
          const { story, rows, lines } = foundOrDamaged(one, met.earlier);
          return file === 'journal.db' ? story === '' : story === 'sent' && lines < rows;
        });
        expect(isMissed, `the disk lied about one sync of ${file}, and this test does not notice`).toBe(true);
      }
      expect(states.some(({ one }) => one.posted)).toBe(true);
      expect(states.some(({ found }) => found.story === '')).toBe(true);
    },
    3_600_000,
  );
});

// Without a sync, SQLite may leave a file that it cannot read: that is noticed as well.
function foundOrDamaged(left: Left, earlier: string): Found {
  try {
    return foundIn(left, earlier);
  } catch {
    return { story: 'damaged', rows: 0, lines: 0 };
  }
}
