/** A wall clock that is wrong: no horizon ends by it, and what it wrote freezes nothing and frees nothing later. */

import { describe, expect, test } from 'vitest';
import { clockOff, later } from '../harness/clock.ts';
import type { Home, Ran } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { reset } from '../harness/server.ts';
import { changeArgs, type Desk, journalRows, openDesk } from './desk.ts';
import { honest, type Ledger, type LedgerOrder, startLedger } from './ledger.ts';

const day = 86_400_000;
const yearAndMore = 400 * day;

const came = ({ code }: Ran, order: LedgerOrder) => ({ code, posts: order.posts.length });

/** A service with a clock of its own that a `Date` tells, or not; a home, and what is done there. */
class Place implements AsyncDisposable {
  readonly ledger: Ledger;
  readonly home: Home;
  readonly #desk: Desk;

  constructor(ledger: Ledger, desk: Desk) {
    this.ledger = ledger;
    this.#desk = desk;
    this.home = desk.newHome();
  }

  run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    return this.#desk.run(this.home, args, env);
  }

  /** A refund whose reply is lost, and which is not made. */
  async lost(env = {}): Promise<LedgerOrder> {
    const order = this.ledger.add('refund', () => reset);
    const ran = await this.run(changeArgs(order), env);
    expect(came(ran, order), ran.stderr).toEqual({ code: 7, posts: 1 });
    order.onPost = honest;
    return order;
  }

  /** The words that repeat the last attempt. */
  again(order: LedgerOrder): readonly string[] {
    return [...changeArgs(order), '--again', this.changeOfRow(order)];
  }

  changeOfRow({ id }: LedgerOrder): string {
    const row = journalRows(this.home).findLast((one) => JSON.stringify(one).includes(`"orderId":"${id}"`));
    return String(row?.change);
  }

  /** The repeat is refused now, whatever the wall clock says. */
  async expectBlocked(order: LedgerOrder, env = {}): Promise<void> {
    const ran = await this.run(this.again(order), env);
    expect(came(ran, order), ran.stderr).toEqual({ code: 3, posts: 1 });
  }

  /** A day has passed, for this machine and for the service: the repeat is sent. */
  async expectFreeTomorrow(order: LedgerOrder): Promise<void> {
    this.ledger.clock.offMs = day + 180_000;
    const ran = await this.run(this.again(order), later(day + 180_000));
    expect(came(ran, order), ran.stderr).toEqual({ code: 0, posts: 2 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.home[Symbol.dispose]();
    this.#desk[Symbol.dispose]();
    await this.ledger[Symbol.asyncDispose]();
  }
}

async function openPlace(told = true): Promise<Place> {
  const ledger = await startLedger();
  ledger.clock.told = told;
  return new Place(ledger, await openDesk({ url: ledger.url }));
}

const services = [
  ['a service that sends a Date', true],
  ['a service without a Date', false],
] as const;
const ways = [
  ['ahead', yearAndMore],
  ['behind', -yearAndMore],
] as const;

describe.concurrent.each(services)('%s, and a wall clock that is 400 days off', (_, told) => {
  test.each(ways)(
    '%s: a lost refund stays blocked; with the clock right it is free in its time',
    async (_way, ms) => {
      await using place = await openPlace(told);
      const order = await place.lost();
      await place.expectBlocked(order, clockOff(ms));
      await place.expectBlocked(order, clockOff(ms + day));
      await place.expectBlocked(order);
      await place.expectFreeTomorrow(order);
    },
  );

  test.each(ways)(
    '%s while another order is refunded: the lost one stays blocked, and is free in its time',
    async (_way, ms) => {
      await using place = await openPlace(told);
      const order = await place.lost();
      const other = place.ledger.add('refund');
      const made = await place.run(changeArgs(other), clockOff(ms));
      expect(came(made, other), made.stderr).toEqual({ code: 0, posts: 1 });
      await place.expectBlocked(order);
      await place.expectFreeTomorrow(order);
    },
  );

  test.each(ways)(
    '%s for the very first refund: what is lost after it is blocked, and free in its time',
    async (_way, ms) => {
      await using place = await openPlace(told);
      const first = place.ledger.add('refund');
      const made = await place.run(changeArgs(first), clockOff(ms));
      expect(first.posts, made.stderr).toHaveLength(1);
      const order = await place.lost();
      await place.expectBlocked(order);
      await place.expectFreeTomorrow(order);
    },
  );

  test.each(ways)(
    '%s while a reply is lost: blocked when the clock is right, and free in its time',
    async (_way, ms) => {
      await using place = await openPlace(told);
      const order = await place.lost(clockOff(ms));
      await place.expectBlocked(order);
      expect((await place.run(['journal', 'reconcile', '--all'])).code).toBe(7);
      await place.expectBlocked(order);
      await place.expectFreeTomorrow(order);
    },
  );

  test('it jumps to and fro from run to run: a lost refund is never free before its time', async () => {
    await using place = await openPlace(told);
    const order = await place.lost();
    for (const days of [1, -1, 400, 2]) {
      const off = clockOff(days * day);
      expect((await place.run(['journal', 'reconcile', '--all'], off)).code).toBe(7);
      await place.expectBlocked(order, clockOff(days * day + day));
    }
    await place.expectFreeTomorrow(order);
  });
});

describe.concurrent('journal settle --not-applied', () => {
  const note = ['--note', 'asked the service'];
  const settle = (place: Place, order: LedgerOrder) => {
    const words = ['journal', 'settle', place.changeOfRow(order), '--not-applied'];
    return [...words, ...note, '--confirm', order.id];
  };

  test.each(services)(
    'with %s: refused (3) before two minutes after send_by, by whatever clock; accepted after it',
    async (_, told) => {
      await using place = await openPlace(told);
      const order = await place.lost();
      const refused = async (env: Readonly<Record<string, string>>): Promise<void> => {
        const ran = await place.run(settle(place, order), env);
        expect(ran.code, ran.stderr).toBe(3);
        expect(inOneLine(ran.stderr)).toContain('can still arrive until');
      };
      await refused({});
      await refused(clockOff(yearAndMore));
      await refused(clockOff(-yearAndMore));
      // Nothing is sent later than 10 seconds after the read before it.
      place.ledger.clock.offMs = 100_000;
      await refused(later(100_000));
      expect(journalRows(place.home).some(({ by }) => by === 'person')).toBe(false);
      await place.expectBlocked(order);
      place.ledger.clock.offMs = 140_000;
      const after = later(140_000);
      const settled = await place.run(settle(place, order), after);
      expect(settled.code, settled.stderr).toBe(0);
      expect(journalRows(place.home).at(-1)).toMatchObject({ by: 'person', verdict: 'rejected' });
      const ran = await place.run(changeArgs(order), after);
      expect(came(ran, order), ran.stderr).toEqual({ code: 0, posts: 2 });
    },
  );

  test('a refund that shows is believed, and the word of a person is not needed', async () => {
    await using place = await openPlace();
    const order = await place.lost();
    order.apply(order.posts[0]?.body ?? '');
    const ran = await place.run(settle(place, order));
    expect(ran.code, ran.stderr).toBe(0);
    expect(inOneLine(ran.stderr)).toContain(
      'the order shows what happened; paydesk recorded that, and not what you said',
    );
    expect(journalRows(place.home).at(-1)).toMatchObject({ by: 'read', verdict: 'applied' });
    expect(order.posts).toHaveLength(1);
  });
});
