/** Sending a change once, never again, and saying honestly what is known of it. */

import type { Dispatcher } from '../io.ts';
import type { SendOnce, SendReport } from './api.ts';
import type { Evidence } from './one-dispatch.ts';
import { watchDispatch } from './one-dispatch.ts';
import type { Exchange } from './one-request.ts';

/** What the sending half of a client is made of. */
export interface SendParts {
  readonly exchange: Exchange;
  readonly overNetwork: boolean;
  readonly route?: Dispatcher | undefined;
  /** Aborts when nobody waits for the answer any more. */
  readonly leave?: AbortSignal | undefined;
  /** How far the last read got: without a channel that spoke then, its silence now proves nothing. */
  readonly lastRead: () => Evidence | undefined;
}

/** Makes the function that sends a change: one dispatch, no retry, no redirect, read to the last byte, one deadline. */
export function createSendOnce({ exchange, overNetwork, route, leave, lastRead }: SendParts): SendOnce {
  return async (request, { timeoutMs }) => {
    const read = lastRead();
    const watch = overNetwork ? await watchDispatch(1, route) : undefined;
    try {
      const dispatcher = watch?.dispatcher;
      const exchanged = await exchange({ ...request, timeoutMs, signal: leave, dispatcher });
      if ('reply' in exchanged) return { kind: 'reply', reply: exchanged.reply };
      return report(exchanged.failure, watch?.end(), read);
    } catch (error) {
      if (leave?.aborted !== true) throw error;
      const cause = new Error('stopped');
      return report({ reason: 'its answer was not waited for', cause }, watch?.end(), read);
    } finally {
      watch?.end();
    }
  };
}

function report(
  failure: { readonly reason: string; readonly cause: Error },
  evidence: Evidence | undefined,
  read: Evidence | undefined,
): SendReport {
  const { reason, cause } = failure;
  // An in-process transport has no channel: the change counts as sent from the call on.
  if (evidence === undefined) return { kind: 'no_reply', reason, cause };
  if (evidence.dispatches > 1) {
    return {
      kind: 'no_reply',
      reason: 'the answer was HTTP 421, which asks for a second sending; it was sent once',
      cause,
    };
  }
  const channelSpeaks = read?.created === true && read.headersSent;
  const provablyNot = channelSpeaks && evidence.created && !evidence.headersSent;
  return { kind: provablyNot ? 'not_sent' : 'no_reply', reason, cause };
}
