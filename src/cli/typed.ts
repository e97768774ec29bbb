/** Values of flags and arguments as typed, checked one by one. Pure. */

import type { Command, Flag, Input } from '../commands/command.ts';
import { CliError } from '../errors.ts';

/** Values of flags, by flag name. */
export type Typed = Map<string, unknown[]>;

/** Keeps a value as it is met. Throws CliError 'usage' for a second one: commander would silently take the last. */
export function keep(typed: Typed, name: string, one: Flag, text: string): void {
  const values = typed.get(name) ?? [];
  if (values.length > 0 && one.value !== undefined && one.repeatable !== true) {
    throw new CliError('usage', `--${name} is given twice`, { certain: 'nothing was sent' });
  }
  typed.set(name, [...values, one.parse(text, `--${name}`)]);
}

/** Values by flag name. Throws CliError 'usage' for flags that contradict each other. */
export function readFlags(flags: Readonly<Record<string, Flag>>, typed: Typed): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(flags)) {
    const given = typed.get(name);
    if (given === undefined) continue;
    const clash = one.conflicts?.find((other) => typed.has(other));
    if (clash !== undefined) {
      throw new CliError('usage', `--${name} and --${clash} contradict each other`, {
        certain: 'nothing was sent',
      });
    }
    values[name] = one.repeatable === true ? given : given[0];
  }
  return values;
}

/** The inputs of a command: its arguments in order, its flags by name. */
export function readInput(command: Command, words: readonly string[], typed: Typed): Input {
  const args = command.arguments.map((one, index) => {
    if (one.variadic === true) return words.slice(index).map((word) => one.parse(word, one.name));
    const word = words[index];
    return word === undefined ? undefined : one.parse(word, one.name);
  });
  return { args, flags: readFlags(command.flags, typed) as Input['flags'] };
}
