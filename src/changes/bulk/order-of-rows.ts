/** What is known when the rows of one order are planned: what was asked for all of them, and the order as it was read. */

import type { JsonObject } from '../../api/spec.ts';
import type { AttemptRecord, ExpectedRefund } from '../../journal/journal.ts';
import type { KnownOrder } from '../../orders/orders.ts';
import type { AllocateWay, InputRow, PlanRow } from '../../plans/plans.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { MadeWords } from '../refund/refund-checks.ts';
import type { TwinOfRow } from './row-doubts.ts';
import type { NamesTaken, RowsOfOrder } from './row-repeats.ts';

/** What was asked for all rows of a plan. */
export interface RowsAsked {
  readonly profile: Profile;
  /** The plan's own id: what it sent before does not count as another plan's. */
  readonly planId: string;
  readonly allocation: AllocateWay | undefined;
  /** `--allow-status`: words of statuses whose orders may be refunded all the same. */
  readonly allowed: readonly string[];
  /** `--again`: refunds and attempts that may be repeated. */
  readonly again: readonly string[];
  /** Unix milliseconds, for limits of a day. */
  readonly nowMs: number;
  readonly moreOf: (row: InputRow) => readonly string[];
}

/** An order as it was read for its rows, and what the journal knows of it. */
export interface OrderOfRows {
  readonly id: string;
  /** Undefined if the order is not there, or could not be found: then `missing` says so. */
  readonly order: JsonObject | undefined;
  readonly missing?: string | undefined;
  readonly neighbour: string | undefined;
  readonly attempts: readonly AttemptRecord[];
  readonly isOpen: (record: AttemptRecord) => boolean;
  readonly twins: readonly TwinOfRow[];
  /** What is known of the order as it was read. */
  readonly known?: KnownOrder | undefined;
  /** Where nobody could look for twins. */
  readonly gaps?: readonly string[] | undefined;
  /** When a refund of the order was made and by whom. */
  readonly madeWords?: MadeWords | undefined;
  /** What somebody settled by hand at the order, for a row that expects these refunds. */
  readonly byHandNotes?: ((expected: readonly ExpectedRefund[]) => readonly string[]) | undefined;
}

/** A row of a plan before it has its number. */
export type NewRow = Omit<PlanRow, 'number'>;

/** An order for one of its rows: as it will be when the rows before are applied, and what those rows mean for this one. */
export interface OrderOfRow extends OrderOfRows {
  /** The order as it was read. */
  readonly asRead: JsonObject | undefined;
  readonly ofOrder: RowsOfOrder;
  readonly taken: NamesTaken;
  /** The rows before this one that will be sent. */
  readonly rowsBefore: readonly NewRow[];
}
