/** The policy of a machine: what it says holds for every profile. Ways around it: test/profiles/rails.test.ts. */

import { chmodSync, chownSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { changeArgs, ledgerAndDesk } from '../atmost/desk.ts';
import { chargeOf, inProduction, orderOf, refundedWhole } from '../harness/orders.ts';
import { paydesk, type Ran } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { newPolicy, type PolicyMachine } from '../harness/policy.ts';
import { inOneLine } from '../harness/ran.ts';
import { json } from '../harness/server.ts';
import { type Service, startService, storeShop } from '../harness/service.ts';
import { newSharedMachine } from '../harness/shared-machine.ts';

const { ledger, desk } = await ledgerAndDesk();
const isRoot = process.getuid?.() === 0;
const stranger = 65_000;
const paid = orderOf('ord_1', [chargeOf('ch_1', 35_000)]);

async function startShop(
  limits: Readonly<Record<string, string>> = {},
  mode: 'sandbox' | 'production' = 'sandbox',
): Promise<Service> {
  const service = await startService({
    orders: [mode === 'production' ? inProduction(paid) : paid],
    mode,
    onPost: (order = {}) => json(refundedWhole(order)),
  });
  await storeShop(service.home, service, limits);
  return service;
}

type Env = Readonly<Record<string, string>>;

const runOn = (
  { machineFile }: Pick<PolicyMachine, 'machineFile'>,
  service: Service,
  args: readonly string[],
  env: Env = {},
): Promise<Ran> =>
  paydesk(['-p', 'shop', ...args], { home: service.home, env: { TZ: 'UTC', ...env }, machineFile });

const refund = ['orders', 'refund', 'ord_1', '--yes'];
const confirmed = ['orders', 'refund', 'ord_1', '--confirm', 'ord_1'];

const at = (time: string): Env => ({ TEST_CLOCK_STANDS_AT_MS: String(Date.parse(time)) });

describe.skipIf(!isRoot)('what a policy says', () => {
  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    [
      'a role',
      { role: 'capturer' },
      'the role of the policy of this machine is capturer, which may not refund',
    ],
    [
      'a limit',
      { 'refund.max_amount.MXN': 500 },
      'over the limit of the policy of this machine: refund.max_amount.MXN is 500',
    ],
    [
      'another currency',
      { 'refund.max_amount.USD': 500 },
      'over the limit of the policy of this machine: refund.max_amount.MXN is 0',
    ],
    ['a limit of 0', { 'refund.max_amount.MXN': '0' }, 'refund.max_amount.MXN is 0'],
    [
      'the age of an order',
      { 'refund.max_age': '1h' },
      'over the limit of the policy of this machine: refund.max_age is 1 hour',
    ],
    ['a command that is off', { 'commands.off': ['orders refund'] }, 'turns paydesk orders refund off'],
    ['a noun that is off', { 'commands.off': ['orders'] }, 'turns paydesk orders refund off'],
    [
      'hours',
      { hours: 'Mon-Sun 00:00-00:01 UTC' },
      'at these hours only: Mon-Sun 00:00-00:01 UTC; there it is ',
    ],
  ])('%s: a refund outside it is refused (3), and nothing is sent', async (_, says, said) => {
    await using service = await startShop(
      'refund.max_amount.USD' in says ? { 'refund.max_amount.MXN': '90000' } : {},
    );
    using machine = newPolicy(says);
    const env = 'hours' in says ? at('2040-11-21T05:05:12Z') : {};
    const ran = await runOn(machine, service, refund, env);
    expect(ran.code, ran.stderr).toBe(3);
    expect(inOneLine(ran.stderr)).toContain(said);
    expect(ran.stderr).not.toContain('your lead');
    expect(inOneLine(ran.stderr)).toContain(machine.file);
    expect(service.posts).toEqual([]);
  });

  test('a limit of the account that is as strict as it must be is that of the account', async () => {
    await using service = await startShop({ 'refund.max_amount.MXN': '400' });
    using machine = newPolicy({ 'refund.max_amount.MXN': 500 });
    const ran = await runOn(machine, service, refund);
    expect(inOneLine(ran.stderr)).toContain('over the limit of this account: refund.max_amount.MXN is 400');
    expect(inOneLine(ran.stderr)).toContain('ask your lead');
  });

  test('a plan over it says whose limit that is', async () => {
    await using service = await startShop();
    using machine = newPolicy({ 'plan.max_count': 0 });
    writeFileSync(join(service.home.path, 'refunds.csv'), 'order_id,charge_id,amount\nord_1,1,100\n');
    const ran = await runOn(machine, service, ['refunds', 'plan', 'refunds.csv']);
    expect(ran.code, ran.stderr).toBe(3);
    expect(inOneLine(ran.stderr)).toContain('plan.max_count is 0 (a limit of the policy of this machine)');
    expect(inOneLine(ran.stderr)).toContain(machine.file);
  });

  test('that allows a refund changes nothing', async () => {
    await using service = await startShop();
    using machine = newPolicy({
      role: 'refunder',
      'refund.max_amount.MXN': 35_000,
      'refund.max_age': '365d',
      'commands.off': ['api'],
      hours: 'Mon-Sun 00:00-24:00 America/Mexico_City',
      production: 'read-only',
      agents: 'off',
    });
    expect(await runOn(machine, service, refund)).toMatchObject({ code: 0 });
    expect(service.posts).toHaveLength(1);
  });

  test('a required reason and note', async () => {
    await using service = await startShop({ 'refund.require': 'reason' });
    using machine = newPolicy({ 'refund.require': 'note' });
    const ran = await runOn(machine, service, [...refund, '--reason', 'duplicated_transaction']);
    expect(ran.code, ran.stderr).toBe(2);
    expect(ran.stderr).toContain('--note');
    expect((await runOn(machine, service, [...refund, '--note', 'T-88'])).stderr).toContain('--reason');
    expect(service.posts).toEqual([]);
  });

  test('production that is only read: no change of it is made, and others are', async () => {
    await using service = await startShop({}, 'production');
    await using other = await startShop();
    using machine = newPolicy({ production: 'read-only' });
    const ran = await runOn(machine, service, confirmed);
    expect(ran.code, ran.stderr).toBe(3);
    expect(inOneLine(ran.stderr)).toContain('allows no change in production');
    expect((await runOn(machine, service, ['orders', 'show', 'ord_1'])).stdout).not.toContain(
      'orders refund',
    );
    expect(service.posts).toEqual([]);
    expect(await runOn(machine, other, refund)).toMatchObject({ code: 0 });
  });

  test('agents that are off: no run of an agent does anything', async () => {
    await using service = await startShop();
    using machine = newPolicy({ agents: 'off' });
    const ran = await runOn(machine, service, ['orders', 'list'], { PAYDESK_AGENT: 'bot' });
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('lets no software agent run paydesk');
    expect(await runOn(machine, service, ['mcp'])).toMatchObject({ code: 3 });
    expect(service.requests).toEqual([]);
  });

  test('an index that is off is neither built nor used', async () => {
    await using service = await startShop();
    using none = newPolicy({});
    using machine = newPolicy({ index: 'off' });
    expect(await runOn(none, service, ['index', 'build', '--yes'])).toMatchObject({ code: 0 });
    expect(await runOn(machine, service, ['index', 'build', '--yes'])).toMatchObject({ code: 3 });
    const found = await runOn(machine, service, ['orders', 'find', 'ana', '--dry-run']);
    expect(found.stderr).not.toContain('index');
    expect(await runOn(machine, service, ['index', 'forget', '--all', '--yes'])).toMatchObject({ code: 0 });
  });
});

