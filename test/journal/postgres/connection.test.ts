/** A connection to the server of a team: several calls at once. */

import { expect, test } from 'vitest';
import { systemClock } from '../../../bin/process-io.ts';
import { connectTo, ServerWarning } from '../../../src/journal/postgres/connection.ts';
import { startCuttingProxy } from '../../harness/cutting-proxy.ts';
import { newTeamDatabase, passwordOf } from '../../harness/team-database.ts';

test('a warning about one call is not lost when another one is asked meanwhile', async () => {
  await using database = await newTeamDatabase();
  const { host, port } = database.server;
  await database.query(`
    create function paydesk.warned() returns json language plpgsql as $$
    begin
      raise warning 'a standby may not have it';
      perform pg_advisory_xact_lock(1);
      return '{}';
    end $$;
    select pg_advisory_lock(1)`);
  const connection = await connectTo(
    { host, port, database: database.name, schema: 'paydesk', user: 'ana' },
    { clock: systemClock, password: async () => passwordOf('ana'), run: 'r', deadlineMs: 60_000 },
  );
  const warned = connection.call('warned').catch((error: unknown) => error);
  const waiting = `select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`;
  await expect.poll(async () => (await database.query(waiting)).length, { timeout: 60_000 }).toBe(1);
  const other = connection.call('identity').catch((error: unknown) => error);
  await database.query('select pg_advisory_unlock(1)');
  expect(await warned).toBeInstanceOf(ServerWarning);
  // What was to be asked after it is not asked on a connection that cannot be trusted any more.
  expect(await other).toBeInstanceOf(Error);
  expect(connection.isOpen).toBe(false);
});

test('whoever does not want to wait for a silent server ends the connection at once', async () => {
  await using database = await newTeamDatabase();
  await using proxy = await startCuttingProxy(database.server.port);
  proxy.mute(true);
  const leave = new AbortController();
  const connecting = connectTo(
    { host: '127.0.0.1', port: proxy.port, database: database.name, schema: 'paydesk', user: 'ana' },
    {
      clock: systemClock,
      password: async () => passwordOf('ana'),
      run: 'r',
      deadlineMs: 600_000,
      signal: leave.signal,
    },
  ).catch((error: unknown) => error);
  await expect.poll(() => proxy.connections, { timeout: 60_000 }).toBe(1);
  const reason = new Error('Ctrl-C');
  leave.abort(reason);
  expect(await connecting).toBe(reason);
});
