/** Help as data: what it holds is what help says, and what it allows is understood. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCommandLine } from '../../src/cli/typed/command-line.ts';
import { commands } from '../../src/commands/commands.ts';
import { examplesOf, helpOf, leafCommands } from '../harness/help-text.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';

interface Option {
  readonly option: string;
  readonly type: 'switch' | 'choice' | 'integer' | 'text';
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly repeatable: boolean;
  readonly conflicts?: readonly string[];
}

interface Described {
  readonly command: string;
  readonly changes: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly repeatable: boolean;
    readonly choices?: readonly string[];
  }[];
  readonly options: readonly Option[];
  readonly examples: readonly string[];
}

interface Help {
  readonly commands: readonly Described[];
  readonly global_options: readonly Option[];
  readonly version: string;
  readonly settings: readonly object[];
  readonly variables: readonly object[];
}

async function helpJson(line: string): Promise<unknown> {
  using home = newHome();
  const { code, stdout, stderr } = await paydesk(line.split(' '), { home });
  expect({ code, stderr }, line).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const whole = (await helpJson('help --json')) as Help;

test('has the version of the program, the settings with their values, and the variables', async () => {
  const version = (await paydesk(['--version'], { home: newHome() })).stdout.trim();
  expect(whole.version).toBe(version);
  expect(whole.settings).toContainEqual({
    setting: 'role',
    summary: 'which changes may be made: viewer (none), refunder, capturer or full (full)',
    scope: 'account',
    type: 'choice',
    choices: ['viewer', 'refunder', 'capturer', 'full'],
    default: 'full',
  });
  expect(whole.settings).toContainEqual({
    setting: 'plan.max_total.CUR',
    summary: expect.stringContaining('the refunds of a plan'),
    scope: 'account',
    type: 'integer',
  });
  expect(whole.variables).toContainEqual({
    variable: 'PAYDESK_AGENT',
    summary: expect.stringContaining('the name of a software agent'),
  });
});

test('fits its schema, whether all commands, a noun or one command is asked for', async () => {
  const schema: unknown = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../docs/help.schema.json'), 'utf8'),
  );
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  const fits = ajv.compile(Object(schema));
  for (const line of ['help --json', 'journal --help --json', 'orders refund --help -o json']) {
    const data = await helpJson(line);
    expect(fits(data), JSON.stringify(fits.errors)).toBe(true);
  }
  expect(fits({ ...whole, commands: [{ command: 'orders list' }] })).toBe(false);
});

test('has every command once, with the examples of its page and what it changes', async () => {
  const leaves = await leafCommands();
  expect(whole.commands.map(({ command }) => command)).toEqual(leaves.map((words) => words.join(' ')));
  expect(whole.commands).toHaveLength(commands.length);
  for (const { command, examples } of whole.commands)
    expect(examples).toEqual(examplesOf(await helpOf(command.split(' '))));
  const sends = whole.commands.filter(({ changes }) => changes === 'service').map(({ command }) => command);
  expect(sends).toEqual(
    expect.arrayContaining(['orders refund', 'orders browse', 'refunds apply', 'checkout create', 'api']),
  );
  expect(sends).not.toContain('orders show');
});

test('is the same under every way to ask for it', async () => {
  for (const line of ['--json', '--help --json', 'help commands --json', 'help -o json'])
    expect(await helpJson(line), line).toEqual(whole);
  const one = (await helpJson('orders refund --help --json')) as Help;
  expect(one.commands.map(({ command }) => command)).toEqual(['orders refund']);
  expect(await helpJson('help orders refund --json')).toEqual(one);
  const noun = (await helpJson('journal --json')) as Help;
  expect(noun.commands).toEqual(whole.commands.filter(({ command }) => command.startsWith('journal ')));
});

test('of a guide holds its text', async () => {
  const guide = await helpJson('help exit-codes --json');
  expect(guide).toMatchObject({
    guide: 'exit-codes',
    summary: 'what a script can rely on',
    text: expect.stringMatching(/^# Exit codes\n\n[^<]/),
  });
});

test('of a word that is no command is an error, and never the help of something else', async () => {
  using home = newHome();
  for (const line of ['refund --help --json', 'help refund2 --json', 'orders lst --help --json']) {
    const { code, stdout, stderr } = await paydesk(line.split(' '), { home });
    expect({ code, stdout }, line).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(/^no help for /),
    });
  }
});

// A value of each placeholder, and of the options for which that is not enough.
const values: Readonly<Record<string, string>> = {
  KEY: `MCowBQYDK2VwAyEA${'A'.repeat(43)}=`,
  'A,B,C': 'id,amount',
  AMOUNT: '500',
  CH: '1',
  CODE: 'es',
  CUR: 'MXN',
  'CUR=N': 'MXN=500',
  DAYS: '30d',
  DIGEST: 'abcdef12',
  FILE: 'a-file.csv',
  'FILE.csv': 'rest.csv',
  HASH: 'f34c0d9d08283f97ff61094b00bde5056174e374187e4b55cb0e437df1a2db63',
  HOST: 'pay.example',
  'HOST:PORT': '127.0.0.1:8443',
  ID: 'ord_2tQ7zRk9PwE5xNvAm',
  'ID,…': 'rf_1,rf_2',
  'ID|EMAIL': 'ana@example.com',
  ITEM: 'Lamp:300:2',
  'KEY=VALUE': 'a=b',
  'KIND[,KIND…][:RATE]': 'reset',
  MONTHS: '3',
  N: '500',
  'N=TEXT': '1=blue',
  NAME: 'shop',
  'NAME:VALUE': 'X-Note: a',
  PERIOD: 'today',
  PLAN: 'refunds.plan',
  PROFILE: 'shop',
  R: 'r_7f3k2m9x',
  SPAN: '30d',
  TEXT: 'some words',
  URI: 'postgresql://db.example/paydesk',
  URL: 'https://pay.example',
  VENDOR: 'acme',
  'VERDICT,…': 'made',
  WHAT: 'today',
  WHEN: '2026-11-01',
  WORD: 'paid',
  'X.Y.Z': '2.3.0',
  ZONE: 'Europe/Madrid',
};
// Where the same placeholder stands for something else.
const ofOption: Readonly<Record<string, string>> = {
  '--ship-country': 'MX',
  'orders create --customer': 'cus_2tQ7zRk9PwE5xNvAm',
  'checkout create --customer': 'cus_2tQ7zRk9PwE5xNvAm',
  'customers list --next': 'cus_2tQ7zRk9PwE5xNvAm',
  'customers list --previous': 'cus_2tQ7zRk9PwE5xNvAm',
  'customers find --next': 'cus_2tQ7zRk9PwE5xNvAm',
  'journal list --next': 'i_7f3k2m9x',
};

const wordOf = (
  command: string,
  { option, type, value = '', choices = [], minimum = 0, maximum = 0 }: Option,
) => {
  if (type === 'choice') return fc.constantFrom(...choices);
  if (type === 'integer') return fc.integer({ min: minimum, max: maximum }).map(String);
  const own = ofOption[`${command} ${option}`] ?? ofOption[option];
  return fc.constant(own ?? values[value] ?? `no value for ${value}`);
};

// One option as words, in one of its spellings.
const wordsOfOption = (command: string, one: Option) =>
  one.type === 'switch'
    ? fc.constant([one.option])
    : fc
        .tuple(wordOf(command, one), fc.boolean())
        .map(([text, joined]) => (joined ? [`${one.option}=${text}`] : [one.option, text]));

// No two that contradict each other. Those of help and version end the reading.
const isApart = (chosen: readonly Option[]) =>
  chosen.every(
    ({ option, conflicts = [] }) =>
      !chosen.some((other) => conflicts.includes(other.option) || other.conflicts?.includes(option)),
  );

const argumentValues: Readonly<Record<string, string>> = {
  'orders show id': 'ord_2tQ7zRk9PwE5xNvAm',
  'customers show id': 'cus_2tQ7zRk9PwE5xNvAm',
  'profile set setting': 'time.zone',
  'prove period': 'last-month',
  'sender limits currency': 'MXN',
  'api path': 'orders',
  'approvals show request': 'r_7f3k2m9q',
  'approvals approve request': 'r_7f3k2m9q',
  'approvals reject request': 'r_7f3k2m9q',
};

const lines = fc.constantFrom(...whole.commands).chain((one) => {
  const options = [...one.options, ...whole.global_options].filter(
    ({ option }) => option !== '--help' && option !== '--version' && option !== '--all',
  );
  const args = one.arguments.map(({ name, choices }) =>
    choices === undefined
      ? fc.constant(argumentValues[`${one.command} ${name}`] ?? 'word1234')
      : fc.constantFrom(...choices),
  );
  return fc
    .tuple(fc.tuple(...args), fc.subarray(options, { maxLength: 5 }).filter(isApart))
    .chain(([words, chosen]) =>
      fc
        .tuple(fc.constant(words), fc.tuple(...chosen.map((option) => wordsOfOption(one.command, option))))
        .map(([typed, given]) => ({
          command: one.command,
          line: [...one.command.split(' '), ...typed, ...given.flat()],
        })),
    );
});

describe('what it allows', () => {
  test('is understood, each line of 2,000', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(lines, async ({ command, line }) => {
        const read = await readCommandLine(line, 80);
        expect(read).toMatchObject({ kind: 'run', words: command.split(' ') });
        seen.add(command);
      }),
      { numRuns: 2000 },
    );
    expect(seen.size).toBe(whole.commands.length);
  });
});
