/** Checks a request of `api`: its path stays under the base URL, and it is not a refund or a capture. Pure. */

import { isObject, type JsonObject } from '../api/json-values.ts';
import { type Method, orderIdPattern } from '../api/spec.ts';
import { CliError, refused } from '../errors.ts';
import { firstRepeated, recordId, usage } from '../flags/flags.ts';
import { parsePair, parsePairAt } from './create/sale-flags.ts';

// Only characters that no URL parser changes: `:` could be a scheme, `;` a parameter, `\` a slash.
const segmentPattern = /^(?:[A-Za-z0-9._~@+,=$!&*()-]|%[0-9A-Fa-f]{2})+$/;
const queryPattern = /^[!-~]*$/;
const mostCharacters = 8000;

/** Returns the path as it is sent: without a leading slash, with its query. Throws CliError 'usage'. */
export function parsePath(text: string): string {
  const relative = text.replace(/^\//, '');
  const [path = ''] = relative.split('?');
  const query = relative.slice(path.length);
  if (path.split('/').every(isSegment) && queryPattern.test(query) && !query.includes('#')) return relative;
  throw usage(`PATH ${text}: not a path under the base URL, such as /orders or 'orders?limit=5'`);
}

function isSegment(segment: string): boolean {
  if (!segmentPattern.test(segment)) return false;
  const decoded = decodedFully(segment);
  return decoded !== undefined && !/^\.{1,2}$/.test(decoded) && !/[/\\?#\p{C}]/u.test(decoded);
}

/**
 * Decodes a text until it no longer changes, because a proxy and a server may both decode it. Returns undefined for a text
 * that is too long, and for bytes that are not UTF-8, which servers read in different ways.
 */
function decodedFully(text: string): string | undefined {
  if (text.length > mostCharacters) return undefined;
  const encoded = /(?:%[0-9A-Fa-f]{2})+|%u[0-9A-Fa-f]{4}/g;
  try {
    let decoded = text;
    for (let before = ''; before !== decoded; ) {
      before = decoded;
      decoded = before.replace(encoded, (run) =>
        run[1] === 'u' ? String.fromCharCode(Number.parseInt(run.slice(2), 16)) : decodeURIComponent(run),
      );
    }
    return decoded;
  } catch {
    return undefined;
  }
}

// The segments of a path, decoded, without white space and invisible characters.
function segmentsOf(path: string): readonly string[] {
  const decoded = (decodedFully(path.split('?')[0] ?? '') ?? '').normalize('NFKC');
  const plain = (decodedFully(decoded) ?? decoded).replace(/[\p{Z}\p{C}]/gu, '');
  return plain.split(/[/\\?#;:]/);
}

function queryOf(path: string): URLSearchParams {
  const query = path.slice(path.split('?')[0]?.length);
  return new URLSearchParams(decodedFully(query) ?? query);
}

/**
 * Throws CliError 'refused' when the path of a change contains refund or capture, in any spelling. The error names the right
 * command. GET may use such a path.
 */
export function refuseMoneyRoute(method: Method, typed: string): void {
  if (method === 'GET') return;
  const segments = segmentsOf(typed);
  const verb = segments.map(moneyVerb).find((found) => found !== undefined);
  if (verb === undefined) return;
  const order = segments.find((segment) => orderIdPattern.test(segment)) ?? 'ID';
  // Somebody who wants to take a refund back must not be led to a second one.
  if (method === 'DELETE')
    throw refused(
      `${method} ${typed}: paydesk changes no ${verb} that was made, and the service documents no way to do that`,
      [`paydesk orders show ${order}`],
      'own_command',
    );
  throw new CliError(
    'refused',
    `${method} ${typed}: a ${verb} has its own command, which also checks the result`,
    { ownCode: 'own_command', now: [`paydesk orders ${verb} ${order}`] },
  );
}

// Finds the word anywhere in a segment, as in `refunds.json` or `do_refund`. Ids are skipped, because an id may contain any
// letters.
function moneyVerb(segment: string): 'refund' | 'capture' | undefined {
  if (/^(?:ord|cus)_[A-Za-z0-9]+$/.test(segment)) return undefined;
  const plain = segment.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
  if (plain.includes('refund')) return 'refund';
  return plain.includes('captur') ? 'capture' : undefined;
}

/** Throws CliError 'refused' when a name in the query or the body would make some servers use another method. */
export function refuseOverrides(path: string, body: JsonObject = {}): void {
  const names = [...queryOf(path).keys(), ...Object.keys(body)];
  const override = names.find((name) => overridePattern.test(name.replace(/[^A-Za-z]+/g, '_')));
  if (override === undefined) return;
  throw new CliError('refused', `${override}: some servers would read this as the method of the request`, {
    ownCode: 'method_override',
    now: ['say the method before the path: paydesk api METHOD PATH'],
  });
}

const overridePattern = /^_+(?:method|verb)_*$|http_?(?:method|verb)|method_?override|override_?method/i;

/**
 * The order that a change names in its path, its query or its body; undefined when it names none. Throws CliError 'usage' for
 * an order without a valid id, and 'refused' for several orders, because a change can lock only one.
 */
export function orderOf(path: string, body: JsonObject | undefined): string | undefined {
  const segments = segmentsOf(path);
  const under = segments.find((_, index) => segments[index - 1]?.toLowerCase() === 'orders');
  if (under !== undefined) recordId('orders', under, 'PATH');
  const [order, ...others] = new Set([
    ...segments.filter((segment) => orderIdPattern.test(segment)),
    ...[...queryOf(path)].flatMap(([name, value]) => namedIn(value, name)),
    ...namedIn(body),
  ]);
  if (others.length === 0) return order;
  throw new CliError('refused', `this request names several orders: ${[order, ...others].join(', ')}`, {
    ownCode: 'several_orders',
    now: ['send one request for each order'],
  });
}

// Looks at any depth for `order_id`, `orderId`, `order`, and the `id` of an object `order`. It skips `metadata`, where the
// shop keeps its own numbers.
function namedIn(value: unknown, key = ''): readonly string[] {
  const isOrder = /^orders?_?(?:ids?)?$/i.test(key);
  if (typeof value === 'string') return isOrder && orderIdPattern.test(value.trim()) ? [value.trim()] : [];
  if (Array.isArray(value)) return value.flatMap((one) => namedIn(one, key));
  if (!isObject(value)) return [];
  return Object.entries(value)
    .filter(([name]) => name !== 'metadata')
    .flatMap(([name, one]) => namedIn(one, isOrder && name === 'id' ? key : name));
}

export type BodyField = readonly [name: string, value: string | number | boolean | null];

const words: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Reads `KEY=VALUE`. The words true, false, null and whole numbers become JSON values; everything else is text. Throws CliError 'usage'. */
export function parseField(text: string, name: string): BodyField {
  const [key, value] = parsePair(text, name);
  const word = words.get(value);
  if (word !== undefined) return [key, word];
  if (!/^(0|-?[1-9][0-9]*)$/.test(value)) return [key, value];
  if (Number.isSafeInteger(Number(value))) return [key, Number(value)];
  throw usage(`${name} ${text}: too large to be sent exactly as a number; --raw-field sends it as text`);
}

/** The fields as a JSON object. Throws CliError 'usage' when one is given twice. */
export function fieldsBody(fields: readonly BodyField[]): JsonObject {
  const twice = firstRepeated(fields.map(([name]) => name));
  if (twice !== undefined) throw usage(`the field ${twice} is given twice`);
  return Object.fromEntries(fields);
}

export function withQuery(path: string, fields: readonly BodyField[]): string {
  if (fields.length === 0) return path;
  const query = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, String(value)]));
  return `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`;
}

type Header = readonly [name: string, value: string];

const namePattern = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

// Headers that paydesk sets itself. The text says what to use instead.
const ownHeaders: Readonly<Record<string, string>> = {
  authorization: 'the key comes from the profile',
  'proxy-authorization': 'proxies are set by HTTPS_PROXY',
  accept: 'use --api-version',
  'accept-language': 'use --lang',
};
// Headers that may make a server use another method, path or host.
const reserved =
  /^(host|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|cookie|proxy-.*|sec-.*|.*method.*|.*verb.*|.*override.*|x-(original|rewrite|forwarded|accel|envoy|host).*|forwarded)$/;

/** Reads a header. Throws CliError 'usage'. */
export function parseHeader(text: string, flagName: string): Header {
  const [name, value] = parsePairAt(':', 'NAME:VALUE', text, flagName);
  const known = name.trim().toLowerCase();
  if (!namePattern.test(known) || !/^[\t\x20-\x7e]*$/.test(value))
    throw usage(`${flagName} ${text}: not a header such as X-Request-Note:hello`);
  // Many servers read `_` in the name of a header as `-`.
  const asRead = known.replaceAll('_', '-').replace(/^-+/, '');
  const why = Object.hasOwn(ownHeaders, asRead) ? ownHeaders[asRead] : undefined;
  if (why !== undefined) throw usage(`${flagName} ${known}: ${why}`);
  if (reserved.test(asRead)) throw usage(`${flagName} ${known}: would turn this into a different request`);
  return [known, value.trim()];
}

/** The headers as an object; undefined when there are none. Throws CliError 'usage' when one is given twice. */
export function headersOf(headers: readonly Header[]): Readonly<Record<string, string>> | undefined {
  const twice = firstRepeated(headers.map(([name]) => name));
  if (twice !== undefined) throw usage(`the header ${twice} is given twice`);
  return headers.length === 0 ? undefined : Object.fromEntries(headers);
}
