/** The errors of lines that are not understood: what is wrong, and what was probably meant. */

import { CommanderError } from 'commander';
import { orderIdPattern, statusMeanings } from '../../api/spec.ts';
import type { Command } from '../../commands/command.ts';
import { type CommandEntry, commands, findCommand, groups } from '../../commands/commands.ts';
import { CliError, withParts } from '../../errors.ts';
import type { Flag } from '../../flags/flags.ts';
import { plainCommand } from '../../profiles/profiles.ts';
import { closestNames, isTypedLike } from '../../terminal/closest-names.ts';
import { readAmount } from '../../typed-amounts.ts';
import { globalFlags } from './global-options.ts';
import { asQuestion, checkSlips } from './option-slips.ts';
import { buildParser, failureOf, keepIn, readCommand } from './parser.ts';
import { readTypedWords } from './typed-words.ts';

/** Reads the line of a command. Throws CliError 'usage' for anything that is not understood, with what was probably meant. */
export async function readLine(entry: CommandEntry, command: Command, argv: readonly string[]) {
  try {
    return readCommand(entry, command, argv);
  } catch (error) {
    if (error instanceof CliError) throw withNearChoice(error, argv, command);
    if (!(error instanceof CommanderError)) throw error;
    const line = understoodLike(argv, entry, command) ?? (await asSearch(argv, entry, command));
    const meant =
      line === undefined || line === argv
        ? await optionMeant(error, entry.words, command.flags)
        : asQuestion([line]);
    throw usageError(error, argv, entry, meant);
  }
}

// `--reason fraude`: also the whole line with the choice that was probably meant.
function withNearChoice(error: CliError, argv: readonly string[], command: Command) {
  const lines = Object.entries(command.flags).flatMap(([name, { nearest }]) => {
    const at = argv.findIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
    const isJoined = argv[at]?.includes('=') === true;
    const typed = isJoined ? argv[at]?.slice(name.length + 3) : argv[at + 1];
    const [near] = at === -1 || typed === undefined ? [] : (nearest?.(typed) ?? []);
    if (near === undefined) return [];
    return [isJoined ? argv.with(at, `--${name}=${near}`) : argv.with(at + 1, near)];
  });
  const [line, second] = lines;
  if (line === undefined || second !== undefined) return error;
  return withParts(error, { now: [...(error.parts.now ?? []), plainCommand(...line)] });
}

// `orders list ana` is a search.
async function asSearch(argv: readonly string[], { words: [noun, verb] }: CommandEntry, { flags }: Command) {
  const find = verb === 'list' ? findCommand([noun ?? '', 'find']) : undefined;
  if (find === undefined) return undefined;
  const [, at = 0] = readTypedWords(argv, () => ({ ...globalFlags, ...flags })).places;
  const line = argv.with(at, 'find');
  return understoodLike(line, find, await find.load());
}

// Flags that people leave out, typing only the value.
const bareValues: Readonly<Record<string, (word: string) => boolean>> = {
  amount: (word) => readAmount(word) !== undefined,
  period: () => true,
  order: () => true,
  customer: () => true,
  rows: (word) => word === 'refunds' || word === 'charges',
  status: (word) => Object.hasOwn(statusMeanings, word),
};

// What people call the words that they look for.
const textFlags = 'text|e-?mail|mail|phone|name|buyer|card|last4|query|search|amount|ref|reference';

/**
 * The first corrected line that the command understands; undefined if there is none. It has everything that was typed, in its
 * order, but a word gets the option that it belongs to (`300`) or its dashes (`limit 3`), or loses an option that it does not
 * need (`--order ord_1`). No other part of the line is left out, so that nobody is shown another amount, or a refund without its
 * --charge or --dry-run.
 */
