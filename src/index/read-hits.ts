/**
 * Reads orders of the index again from the service, starting from the order before each: neighbours share a request, several run
 * at once.
 */

import type { Page, PageQuery, Service, WireRecord } from '../api/api.ts';
import { idOf } from '../api/json-values.ts';
import type { Hit } from './scan.ts';

/** An order that was read again, and the id of the order before it. */
export interface ReadAgain {
  readonly record: WireRecord;
  readonly neighbour: string | undefined;
}

/** A reading that is under way. Its counts cover what was read so far. */
interface HitsReading {
  /** The orders, a few at a time, in the order of the hits, without missing ones. */
  readonly orders: AsyncIterable<readonly ReadAgain[]>;
  readonly read: number;
  /** The ids of orders that no longer exist. */
  readonly gone: readonly string[];
  /** Orders not found within the limit of a search. */
  readonly unread: number;
}

const atOnce = 4;
// Hits this close together share a request.
const nearFew = 10;
const nearMany = 250;
const fewHits = 40;
const longestRead = 250;

/** Sends nothing before the orders are asked for. */
export function readHits(service: Service, hits: readonly Hit[]): HitsReading {
  const gone: string[] = [];
  let read = 0;
  let unread = 0;
  const readHit = async ({ id, neighbour }: Hit): Promise<readonly ReadAgain[]> => {
    const located = await service.locate('orders', id, { neighbour });
    if ('missing' in located) gone.push(id);
    if ('boundReached' in located) unread += 1;
    return 'found' in located ? [{ record: located.found, neighbour: located.neighbour }] : [];
  };
  const readGroup = async (group: readonly Hit[]): Promise<readonly ReadAgain[]> => {
    const [first] = group;
    const last = group.at(-1);
    if (first === undefined || last === undefined) return [];
    const isPlaced = first.neighbour !== undefined || first.place === 0;
    const page =
      group.length > 1 && isPlaced
        ? await firstPage(service, { limit: last.place - first.place + 1, next: first.neighbour })
        : undefined;
    const places = new Map(page?.records.map((record, index) => [idOf(record), { record, index }]));
    const found: (readonly ReadAgain[])[] = [];
    for (const hit of group) {
      const here = places.get(hit.id);
      const before =
        here === undefined || here.index === 0 ? first.neighbour : idOf(page?.records[here.index - 1]);
      // An order that moved is looked up in the usual way.
      found.push(here === undefined ? await readHit(hit) : [{ record: here.record, neighbour: before }]);
    }
    return found.flat();
  };
  async function* orders(): AsyncGenerator<readonly ReadAgain[]> {
    const groups = groupsOf(hits);
    for (let at = 0; at < groups.length; at += atOnce) {
      const some = (await Promise.all(groups.slice(at, at + atOnce).map(readGroup))).flat();
      read += some.length;
      yield some;
    }
  }
  return {
    orders: orders(),
    gone,
    get read() {
      return read;
    },
    get unread() {
      return unread;
    },
  };
}

/** The first page of a query; an empty one if there is none. */
export async function firstPage(service: Service, query: PageQuery): Promise<Page> {
  for await (const page of service.pages('orders', query)) return page;
  return { records: [], hasMore: false, saysHasMore: true, repeated: 0 };
}

// Groups neighbours in the list. With many hits, reading across wider distances is cheaper than more requests.
function groupsOf(hits: readonly Hit[]): readonly (readonly Hit[])[] {
  const near = hits.length <= fewHits ? nearFew : nearMany;
  const groups: Hit[][] = [];
  for (const hit of hits) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    const last = group?.at(-1);
    const isNear =
      first !== undefined &&
      last !== undefined &&
      hit.place - last.place <= near &&
      hit.place - first.place < longestRead;
    if (isNear) group?.push(hit);
    else groups.push([hit]);
  }
  return groups;
}
