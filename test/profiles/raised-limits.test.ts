/** `profile set` asks before it allows more than before; the limits of an account are rows of the journal. */

import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { type Home, newHome, paydesk } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { storeProfile } from '../harness/profile.ts';
import { inOneLine } from '../harness/ran.ts';

const limit = 'refund.max_amount.MXN';
const env = { TZ: 'UTC', PAYDESK_OPERATOR: 'op7' };
/** The limits that hold, as `profile show` says. */
async function limitsOf(home: Home): Promise<Readonly<Record<string, string>>> {
  const shown: Readonly<Record<string, string>> = JSON.parse(
    (await paydesk(['profile', 'show', 'shop', '--json'], { home, env })).stdout,
  );
  const isHeld = ([name]: readonly [string, string]) =>
    shown[`${name}_from`]?.startsWith('account, ') === true;
  return Object.fromEntries(Object.entries(shown).filter(isHeld));
}
const journalOf = (home: Home) => join(home.path, '.local/state/paydesk/journal/journal.db');

async function newShop(
  settings: Readonly<Record<string, string>>,
  mode: 'sandbox' | 'production' = 'sandbox',
): Promise<Home> {
  const home = newHome();
  const profile = { name: 'shop', baseUrl: 'https://pay.example', mode, settings } as const;
  await storeProfile(home, profile, 'key_CANARYxyz0123456789');
  return home;
}

const set = (home: Home, ...words: string[]) => paydesk(['profile', 'set', 'shop', ...words], { home, env });
const listed = async (home: Home, ...words: string[]): Promise<readonly unknown[]> => {
  // Those that the test sets, not those that its profile came with.
  const by = words.includes('--operator') ? [] : ['--operator', 'op7'];
  const line = ['journal', 'list', '--kind', 'setting', '--all-profiles', '--json', ...by, ...words];
  return JSON.parse((await paydesk(line, { home, env })).stdout).data;
};

test('a limit that is set says what it does, and the first of a currency that others are refused then; a default is called so', async () => {
  using home = await newShop({});
  const first = await set(home, limit, '500');
  expect(first.stdout).toMatch(
    /does +the refunds of an order in MXN add up to 500 at most within any 24 hours/,
  );
  expect(inOneLine(first.stderr)).toContain(
    'refunds in another currency than MXN are refused then; to allow them: paydesk profile set shop refund.other_currencies allow',
  );
  const dry = await set(home, 'plan.max_total.MXN', '500', '--dry-run');
  expect(inOneLine(dry.stderr)).toContain('plans in another currency than MXN are refused then');
  expect((await set(home, limit, '400')).stderr).not.toContain('another currency');
  await set(home, 'role', 'viewer');
  await set(home, 'role', 'default', '--yes');
  const table = await paydesk(['journal', 'list', '--kind', 'setting', '--all-profiles'], { home, env });
  expect(table.stdout).toMatch(/role +default +viewer .*\n.*role +viewer +default /);
});

