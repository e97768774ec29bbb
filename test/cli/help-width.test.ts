/** It is wrapped to the width that COLUMNS or the terminal says. */

import { expect, test } from 'vitest';
import { topicBlocks, topics } from '../../src/cli/help/help-topics.ts';
import { commands } from '../../src/commands/commands.ts';
import { groupNames, leafCommands, textOf } from '../harness/help-text.ts';
import { bin, cleanEnv, newHome, paydesk } from '../harness/paydesk.ts';
import { runInPty } from '../harness/pty.ts';

/** Lines wider than so many columns; one that holds a single word and what continues it cannot be narrower. */
function tooWide(text: string, columns: number): readonly string[] {
  return text.split(/\r?\n/).filter((line) => line.length > columns && !/^ *('[^']*'|\S+)( \\)?$/.test(line));
}

// The texts of all commands, without starting a process for each of them at each width.
test.each([40, 60, 80, 120])('no line of any help is wider than %i columns (C26)', async (columns) => {
  const lines = [
    [],
    ['--help'],
    ['help', 'commands'],
    ...(await groupNames()).map((noun) => [noun]),
    ...(await leafCommands()).map((words) => [...words, '--help']),
  ];
  for (const line of lines) {
    const text = await textOf(line, columns);
    expect(text.length, line.join(' ')).toBeGreaterThan(100);
    expect(tooWide(text, columns), line.join(' ')).toEqual([]);
  }
});

test.each([40, 80])(
  'at %i columns a guide is no wider, but no line of code in it is wrapped or cut',
  async (columns) => {
    for (const topic of Object.keys(topics)) {
      const code = topicBlocks(topic).flatMap((block) => (block.kind === 'code' ? block.lines : []));
      const lines = (await textOf(['help', topic], columns)).split('\n');
      const isCode = (line: string) => code.includes(line.slice(2));
      expect(lines.filter(isCode).length, topic).toBeGreaterThanOrEqual(code.length);
      expect(tooWide(lines.filter((line) => !isCode(line)).join('\n'), columns), topic).toEqual([]);
    }
  },
);

test.each([40, 120])('off a terminal COLUMNS=%i is the width of help (C26)', async (columns) => {
  using home = newHome();
  const { stdout } = await paydesk(['orders', 'refund', '--help'], { home, env: { COLUMNS: `${columns}` } });
  expect(tooWide(stdout, columns)).toEqual([]);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeGreaterThan(columns - 12);
});

test.each([40, 120])(
  'on a terminal of %i columns help is as wide as that, whatever COLUMNS says (C26)',
  async (columns) => {
    using home = newHome();
    const env = { ...cleanEnv({ home }), COLUMNS: '80' };
    const pty = runInPty(process.execPath, [bin, 'orders', 'refund', '--help'], { columns, env });
    const { transcript } = await pty.end;
    expect(tooWide(transcript, columns)).toEqual([]);
    expect(Math.max(...transcript.split('\r\n').map((line) => line.length))).toBeGreaterThan(columns - 12);
  },
);

test('an example that is wrapped is still one command when it is pasted (C26)', async () => {
  using home = newHome();
  const { stdout } = await paydesk(['orders', 'show', '--help'], { home, env: { COLUMNS: '40' } });
  const commands = stdout.replace(/ \\\n\s+/g, ' ').match(/paydesk .*/g) ?? [];
  expect(commands).toContain('paydesk -p demo orders show ord_2tQ7zRk9PwE5xNvAm');
});

test('no description is broken in mid-sentence: the width alone breaks its lines (C26)', async () => {
  const texts = await Promise.all(commands.map(async ({ load }) => (await load()).description ?? ''));
  // A line that starts with a space is a command to copy.
  const breaks = texts.flatMap((text) => text.match(/^[^ \n].*[^.:\n]\n[^ \n].*$/gm) ?? []);
  expect(breaks).toEqual([]);
});
