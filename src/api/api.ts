/** The service, as the rest of paydesk sees it: how to read, how to send a change, and what comes back. */

import type { CliError } from '../errors.ts';
import type { Clock, ClockWithTimers } from '../io.ts';
import type { Profile } from '../profiles/profiles.ts';
import type { JsonObject } from './json-values.ts';
import type { ResourceName } from './resources.ts';
import type { Transport } from './transport.ts';

export { scan, tooMuchJson } from './json-scan.ts';
export { failureOf } from './network-failure.ts';
export { proxyFor } from './proxy.ts';
export { brokeOff, incomplete, longPages, readOne, upTo } from './read-records.ts';
export { parseExactly, readJson } from './reply-json.ts';
export type { Transport } from './transport.ts';

/** Masks known keys in a reply, however spelled, so that no later code can print or store one. */
export interface KeyGate {
  clean(text: string): string;
  /** JSON stays JSON. Returns the same bytes if they hold no key. */
  cleanBody(body: Uint8Array): Uint8Array;
}

export interface WireRecord {
  /** A field may have any type; an integer beyond 2^53-1 is a bigint. */
  readonly value: JsonObject;
  /** The record's bytes in the reply, for `--json` and exports. */
  readonly bytes: Uint8Array;
  /** Whether the bytes are one line without characters that could be invisible or control a terminal. */
  readonly plain?: boolean | undefined;
}

/** The query of a page (service: Endpoints 2), with at most one of `next` and `previous`. */
export interface PageQuery {
  readonly limit?: number | undefined;
  readonly next?: string | undefined;
  readonly previous?: string | undefined;
}

/** One page of a listed resource. */
export interface Page {
  readonly records: readonly WireRecord[];
  /** `has_more` of the reply: whether there is more in this direction. A missing one counts as false. */
  readonly hasMore: boolean;
  /** Whether the reply says that it is a list and has `has_more`. Only then is the end of the list known. */
  readonly saysHasMore: boolean;
  /** How many records were left out because the walk had seen them before. */
  readonly repeated: number;
}

/** Options of a walk over pages. */
export interface PagesHow {
  /** Requests the next page before yielding this one: for walks to the end. */
  readonly ahead?: boolean | undefined;
  /** For optional pages: each is requested once, for at most 5 seconds. */
  readonly quick?: boolean | undefined;
  /** Ends the request of a page that is no longer needed. */
  readonly signal?: AbortSignal | undefined;
  /** The pages of an earlier walk to continue, oldest first. Their records count as seen. */
  readonly before?: readonly WalkedBefore[] | undefined;
}

/** A page of an earlier walk. */
export interface WalkedBefore {
  /** The id that the earlier walk sent to get the next page. */
  readonly last: string | undefined;
  readonly ids: readonly string[];
}

/** The result of looking up a record by id. */
export type Located =
  | {
      readonly found: WireRecord;
      /** The id of the record before it in the list, to find it again quickly. Absent for the first one. */
      readonly neighbour?: string | undefined;
    }
  /** The service says that there is no such record, or the whole list does not have it. */
  | { readonly missing: true }
  /** The search stopped at its limit: the record is not among the newest `read` records. */
  | { readonly boundReached: true; readonly read: number };

/** Hints and limits for finding one record. */
export interface LocateOptions {
  /** The id of the record that was before it last time. This place is tried first. */
  readonly neighbour?: string | undefined;
  /** How many records to read at most when searching from the start of the list. */
  readonly max?: number | undefined;
  readonly progress?: ((read: number) => void) | undefined;
  /** Makes one request only: for the record after `neighbour`, or for the newest page. `boundReached` if it is not in the reply. */
  readonly once?: boolean | undefined;
}

/** Reads from one account. Nothing here can change anything. */
export interface Service {
  readonly profile: Profile;
  /** The `Date` of the last reply, and this machine's clock when it arrived, Unix milliseconds. */
  readonly seenDate?: (() => { readonly date: number; readonly wall: number } | undefined) | undefined;
  /** How many requests were sent so far, including retries. */
  readonly requests?: (() => number) | undefined;
  /** A short hash of the key. The journal stores it with the account, and never the key itself. */
  readonly keyFingerprint?: string | undefined;
  /**
   * Reads page after page: forwards from the last record's id, or with `previous` backwards from the first one's. Ends when
   * `has_more` is not true. Throws CliError: 'reply', 'network', 'auth', 'rejected', and 'incomplete' if paging makes no progress
   * (service: Endpoints 2).
   */
  pages(resource: ResourceName, query: PageQuery, how?: PagesHow): AsyncIterable<Page>;
  /** Finds a record by id through documented paging, or directly if the profile says so. */
  locate(resource: ResourceName, id: string, options?: LocateOptions): Promise<Located>;
}

