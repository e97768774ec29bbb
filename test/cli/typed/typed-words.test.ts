/** What is read of a command line before commander reads it, and that both read the same. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { typedProfile } from '../../../src/cli/typed/command-line.ts';
import { formatHint, globalFlags } from '../../../src/cli/typed/global-options.ts';
import { readCommand } from '../../../src/cli/typed/parser.ts';
import { readTypedWords } from '../../../src/cli/typed/typed-words.ts';
import { commands, findCommand } from '../../../src/commands/commands.ts';

const table = {
  profile: { value: 'NAME', short: 'p' },
  amount: { value: 'N' },
  yes: { short: 'y' },
  quiet: { short: 'q' },
  json: {},
};
const read = (...argv: string[]) => readTypedWords(argv, () => table);

test('words, options and their values are told apart', () => {
  expect(read('orders', '-p', 'demo', 'refund', '--amount=5', '--json', 'ord_1')).toEqual({
    words: ['orders', 'refund', 'ord_1'],
    places: [0, 3, 6],
    oneDash: [],
    options: [
      { name: 'profile', value: 'demo' },
      { name: 'amount', value: '5' },
      { name: 'json', value: undefined },
    ],
    awaiting: undefined,
    behind: undefined,
  });
});

test.each([
  { word: '-yq', options: ['yes', 'quiet'] },
  { word: '-ypdemo', options: ['yes', 'profile=demo'] },
  { word: '-py', options: ['profile=y'] },
  { word: '-xy', options: ['yes'] },
  { word: '--amount=', options: ['amount='] },
  { word: '--amount=a=b', options: ['amount=a=b'] },
  { word: '--nope', options: ['nope'] },
  { word: '-', options: [] },
  { word: 'json', options: [] },
])('$word: $options', ({ word, options }) => {
  expect(
    read(word).options.map(({ name, value }) => (value === undefined ? name : `${name}=${value}`)),
  ).toEqual(options);
});

test('an option takes the next word as its value, whatever that looks like', () => {
  expect(read('-yp', '--json', 'orders').options).toEqual([
    { name: 'yes', value: undefined },
    { name: 'profile', value: '--json' },
  ]);
  expect(read('--amount', '--', 'orders')).toMatchObject({ words: ['orders'], behind: undefined });
});

test('an option at the end awaits its value', () => {
  expect(read('orders', '--amount').awaiting).toBe('amount');
  expect(read('orders', '-yp').awaiting).toBe('profile');
  expect(read('orders', '--amount=').awaiting).toBeUndefined();
  expect(read('orders', '--json').awaiting).toBeUndefined();
});

test('behind -- nothing is an option', () => {
  expect(read('orders', '--', '-p', 'demo')).toEqual({
    words: ['orders'],
    places: [0],
    oneDash: [],
    options: [],
    awaiting: undefined,
    behind: ['-p', 'demo'],
  });
});

test("a command's own options are known only behind its words", () => {
  const argv = ['--limit', 'orders', 'list', '--limit', '5'];
  const own = { limit: { value: 'N' } };
  expect(readTypedWords(argv, (words) => (words < 2 ? {} : own))).toMatchObject({
    words: ['orders', 'list'],
    options: [
      { name: 'limit', value: undefined },
      { name: 'limit', value: '5' },
    ],
  });
});

const listOrders = commands.find(({ words }) => words.join(' ') === 'orders list');

/** Pieces of a line that commander may understand: each is one option, its value included. */
const piece = fc.constantFrom(
  ['-p', 'demo'],
  ['-pdemo'],
  ['--profile', 'shop-mx'],
  ['--profile=shop-mx'],
  ['-yp', 'demo'],
  ['-qypdemo'],
  ['-p', '-y'],
  ['-yq'],
  ['-y'],
  ['--dry-run'],
  ['-o', 'csv'],
  ['-ojson'],
  ['--output', 'list'],
  ['--output=ndjson'],
  ['--json'],
  ['--timeout', '5'],
  ['--columns=id,amount'],
);

test('commander and the early reading find the same command, profile and format in every line that is understood', async () => {
  const entry = listOrders ?? expect.unreachable('there is orders list');
  const command = await entry.load();
  let understood = 0;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 3 }), fc.array(piece, { maxLength: 3 }), (before, behind) => {
      const argv = [...before.flat(), 'orders', ...behind.flat(), 'list'];
      let globals: ReturnType<typeof readCommand>['globals'];
      try {
        globals = readCommand(entry, command, argv).globals;
      } catch {
        return;
      }
      understood += 1;
      expect(findCommand(readTypedWords(argv, () => globalFlags).words)).toBe(entry);
      const named = globals.profile?.startsWith('-') ? undefined : globals.profile;
      expect(typedProfile(argv)).toBe(named);
      const format = globals.json ? 'json' : (globals.output ?? 'table');
      expect(formatHint(argv, {})).toBe(format);
    }),
    { numRuns: 500 },
  );
  expect(understood).toBeGreaterThan(50);
});

test('whatever is typed, reading it ends, and every word is read once at most', () => {
  const word = fc.oneof(fc.string(), fc.constantFrom('--', '-', '-p', '-yp', '--amount', '--json', 'orders'));
  fc.assert(
    fc.property(fc.array(word), (argv) => {
      const { words, behind = [] } = read(...argv);
      expect(words.length + behind.length).toBeLessThanOrEqual(argv.length);
    }),
  );
});

test('the format of an early error: the option comes before the variable', () => {
  expect(formatHint(['-qo', 'json', '--nope'], { PAYDESK_OUTPUT: 'table' })).toBe('json');
  expect(formatHint(['--nope'], { PAYDESK_OUTPUT: 'ndjson' })).toBe('ndjson');
  expect(formatHint(['-o', 'nonsense'], { PAYDESK_OUTPUT: 'json' })).toBe('json');
  expect(formatHint(['--', '--json'], {})).toBe('table');
});
