/** Reads what was typed for a command, with commander, which knows the commands and options that it needs. */

import { CommanderError, Option, Command as Parser } from 'commander';
import type { Command } from '../../commands/command.ts';
import type { CommandEntry } from '../../commands/commands.ts';
import { CliError } from '../../errors.ts';
import type { Flag, Input } from '../../flags/flags.ts';
import { argumentTerm, flagTerm } from '../help/help.ts';
import { type GlobalInput, globalFlags } from './global-options.ts';

/**
 * Reads the arguments and options of a command. Throws CliError 'usage' for a value that is wrong, and commander's error for a line
 * that the command does not take.
 */
export function readCommand(entry: CommandEntry, command: Command, argv: readonly string[]) {
  const typed: Typed = new Map();
  // If the line begins with the command's words, all options come after them. Describing the global options to the program and the
  // noun as well would take 3 ms.
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

type OnOption = (name: string, flag: Flag, text: string) => void;

interface Build {
  /** The commands that commander knows by name. A line can mean only these, and only these are suggested. */
  readonly entries: readonly CommandEntry[];
  /** The command of the line. Only this one gets its arguments and flags. */
  readonly command?: Command;
  /** Called for each option that a line holds. What it throws ends the reading. */
  readonly onOption?: OnOption;
  /** Options may come before the words of the command. */
  readonly optionsMayLead?: boolean;
}

/** Builds the parser. `leaf` is the last of its commands, or the whole program if it has none. */
export function buildParser({ entries, command, onOption = () => undefined, optionsMayLead = true }: Build): {
  root: Parser;
  leaf: Parser;
} {
  const leading = optionsMayLead ? globalFlags : {};
  // Makes commander throw its errors instead of printing them.
  const root = new Parser('paydesk')
    .exitOverride()
    .enablePositionalOptions()
    .helpCommand(false)
    .helpOption(false)
    .allowExcessArguments(false)
    .configureOutput({ outputError: () => undefined, writeErr: () => undefined });
  addFlags(root, leading, onOption);
  let leaf = root;
  for (const { words } of entries) {
    const [noun, verb] = words;
    const parent = verb === undefined ? root : groupOf(root, noun, leading, onOption);
    leaf = parent.command(verb ?? noun).copyInheritedSettings(parent);
    if (command === undefined) continue;
    leaf.action(() => undefined);
    for (const one of command.arguments) leaf.argument(argumentTerm(one));
    for (const flags of [command.flags, globalFlags]) addFlags(leaf, flags, onOption);
  }
  return { root, leaf };
}

function groupOf(root: Parser, noun: string, leading: Flags, onOption: OnOption): Parser {
  const known = root.commands.find((one) => one.name() === noun);
  if (known !== undefined) return known;
  const group = root.command(noun).helpCommand(false);
  addFlags(group, leading, onOption);
  return group;
}

type Flags = Readonly<Record<string, Flag>>;

function addFlags(parser: Parser, flags: Flags, onOption: OnOption): void {
  for (const [name, one] of Object.entries(flags)) {
    parser.addOption(new Option(flagTerm(name, one)));
    parser.on(`option:${name}`, (text: string | null | undefined) => onOption(name, one, text ?? ''));
  }
}

/** Lets commander read a line, and returns the error that it ends with, if any. */
export function failureOf(root: Parser, argv: readonly string[]): CommanderError | undefined {
  try {
    root.parse(argv, { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // After a bare noun commander would show help. That is not an error: our own help is shown instead.
    return error.code.startsWith('commander.help') ? undefined : error;
  }
}

/** The values typed so far, by the name of the flag. */
type Typed = Map<string, unknown[]>;

/** Keeps each value. A second value of one flag is an error, because commander would silently take the last one. */
export function keepIn(typed: Typed) {
  return (name: string, one: Flag, text: string): void => {
    const values = typed.get(name) ?? [];
    if (values.length > 0 && one.value !== undefined && one.repeatable !== true) {
      const both = values.map(String).concat(text).join();
      const now = one.takesList === true ? [`several in one word: --${name} ${both}`] : [];
      throw new CliError('usage', `--${name} is given twice`, { now });
    }
    typed.set(name, [...values, one.parse(text, `--${name}`)]);
  };
}
