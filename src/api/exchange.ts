/** One request and its reply, or why there is none. client.ts makes it out of ky. */

import type { Dispatcher } from '../io.ts';
import type { RawReply } from './api.ts';
import type { Failure } from './failure.ts';

import type { JsonObject, Method } from './spec.ts';

/** One request, without what every request carries. */
export interface WireRequest {
  readonly method: Method;
  /** Relative to the base URL, without a leading slash; the query included. */
  readonly path: string;
  readonly body?: JsonObject | undefined;
  /** More than those of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** From connect to the last byte of the body. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly dispatcher?: Dispatcher | undefined;
}

/** The reply, or why there is none. */
export type Exchanged = { readonly reply: RawReply } | { readonly failure: Failure };

/** Sends one request once. Rejects with the signal's reason when it aborts, with CliError 'usage' for a bad path. */
export type Exchange = (request: WireRequest) => Promise<Exchanged>;
