/** The command table → commander: what was typed becomes a command with its inputs, or a help text. */

import { CommanderError, Option, Command as Parser } from 'commander';
import { type Command, type Flag, type GlobalInput, globalFlags, type Input } from './command.ts';
import { type CommandEntry, commands, groups } from './commands/index.ts';
import { CliError } from './errors.ts';
import {
  bareText,
  commandListing,
  commandNotes,
  groupNotes,
  item,
  rootNotes,
  rootSummary,
  topicText,
  wrapped,
} from './help.ts';
import { topicNames } from './help-topics.ts';
import { argumentTerm, withFacts } from './usage.ts';

/** What a command line asks for. */
export type Invocation =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'run';
      readonly words: readonly string[];
      readonly command: Command;
      readonly input: Input;
      readonly globals: GlobalInput;
    };

/** Values of flags as typed, by flag name. */
type Typed = Map<string, unknown[]>;

/**
 * Reads a command line. `width` is that of help texts. Throws CliError 'usage' for anything that is not understood.
 */
export async function readCommandLine(argv: readonly string[], width: number): Promise<Invocation> {
  const words = leadingWords(argv);
  const entry = commands.find(({ words: own }) => own.every((word, index) => words[index] === word));
  if (asksFor(argv, 'help', 'h') || words[0] === 'help') {
    return { kind: 'text', text: wrapped(await helpFor(words, width), width) };
  }
  if (asksFor(argv, 'version', 'V')) return { kind: 'version' };
  const typed: Typed = new Map();
  if (entry === undefined)
    return { kind: 'text', text: wrapped(helpOfGroup(words, argv, typed, width), width) };
  const command = await entry.load();
  const { root, leaf } = buildParser({ entry, command, typed, width, forHelp: false });
  parseWith(root, argv);
  const input = readInput(command, leaf.args, typed);
  return {
    kind: 'run',
    words: entry.words,
    command,
    input,
    globals: readFlags(globalFlags, typed) as GlobalInput,
  };
}

/** The words a line starts with, global options left out: `-p demo orders list` → orders, list. */
export function leadingWords(argv: readonly string[]): readonly string[] {
  const words: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word === '--') break;
    if (!word.startsWith('-')) words.push(word);
    else if (takesNext(word)) index += 1;
  }
  return words;
}

// `-p demo` and `--profile demo` take the next word; `-pdemo` and `--profile=demo` do not.
function takesNext(word: string): boolean {
  return Object.entries<Flag>(globalFlags).some(
    ([name, { value, short }]) => value !== undefined && (word === `--${name}` || word === `-${short}`),
  );
}

function asksFor(argv: readonly string[], long: string, short: string): boolean {
  const end = argv.indexOf('--');
  return argv
    .slice(0, end === -1 ? argv.length : end)
    .some((word) => word === `--${long}` || (/^-[^-]/.test(word) && switchesOf(word).includes(short)));
}

// The letters of bundled switches, `-yq`; behind one that takes a value stands the value.
function switchesOf(word: string): string {
  const letters = word.slice(1);
  const end = letters.split('').findIndex((letter) => takesNext(`-${letter}`));
  return end === -1 ? letters : letters.slice(0, end);
}

async function helpFor(words: readonly string[], width: number): Promise<string> {
  const helping = words[0] === 'help';
  const asked = helping ? words.slice(1) : words;
  const [first] = asked;
  if (helping && asked.length === 1 && topicNames.includes(first ?? '')) return topicText(first ?? '', width);
  const entry = commands.find(({ words: own }) => own.every((word, index) => asked[index] === word));
  if (entry !== undefined && !(helping && asked.length > entry.words.length)) return leafHelp(entry, width);
  if (helping && first !== undefined && (groups[first] === undefined || asked.length > 1))
    throw unknownWord(asked);
  return first === undefined ? rootHelp(width) : groupHelp(first, width);
}

async function leafHelp(entry: CommandEntry, width: number): Promise<string> {
  const command = await entry.load();
  const { leaf } = buildParser({ entry, command, typed: new Map(), width, forHelp: true });
  return `${leaf.helpInformation()}\n${commandNotes(command, width)}\n`;
}

function rootHelp(width: number): string {
  const { root } = buildParser({ typed: new Map(), width, forHelp: true });
  return `${root.helpInformation()}\n${rootNotes(width)}\n`;
}

