/** `--again` names what it repeats, is printed ready to be copied, and is used up by one sending. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clockOff, later } from '../harness/clock.ts';
import { isLong } from '../harness/long.ts';
import type { Home, Ran } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { json, reset } from '../harness/server.ts';
import {
  changeArgs,
  type Desk,
  journalRows,
  ledgerAndDesk,
  openDesk,
  printedCommand,
  story,
} from './desk.ts';
import { honest, type LedgerOrder, startLedger } from './ledger.ts';
import { start } from './running.ts';

const { ledger, desk } = await ledgerAndDesk();
/** Its horizon is over at once. */
let short: Desk;
beforeAll(async () => {
  short = await openDesk({ url: ledger.url, settings: { 'refund.horizon_part': '0ms' } });
});
afterAll(() => {
  short[Symbol.dispose]();
});

const came = ({ code }: Ran, order: LedgerOrder) => ({ code, posts: order.posts.length });
const yes = (words: readonly string[]): readonly string[] => [...words, '--yes'];
const usedUp = /was used already, at \d\d:\d\d:\d\d/;

/** A refund that was made. */
async function madeOnce(home: Home): Promise<LedgerOrder> {
  const order = ledger.add('refund');
  const ran = await desk.run(home, changeArgs(order));
  expect(came(ran, order), ran.stderr).toEqual({ code: 0, posts: 1 });
  return order;
}

/** One whose reply was lost, that was not made, and whose time is over. */
async function lostOnce(home: Home): Promise<LedgerOrder> {
  const order = ledger.add('refund', () => reset);
  const ran = await short.run(home, changeArgs(order));
  expect(came(ran, order), ran.stderr).toEqual({ code: 7, posts: 1 });
  order.onPost = honest;
  return order;
}

describe.concurrent('--again for a refund that exists', () => {
  test('without a value it is a usage error (2); with a wrong id it is refused (3); nothing is sent', async () => {
    using home = desk.newHome();
    const order = await madeOnce(home);
    const bare = await desk.run(home, [...changeArgs(order), '--again']);
    expect(came(bare, order), bare.stderr).toEqual({ code: 2, posts: 1 });
    const swallowing = await desk.run(home, ['orders', 'refund', order.id, '--again', '--yes']);
    expect(came(swallowing, order), swallowing.stderr).toEqual({ code: 2, posts: 1 });
    const wrong = await desk.run(home, [...changeArgs(order), '--again', 'rf_other']);
    expect(came(wrong, order), wrong.stderr).toEqual({ code: 3, posts: 1 });
    const ofAnotherOrder = await madeOnce(home);
    const other = [...changeArgs(order), '--again', `rf_${ofAnotherOrder.id}_1`];
    const refused = await desk.run(home, other);
    expect(came(refused, order), refused.stderr).toEqual({ code: 3, posts: 1 });
    expect(story(home)).toBe('sent applied sent applied');
  });

  test('the refusal prints the command; as printed it asks for a yes, with it one POST; once more it is refused with the time', async () => {
    using home = desk.newHome();
    const order = await madeOnce(home);
    const refused = await desk.run(home, changeArgs(order));
    expect(came(refused, order), refused.stderr).toEqual({ code: 3, posts: 1 });
    const printed = printedCommand(refused.stderr, '--again');
    expect(printed.slice(-2)).toEqual(['--again', `rf_${order.id}_1`]);
    const unasked = await desk.run(home, printed);
    expect(came(unasked, order), unasked.stderr).toEqual({ code: 2, posts: 1 });
    const again = await desk.run(home, yes(printed));
    expect(came(again, order), again.stderr).toEqual({ code: 0, posts: 2 });
    const arrowUp = await desk.run(home, yes(printed));
    expect(came(arrowUp, order), arrowUp.stderr).toEqual({ code: 3, posts: 2 });
    expect(inOneLine(arrowUp.stderr)).toMatch(usedUp);
    // What it prints now names the newest.
    const [newest = ''] = /(?<=the same command, with --again )\S+/.exec(inOneLine(arrowUp.stderr)) ?? [];
    expect(newest).toBe(`rf_${order.id}_2`);
    const third = await desk.run(home, yes([...printed.slice(0, -1), newest]));
    expect(came(third, order), third.stderr).toEqual({ code: 0, posts: 3 });
  });

  test('an id that was named by a sending whose reply was lost is used up as well', async () => {
    await using own = await startLedger();
    using desk = await openDesk({ url: own.url });
    using home = desk.newHome();
    const order = own.add('refund');
    expect((await desk.run(home, changeArgs(order))).code).toBe(0);
    order.onPost = () => reset;
    const words = [...changeArgs(order), '--again', `rf_${order.id}_1`];
    expect(came(await desk.run(home, words), order)).toEqual({ code: 7, posts: 2 });
    order.onPost = honest;
    own.clock.offMs = 86_460_000;
    const tomorrow = await desk.run(home, words, later(86_460_000));
    expect(came(tomorrow, order), tomorrow.stderr).toEqual({ code: 3, posts: 2 });
    expect(inOneLine(tomorrow.stderr)).toMatch(usedUp);
  });
});

