/** What the server of a team's journal answers about limits, approvals and plans. All of these throw if it is something else. Pure. */

import * as v from 'valibot';
import type { StoredRow } from '../chain.ts';
import {
  type LimitFinding,
  type OthersProgress,
  type SharedPlan,
  type TeamLimit,
  teamLimitNames,
} from '../team-rules.ts';
import { readRow } from './server-check.ts';

/** The limits that are set. */
export function limitsIn(answer: unknown): readonly TeamLimit[] {
  return v.parse(v.array(limitForm), answer).map(limitOf);
}

/** Rows that were added. */
export function readRows(answer: unknown): readonly StoredRow[] {
  return v.parse(v.array(v.unknown()), answer).map(readRow);
}

export const readRequests = (answer: unknown): v.InferOutput<typeof requestForm>[] =>
  v.parse(v.array(requestForm), answer);
export const readClaims = (answer: unknown): v.InferOutput<typeof claimsForm> => v.parse(claimsForm, answer);
export const readProgress = (answer: unknown): OthersProgress => v.parse(progressForm, answer);

/** What the limits say to a plan. */
export function planFindingIn(answer: unknown): Awaited<ReturnType<SharedPlan['check']>> {
  const { second, approvedBy, total, orders } = v.parse(planForm, answer);
  return {
    second: second === null ? undefined : { limit: limitOf(second), total: total ?? undefined, orders },
    approvedBy: approvedBy ?? undefined,
  };
}

/** What the limits said, out of the detail of an error or of an answer; undefined if there are none. */
export function findingIn(answer: unknown): LimitFinding | undefined {
  if (answer === null) return undefined;
  const { problem, limit, second, ...figures } = v.parse(findingForm, answer);
  return {
    ...figures,
    problem: problem ?? undefined,
    limit: limit === null ? undefined : limitOf(limit),
    needsSecond: second,
  };
}

const limitForm = v.object({
  member: v.string(),
  currency: v.string(),
  name: v.picklist(teamLimitNames),
  value: v.nullable(v.number()),
  set_by: v.string(),
  set_at: v.number(),
});

function limitOf({ value, set_by: setBy, set_at: setAt, ...of }: v.InferOutput<typeof limitForm>): TeamLimit {
  return { ...of, value: value ?? 'none', setBy, setAt };
}

const findingForm = v.object({
  problem: v.nullable(v.picklist(['currency', ...teamLimitNames])),
  limit: v.nullable(limitForm),
  amount: v.number(),
  currency: v.string(),
  ofOrder: v.number(),
  ofMember: v.number(),
  second: v.boolean(),
});

const requestForm = v.object({
  id: v.string(),
  state: v.picklist(['asked', 'approved', 'rejected', 'used', 'expired']),
  usedBy: v.nullable(v.string()),
  asked: v.unknown(),
  decided: v.unknown(),
});

const planForm = v.object({
  second: v.nullable(limitForm),
  approvedBy: v.nullable(v.string()),
  total: v.nullable(v.number()),
  orders: v.array(v.object({ row: v.number(), planned: v.number(), earlier: v.number() })),
});

const claimsForm = v.object({
  claimed: v.array(
    v.object({ order: v.number(), token: v.number(), look: v.boolean(), rows: v.array(v.number()) }),
  ),
  others: v.number(),
});

const progressForm = v.object({
  ended: v.array(
    v.object({
      member: v.string(),
      how: v.picklist(['applied', 'refused', 'unconfirmed', 'not_sent']),
      currency: v.string(),
      rows: v.number(),
      amount: v.number(),
    }),
  ),
  working: v.array(
    v.object({ member: v.string(), orders: v.number(), silentMs: v.number(), takenInMs: v.number() }),
  ),
});
