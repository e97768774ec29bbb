/** Colour, progress and --quiet. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { each } from '../harness/each.ts';
import { customerOf, errorBody, listBeforeMore, paidOrder } from '../harness/orders.ts';
import { bin, cleanEnv, type Home, newHome, onScreen, paydesk } from '../harness/paydesk.ts';
import { runInPty } from '../harness/pty.ts';
import { type Handler, json, stall } from '../harness/server.ts';
import { changing, pages, startAnswering } from '../harness/service.ts';
import { atTerminal } from '../harness/terminal.ts';

const id = 'ord_2tQ7zRk9PwE5xNvAm';
const colours = /\x1b\[[0-9;]*m/;
const escapes = /\x1b/;
const list = ['-p', 'demo', 'orders', 'list', '--limit', '2'];
/** The shortest way to a table: nothing is asked of a service. */
const table = ['profile', 'list', '-o', 'table'];

interface Seated {
  readonly home: Home;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs on a terminal of its own to the end, and gives everything that came out. */
async function onTerminal(args: readonly string[], { home, env = {} }: Seated): Promise<string> {
  return (await onScreen(args, { home, env: { NO_COLOR: '', ...env }, columns: 100 })).written;
}

/** Runs with stdout in a file and stderr on a terminal. */
async function withStdoutInFile(
  args: readonly string[],
  { home, env = {} }: Seated,
): Promise<{ readonly stdout: string; readonly terminal: string }> {
  const command = [process.execPath, bin, ...args].map((word) => `'${word}'`).join(' ');
  const pty = runInPty('/bin/sh', ['-c', `${command} > out`], {
    columns: 100,
    cwd: home.path,
    env: cleanEnv({ home, env }),
  });
  const { transcript } = await pty.end;
  return { stdout: readFileSync(join(home.path, 'out'), 'utf8'), terminal: transcript };
}

test('piped output for people has no escape, no progress and no cut text (C22)', async () => {
  const name = `${'Very long name '.repeat(20)}end`;
  const people = [
    customerOf('cus_1', { name, email: `${'e'.repeat(150)}@example.com` }),
    customerOf('cus_2'),
  ];
  await using desk = await startAnswering(pages([paidOrder('ord_1')], people));
  const lines = [
    ['customers', 'list'],
    ['customers', 'list', '-o', 'list'],
    ['customers', 'show', 'cus_1'],
    ['orders', 'show', 'ord_1'],
    ['orders', 'list', '--help'],
    ['orders', 'show', 'ord_9'],
    ['orders', 'lst'],
  ];
  const ran = await each(lines, (line) => desk.run(line));
  for (const { stdout, stderr } of ran) expect(stdout + stderr).not.toMatch(/[\x1b\r…]/);
  for (const { stdout } of ran.slice(0, 3)) expect(stdout).toContain(name);
});

test('NO_COLOR=1 takes every colour away: tables, help, errors, notes (C23)', async () => {
  using home = newHome();
  const lines = [list, ['-p', 'demo', 'orders', 'show', id], ['orders', 'lst'], ['orders', '--help']];
  for (const line of lines) {
    expect(await onTerminal(line, { home, env: { NO_COLOR: '1' } }), line.join(' ')).not.toMatch(escapes);
  }
});

test('NO_COLOR=1 takes the colours of prompts away as well (C23)', async () => {
  using home = newHome();
  for (const question of [
    {
      line: ['orders', 'refund', id, '--charge', '2', '--amount', '300', '--reason', 'other', '--note', 'n'],
      asks: 'Send back 300 MXN?',
    },
    { line: ['orders', 'refund'], asks: /which order/i },
  ]) {
    const pty = runInPty(process.execPath, [bin, '-p', 'demo', ...question.line], {
      cwd: home.path,
      env: cleanEnv({ home, env: { NO_COLOR: '1' } }),
    });
    await pty.answer(question.asks, '\x03');
    const { transcript, exitCode } = await pty.end;
    expect(transcript, question.line.join(' ')).not.toMatch(colours);
    expect(exitCode).toBe(130);
  }
});

/** The first page comes, the second never does: the line that says how far it is stays on the screen. */
const slow: Handler = (request, response, socket) =>
  request.url.includes('next=')
    ? stall(request, response, socket)
    : json(listBeforeMore(...(request.url.includes('previous=') ? [] : [paidOrder('ord_1')])))(
        request,
        response,
        socket,
      );

test('progress is drawn on a terminal, without colour under NO_COLOR, and taken away again (C23, C33)', async () => {
  await using desk = await startAnswering(slow);
  const pty = runInPty(process.execPath, [bin, 'orders', 'show', id], {
    cwd: desk.home.path,
    env: cleanEnv({ home: desk.home, env: { ...desk.env, NO_COLOR: '1' } }),
  });
  await pty.answer(/looking for ord_\w+: \d+ orders read/, '\x03');
  const { transcript, exitCode } = await pty.end;
  expect(exitCode).toBe(130);
  expect(transcript).not.toMatch(colours);
  expect(transcript.split('looking for').at(-1)).toContain('\r\x1b[K');
});

test('no progress where stderr is no terminal, under --json or --quiet (C33)', async () => {
  await using desk = await startAnswering(slow);
  for (const more of [['--quiet'], ['--json']]) {
    const shown = await onTerminal(['orders', 'show', id, '--timeout', '1', ...more], desk);
    expect(shown, more.join(' ')).not.toContain('looking for');
  }
  const piped = await desk.run(['orders', 'show', id, '--timeout', '1']);
  expect(piped.stderr).not.toMatch(/looking for|[\r\x1b]/);
});

// Who wins over whom, pair by pair, is in test/terminal/color.test.ts.
test('an empty NO_COLOR changes nothing; the flags, PAYDESK_COLOR and TERM=dumb take colour away (C24)', async () => {
  using home = newHome();
  const cases: readonly {
    readonly args?: readonly string[];
    readonly env: Record<string, string>;
    readonly coloured: boolean;
  }[] = [
    { env: { NO_COLOR: '' }, coloured: true },
    { args: ['--no-color'], env: {}, coloured: false },
    { args: ['--color', 'never'], env: {}, coloured: false },
    { env: { PAYDESK_COLOR: 'never' }, coloured: false },
    { env: { PAYDESK_COLOR: '' }, coloured: true },
    { env: { TERM: 'dumb' }, coloured: false },
    { args: ['--color', 'always'], env: { NO_COLOR: '1' }, coloured: true },
  ];
  const screens = await each(cases, ({ args = [], env }) => onTerminal([...table, ...args], { home, env }));
  for (const [index, { args, env, coloured }] of cases.entries()) {
    expect(colours.test(screens[index] ?? ''), JSON.stringify({ args, env })).toBe(coloured);
    expect(screens[index]).toContain('demo');
  }
});

test('with stdout in a file and stderr on a terminal, only the terminal is coloured (C24)', async () => {
  using home = newHome();
  const { stdout } = await withStdoutInFile(table, { home });
  expect(stdout).toContain('demo');
  expect(stdout).not.toMatch(escapes);
  const error = await withStdoutInFile(['orders', 'lst'], { home });
  expect(error.stdout).toBe('');
  expect(error.terminal).toMatch(colours);
});

test('FORCE_COLOR=1 colours a pipe, FORCE_COLOR=0 does not, and with NO_COLOR Node warns of nothing (C25)', async () => {
  using home = newHome();
  const [forced, off, both, terminal] = await each(
    [{ FORCE_COLOR: '1' }, { FORCE_COLOR: '0' }, { FORCE_COLOR: '1', NO_COLOR: '1' }, undefined],
    async (env) => {
      if (env !== undefined) return paydesk(table, { home, env });
      // Node itself looks at both variables.
      const both = { FORCE_COLOR: '1', NO_COLOR: '1' };
      const pty = runInPty(process.execPath, [bin, ...table], { env: cleanEnv({ home, env: both }) });
      const { transcript } = await pty.end;
      return { code: 0, stdout: transcript, stderr: transcript };
    },
  );
  expect(forced?.stdout).toMatch(colours);
  expect(off?.stdout).not.toMatch(colours);
  expect(both?.stdout).not.toMatch(colours);
  for (const ran of [forced, off, both, terminal]) {
    expect(ran?.code).toBe(0);
    expect(ran?.stderr).not.toMatch(/warning/i);
  }
});

test('nor at a prompt (C25)', async () => {
  await using desk = await startAnswering(changing(paidOrder(id)));
  const person = atTerminal(['orders', 'refund', id], {
    home: desk.home,
    env: { ...desk.env, FORCE_COLOR: '1', NO_COLOR: '1' },
  });
  await person.waitFor('How much?');
  person.type('\x03');
  const { transcript, exitCode } = await person.end;
  expect(exitCode).toBe(130);
  expect(transcript).not.toMatch(/warning/i);
});

test('--quiet leaves stderr empty when all is well, for reads and changes (C33)', async () => {
  const held = paidOrder(id);
  await using desk = await startAnswering(changing(held));
  const lines = [
    ['orders', 'list', '-q'],
    ['orders', 'show', id, '--quiet', '--json'],
    ['orders', 'refund', id, '--dry-run', '-q'],
    ['orders', 'refund', id, '-yq'],
  ];
  for (const line of lines) {
    expect(await desk.run(line), line.join(' ')).toMatchObject({ code: 0, stderr: '' });
  }
  const byVariable = await desk.run(['orders', 'list'], { env: { PAYDESK_QUIET: '1' } });
  expect(byVariable).toMatchObject({ code: 0, stderr: '' });
});

test('--quiet never silences a failure (C33)', async () => {
  await using desk = await startAnswering(json(errorBody(), 422));
  const ran = await desk.run(['orders', 'list', '-q']);
  expect(ran).toMatchObject({ code: 5, stdout: '' });
  expect(ran.stderr).toContain('5f2c81');
});

test('after a change the result names the id, the amount with its currency, the new status and the mode (C33)', async () => {
  await using refunding = await startAnswering(changing(paidOrder(id, { currency: 'USD' })));
  const refund = await refunding.run(['orders', 'refund', id, '--yes']);
  expect(refund, refund.stderr).toMatchObject({ code: 0 });
  for (const words of [id, '35000 USD', 'refunded', 'sandbox environment']) {
    expect(refund.stdout).toContain(words);
  }
  const authorized = paidOrder(id, { payment_status: 'pre_authorized', amount: 7450 });
  await using capturing = await startAnswering(changing(authorized));
  const capture = await capturing.run(['orders', 'capture', id, '--yes']);
  expect(capture, capture.stderr).toMatchObject({ code: 0 });
  for (const words of [id, '7450 MXN', 'paid', 'sandbox environment']) {
    expect(capture.stdout).toContain(words);
  }
});
