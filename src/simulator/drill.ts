/**
 * The drill: its seven cases (text for the trainee, orders, and what they show when solved), started in the demo one after the
 * other, and judged by their orders.
 */

import { isObject, type JsonObject } from '../api/json-values.ts';
import { CliError } from '../errors.ts';
import { demoPages, storeOptions } from './demo.ts';
import { nextFault } from './faults.ts';
import { idsFrom, type Random, systemRandom } from './random.ts';
import { createOrder, payOrder } from './rules/order-and-checkout.ts';
import { refundOrder } from './rules/refund-and-capture.ts';
import { type Card, cards } from './seed/cases.ts';
import type { DrillAsked, DrillEnd, DrillView } from './simulator.ts';
import { openStore, type Store } from './store.ts';
import { chargesOf, isStoredOrder, refundedOf, type StoredOrder } from './stored-records.ts';

// The name of the drill's data in the demo.
const noteName = 'drill';
interface Drill {
  /** Unix seconds. */
  readonly startedAt: number;
  readonly ends: readonly DrillEnd[];
  readonly orders: readonly Named[];
  readonly hints: number;
}

/**
 * Does what the trainee asks, and stores the result. `now`: Unix milliseconds. Throws CliError 'refused' if the demo's file is
 * damaged.
 */
export function drill(file: string, asked: DrillAsked, now: () => number): DrillView {
  const store = openStore(storeOptions(file, now));
  try {
    const parts = { store, random: systemRandom(), now: Math.floor(now() / 1000) };
    const before = keptIn(store);
    if (before === undefined || asked === 'restart') {
      if (before === undefined && asked === 'look')
        throw new CliError('usage', 'no drill has begun, so there is no result', {
          certain: 'nothing was written',
          now: ['paydesk simulator drill'],
        });
      return keptView(parts, begun({ startedAt: parts.now, ends: [] }, parts), undefined, true);
    }
    const current = drillCases[before.ends.length];
    if (current === undefined) return viewOf(before, undefined, false);
    if (asked === 'hint') {
      const hints = Math.min(before.hints + 1, current.hints(before.orders).length);
      return keptView(parts, { ...before, hints }, undefined, false);
    }
    // A refund that fails later has failed by then.
    store.settle(parts.now + 60);
    const { isRight, isUntouched, ledger } = judged(current, before, store);
    const number = before.ends.length + 1;
    if (!isRight && isUntouched && asked !== 'skip')
      return viewOf(before, `case ${number} is not done yet: ${ledger}`, false);
    const end = { number, title: current.title, passed: isRight, ledger, hints: before.hints };
    const said = `case ${number}, ${current.title}: ${isRight ? 'right' : `not right. ${rightWords(current, before.orders)}`} (${ledger})`;
    const ends = [...before.ends, end];
    return keptView(parts, begun({ ...before, ends }, parts), said, true);
  } finally {
    store.close();
  }
}

interface Parts {
  readonly store: Store;
  readonly random: Random;
  /** Unix seconds. */
  readonly now: number;
}

function keptIn(store: Store): Drill | undefined {
  const kept: unknown = JSON.parse(store.note(noteName) ?? 'null');
  return isDrill(kept) ? kept : undefined;
}

// The drill wrote it, so only a part is checked.
function isDrill(value: unknown): value is Drill {
  return isObject(value) && Array.isArray(value.ends) && Array.isArray(value.orders);
}

function keptView({ store }: Parts, state: Drill, said: string | undefined, isNew: boolean): DrillView {
  store.keep(noteName, JSON.stringify(state));
  return viewOf(state, said, isNew);
}

function viewOf(state: Drill, said: string | undefined, isNew: boolean): DrillView {
  const { startedAt, ends, orders, hints } = state;
  const current = drillCases[ends.length];
  const csv = current?.file?.(orders);
  const name = `drill-${orders[0]?.reference.slice(2)}.csv`;
  const withName = (text: string) =>
    text.replaceAll('FILE', name).replaceAll('PLAN', name.replace('csv', 'plan'));
  return {
    startedAt,
    said,
    ends,
    total: drillCases.length,
    at: current && {
      number: ends.length + 1,
      title: current.title,
      text: current.text(orders).map(withName),
      hints: current.hints(orders).slice(0, hints).map(withName),
      isNew,
      file: csv === undefined ? undefined : { name, text: csv },
    },
  };
}

// ── Beginning a case ────────────────────────────────────────────────────────────────────────────

function begun(state: Pick<Drill, 'startedAt' | 'ends'>, parts: Parts): Drill {
  const next = drillCases[state.ends.length];
  // A new buyer, so that orders of earlier drills are not twins.
  const email = `buyer${parts.random.integer(100_000, 999_999)}@example.com`;
  const orders = (next?.orders ?? []).map((order) =>
    made(order, { name: next?.buyer ?? '', email, id: null, phone: '' }, parts),
  );
  return { ...state, orders, hints: 0 };
}

