/** What desks ask of the journal of their sender, and the forms of the questions and answers. */

import * as v from 'valibot';
import { isObject } from '../api/json-values.ts';
import {
  type AttemptRecord,
  type ChangeKind,
  changeKinds,
  type LimitRow,
  type SettingRow,
} from '../journal/journal.ts';
import { idForm, text, timeForm } from './wire.ts';

/** A kind of change. */
export const kindForm = v.picklist(Object.keys(changeKinds) as [ChangeKind, ...ChangeKind[]]);

const setOf = v.pipe(v.array(idForm), v.maxLength(5000));
const flag = v.optional(v.literal(true));
const bootForm = v.strictObject({ id: text(200), ms: v.number() });
const filterForm = v.strictObject({
  origin: v.optional(text(500)),
  orderId: v.optional(idForm),
  orderIds: v.optional(setOf),
  change: v.optional(idForm),
  idempotencyKey: v.optional(idForm),
  made: v.optional(v.pipe(v.array(text(2000)), v.maxLength(5000))),
  again: v.optional(setOf),
  kind: v.optional(kindForm),
  operator: v.optional(idForm),
  desk: v.optional(idForm),
  since: v.optional(v.number()),
  until: v.optional(v.number()),
  withoutOrder: flag,
  unconfirmed: flag,
  open: v.optional(v.strictObject({ skewed: v.boolean() })),
  doubted: flag,
  watched: v.optional(v.strictObject({ dueBy: v.number(), limit: v.pipe(v.number(), v.maxValue(1000)) })),
  madeByHand: v.optional(
    v.strictObject({ time: v.number(), skewed: v.boolean(), boot: v.optional(bootForm) }),
  ),
  byHand: flag,
});
export type TravellingFilter = v.InferOutput<typeof filterForm>;

/** The questions, each with the form of what is asked. The answers are as the port of the store has them. */
export const questionForms = {
  attempts: v.strictObject({ query: filterForm }),
  list: v.strictObject({
    filter: filterForm,
    page: v.strictObject({
      limit: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1000)),
      before: v.optional(v.strictObject({ time: timeForm, change: idForm, attempt: v.number() })),
    }),
  }),
  operators: v.strictObject({}),
  settings: v.strictObject({ name: v.optional(idForm) }),
  newest: v.strictObject({}),
  wholeCheckAt: v.strictObject({}),
} as const;
export type Question = keyof typeof questionForms;

/** What an answer also says: the newest rows, as the moment of a desk needs them, and what stops every change. A desk need not ask for that. */
export const answerForm = v.strictObject({
  answer: v.unknown(),
  newest: v.strictObject({
    time: v.number(),
    clocks: v.optional(
      v.strictObject({
        wall: v.number(),
        service: v.optional(v.number()),
        boot: v.optional(bootForm),
      }),
    ),
    writtenAt: v.optional(v.number()),
  }),
  problem: v.optional(v.string()),
  /** The row that allowed changes again after the journal was put back from a copy, if there is one. */
  copy: v.optional(v.custom<SettingRow>(isObject)),
});

/** The attempts in an answer. The sender is trusted with their rows: it is the journal. */
export const attemptsForm = v.array(
  v.custom<AttemptRecord>(
    (value) => isObject(value) && isObject(value.sent) && Array.isArray(value.verdicts),
  ),
);

/** The rows about settings in an answer. */
export const settingsForm = v.array(v.custom<SettingRow | LimitRow>(isObject));
