/** Keeps the orders that were found for many rows, and says how many are left and which of these to look up next. Pure. */

import type { Page, Service } from '../../api/api.ts';
import { idOf, type JsonObject, valueAt } from '../../api/json-values.ts';
import { shownCharges, shownRefunds } from '../../api/payment.ts';
import { bareReference, referenceOf, spokenReference } from '../../api/resources.ts';
import { counted } from '../../counted.ts';
import { isNearId, type Twin } from '../../orders/orders.ts';
import type { InputRow } from '../../plans/plans.ts';
import { twinReach } from '../refund/look-for-twins.ts';
import { keptOrder, Purchases } from './kept-orders.ts';

/** Which orders are wanted: by their ids, by the shop's own numbers, or by the authorization code of a refund or charge. */
export interface NamedOrders {
  readonly ids: ReadonlySet<string>;
  readonly references: ReadonlySet<string>;
  readonly authCodes?: ReadonlySet<string>;
}

type NamedRow = Pick<InputRow, 'orderId'> & Partial<Pick<InputRow, 'reference' | 'authCode'>>;

export function ordersOf(rows: readonly NamedRow[]): NamedOrders {
  return {
    ids: new Set(rows.flatMap(({ orderId }) => orderId ?? [])),
    references: new Set(
      rows.flatMap(({ reference }) => (reference === undefined ? [] : bareReference(reference))),
    ),
    authCodes: new Set(
      rows.flatMap(({ orderId, reference, authCode }) =>
        (orderId ?? reference) === undefined ? (authCode ?? []) : [],
      ),
    ),
  };
}

/** An order that was found, and the one before it in the list. */
interface FoundOrder {
  readonly order: JsonObject;
  readonly neighbour: string | undefined;
}

export interface ReadOrders {
  /** Returns an order and forgets it, since a file may name thousands. Undefined if it was not found: `missing` says why. */
  take(id: string): FoundOrder | undefined;
  readonly missing: ReadonlyMap<string, string>;
  /** The ids of the orders with a reference (`bareReference`); all orders were read for that. */
  readonly byReference: ReadonlyMap<string, readonly string[]>;
  /** The same for a reference that no order has as it was typed, by its digits and letters (`spokenReference`), with the order's own. */
  readonly bySpoken: ReadonlyMap<string, readonly { readonly id: string; readonly own: string }[]>;
  /** The same by `refund CODE` or `charge CODE`, by what the authorization code belongs to. */
  readonly byAuthCode: ReadonlyMap<string, readonly string[]>;
  /** Possible twins of an order, among all orders that were read. */
  twinsOf(order: JsonObject): readonly Twin[];
  /** Whether the orders next to this one were read, so that `twinsOf` knows all its twins. */
  sawNeighbours(id: string): boolean;
}

/** The ids of the orders that a row names. A code is taken as that of a refund or, if no refund has it, of a charge. */
export function orderIdsOf(
  { orderId, reference, authCode }: NamedRow,
  { byReference, bySpoken, byAuthCode }: Pick<ReadOrders, 'byReference' | 'bySpoken' | 'byAuthCode'>,
): readonly string[] {
  if (orderId !== undefined) return [orderId];
  if (reference !== undefined) {
    const spoken = bySpoken.get(spokenReference(reference)) ?? [];
    return byReference.get(bareReference(reference)) ?? spoken.map(({ id }) => id);
  }
  return byAuthCode.get(`refund ${authCode}`) ?? byAuthCode.get(`charge ${authCode}`) ?? [];
}

/** The id of the order that a row names; empty if no order has its reference: then a plan refuses the file. */
export function orderIdOf(row: NamedRow, orders: ReadOrders): string {
  return orderIdsOf(row, orders)[0] ?? '';
}

// Once an order was looked up, the orders after it in the list are read. If that found no wanted order `emptyTries` times in a
// row, it is tried only at every look-up that is a multiple of `seldom`.
const emptyTries = 4;
const seldom = 32;
// If this many look-ups failed, and none succeeded, the service gives no pages backwards.
const lostTries = 4;
// Each is compared with every order that was read.
const mostNear = 100;
// Of shorter ids, many are nearly the same.
const shortestNear = 12;

/** A walk through a part of the list. */
export interface Walk {
  /** The order after which it began; undefined: at the start of the list. */
  readonly from: string | undefined;
  /** The id of the last order that was read. */
  last: string | undefined;
  /** How many pages and orders were read. */
  pages: number;
  read: number;
  /** How many pages in a row had none of the wanted orders. */
  empty: number;
  hasFound: boolean;
  /** It came to an order after which another walk has begun. */
  hasMet: boolean;
  /** It came to the end of the list. */
  isEnded: boolean;
}

