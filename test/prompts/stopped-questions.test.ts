/** Every way of ending a question leaves the terminal as it was and the service untouched. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Desk, startDesk } from '../harness/desk.ts';
import { newHome } from '../harness/paydesk.ts';
import { withoutEscapes } from '../harness/pty.ts';
import { atTerminal, type Ended, type Terminal } from '../harness/terminal.ts';

let sandbox: Desk;
let production: Desk;
// A paid order of one charge, and the number of a split one among those that can be refunded, nothing of it refunded.
let paid: string;
let authorized: string;
let split: number;

beforeAll(async () => {
  [sandbox, production] = await Promise.all([startDesk(), startDesk({ mode: 'production' })]);
  const orders = await sandbox.orders();
  paid =
    orders.find((order) => order.payment_status === 'paid' && order.charges?.data.length === 1)?.id ?? '';
  authorized = orders.find((order) => order.payment_status === 'pre_authorized')?.id ?? '';
  split = orders
    .filter(({ is_refundable }) => is_refundable)
    .findIndex(
      ({ charges }) => charges?.data.length === 2 && charges.data.every(({ refunds }) => refunds === null),
    );
});
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  await production[Symbol.asyncDispose]();
});

type Style = 'redrawn' | 'lines';

interface Question {
  readonly name: string;
  readonly at: string;
  readonly mode?: 'production';
  readonly args: () => readonly string[];
  /** What is shown, and what is then typed, before the question. */
  readonly before?: (style: Style) => readonly (readonly [shown: string, keys: string])[];
}

const down = '\x1b[B';
const pickSplit = (style: Style) =>
  style === 'redrawn'
    ? (['> ', `${down.repeat(split)}\r`] as const)
    : (['words to search: ', `${split + 1}\r`] as const);
const pickCharge = (style: Style) =>
  style === 'redrawn' ? (['> all of it', `${down}\r`] as const) : (['type a number', '2\r'] as const);

const questions: readonly Question[] = [
  { name: 'which order', at: 'Which order?', args: () => ['orders', 'refund'] },
  {
    name: 'refund what',
    at: 'Refund what?',
    args: () => ['orders', 'refund'],
    before: (style) => [pickSplit(style)],
  },
  {
    name: 'how much',
    at: 'How much?',
    args: () => ['orders', 'refund'],
    before: (style) => [pickSplit(style), pickCharge(style)],
  },
  { name: 'why', at: 'Why?', args: () => ['orders', 'refund', paid] },
  {
    name: 'the note, which may be empty',
    at: 'Note',
    args: () => ['orders', 'refund', paid, '--reason', 'other'],
  },
  {
    name: 'refund it',
    at: 'Send it?',
    args: () => ['orders', 'refund', paid, '--reason', 'other', '--note', 'n'],
  },
  { name: 'capture it', at: 'Send it?', args: () => ['orders', 'capture', authorized] },
  {
    name: 'the amount, in production',
    at: 'Type the amount',
    mode: 'production',
    args: () => ['orders', 'refund', paid, '--reason', 'other', '--note', 'n'],
  },
];

// Both simulators start from the same data, so the ids are the same.
async function stopAt(
  question: Question,
  style: Style,
  stop: (terminal: Terminal) => void,
): Promise<{
  readonly ended: Ended;
  readonly lastLines: string;
  readonly changes: number;
  readonly journal: boolean;
}> {
  using home = newHome();
  const desk = question.mode === 'production' ? production : sandbox;
  const env = style === 'lines' ? { ...desk.env, PAYDESK_ACCESSIBLE: '1' } : desk.env;
  const terminal = atTerminal(question.args(), { home, env, columns: 120 });
  for (const [shown, keys] of question.before?.(style) ?? []) await terminal.answer(shown, keys);
  await terminal.waitFor(question.at);
  stop(terminal);
  const ended = await terminal.end;
  const lines = withoutEscapes(ended.transcript).trimEnd().split('\r\n');
  const journal = existsSync(join(home.path, '.local/state/paydesk/journal'));
  return { ended, lastLines: lines.slice(-2).join('\n'), changes: desk.changes().length, journal };
}

// Every question is stopped on the full terminal. Among lines only the kind of prompt makes a difference: one to search
// in, one to choose from, a yes or no, and a text.
const inLines = ['which order', 'why', 'refund it', 'the amount, in production'];
const cases = [
  ...questions.map((question) => ({ style: 'redrawn' as const, name: question.name, question })),
  ...questions
    .filter(({ name }) => inLines.includes(name))
    .map((question) => ({ style: 'lines' as const, name: question.name, question })),
];

describe.concurrent('Ctrl-C at a prompt exits 130 with two short lines, sends nothing and leaves nothing pending (E47, F34)', () => {
  test.each(cases)('$name, $style', async ({ question, style }) => {
    const { ended, lastLines, changes, journal } = await stopAt(question, style, (terminal) =>
      terminal.type('\x03'),
    );
    expect(ended.exitCode).toBe(130);
    expect(lastLines).toMatch(/^interrupted: Ctrl-C\ncertain: nothing was sent( or changed)?$/);
    expect(ended.transcript).not.toMatch(/\n\s+at |Error/);
    expect(ended).toMatchObject({ sameTerminal: true, cursorShown: true });
    expect({ changes, journal }).toEqual({ changes: 0, journal: false });
  });
});

describe.concurrent('Ctrl-D at a prompt exits 3, says cancelled and what is certain, sends nothing and leaves nothing pending (E48, F34)', () => {
  test.each(cases)('$name, $style', async ({ question, style }) => {
    const { ended, lastLines, changes, journal } = await stopAt(question, style, (terminal) =>
      terminal.type('\x04'),
    );
    expect(ended.exitCode).toBe(3);
    expect(lastLines).toMatch(/^cancelled: .{0,60}\ncertain: nothing was sent( or changed)?$/);
    expect(ended).toMatchObject({ sameTerminal: true, cursorShown: true });
    expect({ changes, journal }).toEqual({ changes: 0, journal: false });
  });
});

const signals = [
  { signal: 'SIGINT', code: 130 },
  { signal: 'SIGTERM', code: 143 },
  { signal: 'SIGHUP', code: 129 },
] as const;
const kindsOfPrompt = [
  { style: 'redrawn', name: 'which order' },
  { style: 'lines', name: 'refund it' },
  { style: 'redrawn', name: 'why' },
  { style: 'redrawn', name: 'the amount, in production' },
] as const;
// Each signal arrives at both styles and at a choice, and one of them at every kind of prompt.
const delivered = signals.flatMap((one) =>
  kindsOfPrompt.slice(0, one.signal === 'SIGHUP' ? undefined : 3).map((kind) => ({ ...one, ...kind })),
);

describe.concurrent('a signal at a prompt, a hang-up too, restores cursor and echo and leaves nothing pending (E51, F34)', () => {
  test.each(delivered)('$signal: $name, $style', async ({ signal, code, style, name }) => {
    const question = questions.find((one) => one.name === name) ?? questions[0];
    if (question === undefined) throw new Error(`no question ${name}`);
    const { ended, changes, journal } = await stopAt(question, style, (terminal) => terminal.signal(signal));
    expect(ended.exitCode).toBe(code);
    expect(ended.transcript).not.toMatch(/\n\s+at /);
    expect(ended).toMatchObject({ sameTerminal: true, cursorShown: true });
    expect({ changes, journal }).toEqual({ changes: 0, journal: false });
  });
});
