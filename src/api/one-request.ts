/** Sends one request and reads its reply, with one time limit. ky's own retries, time limit and HTTP errors are off. */

import ky from 'ky';
import { CliError, refused } from '../errors.ts';
import type { ClockWithTimers } from '../io.ts';
import type { Profile } from '../profiles/profiles.ts';
import type { ClientParts, RawReply } from './api.ts';
import type { JsonObject } from './json-values.ts';
import { type Failure, failureOf, timedOut } from './network-failure.ts';
import { headOf, readBody, withoutKeys } from './service-reply.ts';
import { keyPattern, type Method, mediaType } from './spec.ts';
import type { Transport } from './transport.ts';

/** A request without the headers that all requests have. */
interface WireRequest {
  readonly method: Method;
  /** Path and query, relative to the base URL, without a leading slash. */
  readonly path: string;
  readonly body?: JsonObject | undefined;
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The time limit from connecting to the last byte of the body. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Uses a new connection. */
  readonly fresh?: boolean;
  /** Called right before the first byte. Without this call, or if it throws, nothing was sent. */
  readonly onSent?: (() => void) | undefined;
}

/** The reply, or why there is none. */
export type Exchanged = { readonly reply: RawReply } | { readonly failure: Failure };

/** Rejects with the signal's reason if it aborts, and with CliError 'usage' for a bad path. */
export type Exchange = (request: WireRequest) => Promise<Exchanged>;

/**
 * Makes the function that sends one request of an account. Throws CliError 'auth' for a key that does not fit into a header,
 * 'refused' if the key would go to another origin, or unencrypted to another machine.
 */
export function createExchange(parts: ClientParts, transport: Transport): Exchange {
  const { clock, gate } = parts;
  const base = baseOf(parts.profile, parts.inProcess === undefined);
  const api = createKy(parts, base);
  const send = async (
    { method, path, body, headers, fresh = false, onSent }: WireRequest,
    url: URL,
    { over, onHead }: Progress,
  ): Promise<RawReply> => {
    const response = await api(path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      fetch: (request) => {
        if (typeof request === 'string' || request instanceof URL) throw new TypeError('not a request of ky');
        return transport.send(request, { fresh, onSent: () => onSent?.(), over });
      },
    });
    onHead(response.status);
    const head = headOf(response, url, clock.now());
    if (head.date !== undefined) parts.onDate?.(head.date);
    return withoutKeys({ ...head, body: await readBody(response) }, gate);
  };
  return async (request) => {
    const { method, path, timeoutMs, signal } = request;
    const url = urlUnder(base, path);
    const started = clock.monotonic();
    const exchanged = await beforeDeadline({ timeoutMs, signal, clock, host: url.host }, (progress) =>
      send(request, url, progress),
    );
    const ended = 'reply' in exchanged ? `HTTP ${exchanged.reply.status}` : exchanged.failure.reason;
    parts.debug?.(`${method} ${withoutQuery(url)}  ${ended}  ${Math.round(clock.monotonic() - started)} ms`);
    return exchanged;
  };
}

// A query typed for `api` may name a person. Cursors and sizes are harmless.
function withoutQuery({ href, search, searchParams }: URL): string {
  const isPaging = [...searchParams.keys()].every((name) => ['limit', 'next', 'previous'].includes(name));
  return search === '' || isPaging ? href : href.replace(search, '?...');
}

function createKy(parts: ClientParts, base: URL) {
  return ky.create({
    baseUrl: base,
    headers: headersOf(parts),
    throwHttpErrors: false,
    // Only read.ts retries. ky 2.1 retries a status only if it throws, losing the reply's bytes. After a Retry-After beyond its
    // limit it waits that limit and asks 4 times instead of giving up. It waits by the machine's clock, not the run's, and cannot
    // retry when a body breaks off.
    retry: 0,
    timeout: false,
  });
}

interface Limits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly clock: ClockWithTimers;
  readonly host: string;
}

interface Progress {
  /** Aborts when the reply is no longer needed. */
  readonly over: AbortSignal;
  /** Call it with the status when the reply's head has arrived. */
  readonly onHead: (status: number) => void;
}

