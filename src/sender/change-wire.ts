/** What desks and senders exchange about changes and plans: message forms, and outcomes as sent. */

import * as v from 'valibot';
import { readJson, type WireRecord } from '../api/api.ts';
import { exactly, isObject, type JsonObject } from '../api/json-values.ts';
import { CliError } from '../errors.ts';
import { changeIdPattern, type Ended, type Evidence, type Resolved } from '../journal/journal.ts';
import { type BatchRun, newBatchRun, type RowTold, type Worked } from '../plans/plans.ts';
import { kindForm } from './journal-wire.ts';
import {
  chargeIdForm,
  deskFields,
  digestForm,
  errorFromWire,
  errorToWire,
  idForm,
  maxText,
  nameForm,
  orderIdForm,
  refusedForm,
  text,
  timeForm,
  timeoutForm,
  unitsForm,
} from './wire.ts';

// ── Plans ───────────────────────────────────────────────────────────────────────────────────────

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
/** The id of one hand-over. The same id means the same hand-over. */
const runId = v.pipe(v.string(), v.regex(/^u_[A-Za-z0-9]{1,64}$/));

/** The first line of a hand-over. The text of the plan follows. */
export const planRunForm = v.strictObject({
  run: runId,
  /** What the person confirmed: the plan, how many rows are sent, and their sums. */
  digest: digestForm,
  rows: count,
  sums: v.pipe(v.array(v.strictObject({ currency: text(16), amount: count })), v.maxLength(50)),
  ...deskFields,
  timeoutMs: timeoutForm,
  concurrency: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(16)),
  maxFailures: v.optional(count),
  maxPerSecond: v.optional(v.pipe(v.number(), v.minValue(0.1))),
  /** The policy of the desk's machine. It can only tighten the sender's limits. */
  policy: v.optional(v.strictObject({ file: text(maxText.line), limits: v.record(v.string(), v.string()) })),
});
export type PlanRun = v.InferOutput<typeof planRunForm>;

/** A row that has ended, in the stream of a plan. */
const rowToldForm = v.strictObject({
  row: count,
  how: v.picklist(['applied', 'refused', 'unconfirmed', 'not_sent']),
  why: v.optional(v.string()),
  isKnown: v.optional(v.literal(true)),
});

const stopForm = v.variant('why', [
  v.strictObject({ why: v.literal('unknowns'), inARow: v.boolean(), count }),
  v.strictObject({ why: v.literal('row'), words: v.string() }),
  v.strictObject({ why: v.literal('wait'), waitMs: v.number() }),
  v.strictObject({ why: v.literal('signal') }),
]);

const workedForm = v.strictObject({
  stop: v.optional(stopForm),
  known: count,
  sent: count,
  open: count,
  away: v.array(v.tuple([count, v.string()])),
  equal: v.array(v.string()),
  stoppedBy: v.optional(v.picklist(['auth', 'network', 'refused'])),
  journal: v.optional(refusedForm),
});
type TravellingEnd = v.InferOutput<typeof workedForm>;

export function workedToWire({ stop, run }: Worked): TravellingEnd {
  const { inFlight: _inFlight, unreached: _unreached, journal, ...told } = run;
  return {
    stop,
    ...told,
    away: [...told.away],
    equal: [...told.equal],
    journal: journal && errorToWire(journal),
  };
}

export function workedFromWire({ stop, away, equal, journal, ...rest }: TravellingEnd): Worked {
  const run: BatchRun = {
    ...newBatchRun(),
    ...rest,
    stoppedBy: rest.stoppedBy,
    away: new Map(away),
    equal: new Set(equal),
    journal: journal && errorFromWire(journal),
  };
  return { stop, run };
}

/** Who is applying a plan; null: nobody. */
export const applyingForm = v.strictObject({
  answer: v.nullable(v.strictObject({ member: nameForm, since: timeForm })),
});

// ── Parts of a change ───────────────────────────────────────────────────────────────────────────

const changeId = v.pipe(v.string(), v.regex(changeIdPattern));
const names = v.pipe(v.array(idForm), v.maxLength(100));
const object = v.custom<JsonObject>(isObject);

/** A service record as text, since a number may be too large for JavaScript. */
const recordForm = v.strictObject({
  text: v.pipe(v.string(), v.check(isRecord, 'no record of the service')),
  plain: v.optional(v.boolean()),
});
type TravellingRecord = v.InferOutput<typeof recordForm>;

export function recordToWire({ bytes, plain }: WireRecord): TravellingRecord {
  return { text: new TextDecoder().decode(bytes), plain };
}

/** Throws CliError 'reply' if the text is not a record. */
export function recordFromWire({ text: json, plain }: TravellingRecord): WireRecord {
  const { value, bytes } = readJson(new TextEncoder().encode(json));
  if (!isObject(value)) throw new CliError('reply', 'the sender has sent a record that is not an object');
  return { value, bytes, plain };
}

function isRecord(json: string): boolean {
  try {
    return recordFromWire({ text: json }) !== undefined;
  } catch {
    return false;
  }
}

// ── A hand-over ─────────────────────────────────────────────────────────────────────────────────

const requestForm = v.strictObject({
  method: v.picklist(['POST', 'PUT', 'DELETE']),
  path: v.pipe(v.string(), v.minLength(1), v.maxLength(8000)),
  body: v.optional(object),
  headers: v.optional(v.record(text(100), text(4000))),
});

