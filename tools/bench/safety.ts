/** What safety costs: `orders refund` with its journal on disk, beside the same program with a journal in memory. */

import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { build } from 'rolldown';
import config from '../../rolldown.config.ts';
import type { StoredRow } from '../../src/journal/rows/chain.ts';
import { JournalTables } from '../../src/journal/sqlite/journal-tables.ts';
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
    const disk = await programIn('disk', []);
    const programs = { disk, memory: await programIn('memory', [memoryJournal(rowsOf(disk))]) };
    const times = timesOf(place, programs);
    return [
      timesRow(
        '`orders refund --yes`: journal on disk ÷ journal in memory',
        { wall: 1.15 },
        times.disk,
        times.memory,
      ),
    ];
  });
}

type Plugin = NonNullable<(typeof config)[number]['plugins']>;

/**
 * Puts the journal's store in memory, behind the same interface: everything else stays as it is. It begins with the rows of an
 * earlier refund, as the one on disk does, because a refund first reads the one before it again: both send the same requests.
 */
function memoryJournal(rows: readonly StoredRow[]): Plugin {
  return {
    name: 'memory-journal',
    load(id: string) {
      if (id !== join(root, 'src/journal/sqlite/sqlite-store.ts')) return undefined;
      return `
        import { createMemoryStore, Memory } from ${JSON.stringify(join(root, 'test/harness/memory-store.ts'))};
        export const createSqliteStore = () => {
          const memory = new Memory();
          memory.tables.add(${JSON.stringify(rows)});
          return createMemoryStore(memory);
        };`;
    },
  };
}

function rowsOf({ env }: Program): readonly StoredRow[] {
  const db = new DatabaseSync(join(env.HOME ?? '', '.local/state/paydesk/journal/journal.db'));
  try {
    return new JournalTables(db).after(0);
  } finally {
    db.close();
  }
}

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
