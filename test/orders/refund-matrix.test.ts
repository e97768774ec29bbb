/** Every way to refund, as a script and as a person, and what the service holds afterwards. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Desk, type Order, startDesk } from '../harness/desk.ts';
import { pick } from '../harness/person.ts';
import {
  chargeAt,
  declinedBeside,
  paidOnce,
  paidTwice,
  partlyLocked,
  preAuthorized,
  refundedInPart,
  refundsOf,
} from './order-kinds.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await startDesk({ args: ['--orders', '300'] });
});
afterAll(() => desk[Symbol.asyncDispose]());

const differentCards = (order: Order): boolean =>
  paidTwice(order) && chargeAt(order, 0).payment_method.last4 !== chargeAt(order, 1).payment_method.last4;
const last4Of = (order: Order, index: number): string => `*${chargeAt(order, index).payment_method.last4}`;

interface Case {
  readonly name: string;
  readonly kind: (order: Order) => boolean;
  readonly args: (order: Order) => readonly string[];
  /** Refunds of each charge afterwards. */
  readonly refunds: (order: Order) => readonly (readonly number[])[];
  readonly status: string;
  /** What a person does after it was named stands in another case. */
  readonly scriptOnly?: true;
}

const cases: readonly Case[] = [
  {
    name: 'an order paid once, all of it',
    kind: paidOnce,
    args: () => [],
    refunds: (order) => [[-order.amount]],
    status: 'refunded',
  },
  {
    name: 'a split order, all of it',
    kind: paidTwice,
    args: () => [],
    refunds: (order) => [[-chargeAt(order, 0).amount], [-chargeAt(order, 1).amount]],
    status: 'refunded',
  },
  {
    name: 'one charge by its number',
    kind: paidTwice,
    args: () => ['--charge', '2'],
    refunds: (order) => [[], [-chargeAt(order, 1).amount]],
    status: 'partially_refunded',
  },
  {
    name: 'one charge by the end of its card number',
    kind: differentCards,
    args: (order) => ['--charge', last4Of(order, 0)],
    refunds: (order) => [[-chargeAt(order, 0).amount], []],
    status: 'partially_refunded',
    scriptOnly: true,
  },
  {
    name: 'one charge by its id',
    kind: paidTwice,
    args: (order) => ['--charge', chargeAt(order, 1).id],
    refunds: (order) => [[], [-chargeAt(order, 1).amount]],
    status: 'partially_refunded',
    scriptOnly: true,
  },
  {
    name: 'part of a charge',
    kind: paidTwice,
    args: () => ['--charge', '2', '--amount', '300'],
    refunds: () => [[], [-300]],
    status: 'partially_refunded',
  },
  {
    name: 'part of the only charge, which need not be named',
    kind: paidOnce,
    args: () => ['--amount', '300'],
    refunds: () => [[-300]],
    status: 'partially_refunded',
  },
  {
    name: 'the rest of a charge',
    kind: refundedInPart,
    args: () => ['--charge', '1'],
    refunds: (order) => {
      const [first = 0] = refundsOf(order)[0] ?? [];
      return [[first, -(chargeAt(order, 0).amount + first)], []];
    },
    status: 'partially_refunded',
  },
  {
    name: 'an order with a declined charge beside a paid one',
    kind: declinedBeside,
    args: () => [],
    refunds: (order) => [[], [-chargeAt(order, 1).amount]],
    status: 'refunded',
  },
];

describe.each(cases)('$name', ({ kind, args, refunds, status, scriptOnly }) => {
  test('is refunded by a script', async () => {
    const order = await desk.take(kind);
    const ran = await desk.script(['orders', 'refund', order.id, ...args(order), '--yes', '--json']);
    expect(ran).toMatchObject({ code: 0 });
    expect(JSON.parse(ran.stdout)).toEqual(await desk.order(order.id));
    const after = await desk.order(order.id);
    expect(refundsOf(after)).toEqual(refunds(order));
    expect(after.payment_status).toBe(status);
  });

  if (scriptOnly) return;

  test('is refunded by a person', async () => {
    const order = await desk.take(kind);
    const person = desk.person(['orders', 'refund', order.id, ...args(order)]);
    const isWholeSplit = kind === paidTwice && args(order).length === 0;
    if (isWholeSplit) {
      await person.answer('Refund what?', '\x1b[B\x1b[B');
      await person.answer('> all of it', '\r');
    }
    if (!isWholeSplit && !args(order).includes('--amount'))
      await person.answer('How much? (Enter: all', '\r');
    await person.answer('Why?', '\r');
    await person.answer('Note, kept only on this machine (Enter: none):', '\r');
    await person.answer(/Send back .*\? \(y\/N\)/, 'y\r');
    const { code, screen } = await person.leaves;
    expect(code).toBe(0);
    const after = await desk.order(order.id);
    expect(refundsOf(after)).toEqual(refunds(order));
    expect(after.payment_status).toBe(status);
    const returned = after.amount_refunded - order.amount_refunded;
    expect(screen).toContain(`refunded ${returned} ${order.currency}`);
    expect(screen).toContain('"reason":"requested_by_client"');
    expect(screen).not.toMatch(/null|undefined/);
  });
});

test('a person who presses Enter has refunded nothing (3)', async () => {
  const order = await desk.take(paidOnce);
  const person = desk.person(['orders', 'refund', order.id, '--only-confirm']);
  await person.answer(/Send back .*\? \(y\/N\)/, '\r');
  const { code, screen } = await person.leaves;
  expect(code).toBe(3);
  expect(screen).toContain('certain: nothing was sent');
  expect(await desk.order(order.id)).toEqual(order);
});

