/** One page of a listed resource: the path that asks for it, and the reply as records. */

import { CliError } from '../errors.ts';
import type { Page, PageQuery } from '../ports.ts';
import type { JsonDocument } from './json.ts';
import { recordsOf } from './records.ts';
import type { ResourceName } from './spec.ts';
import { resources, valueAt } from './spec.ts';

/** Path and query of a page (service: Endpoints 2). */
export function pagePath(resource: ResourceName, query: PageQuery): string {
  const parameters = new URLSearchParams();
  if (query.limit !== undefined) parameters.set('limit', String(query.limit));
  if (query.next !== undefined) parameters.set('next', query.next);
  if (query.previous !== undefined) parameters.set('previous', query.previous);
  const text = parameters.toString();
  return resources[resource].path + (text && `?${text}`);
}

/** Reads a list envelope (service: List envelope). Its page URLs are not looked at. Throws CliError 'reply'. */
export function readPage(document: JsonDocument): Page {
  const object = valueAt(document.value, ['object']);
  const records = object === undefined || object === 'list' ? recordsOf(document) : undefined;
  if (records === undefined) {
    throw new CliError('reply', 'the service answered with JSON that is no list', {
      certain: 'nothing was changed',
      now: ['is this the base URL of the service? paydesk profile show'],
    });
  }
  return { records, hasMore: valueAt(document.value, ['has_more']) === true };
}
