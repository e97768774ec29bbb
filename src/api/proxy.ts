/** Chooses how requests reach a service: through HTTPS_PROXY, or directly. Node's own proxy settings do not count. */

import { CliError } from '../errors.ts';
import { type Dispatcher, type Env, type Io, variable } from '../io.ts';

/**
 * The dispatcher for a base URL; undefined means fetch's own. https goes through HTTPS_PROXY unless NO_PROXY names the host.
 * Plain http and this machine never go through a proxy: it would see the key, and `localhost` would be the machine of the
 * proxy. Throws CliError 'usage' for a proxy that is not a URL.
 */
export async function routeTo(
  baseUrl: string,
  { env, dispatcherFor }: Pick<Io, 'env' | 'dispatcherFor'>,
): Promise<Dispatcher | undefined> {
  const { protocol, hostname } = new URL(baseUrl);
  const isProxied = protocol === 'https:' && !isThisMachine(hostname);
  const proxy = isProxied ? proxyOf(env) : undefined;
  if (proxy === undefined) return dispatcherFor(undefined);
  const except = variable(env, 'no_proxy') ?? variable(env, 'NO_PROXY') ?? '';
  return dispatcherFor({ url: proxy, except });
}

function proxyOf(env: Env): string | undefined {
  const name = ['https_proxy', 'HTTPS_PROXY'].find((one) => variable(env, one) !== undefined);
  if (name === undefined) return undefined;
  const proxy = env[name] ?? '';
  if (URL.canParse(proxy) && ['http:', 'https:'].includes(new URL(proxy).protocol)) return proxy;
  // The message does not show the value: it may hold a password.
  throw new CliError('usage', `${name} is not the URL of a proxy`, { certain: 'nothing was sent' });
}

// URL has already turned `127.1` and `0x7f000001` into 127.0.0.1, and IPv6 into its shortest form.
function isThisMachine(hostname: string): boolean {
  return (
    /(?:^|\.)localhost\.?$/.test(hostname) ||
    /^(?:127(?:\.\d{1,3}){3}|0\.0\.0\.0)$/.test(hostname) ||
    /^\[::(?:1|ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4})?\]$/.test(hostname)
  );
}
