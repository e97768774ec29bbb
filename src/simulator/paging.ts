/** The query of a list, checked (service: Endpoints 2, Limits). */

import { pageSizes } from './assumptions.ts';
import type { Ruled } from './failures.ts';
import { badParameter } from './failures.ts';
import type { PageRequest } from './store.ts';

/** Which page a query asks for; parameters that are not known are passed over. */
export function pageRequestOf(query: URLSearchParams): Ruled<PageRequest> {
  const { min, max } = pageSizes;
  const text = query.get('limit') ?? String(pageSizes.default);
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(limit >= min && limit <= max)) {
    return {
      failure: badParameter(
        'limit',
        `limit is a whole number from ${min} to ${max}.`,
        `limit es un entero de ${min} a ${max}.`,
      ),
    };
  }
  const next = query.get('next') ?? undefined;
  const previous = query.get('previous') ?? undefined;
  if (next !== undefined && previous !== undefined) {
    return {
      failure: badParameter(
        'previous',
        'next and previous exclude each other.',
        'next y previous se excluyen.',
      ),
    };
  }
  return { value: { limit, next, previous } };
}
