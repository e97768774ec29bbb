/** CONVENTIONS, section B: arguments and flags, as far as no order has to be read for them. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCommandLine } from '../../src/command-line.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { json } from '../harness/server.ts';
import { helpOf, leafCommands, optionsOf } from './help.ts';
import { customer, each, openDesk, order, pages } from './scripted.ts';

const usage = { code: 2, stdout: '' };
const rows = [order('ord_Aa1'), order('ord_Bb2'), order('ord_Cc3')];

test('C9 --version and -V print exactly one line, the version of the package', async () => {
  using home = newHome();
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
    version: string;
  };
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  const lines = [['--version'], ['-V'], ['orders', 'list', '--version'], ['-p', 'demo', '-V']];
  for (const ran of await each(lines, (line) => paydesk(line, { home }))) {
    expect(ran).toEqual({ code: 0, signal: null, stdout: `${version}\n`, stderr: '' });
  }
});

test('C10 an unknown command or option exits 2 and names the nearest valid one', async () => {
  await using desk = await openDesk(json({}));
  const cases = [
    { line: 'ordres list', unknown: 'ordres', nearest: 'orders' },
    { line: 'orders lst', unknown: 'lst', nearest: 'list' },
    { line: 'costumers', unknown: 'costumers', nearest: 'customers' },
    { line: 'orders list --limt 5', unknown: '--limt', nearest: '--limit' },
    { line: 'orders list --jsn', unknown: '--jsn', nearest: '--json' },
    { line: '--profle demo orders list', unknown: '--profle', nearest: '--profile' },
    { line: 'orders list -z', unknown: '-z', nearest: 'paydesk orders list --help' },
  ];
  const ran = await each(cases, ({ line }) => desk.run(line.split(' ')));
  for (const [index, { line, unknown, nearest }] of cases.entries()) {
    expect(ran[index], line).toMatchObject(usage);
    expect(ran[index]?.stderr.split('\n')[0], line).toContain(unknown);
    expect(ran[index]?.stderr, line).toContain(nearest);
  }
  expect(desk.server.connections).toBe(0);
});

test('C11 what is missing, too much or outside the allowed values exits 2 with its name and those values', async () => {
  await using desk = await openDesk(json({}));
  const cases: readonly { readonly line: string; readonly says: readonly string[] }[] = [
    { line: 'orders show', says: ["'id'"] },
    { line: 'customers show', says: ["'id'"] },
    { line: 'orders capture --yes', says: ['missing ID'] },
    { line: 'orders list --limit', says: ['--limit <N>'] },
    { line: 'orders list -p', says: ['--profile <NAME>'] },
    { line: 'orders show ord_1 ord_2', says: ['ord_2'] },
    { line: 'orders list ord_1', says: ['ord_1'] },
    { line: 'orders list --limit 0', says: ['--limit 0', '1 to 1000'] },
    { line: 'orders list --limit 1.5', says: ['--limit 1.5'] },
    { line: 'orders list --limit=', says: ['--limit'] },
    { line: 'orders list --max -1', says: ['--max -1'] },
    { line: 'orders list --profile=', says: ['--profile'] },
    { line: 'orders list -o yaml', says: ['yaml', 'table, list, json, ndjson, csv'] },
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
    { line: 'simulator serve --fault explode', says: ['explode', 'drop'] },
    { line: 'help exit-codes now', says: ['exit-codes now'] },
  ];
  const ran = await each(cases, ({ line }) => desk.run(line.split(' ')));
  for (const [index, { line, says }] of cases.entries()) {
    expect(ran[index], line).toMatchObject(usage);
    for (const words of says) expect(ran[index]?.stderr, line).toContain(words);
  }
  expect(desk.server.connections).toBe(0);
});

test('C12 every short flag has a long form', async () => {
  for (const words of await leafCommands()) {
    const help = await helpOf(words);
    const lines = help.split('\n').filter((line) => /^ {2}-/.test(line));
    expect(lines.filter((line) => !line.includes('--'))).toEqual([]);
  }
});

test('C12 a value may follow its flag after a space, after = or at once, and short switches bundle', async () => {
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

test('C13 a global option gives the same bytes before and after the words of the command', async () => {
  await using desk = await openDesk(pages(rows));
  const options = [
    ['--json'],
    ['--ndjson'],
    ['--csv'],
    ['-o', 'list'],
    ['--output=csv'],
    ['--color', 'always'],
    ['--no-color'],
    ['--columns', 'id,amount'],
    ['--csv', '--no-header'],
    ['--utc'],
    ['-q'],
    ['--debug', '--json'],
    ['--timeout', '5'],
    ['--lang', 'es'],
    ['--api-version', '2.0.0'],
    ['--profile', 'environment'],
    ['--profile', 'nobody'],
    ['--dry-run'],
    ['--no-input'],
    ['-y'],
  ];
  const results = await each(options, (option, index) =>
    Promise.all(
      [
        [...option, 'orders', 'list'],
        index % 5 === 0 ? ['orders', ...option, 'list'] : ['orders', 'list', ...option],
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

test('C14 behind -- everything is an argument: -weird is a malformed id, not an unknown option', async () => {
  await using desk = await openDesk(json({}));
  const ran = await desk.run(['orders', 'show', '--', '-weird']);
  expect(ran).toMatchObject(usage);
  expect(ran.stderr).toContain('-weird: not the id of an order');
  expect(ran.stderr).not.toContain('unknown option');
  expect(desk.server.connections).toBe(0);
});

test('C15 a prefix of a command or option is not taken for it: exit 2 with the whole word', async () => {
  await using desk = await openDesk(json({}));
  const cases = [
    { line: 'ord list', whole: 'orders' },
    { line: 'orders li', whole: 'list' },
    { line: 'custom list', whole: 'customers' },
    { line: 'orders list --js', whole: '--json' },
    { line: 'orders list --lim 5', whole: '--limit' },
    { line: 'orders list --prof demo', whole: '--profile' },
  ];
  const ran = await each(cases, ({ line }) => desk.run(line.split(' ')));
  for (const [index, { line, whole }] of cases.entries()) {
    expect(ran[index], line).toMatchObject(usage);
    expect(ran[index]?.stderr, line).toContain(whole);
  }
  expect(desk.server.connections).toBe(0);
});

test('C16 flags that contradict each other exit 2, both are named, nothing is asked for', async () => {
  await using desk = await openDesk(json({}));
  const cases = [
    { line: 'orders list --json --csv', both: ['--json', '--csv'] },
    { line: 'orders list --ndjson --json', both: ['--ndjson', '--json'] },
    { line: '--json orders list --csv', both: ['--json', '--csv'] },
    { line: 'orders list -o table --json', both: ['-o table', '--json'] },
    { line: 'orders list --next ord_1 --previous ord_2', both: ['--next', '--previous'] },
    { line: 'orders list --all --max 5', both: ['--all', '--max'] },
    { line: 'orders list --previous ord_1 --all', both: ['--previous', '--all'] },
    { line: 'customers list --next cus_1 --previous cus_2', both: ['--next', '--previous'] },
    { line: 'orders list --no-color --color always', both: ['--no-color', '--color'] },
  ];
  const ran = await each(cases, ({ line }) => desk.run(line.split(' ')));
  for (const [index, { line, both }] of cases.entries()) {
    expect(ran[index], line).toMatchObject(usage);
    for (const flag of both) expect(ran[index]?.stderr, line).toContain(flag);
  }
  expect(desk.server.connections).toBe(0);
});

/** Among these every flag finds a value that it takes; a new kind of value is added here. */
const values = ['ord_1', 'cus_1', '1', 'a', 'demo', 'json', 'never', '2.3.0', 'es', '30d', 'sandbox', 'MXN']
  .concat(['other', 'bearer', 'file', 'drop', 'created', 'orders', 'https://service.example', 'a'.repeat(64)])
  .concat(['HostedPayment', 'card', '3', 'k=v', '1735689600', '2030-01-01', '24h']);

