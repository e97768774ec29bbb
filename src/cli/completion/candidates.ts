/** Finds what TAB offers at the cursor: commands, options, values. Asks no service. */

import type { Command } from '../../commands/command.ts';
import { commandsOf, findCommand, groups, nounSummaries } from '../../commands/commands.ts';
import type { Argument, Candidate, Flag, KnownHere } from '../../flags/flags.ts';
import { topics } from '../help/help-topics.ts';
import { globalFlags } from '../typed/global-options.ts';
import { longName, readTypedWords, type TypedWords } from '../typed/typed-words.ts';
import type { TypedLine } from './callback.ts';

export interface Offered {
  readonly candidates: readonly Candidate[];
  /** A file name is possible here. The shell completes those itself. */
  readonly files: boolean;
}

/** The line before the cursor. */
interface Place {
  /** The words that are not options. They begin with the words of the command. */
  readonly words: readonly string[];
  readonly command: Command | undefined;
  /** How many words the command has. */
  readonly own: number;
  /** The options that are known here, those of the command first. */
  readonly flags: Readonly<Record<string, Flag>>;
  /** The options that were given, with the last value of each. */
  readonly given: ReadonlyMap<string, string | undefined>;
  /** The option whose value is at the cursor. */
  readonly awaiting: string | undefined;
  /** After `--`, nothing is an option. */
  readonly ended: boolean;
}

const nothing: Offered = { candidates: [], files: false };

/** What TAB offers: everything that fits here and begins with the typed part of the word. */
export async function candidatesFor(line: TypedLine, known: KnownHere): Promise<Offered> {
  const place = await placeOf(line.before);
  const { current } = line;
  if (place.awaiting !== undefined) return valuesOf(place.flags[place.awaiting], '', current, place, known);
  if (!place.ended && current.startsWith('-')) return afterDash(current, place, known);
  return starting(current, await wordsHere(place, current, known));
}

async function placeOf(before: readonly string[]): Promise<Place> {
  const entry = findCommand(wordsOf(readTypedWords(before, () => globalFlags)));
  const command = await entry?.load();
  const own = entry?.words.length ?? 0;
  const flags: Readonly<Record<string, Flag>> = { ...command?.flags, ...globalFlags };
  const typed = readTypedWords(before, (words) => (words < own ? globalFlags : flags));
  return {
    words: wordsOf(typed),
    command,
    own,
    flags,
    given: new Map(typed.options.map(({ name, value }) => [name, value])),
    awaiting: typed.awaiting,
    ended: typed.behind !== undefined,
  };
}

function wordsOf({ words, behind = [] }: TypedWords): readonly string[] {
  return [...words, ...behind];
}

// Completes `--rea`, `--reason=req` and `-pde`.
async function afterDash(current: string, place: Place, known: KnownHere): Promise<Offered> {
  const equals = /^--([a-z-]+)=/.exec(current);
  if (equals !== null) {
    return valuesOf(place.flags[equals[1] ?? ''], equals[0], current, place, known);
  }
  const glued = /^-([A-Za-z])/.exec(current);
  const flag = place.flags[longName(glued?.[1] ?? '', place.flags) ?? ''];
  if (flag?.value !== undefined && current.length > 2) {
    return valuesOf(flag, current.slice(0, 2), current, place, known);
  }
  const long = Object.entries(place.flags)
    .filter(([name, one]) => isOpen(name, one, place))
    .map(([name, { summary }]) => ({ value: `--${name}`, text: summary }));
  const short = flag === undefined ? [] : [{ value: current, text: flag.summary }];
  return starting(current, { candidates: [...long, ...short], files: false });
}

// Whether an option may still be given: it was not given before, and contradicts none that was.
function isOpen(name: string, { repeatable, conflicts = [] }: Flag, { given }: Place): boolean {
  return (repeatable === true || !given.has(name)) && !conflicts.some((other) => given.has(other));
}

async function wordsHere(place: Place, current: string, known: KnownHere): Promise<Offered> {
  const { command, words, own } = place;
  if (command === undefined) return { candidates: nextWords().get(words.join(' ')) ?? [], files: false };
  const last = command.arguments.at(-1);
  const argument = command.arguments[words.length - own] ?? (last?.variadic === true ? last : undefined);
  return argument === undefined ? nothing : offeredFor(argument, argument.name, place, current, known);
}

async function valuesOf(
  flag: Flag | undefined,
  prefix: string,
  current: string,
  place: Place,
  known: KnownHere,
): Promise<Offered> {
  if (flag?.value === undefined) return nothing;
  const value = current.slice(prefix.length);
  const { candidates, files } = await offeredFor(flag, flag.value, place, value, known);
  const whole = candidates.map(({ value, text }) => ({ value: `${prefix}${value}`, text }));
  return starting(current, { candidates: whole, files });
}

// Offers the choices of a value. If it has none, its completer is asked. Without a completer it may be a file name.
async function offeredFor(
  one: Flag | Argument,
  placeholder: string,
  { words, own, given }: Place,
  current: string,
  known: KnownHere,
): Promise<Offered> {
  const { choices, offers } = one;
  if (choices !== undefined) {
    const meanings = 'meanings' in one ? one.meanings : undefined;
    const candidates = choices.map((value) => ({ value, text: meanings?.[value] ?? '' }));
    return { candidates, files: false };
  }
  if (offers === undefined) return { candidates: [], files: /^(file|plan)\b/i.test(placeholder) };
  return { candidates: await offers({ args: words.slice(own), flags: given, current }, known), files: false };
}

function starting(current: string, { candidates, files }: Offered): Offered {
  return { candidates: candidates.filter(({ value }) => value.startsWith(current)), files };
}

/** For the words typed so far, joined by spaces: the words that may follow. A complete command is not in the map. */
export function nextWords(): ReadonlyMap<string, readonly Candidate[]> {
  const nouns = [...nounSummaries()].map(([value, text]) => ({ value, text }));
  const verbs = Object.keys(groups).map((noun) => {
    const own = commandsOf(noun).map(({ words: [, verb = ''], summary }) => ({ value: verb, text: summary }));
    return [noun, own] as const;
  });
  const help = { value: 'help', text: 'Help of a command or a topic' };
  const guides = Object.entries(topics).map(([value, { summary: text }]) => ({ value, text }));
  const all = { value: 'commands', text: 'All commands, options and guides' };
  const man = { value: 'man', text: 'The man page' };
  return new Map<string, readonly Candidate[]>([
    ['', [...nouns, help]],
    ...verbs,
    ['help', [...nouns, all, man, ...guides]],
    ...verbs.map(([noun, words]) => [`help ${noun}`, words] as const),
  ]);
}
