/** What stands between a wish and a refund: confirmation, production, the final read, repeats, limits. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Desk, startDesk } from '../harness/desk.ts';
import {
  chargeOf,
  inProduction,
  type Json,
  listOf,
  newRefundOf,
  orderOf,
  refundedWhole,
  refundOf,
} from '../harness/orders.ts';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { type Person, sit } from '../harness/person.ts';
import { inOneLine } from '../harness/ran.ts';
import { json, reply, startServer } from '../harness/server.ts';
import { type Service, startService, storeShop } from '../harness/service.ts';
import { atTerminal } from '../harness/terminal.ts';
import { paidOnce, paidTwice, preAuthorized, refundsOf } from './order-kinds.ts';

const order = orderOf('ord_1', [chargeOf('ch_1', 35000)]);

/** A service that refunds whole orders. */
const refunding = (orders: readonly Json[] = [order]) =>
  startService({
    orders,
    onPost: (found = {}, service) => {
      service.orders = service.orders.map((one) => (one.id === found.id ? refundedWhole(one) : one));
      return json(service.orders.find(({ id }) => id === found.id));
    },
  });

const run = (home: Home, service: Service, ...args: string[]): Promise<Ran> =>
  paydesk(['orders', 'refund', 'ord_1', ...args], { home, env: service.env });

describe('in production', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await startDesk({ mode: 'production' });
  });
  afterAll(() => desk[Symbol.asyncDispose]());

  test('--yes alone is not enough: exits 2 and names --confirm', async () => {
    const paid = await desk.take(paidOnce);
    const ran = await desk.script(['orders', 'refund', paid.id, '--yes']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('missing --confirm ID');
    expect(await desk.order(paid.id)).toEqual(paid);
  });

  test('--confirm with the order id sends it; with another id it is refused (3)', async () => {
    const paid = await desk.take(paidOnce);
    const wrong = await desk.script(['orders', 'refund', paid.id, '--confirm', 'ord_other']);
    expect(wrong.code).toBe(3);
    expect(wrong.stderr).toContain(`--confirm ord_other does not name ${paid.id}`);
    expect(await desk.order(paid.id)).toEqual(paid);
    expect(await desk.script(['orders', 'refund', paid.id, '--confirm', paid.id])).toMatchObject({ code: 0 });
    expect(refundsOf(await desk.order(paid.id))).toEqual([[-paid.amount]]);
  });

  test.each([
    ['the amount', (paid: { amount: number }) => String(paid.amount)],
    ['the order id', (paid: { id: string }) => paid.id],
  ])('a person types %s to send it', async (_what, typed) => {
    const paid = await desk.take(paidOnce);
    const person = desk.person(['orders', 'refund', paid.id, '--only-confirm']);
    await person.waitFor('PRODUCTION environment');
    await person.answer('Type the amount to send it, or press Enter to cancel:', `${typed(paid)}\r`);
    expect(await person.leaves).toMatchObject({ code: 0 });
    expect(refundsOf(await desk.order(paid.id))).toEqual([[-paid.amount]]);
  });

  test('a person who types something else three times has sent nothing (3)', async () => {
    const paid = await desk.take(paidTwice);
    const person = desk.person(['orders', 'refund', paid.id, '--reason', 'other', '--note', 'n', '--yes']);
    await person.answer('Type the amount to send it, or press Enter to cancel:', 'y\r');
    await person.answer(
      /y\s+is\s+not\s+the\s+amount\s+\(2\s+tries\s+left\)\.\s+Type\s+the\s+amount\s+again/,
      'ord_other\r',
    );
    await person.answer(/ord_other\s+is\s+not\s+the\s+amount\s+\(last\s+try\)/, `${paid.amount + 1}\r`);
    const { code, screen } = await person.leaves;
    expect(code).toBe(3);
    expect(screen.replaceAll(/\s+/g, ' ')).toContain(
      `${paid.amount + 1} is neither ${paid.amount} ${paid.currency} nor ${paid.id}; typed wrong 3 times`,
    );
    expect(await desk.order(paid.id)).toEqual(paid);
  });

  test('a mistype asks again and throws no answer away', async () => {
    const paid = await desk.take(paidOnce);
    const person = desk.person(['orders', 'refund', paid.id, '--only-confirm']);
    await person.answer('Type the amount to send it', `${paid.amount}0\r`);
    await person.answer('is not the amount (2 tries left)', `${paid.amount} ${paid.currency}\r`);
    expect(await person.leaves).toMatchObject({ code: 0 });
    expect(refundsOf(await desk.order(paid.id))).toEqual([[-paid.amount]]);
  });

  test('a person who only presses Enter has sent nothing (3), at the first question and at a later one', async () => {
    const paid = await desk.take(paidOnce);
    const first = desk.person(['orders', 'refund', paid.id, '--only-confirm']);
    await first.answer('Type the amount to send it', '\r');
    expect(await first.leaves).toMatchObject({ code: 3 });
    const second = desk.person(['orders', 'refund', paid.id, '--only-confirm']);
    await second.answer('Type the amount to send it', 'n\r');
    await second.answer('n is not the amount (2 tries left)', '\r');
    const { code, screen } = await second.leaves;
    expect(code).toBe(3);
    expect(screen).toContain('nothing was sent');
    expect(await desk.order(paid.id)).toEqual(paid);
  });

  test('a capture is confirmed in the same way', async () => {
    const authorized = await desk.take(preAuthorized);
    expect(await desk.script(['orders', 'capture', authorized.id, '--yes'])).toMatchObject({ code: 2 });
    const person = desk.person(['orders', 'capture', authorized.id]);
    await person.answer('Type the amount to send it, or press Enter to cancel:', `${authorized.amount}\r`);
    expect(await person.leaves).toMatchObject({ code: 0 });
    expect(await desk.order(authorized.id)).toMatchObject({ payment_status: 'paid' });
  });
});

