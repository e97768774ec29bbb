/** The errors of lines that are not understood: what is wrong, and what was probably meant. */

import type { CommanderError, Command as Parser } from 'commander';
import { orderIdPattern, statusMeanings } from '../../api/spec.ts';
import type { Command } from '../../commands/command.ts';
import { type CommandEntry, commands, groups } from '../../commands/commands.ts';
import { CliError, withParts } from '../../errors.ts';
import type { Flag } from '../../flags/flags.ts';
import { plainCommand } from '../../profiles/profiles.ts';
import { closestNames } from '../../terminal/closest-names.ts';
import { readAmount } from '../../typed-amounts.ts';
import { argumentTerm } from '../help/help.ts';
import { buildParser, failureOf, keepIn } from './parser.ts';
import { readTypedWords } from './typed-words.ts';

/** The error of a command line that commander does not understand, with what was probably meant. */
export function lineError(
  failure: CommanderError,
  argv: readonly string[],
  entry: CommandEntry,
  command: Command,
  args: readonly string[],
): CliError {
  const meant =
    amountMeant(failure, entry, args) ?? flagMeant(failure, entry, command, args.length > 0 ? args : argv);
  return usageError(failure, argv, entry, meant);
}

// `orders refund ID 500`: an amount is typed behind its flag. The command is only shown.
function amountMeant(
  { code }: CommanderError,
  { words }: CommandEntry,
  args: readonly string[],
): readonly string[] | undefined {
  const [id = '', amount = '', more] = args;
  const isMeant =
    code === 'commander.excessArguments' &&
    words.join(' ') === 'orders refund' &&
    more === undefined &&
    readAmount(amount) !== undefined;
  return isMeant ? [`did you mean: ${plainCommand(...words, id, '--amount', amount)}`] : undefined;
}

// Flags whose values people type without them.
const bareValues = ['period', 'order', 'customer', 'status'];

// Somebody types `refunds summary today` or `journal list ord_1`: the value is behind a flag. Or a flag that other commands have, or
// none: `--order ord_1`.
function flagMeant(
  { code, message }: CommanderError,
  { words }: CommandEntry,
  { flags, arguments: args }: Command,
  typed: readonly string[],
): readonly string[] | undefined {
  const [last = ''] = typed.slice(-1);
  if (code === 'commander.unknownOption') {
    const isTime = /'--(?:period|since|until)/.test(message);
    if (isTime && flags.since !== undefined) return ['did you mean: --since'];
    const named = isTime ? 'period' : /'--(?:id|order|order-id)['=]/.test(message) ? 'id' : undefined;
    return named !== undefined && args[0]?.name === named
      ? [`did you mean: ${plainCommand(...words)} ${idIn(typed) ?? argumentTerm(args[0])}`]
      : undefined;
  }
  if (code !== 'commander.excessArguments') return undefined;
  const meant = bareValues.find((name) => takes(flags[name], name, last));
  return meant === undefined ? undefined : [`did you mean: ${plainCommand(...words, `--${meant}`, last)}`];
}

function idIn(typed: readonly string[]): string | undefined {
  return typed.map((word) => word.replace(/^--[a-z-]+=/, '')).find((word) => orderIdPattern.test(word));
}

function takes(flag: Flag | undefined, name: string, value: string): boolean {
  if (flag === undefined) return false;
  if (name === 'status') return Object.hasOwn(statusMeanings, value);
  try {
    flag.parse(value, `--${name}`);
    return true;
  } catch {
    return false;
  }
}

/**
 * Refuses a long option with one dash, or with the dash of a word processor. Letter by letter it could be read as others: as `-h`, or as
 * `-p` with the rest as the name of a profile. Throws CliError 'usage', which names the option that is meant.
 */
