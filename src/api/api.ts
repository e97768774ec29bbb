/** The service as the rest of paydesk sees it: how to read from it, how to send a change, and what comes back. */

import type { CliError } from '../errors.ts';
import type { Clock, ClockWithTimers } from '../io.ts';
import type { Profile } from '../profiles/profiles.ts';
import type { JsonObject } from './json-values.ts';
import type { ResourceName } from './resources.ts';
import type { Transport } from './transport.ts';

export { failureOf } from './network-failure.ts';
export { proxyFor } from './proxy.ts';
export { longPages, readOne } from './read-records.ts';
export { readJson } from './reply-json.ts';
export type { Transport } from './transport.ts';

/** Masks known keys in a reply, in every spelling, so that no later code can print or store one. */
export interface KeyGate {
  clean(text: string): string;
  /** JSON stays JSON. Returns the same bytes if they hold no key. */
  cleanBody(body: Uint8Array): Uint8Array;
}

/** One record as the service sent it. */
export interface WireRecord {
  /** The parsed record. A field may have any type, and an integer beyond 2^53-1 is a bigint. */
  readonly value: JsonObject;
  /** The bytes of the record in the reply. `--json` and exports print them. */
  readonly bytes: Uint8Array;
  /** Whether the bytes are one line without characters that could be invisible or control a terminal. */
  readonly plain?: boolean | undefined;
}

/** The query of a page (service: Endpoints 2). It has at most one of `next` and `previous`. */
export interface PageQuery {
  readonly limit?: number | undefined;
  readonly next?: string | undefined;
  readonly previous?: string | undefined;
}

/** One page of a listed resource. */
export interface Page {
  readonly records: readonly WireRecord[];
  /** `has_more` of the reply: whether there is more in the direction of the walk. A missing one counts as false. */
  readonly hasMore: boolean;
  /** Whether the reply says that it is a list and has `has_more`. Only then does the service say where the list ends. */
  readonly saysHasMore: boolean;
  /** How many records were left out, because the walk had already seen them. */
  readonly repeated: number;
}

/** Options of a walk over pages. */
export interface PagesHow {
  /** Asks for the next page before it yields this one. This is for walks that go to the end. */
  readonly ahead?: boolean | undefined;
  /** For pages that a run can do without: each is asked for once, and for 5 seconds at most. */
  readonly quick?: boolean | undefined;
  /** Ends the request of a page that nobody waits for any more. */
  readonly signal?: AbortSignal | undefined;
  /** The pages of an earlier walk that this one continues, oldest first. Their records count as already seen. */
  readonly before?: readonly WalkedBefore[] | undefined;
}

/** A page of an earlier walk. */
export interface WalkedBefore {
  /** The id that the earlier walk sent to get the next page. */
  readonly last: string | undefined;
  readonly ids: readonly string[];
}

/** The result of looking for one record by its id. */
export type Located =
  | {
      readonly found: WireRecord;
      /** The id of the record before it in the list, to find it again quickly. The first of the list has none. */
      readonly neighbour?: string | undefined;
    }
  /** The service says that there is no such record, or the whole list was read without finding it. */
  | { readonly missing: true }
  /** The search stopped at its bound: the record is not among the newest `read` records. */
  | { readonly boundReached: true; readonly read: number };

/** Hints and bounds for finding one record. */
export interface LocateOptions {
  /** The id of the record before it when it was last found. This place is tried first. */
  readonly neighbour?: string | undefined;
  /** How many records may be read when the list must be searched from its start. */
  readonly max?: number | undefined;
  readonly progress?: ((read: number) => void) | undefined;
  /**
   * Makes only one request: for the record after `neighbour`, or for the newest page. The result is `boundReached` if the
   * record is not in the reply.
   */
  readonly once?: boolean | undefined;
}

/** Reads of one account. Nothing here can change anything. */
export interface Service {
  readonly profile: Profile;
  /** The last `Date` header of a reply and the wall clock when it came, Unix milliseconds. */
  readonly seenDate?: (() => { readonly date: number; readonly wall: number } | undefined) | undefined;
  /** How many requests were sent so far, tries included. */
  readonly requests?: (() => number) | undefined;
  /** A short hash of the key. The journal stores it together with the account, and never the key itself. */
  readonly keyFingerprint?: string | undefined;
  /**
   * Reads page after page: forwards by the id of the last record, or with `previous` backwards by the id of the first one.
   * Ends when `has_more` is not true. Throws CliError: 'reply', 'network', 'auth', 'rejected', and 'incomplete' when paging
   * makes no progress (service: Endpoints 2).
   */
  pages(resource: ResourceName, query: PageQuery, how?: PagesHow): AsyncIterable<Page>;
  /** Finds one record by its id, with documented paging, or directly if the profile says so. */
  locate(resource: ResourceName, id: string, options?: LocateOptions): Promise<Located>;
}

