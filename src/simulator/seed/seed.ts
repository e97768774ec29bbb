/** The orders and customers of a new simulator. A place always has the same record, however many records there are. */

import type { JsonObject } from '../../api/json-values.ts';
import { resources } from '../../api/resources.ts';
import { type Ids, idsFrom, type Random, seededRandom } from '../random.ts';
import { refundOrder } from '../rules/refund-and-capture.ts';
import { nestedList, type StoredOrder } from '../stored-records.ts';
import {
  customerExampleIndex,
  goods,
  type Line,
  names,
  type OrderExample,
  orderCases,
  orderExamples,
  type SeedCase,
} from './cases.ts';
import { chargesFor, contactsOf, customerInfo, lineItem, linesOf, paymentOf } from './order-parts.ts';

export const defaultOrders = 120;

interface SeedOptions {
  /** Unix seconds. All orders are at least an hour old at this moment. */
  readonly now: number;
  readonly livemode: boolean;
  /** There is one customer per two orders, but at least 60. */
  readonly orders: number;
}

/** Orders, oldest first, about an hour apart, or closer if they would go back more than ten years. */
export function* seedOrders({ orders, ...place }: SeedOptions): Generator<StoredOrder> {
  const spacing = Math.min(3600, Math.floor((10 * 365 * 86_400) / Math.max(1, orders)));
  const buyers = buyersOf(place);
  for (let index = orders - 1; index >= 0; index -= 1) yield orderAt({ ...place, index, spacing, buyers });
}

/** Customers, oldest first. */
export function* seedCustomers({ orders, ...place }: SeedOptions): Generator<JsonObject> {
  for (let index = Math.max(buyersCount, Math.floor(orders / 2)) - 1; index >= 0; index -= 1) {
    yield customerAt({ ...place, index });
  }
}

interface OrderPlace {
  /** 0 is the newest. */
  readonly index: number;
  readonly livemode: boolean;
  /** Unix seconds. */
  readonly now: number;
  /** Seconds from one order to the next. */
  readonly spacing: number;
  readonly buyers: readonly [JsonObject, ...JsonObject[]];
}

// The same place and time give the same order.
function orderAt(place: OrderPlace): StoredOrder {
  const orderCase = orderCases[place.index % orderCases.length] ?? orderCases[0];
  const random = seededRandom(`order ${place.index}`);
  const ids = idsFrom(random);
  const example = orderExamples.get(place.index);
  const bought = example === undefined ? boughtAt(place, orderCase) : exampleAt(place, example);
  const order = newOrder(place, orderCase, { ...bought, random, ids, example });
  return refunded(order, orderCase, { now: place.now, ids, amount: example?.refunded });
}

// The example customer bought the example orders.
function exampleAt(place: OrderPlace, { lines }: OrderExample): Bought {
  return { ...boughtAtPlace(place), buyer: place.buyers[customerExampleIndex] ?? place.buyers[0], lines };
}

interface Bought {
  readonly createdAt: number;
  readonly buyer: JsonObject;
  readonly lines: readonly [Line, ...Line[]];
}

// A twin has the buyer and goods of the order before it, a few minutes later.
function boughtAt(place: OrderPlace, orderCase: SeedCase): Bought {
  if (orderCase.twin !== true) return boughtAtPlace(place);
  const first = boughtAtPlace({ ...place, index: place.index + 1 });
  return { ...first, createdAt: first.createdAt + Math.min(240, Math.floor(place.spacing / 3)) };
}

function boughtAtPlace(place: OrderPlace): Bought {
  const random = seededRandom(`bought ${place.index}`);
  const jitter = random.integer(0, Math.floor(place.spacing / 2));
  const line = (): Line => ({ ...random.pick(goods), quantity: random.integer(1, 3) });
  return {
    createdAt: place.now - 3600 - place.index * place.spacing - jitter,
    buyer: random.pick(place.buyers),
    // The first line is expensive enough to refund any order in parts.
    lines: [
      { name: 'Wool blanket', price: 16000, quantity: 1 },
      ...Array.from({ length: random.integer(0, 3) }, line),
    ],
  };
}

