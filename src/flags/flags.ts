/** Defines what flags and arguments are, with ready-made kinds of them that check the typed text and refuse a wrong one. Pure. */

import { copiedId, type ResourceName, resources } from '../api/resources.ts';
import { CliError } from '../errors.ts';
import { closestNames } from '../terminal/terminal.ts';

/** A value that TAB offers, with a short explanation. Neither text contains characters that a shell or a terminal would interpret. */
export interface Candidate {
  readonly value: string;
  readonly text: string;
}

/** The part of the command line before the cursor. */
interface TypedBefore {
  /** The arguments of the command, in order. */
  readonly args: readonly string[];
  /** The options given, with the last value of each. */
  readonly flags: ReadonlyMap<string, string | undefined>;
  /** The word at the cursor, up to the cursor. */
  readonly current: string;
}

/** What TAB can offer from this machine alone, without a request. `profile` is the one named on the command line, if any. */
export interface KnownHere {
  readonly profiles: () => Promise<readonly Candidate[]>;
  /** `start`: the part of the id that is typed so far. */
  readonly orders: (profile: string | undefined, start: string) => Promise<readonly Candidate[]>;
  readonly changes: (profile: string | undefined) => Promise<readonly Candidate[]>;
  readonly charges: (orderId: string, profile: string | undefined) => Promise<readonly Candidate[]>;
  /** The settings of a profile, or the values of one of them. */
  readonly settings: (of?: string) => Promise<readonly Candidate[]>;
}

/** What TAB offers for a value besides its choices. */
export type Completer = (typed: TypedBefore, known: KnownHere) => Promise<readonly Candidate[]>;

/** An option of one command, or a global one. */
export interface Flag<T = unknown> {
  readonly summary: string;
  /** The placeholder in help, upper case: `--limit N`. A flag without a placeholder is a switch. */
  readonly value?: string;
  readonly short?: string;
  /** The only values that are allowed. */
  readonly choices?: readonly string[];
  /** What the choices mean, if their names do not say it. */
  readonly meanings?: Readonly<Record<string, string>>;
  /** The choices that a refused text may mean. */
  readonly nearest?: (text: string) => readonly string[];
  readonly offers?: Completer | undefined;
  /** Other limits, in words: `1 to 250`. */
  readonly allowed?: string;
  /** The smallest and the largest whole number that is allowed. */
  readonly range?: readonly [min: number, max: number];
  /** It names a file that the command writes. */
  readonly writes?: true;
  /** With such a name, that file is a list in the format of its name, as the one of `listFileFlags`. */
  readonly list?: RegExp;
  readonly defaultText?: string;
  /** The environment variable that is read when the flag is missing. */
  readonly env?: string;
  /** May be given more than once; its value is then a list. */
  readonly repeatable?: true;
  /** Several values stand in one word, separated by commas. */
  readonly takesList?: true;
  /** Names of flags that cannot be given together with this one. */
  readonly conflicts?: readonly string[];
  /** Turns the typed text into a value. Throws CliError 'usage' with the name and the text. */
  readonly parse: (text: string, name: string) => T;
}

/** A word of a command that is not an option. */
export interface Argument<T = unknown> {
  readonly name: string;
  readonly summary: string;
  readonly required: boolean;
  /** Takes all remaining words. */
  readonly variadic?: true;
  readonly choices?: readonly string[];
  readonly offers?: Completer | undefined;
  readonly parse: (text: string, name: string) => T;
}

type FlagValue<F> = F extends { repeatable: true; parse: (...args: never[]) => infer T }
  ? readonly T[]
  : F extends { parse: (...args: never[]) => infer T }
    ? T
    : never;
/** The flags of a command, by name. */
export type Flags = Readonly<Record<string, Flag>>;
/** The arguments of a command, in order. */
export type Arguments = readonly Argument[];

