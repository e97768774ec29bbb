/** Who may import whom, and one door a dependency. */

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const importLine =
  /^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|import\('([^']+)'\)|require\('([^']+)'\)/gm;

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(importLine)].map((match) => {
    const name = match[2] ?? match[3] ?? match[4] ?? '';
    const to = name.startsWith('.') ? normalize(join(dirname(file), name)) : name;
    return { from: file, to, typeOnly: match[1] !== undefined };
  });
}

const files = globSync('src/**/*.ts', { cwd: root });
const imports = files.flatMap(importsOf);

/** Known to everyone: the service's description, the money of an order, errors, what comes from outside. */
const shared = [
  'src/api/spec.ts',
  'src/api/charges.ts',
  'src/errors.ts',
  'src/io.ts',
  // What a command is given and how its inputs are declared: changes ask with the same texts.
  'src/commands/command.ts',
  'src/commands/flags.ts',
  'src/commands/typed-time.ts',
];

const roomOf = (file: string) => file.split('/')[1] ?? '';
const isDoor = (file: string) => file === `src/${roomOf(file)}/${roomOf(file)}.ts`;

/** A room imports its own files, what everyone knows, and the doors of others. `cli/` joins them all. */
function mayImport({ from, to, typeOnly }: Import): boolean {
  const same = roomOf(from) === roomOf(to);
  return same || shared.includes(to) || isDoor(to) || typeOnly || roomOf(from) === 'cli';
}

/** Package → where its one door is. A folder ends in a slash. */
const doors: Readonly<Record<string, readonly string[]>> = {
  commander: ['src/cli/program.ts'],
  ky: ['src/api/one-request.ts'],
  '@inquirer/prompts': ['src/terminal/prompts.ts'],
  'cli-table3': ['src/terminal/'],
  chalk: ['src/terminal/'],
  'string-width': ['src/terminal/'],
  uqr: ['src/terminal/'],
  conf: ['src/profiles/'],
  '@napi-rs/keyring': ['src/profiles/'],
  valibot: ['src/api/spec.ts', 'src/profiles/', 'src/journal/', 'src/exports/'],
  'node:sqlite': ['src/journal/', 'src/locks/', 'src/simulator/'],
  hono: ['src/simulator/'],
  '@hono/node-server': ['src/simulator/'],
};

function packageOf(name: string): string {
  const parts = name.split('/');
  return name.startsWith('@')
    ? parts.slice(0, 2).join('/')
    : name.startsWith('node:')
      ? name
      : (parts[0] ?? '');
}

test('a folder imports only its own files and what everyone knows', () => {
  const wrong = imports
    .filter(({ to }) => to.startsWith('src/'))
    .filter((one) => !mayImport(one))
    .map(
      ({ from, to }) => `${from} imports ${to}: import the door of that room, or let src/cli/ join the two`,
    );
  expect(wrong).toEqual([]);
});

test('a package has one door', () => {
  const wrong = imports
    .filter(({ to }) => !to.startsWith('src/') && !(to.startsWith('node:') && doors[to] === undefined))
    .filter(
      ({ from, to }) =>
        !(doors[packageOf(to)] ?? []).some(
          (door) => from === door || (door.endsWith('/') && from.startsWith(door)),
        ),
    )
    .map(({ from, to }) => {
      const door = doors[packageOf(to)];
      return door === undefined
        ? `${from} imports ${to}, which has no door yet: choose one file for it and add it to this test`
        : `${from} imports ${to}: its door is ${door.join(' or ')}; call that instead`;
    });
  expect(wrong).toEqual([]);
});

test('commands and changes do no input or output of their own', () => {
  const wrong = imports
    .filter(({ from, to }) => /^src\/(commands|changes)\//.test(from) && !to.startsWith('src/'))
    .map(
      ({ from, to }) =>
        `${from} imports ${to}: ask ctx for it (src/commands/command.ts), and let cli/context.ts hand it over`,
    );
  expect(wrong).toEqual([]);
});

test('only bin, main and what joins for it touch the process', () => {
  const wrong = files
    .filter(
      (file) =>
        !file.startsWith('src/cli/') && /(^|[^.\w'"`])process\.(?!versions\b)/m.test(withoutComments(file)),
    )
    .map((file) => `${file} uses process: take it as a parameter, and let cli/ hand it over`);
  expect(wrong).toEqual([]);
});

test('nothing of the program reads the time or makes chance by itself but where main joins it', () => {
  const wrong = files
    .filter(
      (file) =>
        /^src\/(commands|changes)\//.test(file) &&
        /\bDate\.now\(|new Date\(\)|Math\.random\(/.test(withoutComments(file)),
    )
    .map((file) => `${file} reads the clock or makes chance: ask ctx.clock`);
  expect(wrong).toEqual([]);
});

function withoutComments(file: string): string {
  return readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
