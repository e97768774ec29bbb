/** What help says of every command, checked against the table of commands. */

import { beforeAll, expect, test } from 'vitest';
import { topics } from '../../src/cli/help/help-topics.ts';
import { globalFlags } from '../../src/cli/typed/global-options.ts';
import type { Command } from '../../src/commands/command.ts';
import { type CommandEntry, commands, groups } from '../../src/commands/commands.ts';
import { exitMeanings } from '../../src/errors.ts';
import type { Flag } from '../../src/flags/flags.ts';
import { dimensions } from '../../src/reports/reports.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';

const topicNames = Object.keys(topics);
/** What makes a line one for scripts: no question, a format to parse, a pipe. */
const forScripts = /--(json|ndjson|csv|no-input|yes|quiet|confirm|key-file|key-stdin)\b|[|<>&]/;

interface Leaf {
  readonly entry: CommandEntry;
  readonly command: Command;
  /** Its help at 120 columns, wrapped lines joined. */
  readonly help: string;
}

/** Of every command, each asked once. */
let all: readonly Leaf[];
beforeAll(async () => {
  all = await leaves();
});

async function leaves(): Promise<readonly Leaf[]> {
  using home = newHome();
  const found: Leaf[] = [];
  for (const entry of commands) {
    const { stdout } = await paydesk([...entry.words, '--help', '--all'], { home, env: { COLUMNS: '120' } });
    found.push({ entry, command: await entry.load(), help: stdout.replace(/ *\\?\n {3,}/g, ' ') });
  }
  return found;
}

function missingIn({ entry, command, help }: Leaf): readonly string[] {
  const words = entry.words.join(' ');
  const own = command.examples.filter((line) => line.startsWith('paydesk ') && line.includes(` ${words}`));
  const claims: readonly (readonly [what: string, holds: boolean])[] = [
    [
      'summary, capital first and no full stop',
      /^[A-Z].*[^.]$/.test(entry.summary) && help.includes(entry.summary),
    ],
    ['usage', help.includes(`\nUsage: paydesk ${words} [options]`)],
    ...command.arguments.map(
      ({ name, required }) =>
        [
          `argument ${name}, marked as required or not`,
          help.includes(required ? `<${name}` : `[${name}`),
        ] as const,
    ),
    ...Object.entries(command.flags).flatMap(([name, flag]) => missingOfFlag(name, flag, help)),
    ['two examples of its own', own.length >= 2],
    [
      'begins with its examples',
      help.startsWith([entry.summary, '', ...command.examples.map((line) => `  $ ${line}`), ''].join('\n')),
    ],
    ['an example for scripts', command.examples.some((line) => forScripts.test(line))],
    ['two examples at most', command.examples.length === 2],
    ['three sentences at most', (command.description?.match(/[.?!](?=\s|$)/gm)?.length ?? 0) <= 3],
    ['where the exit codes are', help.endsWith('\nExit codes: paydesk help exit-codes\n')],
    ...Object.entries(command.exits ?? {}).map(
      ([code, meaning]) =>
        [`exit ${code}`, exitMeanings.has(Number(code)) && help.includes(meaning)] as const,
    ),
    [
      'a guide that is there',
      topicNames.some((name) => help.includes(`\nGuide: paydesk help ${name}\n`)) || words === 'completion',
    ],
  ];
  return claims.filter(([, holds]) => !holds).map(([what]) => `${words}: ${what}`);
}

function missingOfFlag(name: string, flag: Flag, help: string): readonly (readonly [string, boolean])[] {
  const term = `--${name}${flag.value === undefined ? '' : ` <${flag.value}>`}`;
  const line =
    help
      .split('\n')
      .filter((one) => one.startsWith('  -'))
      .find((one) => one.replace(/^ +(-\w, )?/, '').startsWith(`${term} `)) ?? '';
  const number = flag.value === 'N' && /^\D*$/.test(flag.summary) && flag.choices === undefined;
  return [
    [`--${name} with its summary`, line.includes(flag.summary)],
    [`--${name} with its allowed values`, line.includes(flag.choices?.join(', ') ?? flag.allowed ?? '')],
    [
      `--${name} with its default`,
      line.includes(flag.defaultText === undefined ? '' : `default ${flag.defaultText}`),
    ],
    [`--${name} with its variable`, line.includes(flag.env ?? '')],
    [`--${name}: a word on what N may be`, !number || /\d|amount/.test(line)],
  ];
}

