/** The path of `api`: checked, so that it stays under the base URL and does not go around the commands that keep money safe. Pure. */

import { type Method, orderIdPattern } from '../../api/spec.ts';
import { recordId, usage } from '../../command.ts';
import { CliError } from '../../errors.ts';
import type { Profile } from '../../ports.ts';
import { commandLine } from '../account.ts';

// Letters, digits and what no URL parser changes; `:` would be a scheme, `;` a parameter, `\` a slash.
const segmentPattern = /^(?:[A-Za-z0-9._~@+,=$!&*()-]|%[0-9A-Fa-f]{2})+$/;
const queryPattern = /^[!-~]*$/;

/** A path as it will be sent: relative, without a leading slash, query included. Throws CliError 'usage'. */
export function parsePath(text: string): string {
  const relative = text.replace(/^\//, '');
  const [path = ''] = relative.split('?');
  const query = relative.slice(path.length);
  if (path.split('/').every(isSegment) && queryPattern.test(query) && !query.includes('#')) return relative;
  throw usage(`PATH ${text}: no path under the base URL, such as /orders or 'orders?limit=5'`);
}

function isSegment(segment: string): boolean {
  if (!segmentPattern.test(segment)) return false;
  const decoded = decodedOf(segment);
  return decoded !== undefined && !/^\.{1,2}$/.test(decoded) && !/[/\\?#\p{C}]/u.test(decoded);
}

function decodedOf(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** The segments of a checked path, decoded. */
function segmentsOf(path: string): readonly string[] {
  return (path.split('?')[0] ?? '').split('/').map((segment) => decodedOf(segment) ?? segment);
}

/** Refuses the paths of refund and capture, in whatever spelling, with the command that is meant. */
export function refuseMoneyPaths(method: Method, path: string, profile: Profile): void {
  const [first = '', id = '', third = ''] = segmentsOf(path);
  const verb = moneyVerbs.get(third.toLowerCase().split('.')[0] ?? '');
  if (first.toLowerCase().split('.')[0] !== 'orders' || verb === undefined) return;
  const order = orderIdPattern.test(id) ? id : 'ID';
  throw new CliError('refused', `${method} /${path}: a ${verb} has a command of its own, which proves it`, {
    certain: 'nothing was sent',
    now: [commandLine(profile, 'orders', method === 'GET' ? 'show' : verb, order)],
  });
}

const moneyVerbs: ReadonlyMap<string, 'refund' | 'capture'> = new Map([
  ['refunds', 'refund'],
  ['refund', 'refund'],
  ['capture', 'capture'],
  ['captures', 'capture'],
]);

/** The order that a path is about; undefined for any other. Throws CliError 'usage' for an order without a valid id. */
export function orderOf(path: string): string | undefined {
  const [first = '', id] = segmentsOf(path);
  return first.toLowerCase() === 'orders' && id !== undefined ? recordId('orders', id, 'PATH') : undefined;
}
