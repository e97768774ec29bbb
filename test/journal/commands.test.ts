/** The journal commands of the built program, after refunds whose replies were lost. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { later } from '../harness/clock.ts';
import { chargeOf, listOf, newRefundOf, orderOf } from '../harness/orders.ts';
import { copyOf, type Home, newHome, onScreen, paydesk, type Ran } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { reply } from '../harness/server.ts';
import { type Service, startService, storeShop } from '../harness/service.ts';

const order = orderOf('ord_1', [chargeOf('ch_1', 35000)]);
const refunded = (...amounts: number[]) => {
  const records = amounts.map((amount, index) => newRefundOf(`rf_${index}`, amount));
  const charge = chargeOf('ch_1', 35000, { refunds: listOf(...records) });
  return orderOf('ord_1', [charge], { amount_refunded: amounts.reduce((sum, amount) => sum + amount, 0) });
};

const refund = ['orders', 'refund', 'ord_1', '--charge', '1', '--amount', '300', '--yes'];

/** A service whose answers to changes are lost; what it did is a test's to say. */
let service: Service;
/** A home with a profile `shop`. */
let shop: Home;
/** The same after one refund of 300 that got no answer, sent once for this file. */
let lost: Home;
/** The journal's id of that refund. */
let change: string;
beforeAll(async () => {
  const onPost = () => reply('<h1>Bad Gateway</h1>', 502, { 'content-type': 'text/html' });
  service = await startService({ orders: [order], onPost });
  shop = newHome();
  await storeShop(shop, service, { 'reconcile.after': '0' });
  lost = copyOf(shop);
  const ran = await runIn(lost, ['-p', 'shop', ...refund, '--note', 'ticket 8840']);
  expect({ code: ran.code, posts: service.posts.length }, ran.stderr).toEqual({ code: 7, posts: 1 });
  [change = ''] = /i_[0-9a-f]+/.exec(ran.stderr) ?? [];
});
afterAll(async () => {
  for (const home of [shop, lost]) home[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

const runIn = (home: Home, args: readonly string[]) =>
  paydesk(args, { home, env: { TZ: 'UTC', PAYDESK_OPERATOR: 'op7' } });

interface Desk extends Disposable {
  readonly home: Home;
  readonly run: (...args: string[]) => Promise<Ran>;
  /** How many changes this test has sent to the service. */
  readonly sent: () => number;
}

/** A copy of such a home; the service shows the order as it was before. */
function deskWith(original: Home): Desk {
  service.orders = [order];
  const home = copyOf(original);
  const posts = service.posts.length;
  return {
    home,
    run: (...args) => runIn(home, args),
    sent: () => service.posts.length - posts,
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

describe('an outcome that is not certain', () => {
  test('is listed, shown, told by every command that talks to the service, and blocks its order', async () => {
    using desk = deskWith(lost);
    const { run } = desk;
    const list = await run('-p', 'shop', 'journal', 'list', '--open');
    expect(list).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('unconfirmed: the order does not show it'),
    });
    const record = JSON.parse((await run('-p', 'shop', 'journal', 'list', '--json')).stdout).data[0];
    expect(record).toMatchObject({
      object: 'change',
      change,
      order: 'ord_1',
      amount: 300,
      verdict: 'not_seen',
      open: true,
      operator: 'op7',
      note: 'ticket 8840',
    });
    const shown = await run('journal', 'show', change);
    expect(shown.stdout).toContain('tell the buyer "it is being checked"');
    expect(shown.stdout).toContain('{"charge_id":"ch_1","amount":300}');
    expect(shown.stdout).toMatch(/blocked until \d.* UTC at the latest, or until you settle it\n/);
    for (const word of ['--applied', '--not-applied'])
      expect(shown.stdout).toContain(
        `\n      paydesk journal settle ${change} ${word} --note TEXT --confirm ORDER\n`,
      );
    const whole = JSON.parse((await run('journal', 'show', change, '--json')).stdout);
    expect(whole.blocked_until - whole.history[0].verdict_at).toBeCloseTo(86_400, -1);
    const orders = await run('-p', 'shop', 'orders', 'list');
    expect(orders.stderr).toContain('1 refund unconfirmed: ord_1: paydesk journal reconcile --all');
    const again = await run('-p', 'shop', ...refund, '--again', change);
    expect(again).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`paydesk journal reconcile ${change}`),
    });
    expect(desk.sent()).toBe(0);
  });

  test('that took effect late ends as made on the next reconcile, by the recorded account, for cron (F4)', async () => {
    using desk = deskWith(lost);
    expect((await desk.run('journal', 'reconcile', '--all')).code).toBe(7);
    service.orders = [refunded(300)];
    const made = await desk.run('journal', 'reconcile', '--all', '--json');
    expect(made.code).toBe(0);
    expect(JSON.parse(made.stdout).data).toMatchObject([
      { change, verdict: 'applied', by: 'read', refunds: 'rf_0' },
    ]);
    expect(await desk.run('journal', 'reconcile', change)).toMatchObject({ code: 0 });
    const again = await desk.run('-p', 'shop', ...refund);
    expect(again).toMatchObject({ code: 3, stderr: expect.stringContaining('rf_0') });
    expect(desk.sent()).toBe(0);
  });

  test('of a script is told again under its id with the money of it', async () => {
    using desk = deskWith(shop);
    const scripted = ['-p', 'shop', ...refund, '--note', 'ticket 8840', '--idempotency-key', 'ticket-8840'];
    expect(await desk.run(...scripted)).toMatchObject({ code: 7 });
    const open = await desk.run(...scripted);
    expect({ code: open.code, stderr: open.stderr.replaceAll(/\s+/g, ' ') }).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('no usable answer to the refund of 300 MXN on ord_1 ('),
    });
    service.orders = [refunded(300)];
    expect(await desk.run(...scripted)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('made before: refund of 300 MXN on ord_1'),
    });
    expect(desk.sent()).toBe(1);
  });

  test('is read again by the next change, which says what it found', async () => {
    using desk = deskWith(lost);
    service.orders = [refunded(300)];
    const next = await desk.run('-p', 'shop', ...refund, '--again', change);
    expect(next.stderr).toMatch(
      new RegExp(
        `the earlier refund of 300 MXN, looked up again: (made|never arrived): paydesk journal show ${change}`,
      ),
    );
    const { stdout } = await desk.run('journal', 'show', change, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'applied', by: 'read' });
  });

  test('that shows twice is a duplicate alarm: exit 7, both ids (F24)', async () => {
    using desk = deskWith(lost);
    service.orders = [refunded(300, 300)];
    const looked = await desk.run('journal', 'reconcile', change);
    expect(looked.code).toBe(7);
    expect(looked.stdout).toMatch(/made twice[\s\S]*rf_0[\s\S]*rf_1[\s\S]*show your lead/);
  });

  test('stays open while the order cannot be read, with the reason (F30)', async () => {
    using desk = deskWith(lost);
    service.orders = [];
    const looked = await desk.run('journal', 'reconcile', '--all');
    expect(looked).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(/could not be looked up: .*; nothing new is known/),
    });
  });
});