describe('--dry-run', () => {
  test('makes the reads, asks nothing and prints what would be sent', async () => {
    await using service = await refunding([
      orderOf('ord_1', [chargeOf('ch_1', 35000), chargeOf('ch_2', 17000)]),
    ]);
    using home = newHome();
    const ran = await run(
      home,
      service,
      '--charge',
      '2',
      '--amount',
      '300',
      '--reason',
      'other',
      '--dry-run',
      '--json',
    );
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({
      object: 'dry_run',
      method: 'POST',
      path: '/orders/ord_1/refunds',
      body: { charge_id: 'ch_2', amount: 300, reason: 'other' },
      checks: [],
    });
    expect(service.posts).toEqual([]);
    expect(service.requests.length).toBeGreaterThan(0);
  });

  test('tells of what would be refused (3)', async () => {
    await using service = await refunding([refundedWhole(order)]);
    using home = newHome();
    const ran = await run(home, service, '--dry-run');
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(service.posts).toEqual([]);
  });
});

describe('what is read must say one thing, all of it', () => {
  test.each<[string, Json]>([
    ['has_more is a word', { has_more: 'true' }],
    ['total is a word', { total: '4' }],
    ['total counts more', { total: 4 }],
  ])('refunds of which %s cannot be told, so nothing is sent (3) (F32)', async (_, more) => {
    const charge = chargeOf('ch_1', 35000, { refunds: { ...listOf(refundOf('rf_1', 1000)), ...more } });
    await using service = await refunding([orderOf('ord_1', [charge], { amount_refunded: 4000 })]);
    using home = newHome();
    const ran = await run(home, service, '--charge', '1', '--amount', '500', '--yes');
    expect(ran.code, ran.stderr).toBe(3);
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain('the refunds of charge ch_1 are not all shown');
    expect(service.posts).toEqual([]);
  });

  test('more that went back than the refunds shown is refused (3), with both figures', async () => {
    const charge = chargeOf('ch_1', 35000, { refunds: listOf(refundOf('rf_1', 1000)) });
    await using service = await refunding([orderOf('ord_1', [charge], { amount_refunded: 4000 })]);
    using home = newHome();
    const ran = await run(home, service, '--charge', '1', '--amount', '500', '--dry-run', '--json');
    expect(ran.code, ran.stderr).toBe(3);
    expect(JSON.parse(ran.stderr).message).toBe(
      'ord_1 cannot be refunded now: its figures contradict each other: amount_refunded is 4000, and its refunds add up to 1000',
    );
  });

  test('an order with a key twice is not changed (1) (F7)', async () => {
    const page = JSON.stringify({ ...listOf(order), has_more: false });
    const twice = page.replace('"amount_refunded":0', '"amount_refunded":700,"amount_refunded":0');
    expect(twice).not.toBe(page);
    await using server = await startServer(json(twice));
    await using service = await startService({ orders: [order] });
    using home = newHome();
    const env = { ...service.env, PAYDESK_BASE_URL: server.url };
    const ran = await paydesk(['orders', 'refund', 'ord_1', '--yes'], { home, env });
    expect(ran.code, ran.stderr).toBe(1);
    expect(ran.stderr).toContain("the service's record of ord_1 has the same key twice");
    expect(server.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});

describe('the order is read again right before it is sent (F25)', () => {
  /** A person who was shown the preview, and has not answered yet. */
  async function atPreview(service: Service, home: Home): Promise<Person> {
    const args = ['orders', 'refund', 'ord_1', '--only-confirm'];
    const person = sit(args, { home, env: service.env });
    await person.waitFor(/Send back .*\? \(y\/N\)/);
    return person;
  }

  test('a refund by someone else while a person thinks stops it: the difference is shown, nothing is sent (3)', async () => {
    await using service = await refunding();
    using home = newHome();
    const person = await atPreview(service, home);
    const refunds = listOf(refundOf('rf_other', 5000));
    const charges = listOf(chargeOf('ch_1', 35000, { refunds }));
    service.orders = [{ ...order, amount_refunded: 5000, charges }];
    person.type('y\r');
    const { code, screen } = await person.leaves;
    expect(code).toBe(3);
    expect(screen).toContain('changed since it was shown');
    expect(screen.replaceAll(/\s+/g, ' ')).toContain('it has a new refund of 5000, rf_other');
    expect(service.posts).toEqual([]);
  });

  test('a refund by another run of this machine is named with who, when and why, and no answer is lost', async () => {
    await using service = await refunding();
    using home = newHome();
    const env = { ...service.env, PAYDESK_OPERATOR: 'maria' };
    const words = ['orders', 'refund', 'ord_1', '--amount', '700', '--reason', 'other'];
    const again = [...words, '--note', 'ticket 9', '--only-confirm'];
    const person = sit(again, { home, env: service.env }, 200);
    await person.waitFor(/Send back .*\? \(y\/N\)/);
    const first = await paydesk(['orders', 'refund', 'ord_1', '--note', 'ticket 8', '--yes'], { home, env });
    expect(first.code, first.stderr).toBe(0);
    person.type('y\r');
    const { code, screen } = await person.leaves;
    expect(code).toBe(3);
    expect(screen).toMatch(/it has a new refund of 35000, rf_\S+, made at \d\d:\d\d\S* .*by maria: ticket 8/);
    expect(screen).toContain('paydesk orders show ord_1\n');
    expect(screen).toMatch(
      /if it is still meant:\s+paydesk orders refund ord_1 --amount 700 --reason other --note 'ticket 9'/,
    );
    expect(service.posts).toHaveLength(1);
  });

  test.each<[string, Json, string]>([
    ['another status', { payment_status: 'disputed' }, 'payment_status was paid and is disputed'],
    ['no longer refundable', { is_refundable: false }, 'is_refundable was true and is false'],
    ['another amount', { amount: 35001 }, 'its amount was 35000 and is 35001'],
  ])(
    '%s stops it with --yes all the same: the difference is shown, nothing is sent (3)',
    async (_name, change, words) => {
      await using service = await startService({
        orders: [order],
        onGet: (held) => {
          if (held.requests.length === 3) held.orders = [{ ...order, ...change }];
        },
      });
      using home = newHome();
      const ran = await run(home, service, '--yes');
      expect(ran.code, ran.stderr).toBe(3);
      expect(ran.stderr).toContain('changed since it was shown');
      expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain(words);
      expect(service.posts).toEqual([]);
    },
  );

  test('a refund that is found at another charge stops it (3)', async () => {
    const moved = refundOf('rf_1', 1000);
    const one = chargeOf('ch_1', 17_000);
    const two = chargeOf('ch_2', 18_000);
    const at = (first: Json, second: Json) => orderOf('ord_1', [first, second], { amount_refunded: 1000 });
    await using service = await startService({
      orders: [at({ ...one, refunds: listOf(moved) }, two)],
      onGet: (held) => {
        if (held.requests.length === 3) held.orders = [at(one, { ...two, refunds: listOf(moved) })];
      },
    });
    using home = newHome();
    const ran = await run(home, service, '--charge', '2', '--amount', '500', '--yes');
    expect(ran.code, ran.stderr).toBe(3);
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain('refund rf_1 is not shown any more');
    expect(service.posts).toEqual([]);
  });

  test.each<[string, Json]>([
    ['another amount', { amount: 745_000 }],
    ['another currency', { currency: 'USD' }],
    ['charges, which it did not show', { charges: listOf(chargeOf('ch_1', 35000)) }],
  ])('an order without charges that now has %s is not captured (3)', async (_, change) => {
    const { charges: _none, ...held } = orderOf('ord_1', [], {
      payment_status: 'pre_authorized',
      amount: 7450,
    });
    await using service = await startService({
      orders: [held],
      onGet: (now) => {
        if (now.requests.length === 3) now.orders = [{ ...held, ...change }];
      },
    });
    using home = newHome();
    const ran = await paydesk(['orders', 'capture', 'ord_1', '--yes'], { home, env: service.env });
    expect(ran.code, ran.stderr).toBe(3);
    expect(ran.stderr).toContain('changed since it was shown');
    expect(service.posts).toEqual([]);
  });

  test('another field makes it ask again, and a No sends nothing', async () => {
    await using service = await refunding();
    using home = newHome();
    const person = await atPreview(service, home);
    service.orders = [{ ...order, metadata: { shop_order: 'A-2' }, updated_at: 1_790_000_099 }];
    person.type('y\r');
    await person.answer(/Send back .* anyway\? \(y\/N\)/, '\r');
    const { code, screen } = await person.leaves;
    expect(code).toBe(3);
    expect(screen.replaceAll(/\s+/g, ' ')).toContain(
      'changed since it was shown, but its money has not: metadata, updated_at',
    );
    expect(service.posts).toEqual([]);
  });

  test('another field and a second yes send it once', async () => {
    await using service = await refunding();
    using home = newHome();
    const person = await atPreview(service, home);
    service.orders = [{ ...order, updated_at: 1_790_000_099 }];
    person.type('y\r');
    await person.answer(/Send back .* anyway\? \(y\/N\)/, 'y\r');
    expect(await person.leaves).toMatchObject({ code: 0 });
    expect(service.posts).toHaveLength(1);
  });

  test.each([
    ['somebody refunds it meanwhile', true, 3, 0],
    ['nothing happens meanwhile', false, 0, 1],
  ] as const)(
    'whoever thinks for a minute about that question, and %s: it is read once more',
    async (_, refunded, exit, posts) => {
      await using service = await refunding();
      using home = newHome();
      const minute = join(home.path, 'a-minute-later');
      const clock = join(home.path, 'clock.cjs');
      const code = `const { existsSync } = require('node:fs'); const now = Date.now;
        Date.now = () => now() + (existsSync(${JSON.stringify(minute)}) ? 60_000 : 0);`;
      writeFileSync(clock, code);
      const env = { ...service.env, NODE_OPTIONS: `--require=${clock}` };
      const person = atTerminal(['orders', 'refund', 'ord_1', '--only-confirm'], {
        home,
        env,
      });
      await person.waitFor(/Send back .*\? \(y\/N\)/);
      service.orders = [{ ...order, updated_at: 1_790_000_099 }];
      person.type('y\r');
      await person.waitFor(/Send back .* anyway\? \(y\/N\)/);
      if (refunded) service.orders = [refundedWhole(order)];
      writeFileSync(minute, '');
      person.type('y\r');
      const { exitCode, transcript } = await person.end;
      expect({ exitCode, posts: service.posts.length }, transcript).toEqual({ exitCode: exit, posts });
    },
  );

  test('with --yes another field is said, and it goes on', async () => {
    await using service = await startService({
      orders: [order],
      onGet: (held) => {
        // Two reads find the first order of a list, before the preview and before the sending.
        if (held.requests.length === 3) held.orders = [{ ...order, updated_at: 1_790_000_099 }];
      },
      onPost: (found = {}, held) => {
        held.orders = [refundedWhole(found)];
        return json(refundedWhole(found));
      },
    });
    using home = newHome();
    const ran = await run(home, service, '--yes');
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('ord_1 has changed since it was shown, but its money has not: updated_at');
    expect(service.posts).toHaveLength(1);
  });
});

test('an order that nobody has tried to pay yet has nothing to refund, and the command that shows it is named', async () => {
  const unpaid = { ...order, charges: undefined, payment_status: undefined };
  await using service = await refunding([unpaid]);
  using home = newHome();
  const ran = await run(home, service, '--yes');
  expect({ code: ran.code, posts: service.posts }).toEqual({ code: 3, posts: [] });
  expect(ran.stderr).toBe(
    'refused: there is nothing to refund on ord_1: no charges on this order yet\ncertain: nothing was sent\nnow:     paydesk orders show ord_1\n',
  );
});

describe('the same once more (F28)', () => {
  const part = ['--charge', '1', '--amount', '300', '--yes'];

  test('the same amount on the same charge is refused and shown (3), and made with --again', async () => {
    await using desk = await startDesk({ args: ['--orders', '20'] });
    const paid = await desk.take(paidOnce);
    const again = ['orders', 'refund', paid.id, ...part];
    expect(await desk.script([...again, '--note', 'ticket 8812'], { PAYDESK_OPERATOR: 'op7' })).toMatchObject(
      {
        code: 0,
      },
    );
    const refused = await desk.script(again);
    expect(refused.code).toBe(3);
    expect(inOneLine(refused.stderr)).toMatch(
      /has a refund of 300 already, \S+, made at \d\d:\d\d:\d\d by op7: ticket 8812 certain:/,
    );
    const [first = ''] = /(?<=--charge 1 --amount 300 --again )\S+/.exec(refused.stderr) ?? [];
    expect(first, refused.stderr).not.toBe('');
    // Ready to be copied: with the words that were typed.
    const worded = await desk.script([...again, '--reason', 'other', '--note', 'ticket 1']);
    expect(worded.stderr).toContain(`--reason other --note 'ticket 1' --again ${first}`);
    expect(refundsOf(await desk.order(paid.id))).toEqual([[-300]]);
    expect(await desk.script([...again, '--again', first])).toMatchObject({ code: 0 });
    expect(refundsOf(await desk.order(paid.id))).toEqual([[-300, -300]]);
    // Arrow-up and Enter.
    const twice = await desk.script([...again, '--again', first]);
    expect(twice).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(new RegExp(`${first} was used already, at \\d\\d:`)),
    });
    expect(refundsOf(await desk.order(paid.id))).toEqual([[-300, -300]]);
  });

  test('the whole order again is refused: it is refunded already (3)', async () => {
    await using service = await refunding();
    using home = newHome();
    expect(await run(home, service, '--yes')).toMatchObject({ code: 0 });
    const ran = await run(home, service, '--yes');
    expect(ran.code).toBe(3);
    expect(inOneLine(ran.stderr)).toMatch(
      /ord_1 is refunded already: 35000 of 35000 MXN went back; the last one is \S+, made at \S+ (?:on \d+ \w+ )?by \S+/,
    );
    expect(service.posts).toHaveLength(1);
  });

  test('an equal refund that somebody else made, however old, is refused too (3)', async () => {
    const refunds = listOf(refundOf('rf_old', 300, { created_at: 1_600_000_000 }));
    const charge = chargeOf('ch_1', 35000, { refunds, status: 'partially_refunded' });
    await using service = await refunding([orderOf('ord_1', [charge], { amount_refunded: 300 })]);
    using home = newHome();
    const ran = await run(home, service, ...part);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('rf_old');
    expect(service.posts).toEqual([]);
  });

  test('an --idempotency-key of the sandbox is no answer in production, also at the same address: refused (3)', async () => {
    await using service = await refunding();
    using home = newHome();
    const id = ['--idempotency-key', 'ticket-8840'];
    expect((await run(home, service, ...id, '--yes')).code).toBe(0);
    service.orders = [inProduction(order)];
    const env = { ...service.env, PAYDESK_MODE: 'production' };
    const again = await paydesk(['orders', 'refund', 'ord_1', ...id, '--confirm', 'ord_1'], { home, env });
    expect(again.code).toBe(3);
    expect(inOneLine(again.stderr)).toContain(
      'ticket-8840 (--idempotency-key) was used for another change: recorded in sandbox, asked for now in production',
    );
    const other = await paydesk(
      ['orders', 'refund', 'ord_1', '--idempotency-key', 't-2', '--confirm', 'ord_1'],
      {
        home,
        env,
      },
    );
    expect({ code: other.code, posts: service.posts.length }, other.stderr).toEqual({ code: 0, posts: 2 });
  });

  test('under an --idempotency-key that was something else is refused (3) with what was recorded and what is asked now', async () => {
    await using service = await refunding();
    using home = newHome();
    const id = ['--idempotency-key', 'ticket-8840', '--yes'];
    expect(await run(home, service, ...id, '--reason', 'other')).toMatchObject({ code: 0 });
    const other = await run(home, service, ...id, '--charge', '1');
    expect(other.code).toBe(3);
    expect(other.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'the idempotency key ticket-8840 (--idempotency-key) was used for another change: recorded with reason other, no charge; asked for now with no reason, charge 1',
    );
    const env = service.env;
    const capture = await paydesk(['orders', 'capture', 'ord_1', ...id], { home, env });
    expect(capture.code).toBe(3);
    expect(capture.stderr.replaceAll(/\s+/g, ' ')).toContain('recorded as refund, asked for now as capture');
    expect(service.posts).toHaveLength(1);
  });

  test('after a lost answer it is refused until the outcome is known, and sent once in all', async () => {
    await using service = await startService({
      orders: [order],
      onPost: () => reply('<h1>Bad Gateway</h1>', 502, { 'content-type': 'text/html' }),
    });
    using home = newHome();
    await storeShop(home, service, { 'reconcile.after': '0' });
    const refund = ['-p', 'shop', 'orders', 'refund', 'ord_1', '--yes'];
    const lost = await paydesk(refund, { home });
    expect(lost.code).toBe(7);
    expect(lost.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'unconfirmed: no usable answer to the refund of 35000 MXN on ord_1 (HTTP 502, an HTML page). It may have been made',
    );
    expect(lost.stderr).toMatch(/paydesk .*journal reconcile i_/);
    const again = await paydesk([...refund, '--again', 'i_x'], { home });
    expect(again.code).toBe(3);
    expect(again.stderr).toMatch(
      /^refused: an earlier refund of 35000 MXN on ord_1 \([0-9:]+, by \w+\) is still unconfirmed/,
    );
    expect(service.posts).toHaveLength(1);
  });
});

describe('an amount without a charge (F43)', () => {
  test('goes to the only charge that counts, by its id: no body has an amount without charge_id', async () => {
    const declined = chargeOf('ch_1', 35000, { status: 'declined', is_refundable: false });
    const paid = orderOf('ord_1', [declined, chargeOf('ch_2', 35000)], { amount: 35000 });
    const refunds: Json[] = [];
    await using service = await startService({
      orders: [paid],
      onPost: (_found, held, { body }) => {
        const { amount } = JSON.parse(body) as { readonly amount: number };
        refunds.push(newRefundOf(`rf_${refunds.length}`, amount));
        const sum = refunds.reduce((total, refund) => total - Number(refund.amount), 0);
        const charge = chargeOf('ch_2', 35000, { refunds: listOf(...refunds) });
        held.orders = [{ ...paid, amount_refunded: sum, charges: listOf(declined, charge) }];
        return json(held.orders[0]);
      },
    });
    using home = newHome();
    expect(await run(home, service, '--amount', '300', '--yes')).toMatchObject({ code: 0 });
    expect(await run(home, service, '--yes')).toMatchObject({ code: 0 });
    expect(service.posts.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { charge_id: 'ch_2', amount: 300 },
      { charge_id: 'ch_2', amount: 34700 },
    ]);
  });
});

