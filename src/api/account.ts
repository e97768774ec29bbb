/** Where one account's requests go and what they carry: base URL and headers. */

import { CliError } from '../errors.ts';
import type { Profile } from '../profiles/profiles.ts';
import { keyPattern, mediaType } from './spec.ts';

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The base URL with a trailing slash. Throws CliError 'refused' when the key would go elsewhere than to its origin,
 * or over plain http to another machine.
 */
export function baseOf(profile: Profile, overNetwork: boolean): URL {
  if (!URL.canParse(profile.baseUrl)) throw refused(profile, 'its base URL is no URL');
  const base = new URL(`${profile.baseUrl.replace(/\/+$/, '')}/`);
  if (!overNetwork) return base;
  if (base.username !== '' || base.password !== '') throw refused(profile, 'its base URL holds a user name');
  if (base.search !== '' || base.hash !== '') throw refused(profile, 'its base URL holds a query');
  if (base.protocol !== 'https:' && !(base.protocol === 'http:' && loopback.test(base.hostname))) {
    throw refused(profile, `${base.origin} is not https`);
  }
  if (base.origin !== profile.origin) {
    throw refused(profile, `its key belongs to ${profile.origin}, its base URL is at ${base.origin}`);
  }
  return base;
}

function refused(profile: Profile, why: string): CliError {
  return new CliError('refused', `profile ${profile.name}: ${why}`, {
    certain: 'nothing was sent',
    now: [`paydesk profile show ${profile.name}`],
  });
}

/**
 * A path under the base, as it is sent. Throws CliError 'usage' when it would name another place:
 * `..`, a leading slash, another host, a fragment.
 */
export function urlUnder(base: URL, path: string): URL {
  const url = URL.canParse(path, base.href) ? new URL(path, base) : undefined;
  const [pathname] = path.split('?');
  if (url?.origin !== base.origin || url.pathname !== base.pathname + pathname || url.hash !== '') {
    throw new CliError('usage', `${JSON.stringify(path)} is no path under the base URL`, {
      certain: 'nothing was sent',
    });
  }
  return url;
}

/** How a profile's key can be replaced. */
function keyHint(profile: Profile): string {
  return profile.kind === 'environment'
    ? 'set PAYDESK_API_KEY or PAYDESK_KEY_FILE to a key of this account'
    : `paydesk profile key ${profile.name}`;
}

/** The headers of every request (service: Authentication 3, 4 and 7, Versioning 1). Throws CliError 'auth' for a key that no header can carry. */
export function headersOf(profile: Profile, key: string, version: string): Record<string, string> {
  if (!keyPattern.test(key)) {
    throw new CliError(
      'auth',
      key === ''
        ? `the key of profile ${profile.name} is empty`
        : `the key of profile ${profile.name} holds characters that no key has: a space, a line break or an accent`,
      { certain: 'nothing was sent', now: [keyHint(profile)] },
    );
  }
  return {
    authorization: profile.auth === 'basic' ? `Basic ${basic(key)}` : `Bearer ${key}`,
    accept: mediaType(profile.vendor, profile.apiVersion),
    'user-agent': `paydesk/${version}`,
    ...(profile.lang === undefined ? {} : { 'accept-language': profile.lang }),
  };
}

// The key as user name, with an empty password (service: Authentication 4).
function basic(key: string): string {
  return Buffer.from(`${key}:`, 'latin1').toString('base64');
}
