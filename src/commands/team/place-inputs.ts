/** What the team commands share: flags and questions for the server of a team, its passwords, and the invitation. */

import { CliError } from '../../errors.ts';
import { type Invitation, readInvitation, type TeamDoor, type TeamPlace } from '../../team/team.ts';
import type { Context, Input } from '../command.ts';
import { flag } from '../flags.ts';

const fileSize = 200_000;
const passwordSize = 4096;

const serverFlags = {
  host: flag.text({ value: 'HOST', summary: 'the server' }),
  port: flag.integer(1, 65_535, { value: 'PORT', summary: 'its port', defaultText: '5432' }),
  database: flag.text({ value: 'NAME', summary: 'the database' }),
  schema: flag.text({ value: 'NAME', summary: 'the schema of the journal', defaultText: 'paydesk' }),
  ca: flag.text({
    value: 'FILE',
    summary: 'TLS: certificate (PEM) of the authority that issued the certificate of the server',
  }),
  tls: flag.switch({ summary: 'TLS with a certificate that this system trusts' }),
} as const;

/** Flags of the commands that sign in at a server. */
export const placeFlags = {
  from: flag.text({
    value: 'FILE',
    summary: "the team's invitation",
    conflicts: ['host', 'port', 'database', 'schema', 'ca', 'tls'],
  }),
  ...serverFlags,
  user: flag.text({ value: 'NAME', summary: 'who signs in there' }),
  'password-stdin': flag.switch({ summary: 'read the password from standard input' }),
} as const;

/** The same for those that a database administrator may run by hand. */
export const adminFlags = {
  ...placeFlags,
  'print-sql': flag.switch({ summary: 'print the statements for an administrator, and connect to nothing' }),
} as const;

type PlaceValues = Input<readonly [], typeof placeFlags>['flags'];

/** A server, as flags, an invitation or answers name it; and the journal that it must have. */
interface NamedPlace {
  readonly place: TeamPlace;
  readonly journal: string | undefined;
}

/** Reads where the server is, and asks for what is missing. `user`: the question for the name. */
export async function takePlace(
  ctx: Context,
  flags: PlaceValues,
  known: TeamPlace | undefined,
  user: string,
): Promise<NamedPlace> {
  const named = flags.from === undefined ? undefined : await readFrom(ctx, flags.from, flags);
  const where = named ?? known;
  const tls = await tlsOf(ctx, flags);
  const place = {
    host:
      flags.host ?? where?.host ?? (await ctx.ask.text({ message: 'host of the server', flag: '--host' })),
    port: flags.port ?? where?.port ?? 5432,
    database:
      flags.database ?? where?.database ?? (await ctx.ask.text({ message: 'database', flag: '--database' })),
    schema: flags.schema ?? where?.schema ?? 'paydesk',
    user: flags.user ?? (await ctx.ask.text({ message: user, flag: '--user' })),
  };
  const kept = tls ?? (named === undefined ? known?.tls : tlsFrom(named));
  return { place: kept === undefined ? place : { ...place, tls: kept }, journal: named?.journal };
}

async function readFrom(ctx: Context, file: string, flags: PlaceValues): Promise<Invitation> {
  if (file === '-' && flags['password-stdin'] === true)
    throw new CliError('usage', '--from - and --password-stdin both read standard input', {
      certain: 'nothing was changed',
    });
  return readInvitation(await ctx.file(file, fileSize), file);
}

async function tlsOf(ctx: Context, flags: PlaceValues): Promise<TeamPlace['tls']> {
  if (flags.ca !== undefined) return { ca: await ctx.file(flags.ca, fileSize) };
  return flags.tls === true ? {} : undefined;
}

// An invitation of a server on one machine needs no TLS. Any other has it.
function tlsFrom({ ca, host }: Invitation): TeamPlace['tls'] {
  if (ca !== null) return { ca };
  return /^(localhost|127\.|::1)/.test(host) ? undefined : {};
}

/** The flags that name this server again. `typed`: how its certificate was named. */
export function placeWords(
  { host, port, database, schema }: TeamPlace,
  typed: Pick<PlaceValues, 'ca' | 'tls'>,
): readonly string[] {
  return [
    '--host',
    host,
    ...(port === 5432 ? [] : ['--port', String(port)]),
    '--database',
    database,
    ...(schema === 'paydesk' ? [] : ['--schema', schema]),
    ...(typed.ca === undefined ? [] : ['--ca', typed.ca]),
    ...(typed.tls === true ? ['--tls'] : []),
  ];
}

/** The invitation to a team. */
export function invitationOf({ host, port, database, schema, tls }: TeamPlace, journal: string): Invitation {
  return { object: 'paydesk_team', host, port, database, schema, journal, ca: tls?.ca ?? null };
}

/**
 * The passwords of a command, one per line of standard input, or asked for. Never an argument. `fresh`: the index of the one that
 * is set now; the others sign in, however they are.
 */
export async function takePasswords(
  ctx: Context,
  team: Pick<TeamDoor, 'password'>,
  flags: Pick<PlaceValues, 'password-stdin'>,
  messages: readonly string[],
  fresh = -1,
): Promise<readonly string[]> {
  const lines = flags['password-stdin'] === true ? (await ctx.stdin(passwordSize)).split(/\r?\n/) : undefined;
  const taken: string[] = [];
  for (const [index, message] of messages.entries()) {
    const fromVariable = index === 0 && lines === undefined ? team.password : undefined;
    const check = index === fresh ? problem : emptyProblem;
    const password =
      lines?.[index] ?? fromVariable ?? (await ctx.ask.secret({ message, flag: '--password-stdin', check }));
    const wrong = check(password);
    if (wrong !== undefined)
      throw new CliError('usage', `${message}: ${wrong}`, { certain: 'nothing was changed' });
    taken.push(password);
  }
  return taken;
}

function emptyProblem(password: string): string | undefined {
  return password === '' ? 'a password is not empty' : undefined;
}

// A password that is shorter could not be masked without masking ordinary words too.
function problem(password: string): string | undefined {
  return password.length < 8 ? 'a password has 8 characters or more' : undefined;
}