describe.skipIf(!isRoot)('the stricter one of policy and account holds', () => {
  test('and profile show says where each comes from', async () => {
    await using service = await startShop({
      'refund.max_amount.MXN': '900',
      'plan.max_total.MXN': '100',
      'plan.max_count': '7',
      'refund.require': 'reason',
    });
    using machine = newPolicy({
      'refund.max_amount.MXN': 500,
      'refund.max_amount.USD': 400,
      'plan.max_total.EUR': 70,
      'plan.max_count': 5000,
      'refund.require': 'note',
      hours: 'Mon-Sun 00:00-24:00 UTC',
      'commands.off': ['api'],
    });
    const shown = JSON.parse((await runOn(machine, service, ['profile', 'show', 'shop', '--json'])).stdout);
    const ofAccount = expect.stringMatching(/^account, set by /);
    expect(shown).toMatchObject({
      'refund.max_amount.MXN': '500',
      'refund.max_amount.MXN_from': `policy ${machine.file}`,
      'refund.max_amount.USD': '0',
      'refund.max_amount.USD_from': 'account: it has limits, and none for USD',
      'plan.max_total.MXN': '0',
      'plan.max_total.MXN_from': `policy ${machine.file}: it has limits, and none for MXN`,
      'plan.max_count': '7',
      'plan.max_count_from': ofAccount,
      'refund.require': 'reason,note',
      'refund.require_from': `account and policy ${machine.file}`,
      hours: 'Mon-Sun 00:00-24:00 UTC',
      'commands.off': 'api',
      policy_file: machine.file,
    });
    expect(
      (
        await runOn(machine, service, [
          'orders',
          'refund',
          'ord_1',
          '--amount',
          '501',
          '--reason',
          'duplicated_transaction',
          '--note',
          'T-88',
          '--yes',
        ])
      ).stderr,
    ).toContain('refund.max_amount.MXN is 500');
    expect(service.posts).toEqual([]);
  });

  test('a limit of the account that allows more is kept, and changes nothing', async () => {
    await using service = await startShop({ 'refund.max_amount.MXN': '400' });
    using machine = newPolicy({ 'refund.max_amount.MXN': 500 });
    const line = ['profile', 'set', 'shop', 'refund.max_amount.MXN', '900000', '--yes'];
    const set = await runOn(machine, service, line);
    expect(set.code).toBe(0);
    expect(inOneLine(set.stderr)).toContain(`the policy of this machine keeps 500: ${machine.file}`);
    expect(inOneLine((await runOn(machine, service, refund)).stderr)).toContain(
      'refund.max_amount.MXN is 500',
    );
  });

  test('a policy that is written while a command waits for its yes stops that command', async () => {
    await using service = await startShop();
    using machine = newPolicy({});
    const person = sit(['-p', 'shop', 'orders', 'refund', 'ord_1', '--only-confirm'], {
      home: service.home,
      env: { TZ: 'UTC' },
      machineFile: machine.machineFile,
    });
    await person.waitFor(/Send back .*\?/);
    machine.write({ 'refund.max_amount.MXN': 500 });
    person.type('y\r');
    expect(await person.leaves).toMatchObject({ code: 3 });
    expect(service.posts).toEqual([]);
  });

  test.each([
    ['turns its command off', { 'commands.off': ['orders refund'] }, {}],
    ['turns agents off', { agents: 'off' }, { PAYDESK_AGENT: 'helper' }],
  ])('a policy that %s while it waits for its yes stops it, in a sandbox too', async (_, says, agent) => {
    await using service = await startShop();
    using machine = newPolicy({});
    const person = sit(['-p', 'shop', 'orders', 'refund', 'ord_1', '--only-confirm'], {
      home: service.home,
      env: { TZ: 'UTC', ...agent },
      machineFile: machine.machineFile,
    });
    await person.waitFor(/Send back .*\?/);
    machine.write(says);
    person.type('y\r');
    expect(await person.leaves).toMatchObject({ code: 3 });
    expect(service.posts).toEqual([]);
  });

  test('a policy that turns plans off while one is applied stops its next rows', async () => {
    using machine = newPolicy({});
    const orders = ['ord_1', 'ord_2'].map((id) => orderOf(id, [chargeOf(`ch_${id}`, 35_000)]));
    await using service = await startService({
      orders,
      onPost(order = {}) {
        machine.write({ 'commands.off': ['refunds'] });
        return json(refundedWhole(order));
      },
    });
    await storeShop(service.home, service);
    writeFileSync(join(service.home.path, 'r.csv'), 'order_id,amount\nord_1,full\nord_2,full\n');
    await runOn(machine, service, ['refunds', 'plan', 'r.csv', '--to', 'r.plan']);
    const ran = await runOn(machine, service, ['refunds', 'apply', 'r.plan', '--concurrency', '1', '--yes']);
    expect(ran.code, ran.stderr).not.toBe(0);
    expect(inOneLine(ran.stdout + ran.stderr)).toContain('turns paydesk refunds apply off');
    expect(service.posts).toHaveLength(1);
  });

  test('--no-hold is refused where the policy wants the moment (3), also if the account wants one too', async () => {
    await using service = await startShop({ 'refund.hold': '5s' });
    using machine = newPolicy({ 'refund.hold': '20s' });
    const ran = await runOn(machine, service, [...refund, '--no-hold']);
    expect(ran.code, ran.stderr).toBe(3);
    expect(inOneLine(ran.stderr)).toContain('the policy of this machine wants refunds to wait (refund.hold)');
    expect(service.posts).toEqual([]);
    using none = newPolicy({ 'refund.hold': '0s' });
    expect(await runOn(none, service, [...refund, '--no-hold'])).toMatchObject({ code: 0 });
  });
});

