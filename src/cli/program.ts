/** Sets commander up from the table of commands. Commander then reads a command line, or lays out help. */

import { CommanderError, Option, Command as Parser } from 'commander';
import type { Command, Flag, Input } from '../commands/command.ts';
import { type CommandEntry, commands, groups } from '../commands/commands.ts';
import { CliError } from '../errors.ts';
import { type GlobalInput, globalFlags, usualGlobalFlags } from './global-options.ts';
import {
  argumentTerm,
  commandListing,
  commandNotes,
  groupNotes,
  item,
  rootNotes,
  rootSummary,
  withFacts,
} from './help.ts';

// Reading a line prints no help, so the width does not matter there.
const noWidth = 80;

/** Reads the arguments and options of a command. Throws CliError 'usage' for anything that is not understood. */
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
    typed,
    width: noWidth,
    forHelp: false,
    optionsMayLead,
  });
  parseWith(root, argv, entry);
  const input = readInput(command, leaf.args, typed);
  return { input, globals: readFlags(globalFlags, typed) as GlobalInput };
}

/**
 * Checks a line that names no command. Throws CliError 'usage' unless the line is empty or a bare noun. The error names the
 * commands that may have been meant. `words` are the words of the line without its options.
 */
export async function checkLine(argv: readonly string[], words: readonly string[]): Promise<void> {
  const failure = failureOf(wholeProgram(), argv);
  if (failure === undefined) return;
  const meant = failure.code === unknownCommand ? await didYouMean(words) : undefined;
  throw usageError(failure, argv, undefined, meant);
}

const unknownCommand = 'commander.unknownCommand';

/**
 * Lines that name the commands which these words may have meant; no lines if none is like them. `before` and `behind` are
 * written around the words of the command.
 */
export async function didYouMean(
  words: readonly string[],
  { before = '', behind = '' } = {},
): Promise<readonly string[]> {
  const { meantCommands, whyNone } = await import('./meant-command.ts');
  const why = whyNone(words);
  const meant = meantCommands(words, similarNames).map((one) =>
    before === '' ? one : one.replace(/ --.*/, ''),
  );
  return [
    ...(why === undefined ? [] : [why]),
    ...meant.map((one, index) => `${index === 0 ? 'did you mean' : 'or'}: paydesk ${before}${one}${behind}`),
  ];
}

// Commander's suggestions: `(Did you mean list?)`, `(Did you mean one of list, find?)`.
function similarNames(words: readonly string[]): readonly string[] {
  const suggestion = /\(Did you mean (?:one of )?(.+)\?\)/.exec(
    failureOf(wholeProgram(), words)?.message ?? '',
  );
  return suggestion?.[1]?.split(', ') ?? [];
}

function wholeProgram(): Parser {
  return buildParser({ entries: commands, typed: new Map(), width: noWidth, forHelp: false }).root;
}

/** The help of a command: its own options, and of the global ones those that people need, or with `all` every one. */
export function leafHelp(entry: CommandEntry, command: Command, width: number, all: boolean): string {
  const globals = all ? globalFlags : usualGlobalFlags;
  const { leaf } = buildParser({
    entries: [entry],
    command,
    typed: new Map(),
    width,
    forHelp: true,
    globals,
  });
  const more = all ? '' : `More options: paydesk ${entry.words.join(' ')} --help --all\n\n`;
  return `${leaf.helpInformation()}\n${more}${commandNotes(command, width)}\n`;
}

/** The help of the whole program. */
export function rootHelp(width: number): string {
  const { root } = buildParser({ entries: [], typed: new Map(), width, forHelp: true });
  return `${root.helpInformation()}\n${rootNotes(width)}\n`;
}

/** The help of a noun, or of the whole program if the word is not a noun. */
export function groupHelp(noun: string, width: number): string {
  const { root } = buildParser({ entries: ofNoun(noun), typed: new Map(), width, forHelp: true });
  const group = root.commands.find((one) => one.name() === noun);
  return group === undefined ? rootHelp(width) : `${group.helpInformation()}\n${groupNotes(noun, width)}\n`;
}

interface Build {
  /** The commands that commander knows by name. A line can mean only these, and only these are suggested. */
  readonly entries: readonly CommandEntry[];
  /** The command of the line or of the help. Only this one gets its arguments and flags. */
  readonly command?: Command;
  readonly typed: Typed;
  readonly width: number;
  /** Our help lists the commands itself, so they are hidden. To suggest a command, commander needs them visible. */
  readonly forHelp: boolean;
  /** Options may stand before the words of the command. */
  readonly optionsMayLead?: boolean;
  /** The global options that the help of a command shows. */
  readonly globals?: Readonly<Record<string, Flag>>;
}

