/** Arguments and flags, as far as no order has to be read for them. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCommandLine } from '../../src/cli/typed/command-line.ts';
import { globalFlags } from '../../src/cli/typed/global-options.ts';
import { CliError } from '../../src/errors.ts';
import type { Flag } from '../../src/flags/flags.ts';
import { each } from '../harness/each.ts';
import { helpOf, leafCommands, optionsOf } from '../harness/help-text.ts';
import { customerOf, paidOrder } from '../harness/orders.ts';
import { newHome, paydesk, paydeskProcess } from '../harness/paydesk.ts';
import { json } from '../harness/server.ts';
import { pages, startAnswering } from '../harness/service.ts';

const usage = { code: 2, stdout: '' };
const rows = [paidOrder('ord_Aa1'), paidOrder('ord_Bb2'), paidOrder('ord_Cc3')];

interface Refused {
  readonly line: string | readonly string[];
  readonly says: readonly string[];
}

const wordsOf = ({ line }: Refused) => (typeof line === 'string' ? line.split(' ') : line);

/** The built program refuses these lines: exit 2, nothing on stdout, these words on stderr, and no request. */
async function checkStarted(cases: readonly Refused[]): Promise<void> {
  await using desk = await startAnswering(json({}));
  const ran = await each(cases, (one) => desk.run(wordsOf(one)));
  for (const [index, { line, says }] of cases.entries()) {
    expect(ran[index], String(line)).toMatchObject(usage);
    expect(ran[index]?.stderr, String(line)).not.toMatch(/[\r\x1b]/);
    for (const words of says) expect(ran[index]?.stderr, String(line)).toContain(words);
  }
  expect(desk.server.connections).toBe(0);
}

/** What reads every command line refuses these as well, with these words; what it throws, main prints. */
async function checkRead(cases: readonly Refused[]): Promise<void> {
  for (const one of cases) {
    const error = await readCommandLine(wordsOf(one), 80).catch((thrown: unknown) => thrown);
    expect(error, String(one.line)).toBeInstanceOf(CliError);
    expect(error, String(one.line)).toMatchObject({ exitCode: 2 });
    if (!(error instanceof CliError)) return;
    const text = [error.message, ...(error.parts.now ?? [])].join('\n');
    for (const words of one.says) expect(text, String(one.line)).toContain(words);
  }
}

test('--version and -V print exactly one line, the version of the package (C9)', async () => {
  using home = newHome();
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
    version: string;
  };
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  const lines = [['--version'], ['-V'], ['orders', 'list', '--version'], ['-p', 'demo', '-V']];
  const inMemory = await each(lines, (line) => paydesk(line, { home }));
  // A process answers these two before it loads anything.
  const asProcess = await each(lines.slice(0, 2), (line) => paydeskProcess(line, { home }));
  for (const ran of [...inMemory, ...asProcess]) {
    expect(ran).toEqual({ code: 0, signal: null, stdout: `${version}\n`, stderr: '' });
  }
});

test('an unknown command or option exits 2 and names the nearest valid one (C10)', async () => {
  await checkStarted([
    { line: 'ordres list', says: ['ordres', 'orders'] },
    { line: 'orders lst', says: ['lst', 'list'] },
    { line: 'orders list --limt 5', says: ['--limt', '--limit'] },
  ]);
  await checkRead([
    { line: 'costumers', says: ['costumers', 'customers'] },
    { line: 'orders list --jsn', says: ['--jsn', '--json'] },
    { line: '--profle demo orders list', says: ['--profle', '--profile'] },
    { line: 'orders list -z', says: ['-z', 'paydesk orders list --help'] },
  ]);
});

