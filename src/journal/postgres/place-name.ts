/** The name of a team's journal in messages. */

import type { ServerPlace } from './connection.ts';
import { usualSchema } from './schema.ts';

/** A team's journal in words: `db.example:5432/desk`. */
export function nameOf({ host, port, database, schema }: ServerPlace): string {
  return `${host}:${port}/${database}${schema === usualSchema ? '' : `.${schema}`}`;
}
