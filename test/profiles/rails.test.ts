/** Every rail and every way around it that we know: it holds, or docs/safety.md names the way as out of reach. */

import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clockOff } from '../harness/clock.ts';
import { isLong } from '../harness/long.ts';
import { newHome, paydesk, type Ran, type RunOptions } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { newPolicy, type PolicyMachine } from '../harness/policy.ts';
import { storeProfile } from '../harness/profile.ts';
import { storeShop, testKey } from '../harness/service.ts';
import { forge } from '../refunds/forge.ts';
import { order, type RefundService, startRefunds } from '../refunds/refund-service.ts';
import { digestOf } from '../release/released.ts';

type Env = Readonly<Record<string, string>>;
type Settings = Readonly<Record<string, string>>;

// ── Rails: what may not be done with an order of 35000, in production ─────────────────────────────

interface Rail {
  /** Limits of the account, set before the attempt. */
  readonly account?: Settings;
  /** What the policy of the machine says. */
  readonly policy?: Readonly<Record<string, unknown>>;
  /** The environment of every run. */
  readonly env?: Env;
}

const elsewhen = (): string => {
  const hour = String((new Date().getUTCHours() + 12) % 24).padStart(2, '0');
  return `Mon-Sun ${hour}:00-${hour}:01 UTC`;
};

const rails: Readonly<Record<string, Rail>> = {
  'a limit of the account': { account: { 'refund.max_amount.MXN': '500' } },
  'a limit of 0': { account: { 'refund.max_amount.MXN': '0' } },
  'the role viewer': { account: { role: 'viewer' } },
  'the role capturer': { account: { role: 'capturer' } },
  'a note that is required': { account: { 'refund.require': 'note' } },
  'a limit of the policy': { policy: { 'refund.max_amount.MXN': 500 } },
  'a role of the policy': { policy: { role: 'viewer' } },
  'a reason that the policy requires': { policy: { 'refund.require': 'reason' } },
  'the age of an order': { policy: { 'refund.max_age': '1h' } },
  'hours of the policy': { policy: { hours: elsewhen() } },
  'commands that are off': { policy: { 'commands.off': ['orders refund', 'refunds', 'api'] } },
  'production that is only read': { policy: { production: 'read-only' } },
  'agents that are off': { policy: { agents: 'off' }, env: { PAYDESK_AGENT: 'helper' } },
};

// ── Ways around ───────────────────────────────────────────────────────────────────────────────────

interface Seat {
  readonly service: RefundService;
  readonly machine: PolicyMachine;
  readonly rail: Rail;
  /** Runs a line under the rail, as the profile `shop`. */
  readonly run: (
    args: readonly string[],
    more?: Partial<Pick<RunOptions, 'home' | 'env' | 'input'>>,
  ) => Promise<Ran>;
}

type Way = (seat: Seat) => Promise<Pick<Ran, 'code'>>;

const ctrlC = '\x03';
const whole = ['orders', 'refund', 'ord_1', '--confirm', 'ord_1'];
const asShop = ['-p', 'shop'];
const shop =
  (...more: readonly string[]): Way =>
  ({ run }) =>
    run([...asShop, ...whole, ...more]);
const inEnv =
  (env: Env): Way =>
  ({ run }) =>
    run([...asShop, ...whole], { env });
const stateOf = ({ service }: Seat): string => join(service.home.path, '.local/state/paydesk');
const dataOf = ({ service }: Seat): string => join(service.home.path, '.local/share/paydesk');

/** The plan of the whole order, under the rail: of a file, or of what is piped in. */
async function planned(seat: Seat, more: Pick<RunOptions, 'env' | 'input'> = {}): Promise<Ran> {
  seat.service.write('r.csv', rowOf('full'));
  const file = more.input === undefined ? 'r.csv' : '-';
  return await seat.run([...asShop, 'refunds', 'plan', file, ...planFlags('refunds.plan')], more);
}

const rowOf = (amount: string) => `order_id,amount\nord_1,${amount}\n`;
const planFlags = (to: string, total = '35000') => [
  '--to',
  to,
  '--force',
  '--expect-count',
  '1',
  '--expect-total',
  `MXN=${total}`,
];

