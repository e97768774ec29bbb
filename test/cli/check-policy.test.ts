/** `profile check --policy FILE`: an administrator tries a policy before it holds for anybody. */

import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { newPolicy } from '../harness/policy.ts';
import { inOneLine } from '../harness/ran.ts';

const isRoot = process.getuid?.() === 0;
const stranger = 65_000;

const check = (home: Home, machineFile: string, ...args: readonly string[]): Promise<Ran> =>
  paydesk(['profile', 'check', '--policy', ...args], {
    home,
    machineFile,
    env: { TZ: 'UTC', TEST_CLOCK_STANDS_AT_MS: String(Date.parse('2026-11-21T05:05:12Z')) },
  });

/** Checks a text on a machine whose policy says nothing. */
async function checked(text: string, ...args: readonly string[]): Promise<Ran> {
  using home = newHome();
  writeFileSync(join(home.path, 'new.json'), text);
  return await check(home, join(home.path, 'no-etc', 'config.json'), 'new.json', ...args);
}

const all = {
  role: 'refunder',
  'refund.max_amount.MXN': 50_000,
  'refund.max_amount.USD': 0,
  'refund.require': 'reason,note',
  'refund.hold': '20s',
  'refund.max_age': '90d',
  'plan.max_total.MXN': '90000',
  hours: 'Mon-Fri 08:00-20:00 America/Mexico_City',
  'commands.off': ['api', 'approvals'],
  'release.keys': '/no-such-folder/keys',
  agents: 'off',
};

test('each rule of a policy is said with what it will do, and no account is needed for that', async () => {
  const ran = await checked(JSON.stringify(all));
  expect(ran.code, ran.stderr).toBe(0);
  const rules = ran.stdout.split('\n').filter((line) => line.startsWith('  '));
  expect(rules.join('\n')).toMatchInlineSnapshot(`
    "  role refunder: only refunds are made
      refund.max_amount.MXN 50000: the refunds of an order in MXN add up to 50000 at most within any 24 hours
      refund.max_amount.USD 0: the refunds of an order in USD add up to 0 at most within any 24 hours: none is made
      refund.require reason,note: a refund needs a reason and a note
      refund.hold 20s: refunds wait 20s after they are confirmed, and --no-hold is refused
      refund.max_age 90d: orders that are older than 90d are not refunded
      plan.max_total.MXN 90000: the refunds of a plan in MXN add up to 90000 at most
      hours Mon-Fri 08:00-20:00 America/Mexico_City: changes are made in these hours only, by the service's clock; now they are refused
      commands.off api, approvals: off: approvals list, approvals show, approvals approve, approvals reject, api
      release.keys /no-such-folder/keys: only the keys of this file release, and it is not there yet
      agents off: no software agent runs paydesk, and paydesk mcp does not start"
  `);
});

test('a script gets the rules, the owner and the commands that put the file into its place', async () => {
  const { code, stdout } = await checked('{ "role": "viewer" }', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    object: 'policy',
    file: 'new.json',
    understood: true,
    in_place: false,
    rules: [{ name: 'role', value: 'viewer', does: 'no change is made' }],
    install: [
      expect.stringMatching(/^sudo install -d .*no-etc$/),
      expect.stringMatching(/^sudo install -o root -m 644 .*new\.json .*policy\.json$/),
    ],
  });
});

test('all that is not understood is said at once, with the nearest right name (2)', async () => {
  const ran = await checked(
    JSON.stringify({
      rol: 'viewer',
      'refund.max_amount.mxn': 5,
      role: 'refundr',
      hours: 'Mon-Fri 08:00-20:00 America/Mexico_Cty',
      'commands.off': ['order refund'],
      production: 'off',
    }),
  );
  expect(ran.code).toBe(2);
  expect(ran.stdout).toBe('');
  const said = inOneLine(ran.stderr);
  expect(said).toContain('6 rules are not understood');
  expect(said).toContain('says rol viewer: there is no such limit; did you mean role?');
  expect(said).toContain('did you mean refund.max_amount.MXN?');
  expect(said).toContain('did you mean refunder?');
  expect(said).toContain('did you mean America/Mexico_City?');
  expect(said).toContain('turns order refund off: there is no such command; did you mean orders refund?');
  expect(said).toContain('says production off: only read-only can be said');
});

