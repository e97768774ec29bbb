/** profile add tries the key once before it is kept, says whose account it is, and checks settings against the service's words. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorBody, orderOf } from '../harness/orders.ts';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { withoutEscapes } from '../harness/pty.ts';
import { closedPort, json, startServer } from '../harness/server.ts';
import { emptyList, pages } from '../harness/service.ts';
import { atTerminal } from '../harness/terminal.ts';
import { differences } from '../harness/two-widths.ts';

const key = 'key_test_4u9fQ2';
const folderOf = (home: Home) => join(home.path, '.config', 'paydesk');
const newest = orderOf('ord_2tQ8mVxK4nRz7LcWp', [], {
  amount: 35_000,
  currency: 'MXN',
  livemode: false,
  created_at: 1_795_000_000,
});

function addTo(
  home: Home,
  url: string,
  words: readonly string[] = [],
  more: { readonly mode?: string; readonly columns?: number } = {},
): Promise<Ran> {
  const { mode = 'sandbox', columns } = more;
  const line = [
    'profile',
    'add',
    'shop',
    '--base-url',
    url,
    '--mode',
    mode,
    '--key-stdin',
    '--key-store',
    'file',
  ];
  const env = { TZ: 'UTC' };
  return paydesk([...line, ...words], {
    home,
    env,
    input: key,
    ...(columns === undefined ? {} : { columns }),
  });
}

describe('a script', () => {
  test('tries the key with one GET, says which account it sees, and then keeps it', async () => {
    await using server = await startServer(pages([newest]));
    using home = newHome();
    const ran = await addTo(home, server.url, ['--json']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ key_tried: true, newest_order: 'ord_2tQ8mVxK4nRz7LcWp' });
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /orders?limit=1']);
    expect(readFileSync(join(folderOf(home), 'keys.json'), 'utf8')).toContain(`"${key}"`);
  });

  test('the screen at 80 and 120 columns', async () => {
    await using server = await startServer(pages([newest]));
    const shown = async (columns: number) => {
      using home = newHome();
      const { stdout, stderr } = await addTo(home, server.url, [], { columns });
      return `${stderr}${stdout}`.replaceAll(home.path, '~').replaceAll(server.url, 'https://service');
    };
    const narrow = await shown(80);
    expect(narrow).toMatchInlineSnapshot(`
      "the key works for sandbox shop. Its newest order: ord_2tQ8mVxK4nRz7LcWp, 35000
      MXN, 18 Nov 2026 11:06:40 UTC
      next: paydesk profile check shop
      added profile shop
        name          shop
        mode          sandbox
        base_url      https://service
        vendor        service
        api_version   2.3.0
        auth          bearer
        key_in        ~/.config/paydesk/keys.json
        key_tried     true
        newest_order  ord_2tQ8mVxK4nRz7LcWp
        default       false
      "
    `);
    expect(differences(await shown(120), narrow)).toMatchInlineSnapshot(`
      "instead of lines 1 to 2:
      the key works for sandbox shop. Its newest order: ord_2tQ8mVxK4nRz7LcWp, 35000 MXN, 18 Nov 2026 11:06:40 UTC"
    `);
  });

  test('--no-check keeps the key without a request', async () => {
    await using server = await startServer(pages([newest]));
    using home = newHome();
    const ran = await addTo(home, server.url, ['--no-check', '--json']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ key_tried: false, newest_order: null });
    expect(server.connections).toBe(0);
  });

  test('an account without orders is said to be one', async () => {
    await using server = await startServer(emptyList);
    using home = newHome();
    const ran = await addTo(home, server.url);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain('The account has no orders yet, so nothing shows whose it is');
  });

  test.each([
    ['that the service refuses', 4, json(errorBody({ type: 'authentication_error' }), 401)],
    ['that gets no list', 1, json('<html>')],
    ['that gets no answer but 503', 6, json(errorBody(), 503)],
  ] as const)('a key %s is not kept, and --no-check is named', async (_what, code, handler) => {
    await using server = await startServer(handler);
    using home = newHome();
    const ran = await addTo(home, server.url);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toContain('certain: nothing was kept, nothing was changed');
    expect(ran.stderr).toContain('--no-check');
    expect(ran.stderr).not.toContain('paydesk profile key shop');
    expect(ran.stderr).not.toContain(key);
    expect(existsSync(folderOf(home))).toBe(false);
  });

  test('a service that nobody reaches: exit 6, nothing is kept', async () => {
    await using closed = await closedPort();
    using home = newHome();
    const ran = await addTo(home, `http://127.0.0.1:${closed.port}`);
    expect(ran).toMatchObject({ code: 6, stdout: '' });
    expect(existsSync(folderOf(home))).toBe(false);
  });

  test.each([
    ['sandbox', true, 'production'],
    ['production', false, 'sandbox'],
  ])(
    'a %s profile with a key of the other mode is refused, and nothing is kept',
    async (mode, livemode, other) => {
      await using server = await startServer(pages([{ ...newest, livemode }]));
      using home = newHome();
      const ran = await addTo(home, server.url, [], { mode });
      expect(ran).toMatchObject({ code: 3, stdout: '' });
      expect(ran.stderr).toContain(`paydesk profile add shop --base-url ${server.url} --mode ${other}`);
      expect(existsSync(folderOf(home))).toBe(false);
    },
  );

  test('--dry-run sends nothing and reads no key', async () => {
    await using server = await startServer(pages([newest]));
    using home = newHome();
    expect((await addTo(home, server.url, ['--dry-run'])).code).toBe(0);
    expect(server.connections).toBe(0);
  });
});

describe('at a terminal', () => {
  const line = (url: string) => [
    'profile',
    'add',
    'shop',
    '--base-url',
    url,
    '--mode',
    'sandbox',
    '--key-store',
    'file',
  ];

  test('the account is shown, and a yes keeps the key (real terminal)', async () => {
    await using server = await startServer(pages([newest]));
    using home = newHome();
    const person = atTerminal(line(server.url), { home, env: { TZ: 'UTC' } });
    await person.answer('private key of shop', `${key}\r`);
    await person.answer('try the key before it is kept?', '\r');
    await person.waitFor('ord_2tQ8mVxK4nRz7LcWp');
    expect(existsSync(folderOf(home))).toBe(false);
    await person.answer('is this the right account?', 'y\r');
    await person.answer('whenever no -p is given', '\r');
    expect((await person.end).exitCode).toBe(0);
    expect(server.requests).toHaveLength(1);
    expect(readFileSync(join(folderOf(home), 'keys.json'), 'utf8')).toContain(`"${key}"`);
  });

  test('a No keeps nothing', async () => {
    await using server = await startServer(pages([newest]));
    using home = newHome();
    const person = atTerminal(line(server.url), { home });
    await person.answer('private key of shop', `${key}\r`);
    await person.answer('try the key before it is kept?', '\r');
    await person.answer('is this the right account?', '\r');
    const ended = await person.end;
    expect(ended.exitCode).toBe(3);
    expect(withoutEscapes(ended.transcript)).toContain('nothing was kept, nothing was changed');
    expect(existsSync(folderOf(home))).toBe(false);
  });
});

describe('a settings file from a lead', () => {
  const add = async (settings: string, words: readonly string[] = []) => {
    const home = newHome();
    writeFileSync(
      join(home.path, 'lead.json'),
      `{"base_url": "https://api.example.com", "mode": "sandbox", "settings": ${settings}}`,
    );
    const line = [
      'profile',
      'add',
      'shop',
      '--from',
      'lead.json',
      '--key-stdin',
      '--key-store',
      'file',
      '--no-check',
    ];
    const ran = await paydesk([...line, ...words], { home, input: key });
    const file = join(folderOf(home), 'profiles.json');
    const kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).profiles.shop.settings : undefined;
    home[Symbol.dispose]();
    return { ...ran, kept };
  };

  test('may hold numbers', async () => {
    const ran = await add(
      '{"refund.max_amount.MXN": 50000, "amounts.decimals.MXN": 2, "reconcile.after": "0,1,5,20"}',
    );
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.kept).toEqual({ 'amounts.decimals.MXN': '2', 'reconcile.after': '0,1,5,20' });
    // The limit is one of the account.
    expect(ran.stderr).toContain('limits of this account: refund.max_amount.MXN 50000');
  });

  test('with a value that is wrong is to be corrected itself: there is no profile to set yet', async () => {
    const ran = await add('{"refund.require": "ticket"}');
    expect(ran).toMatchObject({ code: 3, kept: undefined });
    expect(ran.stderr).toContain('now:     correct refund.require in the file of --from, then run');
    expect(ran.stderr).not.toContain('profile set');
  });

  test.each(['true', 'null', '[5]', '9007199254740993', '{}'])('but not %s', async (value) => {
    const ran = await add(`{"refund.max_amount.MXN": ${value}}`);
    expect(ran).toMatchObject({ code: 2, kept: undefined });
    expect(ran.stderr).toContain(
      'settings.refund.max_amount.MXN must be text or a number, for example "50000"',
    );
  });

  test.each([
    ['{"orders.status": "junk"}', 'orders.status junk: paydesk does not know this status; it knows paid'],
    ['{"refund.max_amount.MXM": 5}', 'refund.max_amount.MXM 5: there is no currency MXM'],
  ])('%s is refused, unless --yes is given', async (settings, says) => {
    const ran = await add(settings);
    expect(ran).toMatchObject({ code: 3, kept: undefined });
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain(says);
    expect(await add(settings, ['--yes'])).toMatchObject({ code: 0 });
  });

  test.each([
    ['{"mode": "test"}', 'mode must be "sandbox" or "production"'],
    ['{"lang": 5}', 'lang must be text, for example "es"'],
    ['{"api_version": "new"}', 'api_version must be text, for example "2.3.0"'],
    ['{"auth": "key"}', 'auth must be "bearer" or "basic"'],
    ['{"settings": "none"}', 'settings must be an object'],
    ['{"amounts.decimals.mxn": "2"}', 'write it into "settings": {"amounts.decimals.MXN": "…"}'],
  ])('%s: the error says what it must be', async (wrong, says) => {
    using home = newHome();
    const right = { base_url: 'https://api.example.com', mode: 'sandbox' };
    writeFileSync(join(home.path, 'lead.json'), JSON.stringify({ ...right, ...JSON.parse(wrong) }));
    const ran = await paydesk(['profile', 'add', 'shop', '--from', 'lead.json'], { home });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(says);
  });
});

describe('profile set', () => {
  const withShop = async () => {
    const home = newHome();
    await addTo(home, 'http://127.0.0.1:9', ['--no-check']);
    return home;
  };
  const set = ['profile', 'set', 'shop', 'orders.status'];

  test('refuses a status that is not known in a script, and takes it with --yes', async () => {
    using home = await withShop();
    const ran = await paydesk([...set, 'junk'], { home });
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toMatchInlineSnapshot(`
      "refused: orders.status junk: paydesk does not know this status; it knows paid, pre_authorized, refunded, partially_refunded, pending_payment, partially_paid, charged_back, declined, expired, canceled, voided
      certain: nothing was changed
      now:     if it is right all the same, add --yes
      "
    `);
    expect((await paydesk([...set, 'junk', '--yes'], { home })).code).toBe(0);
    expect((await paydesk(['profile', 'show', 'shop'], { home })).stdout).toMatch(/orders\.status +junk/);
  });

  test('a time zone that is spelled like another one says which may be meant', async () => {
    using home = await withShop();
    const ran = await paydesk(['profile', 'set', 'shop', 'time.zone', 'Mexico'], { home });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('now:     did you mean time.zone America/Mexico_City?\n');
  });

  test.each(['paid', 'partially_refunded', 'pending_payment', 'default'])(
    'takes %s without a question',
    async (status) => {
      using home = await withShop();
      expect(await paydesk([...set, status], { home })).toMatchObject({ code: 0 });
    },
  );

  test.each([
    ['a bare Enter', '\r', 3],
    ['a yes', 'y\r', 0],
  ])('asks at a terminal: %s', async (_answer, keys, code) => {
    using home = await withShop();
    const person = atTerminal([...set, 'junk'], { home });
    await person.answer('set orders.status to junk all the same?', keys);
    expect((await person.end).exitCode).toBe(code);
    const { stdout } = await paydesk(['profile', 'show', 'shop', '--json'], { home });
    expect(JSON.parse(stdout)).toMatchObject({ 'orders.status': code === 0 ? 'junk' : null });
  });
});
