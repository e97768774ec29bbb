/** A home that has joined a test team, as the file of the teams says. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Person, passwordOf, type TeamDatabase } from '../harness/team-database.ts';

/**
 * Lets every profile of an origin use the journal of the team. `port`: a port in front of the server. `tls`: with a server of
 * this machine that shows a certificate for `localhost`.
 */
export async function joinTeam(
  home: { readonly path: string },
  origin: string,
  database: TeamDatabase,
  {
    person,
    port = database.server.port,
    tls,
  }: { readonly person: Person; readonly port?: number; readonly tls?: { readonly ca: string } },
): Promise<void> {
  const [row] = await database.query('select journal from paydesk.head');
  const host = tls === undefined ? '127.0.0.1' : 'localhost';
  const place = { host, port, tls, database: database.name, schema: 'paydesk', user: person };
  const team = { origin, ...place, journal: row?.journal, password: passwordOf(person) };
  const folder = join(home.path, '.config', 'paydesk');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'teams.json');
  const { teams } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { teams: [] };
  writeFileSync(file, JSON.stringify({ version: 1, teams: [...teams, team] }), { mode: 0o600 });
}
