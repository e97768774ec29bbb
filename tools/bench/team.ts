/** What a team costs: `orders refund` with the journal of a team on PostgreSQL, beside the same with the journal on this machine. */

import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { embeddedPostgres, type PostgresServer, startPostgres } from '../../test/harness/postgres.ts';
import { databaseOn, makeTemplate, signIn } from '../../test/harness/team-database.ts';
import { joinTeam } from '../../test/team/joined.ts';
import { type Desk, openDesk } from './desk.ts';
import { type Place, run, timesOf } from './measure.ts';
import { type Row, timesRow } from './row.ts';
import { startCommands, withServices } from './start.ts';

const name = "`orders refund --yes`: a team's journal (loopback, TLS, SCRAM) ÷ journal on disk";
const goal = 1.6;

/** The row of a team. The server keeps its data on the disk where the journal of the other desk is. */
export function teamRows(_desk: Desk, place: Place): Promise<Row[]> {
  if (embeddedPostgres() === undefined)
    return Promise.resolve([{ name, goal, notRun: 'there is no PostgreSQL for tests on this platform' }]);
  return withServices(async (services) => {
    await using server = await startPostgres();
    await makeTemplate(server.address);
    const ca = await switchTlsOn(server);
    await using database = await databaseOn(server.address);
    const [alone, inTeam] = ['alone', 'in-team'].map((folder) => join(place.folder, folder));
    if (alone === undefined || inTeam === undefined) throw new Error('there are two desks');
    mkdirSync(join(inTeam, 'home'), { recursive: true });
    await joinTeam({ path: join(inTeam, 'home') }, services.refunds.baseUrl, database, {
      person: 'ana',
      tls: { ca },
    });
    const refundAt = (folder: string) => startCommands(openDesk(folder), services)['`orders refund --yes`'];
    const programs = { team: refundAt(inTeam), own: refundAt(alone) };
    // A second run finds the compile cache of the first one.
    for (const program of Object.values(programs)) run(program, place);
    const { team, own } = timesOf(place, programs);
    const [sent] = await database.query('select count(*)::int as rows from paydesk.attempts');
    if (sent?.rows !== place.rounds + 2)
      throw new Error(`the team's journal has ${String(sent?.rows)} refunds`);
    return [timesRow(name, { wall: goal }, team, own)];
  });
}

// Gives the certificate that the server shows, which has signed itself.
async function switchTlsOn(server: PostgresServer): Promise<string> {
  const [key, cert] = ['server.key', 'server.crt'].map((file) => join(server.data, file)) as [string, string];
  const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=bench';
  const more = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert];
  const made = spawnSync('openssl', [...words.split(' '), ...more], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`openssl: ${made.stderr}`);
  if (process.getuid?.() === 0) for (const file of [key, cert]) chownSync(file, 65_534, 65_534);
  await using admin = await signIn(server.address);
  await admin.query('alter system set ssl = on');
  await admin.query('select pg_reload_conf()');
  return readFileSync(cert, 'utf8');
}
