/** Lines as they are printed: in a shell where `paydesk` and `npx paydesk` are the built program, or taken apart. */

import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bin, cleanEnv, type Home } from './paydesk.ts';
import { endOf, type Ran } from './ran.ts';

export interface ShellOptions {
  readonly home: Home;
  readonly env?: Readonly<Record<string, string>>;
}

/** The environment of such a shell; the programs are put into the home folder. */
export function shellEnv({ home, env = {} }: ShellOptions): Record<string, string> {
  const folder = join(home.path, 'bin');
  mkdirSync(folder, { recursive: true });
  put(join(folder, 'paydesk'), `exec '${process.execPath}' '${bin}' "$@"`);
  put(join(folder, 'npx'), 'shift; exec paydesk "$@"');
  const clean = cleanEnv({ home, env });
  return { ...clean, PATH: `${folder}:${clean.PATH}` };
}

function put(file: string, line: string): void {
  writeFileSync(file, `#!/bin/sh\n${line}\n`);
  chmodSync(file, 0o755);
}

/** Runs a line to its end, without a terminal. */
export function runLine(line: string, options: ShellOptions): Promise<Ran> {
  const child = spawn('bash', ['-c', line], {
    env: shellEnv(options),
    cwd: options.home.path,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return endOf(child);
}

/** Whether a shell does no more with a line than take it apart. */
export function isPlain(line: string): boolean {
  return !/[|<>&"$`\\;*]/.test(line);
}

/** The words of a plain line. */
export function wordsOf(line: string): readonly string[] {
  return (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));
}
