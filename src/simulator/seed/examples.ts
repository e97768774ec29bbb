/** The records that help names: they stand at fixed places of the data, so that every example works on a fresh demo. */

import { resources } from '../../api/spec.ts';
import type { Line } from './parts.ts';
import type { Card } from './people.ts';
import { cards, goods } from './people.ts';

/** What a named order has instead of what its place would give it. */
export interface OrderExample {
  readonly id: string;
  readonly lines: readonly [Line, ...Line[]];
  readonly charges: readonly { readonly amount: number; readonly card: Card }[];
  /** How much of the first charge went back since. */
  readonly refunded?: number;
}

const [blanket, lamp] = [goods[0], goods[1] ?? goods[0]];
const [firstCard, secondCard] = [cards[0], cards[1] ?? cards[0]];

// The cases of these places are a split order of which a part was refunded, and one that is pre-authorized.
const orders: ReadonlyMap<number, OrderExample> = new Map([
  [
    2,
    {
      id: resources.orders.idExample,
      lines: [
        { ...blanket, quantity: 2 },
        { ...lamp, quantity: 1 },
      ],
      charges: [
        { amount: 35_000, card: firstCard },
        { amount: 17_000, card: secondCard },
      ],
      refunded: 12_000,
    },
  ],
  [
    4,
    {
      id: resources.orders.captureExample,
      lines: [{ name: 'Taza de barro 🏺', price: 7450, quantity: 1 }],
      charges: [{ amount: 7450, card: secondCard }],
    },
  ],
]);

/** The named order at a place of the list, if there is one. */
export function orderExampleAt(index: number): OrderExample | undefined {
  return orders.get(index);
}

/** The place of the customer that help names; named orders are theirs. */
export const customerExampleIndex = 0;
