/** SIGKILL at every system call of a refund whose reply is lost: sent at most once, never forgotten, never sent again. */

import { describe, expect, test } from 'vitest';
import { each } from '../harness/each.ts';
import { isLong } from '../harness/long.ts';
import { type Handler, json, reset } from '../harness/server.ts';
import { changeArgs, journalRows, ledgerAndDesk, story } from './desk.ts';
import { honest, type LedgerOrder, type OnPost } from './ledger.ts';
import { type Call, type CallName, hasStrace, targetOf, traced, watched } from './strace.ts';

const { ledger, desk } = await ledgerAndDesk();

// Every request on a connection of its own, so that there is a connect for each.
const closing = (order: LedgerOrder): Handler => json(order.value, 200, { connection: 'close' });
const lost: OnPost = (_, apply) => {
  apply();
  return reset;
};

function newOrder(onPost: OnPost): LedgerOrder {
  const order = ledger.add('refund', onPost);
  order.onRead = () => closing(order);
  return order;
}

/** What a kill came to. */
interface Killed {
  readonly call: CallName;
  readonly nth: number;
  readonly at: string;
  readonly outcome: string;
}

async function killAt(call: CallName, nth: number, onPost: OnPost): Promise<Killed | undefined> {
  using home = desk.newHome();
  const order = newOrder(onPost);
  const killed = await traced(desk, home, changeArgs(order), {
    call,
    what: 'signal=KILL',
    when: String(nth),
  });
  if (killed.signal !== 'SIGKILL') return undefined;
  const found = journalRows(home);
  const before = story(home);
  const listed = await desk.run(home, ['journal', 'list', '--json']);
  const again = await desk.run(home, changeArgs(order));
  const sent = found.some(({ type }) => type === 'sent');
  const posts = order.posts.length;
  const words = `${call} ${nth} (${killed.injected ?? 'no line'}): POST ${posts}, journal "${before}", then ${again.stderr}`;
  // A request that arrived has a durable SENT; a SENT is never sent again; nothing is ever done twice.
  expect(posts, words).toBeLessThanOrEqual(1);
  expect(order.done(), words).toBeLessThanOrEqual(1);
  expect(again.code, words).toBe(sent ? 3 : 0);
  expect(listed.code, words).toBe(0);
  expect(listed.stdout.includes(order.id), words).toBe(sent);
  expect(story(home), words).toMatch(after(sent, before, order.done()));
  const made = order.done() === 1 ? 'made' : 'not made';
  return {
    call,
    nth,
    at: targetOf(killed.injected ?? ''),
    outcome: sent
      ? `SENT durable, ${made}; next run: refused, ${story(home).split(' ').at(-1)}`
      : 'no SENT, not sent; next run refunds',
  };
}

// What the journal tells after the next run.
function after(sent: boolean, before: string, done: number): RegExp {
  if (!sent) return /^sent (unknown )?applied$/;
  if (before.endsWith('applied')) return new RegExp(`^${before}$`);
  return done === 1 ? /^sent (unknown )?applied$/ : /^sent (unknown )?not_seen$/;
}

// `pwrite64  1-12 journal.db-journal  no SENT, not sent; next run refunds`
function tableOf(all: readonly Killed[]): string {
  const rows: { call: string; from: number; to: number; at: Set<string>; outcome: string }[] = [];
  for (const { call, nth, at, outcome } of all) {
    const last = rows.at(-1);
    if (last?.call === call && last.outcome === outcome && last.to === nth - 1) {
      last.to = nth;
      last.at.add(at);
    } else rows.push({ call, from: nth, to: nth, at: new Set([at]), outcome });
  }
  return rows
    .map(({ call, from, to, at, outcome }) => {
      const range = from === to ? `${from}` : `${from}-${to}`;
      return `${call.padEnd(10)} ${range.padEnd(9)} ${outcome.padEnd(48)} ${[...at].join(', ')}`;
    })
    .join('\n');
}

async function baseline(onPost: OnPost): Promise<readonly Call[]> {
  using home = desk.newHome();
  const order = newOrder(onPost);
  const run = await traced(desk, home, changeArgs(order));
  expect(run.code, run.stderr).toBe(0);
  return run.calls;
}

describe.skipIf(!hasStrace())('killed at a system call (F18)', () => {
  test('each kind once: POST at most 1, a durable SENT, never sent again', async () => {
    const calls = await baseline(lost);
    const post = calls.findIndex(({ name, line }) => name === 'write' && line.includes('POST '));
    expect(post).toBeGreaterThan(0);
    // Those of the sending and after it, where there are any.
    const chosen = watched.map((name) => {
      const own = calls.filter((call) => call.name === name);
      return own.find((call) => calls.indexOf(call) >= post) ?? own.at(-1);
    });
    const commit = calls.slice(0, post).findLast(({ name }) => name === 'ftruncate');
    const points = [...chosen, commit].filter((call) => call !== undefined);
    const killed = await each(points, ({ name, nth }) => killAt(name as CallName, nth, lost));
    console.log(`kills, one of each kind:\n${tableOf(killed.filter((one) => one !== undefined))}`);
    expect(killed.filter((one) => one !== undefined).map(({ call }) => call)).toEqual([
      ...watched,
      'ftruncate',
    ]);
  });

  const ends = [
    ['the reply is lost', lost],
    ['the reply comes', honest],
  ] as const;
  test.each(isLong ? ends : [])(
    'every call of the main thread, %s',
    async (title, onPost) => {
      const calls = await baseline(onPost);
      const all: Killed[] = [];
      for (const call of watched) {
        const first = calls.find(({ name }) => name === call)?.nth;
        if (first === undefined) continue;
        const killed = await risingUntilNone(first, (nth) => killAt(call, nth, onPost));
        expect(killed.length, `${call} was never reached`).toBeGreaterThan(0);
        all.push(...killed);
      }
      console.log(`kills, ${title}: ${all.length}\n${tableOf(all)}`);
    },
    3_600_000,
  );
});

// n, n + 1, … until a run has no nth call; a few at once, since each is a run of its own.
async function risingUntilNone<T>(
  first: number,
  act: (nth: number) => Promise<T | undefined>,
): Promise<readonly T[]> {
  const atOnce = 4;
  const found: T[] = [];
  for (let from = first; ; from += atOnce) {
    const numbers = Array.from({ length: atOnce }, (_, index) => from + index);
    const some = (await Promise.all(numbers.map(act))).filter((one) => one !== undefined);
    found.push(...some);
    if (some.length < atOnce) return found;
  }
}
