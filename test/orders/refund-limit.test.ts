/** The limits of a profile: what the refunds of an order may add up to in 24 hours, and currencies without a limit. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideRefund } from '../../src/changes/refund/decide-refund.ts';
import { CliError } from '../../src/errors.ts';
import { chargeOf, type Json, listOf, orderOf, refundOf, withRefund } from '../harness/orders.ts';
import { paydesk } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { defaultSettings, profileInUse } from '../harness/profile-in-use.ts';
import { inOneLine } from '../harness/ran.ts';
import { type Service, type ServiceOptions, startRefunding, storeShop } from '../harness/service.ts';

const seconds = Math.floor(Date.now() / 1000);
const hour = 3600;
const order = orderOf('ord_1', [chargeOf('ch_1', 35_000)]);

/** The order after a refund that another desk made so many seconds ago. */
const refundedAgo = (amount: number, ago: number): Json =>
  withRefund(order, refundOf('rf_0', amount, { created_at: seconds - ago }), amount);

/** A service that makes every refund now, behind the profile `shop`. */
async function startShop(
  settings: Readonly<Record<string, string>>,
  held: Json = order,
  more: Partial<ServiceOptions> = {},
): Promise<Service> {
  const service = await startRefunding(held, more);
  await storeShop(service.home, service, settings);
  return service;
}

const refund = (service: Service, amount: number, ...more: readonly string[]) =>
  paydesk(['-p', 'shop', 'orders', 'refund', 'ord_1', '--amount', String(amount), '--yes', ...more], {
    home: service.home,
    env: { TZ: 'UTC' },
  });

