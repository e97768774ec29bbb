/** Decides which of paydesk's columns a title of a file means: by its name, by plain words, or by the cells below it. Pure. */

import { orderIdPattern, refundReasonValues } from '../api/spec.ts';
import { isTypedLike } from '../terminal/terminal.ts';
import { type InputColumn, type InputUse, inputColumns } from './plan-types.ts';
import {
  chargesTitles,
  comparedTitles,
  isCardTitle,
  netTitle,
  orderTitle,
  plain,
  planTitles,
  referenceTitle,
  refundTitle,
  totalTitle,
} from './title-words.ts';

/** The titles, with `reference` for a column that has the metadata name of the shop's own number, if no other column names the order. */
export function withReference(titles: readonly string[], keys: readonly string[]): readonly string[] {
  const key = titles.some(isOrder) ? undefined : keys.map(plain).find((one) => titles.includes(one));
  const place = key === undefined ? -1 : titles.indexOf(key);
  return titles.map((title, index) => (index === place ? 'reference' : title));
}

const titlesOf = { plan: planTitles, compare: comparedTitles, charges: chargesTitles } as const;

/**
 * The titles for a plan without those that say in a list or an export of orders how the orders are: `amount` there is what was paid,
 * and a plan, which moves money, is not made of that. They are empty then. `id` above orders' ids names the order of each row, so a
 * `reference` beside it is only another name. Undefined: this is no such list.
 */
export function ofOrderList(
  titles: readonly string[],
  cellsOf: (index: number) => readonly string[],
): readonly string[] | undefined {
  const [id, second] = titles.flatMap((title, index) => (title === 'id' ? [index] : []));
  const isNamed = id !== undefined && second === undefined && !titles.includes('order_id');
  const hasIds = isNamed && cellsOf(id).some(isOrderId);
  if (!hasIds && !['amount', 'amount_refunded'].every((title) => titles.includes(title))) return undefined;
  const others = ['amount', 'amount_refunded', ...(hasIds ? ['reference'] : [])];
  return titles.map((title, index) => {
    if (hasIds && index === id) return 'order_id';
    return others.includes(title) ? '' : title;
  });
}

function isOrderId(cell: string): boolean {
  return orderIdPattern.test(cell.trim());
}

/** The titles, with plain words replaced by the columns that they mean, if each can mean just one column. */
export function asMeant(
  titles: readonly string[],
  use: InputUse,
  cellsOf: (index: number) => readonly string[],
): readonly string[] {
  const place = (isOne: (title: string, index: number) => boolean): number | undefined => {
    const [first, ...more] = titles.flatMap((title, index) => (isOne(title, index) ? [index] : []));
    return more.length === 0 ? first : undefined;
  };
  // What was charged is the total of an invoice, so a comparison does not look at the net beside it.
  const hasTotal = use !== 'plan' && titles.some((title) => totalTitle.test(title));
  const named = titles.includes('order_id') ? undefined : titles.indexOf('reference');
  const ofOrder = (form: RegExp) => place((title) => form.test(title));
  const plainOrder = named === -1 ? (ofOrder(orderTitle) ?? ofOrder(referenceTitle)) : undefined;
  const order =
    use === 'plan'
      ? plainOrder
      : (place((title, index) => title === 'id' && named !== undefined && cellsOf(index).some(isOrderId)) ??
        plainOrder ??
        named);
  const meant = new Map(
    Object.entries(titlesOf[use]).flatMap(([column, form]) => {
      const index = titles.includes(column)
        ? undefined
        : place((title) => form.test(title) && !(hasTotal && netTitle.test(title)));
      return index === undefined ? [] : [[index, column] as const];
    }),
  );
  const filledIn = (index: number) => cellsOf(index).filter((cell) => cell.trim() !== '');
  const card = place((title) => isCardTitle(title, use));
  if (card !== undefined && ![...titles, ...meant.values()].includes('charge_id'))
    meant.set(card, 'charge_id');
  for (const [index, column] of meant) {
    const filled = filledIn(index);
    if (refundTitle.test(titles[index] ?? '') && !filled.every((cell) => amountForm.test(cell.trim())))
      meant.delete(index);
    const isOne = (cell: string) => refundReasonValues.some((reason) => isTypedLike(cell.trim(), reason));
    if (column !== 'reason' || filled.length === 0 || filled.some(isOne)) continue;
    // A reason in a person's own words is a note.
    meant.delete(index);
    if (![...titles, ...meant.values()].includes('note')) meant.set(index, 'note');
  }
  return titles.map((title, index) => {
    if (index === order) return cellsOf(index).some(isOrderId) ? 'order_id' : 'reference';
    return meant.get(index) ?? title;
  });
}

/**
 * The column with each row's refund: in paydesk's own lists and exports of refunds, `id` is the refund, and `state` says what
 * became of it.
 */
export function refundIdAt(titles: readonly string[]): readonly (readonly [InputColumn, number])[] {
  const isOwn = ['id', 'order_id', 'charge_id', 'amount', 'refunded_at'].every((title) =>
    titles.includes(title),
  );
  const at = titles.indexOf(isOwn ? 'id' : 'refund_id');
  const state = isOwn ? titles.indexOf('state') : -1;
  return [
    ...(at === -1 ? [] : [['refund_id', at] as const]),
    ...(state === -1 ? [] : [['state', state] as const]),
  ];
}

/** The column with each row's charge: in an export of charges, `id` is the charge. */
export function chargeIdAt(titles: readonly string[]): readonly (readonly [InputColumn, number])[] {
  const isOwn = ['id', 'order_id', 'amount', 'paid_at'].every((title) => titles.includes(title));
  return isOwn && !titles.includes('charge_id') ? [['charge_id', titles.indexOf('id')]] : [];
}

// `5`, `5.00`, `1 200,50 MXN`, as people write them.
const amountForm = /^[-+]?\d[\d.,'’ \u00a0\u202f]*([A-Z]{3})?$/;

export function isInputTitle(title: string): boolean {
  return isKnown(plain(title));
}

/** Whether a plan takes the tickets of its refunds from this column. */
export function isTicketTitle(title: string): boolean {
  return plain(title) === 'ticket';
}

export function isTitleOf(title: string, column: InputColumn): boolean {
  return plain(title) === column;
}

export function isKnown(title: string): boolean {
  return inputColumns.some((column) => column === title);
}

/** Whether it names the order of a row. */
export function isOrder(column: string): boolean {
  return column === 'order_id' || column === 'reference';
}
