/** Watches one request of fetch: it stops a second dispatch and unasked headers, and reports how far the request got. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Dispatcher } from '../io.ts';

// fetch keeps its own dispatcher under this symbol: an agent, or a proxy agent that was set in its place.
const globalDispatcher = Symbol.for('undici.globalDispatcher.1');
const created = 'undici:request:create';
const headersSent = 'undici:client:sendHeaders';

/** How far a watched request got. */
export interface Evidence {
  /** How often fetch dispatched the request, with the times that were stopped. */
  readonly dispatches: number;
  /** A channel of Node reported this very request when it was made. So the channels work. */
  readonly created: boolean;
  /** A channel reported that the headers of this very request were written. */
  readonly headersSent: boolean;
}

/** A dispatcher for one fetch. */
export interface Watch {
  readonly dispatcher: Dispatcher;
  /** Returns the evidence. Afterwards nothing can be dispatched any more. */
  end(): Evidence;
}

function isDispatcher(value: unknown): value is Dispatcher {
  return (
    typeof value === 'object' && value !== null && 'dispatch' in value && typeof value.dispatch === 'function'
  );
}

/** The dispatcher that fetch uses. Undefined before the first fetch, unless Node uses proxies by itself. */
export function dispatcherInUse(): Dispatcher | undefined {
  const current: unknown = Reflect.get(globalThis, globalDispatcher);
  return isDispatcher(current) ? current : undefined;
}

async function ownDispatcher(): Promise<Dispatcher> {
  if (dispatcherInUse() === undefined) await fetch('data:,');
  const current = dispatcherInUse();
  if (current === undefined) throw new Error('fetch has no dispatcher');
  return current;
}

// The request object in a message of a channel. Two requests may have the same path, so the objects are compared.
function requestOf(message: unknown): object | undefined {
  if (typeof message !== 'object' || message === null || !('request' in message)) return undefined;
  return typeof message.request === 'object' ? (message.request ?? undefined) : undefined;
}

/**
 * Watches one fetch. After `limit` dispatches, the next one makes the fetch fail. The limit of a change is 1, because fetch
 * itself sends a POST again on HTTP 421. `route` is the dispatcher to use instead of fetch's own.
 */
export async function watchDispatch(limit: number, route?: Dispatcher): Promise<Watch> {
  const base = route ?? (await ownDispatcher());
  let dispatches = 0;
  let ended = false;
  let inside = false;
  let own: object | undefined;
  let sent = false;
  // The channel calls this synchronously inside `dispatch`. The first request is ours. A CONNECT to a proxy comes after it.
  const onCreated = (message: unknown) => {
    if (inside && own === undefined) own = requestOf(message);
  };
  const onHeadersSent = (message: unknown) => {
    if (own !== undefined && requestOf(message) === own) sent = true;
  };
  subscribe(created, onCreated);
  subscribe(headersSent, onHeadersSent);
  const dispatch: Dispatcher['dispatch'] = (options, handler) => {
    dispatches += 1;
    if (ended || dispatches > limit) throw new Error('paydesk stopped a second sending');
    inside = true;
    try {
      return base.dispatch(options, handler);
    } finally {
      inside = false;
    }
  };
  const dispatcher: Dispatcher = Object.create(base, { dispatch: { value: dispatch } });
  return {
    dispatcher,
    end() {
      ended = true;
      unsubscribe(created, onCreated);
      unsubscribe(headersSent, onHeadersSent);
      return { dispatches, created: own !== undefined, headersSent: sent };
    },
  };
}

// Headers that the connection needs. Every other header must be asked for.
const connectionHeaders: readonly string[] = ['accept-encoding', 'content-length'];

/**
 * A dispatcher that sends only the headers in `asked`. fetch adds `accept-language: *` and `sec-fetch-mode`, which no user
 * asked for and which a strict service refuses. `asked` holds names in lower case.
 */
export function onlyAsked(dispatcher: Dispatcher, asked: ReadonlySet<string>): Dispatcher {
  const isKept = ([name]: readonly [string, unknown]) =>
    asked.has(name.toLowerCase()) || connectionHeaders.includes(name.toLowerCase());
  const dispatch: Dispatcher['dispatch'] = ({ headers, ...options }, handler) => {
    // fetch gives its headers as an object of names and values.
    const kept = Object.fromEntries(Object.entries(headers ?? {}).filter(isKept));
    return dispatcher.dispatch({ ...options, headers: kept }, handler);
  };
  return Object.create(dispatcher, { dispatch: { value: dispatch } });
}
