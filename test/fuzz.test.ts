/** Every parser that eats foreign bytes: what is cut, spoiled or doubled is read or refused in words, and never a bug. A later parser is one line. */

import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { plainAmounts } from '../src/amounts.ts';
import { NotJson, readJson, readList, readPage, recordOf } from '../src/api/reply-json.ts';
import { readTypedLine } from '../src/cli/completion/callback.ts';
import { objectIn } from '../src/cli/machine/machine-file.ts';
import { readCommandLine } from '../src/cli/typed/command-line.ts';
import { CliError, exitMeanings } from '../src/errors.ts';
import { readManifest } from '../src/exports/manifest.ts';
import { parsePeriod } from '../src/flags/typed-period.ts';
import { parseWhen, spanOf } from '../src/flags/typed-time.ts';
import { readArchive } from '../src/journal/rows/archive-file.ts';
import { readInputFile } from '../src/plans/input-file.ts';
import { readPlan } from '../src/plans/plan-text.ts';
import { readWorkbook } from '../src/plans/read-workbook.ts';
import { draftOfLead, readProfileFile } from '../src/profiles/profile-file.ts';
import { createSecrets } from '../src/terminal/secrets.ts';
import { readAmount } from '../src/typed-amounts.ts';
import { isLong } from './harness/long.ts';
import { listOf, paidOrder } from './harness/orders.ts';
import { copyOf, type Home, newHome, paydesk, type Ran } from './harness/paydesk.ts';
import { storeProfile } from './harness/profile.ts';

interface Parser {
  /** What it reads: nothing is wrong with any of these. */
  readonly whole: () => readonly Uint8Array[];
  readonly parse: (bytes: Uint8Array) => unknown;
}

const key = 'sk_test_fuzzing_0123456789';
let home: Home;
let folder: string;
beforeAll(async () => {
  home = newHome();
  folder = mkdtempSync(join(tmpdir(), 'paydesk-fuzz-'));
  chmodSync(folder, 0o700);
  writeFileSync(
    join(home.path, 'rows.csv'),
    'reference,amount,reason,note\nA-99999,100,other,"two ""nights"""\n',
  );
  for (const line of [
    '-p demo refunds plan rows.csv --to rows.plan',
    '-p demo orders refund ord_2tQ7zRk9PwE5xNvAm --charge 2 --yes --reason other',
    '-p demo orders export --limit 3 --to orders.ndjson',
    '-p demo orders list --limit 3 --to orders.xlsx',
    'journal export --to journal.paydesk',
  ])
    expect(await paydesk(line.split(' '), { home }), line).toMatchObject({ code: 0 });
  await storeProfile(home, { name: 'shop', baseUrl: 'https://pay.example.com', mode: 'sandbox' }, key);
});
afterAll(() => home[Symbol.dispose]());

const made = (name: string) => (): readonly Uint8Array[] => [readFileSync(join(home.path, name))];
const typed =
  (...texts: readonly string[]) =>
  (): readonly Uint8Array[] =>
    texts.map((text) => Buffer.from(text));
const textIn = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const asFile = (bytes: Uint8Array): string => {
  const path = join(folder, 'read-by-fuzz');
  writeFileSync(path, bytes, { mode: 0o600 });
  return path;
};
const rules = { uid: process.getuid?.(), notice: () => undefined };
const reply = typed(JSON.stringify(listOf(paidOrder('ord_1'), paidOrder('ord_2'))));
const forPlan = { for: 'plan', amounts: plainAmounts } as const;
const times = ['2026-11-20T09:00:00Z', 'yesterday', '30d', 'monday'];
const periods = ['2026-11-01..2026-11-15', 'last-week', '2026-W47', '2026-11', '7d'];
const lines = [
  'orders list -p demo --limit 5 --json --period 7d',
  'orders refund ord_2tQ7zRk9PwE5xNvAm --charge 2 --amount 500 --reason other --yes',
  'refunds plan rows.csv --to rows.plan --allocate in-order',
  'journal settle i_0123abcd --applied --note seen -p demo',
  'help exit-codes',
  'profile set shop max-amount 500',
];

const parsers: Readonly<Record<string, Parser>> = {
  'a reply': {
    whole: typed(JSON.stringify(paidOrder('ord_1'))),
    parse: (bytes) => recordOf(readJson(bytes)),
  },
  'a page of records': { whole: reply, parse: (bytes) => readPage(readList(bytes)) },
  'an input file': { whole: made('rows.csv'), parse: (bytes) => readInputFile(bytes, forPlan) },
  'a workbook': { whole: made('orders.xlsx'), parse: (bytes) => readWorkbook(bytes, forPlan) },
  'a plan': { whole: made('rows.plan'), parse: (bytes) => readPlan('rows.plan', [bytes]) },
  'a manifest': { whole: made('orders.ndjson.manifest.json'), parse: (bytes) => readManifest(textIn(bytes)) },
  'an exported journal': { whole: made('journal.paydesk'), parse: (bytes) => readArchive(asFile(bytes)) },
  'the profiles': {
    whole: made('.config/paydesk/profiles.json'),
    parse: (bytes) => readProfileFile(asFile(bytes), rules),
  },
  'the profile of a lead': {
    whole: typed(
      '{"mode":"sandbox","base_url":"https://pay.example.com","settings":{"refund.max_age":"5d"}}',
    ),
    parse: (bytes) => draftOfLead(textIn(bytes), 'a file'),
  },
  'the policy of a machine': {
    whole: typed('{"version":1,"rules":[]}'),
    parse: (bytes) => objectIn(textIn(bytes)),
  },
  'a command line': {
    whole: typed(...lines),
    parse: (bytes) => readCommandLine(textIn(bytes).split(' '), 80),
  },
  'a line of a shell': {
    whole: typed(...lines),
    parse: (bytes) => readTypedLine('bash', bytes.length % 9, textIn(bytes).split(' ')),
  },
  'an amount': {
    whole: typed('1.234,50', "1'000", '9007199254740993'),
    parse: (bytes) => readAmount(textIn(bytes)),
  },
  'a time': { whole: typed(...times), parse: (bytes) => parseWhen(textIn(bytes), '--since') },
  'a period': { whole: typed(...periods), parse: (bytes) => parsePeriod(textIn(bytes), '--period') },
  'a span': { whole: typed(...times), parse: (bytes) => spanOf(textIn(bytes)) },
  'a text with keys': { whole: reply, parse: (bytes) => secrets.cleanBody(bytes) },
};