export function checkSlips(
  argv: readonly string[],
  command: readonly string[],
  flags: Readonly<Record<string, Flag>>,
): void {
  const { words, oneDash, options } = readTypedWords(argv, () => flags);
  const isCapital = (word: string) => /^--\w*[A-Z]/.test(word) && Object.hasOwn(flags, nameIn(word));
  const dashed = argv.filter((word) => (words.includes(word) && longDashes.test(word)) || isCapital(word));
  // `--note --yes`: somebody forgot the note.
  for (const { name, value = '' } of options) {
    if (
      flags[name]?.value === undefined &&
      argv.some((word) => word.startsWith(`--${name}=`)) &&
      Object.hasOwn(flags, name)
    )
      throw new CliError('usage', `--${name} takes no value: add it as it is, or leave it out`);
    if (!/^--[a-z]/.test(value) || !Object.hasOwn(flags, value.slice(2))) continue;
    const whole = `--${name}=${value}`;
    if (argv.includes(whole)) continue;
    throw new CliError('usage', `--${name} has no value: ${value} is an option`, {
      now: [`if that is the value: ${whole}`],
    });
  }
  for (const word of [...oneDash, ...dashed]) {
    const name = nameIn(word);
    const isLetters =
      oneDash.includes(word) && !Object.hasOwn(flags, name) && !/^-\w*[hV]/.test(lettersOf(word, flags));
    if (isLetters) continue;
    const meant = closestNames(name, Object.keys(flags)).map((one) => `did you mean: --${one}`);
    throw new CliError('usage', `unknown option '${word.replace(/[=:].*$/, '')}'`, {
      now: [...meant, `${plainCommand(...command)} --help`],
    });
  }
}

function nameIn(word: string): string {
  return word
    .replace(/^[^a-z]+/i, '')
    .replace(/[=:].*$/, '')
    .toLowerCase();
}

const longDashes = /^[\u2010-\u2015\u2212]+[A-Za-z]/;

// The letters of a cluster, without the value of the last one.
function lettersOf(word: string, flags: Readonly<Record<string, Flag>>): string {
  const takesValue = Object.values(flags).flatMap(({ short, value }) =>
    value === undefined ? [] : (short ?? []),
  );
  const at = word.split('').findIndex((letter) => takesValue.includes(letter));
  return at === -1 ? word : word.slice(0, at);
}

/**
 * Checks a line that names no command. Throws CliError 'usage' unless the line is empty or a bare noun. The error names the
 * commands that may have been meant. `words` are the words of the line without its options.
 */
export async function checkLine(argv: readonly string[], words: readonly string[]): Promise<void> {
  const failure = failureOf(wholeProgram(), argv);
  if (failure === undefined) return;
  if (failure.code !== unknownCommand) throw usageError(failure, argv, undefined);
  const meant = await didYouMean(words);
  const error = usageError(failure, argv, undefined, meant.length > 0 ? meant : await pageAbout(words));
  // The command that was meant may be one that changes something.
  throw withParts(error, { certain: 'nothing was sent' });
}

// `paydesk audit` is no command, but help knows the word.
async function pageAbout(words: readonly string[]): Promise<readonly string[]> {
  const { answersOf } = await import('../help/help-words.ts');
  return words.length === 1 && answersOf(words).length > 0 ? [`did you mean: paydesk help ${words[0]}`] : [];
}

const unknownCommand = 'commander.unknownCommand';

/**
 * Lines that name the commands which these words may have meant; no lines if none is like them. `before` and `behind` are
 * written around the words of the command.
 */
export async function didYouMean(
  typed: readonly string[],
  { before = '', behind = '' } = {},
): Promise<readonly string[]> {
  const { inOrder, meantCommands, whyNone } = await import('./meant-command.ts');
  const words = inOrder(typed);
  const why = whyNone(words);
  // `help` takes no options of the command.
  const meant = meantCommands(words).map((one) =>
    before === '' ? one : one.replace(/ (--.*|\w+_\w+)$/, '').replace(/(?<=^\w+ find) .*/, ''),
  );
  return [
    ...(why === undefined ? [] : [why]),
    ...meant.map((one, index) => `${index === 0 ? 'did you mean' : 'or'}: paydesk ${before}${one}${behind}`),
  ];
}

function wholeProgram(): Parser {
  return buildParser({ entries: commands, onOption: keepIn(new Map()) }).root;
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
