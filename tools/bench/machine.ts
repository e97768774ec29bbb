/** What a run of the bench ran on: the machine, and the versions of everything that was compared. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Lines to stand above or below the table. */
export function machineLines(axiosFolder: string): string[] {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const versions = [
    ['node', process.versions.node],
    ['paydesk', packageVersion(root)],
    ['curl', toolVersion('curl')],
    ['jq', toolVersion('jq')],
    ['axios', packageVersion(join(axiosFolder, 'node_modules/axios'))],
    ['cli-table3', packageVersion(join(root, 'node_modules/cli-table3'))],
  ];
  return [
    `${type()} ${release()}, ${cpus().length} cores of ${cpu?.model.trim() ?? 'unknown'}, ${memory} GB`,
    versions.map(([name, version]) => `${name} ${version ?? 'not found'}`).join(', '),
  ];
}

function packageVersion(folder: string): string | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
  } catch {
    return undefined;
  }
}

/** The version of a program of PATH; undefined where there is none. */
export function toolVersion(name: string): string | undefined {
  const { status, stdout } = spawnSync(name, ['--version'], { encoding: 'utf8' });
  return status === 0 ? /\d+(\.\d+)+/.exec(stdout)?.[0] : undefined;
}