describe('journal settle', () => {
  test('reads first, asks for the order id, and writes down whose word it is; a new attempt may follow', async () => {
    using desk = deskWith(lost);
    const { run } = desk;
    const words = ['journal', 'settle', change, '--not-applied', '--note', 'asked the service'];
    // It may still be on its way.
    expect(await run(...words, '--confirm', 'ord_1')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /can still arrive until[\s\S]*nothing was recorded[\s\S]*--not-applied --note 'asked the service' --confirm ord_1\n/,
      ),
    });
    // That comes before whatever else the command lacks, and the printed command has it.
    for (const lacking of [words, words.slice(0, 4)])
      expect(await run(...lacking)).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/can still arrive until[\s\S]*--note \S.* --confirm ORDER\n/),
      });
    const env = { TZ: 'UTC', PAYDESK_OPERATOR: 'op7', ...later(600_000) };
    const settleThen = (...more: readonly string[]) => paydesk([...words, ...more], { home: desk.home, env });
    expect(await settleThen()).toMatchObject({ code: 2, stderr: expect.stringContaining('--confirm') });
    expect(await settleThen('--confirm', 'ord_2')).toMatchObject({ code: 3 });
    const settled = await settleThen('--confirm', 'ord_1');
    expect(settled).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('recorded not made, by op7'),
    });
    expect(settled.stderr).toContain('the order does not show it');
    const other = ['journal', 'settle', change, '--applied', '--note', 'n', '--confirm', 'ord_1'];
    const contradicting = await run(...other);
    expect(contradicting).toMatchObject({ code: 3, stdout: '' });
    expect(contradicting.stderr).toContain(`${change} is settled: recorded not made`);
    await run('-p', 'shop', ...refund);
    expect(desk.sent()).toBe(1);
  });

  test('asks a person for the order id, then how they know', async () => {
    using desk = deskWith(lost);
    const { home, run } = desk;
    const person = sit(['journal', 'settle', change, '--applied'], { home, env: { TZ: 'UTC' } });
    await person.answer('Type the order id to record it', 'ord_1\r');
    await person.answer('How do you know?', 'seen in the bank file\r');
    expect(await person.leaves).toMatchObject({
      code: 0,
      screen: expect.stringContaining('recorded made, by'),
    });
    const shown = JSON.parse((await run('journal', 'list', '--all', '--ndjson')).stdout);
    expect(shown).toMatchObject({ change, by: 'person', verdict: 'applied' });
  });

  test('of an account that no profile reaches says which profile to add', async () => {
    using desk = deskWith(lost);
    const { run } = desk;
    await run('profile', 'remove', 'shop', '--yes');
    const settled = await run('journal', 'settle', change, '--applied', '--note', 'n', '--confirm', 'ord_1');
    expect(settled.code).toBe(4);
    expect(settled.stderr).toContain('add a profile of that account: paydesk profile add shop');
  });

  test('is not needed where the read tells, and cannot contradict it', async () => {
    using desk = deskWith(lost);
    service.orders = [refunded(300)];
    const settled = await desk.run(
      'journal',
      'settle',
      change,
      '--not-applied',
      '--note',
      'nothing at the bank',
      '--confirm',
      'ord_1',
    );
    expect(settled.stderr).toContain(
      'the order shows what happened; paydesk recorded that, and not what you said',
    );
    expect(settled.stdout).toContain('made: the reply did not confirm it, the order shows such a refund');
  });

  test.each([
    [['--note', 'n'], 'say --applied or --not-applied'],
    [['--applied'], 'missing --note'],
    [['--applied', '--not-applied', '--note', 'n'], '--not-applied'],
  ])('%j is a usage error', async (words, message) => {
    using home = newHome();
    const ran = await paydesk(['journal', 'settle', 'i_1', ...words], { home });
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});