function understoodLike(
  argv: readonly string[],
  entry: CommandEntry,
  command: Command,
): readonly string[] | undefined {
  const flags: Readonly<Record<string, Flag>> = { ...globalFlags, ...command.flags };
  const places = readTypedWords(argv, () => flags).places.slice(entry.words.length);
  const [argument = ''] = command.arguments.map(({ name }) => name);
  const named = { id: 'id|order|order-id', text: textFlags }[argument] ?? argument;
  const asWord = new RegExp(`^--(?:${named})(?:=|$)`);
  // The first word names the order, unless another word is the id of an order: four digits may be those of a card.
  const isFree = (at: number): boolean =>
    places.indexOf(at) >= command.arguments.length ||
    places.some((other) => other !== at && orderIdPattern.test(argv[other] ?? ''));
  // If the first word has no digit, it is not the number of an order, so all words are searched for together: the last one may be
  // an amount of either kind.
  const [first = -1] = places;
  const isText =
    argument === 'id' &&
    places.length > command.arguments.length &&
    places.every((at) => !orderIdPattern.test(argv[at] ?? '')) &&
    !/\d/.test(argv[first] ?? '');
  const text = places.map((at) => argv[at]).join(' ');
  const lines = [
    argv,
    argv.map((word, at) =>
      places.includes(at) && Object.hasOwn(flags, word.replace(/=.*$/s, '')) ? `--${word}` : word,
    ),
    argv.flatMap((word) =>
      asWord.test(word) ? word.split(/^[^=]+=?/).filter((part) => part !== '') : [word],
    ),
    ...(isText
      ? [argv.flatMap((word, at) => (at === first ? [text] : places.includes(at) ? [] : [word]))]
      : []),
    ...Object.entries(isText ? {} : bareValues).flatMap(([name, fits]) =>
      places
        .filter((at) => Object.hasOwn(command.flags, name) && isFree(at) && fits(argv[at] ?? ''))
        .map((at) => argv.toSpliced(at, 0, `--${name}`)),
    ),
  ];
  return lines.find((line) => {
    try {
      checkSlips(line, entry.words, flags);
      readCommand(entry, command, line);
      return true;
    } catch (error) {
      return error instanceof CommanderError && error.code === 'commander.missingArgument';
    }
  });
}

// What people call the options of a time.
const times = [
  ['period', /^(?:periods?|last|dates?|days?|weeks?|months?|today|yesterday)$/],
  ['since', /^(?:since.*|period.*|until.*|from|after)$/],
  ['until', /^(?:before|till)$/],
] as const;

// Suggestions for an option that does not exist: what does the thing that was probably wanted.
async function optionMeant(
  { code, message }: CommanderError,
  words: readonly string[] = [],
  flags: Command['flags'] = {},
): Promise<readonly string[]> {
  const [, name = ''] = /'--?([\w-]+)/.exec(message) ?? [];
  if (code !== 'commander.unknownOption') return [];
  const known = times.filter(([option]) => flags[option] !== undefined);
  const [time] =
    known.find(([option]) => isTypedLike(name, option)) ?? known.find(([, is]) => is.test(name)) ?? [];
  if (time !== undefined) return [`did you mean: --${time}${/..day$/.test(name) ? ` ${name}` : ''}`];
  if (flags.status !== undefined && Object.hasOwn(statusMeanings, name))
    return [`did you mean: --status ${name}`];
  if (words[1] === 'capture')
    return ['an order is captured as a whole: the service documents no way to capture a part'];
  if (flags.item !== undefined && /^(?:amount|price|total|sum)$/.test(name))
    return ['the price is part of the item: --item NAME:PRICE, or --item NAME:PRICE:QTY'];
  const { options } = await import('../help/help-words.ts');
  const names = Object.keys({ ...globalFlags, ...flags });
  const likest = closestNames(name, names);
  const close = names.filter(
    (one) =>
      one.startsWith(name) ||
      (likest.includes(one) && (isTypedLike(name, one) || one.split('-').includes(name))),
  );
  const meant = options.get(name);
  if (meant !== undefined) return [meant].flat();
  return [...close.map((one) => `did you mean: --${one}`), ...(await commandsWith(name, words[0]))];
}

// The commands that have such an option, those of the same noun first.
async function commandsWith(name: string, noun: string | undefined): Promise<readonly string[]> {
  const all = await Promise.all(commands.map(async (entry) => ({ entry, command: await entry.load() })));
  const having = all
    .filter(({ command }) => Object.hasOwn(command.flags, name))
    .map(({ entry }) => entry.words)
    .toSorted((one, other) => Number(other[0] === noun) - Number(one[0] === noun));
  const named = having.map((words) => words.join(' ')).join(', ');
  return named === '' ? [] : [`--${name} is an option of ${named}`];
}

/**
 * Checks a line that names no command. Throws CliError 'usage' unless the line is empty or a bare noun. The error names the
 * commands that may have been meant. `words` are the words of the line without its options.
 */
export async function checkLine(argv: readonly string[], words: readonly string[]): Promise<void> {
  const failure = failureOf(buildParser({ entries: commands, onOption: keepIn(new Map()) }).root, argv);
  if (failure === undefined) return;
  if (failure.code !== unknownCommand) {
    // `orders --refund ord_1`
    const [dashed, name = ''] = /--([\w-]+)/.exec(failure.message) ?? [];
    const isCommand = commands.some((entry) => entry.words.includes(name));
    const undashed = argv.map((word) => (word === dashed ? name : word));
    const meant = await (isCommand ? linesMeant(undashed) : optionMeant(failure, words));
    throw usageError(failure, argv, undefined, meant);
  }
  const meant = await linesMeant(argv);
  const error = usageError(failure, argv, undefined, meant.length > 0 ? meant : await pageAbout(words));
  // The command that was meant may be one that changes something.
  throw withParts(error, { certain: 'nothing was sent' });
}

