/** What a command is: its arguments, flags and examples, and the context that it runs in. */

import type { OpenService } from '../api/api.ts';
import type { JsonObject } from '../api/spec.ts';
import { CliError } from '../errors.ts';
import type { Exports } from '../exports/exports.ts';
import type { Indexes } from '../index/index.ts';
import type { Clock } from '../io.ts';
import type { Journal, MakeChange } from '../journal/journal.ts';
import type { Busy, Held } from '../locks/locks.ts';
import type { Plans } from '../plans/plans.ts';
import type { ProfileDraft, Profiles, TypedKey } from '../profiles/profiles.ts';
import type { SenderDoor } from '../sender/sender.ts';
import type { SimulatorControl } from '../simulator/simulator.ts';
import type { Ask, Format, Notes, Output, Shell } from '../terminal/terminal.ts';

/** The values of the global options, from flag, environment, profile or default. */
interface GlobalOptions {
  /** The output format that was asked for; undefined when there was none. */
  readonly askedFormat: Format | undefined;
  readonly profile: string | undefined;
  readonly columns: readonly string[] | undefined;
  /** The columns of PAYDESK_COLUMNS. A list ignores names that it does not have. */
  readonly usualColumns: readonly string[] | undefined;
  /** Whether table and csv start with a heading line. */
  readonly header: boolean;
  /** The typed output options. The command for the next page repeats them. */
  readonly outputWords: readonly string[];
  readonly yes: boolean;
  readonly quiet: boolean;
  readonly dryRun: boolean;
  readonly timeoutMs: number;
}

/** Converts between moments and days of a time zone. The run uses the zone of its profile, once the profile is open. */
export interface Days {
  /** The day of a time (Unix seconds), `2026-11-20`; undefined when the value is not a time. */
  day(seconds: unknown): string | undefined;
  /**
   * The first moment at which clocks in this zone show a certain time or a later one, in Unix milliseconds. `shown` is that
   * time as if it were UTC (`Date.UTC`).
   */
  moment(shown: number): number;
  /** Writes a time (Unix milliseconds) with its day and zone, `21 Nov 2026 09:31:39 UTC-6`. */
  readonly full: (ms: number) => string;
  /** The days between two times (Unix seconds) in words: `3 Nov to 20 Nov 2026 (UTC-6)`. */
  between(first: number, last: number): string;
  /**
   * A time (Unix seconds) in words, `20 Nov 18:42`, or its date, `20 Nov`; the year only if it is not this one. `-` if it is
   * not a time.
   */
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
  /** Aborts as soon as somebody asks to stop, even while a change is in flight. A batch starts no row after that. */
  readonly stopAsked: AbortSignal;
  readonly out: Output;
  readonly notes: Notes;
  readonly ask: Ask;
  readonly profiles: Profiles;
  readonly simulator: SimulatorControl;
  /**
   * Opens the profile of this run, or a named one. Throws CliError 'auth' when there is none or it has no key. Throws
   * 'refused' for a change in production when the profile is only the default one of several.
   */
  service(how?: {
    readonly purpose?: 'read' | 'change';
    readonly profile?: string | undefined;
    /** A key to try instead of the stored one; only with a named profile. */
    readonly key?: TypedKey | undefined;
    /** From now on this run sends at most so many requests per second, changes included. */
    readonly maxPerSecond?: number | undefined;
    /** The order whose open cases the command shows itself, so that no line repeats them. */
    readonly shown?: string | undefined;
  }): Promise<OpenService>;
  /**
   * Uses the profile of a plan for the whole run, or else the only one that reaches its account. A profile that was named on the
   * command line stays.
   */
  useProfileOf(plan: { readonly account: string; readonly profile: string }): Promise<void>;
  /** Opens a profile that is not stored yet, with its key. Only for reads. */
  draftService(draft: ProfileDraft, key: TypedKey): Promise<OpenService>;
  /** Writes a time (Unix milliseconds) as a time of day in the zone of the run, `09:31:40`. */
  timeOfDay(ms: number): string;
  /** As `timeOfDay`; a time of another day says which, `09:31:40 on 20 Nov`. Unix milliseconds. */
  shortTime(ms: number): string;
  /** Writes a time (Unix milliseconds) with its day and zone, `21 Nov 2026 09:31:39 UTC-6`. */
  fullTime(ms: number): string;
  readonly days: Days;
  /** Days in a time zone such as America/Mexico_City; undefined if this machine does not know it. */
  daysIn(zone: string): Days | undefined;
  zone(): string;
  readonly exports: Exports;
  /** The indexes of orders on this machine. */
  readonly index: Indexes;
  /** Takes a lock of this user, or says at once who has it. */
  lock(name: string): Promise<Held | Busy>;
  readonly plans: Plans;
  /** The only way to change something at the service. */
  readonly change: MakeChange;
  readonly journal: Journal;
  /** The folder of the journal, and what says so: `state_folder`, or the file of the machine's configuration. */
  readonly journalPlace: { readonly folder: string; readonly from: string };
  /** What the sender commands do, and how a desk joins a sender. Its code is loaded when it is asked for. */
  sender(): Promise<SenderDoor>;
  completionScript(shell: Shell): Promise<string>;
  /** Reads standard input to its end, as text, up to a number of bytes. */
  stdin(maxBytes: number): Promise<string>;
  /** Reads a file as text; `-` is standard input. Throws CliError 'usage' if it cannot be read. */
  file(path: string, maxBytes: number): Promise<string>;
  /**
   * Throws CliError 'usage' for a file of paydesk itself: journal, witness, keys, profiles, locks. A command calls it before it
   * asks or reads anything for a file that it will write; exports and plans do too.
   */
  readonly refuseOwnFile: (path: string) => void;
}

