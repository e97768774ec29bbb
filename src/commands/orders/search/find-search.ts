/**
 * What `orders find` shares between searching with the index and without it: what is searched for, the list of what is found, and
 * the commands that go on.
 */

import { amountWords } from '../../../amounts.ts';
import type { Service, WireRecord } from '../../../api/api.ts';
import { idOf, isObject, itemsOf, type JsonObject, valueAt } from '../../../api/json-values.ts';
import { type Column, orderColumns, spokenReference } from '../../../api/resources.ts';
import { statusMeanings } from '../../../api/spec.ts';
import type { Context } from '../../../context/context.ts';
import { counted } from '../../../counted.ts';
import { isDayWord } from '../../../flags/typed-time.ts';
import { backWord, nameWithin, purchaseOf } from '../../../orders/orders.ts';
import { commandLine, type Profile, tallyModes } from '../../../profiles/profiles.ts';
import { type Figure, factsOfOrder, type summariseOrders } from '../../../reports/reports.ts';
import { type Filter, joinColumns } from '../../listing.ts';
import { nobodyAsked } from '../../report/report-source.ts';
import { type SearchPaging, searchCommand } from '../../search-flags.ts';
import { knownColumns } from '../known-columns.ts';
import { isAboutDisputes, noDisputes } from '../order-filters.ts';
import type { OrderObserver } from '../order-observer.ts';
import { fold } from './fold-text.ts';
import type { NearBuyers } from './near-buyers.ts';
import { amountHint, type Matcher, plainFigure } from './order-matching.ts';
import type { Match } from './order-texts.ts';

type Asked = Pick<Search, 'profile' | 'texts' | 'paging' | 'outputWords' | 'isLive'>;

/** What to search for, and how far. */
export interface Search {
  /** The index is not asked (`--live`). */
  readonly isLive: boolean;
  readonly profile: Profile;
  readonly texts: readonly string[];
  readonly filters: readonly Filter[];
  /** Orders to read at most. */
  readonly max: number;
  readonly paging: SearchPaging;
  readonly observer: OrderObserver;
  readonly outputWords: readonly string[];
  /** Finds where the words are in an order. */
  readonly matcher: Matcher;
  /** Buyers who may be meant if nothing is found; undefined where names are masked. */
  readonly near: NearBuyers | undefined;
  /** Which orders of a page are searched for: they have the words and pass the filters. */
  readonly found: (records: readonly WireRecord[]) => Promise<readonly WireRecord[]>;
  /** Adds up what is shown, if all orders of one customer are asked for. */
  readonly sums: ReturnType<typeof summariseOrders> | undefined;
}

/** What the orders of a customer that were shown add up to, a line for each currency. */
export function sumLines({ sums, profile: { settings } }: Search): readonly string[] {
  return (sums?.result().totals ?? []).map(({ currency, sums: { orders, paid, refunded, net, hidden } }) => {
    const words = (amount: Figure) => amountWords(amount, currency, settings);
    const money =
      hidden === 0
        ? `${words(paid)} paid, ${words(refunded)} of it went back, net ${words(net)}`
        : `${words(refunded)} went back; what was paid is not known, since an order hides its charges`;
    return `${counted(Number(orders), 'order')}: ${money}`;
  });
}

/** The list of what is found, while it is shown. */
export type FoundList = Awaited<ReturnType<typeof openList>>;

export async function openList(ctx: Context, service: Service, search: Search) {
  const { observer, texts, profile } = search;
  const known = await knownColumns(ctx, service);
  const modes = tallyModes(profile);
  const makerOf = await nobodyAsked([]);
  const sink = ctx.out.list(columnsOf(ctx, search, known.status), { pages: 'many' });
  const { limit = Number.POSITIVE_INFINITY } = search.paging;
  let found = 0;
  let asMeant = false;
  let last: string | undefined;
  const write = async (records: readonly WireRecord[]): Promise<void> => {
    if (records.length === 0) return;
    await known.lookUp(records);
    await sink.page(records);
    observer.onShown(records);
  };
  const isNumber = exactNumber(texts);
  // The orders found before the one with exactly that number; undefined once that one is shown, or if none is looked for.
  let held: WireRecord[] | undefined = isNumber === undefined ? undefined : [];
  const release = async (first: readonly WireRecord[]): Promise<void> => {
    const others = (held ?? []).filter((record) => !first.includes(record));
    held = undefined;
    await write([...first, ...others]);
  };
  return {
    /** How many orders were shown. */
    get found() {
      return found;
    },
    /** The id of the last of them if they are as many as `--limit` allows. */
    get fullAt() {
      return found < limit ? undefined : last;
    },
    /** Shows orders, as many as `--limit` leaves room for. */
    async show(all: readonly WireRecord[]) {
      const records = all.slice(0, limit - found);
      if (records.length === 0) return;
      last = idOf(records.at(-1)) ?? last;
      modes.add(records.map(({ value }) => value));
      found += records.length;
      for (const { value } of records) search.sums?.add(factsOfOrder(value, { makerOf, purchaseOf }));
      // A number was found in one of these orders as what people search for: an amount or the end of a card.
      asMeant ||= records.some(({ value }) =>
        search.matcher(value)?.some(({ label }) => label === 'card' || label.endsWith('amount')),
      );
      if (held === undefined || isNumber === undefined) return await write(records);
      held.push(...records);
      const exact = records.filter(({ value }) => isNumber(value));
      if (exact.length > 0 || held.length > mostHeld) await release(exact);
    },
    async end(hasMore: boolean) {
      await release([]);
      await sink.end(hasMore);
      for (const line of modes.lines()) ctx.notes.warn(line);
    },
    /** How amounts are typed, if a number was found neither as an amount nor as a card. */
    amountHint: () => (asMeant ? undefined : amountHint(texts, profile.settings)),
  };
}

