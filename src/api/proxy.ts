/** Chooses how requests reach a service: through HTTPS_PROXY, or directly. Ignores Node's proxy settings. */

import { CliError, orUndefined } from '../errors.ts';
import { type Env, variable } from '../io.ts';

/**
 * The proxy for a base URL; undefined if there is none. https goes through HTTPS_PROXY unless NO_PROXY names the host. Plain http
 * and this machine never use a proxy: it would see the key, and take `localhost` for itself. Throws CliError 'usage' for a proxy
 * that is not a URL, or whose login cannot be decoded.
 */
export function proxyFor(baseUrl: string, env: Env): URL | undefined {
  const to = new URL(baseUrl);
  if (to.protocol !== 'https:' || isThisMachine(to.hostname)) return undefined;
  const name = ['https_proxy', 'HTTPS_PROXY'].find((one) => variable(env, one) !== undefined);
  if (name === undefined) return undefined;
  const proxy = URL.parse(env[name] ?? '');
  if (proxy === null || !['http:', 'https:'].includes(proxy.protocol)) {
    // The value is not shown: it may hold a password.
    throw new CliError('usage', `${name} is not the URL of a proxy`, { certain: 'nothing was sent' });
  }
  if (orUndefined(() => decodeURIComponent(`${proxy.username}:${proxy.password}`)) === undefined) {
    throw new CliError('usage', `the login in ${name} has a % that is not part of a valid code such as %40`, {
      certain: 'nothing was sent',
      now: ['write % as %25 in the name and the password of the proxy'],
    });
  }
  const except = variable(env, 'no_proxy') ?? variable(env, 'NO_PROXY') ?? '';
  return isExcepted(to, except) ? undefined : proxy;
}

// NO_PROXY lists hosts, including their subdomains: `shop.example`, `.example`, `*.example`, `shop.example:8443`, or `*`.
function isExcepted({ hostname, port }: URL, except: string): boolean {
  if (except.trim() === '*') return true;
  return except.split(/[,\s]+/).some((entry) => {
    const [, name = entry, only] = /^(.+):(\d+)$/.exec(entry) ?? [];
    const host = name.replace(/^\*?\./, '').toLowerCase();
    if (host === '' || (only !== undefined && only !== (port || '443'))) return false;
    return hostname === host || hostname.endsWith(`.${host}`);
  });
}

// URL has already turned `127.1` and `0x7f000001` into 127.0.0.1, and IPv6 into its shortest form.
function isThisMachine(hostname: string): boolean {
  return (
    /(?:^|\.)localhost\.?$/.test(hostname) ||
    /^(?:127(?:\.\d{1,3}){3}|0\.0\.0\.0)$/.test(hostname) ||
    /^\[::(?:1|ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4})?\]$/.test(hostname)
  );
}
