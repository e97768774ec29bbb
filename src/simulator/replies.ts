/** Replies of the simulator: JSON, and errors in the document's form. */

import { errorKinds, type Language } from './assumptions.ts';
import type { Failure } from './failures.ts';
import type { StoredPage } from './store.ts';

/** What the words of an error depend on. */
export interface ReplyWords {
  /** The first segment of every code. */
  readonly brand: string;
  readonly language: Language;
  readonly logId: string;
}

// Assumed: replies are application/json, whatever vendor type was asked for.
const headers = { 'content-type': 'application/json' } as const;

/** A reply of JSON text. */
export function jsonReply(text: string): Response {
  return new Response(text, { status: 200, headers });
}

/** An error body (service: Errors). */
export function errorReply({ kind, details, data }: Failure, words: ReplyWords): Response {
  const { status, type } = errorKinds[kind];
  const body = {
    object: 'error',
    type,
    log_id: words.logId,
    details: details.map(({ code, param, words: texts, debug }) => ({
      debug_message: debug ?? texts.en,
      message: texts[words.language],
      param,
      code: `${words.brand}.errors.${code}`,
    })),
    ...(data === undefined ? {} : { data }),
  };
  return new Response(JSON.stringify(body), { status, headers });
}

/** A page (service: List envelope). Records are joined as they are kept, not read. */
export function listReply(page: StoredPage, url: URL, backwards: boolean): Response {
  const next = page.after ? pageUrl(url, 'next', page.lastId) : null;
  const previous = page.before ? pageUrl(url, 'previous', page.firstId) : null;
  const head = JSON.stringify({
    object: 'list',
    // Assumed: has_more is about the direction travelled.
    has_more: backwards ? page.before : page.after,
    next_page_url: next,
    previous_page_url: previous,
  });
  return jsonReply(`${head.slice(0, -1)},"data":[${page.bodies.join(',')}]}`);
}

// Assumed: a page URL repeats `limit` only where it was given, and is null where there is no such page.
function pageUrl(url: URL, direction: 'next' | 'previous', id: string | undefined): string | null {
  if (id === undefined) return null;
  const page = new URL(url.pathname, url);
  const limit = url.searchParams.get('limit');
  if (limit !== null) page.searchParams.set('limit', limit);
  page.searchParams.set(direction, id);
  return page.href;
}
