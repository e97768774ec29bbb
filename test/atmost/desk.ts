/** A desk for these tests: homes with a profile that reaches the ledger, and the test's own look at the journal. */

import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect } from 'vitest';
import {
  cleanEnv,
  type Home,
  newHome,
  paydesk,
  paydeskProcess,
  type Ran,
  type RunOptions,
} from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { storeProfile } from '../harness/profile.ts';
import { testKey } from '../harness/service.ts';
import { type Ledger, type LedgerOrder, startLedger } from './ledger.ts';

/** How much of the charge is refunded here. */
export const refundAmount = 5_000;

export interface DeskOptions {
  readonly url: string;
  /** Settings of the profile, over `orders.get` direct and two reads at once after a loss. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface Desk extends Disposable {
  /** A home of its own with the profile `t`, and an empty journal. */
  newHome(): Home;
  /** Runs the program in such a home. */
  run(
    home: Home,
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
    more?: Pick<RunOptions, 'machineFile'>,
  ): Promise<Ran>;
  /** The same as a process of its own. */
  runProcess(home: Home, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** The whole environment of such a run. */
  env(home: Home, env?: Readonly<Record<string, string>>): Record<string, string>;
}

/** A ledger and a desk that reaches it, for all tests of a file. */
export async function ledgerAndDesk(
  settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly ledger: Ledger; readonly desk: Desk }> {
  const ledger = await startLedger();
  const desk = await openDesk({ url: ledger.url, settings });
  afterAll(async () => {
    desk[Symbol.dispose]();
    await ledger[Symbol.asyncDispose]();
  });
  return { ledger, desk };
}

/** Makes the profile once; each home gets a copy of it. */
export async function openDesk({ url, settings = {} }: DeskOptions): Promise<Desk> {
  const root = mkdtempSync(join(tmpdir(), 'paydesk-atmost-'));
  const template: Home = { path: join(root, 'home'), [Symbol.dispose]: () => undefined };
  mkdirSync(template.path);
  const fast = { 'orders.get': 'direct', 'reconcile.after': '0,0' };
  const profile = { name: 't', baseUrl: url, mode: 'sandbox', settings: { ...fast, ...settings } } as const;
  await storeProfile(template, profile, testKey);
  // One cache of compiled code for all homes: a start without it takes half as long again.
  const shared = { XDG_CACHE_HOME: join(root, 'cache'), PAYDESK_OPERATOR: 'op7', TZ: 'UTC' };
  return {
    newHome() {
      const home = newHome();
      cpSync(template.path, home.path, { recursive: true });
      return home;
    },
    run: (home, args, env = {}, more = {}) =>
      paydesk(['-p', 't', ...args], { ...more, home, env: { ...shared, ...env } }),
    runProcess: (home, args, env = {}) =>
      paydeskProcess(['-p', 't', ...args], { home, env: { ...shared, ...env } }),
    env: (home, env = {}) => cleanEnv({ home, env: { ...shared, ...env } }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The words that refund a part of this order, or capture it. */
export function changeArgs({ id, kind }: Pick<LedgerOrder, 'id' | 'kind'>): readonly string[] {
  return kind === 'capture'
    ? ['orders', 'capture', id, '--yes']
    : ['orders', 'refund', id, '--charge', '1', '--amount', String(refundAmount), '--yes'];
}

/**
 * Accepts a repaired journal that counts as a copy, as a person does who has looked: a row that was lost may be about real money.
 * Each refund then names its order.
 */
export async function acceptRepaired(home: Home, repaired: Ran): Promise<void> {
  if (!repaired.stdout.includes('--accept-copy')) return;
  const person = sit(['-p', 't', 'journal', 'verify', '--accept-copy'], { home, env: {} });
  await person.answer('allow it? (y/N)', 'y\r');
  const { code, screen } = await person.leaves;
  expect(code, screen).toBe(0);
}

/** Repairs a journal: where it may be about real money, as a person at a terminal does. */
export async function repairedIn(desk: Desk, home: Home): Promise<Ran> {
  const repair = ['-p', 't', 'journal', 'verify', '--repair'];
  const ran = await desk.run(home, [...repair.slice(2), '--yes']);
  if (!ran.stderr.includes('only a person at a terminal')) return ran;
  const person = sit(repair, { home, env: {} });
  await person.answer('allow it? (y/N)', 'y\r');
  const { code, screen } = await person.leaves;
  return { ...ran, code, stdout: screen };
}

/** The words that settle an attempt as not made; `confirm` is its order, or itself where it has none. */
export function settleArgs(change: string, confirm: string): readonly string[] {
  return [
    'journal',
    'settle',
    change,
    '--not-applied',
    '--note',
    'the service shows nothing',
    '--confirm',
    confirm,
    '--yes',
  ];
}

/** The words after `paydesk -p t` of a command that a screen prints in one line, ready to be copied. */
export function printedCommand(screen: string, word: string): readonly string[] {
  const line = screen.split('\n').find((one) => one.includes('paydesk -p t ') && one.includes(` ${word} `));
  if (line === undefined) throw new Error(`no command with ${word} in: ${screen}`);
  return line
    .slice(line.indexOf('paydesk -p t ') + 'paydesk -p t '.length)
    .trim()
    .split(' ');
}

// ── The journal ─────────────────────────────────────────────────────────────────────────────────

export interface JournalRow {
  readonly type: 'sent' | 'verdict';
  readonly change: string;
  readonly attempt: number;
  readonly verdict?: string;
  readonly by?: string;
  readonly why?: string;
  readonly alarm?: string;
  readonly confirmed?: boolean;
  readonly skewed?: boolean;
}

export function stateOf(home: Home): string {
  return join(home.path, '.local/state/paydesk');
}

export function witnessFile(home: Home): string {
  return join(home.path, '.local/share/paydesk/witness/journal.witness');
}

export function journalFile(home: Home): string {
  return join(stateOf(home), 'journal/journal.db');
}

/** The rows that the next run will find: those of a copy, so that looking changes nothing. */
export function journalRows(home: Home): readonly JournalRow[] {
  const file = journalFile(home);
  if (!existsSync(file)) return [];
  const copy = mkdtempSync(join(tmpdir(), 'paydesk-journal-'));
  cpSync(dirname(file), copy, { recursive: true });
  try {
    return rowsIn(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** The rows of a copy of a journal's folder; what SQLite has to bring in order there is brought in order. */
export function rowsIn(folder: string): readonly JournalRow[] {
  const db = new DatabaseSync(join(folder, 'journal.db'));
  try {
    db.exec('PRAGMA synchronous = OFF');
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE name = 'rows'").all();
    if (tables.length === 0) return [];
    return db
      .prepare('SELECT row FROM rows ORDER BY seq')
      .all()
      .map(({ row }) => JSON.parse(String(row)) as JournalRow);
  } finally {
    db.close();
  }
}

/** `sent`, then each verdict: `sent unknown applied`. Looks at what was made and shows as it should are left out. */
export function story(home: Home): string {
  return told(journalRows(home));
}

/** The same of rows. */
export function told(rows: readonly JournalRow[]): string {
  return rows
    .filter(({ why }) => why !== 'checked again: the service shows it')
    .map(({ type, verdict }) => (type === 'sent' ? 'sent' : String(verdict)))
    .join(' ');
}
