/** Who is asked, where questions appear, and what an empty answer means. How they end on a real terminal: stopped-questions. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Desk, startDesk, withoutTwins } from '../harness/desk.ts';
import { helpOf } from '../harness/help-text.ts';
import { newHome, paydesk, paydeskProcess } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { atTerminal } from '../harness/terminal.ts';

// The two that are asked in vain, and the two that change something.
let sandbox: Desk;
let production: Desk;
let changing: Desk;
let changingProduction: Desk;
let paid: readonly { readonly id: string; readonly amount: number }[];
let authorized: readonly { readonly id: string; readonly amount: number }[];

const id = (index: number): string => paid[index]?.id ?? '';
const authorizedId = (index: number): string => authorized[index]?.id ?? '';

beforeAll(async () => {
  [sandbox, production, changing, changingProduction] = await Promise.all([
    startDesk(),
    startDesk({ mode: 'production' }),
    startDesk(),
    startDesk({ mode: 'production' }),
  ]);
  const orders = withoutTwins(await sandbox.orders());
  paid = orders.filter(
    ({ payment_status, is_refundable, charges }) =>
      payment_status === 'paid' && is_refundable !== false && charges?.data.length === 1,
  );
  authorized = orders.filter(({ payment_status }) => payment_status === 'pre_authorized');
});
afterAll(async () => {
  for (const desk of [sandbox, production, changing, changingProduction]) await desk[Symbol.asyncDispose]();
});

interface Missing {
  readonly name: string;
  readonly desk: () => Desk;
  readonly args: () => readonly string[];
  readonly flag: string;
}

const missing: readonly Missing[] = [
  { name: 'an order', desk: () => sandbox, args: () => ['orders', 'refund', '--yes'], flag: 'ID' },
  { name: 'a yes', desk: () => sandbox, args: () => ['orders', 'refund', id(0)], flag: '--yes' },
  {
    name: 'a yes to a capture',
    desk: () => sandbox,
    args: () => ['orders', 'capture', authorizedId(0)],
    flag: '--yes',
  },
  {
    name: 'a confirmation in production',
    desk: () => production,
    args: () => ['orders', 'refund', id(0)],
    flag: '--confirm ID',
  },
  {
    name: 'a confirmation in production although --yes is there',
    desk: () => production,
    args: () => ['orders', 'refund', id(0), '--yes'],
    flag: '--confirm ID',
  },
  {
    name: 'a confirmation of a capture in production',
    desk: () => production,
    args: () => ['orders', 'capture', authorizedId(0), '--yes'],
    flag: '--confirm ID',
  },
];

const promptText = /Which order\?|Refund what|How much|Why|Note\?|Send back|Type the amount/;

describe.concurrent('off a terminal something missing exits 2 naming the flag, without waiting (E44)', () => {
  test.each(missing)('$name', async ({ desk, args, flag }) => {
    using home = newHome();
    const ran = await paydesk(args(), { home, env: desk().env, stdinOpen: true });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(`missing ${flag}`);
    expect(ran.stderr).not.toMatch(promptText);
    expect(ran.stdout).toBe('');
    expect(desk().changes()).toEqual([]);
  });

  test('and the process ends, though nobody closes its standard input', async () => {
    using home = newHome();
    const ran = await paydeskProcess(['orders', 'refund'], { home, env: sandbox.env, stdinOpen: true });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
  });

  test.each([
    { name: 'y', desk: () => sandbox, typed: 'y\n', flag: '--yes' },
    { name: 'amount', desk: () => production, typed: '35000\n', flag: '--confirm ID' },
  ])('a piped $name answers nothing', async ({ desk, typed, flag }) => {
    using home = newHome();
    const ran = await paydesk(['orders', 'refund', id(0)], { home, env: desk().env, input: typed });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(`missing ${flag}`);
    expect(desk().changes()).toEqual([]);
  });

  test('a y piped in while both screens are a terminal answers nothing', async () => {
    using home = newHome();
    const terminal = atTerminal(['orders', 'refund', id(0)], {
      home,
      env: sandbox.env,
      first: "printf 'y\\n' |",
    });
    const ended = await terminal.end;
    expect(ended.exitCode).toBe(2);
    expect(ended.transcript).toContain('missing --yes');
    expect(ended.transcript).not.toMatch(promptText);
    expect(sandbox.changes()).toEqual([]);
  });
});

describe.concurrent('--no-input, PAYDESK_NO_INPUT and CI ask nothing, even on a terminal (E45)', () => {
  const ways = [
    { way: '--no-input', words: ['--no-input'], env: {} },
    { way: 'PAYDESK_NO_INPUT=1', words: [], env: { PAYDESK_NO_INPUT: '1' } },
    { way: 'CI=true', words: [], env: { CI: 'true' } },
  ];
  const asked = missing.filter(({ flag }) => flag !== 'ID').slice(0, 3);
  // Each way for one question, and one way for each question.
  const pairs = ways.flatMap((way, index) =>
    asked.slice(0, index === 0 ? undefined : 1).map((one) => ({ ...way, ...one, extra: way.env })),
  );
  test.each(pairs)('$way: $name is missing', async ({ words, extra, desk, args, flag }) => {
    using home = newHome();
    const person = sit([...args(), ...words], { home, env: { ...desk().env, ...extra } });
    const { code, screen } = await person.leaves;
    expect(code).toBe(2);
    expect(screen).toContain(`missing ${flag}`);
    expect(screen).not.toMatch(promptText);
    expect(desk().changes()).toEqual([]);
  });

  test('a refund with every flag given needs no prompt on a terminal', async () => {
    using home = newHome();
    const ended = await atTerminal(
      ['orders', 'refund', id(0), '--charge', '1', '--amount', '7', '--reason', 'other', '--yes'],
      { home, env: { ...changing.env, CI: 'true' } },
    ).end;
    expect(ended.exitCode).toBe(0);
    expect(ended.transcript).not.toMatch(promptText);
    expect((await changing.order(id(0))).amount_refunded).toBe(7);
  });

  test('every prompt of a refund and of a capture has its flag in help', async () => {
    const refund = await helpOf(['orders', 'refund']);
    for (const word of ['[id]', '--charge', '--amount', '--reason', '--note', '--confirm', '--yes'])
      expect(refund).toContain(word);
    const capture = await helpOf(['orders', 'capture']);
    for (const word of ['id', '--confirm', '--yes']) expect(capture).toContain(word);
  });
});

describe.concurrent('questions are asked on stderr: stdout is the result and nothing else (E46)', () => {
  test('a refund answered at the terminal leaves pure JSON in the file', async () => {
    using home = newHome();
    const terminal = atTerminal(['orders', 'refund', id(1), '--json'], {
      home,
      env: changing.env,
      redirect: '> f',
    });
    await terminal.answer('How much?', '\r');
    await terminal.answer('Why?', '\r');
    await terminal.answer('Note', '\r');
    await terminal.answer(/Send back .*\?/, 'y\r');
    const ended = await terminal.end;
    expect(ended.exitCode).toBe(0);
    const written = readFileSync(join(home.path, 'f'), 'utf8');
    expect(written).not.toContain('\x1b');
    expect(JSON.parse(written)).toMatchObject({
      object: 'order',
      id: id(1),
      payment_status: 'refunded',
      amount_refunded: paid[1]?.amount,
    });
  });

  test('a refund that is declined leaves the file empty', async () => {
    using home = newHome();
    const terminal = atTerminal(['orders', 'refund', id(0), '--only-confirm', '--json'], {
      home,
      env: sandbox.env,
      redirect: '> f',
    });
    await terminal.answer(/Send back .*\?/, 'n\r');
    expect((await terminal.end).exitCode).toBe(3);
    expect(readFileSync(join(home.path, 'f'), 'utf8')).toBe('');
  });
});

describe.concurrent('an empty answer to a confirmation means No (E49)', () => {
  test.each([
    {
      name: 'a refund',
      desk: () => sandbox,
      args: () => ['orders', 'refund', id(0), '--only-confirm'],
      at: /Send back .*\?/,
    },
    {
      name: 'a capture',
      desk: () => sandbox,
      args: () => ['orders', 'capture', authorizedId(0)],
      at: /Capture .*\?/,
    },
    {
      name: 'a refund in production',
      desk: () => production,
      args: () => ['orders', 'refund', id(0), '--only-confirm'],
      at: 'Type the amount',
    },
    {
      name: 'a capture in production',
      desk: () => production,
      args: () => ['orders', 'capture', authorizedId(0)],
      at: 'Type the amount',
    },
  ])('$name: Enter cancels', async ({ desk, args, at }) => {
    using home = newHome();
    const person = sit(args(), { home, env: desk().env });
    await person.answer(at, '\r');
    const { code, screen } = await person.leaves;
    expect(code).toBe(3);
    expect(screen).toContain('cancelled');
    expect(desk().changes()).toEqual([]);
  });

  test.each(['y', '1', 'ord_doesNotExist'])('in production %j is not enough', async (typed) => {
    using home = newHome();
    const person = sit(['orders', 'refund', id(0), '--only-confirm', '--yes'], {
      home,
      env: production.env,
    });
    await person.answer('Type the amount', `${typed}\r`);
    await person.answer('is not the amount (2 tries left)', `${typed}\r`);
    await person.answer('is not the amount (last try)', `${typed}\r`);
    expect(await person.leaves).toMatchObject({ code: 3 });
    expect(production.changes()).toEqual([]);
  });

  test.each([
    { name: 'the amount', index: 2, typed: () => String(paid[2]?.amount) },
    { name: 'the order id', index: 3, typed: () => id(3) },
  ])('in production $name sends it', async ({ index, typed }) => {
    using home = newHome();
    const person = sit(['orders', 'refund', id(index), '--only-confirm'], {
      home,
      env: changingProduction.env,
    });
    await person.answer('Type the amount', `${typed()}\r`);
    expect(await person.leaves).toMatchObject({ code: 0 });
    expect((await changingProduction.order(id(index))).payment_status).toBe('refunded');
  });

  test('in production --confirm ID is the form for scripts, and must name the order', async () => {
    using home = newHome();
    const env = changingProduction.env;
    const wrong = await paydesk(['orders', 'refund', id(4), '--confirm', id(5)], { home, env });
    expect(wrong.code).toBe(3);
    expect((await changingProduction.order(id(4))).amount_refunded).toBe(0);
    const right = await paydesk(['orders', 'refund', id(4), '--confirm', id(4)], { home, env });
    expect(right.code).toBe(0);
    expect((await changingProduction.order(id(4))).payment_status).toBe('refunded');
  });
});

describe.concurrent('Esc and < where there is nothing to go back to', () => {
  const noWayBack = 'there is nothing to go back to from here; Ctrl-C leaves';

  const amount = { at: 'an amount', asks: 'How much?', leave: '\x03', code: 130 };
  const capture = { at: 'the yes of a capture', asks: '(y/N)', leave: '\r', code: 3 };

  test.each([
    { ...amount, keys: '\x1b' },
    { ...amount, keys: '<\r' },
    { ...capture, keys: '\x1b' },
    { ...capture, keys: '<' },
  ])('say so at $at', async ({ at, asks, keys, leave, code }) => {
    using home = newHome();
    const line = at === 'an amount' ? ['refund', id(0)] : ['capture', authorizedId(0)];
    const person = sit(['orders', ...line], { home, env: sandbox.env });
    await person.answer(asks, keys);
    await person.waitFor(asks === '(y/N)' ? noWayBack.replace(';', '; n or Enter is No,') : noWayBack);
    await person.answer(asks, leave);
    expect((await person.leaves).code).toBe(code);
    expect(sandbox.changes()).toEqual([]);
  });
});

test('a long question, and what is wrong with an answer, break between words at 80 columns', async () => {
  using home = newHome();
  const person = sit(['orders', 'refund', id(2), '--only-confirm'], {
    home,
    env: { ...production.env },
  });
  await person.answer('Type the amount to send it', 'one two three four five six\r');
  await person.waitFor(/2\s+tries\s+left/);
  await person.answer(/again, or press Enter to\s+cancel:/, '\r');
  const { screen } = await person.leaves;
  const question = screen.slice(screen.lastIndexOf('? [PRODUCTION]'), screen.lastIndexOf('cancel:') + 7);
  expect(question.split('\n').map((line) => line.trimEnd())).toEqual([
    expect.stringMatching(/^\? \[PRODUCTION\] .+, \*\d{4}, [A-Z]{3}$/),
    '  one two three four five six is not the amount (2 tries left). Type the',
    '  amount again, or press Enter to cancel:',
  ]);
});
