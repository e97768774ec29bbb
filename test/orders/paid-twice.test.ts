/** A refund that the service made twice: every screen shows it, and no refund of the order is sent until somebody acknowledges it. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { journalRows } from '../atmost/desk.ts';
import { standingAt } from '../harness/clock.ts';
import { chargeOf, type Json, orderOf, refundedWhole, refundOf, withRefund } from '../harness/orders.ts';
import { onScreen, type Ran } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { inOneLine } from '../harness/ran.ts';
import { screenOf } from '../harness/screen.ts';
import { json, reset } from '../harness/server.ts';
import { type Service, startService } from '../harness/service.ts';
import { differences } from '../harness/two-widths.ts';

const created = Date.parse('2026-11-20T18:42:00Z') / 1000;
const madeAt = Date.parse('2026-11-21T05:05:13Z') / 1000;

function bought(id: string, createdAt: number): Json {
  return orderOf(id, [chargeOf(`ch_${id}`, 35_000, { paid_at: createdAt + 20 })], {
    created_at: createdAt,
    updated_at: createdAt + 30,
    customer_info: { object: 'customer_info', name: 'Ana', email: 'ana@example.com' },
  });
}

const id = 'ord_2tQ8mVxK4nRz7LcWp';
const twin = 'ord_2tQ8mTd6JhB3sYfGq';
let service: Service;
let made: number;
let isLost: boolean;
let isDown: boolean;

/** One more refund of the order at the service. */
function apply(amount = 900): Json {
  made += 1;
  const refund = refundOf(`rf_${made}`, amount, { created_at: madeAt });
  const order = service.orders.find((one) => one.id === id) ?? {};
  const after = withRefund(order, refund, amount);
  service.orders = service.orders.map((one) => (one.id === id ? after : one));
  return after;
}

beforeEach(async () => {
  made = 0;
  isLost = false;
  isDown = false;
  service = await startService({
    orders: [bought(id, created), bought(twin, created - 240)],
    sendsDate: false,
    onPage: () => (isDown ? reset : undefined),
    onPost: (_, __, { body }) =>
      isLost ? reset : json(apply((JSON.parse(body) as { amount: number }).amount)),
  });
});
afterEach(async () => {
  await service[Symbol.asyncDispose]();
});

const at = (time: string) => ({ ...standingAt(`2026-11-21T${time}Z`), PAYDESK_OPERATOR: 'root' });

async function run(time: string, args: string | readonly string[], columns?: number): Promise<Ran> {
  const line = typeof args === 'string' ? args.split(' ') : args;
  return await service.run(line, columns === undefined ? { env: at(time) } : { env: at(time), columns });
}

const refund = (amount: number, more = '') =>
  `orders refund ${id} --charge 1 --amount ${amount} --yes${more === '' ? '' : ` ${more}`}`;

/** Sends a refund of 900, which the service makes twice, and looks again. */
async function payTwice(): Promise<string> {
  const sent = await run('05:05:12', refund(900));
  expect(sent.code, sent.stderr).toBe(0);
  apply();
  expect((await run('05:06:00', 'journal reconcile --all')).code).toBe(7);
  return journalRows(service.home)[0]?.change ?? '';
}

const acknowledge = (change: string) => [
  'journal',
  'acknowledge',
  change,
  '--note',
  'the bank recalls rf_2, ticket 8851',
  '--yes',
];

const textOf = ({ stdout, stderr }: Ran) => `${stdout}${stderr}`.replaceAll(/i_[0-9a-z]{8}\b/g, 'i_7f3k2m9x');

