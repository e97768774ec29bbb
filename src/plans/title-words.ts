/** The words that people use as titles of the columns in their files. */

import type { InputUse } from './plan-types.ts';

/** The currency that a title names; undefined if it names none. In plain words, as in `Amount all`, ALL, TRY and TOP are not currencies. */
export function currencyOfTitle(title = ''): string | undefined {
  const [, ...found] = codeForm.exec(title.trim()) ?? [];
  const code = found.find((one) => one !== undefined)?.toUpperCase() ?? '';
  return Intl.supportedValuesOf('currency').includes(code) ? code : undefined;
}

// `Amount (MXN)`, `Importe USD`, `amount_usd`
const codeForm = /[([]([A-Z]{3})[\])]|[\s_-]([A-Z]{3})$|^([A-Z]{3})[\s_-]|^([a-z]{3})_|_([a-z]{3})$/;

const sharedTitles = {
  charge_id: /^(charge|cargo)(_(number|n[or]\.?|#))?$/,
  currency: /^(currency_code|curr?|ccy|moneda|divisa|währung|devise)$/,
};

// A card, whose last four digits name a charge: `Nº tarjeta`, `card_last4`.
const cardWords =
  /(^|[^\p{L}])(card|tarjeta|karte(n(nummer|nr))?|carte|(last|[uú]ltimos|letzte)_?(4|four|cuatro|vier)|terminaci[oó]n)([^\p{L}]|$)/u;
const chargeWords = /(^|[^\p{L}])(charge|cargo)([^\p{L}]|$)/u;
const currencyWords = /(^|[^\p{L}])(curr?ency|ccy|moneda|divisa|währung|devise)([^\p{L}]|$)/u;
// `card_brand`, `Fecha de cargo`
const aboutIt =
  /brand|marca|type|tipo|holder|inhaber|titular|name|nombre|country|pa[ií]s|bank|banco|expir|venc|date|fecha|datum|time|hora|status|estado|gift|regalo|_at$/;

/**
 * Whether a title says that the column has cards. In a comparison, `card` does not: it may be the column of paydesk's own lists
 * that has all cards of an order.
 */
export function isCardTitle(title: string, use: InputUse): boolean {
  if (use !== 'plan') return use === 'compare' && /^(tarjeta|karte|carte)$/.test(title);
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

const refundNouns = 'refund(ed)?|reembolso|devoluci[oó]n|erstattung|rückzahlung';

/** A column called Refund has the refund's amount, or its id, or whether it was made: the cells below tell which. */
export const refundTitle = new RegExp(`^(${refundNouns})$`);

/** A total may be that of the whole order, so a plan does not read it. */
export const planTitles = {
  ...sharedTitles,
  amount: new RegExp(
    `^(refund_amount|am(oun)?t_to_refund|am(oun)?t_refunded|(importe|monto)(_devuelto)?|${refundNouns})$`,
  ),
  reason: /^(refund_reason|motivo|raz[oó]n|why|por_?qu[eé]|grund|warum)$/,
  note: /^(notes|notas?|notiz(en)?|comments?|comentarios?|kommentare?|remarks?|bemerkung(en)?|anmerkung(en)?|observaci[oó]n(es)?)$/,
};

/** A title for the shop's own number that is not an English word. */
export const referenceTitle = /^(referencia|referenz|référence)$/;

/** Titles for the shop's own number of an order, or for its id. */
export const orderTitle =
  /^((shop_)?(order|orden|pedido|bestell(ung)?|commande)_?(number|n[or]\.?|num|numero|número|nummer|ref|reference|referencia|#)?|(n[º°o]|n[uú]m|nro|n[uú]mero|num[eé]ro)\.?_(de_)?(pedido|orden|commande))$/;

/** In a comparison, a row without an amount matches any amount, so a money column with another name must not be ignored. */
export const moneyWords =
  /(^|[^a-z])(amount|amt|total|sum|price|charged|paid|net|neto|gross|bruto|importe|monto|precio|cantidad|valor|devuelto|betrag|summe|preis|montant|prix)([^a-z]|$)/;

/** Titles for the amount that went back. */
export const refundWords = new RegExp(`${moneyWords.source}|${refundTitle.source}`);

/** A comparison reads any money column as the amount. */
export const chargesTitles = { ...sharedTitles, amount: moneyWords };
export const comparedTitles = { ...sharedTitles, amount: refundWords };

/** Names that people use for the shop's own number. */
export const referenceWords =
  /(^|[^a-z])(ref|invoice|number|no|nr|num|folio|factura|pedido|referencia|rechnung|order|orden)([^a-z]|$)/;
