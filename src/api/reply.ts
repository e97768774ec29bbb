/** What a reply means: JSON, the service's own error, or nothing that can be trusted, in words. */

import type { CliErrorParts } from '../errors.ts';
import type { RawReply } from './api.ts';
import type { JsonDocument } from './json.ts';
import { NotJson } from './json.ts';
import type { ErrorBody } from './spec.ts';
import { errorParts, readErrorBody } from './spec.ts';

/** A reply, understood. The body decides before the HTTP status (service: Errors). */
export type Understood<D extends JsonDocument = JsonDocument> =
  | { readonly kind: 'json'; readonly document: D }
  /** The service's own error; `summary` is its first message. */
  | { readonly kind: 'error'; readonly summary: string; readonly parts: CliErrorParts }
  /** No answer of the service: `HTTP 502, an HTML page`. */
  | { readonly kind: 'odd'; readonly words: string };

/** Understands a reply, whose JSON is read by `read`. */
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
      return { kind: 'odd', words: `${http}, JSON that is no error of the service` };
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

function summaryOf(error: ErrorBody): string {
  const [first] = error.details ?? [];
  const texts = [first?.message, first?.debug_message, first?.code, error.type];
  return texts.find((text) => text !== undefined && text !== '') ?? 'it gave no reason';
}