test('what is missing, too much or outside the allowed values exits 2 with its name and those values (C11)', async () => {
  await checkStarted([
    { line: 'orders show', says: ["'id'"] },
    { line: 'orders capture --yes', says: ['missing ID'] },
    { line: 'orders list --limit', says: ['--limit <N>'] },
    { line: 'orders show ord_1 ord_2', says: ['ord_2'] },
    { line: 'orders list --limit 0', says: ['--limit 0', '1 to 1000'] },
    { line: 'orders list -o yaml', says: ['yaml', 'table, list, json, ndjson, csv'] },
    { line: 'simulator serve --fault explode', says: ['explode', 'drop'] },
  ]);
  await checkRead([
    { line: 'customers show', says: ["'id'"] },
    { line: 'orders list -p', says: ['--profile <NAME>'] },
    { line: 'orders list ord_1', says: ['ord_1'] },
    { line: 'orders list --limit 1.5', says: ['--limit 1.5'] },
    { line: 'orders list --limit=', says: ['--limit'] },
    { line: 'orders list --max -1', says: ['--max -1'] },
    { line: 'orders list --profile=', says: ['--profile'] },
    { line: 'orders list --color blue', says: ['blue', 'auto, always, never'] },
    { line: 'orders list --api-version 2', says: ['--api-version 2', '2.3.0'] },
    { line: 'orders list --lang no_such', says: ['--lang no_such'] },
    { line: 'orders list --lang a-b-c-d-e-f-g-h-i-j', says: ['--lang a-b-c'] },
    {
      line: 'orders refund ord_1 --reason because',
      says: [
        'because',
        'requested_by_client, cannot_be_fulfilled, duplicated_transaction, suspected_fraud, other',
      ],
    },
    { line: 'orders list --json=yes', says: ['--json'] },
    { line: 'simulator serve --port 99999', says: ['--port 99999', '65535'] },
    { line: 'simulator serve --mode test', says: ['test', 'sandbox, production'] },
    { line: 'help exit-codes now', says: ['exit-codes now'] },
  ]);
});

test('every short flag has a long form (C12)', async () => {
  for (const words of await leafCommands()) {
    const help = await helpOf(words);
    const lines = help.split('\n').filter((line) => /^ {2}-/.test(line));
    expect(lines.filter((line) => !line.includes('--'))).toEqual([]);
  }
});

test('a value may follow its flag after a space, after = or at once, and short switches bundle (C12)', async () => {
  using home = newHome();
  const forms = [['--profile', 'demo'], ['--profile=demo'], ['-p', 'demo'], ['-pdemo']];
  const [first, ...others] = await each(forms, (form) =>
    paydesk([...form, 'orders', 'list', '--limit', '2', '--csv'], { home }),
  );
  expect(first?.code).toBe(0);
  expect(first?.stdout.split('\n')).toHaveLength(4);
  for (const other of others) expect(other).toEqual(first);
  const id = 'ord_2tQ7zRk9PwE5xNvAm';
  const bundled = await paydesk(['-pdemo', 'orders', 'refund', id, '--charge', '2', '-qy'], { home });
  expect(bundled).toMatchObject({ code: 0, stderr: '' });
});

test('a global option gives the same bytes before and after the words of the command (C13)', async () => {
  await using desk = await startAnswering(pages(rows));
  const options = [
    ['--csv', '--no-header', '--columns', 'id,amount', '-q', '--no-input'],
    ['-o', 'list', '--utc', '--color', 'always', '--lang', 'es'],
    ['--json', '--debug', '--timeout', '5', '--api-version', '2.0.0', '--profile', 'environment'],
    ['--profile', 'nobody', '--no-color', '-y', '--dry-run'],
  ];
  const results = await each(options, (option) =>
    Promise.all(
      [
        [...option, 'orders', 'list'],
        ['orders', 'list', ...option],
      ].map((line) => desk.run(line)),
    ),
  );
  for (const [index, [before, after]] of results.entries()) {
    const option = options[index]?.join(' ') ?? '';
    expect(before?.code, option).toBe(option.includes('nobody') ? 3 : 0);
    expect(before?.stdout, option).toBe(after?.stdout);
    // The milliseconds of --debug differ.
    if (!option.includes('--debug')) expect(before, option).toEqual(after);
  }
});

test('every global option is read the same before, between and after the words of the command (C13)', async () => {
  const words = ['orders', 'list'] as const;
  const plain = await readCommandLine(words, 80);
  for (const [name, { value }] of Object.entries<Flag>(globalFlags)) {
    const option = value === undefined ? [`--${name}`] : [`--${name}`, valueFor[name] ?? 'demo'];
    const after = await readCommandLine([...words, ...option], 80);
    expect(after, name).not.toEqual(plain);
    expect(await readCommandLine([...option, ...words], 80), name).toEqual(after);
    expect(await readCommandLine([words[0], ...option, words[1]], 80), name).toEqual(after);
  }
});