function buildParser({
  entries,
  command,
  typed,
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
  if (forHelp ? entries.length === 0 : optionsMayLead) addFlags(root, globalFlags, typed, 'Global options:');
  let leaf = root;
  for (const entry of entries) {
    const [noun, verb] = entry.words;
    const parent = verb === undefined ? root : groupOf(root, noun, { typed, width, forHelp, optionsMayLead });
    leaf = parent.command(verb ?? noun, { hidden: forHelp }).copyInheritedSettings(parent);
    if (command !== undefined)
      describe(
        leaf.action(() => undefined),
        entry,
        command,
        typed,
        globals,
      );
  }
  return { root, leaf };
}

function ofNoun(noun: string): readonly CommandEntry[] {
  return commands.filter(({ words }) => words[0] === noun);
}

function groupOf(
  root: Parser,
  noun: string,
  {
    typed,
    width,
    forHelp,
    optionsMayLead,
  }: Required<Pick<Build, 'typed' | 'width' | 'forHelp' | 'optionsMayLead'>>,
): Parser {
  const known = root.commands.find((one) => one.name() === noun);
  if (known !== undefined) return known;
  const group = root.command(noun, { hidden: forHelp }).usage('[options] <command>');
  if (forHelp)
    group.description(`${groups[noun]?.summary ?? noun}\n\n${commandListing(ofNoun(noun), width)}`);
  group.helpCommand(false);
  if (!forHelp && optionsMayLead) addFlags(group, globalFlags, typed, undefined);
  return group;
}

function describe(
  parser: Parser,
  entry: CommandEntry,
  command: Command,
  typed: Typed,
  globals: Readonly<Record<string, Flag>>,
): void {
  parser.description([entry.summary, command.description].filter((part) => part !== undefined).join('\n\n'));
  for (const one of command.arguments) parser.argument(argumentTerm(one), withFacts(one.summary, one));
  addFlags(parser, command.flags, typed, 'Options:');
  addFlags(parser, globals, typed, 'Global options:');
}

function addFlags(
  parser: Parser,
  flags: Readonly<Record<string, Flag>>,
  typed: Typed,
  heading: string | undefined,
): void {
  for (const [name, one] of Object.entries(flags)) {
    const short = one.short === undefined ? '' : `-${one.short}, `;
    const option = new Option(
      `${short}--${name}${one.value === undefined ? '' : ` <${one.value}>`}`,
      withFacts(one.summary, one),
    );
    parser.addOption(heading === undefined ? option.hideHelp() : option.helpGroup(heading));
    parser.on(`option:${name}`, (text: string | null | undefined) => keep(typed, name, one, text ?? ''));
  }
}

function parseWith(root: Parser, argv: readonly string[], entry: CommandEntry): void {
  const failure = failureOf(root, argv);
  if (failure !== undefined) throw usageError(failure, argv, entry);
}

function failureOf(root: Parser, argv: readonly string[]): CommanderError | undefined {
  try {
    root.parse(argv, { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // After a bare noun commander would show help. That is no error: our own help is shown instead.
    return error.code.startsWith('commander.help') ? undefined : error;
  }
}

function usageError(
  error: CommanderError,
  argv: readonly string[],
  entry: CommandEntry | undefined,
  meant?: readonly string[],
): CliError {
  const [first = '', ...rest] = withoutValues(error.message, argv)
    .replace(/^error: /, '')
    .split('\n');
  const noun = argv.find((word) => Object.hasOwn(groups, word));
  const help = ['paydesk', ...(entry?.words ?? (noun === undefined ? [] : [noun])), '--help'].join(' ');
  const keyFlag = /--[a-z-]*(key|token|secret|passw)/i.test(first)
    ? [
        'no flag takes a key. paydesk profile add NAME asks for it, or reads it with --key-stdin or --key-file FILE',
      ]
    : [];
  const suggestion = meant ?? rest.filter((line) => line !== '').map(suggestionLine);
  return new CliError('usage', first, {
    certain: 'nothing was sent',
    now: [...suggestion, ...keyFlag, help],
  });
}

// From `(Did you mean --limit?)` it makes `did you mean: --limit`.
function suggestionLine(line: string): string {
  return line.replace(/^\(Did you mean (?:one of )?(.*)\?\)$/, 'did you mean: $1');
}

// Takes the values of options out of a message, because the value of an unknown option may be a key.
function withoutValues(message: string, argv: readonly string[]): string {
  return argv
    .filter((word) => /^-[^=]*=/.test(word))
    .reduce((text, word) => text.replaceAll(word, word.slice(0, word.indexOf('='))), message);
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

// The values typed so far, by the name of the flag.
type Typed = Map<string, unknown[]>;

// Keeps a value. A second value of one flag is an error, because commander would silently take the last one.
function keep(typed: Typed, name: string, one: Flag, text: string): void {
  const values = typed.get(name) ?? [];
  if (values.length > 0 && one.value !== undefined && one.repeatable !== true) {
    throw new CliError('usage', `--${name} is given twice`, { certain: 'nothing was sent' });
  }
  typed.set(name, [...values, one.parse(text, `--${name}`)]);
}

function readFlags(flags: Readonly<Record<string, Flag>>, typed: Typed): Record<string, unknown> {
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

function readInput(command: Command, words: readonly string[], typed: Typed): Input {
  const args = command.arguments.map((one, index) => {
    if (one.variadic === true) return words.slice(index).map((word) => one.parse(word, one.name));
    const word = words[index];
    return word === undefined ? undefined : one.parse(word, one.name);
  });
  return { args, flags: readFlags(command.flags, typed) as Input['flags'] };
}
