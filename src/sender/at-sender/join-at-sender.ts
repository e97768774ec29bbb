/** How a desk joins: an invitation is turned into a token, and the desk learns what it must know of its account. */

import type { IncomingMessage } from 'node:http';
import { CliError } from '../../errors.ts';
import { type AccountFacts, hopPaths, hopVersion, joinForm, maxBytes } from '../wire.ts';
import type { Members } from './members.ts';
import { type Asker, type Hop, RefusedRequest, readBody, type SenderAccount } from './routes.ts';

interface JoinParts {
  readonly members: Members;
  readonly accounts: ReadonlyMap<string, SenderAccount>;
  readonly version: string;
}

/** Adds the one route that needs no token. `wrong`: called before a wrong invitation is refused. */
export function addJoin(
  hop: Hop,
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
      if (account === undefined) throw notServed(joined.account);
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

/** What a desk must know of its account. */
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

function notServed(account: string): CliError {
  return new CliError('refused', `this sender no longer serves the account ${account}`, {
    certain: 'nothing was changed',
    now: ['ask whoever runs it: the accounts stand in sender.json'],
  });
}
