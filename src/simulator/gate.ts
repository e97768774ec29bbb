/** Who may come in and what is asked for: the key, the vendor media type, the language (service: Authentication, Versioning). */

import { apiVersions } from '../api/spec.ts';
import { defaultLanguage, keyPrefixes, type Language, languages, neutralMediaTypes } from './assumptions.ts';
import type { Failure } from './failures.ts';
import { notAuthenticated, notOffered } from './failures.ts';

/** Why the key of a request is not taken; undefined when it is. */
export function checkKey(authorization: string | null, key: string): Failure | undefined {
  const given = keyIn(authorization ?? '');
  if (given === key) return undefined;
  if (given === undefined) {
    return notAuthenticated('missing_key', 'An API key is required.', 'Se requiere una llave de API.');
  }
  // Assumed: the public key, made for tokenizing cards, is no key of these operations.
  if (given.startsWith(keyPrefixes.public)) {
    return notAuthenticated('public_key', 'Use the private key.', 'Usa la llave privada.');
  }
  return notAuthenticated('invalid_key', 'The API key is not valid.', 'La llave de API no es válida.');
}

/** The key out of Bearer, or out of Basic as the user name with an empty password. */
function keyIn(authorization: string): string | undefined {
  const [scheme, value] = authorization.trim().split(/ +/);
  if (value === undefined) return undefined;
  if (scheme?.toLowerCase() === 'bearer') return value;
  if (scheme?.toLowerCase() !== 'basic') return undefined;
  const pair = Buffer.from(value, 'base64').toString('utf8');
  // A Basic value without a colon is a key without the empty password.
  return pair.endsWith(':') ? pair.slice(0, -1) : pair;
}

/** Why nothing that Accept asks for can be answered; undefined when something can. */
export function checkAccept(accept: string | null, vendors: readonly string[]): Failure | undefined {
  const types = (accept ?? '*/*').split(',').map((part) => part.split(';')[0]?.trim().toLowerCase() ?? '');
  if (types.some((type) => isNeutral(type) || isOffered(type, vendors))) return undefined;
  const offered = vendors
    .map((vendor) => `application/vnd.${vendor}-v${apiVersions.join('|')}+json`)
    .join(', ');
  return notOffered(
    `Accept ${accept ?? ''} is not offered; offered: ${offered}`,
    `Accept ${accept ?? ''} no se ofrece; se ofrece: ${offered}`,
  );
}

function isNeutral(type: string): boolean {
  return neutralMediaTypes.some((neutral) => neutral === type);
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
  const wanted = (acceptLanguage ?? '')
    .split(',')
    .map((part) => {
      const [tag, quality] = part
        .trim()
        .toLowerCase()
        .split(/;\s*q=/);
      return { language: tag?.split('-')[0], quality: Number(quality ?? 1) };
    })
    .sort((a, b) => b.quality - a.quality);
  for (const { language } of wanted) {
    const spoken = languages.find((known) => known === language);
    if (spoken !== undefined) return spoken;
  }
  return defaultLanguage;
}