/** The status and headers of a reply. Header names are in lower case. */
export interface ReplyHead {
  readonly status: number;
  /** How long the service asks us to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** The reply to a GET of any path: JSON that is not an error. */
interface AnyReply {
  readonly head: ReplyHead;
  readonly value: unknown;
  readonly bytes: Uint8Array;
}

/** A service that can also read any path. */
export interface OpenService extends Service {
  /** GETs a path relative to the base URL, with its query. Throws as `pages` does, and 'usage' for a path outside the base URL. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<AnyReply>;
}

/** `path` is relative to the base URL, without a leading slash. */
export interface ChangeRequest {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: JsonObject | undefined;
  /** Additional headers (`api --header`). */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A complete reply, as received. */
export interface RawReply {
  readonly status: number;
  /** The media type in Content-Type, in lower case and without parameters; '' if there was none. */
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly headers?: ReplyHead['headers'] | undefined;
  /** The `Date` header in Unix milliseconds, if valid. */
  readonly date?: number | undefined;
  /** `Retry-After` or the reset of a rate limit, in milliseconds from now, if valid. */
  readonly retryAfterMs?: number | undefined;
  /** The host of a redirect, which paydesk never follows. */
  readonly redirectTo?: string | undefined;
}

/** How a sending ended. `reason` is for people: `HTTP 502, an HTML page`, `no answer within 60 s`. */
export type SendReport =
  | { readonly kind: 'reply'; readonly reply: RawReply }
  /** Certainly no byte of the request was sent. */
  | { readonly kind: 'not_sent'; readonly reason: string; readonly cause?: unknown }
  /** The request may have arrived. */
  | { readonly kind: 'no_reply'; readonly reason: string; readonly cause?: unknown };

/** Sends a change once, never again: no retry, no redirect, its own connection. Only journal/make-change.ts gets this. */
export type SendOnce = (
  request: ChangeRequest,
  options: {
    readonly timeoutMs: number;
    /** Called right before the first byte. If it returns true, nothing is sent. */
    readonly isTooLate?: (() => boolean) | undefined;
  },
) => Promise<SendReport>;

export interface ClientParts {
  readonly profile: Profile;
  readonly key: string;
  /** Masks known keys in every reply before anything reads it. */
  readonly gate: KeyGate;
  /** The version of paydesk, for User-Agent. */
  readonly version: string;
  /** The time limit of a read, from connecting to the last byte. */
  readonly timeoutMs: number;
  readonly clock: ClockWithTimers;
  /** Gives 0 to 1, for the random part of the wait before a retry. */
  readonly random: () => number;
  /** Ends reads at once. Never aborts a change on its way. */
  readonly signal: AbortSignal;
  /** Stops waiting for the reply to a change, when the user insists on leaving. */
  readonly leave?: AbortSignal | undefined;
  /** A service inside this process, instead of the network. */
  readonly inProcess?: ((request: Request) => Promise<Response>) | undefined;
  /** A shared transport; absent: its own. */
  readonly transport?: Transport | undefined;
  /** The pace of the run: reads wait for it, and changes count towards it. */
  readonly pace?: Pace | undefined;
  /** The name of this machine, for a sender. */
  readonly machine?: string | undefined;
  /** Reads the sender's own error in a reply; undefined for a reply of the service. Absent without a sender. */
  readonly senderError?: ((reply: RawReply) => CliError | undefined) | undefined;
  readonly proxy?: URL | undefined;
  /** Called once per heap space, after several pages were read. */
  readonly keepHeapSmall?: (space: 'young' | 'old', percent?: number) => void;
  /** Gets one line per request: method, URL, status, milliseconds. */
  readonly debug?: ((line: string) => void) | undefined;
  /** Gets the `Date` of every reply, Unix milliseconds. */
  readonly onDate?: ((date: number) => void) | undefined;
}

/** The client of one account: its reads, and the one function that sends a change. */
export interface Client {
  readonly service: OpenService;
  /** Only journal/make-change.ts gets this. */
  readonly send: SendOnce;
  /** GETs a path once for somebody else, whatever comes back. Waits for the pace. Rejects with the signal's reason if it aborts. */
  pass(
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<
    | { readonly reply: RawReply }
    | { readonly failure: { readonly kind: 'network' | 'reply'; readonly reason: string } }
  >;
  /** Closes the kept connections. */
  close(): void;
}

/**
 * Opens the client of an account without sending anything. Throws CliError 'auth' for a key that does not fit into a header,
 * 'refused' if the key would go to another origin, or unencrypted to another machine.
 */
export async function openClient(parts: ClientParts): Promise<Client> {
  return (await import('./client.ts')).createClient(parts);
}

/** The pace of a run's requests. There is no limit at first. */
export type Pace = ReturnType<typeof createPace>;

/** Spreads requests evenly over each second. The first may be sent at once. */
export function createPace(clock: Clock) {
  let apartMs = 0;
  let free = Number.NEGATIVE_INFINITY;
  const take = (now: number): number => {
    const at = Math.max(now, free);
    free = at + apartMs;
    return at;
  };
  return {
    /** Limits the requests per second from now on. */
    limit(perSecond: number) {
      apartMs = 1000 / perSecond;
    },
    /** Resolves when the next request may be sent. Rejects with the signal's reason if it aborts. */
    async next(signal?: AbortSignal) {
      if (apartMs === 0) return;
      const now = clock.monotonic();
      const at = take(now);
      if (at > now) await clock.sleep(at - now, signal);
    },
    /** Counts a request that did not wait, because a change must follow its SENT row at once. The next request waits longer. */
    count() {
      if (apartMs > 0) take(clock.monotonic());
    },
  };
}
