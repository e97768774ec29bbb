/** docs/team.md: its commands run in their order, each by its person, and its script checks the export. */

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chargeOf, orderOf } from '../harness/orders.ts';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { type PostgresServer, startPostgres } from '../harness/postgres.ts';
import { type Service, startService } from '../harness/service.ts';
import { signIn } from '../harness/team-database.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/team.md'), 'utf8');
const part = page.slice(0, page.indexOf('\n## A second person'));
const block = (kind: string) => new RegExp(`\`\`\`${kind}\\n([\\s\\S]*?)\`\`\``).exec(part)?.[1] ?? '';
const lines = block('console').trim().split('\n');

let server: PostgresServer;
let shop: Service;
const homes = new Map<string, Home>();

beforeAll(async () => {
  [server, shop] = await Promise.all([
    startPostgres(),
    startService({ orders: [orderOf('ord_1', [chargeOf('ch_1', 35000)])] }),
  ]);
  await using admin = await signIn(server.address);
  await admin.query('create database desk');
  for (const person of ['admin', 'lea', 'ana']) homes.set(person, newHome());
});
afterAll(async () => {
  for (const home of homes.values()) home[Symbol.dispose]();
  await shop[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

// The server of the example is one of this machine, without TLS; its administrator is called postgres.
const placed = (line: string) =>
  line
    .replace('--host db.example --ca ca.pem', `--host 127.0.0.1 --port ${server.address.port}`)
    .replace('--user admin', '--user postgres')
    .replace('-p shop ', '');

const passwords = (person: string, line: string): readonly string[] => {
  const added = /team add (\w+)/.exec(line)?.[1];
  const own = person === 'admin' ? server.address.password : `password-of-${person}`;
  return added === undefined ? [own] : [own, `password-of-${added}`];
};

async function ran(line: string): Promise<Ran> {
  const [, person = '', typed = ''] = /^(\w+)\$ paydesk (.*)$/.exec(line) ?? [];
  const [words = '', file] = placed(typed).split(' > ');
  const home = homes.get(person);
  if (home === undefined) throw new Error(`nobody types ${line}`);
  const args = words.split(' ').map((word) => (word === 'desk.team' ? sharedFile('desk.team') : word));
  const signs = /team (create|add|join)/.test(words) ? ['--password-stdin'] : [];
  const agrees = /team (join|leave|limits)/.test(words) ? ['--yes'] : [];
  const done = await paydesk([...args, ...signs, ...agrees], {
    home,
    env: shop.env,
    input: passwords(person, line).join('\n'),
  });
  if (file !== undefined) writeFileSync(sharedFile(file), done.stdout);
  return done;
}

const sharedFile = (name: string) => join(homes.get('admin')?.path ?? '', name);

test('the part has its commands, and each works', async () => {
  expect(lines).toHaveLength(12);
  for (const line of lines) {
    const { code, stderr } = await ran(line);
    expect(code, `${line}\n${stderr}`).toBe(0);
  }
});

test('the script finds the export whole, and a row that was changed', () => {
  writeFileSync(sharedFile('check.mjs'), block('js'));
  const check = (input: string) =>
    spawnSync(process.execPath, [sharedFile('check.mjs')], { input, encoding: 'utf8' });
  const exported = readFileSync(sharedFile('team.ndjson'), 'utf8');
  expect(check(exported)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^\d+ rows, whole; head [0-9a-f]{64}/),
  });
  expect(check(exported.replace('50000', '90000'))).toMatchObject({
    status: 1,
    stdout: 'row 1 was changed\n',
  });
  expect(block('js').trim().split('\n').length).toBeLessThanOrEqual(34);
});
