/** Lists for the simulator's data: kinds of orders, goods, cards, customers, and examples in the help. */

import { resources } from '../../api/resources.ts';

export type ChargeCase = 'paid' | 'declined' | 'pre_authorized' | 'locked';

export interface SeedCase {
  /** The charges share the amount. A declined charge is a failed attempt at the next charge's share. */
  readonly charges: readonly ChargeCase[];
  /** What was refunded later: everything, a part of the first charge, or the whole first charge. */
  readonly refunded?: 'all' | 'part' | 'first_charge';
  /** The order before this one is a few minutes older, with the same buyer and amount. */
  readonly twin?: true;
  /** `full`: every field of the document has a value. `null`: every field that may be null is null. */
  readonly fields: 'usual' | 'full' | 'null';
  readonly currency?: 'USD';
}

const paid = { charges: ['paid'], fields: 'usual' } as const satisfies SeedCase;
const unpaid = { charges: [], fields: 'usual' } as const satisfies SeedCase;

/** The kinds of orders, newest first, repeated as needed. */
export const orderCases: readonly [SeedCase, ...SeedCase[]] = [
  { ...paid, twin: true },
  paid,
  { charges: ['paid', 'paid'], refunded: 'part', fields: 'full' },
  { charges: ['paid'], refunded: 'all', fields: 'usual', currency: 'USD' },
  { charges: ['pre_authorized'], fields: 'usual' },
  unpaid,
  { charges: ['paid', 'paid'], fields: 'usual' },
  { charges: ['declined', 'paid'], fields: 'full' },
  { charges: ['paid'], fields: 'null' },
  { charges: ['paid', 'paid', 'paid'], fields: 'usual' },
  { charges: ['paid', 'locked'], fields: 'usual' },
  { charges: ['paid'], refunded: 'part', fields: 'usual' },
  { ...unpaid, fields: 'null' },
  { charges: ['paid'], fields: 'full', currency: 'USD' },
  { charges: ['paid', 'paid'], refunded: 'first_charge', fields: 'usual' },
  paid,
  { charges: ['paid', 'paid'], refunded: 'all', fields: 'usual' },
  { charges: ['locked'], fields: 'usual' },
  { charges: ['pre_authorized', 'pre_authorized'], fields: 'full' },
  paid,
];

/** `price` is in the service's units. */
interface Goods {
  readonly name: string;
  readonly price: number;
}

/** What shops sell in the data, with names in several scripts. */
export const goods: readonly [Goods, ...Goods[]] = [
  { name: 'Wool blanket', price: 16000 },
  { name: 'Lamp', price: 20000 },
  { name: 'Café de olla, 500 g', price: 18900 },
  { name: 'お茶セット', price: 35000 },
  { name: 'Taza de barro 🏺', price: 7450 },
  { name: 'Hammock, cotton, 2 m × 4 m', price: 52000 },
  { name: 'Notebook', price: 1250 },
  { name: 'ผ้าไหมไทย', price: 64900 },
  { name: 'Sticker', price: 1 },
];

export interface Card {
  readonly brand: string;
  readonly type: string;
  readonly last4: string;
  readonly issuer: string;
}

export const cards: readonly [Card, ...Card[]] = [
  { brand: 'visa', type: 'credit', last4: '4242', issuer: 'Banco Uno' },
  { brand: 'mastercard', type: 'debit', last4: '5100', issuer: '' },
  { brand: 'visa', type: 'debit', last4: '0005', issuer: 'Bank Two' },
  { brand: 'american_express', type: 'credit', last4: '8431', issuer: '' },
];

export interface Line extends Goods {
  readonly quantity: number;
}

/** An order used as an example in the help. */
export interface OrderExample {
  readonly id: string;
  readonly lines: readonly [Line, ...Line[]];
  readonly charges: readonly { readonly amount: number; readonly card: Card }[];
  /** How much of the first charge was refunded. */
  readonly refunded?: number;
}

const [blanket, lamp] = [goods[0], goods[1] ?? goods[0]];
const [firstCard, secondCard] = [cards[0], cards[1] ?? cards[0]];

/**
 * The example orders in the help, at fixed places in the list, so the examples work on a new demo. In `orderCases`, place 2 is a
 * split order with a partial refund, and place 4 is pre-authorized.
 */
export const orderExamples: ReadonlyMap<number, OrderExample> = new Map([
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

/** The place of the example customer, who bought the example orders. */
export const customerExampleIndex = 0;

/** The names of customers, in many scripts: Latin with accents, Cyrillic, Greek, Arabic, Hebrew, CJK, Thai, Devanagari. */
export const names: readonly [string, ...string[]] = [
  'Ana Torres',
  'José Ángel Muñoz Peña',
  'María Fernanda Íñiguez',
  '王小明',
  'Søren Østergård',
  'محمد العربي',
  'Zoë O’Connor-Smith',
  'สมชาย ใจดี',
  '佐藤 花子',
  'Лариса Петрова',
  'Lupita 🌵 Flores',
  '김민준',
  'Γιώργος Παπαδόπουλος',
  'नीना शर्मा',
  'Łukasz Żółć',
  'דנה כהן',
  'François Lefèvre',
  'Nguyễn Thị Hồng Ánh',
  'İbrahim Şahin',
  'Luis Hernández de la Cruz y Fernández del Castillo',
  'Li',
  'Carlos "Charly" Ruiz, hijo',
];
