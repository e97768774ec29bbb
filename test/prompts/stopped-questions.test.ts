/** Every way of ending a question leaves the terminal as it was and the service untouched. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Desk, startDesk } from '../harness/desk.ts';
import { newHome } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { withoutEscapes } from '../harness/pty.ts';
import { atTerminal, isCursorShown } from '../harness/terminal.ts';

let sandbox: Desk;
let production: Desk;
// A paid order of one charge, and a split one of which nothing is refunded.
let paid: string;
let authorized: string;
let split: string;

beforeAll(async () => {
  [sandbox, production] = await Promise.all([startDesk(), startDesk({ mode: 'production' })]);
  const orders = await sandbox.orders();
  paid =
    orders.find((order) => order.payment_status === 'paid' && order.charges?.data.length === 1)?.id ?? '';
  authorized = orders.find((order) => order.payment_status === 'pre_authorized')?.id ?? '';
  const found = orders.find(
    ({ is_refundable: isRefundable, charges }) =>
      isRefundable && charges?.data.length === 2 && charges.data.every(({ refunds }) => refunds === null),
  );
  if (found === undefined) throw new Error('the simulator has no such order');
  split = found.id;
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
  readonly before?: () => readonly (readonly [shown: string | RegExp, keys: string])[];
}

// By its id, once the list shows it for that: what is typed at a list that is still being read would choose another one.
const pickSplit = () =>
  [
    ['Which order?', split],
    [new RegExp(`${split}[\\s\\S]*\\n${split}  `), '\r'],
  ] as const;

const questions: readonly Question[] = [
  { name: 'which order', at: 'Which order?', args: () => ['orders', 'refund'] },
  {
    name: 'refund what',
    at: 'Refund what?',
    args: () => ['orders', 'refund'],
    before: pickSplit,
  },
  {
    name: 'how much',
    at: 'How much?',
    args: () => ['orders', 'refund'],
    before: () => [...pickSplit(), ['> charge 1', '\r']],
  },
  { name: 'why', at: 'Why?', args: () => ['orders', 'refund', paid, '--amount', '7'] },
  {
    name: 'the note, which may be empty',
    at: 'Note',
    args: () => ['orders', 'refund', paid, '--amount', '7', '--reason', 'other'],
  },
  {
    name: 'refund it',
    at: 'Send back',
    args: () => ['orders', 'refund', paid, '--only-confirm'],
  },
  { name: 'capture it', at: 'Capture', args: () => ['orders', 'capture', authorized] },
  {
    name: 'the amount, in production',
    at: 'Type the amount',
    mode: 'production',
    args: () => ['orders', 'refund', paid, '--only-confirm'],
  },
];

interface Stopped {
  readonly code: number | null;
  readonly transcript: string;
  readonly isCursorShown: boolean;
  /** Not asked of a terminal in memory. */
  readonly isSameTerminal: boolean;
  readonly changes: number;
  readonly journal: boolean;
}

// Both simulators start from the same data, so the ids are the same.
async function stopAt(
  { args, at, mode, before = () => [] }: Question,
  style: Style,
  how: { readonly keys: string; readonly isReal: boolean } | { readonly signal: NodeJS.Signals },
): Promise<Stopped> {
  using home = newHome();
  const desk = mode === 'production' ? production : sandbox;
  const env = style === 'lines' ? { ...desk.env, PAYDESK_ACCESSIBLE: '1' } : desk.env;
  const real = 'signal' in how || how.isReal ? atTerminal(args(), { home, env, columns: 120 }) : undefined;
  const person = real ?? sit(args(), { home, env }, 120);
  for (const [shown, keys] of before()) await person.answer(shown, keys);
  await person.waitFor(at);
  if ('keys' in how) person.type(how.keys);
  else real?.signal(how.signal);
  const ended = await real?.end;
  const code = 'leaves' in person ? (await person.leaves).code : (ended?.exitCode ?? null);
  const { transcript } = person;
  return {
    code,
    transcript,
    isCursorShown: isCursorShown(transcript),
    isSameTerminal: ended?.sameTerminal ?? true,
    changes: desk.changes().length,
    journal: existsSync(join(home.path, '.local/state/paydesk/journal')),
  };
}

const nothingLeft = { isCursorShown: true, isSameTerminal: true, changes: 0, journal: false };

function lastLines({ transcript }: Stopped): string {
  return withoutEscapes(transcript).trimEnd().split('\r\n').slice(-2).join('\n');
}

// Among lines only the kind of prompt makes a difference: one to search in, one to choose from, a yes or no, and a text. There
// the terminal itself makes a signal of Ctrl-C. A prompt that is redrawn reads the keys, two of them at a real terminal.
const ofEachKind = ['which order', 'why', 'refund it', 'the amount, in production'];
const cases = [
  ...questions.map((question) => ({
    style: 'redrawn' as const,
    question,
    isReal: ['which order', 'refund it'].includes(question.name),
  })),
  ...questions
    .filter(({ name }) => ofEachKind.includes(name))
    .map((question) => ({ style: 'lines' as const, question, isReal: true })),
].map((one) => ({ ...one, name: one.question.name, where: one.isReal ? 'real terminal' : 'in memory' }));

describe.concurrent('Ctrl-C at a prompt exits 130 with two short lines, sends nothing and leaves nothing pending (E47, F34)', () => {
  test.each(cases)('$name, $style ($where)', async ({ question, style, isReal }) => {
    const stopped = await stopAt(question, style, { keys: '\x03', isReal });
    expect(stopped).toMatchObject({ code: 130, ...nothingLeft });
    expect(lastLines(stopped)).toMatch(/^interrupted: Ctrl-C\ncertain: nothing was sent( or changed)?$/);
    expect(stopped.transcript).not.toMatch(/\n\s+at |Error/);
  });
});

describe.concurrent('Ctrl-D at a prompt exits 3, says cancelled and what is certain, sends nothing and leaves nothing pending (E48, F34)', () => {
  test.each(cases)('$name, $style ($where)', async ({ question, style, isReal }) => {
    const stopped = await stopAt(question, style, { keys: '\x04', isReal });
    expect(stopped).toMatchObject({ code: 3, ...nothingLeft });
    expect(lastLines(stopped)).toMatch(/^cancelled: .{0,60}\ncertain: nothing was sent( or changed)?$/);
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
// Each signal arrives at a prompt, and a hang-up at every kind of prompt.
const delivered = signals.flatMap((one) =>
  kindsOfPrompt.slice(0, one.signal === 'SIGHUP' ? undefined : 1).map((kind) => ({ ...one, ...kind })),
);

describe.concurrent('a signal at a prompt, a hang-up too, restores cursor and echo and leaves nothing pending (E51, F34)', () => {
  test.each(delivered)('$signal: $name, $style', async ({ signal, code, style, name }) => {
    const question = questions.find((one) => one.name === name) ?? questions[0];
    if (question === undefined) throw new Error(`no question ${name}`);
    const stopped = await stopAt(question, style, { signal });
    expect(stopped).toMatchObject({ code, ...nothingLeft });
    expect(stopped.transcript).not.toMatch(/\n\s+at /);
  });
});
