/** Buyers and goods of the simulator's data, in several scripts. */

/** Names as buyers write them: Latin with accents, Cyrillic, Greek, Arabic, Hebrew, CJK, Thai, Devanagari, emoji. */
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

/** Something that is sold, and its price: the service's integer. */
export interface Goods {
  readonly name: string;
  readonly price: number;
}

/** What the shop sells. */
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

/** A card that a buyer pays with. */
export interface Card {
  readonly brand: string;
  readonly type: string;
  readonly last4: string;
  readonly issuer: string;
}

/** The cards that buyers pay with. */
export const cards: readonly [Card, ...Card[]] = [
  { brand: 'visa', type: 'credit', last4: '4242', issuer: 'Banco Uno' },
  { brand: 'mastercard', type: 'debit', last4: '5100', issuer: '' },
  { brand: 'visa', type: 'debit', last4: '0005', issuer: 'Bank Two' },
  { brand: 'american_express', type: 'credit', last4: '8431', issuer: '' },
];
