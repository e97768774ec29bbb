/** Says in words what is wrong with the server of a journal. Pure. */

import { CliError, refused } from '../../errors.ts';
import { CommitUnknown, type Found, ServerError, type ServerPlace } from './server.ts';

/** The newest migration that this program knows. */
const schemaNumber = 1;

/** The server's journal in messages: `paydesk@db.example:5432/desk`. Holds no password. */
export function placeName({ user, host, port, database }: ServerPlace): string {
  return `${user}@${host}:${port}/${database}`;
}

/** Does something at the server. Its errors, and those of the connection, become refusals. */
export async function saidInWords<T>(place: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw inWords(error, place);
  }
}

/** Turns an error of the server, or of the connection, into a refusal. Returns any other as it is. */
export function inWords(error: unknown, place: string): unknown {
  if (!(error instanceof ServerError)) return error;
  // pg's own error if it has no password, or the server does not prove that it knows the password.
  const known = error.message.startsWith('SASL') ? signIn : errors[error.code];
  const what = error instanceof CommitUnknown ? 'did not confirm what was to be recorded' : 'cannot be used';
  return new CliError('refused', `the journal ${place} ${what}: ${known?.problem ?? error.message}`, {
    certain: 'nothing was sent',
    now: [known?.now ?? 'run the command again when the server answers'],
    cause: error,
  });
}

const migrate = 'at the sender: paydesk sender migrate';
const noTables = { problem: 'the database has no journal yet', now: migrate };
const signIn = {
  problem: 'the server does not let the sender in with its password',
  now: 'look at PGPASSWORD or PGPASSFILE, and at pg_hba.conf of the server',
};
const errors: Readonly<Record<string, { readonly problem: string; readonly now: string }>> = {
  '42P01': noTables,
  '3F000': noTables,
  '28P01': signIn,
  '28000': signIn,
  '3D000': { problem: 'the server has no such database', now: 'compare the name in --postgres' },
  '42501': {
    problem: 'the role may not do that',
    now: 'let the role own the database, or have its owner run: paydesk sender migrate --print-sql',
  },
  // A record needs a lock, which a standby refuses before it can say what it is.
  '25006': { problem: 'the server is a standby', now: 'connect to the primary server' },
  '55P03': { problem: 'another sender is writing to it', now: 'run the command again in a moment' },
};

/** Throws CliError 'refused' for a server that may lose confirmed rows, is a standby, or has another program's tables. */
export function refuseServer(found: Found, place: string): void {
  const refuse = (problem: string, now: string): never => {
    throw refused(`the server of the journal ${place} ${problem}`, [now]);
  };
  const schema = Number(found.schema);
  if (found.standby === 't') refuse('is a standby', 'connect to the primary server');
  for (const name of ['synchronous_commit', 'fsync', 'full_page_writes'])
    if (found[name] === 'off')
      refuse(`has ${name} = off: it may forget what was sent`, `ask whoever runs it to switch ${name} on`);
  if (schema > schemaNumber) refuse('has the tables of a newer paydesk', 'install the newer paydesk');
  if (schema < schemaNumber) refuse('has the tables of an older paydesk', migrate);
}

/** The refusal of a server that differs from before. */
export function serverDiffers(problem: string, place: string, now: readonly string[]): CliError {
  return refused(`the server of the journal ${place} ${problem}`, [
    'ask whoever runs the database what happened to it',
    ...now,
  ]);
}

/** Throws CliError 'refused' if the server lost or changed rows that this sender saw. `known`: the server's row at that number. */
export function refuseForgetful(
  seen: { readonly seq: number; readonly hash: string },
  server: { readonly seq: number; readonly known: string | null | undefined },
  place: string,
): void {
  const lacking = seen.seq - server.seq;
  if (lacking > 0)
    throw serverDiffers(`lacks ${lacking} of ${seen.seq} rows that this sender saw`, place, [
      'to give them back from the copy of this sender: paydesk journal verify --repair',
    ]);
  if (seen.seq > 0 && server.known !== seen.hash)
    throw serverDiffers(`has another row ${seen.seq} than this sender saw`, place, [
      'paydesk journal verify',
    ]);
}
