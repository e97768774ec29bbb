/** Says in words for people why no reply came. The words never contain a part of the request. */

import { BodyRefused } from './service-reply.ts';

/** Why a request got no reply. */
export interface Failure {
  /** `reply`: something answered, but not with HTTP that paydesk can read. */
  readonly kind: 'network' | 'reply';
  readonly reason: string;
  /** Whether a second try of a read may work. */
  readonly retry: boolean;
  /** The message and code of the thrown error. That error itself is not kept: it holds the request, and so the key. */
  readonly cause: Error;
}

/** The failure for an error of fetch. `status` is there if the head of the reply had arrived. */
export function failureOf(error: unknown, host: string, status: number | undefined): Failure {
  const cause = plainCause(error);
  const chain = causes(error);
  const refused = chain.find((one) => one instanceof BodyRefused);
  if (refused !== undefined) {
    return { kind: 'reply', reason: `HTTP ${status}, ${refused.message}`, retry: false, cause };
  }
  if (status !== undefined) {
    return cause.code?.startsWith('Z_') === true || cause.code?.startsWith('ERR__ERROR_FORMAT') === true
      ? { kind: 'reply', reason: `HTTP ${status}, a reply that cannot be unpacked`, retry: false, cause }
      : { kind: 'network', reason: `HTTP ${status}, a reply that was cut off`, retry: true, cause };
  }
  return { ...connectionWords(cause.code ?? '', cause.message, host), cause };
}

/** The failure of a request that ran out of time. */
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

function connectionWords(code: string, message: string, host: string): Omit<Failure, 'cause'> {
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
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return network(`${host} did not answer in time (${code})`, true);
    default:
  }
  if (certificateCodes.test(code))
    return network(`the certificate of ${host} is not accepted (${code})`, false);
  if (code === 'EPROTO' || code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS')) {
    return network(`no secure connection to ${host} (${code})`, false);
  }
  // No head has arrived, so the body cannot be the problem. fetch uses these codes also for a head that is not HTTP.
  const noHead = code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
  if (code.startsWith('HPE_') || noHead) {
    return {
      kind: 'reply',
      reason: `${host} answered with something that is not HTTP`,
      retry: false,
    };
  }
  if (message === 'bad port') return network(`the port of ${host} is never used for web requests`, false);
  if (code === '') return network(`no answer from ${host} (${message})`, true);
  return network(`the connection to ${host} was closed before a reply came (${code})`, true);
}

function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let one = error; one instanceof Error && chain.length < 8; one = one.cause) {
    chain.push(one);
    // If several addresses of one name were tried, the first failure stands for all.
    if (one instanceof AggregateError && one.errors[0] instanceof Error) chain.push(one.errors[0]);
  }
  return chain;
}

function codeOf(error: Error): string | undefined {
  // An HTTPParserError has a code only sometimes.
  if (error.name === 'HTTPParserError') return 'HPE_';
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function plainCause(error: unknown): Error & { readonly code?: string } {
  const chain = causes(error);
  const telling = chain.findLast((one) => codeOf(one) !== undefined) ?? chain.at(-1);
  if (telling === undefined) return new Error('no reason given');
  const code = codeOf(telling);
  // The message of a parser quotes the reply, and a reply may contain anything.
  const plain = new Error(code?.startsWith('HPE_') === true ? 'not HTTP' : telling.message);
  return code === undefined ? plain : Object.assign(plain, { code });
}
