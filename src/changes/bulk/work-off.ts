/** Works the rows of a plan off: on this machine, or at the sender of a team. */

import {
  type BatchStop,
  type HowWorked,
  type PlanRow,
  type RowEnd,
  type RowTold,
  runBatch,
} from '../../plans/plans.ts';
import { dryRunWords } from './row-verdicts.ts';
import { type Sending, sendRow } from './send-row.ts';

/** What it takes besides what a row needs. */
interface WorkedOff extends Omit<Sending, 'waiting' | 'keys'> {
  readonly rows: readonly PlanRow[];
  readonly how: HowWorked;
  /** Called when a row has ended. */
  readonly tell: (row: RowTold) => void;
  /** Called with each row that waits for the service, as `Notes.waiting` is. */
  readonly waiting: Sending['waiting'];
}

/** Sends the rows, each at most once. Returns why it ended before the last one; undefined if it did not. */
export async function workOff({ rows, how, tell, ...sending }: WorkedOff): Promise<BatchStop | undefined> {
  const { plan, run, ctx } = sending;
  const keys = new Set(plan.rows.map(({ key }) => key));
  const byOrder = Map.groupBy(rows, ({ orderId }) => orderId);
  const { stop } = await runBatch({
    groups: [...byOrder.values()],
    concurrency: how.concurrency,
    maxFailures: how.maxFailures,
    clock: ctx.clock,
    signal: ctx.stopAsked,
    send: async (row, lost) => {
      const waiting: Sending['waiting'] = (text, isRead) => {
        if (isRead) lost();
        return sending.waiting(text, isRead);
      };
      run.inFlight += 1;
      const end = await sendRow({ ...sending, keys, waiting }, row).finally(() => {
        run.inFlight -= 1;
      });
      const { notSent: why, isStopped = false } = end;
      if (isStopped) return end;
      tell({ row: row.number, how: endedAs(end), why, ...(end.isKnown === true ? { isKnown: true } : {}) });
      // A dry run looks at the first row of an order. The order is not yet as it will be when the others are sent.
      const others = why === dryRunWords ? (byOrder.get(row.orderId) ?? []) : [];
      for (const { number } of others) if (number !== row.number) tell({ row: number, how: 'not_sent', why });
      return end;
    },
  });
  return stop;
}

function endedAs({ how, notSent }: RowEnd): RowTold['how'] {
  if (how === 'applied') return 'applied';
  if (how === 'unknown') return 'unconfirmed';
  return notSent === undefined ? 'refused' : 'not_sent';
}
