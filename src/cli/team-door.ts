/** What the team commands do: make a team's journal and its members, join with the history of this machine, and leave again. */

import { about, CliError } from '../errors.ts';
import { isOpen } from '../journal/attempt-state.ts';
import { unlink } from '../journal/chain.ts';
import { type AttemptRecord, type AttemptRow, attemptKey, type JournalRow } from '../journal/journal-rows.ts';
import type { JournalStore } from '../journal/journal-store.ts';
import { momentOf } from '../journal/journal-time.ts';
import { markRow } from '../journal/moved-away.ts';
import { type ConnectParts, isDeskName, isLoopback } from '../journal/postgres/connection.ts';
import { nameOf } from '../journal/postgres/place-name.ts';
import type { TeamJournal } from '../journal/postgres/postgres-store.ts';
import { isSchemaName } from '../journal/postgres/schema.ts';
import {
  addMemberSql,
  addTeamMember,
  checkTeamServer,
  createTeamJournal,
  createTeamSql,
  isMemberName,
  removeMemberSql,
  removeTeamMember,
} from '../journal/postgres/team-setup.ts';
import type { LocalJournal } from '../journal/sqlite/sqlite-store.ts';
import type { Profiles } from '../profiles/profiles.ts';
import {
  forgetTeam,
  type Joined,
  type JoinOptions,
  readTeams,
  saveTeam,
  type Team,
  type TeamDoor,
  type TeamPlace,
  teamOf,
} from '../team/team.ts';
import { openTeam, type TeamChoice } from './team-store.ts';

interface TeamDoorParts {
  readonly choice: TeamChoice;
  /** The journal on this machine. */
  readonly local: LocalJournal;
  readonly profiles: Pick<Profiles, 'open'>;
  /** The user of this machine, for the mark in its journal. */
  readonly operator: string;
}

const deadlineMs = 10_000;
const certain = 'nothing was changed';

export function createTeamDoor(parts: TeamDoorParts): TeamDoor {
  const { choice } = parts;
  const run = crypto.randomUUID();
  const signedIn = (password: string): ConnectParts => {
    choice.learn(password);
    const { clock, signal } = choice;
    return { clock, signal, password: () => Promise.resolve(password), run, deadlineMs };
  };
  const origin = () => originOf(parts);
  const joined = async () => teamOf(readTeams(choice.file, choice.rules), await origin());
  const withTeam = async <T>(act: (team: Team, store: TeamJournal) => Promise<T>): Promise<T> => {
    const team = await joined();
    if (team === undefined) throw noTeam(await origin());
    const store = await openTeam(choice, team, run);
    try {
      return await act(team, store);
    } finally {
      store.close();
    }
  };
  return {
    checkPlace,
    password: choice.password,
    async check(place, password, journal) {
      await about({ certain }, () => checkTeamServer(place, signedIn(password), journal));
    },
    async create(place, password) {
      checkPlace(place);
      const { journal } = await createTeamJournal(place, signedIn(password));
      return { journal };
    },
    createSql: async (schema) => createTeamSql(checkedSchema(schema)),
    async add(place, password, member) {
      checkMember(member.name);
      choice.learn(member.password);
      await addTeamMember(place, signedIn(password), member);
    },
    addSql: async (schema, member) => {
      checkMember(member.name);
      choice.learn(member.password);
      return addMemberSql(checkedSchema(schema), member);
    },
    async remove(place, password, name) {
      checkMember(name);
      return await removeTeamMember(place, signedIn(password), name);
    },
    async removeSql(schema, name) {
      checkMember(name);
      return removeMemberSql(checkedSchema(schema), name);
    },
    origin,
    joined,
    history: async () => history(parts, await origin()),
    join: async (place, password, how) =>
      join(parts, await origin(), { place, password, how, run, signedIn }),
    leave: () => withTeam((team, store) => leave(parts, team, store)),
    view: () => withTeam(async (team, store) => ({ team, status: await store.status() })),
    verify: (how) => withTeam((_, store) => store.verifyServer(how)),
    limits: () => withTeam((_, store) => store.teamRules().limits()),
    setLimits: (changes) => withTeam((_, store) => store.teamRules().setLimits(changes)),
    rows: () => withTeam((_, store) => store.freshRows()),
  };
}

async function originOf({ profiles }: TeamDoorParts): Promise<string> {
  const { origin, kind } = (await profiles.open()).profile;
  if (kind !== 'demo') return origin;
  throw new CliError('refused', 'the demo belongs to this machine, and has no team', { certain });
}

function noTeam(origin: string): CliError {
  return new CliError('refused', `${origin} has no team on this machine`, {
    certain,
    now: ['paydesk team join --from FILE'],
  });
}

// ── Join ────────────────────────────────────────────────────────────────────────────────────────

interface Joining {
  readonly place: TeamPlace;
  readonly password: string;
  readonly how: JoinOptions;
  readonly run: string;
  readonly signedIn: (password: string) => ConnectParts;
}