/** The status and the headers of a reply. Header names are in lower case. */
export interface ReplyHead {
  readonly status: number;
  /** How long the service asks to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** The reply to one GET of any path: JSON that is not an error. */
interface AnyReply {
  readonly head: ReplyHead;
  readonly value: unknown;
  readonly bytes: Uint8Array;
}

/** A service that can also read any path. */
export interface OpenService extends Service {
  /**
   * GETs a path relative to the base URL, query included. Throws CliError as `pages` does, and 'usage' for a path
   * that would leave the base URL.
   */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<AnyReply>;
}

/** A request that changes something. `path` is relative to the base URL, without a leading slash. */
export interface ChangeRequest {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: JsonObject | undefined;
  /** Headers besides the usual ones of every request (`api --header`). */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A complete reply, as it came. */
export interface RawReply {
  readonly status: number;
  /** The media type in Content-Type, in lower case and without parameters. It is '' if there was none. */
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly headers?: ReplyHead['headers'] | undefined;
  /** The `Date` header, Unix milliseconds, when it parses. */
  readonly date?: number | undefined;
  /** `Retry-After`, or the reset of a rate limit, in milliseconds from now, when it parses. */
  readonly retryAfterMs?: number | undefined;
  /** The host that a redirect names. paydesk never follows a redirect. */
  readonly redirectTo?: string | undefined;
}

/** How one sending ended. `reason` is for people: `HTTP 502, an HTML page`, `no answer within 60 s`. */
export type SendReport =
  | { readonly kind: 'reply'; readonly reply: RawReply }
  /** It is proved that no byte of the request was sent. */
  | { readonly kind: 'not_sent'; readonly reason: string; readonly cause?: unknown }
  /** The request may have arrived. */
  | { readonly kind: 'no_reply'; readonly reason: string; readonly cause?: unknown };

/** Sends a change once and never again: no retry, no redirect, a connection of its own. Only journal/make-change.ts gets this. */
export type SendOnce = (
  request: ChangeRequest,
  options: {
    readonly timeoutMs: number;
    /** Asked right before the first byte is sent. If it says yes, nothing is sent. */
    readonly isTooLate?: (() => boolean) | undefined;
  },
) => Promise<SendReport>;

/** What the client of an account needs. */
export interface ClientParts {
  readonly profile: Profile;
  readonly key: string;
  /** Masks known keys in every reply before anything reads it. */
  readonly gate: KeyGate;
  /** The version of paydesk, for User-Agent. */
  readonly version: string;
  /** Time for one read, from connect to last byte. */
  readonly timeoutMs: number;
  readonly clock: ClockWithTimers;
  /** Gives 0 to 1, for the random part of the wait between tries. */
  readonly random: () => number;
  /** Ends reads at once. It never aborts a change that is on its way. */
  readonly signal: AbortSignal;
  /** Ends the wait for the reply to a change, when the user insists on leaving. */
  readonly leave?: AbortSignal | undefined;
  /** A service inside this process, instead of the network. */
  readonly inProcess?: ((request: Request) => Promise<Response>) | undefined;
  /** A transport that others use too; absent: one of its own. */
  readonly transport?: Transport | undefined;
  /** The pace of the run: reads wait for it, and changes are counted in it. */
  readonly pace?: Pace | undefined;
  /** The name of this machine, which a sender is told. */
  readonly machine?: string | undefined;
  /** Reads an error of the sender itself in a reply; undefined for a reply of the service. Absent without a sender. */
  readonly senderError?: ((reply: RawReply) => CliError | undefined) | undefined;
  /** The proxy for this service (proxy.ts). */
  readonly proxy?: URL | undefined;
  /** Called once for each space of the heap, when several pages have been read. */
  readonly keepHeapSmall?: (space: 'young' | 'old') => void;
  /** Gets one line per request: method, URL, status, milliseconds. */
  readonly debug?: ((line: string) => void) | undefined;
  /** Gets the `Date` header of every reply, Unix milliseconds. */
  readonly onDate?: ((date: number) => void) | undefined;
}

/** The client of one account: its reads, and the one function that sends a change. */
export interface Client {
  readonly service: OpenService;
  /** Only journal/make-change.ts gets this. */
  readonly send: SendOnce;
  /**
   * GETs a path once, for somebody else: whatever comes back is handed on. It waits for the pace. Rejects with the reason of the
   * signal when that aborts.
   */
  pass(
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<
    | { readonly reply: RawReply }
    | { readonly failure: { readonly kind: 'network' | 'reply'; readonly reason: string } }
  >;
  /** Closes the connections that are kept for more reads. */
  close(): void;
}

/**
 * Opens the client of one account, and sends nothing yet. Throws CliError 'auth' for a key that no header can carry,
 * 'refused' when the key would go to another origin, or unencrypted to another machine.
 */
export async function openClient(parts: ClientParts): Promise<Client> {
  return (await import('./client.ts')).createClient(parts);
}

/** The pace of all requests of a run. Nothing waits until a limit is set. */
export interface Pace {
  /** Limits the requests per second from now on. The newest limit counts. */
  limit(perSecond: number): void;
  /** Resolves when the next request may be sent. Rejects with the signal's reason when that aborts. */
  next(signal?: AbortSignal): Promise<void>;
  /**
   * Counts a request that is sent without waiting, because a change must follow its SENT row at once. The request after it
   * waits for longer.
   */
  count(): void;
}

/** Makes a pace that spreads requests evenly over each second. The first request may be sent at once. */
export function createPace(clock: Clock): Pace {
  let apartMs = 0;
  let free = Number.NEGATIVE_INFINITY;
  const take = (now: number): number => {
    const at = Math.max(now, free);
    free = at + apartMs;
    return at;
  };
  return {
    limit(perSecond) {
      apartMs = 1000 / perSecond;
    },
    async next(signal) {
      if (apartMs === 0) return;
      const now = clock.monotonic();
      const at = take(now);
      if (at > now) await clock.sleep(at - now, signal);
    },
    count() {
      if (apartMs > 0) take(clock.monotonic());
    },
  };
}
