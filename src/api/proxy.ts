/** Chooses how requests reach a service: through HTTPS_PROXY, or directly. Node's own proxy settings do not count. */

import { CliError } from '../errors.ts';
import type { Env } from '../io.ts';
import { variable } from '../io.ts';
import type { Dispatcher } from './one-dispatch.ts';
import { dispatcherInUse } from './one-dispatch.ts';

/**
 * The dispatcher for a base URL; undefined for fetch's own. https goes through HTTPS_PROXY unless NO_PROXY names the
 * host. Plain http and this machine are never proxied: a proxy would see the key, and `localhost` would be its own machine.
 * Throws CliError 'usage' for a proxy that is no URL.
 */
export async function routeTo(baseUrl: string, env: Env): Promise<Dispatcher | undefined> {
  const { protocol, hostname } = new URL(baseUrl);
  const isProxied = protocol === 'https:' && !isThisMachine(hostname);
  const proxy = isProxied ? proxyOf(env) : undefined;
  // Before the first request there is a dispatcher only if Node uses proxies by itself (NODE_USE_ENV_PROXY, --use-env-proxy).
  if (proxy === undefined && dispatcherInUse() === undefined) return undefined;
  const { setGlobalProxyFromEnv } = await import('node:http');
  // Without any proxy here Node would take its own. `no_proxy: '*'` makes sure that the one named is never used.
  const restore = setGlobalProxyFromEnv(
    proxy === undefined
      ? { https_proxy: 'http://127.0.0.1:9', no_proxy: '*' }
      : { https_proxy: proxy, no_proxy: variable(env, 'no_proxy') ?? variable(env, 'NO_PROXY') ?? '' },
  );
  try {
    return dispatcherInUse();
  } finally {
    restore();
  }
}

function proxyOf(env: Env): string | undefined {
  const name = ['https_proxy', 'HTTPS_PROXY'].find((one) => variable(env, one) !== undefined);
  if (name === undefined) return undefined;
  const proxy = env[name] ?? '';
  if (URL.canParse(proxy) && ['http:', 'https:'].includes(new URL(proxy).protocol)) return proxy;
  // Its value may hold a password.
  throw new CliError('usage', `${name} is no URL of a proxy`, { certain: 'nothing was sent' });
}

// URL has already turned `127.1` and `0x7f000001` into 127.0.0.1, and IPv6 into its shortest form.
function isThisMachine(hostname: string): boolean {
  return (
    /(?:^|\.)localhost\.?$/.test(hostname) ||
    /^(?:127(?:\.\d{1,3}){3}|0\.0\.0\.0)$/.test(hostname) ||
    /^\[::(?:1|ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4})?\]$/.test(hostname)
  );
}
