/** What must be right about a whole plan, when it is made and again before it is sent: its account, its totals and its limits. */

import { CliError } from '../../errors.ts';
import {
  type ControlTotals,
  controlTotalProblems,
  type Plan,
  type PlanRow,
  sumsOf,
} from '../../plans/plans.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import { planLimitProblems } from './plan-limits.ts';

/** Throws CliError 'refused' when a plan is for another account, or for the other mode. */
export function checkAccount(plan: Plan, profile: Profile, path: string): void {
  if (plan.origin === profile.origin && plan.account === profile.account && plan.mode === profile.mode)
    return;
  throw new CliError(
    'refused',
    `${path} is a plan for ${plan.mode} ${plan.profile} (${plan.account}), and profile ${profile.name} is ${profile.mode} (${profile.account})`,
    {
      certain: 'nothing was sent',
      now: [commandLine({ kind: 'stored', name: plan.profile }, 'refunds', 'apply', path)],
    },
  );
}

/** The rows of a plan that `refunds apply` sends. */
export function rowsToSend(rows: readonly PlanRow[]): readonly PlanRow[] {
  return rows.filter(({ state }) => state === 'ready' || state === 'unconfirmed');
}

/**
 * What a person counted in the file: how many refunds, and their sums. All rows count that stand in the file: a spread row once, and
 * also the rows that cannot be sent.
 */
export function controlFigures(rows: readonly PlanRow[]): Parameters<typeof controlTotalProblems>[1] {
  const lines = new Set(rows.map(({ line }) => line));
  // Nobody knows the currency of an order that is not there.
  const known = rows.filter(
    ({ state, currency, sum }) => state !== 'impossible' || (currency !== undefined && sum > 0),
  );
  const sums = sumsOf(known).map((sum) => ({ ...sum, rows: linesIn(known, sum.currency) }));
  return { rows: lines.size, sums };
}

/** Throws CliError 'usage' when the rows of the file are not as many, or not as much, as a person expects. */
export function checkControlTotals(rows: readonly PlanRow[], expected: ControlTotals, certain: string): void {
  const problems = controlTotalProblems(expected, controlFigures(rows));
  if (problems.length === 0) return;
  throw new CliError('usage', problems.join('; '), {
    certain,
    now: [
      ...impossibleWords(rows),
      'find out which is right, the file or the total; then run the command again',
    ],
  });
}

function linesIn(rows: readonly PlanRow[], code: string): number {
  return new Set(rows.filter(({ currency = '?' }) => currency === code).map(({ line }) => line)).size;
}

// Their sums are what the file asks for, if that is known: often they are the difference.
function impossibleWords(rows: readonly PlanRow[]): readonly string[] {
  const lines = [...new Set(rows.filter(({ state }) => state === 'impossible').map(({ line }) => line))];
  if (lines.length === 0) return [];
  const more = lines.length > shownLines ? ` and ${lines.length - shownLines} more` : '';
  return [
    `impossible ${lines.length === 1 ? 'row: line' : 'rows: lines'} ${lines.slice(0, shownLines).join(', ')}${more}`,
  ];
}

const shownLines = 20;

/** Throws CliError 'refused' when the plan is over a limit of the profile. */
export function checkPlanLimits(rows: readonly PlanRow[], profile: Profile): void {
  const sent = rowsToSend(rows);
  const [first, ...more] = planLimitProblems(profile.settings, { rows: sent.length, sums: sumsOf(sent) });
  if (first === undefined) return;
  throw new CliError('refused', [first, ...more].join('; '), {
    certain: 'nothing was sent',
    now: ['split the file, or ask your lead'],
  });
}
