/** Keeps a file that is written from replacing a file that is read: the input file, or the plan. */

import type { Context } from '../../context/context.ts';
import { usage } from '../../flags/flags.ts';
import type { Plan } from '../../plans/plans.ts';

/** What is written, by the flag that names it. */
type Written = Readonly<Record<`--${string}`, string | undefined>>;

/** What must stay, by what it is: `the input file`, `the plan`. */
type Kept = Readonly<Record<string, string | undefined>>;

/** Throws CliError 'usage' that names the file, even with --force. No spelling of a path and no link gets around that. */
export async function checkWritten(
  { plans, refuseOwnFile }: Context,
  written: Written,
  kept: Kept,
): Promise<void> {
  const taken: [what: string, path: string][] = [];
  for (const [what, path] of Object.entries(kept)) if (path !== undefined) taken.push([what, path]);
  for (const [flag, path] of Object.entries(written)) {
    if (path === undefined) continue;
    refuseOwnFile(path);
    for (const [what, one] of taken)
      if (await plans.isSameFile(one, path)) throw wouldReplace(flag, path, what);
    taken.push([`the file of ${flag}`, path]);
  }
}

/** The same for a file of rows of a plan. The plan knows only the name of its input file, not the folder. */
export async function checkRest(
  ctx: Context,
  rest: string | undefined,
  path: string,
  plan: Plan,
): Promise<void> {
  await checkWritten(ctx, { '--rest': rest }, { 'the plan': path });
  if (rest !== undefined && withoutFolder(rest) === plan.file && (await ctx.plans.exists(rest)))
    throw wouldReplace('--rest', rest, 'called like the input file of the plan');
}

/**
 * A name beside a plan that no file has yet, for a command that paydesk suggests: `march-2.plan` for the plan made anew,
 * `march-rest.csv` for the rows that are left.
 */
export async function freeName(
  { plans }: Pick<Context, 'plans'>,
  path: string,
  what: 'plan' | 'rest',
): Promise<string> {
  const whole = path.replace(/\.plan$/i, '');
  // `march-2.plan` was made anew of `march.plan`. The name of a day ends in a number too.
  const first = whole.replace(/-[1-9]\d?$/, '');
  const stem = first !== whole && (await plans.exists(`${first}.plan`)) ? first : whole;
  const nameOf = (count: number) => {
    if (what === 'plan') return `${stem}-${count + 1}.plan`;
    return `${stem}-rest${count === 1 ? '' : `-${count}`}.csv`;
  };
  for (let count = 1; ; count += 1) {
    const name = nameOf(count);
    if (!(await plans.exists(name))) return name;
  }
}

/** The name of a file, without its folder. */
export function withoutFolder(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path;
}

function wouldReplace(flag: string, path: string, what: string): Error {
  return usage(`${flag} ${path} is ${what}, which must stay as it is`, [`name another file with ${flag}`]);
}
