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

/** Known to everyone: the service's description, the money of an order, errors, variables, the rules of files, types, names. */
const shared = [
  'src/api/spec.ts',
  'src/api/charges.ts',
  'src/errors.ts',
  'src/env.ts',
  'src/attempt-words.ts',
  'src/profiles/own-file.ts',
  'src/ports.ts',
];

/** main and the files that join the rooms for it. */
const joiners = [
  'main',
  'context',
  'stage',
  'known-keys',
  'screen',
  'closed-stream',
  'accounts',
  'bookkeeping',
  'compile-cache',
  'completion-callback',
  'signals',
  'input',
  'clock',
  'home',
].map((name) => `src/${name}.ts`);

/** The files that turn a command line into a command, or into help. */
const reading = [
  'command-line',
  'program',
  'typed',
  'help',
  'help-topics',
  'usage',
  'globals',
  'global-flags',
].map((name) => `src/${name}.ts`);

/** Room → what it may import of ours, besides its own files. Joining is for src/*.ts: main and its parts. */
function mayImport(from: string, to: string): boolean {
  const room = from.split('/')[1] ?? '';
  if (to.startsWith(`src/${room}/`) || shared.includes(to)) return true;
  if (room === 'commands') return to === 'src/command.ts';
  if (reading.includes(from) || room === 'shells')
    return [...reading, 'src/command.ts', 'src/commands/index.ts'].includes(to);
  return joiners.includes(from);
}

/** Package → where its one door is. A folder ends in a slash. */
const doors: Readonly<Record<string, readonly string[]>> = {
  commander: ['src/program.ts'],
  ky: ['src/api/client.ts'],
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
    .filter(({ from, to, typeOnly }) => !(from === 'src/ports.ts' && typeOnly) && !mayImport(from, to))
    .map(
      ({ from, to }) =>
        `${from} imports ${to}: hand it over through src/ports.ts and join the two in src/main.ts`,
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

test('commands do no input or output of their own', () => {
  const wrong = imports
    .filter(({ from, to }) => from.startsWith('src/commands/') && !to.startsWith('src/'))
    .map(
      ({ from, to }) => `${from} imports ${to}: ask ctx for it (src/ports.ts), and let main.ts hand it over`,
    );
  expect(wrong).toEqual([]);
});

test('only bin, main and what joins for it touch the process', () => {
  const wrong = files
    .filter(
      (file) =>
        !joiners.includes(file) && /(^|[^.\w'"`])process\.(?!versions\b)/m.test(withoutComments(file)),
    )
    .map((file) => `${file} uses process: take it as a parameter, and let main.ts hand it over`);
  expect(wrong).toEqual([]);
});

test('nothing of the program reads the time or makes chance by itself but where main joins it', () => {
  const wrong = files
    .filter(
      (file) =>
        file.startsWith('src/commands/') &&
        /\bDate\.now\(|new Date\(\)|Math\.random\(/.test(withoutComments(file)),
    )
    .map((file) => `${file} reads the clock or makes chance: ask ctx.clock`);
  expect(wrong).toEqual([]);
});

function withoutComments(file: string): string {
  return readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