describe('--dry-run', () => {
  test('says what would be written to the journal, asks nothing, and writes nothing', async () => {
    using desk = deskWith(lost);
    const { run } = desk;
    service.orders = [refunded(300)];
    const { file, head } = JSON.parse((await run('journal', 'verify', '--json')).stdout);
    const dry = (...words: string[]) => run('journal', ...words, '--dry-run');
    const inJson = async (...words: string[]) => JSON.parse((await dry(...words, '--json')).stdout);
    const due = { code: 0, stdout: `would read again:\n  ${change}, refund of 300 MXN\n` };
    expect(await dry('reconcile')).toMatchObject(due);
    expect(await dry('reconcile', '--all')).toMatchObject(due);
    expect(await dry('reconcile', change)).toMatchObject(due);
    expect(await inJson('reconcile', change)).toEqual({
      object: 'dry_run',
      action: 'reconcile',
      changes: [change],
    });
    const settle = ['settle', change, '--applied', '--note', 'n'];
    expect(await dry(...settle)).toMatchObject({
      code: 0,
      stdout: `would look up ${change}, refund of 300 MXN, and, if the service does not show what happened, record that it was made\n`,
    });
    expect(await inJson(...settle)).toEqual({ object: 'dry_run', action: 'settle', change, applied: true });
    expect(await dry('list')).toMatchObject({ code: 0 });
    expect(await run('journal', 'verify', '--head', head, '--json')).toMatchObject({
      stdout: expect.stringContaining(`"head":"${head}"`),
    });

    const db = new DatabaseSync(file);
    db.exec(`UPDATE rows SET row = replace(row, 'op7', 'op8') WHERE seq = 1`);
    db.close();
    const before = readFileSync(file);
    const repair = ['verify', '--repair', '--yes'];
    expect(await dry(...repair)).toMatchObject({
      code: 0,
      stdout: `would keep copies of ${file} and its witness and rebuild both from what can be read\n`,
    });
    expect(await inJson(...repair)).toEqual({ object: 'dry_run', action: 'repair', file });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(dirname(file)).filter((name) => name.includes('damaged'))).toEqual([]);
  });
});

