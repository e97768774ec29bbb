/** Words that name no command get the command that was meant, and nothing is run by itself. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCommandLine } from '../../../src/cli/typed/command-line.ts';
import { CliError } from '../../../src/errors.ts';
import { textOf } from '../../harness/help-text.ts';
import { withoutEscapes } from '../../harness/pty.ts';
import { json } from '../../harness/server.ts';
import { startAnswering } from '../../harness/service.ts';
import { atTerminal } from '../../harness/terminal.ts';

const meant: readonly (readonly [line: string, lines: readonly string[]])[] = [
  ['refund', ['did you mean: paydesk orders refund']],
  ['refund ord_1 --amount 300', ['did you mean: paydesk orders refund ord_1 --amount 300']],
  ['refund ord_1 -p shop --dry-run', ['did you mean: paydesk orders refund ord_1 -p shop --dry-run']],
  ['help refund ord_1', ['did you mean: paydesk help orders refund']],
  ['show cus_1', ['did you mean: paydesk customers show cus_1']],
  ['refnd', ['did you mean: paydesk orders refund']],
  ['refund list', ['did you mean: paydesk refunds list']],
  ['jornal list', ['did you mean: paydesk journal list']],
  [
    'list',
    [
      'did you mean: paydesk orders list',
      'or: paydesk refunds list',
      'or: paydesk customers list',
      'or: paydesk journal list',
    ],
  ],
  [
    'show',
    [
      'did you mean: paydesk orders show',
      'or: paydesk customers show',
      'or: paydesk journal show',
      'or: paydesk approvals show',
    ],
  ],
  ['show ord_2tQ7zRk9PwE5xNvAm', ['did you mean: paydesk orders show ord_2tQ7zRk9PwE5xNvAm']],
  ['get i_640a1b2c', ['did you mean: paydesk journal show i_640a1b2c']],
  ['login', ['did you mean: paydesk profile add']],
  ['orders ls', ['did you mean: paydesk orders list']],
  ['orders search torres', ['did you mean: paydesk orders find torres']],
  [
    'search torres 4242',
    ['did you mean: paydesk orders find torres 4242', 'or: paydesk customers find torres 4242'],
  ],
  [
    "search o'hara",
    ["did you mean: paydesk orders find 'o'\\''hara'", "or: paydesk customers find 'o'\\''hara'"],
  ],
  ['help search torres', ['did you mean: paydesk help orders find', 'or: paydesk help customers find']],
  ['orders shw', ['did you mean: paydesk orders show']],
  ['order list', ['did you mean: paydesk orders list']],
  ['order', ['did you mean: paydesk orders']],
  ['ordres lst', ['did you mean: paydesk orders list']],
  ['customer ls', ['did you mean: paydesk customers list']],
  ['profile rm shop', ['did you mean: paydesk profile remove shop']],
  ['new', ['did you mean: paydesk orders create', 'or: paydesk checkout create', 'or: paydesk profile add']],
  ['demo', ['did you mean: paydesk -p demo orders list']],
  ['completions', ['did you mean: paydesk completion']],
  ['help reimburse', ['did you mean: paydesk help orders refund']],
  ['help order ls', ['did you mean: paydesk help orders list']],
  ['orders list --limt 5', ['did you mean: --limit']],
  ['-p shop refund', ['did you mean: paydesk -p shop orders refund']],
  ['orders serach torres', ['did you mean: paydesk orders find torres']],
  ['journal resolve i_1', ['did you mean: paydesk journal reconcile i_1', 'or: paydesk journal settle i_1']],
  ['serach torres', ['did you mean: paydesk orders find torres', 'or: paydesk customers find torres']],
  ['customers search ana', ['did you mean: paydesk customers find ana']],
  ['journal dismis i_1', ['did you mean: paydesk journal acknowledge i_1']],
  ['checkout list', ['did you mean: paydesk journal list --kind checkout', 'or: paydesk journal show']],
  ['checkout show chk_1', ['did you mean: paydesk journal show chk_1']],
  ['links', ['did you mean: paydesk journal list --kind checkout', 'or: paydesk checkout create']],
  ['link list', ['did you mean: paydesk journal list --kind checkout', 'or: paydesk journal show']],
  ['help checkout list', ['did you mean: paydesk help journal list', 'or: paydesk help journal show']],
  ['ord_2tQ7zRk9PwE5xNvAm', ['did you mean: paydesk orders show ord_2tQ7zRk9PwE5xNvAm']],
  ['orders refund ord_1 500', ['did you mean: paydesk orders refund ord_1 --amount 500']],
  ['orders refund ord_1 500.00 --yes', ['did you mean: paydesk orders refund ord_1 --amount 500.00 --yes']],
  ['version', ['did you mean: paydesk --version']],
  ['orders refund ord_1 500 600', []],
  ['orders refund ord_1 ord_2', []],
  ['journal settle', []],
  ['orders constructor', []],
  ['toString list', []],
  ['nonsense', []],
];

test.each(meant)('paydesk %s: says what was meant, exits 2 and runs nothing', async (line, expected) => {
  await using desk = await startAnswering(json({}));
  const ran = await desk.run(line.split(' '));
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  const said = ran.stderr.split('\n').map((one) => one.replace(/^(now:)? +/, ''));
  expect(said.filter((one) => /^(did you mean|or):/.test(one))).toEqual(expected);
  expect(said.at(-2)).toMatch(/--help$|^paydesk help commands$/);
  expect(desk.server.connections).toBe(0);
});

// What a person may type about a refund, wrong in its command or in one word.
const spellings = [
  'refund',
  'order refund',
  'orders refnd',
  'refund orders',
  'reembolsar',
  'orders-refund',
  'customers refund',
];
const optionsTyped = [
  ['--amount', '300'],
  ['--charge', '2'],
  ['--idempotency-key', '8840'],
  ['--note', '55'],
  ['--dry-run'],
  ['--yes'],
  ['--json'],
  ['-p', 'demo'],
];

test('a line that is suggested holds each option and value that was typed, and no other', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...spellings, 'orders refund'),
      fc.shuffledSubarray([['ord_1'], ['700'], ...optionsTyped]),
      async (command, rest) => {
        const words = rest.flat();
        const error: unknown = await readCommandLine([...command.split(' '), ...words], 80).catch(
          (thrown) => thrown,
        );
        const lines = error instanceof CliError ? (error.parts.now ?? []) : [];
        for (const line of lines.filter((one) => /^(?:did you mean|or): paydesk /.test(one))) {
          if (line.endsWith(' --help')) continue;
          const [, said = ''] = line.split(': paydesk orders refund');
          // A bare number may be an amount, unless there is one.
          const asAmount = words.flatMap((word) => (word === '700' ? ['--amount', word] : [word]));
          expect([words, ...(words.includes('--amount') ? [] : [asAmount])]).toContainEqual(
            said.split(' ').slice(1),
          );
        }
      },
    ),
  );
});

test('whoever looks for payment links is told that the service has no list of them, and where to look', async () => {
  await using desk = await startAnswering(json({}));
  expect((await desk.run(['checkout', 'list'], { columns: 80 })).stderr).toMatchInlineSnapshot(`
    "error:   unknown command 'list'
    certain: nothing was sent
    now:     the service has no list of payment links; the journal has those that
             were made here
             did you mean: paydesk journal list --kind checkout
             or: paydesk journal show
             paydesk checkout --help
    "
  `);
});

test.each([
  [
    'orders cancel ord_1',
    'paydesk undo says what can still be done about the last change; only the shop can release an authorized order',
  ],
  ['release ord_1', 'only the shop can release an authorized order'],
  ['order void ord_1', 'paydesk undo says what can still be done'],
  ['orders undo', 'paydesk undo says what can still be done'],
  [
    'orders charge ord_1',
    'nobody can be charged here: orders capture takes the money of an authorized order only',
  ],
  ['orders chargeback ord_1', 'a chargeback is made by the bank of the buyer'],
  ['logout', 'there is nothing to sign out of'],
])('paydesk %s: says why there is no such command, and suggests no other', async (line, why) => {
  await using desk = await startAnswering(json({}));
  const ran = await desk.run(line.split(' '));
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(why);
  expect(ran.stderr).not.toMatch(/did you mean|profile remove/);
  expect(desk.server.connections).toBe(0);
});

test('a script gets the commands in the JSON of the error', async () => {
  await using desk = await startAnswering(json({}));
  const { code, stderr } = await desk.run(['refund', '--json']);
  expect(code).toBe(2);
  expect(JSON.parse(stderr)).toMatchObject({
    kind: 'usage',
    now: ['did you mean: paydesk orders refund --json', 'paydesk --help'],
  });
});

test('--help behind words that name no command shows help and says what was meant', async () => {
  for (const [line, last] of [
    ['refund --help', 'did you mean: paydesk orders refund --help'],
    ['orders ls --help', 'did you mean: paydesk orders list --help'],
  ] as const) {
    const text = await textOf(line.split(' '), 80);
    expect(text).toContain('Usage: paydesk');
    expect(text.trimEnd().split('\n').at(-1)).toBe(last);
  }
  expect(await textOf(['orders', '--help'], 80)).not.toContain('did you mean');
});

test('the screen at 80 and 120 columns', async () => {
  await using desk = await startAnswering(json({}));
  const narrow = await desk.run(['order', 'search', 'torres'], { columns: 80 });
  expect(narrow.stderr).toMatchInlineSnapshot(`
    "error:   unknown command 'order'
    certain: nothing was sent
    now:     did you mean: paydesk orders find torres
             paydesk --help
    "
  `);
  expect((await desk.run(['order', 'search', 'torres'], { columns: 120 })).stderr).toBe(narrow.stderr);
});

test('paydesk refund says what was meant, asks nothing and runs nothing (real terminal)', async () => {
  await using desk = await startAnswering(json({}));
  const ended = await atTerminal(['refund', 'ord_1'], { home: desk.home, env: desk.env }).end;
  expect(ended.exitCode).toBe(2);
  expect(withoutEscapes(ended.transcript)).toContain('did you mean: paydesk orders refund');
  expect(desk.server.connections).toBe(0);
});