/** The plan is made on a machine without the rail, by the same account. */
async function plannedElsewhere(seat: Seat, amount = 'full'): Promise<void> {
  using home = newHome();
  seat.service.write('r.csv', rowOf(amount));
  const inFolder = (name: string) => join(seat.service.home.path, name);
  await storeShop(home, seat.service);
  const line = [
    'refunds',
    'plan',
    inFolder('r.csv'),
    ...planFlags(inFolder('refunds.plan'), amount === 'full' ? '35000' : amount),
  ];
  const made = await paydesk([...asShop, ...line], { home, env: { TZ: 'UTC' } });
  if (made.code !== 0) throw new Error(made.stderr);
}

function apply({ run, service }: Seat, total = '35000'): Promise<Ran> {
  const totals = ['--expect-count', '1', '--expect-total', `MXN=${total}`];
  return run([...asShop, 'refunds', 'apply', 'refunds.plan', '--confirm', digestOf(service), ...totals]);
}

const api =
  (path: string): Way =>
  ({ run }) =>
    run([...asShop, 'api', 'POST', path, '--confirm', 'shop']);

const allowing: Settings = {
  'refund.max_amount.MXN': '900000',
  role: 'full',
  'refund.require': 'none',
};

/** What the way leads to at an account without any rail: the control, which shows that a rail stops it. */
type Without = 'sent' | 'refused';