describe('the journal file', () => {
  test('is verified against a head, or repaired: both at once is a usage error', async () => {
    using home = newHome();
    const words = ['journal', 'verify', '--repair', '--head', 'f'.repeat(64)];
    const { code, stderr } = await paydesk(words, { home });
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/--repair|--head/) });
  });

  test('verify names what was changed and exits 3; changes are refused; --repair keeps a copy', async () => {
    using desk = deskWith(lost);
    const { run, home } = desk;
    const whole = await run('journal', 'verify', '--json');
    const { file, head } = JSON.parse(whole.stdout) as { file: string; head: string };
    expect(await run('journal', 'verify', '--head', head)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('it contains the head that --head names\n'),
    });
    expect(await run('journal', 'verify', '--head', 'f'.repeat(64))).toMatchObject({ code: 3 });

    const db = new DatabaseSync(file);
    db.exec(`UPDATE rows SET row = replace(row, 'op7', 'op8') WHERE seq = 1`);
    db.close();
    const damaged = await run('journal', 'verify');
    expect(damaged).toMatchObject({ code: 3, stderr: expect.stringContaining('row 1 was changed') });
    const refused = await run('-p', 'shop', 'orders', 'refund', 'ord_1', '--yes');
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('journal verify --repair') });
    expect(desk.sent()).toBe(0);

    expect(await run('journal', 'verify', '--repair', '--yes')).toMatchObject({ code: 7 });
    expect(await run('journal', 'verify')).toMatchObject({ code: 0 });
    const folder = join(home.path, '.local/state/paydesk/journal');
    expect(readdirSync(folder).filter((name) => name.includes('damaged'))).toHaveLength(1);
    const still = await run('-p', 'shop', 'orders', 'refund', 'ord_1', '--yes');
    expect(still).toMatchObject({ code: 3, stderr: expect.stringContaining('is still unconfirmed') });
    expect(await run('journal', 'verify', '--repair', '--yes')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('is whole'),
    });
  });

  test('forget erases bodies, notes and links of settled changes, not of open ones, and nothing with --dry-run; export prints every one', async () => {
    using desk = deskWith(lost);
    const { run } = desk;
    const forget = ['journal', 'forget', '--before', '2100-01-01', '--yes', '--json'];
    expect(JSON.parse((await run(...forget)).stdout)).toMatchObject({ entries: 0 });
    await run('journal', 'settle', change, '--applied', '--note', 'bank file', '--confirm', 'ord_1');
    const dry = await run(...forget, '--dry-run');
    expect({ code: dry.code, would: JSON.parse(dry.stdout) }).toMatchObject({
      code: 0,
      would: { object: 'dry_run', action: 'forget' },
    });
    expect(JSON.parse((await run(...forget)).stdout)).toMatchObject({ entries: 1 });
    expect(await run('journal', 'verify')).toMatchObject({ code: 0 });
    const rows = (await run('journal', 'list', '--all', '--ndjson', '--all-profiles')).stdout
      .trim()
      .split('\n');
    expect(rows).toHaveLength(1);
    expect(JSON.parse(rows[0] ?? '')).toMatchObject({
      change,
      verdict: 'applied',
      by: 'person',
      note: null,
      operator: 'op7',
    });
  });

  test('a journal that nobody wrote yet is empty, and is not made by looking', async () => {
    using home = newHome();
    const list = await paydesk(['journal', 'list', '--json'], { home });
    expect(list).toMatchObject({ code: 0, stdout: expect.stringContaining('"data":[]') });
    expect(await paydesk(['journal', 'verify'], { home })).toMatchObject({ code: 0 });
    expect(await paydesk(['journal', 'reconcile', '--all'], { home })).toMatchObject({ code: 0 });
    expect(await paydesk(['journal', 'show', 'i_1'], { home })).toMatchObject({ code: 5 });
    expect(await paydesk(['journal', 'show', '../x'], { home })).toMatchObject({ code: 2 });
    expect(readdirSync(home.path)).toEqual([]);
  });
});