/** The input of a command: its flags by name, and its arguments in order. */
export interface Input<A extends Arguments = Arguments, F extends Flags = Flags> {
  readonly flags: { readonly [K in keyof F]?: FlagValue<F[K]> };
  readonly args: {
    readonly [K in keyof A]: A[K] extends { variadic: true; parse: (...args: never[]) => infer T }
      ? readonly T[]
      : A[K] extends Argument<infer T>
        ? A[K]['required'] extends true
          ? T
          : T | undefined
        : never;
  };
}

/** The error for a mistake in the command line. Nothing was sent. */
export function usage(message: string, now: readonly string[] = []): CliError {
  return new CliError('usage', withoutPages(message), { certain: 'nothing was sent', now });
}

// Somebody may paste a whole page. The message keeps its beginning, and its end because that says what is wrong.
function withoutPages(message: string): string {
  if (message.length <= 600) return message;
  return `${message.slice(0, 200)}… (${message.length} characters) …${message.slice(-200)}`;
}

/** Shortens a typed text for a message. */
export function short(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 60)}… (${text.length} characters)`;
}

/** What else can be declared about a flag. */
type More = Omit<Flag, 'parse' | 'value' | 'summary'>;

/** Makes flags: `value` is the placeholder in help, `summary` the text after it. */
export const flag = {
  switch: (summary: string, more?: More) => ({ ...more, summary, parse: () => true }),
  text: (value: string, summary: string, more?: More) => ({ ...more, value, summary, parse: nonEmpty }),
  /** A person's name as the journal writes it: `Ana_Torres`. An agent's name has blanks: `agent claude for ana`. */
  person: (summary: string, more?: More) => ({
    ...more,
    value: 'NAME',
    summary,
    parse: (text: string, name: string): string => {
      const [, agent = '', person = ''] = /^(agent \S+ for )?(.*)$/s.exec(nonEmpty(text, name)) ?? [];
      return agent + person.replaceAll(' ', '_');
    },
  }),
  /** `otherWords`: what people may type instead, and which choice they mean. An error names the choice. */
  choice: <const T extends string>(
    choices: readonly [T, ...T[]],
    value: string,
    summary: string,
    { otherWords = {}, ...more }: More & { readonly otherWords?: OtherWords<T> } = {},
  ) => ({
    ...more,
    value,
    summary,
    choices,
    nearest: (text: string) => nearest(choices, text, otherWords),
    parse: (text: string, name: string): T => oneOf(choices, text, name, { otherWords, ...more }),
  }),
  /** Several choices in one word, separated by commas: `made,pending`. */
  choices: <const T extends string>(
    choices: readonly [T, ...T[]],
    value: string,
    summary: string,
    more?: More,
  ) => ({
    ...more,
    value,
    summary,
    choices,
    takesList: true as const,
    parse: (text: string, name: string): readonly T[] =>
      text.split(',').map((one) => oneOf(choices, one.trim(), name)),
  }),
  integer: (min: number, max: number, value: string, summary: string, more?: More) => ({
    ...more,
    value,
    summary,
    range: [min, max] as const,
    allowed: max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`,
    parse: (text: string, name: string): number => integerWithin(min, max, text, name),
  }),
  /** The id of an order or a customer. */
  id: (resource: ResourceName, value: string, summary: string, more?: More) => ({
    ...more,
    value,
    summary,
    parse: (text: string, name: string): string => typedId(resource, text, name),
  }),
  /** A flag with a `parse` of its own. */
  of: <T>(parts: Flag<T>): Flag<T> => parts,
};

/** For a command that may send many requests. */
export const maxPerSecondFlag = flag.integer(1, 1000, 'N', 'at most this many requests per second');

/** The flags of a command that prints a list. cli/ writes the list into the file. */
export const listFileFlags = {
  to: flag.text('FILE', 'write the list into FILE.xlsx, .csv, .ndjson or .json instead of stdout', {
    writes: true,
  }),
  force: flag.switch('replace FILE'),
} as const;

/** An order as people name it: its id or, where a person can choose from a list, words that the order contains. */
export function orderArgument<const R extends boolean>(required: R) {
  return {
    name: 'id',
    summary: 'id of the order; on a terminal also words of it, to choose among those that have them',
    required,
    offers: offerOrders,
    parse: (text: string, name: string): string => copiedId('orders', text) ?? nonEmpty(text, name),
  } as const;
}