/**
 * A value that TAB offers, with a short explanation. Neither text contains characters that a shell or a terminal would
 * interpret.
 */
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
  /** `start`: what is typed of the id so far. */
  readonly orders: (profile: string | undefined, start: string) => Promise<readonly Candidate[]>;
  readonly changes: (profile: string | undefined) => Promise<readonly Candidate[]>;
  readonly charges: (orderId: string, profile: string | undefined) => Promise<readonly Candidate[]>;
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
  readonly offers?: Completer | undefined;
  /** Other limits, in words: `1 to 250`. */
  readonly allowed?: string;
  readonly defaultText?: string;
  /** The environment variable that is read when the flag is missing. */
  readonly env?: string;
  /** May be given more than once; its value is then a list. */
  readonly repeatable?: true;
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
type Flags = Readonly<Record<string, Flag>>;
type Arguments = readonly Argument[];

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

/** A command. Its words and summary are in the table of commands.ts. */
export interface Command<A extends Arguments = Arguments, F extends Flags = Flags> {
  /** Three sentences at most, under the summary; the rest is in docs. An indented line is a command to copy. */
  readonly description?: string;
  readonly arguments: A;
  readonly flags: F;
  /** Two complete command lines without `$ `; one of them is for scripts. */
  readonly examples: readonly string[];
  /** What exit codes mean here, where that is more than `paydesk help exit-codes` says. */
  readonly exits?: Readonly<Record<number, string>>;
  /** Gathers, plans, confirms, acts and shows. Returns an exit code, or undefined for 0. */
  run(ctx: Context, input: Input<A, F>): Promise<number | undefined>;
}

/** Returns the command unchanged, so that TypeScript infers the types of its input. */
export function defineCommand<const A extends Arguments, const F extends Flags>(
  command: Command<A, F>,
): Command<A, F> {
  return command;
}

/**
 * Asks before something that cannot be undone, unless --yes was given. Throws CliError 'cancelled' with the words of
 * `otherwise` when the person says no.
 */
export async function confirmFirst(
  { options, ask }: Pick<Context, 'options' | 'ask'>,
  message: string,
  otherwise: string,
): Promise<void> {
  if (options.yes || (await ask.confirm({ message, flag: '--yes' }))) return;
  throw new CliError('cancelled', otherwise);
}

/** With --dry-run: prints what would be done, as a record or as a line, and returns true. */
export async function dryRunShown(
  { options, out }: Pick<Context, 'options' | 'out'>,
  record: JsonObject,
  line: string,
): Promise<boolean> {
  if (!options.dryRun) return false;
  await out.dryRun(record, () => [{ line }]);
  return true;
}