// At most this many orders wait for the one with exactly the typed number.
const mostHeld = 1_000;

// Whether an order has exactly the number that was typed, in its metadata or on a charge; undefined if no number was typed.
function exactNumber(texts: readonly string[]): ((order: JsonObject) => boolean) | undefined {
  const [text = '', second] = texts;
  if (second !== undefined || !/\d/.test(text)) return undefined;
  const wanted = spokenReference(text.trim());
  return ({ metadata, charges }) =>
    [
      ...(isObject(metadata) ? Object.values(metadata) : []),
      ...itemsOf(charges).map((charge) => charge.reference_id),
    ].some(
      (value) =>
        (typeof value === 'string' || typeof value === 'number') && spokenReference(String(value)) === wanted,
    );
}

// In a table, MATCHED says what was found if no other cell of the row shows it. It begins with the found part, because its end may
// be cut. On a terminal without room for it, it goes below the row, so that no other column has to give way.
function columnsOf(
  { out, options }: Context,
  { matcher, observer, texts }: Search,
  status: readonly Column[],
): readonly Column[] {
  const { columns, twins } = observer;
  const isTable = out.format === 'table';
  const isUsual = isTable && options.columns === undefined && options.usualColumns === undefined;
  const told = (order: JsonObject, write: (match: Match) => string): string => {
    const matches = (matcher(order) ?? []).filter((match) => !(isUsual && isInRow(order, match)));
    const words = matches.map(write);
    const twin = twins.of(order);
    const back = twin && backWord(twin);
    const twinWords = twin === undefined ? [] : [back === undefined ? 'twin' : `twin ${back}`];
    return [...twinWords, ...words].join(', ');
  };
  const matched: Column = {
    name: 'matched',
    title: 'MATCHED',
    kind: 'text',
    tableFrom: 0,
    least: 16,
    below: () => 'matched',
    value: (order) =>
      told(order, ({ label, value }) =>
        isTable ? `${shortened(value)} (${shortened(label)})` : `${shortened(label)} ${shortened(value)}`,
      ),
    brief: { value: (order) => told(order, ({ value }) => shortened(fromMatch(value, texts))) },
  };
  const own = joinColumns(orderColumns, status).map((column) =>
    column.name === 'buyer' && isUsual ? { ...column, ...buyerFound(texts) } : column,
  );
  return [...own, matched, ...columns];
}

// A row always has the buyer. If the name is cut, the part that was found stays.
function buyerFound(texts: readonly string[]): Partial<Column> {
  return {
    tableFrom: 0,
    below: () => 'buyer',
    brief: {
      value: (order) => {
        const name = valueAt(order, ['customer_info', 'name']);
        return typeof name === 'string' ? fromMatch(name, texts) : name;
      },
    },
  };
}

function isInRow(order: JsonObject, { label, value }: Match): boolean {
  if (label === 'name') return value === valueAt(order, ['customer_info', 'name']);
  if (label === 'card')
    return orderColumns.some(({ name, value: of }) => name === 'card' && of(order, []) === `*${value}`);
  return label === 'id' || label === 'amount';
}

// At most this many letters of a value are shown before the part that was found, because the end of a cell may be cut.
const mostBefore = 3;

// The value from the found part on, if that part is far from the beginning: `…5200` of a phone number.
function fromMatch(value: string, texts: readonly string[]): string {
  const letters = Array.from(value);
  // Each letter is folded separately, so that a position among them is a position in the value.
  const folded = letters.map(fold);
  const starts = texts
    .flatMap((text) => fold(text).split(/\s+/))
    .map((word) => startOf(folded, word))
    .filter((start) => start >= 0);
  const first = Math.min(...starts);
  return Number.isFinite(first) && first > mostBefore ? `…${letters.slice(first).join('')}` : value;
}

// Digits are found with anything between them, as in phone numbers.
function startOf(letters: readonly string[], word: string): number {
  if (word === '') return -1;
  const text = letters.join('');
  const at = text.indexOf(word);
  const digits = at < 0 && /^\d{3,}$/.test(word) ? new RegExp(word.split('').join('\\D*')).exec(text) : null;
  const start = digits?.index ?? at;
  if (start <= 0) return start;
  let before = 0;
  for (const [index, letter] of letters.entries()) {
    if (before >= start) return index;
    before += letter.length;
  }
  return -1;
}

