/** What a command is: its arguments and flags, examples, and what it runs with. */

import type { OpenService } from '../api/api.ts';
import { parseAmount, type ResourceName, resources } from '../api/spec.ts';
import { CliError } from '../errors.ts';
import type { Exports } from '../exports/exports.ts';
import type { Clock } from '../io.ts';
import type { Change, Journal } from '../journal/journal.ts';
import type { Profiles, TypedKey } from '../profiles/profiles.ts';
import type { SimulatorControl } from '../simulator/simulator.ts';
import type { Ask, Format, Notes, Output, Shell } from '../terminal/terminal.ts';

/** The global options, resolved: flag, environment, profile, default. */
interface GlobalOptions {
  /** The format that was asked for; undefined: the default. */
  readonly askedFormat: Format | undefined;
  readonly profile: string | undefined;
  readonly columns: readonly string[] | undefined;
  /** PAYDESK_COLUMNS. A list shows those of them that it has. */
  readonly usualColumns: readonly string[] | undefined;
  /** A heading line in table and csv. */
  readonly header: boolean;
  /** The options about output as they were typed, to be repeated in the command for the next page. */
  readonly outputWords: readonly string[];
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly timeoutMs: number;
}

/** Days in a time zone: that of the run is the profile's, once it is open. */
export interface Days {
  /** The day of a time (Unix seconds), `2026-11-20`; undefined if it is not a time. */
  day(seconds: unknown): string | undefined;
  /**
   * The first moment at which clocks there show this or later (`Date.UTC` of what they show), Unix milliseconds. A time
   * that clocks show twice is the first of the two.
   */
  moment(shown: number): number;
  /** The days between two times (Unix seconds) in words: `3 Nov to 20 Nov 2026 (UTC-6)`. */
  between(first: number, last: number): string;
}

/** Everything that a command needs from outside. */
export interface Context {
  readonly options: GlobalOptions;
  readonly clock: Clock;
  /** Aborts on Ctrl-C, SIGTERM, SIGHUP and when stdout is gone. */
  readonly signal: AbortSignal;
  readonly out: Output;
  readonly notes: Notes;
  readonly ask: Ask;
  readonly profiles: Profiles;
  readonly simulator: SimulatorControl;
  /**
   * Opens the profile of this run, or a named one. Throws CliError 'auth' when there is none or it has no key;
   * 'refused' when it is opened for a change in production and was only a default among several.
   */
  service(how?: {
    readonly purpose?: 'read' | 'change';
    readonly profile?: string | undefined;
    /** A key to try instead of the stored one; only with a named profile. */
    readonly key?: TypedKey | undefined;
  }): Promise<OpenService>;
  /** A time of day in the zone of the run, `09:31:40`; Unix milliseconds. */
  timeOfDay(ms: number): string;
  /** A time with its day and zone, `21 Nov 2026 09:31:39 UTC-6`; Unix milliseconds. */
  fullTime(ms: number): string;
  /** Days in the zone of the run. */
  readonly days: Days;
  /** Days in a time zone such as America/Mexico_City; undefined if this machine does not know it. */
  daysIn(zone: string): Days | undefined;
  /** The name of the time zone of the run. */
  zone(): string;
  readonly exports: Exports;
  /** The only way to change something at the service. */
  readonly change: Change;
  readonly journal: Journal;
  /** The script that makes a shell complete paydesk's command line. */
  completionScript(shell: Shell): Promise<string>;
  /** Reads standard input to its end, as text; at most so many bytes. */
  stdin(maxBytes: number): Promise<string>;
  /** Reads a file as text; `-` is standard input. Throws CliError 'usage' if it cannot be read. */
  file(path: string, maxBytes: number): Promise<string>;
}

/** What TAB offers for a value: what this machine knows by itself. */
type Offer = 'orders' | 'intents' | 'profiles';

/** One option of a command, or a global one. A switch has no `value`. */
export interface Flag<T = unknown> {
  readonly summary: string;
  /** The placeholder in help, upper case: `--limit N`. Absent: a switch. */
  readonly value?: string;
  readonly short?: string;
  /** The closed set of values. */
  readonly choices?: readonly string[];
  /** What the choices mean, if their names do not say it. */
  readonly meanings?: Readonly<Record<string, string>>;
  readonly offers?: Offer | undefined;
  /** What else is allowed, in words: `1 to 250`. */
  readonly allowed?: string;
  /** The default in words, shown in help. */
  readonly defaultText?: string;
  /** The environment variable read when the flag is absent. */
  readonly env?: string;
  /** May be given more than once; its value is then a list. */
  readonly repeatable?: true;
  /** Names of flags that contradict it. */
  readonly conflicts?: readonly string[];
  /** Text as typed → value. Throws CliError 'usage' with the name and the text. */
  readonly parse: (text: string, name: string) => T;
}

/** A word of a command that is not an option. */
export interface Argument<T = unknown> {
  readonly name: string;
  readonly summary: string;
  readonly required: boolean;
  /** Takes all words that are left. */
  readonly variadic?: true;
  readonly choices?: readonly string[];
  readonly offers?: Offer | undefined;
  readonly parse: (text: string, name: string) => T;
}

