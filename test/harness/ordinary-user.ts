/** Running the program as an ordinary user where the suite runs as root, for whom no file is read-only. */

import { chownSync, cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Home } from './paydesk.ts';
import { bin } from './paydesk.ts';

const nobody = 65_534;

/** Who runs the program, and where it lies for them. */
export interface OrdinaryUser extends Disposable {
  /** Absent: the user of the suite. */
  readonly uid?: number;
  readonly node: string;
  readonly bin: string;
}

/** Finds an ordinary user. What they could not reach is copied to a folder that `[Symbol.dispose]` removes. */
export function ordinaryUser(): OrdinaryUser {
  const here = { node: process.execPath, bin, [Symbol.dispose]: () => undefined };
  if (process.getuid?.() !== 0) return here;
  if (isOpen(process.execPath) && isOpen(bin)) return { ...here, uid: nobody };
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-program-'));
  const root = join(dirname(bin), '..');
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  cpSync(process.execPath, join(folder, 'node'));
  give(folder, nobody);
  return {
    uid: nobody,
    node: join(folder, 'node'),
    bin: join(folder, 'bin/paydesk.js'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Makes a home folder, with all that is in it, that of the user. */
export function giveHome(home: Home, { uid }: OrdinaryUser): void {
  if (uid !== undefined) give(home.path, uid);
}

function give(path: string, uid: number): void {
  chownSync(path, uid, uid);
  if (!statSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) give(join(path, name), uid);
}

// Whether everybody may read it and pass through every folder on the way.
function isOpen(path: string): boolean {
  return (statSync(path).mode & 0o004) !== 0 && isPassable(dirname(path));
}

function isPassable(path: string): boolean {
  if ((statSync(path).mode & 0o001) === 0) return false;
  const parent = dirname(path);
  return parent === path || isPassable(parent);
}