/** What a line with the flag given twice ends with, for the first of the values that the flag takes. */
async function errorOfTwice(words: readonly string[], name: string): Promise<unknown> {
  for (const value of values) {
    try {
      await readCommandLine([...words, `--${name}=${value}`, `--${name}=${value}`], 80);
      return 'it is taken';
    } catch (error) {
      if (error instanceof Error && error.message.includes('twice')) return error;
    }
  }
  return `none of the values of this test is one for --${name}`;
}

test('C17 a single-value flag given twice is refused, for every flag of every command', async () => {
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

test('C17 a single-value flag given twice exits 2 and asks for nothing', async () => {
  await using desk = await openDesk(json({}));
  const lines = [
    ['orders', 'refund', 'ord_1', '--amount', '1', '--amount', '2'],
    ['orders', 'list', '--limit', '5', '--limit=5'],
    ['orders', 'list', '-o', 'json', '--output', 'csv'],
  ];
  for (const ran of await each(lines, (line) => desk.run(line))) {
    expect(ran).toMatchObject(usage);
    expect(ran.stderr).toMatch(/--\w+ is given twice/);
  }
  expect(desk.server.connections).toBe(0);
});

test('C17 a global flag given once before and once after the command is given twice as well', async () => {
  await using desk = await openDesk(json({}));
  const ran = await desk.run(['-p', 'demo', 'orders', 'list', '-p', 'environment']);
  expect(ran).toMatchObject(usage);
  expect(ran.stderr).toContain('--profile is given twice');
});

test('C19 hostile ids exit 2 wherever an id is taken, and nothing is asked for', async () => {
  await using desk = await openDesk(json({}));
  const hostile = [
    '../customers',
    'ord_1/../../customers',
    'a/b?x=1#f',
    '%2e%2e',
    'ord_1%2Fcapture',
    'ord_1/capture',
    'ord_1?x',
    'ord_1#',
    'ord_1 ',
    'ord_1\r\nX-Evil: 1',
    'ord_',
    'ORD_1',
    'оrd_1',
    `ord_${'a'.repeat(65)}`,
    'cus_1',
    '',
  ];
  const places: readonly ((id: string) => readonly string[])[] = [
    (id) => ['orders', 'list', `--next=${id}`],
    (id) => ['orders', 'refund', '--yes', '--', id],
    (id) => ['orders', 'capture', '--yes', '--', id],
    (id) => ['orders', 'list', `--previous=${id}`],
    (id) => ['orders', 'refund', 'ord_1', `--confirm=${id}`],
    (id) => ['orders', 'refund', 'ord_1', '--yes', `--charge=${id}`],
    (id) => ['customers', 'show', '--', id],
    (id) => ['customers', 'list', `--next=${id}`],
  ];
  const lines = [
    ...hostile.map((id) => ['orders', 'show', '--', id]),
    ...places.flatMap((place) => ['../customers', 'a/b?x=1#f'].map(place)),
  ];
  const ran = await each(lines, (line) => desk.run(line));
  for (const [index, line] of lines.entries()) {
    expect(ran[index], JSON.stringify(line)).toMatchObject(usage);
    expect(ran[index]?.stderr).not.toMatch(/[\r\x1b]/);
  }
  expect(desk.server.connections).toBe(0);
});

test('C19 an accepted id arrives as one query value or one path segment', async () => {
  const id = 'ord_2tQ7zRk9PwE5xNvAm';
  await using desk = await openDesk(pages([order(id)], [customer('cus_2sZp8LmQ4tVx')]));
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
  expect(urls).toContain(`GET /orders?next=${id}`);
  expect(urls).toContain(`GET /orders?previous=${id}`);
  expect(urls).toContain('GET /customers?next=cus_2sZp8LmQ4tVx');
  expect(urls).toContain(`POST /orders/${id}/refunds`);
});

test('C10 what is no order id leads to a search, and an unknown verb to the help of its noun', async () => {
  await using desk = await openDesk(json({}));
  const lines = [
    ['orders', 'show', 'Pérez'],
    ['orders', 'show', '$(touch x)'],
    ['orders', 'search', 'torres'],
  ];
  const [name, trap, verb] = await each(lines, (line) => desk.run(line));
  expect(name).toMatchObject({ code: 2, stdout: '' });
  expect(name?.stderr).toContain('paydesk orders find Pérez\n');
  expect(trap?.stderr).toContain('paydesk orders find TEXT\n');
  expect(verb?.stderr).toContain('paydesk orders --help\n');
  expect(desk.server.connections).toBe(0);
});
