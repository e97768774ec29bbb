/** What a command is: its arguments, flags and examples, and what it does. */

import type { Context } from '../context/context.ts';
import type { Arguments, Flags, Input } from '../flags/flags.ts';

/** A command. Its words and summary are in the table of commands.ts. */
export interface Command<A extends Arguments = Arguments, F extends Flags = Flags> {
  /** Three sentences at most, under the summary; the rest is in docs. An indented line is a command to copy. */
  readonly description?: string;
  readonly arguments: A;
  readonly flags: F;
  /** Two complete command lines without `$ `; one of them is for scripts. */
  readonly examples: readonly string[];
  /** What exit codes mean here, where that is more than `paydesk help exit-codes` says. */
  readonly exits?: Readonly<Record<number, string>>;
  /** Gathers, plans, confirms, acts and shows. Returns an exit code, or undefined for 0. */
  run(ctx: Context, input: Input<A, F>): Promise<number | undefined>;
}

/** A command as its file declares it: arguments and flags that it does not have are left out. */
type Declared<A extends Arguments, F extends Flags> = Omit<Command<A, F>, 'arguments' | 'flags'> &
  Partial<Pick<Command<A, F>, 'arguments' | 'flags'>>;

/** Returns the command. TypeScript infers the types of its input from what was declared. */
export function defineCommand<
  const A extends Arguments = readonly [],
  const F extends Flags = Readonly<Record<never, never>>,
>(command: Declared<A, F>): Command<A, F> {
  return { arguments: [], flags: {}, ...command } as Command<A, F>;
}
