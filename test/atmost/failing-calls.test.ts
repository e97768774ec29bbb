/** System calls of the journal that fail: before the sending nothing is sent; after the reply nothing is lost. */

import { describe, expect, test } from 'vitest';
import { each } from '../harness/each.ts';
import { isLong } from '../harness/long.ts';
import { changeArgs, ledgerAndDesk, story } from './desk.ts';
import type { LedgerOrder } from './ledger.ts';
import { type Call, type CallName, hasStrace, type Traced, targetOf, traced } from './strace.ts';

const { ledger, desk } = await ledgerAndDesk();

// Of the journal's own files; what the terminal or the network does is another matter.
const journalCalls = ['pwrite64', 'fsync', 'ftruncate'] as const;

interface Point {
  readonly call: CallName;
  readonly nth: number;
  /** The request is out already. */
  readonly late: boolean;
}

async function points(): Promise<readonly Point[]> {
  using home = desk.newHome();
  const { calls } = await traced(desk, home, changeArgs(ledger.add('refund')));
  const post = calls.findIndex(({ line }) => line.includes('POST '));
  // A landmark that cannot be written stops nothing.
  const isJournal = ({ name, line }: Call) =>
    journalCalls.some((one) => one === name) && !line.includes('paydesk-landmark');
  return calls.flatMap((call, index) =>
    isJournal(call) ? [{ call: call.name as CallName, nth: call.nth, late: index > post }] : [],
  );
}

interface Failed extends Point {
  readonly error: string;
  readonly at: string;
  readonly outcome: string;
}

async function failAt(point: Point, error: string, onwards: boolean): Promise<Failed> {
  using home = desk.newHome();
  const order = ledger.add('refund');
  const when = `${point.nth}${onwards ? '+' : ''}`;
  const what = `error=${error}`;
  const ran = await traced(desk, home, changeArgs(order), { call: point.call, what, when });
  const words = `${point.call} ${when} ${error} (${ran.injected ?? 'not reached'}): ${ran.stderr}`;
  expect(ran.injected, words).toBeDefined();
  const posts = order.posts.length;
  if (ran.code === 3) {
    expect({ late: point.late, posts }, words).toEqual({ late: false, posts: 0 });
    expect(ran.stderr, words).toContain('nothing was sent');
  } else if (ran.code === 9) {
    expect({ late: point.late, posts }, words).toEqual({ late: true, posts: 1 });
    checkEmergency(ran, order, words);
  } else {
    // An interrupted call was repeated; SQLite does not look whether its sync of a folder worked, and paydesk syncs both itself,
    // which must not fail.
    const ofFolder = ['journal', 'witness'].includes(targetOf(ran.injected ?? ''));
    expect(error === 'EINTR' || ofFolder, words).toBe(true);
    expect({ code: ran.code, posts, story: story(home) }, words).toEqual({
      code: 0,
      posts: 1,
      story: 'sent applied',
    });
  }
  const before = story(home);
  // Where no verdict was lost and nothing is open, there is nothing to reconcile: the same refund is the next run.
  if (ran.code === 9 || (before !== '' && before !== 'sent applied')) {
    const next = await desk.run(home, ['journal', 'reconcile', '--all']);
    expect(next.code, `${words}, then ${next.stderr}`).toBe(before === 'sent' && posts === 0 ? 7 : 0);
  }
  const again = await desk.run(home, changeArgs(order));
  expect(order.posts.length, words).toBeLessThanOrEqual(1);
  expect(order.done(), words).toBeLessThanOrEqual(1);
  if (before === '')
    expect({ code: again.code, story: story(home) }, words).toEqual({ code: 0, story: 'sent applied' });
  if (posts === 1)
    expect({ code: again.code, story: story(home) }, words).toEqual({ code: 3, story: 'sent applied' });
  const outcome = `exit ${ran.code}, POST ${posts}, journal "${before}"`;
  return {
    ...point,
    error: `${error}${onwards ? ' from then on' : ''}`,
    at: targetOf(ran.injected ?? ''),
    outcome,
  };
}

/** SCREENS: the refund in full, then the row to keep by hand. */
function checkEmergency({ stdout, stderr }: Traced, order: LedgerOrder, words: string): void {
  expect(stdout, words).toContain('refunded 5000 MXN');
  expect(stderr, words).toContain('THE REFUND WAS MADE: refund of 5000 MXN');
  expect(stderr, words).toContain(`rf_${order.id}_1`);
  const [, change = ''] = /paydesk journal reconcile (i_\w+)/.exec(stderr) ?? [];
  const row: unknown = JSON.parse(/\{"type".*\}/.exec(stderr.replaceAll(/\n\s*/g, ''))?.[0] ?? 'null');
  expect(row, words).toMatchObject({ type: 'verdict', change, verdict: 'applied' });
}

function tableOf(all: readonly Failed[]): string {
  const counts = new Map<string, number>();
  for (const { call, error, late, outcome, at } of all) {
    const key = `${late ? 'after the reply' : 'before the POST'}  ${call.padEnd(9)} ${error.padEnd(20)} ${at.padEnd(19)} ${outcome}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => `${String(count).padStart(4)} x ${key}`).join('\n');
}

const errors = {
  pwrite64: ['EIO', 'ENOSPC', 'EINTR'],
  fsync: ['EIO', 'EINTR'],
  ftruncate: ['EIO', 'EINTR'],
} as const;

describe.skipIf(!hasStrace())('a failing call of the journal (F39, F40)', () => {
  test('before the POST sends nothing, exit 3; after the reply prints all of it, exit 9; the next run resolves', async () => {
    const every = await points();
    expect(every.filter(({ late }) => late).length).toBeGreaterThan(0);
    const cases = every.flatMap((point) =>
      errors[point.call as keyof typeof errors].flatMap((error) =>
        (error === 'EINTR' ? [false] : [false, true]).map((onwards) => ({ point, error, onwards })),
      ),
    );
    const chosen = isLong ? cases : shortForm(cases);
    const failed = await each(chosen, ({ point, error, onwards }) => failAt(point, error, onwards));
    console.log(`failing calls: ${failed.length} runs\n${tableOf(failed)}`);
    const codes = failed.map(({ late, outcome }) => `${late} ${outcome.slice(0, 6)}`);
    expect(codes).toContain('false exit 3');
    expect(codes).toContain('true exit 9');
  }, 3_600_000);
});

// Of each call, error and side of the POST the last one that is there.
function shortForm<T extends { readonly point: Point; readonly error: string; readonly onwards: boolean }>(
  cases: readonly T[],
): readonly T[] {
  const keyOf = ({ point, error }: T) => `${point.call} ${error} ${point.late}`;
  const last = new Map(
    cases.filter(({ error, onwards }) => onwards === (error === 'ENOSPC')).map((one) => [keyOf(one), one]),
  );
  return [...last.values()];
}
