/** The rows that only the journal of a team has: limits, and what a second person is asked and says. */

import type { Proof, SentRow, Stamp } from './journal-rows.ts';

/** Says in a team's journal that a lead changed a limit. */
export interface LimitRow {
  readonly type: 'limit';
  readonly time: number;
  readonly operator: string;
  /** The account with its mode, as the rows of its changes name it. */
  readonly account: string;
  /** The member, or `*` for everybody. */
  readonly member: string;
  readonly currency: string;
  readonly name: string;
  /** `none`: no such limit for this member; null: nothing is set. */
  readonly from: string | null;
  readonly to: string | null;
  readonly clocks?: undefined;
  readonly stamp?: Stamp | undefined;
}

interface ApprovalBase {
  readonly type: 'approval';
  /** The id of the request, `r_7f3k2m`. */
  readonly requestId: string;
  readonly time: number;
  readonly operator: string;
  readonly note?: string | undefined;
  readonly clocks?: undefined;
  readonly stamp?: Stamp | undefined;
}

/** Says in a team's journal that somebody asked another person to approve a refund, just as it would be sent. */
export interface AskedRefundRow
  extends ApprovalBase,
    Pick<SentRow, 'origin' | 'account' | 'profile' | 'request' | 'amount' | 'currency' | 'reason' | 'again'> {
  readonly step: 'asked';
  /** Whoever asked may send nothing, so somebody else sends it once it is approved. */
  readonly byProposer?: true | undefined;
  readonly proof: Pick<Proof, 'kind' | 'orderId' | 'livemode' | 'body' | 'expected' | 'tolerated'>;
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

/** The same for a whole plan. */
export interface AskedPlanRow extends ApprovalBase, Pick<SentRow, 'origin' | 'account' | 'profile'> {
  readonly step: 'asked';
  readonly byProposer?: true | undefined;
  /** The digest of the plan. */
  readonly digest: string;
  readonly planned: PlannedTotals;
  /** Absent in requests of older programs, and once it was erased. */
  readonly told?: PlanTold | undefined;
}

/** What whoever asked for the approval of a plan was told of its rows before the yes. Notes of people may be in it, so it can be erased. */
export interface PlanTold {
  /** How many rows have notes; and the first of these notes, each with its line. */
  readonly noted: number;
  readonly notes: readonly string[];
  /** How many rows have which reason; `` for none. */
  readonly reasons: readonly { readonly reason: string; readonly rows: number }[];
}

/** What a plan that somebody else should approve is about. */
interface PlannedTotals {
  readonly id: string;
  /** The name of its file, and when it was made (Unix milliseconds). */
  readonly file: string;
  readonly madeAt: number;
  readonly mode: 'sandbox' | 'production';
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

/** Who approved a change, when (Unix seconds), the request for that, and the ticket of its row of a plan, as fields of a record. */
export interface ApprovalFields {
  readonly approved_by: string | null;
  readonly approved_at: number | null;
  readonly request: string | null;
  readonly ticket: string | null;
}

/** The fields of a change; all null of one that is not from here. */
export function approvalFields(
  sent?: Pick<SentRow, 'approvedBy' | 'approvedAt' | 'approval' | 'ticket'>,
): ApprovalFields {
  const { approvedBy, approvedAt, approval, ticket } = sent ?? {};
  return {
    approved_by: approvedBy ?? null,
    approved_at: approvedAt === undefined ? null : Math.floor(approvedAt / 1000),
    request: approval ?? null,
    ticket: ticket ?? null,
  };
}
