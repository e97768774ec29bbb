/** The rules of a team: limits that its sender checks, and approvals by a second person. The journal of one machine has none of this. */

import { secondsOf } from '../api/spec.ts';
import type { Plan } from '../plans/plans.ts';
import type { Proof, SentRow } from './rows/journal-rows.ts';
import { sameJson } from './same-request.ts';

/**
 * The limits that a lead can set, for a member or for everybody (`*`), in a currency:
 * - `max`: the most that the refunds of one order may add up to within 24 hours
 * - `day`: the most that the refunds of one member may add up to within 24 hours
 * - `second`: if the refunds of an order within 24 hours, or of a plan, add up to this or more, a second person must approve
 * - `age`: the most days since an order was created; an older one is not refunded
 * - `reason`, `note`: 1 where every refund needs one
 *
 * They are those of one account: a sandbox at the same address has limits of its own. A member's own limit counts instead of
 * everybody's. If nothing is set for a member or for everybody, that member has no limit. If something is, the member refunds
 * nothing in a currency that has no limit.
 */
export const teamLimitNames = ['max', 'day', 'second', 'age', 'reason', 'note'] as const;
type TeamLimitName = (typeof teamLimitNames)[number];

/** A limit that is set. */
export interface TeamLimit {
  readonly member: string;
  readonly currency: string;
  readonly name: TeamLimitName;
  /** The service's units, or days; `none`: this member has no such limit, whatever everybody's is. */
  readonly value: number | 'none';
  readonly setBy: string;
  /** Unix milliseconds. */
  readonly setAt: number;
}

/** Limits to set for a member in a currency; null takes a limit away, undefined leaves it. */
export interface LimitChanges {
  readonly member: string;
  readonly currency: string;
  readonly values: Readonly<Partial<Record<TeamLimitName, number | 'none' | null | undefined>>>;
}

/** What the limits say about a refund. */
export interface LimitFinding {
  /** What forbids it: one of the limits, or `currency`: there are limits, and none for this currency. */
  readonly problem: TeamLimitName | 'currency' | undefined;
  /** The limit that forbids it, or from which a second person is needed. */
  readonly limit: TeamLimit | undefined;
  /** What it would pay back, and in which currency (empty: its order does not show one). */
  readonly amount: number;
  readonly currency: string;
  /**
   * What a refund of the whole order may pay back besides: charges that are not paid yet, or whose state nobody knows. They count
   * too.
   */
  readonly besides?: number | undefined;
  /** What went back within 24 hours: on this order, and by this member. */
  readonly ofOrder: number;
  readonly ofMember: number;
  /** When a limit over 24 hours has room again, as in an error (`CliErrorParts`). */
  readonly roomAt?: number | null | undefined;
  readonly needsSecond: boolean;
}

/**
 * - `asked`: nobody has answered it yet
 * - `approved`: it may be sent once, until the approval expires
 * - `used`: it was sent; for a plan: each of its rows was
 * - `expired`: nobody answered within 7 days, or it was approved and not sent in time
 */
type ApprovalState = 'asked' | 'approved' | 'rejected' | 'used' | 'expired';

/** What the id of a request looks like. */
export const requestPattern = /^r_[a-z0-9]{1,32}$/;

/** Whether a request waits for an answer, or to be sent. */
export function isWaiting({ state }: ApprovalRequest): boolean {
  return state === 'asked' || state === 'approved';
}

/** A request for the approval of a second person. */
export interface ApprovalRequest {
  /** `r_7f3k2m`. */
  readonly id: string;
  readonly state: ApprovalState;
  readonly asked: AskedRow;
  readonly decided: DecidedRow | undefined;
  /** The change that it was used for. */
  readonly usedBy: string | undefined;
  /** For an approved plan: how many of its rows were not sent yet. */
  readonly rowsLeft?: number | undefined;
}

/** The longest time that an approval counts, in milliseconds. */
export const approvalMaxMs = 24 * 60 * 60_000;

/** The command that approves, as a policy names it; `paydesk release` of a request is that command too. */
export const approveCommand = 'approvals approve';

