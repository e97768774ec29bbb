/** The seven cases of the drill: the text for the trainee, the orders, and what they show when solved. Pure. */

import { type Card, cards } from '../seed/cases.ts';

export interface DrillOrder {
  readonly goods: string;
  /** What was paid with each card. */
  readonly charges: readonly { readonly amount: number; readonly card: Card }[];
  /** What a colleague refunded on the first charge before the case begins. */
  readonly refunded?: number;
  /** The fault of its next change (faults.ts). */
  readonly fault?: string;
  /** How many seconds older than the others. */
  readonly older?: number;
}

/** The created orders: their ids, and the shop's numbers. */
export interface Named {
  readonly id: string;
  readonly reference: string;
}

export interface DrillCase {
  readonly title: string;
  readonly buyer: string;
  readonly orders: readonly DrillOrder[];
  readonly text: (orders: readonly Named[]) => readonly string[];
  readonly hints: (orders: readonly Named[]) => readonly string[];
  /** The refunds per charge of each order in the end. Any of these is right. */
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

export const drillCases: readonly DrillCase[] = [
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
      `see what went back: ${show(one)}; what this machine knows of it: paydesk -p demo journal list`,
    ],
    right: [[[4000]]],
  },
  {
    title: 'somebody else was faster',
    buyer: 'Nora Escobedo',
    orders: [paidOnce('Two lamps and a hammock', 60000, { refunded: 20000 })],
    text: ([one]) => [
      `Nora Escobedo, ${one?.reference}, wrote to you and to a colleague: “One lamp came broken, please give me the 20000 for it back.”`,
    ],
    hints: ([one]) => [
      `look at the refunds of the order before you send one: ${find(one)}`,
      'a colleague has sent it already, so there is nothing to send',
    ],
    right: [[[20000]]],
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
      `${one?.id} all of it, ${two?.id} 2500. Of ${three?.id} somebody has said before that it is done.`,
    ],
    hints: () => [
      'paydesk -p demo refunds plan FILE says what is wrong with each row, and sends nothing',
      'correct the file, plan it again with --force, and then: paydesk refunds apply PLAN. Rows that cannot be sent stay out',
    ],
    right: [[[16000], [2500], [45000]]],
  },
];