function made(
  { goods, charges, refunded, fault, older = 0 }: DrillOrder,
  customer: JsonObject,
  { store, random, now }: Parts,
): Named {
  const reference = `D-${random.integer(10_000, 99_999)}`;
  const inputs = { now: now - older - 600, ids: idsFrom(random) };
  const amount = charges.reduce((sum, charge) => sum + charge.amount, 0);
  const created = createOrder(
    {
      currency: 'MXN',
      line_items: [{ name: goods, unit_price: amount, quantity: 1 }],
      metadata: { shop_order: reference },
    },
    { ...inputs, livemode: false, customer, pageOrigin: demoPages },
  );
  if ('failure' in created) throw new Error(`the drill cannot make an order of ${amount}`);
  const paidAt = inputs.now + 90;
  const order = payOrder(created.value, { ...inputs, now: paidAt, random, cards: charges, outcome: 'paid' });
  store.add('orders', order);
  if (refunded !== undefined) {
    const request = { charge_id: chargesOf(order)[0]?.id ?? '', amount: refunded };
    store.changeOrder(order.id, (one) => refundOrder(one, request, { ...inputs, now: now - 120 }));
  }
  if (fault !== undefined) store.keep(nextFault(order.id), fault);
  return { id: order.id, reference };
}

// ── Judging it ──────────────────────────────────────────────────────────────────────────────────

interface Judged {
  readonly isRight: boolean;
  readonly isUntouched: boolean;
  readonly ledger: string;
}

// Looks only at the orders of the case: refunds of other orders meanwhile do not matter.
function judged({ right, orders: asMade }: DrillCase, { orders }: Drill, store: Store): Judged {
  const shown = orders.map(({ id }) => chargesOf(orderIn(store, id)).map(refundedOf));
  const start = asMade.map(({ charges, refunded = 0 }) =>
    charges.map((_, index) => (index === 0 ? refunded : 0)),
  );
  return {
    isRight: right.some((one) => isSame(one, shown)),
    isUntouched: isSame(start, shown),
    ledger: `refunded: ${amountsOf(orders, shown)}`,
  };
}

function rightWords({ right }: DrillCase, orders: readonly Named[]): string {
  return `Right is: ${right.map((amounts) => amountsOf(orders, amounts)).join('; or ')}`;
}

function amountsOf(orders: readonly Named[], amounts: readonly (readonly number[])[]): string {
  return orders.map(({ id }, index) => `${id} ${(amounts[index] ?? []).join(' and ')}`).join(', ');
}

