/** A key that stands in a line or a variable is refused before anything else, and never repeated. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { filesUnder, newCanary } from '../harness/canary.ts';
import { bin, cleanEnv, type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { storeProfile } from '../harness/profile.ts';
import { revealing, reveals, textOf } from '../harness/reveals.ts';
import { startServer } from '../harness/server.ts';
import { emptyList } from '../harness/service.ts';
import { spellings } from '../terminal/spellings.ts';

// Every place of a line; KEY is the key in some spelling.
const lines = [
  'KEY',
  '--KEY',
  '-xKEY',
  '--KEY=1 orders list',
  'orders KEY',
  'orders list KEY',
  'orders list --KEY',
  'orders list --unknown=KEY',
  'orders list -- KEY',
  'orders list -o KEY',
  'orders list -oKEY',
  'orders list --output=KEY',
  'orders list --columns KEY',
  'orders list --columns id,KEY --json',
  'orders list --limit KEY',
  'orders list --limit 1 --limit KEY',
  'orders list --next KEY',
  'orders list --since KEY',
  'orders list --timeout KEY',
  'orders list --lang KEY',
  'orders list --api-version KEY',
  'orders list --color KEY',
  'orders show KEY',
  'orders show ord_KEY --ndjson',
  'orders find Ana KEY',
  'orders refund ord_1 --yes --note KEY',
  'orders refund ord_1 --yes --idempotency-key KEY',
  'orders refund ord_1 --yes --charge KEY',
  'orders refund ord_1 --yes --amount KEY',
  'orders refund ord_1 --yes --reason KEY',
  'orders refund ord_1 --confirm KEY',
  'orders export --to KEY.csv',
  'orders export --verify KEY',
  'journal show KEY --json',
  'journal settle KEY --applied --note KEY',
  'journal forget --before KEY',
  'profile show KEY',
  'profile use KEY',
  'profile set a time.zone KEY',
  'profile add b --base-url https://KEY.example',
  'profile key a --key-file KEY',
  'api GET KEY',
  'api GET orders --header X-A:KEY',
  'api POST checkouts --field a=KEY',
  'completion KEY',
  'help KEY',
  'simulator serve --db KEY',
  '-p KEY orders list',
  '-pKEY orders list',
];
const variables = [
  'OPERATOR',
  'OUTPUT',
  'COLUMNS',
  'PROFILE',
  'TIMEOUT',
  'LANG',
  'COLOR',
  'DEMO_FAULT',
  'BASE_URL',
];
const spelt = Object.entries(spellings);
const cases = lines.map((line, index) => {
  const [name, spell] = spelt[index % spelt.length] ?? ['plain', (key: string) => key];
  return { line, name, spell };
});

async function withProfile(home: Home, url: string): Promise<string> {
  const key = newCanary();
  await storeProfile(home, { name: 'a', baseUrl: url, mode: 'sandbox', settings: {} }, key);
  return key;
}

function expectRefused(key: string, ran: Ran, home: Home): void {
  expect(ran.code, ran.stderr).toBe(2);
  expect(ran.stderr).toContain('holds a key');
  expect(ran.stderr).toContain('paydesk profile key NAME');
  expect(ran.stdout).toBe('');
  expect(reveals(key, ran.stderr)).toBe(false);
  const kept = join(home.path, '.config', 'paydesk', 'keys.json');
  expect(revealing(key, filesUnder(home.path)).filter((path) => path !== kept)).toEqual([]);
}

describe.concurrent('a line that holds a stored key is refused without repeating it, and nothing is sent (F68)', () => {
  test.each(cases)('paydesk $line, where KEY is spelt $name', async ({ line, spell }) => {
    using home = newHome();
    await using server = await startServer(emptyList);
    const key = await withProfile(home, server.url);
    const args = line.split(' ').map((word) => word.replaceAll('KEY', () => spell(key)));
    const ran = await paydesk(args, { home });
    expectRefused(key, ran, home);
    expect(server.connections).toBe(0);
  });

  test.each(variables)('PAYDESK_%s', async (name) => {
    using home = newHome();
    await using server = await startServer(emptyList);
    const key = await withProfile(home, server.url);
    const env = { [`PAYDESK_${name}`]: `x${key}y` };
    const ran = await paydesk(['orders', 'list'], { home, env });
    expectRefused(key, ran, home);
    expect(ran.stderr).toContain(`PAYDESK_${name}`);
    expect(server.connections).toBe(0);
  });
});

describe.concurrent('wherever a key comes from, a line that holds it is refused (F68)', () => {
  test('PAYDESK_API_KEY', async () => {
    using home = newHome();
    const key = newCanary();
    const ran = await paydesk([`--x${key}`], { home, env: { PAYDESK_API_KEY: key } });
    expectRefused(key, ran, home);
  });

  test('PAYDESK_KEY_FILE', async () => {
    using home = newHome();
    const key = newCanary();
    const file = join(home.path, '.config', 'paydesk', 'keys.json');
    await storeProfile(
      home,
      { name: 'a', baseUrl: 'https://a.example', mode: 'sandbox', settings: {} },
      newCanary(),
    );
    writeFileSync(file, key, { mode: 0o600 });
    const ran = await paydesk(['orders', key], { home, env: { PAYDESK_KEY_FILE: file } });
    expectRefused(key, ran, home);
  });

  test('a key file that is damaged', async () => {
    using home = newHome();
    const key = await withProfile(home, 'https://a.example');
    const file = join(home.path, '.config', 'paydesk', 'keys.json');
    writeFileSync(
      file,
      `{"version":1,"keys":[["a",{"origin":"https://a.example","key":${JSON.stringify(key)}`,
    );
    expectRefused(key, await paydesk(['orders', 'list', `--${key}`], { home }), home);
  });

  test('the key of the simulator', async () => {
    using home = newHome();
    await paydesk(['-p', 'demo', 'orders', 'list'], { home });
    const [database = ''] = filesUnder(home.path).filter((path) => path.endsWith('demo.db'));
    const key = /key_[A-Za-z0-9]{32}/.exec(textOf(database))?.[0] ?? '';
    expect(key).toHaveLength(36);
    const ran = await paydesk(['orders', 'show', `ord_${key}`], { home });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('holds a key');
    expect(reveals(key, ran.stderr)).toBe(false);
  });

  test('a key that is piped in', async () => {
    using home = newHome();
    const key = 'sk_live_4u9fQ2mZ7';
    const args = [
      'profile',
      'add',
      `x-${key}`,
      '--base-url',
      'https://a.example',
      '--mode',
      'sandbox',
      '--key-stdin',
    ];
    const ran = await paydesk([...args, '--key-store', 'file'], { home, input: `${key}\n` });
    expectRefused(key, ran, home);
    expect(filesUnder(home.path).filter((path) => path.endsWith('.json'))).toEqual([]);
  });
});

test('a TAB behind a key offers nothing that repeats it', async () => {
  using home = newHome();
  const key = await withProfile(home, 'https://a.example');
  for (const word of [`-y${key}`, key, `--output=${key}`]) {
    const ran = await paydesk(['__complete', 'zsh', '2', 'orders', 'list', word], { home });
    expect(reveals(key, ran.stdout + ran.stderr)).toBe(false);
  }
});

test('simulator serve prints its key, also when a profile has that key stored', async () => {
  using home = newHome();
  const serve = async (): Promise<string> => {
    const child = spawn(
      process.execPath,
      [bin, 'simulator', 'serve', '--json', '--port', '0', '--db', 'sim.db'],
      {
        env: cleanEnv({ home }),
        cwd: home.path,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const ended = once(child, 'exit');
    child.kill();
    await ended;
    return (JSON.parse(line) as { readonly key: string }).key;
  };
  const key = await serve();
  await storeProfile(home, { name: 'a', baseUrl: 'http://127.0.0.1:9', mode: 'sandbox', settings: {} }, key);
  expect(await serve()).toBe(key);
});

const secret = 'Tr0ub4dor&3-of-the-team';

describe('a new key that is typed as an argument is not repeated', () => {
  test.each([
    'profile add shop --base-url SECRET --mode sandbox',
    'profile add shop --base-url https://a.example --mode SECRET',
    'profile add shop SECRET --base-url https://a.example --mode=SECRET',
    'profile add SECRET --base-url https://a.example --mode sandbox',
    'profile key shop SECRET',
    'profile key shop --key-store SECRET',
    'profile key --SECRET',
  ])('by paydesk %s', async (line) => {
    using home = newHome();
    const ran = await paydesk(line.replaceAll('SECRET', secret).split(' '), { home, input: '' });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(/^error: .*\w/);
    expect(ran.stderr).not.toContain(secret);
  });
});
