/**
 * Finds the order that somebody may have meant, among those that this machine knows: by the shop's own number, the end of an id,
 * an id in another case or with one letter wrong, or a text that names it.
 */

import { type AmountStyle, amountWords } from '../amounts.ts';
import { longPages, type Service } from '../api/api.ts';
import type { JsonObject } from '../api/json-values.ts';
import { readOrder } from '../api/records.ts';
import { aroundWord, bareReference, referenceOf, spokenReference, withoutAround } from '../api/resources.ts';
import { customerIdPattern, orderIdPattern } from '../api/spec.ts';
import { CliError, orElse, withParts } from '../errors.ts';
import { type Indexes, indexIfAny } from '../index/index.ts';
import {
  type AttemptRecord,
  changeIdPattern,
  changeOf,
  type Journal,
  recordedState,
  whoSent,
} from '../journal/journal.ts';
import { commandLine } from '../profiles/profiles.ts';
import { unconfirmedOf } from './look-up.ts';

// Two orders do not end in the same eight characters by chance.
const shortestEnd = 8;
// Somebody who types less than this of a number of the shop may mean any.
const shortestNumber = 4;
const mostNamed = 5;
// Fewer words are those of a search: `Ana Torres A-99998`.
const shortestMail = 4;
const namePattern = /^(?=.{1,68}$)(?:[A-Za-z0-9_]{8,}|#?(?!ord_|cus_)[\w.\p{Pd}]*\d[\w.\p{Pd}]*)$/iu;

const checkoutIdPattern = /^chk_[A-Za-z0-9]{1,64}$/;
const knownIds = [orderIdPattern, customerIdPattern, changeIdPattern, checkoutIdPattern];

/**
 * Whether a text that is not an id may be the shop's own number of an order, the end of its id, or its id in another case, or may
 * have such a name among its words.
 */
export function mayNameOrder(text: string): boolean {
  return namesIn(text).length > 0;
}

/** The id or the number of the shop in a text of a mail: the only one that it names. Undefined for the words of a search. */
export function nameWithin(text: string): string | undefined {
  const [name = '', second] = namesIn(text);
  const isSure = second === undefined && name !== text && (orderIdPattern.test(name) || isSpelt(name));
  return isSure ? name : undefined;
}

// A number of the shop that is no amount, no year, and no end of a card.
function isSpelt(number: string): boolean {
  return /\p{L}.*\d|^#/u.test(number);
}

// The text itself, if it is a name; in a text of a mail, ids count before numbers, and of these the ones with letters or `#`.
function namesIn(text: string): readonly string[] {
  const isName = (word: string) => namePattern.test(word) && !knownIds.some((pattern) => pattern.test(word));
  const words = wordsOf(text);
  const ids = text.split(/[^A-Za-z0-9_]+/).filter((word) => orderIdPattern.test(word));
  const isMail = words.length >= shortestMail || (words.length > 1 && ids.length > 1);
  if (!isMail) return [text].filter(isName);
  const numbers = words.filter(
    (word) =>
      isName(word) && /\d/.test(word) && !/^\d+\.\d{1,2}$/.test(word) && word.length >= shortestNumber,
  );
  const spelt = numbers.filter(isSpelt);
  return [...new Set([ids, spelt, numbers].find((some) => some.length > 0))];
}

function wordsOf(text: string): readonly string[] {
  return text
    .split(/\s+/)
    .map((word) => withoutAround(word, aroundWord).replace(/[.!?]+$/, ''))
    .filter((word) => word !== '');
}

/** What is needed to look for an order. */
interface Ask {
  readonly index: Pick<Indexes, 'open'>;
  readonly notes: { note(line: string): void };
}

/**
 * The id of the only known order that has the typed text as the shop's own number, or whose id ends with it, in any case; a note
 * says which order that is. Throws CliError 'usage' with the orders to choose from if there are several, and with the search that
 * finds the order if there is none. A number tells less than an id: with `command`, which makes the command that changes an
 * order, an order found by its number is named in an error and not taken.
 */
export async function orderByName(
  ctx: Ask,
  service: Service,
  typed: string,
  command?: (id: string) => string,
): Promise<string> {
  const { profile } = service;
  const names = namesIn(typed);
  if (names.some((name) => orderIdPattern.test(name))) return idWithin(ctx, names, command);
  const orders = await newestAndIndexed(ctx, service);
  const { numberOf, hasNumber } = numbersOf(profile.settings['reference.keys'], names);
  const ends = (id: string, text: string) => text.length >= shortestEnd && id.endsWith(text);
  const exact = orders.filter((order) => hasNumber(order, bareReference) || ends(String(order.id), typed));
  const found =
    exact.length > 0
      ? exact
      : orders.filter(
          (order) =>
            hasNumber(order, spokenReference) || ends(String(order.id).toLowerCase(), typed.toLowerCase()),
        );
  const [only, second] = found;
  if (only !== undefined && second === undefined) {
    const isSpoken = hasNumber(only, spokenReference) && !hasNumber(only, bareReference);
    const name = names.find((one) => hasNumber(only, spokenReference, one)) ?? typed;
    const words = `${name} is ${isSpoken ? `${numberOf(only)}, ` : ''}${inWords(only, profile.settings)}`;
    return taken(ctx, String(only.id), words, hasNumber(only, spokenReference) ? command : undefined);
  }
  const isEndOf = (number: string, name: string) => name.length >= shortestNumber && number.endsWith(name);
  const meant = orders.filter(
    (order) =>
      isNearId(String(order.id), typed) ||
      names.some((name) => isEndOf(spokenReference(numberOf(order) ?? ''), spokenReference(name))),
  );
  throw new CliError(
    'usage',
    `ID ${names.slice(0, mostNamed).join(', ')}: ${only === undefined ? 'not the id of an order, and no known order has this number or ends so' : 'several orders have this number or end so'}`,
    {
      certain: 'nothing was sent',
      now:
        only === undefined
          ? [
              ...asked(meant, profile.settings),
              ...names.map((name) => commandLine(profile, 'orders', 'find', bareReference(name))),
            ]
          : ['type the whole id of one of them:', ...named(found, profile.settings)],
    },
  );
}

// The only id of a text that has more words.
function idWithin(
  ctx: Pick<Ask, 'notes'>,
  ids: readonly string[],
  command: ((id: string) => string) | undefined,
): string {
  const [id = '', second] = ids;
  if (second === undefined) return taken(ctx, id, `the text names ${id}`, command);
  throw new CliError('usage', 'the text names several orders', {
    certain: 'nothing was sent',
    now: ['type the id of one of them:', ...ids.slice(0, mostNamed)],
  });
}

// The id of an order for a look, said in a note. Throws CliError 'usage' for a change, which needs the id itself.
function taken(
  { notes }: Pick<Ask, 'notes'>,
  orderId: string,
  words: string,
  command: ((id: string) => string) | undefined,
): string {
  if (command !== undefined)
    throw new CliError('usage', `${words}; a change names the order by its id`, {
      certain: 'nothing was sent',
      orderId,
      now: [`if that order is meant: ${command(orderId)}`],
    });
  notes.note(words);
  return orderId;
}

/**
 * The error for an order that was not read, with the changes on it that the journal has open. If there is no such order, the
 * error names the known orders whose ids differ by one letter or only in case.
 */
export async function withMeantOrder(
  ctx: Ask & { readonly journal: Journal; readonly shortTime: (ms: number) => string },
  service: Service,
  error: unknown,
  id: string,
): Promise<unknown> {
  if (!(error instanceof CliError)) return error;
  const { settings } = service.profile;
  const open = (await unconfirmedOf(ctx, service).catch(orElse(() => []))).filter(
    ({ sent }) => sent.proof.orderId === id,
  );
  if (open.length > 0)
    return withParts(error, {
      now: [...open.map((record) => openWords(ctx, record, settings)), ...(error.parts.now ?? [])],
    });
  // A search that did not see all orders ends as incomplete.
  if (error.kind !== 'not_found' && error.kind !== 'incomplete') return error;
  const near = (await newestAndIndexed(ctx, service)).filter((order) => isNearId(String(order.id), id));
  return withParts(error, { now: [...asked(near, settings), ...(error.parts.now ?? [])] });
}

// `refund of 900 MXN, sent at 05:05:12 by root: unconfirmed: paydesk journal show i_7f3k`
function openWords(
  { shortTime }: { readonly shortTime: (ms: number) => string },
  record: AttemptRecord,
  style: AmountStyle,
): string {
  const { change, time } = record.sent;
  return `${changeOf(record, style)}, sent at ${shortTime(time)} by ${whoSent(record.sent)}: ${recordedState(record)}: paydesk journal show ${change}`;
}

// The shop's own number of an order, and whether that is one of the names that were typed, each as `form` makes it.
function numbersOf(keys: readonly string[], names: readonly string[]) {
  const numberOf = (order: JsonObject): string | undefined => {
    const own = referenceOf(order, keys);
    return typeof own === 'string' || typeof own === 'number' ? String(own) : undefined;
  };
  return {
    numberOf,
    hasNumber: (order: JsonObject, form: (number: string) => string, of?: string): boolean => {
      const own = numberOf(order);
      return own !== undefined && (of === undefined ? names : [of]).some((name) => form(own) === form(name));
    },
  };
}

function asked(orders: readonly JsonObject[], style: AmountStyle): readonly string[] {
  return named(orders, style).map((words) => `did you mean ${words}?`);
}

function named(orders: readonly JsonObject[], style: AmountStyle): readonly string[] {
  return orders.slice(0, mostNamed).map((order) => inWords(order, style));
}

// `ord_2tQ7zRk9PwE5xNvAm, Ana Torres, 520.00`, as far as it is known.
function inWords(value: JsonObject, style: AmountStyle): string {
  const { customer_info: buyer, amount, currency } = readOrder(value) ?? {};
  const sum = amount === undefined ? undefined : amountWords(amount, currency, style);
  return [String(value.id), buyer?.name, sum].filter((part) => part !== undefined && part !== '').join(', ');
}

// The orders of the index, and the newest ones as they are now. An index that cannot be opened counts as none.
async function newestAndIndexed(ctx: Ask, service: Service): Promise<readonly JsonObject[]> {
  const known = new Map<unknown, JsonObject>();
  try {
    for (const { order } of (await indexIfAny(ctx.index, service.profile))?.facts() ?? [])
      known.set(order.id, order);
    for await (const { records } of longPages(service, 'orders', {})) {
      for (const { value } of records) known.set(value.id, value);
      break;
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
  }
  return [...known.values()];
}

/** Whether one letter is wrong, missing or too many, two neighbouring letters are swapped, or only the case of letters differs. */
export function isNearId(id: string, typed: string): boolean {
  if (id.toLowerCase() === typed.toLowerCase()) return true;
  const start = firstDifference(id, typed);
  const [own, other] = [id.slice(start), typed.slice(start)];
  return (
    own.slice(1) === other.slice(1) ||
    own.slice(1) === other ||
    own === other.slice(1) ||
    (own.slice(2) === other.slice(2) && own[0] === other[1] && own[1] === other[0])
  );
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
