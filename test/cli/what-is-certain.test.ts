/** Every command that can change something says at a bad end what is certain: that nothing was sent, or what was. */

import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { journalFile } from '../atmost/desk.ts';
import { isLong } from '../harness/long.ts';
import { chargeOf, errorBody, type Json, listBeforeMore, orderOf, paidOrder } from '../harness/orders.ts';
import { paydesk, type Ran, startInMemory } from '../harness/paydesk.ts';
import { type Handler, json, reply, reset, stall } from '../harness/server.ts';
import { type Service, startService, storeShop } from '../harness/service.ts';

/** A plan for `ord_1`, made while nothing is wrong. */
const planned = async (service: Service): Promise<void> => {
  writeFileSync(join(service.home.path, 'rows.csv'), 'order_id,amount,reason\nord_1,100,other\n');
  const ran = await service.run(['refunds', 'plan', 'rows.csv', '--to', 'refunds.plan']);
  expect(ran.code, ran.stderr).toBe(0);
};

interface Changing {
  readonly name: string;
  readonly args: readonly string[];
  readonly first?: (service: Service) => Promise<void>;
  /** An option that it does not take like this. */
  readonly bad: readonly string[];
}

const refund = ['orders', 'refund', 'ord_1', '--amount', '100', '--reason', 'other'];
const changing: readonly Changing[] = [
  { name: 'refund', args: refund, bad: ['--amount', 'x'] },
  { name: 'capture', args: ['orders', 'capture', 'ord_2'], bad: ['--amount', '1'] },
  {
    name: 'create',
    args: ['orders', 'create', '--item', 'Lamp:1:300', '--currency', 'MXN', '--customer', 'cus_1'],
    bad: ['--item', 'x'],
  },
  {
    name: 'checkout',
    args: ['checkout', 'create', '--name', 'Lamp', '--item', 'Lamp:1:300', '--currency', 'MXN'],
    bad: ['--item', 'x'],
  },
  { name: 'api POST', args: ['api', 'POST', 'orders/ord_1/notes', '--field', 'text=a'], bad: ['--paginate'] },
  { name: 'api PUT', args: ['api', 'PUT', 'orders/ord_1', '--field', 'text=a'], bad: ['--field', 'x'] },
  { name: 'api DELETE', args: ['api', 'DELETE', 'customers/cus_1'], bad: ['--field', 'x'] },
  { name: 'apply', args: ['refunds', 'apply', 'refunds.plan'], first: planned, bad: ['--concurrency', 'x'] },
];

/** What goes wrong before anything is sent. */
interface Fault {
  readonly name: string;
  /** Not of these commands. */
  readonly but?: readonly string[];
  readonly args?: (one: Changing) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly onPage?: Handler;
  readonly orders?: (orders: readonly Json[]) => readonly Json[];
  readonly home?: (service: Service) => void;
}

const withYes = ({ args }: Changing): readonly string[] => [...args, '--yes'];
const live = (order: Json): Json => ({ ...order, livemode: true });
const repeatedPage = json(listBeforeMore(paidOrder('ord_7'), paidOrder('ord_8')));

const before: readonly Fault[] = [
  { name: 'a bad option', args: (one) => [...one.args, ...one.bad, '--yes'] },
  { name: 'an unknown option', args: (one) => [...one.args, '--nonsense'] },
  { name: 'nobody to say yes', args: (one) => one.args },
  { name: 'no key', env: { PAYDESK_API_KEY: '' } },
  { name: 'no such profile', args: (one) => [...one.args, '-p', 'nobody', '--yes'] },
  { name: 'orders of the other mode', orders: (orders) => orders.map(live), but: ['checkout', 'api DELETE'] },
  { name: 'the key is refused', onPage: json(errorBody(), 401), but: ['checkout', 'api DELETE'] },
  { name: 'no read is answered', onPage: reset },
  { name: 'every read fails', onPage: json(errorBody(), 503) },
  { name: 'reads are HTML', onPage: reply('<html>', 200) },
  {
    name: 'a page is repeated while the order is looked for',
    onPage: repeatedPage,
    but: ['create', 'checkout', 'api DELETE'],
  },
  {
    name: 'an order that is not there',
    orders: () => [paidOrder('ord_9')],
    but: ['create', 'checkout', 'api DELETE'],
  },
  { name: 'the journal is damaged', home: damage },
];

function damage({ home }: Service): void {
  mkdirSync(dirname(journalFile(home)), { recursive: true, mode: 0o700 });
  writeFileSync(journalFile(home), 'no journal\n'.repeat(3000), { mode: 0o600 });
}

