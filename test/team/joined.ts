/** A home that has joined a test team, as the file of the teams says. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Person, passwordOf, type TeamDatabase } from '../harness/team-database.ts';

/** Lets every profile of an origin use the journal of the team. `port`: a port in front of the server. */
export async function joinTeam(
  home: { readonly path: string },
  origin: string,
  database: TeamDatabase,
  { person, port = database.server.port }: { readonly person: Person; readonly port?: number },
): Promise<void> {
  const [row] = await database.query('select journal from paydesk.head');
  const place = { host: '127.0.0.1', port, database: database.name, schema: 'paydesk', user: person };
  const team = { origin, ...place, journal: row?.journal, password: passwordOf(person) };
  const folder = join(home.path, '.config', 'paydesk');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'teams.json'), JSON.stringify({ version: 1, teams: [team] }), { mode: 0o600 });
}
