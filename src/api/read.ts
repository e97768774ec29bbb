/** Reads with GET: retries if that may help, and returns JSON or throws one CliError. */

import { CliError, type CliErrorParts, keyRefused } from '../errors.ts';
import type { Profile } from '../profiles/profiles.ts';
import type { ClientParts, OpenService, RawReply } from './api.ts';
import type { Failure } from './network-failure.ts';
import type { Exchange, Exchanged } from './one-request.ts';
import { type JsonDocument, type JsonList, readJson, readList } from './reply-json.ts';
import { understand } from './service-reply.ts';
import { isKeyRefusal } from './spec.ts';

/** Each try waits for the pace. */
interface ReaderParts
  extends Pick<
    ClientParts,
    'profile' | 'timeoutMs' | 'clock' | 'random' | 'signal' | 'senderError' | 'pace'
  > {
  readonly exchange: Exchange;
}

export interface Reader {
  /**
   * GETs a path. Throws CliError 'network' (no reply, or the service cannot answer now), 'reply' (a reply that makes no sense),
   * 'auth' or 'rejected' (an error of the service), or the signal's reason if it aborts.
   */
  readonly get: (path: string) => Promise<JsonDocument>;
  /** Like `get` for a list, with items parsed later, one by one. */
  readonly getList: (path: string, how?: ReadHow) => Promise<JsonList>;
  /** Like `getList`, without parsing anything yet. */
  readonly receiveList: (path: string, how?: ReadHow) => Promise<ReceivedList>;
  /** Like `get`, with more headers. Also returns the reply's headers. */
  readonly getAny: OpenService['get'];
}

/** A received reply, probably a list. */
interface ReceivedList {
  /** Undefined if there was no reply. */
  readonly body: Uint8Array | undefined;
  /** Throws what `get` throws. */
  readonly read: () => JsonList;
}

interface ReadHow {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Tries once, with a shorter time limit. */
  readonly quick?: boolean | undefined;
  /** Ends only this read. */
  readonly signal?: AbortSignal | undefined;
}

const nothingChanged = 'nothing was changed';

export function createReader(parts: ReaderParts): Reader {
  const budget = retryBudget();
  const once = (path: string, { headers, quick }: ReadHow, signal: AbortSignal): Promise<Exchanged> => {
    const timeoutMs = quick === true ? Math.min(parts.timeoutMs, quickMs) : parts.timeoutMs;
    return parts.exchange({ method: 'GET', path, headers, timeoutMs, signal });
  };
  const receive = async (path: string, how: ReadHow): Promise<Received> => {
    const signal = how.signal === undefined ? parts.signal : AbortSignal.any([parts.signal, how.signal]);
    for (let tries = 1; ; tries += 1) {
      signal.throwIfAborted();
      await parts.pace?.next(signal);
      const exchanged = await once(path, how, signal);
      const next = nextTry('reply' in exchanged ? exchanged.reply : exchanged.failure, tries, parts.random);
      if ('waitMs' in next && how.quick !== true && budget.take()) {
        await parts.clock.sleep(next.waitMs, signal);
        continue;
      }
      const asked = 'askedMs' in next ? `; it asks us to wait ${Math.ceil(next.askedMs / 1000)} s` : '';
      return { exchanged, asked: { path, profile: parts.profile, more: `${timesWords(tries)}${asked}` } };
    }
  };
  const read = <D extends JsonDocument>(
    { exchanged, asked }: Received,
    readBody: (received: Uint8Array) => D,
  ): { readonly reply: RawReply; readonly document: D } => {
    const ofSender = 'reply' in exchanged ? parts.senderError?.(exchanged.reply) : undefined;
    if (ofSender !== undefined) throw ofSender;
    const concluded = conclude(exchanged, readBody, asked);
    budget.giveBack();
    return concluded;
  };
  const receiveList: Reader['receiveList'] = async (path, how = {}) => {
    const received = await receive(path, how);
    const { exchanged } = received;
    return {
      body: 'reply' in exchanged ? exchanged.reply.body : undefined,
      read: () => read(received, readList).document,
    };
  };
  return {
    get: async (path) => read(await receive(path, {}), readJson).document,
    getList: async (path, how) => (await receiveList(path, how)).read(),
    receiveList,
    async getAny(path, headers) {
      const { reply, document } = read(await receive(path, { headers }), readJson);
      return { ...document, head: { status: reply.status, headers: reply.headers ?? [] } };
    },
  };
}

function timesWords(tries: number): string {
  return tries === 1 ? '' : `, ${tries} times`;
}

// The result for a path, after the last try.
interface Received {
  readonly exchanged: Exchanged;
  readonly asked: Asked;
}

/** What was read, and words about the tries. */
interface Asked {
  readonly path: string;
  readonly profile: Profile;
  readonly more: string;
}