test('help of every command has summary, usage, options with all their facts, examples and exit codes (C6, C7)', () => {
  expect(all.length).toBeGreaterThan(20);
  expect(all.flatMap(missingIn)).toEqual([]);
});

test('help shows defaults, allowed values and variables as they are (C7)', () => {
  const shown = (words: string) => all.find(({ entry }) => entry.words.join(' ') === words)?.help;
  const list = shown('orders list');
  expect(list).toContain(
    'orders per page (1 to 1000; default as many as the terminal has room for, 20 in a pipe)',
  );
  expect(list).toContain('(one of table, list, json, ndjson, csv, xlsx; default table; PAYDESK_OUTPUT)');
  expect(list).toContain('(1 to 3600; default 60; PAYDESK_TIMEOUT)');
  expect(shown('profile add')).toContain('(one of bearer, basic; default bearer)');
});

test('nouns, verbs and flags are lower-case kebab words, and every noun of the table is described (C73)', async () => {
  for (const entry of commands) {
    const command = await entry.load();
    for (const word of [...entry.words, ...Object.keys(command.flags)]) {
      expect(word).toMatch(/^[a-z]+(-[a-z]+)*$/);
    }
    if (entry.words.length > 1) expect(Object.keys(groups)).toContain(entry.words[0]);
    const own = Object.keys(command.flags).filter((name) => name in globalFlags);
    expect(own, `${entry.words.join(' ')} has a flag of a global name`).toEqual([]);
  }
});

test('one verb for one thing: no delete beside remove, no edit beside set (C73)', () => {
  const verbs = new Set(commands.map(({ words }) => words.at(-1)));
  const pairs = [
    ['remove', 'delete'],
    ['remove', 'rm'],
    ['set', 'edit'],
    ['set', 'update'],
    ['show', 'get'],
    ['show', 'view'],
    ['list', 'ls'],
    ['add', 'new'],
    ['find', 'search'],
  ];
  expect(pairs.filter(([, other]) => verbs.has(other))).toEqual([]);
});

// Reports are split by a word (`--by day`), and each of them offers what it knows. An export had a date of that name before.
const splits = new Set(['orders summary', 'orders waiting', 'refunds summary']);

test('the words of --by mean the same in every report (C73)', async () => {
  const found = commands.filter(({ words }) => splits.has(words.join(' ')));
  expect(found).toHaveLength(splits.size);
  for (const entry of found) {
    const { by }: Readonly<Record<string, Flag>> = (await entry.load()).flags;
    expect(dimensions).toEqual(expect.arrayContaining([...(by?.choices ?? ['none'])]));
  }
});

test('a flag of one name takes a value everywhere or nowhere, out of one set, and is short for one thing (C73)', async () => {
  const seen = new Map<string, string>();
  const clashes: string[] = [];
  for (const entry of commands) {
    const { flags } = await entry.load();
    for (const [name, flag] of Object.entries<Flag>({ ...globalFlags, ...flags })) {
      if (name === 'by' && splits.has(entry.words.join(' '))) continue;
      const kind = JSON.stringify([flag.value !== undefined, flag.choices, flag.short]);
      const first = seen.get(name) ?? kind;
      seen.set(name, first);
      if (first !== kind) clashes.push(`${entry.words.join(' ')} --${name}: ${kind}, elsewhere ${first}`);
    }
  }
  expect(clashes).toEqual([]);
});

test('variables are named PAYDESK_ and their option, and help environment lists them (C74)', async () => {
  using home = newHome();
  const { code, stdout } = await paydesk(['help', 'environment'], { home });
  expect(code).toBe(0);
  for (const [name, { env }] of Object.entries<Flag>(globalFlags)) {
    if (['yes', 'dry-run', 'help', 'version', 'json', 'ndjson', 'csv', 'no-color'].includes(name)) {
      expect(env, name).toBeUndefined();
      continue;
    }
    expect(env).toBe(`PAYDESK_${name.toUpperCase().replaceAll('-', '_')}`);
    expect(stdout).toContain(`${env} `);
  }
  for (const name of [
    'BASE_URL',
    'MODE',
    'API_KEY',
    'KEY_FILE',
    'VENDOR',
    'AUTH',
    'OPERATOR',
    'ACCESSIBLE',
  ]) {
    expect(stdout).toContain(`PAYDESK_${name} `);
  }
});
