/** A database of a team for one test file: a copy of a template on the server of this test run, with four people. */

import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { schemaText } from '../../src/journal/postgres/schema.ts';
import type { ServerAddress } from './postgres.ts';

/** The people of every test team. `lea` is a lead. */
export const people = ['ana', 'ben', 'op7', 'lea'] as const;
export type Person = (typeof people)[number];

/** Their password. */
export const passwordOf = (person: Person): string => `${person}:s/e@cret`;

const template = 'paydesk_template';

/** Makes the template: the schema of a team, and the roles of its people. */
export async function makeTemplate(server: ServerAddress): Promise<void> {
  await using first = await signIn(server);
  await first.query(`create database ${template}`);
  await using inside = await signIn(server, template);
  await inside.query(schemaText());
  for (const person of people) {
    await inside.query(`create role ${person} login password '${passwordOf(person)}'`);
    await inside.query(`grant paydesk_operator to ${person}`);
  }
  await inside.query('grant paydesk_lead to lea');
}

/** A database, and its superuser's connection to change what no operator may change. */
export interface TeamDatabase extends AsyncDisposable {
  readonly name: string;
  readonly server: ServerAddress;
  /** Runs a statement as the superuser and gives its rows. */
  query(statement: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
}

/** A new database on the server of this run, which the first test that asks for it starts. */
export async function newTeamDatabase(): Promise<TeamDatabase> {
  const server = await sharedServer();
  return databaseOn(server);
}

/** A new database on a server. The server has a template. */
export async function databaseOn(server: ServerAddress): Promise<TeamDatabase> {
  const name = `team_${crypto.randomUUID().replaceAll('-', '').slice(0, 16)}`;
  {
    await using first = await signIn(server);
    await first.query(`create database ${name} template ${template}`);
  }
  const client = await signIn(server, name);
  return {
    name,
    server,
    query: (statement, values) => client.query(statement, values),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await using last = await signIn(server);
      await last.query(`drop database ${name} with (force)`);
    },
  };
}

interface SignedIn extends AsyncDisposable {
  query(statement: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
}

/** Signs in as the superuser. */
export async function signIn(server: ServerAddress, database = 'postgres'): Promise<SignedIn> {
  const client = new pg.Client({ ...server, database });
  // A test may end the server under it.
  client.on('error', () => undefined);
  await client.connect();
  return {
    query: async (statement, values = []) =>
      (await client.query<Record<string, unknown>>(statement, values.length === 0 ? undefined : [...values]))
        .rows,
    [Symbol.asyncDispose]: () => client.end(),
  };
}

async function sharedServer(): Promise<ServerAddress> {
  const port = Number(process.env.PAYDESK_TEST_POSTGRES);
  const answer: ServerAddress | { problem: string } = JSON.parse(await text(connect(port, '127.0.0.1')));
  if ('problem' in answer) throw new Error(answer.problem);
  return answer;
}
