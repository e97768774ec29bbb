/** What a sender's routes share: who asks, about which account, and how to refuse. */

import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import * as v from 'valibot';
import type { Client } from '../../api/api.ts';
import { livemodeOf } from '../../api/spec.ts';
import { CliError, type ErrorKind, refused } from '../../errors.ts';
import { type AttemptRecord, isOfLivemode, isSameOrigin } from '../../journal/journal.ts';
import type { HowWorked } from '../../plans/plans.ts';
import type { SettingTexts } from '../../profiles/profiles.ts';
import { errorToWire, hopHeaders, mayAct, mediaTypes, type Role } from '../wire.ts';

/** Who sends a request: a member at one of their desks. */
export interface Asker {
  readonly member: string;
  readonly role: Role;
  /** The machine's name, given when it joined. */
  readonly desk: string;
  /** The token's public id, and when it expires (Unix milliseconds). */
  readonly token: string;
  readonly until: number;
}

/** An account of the sender: its profile with the key, and the connection to the service shared by all desks. */
export interface SenderAccount extends Pick<Client, 'service' | 'send' | 'pass'> {
  readonly name: string;
  readonly settings: SettingTexts;
  /**
   * The profile with the limits that apply now, tightened by the policy of the desk's machine. Throws CliError 'refused' if this
   * machine's policy forbids the command.
   */
  profileNow(command: string, ofDesk?: HowWorked['policy']): Promise<Client['service']['profile']>;
  /** Throws CliError 'refused' for a command that moves no money and that this machine's policy turns off. */
  refuseOff(command: string): Promise<void>;
}

/**
 * Whether an attempt may belong to an account, by address and mode, since a sandbox may share production's address. An attempt that
 * lost its account belongs to all.
 */
export function canBeOf({ sent }: AttemptRecord, { service }: Pick<SenderAccount, 'service'>): boolean {
  const { origin, mode } = service.profile;
  return sent.origin === '' || (isSameOrigin(sent.origin, origin) && isOfLivemode(sent, livemodeOf[mode]));
}

/**
 * Every route behind the token has `context.var.asker`, and `context.var.account` for the path's account. The token is valid for
 * that account; nothing else is checked.
 */
export type HopEnv = { Bindings: HttpBindings; Variables: { asker: Asker; account: SenderAccount } };
export type HopContext = Context<HopEnv>;
/** The app. Each part of the sender adds its routes: `addReads(app, …)`, `addJournal(app, …)`, `addChanges(app, …)`. */
export type SenderApp = Hono<HopEnv>;

/** Throws CliError 'refused' unless the member's role includes this one. `what`: `send refunds`. */
export function needRole({ member, role }: Pick<Asker, 'member' | 'role'>, as: Role, what: string): void {
  if (mayAct(role, as)) return;
  throw refused(`${member} is ${role === 'operator' ? 'an' : 'a'} ${role} and may not ${what}`, [
    `ask your lead for the role ${as}`,
  ]);
}

// Desks use the error in the body. The status is for proxies and log readers.
const statusOf: Partial<Record<ErrorKind, number>> = {
  usage: 400,
  auth: 401,
  refused: 403,
  rejected: 422,
  not_found: 404,
  network: 502,
  unconfirmed: 502,
};

/** The reply to an error: the error as data, with a status for its kind unless one is given. */
export function errorReply(
  error: unknown,
  status?: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const wire = errorToWire(error);
  return new Response(JSON.stringify({ error: wire }), {
    status: status ?? statusOf[wire.kind] ?? 500,
    headers: { ...headers, 'content-type': mediaTypes.json, [hopHeaders.error]: wire.kind },
  });
}

/** A refusal with its own status: `too large` with 413, `closed for good` with 410. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  readonly status: number;
  readonly error: CliError;

  constructor(status: number, error: CliError) {
    super(error.message);
    this.status = status;
    this.error = error;
  }
}

/**
 * The body of a request, part by part. Throws RefusedRequest (413) for more than `maxBytes`; a body that announces more is not
 * read.
 */
export async function* bodyIn({ req: { raw } }: HopContext, maxBytes: number): AsyncGenerator<Uint8Array> {
  const tooLarge = badRequest(`the request has more than ${maxBytes} bytes`, 413);
  if (Number(raw.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge;
  let size = 0;
  for await (const chunk of raw.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge;
    yield chunk;
  }
}

/** The body as JSON of this form. Throws RefusedRequest as `bodyIn` does, or 400 for another form. */
export async function readBody<const Form extends v.GenericSchema>(
  context: HopContext,
  form: Form,
  maxBytes: number,
): Promise<v.InferOutput<Form>> {
  const text = Buffer.concat(await Array.fromAsync(bodyIn(context, maxBytes))).toString('utf8');
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), v.check(isShallow), form), text);
  if (read.success) return read.output;
  const [issue] = read.issues;
  const field = v.getDotPath(issue);
  throw badRequest(
    `the request is not of the form that this sender takes${field === null ? '' : `: ${field}`}`,
  );
}

// No desk sends anything this deep, and serializing recurses per level.
const deepest = 64;

function isShallow(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= deepest && level.length > 0; depth += 1)
    level = level.flatMap((one): unknown[] => (isNested(one) ? Object.values(one) : []));
  return level.length === 0;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The refusal of a member who has no place left: see `shares.ts`. */
export function tooMany(): RefusedRequest {
  return new RefusedRequest(
    429,
    new CliError('network', 'you have too many requests at this sender at once', {
      certain: 'nothing was sent',
      now: ['wait for your other runs, then run it again'],
    }),
  );
}

/** The refusal of a change or a plan by a sender that is being stopped. */
export function stopping(): RefusedRequest {
  return new RefusedRequest(
    503,
    new CliError('network', 'the sender is being stopped', {
      certain: 'nothing was sent',
      now: ['run the same command again in a moment'],
    }),
  );
}

/** The refusal of a request that no desk of this version sends. */
export function badRequest(what: string, status = 400): RefusedRequest {
  return new RefusedRequest(status, new CliError('usage', what, { certain: 'nothing was sent' }));
}
