/** The teams of this user: which accounts keep their changes in a team's journal, and how its server is reached. */

import * as v from 'valibot';
import { CliError } from '../errors.ts';
import {
  isSameOrigin,
  type LimitChanges,
  type LimitRow,
  type ServerVerification,
  type StoredRow,
  type TeamLimit,
  type TeamStatus,
} from '../journal/journal.ts';
import { type FileRules, readOwnFile, writeOwnFile } from '../profiles/profiles.ts';

const teamForm = v.strictObject({
  /** Every profile of this origin uses the team's journal. */
  origin: v.string(),
  host: v.string(),
  port: v.number(),
  database: v.string(),
  schema: v.string(),
  /** The person's role at the server: the operator of every row. */
  user: v.string(),
  /** Absent: no TLS, which only a server on this machine may have. `ca`: PEM; absent: whom this system trusts. */
  tls: v.optional(v.strictObject({ ca: v.optional(v.string()) })),
  /** The id of the journal that was joined. */
  journal: v.string(),
  /** The name of this desk in the rows. */
  desk: v.optional(v.string()),
  /** The password; absent: it is kept elsewhere. */
  password: v.optional(v.string()),
});

/** Where the journal of a team is, and who signs in there. */
export type TeamPlace = Pick<Team, 'host' | 'port' | 'database' | 'schema' | 'user' | 'tls'>;

const invitationForm = v.strictObject({
  object: v.literal('paydesk_team'),
  host: v.string(),
  port: v.number(),
  database: v.string(),
  schema: v.string(),
  journal: v.string(),
  /** Who issued the certificate of the server, PEM; null: somebody whom the system of a member trusts. */
  ca: v.nullable(v.string()),
});

/** What a lead hands out, so that others can join. It holds no password. */
export type Invitation = v.InferOutput<typeof invitationForm>;

/** Reads an invitation. Throws CliError 'usage'. */
export function readInvitation(text: string, where: string): Invitation {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), invitationForm), text);
  if (read.success) return read.output;
  throw new CliError('usage', `${where} is no invitation to a team: ${read.issues[0].message}`, {
    certain: 'nothing was changed',
    now: ['ask your lead for a new invitation: paydesk team show --invitation > desk.team'],
  });
}

/** What joining did. */
export interface Joined {
  readonly team: Team;
  readonly isLead: boolean;
  /** Attempts of this machine that the team's journal knows now, and how many rows it did not have before. */
  readonly attempts: number;
  readonly added: number;
}

/** What a member sees of the team. */
interface TeamView {
  readonly team: Team;
  readonly status: TeamStatus;
}

/** What the team commands do. Every method that signs in throws CliError 'refused' when the server is away or not in order. */
export interface TeamDoor {
  /** The password of PAYDESK_TEAM_PASSWORD. */
  readonly password: string | undefined;
  /** Throws CliError 'usage' if a name of the place cannot be one, or 'refused' without TLS away from this machine. */
  checkPlace(place: TeamPlace): void;
  /** Signs in as a member and checks the server. Changes nothing. */
  check(place: TeamPlace, password: string, journal: string | undefined): Promise<void>;
  create(place: TeamPlace, password: string): Promise<{ readonly journal: string }>;
  createSql(schema: string): Promise<string>;
  add(place: TeamPlace, password: string, member: NewMember): Promise<void>;
  addSql(schema: string, member: NewMember): Promise<string>;
  /** `connectionsEnded`: false if the administrator may not end those of the member, which may do nothing more either. */
  remove(place: TeamPlace, password: string, name: string): Promise<{ readonly connectionsEnded: boolean }>;
  removeSql(schema: string, name: string): Promise<string>;
  /** The origin of the profile of this run. Throws as `Profiles.open`, and CliError 'refused' for the demo. */
  origin(): Promise<string>;
  /** The team of the profile of this run; undefined if it has none. */
  joined(): Promise<Team | undefined>;
  /** How many attempts of the profile's account are in the journal of this machine. Throws if one of them is unconfirmed. */
  history(): Promise<number>;
  join(place: TeamPlace, password: string, how: JoinOptions): Promise<Joined>;
  /** Brings the rows of the team into the journal of this machine, which takes changes again. Returns how many came. */
  leave(): Promise<{ readonly team: Team; readonly rows: number }>;
  view(): Promise<TeamView>;
  /** Compares every row of the server with this machine's copy: see `verifyServer` of the store. */
  verify(how: { readonly head?: string | undefined; readonly accept: boolean }): Promise<ServerVerification>;
  limits(): Promise<readonly TeamLimit[]>;
  /** For leads. Returns what was changed. */
  setLimits(changes: LimitChanges): Promise<readonly LimitRow[]>;
  /** All rows of the team's journal, fresh from the server. */
  rows(): Promise<readonly StoredRow[]>;
}

/** How to join. */
export interface JoinOptions {
  /** The id of the journal that the invitation names; undefined: the one that is there. */
  readonly journal: string | undefined;
  readonly desk: string | undefined;
}

/** Somebody who may sign in at the team's server. */
export interface NewMember {
  readonly name: string;
  readonly password: string;
  readonly isLead: boolean;
}

/** A team that this user has joined. */
export type Team = v.InferOutput<typeof teamForm>;

const fileForm = v.strictObject({ version: v.literal(1), teams: v.array(teamForm) });

/** All teams. Throws CliError 'refused' when the file is damaged: an account must not lose its team by that. */
export function readTeams(file: string, rules: FileRules): readonly Team[] {
  const text = readOwnFile(file, rules);
  if (text === undefined) return [];
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), fileForm), text);
  if (read.success) return read.output.teams;
  throw new CliError('refused', `${file} cannot be read: ${read.issues[0].message}`, {
    certain: 'nothing was sent',
    now: [
      'restore the file; or move it away, and join again every team that was in it:',
      'paydesk team join --from FILE',
    ],
  });
}

/** The team of an origin, however its address is spelled; undefined if it has none. */
export function teamOf(teams: readonly Team[], origin: string): Team | undefined {
  return teams.find((team) => isSameOrigin(team.origin, origin));
}

/**
 * Adds a team, in place of the one that its origin had. `password`: what its user has just signed in with. Call it while no other
 * process writes the file.
 */
export function saveTeam(file: string, rules: FileRules, team: Team, password: string): void {
  const others = readTeams(file, rules).filter(({ origin }) => !isSameOrigin(origin, team.origin));
  write(file, rules, [...others.map((other) => withPassword(other, team, password)), team]);
}

// A role has one password at its server. So another account of the same role cannot keep an older one: it would be refused.
function withPassword(other: Team, { password: kept, ...team }: Team, password: string): Team {
  const isSameServer =
    other.journal === team.journal || (other.host === team.host && other.port === team.port);
  if (other.user !== team.user || !isSameServer || other.password === undefined) return other;
  if (other.password === password) return other;
  const { password: _, ...rest } = other;
  return kept === undefined ? rest : { ...rest, password: kept };
}

/** Forgets the team of an origin. */
export function forgetTeam(file: string, rules: FileRules, origin: string): void {
  write(
    file,
    rules,
    readTeams(file, rules).filter((team) => !isSameOrigin(team.origin, origin)),
  );
}

function write(file: string, rules: FileRules, teams: readonly Team[]): void {
  writeOwnFile(file, `${JSON.stringify({ version: 1, teams }, undefined, 2)}\n`, rules);
}
