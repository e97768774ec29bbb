/** Builds commander's parser from the table of commands: for a line to be read, or for help to be laid out. */

import { CommanderError, Option, Command as Parser } from 'commander';
import type { Command, Flag } from '../commands/command.ts';
import { type CommandEntry, commands, groups } from '../commands/commands.ts';
import { globalFlags } from './global-options.ts';
import { argumentTerm, commandListing, item, rootSummary, withFacts } from './help.ts';

type OnOption = (name: string, flag: Flag, text: string) => void;

interface Build {
  /** The commands that commander knows by name. A line can mean only these, and only these are suggested. */
  readonly entries: readonly CommandEntry[];
  /** The command of the line or of the help. Only this one gets its arguments and flags. */
  readonly command?: Command;
  /** Called for each option that a line holds. What it throws ends the reading. */
  readonly onOption?: OnOption;
  readonly width: number;
  /** Our help lists the commands itself, so they are hidden. To suggest a command, commander needs them visible. */
  readonly forHelp: boolean;
  /** Options may stand before the words of the command. */
  readonly optionsMayLead?: boolean;
  /** The global options that the help of a command shows. */
  readonly globals?: Readonly<Record<string, Flag>>;
}

/** Builds the parser. `leaf` is the last of the commands that it has, or the whole program if it has none. */
export function buildParser({
  entries,
  command,
  onOption = () => undefined,
  width,
  forHelp,
  optionsMayLead = true,
  globals = globalFlags,
}: Build): {
  root: Parser;
  leaf: Parser;
} {
  const root = quiet(new Parser('paydesk'), width).usage('[options] <command>');
  if (forHelp) root.description(`${rootSummary}\n\n${commandListing(commands, width)}`);
  // The help of a noun or a command shows only its own flags.
  if (forHelp ? entries.length === 0 : optionsMayLead)
    addFlags(root, globalFlags, onOption, 'Global options:');
  let leaf = root;
  for (const entry of entries) {
    const [noun, verb] = entry.words;
    const parent =
      verb === undefined ? root : groupOf(root, noun, { onOption, width, forHelp, optionsMayLead });
    leaf = parent.command(verb ?? noun, { hidden: forHelp }).copyInheritedSettings(parent);
    if (command !== undefined)
      describe(
        leaf.action(() => undefined),
        entry,
        command,
        onOption,
        globals,
      );
  }
  return { root, leaf };
}

/** The commands of a noun. */
export function ofNoun(noun: string): readonly CommandEntry[] {
  return commands.filter(({ words }) => words[0] === noun);
}

function groupOf(
  root: Parser,
  noun: string,
  {
    onOption,
    width,
    forHelp,
    optionsMayLead,
  }: Required<Pick<Build, 'onOption' | 'width' | 'forHelp' | 'optionsMayLead'>>,
): Parser {
  const known = root.commands.find((one) => one.name() === noun);
  if (known !== undefined) return known;
  const group = root.command(noun, { hidden: forHelp }).usage('[options] <command>');
  if (forHelp)
    group.description(`${groups[noun]?.summary ?? noun}\n\n${commandListing(ofNoun(noun), width)}`);
  group.helpCommand(false);
  if (!forHelp && optionsMayLead) addFlags(group, globalFlags, onOption, undefined);
  return group;
}

function describe(
  parser: Parser,
  entry: CommandEntry,
  command: Command,
  onOption: OnOption,
  globals: Readonly<Record<string, Flag>>,
): void {
  parser.description([entry.summary, command.description].filter((part) => part !== undefined).join('\n\n'));
  for (const one of command.arguments) parser.argument(argumentTerm(one), withFacts(one.summary, one));
  addFlags(parser, command.flags, onOption, 'Options:');
  addFlags(parser, globals, onOption, 'Global options:');
}

function addFlags(
  parser: Parser,
  flags: Readonly<Record<string, Flag>>,
  onOption: OnOption,
  heading: string | undefined,
): void {
  for (const [name, one] of Object.entries(flags)) {
    const short = one.short === undefined ? '' : `-${one.short}, `;
    const option = new Option(
      `${short}--${name}${one.value === undefined ? '' : ` <${one.value}>`}`,
      withFacts(one.summary, one),
    );
    parser.addOption(heading === undefined ? option.hideHelp() : option.helpGroup(heading));
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
    // After a bare noun commander would show help. That is no error: our own help is shown instead.
    return error.code.startsWith('commander.help') ? undefined : error;
  }
}

// Makes commander throw its errors instead of printing them, and wrap help to the given width.
function quiet(parser: Parser, width: number): Parser {
  return parser
    .exitOverride()
    .enablePositionalOptions()
    .helpCommand(false)
    .helpOption(false)
    .allowExcessArguments(false)
    .configureOutput({
      outputError: () => undefined,
      writeErr: () => undefined,
      getOutHelpWidth: () => width,
      getOutHasColors: () => false,
    })
    .configureHelp({
      minWidthToWrap: 10,
      formatItem: (term, termWidth, text) => item(term, termWidth, text, width),
    });
}