/** Somebody who has an order open for a refund, and since when (Unix milliseconds). */
export interface OpenedOrder {
  readonly member: string;
  readonly since: number;
}

/** The rules of a team, for one member. Every function throws CliError 'refused' when the sender refuses or cannot be reached. */
export interface TeamRules {
  /** The member who asks. */
  member(): Promise<string>;
  limits(): Promise<readonly TeamLimit[]>;
  /** For leads only. Returns a row for every limit that changed. */
  setLimits(changes: LimitChanges): Promise<readonly LimitRow[]>;
  /** What the limits say about a refund now; undefined if there are none. The check that counts comes with its SENT row. */
  checkRefund(refund: AskedRefund): Promise<LimitFinding | undefined>;
  /** Notes that this person has an order open for a refund, for some minutes, and returns who else has. It decides nothing. */
  opened(orderId: string): Promise<readonly OpenedOrder[]>;
  /** The requests of the last 30 days, oldest first. */
  approvals(): Promise<readonly ApprovalRequest[]>;
  /** Asks for an approval. If this member has asked for exactly the same already, returns that request. */
  ask(id: string, what: AskedRefund | AskedPlan): Promise<ApprovalRow>;
  /** Approves for a time, or rejects. Nobody approves a request of their own. */
  decide(
    id: string,
    step: DecidedRow['step'],
    how: { readonly validMs: number; readonly note: string | undefined },
  ): Promise<ApprovalRow>;
  /** Gives the sender a plan, as the text of its file. Throws CliError 'refused' if the plan is not of this account. */
  checkPlan(text: string): Promise<PlanFinding>;
}

/** What the limits say about a plan as a whole, and who approved it, if somebody did in time. */
export interface PlanFinding {
  readonly second: PlanSecond | undefined;
  readonly approvedBy: string | undefined;
}

/** What a plan pays back on each order, where it sends something. */
export interface PlannedRefunds extends Pick<AskedPlanRow, 'digest'> {
  /** The id of the plan, which its changes have in their rows. */
  readonly plan: string;
  readonly orders: readonly {
    readonly orderId: string;
    /** The number of its first row in the plan. */
    readonly row: number;
    readonly currency: string;
    readonly amount: number;
  }[];
}

/** Why somebody else must approve a plan. */
export interface PlanSecond {
  readonly limit: TeamLimit;
  /** The sum of the plan, if that alone reaches the limit. */
  readonly total: number | undefined;
  /** The first orders that reach it: their first row, what the plan pays back, and what went back within 24 hours before. */
  readonly orders: readonly { readonly row: number; readonly planned: number; readonly earlier: number }[];
}

/** A row of a team's journal about what its members may send. */
interface TeamRow extends Pick<SentRow, 'time' | 'operator' | 'stamp'> {
  readonly clocks?: undefined;
}

/** Says in a team's journal that a lead changed a limit. */
export interface LimitRow extends TeamRow {
  readonly type: 'limit';
  /** The account with its mode, as the rows of its changes name it. */
  readonly account: string;
  /** The member, or `*` for everybody. */
  readonly member: string;
  readonly currency: string;
  readonly name: string;
  /** `none`: no such limit for this member; null: nothing is set. */
  readonly from: string | null;
  readonly to: string | null;
}

interface ApprovalBase extends TeamRow {
  readonly type: 'approval';
  /** The id of the request, `r_7f3k2m`. */
  readonly requestId: string;
  readonly note?: string | undefined;
}

/** A refund as it would be sent, before any row about it is in the journal. */
export interface AskedRefund
  extends Pick<
    SentRow,
    'origin' | 'account' | 'profile' | 'request' | 'amount' | 'currency' | 'reason' | 'note' | 'again'
  > {
  readonly proof: Omit<Proof, 'before'>;
  /** The money of the order as whoever asked saw it. If it changed, it is not what was approved. */
  readonly seen?: SeenMoney | undefined;
}

