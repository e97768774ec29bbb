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

/** Returns the command unchanged, so that TypeScript infers the types of its input. */
export function defineCommand<const A extends Arguments, const F extends Flags>(
  command: Command<A, F>,
): Command<A, F> {
  return command;
}
