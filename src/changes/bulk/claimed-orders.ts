/** The orders of a plan that the desks of a team work off together: this desk takes one after the other, until none is left. */

import type { Context } from '../../commands/command.ts';
import { CliError } from '../../errors.ts';
import type {
  AttemptRecord,
  ClaimedOrder,
  OthersProgress,
  RowClaim,
  RowEnded,
  SharedPlan,
} from '../../journal/journal.ts';

import type { BatchStop, PlanRow } from '../../plans/plans.ts';

/** How this desk takes part in a plan. */
export interface Claims {
  /** The rows of the orders that this desk takes. Waits while others have the last ones: one of them may fail. */
  readonly orders: AsyncIterator<readonly PlanRow[]>;
  readonly claimOf: (row: PlanRow) => RowClaim | undefined;
  readonly rowEnded: (row: PlanRow, how: RowEnded) => void;
  readonly orderEnded: (rows: readonly PlanRow[]) => Promise<void>;
  /** What the others have done, as far as it was asked last. */
  readonly others: () => OthersProgress;
  /** Why no more orders came, if the server of the team refused or was away. */
  readonly stop: () => BatchStop | undefined;
}

// How often others are asked how far they are, and how often a desk that waits for them asks for an order.
const askEveryMs = 1000;

/** Begins to work on a plan. `rows`: all that the plan sends. */
export async function startClaims(
  ctx: Context,
  shared: SharedPlan,
  rows: readonly PlanRow[],
): Promise<Claims> {
  await shared.start();
  const member = await ctx.journal.member();
  const byNumber = new Map(rows.map((row) => [row.number, row]));
  const claimed = new Map<PlanRow, ClaimedOrder>();
  const ends = new Map<PlanRow, RowEnded>();
  let others: OthersProgress = { ended: [], working: [] };
  let askedAt = Number.NEGATIVE_INFINITY;
  let stop: BatchStop | undefined;

  const lookAround = async (): Promise<void> => {
    const now = ctx.clock.monotonic();
    if (now - askedAt < askEveryMs) return;
    askedAt = now;
    others = withoutOwnName(await shared.progress(), member);
  };
  // Rows may have been sent before. So a server that is away ends the batch, and the report says what became of them.
  const claim = async (): ReturnType<SharedPlan['claim']> => {
    try {
      const found = await shared.claim();
      await lookAround();
      return found;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      stop = { why: 'row', words: error.message };
      return { claimed: undefined, others: 0 };
    }
  };
  async function* orders(): AsyncGenerator<readonly PlanRow[], undefined> {
    for (;;) {
      const { claimed: order, others: busy } = await claim();
      if (order !== undefined) {
        const own = order.rows.flatMap((number) => byNumber.get(number) ?? []);
        for (const row of own) claimed.set(row, order);
        if (order.look) await lookAgain(ctx, own);
        yield own;
      } else if (busy === 0 || !(await slept(ctx))) return undefined;
    }
  }
  return {
    orders: orders(),
    claimOf(row) {
      const order = claimed.get(row);
      return order && { plan: order.plan, order: order.order, row: row.number, token: order.token };
    },
    rowEnded: (row, how) => ends.set(row, how),
    async orderEnded(own) {
      const [first] = own;
      const order = first && claimed.get(first);
      const told = own.flatMap((row) => {
        const end = ends.get(row);
        return end === undefined ? [] : [[row.number, end] as const];
      });
      // Of a run that was stopped, what has not ended is for others.
      if (order === undefined || told.length === 0) return;
      // If the server does not hear it, somebody looks these rows up once the time of this desk has run out.
      await shared.ended(order, new Map(told)).catch(onlyRefused);
    },
    others: () => others,
    stop: () => stop,
  };
}

// A run of this person that died, or that goes on elsewhere: somebody who reads their own name looks for a colleague.
function withoutOwnName({ ended, working }: OthersProgress, own: string | undefined): OthersProgress {
  const named = <T extends { readonly member: string }>(one: T): T =>
    one.member === own ? { ...one, member: 'another run of yours' } : one;
  return { ended: ended.map(named), working: working.map(named) };
}

function onlyRefused(error: unknown): void {
  if (!(error instanceof CliError)) throw error;
}

// False if somebody asked to stop.
async function slept({ clock, stopAsked }: Context): Promise<boolean> {
  try {
    await clock.sleep(askEveryMs, stopAsked);
    return true;
  } catch (error) {
    if (!stopAsked.aborted) throw error;
    return false;
  }
}

// ── What a run that is gone has sent ────────────────────────────────────────────────────────────

// If the order cannot be read now, its row stays unconfirmed.
async function lookAgain(ctx: Context, rows: readonly PlanRow[]): Promise<void> {
  const keys = new Set(rows.map(({ key }) => key));
  const orderIds = new Set(rows.map(({ orderId }) => orderId));
  const attempts = await ctx.journal.attempts({ orderIds });
  for (const record of attempts.filter(({ sent }) => keys.has(sent.given ?? ''))) {
    if (!ctx.journal.isOpen(record, await ctx.journal.now())) continue;
    try {
      await untilDue(ctx, record);
      await ctx.journal.reconcile(record);
    } catch (error) {
      if (!(error instanceof CliError) || ctx.signal.aborted) throw error;
    }
  }
}

// As long as its sender may still send it, what the order shows proves nothing.
async function untilDue({ journal, clock, stopAsked }: Context, record: AttemptRecord): Promise<void> {
  while (journal.mayStillLeave(record, await journal.now())) await clock.sleep(lookEveryMs, stopAsked);
}

const lookEveryMs = 250;
