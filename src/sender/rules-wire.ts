/** What desks ask the rules of a team, and the forms of it. The answers are as the port has them. */

import * as v from 'valibot';
import { refundRequest } from '../api/request-bodies.ts';
import { currencyPattern } from '../api/spec.ts';
import { requestPattern } from '../journal/journal.ts';
import { chargeIdForm, digestForm, idForm, maxText, orderIdForm, text, unitsForm } from './wire.ts';

const currency = text(16);
const status = v.optional(text(100));
const requestId = v.pipe(v.string(), v.regex(requestPattern));
const note = v.optional(text(maxText.note));

// The account is that of the token, whatever a desk calls it.
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

/** The questions, each with the form of what is asked. */
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
