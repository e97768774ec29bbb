/** Joins a desk to a sender, and later asks the sender about the desk's account and member. */

import * as v from 'valibot';
import type { Client, RawReply } from '../../api/api.ts';
import { CliError } from '../../errors.ts';
import type { SenderOfProfile } from '../../profiles/profiles.ts';
import { draftOf, type JoinedDesk, senderErrorIn } from '../sender.ts';
import {
  type AccountFacts,
  accountForm,
  hopPaths,
  hopVersion,
  type Invitation,
  joinedForm,
} from '../wire.ts';

/**
 * Turns an invitation into a token. `client` has the sender's address. Throws CliError 'auth' if the invitation is not accepted.
 */
export async function joinSender(
  client: Pick<Client, 'send'>,
  how: { readonly invitation: Invitation; readonly desk: string; readonly timeoutMs: number },
): Promise<JoinedDesk> {
  const { invitation, desk, timeoutMs } = how;
  const { origin } = new URL(invitation.sender);
  const body = { hop: hopVersion, invitation: invitation.invitation, desk };
  const report = await client.send({ method: 'POST', path: hopPaths.join.slice(1), body }, { timeoutMs });
  if (report.kind !== 'reply')
    throw silent(origin, report.reason, [
      `does it run? curl ${origin}${hopPaths.health}`,
      'run the same command again; if the invitation no longer works, ask your lead for a new one',
    ]);
  const { token, account } = readReply(report.reply, joinedForm, origin);
  return { token, draft: draftOf(account, { origin, desk }) };
}

/** What a profile's sender says about the account and this desk. `client` has the sender's address and the token. */
export async function askSender(
  client: Pick<Client, 'pass'>,
  { origin, account }: Pick<SenderOfProfile, 'origin' | 'account'>,
  signal: AbortSignal,
): Promise<AccountFacts> {
  const exchanged = await client.pass(hopPaths.account(account).slice(1), {}, signal);
  if ('reply' in exchanged) return readReply(exchanged.reply, accountForm, origin);
  throw silent(origin, exchanged.failure.reason, [`does it run? curl ${origin}${hopPaths.health}`]);
}

function readReply<const Form extends v.GenericSchema>(
  reply: RawReply,
  form: Form,
  origin: string,
): v.InferOutput<Form> {
  const error = senderErrorIn(reply);
  if (error !== undefined) throw error;
  const text = Buffer.from(reply.body).toString('utf8');
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), form), text);
  if (read.success) return read.output;
  throw new CliError(
    'reply',
    `what answers at ${origin} is not a sender, or has another version (HTTP ${reply.status})`,
    {
      certain: 'nothing was changed here',
      now: ['compare the versions: paydesk --version here, and at the sender'],
    },
  );
}

function silent(origin: string, reason: string, now: readonly string[]): CliError {
  return new CliError('network', `the sender at ${origin} does not answer: ${reason}`, {
    certain: 'nothing was changed here',
    now,
  });
}
