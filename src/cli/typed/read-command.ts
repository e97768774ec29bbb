/** Reads what was typed for a command: its arguments and the values of its options, or an error that says what is wrong. */

import type { Command } from '../../commands/command.ts';
import type { CommandEntry } from '../../commands/commands.ts';
import { CliError } from '../../errors.ts';
import type { Flag, Input } from '../../flags/flags.ts';
import { type GlobalInput, globalFlags } from './global-options.ts';
import { buildParser, failureOf, keepIn, type Typed } from './parser.ts';

/**
 * Reads the arguments and options of a command. Throws CliError 'usage' for a value that is wrong, and commander's error for a line
 * that the command does not take.
 */
export function readCommand(
  entry: CommandEntry,
  command: Command,
  argv: readonly string[],
): { readonly input: Input; readonly globals: GlobalInput } {
  const typed: Typed = new Map();
  // If the line begins with the command's words, only the command itself meets options. To describe the global options to
  // the program and the noun as well would take 3 ms.
  const optionsMayLead = entry.words.some((word, index) => argv[index] !== word);
  const { root, leaf } = buildParser({
    entries: [entry],
    command,
    onOption: keepIn(typed),
    optionsMayLead,
  });
  const failure = failureOf(root, argv);
  if (failure !== undefined) throw failure;
  const input = readInput(command, leaf.args, typed);
  return { input, globals: readFlags(globalFlags, typed) as GlobalInput };
}

function readFlags(flags: Readonly<Record<string, Flag>>, typed: Typed): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(flags)) {
    const given = typed.get(name);
    if (given === undefined) continue;
    const clash = one.conflicts?.find((other) => typed.has(other));
    if (clash !== undefined) {
      throw new CliError('usage', `--${name} and --${clash} contradict each other`);
    }
    values[name] = one.repeatable === true ? given : given[0];
  }
  return values;
}

function readInput(command: Command, words: readonly string[], typed: Typed): Input {
  const args = command.arguments.map((one, index) => {
    if (one.variadic === true) return words.slice(index).map((word) => one.parse(word, one.name));
    const word = words[index];
    return word === undefined ? undefined : one.parse(word, one.name);
  });
  return { args, flags: readFlags(command.flags, typed) as Input['flags'] };
}
