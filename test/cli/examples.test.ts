/** Every example that help shows runs on a fresh demo. */

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { each } from '../harness/each.ts';
import { examplesOf, helpOf, leafCommands } from '../harness/help-text.ts';
import { bin, cleanEnv, type Home, newHome, paydesk } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { runInPty, withoutEscapes } from '../harness/pty.ts';
import { testKey } from '../harness/service.ts';
import { isPlain, wordsOf } from '../harness/shell.ts';

/** What an example that asks shows when it asks. */
const question = /\? |\(y\/N\)|: $/;

interface Example {
  readonly command: string;
  readonly line: string;
}

interface Ended extends Example {
  readonly code: number;
  readonly screen: string;
  readonly stopped: boolean;
}

const examples = async (): Promise<readonly Example[]> =>
  (
    await each(await leafCommands(), async (words) =>
      examplesOf(await helpOf(words)).map((line) => ({ command: words.join(' '), line })),
    )
  ).flat();

// As a script where that goes: without what only a shell understands, and with nothing to be asked.
async function run(example: Example): Promise<Ended> {
  if (example.command === 'simulator serve' || !isPlain(example.line)) return await runAsPerson(example);
  const ended = await runAsScript(example);
  return ended.code === 2 && /missing |needs a terminal/.test(ended.screen)
    ? await runInMemory(example)
    : ended;
}

async function runAsScript({ command, line }: Example): Promise<Ended> {
  using home = newHome();
  await layOutFiles(line, home);
  const { code, stdout, stderr } = await paydesk(wordsOf(line).slice(1), { home });
  return { command, line, code: Number(code), screen: stdout + stderr, stopped: false };
}

// As a person in memory, who stops what asks with Ctrl-C.
async function runInMemory({ command, line }: Example): Promise<Ended> {
  using home = newHome();
  await layOutFiles(line, home);
  const person = sit(wordsOf(line).slice(1), { home, env: {} });
  const stopped = await person.answer(question, '\x03').then(
    () => true,
    () => false,
  );
  const { code, screen } = await person.leaves;
  return { command, line, code: Number(code), screen, stopped };
}

// As a person: pasted into a shell on a terminal. What asks or serves is stopped with Ctrl-C once it does.
async function runAsPerson({ command, line }: Example): Promise<Ended> {
  using home = newHome();
  await layOutFiles(line, home);
  const serves = command === 'simulator serve';
  const pasted = serves ? line.replace(/ [>&].*$/, '') : line;
  const pty = runInPty('/bin/bash', ['-c', pasted], {
    cwd: home.path,
    env: { ...cleanEnv({ home }), PATH: `${home.path}/bin:/usr/bin:/bin` },
  });
  const asked = pty.waitFor(serves ? /"?url"?[ :]/ : question).then(
    () => {
      pty.type('\x03');
      return true;
    },
    () => false,
  );
  const { exitCode, transcript } = await pty.end;
  return { command, line, code: exitCode, screen: withoutEscapes(transcript), stopped: await asked };
}

// `paydesk` on the PATH, and the files that a line reads.
async function layOutFiles(line: string, home: Home): Promise<void> {
  mkdirSync(join(home.path, 'bin'));
  const program = join(home.path, 'bin/paydesk');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
  chmodSync(program, 0o755);
  for (const [, file] of line.matchAll(/(?:< ?|--key-file )([\w.-]+)/g)) {
    writeFileSync(join(home.path, file ?? ''), `${testKey}\n`, { mode: 0o600 });
  }
  for (const [, file = ''] of line.matchAll(/journal import ([\w.-]+)/g)) {
    await paydesk(['journal', 'export', '--to', file], { home });
  }
  for (const [, file = ''] of line.matchAll(/--from-file ([\w.-]+)/g)) {
    await paydesk(['-p', 'demo', 'orders', 'export', '--to', file], { home });
  }
  for (const [, file = ''] of line.matchAll(/prove --check ([\w.-]+)/g)) {
    await paydesk(['-p', 'demo', 'prove', 'this-month', '--to', file], { home });
  }
  if (/ refunds (plan|apply|status|compare) /.test(line)) await layOutRefunds(line, home);
  for (const [, file = ''] of line.matchAll(/orders compare ([\w.-]+)/g))
    writeFileSync(join(home.path, file), 'order_id,amount\nord_2tQ7zRk9PwE5xNvAm,35000\n');
  for (const [, file = ''] of line.matchAll(/--from ([\w.-]+)/g)) {
    writeFileSync(join(home.path, file), JSON.stringify({ base_url: 'http://127.0.0.1:9', mode: 'sandbox' }));
  }
}

// A file of refunds; for `compare` with what the demo shows already. And the plan of it, where the line names one.
async function layOutRefunds(line: string, home: Home): Promise<void> {
  const row = line.includes('compare') ? '1,12000' : '2,100';
  const csv = `order_id,charge_id,amount\nord_2tQ7zRk9PwE5xNvAm,${row}\n`;
  writeFileSync(join(home.path, 'refunds.csv'), csv);
  if (!/(apply|status|--refresh) refunds\.plan/.test(line)) return;
  await paydesk(['-p', 'demo', 'refunds', 'plan', 'refunds.csv', '--to', 'refunds.plan'], { home });
}

test('every command shows an example for people and one for scripts, or says why none (C6)', async () => {
  const shown = await examples();
  for (const words of await leafCommands()) {
    const own = shown.filter(({ command }) => command === words.join(' '));
    expect(own.length, words.join(' ')).toBeGreaterThan(1);
    expect(own.every(({ line }) => line.startsWith('paydesk '))).toBe(true);
  }
});

test('every example runs in a fresh home: none is a usage error, and on demo all succeed (C6)', async () => {
  const shown = await examples();
  expect(shown.length).toBeGreaterThan(15);
  for (const ended of await each(shown, run)) {
    const { line, code, screen, stopped } = ended;
    expect(code, `${line}\n${screen}`).not.toBe(2);
    // The SQL that some lines print has a right of this name.
    expect(screen, line).not.toMatch(/usage(?!')/);
    // What looked like a question may have been a piece of output that stopped at a colon; its run then ends by itself.
    if (stopped) expect([130, 0], `${line}\n${screen}`).toContain(code);
    else if (line.includes('-p demo')) expect(code, `${line}\n${screen}`).toBe(0);
  }
});