/** The orders that are wanted and those that were found, while they are read. */
export class Reading implements ReadOrders {
  readonly #found = new Map<string, FoundOrder>();
  readonly missing = new Map<string, string>();
  readonly byReference = new Map<string, string[]>();
  readonly bySpoken = new Map<string, { readonly id: string; readonly own: string }[]>();
  readonly byAuthCode = new Map<string, string[]>();
  readonly #wanted: NamedOrders;
  readonly #spoken: ReadonlySet<string>;
  readonly #seen = new Set<string>();
  readonly #keys: readonly string[];
  readonly #purchases = new Purchases();
  readonly #places = new Map<string, { readonly walk: Walk; readonly place: number }>();
  readonly #starts = new Set<string>();
  // The orders that nobody has looked up, in the order of the file.
  #waiting: string[];
  // Some of them were found since.
  #isStale = false;
  #picks = 0;
  #located = 0;
  #lost = 0;
  #emptyTries = 0;
  firstWalk: Walk | undefined;
  /** A request failed: nothing else is asked for. */
  isOver = false;

  constructor(wanted: NamedOrders, keys: readonly string[]) {
    this.#wanted = wanted;
    this.#spoken = new Set([...wanted.references].map(spokenReference).filter((name) => name !== ''));
    this.#keys = keys;
    this.#waiting = [...wanted.ids];
  }

  get needsWholeList(): boolean {
    return this.#wanted.references.size > 0 || (this.#wanted.authCodes?.size ?? 0) > 0;
  }

  // Whether as many orders before and after it were read as a single refund looks at.
  sawNeighbours(id: string): boolean {
    const { walk, place = 0 } = this.#places.get(id) ?? {};
    if (walk === undefined) return false;
    const hasBefore = walk.from === undefined || place >= twinReach;
    return hasBefore && (walk.isEnded || walk.read - place > twinReach);
  }

  newWalk(from: string | undefined): Walk {
    const last = from;
    const walk = { from, last, pages: 0, read: 0, empty: 0, hasFound: false, hasMet: false, isEnded: false };
    this.firstWalk ??= from === undefined ? walk : undefined;
    if (from !== undefined) this.#starts.add(from);
    return walk;
  }

  add({ records }: Page, walk: Walk): void {
    const before = this.#found.size;
    walk.pages += 1;
    for (const record of records) {
      const id = idOf(record);
      if (id === undefined) continue;
      this.#purchases.add(record.value);
      this.#take(id, record.value, walk);
      walk.hasMet ||= this.#starts.has(id);
      walk.last = id;
      walk.read += 1;
    }
    const isEmpty = this.#found.size === before;
    walk.empty = isEmpty ? walk.empty + 1 : 0;
    if (!walk.hasFound && walk.from !== undefined) this.#emptyTries = isEmpty ? this.#emptyTries + 1 : 0;
    walk.hasFound ||= !isEmpty;
    this.#isStale ||= !isEmpty;
  }