describe('a limit that is raised', () => {
  test('is listed with the decimals that the profile declares, and in CSV as it was set', async () => {
    using home = await newShop({ 'amounts.decimals.MXN': '2', [limit]: '50000' });
    await set(home, limit, '300000', '--yes');
    const words = ['journal', 'list', '--kind', 'setting', '--all-profiles', '--operator', 'op7'];
    const table = await paydesk(words, { home, env });
    expect(table.stdout).toMatch(/refund\.max_amount\.MXN {2}50000 \(500\.00\) {2,}300000 \(3000\.00\)/);
    const csv = await paydesk([...words, '--csv'], { home, env });
    expect(csv.stdout).toContain('refund.max_amount.MXN,50000,300000,op7,');
  });

  test('needs --yes in a script (2), is then set, and stands in the journal', async () => {
    using home = await newShop({ [limit]: '500' });
    const without = await set(home, limit, '800');
    expect(without).toMatchObject({ code: 2, stdout: '' });
    expect(without.stderr).toMatchInlineSnapshot(`
      "error:   refund.max_amount.MXN of profile shop would allow more: 800 instead of 500
      certain: nothing was changed
      now:     if that is meant, add --yes
      "
    `);
    expect(await limitsOf(home)).toEqual({ [limit]: '500' });
    expect(await listed(home)).toEqual([]);

    const ran = await set(home, limit, '800', '--yes');
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).toContain('paydesk journal list --kind setting');
    expect(await limitsOf(home)).toEqual({ [limit]: '800' });
    expect(await listed(home)).toEqual([
      {
        object: 'setting_change',
        changed_at: expect.any(Number),
        setting: limit,
        from: '500',
        to: '800',
        operator: 'op7',
        profile: 'shop',
        mode: 'sandbox',
        account: 'https://pay.example service sandbox',
      },
    ]);
  });

  test.each([
    ['nothing, a bare Enter', '\r', 3],
    ['yes', 'y\r', 0],
  ])('is asked for at a terminal; the person answers %s', async (_, keys, code) => {
    using home = await newShop({ [limit]: '500' }, 'production');
    const person = sit(['profile', 'set', 'shop', limit, 'default', '--yes'], { home, env });
    await person.answer('allow it? (y/N)', keys);
    const { screen, ...left } = await person.leaves;
    expect(left).toEqual({ code });
    expect(inOneLine(screen)).toContain('would allow more: no limit instead of 500');
    expect(await limitsOf(home)).toEqual(code === 0 ? {} : { [limit]: '500' });
    expect(await listed(home)).toMatchObject(code === 0 ? [{ from: '500', to: null }] : []);
  });

  test('is refused to an agent, at a terminal too', async () => {
    using home = await newShop({ [limit]: '500' }, 'production');
    const agent = { ...env, PAYDESK_AGENT: 'helper' };
    const { code, screen } = await sit(['profile', 'set', 'shop', limit, '800'], { home, env: agent }).leaves;
    expect([code, inOneLine(screen)]).toEqual([
      3,
      expect.stringContaining('only a person changes a profile of production'),
    ]);
    expect(await limitsOf(home)).toEqual({ [limit]: '500' });
  });

  test('an agent adds no profile of production, and chooses none for others', async () => {
    using home = await newShop({}, 'production');
    const agent = { ...env, PAYDESK_AGENT: 'helper' };
    const add = ['add', 'two', '--base-url', 'https://pay.example', '--mode', 'production', '--key-stdin'];
    for (const line of [
      [...add, '--key-store', 'file'],
      ['use', 'shop'],
    ])
      expect(await paydesk(['profile', ...line], { home, env: agent })).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('agent helper started this run'),
      });
  });

  test.each([
    ['set shop amounts.decimals.MXN 3 --yes'],
    ['set shop redact off'],
    ['set shop refund.max_amount.MXN 1'],
    ['key shop --key-stdin'],
    ['remove shop --yes'],
  ])('an agent changes no profile of production: profile %s', async (line) => {
    using home = await newShop({ [limit]: '500' }, 'production');
    const before = (await paydesk(['profile', 'show', 'shop', '--json'], { home, env })).stdout;
    const agent = { ...env, PAYDESK_AGENT: 'helper' };
    const ran = await paydesk(['profile', ...line.split(' ')], { home, env: agent });
    expect([ran.code, inOneLine(ran.stderr)]).toEqual([
      3,
      expect.stringContaining('only a person changes a profile of production'),
    ]);
    expect((await paydesk(['profile', 'show', 'shop', '--json'], { home, env })).stdout).toBe(before);
  });

  test.each([
    ['refund.other_currencies', 'allow', 'allow instead of refuse'],
    ['refund.max_amount.USD', '5', '5 instead of refused'],
    ['plan.max_age', '2d', '2d instead of 24h'],
    ['plan.max_count', '11', '11 instead of 10'],
    ['plan.max_total.mxn', 'default', 'no limit instead of 900'],
  ])('so is %s %s', async (setting, value, says) => {
    using home = await newShop({ [limit]: '500', 'plan.max_count': '10', 'plan.max_total.MXN': '900' });
    const ran = await set(home, setting, value);
    expect(ran.code).toBe(2);
    expect(inOneLine(ran.stderr)).toContain(`would allow more: ${says}`);
    expect(await set(home, setting, value, '--yes')).toMatchObject({ code: 0 });
    expect(await listed(home)).toHaveLength(1);
  });

  test.each([
    [limit, '499'],
    [limit, '500'],
    ['plan.max_total.MXN', '900'],
    ['plan.max_age', '1h'],
    ['refund.other_currencies', 'refuse'],
    ['refund.require', 'note'],
  ])('%s %s is set without a question', async (setting, value) => {
    using home = await newShop({ [limit]: '500' });
    expect(await set(home, setting, value)).toMatchObject({ code: 0 });
    expect(await limitsOf(home)).toMatchObject({ [setting]: value });
  });

  test.each([
    ['sandbox', 'paydesk asks before it sets that'],
    ['production', 'in production only a person at a terminal can allow more'],
  ] as const)('is only told by --dry-run, with who may set it (%s)', async (mode, who) => {
    using home = await newShop({ [limit]: '500' }, mode === 'production' ? 'production' : 'sandbox');
    const dry = await set(home, limit, '800', '--dry-run');
    expect(dry.code).toBe(0);
    expect(inOneLine(dry.stderr)).toContain(`would allow more: 800 instead of 500; ${who}`);
    expect(await limitsOf(home)).toEqual({ [limit]: '500' });
    expect(await listed(home)).toEqual([]);
  });
});

