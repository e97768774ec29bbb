/** A command in a text stays in one piece; a sentence that begins with the name of the program is broken like any other. */

import { expect, test } from 'vitest';
import { commands } from '../../src/commands/commands.ts';
import { blockLines } from '../../src/terminal/blocks.ts';
import type { Times } from '../../src/terminal/local-time.ts';
import { commandIn, wrap } from '../../src/terminal/text-lines.ts';

const wrapped = (text: string) => wrap([{ text, style: undefined }], 0, { width: 30, paint: (one) => one });

test('a command is not broken, whichever it is', () => {
  for (const { words } of commands) {
    const line = `paydesk ${words.join(' ')} --with many words behind it`;
    expect(wrapped(line)).toEqual([line]);
    expect(wrapped(`look at it: ${line}`).at(-1)).toBe(line);
  }
  expect(commandIn('paydesk -p shop orders list')).toBe(0);
  expect(commandIn('paydesk --help')).toBe(0);
});

test('a table has no column that is too narrow for its command', () => {
  const line = 'paydesk -p shop orders twins --period today';
  const block = {
    grid: [['twins', `look at it: ${line}`]],
    narrow: [{ line: `twins  look at it: ${line}` }],
  };
  const style = { paint: (one: string) => one, times: {} as Times, clean: (one: string) => one };
  expect(blockLines([block], { ...style, width: 48 }).join('\n')).toContain(line);
});

test('a sentence about paydesk is broken between words', () => {
  expect(wrapped('paydesk cannot take a refund back, nor can anybody else')).toEqual([
    'paydesk cannot take a refund',
    'back, nor can anybody else',
  ]);
  expect(wrapped('look there: paydesk cannot look it up')).toEqual([
    'look there: paydesk cannot',
    'look it up',
  ]);
});