type Spoil = (machine: PolicyMachine) => void;

describe.skipIf(!isRoot)(
  'while a policy is not trusted or not understood, nothing of production is changed',
  () => {
    test.each<[string, string, Spoil]>([
      [
        'a user owns it',
        'policy.json belongs to another user than root',
        ({ file }) => chownSync(file, stranger, 0),
      ],
      [
        'a group may write it',
        'policy.json can be written by other users',
        ({ file }) => chmodSync(file, 0o664),
      ],
      [
        'everybody may write its folder',
        'etc can be written by other users',
        ({ file }) => chmodSync(dirname(file), 0o777),
      ],
      [
        'a user owns a folder above',
        'belongs to another user than root',
        ({ file }) => chownSync(dirname(dirname(file)), stranger, 0),
      ],
      [
        'it is a link',
        'policy.json is a symbolic link',
        ({ file }) => {
          renameSync(file, `${file}.moved`);
          symlinkSync(`${file}.moved`, file);
        },
      ],
      [
        'its folder is a link',
        'etc is a symbolic link',
        ({ file }) => {
          renameSync(dirname(file), `${dirname(file)}.moved`);
          symlinkSync(`${dirname(file)}.moved`, dirname(file));
        },
      ],
      ['it is no JSON', 'holds no JSON object', ({ write }) => write('{ role')],
      ['it is a list', 'holds no JSON object', ({ write }) => write('[]')],
      ['it says what does not exist', 'there is no such limit', ({ write }) => write({ 'refund.max': 5 })],
      [
        'it says what is no limit',
        'there is no such limit',
        ({ write }) => write({ 'orders.get': 'direct' }),
      ],
      [
        'a limit is no number',
        'says refund.max_amount.MXN lots',
        ({ write }) => write({ 'refund.max_amount.MXN': 'lots' }),
      ],
      [
        'a command does not exist',
        'there is no such command',
        ({ write }) => write({ 'commands.off': ['order refund'] }),
      ],
      [
        'hours have no zone',
        'says hours Mon-Fri 08:00-20:00',
        ({ write }) => write({ hours: 'Mon-Fri 08:00-20:00' }),
      ],
      [
        'hours end before they begin',
        'says hours',
        ({ write }) => write({ hours: 'Mon-Fri 20:00-08:00 UTC' }),
      ],
      ['agents are what they cannot be', 'only off can be said', ({ write }) => write({ agents: 'on' })],
      [
        'its keys have no full path',
        'write the full path',
        ({ write }) => write({ 'release.keys': 'keys.json' }),
      ],
    ])('%s', async (_, said, spoil) => {
      await using service = await startShop({}, 'production');
      await using other = await startShop();
      using machine = newPolicy({});
      expect((await runOn(machine, service, ['orders', 'list'])).stderr).not.toContain('policy');
      spoil(machine);
      const ran = await runOn(machine, service, confirmed);
      expect(ran.code, ran.stderr).toBe(3);
      expect(inOneLine(ran.stderr)).toContain(said);
      expect(inOneLine(ran.stderr)).toContain('ask an administrator');
      expect(service.posts).toEqual([]);
      const read = await runOn(machine, service, ['orders', 'list']);
      expect(read.code).toBe(0);
      expect(inOneLine(read.stderr)).toContain(said);
      expect(inOneLine(read.stderr)).toContain(
        'no software agent runs paydesk here, personal data is masked',
      );
      for (const variable of ['PAYDESK_AGENT', 'AI_AGENT'])
        expect(await runOn(machine, service, ['orders', 'list'], { [variable]: 'bot' })).toMatchObject({
          code: 3,
          stdout: '',
        });
      expect(await runOn(machine, service, ['mcp'])).toMatchObject({ code: 3, stdout: '' });
      expect(await runOn(machine, other, refund)).toMatchObject({ code: 0 });
      const { stdout } = await runOn(machine, other, ['profile', 'show']);
      for (const held of [
        /^redact +on +policy .*, which is not used$/m,
        /^production +read-only /m,
        /^agents +off /m,
      ])
        expect(stdout).toMatch(held);
    });
  },
);