// A value of metadata may be very long, so it is cut.
function shortened(value: string): string {
  return value.length > 80 ? `${value.slice(0, 79)}…` : value;
}

/** What was searched for: `"torres" with --since yesterday`. */
export function askedFor({ texts, filters }: Search): string {
  const flags = filters.flatMap(({ words }) => words).join(' ');
  return [...(texts.length === 0 ? [] : [`"${texts.join(' ')}"`]), ...(flags === '' ? [] : [flags])].join(
    ' with ',
  );
}

/** What somebody who found nothing may have meant instead. */
export function otherMeanings(search: Search): readonly string[] {
  const { profile, texts, near, filters } = search;
  const name = texts.length > 1 ? nameWithin(texts.join(' ')) : undefined;
  if (name !== undefined)
    return [`the text names ${name}:`, command({ ...search, texts: [name] }, { filters })];
  const hint = amountHint(texts, profile.settings);
  const offers = near?.offers() ?? [];
  return [
    ...offers.flatMap(({ who, words }) => [
      `did you mean ${who}?`,
      texts.length > 0
        ? command({ ...search, texts: words }, { filters })
        : command(search, { filters: filters.map((one) => withCustomer(one, words)) }),
    ]),
    ...(hint === undefined ? [] : [hint]),
    ...inUnits(search),
    ...asOnePhone(search),
    ...insteadOfDay(search),
    ...statusHint(profile, texts),
    ...together(search),
  ];
}

function withCustomer(filter: Pick<Filter, 'words'>, customer: readonly string[]): Pick<Filter, 'words'> {
  return filter.words[0] === '--customer' ? { words: ['--customer', ...customer] } : filter;
}

// `371.50` may be 37150 of the service's units.
function inUnits(search: Search): readonly string[] {
  const { profile, texts, filters } = search;
  const at = texts.findIndex((text) => /^\d+\.\d{2}$/.test(plainFigure(text)));
  if (at === -1 || Object.keys(profile.settings['amounts.decimals']).length > 0) return [];
  const units = texts.map((text, index) => (index === at ? plainFigure(text).replace('.', '') : text));
  return [
    `if ${texts[at]} means ${units[at]} in the service's units: ${command({ ...search, texts: units }, { filters })}`,
  ];
}

// Each word is looked for by itself, and no phone number begins with each of its parts.
function asOnePhone(search: Search): readonly string[] {
  const { texts, filters } = search;
  const number = texts.join(' ');
  if (texts.length < 2 || !/^\+?[\d() -]{7,}$/.test(number)) return [];
  return [`if that is one phone number: ${command({ ...search, texts: [number] }, { filters })}`];
}

// For somebody who types a word for a day. It is a time, so no order has it as a text.
function insteadOfDay(search: Search): readonly string[] {
  const { texts, filters, paging, profile } = search;
  const day = texts.find(isDayWord);
  if (day === undefined || filters.some(({ words }) => words.includes('--since'))) return [];
  const others = texts.filter((text) => text !== day);
  const since = { words: ['--since', day.toLowerCase()] };
  const line =
    others.length === 0
      ? commandLine(profile, 'orders', 'list', ...since.words)
      : command({ ...search, texts: others }, { filters: [...filters, since], next: paging.next });
  return [`${day} is a time; type it like this:`, line];
}

// For somebody who looks for all orders of a status: a status is not one of the texts that are searched.
function statusHint(profile: Profile, texts: readonly string[]): readonly string[] {
  if (texts.some(isAboutDisputes)) return [noDisputes];
  const status = texts.find((text) => Object.hasOwn(statusMeanings, text.toLowerCase()));
  if (status === undefined) return [];
  const line = (name: string) => commandLine(profile, 'orders', 'list', name, status.toLowerCase(), '--all');
  return [
    `for the orders with this status: ${line('--status')}`,
    `for the orders with such a charge: ${line('--charge-status')}`,
  ];
}

// Somebody may have typed the ids of several orders, or the right number with a wrong amount.
function together(search: Search): readonly string[] {
  const { texts, filters, near } = search;
  // A number of the shop tells most, and a word that no name has may be the wrong one.
  const fewer = texts.find((text) => /\p{L}.*\d/u.test(text)) ?? texts.find((text) => near?.hasWord(text));
  return texts.length < 2
    ? []
    : [
        'all words must be in one and the same order; search for several orders one at a time, or with fewer words:',
        command({ ...search, texts: [fewer ?? texts[0] ?? ''] }, { filters }),
      ];
}

/** The command that searches like this one. */
export function command(
  { profile, texts, paging, outputWords, isLive }: Asked,
  {
    filters,
    next,
  }: { readonly filters: readonly Pick<Filter, 'words'>[]; readonly next?: string | undefined },
): string {
  const before = [...(isLive ? ['--live'] : []), ...filters.flatMap(({ words }) => words)];
  return searchCommand(profile, 'orders', texts, { ...paging, next }, [before, outputWords]);
}
