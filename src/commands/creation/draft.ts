/** What was said of a body so far: what a script must say, and when a person is asked for more. */

import type { Context } from '../command.ts';
import { usage } from '../command.ts';

/** The flags of these names that were not given, as they are typed. */
export function missingFlags(given: object, names: readonly string[]): readonly string[] {
  return names.filter((name) => !Object.hasOwn(given, name)).map((name) => `--${name}`);
}

/** Throws CliError 'usage' naming every flag that is missing, where nobody can be asked. */
export function requireFlags(ctx: Context, given: object, names: readonly string[]): void {
  if (ctx.ask.interactive && !ctx.options.dryRun) return;
  const missing = missingFlags(given, names);
  if (missing.length === 0) return;
  throw usage(`missing ${missing.join(', ')}`, ['give them, or the whole body with --body FILE']);
}

/** Who says nothing at all is asked for everything; who gives a flag knows what they want. */
export function asksForMore(ctx: Context, given: object, confirm: string | undefined): boolean {
  const { yes, dryRun } = ctx.options;
  return ctx.ask.interactive && Object.keys(given).length === 0 && !yes && !dryRun && confirm === undefined;
}