// `paydesk audit` is not a command, but help knows the word.
async function pageAbout(words: readonly string[]): Promise<readonly string[]> {
  const { answersOf } = await import('../help/help-words.ts');
  return words.length === 1 && answersOf(words).length > 0 ? [`did you mean: paydesk help ${words[0]}`] : [];
}

const unknownCommand = 'commander.unknownCommand';

/**
 * Lines that name the commands which these words may have meant; no lines if no command is similar. `before` and `behind` are
 * written around the words of the command.
 */
export async function didYouMean(
  typed: readonly string[],
  { before = [], behind = [] }: { readonly before?: readonly string[]; readonly behind?: readonly string[] },
): Promise<readonly string[]> {
  const { guessesOf, inOrder, whyNone } = await import('./meant-command.ts');
  const words = inOrder(typed).map(({ text }) => text);
  // `help` does not take the options of a command.
  const meant = guessesOf(words).map(({ command }) => command.replace(/ --.*$/, ''));
  return asQuestion(
    meant.map((command) => [...before, ...command.split(' '), ...behind]),
    whyNone(words),
  );
}

// The same for a line to run. If none of the commands that may be meant understands the rest of the line, the lines show their help
// instead.
async function linesMeant(argv: readonly string[]): Promise<readonly string[]> {
  const { guessesOf, inOrder, whyNone } = await import('./meant-command.ts');
  const spelled = (flags: Readonly<Record<string, Flag>>) => {
    const { words, places } = readTypedWords(argv, () => flags);
    return { places, words: inOrder(words) };
  };
  const typed = spelled(globalFlags);
  const words = typed.words.map(({ text }) => text);
  if (words[0] === 'demo' && findCommand(words.slice(1)) !== undefined)
    return asQuestion([argv.toSpliced(typed.places[typed.words[0]?.from ?? 0] ?? 0, 0, '-p')]);
  const guesses = guessesOf(words);
  const lines = await Promise.all(
    guesses.map(async ({ command: meant, used }) => {
      const line = meant.split(' ');
      const entry = findCommand(readTypedWords(line, () => globalFlags).words);
      if (entry === undefined) return argv.length === used ? line : undefined;
      const command = await entry.load();
      const read = spelled({ ...globalFlags, ...command.flags });
      // For this command, one of these words would be the value of an option.
      if (words.slice(0, used).some((word, index) => read.words[index]?.text !== word)) return undefined;
      const start = Math.min(...read.words.map(({ from }) => from));
      const corrected = argv.flatMap((word, at) => {
        const number = read.places.indexOf(at);
        if (number === -1) return [word];
        const parts = read.words.slice(used).filter(({ from }) => from === number);
        return [...(number === start ? line : []), ...parts.map(({ typed }) => typed)];
      });
      return corrected.length === line.length ? corrected : understoodLike(corrected, entry, command);
    }),
  );
  const understood = lines.filter((line) => line !== undefined);
  const helps = guesses.map(({ command }) => [...command.replace(/ --.*$/, '').split(' '), '--help']);
  return asQuestion(understood.length > 0 ? understood : helps, whyNone(words));
}

function usageError(
  error: CommanderError,
  argv: readonly string[],
  entry: CommandEntry | undefined,
  meant: readonly string[],
): CliError {
  // Takes the values of options out of a message, because the value of an unknown option may be a key.
  const [first = '', ...rest] = argv
    .filter((word) => /^-[^=]*=/.test(word))
    .reduce((text, word) => text.replaceAll(word, word.slice(0, word.indexOf('='))), error.message)
    .replace(/^error: /, '')
    .split('\n');
  const noun = argv.find((word) => Object.hasOwn(groups, word));
  const help = ['paydesk', ...(entry?.words ?? (noun === undefined ? [] : [noun])), '--help'].join(' ');
  const keyFlag = /--[a-z-]*(key|token|secret|passw)/i.test(first)
    ? [
        'no flag takes a key. paydesk profile add NAME asks for it, or reads it with --key-stdin or --key-file FILE',
      ]
    : [];
  // The parser's own guesses are not used for unknown options: it suggests any option of a similar length.
  const guesses = error.code === 'commander.unknownOption' ? [] : rest.filter((line) => line !== '');
  const suggestion = meant.length > 0 ? meant : guesses.map(suggestionLine);
  return new CliError('usage', first, {
    now: [...suggestion, ...keyFlag, help],
  });
}

// From `(Did you mean --limit?)` it makes `did you mean: --limit`.
function suggestionLine(line: string): string {
  return line.replace(/^\(Did you mean (?:one of )?(.*)\?\)$/, 'did you mean: $1');
}
