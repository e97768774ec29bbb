/** A journal that is damaged, older or gone: after every repair the same unconfirmed refund is not sent once more. */

import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSqliteStore } from '../../src/journal/sqlite/sqlite-store.ts';
import { later } from '../harness/clock.ts';
import { each } from '../harness/each.ts';
import { isLong } from '../harness/long.ts';
import { copyOf, type Home } from '../harness/paydesk.ts';
import { reset } from '../harness/server.ts';
import { sent, verdict } from '../journal/rows.ts';
import {
  acceptRepaired,
  changeArgs,
  journalFile,
  ledgerAndDesk,
  repairedIn,
  settleArgs,
  stateOf,
  witnessFile,
} from './desk.ts';
import type { LedgerOrder } from './ledger.ts';

const { ledger, desk } = await ledgerAndDesk();
/** Its journal holds many settled refunds, among them of this ledger, and one whose reply was lost and that no read shows. */
let full: Home;
let lost: LedgerOrder;
/** The journal as it was at several moments before that refund. */
const older: Buffer[] = [];

const olderCopies = isLong ? 50 : 2;
const rules = { uid: process.getuid?.(), notice: () => undefined };

function openStore(home: Home) {
  const state = stateOf(home);
  return createSqliteStore({
    file: journalFile(home),
    witness: witnessFile(home),
    rules,
    folders: [state, join(state, 'journal')],
  });
}

beforeAll(async () => {
  full = desk.newHome();
  expect((await desk.run(full, changeArgs(ledger.add('refund')))).code).toBe(0);
  const store = openStore(full);
  for (let filler = 0; filler < Math.max(20, olderCopies); filler += 1) {
    if (older.length < olderCopies) older.push(readFileSync(journalFile(full)));
    const time = Date.now();
    await store.append(sent(`i_f${filler}`, time, { note: 'n'.repeat(filler * 90) }));
    await store.append(verdict(`i_f${filler}`, time));
  }
  store.close();
  // Not applied: if anything sent it again, the service would do it.
  lost = ledger.add('refund', () => reset);
  expect((await desk.run(full, changeArgs(lost))).code).toBe(7);
  expect(lost.posts).toHaveLength(1);
});
afterAll(() => {
  full[Symbol.dispose]();
});

/** Refunds the lost one again: it must not be sent, with what was in the file or without. */
async function refuseLost(home: Home, what: string): Promise<number | null> {
  const again = await desk.run(home, changeArgs(lost));
  expect({ what, posts: lost.posts.length }, again.stderr).toEqual({ what, posts: 1 });
  expect([3, 7], `${what}: ${again.stderr}`).toContain(again.code);
  return again.code;
}

// ── Damage ──────────────────────────────────────────────────────────────────────────────────────

type Chance = (below: number) => number;

