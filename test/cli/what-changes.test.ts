/** What `help --json` says of a command, that it changes nothing, is true of the settings, keys and index of this machine. */

import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../../src/commands/commands.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { storeShop, testKey } from '../harness/service.ts';
import { isPlain, wordsOf } from '../harness/shell.ts';
import { order, startRefunds } from '../refunds/refund-service.ts';

// What a script needs besides the words, so that the command does what it is for. The other commands run their examples.
const lines: Readonly<Record<string, readonly string[]>> = {
  'profile add': [
    'new',
    '--base-url',
    'https://pay.example',
    '--mode',
    'sandbox',
    '--no-check',
    '--key-stdin',
    '--key-store',
    'file',
  ],
  'profile set': ['shop', 'refund.max_amount.MXN', '500'],
  'profile use': ['shop'],
  'profile key': ['shop', '--key-stdin'],
  'profile check': ['shop'],
  'profile show': ['shop'],
  'profile remove': ['new', '--yes'],
  'profile purge': ['--dry-run'],
  'index build': ['-p', 'shop', '--yes'],
  'index refresh': ['-p', 'shop'],
  'index status': ['-p', 'shop'],
  'index forget': ['-p', 'shop', '--all', '--yes'],
};

// They stay until somebody leaves.
const stays = new Set(['simulator serve', 'simulator drill', 'sender serve', 'orders browse', 'mcp']);

test('a command that changes nothing leaves profiles, keys, settings of the journal and the index as they were', async () => {
  await using service = await startRefunds([order('ord_1')]);
  using home = newHome();
  await storeShop(home, service);
  await paydesk(['-p', 'shop', 'index', 'build', '--yes'], { home });
  const changed = new Set<string>();
  for (const { words } of commands) {
    const name = words.join(' ');
    if (stays.has(name)) continue;
    for (const line of await linesOf(words)) {
      const before = await stateOf(home.path);
      await paydesk(line, { home, input: `${testKey}\n` });
      if ((await stateOf(home.path)) !== before) changed.add(name);
    }
  }

  const wrong = commands.filter(
    ({ words, changes }) => changes === 'nothing' && changed.has(words.join(' ')),
  );
  expect(wrong.map(({ words }) => words.join(' '))).toEqual([]);
  expect([...changed]).toEqual(
    expect.arrayContaining(['profile add', 'profile set', 'profile use', 'profile remove', 'index forget']),
  );

  async function stateOf(path: string): Promise<string> {
    const { stdout } = await paydesk(['journal', 'list', '--kind', 'setting', '--all-profiles', '--json'], {
      home,
    });
    const files = globSync(['.config/paydesk/**', '.local/state/paydesk/index/**'], { cwd: path })
      .filter((file) => statSync(join(path, file)).isFile())
      .toSorted();
    const hashes = files.map((file) => [
      file,
      createHash('sha256')
        .update(readFileSync(join(path, file)))
        .digest('hex'),
    ]);
    return JSON.stringify([hashes, stdout]);
  }
});

const degrees = ['nothing', 'machine', 'journal', 'service'];

test('a command that runs others can change as much as the one of them that changes most', () => {
  const running = commands.filter(({ runs }) => runs !== undefined);
  expect(running.map(({ words }) => words.join(' '))).toEqual(['orders browse']);
  for (const { changes, runs = [] } of running) {
    const all = runs.map((line) => commands.find(({ words }) => words.join(' ') === line)?.changes ?? line);
    const most = degrees.findLast((degree) => all.includes(degree));
    expect({ changes, all: all.every((one) => degrees.includes(one)) }).toEqual({ changes: most, all: true });
  }
});

async function linesOf(words: readonly string[]): Promise<readonly (readonly string[])[]> {
  const own = lines[words.join(' ')];
  if (own !== undefined) return [[...words, ...own]];
  const command = await commands.find((one) => one.words === words)?.load();
  return (command?.examples ?? []).filter(isPlain).map((line) => wordsOf(line).slice(1));
}