/** A value for each global option that takes no name. */
const valueFor: Readonly<Record<string, string>> = {
  output: 'json',
  delimiter: 'tab',
  decimal: 'comma',
  for: 'excel',
  columns: 'id,amount',
  color: 'always',
  timeout: '5',
  width: '100',
  'api-version': '2.0.0',
  lang: 'es',
};

test('behind -- everything is an argument: -weird is a malformed id, not an unknown option (C14)', async () => {
  await using desk = await startAnswering(json({}));
  const ran = await desk.run(['orders', 'show', '--', '-weird']);
  expect(ran).toMatchObject(usage);
  expect(ran.stderr).toContain('-weird: not the id of an order');
  expect(ran.stderr).not.toContain('unknown option');
  expect(desk.server.connections).toBe(0);
});

test('a prefix of a command or option is not taken for it: exit 2 with the whole word (C15)', async () => {
  await checkStarted([
    { line: 'ord list', says: ['orders'] },
    { line: 'orders list --js', says: ['--json'] },
  ]);
  await checkRead([
    { line: 'orders li', says: ['list'] },
    { line: 'custom list', says: ['customers'] },
    { line: 'orders list --lim 5', says: ['--limit'] },
    { line: 'orders list --prof demo', says: ['--profile'] },
  ]);
});

test('flags that contradict each other exit 2, both are named, nothing is asked for (C16)', async () => {
  await checkStarted([
    { line: 'orders list --json --csv', says: ['--json', '--csv'] },
    { line: 'orders list -o table --json', says: ['-o table', '--json'] },
    { line: 'orders list --next ord_1 --previous ord_2', says: ['--next', '--previous'] },
    { line: 'orders list --no-color --color always', says: ['--no-color', '--color'] },
  ]);
  await checkRead([
    { line: 'orders list --ndjson --json', says: ['--ndjson', '--json'] },
    { line: '--json orders list --csv', says: ['--json', '--csv'] },
    { line: 'orders list --all --max 5', says: ['--all', '--max'] },
    { line: 'orders list --previous ord_1 --all', says: ['--previous', '--all'] },
    { line: 'customers list --next cus_1 --previous cus_2', says: ['--next', '--previous'] },
  ]);
});

/** Among these every flag finds a value that it takes; a new kind of value is added here. */
const values = [
  `MCowBQYDK2VwAyEA${'A'.repeat(43)}=`,
  'ord_1',
  'cus_1',
  '1',
  'a',
  'demo',
  'json',
  'never',
  '2.3.0',
  'es',
  '30d',
  'sandbox',
  'MXN',
  'yes',
]
  .concat([
    'other',
    'bearer',
    'file',
    'in-order',
    'comma',
    'drop',
    'created',
    'day',
    'auto',
    'made',
    'impossible',
    'today',
    'orders',
    'https://service.example',
    'a'.repeat(64),
  ])
  .concat([
    'HostedPayment',
    'card',
    'refund',
    '3',
    '80',
    'k=v',
    '1735689600',
    '2030-01-01',
    '24h',
    'r_1',
    'systemd',
    'tab',
    'comma',
    'excel',
    'viewer',
    'i_1',
  ]);

/** What a line with the flag given twice ends with, for the first of the values that the flag takes. */
async function errorOfTwice(words: readonly string[], name: string): Promise<unknown> {
  for (const value of values) {
    try {
      await readCommandLine([...words, `--${name}=${value}`, `--${name}=${value}`], 80);
      return 'it is taken';
    } catch (error) {
      if (error instanceof Error && error.message.includes('is given twice')) return error;
    }
  }
  return `none of the values of this test is one for --${name}`;
}

test('a single-value flag given twice is refused, for every flag of every command (C17)', async () => {
  const [first = [], ...others] = await leafCommands();
  // The global ones are the same everywhere.
  const flags = [
    ...optionsOf(await helpOf(first)).map((one) => ({ words: first, ...one })),
    ...(
      await each(others, async (words) =>
        optionsOf(await helpOf(words), true).map((one) => ({ words, ...one })),
      )
    ).flat(),
  ].filter(({ value, text }) => value !== undefined && !text.includes('may be repeated'));
  expect(flags.length).toBeGreaterThan(40);
  for (const { words, name } of flags) {
    expect(await errorOfTwice(words, name), words.join(' ')).toMatchObject({
      exitCode: 2,
      message: `--${name} is given twice`,
    });
  }
});

