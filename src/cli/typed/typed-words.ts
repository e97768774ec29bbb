/**
 * Tells which words of a command line are options, their values, or neither, without commander. Pure. It reads as commander does.
 * TAB uses it, and so does code that must know the command before its options are loaded. commander's `parseOptions` cannot do
 * that: it does not say which option waits for a value, and loading commander takes half as much CPU again as an empty Node (1.5
 * times).
 */

import type { Flag } from '../../flags/flags.ts';

/** The options that are known, by name. */
type OptionTable = Readonly<Record<string, Pick<Flag, 'value' | 'short'>>>;

/** One option as typed. A switch has no value. */
interface TypedOption {
  readonly name: string;
  readonly value: string | undefined;
}

/** A command line in its parts. */
export interface TypedWords {
  /** The words before `--` that are neither options nor values of options. */
  readonly words: readonly string[];
  /** The position of each of them in the line. */
  readonly places: readonly number[];
  /** Words before `--` that are options with one dash and more than one letter, as typed: `-yq`, `-pdemo`, `-charge`. */
  readonly oneDash: readonly string[];
  /** The options before `--`, in order. An option that no table has is here too, but its value is among the words. */
  readonly options: readonly TypedOption[];
  /** The last option, if the next word would be its value. */
  readonly awaiting: string | undefined;
  /** The words after `--`, or undefined if there is no `--`. */
  readonly behind: readonly string[] | undefined;
}

/** Reads a line. `tableAt` gives the options that are known after a number of words: a command's own options follow its words. */
export function readTypedWords(
  argv: readonly string[],
  tableAt: (wordsBefore: number) => OptionTable,
): TypedWords {
  const words: string[] = [];
  const places: number[] = [];
  const options: TypedOption[] = [];
  const oneDash: string[] = [];
  const read = { words, places, oneDash, options };
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word === '--') return { ...read, awaiting: undefined, behind: argv.slice(index + 1) };
    if (!isOption(word)) {
      words.push(word);
      places.push(index);
      continue;
    }
    if (/^-[^-]./.test(word)) oneDash.push(word);
    const table = tableAt(words.length);
    const found = optionsIn(word, table);
    const last = found.at(-1);
    if (last === undefined || last.value !== undefined || !takesValue(last.name, table)) {
      options.push(...found);
      continue;
    }
    index += 1;
    options.push(...found.slice(0, -1), { name: last.name, value: argv[index] });
    if (index === argv.length) return { ...read, awaiting: last.name, behind: undefined };
  }
  return { ...read, awaiting: undefined, behind: undefined };
}

// The options in one word: `--json`, `--output=json`, `-yq`, `-pdemo`. What follows a letter that takes a value is that value.
function optionsIn(word: string, table: OptionTable): readonly TypedOption[] {
  if (!isOption(word)) return [];
  if (word.startsWith('--')) {
    const equals = word.indexOf('=');
    if (equals === -1) return [{ name: word.slice(2), value: undefined }];
    return [{ name: word.slice(2, equals), value: word.slice(equals + 1) }];
  }
  const options: TypedOption[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const name = longName(word.charAt(at), table);
    if (name === undefined) continue;
    const rest = word.slice(at + 1);
    if (takesValue(name, table)) return [...options, { name, value: rest === '' ? undefined : rest }];
    options.push({ name, value: undefined });
  }
  return options;
}

export function longName(letter: string, table: OptionTable): string | undefined {
  return Object.entries(table).find(([, { short }]) => short === letter)?.[0];
}

function isOption(word: string): boolean {
  return word.length > 1 && word.startsWith('-');
}

function takesValue(name: string, table: OptionTable): boolean {
  return Object.hasOwn(table, name) && table[name]?.value !== undefined;
}
