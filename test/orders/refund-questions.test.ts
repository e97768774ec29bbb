/** What a person is asked before a refund, and what a script is told is missing instead. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Charge, type Desk, startDesk } from '../harness/desk.ts';
import { chargeOf, orderOf } from '../harness/orders.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { pick, sit } from '../harness/person.ts';
import { startService, storeShop } from '../harness/service.ts';
import {
  chargeAt,
  declinedBeside,
  paidOnce,
  paidTwice,
  preAuthorized,
  refundedInPart,
  refundsOf,
} from './order-kinds.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await startDesk();
});
afterAll(() => desk[Symbol.asyncDispose]());

const down = '\x1b[B';

describe('orders refund with nothing given', () => {
  test('asks which order, refund what, how much and why, shows what it will do, and does it', async () => {
    const order = await desk.take(paidTwice);
    const person = desk.person(['orders', 'refund']);
    await pick(person, order.id);
    await person.answer('Refund what?', down);
    await person.answer(/> charge 2 /, '\r');
    await person.answer(`How much? (Enter: all ${chargeAt(order, 1).amount})`, '300\r');
    await person.answer('Why?', down);
    await person.answer(/> the order cannot be fulfilled +cannot_be_fulfilled/, '\r');
    await person.answer('Note, kept only on this machine (Enter: none):', '\r');
    await person.waitFor('REFUND PART OF AN ORDER');
    await person.answer(/Send back .*\? \(y\/N\)/, 'y\r');
    const { code, screen } = await person.leaves;
    expect(code).toBe(0);
    expect(screen).toContain(`refunded 300 ${order.currency}`);
    expect(refundsOf(await desk.order(order.id))).toEqual([[], [-300]]);
  });

  test('finds an order by its buyer, and Enter takes all of it', async () => {
    const order = await desk.take(declinedBeside);
    const person = desk.person(['orders', 'refund', '--reason', 'other', '--note', 'n']);
    await pick(person, order.id, `${order.customer_info.email} ${order.amount}`);
    await person.answer(`How much? (Enter: all ${order.amount})`, '\r');
    await person.waitFor('REFUND A WHOLE ORDER');
    await person.answer(/Send back .*\? \(y\/N\)/, 'y\r');
    expect(await person.leaves).toMatchObject({ code: 0 });
    expect(refundsOf(await desk.order(order.id))).toEqual([[], [-order.amount]]);
  });

  test('does not offer all of an order of which a part went back before, but what is left of each charge', async () => {
    const order = await desk.take(refundedInPart);
    const person = desk.person(['orders', 'refund', '--reason', 'other', '--note', 'n']);
    await pick(person, order.id);
    await person.waitFor('Refund what?');
    await person.answer(/> charge 1 .* left/, down);
    const { amount } = chargeAt(order, 1);
    await person.waitFor(/- all that is left, \d+ MXN over 2 cards: an order that was refunded in part/);
    await person.answer(new RegExp(`> charge 2 .* ${amount} left`), '\r');
    await person.answer(`How much? (Enter: all ${amount})`, '\r');
    await person.answer(/Send back .*\? \(y\/N\)/, 'y\r');
    const { code, screen } = await person.leaves;
    expect(code).toBe(0);
    expect(screen).not.toContain('all of it');
    expect(refundsOf(await desk.order(order.id))[1]).toEqual([-amount]);
  });

  test('does not take an amount that is more than is left, or no amount at all', async () => {
    const order = await desk.take(declinedBeside);
    const person = desk.person(['orders', 'refund', '--reason', 'other', '--note', 'n']);
    await pick(person, order.id);
    await person.answer('How much?', `${order.amount + 1}\r`);
    await person.answer(`only ${order.amount} is left`, '\x15');
    person.type('1e3\r');
    await person.answer('type all its digits', '\x15');
    person.type('0\r');
    await person.answer('zero is no amount', '\x15');
    person.type('-100\r');
    await person.answer('type it without a sign', '\x15');
    person.type('100\r');
    await person.answer(/Send back .*\? \(y\/N\)/, 'n\r');
    expect(await person.leaves).toMatchObject({ code: 3 });
    expect(await desk.order(order.id)).toEqual(order);
  });

  test('carry the buyer, the card and the currency, each of them', async () => {
    const order = await desk.take(paidTwice);
    const [first, second] = [chargeAt(order, 0), chargeAt(order, 1)];
    const cards = (some: readonly Charge[]) =>
      [...new Set(some.map(({ payment_method: { last4 } }) => `\\*${last4}`))].join(' and ');
    const asked = (some: readonly Charge[], question: string) =>
      new RegExp(
        `${order.customer_info.name.slice(0, 20)}.*, ${cards(some)}(?:, ${order.currency})?: ${question}`,
      );
    const person = desk.person(['orders', 'refund', order.id], 120);
    await person.answer(asked([first, second], 'Refund what'), '\r');
    for (const [question, keys] of [
      ['How much', '300\r'],
      ['Why', '\r'],
      ['Note, kept only', '\r'],
      [`Send back 300 ${order.currency}`, '\x03'],
    ] as const)
      await person.answer(asked([first], question), keys);
    expect(await person.leaves).toMatchObject({ code: 130 });
  });

  test('the last one names the amount and the order, for a low and narrow screen shows little else', async () => {
    const order = await desk.take(paidOnce);
    const args = ['orders', 'refund', order.id, '--amount', '300', '--only-confirm'];
    const person = desk.person(args, 40);
    await person.answer(`Send back 300 ${order.currency}? (y/N)`, 'n\r');
    const { screen } = await person.leaves;
    const question = screen.slice(screen.indexOf('? [sandbox]')).split('\n').slice(0, 4).join('\n');
    expect(question).toContain(order.id);
    expect(question).toContain(`Send back 300 ${order.currency}? (y/N)`);
  });

  test('a digit or a letter at a list chooses nothing, and neither does the Enter behind it', async () => {
    const order = await desk.take(paidOnce);
    const person = desk.person(['orders', 'refund', order.id]);
    await person.answer('How much?', '\r');
    await person.answer('Why?', '3\r');
    await person.answer(/letters and digits choose nothing here[\s\S]*Enter is off/, `${down}\r`);
    await person.answer('Note, kept only on this machine (Enter: none):', '\r');
    await person.answer(/Send back .*\? \(y\/N\)/, 'n\r');
    const { screen } = await person.leaves;
    expect(screen).toContain('--reason cannot_be_fulfilled');
  });

  test.each([
    ['Esc', '\x1b', '\x1b', '\x1b'],
    ['<', '<', '<\r', '<'],
  ])(
    '%s goes back one question, from the last one too, and the new answer counts',
    async (_, list, text, yes) => {
      const order = await desk.take(paidTwice);
      const person = desk.person(['orders', 'refund', order.id]);
      await person.answer('Refund what?', '\r');
      await person.answer('How much?', '300\r');
      await person.answer('Why?', list);
      await person.waitFor('back');
      await person.answer('How much?', text);
      await person.answer('Refund what?', `${down}\r`);
      await person.answer('How much?', '200\r');
      await person.answer('Why?', '\r');
      await person.answer('Note, kept only on this machine (Enter: none):', 'ticket 1\r');
      await person.answer(/Send back .*\? \(y\/N\)/, yes);
      await person.answer('Note, kept only on this machine (- for none): (Enter: ticket 1)', 'ticket 2\r');
      await person.waitFor(/note +ticket 2/);
      await person.answer(/Send back .*\? \(y\/N\)/, 'y\r');
      expect(await person.leaves).toMatchObject({ code: 0 });
      expect(refundsOf(await desk.order(order.id))).toEqual([[], [-200]]);
    },
  );

  const twice = orderOf('ord_back', [chargeOf('ch_1', 20_000), chargeOf('ch_2', 30_000)]);

  test('whoever goes back keeps what was answered: Enter answers it again, and the cursor is on the choice', async () => {
    await using service = await startService({ orders: [twice] });
    await storeShop(service.home, service);
    const person = sit(['-p', 'shop', 'orders', 'refund', 'ord_back'], { home: service.home, env: {} });
    await person.answer('Refund what?', down);
    await person.answer(/> charge 2 /, '\r');
    await person.answer('How much? (Enter: all', '300\r');
    await person.answer('Why?', down);
    await person.answer(/> the order cannot be fulfilled/, '\r');
    await person.answer('(Enter: none)', 'ticket 1\r');
    await person.answer(/Send back .*\? \(y\/N\)/, '\x1b');
    await person.answer('(- for none): (Enter: ticket 1)', '\x1b');
    await person.answer(/> the order cannot be fulfilled/, '\x1b');
    await person.answer('How much? (all is 30000) (Enter: 300)', '\x1b');
    await person.answer(/> charge 2 /, '\r');
    await person.answer('(Enter: 300)', '\r');
    await person.answer(/> the order cannot be fulfilled/, '\r');
    await person.answer('(Enter: ticket 1)', '\r');
    await person.waitFor(/note +ticket 1/);
    await person.answer(/Send back .*\? \(y\/N\)/, 'n\r');
    const { screen } = await person.leaves;
    expect(screen).toContain('"amount":300');
    expect(service.posts).toEqual([]);
  });

  test('so does whoever is asked in lines', async () => {
    await using service = await startService({ orders: [twice] });
    await storeShop(service.home, service);
    const env = { PAYDESK_ACCESSIBLE: '1' };
    const person = sit(['-p', 'shop', 'orders', 'refund', 'ord_back'], { home: service.home, env });
    await person.answer('type a number', '2\r');
    await person.answer('How much? (Enter: all 30000)', '300\r');
    await person.answer('type a number', '<\r');
    await person.answer('How much? (all is 30000) (Enter: 300)', '\r');
    await person.answer('type a number', '1\r');
    await person.answer('(Enter: none)', '\r');
    await person.answer(/Send back .*\? \(y\/N\)/, 'n\r');
    expect((await person.leaves).screen).toContain('"amount":300');
  });

  test('--dry-run shows the screen that the question is about', async () => {
    const order = await desk.take(paidTwice);
    const words = ['orders', 'refund', order.id, '--charge', '1', '--amount', '300', '--reason', 'other'];
    const person = desk.person([...words, '--note', 'n']);
    await person.answer(/Send back .*\? \(y\/N\)/, 'n\r');
    const { screen } = await person.leaves;
    const preview = screen.slice(screen.indexOf('REFUND PART'), screen.indexOf('will send once')).trim();
    const dry = await desk.script([...words, '--note', 'n', '--dry-run', '--width', '80']);
    expect(preview).not.toBe('');
    expect(dry.stderr.replaceAll(/\s+/g, ' ')).toContain(preview.replaceAll(/\s+/g, ' '));
    expect(dry.stdout).toContain('"amount":300, "reason":"other"}');
    expect((await desk.script([...words, '--dry-run', '--json'])).stderr).toBe('');
  });

  test('after a refused amount, Enter alone is refused too, and does not mean all of it', async () => {
    const order = await desk.take(declinedBeside);
    const person = desk.person(['orders', 'refund', '--reason', 'other', '--note', 'n']);
    await pick(person, order.id);
    await person.answer(`How much? (Enter: all ${order.amount})`, '5,00,0\r');
    await person.answer(`How much? (all ${order.amount})`, '');
    await person.answer('a whole number, no decimals or commas', '\r');
    await person.answer(`type an amount; for all of it: ${order.amount}`, '100\r');
    await person.waitFor('REFUND PART OF AN ORDER');
    await person.answer(/Send back .*\? \(y\/N\)/, 'n\r');
    expect(await person.leaves).toMatchObject({ code: 3 });
    expect(await desk.order(order.id)).toEqual(order);
  });

  test('in a script is a usage error that names ID, and sends nothing at all', async () => {
    await using service = await startService({ orders: [] });
    using home = newHome();
    const ran = await paydesk(['orders', 'refund', '--yes'], { home, env: service.env });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('missing ID');
    expect(service.requests).toEqual([]);
  });
});

describe('a possible twin', () => {
  test('among the orders offered is named in the preview', async () => {
    const buyer = { object: 'customer_info', customer_id: 'cus_1', name: 'Ana', email: 'ana@example.com' };
    const bought = (id: string, createdAt: number) =>
      orderOf(id, [chargeOf(`ch_${id}`, 35000)], { created_at: createdAt, customer_info: buyer });
    await using service = await startService({
      orders: [
        bought('ord_3', 1_790_000_500),
        bought('ord_2', 1_790_000_000),
        bought('ord_1', 1_789_000_000),
      ],
    });
    using home = newHome();
    const person = sit(['orders', 'refund', '--reason', 'other', '--note', 'n'], { home, env: service.env });
    await pick(person, 'ord_2');
    await person.answer('How much?', '\r');
    await person.answer(/Send back .*\? \(y\/N\)/, '\r');
    const words = (await person.leaves).screen.replaceAll(/\s+/g, ' ');
    expect(words).toContain(
      'note: ord_3, another order of this buyer, same amount, 8 min later, was paid and not refunded: ask which of the two the buyer wants to keep will send once',
    );
    expect(words).not.toContain('ord_1, same buyer');
  });
});

test('a yes or no at the question for the note is no note: it is asked again, with an empty field', async () => {
  const order = await desk.take(paidOnce);
  const person = desk.person(['orders', 'refund', order.id, '--reason', 'other']);
  await person.answer('How much?', '\r');
  await person.answer('Note, kept only on this machine (Enter: none):', 'Y\r');
  await person.waitFor('this is the note, not the yes');
  person.type('no hurry\r');
  await person.answer(/Send back .*\? \(y\/N\)/, '\r');
  const { code, screen } = await person.leaves;
  expect(code).toBe(3);
  expect(screen).toMatch(/note +no hurry +kept only on this machine/);
  expect(await desk.order(order.id)).toEqual(order);
});

describe('why', () => {
  test('offers the five documented reasons in words with what is sent, and none', async () => {
    const order = await desk.take(paidOnce);
    const person = desk.person(['orders', 'refund', order.id]);
    await person.answer('How much?', '\r');
    await person.waitFor('no reason is sent');
    for (const words of [
      /the buyer asked for it +requested_by_client/,
      /the order cannot be fulfilled +cannot_be_fulfilled/,
      /the buyer was charged twice +duplicated_transaction/,
      /fraud is suspected +suspected_fraud/,
      /another reason +other/,
    ])
      expect(person.transcript).toMatch(words);
    person.type(down.repeat(5));
    await person.answer('> no reason is sent', '\r');
    await person.answer('Note', '\r');
    await person.waitFor('will send once: {}');
    await person.answer(/Send back .*\? \(y\/N\)/, 'y\r');
    expect(await person.leaves).toMatchObject({ code: 0 });
  });

  test.each([
    ['an order that is only authorized', preAuthorized, []],
    ['more than is left', paidTwice, ['--charge', '1', '--amount', '999999999']],
  ])('is not asked before the refusal of %s', async (_what, kind, flags) => {
    const order = await desk.take(kind);
    const person = desk.person(['orders', 'refund', order.id, ...flags]);
    const { code, screen } = await person.leaves;
    expect(code).toBe(3);
    expect(screen).toContain('refused: ');
    expect(screen).not.toContain('Why?');
    expect(await desk.order(order.id)).toEqual(order);
  });

  test('a reason that is not documented exits 2 with the documented ones', async () => {
    const ran = await desk.script(['orders', 'refund', 'ord_1', '--reason', 'regret', '--yes']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('--reason regret');
    expect(ran.stderr).toContain('suspected_fraud');
  });
});

describe('the note', () => {
  test.each([
    ['Enter keeps none', '\r', null],
    ['what is typed is kept, without the spaces around it', ' called on Monday \r', 'called on Monday'],
  ])('%s', async (_name, keys, kept) => {
    const order = await desk.take(paidOnce);
    const person = desk.person(['orders', 'refund', order.id, '--reason', 'other']);
    await person.answer('How much?', '\r');
    await person.answer('Note, kept only on this machine (Enter: none):', keys);
    await person.answer(/Send back .*\? \(y\/N\)/, 'y\r');
    expect(await person.leaves).toMatchObject({ code: 0 });
    const { stdout } = await desk.script(['journal', 'list', '--all', '--ndjson']);
    const line = stdout.split('\n').find((one) => one.includes(order.id)) ?? '';
    expect(JSON.parse(line)).toMatchObject({ note: kept });
  });
});

describe('a yes', () => {
  test('is not taken from a pipe: exits 2, names --yes, sends nothing', async () => {
    await using service = await startService({ orders: [orderOf('ord_1', [chargeOf('ch_1', 35000)])] });
    using home = newHome();
    const ran = await paydesk(['orders', 'refund', 'ord_1'], { home, env: service.env, input: 'y\n' });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('missing --yes');
    expect(service.posts).toEqual([]);
  });

  test('is not asked of a script for what cannot be sent: the reason comes first', async () => {
    const charge = chargeOf('ch_1', 35000, { status: 'refunded', is_refundable: false });
    const order = orderOf('ord_1', [charge], { payment_status: 'refunded', is_refundable: false });
    await using service = await startService({ orders: [order] });
    const { code, stderr } = await service.run(['orders', 'refund', 'ord_1']);
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.not.stringContaining('--yes') });
  });

  test('typed before the question does not answer it', async () => {
    const order = await desk.take(paidOnce);
    const person = desk.person(['orders', 'refund', order.id, '--only-confirm']);
    person.type('y\ry\ry\r');
    await person.answer(/Send back .*\? \(y\/N\)/, '\r');
    expect(await person.leaves).toMatchObject({ code: 3 });
    expect(await desk.order(order.id)).toEqual(order);
  });

  test.each([
    ['Ctrl-C', '\x03', 130],
    ['Ctrl-D', '\x04', 3],
  ])('is not %s: nothing is sent', async (_name, key, code) => {
    const order = await desk.take(paidOnce);
    const person = desk.person(['orders', 'refund', order.id, '--only-confirm']);
    await person.answer(/Send back .*\? \(y\/N\)/, key);
    expect(await person.leaves).toMatchObject({ code });
    expect(await desk.order(order.id)).toEqual(order);
  });
});

test('what is left on several cards of an order that was refunded in part is named with its command, which works', async () => {
  const order = await desk.take(refundedInPart);
  using home = newHome();
  const run = (args: readonly string[]) => paydesk(args, { home, env: desk.env });
  const refused = await run(['orders', 'refund', order.id, '--yes']);
  expect(refused.code).toBe(3);
  const [command = ''] = /orders refund \S+ --amount \d+ --allocate in-order/.exec(refused.stderr) ?? [];
  expect(refused.stderr).toMatch(/all that is left, \d+, from one charge after the other:\n/);
  const planned = await run([...command.split(' '), '--dry-run']);
  expect(planned.code, planned.stderr).toBe(0);
  expect(planned.stdout.match(/ready/g)).toHaveLength(2);
});
