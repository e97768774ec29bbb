/** Every command of the README does what it says, run in the order of the page by somebody who has nothing yet. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chargeOf, orderOf } from './harness/orders.ts';
import { type Home, newHome, paydesk } from './harness/paydesk.ts';
import { type Pty, runInPty } from './harness/pty.ts';
import { type Service, startService, testKey } from './harness/service.ts';
import { isPlain, runLine, shellEnv, wordsOf } from './harness/shell.ts';

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

// The two set-up lines begin with `npm ci`; `.ci/run` runs them.
const lines = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)]
  .flatMap(([, block = '']) => block.trim().split('\n'))
  .filter((line) => !line.startsWith('npm ci'));

let home: Home;
let another: Home;
let shop: Service;
beforeAll(async () => {
  home = newHome();
  // The same profile is added in two ways; the second is a script's, on a machine of its own.
  another = newHome();
  writeFileSync(join(another.path, 'key.txt'), `${testKey}\n`);
  shop = await startService({ orders: [orderOf('ord_1', [chargeOf('ch_1', 35000)])] });
});
afterAll(async () => {
  home[Symbol.dispose]();
  another[Symbol.dispose]();
  await shop[Symbol.asyncDispose]();
});

interface Spoken {
  readonly code: number;
  readonly talk: (terminal: Pty) => Promise<void>;
}

/** Lines that are for a person, and what that person types. */
const spoken = new Map<string, Spoken>([
  [
    'npx paydesk -p demo orders refund ord_2tQ7zRk9PwE5xNvAm --charge 1 --amount 5000 --reason requested_by_client',
    {
      code: 0,
      talk: async (terminal) => {
        await terminal.answer('Note', '\r');
        await terminal.answer('Send it? (y/N)', 'y\r');
      },
    },
  ],
  [
    'npx paydesk refunds apply concert.plan',
    { code: 0, talk: (terminal) => terminal.answer('Send them? (y/N)', 'y\r') },
  ],
  [
    'npx paydesk profile add shop',
    {
      code: 0,
      talk: async (terminal) => {
        await terminal.answer('address of the service', `${shop.url}\r`);
        await terminal.answer('> sandbox', '\r');
        await terminal.answer('keep the key in a file that only you can read?', 'y\r');
        await terminal.answer('private key of shop', `${testKey}\r`);
        await terminal.answer('try the key before it is kept?', '\r');
        await terminal.answer('is this the right account?', 'y\r');
        await terminal.answer('whenever no -p is given?', '\r');
      },
    },
  ],
  [
    'npx paydesk simulator serve --port 4010',
    { code: 130, talk: (terminal) => terminal.answer(/url +http:\/\/127\.0\.0\.1:\d+/, '\x03') },
  ],
]);

test('the README has its commands', () => {
  expect(lines.length).toBeGreaterThan(15);
  expect(lines).toEqual(expect.arrayContaining([...spoken.keys()]));
});

test.each(lines)('%s', async (line) => {
  const person = spoken.get(line);
  const ended = await (person === undefined ? alone(line) : inTerminal(line, person));
  expect(ended, ended.said).toMatchObject({ code: person?.code ?? 0 });
});

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

async function alone(line: string): Promise<Ended> {
  // The service of the example is the one of this test.
  const typed = line.replace('https://pay.example.com/api', shop.url);
  const at = { home: line.includes('key.txt') ? another : home };
  // `npx paydesk` is the program.
  const { code, stderr } = await (typed.startsWith('npx paydesk ') && isPlain(typed)
    ? paydesk(wordsOf(typed).slice(2), at)
    : runLine(typed, at));
  return { code, said: stderr };
}

async function inTerminal(line: string, { talk }: Spoken): Promise<Ended> {
  // Another program may have the port of the example.
  const typed = line.replace('--port 4010', '--port 0');
  const terminal = runInPty('/bin/bash', ['-c', typed], { cwd: home.path, env: shellEnv({ home }) });
  await talk(terminal);
  const { exitCode, transcript } = await terminal.end;
  return { code: exitCode, said: transcript };
}
