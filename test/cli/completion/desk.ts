/** A home with profiles and a journal, and `paydesk` on the PATH, for shells to complete in. */

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { bin, cleanEnv, type Home, newHome, paydesk } from '../../harness/paydesk.ts';
import { storeProfile } from '../../harness/profile.ts';
import { type Pty, runInPty } from '../../harness/pty.ts';

export const completions = join(import.meta.dirname, '../../../completions');

/** An order of the demo's data of which a part can be refunded. */
export const demoOrder = 'ord_2tQ7zRk9PwE5xNvAm';

export interface ShellDesk extends Disposable {
  readonly home: Home;
  readonly env: Record<string, string>;
}

/** Profiles `shop-mx` and `test-mx`, and `paydesk` as a person has it. */
export async function shellDesk(): Promise<ShellDesk> {
  const home = newHome();
  for (const [name, mode] of [
    ['shop-mx', 'production'],
    ['test-mx', 'sandbox'],
  ] as const)
    await storeProfile(home, { name, mode, baseUrl: 'https://127.0.0.1:9' }, crypto.randomUUID());
  mkdirSync(join(home.path, 'bin'));
  const program = join(home.path, 'bin/paydesk');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
  chmodSync(program, 0o755);
  const env = { ...cleanEnv({ home }), PATH: `${home.path}/bin:/usr/bin:/bin` };
  return { home, env, [Symbol.dispose]: () => home[Symbol.dispose]() };
}

/** Refunds a part of an order of the demo, so that the journal knows it. */
export async function refundOnDemo(home: Home): Promise<void> {
  const line = ['-p', 'demo', 'orders', 'refund', demoOrder, '--charge', '1', '--amount', '200'];
  const { code, stderr } = await paydesk([...line, '--reason', 'other', '--yes', '--no-input'], { home });
  if (code !== 0) throw new Error(`the refund that the journal is to know failed: ${stderr}`);
}

/** Where a program is, or undefined. */
export function findProgram(name: string): string | undefined {
  return `${process.env.PATH ?? ''}${delimiter}/usr/bin${delimiter}/bin`
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}

/** A shell; Debian's package is installed when it is not there. Throws when that cannot be done. */
export function installedShell(name: string): string {
  const found = findProgram(name);
  if (found !== undefined) return found;
  const { status } = spawnSync('apt-get', ['install', '-y', '--no-install-recommends', name]);
  const installed = findProgram(name);
  if (installed !== undefined) return installed;
  throw new Error(
    `${name} is not on this machine, and apt-get could not install it (exit ${status ?? 'unknown'}): install ${name}`,
  );
}

/** A shell at a terminal, with a folder of its own as the current one. */
export function shellAtTerminal(shell: string, args: readonly string[], desk: ShellDesk): Pty {
  return runInPty(shell, args, { cwd: desk.home.path, env: desk.env, columns: 200, rows: 50 });
}
