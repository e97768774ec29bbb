/** Rows of two commits beside each other: the commands of the start, as they are here and as they were at a commit. */

import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openDesk } from './desk.ts';
import { type Place, type Program, run, timesOf } from './measure.ts';
import { type Row, timesRow } from './row.ts';
import { startCommands, withServices } from './start.ts';

const root = join(import.meta.dirname, '../..');

/** Builds a commit in a folder of its own, and measures the start of both. Throws when it cannot be built. */
export async function comparedRows(commit: string, place: Place): Promise<Row[]> {
  const project = join(place.folder, 'compared');
  shell('git', ['worktree', 'add', '--detach', project, commit], root);
  try {
    buildIn(project);
    return await withServices(async (services) => {
      const commandsOf = (folder: string, desk: string) =>
        startCommands(openDesk(join(place.folder, desk), folder), services);
      return rowsOf(commandsOf(root, 'here'), commandsOf(project, 'there'), commit, place);
    });
  } finally {
    shell('git', ['worktree', 'remove', '--force', project], root);
  }
}

function rowsOf(
  here: Readonly<Record<string, Program>>,
  there: Readonly<Record<string, Program>>,
  commit: string,
  place: Place,
): Row[] {
  const before = (name: string) => `${name} before`;
  const old = Object.entries(there).map(([name, program]) => [before(name), program] as const);
  const programs: Record<string, Program> = { ...here, ...Object.fromEntries(old) };
  for (const program of Object.values(programs)) run(program, place);
  const times = timesOf(place, programs);
  return Object.keys(here).map((name) =>
    timesRow(`${name} ÷ at ${commit}`, {}, times[name] ?? [], times[before(name)] ?? []),
  );
}

// With the same packages, those that are installed here will do.
function buildIn(project: string): void {
  const lock = (folder: string) => readFileSync(join(folder, 'package-lock.json'), 'utf8');
  if (lock(project) === lock(root)) symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  else shell('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], project);
  shell('npm', ['run', '--silent', 'build'], project);
}

function shell(program: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`${[program, ...args].join(' ')} ended with ${status}: ${stderr}`);
}