describe.concurrent('--again for an attempt that was not seen in its time', () => {
  test('the refusal prints the command; with a yes it is sent once; arrow-up is refused with the time', async () => {
    using home = short.newHome();
    const order = await lostOnce(home);
    const refused = await short.run(home, changeArgs(order));
    expect(came(refused, order), refused.stderr).toEqual({ code: 3, posts: 1 });
    const printed = printedCommand(refused.stderr, '--again');
    expect(printed.at(-1)).toBe(journalRows(home)[0]?.change);
    const again = await short.run(home, yes(printed));
    expect(came(again, order), again.stderr).toEqual({ code: 0, posts: 2 });
    const arrowUp = await short.run(home, yes(printed));
    expect(came(arrowUp, order), arrowUp.stderr).toEqual({ code: 3, posts: 2 });
    expect(inOneLine(arrowUp.stderr)).toMatch(usedUp);
  });

  test('the id of another change, or of none, is refused (3)', async () => {
    using home = short.newHome();
    const order = await lostOnce(home);
    const another = await lostOnce(home);
    const { change = '' } = journalRows(home).findLast(({ type }) => type === 'sent') ?? {};
    for (const id of [change, 'i_none']) {
      const ran = await short.run(home, [...changeArgs(order), '--again', id]);
      expect(came(ran, order), ran.stderr).toEqual({ code: 3, posts: 1 });
    }
    expect(another.posts).toHaveLength(1);
  });
});

describe.concurrent('a repeat whose reply is lost, and that no read can tell at once', () => {
  /** What it repeats is asked for again by this id; the repeat is made, and nothing can be read. */
  async function repeatBlindly(at: Desk, home: Home, order: LedgerOrder, id: string): Promise<void> {
    const posts = order.posts.length;
    order.onPost = (one, apply) => {
      apply();
      one.onRead = () => reset;
      return reset;
    };
    const ran = await at.run(home, [...changeArgs(order), '--again', id]);
    expect(came(ran, order), ran.stderr).toEqual({ code: 7, posts: posts + 1 });
    order.onRead = undefined;
  }

  test('of a refund that exists: the next look finds it, and takes it for no duplicate', async () => {
    using home = desk.newHome();
    const order = await madeOnce(home);
    await repeatBlindly(desk, home, order, `rf_${order.id}_1`);
    const reconcile = () => desk.run(home, ['journal', 'reconcile', '--all']);
    const look = await reconcile();
    expect({ code: look.code, story: story(home) }, look.stderr).toEqual({
      code: 0,
      story: 'sent applied sent unknown unknown applied',
    });
    expect(look.stdout + look.stderr).not.toContain('MADE TWICE');
    // One more of it is no word of anybody here: the next look at either says so.
    order.apply(order.posts[0]?.body ?? '');
    const looks = [await reconcile(), await reconcile()];
    expect(looks.map(({ code }) => code)).toContain(7);
    expect(looks.map(({ stderr }) => stderr).join()).toContain('MADE TWICE');
  });

  test('of an attempt that was not seen: the next look finds the repeat, not what it repeats, though the clock is off', async () => {
    await using own = await startLedger();
    own.clock.told = false;
    using desk = await openDesk({ url: own.url, settings: { 'refund.horizon_part': '0ms' } });
    using home = desk.newHome();
    const order = own.add('refund', () => reset);
    expect((await desk.run(home, changeArgs(order))).code).toBe(7);
    const { change = '' } = journalRows(home)[0] ?? {};
    await repeatBlindly(desk, home, order, change);
    await desk.run(home, ['journal', 'reconcile', '--all'], clockOff(86_400_000));
    const made = journalRows(home).filter(({ verdict }) => verdict === 'applied');
    expect(made).toHaveLength(1);
    expect(made[0]?.change).not.toBe(change);
    expect(order.done()).toBe(1);
  });
});

