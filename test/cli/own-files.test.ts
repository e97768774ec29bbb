/** No command replaces a file of paydesk itself with what it was asked to write. */

import {
  existsSync,
  globSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commands } from '../../src/commands/commands.ts';
import { type Home, newHome, paydesk } from '../harness/paydesk.ts';
import { storeProfile } from '../harness/profile.ts';
import { inOneLine } from '../harness/ran.ts';

/** What is typed before the name of the file, and with which answers to questions. */
const writers = [
  'orders export --json --force --to',
  'customers export --json --force --to',
  'refunds plan rows.csv --force --to',
  'refunds plan --refresh rows.plan --force --to',
  'refunds plan bad.csv --force --errors',
  'refunds compare bad.csv --force --errors',
  'orders compare bad.csv --force --errors',
  'refunds status rows.plan --force --rest',
  'orders refund ORDER --amount 300 --allocate in-order --to',
  'report --force --to',
  'prove 2040-11 --force --to',
  'prove 2040-11 --force --to p.ndjson --page',
  'journal export --to',
  'journal archive --before 400d --yes --to',
  'simulator serve --db',
  'simulator drill --force --to',
  ...[
    'orders list',
    'orders find ana',
    'orders summary',
    'orders twins',
    'orders waiting',
    'orders compare rows.csv',
    'customers list',
    'customers find ana',
    'refunds list',
    'refunds summary',
    'refunds compare rows.csv',
    'refunds status rows.plan',
    'journal list',
    'approvals list',
    'profile list',
  ].map((list) => `${list} --json --force --to`),
];

/** One of each kind, by where it lies in the home. */
const kinds = {
  journal: '.local/state/paydesk/journal/journal.db',
  witness: '.local/share/paydesk/witness/journal.witness',
  keys: '.config/paydesk/keys.json',
  profiles: '.config/paydesk/profiles.json',
  lock: '.local/state/paydesk/locks/slot-00.lock',
  landmark: `paydesk-${process.getuid?.()}/*`,
};

let home: Home;
const own: Record<string, string> = {};
const run = (...args: readonly string[]) => paydesk(['-p', 'demo', ...args], { home });
const write = (name: string, ...rows: readonly string[]) =>
  writeFileSync(join(home.path, name), `order_id,amount\n${rows.join('\n')}\n`);
let order = '';

beforeAll(async () => {
  home = newHome();
  const draft = {
    name: 'shop',
    baseUrl: 'https://pay.test',
    mode: 'sandbox',
    vendor: 'service',
    auth: 'bearer',
  } as const;
  await storeProfile(home, draft, 'key_CANARYxyz0123456789');
  const listed = JSON.parse((await run('orders', 'list', '--status', 'paid', '--json')).stdout);
  order = listed.data.find((one: { is_refundable: boolean }) => one.is_refundable).id;
  expect((await run('orders', 'refund', order, '--amount', '300', '--yes')).code).toBe(0);
  write('rows.csv', `${order},100`);
  write('bad.csv', `${order},1e3`);
  expect((await run('refunds', 'plan', 'rows.csv', '--to', 'rows.plan')).code).toBe(0);
  for (const [kind, pattern] of Object.entries(kinds))
    own[kind] = globSync(pattern, { cwd: home.path }).at(0) ?? `no ${kind}`;
}, 60_000);
afterAll(() => home[Symbol.dispose]());

const stateOf = (file: string) => {
  const { ino, mtimeMs } = statSync(join(home.path, file));
  return { ino, mtimeMs, bytes: readFileSync(join(home.path, file)).toString('base64') };
};

// How a person may name a file, if not by its path.
const ways: Readonly<Record<string, (file: string) => string>> = {
  'its path': (file) => file,
  'a way round': (file) => `${dirname(file)}/../${basename(dirname(file))}/${basename(file)}`,
  'a link to it': (file) => linked(file, symlinkSync),
  'a link to its folder': (file) => `${linked(dirname(file), symlinkSync)}/${basename(file)}`,
  'a second name of it': (file) => linked(file, linkSync),
};

function linked(file: string, make: typeof linkSync): string {
  make(join(home.path, file), join(home.path, 'link.html'));
  return 'link.html';
}

test.each(writers)('%s: replaces no file of paydesk itself', async (line) => {
  const results: unknown[] = [];
  for (const [kind, file] of Object.entries(own))
    for (const [way, nameOf] of Object.entries(ways)) {
      const before = stateOf(file);
      const name = nameOf(file);
      const { code, stdout, stderr } = await run(...line.replace('ORDER', order).split(' '), name);
      rmSync(join(home.path, 'link.html'), { force: true });
      const said = inOneLine(stderr).includes(`${name} is a file of paydesk itself, or would be among them`);
      if (code === 2 && stdout === '' && said && isDeepStrictEqual(stateOf(file), before)) continue;
      results.push({ kind, way, code, stdout, stderr });
    }

  expect(results).toEqual([]);
});

test.each(writers)('%s: makes no new file among them', async (line) => {
  const file = '.local/state/paydesk/journal/new.html';
  const { code, stderr } = await run(...line.replace('ORDER', order).split(' '), file);
  expect(code, stderr).toBe(2);
  expect(existsSync(join(home.path, file))).toBe(false);
});

test('the file that holds the key of a run is not replaced', async () => {
  writeFileSync(join(home.path, 'shop.key'), 'key_CANARYxyz0123456789');
  const env = { PAYDESK_KEY_FILE: 'shop.key', PAYDESK_BASE_URL: 'https://pay.test', PAYDESK_MODE: 'sandbox' };
  const { code } = await paydesk(['orders', 'export', '--force', '--to', './shop.key'], { home, env });
  expect(code).toBe(2);
  expect(readFileSync(join(home.path, 'shop.key'), 'utf8')).toBe('key_CANARYxyz0123456789');
});

test('a file that only has the same name elsewhere is written', async () => {
  mkdirSync(join(home.path, 'mail'));
  const { code, stderr } = await run('journal', 'export', '--to', 'mail/journal.db');
  expect(code, stderr).toBe(0);
});

test('every flag that names a file to write is in this table', async () => {
  const written = await Promise.all(
    commands.map(async ({ words, load }) =>
      Object.entries((await load()).flags)
        .filter(
          ([, { value = '', summary }]) =>
            /^(FILE|PLAN)/.test(value) && /\b(write|keep its state|the file of the plan)\b/.test(summary),
        )
        .map(([name]) => `${words.join(' ')} --${name}`),
    ),
  );
  const tested = writers.map((line) => line.replace(/^(\S+(?: (?!-)[a-z]+)?).* (--\S+)$/, '$1 $2'));
  expect(new Set(written.flat())).toEqual(new Set(tested));
});
