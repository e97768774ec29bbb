/** Creates the tables of a journal on a server: prints this package's migrations, or runs those that are missing. */

import { packageFile, packageFilesIn } from '../../package-files.ts';
import type { Server } from './server.ts';

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

/** The statements of all migrations, for running them by hand. */
export function migrationsText(): string {
  return migrations()
    .map(({ number, sql }) => `begin;\n${sql}${noteText(number)};\ncommit;\n`)
    .join('\n');
}

/** Runs the missing migrations, all or nothing. Returns their names. */
export async function migrate(server: Server): Promise<readonly string[]> {
  // If two senders migrate at once, one waits for the other.
  return await server.transaction(
    "select pg_advisory_xact_lock(hashtext('paydesk'))",
    async (transaction) => {
      const [found] = await transaction.ask(
        "select to_regclass('paydesk.migrations') is not null as is_there",
      );
      const [last] =
        found?.is_there === 't'
          ? await transaction.ask('select max(number) as number from paydesk.migrations')
          : [];
      const missing = migrations().filter(({ number }) => number > Number(last?.number ?? 0));
      for (const { number, sql } of missing) await transaction.run(`${sql}${noteText(number)}`);
      await transaction.commit();
      return missing.map(({ name }) => name);
    },
  );
}

function noteText(number: number): string {
  return `insert into paydesk.migrations (number) values (${number})`;
}

function migrations(): readonly Migration[] {
  return packageFilesIn('migrations')
    .filter((name) => name.endsWith('.sql'))
    .map((name) => ({ number: Number.parseInt(name, 10), name, sql: packageFile(`migrations/${name}`) }));
}
