/** Passes reads on to the service: an account's documented GETs, with the sender's key (service: Endpoints 2). */

import type { RawReply } from '../../api/api.ts';
import { resourceNames, resources } from '../../api/resources.ts';
import { customerIdPattern, isKeyRefusal, langPattern, mediaType, orderIdPattern } from '../../api/spec.ts';
import { CliError } from '../../errors.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { hopPaths } from '../wire.ts';
import { type HopContext, RefusedRequest, type SenderApp } from './routes.ts';

/** Adds the reads. A path that is not a documented GET gets 404, another method 405; neither leaves the sender. */
export function addReads(app: SenderApp): void {
  const behind = `${hopPaths.service(':account')}/*` as const;
  app.get(behind, read);
  app.all(behind, () => {
    throw new RefusedRequest(405, notPassed('only reads pass through a sender'));
  });
}

async function read(context: HopContext): Promise<Response> {
  const { account } = context.var;
  const { profile } = account.service;
  const path = pathOf(context, profile);
  const exchanged = await account.pass(path, headersOf(context, profile), context.req.raw.signal);
  if ('reply' in exchanged && isKeyRefusal(exchanged.reply.status)) throw keyNotTaken(exchanged.reply.status);
  if ('reply' in exchanged && exchanged.reply.status <= 599) return replyOf(exchanged.reply);
  const { kind, reason } =
    'failure' in exchanged
      ? exchanged.failure
      : ({ kind: 'reply', reason: `HTTP ${exchanged.reply.status}` } as const);
  throw new RefusedRequest(
    // A desk tries again after 502.
    kind === 'network' ? 502 : 422,
    new CliError(kind, `the sender got no reply from the service: ${reason}`, {
      certain: 'nothing was changed',
      now: ['wait a little, then run the same command again'],
    }),
  );
}

// The desk has no key to replace.
function keyNotTaken(status: number): RefusedRequest {
  return new RefusedRequest(
    422,
    new CliError('auth', `the service did not accept the key of the sender (HTTP ${status})`, {
      certain: 'nothing was changed',
      now: ['tell whoever runs the sender to set the new key with paydesk profile key, and to restart it'],
      httpStatus: status,
    }),
  );
}

const idPatterns = { orders: orderIdPattern, customers: customerIdPattern } as const;
const anyId = /^[A-Za-z0-9_-]{1,128}$/;

// Rebuilds the path behind the base URL from checked parts only.
function pathOf({ req }: HopContext, profile: Profile): string {
  const [target = '', query, ...more] = (req.raw.url.split(/^https?:\/\/[^/]*/)[1] ?? '').split('?');
  const [resource = '', id, ...deeper] = target.split('/').slice(4);
  const name = resourceNames.find((one) => resources[one].path === resource);
  if (name === undefined || more.length > 0 || deeper.length > 0) throw unknownPath();
  if (id === undefined) return `${resource}${query === undefined ? '' : `?${pageQuery(query)}`}`;
  const isDirect = profile.settings[`${name}.get`] === 'direct';
  if (query !== undefined || !isDirect || !idPatterns[name].test(id)) throw unknownPath();
  return `${resource}/${id}`;
}

function pageQuery(query: string): string {
  const parameters = query.split('&').map((text) => text.split('='));
  const names = parameters.map(([name = '']) => name);
  const isPage = parameters.every(
    ([name, value = '', ...rest]) =>
      rest.length === 0 && (name === 'limit' ? /^\d{1,6}$/ : isPlace(name) ? anyId : /^(?!)/).test(value),
  );
  if (!isPage || new Set(names).size !== names.length) throw unknownPath();
  return parameters.map(([name, value]) => `${name}=${value}`).join('&');
}

function isPlace(name: string | undefined): boolean {
  return name === 'next' || name === 'previous';
}

function unknownPath(): RefusedRequest {
  return new RefusedRequest(
    404,
    notPassed('a sender passes on documented reads only: lists of orders and customers'),
  );
}

function notPassed(what: string): CliError {
  return new CliError('refused', what, { certain: 'nothing was sent to the service' });
}

// The desk's version and language, if the service accepts their form.
function headersOf({ req }: HopContext, { vendor, apiVersion }: Profile): Readonly<Record<string, string>> {
  const asked = req.header('accept') ?? '';
  const version = /-v(\d{1,4}\.\d{1,4}\.\d{1,4})\+json$/.exec(asked)?.[1];
  const accept = mediaType(vendor, version ?? apiVersion);
  const lang = req.header('accept-language');
  return {
    accept: asked === accept ? asked : mediaType(vendor, apiVersion),
    ...(lang !== undefined && langPattern.test(lang) ? { 'accept-language': lang } : {}),
  };
}

// Headers that matter to the reader. The others are about the connection or the service's operation.
const passedHeaders: readonly string[] = [
  'content-type',
  'date',
  'location',
  'retry-after',
  'ratelimit-reset',
  'x-ratelimit-retry-after',
  'x-ratelimit-reset',
  'x-rate-limit-reset',
];

// The reply as received, but unpacked and with keys masked.
function replyOf({ status, headers = [], body }: RawReply): Response {
  const passed = headers.filter(([name]) => passedHeaders.includes(name));
  const isEmpty = status === 204 || status === 205 || status === 304;
  return new Response(isEmpty ? null : Buffer.from(body), {
    status,
    headers: passed.map(([name, value]) => [name, value]),
  });
}