test.each([
  ['breaks off', '{ "role": "viewer",\n  "index": off }', 'holds no JSON object: line 2 is not right'],
  ['is a list', '[]', 'holds no JSON object'],
  [
    'has a number that nothing holds',
    '{ "plan.max_count": 1e21 }',
    'says plan.max_count 1e21: not a whole number',
  ],
  [
    'has a number that JavaScript does not hold',
    '{ "refund.max_amount.MXN": 90071992547409931234 }',
    'says refund.max_amount.MXN 90071992547409931234: not a whole number',
  ],
  ['says a rule twice', '{ "role": "viewer", "role": "full" }', 'says role twice'],
])('a file that %s is refused (2)', async (_, text, said) => {
  const ran = await checked(text);
  expect(ran.code).toBe(2);
  expect(inOneLine(ran.stderr)).toContain(`new.json: ${said}`);
});

test.each([
  ['a link', 'echo "{}" > real.json; ln -s real.json new.json'],
  ['a pipe', 'mkfifo new.json'],
  ['a folder', 'mkdir new.json'],
])('%s is refused (2), since no policy is read from one', async (_, make) => {
  using home = newHome();
  execFileSync('sh', ['-c', make], { cwd: home.path });
  const ran = await check(home, join(home.path, 'no-etc', 'config.json'), 'new.json');
  expect(ran).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('new.json: this is no regular file'),
  });
});

test.each([
  [['orders refund'], '; this leaves refunds apply, which refunds too\n'],
  [['refunds'], '; this leaves orders refund, which refunds too\n'],
  [['orders refund', 'refunds apply'], ' refunds apply\n'],
])('commands.off %j says which other command refunds', async (off, end) => {
  expect((await checked(JSON.stringify({ 'commands.off': off }))).stdout).toContain(end);
});

test('a profile beside it is refused (2): the file is for all', async () => {
  using home = newHome();
  const ran = await paydesk(['profile', 'check', 'demo', '--policy', 'new.json'], { home });
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('leave the name out');
});

describe.skipIf(!isRoot)('who can write the file', () => {
  test('a file that others own or can write is understood, and said not to be trusted as it is', async () => {
    using home = newHome();
    using machine = newPolicy({});
    const file = join(home.path, 'new.json');
    writeFileSync(file, '{ "role": "viewer" }');
    chownSync(file, stranger, 0);
    const ran = await check(home, machine.machineFile, 'new.json');
    expect(ran.code, ran.stderr).toBe(0);
    expect(inOneLine(ran.stdout)).toContain('its owner: user 65000');
    expect(inOneLine(ran.stdout)).toContain('not trusted as it is: ');
    chownSync(file, 0, 0);
    chmodSync(file, 0o666);
    expect(inOneLine((await check(home, machine.machineFile, 'new.json')).stdout)).toContain(
      'can be written by other users than root',
    );
    expect(readFileSync(machine.file, 'utf8')).toBe('{}');
  });

  test('a place in which no policy is trusted is said before a file lies there', async () => {
    using home = newHome();
    using machine = newPolicy({});
    chmodSync(join(machine.file, '..'), 0o777);
    writeFileSync(join(home.path, 'new.json'), '{}');
    const ran = await check(home, machine.machineFile, 'new.json');
    expect(ran.code).toBe(0);
    expect(inOneLine(ran.stdout)).toContain('no policy is trusted there: ');
  });

  test('the policy itself is checked as every run reads it: refused (3) if others can write it', async () => {
    using home = newHome();
    using machine = newPolicy({ role: 'viewer' });
    const trusted = await check(home, machine.machineFile, machine.file, '--json');
    expect(JSON.parse(trusted.stdout)).toMatchObject({ in_place: true, untrusted: [], install: [] });
    chmodSync(machine.file, 0o666);
    const ran = await check(home, machine.machineFile, machine.file);
    expect(ran.code).toBe(3);
    expect(inOneLine(ran.stderr)).toContain('can be written by other users than root');
  });
});
