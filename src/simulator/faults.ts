/** Faults for training and tests: some replies are lost or damaged, and some refunds fail later. A seed decides which. */

import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '../errors.ts';
import type { App } from './app.ts';
import { tooMany } from './failures.ts';
import { seededRandom } from './random.ts';
import { type LaterFault, laterFaults } from './rules/refund-and-capture.ts';

/**
 * How a reply fails.
 *
 * - `drop`: the connection closes without a reply.
 * - `stall`: a reply never comes.
 * - `cut`: only the first half of the reply comes.
 * - `500`: an empty reply with this status.
 * - `html`: the error page of a proxy.
 * - `429`: the service says that there are too many requests.
 */
const endings = ['drop', 'stall', 'cut', '500', 'html', '429'] as const;
type Ending = (typeof endings)[number];

/** The fault of a request: of its reply or, for a refund, of what happens later. */
type Fault =
  | {
      readonly ending: Ending;
      /** Whether the service carries out the request before its reply fails. */
      readonly applied: boolean;
    }
  | { readonly later: LaterFault };

/** Which faults to use, and how often. */
interface FaultPlan {
  readonly faults: readonly [Fault, ...Fault[]];
  /** The share of requests that get a fault, 0 to 1. */
  readonly rate: number;
}

/** The fault of the next request, or undefined. */
export type DrawFault = (method: string) => Fault | undefined;

const everyFault = [...endings, ...endings.map((ending) => `apply-${ending}`)];

/** The name of a stored fault for the next change of an order. */
export function nextFault(orderId: string): string {
  return `fault ${orderId}`;
}

/** Reads `KIND[,KIND…][:RATE]`. The default rate is 1. Error messages start with `name`. Throws CliError 'usage'. */
export function parseFaults(text: string, name: string): FaultPlan {
  const [kinds = '', rateText = '1', ...more] = text.split(':');
  const rate = /^(0|1|0?\.\d{1,6}|[01]\.0{1,6})$/.test(rateText) ? Number(rateText) : Number.NaN;
  if (more.length > 0 || Number.isNaN(rate)) {
    throw usage(`${name} ${text}: the rate is a number from 0 to 1, as in ${kinds || 'drop'}:0.2`);
  }
  const [first, ...others] = kinds
    .split(',')
    .flatMap((kind) => (kind === 'all' ? everyFault : [kind]))
    .map((kind) => faultOf(kind, name));
  if (first === undefined) throw usage(`${name} ${text}: names no fault`);
  return { faults: [first, ...others], rate };
}

/** The same seed gives the same faults for the same requests. Reads get faults only if `reads` is true. */
export function createFaults(
  plan: FaultPlan,
  { seed, reads }: { readonly seed: number; readonly reads: boolean },
): DrawFault {
  const random = seededRandom(`faults ${seed}`);
  return (method) => {
    if (!reads && (method === 'GET' || method === 'HEAD')) return undefined;
    return random.fraction() < plan.rate ? random.pick(plan.faults) : undefined;
  };
}

function faultOf(kind: string, name: string): Fault {
  const later = laterFaults.find((known) => known === kind);
  if (later !== undefined) return { later };
  const applied = kind.startsWith('apply-');
  const ending = endings.find((known) => known === (applied ? kind.slice('apply-'.length) : kind));
  if (ending === undefined) {
    throw usage(
      `${name} ${kind}: not a fault; known are ${endings.join(', ')}, each also as apply-…, all of these with all, and ${laterFaults.join(', ')}`,
    );
  }
  return { ending, applied };
}

function usage(message: string): CliError {
  return new CliError('usage', message, { certain: 'nothing was sent' });
}

/** The service, and the faults of its replies. */
interface DeliveryOptions {
  readonly app: App;
  readonly drawFault: DrawFault | undefined;
  readonly latencyMs: number;
}

/** What the client gets: the whole reply, its first half (`cut`), or a closed connection (`lost`). */
type Delivered = { readonly kind: 'whole' | 'cut'; readonly response: Response } | { readonly kind: 'lost' };

/** Passes a request to the service and applies its fault. Rejects with the signal's reason if it aborts. */
export async function deliver(request: Request, options: DeliveryOptions): Promise<Delivered> {
  const fault = options.drawFault?.(request.method);
  if (options.latencyMs > 0) await sleep(options.latencyMs, undefined, { signal: request.signal });
  request.signal.throwIfAborted();
  if (fault === undefined || 'later' in fault)
    return { kind: 'whole', response: await options.app.fetch(request, fault?.later) };
  return deliverWithFault(request, fault, options);
}

async function deliverWithFault(
  request: Request,
  { ending, applied }: Exclude<Fault, { later: LaterFault }>,
  options: DeliveryOptions,
): Promise<Delivered> {
  const read = request.method === 'GET' || request.method === 'HEAD';
  const reply = applied || (read && ending === 'cut') ? await options.app.fetch(request) : undefined;
  switch (ending) {
    case 'drop':
      return { kind: 'lost' };
    case 'stall':
      return neverReply(request);
    case 'cut':
      return { kind: 'cut', response: reply ?? new Response('{"object":"order","id":"ord_0","livemode":') };
    default:
      return { kind: 'whole', response: damagedReply(ending, request, options) };
  }
}

function damagedReply(
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

function neverReply(request: Request): Promise<never> {
  const { signal } = request;
  const { promise, reject } = Promise.withResolvers<never>();
  // Like an open connection, this timer keeps the request in memory. Otherwise it could be garbage-collected, and its abort event
  // would never come.
  const connection = setInterval(() => request.signal.throwIfAborted(), 60_000);
  const stop = (): void => {
    clearInterval(connection);
    reject(signal.reason);
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return promise;
}
