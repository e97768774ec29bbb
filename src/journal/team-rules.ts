/**
 * What only the journal that a team shares has: limits that its server checks, approvals by a second person, and plans that
 * several desks work off. A store of such a journal gives this; the journal of one machine has none of it.
 */

import type { RowClaim } from './journal-rows.ts';
import type {
  ApprovalRow,
  AskedPlanRow,
  AskedRefundRow,
  AskedRow,
  DecidedRow,
  LimitRow,
} from './team-rows.ts';

/**
 * The limits that a lead can set, for a member or for everybody (`*`), in a currency:
 * - `max`: the most that the refunds of one order may add up to within 24 hours
 * - `day`: the most that the refunds of one member may add up to within 24 hours
 * - `second`: from this sum of an order within 24 hours on, or of a plan, a second person must approve
 * - `reason`, `note`: 1 where every refund needs one
 *
 * A member's own limit counts in place of everybody's. For whom nothing is set, alone or with everybody, there is no limit. For
 * whom something is set, nothing is refunded in a currency that has no limit.
 */
export const teamLimitNames = ['max', 'day', 'second', 'reason', 'note'] as const;
type TeamLimitName = (typeof teamLimitNames)[number];

/** A limit that is set. */
export interface TeamLimit {
  readonly member: string;
  readonly currency: string;
  readonly name: TeamLimitName;
  /** The service's units; `none`: this member has no such limit, whatever everybody's is. */
  readonly value: number | 'none';
  readonly setBy: string;
  /** Unix milliseconds. */
  readonly setAt: number;
}

/** Limits to set for a member in a currency; null takes a limit away. */
export interface LimitChanges {
  readonly member: string;
  readonly currency: string;
  readonly values: Readonly<Partial<Record<TeamLimitName, number | 'none' | null>>>;
}

/** What the limits say to a refund. */
export interface LimitFinding {
  /** What forbids it: one of the limits, or `currency`: there are limits, and none for this currency. */
  readonly problem: TeamLimitName | 'currency' | undefined;
  /** The limit that forbids it, or from which a second person is needed. */
  readonly limit: TeamLimit | undefined;
  /** What it would pay back, and in which currency (empty: its order does not show one). */
  readonly amount: number;
  readonly currency: string;
  /** What went back within 24 hours: on this order, and by this member. */
  readonly ofOrder: number;
  readonly ofMember: number;
  readonly needsSecond: boolean;
}

/** A refund as it would be sent, before anything of it is in the journal. */
export type AskedRefund = Pick<
  AskedRefundRow,
  | 'origin'
  | 'account'
  | 'profile'
  | 'request'
  | 'proof'
  | 'amount'
  | 'currency'
  | 'reason'
  | 'note'
  | 'again'
  | 'seen'
>;
export type AskedPlan = Pick<AskedPlanRow, 'origin' | 'account' | 'profile' | 'claim' | 'planned' | 'told'>;

/**
 * - `asked`: nobody has answered it yet
 * - `approved`: it may be sent once, until the approval expires
 * - `used`: it was sent
 * - `expired`: nobody answered within 7 days, or it was approved and not sent in time
 */
type ApprovalState = 'asked' | 'approved' | 'rejected' | 'used' | 'expired';

/** A request for the approval of a second person. */
export interface ApprovalRequest {
  /** `r_7f3k2m`. */
  readonly id: string;
  readonly state: ApprovalState;
  readonly asked: AskedRow;
  readonly decided: DecidedRow | undefined;
  /** The intent that it was used for. */
  readonly usedBy: string | undefined;
}

/** The longest time that an approval counts, in milliseconds. */
export const approvalMaxMs = 24 * 60 * 60_000;

/** The rules of a team. Every function asks its server, and throws CliError 'refused' when that refuses or cannot be reached. */
export interface TeamRules {
  /** Who is signed in. */
  member(): Promise<string>;
  limits(): Promise<readonly TeamLimit[]>;
  /** Leads only. Returns a row for every limit that was not so before. */
  setLimits(changes: LimitChanges): Promise<readonly LimitRow[]>;
  /** What the limits say to a refund now; undefined if there are none. The check that counts comes with its SENT row. */
  checkRefund(refund: AskedRefund): Promise<LimitFinding | undefined>;
  /** The requests of the last days, oldest first. */
  approvals(): Promise<readonly ApprovalRequest[]>;
  /** Asks for an approval. If this member has asked for the very same already, that request comes back. */
  ask(id: string, what: AskedRefund | AskedPlan): Promise<ApprovalRow>;
  /** Approves for a time, or rejects. Nobody approves a request of their own. */
  decide(
    id: string,
    step: DecidedRow['step'],
    how: { readonly validMs: number; readonly note: string | undefined },
  ): Promise<ApprovalRow>;
  /** A plan that desks work off together. `text`: its file without the last line, which its digest covers. */
  plan(digest: string, text: () => string | Promise<string>): Promise<SharedPlan>;
  /**
   * How far other runs are with a plan. Does not take part in it, and does not add it. While the server is away: what this
   * machine has of it.
   */
  planProgress(digest: string): Promise<OthersProgress>;
}

/** A plan in a team's journal. */
export interface SharedPlan {
  /** Why somebody else must approve it as a whole, if that is so; and who did, if somebody did in time. */
  check(): Promise<{ readonly second: PlanSecond | undefined; readonly approvedBy: string | undefined }>;
  /** Begins a run. If all its orders were ended, they are for the taking once more. */
  start(): Promise<void>;
  /**
   * Takes an order that nobody works on. `others`: how many orders other runs work on; one of them may come back when its run
   * is not heard of any more.
   */
  claim(): Promise<{ readonly claimed: ClaimedOrder | undefined; readonly others: number }>;
  /** Notes how the rows of an order ended, by their numbers. Does nothing if another run has taken it over. */
  ended(order: ClaimedOrder, ends: ReadonlyMap<number, RowEnded>): Promise<void>;
  /** How far other runs are. */
  progress(): Promise<OthersProgress>;
  /** Ends the run: others may take what it claimed and did not end. */
  leave(): Promise<void>;
}

/** Why somebody else must approve a plan. */
export interface PlanSecond {
  readonly limit: TeamLimit;
  /** The sum of the plan, if that alone reaches the limit. */
  readonly total: number | undefined;
  /** The first orders that reach it: their first row, what the plan pays back, and what went back within 24 hours before. */
  readonly orders: readonly { readonly row: number; readonly planned: number; readonly earlier: number }[];
}

/** How a row of a plan ended. */
export type RowEnded = 'applied' | 'refused' | 'unconfirmed' | 'not_sent';

/** An order of a plan that this run works on. */
export interface ClaimedOrder extends Omit<RowClaim, 'row'> {
  /** A run that is gone has sent one of its rows: that is looked up first. */
  readonly look: boolean;
  /** The numbers of its rows in the plan, in the order in which they are sent. */
  readonly rows: readonly number[];
}

/** Nobody who works on an order is silent for longer, unless the service or the network stands still. */
export const silentFromMs = 15_000;

/** What other runs have done with a plan. */
export interface OthersProgress {
  readonly ended: readonly {
    readonly member: string;
    readonly how: RowEnded;
    /** `?` if the order does not show one. */
    readonly currency: string;
    readonly rows: number;
    readonly amount: number;
  }[];
  /** Who works on how many orders now, since when nothing was heard of them, and when their last order is taken over. */
  readonly working: readonly {
    readonly member: string;
    readonly orders: number;
    readonly silentMs: number;
    readonly takenInMs: number;
  }[];
}