test('journal list narrows by order, person and time', async () => {
  using desk = deskWith(lost);
  const count = async (...words: string[]) =>
    JSON.parse((await desk.run('journal', 'list', '--all-profiles', '--json', ...words)).stdout).data.length;
  // Each lets the one through beside the others, and narrows alone.
  expect(await count('--order', 'ord_1', '--operator', 'op7', '--since', '1h')).toBe(1);
  expect(await count('--order', 'ord_2')).toBe(0);
  expect(await desk.run('journal', 'list', '--all-profiles', '--operator', 'op8')).toMatchObject({ code: 2 });
  expect(await count('--since', '2100-01-01')).toBe(0);
  expect(await count('--until', '2100-01-01')).toBe(1);
  expect(await count('--until', '2020-01-01')).toBe(0);
  expect(await count('--period', '2020-01-01..2100-01-01')).toBe(1);
  expect(await count('--period', '2020-10')).toBe(0);
  expect(await desk.run('journal', 'list', '--since', 'someday')).toMatchObject({ code: 2 });
});

test('journal list that is narrowed to nothing does not say that nothing was sent, or that nothing is unconfirmed', async () => {
  const filters = ['--order ord_2', '--since 1m', '--kind capture'];
  for (const filter of filters) {
    for (const more of ['', ' --open']) {
      const line = `-p shop journal list ${filter}${more}`;
      const { code, stdout, stderr } = await paydesk(line.split(' '), {
        home: lost,
        env: { TZ: 'UTC', ...later(3_600_000) },
      });
      expect({ code, stdout }, line).toEqual({ code: 0, stdout: '' });
      expect(stderr, line).toContain('no change with profile shop matches');
      expect(stderr, line).not.toContain('nothing');
    }
  }
  // A name that nobody has is a slip.
  for (const more of ['', ' --open']) {
    const line = `-p shop journal list --operator zed${more}`;
    const { code, stdout, stderr } = await paydesk(line.split(' '), { home: lost });
    expect({ code, stdout }, line).toEqual({ code: 2, stdout: '' });
    expect(stderr, line).toContain('op7');
    const begun = await paydesk(line.replace('zed', 'OP').split(' '), { home: lost });
    expect(begun.stderr, line).toContain(`now:     paydesk ${line.replace('zed', 'op7')}`);
  }
});

test.each([80, 120])(
  'journal reconcile --all at %i columns says whose each change is where several profiles stand together',
  async (columns) => {
    using desk = deskWith(lost);
    const { home } = desk;
    const env = { TZ: 'UTC', PAYDESK_OPERATOR: 'op7', ...later(60_000) };
    const demo = [
      '-p',
      'demo',
      'orders',
      'refund',
      'ord_2tQ7zRk9PwE5xNvAm',
      '--charge',
      '1',
      '--amount',
      '700',
    ];
    const sent = await paydesk([...demo, '--yes'], { home, env: { ...env, PAYDESK_DEMO_FAULT: 'drop' } });
    expect(sent.code, sent.stderr).toBe(7);
    const listed = await paydesk(['-p', 'demo', 'orders', 'list', '--status', 'paid', '--json'], {
      home,
      env,
    });
    const other = ['-p', 'demo', 'orders', 'refund', JSON.parse(listed.stdout).data[0].id, '--yes'];
    const made = await paydesk(other, { home, env: { ...env, PAYDESK_DEMO_FAULT: 'apply-drop' } });
    expect(made.code, made.stderr).toBe(0);
    const { screen } = await onScreen(['journal', 'reconcile', '--all'], { home, env, columns });
    expect(screen).toMatch(/^i_.* made/m);
    expect(screen).toMatch(/^CHANGE .* PROFILE *$/m);
    expect(screen).toMatch(/^i_.* 300 .* shop *$/m);
    expect(screen).toMatch(/^i_.* 700 .* demo *$/m);
    const text = screen.replaceAll(/\s+/g, ' ');
    expect(text).toContain('refund of 300 MXN on ord_1 with profile shop: unconfirmed');
    expect(text).toContain('refund of 700 MXN on ord_2tQ7zRk9PwE5xNvAm with profile demo: unconfirmed');
  },
);