// What every screen of the order shows below its first block.
const orderItself = `created 20 Nov 2026 18:42:00 UTC    read just now, 21 Nov 05:10:00
buyer   Ana  ana@example.com
twin    ord_2tQ8mTd6JhB3sYfGq, another order of this buyer, same amount, 4 min
        earlier, was paid and not refunded: ask which of the two the buyer wants
        to keep
        paydesk orders show ord_2tQ8mTd6JhB3sYfGq

MONEY (MXN, in the service's units)           amount   refunded       kept
charge 1  ch_ord_2tQ8mVxK4nRz7LcWp  *4242      35000      -1800      33200
          visa, BUYER NAME, part_ref, paid 18:42:20, auth 490215, fee 900
order                                          35000      -1800      33200

REFUNDS  from charge  amount  when              auth    by
         1 *4242        -900  21 Nov 05:05 UTC  490215  root
         id rf_1  made twice
         1 *4242        -900  21 Nov 05:05 UTC  490215  ours again, or elsewhere
         id rf_2  made twice

ITEMS    Wool blanket  sku WB-2  1 x 35000  35000
         items 35000: equal to the order amount
`;

const aroundOrder = (shown: Ran) =>
  textOf(shown).replace(orderItself, '[the order, its money and its refunds]\n');

describe('two equal refunds that only the read of orders show shows', () => {
  /** Sends a refund of 900, and then a second one shows that this machine has not sent. */
  async function secondShows(): Promise<string> {
    expect((await run('05:05:12', refund(900))).code).toBe(0);
    apply();
    return journalRows(service.home)[0]?.change ?? '';
  }

  test('stand in the first block with who made which, and the command that checks it is the only one', async () => {
    await secondShows();
    const shown = await run('05:10:00', `orders show ${id}`, 80);
    expect(aroundOrder(shown)).toMatchInlineSnapshot(`
      "ord_2tQ8mVxK4nRz7LcWp  partially_refunded, made twice  sandbox environment
      MADE TWICE: 900 MXN, rf_1 and rf_2
              rf_1 is ours, sent at 05:05:12 by root
              rf_2 is the same again: repeated by the service, or sent from elsewhere
              do not refund this order before this is checked:
              paydesk journal reconcile i_7f3k2m9x
              tell the buyer: "On 21 November 2026 we refunded 900 MXN to your Visa
              card ending in 4242. This was done twice."
      [the order, its money and its refunds]

      first check whether the buyer was paid twice:
        paydesk journal reconcile i_7f3k2m9x
      "
    `);
    const wide = await run('05:10:00', `orders show ${id}`, 120);
    expect(differences(textOf(wide), textOf(shown))).toMatchInlineSnapshot(`
      "instead of lines 5 to 8:
              do not refund this order before this is checked: paydesk journal reconcile i_7f3k2m9x
              tell the buyer: "On 21 November 2026 we refunded 900 MXN to your Visa card ending in 4242. This was done twice."
      instead of lines 11 to 13:
      twin    ord_2tQ8mTd6JhB3sYfGq, another order of this buyer, same amount, 4 min earlier, was paid and not refunded: ask
              which of the two the buyer wants to keep"
    `);
    expect(textOf(shown)).not.toMatch(/orders refund|can be refunded|490215 {2}elsewhere/);
  });

  test('are the status of the order in lists and finds before anybody has looked at it, and after that', async () => {
    await secondShows();
    const lines = async (columns: number) => {
      const list = textOf(await run('05:10:00', 'orders list', columns));
      const find = textOf(await run('05:10:00', 'orders find 4242', columns));
      return [list, find].flatMap((text) => text.split('\n').filter((line) => line.startsWith(`${id} `)));
    };
    const before = await lines(80);
    expect(before.join('\n')).toMatchInlineSnapshot(`
      "ord_2tQ8mVxK4nRz7LcWp  20 Nov 18:42  made twice  35000    1800  *4242  Ana  
      ord_2tQ8mVxK4nRz7LcWp  20 Nov 18:42  made twice      35000    1800  *4242  Ana  "
    `);
    for (const line of await lines(60)) expect(line).toMatch(/ made twice( |$)/);
    for (const line of await lines(120)) expect(line).toContain(' made twice ');
    await run('05:10:00', `orders show ${id}`, 80);
    expect(await lines(80)).toEqual(before);
    expect((await run('05:10:00', 'orders list --csv')).stdout).not.toContain('made twice');
  });

  test('are told by the picker, which does not let the order be chosen', async () => {
    const change = await secondShows();
    const person = sit(['orders', 'refund'], {
      home: service.home,
      env: { ...service.env, ...at('05:10:00') },
    });
    await person.waitFor('Which order?');
    person.type(id);
    await person.waitFor(/1 found in all 2 orders/);
    person.type('\r');
    await person.waitFor('> made twice: 900 MXN, rf_1 and rf_2; check it first');
    expect(inOneLine(screenOf(person.transcript, 80))).toContain(`paydesk journal reconcile ${change}`);
    person.type('\x03');
    expect(await person.leaves).toMatchObject({ code: 130 });
    expect(service.posts).toHaveLength(1);
  });

  test('stop a refund before its preview, with the command that ends the alarm', async () => {
    await secondShows();
    const env = { ...service.env, ...at('05:10:00') };
    const { code, screen } = await sit(refund(200).replace(' --yes', '').split(' '), {
      home: service.home,
      env,
    }).leaves;
    const text = screen.replaceAll(/i_[0-9a-z]{8}\b/g, 'i_7f3k2m9x');
    expect({ code, posts: service.posts.length }).toEqual({ code: 7, posts: 1 });
    expect(text.slice(text.indexOf('MADE TWICE'))).toMatchInlineSnapshot(`
      "MADE TWICE: ord_2tQ8mVxK4nRz7LcWp shows the refund of 900 MXN more than once
               rf_1 and rf_2
      certain: nothing was sent now; rf_1 is ours, sent at 05:05:12 by root; rf_2 is
               the same again: repeated by the service, or sent from elsewhere;
               paydesk cannot take a refund back
      now:     leave this order alone; show your lead:
               paydesk journal show i_7f3k2m9x
               when somebody has dealt with it:
               paydesk journal acknowledge i_7f3k2m9x --note TEXT
      "
    `);
    expect(screen).not.toContain('THIS REFUND');
    expect(journalRows(service.home).at(-1)).toMatchObject({ alarm: 'duplicate', by: 'reply' });
  });

  test('stop a refund that is only tried, and nothing is written down', async () => {
    await secondShows();
    const rows = journalRows(service.home).length;
    const tried = await run('05:10:00', refund(200, '--dry-run'));
    expect(tried).toMatchObject({ code: 7, stdout: '', stderr: expect.stringContaining('MADE TWICE') });
    expect(journalRows(service.home)).toHaveLength(rows);
  });

  test.each([['journal reconcile --all'], [refund(200)]])(
    'do not make "%s" say that our reply was lost',
    async (line) => {
      const change = await secondShows();
      expect((await run('05:10:00', line)).code).toBe(7);
      const { outcome, by } = JSON.parse((await run('05:11:00', `journal show ${change} --json`)).stdout);
      expect({ outcome, by }).toEqual({ outcome: 'made twice', by: 'reply' });
      expect((await run('05:11:00', `orders show ${id}`)).stdout).toMatch(
        / {2}root\n +id rf_1 {2}made twice\n/,
      );
      const history = (await run('05:11:00', `journal show ${change}`)).stdout;
      expect(history).toMatch(/refund rf_1 .* {3}ours\n.*refund rf_2 .* {3}ours again, or elsewhere\n/);
    },
  );
});

