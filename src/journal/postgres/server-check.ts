/** Whether a server is the one that this machine saw the last time, and remembers what it showed then. Pure. */

import * as v from 'valibot';

const identitySchema = v.object({
  /** Drawn when the journal was made. */
  journal: v.string(),
  version: v.number(),
  min_writer: v.number(),
  /** The number of the database: another one has taken its name if it differs. */
  database: v.string(),
  /** The number of the cluster, drawn when it was made. A standby has that of its primary. */
  system: v.string(),
  /** Grows when a standby is promoted; null on a standby. */
  timeline: v.nullable(v.number()),
  /** How far the server has written, in bytes; null on a standby. */
  lsn: v.nullable(v.number()),
  standby: v.boolean(),
  /** The process of the server that answers. */
  backend: v.number(),
  operator: v.string(),
  lead: v.boolean(),
});

/** Who a server says that it is. */
export type ServerIdentity = v.InferOutput<typeof identitySchema>;

const storedSchema = v.object({
  seq: v.number(),
  row: v.string(),
  body: v.nullable(v.string()),
  body_hash: v.nullable(v.string()),
  prev: v.string(),
  hash: v.string(),
  type: v.string(),
  time: v.number(),
  intent: v.string(),
  attempt: v.number(),
  origin: v.nullable(v.string()),
  order_id: v.nullable(v.string()),
  plan: v.nullable(v.string()),
  ref: v.nullable(v.string()),
});

const newsSchema = v.object({
  /** The server's clock, Unix milliseconds. */
  now: v.number(),
  /** The newest row of the journal. */
  seq: v.number(),
  hash: v.string(),
  lsn: v.nullable(v.number()),
  /** Whether the journal still has the row after which was asked. */
  knows: v.boolean(),
  rows: v.array(storedSchema),
});

/** The rows after one, and what the server says of itself beside them. */
export type News = v.InferOutput<typeof newsSchema>;

/** Throw when the server's answer is not what it should be. */
export const readIdentity = (answer: unknown): ServerIdentity => v.parse(identitySchema, answer);
export const readNews = (answer: unknown): News => v.parse(newsSchema, answer);
export const readRow = (answer: unknown): v.InferOutput<typeof storedSchema> => v.parse(storedSchema, answer);

/** What this machine remembers of the server. */
export interface ServerMemory {
  readonly journal: string;
  readonly database: string;
  readonly system: string;
  readonly timeline: number;
  readonly lsn: number;
}

/** What is to be remembered; undefined on a standby. */
export function memoryOf({
  journal,
  database,
  system,
  timeline,
  lsn,
}: ServerIdentity): ServerMemory | undefined {
  return timeline === null || lsn === null ? undefined : { journal, database, system, timeline, lsn };
}

/** Why nothing may be recorded on a server. */
export interface ServerProblem {
  readonly problem: string;
  /** What to do about it. */
  readonly now: readonly string[];
}

/** What the program and this machine hold against a server; undefined when that is nothing. */
export function problemOf(
  identity: ServerIdentity,
  known: {
    readonly memory: ServerMemory | undefined;
    /** The process of the server, as it was told when the connection was made. */
    readonly backend: number;
    readonly schemaVersion: number;
    readonly writerVersion: number;
    /** The id of the journal that the team's file names. */
    readonly journal: string | undefined;
  },
): ServerProblem | undefined {
  const { memory } = known;
  if (identity.standby) return { problem: 'is a standby', now: ['connect to the primary server'] };
  if (identity.backend !== known.backend)
    return {
      problem: 'stands behind a pooler that changes connections between transactions',
      now: ['connect to the server itself, or to a pooler in session mode'],
    };
  if (identity.min_writer > known.writerVersion)
    return { problem: 'has a journal that needs a newer paydesk', now: ['install the newer paydesk'] };
  if (identity.version < known.schemaVersion)
    return { problem: 'has the journal of an older paydesk', now: ['ask a lead to upgrade it'] };
  if (known.journal !== undefined && identity.journal !== known.journal)
    return { problem: 'has another journal than the one that was joined', now: asked };
  return memory === undefined ? undefined : differenceOf(identity, memory);
}

const askThem = 'ask who runs the database what happened to it';
const asked = [`${askThem}; refunds that were recorded may be missing there`];
// Only a person knows whether it was meant to happen.
const changed = [
  ...asked,
  'if a standby was promoted or a backup restored on purpose: paydesk team verify --accept-server',
  'if the server lacks a row that this machine has seen, that command refuses, and names the row',
];

/** What to do when the server lacks rows that this machine has seen. */
export const wayBack = [
  `${askThem}, and for the lost rows: from another standby, or a newer backup`,
  'once the server has them again: paydesk team verify --accept-server',
  'as long as rows are missing, that command refuses, and this machine sends nothing: a refund that the server forgot could be made twice',
];

function differenceOf(identity: ServerIdentity, memory: ServerMemory): ServerProblem | undefined {
  if (identity.journal !== memory.journal)
    return { problem: 'has another journal than the last time', now: asked };
  if (identity.system !== memory.system)
    return { problem: 'is another cluster than the last time', now: changed };
  if (identity.database !== memory.database)
    return { problem: 'has another database under the same name than the last time', now: changed };
  if (identity.timeline !== memory.timeline)
    return { problem: 'was a standby that was promoted, or was restored, since the last time', now: changed };
  if ((identity.lsn ?? 0) < memory.lsn)
    return { problem: 'has written less than it had the last time: it was put back', now: changed };
  return undefined;
}
