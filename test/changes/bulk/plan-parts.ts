/** Parts of plans as these tests need them: a row of a plan, a row of a file, a refund that the journal knows. */

import type { AttemptRecord, SentRow, VerdictRow } from '../../../src/journal/rows/journal-rows.ts';
import type { InputRow, Plan, PlanRow } from '../../../src/plans/plan-types.ts';
import { attempt } from '../../journal/rows.ts';

export function inputRow(changes: Partial<InputRow> = {}): InputRow {
  return {
    line: 2,
    orderId: 'ord_1',
    reference: undefined,
    charge: 'any',
    amount: 'full',
    reason: undefined,
    ref: '',
    note: undefined,
    again: [],
    asks: undefined,
    cells: [],
    ...changes,
  };
}

export function planRow(changes: Partial<PlanRow> = {}): PlanRow {
  return {
    number: 1,
    line: 2,
    orderId: 'ord_1',
    charge: 'any',
    chargeId: undefined,
    amount: 5,
    reason: undefined,
    ref: '',
    note: undefined,
    more: [],
    key: 'row/1',
    partOf: undefined,
    state: 'ready',
    why: undefined,
    marks: [],
    sum: 5,
    currency: 'MXN',
    body: { charge_id: 'ch_1', amount: 5 },
    expected: [{ chargeId: 'ch_1', amount: -5 }],
    tolerated: [],
    again: [],
    named: [],
    before: undefined,
    neighbour: undefined,
    ...changes,
  };
}

export function planOf(rows: readonly PlanRow[], changes: Partial<Plan> = {}): Plan {
  return {
    id: 'p_1111',
    madeAt: 1000,
    origin: 'o',
    account: 'a',
    profile: 'shop',
    mode: 'sandbox',
    operator: 'op',
    file: 'fri.csv',
    columns: [],
    refreshes: undefined,
    again: [],
    digest: '0'.repeat(64),
    ...changes,
    rows,
  };
}

/** An attempt at the first row of the plan; its last verdict is this one. */
export function attemptAt(
  verdict: Partial<VerdictRow> | undefined,
  sent: Partial<SentRow> = {},
): AttemptRecord {
  return attempt(verdict === undefined ? [] : [verdict], {
    idempotencyKey: 'row/1',
    plan: 'p_1111',
    time: 2000,
    ...sent,
  });
}

export function refund(id: string | undefined, amount = -5, chargeId = 'ch_1') {
  return { chargeId, id, amount, createdAt: undefined, authCode: undefined };
}