type FlagValue<F> = F extends { repeatable: true; parse: (...args: never[]) => infer T }
  ? readonly T[]
  : F extends { parse: (...args: never[]) => infer T }
    ? T
    : never;
type Flags = Readonly<Record<string, Flag>>;
type Arguments = readonly Argument[];

/** What a command's run is given: its flags by their names, and its arguments in order. */
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

/** A command. Its words and summary are in the table of commands.ts. */
export interface Command<A extends Arguments = Arguments, F extends Flags = Flags> {
  /** A paragraph or two under the summary. */
  readonly description?: string;
  readonly arguments: A;
  readonly flags: F;
  /** Runnable lines without `$ `; one at least for scripts. */
  readonly examples: readonly string[];
  /** The exit codes that matter here. */
  readonly exits: readonly number[];
  /** Declare, gather, plan, confirm, act, show. Returns an exit code, or nothing for 0. */
  run(ctx: Context, input: Input<A, F>): Promise<number | undefined>;
}

/** Defines a command with the types of its inputs inferred. */
export function defineCommand<const A extends Arguments, const F extends Flags>(
  command: Command<A, F>,
): Command<A, F> {
  return command;
}

/** The error of a mistake in what was typed, found before anything was sent. */
export function usage(message: string, now: readonly string[] = []): CliError {
  return new CliError('usage', withoutPages(message), { certain: 'nothing was sent', now });
}

// Somebody pasted a page of text: its beginning, and the end of the message, which says what is wrong.
function withoutPages(message: string): string {
  if (message.length <= 600) return message;
  return `${message.slice(0, 200)}… (${message.length} characters) …${message.slice(-200)}`;
}

/** What was typed, shortened for a message. */
export function short(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 60)}… (${text.length} characters)`;
}

/** Ready-made kinds of flag. Each checks the text and names it in its error. */
export const flag = {
  switch: (parts: Omit<Flag<boolean>, 'parse' | 'value'>) => ({ ...parts, parse: () => true }),
  text: (parts: Omit<Flag<string>, 'parse'> & { value: string }) => ({ ...parts, parse: nonEmpty }),
  choice: <const T extends string>(
    choices: readonly [T, ...T[]],
    parts: Omit<Flag<T>, 'parse' | 'choices'> & { value: string },
  ) => ({
    ...parts,
    choices,
    parse: (text: string, name: string): T => oneOf(choices, text, name),
  }),
  /** A whole number within bounds. */
  integer: (min: number, max: number, parts: Omit<Flag<number>, 'parse'> & { value: string }) => ({
    ...parts,
    allowed: max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`,
    parse: (text: string, name: string): number => integerWithin(min, max, text, name),
  }),
  /** An amount: the service's integer, as typed. */
  amount: (parts: Omit<Flag<number>, 'parse'> & { value: string }) => ({ ...parts, parse: amount }),
  /** The id of a listed record. */
  id: (resource: ResourceName, parts: Omit<Flag<string>, 'parse'> & { value: string }) => ({
    ...parts,
    parse: (text: string, name: string): string => recordId(resource, text, name),
  }),
  /** A flag with a `parse` of its own. */
  of: <T>(parts: Flag<T>): Flag<T> => parts,
};

/** The id of an order or customer, as an argument. */
export function idArgument<const R extends boolean>(resource: ResourceName, required: R) {
  return {
    name: 'id',
    summary: `id of the ${resources[resource].one}`,
    required,
    offers: resource === 'orders' ? 'orders' : undefined,
    parse: (text: string): string => recordId(resource, text, 'ID'),
  } as const;
}

/** The text as it is. Throws CliError 'usage' for an empty one. */
export function nonEmpty(text: string, name: string): string {
  if (text === '') throw usage(`${name} is empty`);
  return text;
}

/** One of a closed set. Throws CliError 'usage' that names the set. */
export function oneOf<const T extends string>(choices: readonly T[], text: string, name: string): T {
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw usage(`${name} ${short(text)}: not one of ${choices.join(', ')}`);
  return found;
}

function integerWithin(min: number, max: number, text: string, name: string): number {
  const value = /^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw usage(`${name} ${short(text)}: not a whole number from ${min} to ${max}`);
  return value;
}

function amount(text: string, name: string): number {
  const value = parseAmount(text);
  if (value === undefined) {
    throw usage(
      `${name} ${short(text)}: not an amount; it is the service's own integer, digits only, 1 to 9007199254740991`,
    );
  }
  return value;
}

/** Checks the id of an order or customer. Throws CliError 'usage'. */
export function recordId(resource: ResourceName, text: string, name: string): string {
  const { idPattern, idExample, one } = resources[resource];
  if (idPattern.test(text)) return text;
  throw usage(
    `${name} ${short(text)}: not the id of ${one === 'order' ? 'an' : 'a'} ${one}, which looks like ${idExample}`,
    [resource === 'orders' ? `paydesk orders find ${searchable(text)}` : `paydesk ${resource} list`],
  );
}

// What was typed may be a name or a part of an id; what a shell would read in another way is not repeated.
function searchable(text: string): string {
  return /^[\p{L}\p{N}][\p{L}\p{N}@._+]{0,63}$/u.test(text) ? text : 'TEXT';
}

/** The first name that stands twice; undefined where each stands once. */
export function firstRepeated(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}
