/** Names of people as they are typed after an option, and whom they mean. */

import type { Context } from '../../context/context.ts';
import { short, usage } from '../../flags/flags.ts';
import { closestNames } from '../../terminal/terminal.ts';

/**
 * The typed name of an operator, as the journal spells it: capitals do not matter. Somebody who sent nothing with this account
 * may have sent with another one, or may be a member of the team. Throws CliError 'usage' if nobody has that name.
 */
export async function operatorMeant(
  ctx: Pick<Context, 'journal'>,
  typed: string | undefined,
  again?: (name: string) => readonly string[],
): Promise<string | undefined> {
  if (typed === undefined) return undefined;
  return nameMeant(ctx, '--operator', typed, await ctx.journal.operators(undefined), again);
}

/** The same for the name after any option, among those that there are. */
export async function nameMeant(
  { journal }: Pick<Context, 'journal'>,
  option: string,
  typed: string,
  names: readonly string[],
  again: (name: string) => readonly string[] = () => [],
): Promise<string> {
  const meant = names.find((name) => name === typed) ?? names.find((name) => isSameName(name, typed));
  // If rows of the journal are lost, names may be lost too.
  if (meant !== undefined || names.length === 0 || (await journal.problem()) !== undefined)
    return meant ?? typed;
  const begun = names.filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()));
  throw usage(
    `${option} ${short(typed)}: nobody here has that name; there is ${names.toSorted().join(', ')}`,
    (begun.length > 0 ? begun : closestNames(typed, names)).toSorted().flatMap(again),
  );
}

/** Whether two names are the same apart from capitals. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
