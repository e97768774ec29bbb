/** Reads base URLs: whether a key may be sent there, the exact origin, and the account. */

import { domainToUnicode } from 'node:url';
import type { Mode } from '../api/spec.ts';
import { CliError } from '../errors.ts';

/** A base URL that a key may be sent to. */
interface BaseUrl {
  readonly baseUrl: string;
  /** `https://host` or `https://host:port`. */
  readonly origin: string;
}

/** A base URL, or what is wrong with it. `problem` never repeats the text, which could hold a secret. */
type BaseUrlReading = BaseUrl | { readonly problem: string; readonly kind: 'usage' | 'refused' };

/** Reads a base URL: https, or http to loopback, without user, query, fragment, or a dot after the host. */
export function readBaseUrl(text: string): BaseUrlReading {
  const scheme = /^(https?):\/\/(?=[^/])/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || !URL.canParse(text))
    return { kind: 'usage', problem: 'it is not an address such as https://api.example.com' };
  const refused = (problem: string) => ({ kind: 'refused', problem }) as const;
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes('\\'))
    return refused('it must be printable ASCII without spaces; write other hosts as xn--…');
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return refused('it must not contain a user or a password');
  if (/[?#]/.test(text)) return refused('it must not have a query (?) or a fragment (#)');
  const url = new URL(text);
  if (url.hostname.endsWith('.')) return refused('its host ends with a dot');
  if (scheme === 'http' && !isLoopback(url.hostname))
    return refused('plain http is for loopback only: use https');
  return { baseUrl: url.origin + url.pathname.replace(/\/+$/, ''), origin: url.origin };
}

/** Whether a host is this machine. URL has already turned `127.1` and `0x7f000001` into 127.0.0.1, and IPv6 into its shortest form. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

export function baseUrlProblem(text: string): string | undefined {
  const reading = readBaseUrl(text);
  return 'problem' in reading ? reading.problem : undefined;
}

/** Throws CliError 'usage' or 'refused' for a base URL that may not be used. `where` goes into the message: `of profile shop`. */
export function goodBaseUrl(text: string, where: string): BaseUrl {
  const reading = readBaseUrl(text);
  if ('problem' in reading) {
    throw new CliError(reading.kind, `the base URL ${where} cannot be used: ${reading.problem}`, {
      certain: 'nothing was sent',
    });
  }
  return reading;
}

/** The host of a base URL: for lookups, and for people if it has letters beyond ASCII. */
export interface HostForms {
  readonly ascii: string;
  readonly unicode: string | undefined;
}

/** Undefined if the text is not a base URL. */
export function hostOf(text: string): HostForms | undefined {
  const reading = readBaseUrl(text);
  if ('problem' in reading) return undefined;
  const ascii = new URL(reading.baseUrl).hostname;
  const unicode = domainToUnicode(ascii);
  return { ascii, unicode: ascii.split('.').some((label) => label.startsWith('xn--')) ? unicode : undefined };
}

/** The account in one line, without the key, which can change. */
export function accountOf(origin: string, vendor: string, mode: Mode): string {
  return `${origin} ${vendor} ${mode}`;
}