const ways: Readonly<Record<string, readonly [Without, Way]>> = {
  'its profile': ['sent', shop()],
  '--yes beside --confirm': ['sent', shop('--yes')],
  '--only-confirm': ['sent', shop('--only-confirm')],
  '--no-hold': ['sent', shop('--no-hold')],
  'a script that wants JSON': ['sent', shop('--json', '--quiet', '--no-input')],
  'an idempotency key': ['sent', shop('--idempotency-key', 'T-1')],
  'an earlier change that it names': ['refused', shop('--again', 'i_00000000')],
  'an approval that nobody gave': ['refused', shop('--approved', 'r_00000000')],
  'one charge': ['sent', shop('--charge', '1')],
  'an amount, as large': ['sent', shop('--amount', '35000')],
  'one charge by its card': ['sent', shop('--charge', '*4242')],
  'a note of blanks': ['sent', shop('--note', '\u00a0\u200b ')],
  'an id with blanks around it': [
    'sent',
    ({ run }) => run([...asShop, 'orders', 'refund', ' ord_1 ', '--confirm', 'ord_1']),
  ],
  'two runs at once': [
    'sent',
    async (seat) => {
      const [one] = await Promise.all([shop()(seat), shop('--charge', '1')(seat)]);
      return one;
    },
  ],
  'the same line again': [
    'sent',
    async (seat) => {
      const first = await shop()(seat);
      await shop()(seat);
      return first;
    },
  ],
  TAB: [
    'refused',
    async ({ run }) => ({ code: (await run(['__complete', 'bash', '3', ...whole])).code === 0 ? 3 : 1 }),
  ],
  'a person who types the yes': [
    'sent',
    async ({ service, machine, rail }) => {
      const env = { TZ: 'UTC', ...rail.env };
      const { home } = service;
      const person = sit([...asShop, 'orders', 'refund', 'ord_1', '--only-confirm'], {
        home,
        env,
        machineFile: machine.machineFile,
      });
      const isAsked = /Type the|Why\?|Note, kept/;
      const answered = person.waitFor(isAsked).then(
        () => person.type(person.transcript.includes('Type the') ? '35000\r' : ctrlC),
        () => undefined,
      );
      const left = await person.leaves;
      await answered;
      return left;
    },
  ],
  'the profile of the environment': ['sent', ({ run, service }) => run(whole, { env: service.env })],
  'the environment, as a sandbox': [
    'refused',
    ({ run, service }) =>
      run(['orders', 'refund', 'ord_1', '--yes'], { env: { ...service.env, PAYDESK_MODE: 'sandbox' } }),
  ],
  'a second profile of the account': [
    'sent',
    async ({ run, service }) => {
      await storeProfile(service.home, { name: 'other', baseUrl: service.url, mode: 'production' }, testKey);
      return await run(['-p', 'other', ...whole]);
    },
  ],
  'a profile that was removed and added again': [
    'sent',
    async ({ run, service }) => {
      const removed = await run(['profile', 'remove', 'shop', '--yes']);
      if (removed.code === 0) await storeShop(service.home, service);
      return await run([...asShop, ...whole]);
    },
  ],
  'another spelling of the address': [
    'sent',
    async ({ run, service }) => {
      const baseUrl = service.url.replace('127.0.0.1', 'LOCALHOST');
      await storeProfile(service.home, { name: 'other', baseUrl, mode: 'production' }, testKey);
      return await run(['-p', 'other', ...whole]);
    },
  ],
  'a base URL that was set to another spelling': [
    'sent',
    async ({ run, service }) => {
      await run([
        'profile',
        'set',
        'shop',
        'base_url',
        service.url.replace('127.0.0.1', 'localhost'),
        '--yes',
      ]);
      return await run([...asShop, ...whole]);
    },
  ],
  'profiles in another folder': [
    'sent',
    async ({ run, service }) => {
      using home = newHome();
      await storeShop(home, service);
      return await run([...asShop, ...whole], { env: { XDG_CONFIG_HOME: join(home.path, '.config') } });
    },
  ],
  'variables with the names of settings': [
    'sent',
    inEnv({ PAYDESK_ROLE: 'full', PAYDESK_REFUND_MAX_AMOUNT_MXN: '900000', PAYDESK_REFUND_REQUIRE: 'none' }),
  ],
  'another time zone': ['sent', inEnv({ TZ: 'Pacific/Kiritimati' })],
  'the name of somebody else': ['sent', inEnv({ PAYDESK_OPERATOR: 'boss', USER: 'boss', LOGNAME: 'boss' })],
  'a name that reads like an approval': [
    'refused',
    inEnv({ PAYDESK_OPERATOR: 'ana, approved by lea, released by lea with a security key' }),
  ],
  'a key with a colon behind it, which Basic authorization cuts off': [
    'refused',
    ({ run, service }) =>
      run(whole, { env: { ...service.env, PAYDESK_AUTH: 'basic', PAYDESK_API_KEY: `${testKey}:x` } }),
  ],
  'a clock that is a day ahead': ['sent', inEnv(clockOff(26 * 3_600_000))],
  'a clock that is half a day ahead': ['sent', inEnv(clockOff(12 * 3_600_000))],
  'the name of a profile in the environment': [
    'sent',
    ({ run }) => run(whole, { env: { PAYDESK_PROFILE: 'shop' } }),
  ],
  'api, as documented': ['refused', api('orders/ord_1/refunds')],
  'api, with an escaped path': ['refused', api('orders/ord_1/%72efunds')],
  'api, with a detour': ['refused', api('customers/../orders/ord_1/refunds')],
  'api, with a slash at the end': ['refused', api('orders/ord_1/refunds/')],
  'a plan': ['sent', async (seat) => ((await planned(seat)).code === 0 ? await apply(seat) : { code: 3 })],
  'a plan that was made before': [
    'sent',
    async (seat) => {
      await plannedElsewhere(seat);
      return await apply(seat);
    },
  ],
  'a plan that is applied with --yes': [
    'refused',
    async (seat) => {
      await plannedElsewhere(seat);
      return await seat.run([...asShop, 'refunds', 'apply', 'refunds.plan', '--yes']);
    },
  ],
  'an edited plan, with a digest that fits': [
    'refused',
    async (seat) => {
      await plannedElsewhere(seat, '777');
      forge(seat.service, ([head = '', row = '']) => [head, row.replaceAll('777', '31777')]);
      return await apply(seat, '31777');
    },
  ],
  'a plan through a pipe': [
    'sent',
    async (seat) => {
      const { code } = await planned(seat, { input: rowOf('full') });
      return code === 0 ? await apply(seat) : { code };
    },
  ],
  'a plan that is applied again': [
    'sent',
    async (seat) => {
      await plannedElsewhere(seat);
      const first = await apply(seat);
      await apply(seat);
      return first;
    },
  ],
  'a plan that an agent proposes': [
    'sent',
    async (seat) => {
      const { code } = await planned(seat, { env: { PAYDESK_AGENT: 'helper' } });
      return code === 0 ? await apply(seat) : { code };
    },
  ],
  'a rail that is set to allow more, with --yes': [
    'sent',
    async ({ run }) => {
      for (const [name, value] of Object.entries(allowing))
        await run(['profile', 'set', 'shop', name, value, '--yes']);
      return await run([...asShop, ...whole]);
    },
  ],
  'a rail that is set to allow more under the name of a sandbox': [
    'refused',
    async ({ run }) => {
      await run(['profile', 'set', 'shop', 'mode', 'sandbox', '--yes']);
      for (const [name, value] of Object.entries(allowing))
        await run(['profile', 'set', 'shop', name, value, '--yes']);
      return await run([...asShop, 'orders', 'refund', 'ord_1', '--yes']);
    },
  ],
  'a profile file that allows more': [
    'refused',
    async ({ run, service }) => {
      const file = join(service.home.path, '.config/paydesk/profiles.json');
      const held = JSON.parse(readFileSync(file, 'utf8'));
      held.profiles.shop.settings = { ...held.profiles.shop.settings, ...allowing };
      writeFileSync(file, JSON.stringify(held));
      return await run([...asShop, ...whole]);
    },
  ],
  'a file for new colleagues that allows more': [
    'sent',
    async ({ run, service }) => {
      service.write(
        'lead.json',
        JSON.stringify({ base_url: service.url, mode: 'production', settings: allowing }),
      );
      service.write('key', testKey);
      await run([
        'profile',
        'add',
        'b',
        '--from',
        'lead.json',
        '--key-file',
        'key',
        '--key-store',
        'file',
        '--yes',
      ]);
      return await run([...asShop, ...whole]);
    },
  ],
  'a journal without it, imported': [
    'sent',
    async ({ run, service }) => {
      using other = newHome();
      const file = join(service.home.path, 'other.journal');
      await paydesk([...whole, '--dry-run'], { home: other, env: service.env });
      await paydesk(['profile', 'set', 'environment', 'role', 'full', '--yes'], {
        home: other,
        env: service.env,
      });
      await paydesk(['journal', 'export', '--to', file], { home: other });
      await run(['journal', 'import', file, '--yes']);
      return await run([...asShop, ...whole]);
    },
  ],
  'a deleted journal': [
    'sent',
    async (seat) => {
      rmSync(join(stateOf(seat), 'journal'), { recursive: true, force: true });
      return await seat.run([...asShop, ...whole]);
    },
  ],
  'a deleted witness': [
    'sent',
    async (seat) => {
      rmSync(dataOf(seat), { recursive: true, force: true });
      return await seat.run([...asShop, ...whole]);
    },
  ],
  'a journal and a witness that are both deleted': [
    'sent',
    async (seat) => {
      rmSync(join(stateOf(seat), 'journal'), { recursive: true, force: true });
      rmSync(dataOf(seat), { recursive: true, force: true });
      return await seat.run([...asShop, ...whole]);
    },
  ],
  'variables that name another policy': [
    'sent',
    (seat) => {
      seat.service.write('policy.json', '{}');
      const file = join(seat.service.home.path, 'policy.json');
      return inEnv({ PAYDESK_POLICY: file, PAYDESK_CONFIG: file, XDG_CONFIG_DIRS: seat.service.home.path })(
        seat,
      );
    },
  ],
  'a policy of the user in the folders of the user': [
    'sent',
    (seat) => {
      for (const folder of ['.config/paydesk', '.']) {
        mkdirSync(join(seat.service.home.path, folder), { recursive: true });
        seat.service.write(`${folder}/policy.json`, '{}');
      }
      return shop()(seat);
    },
  ],
  'another home': [
    'sent',
    async ({ run, service }) => {
      using home = newHome();
      return await run(whole, { home, env: service.env });
    },
  ],
  'a link to the home': [
    'sent',
    async ({ run, service }) => {
      using other = newHome();
      const path = join(other.path, 'home');
      symlinkSync(service.home.path, path);
      return await run([...asShop, ...whole], { home: { path, [Symbol.dispose]: () => undefined } });
    },
  ],
  'a journal folder that is a link to an empty one': [
    'refused',
    async (seat) => {
      const journal = join(stateOf(seat), 'journal');
      mkdirSync(`${journal}.other`, { recursive: true, mode: 0o700 });
      rmSync(journal, { recursive: true, force: true });
      symlinkSync(`${journal}.other`, journal);
      return await shop()(seat);
    },
  ],
  'a journal that was put back from before the last row': [
    'refused',
    async (seat) => {
      const journal = join(stateOf(seat), 'journal');
      const set = (count: string) =>
        paydesk(['profile', 'set', 'shop', 'plan.max_count', count], { home: seat.service.home });
      await set('7');
      cpSync(journal, `${journal}.old`, { recursive: true });
      await set('5');
      rmSync(journal, { recursive: true });
      renameSync(`${journal}.old`, journal);
      return await shop()(seat);
    },
  ],
  'a copy of the home': [
    'sent',
    async ({ run, service }) => {
      using home = newHome();
      cpSync(service.home.path, home.path, { recursive: true });
      return await run([...asShop, ...whole], { home });
    },
  ],
  'another state folder': [
    'sent',
    (seat) => inEnv({ XDG_STATE_HOME: join(seat.service.home.path, 'state') })(seat),
  ],
  'other folders for state and data': [
    'sent',
    (seat) => {
      const folder = (name: string) => join(seat.service.home.path, name);
      return inEnv({ XDG_STATE_HOME: folder('state'), XDG_DATA_HOME: folder('data') })(seat);
    },
  ],
  'a policy that is a link': [
    'refused',
    ({ machine, run }) => {
      renameSync(machine.file, `${machine.file}.old`);
      symlinkSync(`${machine.file}.old`, machine.file);
      return run([...asShop, ...whole]);
    },
  ],
  'a policy that others can write': [
    'refused',
    ({ machine, run }) => {
      chmodSync(machine.file, 0o666);
      return run([...asShop, ...whole]);
    },
  ],
  'a policy that is cut short': [
    'refused',
    ({ machine, run }) => {
      machine.write('{');
      return run([...asShop, ...whole]);
    },
  ],
  'another word that an agent started it': ['refused', inEnv({ PAYDESK_AGENT: '', AI_AGENT: 'helper' })],
  'no word that an agent started it': ['sent', inEnv({ PAYDESK_AGENT: '' })],
};

