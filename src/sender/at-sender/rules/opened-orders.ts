/** Who has which order open for a refund: in memory, for some minutes. It decides nothing. */

import type { OpenedOrder } from '../../../journal/journal.ts';
import type { RuledAccount, RuledAsker } from './check-refund.ts';

// Whoever is at the question for longer is no longer named.
const openMs = 10 * 60_000;

interface Opened extends OpenedOrder {
  readonly orderId: string;
  readonly account: string;
}

/** Notes what desks have open; each of them has one order open at a time. */
export class OpenedOrders {
  readonly #opened = new Map<string, Opened>();

  /** Notes that somebody has an order open since now (Unix milliseconds), and returns who else has it open. */
  note(asker: RuledAsker, { service }: RuledAccount, orderId: string, now: number): readonly OpenedOrder[] {
    for (const [desk, { since }] of this.#opened) if (now - since > openMs) this.#opened.delete(desk);
    const { account } = service.profile;
    const others = [...this.#opened.values()].filter(
      (one) => one.orderId === orderId && one.account === account && one.member !== asker.member,
    );
    this.#opened.set(deskOf(asker), { member: asker.member, since: now, orderId, account });
    return others.map(({ member, since }) => ({ member, since }));
  }

  /** What this desk had open is over. */
  end(asker: RuledAsker): void {
    this.#opened.delete(deskOf(asker));
  }
}

function deskOf({ member, desk = '' }: RuledAsker): string {
  return `${member} ${desk}`;
}
