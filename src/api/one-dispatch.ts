/** A dispatcher that lets one request pass, and the evidence of how far that request got. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Dispatcher } from '../io.ts';

// Where fetch keeps the dispatcher that it uses by itself: an agent, or the proxy agent set on top of it.
const globalDispatcher = Symbol.for('undici.globalDispatcher.1');
const created = 'undici:request:create';
const headersSent = 'undici:client:sendHeaders';

/** How far a watched request got. */
export interface Evidence {
  /** How often fetch asked for it to be dispatched, the refused ones too. */
  readonly dispatches: number;
  /** Its own request object was seen being made, so the channel speaks. */
  readonly created: boolean;
  /** The channel said that this very object's headers were written. */
  readonly headersSent: boolean;
}

/** A dispatcher for one fetch. */
export interface Watch {
  readonly dispatcher: Dispatcher;
  /** What was seen; nothing can be dispatched through it afterwards. */
  end(): Evidence;
}

function isDispatcher(value: unknown): value is Dispatcher {
  return (
    typeof value === 'object' && value !== null && 'dispatch' in value && typeof value.dispatch === 'function'
  );
}

/** The dispatcher that fetch uses. Undefined before the first fetch, unless Node itself was told to use proxies. */
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

// The request object out of a channel's message; objects are compared, never their paths.
function requestOf(message: unknown): object | undefined {
  if (typeof message !== 'object' || message === null || !('request' in message)) return undefined;
  return typeof message.request === 'object' ? (message.request ?? undefined) : undefined;
}

/**
 * Watches one fetch. `limit` is how many dispatches pass: 1 for a change, since fetch itself sends a POST again
 * on HTTP 421; the next one fails the fetch. `route`: the dispatcher to go through instead of fetch's own.
 */
export async function watchDispatch(limit: number, route?: Dispatcher): Promise<Watch> {
  const base = route ?? (await ownDispatcher());
  let dispatches = 0;
  let ended = false;
  let inside = false;
  let own: object | undefined;
  let sent = false;
  // Fires synchronously inside dispatch. The first one is ours; a proxy's CONNECT is made after it.
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
    if (ended || dispatches > limit) throw new Error('a second sending was stopped');
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