const offerOrders: Completer = ({ flags, current }, known) => known.orders(flags.get('profile'), current);

/** Returns the text unchanged. Throws CliError 'usage' when it is empty. */
export function nonEmpty(text: string, name: string): string {
  if (text === '') throw usage(`${name} is empty`);
  return text;
}

// More lines than these would hide the error itself.
const mostListed = 6;

/** Returns the choice that was typed. Throws CliError 'usage' that lists the choices when there is no such choice. */
export function oneOf<const T extends string>(
  choices: readonly T[],
  text: string,
  name: string,
  { otherWords = {}, meanings }: Pick<Flag, 'meanings'> & { readonly otherWords?: OtherWords<T> } = {},
): T {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const near = nearest(choices, text, otherWords).map((choice) => `did you mean ${name} ${choice}?`);
  const all =
    meanings === undefined || choices.length > mostListed
      ? []
      : choices.map((choice) => `${name} ${choice}: ${meanings[choice]}`);
  throw usage(`${name} ${short(text)}: not one of ${choices.join(', ')}`, near.length > 0 ? near : all);
}

type OtherWords<T extends string> = Readonly<Record<string, T>>;

function nearest<const T extends string>(
  choices: readonly T[],
  text: string,
  otherWords: OtherWords<T>,
): readonly T[] {
  if (choices.some((choice) => choice === text)) return [];
  const meant = Object.hasOwn(otherWords, text) ? otherWords[text] : undefined;
  return meant === undefined ? closestNames(text.slice(0, 40), choices) : [meant];
}

function integerWithin(min: number, max: number, text: string, name: string): number {
  const value = /^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw usage(
      `${name} ${short(text)}: not a whole number from ${min} to ${max}`,
      text === '0' ? [`leave ${name} out, or type ${name} ${min} or more`] : [],
    );
  return value;
}

/** An id as people type or paste it, out of an address for instance. Throws CliError 'usage' where there is none. */
export function typedId(resource: ResourceName, text: string, name: string): string {
  return copiedId(resource, text) ?? recordId(resource, text, name);
}

/** Returns the id of an order or customer. Throws CliError 'usage' for any other text. */
export function recordId(resource: ResourceName, text: string, name: string): string {
  const { idPattern, idExample, one } = resources[resource];
  if (idPattern.test(text)) return text;
  throw usage(
    `${name} ${short(text)}: not the id of ${one === 'order' ? 'an' : 'a'} ${one}, which looks like ${idExample}`,
    [`paydesk ${resource} find ${searchable(text)}`],
  );
}

// The text may be a name, a reference or a part of an id, so the hint searches for it, without the characters that a shell could
// misread. If somebody pasted a whole row, the hint takes the one id in it.
function searchable(text: string): string {
  const words = text.slice(0, 64).match(/[\p{L}\p{N}][\p{L}\p{N}@._+-]*/gu) ?? [];
  const [id, second] = text.split(/\s+/).filter((word) => resources.orders.idPattern.test(word));
  if (id !== undefined && second === undefined) return id;
  return words.length === 0 ? 'TEXT' : words.join(' ');
}

/** The first name that occurs twice; undefined when each occurs once. */
export function firstRepeated(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}

/** The argument that names an input file. */
export function fileArgument<const R extends boolean>(required: R) {
  return {
    name: 'file',
    summary: 'the file, CSV or .xlsx; - is standard input',
    required,
    parse: nonEmpty,
  } as const;
}

export const sheetFlag = flag.text('NAME', 'the sheet of a workbook; without it the first one');

export const allRowsFlag = flag.switch('list all rows, also where a terminal would show only some');

/** Where the rows of a file with errors are written, to be corrected. */
export const errorsFlag = flag.text(
  'FILE',
  'if the file has errors: write its rows with the errors beside them, to correct them there',
  { writes: true },
);
