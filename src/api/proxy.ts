/** Proxy variables: fetch ignores them until it is told. */

import { CliError } from '../errors.ts';

const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'];

/** Sends requests through the proxies that the environment names. Throws CliError 'usage' for a proxy that is no URL. */
export async function useProxies(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  if (names.every((name) => (env[name] ?? '') === '')) return;
  const bad = names.find((name) => !isProxy(env[name] ?? ''));
  if (bad !== undefined) {
    // Its value may hold a password.
    throw new CliError('usage', `${bad} is no URL of a proxy`, { certain: 'nothing was sent' });
  }
  const http = await import('node:http');
  http.setGlobalProxyFromEnv?.({ ...env });
}

function isProxy(text: string): boolean {
  return text === '' || (URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol));
}
