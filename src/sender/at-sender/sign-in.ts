/** Signs in: finds a request's token, slows down wrong tokens, and turns invitations into tokens. */

import { rename, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import * as v from 'valibot';
import { CliError } from '../../errors.ts';
import type { ClockWithTimers } from '../../io.ts';
import { type FileRules, prepareOwnFolder, readOwnFile } from '../../profiles/profiles.ts';
import {
  type AccountFacts,
  hopHeaders,
  hopPaths,
  hopVersion,
  joinForm,
  maxBytes,
  nameForm,
  tokenPattern,
} from '../wire.ts';
import type { KnownToken, Members } from './members.ts';
import { type Asker, RefusedRequest, readBody, type SenderAccount, type SenderApp } from './routes.ts';
import type { ServerParts } from './server.ts';

// After this many wrong tokens from one address in a minute, replies are delayed.
const freeTries = 5;
const forgetMs = 60_000;
const firstWaitMs = 1_000;
const longestWaitMs = 8_000;
// The most delayed replies, over all addresses. Further ones get 429 at once.
const mostWaiting = 64;
const mostAddresses = 10_000;

interface SignIn {
  /** Throws RefusedRequest (401) without a valid token, with a delay after many wrong ones. */
  check(
    incoming: IncomingMessage,
    address: string,
  ): Promise<{ readonly asker: Asker; readonly token: KnownToken }>;
  /** Waits as after a wrong token, since invitations can be guessed too. */
  wrong(address: string): Promise<void>;
}

interface Tries {
  readonly count: number;
  readonly at: number;
}

export function createSignIn(parts: {
  readonly members: Pick<Members, 'find'>;
  readonly uses: LastUses;
  readonly clock: ClockWithTimers;
}): SignIn {
  const { members, uses, clock } = parts;
  const tries = new Map<string, Tries>();
  let waiting = 0;
  const wrong = async (address: string): Promise<void> => {
    const now = clock.monotonic();
    const before = tries.get(address);
    const count = before === undefined || now - before.at > forgetMs ? 1 : before.count + 1;
    // Drops the oldest first.
    tries.delete(address);
    tries.set(address, { count, at: now });
    const [oldest] = tries.keys();
    if (tries.size > mostAddresses && oldest !== undefined) tries.delete(oldest);
    if (count <= freeTries) return;
    if (waiting >= mostWaiting) throw new RefusedRequest(429, notTaken());
    waiting += 1;
    await clock.sleep(Math.min(longestWaitMs, firstWaitMs * 2 ** (count - freeTries - 1))).finally(() => {
      waiting -= 1;
    });
  };
  return {
    wrong,
    async check(incoming, address) {
      const token = await members.find(tokenIn(incoming) ?? '');
      if (token === undefined) {
        await wrong(address);
        throw new RefusedRequest(401, notTaken());
      }
      const desk = deskIn(incoming);
      uses.note(token.id, desk ?? token.desk);
      const { member, role, until } = token;
      return { asker: { member, role, desk: token.desk, token: token.id, until }, token };
    },
  };
}

/**
 * The token of a request; undefined if nothing in it has the form of one. Two Authorization headers do not count: Node would take
 * the first, and a proxy perhaps the second.
 */
export function tokenIn({ rawHeaders, headers }: IncomingMessage): string | undefined {
  const names = rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'authorization');
  const secret = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  return names.length === 1 && tokenPattern.test(secret) ? secret : undefined;
}

/** The machine's current name; undefined if missing or malformed. */
function deskIn({ headers }: IncomingMessage): string | undefined {
  const text = headers[hopHeaders.desk];
  if (typeof text !== 'string' || !/^[\x21-\x7e]{1,300}$/.test(text)) return undefined;
  try {
    const name = decodeURIComponent(text);
    return v.is(nameForm, name) ? name : undefined;
  } catch {
    return undefined;
  }
}