describe('refund.max_amount counts all refunds of an order in 24 hours', () => {
  test.each([
    ['500', false],
    ['600', true],
  ])(
    'with a limit of %s, an amount that only several charges hold is offered from all of them: %s',
    async (limit, isOffered) => {
      const charges = [chargeOf('ch_1', 400), chargeOf('ch_2', 300)];
      await using service = await startShop({ 'refund.max_amount.MXN': limit }, orderOf('ord_1', charges));
      const ran = await refund(service, 600);
      expect(ran.code).toBe(3);
      expect(ran.stderr.includes('--allocate in-order')).toBe(isOffered);
    },
  );

  test('of two refunds below the limit the second is refused (3), and a smaller one passes', async () => {
    await using service = await startShop({ 'refund.max_amount.MXN': '500' });
    expect(await refund(service, 300)).toMatchObject({ code: 0 });
    const ran = await refund(service, 201);
    expect(ran.code).toBe(3);
    expect(inOneLine(ran.stderr)).toContain(
      '201 MXN is over the limit of this account: refund.max_amount.MXN is 500 per order in 24 hours, and 300 of ord_1 was refunded in the last 24 hours',
    );
    expect(inOneLine(ran.stderr)).toContain('ask your lead, or refund a part of it: 200 at most');
    expect(await refund(service, 200)).toMatchObject({ code: 0 });
    expect(service.posts).toHaveLength(2);
    const none = await refund(service, 1);
    expect(none.stderr).toContain('ask your lead\n');
  });

  test('a refund of another machine counts too, until it is 24 hours old', async () => {
    await using service = await startShop(
      { 'refund.max_amount.MXN': '500' },
      refundedAgo(300, 24 * hour - 120),
    );
    expect(await refund(service, 201)).toMatchObject({ code: 3 });
    service.orders = [refundedAgo(300, 24 * hour + 1)];
    expect(await refund(service, 201)).toMatchObject({ code: 0 });
    expect(service.posts).toHaveLength(1);
  });

  test('the refusal says from when on there is room again, in the zone of the profile, and to a script as room_at', async () => {
    const [first, second] = [
      refundOf('rf_1', 300, { created_at: seconds - 5 * hour }),
      refundOf('rf_2', 150, { created_at: seconds - hour }),
    ];
    await using service = await startShop(
      { 'refund.max_amount.MXN': '500', 'time.zone': 'America/Mexico_City' },
      withRefund(withRefund(order, first, 300), second, 150),
    );
    const shownAt = (time: number) =>
      `${new Intl.DateTimeFormat('en-GB', { timeZone: 'America/Mexico_City', timeStyle: 'medium' }).format(time * 1000)} UTC-6 on, if nothing more goes back until then`;
    const ran = await refund(service, 51);
    expect(inOneLine(ran.stderr)).toContain('now: there is room for it again from ');
    expect(inOneLine(ran.stderr)).toContain(shownAt(seconds + 19 * hour));
    const both = await refund(service, 500, '--json');
    expect(JSON.parse(both.stderr)).toMatchObject({ exit_code: 3, room_at: seconds + 23 * hour });
    expect(service.posts).toEqual([]);
  });

  test('what is more than the limit itself never has room, and the refusal says so', async () => {
    await using service = await startShop({ 'refund.max_amount.MXN': '500' });
    expect(inOneLine((await refund(service, 501)).stderr)).toContain(
      'it is more than the limit itself, so waiting does not help',
    );
    expect(JSON.parse((await refund(service, 501, '--json')).stderr)).toMatchObject({ room_at: null });
  });

  test.each(['pending_payment', 'pre_authorized', 'charged_back', 'settled'])(
    'a whole order with a charge that is %s counts it too: it may go back by the time the request arrives',
    async (status) => {
      const charges = [chargeOf('ch_1', 300), chargeOf('ch_2', 10_000, { status })];
      await using service = await startShop({ 'refund.max_amount.MXN': '500' }, orderOf('ord_1', charges));
      const whole = (...more: readonly string[]) =>
        paydesk(['-p', 'shop', 'orders', 'refund', 'ord_1', '--yes', ...more], { home: service.home });
      const ran = await whole();
      expect(ran.code, ran.stderr).toBe(3);
      expect(inOneLine(ran.stderr)).toContain(
        `charge 2 is ${status}, and may go back with the whole order: 10300 MXN is over the limit`,
      );
      expect(inOneLine(ran.stderr)).toContain('orders refund ord_1 --charge 1');
      expect(service.posts).toEqual([]);
    },
  );

  test('a charge that was declined is over, and does not count for a whole order', async () => {
    const charges = [chargeOf('ch_1', 300), chargeOf('ch_2', 10_000, { status: 'declined' })];
    await using service = await startShop({ 'refund.max_amount.MXN': '500' }, orderOf('ord_1', charges));
    const ran = await paydesk(['-p', 'shop', 'orders', 'refund', 'ord_1', '--yes'], { home: service.home });
    expect(service.posts, ran.stderr).toHaveLength(1);
  });

  test('it counts again at the final read: nothing is sent when a refund turns out to be of today', async () => {
    let reads = 0;
    await using service = await startShop({ 'refund.max_amount.MXN': '500' }, refundedAgo(300, 48 * hour), {
      onGet: (on) => {
        reads += 1;
        if (reads === 3) on.orders = [refundedAgo(300, hour)];
      },
    });
    const ran = await refund(service, 201);
    expect(ran.code).toBe(3);
    expect(inOneLine(ran.stderr)).toContain('refund.max_amount.MXN is 500 per order in 24 hours, and 300 of');
    expect(reads).toBeGreaterThanOrEqual(3);
    expect(service.posts).toEqual([]);
  });
});

describe('a currency without a limit', () => {
  test('is refused once another currency has one (3), unless refund.other_currencies allows it', async () => {
    await using service = await startShop({ 'refund.max_amount.USD': '500' });
    const ran = await refund(service, 5);
    expect(ran.code).toBe(3);
    expect(inOneLine(ran.stderr)).toContain(
      'this account has no limit for MXN, and refund.other_currencies is refuse: ord_1 is in MXN',
    );
    expect(service.posts).toEqual([]);
    await using other = await startShop({
      'refund.other_currencies': 'allow',
      'refund.max_amount.USD': '500',
    });
    expect(await refund(other, 5)).toMatchObject({ code: 0 });
    expect(other.posts).toHaveLength(1);
  });

  test('passes while no currency has a limit', async () => {
    await using service = await startShop({});
    expect(await refund(service, 5)).toMatchObject({ code: 0 });
  });
});

