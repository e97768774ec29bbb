/** What desks and senders exchange about plans: how a plan is handed over, and how it ends. */

import * as v from 'valibot';
import { type BatchRun, newBatchRun, type Worked } from '../plans/plans.ts';
import {
  deskFields,
  digestForm,
  errorFromWire,
  errorToWire,
  maxText,
  nameForm,
  refusedForm,
  text,
  timeForm,
  timeoutForm,
} from './wire.ts';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
/** The id of one hand-over. The same id means the same hand-over. */
const runId = v.pipe(v.string(), v.regex(/^u_[A-Za-z0-9]{1,64}$/));

/** The first line of a hand-over. The text of the plan follows. */
export const planHeadForm = v.strictObject({
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
export type PlanHead = v.InferOutput<typeof planHeadForm>;

/** A row that has ended, in the stream of a plan. */
export const rowToldForm = v.strictObject({
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

/** How a plan ended. */
export const workedForm = v.strictObject({
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
  const { known, sent, open, away, equal, stoppedBy, journal } = run;
  return {
    stop,
    known,
    sent,
    open,
    away: [...away],
    equal: [...equal],
    stoppedBy,
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
