/** What a server says of its team: members, standbys, and how the connection is kept private. */

import * as v from 'valibot';

const toldSchema = v.object({
  members: v.array(
    v.object({
      name: v.string(),
      lead: v.boolean(),
      /** When the member last sent something, Unix milliseconds. */
      last: v.nullable(v.number()),
      /** Connections that are open now. */
      desks: v.number(),
    }),
  ),
  standbys: v.array(v.object({ name: v.string(), state: v.nullable(v.string()) })),
  /** The names of standbys for which commits wait; empty: they wait for none. */
  synchronous: v.string(),
  server: v.string(),
});

/** The team and its server, as a member sees it. */
export interface TeamStatus extends v.InferOutput<typeof toldSchema> {
  readonly operator: string;
  readonly isLead: boolean;
  /** The id of the journal, the number of its rows, and the hash of the newest one. */
  readonly journal: string;
  readonly rows: number;
  readonly head: string;
  readonly latencyMs: number;
  /** Whether this connection is encrypted. The server does not tell that to every member. */
  readonly tls: boolean;
}

/** Throws when the server's answer is not what it should be. */
export const readStatus = (answer: unknown): v.InferOutput<typeof toldSchema> => v.parse(toldSchema, answer);