const contenders = isLong ? 20 : 4;

describe(`${contenders} processes with the same --again at the same time`, () => {
  async function contend(at: Desk, home: Home, order: LedgerOrder, id: string): Promise<void> {
    const posts = order.posts.length;
    const words = [...changeArgs(order), '--again', id];
    const runs = Array.from({ length: contenders }, () => start(at, home, words));
    const codes = (await Promise.all(runs.map(({ end }) => end))).map(({ code }) => code);
    expect({ posts: order.posts.length - posts, won: codes.filter((code) => code === 0).length }).toEqual({
      posts: 1,
      won: 1,
    });
    expect(codes.filter((code) => code === 3)).toHaveLength(contenders - 1);
  }

  test('naming a refund: one POST, all others are refused (3)', async () => {
    using home = desk.newHome();
    const order = await madeOnce(home);
    await contend(desk, home, order, `rf_${order.id}_1`);
    expect(story(home)).toBe('sent applied sent applied');
  });

  test('naming an attempt: one POST, all others are refused (3)', async () => {
    using home = short.newHome();
    const order = await lostOnce(home);
    await contend(short, home, order, String(journalRows(home)[0]?.change));
    expect(order.done()).toBe(1);
  });
});

describe.concurrent('a service that shows its newest refund first, and none with a time', () => {
  /** Reads show the order so; replies to a change do not. */
  function showUndated(order: LedgerOrder): void {
    order.onRead = () => {
      const shown = JSON.parse(JSON.stringify(order.value));
      const { refunds } = shown.charges.data[0];
      refunds?.data.reverse();
      for (const refund of refunds?.data ?? []) delete refund.created_at;
      return json(shown);
    };
  }

  test('of two equal refunds both must be named: the refusal prints the command, and that makes one POST', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund');
    showUndated(order);
    const body = JSON.stringify({ charge_id: `ch_${order.id}`, amount: 5_000 });
    for (const _ of [1, 2]) order.apply(body);
    const [first, second] = [`rf_${order.id}_1`, `rf_${order.id}_2`];
    const one = await desk.run(home, [...changeArgs(order), '--again', first]);
    expect(came(one, order), one.stderr).toEqual({ code: 3, posts: 0 });
    expect(one.stderr).toContain(`--again ${first},${second}`);
    const both = await desk.run(home, [...changeArgs(order), '--again', `${first},${second}`]);
    expect(came(both, order), both.stderr).toEqual({ code: 0, posts: 1 });
  });

  test('an attempt that was not seen and then shows is not sent once more by its name', async () => {
    using home = short.newHome();
    const order = ledger.add('refund', () => reset);
    showUndated(order);
    const old = JSON.stringify({ charge_id: `ch_${order.id}`, amount: 5_000 });
    order.apply(old);
    const words = [...changeArgs(order), '--again', `rf_${order.id}_1`];
    const lost = await short.run(home, words);
    expect(came(lost, order), lost.stderr).toEqual({ code: 7, posts: 1 });
    order.apply(order.posts[0]?.body ?? '');
    order.onPost = honest;
    const again = [...changeArgs(order), '--again', String(journalRows(home)[0]?.change)];
    const found = await short.run(home, again);
    expect(came(found, order), found.stderr).toEqual({ code: 3, posts: 1 });
    expect(found.stderr).toContain('an earlier change was made after all');
    const ran = await short.run(home, again);
    expect(came(ran, order), ran.stderr).toEqual({ code: 3, posts: 1 });
    expect(ran.stderr).toContain(`rf_${order.id}_2`);
  });
});