function conclude<D extends JsonDocument>(
  exchanged: Exchanged,
  read: (received: Uint8Array) => D,
  asked: Asked,
): { readonly reply: RawReply; readonly document: D } {
  const { profile, more } = asked;
  if ('failure' in exchanged) throw failed(exchanged.failure, profile, more);
  const { reply } = exchanged;
  const understood = understand(reply, read);
  if (understood.kind === 'json') return { reply, document: understood.document };
  // Assumed: 408, 425, 429 and 5xx mean that the service cannot answer now, whatever the body says. The document shows no status.
  if (reply.status === 408 || reply.status === 425 || reply.status === 429 || reply.status >= 500) {
    const words =
      understood.kind === 'odd' ? understood.words : `HTTP ${reply.status}: ${understood.summary}`;
    const isAsked = reply.status === 429;
    const what = isAsked ? 'the service asks us to wait' : 'the service is not working right now';
    throw new CliError('network', `${what} (${words}${more})`, {
      ...(understood.kind === 'odd' ? { httpStatus: reply.status } : understood.parts),
      certain: nothingChanged,
      now: ['wait a little, then run the same command again'],
    });
  }
  if (understood.kind === 'other_error') throw otherError(understood, asked);
  if (understood.kind === 'odd') {
    throw new CliError('reply', `this is not a reply of the service (${understood.words})`, {
      httpStatus: reply.status,
      certain: nothingChanged,
      now: [addressWords(profile)],
    });
  }
  throw serviceError(reply, understood.summary, understood.parts, asked);
}

function failed(failure: Failure, profile: Profile, more: string): CliError {
  const { sender } = profile;
  if (sender !== undefined && failure.kind === 'network')
    return new CliError(
      'network',
      `the sender at ${sender.origin} does not answer: ${failure.reason}${more}`,
      {
        certain: 'nothing was sent',
        now: ['run the same command again when it answers', `does it run? curl ${sender.origin}/health`],
        cause: failure.cause,
      },
    );
  return new CliError(failure.kind, `${failure.reason}${more}`, {
    certain: nothingChanged,
    now: [
      failure.kind === 'network'
        ? `check the network and the base URL: paydesk profile show ${profile.name}`
        : addressWords(profile),
    ],
    cause: failure.cause,
  });
}

function addressWords({ name, sender }: Profile): string {
  const what = sender === undefined ? 'the base URL of the service' : 'the address of the sender';
  return `is this ${what}? paydesk profile show ${name}`;
}

// Something that speaks JSON answered and refused, so the base URL may well be right.
function otherError(
  { summary, parts }: { readonly summary: string; readonly parts: CliErrorParts },
  { path, profile }: Asked,
): CliError {
  const key = isKeyRefusal(parts.httpStatus)
    ? [`the key may be the reason: paydesk profile check ${profile.name}`]
    : [];
  return new CliError('reply', `the service refused the request: ${summary}`, {
    ...parts,
    certain: `${nothingChanged} by GET /${path}`,
    now: [...key, 'show these lines to whoever runs the service'],
  });
}

function serviceError(
  reply: RawReply,
  summary: string,
  parts: CliErrorParts,
  { path, profile }: Asked,
): CliError {
  if (isKeyRefusal(reply.status)) return keyRefused(profile, parts, nothingChanged);
  return new CliError('rejected', summary, {
    ...parts,
    certain: `${nothingChanged} by GET /${path}`,
    now: ['check what the command names; if it is right, show these lines to whoever runs the service'],
  });
}

// The time limit of an optional read.
const quickMs = 5_000;
// The most tries of one read.
const maxTries = 4;
// The longest wait that a service may ask for.
const maxWaitMs = 10_000;
const backoffMs = 300;
const backoffLimitMs = 3_000;

// Assumed: after these statuses, the service may answer a moment later. The document names no status.
const retryStatuses: readonly number[] = [408, 413, 425, 429, 500, 502, 503, 504];

type Tried =
  | { readonly status: number; readonly retryAfterMs?: number | undefined }
  | { readonly retry: boolean };

// Whether to retry, and after how long.
type NextTry =
  | { readonly waitMs: number }
  | { readonly stop: 'final' }
  | { readonly stop: 'wait_too_long'; readonly askedMs: number };

/**
 * Decides whether to retry after try number `tries`, and how long to wait. The wait is random, but never shorter than the service
 * asks for. `random` gives 0 to 1.
 */
export function nextTry(tried: Tried, tries: number, random: () => number): NextTry {
  const again = 'status' in tried ? retryStatuses.includes(tried.status) : tried.retry;
  if (!again) return { stop: 'final' };
  const askedMs = 'status' in tried ? (tried.retryAfterMs ?? 0) : 0;
  if (askedMs > maxWaitMs) return { stop: 'wait_too_long', askedMs };
  if (tries >= maxTries) return { stop: 'final' };
  const jitter = random() * Math.min(backoffLimitMs, backoffMs * 2 ** (tries - 1));
  return { waitMs: Math.max(askedMs, jitter) };
}

// Limits all retries of a run: each takes a token, and each success gives back part of one. So a service that always fails does
// not get four requests for each read.
function retryBudget() {
  const capacity = 20;
  const perSuccess = 0.2;
  let tokens = capacity;
  return {
    take(): boolean {
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
    giveBack() {
      tokens = Math.min(capacity, tokens + perSuccess);
    },
  };
}