test.each([
  ['journal list', 'nothing was sent with profile demo', 0],
  ['journal list --open', 'nothing is unconfirmed with profile demo', 0],
  ['journal list --order ord_1', 'no change with profile demo matches', 0],
  ['journal reconcile', 'nothing is unconfirmed with profile demo', 0],
  ['journal reconcile --all', 'nothing is unconfirmed with profile demo', 0],
])(
  '%s says what is unconfirmed with another profile, and which command shows it',
  async (line, words, code) => {
    const ran = await runIn(lost, ['-p', 'demo', ...line.split(' ')]);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toBe(
      `${words}\n1 refund unconfirmed in another profile (shop): paydesk -p shop journal list --open\n`,
    );
  },
);

test('a lost link has a line with a command that runs as it is shown, and shares one with a lost refund', async () => {
  using home = newHome();
  const env = { TZ: 'UTC', PAYDESK_DEMO_FAULT: 'drop' };
  const demo = (line: string) => paydesk(['-p', 'demo', ...line.split(' ')], { home, env });
  const link = await demo('checkout create --name Lamp --item Lamp:30000:1 --currency MXN --yes');
  expect(link.code).toBe(7);
  const told = async () => (await demo('orders list --limit 1')).stderr;
  const [, change = ''] =
    /1 payment link unconfirmed: (i_\w+): look on the service's own screen, then: paydesk journal show \1\n/.exec(
      await told(),
    ) ?? [];
  const shown = await demo(`journal show ${change}`);
  expect(shown.code).toBe(0);
  const settle = `journal settle ${change} --applied --note TEXT --confirm ${change}`;
  expect(shown.stdout).toContain(`paydesk ${settle}\n`);
  const undecided = await demo(`journal settle ${change} --applied`);
  expect(undecided.stderr).toContain(`missing --note TEXT: how you know; --confirm ${change}: the change\n`);
  expect(undecided.stderr).toContain(`paydesk ${settle}\n`);
  const refund = await demo('orders refund ord_2tQ7zRk9PwE5xNvAm --charge 1 --amount 700 --yes');
  expect(refund.code).toBe(7);
  expect(await told()).toContain('1 refund and 1 payment link unconfirmed: paydesk journal list --open\n');
  expect((await demo(settle)).code).toBe(0);
});

test('journal list says at 80 columns whose money it is, or what was done, where that differs', async () => {
  using desk = deskWith(lost);
  const { home, run } = desk;
  const heading = async (...words: string[]) => {
    const { screen } = await sit(['journal', 'list', ...words], { home, env: { TZ: 'UTC' } }).leaves;
    return /^CHANGE .*$/m.exec(screen)?.[0].trim().split(/ {2,}/);
  };
  const usual = ['CHANGE', 'SENT UTC', 'ORDER', 'AMOUNT', 'OUTCOME'];
  expect(await heading('--all-profiles')).toEqual([...usual, 'BY']);
  const demo = ['-p', 'demo', 'orders'];
  const { stdout } = await run(...demo, 'list', '--status', 'pre_authorized', '--csv', '--columns', 'id');
  const [, authorized = ''] = stdout.split(/\r?\n/);
  await run(...demo, 'capture', authorized, '--yes');
  expect(await heading('--all-profiles')).toEqual([
    'CHANGE',
    'SENT UTC',
    'ORDER',
    'AMOUNT',
    'OUTCOME',
    'PROFILE',
  ]);
  const { screen } = await sit(['journal', 'list', '--all-profiles'], { home, env: {} }).leaves;
  expect(screen).toMatch(/ unconfirmed /);
  expect(screen).toMatch(/ captured /);
  await run(...demo, 'refund', authorized, '--yes');
  expect(await heading('-p', 'demo')).toEqual([...usual, 'KIND']);
});