/** The money of an order, as far as it may change what a second person would say. */
interface SeenMoney {
  readonly status?: string | undefined;
  readonly amount: number;
  readonly refunded?: number | undefined;
  /** When the order was created, Unix seconds. */
  readonly createdAt?: number | undefined;
  readonly charges: readonly {
    readonly id: string;
    readonly status?: string | undefined;
    readonly amount: number;
    readonly refunded: number;
  }[];
}

/** A plan that a second person is asked to approve as a whole. */
export interface AskedPlan extends Pick<SentRow, 'origin' | 'account' | 'profile'> {
  /** The digest of the plan. */
  readonly digest: string;
  readonly planned: PlannedTotals;
  /** Absent in requests of older programs, and once it was erased. */
  readonly told?: PlanTold | undefined;
}

interface AskedBase extends ApprovalBase {
  readonly step: 'asked';
  /** The person who asked may send nothing, so somebody else sends it once it is approved. */
  readonly byProposer?: true | undefined;
}

/** Says in a team's journal that somebody asked another person to approve a refund, just as it would be sent. */
export type AskedRefundRow = AskedBase & AskedRefund;
export type AskedPlanRow = AskedBase & AskedPlan;

/**
 * What the person who asked for the approval of a plan was told about its rows before the yes. People's notes may be in it, so it
 * can be erased.
 */
export interface PlanTold {
  /** How many rows have notes; and the first of these notes, each with its line. */
  readonly noted: number;
  readonly notes: readonly string[];
  /** How many rows have which reason; `` for none. */
  readonly reasons: readonly { readonly reason: string; readonly rows: number }[];
}

/** Describes a plan that somebody else should approve. */
interface PlannedTotals extends Pick<Plan, 'id' | 'file' | 'madeAt' | 'mode'> {
  /** The rows that it sends, and their sums. */
  readonly rows: number;
  readonly sums: readonly { readonly currency: string; readonly amount: number }[];
}

/** Says in a team's journal what the other person decided. */
export interface DecidedRow extends ApprovalBase {
  readonly step: 'approved' | 'rejected';
  /** Until when it may be sent, Unix milliseconds; null if it was rejected. */
  readonly until: number | null;
}

export type AskedRow = AskedRefundRow | AskedPlanRow;
export type ApprovalRow = AskedRow | DecidedRow;

type RefundAsked = Pick<AskedRefundRow, 'origin' | 'request' | 'proof' | 'currency'>;

/** Whether two requests ask for exactly the same refund, whatever the order looked like. Notes and `again` move no money. */
export function asksForSameRefund(one: RefundAsked, other: RefundAsked): boolean {
  return sameJson(refundIn(one), refundIn(other));
}

function refundIn({ origin, request, proof, currency }: RefundAsked) {
  const { method, path, body } = request;
  const { orderId, livemode, expected } = proof;
  return { origin, method, path, body, orderId, livemode, expected, currency: currency?.toUpperCase() };
}

/** Who asked for a change, who approved it, both with the time (Unix seconds), the request for that, and the ticket of its row of a plan, as fields. */
export interface ApprovalFields {
  readonly asked_by: string | null;
  readonly asked_at: number | null;
  readonly approved_by: string | null;
  readonly approved_at: number | null;
  readonly request: string | null;
  readonly ticket: string | null;
}

/**
 * These fields of a change; all null for one that is not from here. If nobody else asked for it, whoever sent it counts as having
 * asked for it.
 */
export function approvalFields(
  sent?: Pick<
    SentRow,
    'operator' | 'askedBy' | 'askedAt' | 'approvedBy' | 'approvedAt' | 'approval' | 'ticket'
  >,
): ApprovalFields {
  const { operator, askedBy = operator, askedAt, approvedBy, approvedAt, approval, ticket } = sent ?? {};
  return {
    asked_by: askedBy ?? null,
    asked_at: secondsOf(askedAt) ?? null,
    approved_by: approvedBy ?? null,
    approved_at: secondsOf(approvedAt) ?? null,
    request: approval ?? null,
    ticket: ticket ?? null,
  };
}
