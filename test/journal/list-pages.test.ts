/** `journal list` over a journal of many changes, and `journal reconcile --all` over many that are due. */

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { localJournal } from '../../src/cli/choose-store.ts';
import type { AttemptRow, SentRow } from '../../src/journal/rows/journal-rows.ts';
import { chargeOf, type Json, listOf, orderOf, refundOf } from '../harness/orders.ts';
import { type Home, newHome, paydesk } from '../harness/paydesk.ts';
import { addAtOnce } from '../harness/rows-at-once.ts';
import { type Service, startService, storeShop } from '../harness/service.ts';
import { sent, setting, verdict } from './rows.ts';

const count = 45;
const start = Date.now() - 40 * 24 * 3_600_000;
const names = Array.from({ length: count }, (_, index) => `i_${String(index).padStart(3, '0')}`);

let service: Service;
let home: Home;
beforeAll(async () => {
  service = await startService({ orders: [] });
  home = newHome();
  await storeShop(home, service, {});
  await fill(home, names.flatMap(rowsOf));
});
afterAll(async () => {
  home[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

async function fill({ path }: Home, rows: readonly AttemptRow[]): Promise<void> {
  const rules = { uid: process.getuid?.(), notice: () => undefined };
  const place = {
    folder: join(path, '.local/state/paydesk'),
    witness: join(path, '.local/share/paydesk/witness'),
    from: 'state_folder',
    rules,
  };
  const journal = localJournal({ place, cwd: () => path, onNetwork: false });
  await addAtOnce(journal, [...rows, setting(start)]);
  journal.close();
}

// Every ninth is a payment link, and the first 22 are unconfirmed. Two of three were sent by ana.
function rowsOf(change: string, index: number): AttemptRow[] {
  const time = start + index * 60_000;
  const isLink = index % 9 === 8;
  const row = sent(change, time, {
    horizonMs: 0,
    origin: service.url,
    account: `${service.url} service sandbox`,
    profile: 'shop',
    operator: index % 3 === 0 ? 'bea' : 'ana',
  });
  const made = { ...verdict(change, time + 1), created: isLink ? `chk_${index}` : undefined };
  return [
    isLink
      ? linkOf(row, index)
      : { ...row, proof: { ...row.proof, livemode: false, orderId: `ord_${index}` } },
    index < 22 ? { ...made, verdict: 'unknown', by: 'sender', created: undefined } : made,
  ];
}

function linkOf(row: SentRow, index: number): SentRow {
  const body = { name: `Lamp ${index}` };
  return {
    ...row,
    request: { method: 'POST', path: 'checkouts', body },
    proof: { ...row.proof, kind: 'checkout', livemode: false, orderId: undefined, expected: [], body },
  };
}

const run = (line: string) => paydesk(line.trim().split(/ +/), { home, env: { TZ: 'UTC' } });
const list = (words = '') => run(`-p shop journal list --dry-run ${words}`);

async function idsOf(line: string): Promise<readonly string[]> {
  const { code, stdout, stderr } = await run(line);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout).data.map(({ change }: { readonly change: string }) => change);
}

/** Runs a line and each command that it says is next: what they show, and these commands. */
async function follow(
  first: string,
): Promise<{ readonly found: readonly string[]; readonly lines: string[] }> {
  const { stdout, stderr } = await run(`${first} --json`);
  const { data, has_more: hasMore } = JSON.parse(stdout);
  const ids = data.map(({ change }: { readonly change: string }) => change);
  const [, next] = /next: paydesk (.*) --json --next/.exec(stderr) ?? [];
  const [, cursor] = /--next (.*)/.exec(stderr) ?? [];
  expect(hasMore).toBe(next !== undefined);
  if (next === undefined) return { found: ids, lines: [first] };
  const rest = await follow(`${next} --next ${cursor}`);
  return { found: [...rest.found, ...ids], lines: [first, ...rest.lines] };
}

describe('journal list', () => {
  test('shows the newest 20 changes, the newest last, and the command for those before', async () => {
    const { code, stdout, stderr } = await list();
    expect(code).toBe(0);
    expect([...stdout.matchAll(/^i_\d+/gm)].map(([id]) => id)).toEqual(names.slice(-20));
    expect(stderr).toBe('20 changes, sandbox shop. next: paydesk -p shop journal list --next i_025\n');
  });

  test.each(['', '--limit 7', '--limit 4 --operator ana', '--limit 2 --kind checkout'])(
    'shows every change once when one follows its commands: %s',
    async (words) => {
      const all = await idsOf(`-p shop journal list --all --json ${words.replace(/--limit \d+/, '')}`);
      const { found, lines } = await follow(`-p shop journal list ${words}`);
      expect(found).toEqual(all.toReversed());
      expect(lines.length).toBeGreaterThan(1);
      expect(lines.filter((line) => !line.includes(words))).toEqual([]);
    },
  );

  test('shows all, the newest first, with --all', async () => {
    expect(await idsOf('-p shop journal list --all --json')).toEqual(names.toReversed());
    const { stdout, stderr } = await list('--all --csv --columns change');
    expect(stdout.trim().split(/\r?\n/)).toEqual(['change', ...names.toReversed()]);
    expect(stderr).toBe('');
    const before = await list('--all --next i_003 --csv --columns change');
    expect(before.stdout.trim().split(/\r?\n/)).toEqual(['change', 'i_002', 'i_001', 'i_000']);
  });

  test('shows everything that is unconfirmed with --open, however much that is', async () => {
    expect(await idsOf('-p shop journal list --open --json --dry-run')).toEqual(names.slice(0, 22));
    expect((await list('--open')).stderr).not.toContain('next:');
  });

  test('narrows by several filters together', async () => {
    expect(await idsOf('-p shop journal list --kind refund --operator bea --json --limit 2')).toEqual([
      'i_039',
      'i_042',
    ]);
    expect(await idsOf('-p shop journal list --order ord_7 --json --dry-run')).toEqual(['i_007']);
  });

  test.each([
    ['--limit 0', 2],
    ['--limit 251', 2],
    ['--next ord_1', 2],
    ['--open --limit 3', 2],
    ['--open --next i_003', 2],
    ['--all --limit 3', 2],
    ['--kind setting --next i_003', 2],
    ['--next i_nowhere', 5],
  ])('refuses %s', async (words, code) => {
    expect(await list(words)).toMatchObject({ code, stdout: '' });
  });

  test('names who sent changes to whoever mistyped one', async () => {
    expect((await list('--operator anna')).stderr).toContain('there is ana, bea\n');
  });
});

test('journal reconcile --all reads every refund that is due, however many there are', async () => {
  const orders = Array.from({ length: 45 }, (_, index) => `ord_due${index}`);
  await using shop = await startService({ orders: orders.map(refundedOrder) });
  await storeShop(shop.home, shop, {});
  const time = Date.now() - 3_600_000;
  const of = { horizonMs: 1000, origin: shop.url, account: `${shop.url} service sandbox`, profile: 'shop' };
  const rows = orders.flatMap((orderId, index): AttemptRow[] => {
    const row = sent(`i_due${index}`, time + index, of);
    const proof = { ...row.proof, livemode: false, orderId };
    return [{ ...row, proof }, verdict(row.change, time + index)];
  });
  await fill(shop.home, rows);
  const all = ['-p', 'shop', 'journal', 'reconcile', '--all', '--json'];
  const { code, stdout, stderr } = await paydesk(all, { home: shop.home });
  expect(code, stderr).toBe(0);
  const shown: readonly { readonly why: string; readonly change: string }[] = JSON.parse(stdout).data;
  // The newest first, as in journal list.
  expect(shown.map(({ change }) => change)).toEqual(orders.map((_, index) => `i_due${index}`).toReversed());
  expect(shown.map(({ why }) => why)).toEqual(
    orders.map(() => 'checked after the waiting period: nothing more appeared'),
  );
  const again = await paydesk(all, { home: shop.home });
  expect(JSON.parse(again.stdout).data).toEqual([]);
});

function refundedOrder(id: string): Json {
  const refund = refundOf(`rf_${id}`, 5, { created_at: Math.floor(Date.now() / 1000) - 3600 });
  return orderOf(id, [chargeOf('ch_1', 35_000, { refunds: listOf(refund) })], { amount_refunded: 5 });
}

test('journal export without --to names the list of changes, which is not written twice', async () => {
  expect(await run('-p shop journal export')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('every change as records: paydesk -p shop journal list --all'),
  });
});

test('journal list --all prints every change of its time, the newest first', async () => {
  const { stdout } = await run('-p shop journal list --all --ndjson');
  const changes = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).change);
  expect(changes).toEqual(names.toReversed());
  const since = new Date(start + 42 * 60_000).toISOString();
  const some = await run(`-p shop journal list --all --csv --columns change,operator --since ${since}`);
  expect(some.stdout.trim().split(/\r?\n/)).toEqual([
    'change,operator',
    'i_044,ana',
    'i_043,ana',
    'i_042,bea',
  ]);
});