const whatForm = v.strictObject({
  kind: kindForm,
  orderId: v.optional(orderIdForm),
  request: requestForm,
  expected: v.optional(
    v.pipe(v.array(v.strictObject({ chargeId: chargeIdForm, amount: unitsForm })), v.maxLength(200)),
  ),
  tolerated: v.optional(v.pipe(v.array(chargeIdForm), v.maxLength(200))),
  amount: v.optional(unitsForm),
  currency: v.optional(text(16)),
  reason: v.optional(text(100)),
  note: v.optional(text(maxText.note)),
  twins: v.optional(names),
  again: names,
  idempotencyKey: v.optional(idForm),
  asked: v.optional(object),
  approval: v.optional(idForm),
  neighbour: v.optional(idForm),
});

/** A change that a desk hands over. The same id means the same change. */
export const handOverForm = v.strictObject({
  change: changeId,
  ...deskFields,
  timeoutMs: timeoutForm,
  what: whatForm,
  /** Attempts that this run has just settled, by change. */
  closed: names,
  /** The order as the person saw it. Absent: the sender reads it first. */
  shown: v.optional(recordForm),
});
export type HandOver = v.InferOutput<typeof handOverForm>;

/** Withdraws an id, or asks about it. `idempotencyKey`: that of the change. */
export const withdrawForm = v.strictObject({ idempotencyKey: v.optional(idForm) });

// ── What a stream tells ─────────────────────────────────────────────────────────────────────────

const outcome = v.custom<TravellingOutcome>(isObject);

/** One line in the stream of a change or plan. Only an `end` line says how it ended; if the stream just stops, nothing is known. */
export const lineForm = v.union([
  v.strictObject({ at: v.picklist(['taken', 'sent', 'beat']) }),
  /** What it waits for; null: nothing more. */
  v.strictObject({ waiting: v.nullable(v.string()), atOnce: v.optional(v.boolean()) }),
  v.strictObject({ note: v.string() }),
  v.strictObject({ warn: v.string() }),
  rowToldForm,
  // From here on ends:
  v.strictObject({ end: outcome }),
  v.strictObject({ refused: refusedForm }),
  /** The order differs from what was shown, and nothing was sent. */
  v.strictObject({ changed: recordForm }),
  /** This sender does not know the id. It may still be on its way, so this proves nothing. */
  v.strictObject({ unknown: v.literal(true) }),
  /** The id is closed for good: nothing was or will be sent under it. For a plan: it is stopped. */
  v.strictObject({ closed: v.literal(true) }),
  v.strictObject({ worked: workedForm }),
]);
export type Line = v.InferOutput<typeof lineForm>;
export type EndLine = Exclude<
  Line,
  { at: string } | { waiting: string | null } | { note: string } | { warn: string } | RowTold
>;

export function isEnd(line: Line): line is EndLine {
  return !('at' in line || 'waiting' in line || 'note' in line || 'warn' in line || 'row' in line);
}

/** An outcome as sent: records as texts, and the cause of a failed write as an error. */
type TravellingOutcome = {
  readonly [Name in 'order' | 'record']?: TravellingRecord;
} & {
  readonly verdict: Ended['verdict'];
  readonly data?: string;
  readonly cause?: v.InferOutput<typeof refusedForm>;
};

export function outcomeToWire(ended: Ended): TravellingOutcome {
  const { order, unrecorded, ...rest } = ended;
  const record = 'record' in ended ? recordToWire(ended.record) : undefined;
  const { data, ...parts } = 'parts' in ended ? ended.parts : { data: undefined };
  return JSON.parse(
    JSON.stringify({
      ...rest,
      ...('parts' in ended ? { parts: { ...parts, cause: undefined } } : {}),
      record,
      order: order && recordToWire(order),
      unrecorded: unrecorded && { row: unrecorded.row },
      cause: unrecorded && errorToWire(asCliError(unrecorded.cause)),
      data: data === undefined ? undefined : JSON.stringify(data, exactly),
    }),
  );
}

function asCliError(cause: unknown): CliError {
  return cause instanceof CliError ? cause : new CliError('internal', String(cause));
}

export function outcomeFromWire({ record, order, cause, data, ...rest }: TravellingOutcome): Ended {
  const known = rest as unknown as Ended;
  return {
    ...known,
    ...(order === undefined ? {} : { order: recordFromWire(order) }),
    ...(record === undefined ? {} : { record: recordFromWire(record) }),
    ...(known.unrecorded === undefined || cause === undefined
      ? {}
      : { unrecorded: { row: known.unrecorded.row, cause: errorFromWire(cause) } }),
    ...('parts' in known && data !== undefined
      ? { parts: { ...known.parts, data: readJson(new TextEncoder().encode(data)).value } }
      : {}),
  } as Ended;
}

// ── Reading an attempt again ────────────────────────────────────────────────────────────────────

const statement = v.strictObject({
  applied: v.boolean(),
  note: text(maxText.note),
  corrects: v.optional(v.literal(true)),
});

/** Reads an attempt again. With a statement or an acknowledgement, also records what a person says about it. */
export const resolveForm = v.strictObject({
  ...deskFields,
  attempt: v.pipe(v.number(), v.integer(), v.minValue(1)),
  once: v.optional(v.boolean()),
  statement: v.optional(statement),
  acknowledgement: v.optional(v.strictObject({ note: text(maxText.note) })),
  /** What the read showed when the person was asked, and the note that they typed. */
  confirmed: v.optional(
    v.strictObject({ evidence: v.custom<Evidence>(isObject), note: v.optional(text(maxText.note)) }),
  ),
});
export type ResolveRequest = v.InferOutput<typeof resolveForm>;

/** The result, or what to ask the person first. */
export const resolvedForm = v.union([
  v.strictObject({ resolved: v.custom<Resolved>(isObject) }),
  v.strictObject({ confirm: v.custom<Evidence>(isObject) }),
]);
