/** Reading of request bodies: capped, JSON, `{}` and nothing alike. */

import { isObject, type JsonObject } from '../api/spec.ts';
import { maxBodyBytes } from './assumptions.ts';
import type { Ruled } from './failures.ts';
import { badBody, bodyTooLarge, malformed } from './failures.ts';

/** The body as a JSON object; no body is `{}`. */
export async function readBody(request: Request): Promise<Ruled<JsonObject>> {
  const bytes = await readCapped(request);
  if (bytes === undefined) return { failure: bodyTooLarge(maxBodyBytes) };
  if (bytes.length === 0) return { value: {} };
  if (!isJsonType(request.headers.get('content-type') ?? '')) {
    return {
      failure: malformed(
        'A body needs Content-Type: application/json.',
        'Un cuerpo necesita Content-Type: application/json.',
      ),
    };
  }
  return parseObject(bytes);
}

function parseObject(bytes: Uint8Array): Ruled<JsonObject> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return { failure: malformed('The body is not JSON.', 'El cuerpo no es JSON.') };
  }
  if (isObject(value)) return { value };
  return { failure: badBody([{ kind: 'invalid', param: null, message: 'the body is no object' }]) };
}

function isJsonType(contentType: string): boolean {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  return type === 'application/json' || /^application\/[^/]+\+json$/.test(type);
}

// Undefined as soon as it is too long, with the rest unread.
async function readCapped(request: Request): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBodyBytes) return undefined;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