// First everything is checked. Then the journal of this machine is closed for the account, the server gets its rows, and at
// last the profile uses the team. Whatever stops in between: nothing can be sent until somebody joins again.
async function join(parts: TeamDoorParts, origin: string, joining: Joining): Promise<Joined> {
  const { choice, local, operator } = parts;
  const { place, password, how, run } = joining;
  checkPlace(place);
  if (how.desk !== undefined && !isDeskName(how.desk))
    throw new CliError('usage', `${how.desk} cannot be the name of a desk: take letters, digits and . _ -`, {
      certain,
    });
  const { lead, journal } = await checkTeamServer(place, joining.signedIn(password), how.journal);
  const before = teamOf(readTeams(choice.file, choice.rules), origin);
  if (before !== undefined && before.journal !== journal)
    throw new CliError('refused', `${origin} belongs to the team ${nameOf(before)}`, {
      certain,
      now: ['paydesk team leave'],
    });
  await history(parts, origin);
  const moved = await local.movedTo(origin);
  if (moved !== undefined && moved.journal !== '' && moved.journal !== journal)
    throw new CliError(
      'refused',
      `changes of ${origin} are recorded in another team's journal, ${moved.place}`,
      {
        certain,
        now: ['join that team, and leave it: paydesk team leave'],
      },
    );
  // Kept here unless it comes from a variable each time.
  const kept = choice.password === password ? {} : { password };
  // A desk keeps its name when it joins again.
  const name = how.desk ?? before?.desk;
  const desk = name === undefined ? {} : { desk: name };
  const team: Team = { origin, ...place, journal, ...desk, ...kept };
  const now = await momentOf(choice.clock, local, {});
  if (moved === undefined)
    await local.append(markRow(origin, operator, now, { journal, place: nameOf(place) }));
  const store = await openTeam({ ...choice, password }, team, run);
  try {
    const rows = await local.rowsOf(origin);
    const added = await store.bringIn(rows);
    const own = await local.history(origin);
    await refuseUnlessThere(own, await store.history(origin));
    saveTeam(choice.file, choice.rules, team, password);
    return { team, isLead: lead, attempts: own.length, added };
  } finally {
    store.close();
  }
}

// How many attempts there are. Throws while one of them is unconfirmed: the team must not get half a story.
async function history({ local, choice }: TeamDoorParts, origin: string): Promise<number> {
  const attempts = await local.history(origin);
  await refuseUnconfirmed(attempts, local, choice);
  return attempts.length;
}

async function refuseUnconfirmed(
  attempts: readonly AttemptRecord[],
  store: JournalStore,
  { clock }: TeamChoice,
): Promise<void> {
  const now = await momentOf(clock, store, {});
  const open = attempts.filter((record) => isOpen(record, now));
  if (open.length === 0) return;
  const names = open.slice(0, 5).map(({ sent }) => `${sent.proof.orderId ?? 'no order'} (${sent.intent})`);
  const more = open.length > names.length ? ` and ${open.length - names.length} more` : '';
  throw new CliError('refused', `unconfirmed: ${names.join(', ')}${more}`, {
    certain,
    now: ['paydesk journal reconcile --all'],
  });
}

async function refuseUnlessThere(
  own: readonly AttemptRecord[],
  ofTeam: readonly AttemptRecord[],
): Promise<void> {
  const there = new Map(ofTeam.map((record) => [attemptKey(record.sent), record] as const));
  // Of an attempt that the team made itself, a machine that was away may have read more than the team.
  const missing = own.find(({ sent, verdicts }) => {
    const known = there.get(attemptKey(sent));
    if (known === undefined) return true;
    return known.sent.imported !== undefined && known.verdicts.length < verdicts.length;
  });
  if (missing === undefined) return;
  throw new CliError(
    'refused',
    `the team's journal does not have all that this machine recorded of ${missing.sent.intent}`,
    {
      certain: 'the journal of this machine is closed, and nothing is sent until it has joined',
      now: ['show your lead'],
    },
  );
}

// ── Leave ───────────────────────────────────────────────────────────────────────────────────────

async function leave(
  { choice, local, operator }: TeamDoorParts,
  team: Team,
  store: TeamJournal,
): Promise<{ readonly team: Team; readonly rows: number }> {
  const stored = await store.freshRows();
  const attempts = await store.history(team.origin);
  await refuseUnconfirmed(attempts, store, choice);
  const keys = new Set(attempts.map(({ sent }) => attemptKey(sent)));
  const rows = stored
    .map(unlink)
    .filter(isOfAttempt)
    .filter((row) => keys.has(attemptKey(row)));
  const now = await momentOf(choice.clock, local, {});
  const added = await local.takeIn(rows, markRow(team.origin, operator, now, undefined));
  forgetTeam(choice.file, choice.rules, team.origin);
  return { team, rows: added };
}

function isOfAttempt(row: JournalRow): row is AttemptRow {
  return row.type === 'sent' || row.type === 'verdict';
}

// ── Names ───────────────────────────────────────────────────────────────────────────────────────

function checkPlace({ host, schema, tls }: TeamPlace): void {
  checkedSchema(schema);
  if (tls !== undefined || isLoopback(host)) return;
  throw new CliError('refused', `${host} is not this machine, so the connection needs TLS`, {
    certain,
    now: [
      'add --ca FILE with the certificate of the authority that issued the certificate of the server, or --tls if this system trusts that authority',
    ],
  });
}

function checkedSchema(schema: string): string {
  if (isSchemaName(schema)) return schema;
  throw new CliError('usage', `${schema} cannot be the name of a schema: take small letters, digits and _`, {
    certain,
  });
}

function checkMember(name: string): void {
  if (isMemberName(name)) return;
  throw new CliError(
    'usage',
    `${name} cannot be the name of a member: take small letters, digits and . _ -`,
    {
      certain,
    },
  );
}