function isSame(one: readonly (readonly number[])[], other: readonly (readonly number[])[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function orderIn(store: Store, id: string): StoredOrder {
  const order: unknown = JSON.parse(store.get('orders', id) ?? 'null');
  if (!isStoredOrder(order)) throw new Error(`the demo has no order ${id}`);
  return order;
}

interface DrillOrder {
  readonly goods: string;
  readonly charges: readonly { readonly amount: number; readonly card: Card }[];
  /** What a colleague refunded on the first charge before the case begins. */
  readonly refunded?: number;
  /** The fault of its next change (faults.ts). */
  readonly fault?: string;
  /** How many seconds older than the others. */
  readonly older?: number;
}

/** The created orders: their ids, and the shop's numbers. */
interface Named {
  readonly id: string;
  readonly reference: string;
}

interface DrillCase {
  readonly title: string;
  readonly buyer: string;
  readonly orders: readonly DrillOrder[];
  readonly text: (orders: readonly Named[]) => readonly string[];
  readonly hints: (orders: readonly Named[]) => readonly string[];
  /** The refunds per charge of each order at the end. Any of these is right. */
  readonly right: readonly (readonly (readonly number[])[])[];
  readonly file?: (orders: readonly Named[]) => string;
}

const [first, second = first] = cards;

function paidOnce(goods: string, amount: number, more: Partial<DrillOrder> = {}): DrillOrder {
  return { goods, charges: [{ amount, card: first }], ...more };
}

const find = (order: Named | undefined) => `paydesk -p demo orders find ${order?.reference}`;
const show = (order: Named | undefined) => `paydesk -p demo orders show ${order?.id}`;
const refund = (order: Named | undefined, flags = '') =>
  `paydesk -p demo orders refund ${order?.id}${flags === '' ? '' : ` ${flags}`}`;

const drillCases: readonly DrillCase[] = [
  {
    title: 'a double charge',
    buyer: 'Marta Solís',
    orders: [paidOnce('Wool blanket', 16000, { older: 180 }), paidOnce('Wool blanket', 16000)],
    text: ([one, other]) => [
      `Marta Solís writes: “I bought one blanket and paid twice, ${one?.reference} and ${other?.reference}. Please give me one payment back. I keep the blanket.”`,
    ],
    hints: ([one, other]) => [`look at both: ${find(one)}`, `refund one of the two: ${refund(other)}`],
    right: [
      [[16000], [0]],
      [[0], [16000]],
    ],
  },
  {
    title: 'an order that was paid with two cards',
    buyer: 'Iván Robles',
    orders: [
      {
        goods: 'Hammock',
        charges: [
          { amount: 35000, card: first },
          { amount: 17000, card: second },
        ],
      },
    ],
    text: ([one]) => [
      `Iván Robles, ${one?.reference}: “My wife paid a part with her card that ends in ${second.last4}. Please send her part back, and leave mine.”`,
    ],
    hints: ([one]) => [
      `each card is a charge with a number: ${find(one)}`,
      `name that charge: ${refund(one, '--charge 2')}`,
    ],
    right: [[[0, 17000]]],
  },
  {
    title: 'a wrong amount',
    buyer: 'Paula Quintana',
    orders: [paidOnce('Tea set', 52000)],
    text: ([one]) => [
      `Paula Quintana paid 52000 for ${one?.reference}, but the shop’s price was 50200. Give back what was too much, and nothing else.`,
    ],
    hints: ([one]) => [
      'an amount is typed as the service shows it, and the order stays refundable for the rest',
      refund(one, '--charge 1 --amount 1800'),
    ],
    right: [[[1800]]],
  },
  {
    title: 'a reply that is lost',
    buyer: 'Hugo Baeza',
    orders: [paidOnce('Silk scarf', 64900, { fault: 'apply-drop' })],
    text: ([one]) => [
      `Hugo Baeza, ${one?.reference}, gets 4000 back because his parcel came late. The line to the service is bad today: whatever the screen says, he gets 4000 once.`,
    ],
    hints: ([one]) => [
      'the service may have made the refund although no reply came: read before you send anything again',
      `see what went back: ${show(one)}; what this machine knows about it: paydesk -p demo journal list`,
    ],
    right: [[[4000]]],
  },
  {
    title: 'somebody else was faster',
    buyer: 'Nora Escobedo',
    orders: [paidOnce('Two lamps and a hammock', 60000, { refunded: 20000 })],
    text: ([one]) => [
      `Nora Escobedo, ${one?.reference}, wrote to you and to a colleague: “One lamp came broken, and the parcel was late: please give me 20000 for the lamp and 5000 for the wait.”`,
    ],
    hints: ([one]) => [
      `look at the refunds of the order before you send one: ${find(one)}`,
      `a colleague has sent the 20000 already, so only the 5000 are missing: ${refund(one, '--charge 1 --amount 5000')}`,
    ],
    right: [[[25000]]],
  },
  {
    title: 'a refund that fails later',
    buyer: 'Teo Arriaga',
    orders: [paidOnce('Coffee', 18900, { fault: 'fails-later' })],
    text: ([one]) => [
      `Teo Arriaga, ${one?.reference}, returned everything and gets all of it back. Be sure that it arrives: his bank refuses some refunds a few seconds after they were made.`,
    ],
    hints: ([one]) => [
      `wait a few seconds, and look at the state of the refund: ${show(one)}`,
      `money of a refund that failed can be refunded again: ${refund(one)}`,
    ],
    right: [[[18900]]],
  },
  {
    title: 'a file with traps',
    buyer: 'Several buyers',
    orders: [
      paidOnce('Wool blanket', 16000),
      paidOnce('Lamp', 20000),
      paidOnce('Notebook', 45000, { refunded: 45000 }),
    ],
    file: ([one, two, three]) =>
      [
        'order_id;charge_id;amount;note',
        `${one?.id};any;full;came broken`,
        `${two?.id};any;2,500;came late`,
        `${one?.id};any;full;came broken`,
        `${three?.id};any;full;sent back`,
        '',
      ].join('\n'),
    text: ([one, two, three]) => [
      'Your manager sends a list of refunds: FILE. Each of its orders gets back what is meant, once:',
      `${one?.id} all of it, ${two?.id} 2500. Somebody said earlier that ${three?.id} is already done.`,
    ],
    hints: () => [
      'paydesk -p demo refunds plan FILE says what is wrong with each row, and sends nothing',
      'correct the file, plan it again with --force, and then: paydesk refunds apply PLAN. Rows that cannot be sent stay out',
    ],
    right: [[[16000], [2500], [45000]]],
  },
];
