/** The teams of this user: which accounts keep their changes in a team's journal, and how its server is reached. */

import * as v from 'valibot';
import { CliError } from '../errors.ts';
import { checkOwnFile, type FileRules, readOwnFile, writeOwnFile } from '../profiles/profiles.ts';

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
  /** The password; absent: it is kept elsewhere. */
  password: v.optional(v.string()),
});

/** A team that this user has joined. */
export type Team = v.InferOutput<typeof teamForm>;

const fileForm = v.strictObject({ version: v.literal(1), teams: v.array(teamForm) });

/** Whether this user has joined any team. Most have not, so this must cost nothing. */
export function hasTeams(file: string, rules: FileRules): boolean {
  return checkOwnFile(file, rules);
}

/** All teams. Throws CliError 'refused' when the file is damaged: an account must not lose its team by that. */
export function readTeams(file: string, rules: FileRules): readonly Team[] {
  const text = readOwnFile(file, rules);
  if (text === undefined) return [];
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), fileForm), text);
  if (read.success) return read.output.teams;
  throw new CliError('refused', `${file} cannot be read: ${read.issues[0].message}`, {
    certain: 'nothing was sent',
    now: ['restore the file, or join the team again'],
  });
}

/** The team of an origin; undefined if it has none. */
export function teamOf(teams: readonly Team[], origin: string): Team | undefined {
  return teams.find((team) => team.origin === origin);
}

/** Adds a team, in place of the one that its origin had. Call it while no other process writes the file. */
export function saveTeam(file: string, rules: FileRules, team: Team): void {
  const others = readTeams(file, rules).filter(({ origin }) => origin !== team.origin);
  write(file, rules, [...others, team]);
}

/** Forgets the team of an origin. */
export function forgetTeam(file: string, rules: FileRules, origin: string): void {
  write(
    file,
    rules,
    readTeams(file, rules).filter((team) => team.origin !== origin),
  );
}

function write(file: string, rules: FileRules, teams: readonly Team[]): void {
  writeOwnFile(file, `${JSON.stringify({ version: 1, teams }, undefined, 2)}\n`, rules);
}
