/** `refunds plan --refresh`: makes a plan anew from its rows, each of which keeps its identity. Sends nothing. */

import type { OpenService } from '../../../api/api.ts';
import type { Context } from '../../../context/context.ts';
import { currencyIn, type InputRow, type Plan, type PlanRow } from '../../../plans/plans.ts';
import type { Profile } from '../../../profiles/profiles.ts';
import { checkWritten } from '../bulk-files.ts';
import { ordersOf, type ReadOrders } from '../found-orders.ts';
import { checkAccount } from '../plan-checks.ts';
import { readOrders } from '../read-orders.ts';
import { reportPlan } from '../report-plan.ts';
import { movedNothing } from '../row-verdicts.ts';
import { keepPlan, type PlanHow } from './make-plan.ts';
import type { RowsAsked } from './plan-row.ts';
import { rowsOfOrders } from './plan-rows.ts';
import { allOrNone } from './spread-row.ts';

interface RefreshAsked extends PlanHow {
  readonly refresh: string;
}

/**
 * Makes a plan anew: every order is read again, and every row keeps its identity. Rows that were applied stay done. Throws
 * CliError 'refused' if the plan is for another account.
 */
export async function refreshPlan(ctx: Context, service: OpenService, asked: RefreshAsked): Promise<Plan> {
  const { profile } = service;
  await checkWritten(ctx, { '--to': asked.to }, { 'the older plan': asked.refresh });
  const old = await ctx.plans.open(asked.refresh);
  checkAccount(old, profile, asked.refresh);
  const orders = await readOrders(ctx, service, ordersOf(old.rows));
  const { rows: _, digest, ...head } = old;
  const again = [...asked.again, ...(await namesNotSent(ctx, old))];
  const rows = await rowsAnew(ctx, service, old, orders, { ...asked, again });
  // Every row names its charge by the id now, since a number may mean another charge today. It keeps what was typed.
  const before = new Map(old.rows.map((row) => [row.key, row]));
  const same = rows.map((row) => {
    const { partOf, charge = row.charge, named = [] } = before.get(row.key) ?? {};
    const known = row.state === 'done' || row.state === 'unconfirmed' ? named : row.named;
    return { ...row, partOf: partOf ?? row.partOf, charge, named: known };
  });
  const whole = allOrNoneOf(onlyOnce(same), profile).map((row, index) => ({ ...row, number: index + 1 }));
  const named = [...new Set([...old.again, ...asked.again])];
  return keepPlan(
    ctx,
    profile,
    { ...head, madeAt: ctx.clock.now(), refreshes: digest, again: named },
    whole,
    asked,
  );
}

/** Rows of a plan as they would be planned now. */
export function rowsAnew(
  ctx: Context,
  service: OpenService,
  { id, rows, columns }: Pick<Plan, 'id' | 'rows' | 'columns'>,
  orders: ReadOrders,
  how: Pick<RowsAsked, 'allocation' | 'allowed' | 'again' | 'saw'>,
): Promise<readonly PlanRow[]> {
  const input = rows.map((row) => asInput(row, columns));
  return rowsOfOrders(ctx, service, input, orders, {
    ...how,
    profile: service.profile,
    nowMs: service.seenDate?.()?.date,
    planId: id,
    moreOf: ({ cells }) => cells,
  });
}

// What `--again` named for the older plan, without the names that were needed by rows sent since: a name counts for one row.
async function namesNotSent(ctx: Context, old: Plan): Promise<readonly string[]> {
  const sent = (await reportPlan(ctx, old)).filter((report) => !movedNothing(report));
  const usedUp = new Set(sent.flatMap(({ row }) => row.named));
  return old.again.filter((name) => !usedUp.has(name));
}

// A spread row of which some parts were sent brings those parts, and they are in the old plan too. Each is kept once.
function onlyOnce(rows: readonly PlanRow[]): readonly PlanRow[] {
  return [...new Map(rows.toReversed().map((row) => [row.key, row])).values()].toReversed();
}

// The parts of a spread row were planned one by one.
function allOrNoneOf(rows: readonly PlanRow[], profile: Profile): readonly PlanRow[] {
  const byWhole = Map.groupBy(rows, ({ partOf, key }) => partOf ?? key);
  const checked = [...byWhole.values()].flatMap((parts) => allOrNone(parts, profile));
  return checked.toSorted((one, other) => one.number - other.number);
}

function asInput(row: PlanRow, columns: Plan['columns']): InputRow {
  const { charge, chargeId = charge, named: again, repeats: asks, more } = row;
  const currency = currencyIn(columns, more);
  return { ...row, reference: undefined, charge: chargeId, currency, again, asks, cells: more };
}