describe('a refund that was made twice', () => {
  test('stands in the first block of orders show, and no command there refunds', async () => {
    await payTwice();
    const shown = await run('05:10:00', `orders show ${id}`, 80);
    expect(aroundOrder(shown)).toMatchInlineSnapshot(`
      "ord_2tQ8mVxK4nRz7LcWp  partially_refunded, made twice  sandbox environment
      MADE TWICE: 900 MXN, rf_1 and rf_2
              rf_1 is ours, sent at 05:05:12 by root
              rf_2 is the same again: repeated by the service, or sent from elsewhere
              paydesk cannot take a refund back
              do not refund this order; show your lead
              tell the buyer: "On 21 November 2026 we refunded 900 MXN to your Visa
              card ending in 4242. This was done twice."
      [the order, its money and its refunds]

      do not refund this order; show your lead. For your lead: what was sent, what
      paydesk has found since, and how to resolve this:
        paydesk journal show i_7f3k2m9x
      "
    `);
    const wide = await run('05:10:00', `orders show ${id}`, 120);
    expect(differences(textOf(wide), textOf(shown))).toMatchInlineSnapshot(`
      "instead of lines 7 to 8:
              tell the buyer: "On 21 November 2026 we refunded 900 MXN to your Visa card ending in 4242. This was done twice."
      instead of lines 11 to 13:
      twin    ord_2tQ8mTd6JhB3sYfGq, another order of this buyer, same amount, 4 min earlier, was paid and not refunded: ask
              which of the two the buyer wants to keep
      instead of lines 30 to 31:
      do not refund this order; show your lead. For your lead: what was sent, what paydesk has found since, and how to resolve
      this:"
    `);
    expect(shown.stdout).not.toContain('orders refund');
  });

  test('is red on a terminal', async () => {
    await payTwice();
    const seat = { home: service.home, env: { ...service.env, NO_COLOR: '' }, columns: 80 };
    const { screen } = await onScreen(['orders', 'show', id], seat);
    expect(screen).toContain('\x1b[31mmade twice\x1b[39m');
    expect(screen).toContain('\x1b[31mMADE TWICE: 900 MXN, rf_1 and rf_2');
    expect((await onScreen(['orders', 'list'], seat)).screen).toContain('\x1b[31mmade twice');
  });

  test('is the status of its order in lists and finds of people, and not of scripts', async () => {
    await payTwice();
    const narrow = textOf(await run('05:10:00', 'orders list', 80));
    expect(narrow).toMatchInlineSnapshot(`
      "ID                     AT UTC  STATUS        MXN  REFUND  CARD   BUYER
      ord_2tQ8mVxK4nRz7LcWp  20 Nov  made twice  35000    1800  *4242  Ana  
      ord_2tQ8mTd6JhB3sYfGq  20 Nov  paid        35000       -  *4242  Ana  
      1 refund made twice: ord_2tQ8mVxK4nRz7LcWp: show your lead:
      paydesk journal show i_7f3k2m9x
      possible twins, same buyer and amount within 10 minutes: ord_2tQ8mTd6JhB3sYfGq
      and ord_2tQ8mVxK4nRz7LcWp (already refunded in part)
      2 orders, sandbox environment. There are no more
      "
    `);
    expect(differences(textOf(await run('05:10:00', 'orders list', 120)), narrow)).toMatchInlineSnapshot(`
      "instead of lines 1 to 7:
      ID                     CREATED UTC   STATUS         AMOUNT  REFUNDED  CARD   BUYER  REASON  NOTE
      ord_2tQ8mVxK4nRz7LcWp  20 Nov 18:42  made twice  35000 MXN      1800  *4242  Ana    -       -   
      ord_2tQ8mTd6JhB3sYfGq  20 Nov 18:38  paid        35000 MXN         -  *4242  Ana    -       -   
      1 refund made twice: ord_2tQ8mVxK4nRz7LcWp: show your lead: paydesk journal show i_7f3k2m9x
      possible twins, same buyer and amount within 10 minutes: ord_2tQ8mTd6JhB3sYfGq and ord_2tQ8mVxK4nRz7LcWp (already
      refunded in part)"
    `);
    const found = await run('05:10:00', 'orders find 4242', 80);
    expect(found.stdout).toMatch(new RegExp(`^${id} .* made twice `, 'm'));
    expect((await run('05:10:00', 'orders list --csv')).stdout).not.toContain('twice');
    expect((await run('05:10:00', 'orders list --json')).stdout).not.toContain('twice');
  });

  test('is shown by the picker, which does not let it be chosen', async () => {
    await payTwice();
    const env = { ...service.env, ...at('05:10:00') };
    const person = sit(['orders', 'refund'], { home: service.home, env });
    await person.waitFor('Which order?');
    person.type(id);
    await person.waitFor(/1 found in all 2 orders/);
    person.type('\r');
    await person.waitFor('> made twice: 900 MXN');
    const screen = screenOf(person.transcript, 80).replaceAll(/i_[0-9a-z]{8}\b/g, 'i_7f3k2m9x');
    expect(screen.slice(screen.indexOf('? ['))).toMatchInlineSnapshot(`
      "? [sandbox] Which order? ord_2tQ8mVxK4nRz7LcWp
        CREATED UTC   BUYER  CARD      AMOUNT  STATUS
      > 20 Nov 18:42  Ana    *4242  35000 MXN  made twice

      > made twice: 900 MXN, rf_1 and rf_2 (05:05:12, by root); do not refund this
        order, show your lead: paydesk journal show i_7f3k2m9x
      1 found in all 2 orders, back to 20 Nov
      type to search, arrows to move, Enter to choose, Ctrl-C to stop"
    `);
    person.type('\x03');
    expect(await person.leaves).toMatchObject({ code: 130 });
    expect(service.posts).toHaveLength(1);
  });

  test.each<[string, string]>([
    ['of another amount', refund(200)],
    ['of the same amount, with every name in --again', refund(900, '--again rf_1,rf_2')],
    ['of all that is left', `orders refund ${id} --charge 1 --yes`],
    ['that is only tried', refund(200, '--dry-run')],
    ['of the same amount that is only tried', refund(900, '--dry-run')],
    ['with a idempotency key of its own', refund(200, '--idempotency-key ticket-1')],
  ])('refuses a refund %s, in the words of what to do', async (_, line) => {
    const change = await payTwice();
    const rows = journalRows(service.home).length;
    const refused = await run('05:10:00', line);
    expect({ code: refused.code, posts: service.posts.length }, refused.stderr).toEqual({
      code: 3,
      posts: 1,
    });
    expect(inOneLine(refused.stderr)).toContain(
      `refused: ${id} was made twice: 900 MXN, rf_1 and rf_2 (05:05:12, by root)`,
    );
    expect(refused.stderr).toContain(`paydesk journal acknowledge ${change} --note TEXT`);
    expect(refused.stderr).not.toContain('orders refund');
    expect(journalRows(service.home)).toHaveLength(rows);
  });

  test('is named by the fields of a JSON error', async () => {
    const change = await payTwice();
    const { stderr } = await run('05:10:00', refund(200, '--json'));
    expect(JSON.parse(stderr)).toMatchObject({
      kind: 'refused',
      exit_code: 3,
      change,
      order_id: id,
      commands: [['paydesk', 'journal', 'show', change]],
    });
  });

  test('stops no refund of another order', async () => {
    await payTwice();
    const ran = await run('05:10:00', `orders refund ${twin} --charge 1 --amount 100 --dry-run --yes`);
    expect(ran.code, ran.stderr).toBe(0);
  });

  test('is answered to its own idempotency key, and nothing is sent', async () => {
    expect((await run('05:05:12', refund(900, '--idempotency-key ticket-1'))).code).toBe(0);
    apply();
    expect((await run('05:06:00', 'journal reconcile --all')).code).toBe(7);
    const again = await run('05:10:00', refund(900, '--idempotency-key ticket-1'));
    expect(again.code, again.stderr).toBe(7);
    expect(service.posts).toHaveLength(1);
  });

  test('that shows only to the next refund, of another amount, stops that one as well', async () => {
    expect((await run('05:05:12', refund(900))).code).toBe(0);
    apply();
    const other = await run('05:10:00', refund(200));
    expect({ code: other.code, posts: service.posts.length }, other.stderr).toEqual({ code: 7, posts: 1 });
    expect(inOneLine(other.stderr)).toMatch(/MADE TWICE:.*rf_1 and rf_2/);
    expect((await run('05:11:00', refund(200))).code).toBe(3);
  });

  test('stands beside an unconfirmed refund of the same order, which is cleared up first', async () => {
    expect((await run('05:05:12', refund(900))).code).toBe(0);
    isLost = true;
    expect((await run('05:06:00', refund(200))).code).toBe(7);
    apply();
    const [first, second] = journalRows(service.home)
      .filter(({ type }) => type === 'sent')
      .map(({ change }) => change);
    expect((await run('05:07:00', `journal reconcile ${first}`)).code).toBe(7);
    const { stdout } = await run('05:10:00', `orders show ${id}`);
    expect(stdout).toContain('UNCONFIRMED  refund of 200 MXN');
    expect(stdout).toContain('MADE TWICE: 900 MXN, rf_1 and rf_2');
    expect(stdout).toMatch(
      new RegExp(`\\n\\n.*unconfirmed refund:\\n  paydesk journal reconcile ${second}\\n`),
    );
    expect(stdout).not.toContain('orders refund');
    const refused = await run('05:11:00', refund(100));
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('still unconfirmed') });
    expect(service.posts).toHaveLength(2);
  });

  test('stops nothing once somebody acknowledged it; who did, when and why is shown, and which refund is ours', async () => {
    const change = await payTwice();
    const ended = await run('05:20:00', acknowledge(change));
    expect(ended.code, ended.stderr).toBe(0);
    const shown = (await run('05:21:00', `orders show ${id}`)).stdout;
    expect(shown).not.toContain('MADE TWICE');
    expect(shown).toMatch(/ {2}root\n +id rf_1 {2}made twice\n/);
    expect(shown).toMatch(/ {2}ours again, or elsewhere\n +id rf_2 {2}made twice\n/);
    const acknowledged =
      /root acknowledged on 21 Nov 2026 05:\d\d:\d\d UTC that the refund of 900 MXN of 21 Nov 2026 05:05:12 UTC, sent by root, is there twice \(root's note: the bank recalls rf_2, ticket 8851\)/;
    expect(shown).toMatch(acknowledged);
    expect(inOneLine((await run('05:21:30', `${refund(200)} --quiet --dry-run --json`)).stdout)).toMatch(
      acknowledged,
    );
    expect((await run('05:21:00', 'orders list', 80)).stdout).not.toContain('twice');
    const sent = await run('05:22:00', refund(200));
    expect({ code: sent.code, posts: service.posts.length }, sent.stderr).toEqual({ code: 0, posts: 2 });
  });

  test('stops the next refund again when one more shows after the acknowledgement', async () => {
    const change = await payTwice();
    await run('05:20:00', acknowledge(change));
    apply();
    expect((await run('05:40:00', `journal reconcile ${change}`)).code).toBe(7);
    const refused = await run('05:41:00', refund(200));
    expect(refused.code).toBe(3);
    expect(inOneLine(refused.stderr)).toContain('made 3 times: 900 MXN, rf_1, rf_2 and rf_3');
    expect(service.posts).toHaveLength(1);
  });

  test('is also found when a person corrects a record: the refund was made, and was sent again', async () => {
    isLost = true;
    expect((await run('05:05:12', refund(900))).code).toBe(7);
    const first = journalRows(service.home)[0]?.change ?? '';
    const said = (...more: string[]) => ['journal', 'settle', first, ...more, '--confirm', id];
    const wrong = await run('05:20:00', said('--not-applied', '--note', 'nothing at the bank'));
    expect(wrong.code, wrong.stderr).toBe(0);
    isLost = false;
    expect((await run('05:21:00', refund(900))).code).toBe(0);
    const right = await run('05:30:00', said('--correct', '--applied', '--note', 'the bank has made both'));
    expect(right.code, right.stderr).toBe(7);
    const refused = await run('05:31:00', refund(200));
    expect(refused.code).toBe(3);
    expect(inOneLine(refused.stderr)).toContain(
      `${id} was made twice: 900 MXN, rf_1 and one that no read has shown (05:05:12, by root)`,
    );
    expect(refused.stderr).toContain(`paydesk journal acknowledge ${first} --note TEXT`);
    expect(service.posts).toHaveLength(2);
  });
});

