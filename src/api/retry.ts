/** Whether a read is tried again, and when: full jitter, a cap on what a service may ask for, a budget for the whole run. */

/** How often one read is sent at most. */
const maxTries = 4;
/** The longest wait that a service may ask for. */
const maxWaitMs = 10_000;
const backoffMs = 300;
const backoffLimitMs = 3_000;

// Assumed: on these the service may answer a moment later; the document names no status.
const retryStatuses: readonly number[] = [408, 413, 425, 429, 500, 502, 503, 504];

/** How one try of a read ended, as far as trying again depends on it. */
export type Tried =
  | { readonly status: number; readonly retryAfterMs?: number | undefined }
  | { readonly retry: boolean };

/** Whether to try again, and after how long. */
export type NextTry =
  | { readonly waitMs: number }
  | { readonly stop: 'final' }
  | { readonly stop: 'wait_too_long'; readonly askedMs: number };

/** What follows the `tries`-th try. `random` gives 0 to 1. */
export function nextTry(tried: Tried, tries: number, random: () => number): NextTry {
  const again = 'status' in tried ? retryStatuses.includes(tried.status) : tried.retry;
  if (!again) return { stop: 'final' };
  const askedMs = 'status' in tried ? (tried.retryAfterMs ?? 0) : 0;
  if (askedMs > maxWaitMs) return { stop: 'wait_too_long', askedMs };
  if (tries >= maxTries) return { stop: 'final' };
  const jitter = random() * Math.min(backoffLimitMs, backoffMs * 2 ** (tries - 1));
  return { waitMs: Math.max(askedMs, jitter) };
}

/** A bucket of tokens: a second try takes one, a success gives a part of one back. */
export interface RetryBudget {
  /** True when there was a token. */
  take(): boolean;
  giveBack(): void;
}

/** A budget for one run: a service that fails all the time is not asked four times for everything. */
export function retryBudget(): RetryBudget {
  const capacity = 20;
  const perSuccess = 0.2;
  let tokens = capacity;
  return {
    take() {
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
    giveBack() {
      tokens = Math.min(capacity, tokens + perSuccess);
    },
  };
}
