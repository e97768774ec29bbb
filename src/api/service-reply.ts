/** Reads a reply: its head and body, with a size limit and known keys masked, and then its meaning. */

import type { CliErrorParts } from '../errors.ts';
import type { KeyGate, RawReply } from './api.ts';
import { type ErrorBody, errorParts, partsOfReply, readErrorBody } from './records.ts';
import { type JsonDocument, NotJson } from './reply-json.ts';

// Assumed: with these statuses, one of these headers says how long to wait before a retry. The document names no such header.
const waitStatuses: readonly number[] = [413, 429, 503];
const resetHeaders = [
  'ratelimit-reset',
  'x-ratelimit-retry-after',
  'x-ratelimit-reset',
  'x-rate-limit-reset',
] as const;

/** Everything but the body. `now`: the wall clock, Unix milliseconds. */
export function headOf(response: Response, base: URL, now: number): Omit<RawReply, 'body'> {
  const { status, headers } = response;
  return {
    status,
    contentType: (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
    date: httpDate(headers.get('date')),
    retryAfterMs: waitOf(status, headers, now),
    headers: [...headers].sort(([one], [other]) => (one < other ? -1 : 1)),
    redirectTo: redirectTo(status, headers.get('location'), base),
  };
}

/** Masks every known key: a service may send a key back in a header or in the body. */
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

// Accepts only the long forms of HTTP dates, because Date.parse makes a date out of almost anything.
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
  return URL.canParse(location, base.href) ? new URL(location, base).host : 'an address that is not a URL';
}

// The largest body after decoding: far more than a page of 250 orders, and far less than the memory.
const maxBodyBytes = 32 * 1024 * 1024;

const encodings = ['gzip', 'x-gzip', 'deflate', 'br', 'identity'];

/** The body is not read. The message gives the reason and follows "HTTP 200, ". */
export class BodyRefused extends Error {
  override readonly name = 'BodyRefused';
}

/** Throws BodyRefused, or the connection's error. */
export async function readBody(response: Response): Promise<Uint8Array> {
  const refusal = refuse(response.headers);
  if (refusal !== undefined) throw new BodyRefused(refusal);
  const whole = blockFor(response.headers);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    const at = size;
    size += chunk.byteLength;
    if (size > maxBodyBytes) throw new BodyRefused(tooLarge);
    if (whole === undefined) chunks.push(chunk);
    else if (size > whole.length) throw new Error('the body is longer than its content-length');
    else {
      whole.set(chunk, at);
      freeMemory(chunk);
    }
  }
  return whole?.subarray(0, size) ?? Buffer.concat(chunks, size);
}

// One block for the whole body, if its length is known. Each piece is copied into it and freed at once. Otherwise an export would
// hold every page twice until the next garbage collection.
function blockFor(headers: Headers): Buffer | undefined {
  const length = Number(headers.get('content-length'));
  const isPlain = headers.get('content-encoding') === null;
  return isPlain && length > 0 ? Buffer.allocUnsafeSlow(length) : undefined;
}

// Frees a piece's memory unless it is shared. Pieces from a socket have their own.
function freeMemory(piece: Uint8Array): void {
  const { buffer, byteLength } = piece;
  if (Buffer.isBuffer(piece) && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength)
    buffer.transfer(0);
}

// Encodings are checked before the first byte is read.
function refuse(headers: Headers): string | undefined {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding.includes(',')) return 'a reply that is compressed more than once';
  if (encoding !== '' && !encodings.includes(encoding))
    return 'a reply compressed in a way that paydesk does not know';
  return Number(headers.get('content-length')) > maxBodyBytes ? tooLarge : undefined;
}

const tooLarge = `a reply larger than ${maxBodyBytes / 1024 / 1024} MiB`;

/** What a reply means. The body decides before the HTTP status (service: Errors). */
type Understood<D extends JsonDocument = JsonDocument> =
  | { readonly kind: 'json'; readonly document: D }
  /** An error of the service. `summary`: its first message. */
  | { readonly kind: 'error'; readonly summary: string; readonly parts: CliErrorParts }
  /** JSON with an error status, but not in the service's error form. `summary`: its text. */
  | { readonly kind: 'other_error'; readonly summary: string; readonly parts: CliErrorParts }
  /** Not a reply of the service: `HTTP 502, an HTML page`. */
  | { readonly kind: 'odd'; readonly words: string };

/** Finds out what a reply means. `read` parses its JSON. */
export function understand<D extends JsonDocument>(
  reply: RawReply,
  read: (received: Uint8Array) => D,
): Understood<D> {
  const http = `HTTP ${reply.status}`;
  if (reply.status >= 300 && reply.status <= 399) {
    const to = reply.redirectTo === undefined ? '' : ` to ${reply.redirectTo}`;
    return { kind: 'odd', words: `${http}, a redirect${to}` };
  }
  if (reply.body.length === 0) return { kind: 'odd', words: `${http}, an empty body` };
  try {
    const document = read(reply.body);
    const error = readErrorBody(document.value);
    if (error !== undefined) {
      return { kind: 'error', summary: summaryOf(error), parts: errorParts(error, reply.status) };
    }
    if (reply.status < 200 || reply.status > 299) {
      const parts = partsOfReply(document.value, reply.status);
      return { kind: 'other_error', summary: textOf(parts, reply.body), parts };
    }
    return { kind: 'json', document };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return { kind: 'odd', words: `${http}, ${isHtml(reply) ? 'an HTML page' : error.message}` };
  }
}

function isHtml(reply: RawReply): boolean {
  const start = new TextDecoder('latin1').decode(reply.body.subarray(0, 256)).trimStart().toLowerCase();
  return reply.contentType === 'text/html' || start.startsWith('<!doctype html') || start.startsWith('<html');
}

// The message, or else the start of the JSON.
function textOf({ details = [] }: CliErrorParts, body: Uint8Array): string {
  const [first] = details;
  if (first?.message !== undefined) return first.message;
  const text = new TextDecoder().decode(body).trim().replace(/\s+/g, ' ');
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}

const longestText = 300;

function summaryOf(error: ErrorBody): string {
  const [first] = error.details ?? [];
  const texts = [first?.message, first?.debug_message, first?.code, error.type];
  return texts.find((text) => text !== undefined && text !== '') ?? 'the service gave no reason';
}