/** The error for an unknown or expired token. */
export function notTaken(): CliError {
  return new CliError(
    'auth',
    'the sender does not take the token of this desk: it was revoked, or it is too old',
    {
      certain: 'nothing was sent',
      now: ['ask your lead for an invitation: paydesk sender invite NAME'],
    },
  );
}

/** A token's last use by each machine name, Unix milliseconds. */
export type LastUse = Readonly<Record<string, number>>;

export interface LastUses {
  note(token: string, desk: string): void;
  /** Writes new entries in the background. If that fails, work goes on without it. */
  save(): Promise<void>;
}

const form = v.record(v.string(), v.record(v.string(), v.number()));
// Limits memory if a token is copied from machine to machine.
const mostDesks = 8;

/** The last uses in a sender's file. Nothing is written before `save`. */
export function createLastUses(
  file: string,
  rules: FileRules,
  clock: Pick<ClockWithTimers, 'now'>,
): LastUses {
  const uses = new Map(Object.entries(readLastUses(file, rules)));
  let isNew = false;
  return {
    note(token, desk) {
      const before = uses.get(token) ?? {};
      if (!Object.hasOwn(before, desk) && Object.keys(before).length >= mostDesks) return;
      uses.set(token, { ...before, [desk]: clock.now() });
      isNew = true;
    },
    async save() {
      if (!isNew) return;
      isNew = false;
      try {
        prepareOwnFolder(dirname(file), rules);
        await writeFile(`${file}.new`, `${JSON.stringify(Object.fromEntries(uses))}\n`, { mode: 0o600 });
        await rename(`${file}.new`, file);
      } catch {
        isNew = true;
      }
    },
  };
}

/** Reads a sender's file. An unreadable file counts as empty. */
export function readLastUses(file: string, rules: FileRules): Readonly<Record<string, LastUse>> {
  const text = readOwnFile(file, rules);
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), form), text ?? '{}');
  return read.success ? read.output : {};
}

// ── Joining ────────────────────────────────────────────────────────────────────────────────────────

type JoinParts = Pick<ServerParts, 'members' | 'accounts' | 'version'>;

/** Adds the only route without a token. Calls `wrong` before refusing a wrong invitation. */
export function addJoin(
  hop: SenderApp,
  parts: JoinParts,
  wrong: (incoming: IncomingMessage) => Promise<void>,
): void {
  hop.post(hopPaths.join, async (context) => {
    const { incoming, outgoing } = context.env;
    if (incoming.headers.expect?.toLowerCase() === '100-continue') outgoing.writeContinue();
    const { invitation, desk } = await readBody(context, joinForm, maxBytes.join);
    try {
      const joined = await parts.members.join(invitation, desk);
      const account = parts.accounts.get(joined.account);
      if (account === undefined)
        throw new CliError('refused', `this sender no longer serves the account ${joined.account}`, {
          certain: 'nothing was changed',
          now: ['ask whoever runs it: sender.json lists the accounts'],
        });
      const { secret, member, role, id: token } = joined;
      return Response.json({
        token: secret,
        account: factsOf(parts, account, { member, role, desk, token, until: joined.until }),
      });
    } catch (error) {
      if (!(error instanceof CliError) || error.kind !== 'auth') throw error;
      await wrong(incoming);
      throw new RefusedRequest(401, error);
    }
  });
}

export function factsOf(
  { version }: Pick<JoinParts, 'version'>,
  { name, service, settings }: SenderAccount,
  { member, role, until }: Asker,
): AccountFacts {
  const { origin, account, mode, vendor, apiVersion, lang } = service.profile;
  return {
    hop: hopVersion,
    version,
    account: name,
    member,
    role,
    until,
    origin,
    accountLine: account,
    mode,
    vendor,
    apiVersion,
    lang: lang ?? null,
    settings,
    keyFingerprint: service.keyFingerprint ?? '',
  };
}