/** Out of reach, as docs/safety.md says. */
function isOutOfReach(way: string, { account, env }: Rail): boolean {
  const withoutJournal = [
    'another home',
    'another state folder',
    'other folders for state and data',
    'a journal and a witness that are both deleted',
  ];
  return account === undefined
    ? env !== undefined && way === 'no word that an agent started it'
    : withoutJournal.includes(way);
}

async function attempt(way: string, rail: Rail): Promise<'held' | 'sent'> {
  const { account = {}, policy = {}, env = {} } = rail;
  const held = [order('ord_1', { livemode: true, created_at: 1_700_000_000 })];
  await using service = await startRefunds(held, { mode: 'production' });
  await storeShop(service.home, service, account);
  using machine = newPolicy(policy);
  const run: Seat['run'] = (args, { home = service.home, env: more = {}, input } = {}) =>
    paydesk(args, {
      home,
      machineFile: machine.machineFile,
      env: { TZ: 'UTC', ...env, ...more },
      ...(input === undefined ? {} : { input }),
    });
  const [, act] = ways[way] ?? [];
  const ended = await act?.({ service, machine, rail, run });
  const isHeld = service.made.length === 0;
  // Nothing of it was sent, and it is said so.
  expect({ way, code: ended?.code }).toEqual({ way, code: isHeld ? expect.toBeOneOf([2, 3, 8, 130]) : 0 });
  expect(service.made.length).toBeLessThanOrEqual(1);
  return isHeld ? 'held' : 'sent';
}

const names = Object.keys(ways);

describe.skipIf(process.getuid?.() !== 0)(
  `${names.length} ways around ${Object.keys(rails).length} rails`,
  () => {
    test.each(names)('without a rail, %s refunds the order or is refused anyway', async (way) => {
      expect(await attempt(way, {})).toBe(ways[way]?.[0] === 'sent' ? 'sent' : 'held');
    });

    // In the short form one rail for each way, another one for the next.
    const rows = Object.entries(rails);
    const tried = names.flatMap((way, at) =>
      (isLong ? rows : [rows[at % rows.length] ?? []]).map(
        ([name = '', rail = {}]) => [name, way, rail] as const,
      ),
    );
    test.each(tried)('%s: with %s nothing is sent, or it is named as out of reach', async (_, way, rail) => {
      expect(await attempt(way, rail)).toBe(isOutOfReach(way, rail) ? 'sent' : 'held');
    });
  },
);