describe('journal acknowledge', () => {
  test('shows both refunds before it asks; No records nothing', async () => {
    const change = await payTwice();
    const rows = () => journalRows(service.home).filter((row) => 'acknowledged' in row);
    const env = { ...service.env, ...at('05:20:00'), NO_COLOR: '1' };
    const person = sit(['journal', 'acknowledge', change], { home: service.home, env });
    await person.answer('What was done about it?', 'ok\r');
    await person.answer(
      'too short: 10 letters or more, saying what was done about it',
      ' ticket 8851, the bank recalls one\r',
    );
    await person.answer('End this alarm?', '\r');
    const { code, screen } = await person.leaves;
    expect({ code, rows: rows() }).toEqual({ code: 3, rows: [] });
    expect(
      screen.slice(0, screen.indexOf('?  What')).replaceAll(change, 'i_7f3k2m9x'),
    ).toMatchInlineSnapshot(`
      "MADE TWICE: refund of 900 MXN
        ord_2tQ8mVxK4nRz7LcWp, sent 21 Nov 2026 05:05:12 UTC by root
        the service shows it more than once
        refund rf_1   -900 MXN   21 Nov 2026 05:05:13 UTC
        refund rf_2   -900 MXN   21 Nov 2026 05:05:13 UTC
      ? What was done about it? (MADE TWICE)? What was done about it? (MADE TWICE) o? What was done about it? (MADE TWICE) ok? What was done about it? (MADE TWICE) ok? What was done about it? (MADE TWICE)? What was done about it? (MADE TWICE)
      > too short: 10 letters or more, saying what was done about it? What was done about it? (MADE TWICE)
      > too short: 10 letters or more, saying what was done about it? What was done about it? (MADE TWICE)? What was done about it? (MADE TWICE)  t? What was done about it? (MADE TWICE)  ti? What was done about it? (MADE TWICE)  tic? What was done about it? (MADE TWICE)  tick? What was done about it? (MADE TWICE)  ticke? What was done about it? (MADE TWICE)  ticket? What was done about it? (MADE TWICE)  ticket? What was done about it? (MADE TWICE)  ticket 8? What was done about it? (MADE TWICE)  ticket 88? What was done about it? (MADE TWICE)  ticket 885? What was done about it? (MADE TWICE)  ticket 8851? What was done about it? (MADE TWICE)  ticket 8851,? What was done about it? (MADE TWICE)  ticket 8851,? What was done about it? (MADE TWICE)  ticket 8851, t? What was done about it? (MADE TWICE)  ticket 8851, th? What was done about it? (MADE TWICE)  ticket 8851, the? What was done about it? (MADE TWICE)  ticket 8851, the? What was done about it? (MADE TWICE)  ticket 8851, the b? What was done about it? (MADE TWICE)  ticket 8851, the ba? What was done about it? (MADE TWICE)  ticket 8851, the ban? What was done about it? (MADE TWICE)  ticket 8851, the bank? What was done about it? (MADE TWICE)  ticket 8851, the bank? What was done about it? (MADE TWICE)  ticket 8851, the bank r? What was done about it? (MADE TWICE)  ticket 8851, the bank re? What was done about it? (MADE TWICE)  ticket 8851, the bank rec? What was done about it? (MADE TWICE)  ticket 8851, the bank reca? What was done about it? (MADE TWICE)  ticket 8851, the bank recal? What was done about it? (MADE TWICE)  ticket 8851, the bank recall? What was done about it? (MADE TWICE)  ticket 8851, the bank recalls? What was done about it? (MADE TWICE)  ticket 8851, the bank recalls? What was done about it? (MADE TWICE)  ticket 8851, the bank recalls o? What was done about it? (MADE TWICE)  ticket 8851, the bank recalls on? What was done about it? (MADE TWICE)  ticket 8851, the bank recalls one? What was done about it? (MADE TWICE)  ticket 8851, the bank recalls one? What was done about it? (MADE TWICE)  ticket 8851, the bank recalls one
      ? End this alarm? It then stops no refund of ord_2tQ8mVxK4nRz7LcWp. (y/N)? End this alarm? It then stops no refund of ord_2tQ8mVxK4nRz7LcWp. No
      cancelled: the alarm stays
      certain: this command sent nothing; the journal shows what was recorded"
    `);
    expect(screen).toContain('the alarm stays');
  });

  test.each([
    ['ok', '--note is too short: 10 letters or more, saying what was done about it'],
    ['done done done done', 'the same again and again: say what was done about it'],
  ])('takes no note that says nothing: %s', async (note, problem) => {
    const change = await payTwice();
    const refused = await run('05:20:00', ['journal', 'acknowledge', change, '--note', note, '--yes']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(problem) });
    expect(refused.stderr).toContain('nothing was recorded');
  });

  test('asks nothing while the order cannot be read', async () => {
    const change = await payTwice();
    isDown = true;
    const env = { ...service.env, ...at('05:20:00') };
    const { code, screen } = await sit(['journal', 'acknowledge', change], { home: service.home, env })
      .leaves;
    expect(code).toBe(3);
    expect(screen).toContain('cannot be read now');
    expect(screen).not.toContain('What was done about it?');
  });

  test('needs --yes of a script', async () => {
    const change = await payTwice();
    const refused = await run('05:20:00', acknowledge(change).slice(0, -1));
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('missing --yes') });
  });

  test('says it when the order shows a refund more than the journal knew (7)', async () => {
    const change = await payTwice();
    apply();
    const ended = await run('05:20:00', acknowledge(change));
    expect(ended).toMatchObject({ code: 7, stderr: expect.stringContaining('more than before: rf_3') });
  });
});