test.skipIf(!isRoot)(
  'while a policy is not understood, no command changes production, and what people read is masked',
  async () => {
    const named = { object: 'customer_info', customer_id: 'cus_1', name: 'Ana Torres Ruiz' };
    await using service = await startService({
      orders: [inProduction({ ...paid, customer_info: named })],
      mode: 'production',
      onPost: (order = {}) => json(refundedWhole(order)),
    });
    await storeShop(service.home, service);
    using machine = newPolicy({ 'commands.off': ['no such'] });
    const lines: readonly (readonly string[])[] = [
      confirmed,
      ['orders', 'capture', 'ord_1', '--confirm', 'ord_1'],
      ['orders', 'create', '--currency', 'MXN', '--item', 'Lamp:300:1', '--customer', 'cus_1', '--yes'],
      ['api', 'POST', 'orders/ord_1/refund', '--yes'],
      ['api', 'DELETE', 'orders/ord_1', '--yes'],
    ];
    for (const line of lines) {
      const ran = await runOn(machine, service, line);
      expect(ran.code, `${line.join(' ')}\n${ran.stderr}`).toBe(3);
      expect(ran.stderr).toContain('policy');
    }
    expect(service.posts).toEqual([]);
    const shown = await runOn(machine, service, ['orders', 'show', 'ord_1']);
    expect(shown.code, shown.stderr).toBe(0);
    expect(shown.stdout).not.toContain('Torres');
  },
);

test.skipIf(!isRoot)('a machine without a policy has none of its limits', async () => {
  await using service = await startShop();
  using machine = newPolicy({ 'refund.max_amount.MXN': 500 });
  rmSync(machine.file);
  expect(await runOn(machine, service, refund)).toMatchObject({ code: 0 });
});

describe.skipIf(!isRoot)('a copy of the program, run by another user of the machine', () => {
  test('reads the same policy', async () => {
    using machine = newSharedMachine();
    using home = desk.newHome();
    writeFileSync(machine.machineFile, '{}');
    writeFileSync(join(dirname(machine.machineFile), 'policy.json'), '{ "role": "viewer" }');
    const order = ledger.add('refund');
    const user = machine.user(home, { isMember: false });
    const { code, stderr } = await user.start(['-p', 't', ...changeArgs(order)]).end;
    expect({ code, reads: order.reads, posts: order.posts.length }, stderr).toEqual({
      code: 3,
      reads: 0,
      posts: 0,
    });
    expect(inOneLine(stderr)).toContain('the role of the policy of this machine is viewer');
  });
});
