/** Why no reply came, in words for people. Never includes a part of the request. */

import { BodyRefused } from './service-reply.ts';

export interface Failure {
  /** `reply`: something answered, but not with HTTP that paydesk can read. */
  readonly kind: 'network' | 'reply';
  readonly reason: string;
  /** Whether retrying a read may work. */
  readonly retry: boolean;
  /** The message and code of the thrown error. The error itself is dropped: it holds the request, and so the key. */
  readonly cause: Error;
}

/** The proxy cannot be reached, or answered with `status` without connecting to the service. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly host: string;
  readonly status: number | undefined;

  constructor(host: string, status: number | undefined, options?: ErrorOptions) {
    super(`the proxy ${host} did not connect`, options);
    this.host = host;
    this.status = status;
  }
}

/** `status` is there if the reply's head had arrived. */
export function failureOf(error: unknown, host: string, status: number | undefined): Failure {
  const cause = plainCause(error);
  const chain = causes(error);
  const refused = chain.find((one) => one instanceof BodyRefused);
  if (refused !== undefined) {
    return { kind: 'reply', reason: `HTTP ${status}, ${refused.message}`, retry: false, cause };
  }
  if (status !== undefined) {
    return cause.code?.startsWith('Z_') === true || cause.code?.startsWith('ERR__ERROR_FORMAT') === true
      ? { kind: 'reply', reason: `HTTP ${status}, a reply that cannot be decompressed`, retry: false, cause }
      : { kind: 'network', reason: `HTTP ${status}, a reply that was cut off`, retry: true, cause };
  }
  const proxy = chain.find((one) => one instanceof ProxyError);
  const words = proxy === undefined ? connectionWords(cause, host) : proxyWords(proxy, cause, host);
  return { ...words, cause };
}

export function timedOut(timeoutMs: number, host: string, status: number | undefined): Failure {
  const within = `within ${timeoutMs / 1000} s`;
  const reason =
    status === undefined
      ? `no answer from ${host} ${within}`
      : `HTTP ${status}, a reply that was not complete ${within}`;
  return { kind: 'network', reason, retry: false, cause: new Error(`timed out after ${timeoutMs} ms`) };
}

const certificateCodes =
  /CERT|SELF_SIGNED|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY|CRL_|^HOSTNAME_MISMATCH$|INVALID_CA|PATH_LENGTH/;

type Words = Omit<Failure, 'cause'>;
type PlainCause = Error & { readonly code?: string };

function proxyWords(proxy: ProxyError, cause: PlainCause, host: string): Words {
  const { status } = proxy;
  if (status === undefined) {
    const words = connectionWords(cause, proxy.host);
    return { ...words, kind: 'network', reason: `no connection through the proxy: ${words.reason}` };
  }
  const reason =
    status === 407
      ? `the proxy ${proxy.host} wants a login (HTTP 407); HTTPS_PROXY can hold it: http://NAME:PASSWORD@HOST:PORT`
      : `the proxy ${proxy.host} does not connect to ${host} (HTTP ${status})`;
  return { kind: 'network', reason, retry: status >= 500 };
}

function connectionWords({ code = '', message }: PlainCause, host: string): Words {
  const network = (reason: string, retry: boolean) => ({ kind: 'network', reason, retry }) as const;
  switch (code) {
    case 'ENOTFOUND':
      return network(`the name ${host} is not known (${code})`, false);
    case 'EAI_AGAIN':
      return network(`the name ${host} could not be looked up (${code})`, true);
    case 'ECONNREFUSED':
      return network(`${host} refused the connection (${code})`, false);
    case 'ENETUNREACH':
    case 'EHOSTUNREACH':
      return network(`${host} cannot be reached (${code})`, true);
    case 'ETIMEDOUT':
      return network(`${host} did not answer in time (${code})`, true);
    default:
  }
  if (certificateCodes.test(code))
    return network(`the certificate of ${host} is not accepted (${code})`, false);
  if (code === 'EPROTO' || code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS')) {
    return network(`no secure connection to ${host} (${code})`, false);
  }
  if (code.startsWith('HPE_')) {
    return { kind: 'reply', reason: `${host} answered with something that is not HTTP`, retry: false };
  }
  if (code === '') return network(`no answer from ${host} (${message})`, true);
  return network(`the connection to ${host} was closed before a reply came (${code})`, true);
}

function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let one = error; one instanceof Error && chain.length < 8; one = one.cause) {
    chain.push(one);
    // If several addresses of a name were tried, the first failure is reported.
    if (one instanceof AggregateError && one.errors[0] instanceof Error) chain.push(one.errors[0]);
  }
  return chain;
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function plainCause(error: unknown): PlainCause {
  const chain = causes(error);
  const telling = chain.findLast((one) => codeOf(one) !== undefined) ?? chain.at(-1);
  if (telling === undefined) return new Error('no reason given');
  const code = codeOf(telling);
  // A parser's message quotes the reply, which may contain anything.
  const plain = new Error(code?.startsWith('HPE_') === true ? 'not HTTP' : telling.message);
  return code === undefined ? plain : Object.assign(plain, { code });
}