test.each([
  [limit, 'unlimited', 2],
  ['time.zone', 'Nowhere/Else', 2],
  ['no.such', '1', 2],
  ['lang', '!', 2],
  ['mode', 'production', 3],
])('--dry-run refuses what the real command refuses: %s %s', async (setting, value, code) => {
  using home = await newShop({});
  const real = await set(home, setting, value);
  const dry = await set(home, setting, value, '--dry-run');
  expect([real.code, dry.code]).toEqual([code, code]);
  expect(dry).toEqual(real);
});

test('--dry-run of profile add and use refuses what the real command refuses', async () => {
  using home = await newShop({});
  const wrongUrl = ['add', 'new', '--base-url', 'http://pay.example', '--mode', 'sandbox'];
  expect(await paydesk(['profile', ...wrongUrl, '--dry-run'], { home, env })).toMatchObject({ code: 3 });
  expect(await paydesk(['profile', 'use', 'nobody', '--dry-run'], { home, env })).toMatchObject({ code: 4 });
});

describe('while the journal cannot be written', () => {
  test('a limit is neither raised nor lowered (3)', async () => {
    using home = await newShop({ [limit]: '500' });
    expect(await set(home, limit, '600', '--yes')).toMatchObject({ code: 0 });
    // The journal is gone, and its witness still knows of a row.
    rmSync(journalOf(home));
    const ran = await set(home, limit, '700', '--yes');
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(inOneLine(ran.stderr)).toContain(`${limit} stays as it is, because the journal `);
    expect(ran.stderr).toContain('nothing was changed');
    expect(await set(home, limit, '100')).toMatchObject({ code: 3 });
  });

  test('so too if its file is no journal at all', async () => {
    using home = await newShop({ [limit]: '500' });
    await set(home, limit, '600', '--yes');
    writeFileSync(journalOf(home), 'no journal');
    chmodSync(journalOf(home), 0o600);
    expect(await set(home, limit, '700', '--yes')).toMatchObject({ code: 3 });
  });
});

test('a limit that somebody else changed since the question is not set, and nothing is written (3)', async () => {
  using home = await newShop({ [limit]: '500' });
  const person = sit(['profile', 'set', 'shop', limit, '800'], { home, env });
  await person.waitFor('allow it? (y/N)');
  expect(await set(home, limit, '300')).toMatchObject({ code: 0 });
  person.type('y\r');
  const { code, screen } = await person.leaves;
  expect(code).toBe(3);
  expect(inOneLine(screen)).toContain('would allow more: 800 instead of 300');
  expect(await limitsOf(home)).toEqual({ [limit]: '300' });
  expect(await listed(home)).toMatchObject([{ to: '300' }]);
});

