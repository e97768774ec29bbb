/** The service as the rest of paydesk sees it: what is read, what is sent, and how a sending ended. */

import type { ClockWithTimers, Dispatcher } from '../io.ts';
import type { Profile } from '../profiles/profiles.ts';
import type { ResourceName } from './resources.ts';
import type { JsonObject } from './spec.ts';

export { routeTo } from './proxy.ts';
export { readOne } from './read-one.ts';

/** Masks known keys in a reply, in every spelling, so that no later code can print or store one. */
export interface KeyGate {
  clean(text: string): string;
  /** JSON stays JSON. Returns the same bytes if they hold no key. */
  cleanBody(body: Uint8Array): Uint8Array;
}

/** One record as the service sent it. */
export interface WireRecord {
  /** Parsed; an integer beyond 2^53-1 is a bigint here. A field may be of any type. */
  readonly value: JsonObject;
  /** The record's own bytes out of the reply: what `--json` and exports print. */
  readonly bytes: Uint8Array;
  /** The bytes are one line without an escape, and without a character that could be a control or be invisible. */
  readonly plain?: boolean | undefined;
}

/** Query of one page (service: Endpoints 2). At most one of `next` and `previous`. */
export interface PageQuery {
  readonly limit?: number | undefined;
  readonly next?: string | undefined;
  readonly previous?: string | undefined;
}

/** One page of a listed resource. */
export interface Page {
  readonly records: readonly WireRecord[];
  /** `has_more` of the envelope, which is about the direction of the walk. Absent reads as false. */
  readonly hasMore: boolean;
  /** The reply says that it is a list, and has `has_more`: the service states where the list ends. */
  readonly saysHasMore: boolean;
  /** How many records of this page the walk has seen before. They are left out. */
  readonly repeated: number;
}

/** Options of a walk over pages. */
export interface PagesHow {
  /** Asks for the next page before it hands a page on: for walks that go to the end. */
  readonly ahead?: boolean | undefined;
  /** Most requests per second. */
  readonly maxPerSecond?: number | undefined;
  /** Ends the request of a page that nobody waits for any more. */
  readonly signal?: AbortSignal | undefined;
  /** For a walk that goes on where another ended: the pages of that one, oldest first. Their records count as seen. */
  readonly before?: readonly WalkedBefore[] | undefined;
}

/** A page of an earlier walk. */
export interface WalkedBefore {
  /** The id that the next page was asked for with. */
  readonly last: string | undefined;
  readonly ids: readonly string[];
}

/** The result of looking for one record by its id. */
export type Located =
  | {
      readonly found: WireRecord;
      /** The record before it when it was located, to find it again quickly; absent for the first of the list. */
      readonly neighbour?: string | undefined;
    }
  /** The service says so with its own error, or a walk over the whole list did not find it. */
  | { readonly missing: true }
  /** The walk stopped at its bound: the record is not among the newest `read`. */
  | { readonly boundReached: true; readonly read: number };

/** Hints and bounds for finding one record. */
export interface LocateOptions {
  /** Where it was found before; tried first. */
  readonly neighbour?: string | undefined;
  /** How many records a fallback walk may read. */
  readonly max?: number | undefined;
  readonly progress?: ((read: number) => void) | undefined;
  /** Makes one request only: for the record after the neighbour, or the newest page. `boundReached` if the reply does not show it. */
  readonly once?: boolean | undefined;
}

/** Reads of one account. Nothing here can change anything. */
export interface Service {
  readonly profile: Profile;
  /** The last `Date` header of a reply and the wall clock when it came, Unix milliseconds. */
  readonly seenDate?: (() => { readonly date: number; readonly wall: number } | undefined) | undefined;
  /** A short hash of the key, recorded beside the account; never the key. */
  readonly keyFingerprint?: string | undefined;
  /**
   * Walks pages from the query on, forwards (or backwards from `previous`), by the id of the last (first) record.
   * Ends when `has_more` is not true. Throws CliError: 'reply', 'network', 'auth', 'rejected', and 'incomplete'
   * when paging makes no progress (service: Endpoints 2).
   */
  pages(resource: ResourceName, query: PageQuery, how?: PagesHow): AsyncIterable<Page>;
  /** Finds one record by its id, with documented paging, or directly if the profile says so. */
  locate(resource: ResourceName, id: string, options?: LocateOptions): Promise<Located>;
}

/** What a reply says besides its body. Header names are lower case. */
export interface ReplyHead {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** The reply to one GET of any path: JSON that is not an error. */
export interface AnyReply {
  readonly head: ReplyHead;
  readonly value: unknown;
  readonly bytes: Uint8Array;
}

/** A service of which any path can be read. */
export interface OpenService extends Service {
  /**
   * GETs a path relative to the base URL, query included. Throws CliError as `pages` does, and 'usage' for a path
   * that would leave the base URL.
   */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<AnyReply>;
}

/** A request that changes something; `path` is relative to the base URL, without a leading slash. */
export interface ChangeRequest {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: JsonObject | undefined;
  /** Headers besides the usual ones of every request (`api --header`). */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A reply as it came, read to its last byte. */
export interface RawReply {
  readonly status: number;
  /** The media type of Content-Type, lower case, without parameters; '' when there was none. */
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly headers?: ReplyHead['headers'] | undefined;
  /** The `Date` header, Unix milliseconds, when it parses. */
  readonly date?: number | undefined;
  /** `Retry-After`, or the reset of a rate limit, in milliseconds from now, when it parses. */
  readonly retryAfterMs?: number | undefined;
  /** The host that a redirect names; it is never followed. */
  readonly redirectTo?: string | undefined;
}

/** How one sending ended. `reason` is for people: `HTTP 502, an HTML page`, `no answer within 60 s`. */
export type SendReport =
  | { readonly kind: 'reply'; readonly reply: RawReply }
  /** It is proved that no byte of the request left. */
  | { readonly kind: 'not_sent'; readonly reason: string; readonly cause?: unknown }
  /** It may have arrived. */
  | { readonly kind: 'no_reply'; readonly reason: string; readonly cause?: unknown };

/** Sends a change once, never again: no retry, no redirect, one dispatch. Only journal/make-change.ts is handed this. */
export type SendOnce = (
  request: ChangeRequest,
  options: { readonly timeoutMs: number },
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
  /** Ends reads at once; a change that is on its way is never aborted. */
  readonly signal: AbortSignal;
  /** Ends the wait for the reply to a change: the person insists on leaving. */
  readonly leave?: AbortSignal | undefined;
  /** An in-process service instead of the network. */
  readonly transport?: typeof fetch | undefined;
  /** The dispatcher to go through, for a proxy; absent: fetch's own. */
  readonly route?: Dispatcher | undefined;
  /** Called once, when many pages were read. */
  readonly stopHeapGrowth?: () => void;
  /** Gets one line per request: method, URL, status, milliseconds. */
  readonly debug?: ((line: string) => void) | undefined;
  /** Gets the `Date` header of every reply, Unix milliseconds. */
  readonly onDate?: ((date: number) => void) | undefined;
}

/** Both halves of a client: reads, and the one function that sends a change. */
export interface Client {
  readonly service: OpenService;
  /** Only journal/make-change.ts is handed this. */
  readonly send: SendOnce;
}

/**
 * Opens the client of one account. Throws CliError 'auth' for a key that no header can carry, 'refused' when the key
 * would leave its origin or the machine unencrypted. Sends nothing yet.
 */
export async function openClient(parts: ClientParts): Promise<Client> {
  return (await import('./client.ts')).createClient(parts);
}
