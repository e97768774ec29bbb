/** The words that people use as titles of the columns in their files: in English, Spanish, Portuguese, German and French. */

import type { InputColumn, InputUse } from './plan-types.ts';

/** The currency that a title names; undefined if it names none. In plain words, as in `Amount all`, ALL, TRY and TOP are not currencies. */
export function currencyOfTitle(title = ''): string | undefined {
  const [, ...found] = codeForm.exec(title.trim()) ?? [];
  const code = found.find((one) => one !== undefined)?.toUpperCase() ?? '';
  return Intl.supportedValuesOf('currency').includes(code) ? code : undefined;
}

// `Amount (MXN)`, `Importe USD`, `amount_usd`
const codeForm = /[([]([A-Z]{3})[\])]|[\s_-]([A-Z]{3})$|^([A-Z]{3})[\s_-]|^([a-z]{3})_|_([a-z]{3})$/;

/**
 * A title without case and accents, and with `_` for blanks, `-`, points and what else people type between words: `Nº de pedido` is
 * `no_de_pedido`. A workbook of paydesk adds the zone to a time's title.
 */
export function plain(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replace(/_at \([^()]*\)$/, '_at')
    .replaceAll('°', 'o')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replace(/^n\.o\b/, 'no')
    .replaceAll(/[\s\-_.'’]+/g, '_')
    .replace(/(?<=.)_$/, '');
}

const list = (titles: string): readonly string[] => titles.split(', ');

/** How people call what goes back. Such a column has the refund's amount, or its id, or whether it was made: the cells below it tell which. */
const refundNouns = list(
  'Refund, Refunded, Reembolso, Devolución, Devolução, Estorno, Erstattung, Rückerstattung, Rückzahlung, Remboursement',
);

/** A card, whose last four digits name a charge, also with other words beside it: `Nº tarjeta`, `card_last4`. */
const cards = list(
  'Card, Last 4, Last four, Tarjeta, Últimos 4, Últimos cuatro, Terminación, Cartão, Karte, Kartennummer, Kartennr, Letzte 4, Letzte vier, Carte',
);

/** How people call an order, alone or with a word for its number: `Order no.`, `Nº de pedido`, `Bestellnummer`. */
const orders = list('Order, Shop order, Orden, Pedido, Encomenda, Bestellung, Commande');

/** In a comparison any title with one of these words is the amount. */
export const moneyNouns = list(
  'amount, amt, total, sum, price, charged, paid, net, gross, importe, monto, precio, cantidad, devuelto, neto, bruto, valor, montante, preço, Betrag, Summe, Preis, montant, prix',
);

/** The titles that are read as a column, besides its name. */
export const knownTitles = {
  order_id: orders,
  reference: list('Referencia, Referência, Referenz, Référence'),
  charge_id: list('Charge, Charge number, Charge no., Charge nr., Charge #, Cargo').concat(cards),
  // A total may be that of the whole order, so a plan does not read it.
  amount: list(
    'Refund amount, Amount to refund, Amount refunded, Amt to refund, Amt refunded, Importe, Importe devuelto, Importe a devolver, Monto, Monto devuelto, Monto a devolver, Valor reembolsado, Valor a reembolsar, Valor devolvido, Erstattungsbetrag, Montant remboursé, Montant à rembourser',
  ).concat(refundNouns),
  currency: list('Currency code, Cur, Curr, Ccy, Moneda, Divisa, Moeda, Währung, Devise'),
  reason: list(
    'Refund reason, Why, Motivo, Razón, Por qué, Razão, Por quê, Grund, Erstattungsgrund, Warum, Motif, Raison, Pourquoi',
  ),
  note: list(
    'Notes, Comment, Comments, Remark, Remarks, Nota, Notas, Comentario, Comentarios, Observación, Observaciones, Comentário, Comentários, Observação, Observações, Notiz, Notizen, Kommentar, Kommentare, Bemerkung, Bemerkungen, Anmerkung, Anmerkungen, Commentaire, Commentaires, Remarque, Remarques',
  ),
  auth_code: list(
    "Authorization, Authorization code, Authorisation, Authorisation code, Approval code, Autorización, Código de autorización, Cód. autorización, Nº de autorización, Autorização, Código de autorização, Autorisierung, Autorisierungscode, Autorisierungsnummer, Genehmigungsnummer, Autorisation, Code d'autorisation, Numéro d'autorisation",
  ),
} as const satisfies Readonly<Partial<Record<InputColumn, readonly string[]>>>;

const anyOf = (titles: readonly string[]): string => titles.map(plain).join('|');
const oneOf = (titles: readonly string[]) => new RegExp(`^(${anyOf(titles)})$`);

const sharedTitles = {
  charge_id: oneOf(knownTitles.charge_id.filter((title) => !cards.includes(title))),
  currency: oneOf(knownTitles.currency),
};

const numberWords = [
  'number',
  'no',
  'nr',
  'num',
  'nro',
  'numero',
  'nummer',
  'ref',
  'reference',
  'referencia',
  '#',
];
const cardWords = new RegExp(`(^|[^\\p{L}])(${anyOf(cards).replaceAll('_', '_?')})([^\\p{L}]|$)`, 'u');
const chargeWords = /(^|[^\p{L}])(charge|cargo)([^\p{L}]|$)/u;
const currencyWords = /(^|[^\p{L}])(curr?ency|ccy|moneda|divisa|moeda|wahrung|devise)([^\p{L}]|$)/u;
// `card_brand`, `Fecha de cargo`
const aboutIt =
  /brand|marca|type|tipo|holder|inhaber|titular|name|nombre|country|pais|bank|banco|expir|venc|date|fecha|datum|time|hora|status|estado|gift|regalo|_at$/;

/**
 * Whether a title says that the column has cards. In a comparison, `card` does not: it may be the column of paydesk's own lists
 * that has all cards of an order.
 */
export function isCardTitle(title: string, use: InputUse): boolean {
  if (use !== 'plan') return use === 'compare' && /^(tarjeta|karte|carte|cartao)$/.test(title);
  return cardWords.test(title) && !aboutIt.test(title) && !moneyWords.test(title);
}

/**
 * The column that a title names, if that column decides what a plan sends; otherwise undefined. If such a column cannot be read,
 * that is an error.
 */
export function chosenBy(title: string): 'charge_id' | 'currency' | 'reason' | undefined {
  if (planTitles.reason.test(title)) return 'reason';
  if (aboutIt.test(title) || moneyWords.test(title)) return undefined;
  if (currencyWords.test(title) || planTitles.currency.test(title)) return 'currency';
  return cardWords.test(title) || chargeWords.test(title) ? 'charge_id' : undefined;
}

/** A column called Refund has the refund's amount, or its id, or whether it was made: the cells below tell which. */
export const refundTitle = oneOf(refundNouns);

export const planTitles = {
  ...sharedTitles,
  amount: oneOf(knownTitles.amount),
  reason: oneOf(knownTitles.reason),
  note: oneOf(knownTitles.note),
};

/** A title for the shop's own number that is not an English word. */
export const referenceTitle = oneOf(knownTitles.reference);

/** Titles for the shop's own number of an order, or for its id. */
export const orderTitle = new RegExp(
  `^((${anyOf(orders)}|bestell)_?(${numberWords.join('|')})?|(id|${numberWords.join('|')})_(d[eoa]_)?(${anyOf(orders)}))$`,
);

/** In a comparison, a row without an amount matches any amount, so a money column with another name must not be ignored. */
export const moneyWords = new RegExp(`(^|[^a-z])(${anyOf(moneyNouns)})([^a-z]|$)`);

/** The total of an invoice, with its taxes; and titles for what it has before them. */
export const totalTitle = /^((importe_)?total|gross(_amount)?|(importe_)?bruto)$/;
export const netTitle =
  /^((importe_|valor_|total_)?neto|net(_amount|_total|_price)?|netto(betrag)?|sub_total)$/;

/** Titles for the amount that went back. */
export const refundWords = new RegExp(`${moneyWords.source}|${refundTitle.source}`);

/** A comparison reads any money column as the amount, and what a bank calls a payment or a refund. */
const readOnly = { ...sharedTitles, auth_code: oneOf(knownTitles.auth_code) };
export const chargesTitles = { ...readOnly, amount: moneyWords };
export const comparedTitles = { ...readOnly, amount: refundWords };

/** Names that people use for the shop's own number. */
export const referenceWords =
  /(^|[^a-z])(ref|invoice|number|no|nr|num|folio|factura|pedido|referencia|rechnung|order|orden)([^a-z]|$)/;
