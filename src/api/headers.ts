/** What the head of a reply says: its media type, its time, how long to wait, where a redirect points. */

import type { KeyGate, RawReply } from './api.ts';

// Assumed: on these statuses a wait is meant for this request, and it is said in one of these headers; the document
// names none.
const waitStatuses: readonly number[] = [413, 429, 503];
const resetHeaders = [
  'ratelimit-reset',
  'x-ratelimit-retry-after',
  'x-ratelimit-reset',
  'x-rate-limit-reset',
] as const;

/** Everything of a reply but its body. `now` is the wall clock, Unix milliseconds. */
export function headOf(response: Response, base: URL, now: number): Omit<RawReply, 'body'> {
  const { status, headers } = response;
  return {
    status,
    contentType: (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
    date: httpDate(headers.get('date')),
    retryAfterMs: waitOf(status, headers, now),
    headers: [...headers],
    redirectTo: redirectTo(status, headers.get('location'), base),
  };
}

/** A reply with every known key masked: a service may echo one in a header or in the body. */
export function withoutKeys(reply: RawReply, gate: KeyGate): RawReply {
  const { contentType, headers = [], redirectTo, body } = reply;
  return {
    ...reply,
    contentType: gate.clean(contentType),
    headers: headers.map(([name, value]) => [gate.clean(name), gate.clean(value)]),
    redirectTo: redirectTo === undefined ? undefined : gate.clean(redirectTo),
    body: gate.cleanBody(body),
  };
}

// The long forms of HTTP dates only: Date.parse makes a date of almost anything.
function httpDate(text: string | null): number | undefined {
  if (text === null || text.length > 40 || !/^[A-Za-z]{3,9},? /.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

function seconds(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}

function waitOf(status: number, headers: Headers, now: number): number | undefined {
  const after = headers.get('retry-after');
  const inSeconds = seconds(after);
  if (inSeconds !== undefined) return inSeconds * 1000;
  const at = httpDate(after);
  if (at !== undefined) return Math.max(0, at - now);
  if (!waitStatuses.includes(status)) return undefined;
  for (const name of resetHeaders) {
    const value = seconds(headers.get(name));
    if (value !== undefined) return resetMs(value, now);
  }
  return undefined;
}

// Assumed: a small number is seconds from now, a large one a Unix time in seconds or milliseconds.
function resetMs(value: number, now: number): number {
  if (value < 1e9) return value * 1000;
  return Math.max(0, (value < 1e12 ? value * 1000 : value) - now);
}

function redirectTo(status: number, location: string | null, base: URL): string | undefined {
  if (status < 300 || status > 399 || location === null) return undefined;
  return URL.canParse(location, base.href) ? new URL(location, base).host : 'a place that is no URL';
}
