/** What safety costs: `orders refund` with its journal on disk, beside the same program with a journal in memory. */

import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import config from '../../rolldown.config.ts';
import { type Desk, openDesk } from './desk.ts';
import { type Place, type Program, run, timesOf } from './measure.ts';
import { type Row, timesRow } from './row.ts';
import { startCommands, withServices } from './start.ts';

const root = join(import.meta.dirname, '../..');

/** The row of safety. The journal lies on the disk of the place's folder. */
export function safetyRows(_desk: Desk, place: Place): Promise<Row[]> {
  return withServices(async (services) => {
    const programIn = async (name: string, plugins: readonly Plugin[]): Promise<Program> => {
      const folder = join(place.folder, name);
      await buildIn(folder, plugins);
      const program = startCommands(openDesk(folder, folder), services)['`orders refund --yes`'];
      // A second run finds the compile cache of the first one.
      run(program, place);
      return program;
    };
    const programs = {
      disk: await programIn('disk', []),
      memory: await programIn('memory', [memoryJournal]),
    };
    const { disk, memory } = timesOf(place, programs);
    return [
      timesRow('`orders refund --yes`: journal on disk ÷ journal in memory', { wall: 1.15 }, disk, memory),
    ];
  });
}

type Plugin = NonNullable<(typeof config)[number]['plugins']>;

/** Puts the journal's store in memory, behind the same interface: everything else stays as it is. */
const memoryJournal = {
  name: 'memory-journal',
  load(id: string) {
    if (id !== join(root, 'src/journal/sqlite/sqlite-store.ts')) return undefined;
    return `
      import { createMemoryStore } from ${JSON.stringify(join(root, 'test/harness/memory-store.ts'))};
      export const createSqliteStore = () => createMemoryStore();`;
  },
} satisfies Plugin;

async function buildIn(folder: string, plugins: readonly Plugin[]): Promise<void> {
  mkdirSync(folder);
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  for (const { output, ...input } of config) {
    const settings = Array.isArray(output) ? output[0] : output;
    await build({
      ...input,
      cwd: root,
      plugins: [input.plugins, ...plugins],
      logLevel: 'silent',
      output: { ...settings, dir: join(folder, 'dist') },
    });
  }
}