describe('an order with a charge that the service does not refund', () => {
  test('is refused as a whole before anything is sent (3), and the command that is named works', async () => {
    const order = await desk.take(partlyLocked);
    const ran = await desk.script(['orders', 'refund', order.id, '--reason', 'other', '--yes']);
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toContain('so the service refuses to refund the whole order');
    expect(ran.stderr).toContain(`paydesk orders refund ${order.id} --charge 1 --reason other\n`);
    expect(ran.stderr).not.toContain('--charge 2');
    expect(await desk.order(order.id)).toEqual(order);

    expect(await desk.script(['orders', 'refund', order.id, '--charge', '1', '--yes'])).toMatchObject({
      code: 0,
    });
    expect(refundsOf(await desk.order(order.id))).toEqual([[-chargeAt(order, 0).amount], []]);
  });

  test('is shown where an order is picked: which of its charges it is', async () => {
    const order = await desk.take(partlyLocked);
    const person = desk.person(['orders', 'refund'], 120);
    await person.waitFor('Which order?');
    person.type(order.id);
    await person.answer(/\*\d{4} \d+ {2}\*\d{4} \d+ not refundable/, '\x03');
    expect(await person.leaves).toMatchObject({ code: 130 });
  });

  test('cannot be chosen by a person, who is told why', async () => {
    const order = await desk.take(partlyLocked);
    const person = desk.person(['orders', 'refund', order.id, '--reason', 'other', '--note', 'n']);
    await person.waitFor(/- charge 2 .* left: the service says that it is not refundable/);
    await person.answer('the service will refuse that, since charge', '\x1b[B\x1b[B\x1b[B\r');
    await person.answer(`How much? (Enter: all ${chargeAt(order, 0).amount})`, '\x03');
    expect(await person.leaves).toMatchObject({ code: 130 });
    expect(await desk.order(order.id)).toEqual(order);
  });

  test('refuses that very charge itself and sends nothing (3)', async () => {
    const order = await desk.take(partlyLocked);
    const ran = await desk.script(['orders', 'refund', order.id, '--charge', '2', '--yes']);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('is not refundable (is_refundable false)');
    expect(await desk.order(order.id)).toEqual(order);
  });
});

describe('what is refused before anything is sent (3)', () => {
  test('a part of a split order that names no charge: each charge comes with its command', async () => {
    const order = await desk.take(paidTwice);
    const ran = await desk.script(['orders', 'refund', order.id, '--amount', '300', '--yes']);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain(`refused: ${order.id} has 2 charges: say which one --amount is for`);
    expect(ran.stderr).toContain(`paydesk orders refund ${order.id} --charge 1 --amount 300`);
    expect(ran.stderr).toContain(`paydesk orders refund ${order.id} --charge 2 --amount 300`);
    expect(await desk.order(order.id)).toEqual(order);
  });

  test('more than is left of a charge, with the numbers', async () => {
    const order = await desk.take(refundedInPart);
    const { amount } = chargeAt(order, 0);
    const ran = await desk.script([
      'orders',
      'refund',
      order.id,
      '--charge',
      '1',
      '--amount',
      String(amount),
      '--yes',
    ]);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain(`${amount} is more than is left on charge 1`);
    expect(ran.stderr).toContain(`${amount + (refundsOf(order)[0]?.[0] ?? 0)} left`);
    expect(await desk.order(order.id)).toEqual(order);
  });

  test('an order that is only authorized', async () => {
    const order = await desk.take(preAuthorized);
    const ran = await desk.script(['orders', 'refund', order.id, '--yes']);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('is only authorized, no money taken');
    expect(ran.stderr).toContain('Do not capture it just to refund it');
    expect(await desk.order(order.id)).toEqual(order);
  });

  test('an order refunded in part, when all of it is asked for: the command for each rest', async () => {
    const order = await desk.take(refundedInPart);
    const ran = await desk.script(['orders', 'refund', order.id, '--yes']);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('say which charge to refund the rest of');
    expect(ran.stderr).toContain(`paydesk orders refund ${order.id} --charge 1`);
    expect(await desk.order(order.id)).toEqual(order);
  });
});

describe('capture of an authorized order', () => {
  test('is made by a script, and not twice: the second is refused and sends nothing (3)', async () => {
    const order = await desk.take(preAuthorized);
    const ran = await desk.script(['orders', 'capture', order.id, '--yes', '--json']);
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      id: order.id,
      payment_status: 'paid',
      amount_refunded: 0,
    });
    const captured = await desk.order(order.id);
    expect(captured).toMatchObject({ payment_status: 'paid' });
    const second = await desk.script(['orders', 'capture', order.id, '--yes']);
    expect(second.code).toBe(3);
    expect(second.stderr).toContain('there is nothing to capture');
    expect(await desk.order(order.id)).toEqual(captured);
  });

  test('is made by a person, who picks it out of those that are authorized', async () => {
    const order = await desk.take(preAuthorized);
    const before = await desk.orders();
    const person = desk.person(['orders', 'capture']);
    await pick(person, order.id);
    await person.answer(/Capture .*\? \(y\/N\)/, 'y\r');
    const { code, screen } = await person.leaves;
    expect(code).toBe(0);
    expect(screen).toContain(`captured ${order.amount} ${order.currency}`);
    const offered = new Set(screen.match(/ord_[A-Za-z0-9]{17}/g));
    const authorized = before.filter((one) => one.payment_status === 'pre_authorized').map(({ id }) => id);
    expect([...offered].filter((id) => !authorized.includes(id))).toEqual([]);
    expect(await desk.order(order.id)).toMatchObject({ payment_status: 'paid' });
  });

  test('without an id is a usage error in a script, with the command that lists them', async () => {
    const ran = await desk.script(['orders', 'capture', '--yes']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('missing ID');
    expect(ran.stderr).toContain('paydesk orders list --status pre_authorized');
  });
});
