/** Prints a new plan: its rows, what it sends, and what to do next. */

import { planColumns, planLines, planRecord } from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import type { Plan } from '../../plans/plans.ts';
import type { Profile } from '../../profiles/profiles.ts';

export async function showPlan(
  ctx: Context,
  plan: Plan,
  path: string,
  profile: Profile,
  { list }: { readonly list: boolean } = { list: true },
): Promise<void> {
  if (list)
    await ctx.out.ownList(
      planColumns(plan),
      plan.rows.values().map((row) => planRecord(row, plan)),
    );
  for (const line of planLines(plan, path, profile)) ctx.notes.note(line);
}
