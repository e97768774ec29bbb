/** Rows of the start: how much longer than an empty program of Node a command takes. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Desk, type Service, startService } from './desk.ts';
import { type Place, printedFile, wallTimes } from './measure.ts';
import type { Row } from './row.ts';

const root = join(import.meta.dirname, '../..');
// Inside the project, so that packages are found in its node_modules.
const unbundledFolder = join(root, '.bench');

/** All rows of the start, measured in the same rounds. */
export async function startRows(desk: Desk, place: Place): Promise<Row[]> {
  const service = await startService(1000);
  try {
    const unbundled = emitUnbundled();
    warmUp(desk, service, place);
    const times = wallTimes(place, {
      empty: desk.other(undefined, 'empty.js'),
      version: desk.paydesk(undefined, '--version'),
      help: desk.paydesk(undefined, '--help'),
      refundHelp: desk.paydesk(undefined, 'orders', 'refund', '--help'),
      tab: desk.paydesk(undefined, '__complete', 'bash', '2', 'paydesk', 'orders', 're'),
      list: desk.paydesk(service, 'orders', 'list'),
      fetch: desk.other(service, 'bare-fetch.js'),
      unbundled: desk.script(service, unbundled, 'orders', 'list'),
    });
    const { empty, list } = times;
    const row = (name: string, goal: number, samplesA: number[], samplesB: number[]): Row => ({
      name,
      goal,
      samplesA,
      samplesB,
    });
    return [
      row('`--version` ÷ empty Node start', 1.05, times.version, empty),
      row('`--help` ÷ empty Node start', 1.6, times.help, empty),
      row('`orders refund --help` ÷ empty Node start', 1.6, times.refundHelp, empty),
      row('a completion call ÷ empty Node start', 1.3, times.tab, empty),
      row('`orders list`, 20 rows ÷ empty Node start', 3.6, list, empty),
      row('`orders list`, 20 rows ÷ a script with one bare `fetch`', 1.3, list, times.fetch),
      row('`orders list`, 20 rows ÷ itself as tsc output with node_modules', 0.4, list, times.unbundled),
    ];
  } finally {
    await service.stop();
    rmSync(unbundledFolder, { recursive: true, force: true });
  }
}

// An operator's second command finds the compile cache that the first one made.
function warmUp(desk: Desk, service: Service, place: Place): void {
  for (let run = 0; run < 2; run += 1)
    wallTimes({ ...place, rounds: 0 }, { list: desk.paydesk(service, 'orders', 'list') });
  const rows = readFileSync(printedFile(place), 'utf8').match(/^ord_/gm)?.length;
  if (rows !== 20) throw new Error(`orders list printed ${rows} orders, not 20`);
}

// The same program without a bundler: what tsc emits, and a bin that calls it.
function emitUnbundled(): string {
  mkdirSync(unbundledFolder, { recursive: true });
  const tsc = join(root, 'node_modules/.bin/tsc');
  const config = join(unbundledFolder, 'tsconfig.json');
  writeFileSync(
    config,
    JSON.stringify({
      extends: '../tsconfig.json',
      compilerOptions: { noEmit: false, outDir: '.', rootDir: '..' },
      include: ['../src', '../bin'],
    }),
  );
  const { status, stdout } = spawnSync(tsc, ['-p', config], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`tsc ended with ${status}: ${stdout}`);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const bin = join(unbundledFolder, 'paydesk.js');
  writeFileSync(
    bin,
    `globalThis.PAYDESK_VERSION = ${JSON.stringify(version)};\nconst { start } = await import('./bin/start.js');\nawait start(process);\n`,
  );
  return bin;
}
