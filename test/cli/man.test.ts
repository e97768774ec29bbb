/** The man page: what groff makes of it, and that nothing is left out. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { topicBlocks, topics } from '../../src/cli/help/help-topics.ts';
import { commands } from '../../src/commands/commands.ts';
import { manPage } from '../../tools/man.ts';
import { findProgram } from './completion/desk.ts';

const file = join(import.meta.dirname, '../../man/paydesk.1');

test('the man page is what the table of commands makes it: else npm run drift -- --write', async () => {
  expect(readFileSync(file, 'utf8')).toBe(await manPage());
});

test('the man page holds every command with every option and example, all topics and no bare control line', async () => {
  const page = await manPage();
  const plain = page.replaceAll('\\-', '-').replaceAll('\\e', '\\');
  for (const { words, load } of commands) {
    const { flags, examples } = await load();
    expect(plain).toContain(`.SS paydesk ${words.join(' ')} [options]`);
    for (const name of Object.keys(flags))
      expect(plain).toMatch(new RegExp(`^\\.B (-\\w, )?--${name}( |$)`, 'm'));
    for (const line of examples) expect(plain).toContain(`\n${line}\n`);
  }
  const titles = Object.keys(topics).map((name) => topicBlocks(name)[0]);
  expect(titles.map((block) => block?.kind)).toEqual(titles.map(() => 'title'));
  for (const heading of [
    'Global options',
    ...titles.map((block) => (block !== undefined && 'text' in block ? block.text : '')),
  ])
    expect(plain).toContain(`\n.SH ${heading.toUpperCase()}\n`);
  const known = ['\\"', 'B', 'IP', 'PP', 'RE', 'RS', 'SH', 'SS', 'TH', 'TP', 'fi', 'nf'];
  const requests = [...page.matchAll(/^[.'](\S*)/gm)].map(([, name]) => name ?? '');
  expect(requests.filter((name) => !known.includes(name))).toEqual([]);
});

const groff = findProgram('groff');
if (groff !== undefined) {
  test('groff typesets the man page without a warning', () => {
    const { status, stderr, stdout } = spawnSync(groff, ['-man', '-Tutf8', '-ww', file], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('orders refund');
  });
}