  #take(id: string, order: JsonObject, walk: Walk): void {
    this.#seen.add(id);
    const own = referenceOf(order, this.#keys);
    // An id that was typed in capitals is wanted in small letters.
    const names = [...(typeof own === 'string' ? [bareReference(own)] : []), id.toLowerCase()].filter(
      (name) => this.#wanted.references.has(name),
    );
    for (const name of new Set(names))
      this.byReference.set(name, [...(this.byReference.get(name) ?? []), id]);
    const spoken = typeof own === 'string' && names.length === 0 ? spokenReference(own) : '';
    const isSpoken = this.#spoken.has(spoken);
    if (isSpoken && typeof own === 'string')
      this.bySpoken.set(spoken, [...(this.bySpoken.get(spoken) ?? []), { id, own }]);
    // The authorization codes of its charges and refunds.
    const codes = new Set(
      shownCharges(order)
        .items.flatMap((charge) => [
          ['charge', String(valueAt(charge, ['payment_method', 'auth_code']))] as const,
          ...shownRefunds(order, charge).items.map((refund) => ['refund', String(refund.auth_code)] as const),
        ])
        .filter(([, code]) => this.#wanted.authCodes?.has(code))
        .map((code) => code.join(' ')),
    );
    for (const code of codes) this.byAuthCode.set(code, [...(this.byAuthCode.get(code) ?? []), id]);
    if (names.length === 0 && !isSpoken && codes.size === 0 && !this.#wanted.ids.has(id)) return;
    this.#places.set(id, { walk, place: walk.read });
    this.#found.set(id, { order: keptOrder(order), neighbour: walk.last });
  }

  /** Whether a walk may find more. One that began after an order must find something at once. */
  goesOn(walk: Walk, mostEmpty: number): boolean {
    if (this.needsWholeList) return true;
    const most = walk.from === undefined || walk.hasFound ? mostEmpty : 1;
    return !this.isOver && !walk.hasMet && this.left().length > 0 && walk.empty < most;
  }

  /** The orders that are neither found nor missing. */
  left(): readonly string[] {
    return [...this.#wanted.ids].filter((id) => this.#isLeft(id));
  }

  #isLeft(id: string): boolean {
    return !this.#found.has(id) && !this.missing.has(id);
  }

  /** Gives up the orders that are left: they do not exist, or they are so far back that nobody looks for them. */
  giveUp(why: (id: string) => string): void {
    for (const id of this.left()) this.missing.set(id, why(id));
    this.#isStale = true;
  }

  /** Whether nothing tells yet which orders may be meant by the ids that no order has. */
  get needsNear(): boolean {
    return this.firstWalk === undefined && this.#unknown().length > 0;
  }

  /** All orders were read: from now on only those that were found, and their twins, are kept. */
  ended(): void {
    this.#nameNear();
    this.#seen.clear();
    this.#purchases.forgetSingle();
  }

  // Names the orders that were read whose ids are nearly those that no order has. They are never taken by themselves.
  #nameNear(): void {
    for (const id of this.#unknown()) {
      const near = [...this.#seen].filter((one) => isNearId(one, id)).slice(0, 3);
      if (near.length > 0) this.missing.set(id, `${noOrder(id)}; did you mean ${near.join(' or ')}?`);
    }
  }

  #unknown(): readonly string[] {
    return [...this.missing]
      .flatMap(([id, why]) => (id.length >= shortestNear && why === noOrder(id) ? [id] : []))
      .slice(0, mostNear);
  }

  /**
   * The order to look up now. Neighbours in the file are often neighbours in the list, and a walk goes on from there to older
   * ones. So it is the first or the last order of the file, and at other times one from anywhere in it.
   */
  next(): string | undefined {
    const cannotLookUp = this.#located === 0 && this.#lost >= lostTries;
    if (this.isOver || cannotLookUp) return undefined;
    if (this.#isStale) this.#waiting = this.#waiting.filter((id) => this.#isLeft(id));
    this.#isStale = false;
    const pick = this.#picks;
    this.#picks += 1;
    const { length } = this.#waiting;
    const place = [0, length - 1][pick % 4] ?? Math.floor(length * ((pick * 0.618) % 1));
    return this.#waiting.splice(place, 1)[0];
  }

  /** An order that nobody looked up was found. */
  found(id: string | undefined, order: JsonObject, neighbour: string | undefined): void {
    if (id !== undefined) this.#put(id, order, neighbour);
    this.#isStale = true;
  }

  #put(id: string, order: JsonObject, neighbour: string | undefined): void {
    this.#purchases.add(order);
    this.missing.delete(id);
    this.#found.set(id, { order: keptOrder(order), neighbour });
  }

  located(id: string, located: Awaited<ReturnType<Service['locate']>>): void {
    if ('boundReached' in located) {
      this.#lost += 1;
      return;
    }
    this.#located += 1;
    if ('found' in located) this.#put(id, located.found.value, located.neighbour);
    else this.missing.set(id, noOrder(id));
  }

  /** Whether the orders after one that was looked up are worth a page. */
  maySpread(id: string): boolean {
    const isTried = this.#emptyTries < emptyTries || this.#picks % seldom === 0;
    return isTried && this.#found.has(id) && this.#waiting.some((one) => this.#isLeft(one));
  }

  twinsOf(order: JsonObject): readonly Twin[] {
    return this.#purchases.twinsOf(order);
  }

  take(id: string): FoundOrder | undefined {
    const found = this.#found.get(id);
    this.#found.delete(id);
    return found;
  }

  words(passedMs: number, requests: number): string {
    const { ids, references, authCodes } = this.#wanted;
    const total = ids.size + references.size + (authCodes?.size ?? 0);
    const done = this.#found.size + this.missing.size;
    const left = done === 0 ? '' : `, some ${seconds((passedMs / done) * (total - done))} left`;
    return `reading the orders: ${done} of ${total}, ${counted(requests, 'request')}${left}`;
  }
}

/** Why an order is missing that certainly does not exist. */
export function noOrder(id: string): string {
  return `there is no order ${id}`;
}

function seconds(ms: number): string {
  const all = Math.ceil(ms / 1000);
  return all < 120 ? `${all} s` : `${Math.ceil(all / 60)} min`;
}