/** How the request that changes something is answered. */
const after: readonly { readonly name: string; readonly answer: Handler }[] = [
  { name: '400', answer: json(errorBody(), 400) },
  { name: '401', answer: json(errorBody(), 401) },
  { name: '422', answer: json(errorBody(), 422) },
  { name: '429', answer: json(errorBody(), 429) },
  { name: '500', answer: json(errorBody(), 500) },
  { name: '502, HTML', answer: reply('<html>', 502) },
  { name: 'the reply is lost', answer: reset },
  { name: 'the reply is of another order', answer: json(paidOrder('ord_5')) },
  { name: 'the reply is cut', answer: reply('{"id":', 200) },
];

const orders: readonly Json[] = [
  orderOf('ord_1', [chargeOf('ch_1', 300)]),
  orderOf('ord_2', [], { payment_status: 'pre_authorized' }),
];

function certainOf({ stderr }: Ran): string | undefined {
  const lines = stderr
    .trimEnd()
    .split('\n')
    .filter((line) => line.startsWith('{"object":"error"'));
  expect(lines).toHaveLength(1);
  const { certain } = JSON.parse(lines[0] ?? '{}') as { certain?: string };
  return certain;
}

const isNothing = /^(?:nothing was (?:sent|changed|read)|of 1 row 1 not sent; nothing is on its way$)/;

// The short form gives a refund every fault, and each other command every third, in turn.
const isTried = (one: Changing, fault: number): boolean =>
  isLong || one.name === 'refund' || fault % 3 === changing.indexOf(one) % 3;

describe.each(changing)('$name', (one) => {
  test.each(before.filter(({ but = [] }, at) => !but.includes(one.name) && isTried(one, at)))(
    'before anything is sent: $name',
    async ({ args = withYes, env = {}, onPage, orders: held = (all) => all, home }) => {
      let broken = false;
      await using service = await startService({
        orders,
        onPage: () => (broken ? onPage : undefined),
        onPost: () => json(orders[0]),
      });
      await one.first?.(service);
      broken = true;
      service.orders = held(orders);
      home?.(service);
      const ran = await service.run([...args(one), '--json'], { env });
      expect({ posts: service.posts.length, isZero: ran.code === 0 }, ran.stderr).toEqual({
        posts: 0,
        isZero: false,
      });
      expect(certainOf(ran), ran.stderr).toMatch(isNothing);
    },
  );

  test.each(after.filter((_, at) => isTried(one, at)))('after it was sent: $name', async ({ answer }) => {
    await using service = await startService({ orders, onPost: () => answer });
    await one.first?.(service);
    const ran = await service.run([...withYes(one), '--json']);
    expect(service.posts, ran.stderr).toHaveLength(1);
    if (ran.code === 0) return;
    const certain = certainOf(ran);
    expect(certain, ran.stderr).toBeDefined();
    expect(certain).not.toMatch(/nothing was sent|never left/);
  });
});

// One place prints the errors of all commands, as text and as JSON.
test.each(before)(
  'as text, before anything is sent: $name',
  async ({ args = withYes, env = {}, onPage, home }) => {
    await using service = await startService({ onPage: () => onPage });
    home?.(service);
    const shown = await service.run(args({ name: 'refund', args: refund, bad: ['--amount', 'x'] }), { env });
    expect(shown.stderr).toMatch(/^certain: /m);
    expect(service.posts).toHaveLength(0);
  },
);

test('Ctrl-C before the sending: nothing was sent', async () => {
  await using service = await startService({ orders, onPage: () => stall });
  const running = startInMemory([...refund, '--yes', '--json'], { home: service.home, env: service.env });
  await service.server.waitFor(1);
  running.signal('SIGINT');
  const ran = await running.end;
  expect({ code: ran.code, certain: certainOf(ran), posts: service.posts.length }).toEqual({
    code: 130,
    certain: 'nothing was sent',
    posts: 0,
  });
});

test('a limit of the profile: nothing was sent', async () => {
  await using service = await startService({ orders });
  await storeShop(service.home, service, { 'refund.max_amount.MXN': '50' });
  const ran = await paydesk(['-p', 'shop', ...refund, '--yes', '--json'], { home: service.home });
  expect({ code: ran.code, certain: certainOf(ran), posts: service.posts.length }).toEqual({
    code: 3,
    certain: 'nothing was sent',
    posts: 0,
  });
});

