/** docs/team.md: its commands run in their order, each by its person at a machine of their own. */

import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chargeOf, orderOf } from '../harness/orders.ts';
import { type Home, newHome, paydesk, startInMemory } from '../harness/paydesk.ts';
import { type Service, startService, testKey } from '../harness/service.ts';
import { refunding } from './ledger.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/team.md'), 'utf8');
const lines = [...page.matchAll(/```console\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
  block.trim().split('\n'),
);

let service: Service;
let port: number;
let serving: ReturnType<typeof startInMemory> | undefined;
const homes = new Map<string, Home>();
const shared = (file: string) => join(homes.get('sender')?.path ?? '', file);

beforeAll(async () => {
  service = await startService({
    orders: [orderOf('ord_1', [chargeOf('ch_1', 35000)])],
    onPost: refunding(),
  });
  port = await freePort();
  for (const person of ['sender', 'ana', 'lea']) homes.set(person, newHome());
});
afterAll(async () => {
  serving?.signal('SIGTERM');
  await serving?.end;
  for (const home of homes.values()) home[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

// The port of the example may be taken on this machine.
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

interface Typed {
  readonly person: string;
  readonly args: readonly string[];
  readonly to: string | undefined;
}

function typedIn(line: string, request: string): Typed {
  const [, person = '', typed = ''] = /^(\w+)\$ paydesk (.*)$/.exec(line) ?? [];
  const [words = '', to] = typed.replace(' < key.txt', '').split(' > ');
  const args = words
    .replace('https://pay.example.com/api', service.url)
    .replace('127.0.0.1:8443', `127.0.0.1:${port}`)
    .replace('REQUEST', request)
    .split(' ')
    .map((word) => (word.endsWith('.json') ? shared(word) : word));
  return { person, args, to };
}

// What a person answers at a terminal, or who runs the tests: no keyring, and perhaps root.
function answers(args: readonly string[]): readonly string[] {
  const line = args.join(' ');
  if (line.startsWith('sender serve')) return ['--allow-root', '--json'];
  if (/^sender (?:init|invite)/.test(line)) return ['--allow-root'];
  return line.includes('--sender') ? ['--key-store', 'file'] : [];
}

async function exitOf({ person, args, to }: Typed): Promise<{ readonly code: number | null; said: string }> {
  const home = homes.get(person);
  if (home === undefined) throw new Error(`nobody is called ${person}`);
  const words = [...args, ...answers(args)];
  if (args[1] === 'serve') {
    serving = startInMemory(words, { home, sleeps: 'really' });
    await serving.firstLine();
    return { code: 0, said: '' };
  }
  const { code, stdout, stderr } = await paydesk(words, { home, input: testKey, machineName: `${person}-1` });
  if (to !== undefined) writeFileSync(shared(to), stdout);
  return { code, said: stderr };
}

test('the page walks from nothing to two desks, a limit and a second person', async () => {
  let request = '';
  expect(lines).toHaveLength(16);
  for (const line of lines) {
    const { code, said } = await exitOf(typedIn(line, request));
    request = /r_[a-z0-9]+/.exec(said)?.[0] ?? request;
    const asks = line.includes('--amount 6000');
    expect(code, `${line}\n${said}`).toBe(asks ? 3 : 0);
  }
  expect(service.orders).toMatchObject([{ id: 'ord_1', amount_refunded: 6000 }]);
});