describe('a twin that this machine refunded', () => {
  test('is ours in the picker as in orders show', async () => {
    expect((await run('05:05:12', refund(900))).code).toBe(0);
    const words =
      'was refunded in part (900 of 35000) 4 min ago, by root: if you refund both, the buyer gets both payments back';
    expect(inOneLine((await run('05:09:30', `orders show ${twin}`)).stdout)).toContain(words);
    const env = { ...service.env, ...at('05:09:30') };
    const person = sit(['orders', 'refund'], { home: service.home, env }, 120);
    await person.waitFor('Which order?');
    person.type(twin);
    await person.waitFor(/possible twin[\s\S]*1 found in all 2 orders/);
    const screen = inOneLine(screenOf(person.transcript, 120));
    expect(screen).toContain(words);
    expect(screen).not.toContain('elsewhere');
    person.type('\x03');
    await person.leaves;
  });

  test('that was made twice is said to be so', async () => {
    await payTwice();
    const shown = inOneLine((await run('05:10:00', `orders show ${twin}`)).stdout);
    expect(shown).toMatch(/was refunded TWICE in part \(1800 of 35000\)/);
    expect(shown).not.toContain('elsewhere');
  });

  test('stands as refunded in the last lines of orders list and orders find', async () => {
    const line = 'possible twins, same buyer and amount within 10 minutes:';
    const told = async (words: string) => inOneLine((await run('05:30:00', words)).stderr);
    expect(await told('orders list')).toContain(`${line} ${twin} and ${id} `);
    apply();
    expect(await told('orders list')).toContain(`${line} ${twin} and ${id} (already refunded in part)`);
    expect(await told('orders find 4242')).toContain(`${line} ${twin} and ${id} (already refunded in part)`);
    const refunded = (order: (typeof service.orders)[number]) => ({ ...order, payment_status: 'refunded' });
    service.orders = service.orders.map((order) => (order.id === twin ? refundedWhole(order) : order));
    expect(await told('orders list')).toContain(`twins, settled: ${twin} (already refunded) and ${id} `);
    service.orders = service.orders.map(refunded);
    expect(await told('orders list')).toContain(`twins, both already refunded: ${twin} and ${id}`);
  });
});