describe('a change that was sent, and whose outcome is unconfirmed', () => {
  test.each([
    ['the same refund again is refused', refund, 3],
    [
      'another refund of the order is refused',
      [...refund.slice(0, 3), '--amount', '50', '--reason', 'other'],
      3,
    ],
    ['a capture is refused', ['orders', 'capture', 'ord_1'], 3],
  ])('%s: nothing was sent now', async (_, args, code) => {
    await using service = await startService({ orders, onPost: () => reset });
    expect((await service.run([...refund, '--yes'])).code).toBe(7);
    const ran = await service.run([...args, '--yes', '--json']);
    expect({ code: ran.code, posts: service.posts.length }, ran.stderr).toEqual({ code, posts: 1 });
    expect(certainOf(ran)).toMatch(/nothing was sent/);
  });

  test.each([
    ['a wrong id', ['settle', 'CHANGE', '--applied', '--note', 'seen at the bank', '--confirm', 'ord_2'], 3],
    ['no note', ['settle', 'CHANGE', '--applied'], 2],
    ['a change that is not there', ['settle', 'i_none1', '--applied', '--note', 'seen at the bank'], 5],
    ['a bad option', ['settle', 'CHANGE', '--nonsense'], 2],
    ['no alarm', ['acknowledge', 'CHANGE', '--note', 'seen at the bank', '--yes'], 3],
    ['no alarm, and no yes', ['acknowledge', 'CHANGE', '--note', 'seen at the bank'], 3],
    ['a change that is not there', ['reconcile', 'i_none1'], 5],
    ['no file', ['import', 'nothing.paydesk', '--yes'], 2],
  ])('journal, %s: nothing was recorded', async (_, args, code) => {
    await using service = await startService({ orders, onPost: () => reset });
    const sent = await service.run([...refund, '--yes', '--json']);
    const { change = '' } = JSON.parse(sent.stderr) as { change?: string };
    const rows = (await service.run(['journal', 'list', '--all', '--json'])).stdout;
    const ran = await service.run([
      'journal',
      ...args.map((word) => (word === 'CHANGE' ? change : word)),
      '--json',
    ]);
    expect(ran.code, ran.stderr).toBe(code);
    expect(certainOf(ran), ran.stderr).toMatch(/nothing was (?:sent or )?(?:recorded|imported|changed)/);
    expect((await service.run(['journal', 'list', '--all', '--json'])).stdout).toBe(rows);
    expect(service.posts).toHaveLength(1);
  });
});

test('a command that only reads does not speak of sending', async () => {
  await using service = await startService({ orders, onPage: () => repeatedPage });
  const ran = await service.run(['orders', 'show', 'ord_1']);
  expect(ran.code).toBe(9);
  expect(ran.stderr).toContain('certain: 2 records were read; more may exist');
  expect((await service.run(['api', 'GET', 'orders', '--paginate'])).stderr).not.toContain('was sent');
});

describe('there is no way around the one place that knows', () => {
  const sources = globSync('src/**/*.ts').map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const filesWith = (pattern: RegExp) =>
    sources
      .filter(({ text }) => pattern.test(text))
      .map(({ file }) => file)
      .sort();

  test('only it gets the function that sends, and it refuses a command that is not marked', () => {
    // To join a sender is no change.
    expect(filesWith(/\bclient\.send\b/)).toEqual([
      'src/cli/accounts.ts',
      'src/sender/at-desk/join-at-desk.ts',
    ]);
    expect(filesWith(/\bcreateChange\(/)).toEqual([
      'src/cli/accounts.ts',
      'src/journal/make-change.ts',
      'src/sender/at-sender/handed-change.ts',
    ]);
  });

  test('only run.ts prints an error, and no run ends on its own', () => {
    expect(filesWith(/\bnotes\.fail\(/)).toEqual(['src/cli/run.ts']);
    expect(filesWith(/\b(?:renderError|errorJson)\(/)).toEqual([
      'src/terminal/error-message.ts',
      'src/terminal/notes.ts',
    ]);
    // In programs of their own, whose text these files have.
    expect(filesWith(/process\.exit/)).toEqual([
      'src/locks/sqlite/sqlite-locks.ts',
      'src/profiles/keyring.ts',
    ]);
  });

  test('every command that makes a change or writes to the journal is marked', () => {
    const writes =
      /\b(?:refundOrder|captureOrder|createOrder|createLink|createPaymentLink|makeChange|applyPlan|approveRequest|rejectRequest)\(|\bjournal\.(?:settle|acknowledge|reconcile|forget|archiveOld|restore|repair|acceptCopy)\(/;
    const marked = filesOfMarked();
    const writing = filesWith(writes)
      .filter((file) => file.startsWith('src/commands/'))
      .map((file) => file.slice('src/commands/'.length, -'.ts'.length));
    // Parts of commands that are marked; and undo only records what a read proves, as every look at an order may.
    const parts = ['journal/look-again', 'refunds/in-parts', 'undo'];
    expect(writing.filter((name) => !parts.includes(name) && !marked.includes(name))).toEqual([]);
    expect(writing.length).toBeGreaterThan(10);
  });
});

// The files, without their ending, from which the table loads commands that change something.
function filesOfMarked(): readonly string[] {
  const table = readFileSync(join(import.meta.dirname, '../../src/commands/commands.ts'), 'utf8');
  return table
    .split(/\binFile\(/)
    .filter((entry) => /\bchanges: '/.test(entry))
    .flatMap((entry) => /import\('\.\/(.*)\.ts'\)/.exec(entry)?.[1] ?? []);
}
