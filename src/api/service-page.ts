/** One page of a listed resource: the path that asks for it, and the reply as records that are read when they are needed. */

import { CliError } from '../errors.ts';
import type { PageQuery, WireRecord } from './api.ts';
import { type JsonList, NotJson } from './json.ts';
import { recordAt } from './records.ts';
import type { ResourceName } from './spec.ts';
import { idOf, resources, valueAt } from './spec.ts';

/** A list envelope as it came (service: List envelope). Its page URLs are not looked at. */
export interface ListReply {
  readonly size: number;
  /** `has_more`; anything but true reads as false. */
  readonly hasMore: boolean;
  /** It is a list by its own word (`object`), and `has_more` was there, as true or false: its end is stated. */
  readonly saysHasMore: boolean;
  /** The id of the first or last record, from that record alone; undefined when it has none. Throws CliError 'reply'. */
  readonly edge: (which: 'first' | 'last') => string | undefined;
  /** All records. Throws CliError 'reply' where one is no JSON object. */
  readonly records: () => readonly WireRecord[];
}

/** Path and query of a page (service: Endpoints 2). */
export function pagePath(resource: ResourceName, query: PageQuery): string {
  const parameters = new URLSearchParams();
  if (query.limit !== undefined) parameters.set('limit', String(query.limit));
  if (query.next !== undefined) parameters.set('next', query.next);
  if (query.previous !== undefined) parameters.set('previous', query.previous);
  const text = parameters.toString();
  return resources[resource].path + (text && `?${text}`);
}

/** Reads a list envelope. Throws CliError 'reply' when it is none. */
export function readPage(list: JsonList): ListReply {
  const object = valueAt(list.value, ['object']);
  const { size } = list;
  const isList = (object === undefined || object === 'list') && Array.isArray(valueAt(list.value, ['data']));
  if (!isList || size === undefined) throw noList();
  const known = new Map<number, WireRecord>();
  const record = (index: number): WireRecord => {
    const one = known.get(index) ?? readRecord(list, index);
    known.set(index, one);
    return one;
  };
  const more = valueAt(list.value, ['has_more']);
  return {
    size,
    hasMore: more === true,
    saysHasMore: object === 'list' && typeof more === 'boolean',
    edge: (which) => (size === 0 ? undefined : idOf(record(which === 'first' ? 0 : size - 1))),
    records: () => Array.from({ length: size }, (_, index) => record(index)),
  };
}

function readRecord(list: JsonList, index: number): WireRecord {
  try {
    const record = recordAt(list, index);
    if (record !== undefined) return record;
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    throw new CliError(
      'reply',
      `no answer of the service (a list, but record ${index + 1} is ${error.message})`,
      {
        certain: 'nothing was changed',
      },
    );
  }
  throw noList();
}

function noList(): CliError {
  return new CliError('reply', 'the service answered with JSON that is no list', {
    certain: 'nothing was changed',
    now: ['is this the base URL of the service? paydesk profile show'],
  });
}