const secrets = createSecrets();
secrets.add(key);

// What parsers stumble over: ends, quotes, depths, large numbers, names that objects have, and letters of two units.
const dictionary = [
  ...Array.from('"\\{}[],;:=\'-\n\t\0\uFEFF\u202Eé😀'),
  ...'"" \\u \\u0000 null true -0 1e999 9007199254740993 0.1 __proto__ constructor -- %00 ../ PK\x03\x04'.split(
    ' ',
  ),
  '\r\n',
  '[[[['.repeat(200),
  '"object":"list","data":[]',
  '<!DOCTYPE a>',
].map((text) => Buffer.from(text));

const change = fc.record({
  kind: fc.constantFrom('cut', 'drop', 'double', 'flip', 'put', 'swap', 'end'),
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  length: fc.integer({ min: 1, max: 40 }),
  piece: fc.oneof(fc.constantFrom(...dictionary), fc.uint8Array({ maxLength: 6 })),
});
type Change = typeof change extends fc.Arbitrary<infer One> ? One : never;

function changed(bytes: Uint8Array, { kind, at, length, piece }: Change): Uint8Array {
  const from = Math.floor(at * (bytes.length + 1));
  const [before, some, after] = [
    bytes.subarray(0, from),
    bytes.subarray(from, from + length),
    bytes.subarray(from + length),
  ];
  if (kind === 'cut') return before;
  if (kind === 'drop') return Buffer.concat([before, after]);
  if (kind === 'double') return Buffer.concat([before, some, some, after]);
  if (kind === 'flip') return Buffer.concat([before, some.map((byte) => byte ^ (1 << (length % 8))), after]);
  if (kind === 'put') return Buffer.concat([before, piece, some, after]);
  if (kind === 'swap') return Buffer.concat([before, piece, after]);
  return Buffer.concat([bytes, piece]);
}

const runs = isLong ? 100_000 : 1_000;

test.each(Object.entries(parsers))(`%s, ${runs} times`, async (_, { whole, parse }) => {
  const all = whole();
  for (const one of all) await parse(one);
  let read = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...all),
      fc.array(change, { minLength: 1, maxLength: 5 }),
      async (one, changes) => {
        try {
          await parse(changes.reduce(changed, one));
          read += 1;
        } catch (error) {
          // Anything else is a bug.
          if (!(error instanceof CliError && error.kind !== 'internal') && !(error instanceof NotJson))
            throw error;
        }
      },
    ),
    { numRuns: runs },
  );
  expect(read, 'none is read: it is all refused at its first byte').toBeGreaterThan(0);
});

// A whole run takes longer than a parser.
const wholeRuns = isLong ? 2_000 : 10;

function expectWords({ code, stderr }: Ran): void {
  expect([...exitMeanings.keys()]).toContain(code);
  expect(stderr).not.toContain('report it to whoever gave you paydesk');
}

test.each([
  ['.local/state/paydesk/journal/journal.db', 'journal list'],
  ['.local/share/paydesk/witness/journal.witness', 'journal verify'],
  ['.local/state/paydesk/locks/tested.json', 'orders refund ord_2tQ7zRk9PwE5xNvAm --charge 1 --dry-run'],
  ['.local/state/paydesk/simulator/demo.db', 'orders list --limit 2'],
  ['.config/paydesk/keys.json', 'profile list'],
])(`%s, spoiled ${wholeRuns} times, and then %s`, async (file, line) => {
  const whole = readFileSync(join(home.path, file));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      using copy = copyOf(home);
      writeFileSync(join(copy.path, file), changes.reduce(changed, whole));
      expectWords(await paydesk(['-p', 'demo', ...line.split(' ')], { home: copy }));
    }),
    { numRuns: wholeRuns, endOnFailure: true },
  );
});

const variables =
  'PROFILE OUTPUT COLOR WIDTH COLUMNS UTC TIMEOUT QUIET DEBUG BOM DELIMITER LANG DECIMAL FOR NO_HEADER NO_INPUT REDACT ACCESSIBLE OPERATOR AGENT DEMO_FAULT MODE'
    .split(' ')
    .map((name) => `PAYDESK_${name}`);
const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }).filter((text) => !text.includes('\0')),
  fc.constantFrom('1', '0', 'csv', '-1', '80', '1e9', ';', 'demo', 'auto', 'excel', 'drop:1', 'es', 'yes'),
);

test(`variables of the environment with anything in them, ${wholeRuns * 4} times`, async () => {
  const some = fc.dictionary(fc.constantFrom(...variables, 'TZ', 'COLUMNS', 'NO_COLOR'), value, {
    minKeys: 1,
    maxKeys: 4,
  });
  await fc.assert(
    fc.asyncProperty(some, async (env) => {
      expectWords(await paydesk(['-p', 'demo', 'orders', 'list', '--limit', '2'], { home, env }));
    }),
    { numRuns: wholeRuns * 4, endOnFailure: true },
  );
});