/** The same numbers in every run (mulberry32). */
function chanceOf(seed: number): Chance {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const pageSize = 4096;

const damages: readonly (readonly [string, (bytes: Buffer, chance: Chance) => Buffer])[] = [
  ['bits flipped', (bytes, chance) => flipped(bytes, chance, 0, bytes.length, 1 + chance(60))],
  ['many bits flipped', (bytes, chance) => flipped(bytes, chance, 0, bytes.length, 2000)],
  ['page headers flipped', flippedHeaders],
  ['the schema damaged', (bytes, chance) => flipped(bytes, chance, 100, pageSize, 200)],
  ['the header damaged', (bytes, chance) => flipped(bytes, chance, 0, 100, 40)],
  ['the first page gone', (bytes) => Buffer.from(bytes).fill(0, 0, pageSize)],
  ['pages of zeros', zeroed],
  ['pages that changed places', swapped],
  ['cut off', (bytes, chance) => bytes.subarray(0, 1 + chance(bytes.length - 1))],
  [
    'cut off at a page',
    (bytes, chance) => bytes.subarray(0, pageSize * (1 + chance(bytes.length / pageSize - 1))),
  ],
  [
    'the newest pages gone',
    (bytes, chance) => Buffer.from(bytes).fill(0, bytes.length - pageSize * (1 + chance(4))),
  ],
  ['another file', (bytes, chance) => Buffer.from(`order,amount ${chance(9)}\n`.repeat(bytes.length / 16))],
];

function flipped(bytes: Buffer, chance: Chance, from: number, to: number, count: number): Buffer {
  const changed = Buffer.from(bytes);
  for (let one = 0; one < count; one += 1) {
    const at = from + chance(to - from);
    changed[at] = (changed[at] ?? 0) ^ (1 << chance(8));
  }
  return changed;
}

function flippedHeaders(bytes: Buffer, chance: Chance): Buffer {
  const pages = bytes.length / pageSize;
  const pick = Array.from({ length: 1 + chance(4) }, () => chance(pages) * pageSize);
  return pick.reduce((changed, at) => flipped(changed, chance, at, at + 16, 4), bytes);
}

function zeroed(bytes: Buffer, chance: Chance): Buffer {
  const changed = Buffer.from(bytes);
  for (let count = 1 + chance(5); count > 0; count -= 1) {
    const at = chance(bytes.length / pageSize) * pageSize;
    changed.fill(0, at, at + pageSize);
  }
  return changed;
}

function swapped(bytes: Buffer, chance: Chance): Buffer {
  const changed = Buffer.from(bytes);
  const [one, other] = [
    chance(bytes.length / pageSize) * pageSize,
    chance(bytes.length / pageSize) * pageSize,
  ];
  bytes.copy(changed, one, other, other + pageSize);
  bytes.copy(changed, other, one, one + pageSize);
  return changed;
}

/** What the witness is beside such a journal. */
const besides: readonly (readonly [string, (file: string, chance: Chance) => void])[] = [
  ['with its witness', () => undefined],
  ['without its witness', (file) => rmSync(file)],
  [
    'with a damaged witness',
    (file, chance) => {
      const [, damage] = damages[chance(damages.length)] ?? ['', (bytes: Buffer) => bytes];
      writeFileSync(file, damage(readFileSync(file), chance));
    },
  ],
];

describe('a damaged journal that is repaired', () => {
  test('must not forget: a machine that knows nothing of the first refund sends a second one', async () => {
    using home = desk.newHome();
    const twice = ledger.add('refund', () => reset);
    expect((await desk.run(home, changeArgs(twice))).code).toBe(7);
    for (const folder of [stateOf(home), dirname(witnessFile(home))]) rmSync(folder, { recursive: true });
    expect((await desk.run(home, changeArgs(twice))).code).toBe(7);
    expect(twice.posts).toHaveLength(2);
  });

  test('sends no unconfirmed refund again: with its witness, without it, or with a damaged one', async () => {
    const cases = Array.from({ length: isLong ? 600 : 9 }, (_, index) => index);
    const exits = await each(cases, async (index) => {
      using home = copyOf(full);
      const [name, damage] = damages[index % damages.length] ?? ['', (bytes: Buffer) => bytes];
      const file = journalFile(home);
      writeFileSync(file, damage(readFileSync(file), chanceOf(index)));
      const [beside, change] = besides[Math.floor(index / damages.length) % 3] ?? ['', () => undefined];
      change(witnessFile(home), chanceOf(-index));
      const what = `${index}: ${name}, ${beside}`;
      const before = await refuseLost(home, `${what}, before the repair`);
      const findings = (await openStore(home).verify()).findings.length;
      // Some damage changes nothing that the journal says.
      const repair = findings === 0 ? undefined : await openStore(home).repair(Date.now());
      const whole = await openStore(home).verify();
      expect({ what, findings: whole.findings }).toEqual({ what, findings: [] });
      await refuseLost(home, what);
      return { before, lost: repair === undefined ? 0 : repair.lost.length + repair.unreadable };
    });
    const some = exits.filter((one) => one.lost > 0).length;
    console.log(
      `damaged journals: ${exits.length}, ${some} of them lost rows, ${lost.posts.length - 1} unconfirmed refunds sent again`,
    );
    expect(some).toBeGreaterThan(exits.length / 4);
  }, 1_800_000);

  test('exits 7 by the program, names what is blocked, and settling that lets the order be changed', async () => {
    using home = copyOf(full);
    writeFileSync(journalFile(home), 'no journal\n'.repeat(3000));
    const repaired = await desk.run(home, ['journal', 'verify', '--repair', '--yes', '--json']);
    expect(repaired.code, repaired.stderr).toBe(7);
    const { blocked, kept } = JSON.parse(repaired.stdout) as {
      blocked: readonly { change: string; order: string }[];
      kept: number;
    };
    expect({ kept, blocked }).toEqual({ kept: 0, blocked: [{ change: expect.any(String), order: lost.id }] });
    const refused = await desk.run(home, changeArgs(lost));
    expect({ code: refused.code, posts: lost.posts.length }, refused.stderr).toEqual({ code: 3, posts: 1 });
    const other = ledger.add('refund');
    expect((await desk.run(home, changeArgs(other))).code).toBe(0);
    const change = blocked[0]?.change ?? '';
    const settle = settleArgs(change, lost.id);
    const settled = await desk.run(home, settle, later(600_000));
    expect(settled.code, settled.stderr).toBe(0);
    expect((await desk.run(home, ['journal', 'list', '--open', '--json'])).stdout).not.toContain(change);
  });
});

describe('a journal that lost rows together with its witness', () => {
  test('makes no change at all until a person has looked and said so', async () => {
    using home = copyOf(full);
    rmSync(witnessFile(home));
    writeFileSync(journalFile(home), 'no journal\n'.repeat(3000));
    const repaired = await desk.run(home, ['journal', 'verify', '--repair', '--yes', '--json']);
    expect(repaired.code, repaired.stderr).toBe(7);
    const { blocked } = JSON.parse(repaired.stdout) as {
      blocked: readonly { change: string; order: null }[];
    };
    expect(blocked).toEqual([{ change: expect.stringMatching(/^i_lost/), order: null }]);
    const order = ledger.add('refund');
    const refused = await desk.run(home, changeArgs(order));
    expect({ code: refused.code, posts: order.posts.length }, refused.stderr).toEqual({ code: 3, posts: 0 });
    const change = blocked[0]?.change ?? '';
    expect(refused.stderr).toContain(`paydesk journal settle ${change} --not-applied`);
    await refuseLost(home, 'all rows and the witness lost');
    const settle = settleArgs(change, change);
    const settled = await desk.run(home, settle, later(600_000));
    expect(settled.code, settled.stderr).toBe(0);
    const made = await desk.run(home, changeArgs(order));
    expect({ code: made.code, posts: order.posts.length }, made.stderr).toEqual({ code: 0, posts: 1 });
  });
});

// ── Older, or gone ──────────────────────────────────────────────────────────────────────────────

async function refuseEveryChange(home: Home, what: string, says: RegExp): Promise<void> {
  await refuseLost(home, what);
  const order = ledger.add('refund');
  const { code, stderr } = await desk.run(home, changeArgs(order));
  expect({ what, code, posts: order.posts.length }, stderr).toEqual({ what, code: 3, posts: 0 });
  expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(says);
  expect(stderr).toContain('paydesk journal verify --repair');
}

/** Repairs by the program; then the lost one is still not sent, and another order can be changed. */
async function repairAndGoOn(home: Home, what: string, code: number): Promise<void> {
  const repair = await repairedIn(desk, home);
  expect({ what, code: repair.code }, repair.stderr).toEqual({ what, code });
  await refuseLost(home, `${what}, repaired`);
  await acceptRepaired(home, repair);
  await refuseLost(home, `${what}, repaired and accepted`);
  const order = ledger.add('refund');
  const made = await desk.run(home, [...changeArgs(order), '--confirm', order.id]);
  expect({ what, code: made.code, posts: order.posts.length }, made.stderr).toEqual({
    what,
    code: 0,
    posts: 1,
  });
}

describe('an older journal that was put back', () => {
  test('stops every change and says what is missing; repaired, it blocks the orders that only its witness knows', async () => {
    const copies = older.map((bytes, index) => ({ bytes, index }));
    await each(copies, async ({ bytes, index }) => {
      using home = copyOf(full);
      writeFileSync(journalFile(home), bytes);
      const what = `older copy ${index}`;
      await refuseEveryChange(home, what, /is older than its witness: \d+ of \d+ rows are missing/);
      if (isLong || index === 0) await repairAndGoOn(home, what, 7);
    });
    console.log(`older journals: ${copies.length}, ${lost.posts.length - 1} unconfirmed refunds sent again`);
  }, 900_000);

  test('lets reads go on, with a warning, and verify says that the journal is behind', async () => {
    using home = copyOf(full);
    writeFileSync(journalFile(home), older[0] ?? '');
    const listed = await desk.run(home, ['journal', 'list']);
    expect(listed.code).toBe(0);
    expect(listed.stderr.replaceAll(/\s+/g, ' ')).toMatch(/is older than its witness: .* no change is made/);
    const verified = await desk.run(home, ['journal', 'verify', '--json']);
    expect({ code: verified.code, ...JSON.parse(verified.stdout) }).toMatchObject({
      code: 3,
      witness: 'journal_behind',
    });
    const refused = await desk.run(home, changeArgs(lost));
    expect(refused.stderr.replaceAll(/\s+/g, ' ')).toContain(
      `unconfirmed, and missing in the journal: ${lost.id}`,
    );
  });

  test('with another history and as many rows stops every change too', async () => {
    using home = copyOf(full);
    using other = desk.newHome();
    const store = openStore(other);
    for (let one = 0; one < 2 * Math.max(20, olderCopies) + 10; one += 1)
      await store.append(sent(`i_other${one}`, one + 1));
    store.close();
    cpSync(journalFile(other), journalFile(home));
    await refuseEveryChange(home, 'another history', /does not belong to its witness/);
  });
});

const deletions: readonly (readonly [string, (home: Home) => void, RegExp, number])[] = [
  ['the journal is removed', (home) => rmSync(journalFile(home)), /is older than its witness/, 7],
  [
    'the folder of the journal is removed',
    (home) => rmSync(dirname(journalFile(home)), { recursive: true }),
    /is older than its witness/,
    7,
  ],
  ['the journal is emptied', (home) => truncateSync(journalFile(home)), /is older than its witness/, 7],
  ['the witness is removed', (home) => rmSync(witnessFile(home)), /witness \S+ of the journal is missing/, 0],
  [
    'the witness is emptied',
    (home) => truncateSync(witnessFile(home)),
    /witness \S+ of the journal is empty/,
    0,
  ],
  [
    'the witness is another file',
    (home) => writeFileSync(witnessFile(home), 'order,amount\n'.repeat(2)),
    /does not begin like a witness/,
    0,
  ],
];

describe('without its journal, or without its witness', () => {
  test.each(deletions)(
    '%s: every change is refused until a repair',
    async (what, remove, says, code) => {
      const times = Array.from({ length: isLong ? 4 : 1 }, (_, index) => index);
      for (const time of times) {
        using home = copyOf(full);
        remove(home);
        await refuseEveryChange(home, `${what} (${time})`, says);
        await repairAndGoOn(home, what, code);
      }
    },
    120_000,
  );
});
