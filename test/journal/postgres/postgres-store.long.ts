/** The store on PostgreSQL keeps the rules of the port: each run is a sender with a copy of its own. */

import { afterAll, beforeAll } from 'vitest';
import { type PostgresServer, startPostgres } from '../../harness/postgres.ts';
import { storeContract } from '../store-contract.ts';
import { openSender, prepare, type TestSenderStore } from './senders.ts';

let server: PostgresServer;
let count = 0;
const opened: TestSenderStore[] = [];

beforeAll(async () => {
  server = await startPostgres();
  await server.database('template_of_tests');
  await prepare({ port: server.port, database: 'template_of_tests' });
});
afterAll(async () => {
  for (const { store } of opened) store.close();
  await server[Symbol.asyncDispose]();
});

storeContract(
  'PostgreSQL, with a copy for each sender',
  async (folder) => {
    count += 1;
    const name = `test_${count}`;
    await server.database(name, 'template_of_tests');
    const ask = async (text: string) => void (await server.ask(name, text));
    return {
      open: () => {
        const sender = openSender({ port: server.port, database: name }, folder);
        opened.push(sender);
        return sender.store;
      },
      change: (seq) =>
        ask(`update paydesk.rows set row = replace(row, '"amount":-5', '"amount":-6') where seq = ${seq}`),
      lose: (seq) => ask(`delete from paydesk.rows where seq = ${seq}`),
    };
  },
  { repair: 'to others' },
);
