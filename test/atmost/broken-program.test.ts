/** The program itself breaks while a refund is in flight: the exit code and the last words still say what matters. */

import { spawn } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { bin, paydeskProcess } from '../harness/paydesk.ts';
import { endOf } from '../harness/ran.ts';
import { type Handler, json, reset } from '../harness/server.ts';
import { testKey } from '../harness/service.ts';
import { changeArgs, ledgerAndDesk, story } from './desk.ts';
import type { LedgerOrder } from './ledger.ts';

const { ledger, desk } = await ledgerAndDesk();

/** Runs a copy of the program that is taken away when the request arrives, as an upgrade does. */
async function takenAway(onPost: (order: LedgerOrder, apply: () => unknown) => Handler) {
  using home = desk.newHome();
  const copy = join(home.path, 'program');
  for (const name of ['bin', 'dist', 'package.json']) {
    cpSync(join(dirname(bin), '..', name), join(copy, name), { recursive: true });
  }
  const order = ledger.add('refund', (posted, apply) => {
    rmSync(join(copy, 'dist'), { recursive: true });
    return onPost(posted, apply);
  });
  const ran = await paydeskProcess(['-p', 't', ...changeArgs(order)], {
    home,
    env: desk.env(home),
    bin: join(copy, 'bin/paydesk.js'),
  });
  return { ran, posts: order.posts.length, story: story(home) };
}

test.concurrent('it is replaced while a refund is in flight and the reply is lost: exit 7, the last words name the journal', async () => {
  const { ran, ...rest } = await takenAway(() => reset);
  expect({ code: ran.code, ...rest }, ran.stderr).toEqual({
    code: 7,
    posts: 1,
    story: 'sent unknown not_seen',
  });
  expect(ran.stderr).toMatch(/^error: no usable answer .*paydesk journal reconcile i_\w+; blocked until /m);
});

test.concurrent('it is replaced while a refund is in flight and the reply comes: it is written down and shown', async () => {
  const { ran, ...rest } = await takenAway((_, apply) => json(apply()));
  expect({ code: ran.code, ...rest }, ran.stderr).toEqual({ code: 0, posts: 1, story: 'sent applied' });
  expect(ran.stdout).toContain('refunded 5000 MXN');
});

/** From the answer to a POST on, a function of the platform throws, as a bug of ours would: reading and drawing break. */
const broken = `data:text/javascript,${encodeURIComponent(
  `import { ClientRequest } from 'node:http';
   const { emit } = ClientRequest.prototype;
   ClientRequest.prototype.emit = function (event, ...rest) {
     if (event === 'response' && this.method === 'POST')
       Array.prototype.map = () => { throw new TypeError('out of order ${testKey}'); };
     return emit.call(this, event, ...rest);
   };`,
)}`;

test.concurrent('a bug after the sending ends with exit 7 and plain last words, without the key; it is not sent again', async () => {
  using home = desk.newHome();
  const order = ledger.add('refund');
  const ran = await paydeskProcess(['-p', 't', ...changeArgs(order)], {
    home,
    env: desk.env(home),
    nodeArgs: ['--import', broken],
  });
  expect({ code: ran.code, stdout: ran.stdout }, ran.stderr).toEqual({ code: 7, stdout: '' });
  expect(ran.stderr).toMatch(
    /^error: .*It may have been made; sent once at .*paydesk journal reconcile i_\w+/m,
  );
  expect(ran.stderr).not.toContain(testKey);
  const later = await desk.run(home, ['journal', 'reconcile', '--all']);
  expect({ code: later.code, posts: order.posts.length, done: order.done() }, later.stderr).toEqual({
    code: 0,
    posts: 1,
    done: 1,
  });
  expect(story(home)).toMatch(/^sent .*applied$/);
});

test.concurrent.each([[], ['--json']])(
  'an outcome that cannot be shown is in the journal, and that is said, exit 9 (%j)',
  async (...more) => {
    using home = desk.newHome();
    const order = ledger.add('refund');
    const words = [bin, '-p', 't', ...changeArgs(order), ...more];
    const { code, stderr } = await inShell(`"$@" > /dev/full`, words, desk.env(home));
    expect({ code, posts: order.posts.length, story: story(home) }, stderr).toEqual({
      code: 9,
      posts: 1,
      story: 'sent applied',
    });
    expect(stderr).toContain('1 change was sent: made');
    expect(stderr).toMatch(/paydesk journal show i_\w+/);
  },
);

/** Runs node with these words from a line of a shell. */
function inShell(line: string, words: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn('sh', ['-c', line, 'sh', process.execPath, ...words], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return endOf(child);
}
