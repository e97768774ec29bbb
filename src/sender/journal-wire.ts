/** What desks ask their sender about the journal and the team's rules: the forms of questions and answers. */

import * as v from 'valibot';
import { isObject } from '../api/json-values.ts';
import { refundRequest } from '../api/request-bodies.ts';
import { currencyPattern } from '../api/spec.ts';
import {
  type AttemptRecord,
  type ChangeKind,
  changeKinds,
  type LimitRow,
  requestPattern,
  type SettingRow,
} from '../journal/journal.ts';
import { chargeIdForm, digestForm, idForm, maxText, orderIdForm, text, timeForm, unitsForm } from './wire.ts';

export const kindForm = v.picklist(Object.keys(changeKinds) as [ChangeKind, ...ChangeKind[]]);

const setOf = (form: v.GenericSchema<string>) =>
  v.pipe(
    v.array(form),
    v.maxLength(5000),
    v.transform((names): ReadonlySet<string> => new Set(names)),
  );
const flag = v.optional(v.literal(true));
const bootForm = v.strictObject({ id: text(200), ms: v.number() });
const filterForm = v.strictObject({
  origin: v.optional(text(500)),
  orderId: v.optional(idForm),
  orderIds: v.optional(setOf(idForm)),
  change: v.optional(idForm),
  idempotencyKey: v.optional(idForm),
  made: v.optional(setOf(text(2000))),
  again: v.optional(setOf(idForm)),
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
/** A filter as it travels: its sets are lists. */
export type TravellingFilter = v.InferInput<typeof filterForm>;

/** The questions and their forms. The answers have the types of the store's port. */
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

/** What each answer also carries without being asked: the newest rows, for the desk's moment, and what stops every change. */
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
  /** The row that allowed changes again after the journal was restored from a copy, if there is one. */
  copy: v.optional(v.custom<SettingRow>(isObject)),
});

/** The attempts in an answer. The desk trusts the sender's rows: the sender is the journal. */
export const attemptsForm = v.array(
  v.custom<AttemptRecord>(
    (value) => isObject(value) && isObject(value.sent) && Array.isArray(value.verdicts),
  ),
);

export const settingsForm = v.array(v.custom<SettingRow | LimitRow>(isObject));

// ── Rules ──────────────────────────────────────────────────────────────────────────────────────────

const currency = text(16);
const status = v.optional(text(100));
const requestId = v.pipe(v.string(), v.regex(requestPattern));
const note = v.optional(text(maxText.note));

// The token decides the account, whatever a desk calls it.
const accountOfDesk = { origin: text(500), account: text(500), profile: text(maxText.name) };

const charges = v.pipe(
  v.array(v.strictObject({ id: chargeIdForm, status, amount: unitsForm, refunded: unitsForm })),
  v.maxLength(200),
);
const refundForm = v.strictObject({
  ...accountOfDesk,
  request: v.strictObject({
    method: v.literal('POST'),
    path: text(200),
    body: v.optional(refundRequest),
  }),
  proof: v.strictObject({
    kind: v.literal('refund'),
    orderId: v.optional(orderIdForm),
    livemode: v.boolean(),
    body: v.optional(refundRequest),
    expected: v.pipe(
      v.array(v.strictObject({ chargeId: chargeIdForm, amount: unitsForm })),
      v.maxLength(200),
    ),
    tolerated: v.pipe(v.array(chargeIdForm), v.maxLength(200)),
  }),
  amount: v.optional(unitsForm),
  currency: v.optional(currency),
  reason: v.optional(text(100)),
  note,
  again: v.optional(v.pipe(v.array(idForm), v.maxLength(20))),
  seen: v.optional(
    v.strictObject({
      status,
      amount: unitsForm,
      refunded: v.optional(unitsForm),
      createdAt: v.optional(v.number()),
      charges,
    }),
  ),
});

const sums = v.pipe(v.array(v.strictObject({ currency, amount: unitsForm })), v.maxLength(50));
const planForm = v.strictObject({
  ...accountOfDesk,
  digest: digestForm,
  planned: v.strictObject({
    id: idForm,
    file: text(500),
    madeAt: unitsForm,
    mode: v.picklist(['sandbox', 'production']),
    rows: unitsForm,
    sums,
  }),
  told: v.optional(
    v.strictObject({
      noted: unitsForm,
      notes: v.pipe(v.array(text(maxText.note)), v.maxLength(50)),
      reasons: v.pipe(v.array(v.strictObject({ reason: text(100), rows: unitsForm })), v.maxLength(100)),
    }),
  ),
});

const sum = v.optional(
  v.nullable(v.union([v.literal('none'), v.pipe(unitsForm, v.minValue(0), v.maxValue(1e15))])),
);
const needed = v.optional(v.nullable(v.picklist(['none', 1])));

export const ruleForms = {
  limits: v.strictObject({}),
  setLimits: v.strictObject({
    member: text(maxText.name),
    currency: v.pipe(v.string(), v.regex(currencyPattern), v.toUpperCase()),
    values: v.strictObject({ max: sum, day: sum, second: sum, age: sum, reason: needed, note: needed }),
  }),
  checkRefund: refundForm,
  opened: v.strictObject({ orderId: orderIdForm }),
  approvals: v.strictObject({}),
  ask: v.strictObject({ id: requestId, what: v.union([refundForm, planForm]) }),
  decide: v.strictObject({
    id: requestId,
    step: v.picklist(['approved', 'rejected']),
    validMs: v.pipe(v.number(), v.minValue(0)),
    note,
  }),
} as const;
export type RuleQuestion = keyof typeof ruleForms;
export type RuleAsked<Q extends RuleQuestion> = v.InferOutput<(typeof ruleForms)[Q]>;