interface NewOrderInputs extends Bought {
  readonly random: Random;
  readonly ids: Ids;
  readonly example: OrderExample | undefined;
}

function newOrder(place: OrderPlace, orderCase: SeedCase, inputs: NewOrderInputs): StoredOrder {
  const { random, ids, createdAt, buyer, lines, example } = inputs;
  const newId = ids.order();
  const id = example?.id ?? newId;
  const amount = lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
  const currency = orderCase.currency ?? 'MXN';
  const charges = chargesFor(orderCase, amount, {
    random,
    ids,
    orderId: id,
    customerId: String(buyer.id),
    buyer: String(buyer.name),
    livemode: place.livemode,
    currency,
    createdAt,
    example,
  });
  return {
    id,
    object: 'order',
    livemode: place.livemode,
    amount,
    amount_refunded: 0,
    currency,
    ...paymentOf(charges),
    customer_info: customerInfo(buyer, orderCase, createdAt),
    ...contactsOf(orderCase, createdAt, ids),
    channel: orderCase.fields === 'full' ? 'web' : null,
    metadata: orderCase.fields === 'null' ? {} : { shop_order: `A-${100_000 - place.index}` },
    created_at: createdAt,
    updated_at: createdAt + 30,
    line_items: nestedList(lines.map((line) => lineItem(line, id, orderCase, ids))),
    ...linesOf(orderCase),
    ...(charges.length === 0 ? {} : { charges: nestedList(charges) }),
  };
}

interface RefundInputs {
  readonly now: number;
  readonly ids: Ids;
  /** How much of the first charge a partial refund takes; undefined: a third. */
  readonly amount: number | undefined;
}

// Refunds as the case says, by the same rule as later refunds.
function refunded(
  order: StoredOrder,
  { refunded: how }: SeedCase,
  { now, ids, amount }: RefundInputs,
): StoredOrder {
  if (how === undefined) return order;
  const first = order.charges?.data[0];
  if (first === undefined) return order;
  const part = { charge_id: first.id, amount: amount ?? Math.floor(first.amount / 3) };
  const request = { all: {}, part, first_charge: { charge_id: first.id } }[how];
  const at = Math.min(now - 60, order.created_at + 1800);
  const result = refundOrder(order, request, { now: at, ids });
  return 'value' in result ? result.value : order;
}

// The newest customers are the buyers. A fixed number keeps the orders the same for any number of customers.
const buyersCount = 60;

type CustomerPlace = Pick<OrderPlace, 'index' | 'livemode' | 'now'>;

// The buyers, newest first.
function buyersOf(place: Omit<CustomerPlace, 'index'>): readonly [JsonObject, ...JsonObject[]] {
  const others = Array.from({ length: buyersCount - 1 }, (_, index) =>
    customerAt({ ...place, index: index + 1 }),
  );
  return [customerAt({ ...place, index: 0 }), ...others];
}

// The same place and time give the same customer.
function customerAt({ index, livemode, now }: CustomerPlace): JsonObject {
  const random = seededRandom(`customer ${index}`);
  const ids = idsFrom(random);
  const newId = ids.customer();
  const id = index === customerExampleIndex ? resources.customers.idExample : newId;
  const createdAt = Math.max(1_400_000_000, now - 86_400 - index * 40_000 - random.integer(0, 30_000));
  const name = names[index % names.length] ?? names[0];
  const corporate = index % 11 === 4;
  return {
    id,
    object: 'customer',
    livemode,
    name: corporate ? `${name} S.A. de C.V.` : name,
    email: `buyer${index + 1}@example.com`,
    phone: `+52155${String(10_000_000 + random.integer(0, 89_999_999))}`,
    corporate,
    custom_reference: index % 3 === 0 ? '' : `C-${1000 + index}`,
    created_at: createdAt,
    payment_sources: nestedList(
      index % 4 === 0
        ? [
            {
              id: ids.paymentSource(),
              object: 'payment_source',
              type: 'spei_recurrent',
              reference: String(random.integer(100_000_000, 999_999_999)),
              created_at: createdAt,
              parent_id: id,
            },
          ]
        : [],
    ),
  };
}
