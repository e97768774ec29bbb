/**
 * Before all tests: one PostgreSQL for the whole run, started when a test first asks for it. It belongs to this process
 * and not to a worker, so it lives as long as the run.
 */

import { type AddressInfo, createServer } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type PostgresServer, startPostgres } from './postgres.ts';
import { makeTemplate } from './team-database.ts';

export default async function postgresOnDemand({ config }: TestProject): Promise<() => Promise<void>> {
  let started: Promise<PostgresServer> | undefined;
  const start = async (): Promise<PostgresServer> => {
    const server = await startPostgres({ settings: { max_connections: '200' }, folder: config.env.TMPDIR });
    await makeTemplate(server.address);
    return server;
  };
  const listener = createServer((socket) => {
    socket.on('error', () => undefined);
    started ??= start();
    started.then(
      ({ address }) => socket.end(JSON.stringify(address)),
      (error: unknown) => socket.end(JSON.stringify({ problem: String(error) })),
    );
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  process.env.PAYDESK_TEST_POSTGRES = `${(listener.address() as AddressInfo).port}`;
  return async () => {
    listener.close();
    await (await started?.catch(() => undefined))?.[Symbol.asyncDispose]();
  };
}
