/** How a request fares on its way: late, answered, or met by a fault. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from './app.ts';
import { tooMany } from './failures.ts';
import type { DrawFault, Ending, Fault } from './faults.ts';

/** The service, and what its replies may suffer. */
export interface DeliveryOptions {
  readonly app: App;
  readonly drawFault: DrawFault | undefined;
  readonly latencyMs: number;
}

/** What comes back: a reply, the first half of one, or nothing and the connection closed. */
export type Delivered =
  | { readonly kind: 'whole' | 'cut'; readonly response: Response }
  | { readonly kind: 'lost' };

/** Brings one request to the service and its reply back, or not. Rejects with the signal's reason when it aborts. */
export async function deliver(request: Request, options: DeliveryOptions): Promise<Delivered> {
  const fault = options.drawFault?.(request.method);
  if (options.latencyMs > 0) await sleep(options.latencyMs, undefined, { signal: request.signal });
  request.signal.throwIfAborted();
  if (fault === undefined) return { kind: 'whole', response: await options.app.fetch(request) };
  return suffer(request, fault, options);
}

async function suffer(
  request: Request,
  { ending, applied }: Fault,
  options: DeliveryOptions,
): Promise<Delivered> {
  const read = request.method === 'GET' || request.method === 'HEAD';
  const reply = applied || (read && ending === 'cut') ? await options.app.fetch(request) : undefined;
  switch (ending) {
    case 'drop':
      return { kind: 'lost' };
    case 'stall':
      return abortOf(request);
    case 'cut':
      return { kind: 'cut', response: reply ?? new Response('{"object":"order","id":"ord_0","livemode":') };
    default:
      return { kind: 'whole', response: spoiled(ending, request, options) };
  }
}

function spoiled(
  ending: Exclude<Ending, 'drop' | 'stall' | 'cut'>,
  request: Request,
  options: DeliveryOptions,
) {
  switch (ending) {
    case '500':
      return new Response(null, { status: 500 });
    case 'html':
      return new Response('<!doctype html>\n<title>502 Bad Gateway</title>\n<h1>Bad Gateway</h1>\n', {
        status: 502,
        headers: { 'content-type': 'text/html; charset=utf-8' },
      });
    case '429': {
      const response = options.app.refuse(request, tooMany());
      response.headers.set('retry-after', '1');
      return response;
    }
  }
}

/** Never resolves; rejects when the other side gives up. */
function abortOf(request: Request): Promise<never> {
  const { signal } = request;
  const { promise, reject } = Promise.withResolvers<never>();
  // Holds the request as an open connection would: else it is collected, and its abort never heard.
  const connection = setInterval(() => request.signal.throwIfAborted(), 60_000);
  const stop = (): void => {
    clearInterval(connection);
    reject(signal.reason);
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return promise;
}