function groupHelp(noun: string, width: number): string {
  const { root } = buildParser({ typed: new Map(), width, forHelp: true });
  const group = root.commands.find((one) => one.name() === noun);
  return group === undefined ? rootHelp(width) : `${group.helpInformation()}\n${groupNotes(noun, width)}\n`;
}

// A bare noun, or something that is no command.
function helpOfGroup(words: readonly string[], argv: readonly string[], typed: Typed, width: number): string {
  const [noun] = words;
  parseWith(buildParser({ typed, width, forHelp: false }).root, argv);
  return noun === undefined ? bareText() : groupHelp(noun, width);
}

function unknownWord(words: readonly string[]): CliError {
  return new CliError('usage', `no help for ${words.join(' ')}`, {
    now: ['paydesk --help', `topics: ${topicNames.join(', ')}`],
  });
}

interface Build {
  readonly entry?: CommandEntry;
  readonly command?: Command;
  readonly typed: Typed;
  readonly width: number;
  /** Help lists the commands itself; commander needs them visible only to suggest one. */
  readonly forHelp: boolean;
}

// All nouns and verbs by name, so that suggestions work; flags of the one command that runs.
function buildParser({ entry, command, typed, width, forHelp }: Build): { root: Parser; leaf: Parser } {
  const root = quiet(new Parser('paydesk'), width).usage('[options] <command>');
  root.description(`${rootSummary}\n\n${commandListing(commands, width)}`);
  addFlags(root, globalFlags, typed, 'Global options:');
  let leaf = root;
  for (const one of commands) {
    const [noun, verb] = one.words;
    const parent = verb === undefined ? root : groupOf(root, noun, { typed, width, forHelp });
    const parser = parent.command(verb ?? noun, { hidden: forHelp }).copyInheritedSettings(parent);
    if (one === entry && command !== undefined)
      leaf = describe(
        parser.action(() => undefined),
        one,
        command,
        typed,
      );
  }
  return { root, leaf };
}

function groupOf(root: Parser, noun: string, { typed, width, forHelp }: Build): Parser {
  const known = root.commands.find((one) => one.name() === noun);
  if (known !== undefined) return known;
  const group = root.command(noun, { hidden: forHelp }).usage('[options] <command>');
  const own = commands.filter(({ words }) => words[0] === noun);
  group.description(`${groups[noun]?.summary ?? noun}\n\n${commandListing(own, width)}`);
  addFlags(group.helpCommand(false), globalFlags, typed, undefined);
  return group;
}

function describe(parser: Parser, entry: CommandEntry, command: Command, typed: Typed): Parser {
  parser.description([entry.summary, command.description].filter((part) => part !== undefined).join('\n\n'));
  for (const one of command.arguments) parser.argument(argumentTerm(one), withFacts(one.summary, one));
  addFlags(parser, command.flags, typed, 'Options:');
  addFlags(parser, globalFlags, typed, 'Global options:');
  return parser;
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

// Commander would silently take the last of two values.
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

function parseWith(root: Parser, argv: readonly string[]): void {
  try {
    root.parse(argv, { from: 'user' });
  } catch (error) {
    // A bare noun: commander would show its help.
    if (error instanceof CommanderError && error.code.startsWith('commander.help')) return;
    throw error instanceof CommanderError ? usageError(error, argv) : error;
  }
}

function usageError(error: CommanderError, argv: readonly string[]): CliError {
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  const words = leadingWords(argv).filter((word) => /^[a-z-]+$/.test(word));
  const known = commands.find(({ words: own }) => own.every((word, index) => words[index] === word));
  const help = `paydesk ${known === undefined ? '' : `${known.words.join(' ')} `}--help`;
  const keyFlag = /--(api-)?key|--token|--secret/.test(first)
    ? [
        'no flag takes a key: paydesk profile add NAME asks for it, or reads it with --key-stdin or --key-file FILE',
      ]
    : [];
  const suggestion = rest.filter((line) => line !== '').map((line) => line.replace(/^\((.*)\)$/, '$1'));
  return new CliError('usage', first, {
    certain: 'nothing was sent',
    now: [...suggestion, ...keyFlag, help],
  });
}

// Errors are thrown and printed by main; help wraps at any width.
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
