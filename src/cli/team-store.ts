/** The journal of a run whose user has joined a team: that of the team for the accounts of its origin, else the one on this machine. */

import { join } from 'node:path';
import { CliError } from '../errors.ts';
import type { ClockWithTimers } from '../io.ts';
import type { AttemptRecord } from '../journal/journal-rows.ts';
import type { JournalStore } from '../journal/journal-store.ts';
import type { TeamJournal } from '../journal/postgres/postgres-store.ts';
import { commandLine, type FileRules, plainCommand, profileNamed } from '../profiles/profiles.ts';
import { readTeams, type Team, teamOf } from '../team/team.ts';

export interface TeamChoice {
  /** The file that lists the teams. */
  readonly file: string;
  readonly rules: FileRules;
  readonly stateFolder: string;
  readonly clock: ClockWithTimers;
  readonly cwd: () => string;
  /** The origin of the profile that the run uses now; undefined when it uses none. */
  readonly origin: () => Promise<string | undefined>;
  /** A profile of an origin; undefined if there is none. */
  readonly profileOf: (origin: string) => Promise<string | undefined>;
  /** The password of PAYDESK_TEAM_PASSWORD. */
  readonly password: string | undefined;
  /** Called with the password before it is used, so that it is masked in every text. */
  readonly learn: (password: string) => void;
  /** Ends reads when a person does not want to wait. */
  readonly signal: AbortSignal;
}

// The server has this long for a statement, and for a connection or a question; an unknown outcome is asked about this long.
const deadlineMs = 10_000;
const readMs = 5000;
const insistMs = 20_000;

/** Which store it is now. */
export interface TeamStores {
  now(): Promise<JournalStore>;
  /** The journal on this machine, without the accounts that are a team's now, and then each team's. */
  all(): Promise<readonly JournalStore[]>;
  close(): void;
}

/** Chooses each time, since a run may turn to another profile. `local`: the journal on this machine. */
export function createTeamStores(choice: TeamChoice, local: JournalStore): TeamStores {
  const opened = new Map<string, Promise<JournalStore>>();
  // One for all connections of the process.
  const run = crypto.randomUUID();
  const open = (team: Team): Promise<JournalStore> => {
    const store = opened.get(team.origin) ?? openTeam(choice, team, run);
    opened.set(team.origin, store);
    return store;
  };
  return {
    async now() {
      const origin = await choice.origin();
      const team = origin === undefined ? undefined : teamOf(readTeams(choice.file, choice.rules), origin);
      return team === undefined ? refusingMoved(local, choice) : await open(team);
    },
    async all() {
      const teams = readTeams(choice.file, choice.rules);
      const origin = await choice.origin();
      const own = origin === undefined ? undefined : teamOf(teams, origin);
      // Several accounts may be in the journal of one team. This machine signs in there as the profile of the run does, and
      // without one as the run has signed in already.
      const isFirst = (team: Team) => {
        const same = teams.filter(({ journal }) => journal === team.journal);
        const first = own?.journal === team.journal ? own : same.find((other) => opened.has(other.origin));
        return (first ?? same[0])?.origin === team.origin;
      };
      const stores = await Promise.all(teams.filter(isFirst).map(open));
      return [withoutMoved(refusingMoved(local, choice), teams), ...stores];
    },
    close() {
      for (const store of opened.values())
        void store.then(
          (team) => team.close(),
          () => undefined,
        );
    },
  };
}

/** Opens the journal of a team. `run`: the uuid of this process. */
export async function openTeam(choice: TeamChoice, team: Team, run: string): Promise<TeamJournal> {
  const { clock, stateFolder, rules, cwd, learn } = choice;
  const { createPostgresStore } = await import('../journal/postgres/postgres-store.ts');
  const { origin, journal, password: kept, desk, ...place } = team;
  return createPostgresStore({
    place,
    journal,
    clock,
    run,
    desk,
    cwd,
    deadlineMs,
    readMs,
    insistMs,
    signal: choice.signal,
    mirror: {
      path: join(stateFolder, 'team', `${journal}.db`),
      rules,
      folders: [stateFolder, join(stateFolder, 'team')],
    },
    async newPassword() {
      const profile = await choice.profileOf(origin);
      const words = ['team', 'join', '--user', place.user];
      const again =
        profile === undefined ? plainCommand(...words) : commandLine(profileNamed(profile), ...words);
      return [
        ...(choice.password === undefined ? [] : ['look at the password in PAYDESK_TEAM_PASSWORD']),
        `if ${place.user} has a new password, give it to this machine: ${again}`,
        `if nobody knows it, an administrator of the database can set a new one: paydesk team add ${place.user}`,
      ];
    },
    async password() {
      const password = choice.password ?? kept;
      if (password === undefined)
        throw new CliError('auth', `there is no password for ${team.user} at ${team.host}`, {
          certain: 'nothing was sent',
          now: ['set PAYDESK_TEAM_PASSWORD'],
        });
      learn(password);
      return password;
    },
  });
}

// The journal on this machine takes no change of an account that a team keeps, whatever profile asks for it.
function refusingMoved(local: JournalStore, { file, rules }: TeamChoice): JournalStore {
  return {
    ...local,
    async append(row) {
      const team = row.type === 'sent' ? teamOf(readTeams(file, rules), row.origin) : undefined;
      if (team === undefined) return await local.append(row);
      throw new CliError('refused', `changes of ${team.origin} are in the journal of its team`, {
        certain: 'nothing was sent',
      });
    },
  };
}

// What this machine had sent before its account joined is in the journal of the team, too.
function withoutMoved(local: JournalStore, teams: readonly Team[]): JournalStore {
  const isHere = (row: { readonly origin: string }) => teamOf(teams, row.origin) === undefined;
  return {
    ...local,
    async attempts(query) {
      const { watched } = query;
      for (let more = 0; ; more = more * 2 + 20) {
        const asked =
          watched === undefined ? query : { ...query, watched: { ...watched, limit: watched.limit + more } };
        const all = await local.attempts(asked);
        const found = all.filter(({ sent }) => isHere(sent));
        if (watched === undefined || found.length >= watched.limit || all.length < watched.limit + more)
          return found.slice(0, watched?.limit);
      }
    },
    // A page that is not full would be taken for the last one.
    async list(filter, { limit, before }) {
      const found: AttemptRecord[] = [];
      for (let from = before; ; ) {
        const page = await local.list(filter, { limit, before: from });
        found.push(...page.filter(({ sent }) => isHere(sent)));
        if (page.length < limit || found.length >= limit) return found.slice(0, limit);
        from = page.at(-1)?.sent;
      }
    },
  };
}