describe('the wrong mode', () => {
  test('real money under a sandbox profile is refused before anything is sent (3)', async () => {
    await using service = await refunding([inProduction(order)]);
    using home = newHome();
    const ran = await run(home, service, '--yes');
    expect(ran.code).toBe(3);
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'profile environment says sandbox, but ord_1 is real money (livemode true)',
    );
    expect(service.posts).toEqual([]);
  });
});

describe('what a lead sets in a profile', () => {
  test('refund.max_amount refuses more in its currency and nothing less (3)', async () => {
    await using service = await refunding();
    using home = newHome();
    await storeShop(home, service, { 'refund.max_amount.MXN': '34999' });
    const ran = await paydesk(['-p', 'shop', 'orders', 'refund', 'ord_1', '--yes'], { home });
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain(
      '35000 MXN is over the limit of this account: refund.max_amount.MXN is 34999',
    );
    using other = newHome();
    await storeShop(other, service, { 'refund.max_amount.MXN': '35000' });
    const within = await paydesk(['-p', 'shop', 'orders', 'refund', 'ord_1', '--yes'], { home: other });
    expect(within.code, within.stderr).toBe(0);
    expect(service.posts).toHaveLength(1);
  });

  test('refund.require makes a script name reason and note (2), and asks a person for both', async () => {
    await using service = await refunding();
    using home = newHome();
    await storeShop(home, service, { 'refund.require': 'reason,note' });
    const args = ['-p', 'shop', 'orders', 'refund', 'ord_1'];
    const ran = await paydesk([...args, '--yes'], { home });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('missing --reason, --note: this account requires it (refund.require)');
    expect(service.requests).toEqual([]);

    const person = sit(args, { home, env: {} });
    await person.answer('How much?', '\r');
    await person.answer('Why?', '\r');
    expect(person.transcript).not.toContain('no reason is sent');
    await person.answer('Note, kept only on this machine:', '\r');
    await person.answer('a value is needed', 'ticket 8840\r');
    await person.answer(/Send back .*\? \(y\/N\)/, 'y\r');
    expect(await person.leaves).toMatchObject({ code: 0 });
    expect(service.posts.map(({ body }) => body)).toEqual(['{"reason":"requested_by_client"}']);
  });
});
