/** Reads and checks a request: key, version, language, body and page (service: Authentication, Versioning, Endpoints 2). */

import { parseAccept } from 'hono/utils/accept';
import { isObject, type JsonObject } from '../api/json-values.ts';
import { apiVersions } from '../api/spec.ts';
import {
  badBody,
  badParameter,
  type Failure,
  type Language,
  languages,
  malformed,
  notAuthenticated,
  notOffered,
  type Ruled,
} from './failures.ts';
import type { PageRequest } from './store.ts';

// Assumed: the public key of a shop begins like this.
const publicKeyPrefix = 'pub_';
// Assumed: an Accept header that names no vendor's type gets the newest version.
const neutralMediaTypes: readonly string[] = ['*/*', 'application/*', 'application/json'];
// Assumed: messages are in English unless Accept-Language asks for Spanish.
const defaultLanguage = 'en';
// Assumed: the sizes of pages. The examples use 5 and 20 (service: Limits 1).
const pageSizes = { default: 20, min: 1, max: 250 } as const;

/** The error for a missing or wrong key; undefined if it is right. */
export function checkKey(authorization: string | null, key: string): Failure | undefined {
  const given = keyIn(authorization ?? '');
  if (given === key) return undefined;
  if (given === undefined) {
    return notAuthenticated('missing_key', 'An API key is required.', 'Se requiere una llave de API.');
  }
  // Assumed: these operations refuse the public key, which is for tokenizing cards.
  if (given.startsWith(publicKeyPrefix)) {
    return notAuthenticated('public_key', 'Use the private key.', 'Usa la llave privada.');
  }
  return notAuthenticated('invalid_key', 'The API key is not valid.', 'La llave de API no es válida.');
}

// The key is a Bearer token, or the user name in Basic with an empty password. hono's bearerAuth and basicAuth take one scheme
// each, and their errors differ from the service's.
function keyIn(authorization: string): string | undefined {
  const [scheme, value] = authorization.trim().split(/ +/);
  if (value === undefined) return undefined;
  if (scheme?.toLowerCase() === 'bearer') return value;
  if (scheme?.toLowerCase() !== 'basic') return undefined;
  const pair = Buffer.from(value, 'base64').toString('utf8');
  // Without a colon there is no password, and the whole value is the key.
  return pair.endsWith(':') ? pair.slice(0, -1) : pair;
}

/** The error for an Accept header without a format of the simulator; undefined if there is one. */
export function checkAccept(accept: string | null, vendors: readonly string[]): Failure | undefined {
  const types = parseAccept(accept ?? '*/*').map(({ type }) => type.toLowerCase());
  if (types.some((type) => neutralMediaTypes.includes(type) || isOffered(type, vendors))) return undefined;
  const offered = vendors
    .map((vendor) => `application/vnd.${vendor}-v${apiVersions.join('|')}+json`)
    .join(', ');
  return notOffered(
    `Accept ${accept ?? ''} is not offered; offered: ${offered}`,
    `Accept ${accept ?? ''} no se ofrece; se ofrece: ${offered}`,
  );
}

function isOffered(type: string, vendors: readonly string[]): boolean {
  const match = /^application\/vnd\.(.+)-v(\d+\.\d+\.\d+)\+json$/.exec(type);
  if (match === null) return false;
  const [, vendor, version] = match;
  return (
    vendors.some((offered) => offered.toLowerCase() === vendor) &&
    apiVersions.some((offered) => offered === version)
  );
}

/** The first language of Accept-Language that the simulator speaks. */
export function languageOf(acceptLanguage: string | null): Language {
  const wanted = parseAccept(acceptLanguage ?? '').map(({ type }) => type.toLowerCase().split('-')[0]);
  const spoken = wanted.flatMap((one) => languages.find((known) => known === one) ?? []);
  return spoken[0] ?? defaultLanguage;
}

/** The body as a JSON object. An empty body counts as `{}`. app.ts has already refused a body that is too large. */
export async function readBody(request: Request): Promise<Ruled<JsonObject>> {
  const bytes = new Uint8Array(await request.arrayBuffer());
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
  return { failure: badBody([{ kind: 'invalid', param: null, message: 'the body is not an object' }]) };
}

function isJsonType(contentType: string): boolean {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  return type === 'application/json' || /^application\/[^/]+\+json$/.test(type);
}

/** The requested page. Ignores unknown parameters. */
export function pageRequestOf(query: URLSearchParams): Ruled<PageRequest> {
  const { min, max } = pageSizes;
  const text = query.get('limit') ?? String(pageSizes.default);
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(limit >= min && limit <= max)) {
    return {
      failure: badParameter(
        'limit',
        `limit is a whole number from ${min} to ${max}.`,
        `limit es un entero de ${min} a ${max}.`,
      ),
    };
  }
  const next = query.get('next') ?? undefined;
  const previous = query.get('previous') ?? undefined;
  if (next !== undefined && previous !== undefined) {
    return {
      failure: badParameter(
        'previous',
        'next and previous exclude each other.',
        'next y previous se excluyen.',
      ),
    };
  }
  return { value: { limit, next, previous } };
}