describe('journal list --kind setting', () => {
  test('narrows by person and time, and by the account of a profile', async () => {
    using home = await newShop({ [limit]: '500' });
    await set(home, limit, '600', '--yes');
    const other = { name: 'other', baseUrl: 'https://b.example', mode: 'sandbox' } as const;
    await storeProfile(home, { ...other, settings: { [limit]: '1' } }, 'key_CANARYabc0123456789');
    const line = ['profile', 'set', 'other', limit, '2', '--yes'];
    await paydesk(line, { home, env: { ...env, PAYDESK_OPERATOR: 'op8' } });
    expect(await listed(home)).toMatchObject([{ to: '600' }]);
    expect(await listed(home, '--operator', 'op8')).toMatchObject([{ to: '2', profile: 'other' }]);
    expect(await listed(home, '--since', '1h')).toHaveLength(1);
    const own = await paydesk(['-p', 'shop', 'journal', 'list', '--kind', 'setting', '--operator', 'op7'], {
      home,
      env,
    });
    expect(own.stdout).toMatch(
      /CHANGED.* SETTING +FROM +TO +BY +PROFILE +MODE +ACCOUNT *\n.*refund\.max_amount\.MXN +500 +600 +op7 +shop +sandbox +https:\/\/pay\.example service sandbox *\n$/,
    );
    const none = await paydesk(['-p', 'shop', 'journal', 'list', '--kind', 'setting', '--operator', 'op9'], {
      home,
      env,
    });
    expect(none.stderr).toContain('no such change of a setting for the account of profile shop');
  });

  test.each([['--open'], ['--order', 'ord_1']])('refuses %s (2)', async (...words) => {
    using home = await newShop({});
    const ran = await paydesk(['journal', 'list', '--kind', 'setting', ...words], { home, env });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(`${words[0]} cannot be combined with --kind setting`);
  });

  test('other lists do not show these rows; verify counts them', async () => {
    using home = await newShop({ [limit]: '500' });
    await set(home, limit, '600', '--yes');
    const list = await paydesk(['journal', 'list', '--all-profiles', '--json'], { home, env });
    expect(JSON.parse(list.stdout).data).toEqual([]);
    const verified = await paydesk(['journal', 'verify'], { home, env });
    expect(verified).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('2 rows, 2 of them about settings, whole'),
    });
    const json = await paydesk(['journal', 'verify', '--json'], { home, env });
    expect(JSON.parse(json.stdout)).toMatchObject({
      rows: 2,
      settings: 2,
      witness: 'agrees',
      witness_lines: 2,
      findings: [],
    });
    using db = new DatabaseSync(journalOf(home), { readOnly: true });
    const row = { type: 'setting', change: '', order_id: null };
    expect(db.prepare('SELECT type, change, order_id FROM rows').all()).toEqual([row, row]);
  });
});

describe('a limit where decimals are declared', () => {
  const limits = { [limit]: '50000', 'plan.max_total.MXN': '900000' };
  const decimals = { 'amounts.decimals.MXN': '2', ...limits };

  test('is said in both forms, lowered or raised, and by --dry-run', async () => {
    using home = await newShop(decimals);
    // Somebody who means 500.00 sees what was set.
    expect((await set(home, limit, '500')).stdout).toContain(
      `${limit} of the account of shop is 500 (5.00 MXN) now\n`,
    );
    const raise = await set(home, limit, '800');
    expect(raise.code).toBe(2);
    expect(raise.stderr).toContain('would allow more: 800 (8.00 MXN) instead of 500 (5.00 MXN)\n');
    const dry = await set(home, limit, '400', '--dry-run');
    expect(dry.stdout).toContain(`would set ${limit} of profile shop to 400 (4.00 MXN)\n`);
    expect(await limitsOf(home)).toEqual({ ...limits, [limit]: '500' });
  });

  test.each([
    [limit, '600.00', '60000'],
    ['refund.max_amount.mxn', '600.00', '60000'],
    ['plan.max_total.MXN', '9500.00', '950000'],
  ])('is typed with decimals as well: %s %s', async (setting, typed, units) => {
    using home = await newShop(decimals);
    const ran = await set(home, setting, typed, '--yes', '--json');
    expect(ran.code, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ value: units });
    expect((await limitsOf(home))[setting.replace('mxn', 'MXN')]).toBe(units);
    expect(await listed(home)).toMatchObject([{ to: units }]);
  });

  test.each([
    [limit, '600.0', 'MXN has 2 decimals; type 600.00'],
    ['refund.max_amount.USD', '600.00', 'declares no decimals for USD'],
  ])('is refused where it cannot be read, with what to type: %s %s', async (setting, typed, says) => {
    using home = await newShop(decimals);
    const ran = await set(home, setting, typed, '--yes');
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(says);
    expect(await limitsOf(home)).toEqual(limits);
  });
});