describe('whatever was refunded before', () => {
  const limit = 1000;
  const settings = { ...defaultSettings, 'refund.max_amount': { MXN: limit } };
  const profile = profileInUse('https://pay.example', { settings });
  const nowMs = seconds * 1000;
  const earlier = fc.array(
    fc.record({
      amount: fc.integer({ min: 1, max: 400 }),
      ago: fc.option(fc.integer({ min: -60, max: 48 * hour })),
      charge: fc.constantFrom(0, 1),
    }),
    { maxLength: 5 },
  );
  /** An order of two charges with these refunds; one that was made at no time shows none. */
  const orderWith = (refunds: readonly { amount: number; ago: number | null; charge: number }[]): Json => {
    const charges = [0, 1].map((charge) =>
      chargeOf(`ch_${charge}`, 35_000, {
        status: 'partially_refunded',
        refunds: listOf(
          ...refunds
            .map((one, index) => ({ ...one, id: `rf_${index}` }))
            .filter((one) => one.charge === charge)
            .map(({ id, amount, ago }) =>
              refundOf(id, amount, { created_at: ago === null ? null : seconds - ago }),
            ),
        ),
      }),
    );
    const amount_refunded = refunds.reduce((sum, { amount }) => sum + amount, 0);
    return orderOf('ord_1', charges, { amount_refunded, payment_status: 'partially_refunded' });
  };

  test('a refund passes exactly if it and the counting ones are at most the limit', () => {
    fc.assert(
      fc.property(earlier, fc.integer({ min: 401, max: 1100 }), (refunds, amount) => {
        const counting = refunds.filter(({ ago }) => ago === null || ago < 24 * hour);
        const sum = counting.reduce((total, one) => total + one.amount, amount);
        const plan = () =>
          decideRefund({ charge: '1', amount, again: [] }, orderWith(refunds), profile, {
            counting: { nowMs, unshown: [] },
          });
        if (sum <= limit) expect(plan().change.amount).toBe(amount);
        else
          expect(plan).toThrow(
            expect.objectContaining({
              kind: 'refused',
              message: expect.stringContaining('refund.max_amount.MXN is 1000'),
            }),
          );
      }),
    );
  });

  test('the time that a refusal names is the first at which the refund passes, and a second before it does not', () => {
    let named = 0;
    fc.assert(
      fc.property(earlier, fc.integer({ min: 401, max: 1100 }), (refunds, amount) => {
        const at = (time: number) => () =>
          decideRefund({ charge: '1', amount, again: [] }, orderWith(refunds), profile, {
            counting: { nowMs: time * 1000, unshown: [] },
          });
        const error = errorOf(at(seconds));
        if (error === undefined) return;
        const { roomAt } = error.parts;
        if (typeof roomAt === 'number') {
          named += 1;
          expect(roomAt).toBeGreaterThan(seconds);
          expect(at(roomAt)().change.amount).toBe(amount);
          expect(errorOf(at(roomAt - 1))).toMatchObject({ kind: 'refused' });
        } else if (roomAt === null) expect(amount).toBeGreaterThan(limit);
        // Of a refund without a time nobody knows when it counts no more.
        else expect(refunds.some(({ ago }) => ago === null)).toBe(true);
      }),
    );
    expect(named).toBeGreaterThan(5);
  });
});

function errorOf(act: () => unknown): CliError | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}

test.each<readonly [string, Readonly<Record<string, string>>, Json, string]>([
  [
    'a limit of 0',
    { 'refund.max_amount.MXN': '0' },
    order,
    '35000 MXN is over the limit of this account: refund.max_amount.MXN is 0 per order in 24 hours; ask your lead',
  ],
  [
    'the age of an order',
    { 'refund.max_age': '2d' },
    { ...order, created_at: seconds - 60 * hour },
    'ord_1 is 60 hours old, over the limit of this account: refund.max_age is 2 days; ask your lead',
  ],
  [
    'less than the whole order',
    { 'refund.max_amount.MXN': '400' },
    order,
    'refund.max_amount.MXN is 400 per order in 24 hours; ask your lead, or refund a part of it: 400 at most',
  ],
])('orders show does not offer what %s refuses, and says why', async (_, settings, held, why) => {
  await using service = await startShop(settings, held);
  const shown = await paydesk(['-p', 'shop', 'orders', 'show', 'ord_1'], { home: service.home });
  expect(shown.code, shown.stderr).toBe(0);
  expect(inOneLine(shown.stdout)).toContain(why);
  expect(shown.stdout).not.toContain('refund all of it');
});

test('nobody can pick an order of which a limit lets nothing be refunded', async () => {
  await using service = await startShop({ 'refund.max_amount.MXN': '0' });
  const person = sit(['-p', 'shop', 'orders', 'refund'], { home: service.home, env: { TZ: 'UTC' } });
  const { code, screen } = await person.leaves;
  expect(code, screen).toBe(3);
  expect(inOneLine(screen)).toContain('there is no refundable order');
  expect(inOneLine(screen)).toContain('refund.max_amount.MXN is 0');
});
