/** The buyers who may be meant by words that found nothing: spelled alike, sounding so in another alphabet, or with another amount. */

import { type JsonObject, valueAt } from '../../../api/json-values.ts';
import { customerIdPattern } from '../../../api/spec.ts';
import { counted } from '../../../counted.ts';
import { isNearId } from '../../../orders/orders.ts';
import { editsBetween, isTypedLike } from '../../../terminal/terminal.ts';
import { fold, inLatin } from './fold-text.ts';
import { plainFigure } from './order-matching.ts';

/** What a buyer is called, and the amount of the order, as far as they are known. */
export interface BuyerNames {
  readonly name: unknown;
  readonly email: unknown;
  readonly id?: unknown;
  readonly amount?: unknown;
}

/** A buyer who may be meant. They are offered, and never taken by themselves. */
interface Offer {
  /** `Ana Torres (2 orders)`. */
  readonly who: string;
  /** The words that find this buyer. */
  readonly words: readonly string[];
}

const mostOffers = 3;

export type NearBuyers = ReturnType<typeof nearBuyers>;

const numberWord = /^\p{Sc}?\d[\d.,]*$/u;
// Somebody who searches for a buyer's order of 520 types such a word beside the number.
const currencyWord = /^(?:mxn|usd|eur|brl|pesos?|dollars?|dolar(?:es)?|euros?|reais)$/;

/**
 * One word with an @ is an e-mail, and one with the form of a customer's id is an id. Of other words the numbers are left out, and
 * then the buyers with just this name may be meant too. `of`: what is looked at.
 */
export function nearBuyers(texts: readonly string[], of: 'order' | 'customer' = 'order') {
  const all = texts.flatMap((text) => wordsOf(text));
  const figure = plainFigure(all.filter((word) => numberWord.test(word)).join(' '));
  const isBeside = (word: string) => figure !== '' && (numberWord.test(word) || currencyWord.test(word));
  const typed = all.filter((word) => !isBeside(word));
  const [text = '', second] = texts;
  const [email = ''] = typed;
  const isId = second === undefined && customerIdPattern.test(text);
  const isEmail = typed.length === 1 && /^[^@]+@[^@]+$/.test(email);
  const isName = typed.length > 0 && typed.every((word) => /^[\p{L}.-]{3,30}$/u.test(word));
  // Assumed: a currency has two decimals; for one without, no order has the amount, or the words say that it is not the typed one.
  const units = `${figure}00`;
  const named = new Set<string>();
  // Undefined: not like what was typed.
  const seen = new Map<string, Seen | undefined>();
  const look = (own: string): Seen | undefined => {
    const words = wordsOf(own);
    const isNear = isId
      ? isNearId(own, text)
      : isEmail
        ? isTypedLike(email, words.join(' '))
        : typed.every((one) => words.some((word) => isTypedLike(one, word)));
    const isExact = figure === '' || typed.every((one) => words.includes(one));
    // The e-mail addresses of a shop's buyers look much alike, so only the nearest ones are offered.
    const edits = isEmail ? editsBetween(email, words.join(' ')) : isExact ? 0 : 1;
    return isNear ? { text: own, edits, ids: new Set(), inUnits: new Set() } : undefined;
  };
  return {
    /** Whether a buyer was seen whose name has this word. */
    hasWord: (word: string): boolean => named.has(inLatin(fold(word))),
    /** Looks at the buyer of one order, or at one customer. A record may come twice. */
    see(id: string | undefined, buyer: BuyerNames) {
      if (second !== undefined && typeof buyer.name === 'string')
        for (const word of wordsOf(buyer.name)) named.add(word);
      const own = isId ? buyer.id : isEmail ? buyer.email : isName ? buyer.name : undefined;
      if (id === undefined || typeof own !== 'string') return;
      const key = isId ? own : wordsOf(own).join(' ');
      if (!seen.has(key)) seen.set(key, look(own));
      seen.get(key)?.ids.add(id);
      if (String(buyer.amount) === units) seen.get(key)?.inUnits.add(id);
    },
    /** The nearest ones, the most frequent first; before them those with an order of the number in the service's units. */
    offers(): readonly Offer[] {
      const near = [...seen.values()].filter((one) => one !== undefined);
      const least = Math.min(...near.map(({ edits }) => edits));
      const nearest = near
        .filter(({ edits }) => edits === least)
        .toSorted((one, other) => other.ids.size - one.ids.size)
        .slice(0, mostOffers);
      const count = ({ size }: ReadonlySet<string>) => (of === 'order' ? ` (${counted(size, 'order')})` : '');
      const wordsFor = (own: string) => (isId ? [own] : fold(own).split(/\s+/));
      const without = figure === '' ? '' : `, without ${figure}`;
      return [
        ...nearest
          .filter(({ inUnits }) => inUnits.size > 0)
          .map(({ text: own, inUnits }) => ({
            who: `${own}, ${figure}.00 as ${units}${count(inUnits)}`,
            words: [...wordsFor(own), units],
          })),
        ...nearest.map(({ text: own, ids }) => ({
          who: `${own}${without}${count(ids)}`,
          words: wordsFor(own),
        })),
      ];
    },
  };
}

interface Seen {
  readonly text: string;
  readonly edits: number;
  readonly ids: Set<string>;
  /** The orders whose amount is the number that was typed, in the service's units. */
  readonly inUnits: Set<string>;
}

/** The buyer of an order. */
export function buyerNamesOf(order: JsonObject): BuyerNames {
  const own = (name: string): unknown => valueAt(order, ['customer_info', name]);
  return { name: own('name'), email: own('email'), id: own('customer_id'), amount: order.amount };
}

/** A customer. */
export function customerNamesOf({ id, name, email }: JsonObject): BuyerNames {
  return { id, name, email };
}

function wordsOf(name: string): readonly string[] {
  return inLatin(fold(name.slice(0, 200)))
    .replaceAll("'", '')
    .split(/[\s,;]+/)
    .filter((word) => word !== '');
}
