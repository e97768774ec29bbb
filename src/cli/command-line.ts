/** Turns what was typed into a command with its inputs, or into a text to print. */

import type { Command, Flag, Input } from '../commands/command.ts';
import { type CommandEntry, commands, groups } from '../commands/commands.ts';
import { CliError } from '../errors.ts';
import { type GlobalInput, globalFlags } from './global-options.ts';
import { bareText, topicText, wrapped } from './help.ts';
import { topicNames } from './help-topics.ts';
import { checkLine, groupHelp, leafHelp, readCommand, rootHelp } from './program.ts';

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

/**
 * Reads a command line. `width` is the width of help texts. Throws CliError 'usage' for anything that is not
 * understood.
 */
export async function readCommandLine(argv: readonly string[], width: number): Promise<Invocation> {
  const words = leadingWords(argv);
  const entry = entryOf(words);
  if (asksFor(argv, 'help', 'h') || words[0] === 'help') {
    return { kind: 'text', text: wrapped(await helpFor(words, width), width) };
  }
  if (asksFor(argv, 'version', 'V')) return { kind: 'version' };
  if (entry === undefined) return { kind: 'text', text: wrapped(helpOfGroup(words, argv, width), width) };
  const command = await entry.load();
  return { kind: 'run', words: entry.words, command, ...readCommand(entry, command, argv) };
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

/**
 * The name behind -p or --profile, whether or not the rest of the line is understood; undefined for a text
 * that cannot be the name of a profile.
 */
export function typedProfile(argv: readonly string[]): string | undefined {
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word === '--') return undefined;
    const switches = /^-[^-]/.test(word) ? switchesOf(word).length + 1 : word.length;
    if (word === '--profile' || word.slice(switches) === 'p') return profileName(argv[index + 1]);
    if (word[switches] === 'p') return profileName(word.slice(switches + 1));
    if (word.startsWith('--profile=')) return profileName(word.slice('--profile='.length));
    if (takesNext(word)) index += 1;
  }
  return undefined;
}

// What a shell reads without quotes. Other code refuses a name that does not match.
const nameLike = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

function profileName(text: string | undefined): string | undefined {
  return text !== undefined && nameLike.test(text) ? text : undefined;
}

function asksFor(argv: readonly string[], long: string, short: string): boolean {
  const end = argv.indexOf('--');
  return argv
    .slice(0, end === -1 ? argv.length : end)
    .some((word) => word === `--${long}` || (/^-[^-]/.test(word) && switchesOf(word).includes(short)));
}

// The letters of bundled switches, `-yq`; what follows one that takes a value is that value.
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
  const entry = entryOf(asked);
  if (entry !== undefined && !(helping && asked.length > entry.words.length))
    return leafHelp(entry, await entry.load(), width);
  if (helping && first !== undefined && (!Object.hasOwn(groups, first) || asked.length > 1))
    throw unknownWord(asked);
  return first === undefined ? rootHelp(width) : groupHelp(first, width);
}

// A bare noun, or something that is not a command.
function helpOfGroup(words: readonly string[], argv: readonly string[], width: number): string {
  const [noun] = words;
  checkLine(argv);
  return noun === undefined ? bareText() : groupHelp(noun, width);
}

// The command whose words a line starts with.
function entryOf(words: readonly string[]): CommandEntry | undefined {
  return commands.find(({ words: own }) => own.every((word, index) => words[index] === word));
}

function unknownWord(words: readonly string[]): CliError {
  return new CliError('usage', `no help for ${words.join(' ')}`, {
    now: ['paydesk --help', `topics: ${topicNames.join(', ')}`],
  });
}

// Commands about an account that they are not told by an id of the journal, or by the name of a profile.
const aboutAccount =
  /\bpaydesk (?=(?:orders|customers|checkout|api|journal list)\b(?!.*--(?:help|all-profiles)\b)|profile (?:show|check)$)/g;

/** The error, its commands with `-p`; as it is where no profile was typed. Commands that name one are left alone. */
export function withProfile(error: CliError, profile: string | undefined): CliError {
  const { now } = error.parts;
  if (profile === undefined || now === undefined) return error;
  const carried = new CliError(error.kind, error.message, {
    ...error.parts,
    now: now.map((line) => line.replace(aboutAccount, `paydesk -p ${profile} `)),
  });
  if (error.stack !== undefined) carried.stack = error.stack;
  return carried;
}
