/** What a command is: its arguments and flags, examples, and what it runs with. */

import type { OpenService } from '../api/api.ts';
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
  /** PAYDESK_COLUMNS. A list shows the ones that it has. */
  readonly usualColumns: readonly string[] | undefined;
  /** A heading line in table and csv. */
  readonly header: boolean;
  /** The options about output as they were typed, to be repeated in the command for the next page. */
  readonly outputWords: readonly string[];
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly timeoutMs: number;
}

/** Days in a time zone. The run uses the zone of its profile, once the profile is open. */
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
  /** A time (Unix seconds) in words, `20 Nov 18:42`, or its date, `20 Nov`; the year only if it is not this one. `-` if it is not a time. */
  show(seconds: unknown, precision: 'day' | 'date'): string;
  /** The zone at a time (Unix seconds) as headings show it: `-06`. */
  offset(seconds: number): string;
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
  /** Reads standard input to its end, as text, up to a number of bytes. */
  stdin(maxBytes: number): Promise<string>;
  /** Reads a file as text; `-` is standard input. Throws CliError 'usage' if it cannot be read. */
  file(path: string, maxBytes: number): Promise<string>;
}

/**
 * Something that TAB offers, with a few words about it. Neither text holds a character that a shell or a
 * terminal would act on.
 */
export interface Candidate {
  readonly value: string;
  readonly text: string;
}

/** What a line says before the cursor. */
export interface TypedBefore {
  /** The arguments of the command, in order. */
  readonly args: readonly string[];
  /** The options given, with the last value of each. */
  readonly flags: ReadonlyMap<string, string | undefined>;
}

/** What this machine knows by itself, for TAB: no service is asked. `profile` is the one named on the line, if any. */
export interface KnownHere {
  readonly profiles: () => Promise<readonly Candidate[]>;
  readonly orders: (profile: string | undefined) => Promise<readonly Candidate[]>;
  readonly intents: (profile: string | undefined) => Promise<readonly Candidate[]>;
  readonly charges: (orderId: string, profile: string | undefined) => Promise<readonly Candidate[]>;
}

/** What TAB offers for a value besides its choices. */
export type Completer = (typed: TypedBefore, known: KnownHere) => Promise<readonly Candidate[]>;

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
  readonly offers?: Completer | undefined;
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
  readonly offers?: Completer | undefined;
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

/** Asks before something that cannot be undone, unless --yes was given. Throws CliError 'cancelled' on No: `nothing was erased`. */
export async function confirmFirst(
  { options, ask }: Pick<Context, 'options' | 'ask'>,
  message: string,
  otherwise: string,
): Promise<void> {
  if (options.yes || (await ask.confirm({ message, flag: '--yes' }))) return;
  throw new CliError('cancelled', otherwise);
}
