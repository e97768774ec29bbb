/** `simulator serve --db`: what is memory, and what is the name of a file. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { bin, cleanEnv, type Home, newHome } from '../harness/paydesk.ts';

// Starts it in an empty folder, ends it once it listens, and looks at what lies there.
async function filesAfter(db: string): Promise<readonly string[]> {
  using home: Home = newHome();
  const child = spawn(process.execPath, [bin, 'simulator', 'serve', '--json', '--db', db], {
    env: cleanEnv({ home }),
    cwd: home.path,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  expect(JSON.parse(line)).toMatchObject({ object: 'simulator' });
  child.kill();
  await ended;
  return readdirSync(home.path);
}

test('--db :memory: keeps its state in memory and makes no file', async () => {
  expect(await filesAfter(':memory:')).toEqual([]);
});

test('every other text is the name of a file, also one that SQLite would read as an address', async () => {
  expect(await filesAfter('file:sim.db?mode=memory')).toEqual(['file:sim.db?mode=memory']);
});
