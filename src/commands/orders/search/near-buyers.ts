/** The buyers who may be meant by words that found nothing: spelled alike, or sounding so in another alphabet. */

import { type JsonObject, valueAt } from '../../../api/json-values.ts';
import { counted } from '../../../counted.ts';
import { editsBetween, isTypedLike } from '../../../terminal/terminal.ts';
import { fold, inLatin } from './fold-text.ts';

/** What a buyer is called, as far as it is known. */
export interface BuyerNames {
  readonly name: unknown;
  readonly email: unknown;
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

/** Words with a digit are no name, and no name is like them; one word with an @ is an e-mail. `of`: what is looked at. */
export function nearBuyers(texts: readonly string[], of: 'order' | 'customer' = 'order') {
  const typed = texts.flatMap((text) => wordsOf(text));
  const [email = ''] = typed;
  const isEmail = typed.length === 1 && /^[^@]+@[^@]+$/.test(email);
  const isName = typed.length > 0 && typed.every((word) => /^[\p{L}.-]{3,30}$/u.test(word));
  // Undefined: not like what was typed.
  const seen = new Map<string, Seen | undefined>();
  const look = (text: string): Seen | undefined => {
    const words = wordsOf(text);
    const isNear = isEmail
      ? isTypedLike(email, words.join(' '))
      : typed.every((one) => words.some((word) => isTypedLike(one, word)));
    // The e-mail addresses of a shop's buyers look much alike, so only the nearest ones are offered.
    return isNear
      ? { text, edits: isEmail ? editsBetween(email, words.join(' ')) : 0, ids: new Set() }
      : undefined;
  };
  return {
    /** Looks at the buyer of one order, or at one customer. A record may come twice. */
    see(id: string | undefined, buyer: BuyerNames) {
      const text = isEmail ? buyer.email : isName ? buyer.name : undefined;
      if (id === undefined || typeof text !== 'string') return;
      const key = wordsOf(text).join(' ');
      if (!seen.has(key)) seen.set(key, look(text));
      seen.get(key)?.ids.add(id);
    },
    /** The nearest ones, the most frequent first. */
    offers(): readonly Offer[] {
      const near = [...seen.values()].filter((one) => one !== undefined);
      const least = Math.min(...near.map(({ edits }) => edits));
      return near
        .filter(({ edits }) => edits === least)
        .toSorted((one, other) => other.ids.size - one.ids.size)
        .slice(0, mostOffers)
        .map(({ text, ids }) => ({
          who: of === 'order' ? `${text} (${counted(ids.size, 'order')})` : text,
          words: fold(text).split(/\s+/),
        }));
    },
  };
}

interface Seen {
  readonly text: string;
  readonly edits: number;
  readonly ids: Set<string>;
}

/** The buyer of an order. */
export function buyerNamesOf(order: JsonObject): BuyerNames {
  const own = (name: string): unknown => valueAt(order, ['customer_info', name]);
  return { name: own('name'), email: own('email') };
}

function wordsOf(name: string): readonly string[] {
  return inLatin(fold(name.slice(0, 200)))
    .replaceAll("'", '')
    .split(/[\s,;]+/)
    .filter((word) => word !== '');
}
