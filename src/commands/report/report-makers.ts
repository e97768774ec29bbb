/** Who made each refund and why, out of the journal of this machine, in words that are never blank. */

import type { JsonObject } from '../../api/spec.ts';
import { CliError } from '../../errors.ts';
import type { AttemptRecord, Journal, Moment } from '../../journal/journal.ts';
import { knownOrder, ordersWithRefunds, toldRefunds, withChargeIds } from '../../orders/orders.ts';
import { type Known, type Maker, noReason, notFromHere } from '../../reports/reports.ts';

/** Says who made a refund. */
type MakerOf = Known['makerOf'];

/** Looks up who made the refunds of some orders. */
export type Makers = (orders: readonly JsonObject[]) => Promise<MakerOf>;

/** Asks the journal for the attempts on orders. */
type AskJournal = (orderIds: ReadonlySet<string>) => Promise<readonly AttemptRecord[]>;

const elsewhere: Maker = { origin: notFromHere, reason: notFromHere, operator: notFromHere };

/** For a report that does not ask who made a refund. */
export const nobodyAsked: Makers = () => Promise.resolve(() => ({ ...elsewhere, state: undefined }));

/**
 * Who made the refunds of orders. Throws CliError 'refused' if the journal cannot be read: all refunds would then look as if
 * somebody else had made them. That is tried at once, before anything else is read.
 */
export async function makersOf(ask: AskJournal, journal: Pick<Journal, 'now'>): Promise<Makers> {
  await attemptsOn(ask, []);
  return async (orders) => makerAmong(await attemptsOn(ask, orders), await journal.now());
}

function makerAmong(attempts: readonly AttemptRecord[], now: Moment): MakerOf {
  const byOrder = Map.groupBy(attempts, ({ sent }) => sent.proof.orderId);
  // The refunds of an order are asked for one after the other.
  let last: { readonly order: JsonObject; readonly told: ReturnType<typeof toldRefunds> } | undefined;
  return (refund, order) => {
    if (last?.order !== order) {
      const own = byOrder.get(String(order.id)) ?? [];
      // An index does not keep all of an order.
      last = { order, told: toldRefunds(knownOrder(withChargeIds(order, own), own, now, undefined)) };
    }
    const { state, facts, attempt } = last.told(refund);
    if (attempt === undefined) return { ...elsewhere, state };
    // An attempt that is not confirmed yet probably made it.
    const origin = facts === undefined ? 'probably this machine' : 'this machine';
    const { reason = noReason, note } = attempt.sent;
    return { origin, reason, operator: attempt.sent.operator, note, state };
  };
}

async function attemptsOn(ask: AskJournal, orders: readonly JsonObject[]) {
  try {
    return await ask(ordersWithRefunds(orders));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    // That the sender of a team is away is no refusal.
    const kind = error.kind === 'network' ? error.kind : 'refused';
    throw new CliError(kind, `the report cannot say who made the refunds: ${error.message}`, {
      ...error.parts,
      cause: error,
    });
  }
}
