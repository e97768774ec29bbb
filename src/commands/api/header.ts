/** `--header NAME:VALUE`: more headers, none of those that are the profile's or that would make it another request. Pure. */

import { firstRepeated, usage } from '../command.ts';
import { parsePairAt } from '../creation/flags.ts';

/** A name as typed and its value. */
export type Header = readonly [name: string, value: string];

const namePattern = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

// What paydesk says itself, or what a server may take for another method, path or host.
const ownHeaders: Readonly<Record<string, string>> = {
  authorization: 'the key comes from the profile',
  'proxy-authorization': 'proxies are set by HTTPS_PROXY',
  accept: 'use --api-version',
  'accept-language': 'use --lang',
};
const reserved =
  /^(host|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|cookie|proxy-.*|sec-.*|.*method.*|.*verb.*|.*override.*|x-(original|rewrite|forwarded|accel|envoy|host).*|forwarded)$/;

/** Reads a header. Throws CliError 'usage'. */
export function parseHeader(text: string, flagName: string): Header {
  const [name, value] = parsePairAt(':', 'NAME:VALUE', text, flagName);
  const known = name.trim().toLowerCase();
  if (!namePattern.test(known) || !/^[\t\x20-\x7e]*$/.test(value))
    throw usage(`${flagName} ${text}: not a header such as X-Request-Note:hello`);
  // Many servers take `_` in the name of a header for `-`.
  const asRead = known.replaceAll('_', '-').replace(/^-+/, '');
  const why = Object.hasOwn(ownHeaders, asRead) ? ownHeaders[asRead] : undefined;
  if (why !== undefined) throw usage(`${flagName} ${known}: ${why}`);
  if (reserved.test(asRead)) throw usage(`${flagName} ${known}: would make it another request`);
  return [known, value.trim()];
}

/** Headers as an object; undefined for none. Throws CliError 'usage' when one is given twice. */
export function headersOf(headers: readonly Header[]): Readonly<Record<string, string>> | undefined {
  const twice = firstRepeated(headers.map(([name]) => name));
  if (twice !== undefined) throw usage(`the header ${twice} is given twice`);
  return headers.length === 0 ? undefined : Object.fromEntries(headers);
}