test('a single-value flag given twice exits 2 and asks for nothing, also once before and once after the command (C17)', async () => {
  await checkStarted([
    { line: 'orders refund ord_1 --amount 1 --amount 2', says: ['--amount is given twice'] },
    { line: '-p demo orders list -p environment', says: ['--profile is given twice'] },
  ]);
});

test('hostile ids exit 2 wherever an id is taken, and nothing is asked for (C19)', async () => {
  const hostile = [
    '../customers',
    'ord_1/../../customers',
    'a/b?x=1#f',
    '%2e%2e',
    'ord_1%2Fcapture',
    'ord_1/capture',
    'ord_1?x',
    'ord_1#',
    'ord_1 500',
    'ord_1\r\nX-Evil: 1',
    'ord_',
    'ORD_1',
    'оrd_1',
    `ord_${'a'.repeat(65)}`,
    'cus_1',
    '',
  ];
  const places: readonly ((id: string) => readonly string[])[] = [
    (id) => ['orders', 'show', '--', id],
    (id) => ['orders', 'list', `--next=${id}`],
    (id) => ['orders', 'refund', '--yes', '--', id],
    (id) => ['orders', 'capture', '--yes', '--', id],
    (id) => ['orders', 'list', `--previous=${id}`],
    (id) => ['orders', 'refund', 'ord_1', `--confirm=${id}`],
    (id) => ['orders', 'refund', 'ord_1', '--yes', `--charge=${id}`],
    (id) => ['customers', 'show', '--', id],
    (id) => ['customers', 'list', `--next=${id}`],
  ];
  await checkStarted(
    [
      ...places.map((place, index) => place(index % 2 === 0 ? '../customers' : 'a/b?x=1#f')),
      ['orders', 'show', '--', '%2e%2e'],
      ['orders', 'show', '--', 'ord_1\r\nX-Evil: 1'],
    ].map((line) => ({ line, says: [] })),
  );
  // Where a person could choose by words, it is the run that refuses.
  const isNamed = (line: readonly string[]) => line[0] === 'orders' && line.includes('--');
  const lines = [
    ...hostile.map((id) => ['orders', 'show', '--', id]),
    ...hostile.map((id) => ['orders', 'list', `--next=${id}`]),
    ...places.flatMap((place) => hostile.slice(0, 4).map(place)),
  ].map((line) => ({ line, says: [] }));
  await checkStarted(lines.filter(({ line }) => isNamed(line)));
  await checkRead(lines.filter(({ line }) => !isNamed(line)));
});

test('an accepted id arrives as one query value or one path segment (C19)', async () => {
  const id = 'ord_2tQ7zRk9PwE5xNvAm';
  await using desk = await startAnswering(pages([paidOrder(id)], [customerOf('cus_2sZp8LmQ4tVx')]));
  await each(
    [
      ['orders', 'list', '--next', id],
      ['orders', 'list', '--previous', id],
      ['customers', 'list', '--next', 'cus_2sZp8LmQ4tVx'],
      ['orders', 'refund', id, '--yes'],
    ],
    (line) => desk.run(line),
  );
  const urls = desk.server.requests.map(({ method, url }) => `${method} ${url}`);
  expect(urls).toContain(`GET /orders?limit=20&next=${id}`);
  expect(urls).toContain(`GET /orders?limit=20&previous=${id}`);
  expect(urls).toContain('GET /customers?limit=20&next=cus_2sZp8LmQ4tVx');
  expect(urls).toContain(`POST /orders/${id}/refunds`);
});

test('what is no order id leads to a search, and an unknown verb to the help of its noun (C10)', async () => {
  await using desk = await startAnswering(json({}));
  const lines = [
    ['orders', 'show', 'Pérez'],
    ['orders', 'show', '$(touch x)'],
    ['orders', 'search', 'torres'],
  ];
  const [name, trap, verb] = await each(lines, (line) => desk.run(line));
  expect(name).toMatchObject({ code: 2, stdout: '' });
  expect(name?.stderr).toContain('paydesk orders find Pérez\n');
  expect(trap?.stderr).toContain('paydesk orders find touch x\n');
  expect(verb?.stderr).toContain('paydesk orders --help\n');
  expect(desk.server.connections).toBe(0);
});