// Waits until the request's reply is complete, it fails, or it times out. Rejects with the signal's reason if it aborts.
async function beforeDeadline(
  { timeoutMs, signal, clock, host }: Limits,
  send: (progress: Progress) => Promise<RawReply>,
): Promise<Exchanged> {
  let status: number | undefined;
  const onHead = (seen: number) => {
    status = seen;
  };
  // Starts right before the `try` that ends it: a leftover timer would keep the program running.
  const deadline = startDeadline(timeoutMs, clock, signal);
  try {
    return { reply: await Promise.race([send({ over: deadline.over, onHead }), deadline.passing]) };
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    return {
      failure: deadline.passed ? timedOut(timeoutMs, host, status) : failureOf(error, host, status),
    };
  } finally {
    deadline.end();
  }
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

// The base URL with a trailing slash. Throws CliError 'refused' if the key would go to another origin, or in the open.
function baseOf(profile: Profile, overNetwork: boolean): URL {
  if (!URL.canParse(profile.baseUrl)) throw notUsed(profile, 'its base URL is not a URL');
  const base = new URL(`${profile.baseUrl.replace(/\/+$/, '')}/`);
  if (!overNetwork) return base;
  if (base.username !== '' || base.password !== '') throw notUsed(profile, 'its base URL holds a user name');
  if (base.search !== '' || base.hash !== '') throw notUsed(profile, 'its base URL holds a query');
  if (base.protocol !== 'https:' && !(base.protocol === 'http:' && loopback.test(base.hostname))) {
    throw notUsed(profile, `${base.origin} is not https`);
  }
  const origin = profile.sender?.origin ?? profile.origin;
  if (base.origin !== origin) {
    throw notUsed(profile, `its key is for ${origin}, but its base URL is at ${base.origin}`);
  }
  return base;
}

function notUsed(profile: Profile, why: string): CliError {
  return refused(`profile ${profile.name}: ${why}`, [`paydesk profile show ${profile.name}`]);
}

// The URL of a path under the base URL. Throws CliError 'usage' for a path that leads elsewhere: `..`, a leading slash, another
// host, a fragment.
function urlUnder(base: URL, path: string): URL {
  const url = URL.canParse(path, base.href) ? new URL(path, base) : undefined;
  const [pathname] = path.split('?');
  if (url?.origin !== base.origin || url.pathname !== base.pathname + pathname || url.hash !== '') {
    throw new CliError('usage', `${JSON.stringify(path)} is not a path under the base URL`, {
      certain: 'nothing was sent',
    });
  }
  return url;
}

function keyHint(profile: Profile): string {
  return profile.kind === 'environment'
    ? 'set PAYDESK_API_KEY or PAYDESK_KEY_FILE to a key of this account'
    : `paydesk profile key ${profile.name}`;
}

// The headers of every request (service: Authentication 3, 4 and 7, Versioning 1).
function headersOf({ profile, key, version, machine }: ClientParts): Record<string, string> {
  if (!keyPattern.test(key)) {
    throw new CliError(
      'auth',
      key === ''
        ? `the key of profile ${profile.name} is empty`
        : `the key of profile ${profile.name} holds characters that no key has: a space, a line break or an accent`,
      { certain: 'nothing was sent', now: [keyHint(profile)] },
    );
  }
  return {
    authorization: profile.auth === 'basic' ? `Basic ${basic(key)}` : `Bearer ${key}`,
    accept: mediaType(profile.vendor, profile.apiVersion),
    'user-agent': `paydesk/${version}`,
    ...(profile.lang === undefined ? {} : { 'accept-language': profile.lang }),
    ...(profile.sender === undefined || machine === undefined
      ? {}
      : { 'paydesk-desk': encodeURIComponent(machine), 'paydesk-mode': profile.mode }),
  };
}

// The key is the user name, with an empty password (service: Authentication 4).
function basic(key: string): string {
  return Buffer.from(`${key}:`, 'latin1').toString('base64');
}

// `signal` is the run's. Call `end` when the request has ended, with or without a reply.
function startDeadline(timeoutMs: number, clock: ClockWithTimers, signal: AbortSignal | undefined) {
  const over = new AbortController();
  const { promise: passing, reject } = Promise.withResolvers<never>();
  over.signal.addEventListener('abort', () => reject(over.signal.reason));
  let passed = false;
  const stopTimer = clock.after(timeoutMs, () => {
    passed = true;
    over.abort(new Error('deadline'));
  });
  const onAbort = () => over.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted === true) onAbort();
  return {
    /** Aborts when the time is up, when the run's signal aborts, and when the request has ended. */
    over: over.signal,
    /** Rejects when `over` aborts, since a service inside this process may ignore it. */
    passing,
    get passed() {
      return passed;
    },
    end() {
      stopTimer();
      signal?.removeEventListener('abort', onAbort);
      over.abort(new Error('the request has ended'));
    },
  };
}
