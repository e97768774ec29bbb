/** Everything that commands and changes need from outside: the context that a run hands them. */

import type { OpenService } from '../api/api.ts';
import type { JsonObject } from '../api/json-values.ts';
import { CliError, refused } from '../errors.ts';
import type { Exports } from '../exports/exports.ts';
import type { Indexes } from '../index/index.ts';
import type { Clock } from '../io.ts';
import type { ChangeKind, Journal, MakeChange } from '../journal/journal.ts';
import type { Busy, Held } from '../locks/locks.ts';
import type { PlanSender, Plans } from '../plans/plans.ts';
import type {
  DeskKey,
  Profile,
  ProfileDraft,
  Profiles,
  SettingTexts,
  TypedKey,
} from '../profiles/profiles.ts';
import type { Releases } from '../release/release.ts';
import type { SenderDoor } from '../sender/sender.ts';
import type { SimulatorControl } from '../simulator/simulator.ts';
import type { Ask, CsvStyle, Format, Notes, Output, Redaction, Shell } from '../terminal/terminal.ts';

/** The values of the global options, from flag, environment, profile or default. */
export interface GlobalOptions {
  /** The output format that was asked for; undefined when there was none. */
  readonly askedFormat: Format | undefined;
  readonly profile: string | undefined;
  /** --lang, if it was typed. */
  readonly typedLang: string | undefined;
  readonly columns: readonly string[] | undefined;
  /** The columns of PAYDESK_COLUMNS. A list ignores names that it does not have. */
  readonly usualColumns: readonly string[] | undefined;
  /** Whether table and csv start with a heading line. */
  readonly header: boolean;
  /** How CSV is written, and the sign between the cells of one that is read, if it was typed. */
  readonly csv: CsvStyle & {
    readonly words: readonly string[];
    readonly typedDelimiter: CsvStyle['delimiter'] | undefined;
  };
  /** The typed output options. The command for the next page repeats them. */
  readonly outputWords: readonly string[];
  readonly yes: boolean;
  readonly quiet: boolean;
  readonly dryRun: boolean;
  readonly timeoutMs: number;
  readonly lang: string | undefined;
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
  /** A time (Unix seconds) in words, `20 Nov 18:42`, or its date, `20 Nov`; the year only if it is not this one. `-` if it is not a time. */
  show(seconds: unknown, precision: 'day' | 'date'): string;
  /** The zone at a time (Unix seconds) as headings show it: `-06`. */
  offset(seconds: number): string;
}

/** What a shell or man reads about paydesk: its completions, or its man page. */
export interface Installable {
  readonly text: string;
  /** Where the shell or man looks for it without being told; undefined if nowhere. */
  readonly file: string | undefined;
  /** What else is needed so that it is found there. */
  readonly needs: string | undefined;
  /** Whether the file is there. Throws CliError 'refused' if there is one that paydesk did not write. */
  isThere(): boolean;
  /** Writes the file as a whole. Throws CliError 'refused' like `isThere`. */
  write(): void;
}

/** What a file would do as the policy of this machine. */
export interface CheckedPolicy {
  readonly rules: readonly Readonly<Record<'name' | 'value' | 'does', string>>[];
  /** Where this machine looks for its policy, and whether the file is that one. */
  readonly place: string;
  readonly inPlace: boolean;
  /** Who owns the file; undefined for standard input. */
  readonly owner: string | undefined;
  /** Why the file would not be trusted as it is; and why no file in the place of the policy would be. */
  readonly untrusted: readonly string[];
  readonly placeProblems: readonly string[];
  /** The commands that put it there. */
  readonly install: readonly string[];
}

/** Removes what paydesk keeps for this user on this machine. */
export interface Purge {
  /** What there is, in words and with its place, in the order in which it is removed; without the journal. */
  found(): Promise<readonly string[]>;
  /** The journal as it is now; undefined if it does not belong to this user alone, so that it stays. */
  journal(): Promise<PurgedJournal | undefined>;
  /** Throws CliError 'refused' while a change of this user is or may be unconfirmed, or has an alarm. */
  refuseUnsettled(): Promise<void>;
  /**
   * Removes all of it, the journal last. `seen`: the journal as it was shown. Throws CliError 'refused' if it has changed since
   * then.
   */
  remove(seen: PurgedJournal | undefined): Promise<void>;
}

interface PurgedJournal {
  /** Its files that are there, in words and with their places. */
  readonly files: readonly string[];
  /** How many rows it has, and the hash of the newest one. */
  readonly seq: number;
  readonly hash: string;
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
    /** What is changed: refused before anything is read, if the role of the account does not allow it. */
    readonly kind?: ChangeKind | undefined;
    /**
     * This command in words, as a policy names it, whatever was typed. It is refused while the policy of this machine turns it
     * off or allows no change.
     */
    readonly command?: string | undefined;
    readonly profile?: string | undefined;
    /** A key to try instead of the stored one; only with a named profile. */
    readonly key?: TypedKey | undefined;
    /** From now on this run sends at most this many requests per second, changes included. */
    readonly maxPerSecond?: number | undefined;
    /** The order whose open cases the command shows itself, so that no line repeats them. */
    readonly shown?: string | undefined;
  }): Promise<OpenService>;
  /**
   * Uses the profile of a plan for the whole run, or else the only one that reaches its account. A profile that was named on the
   * command line stays.
   */
  useProfileOf(plan: { readonly account: string; readonly profile: string }): Promise<void>;
  /** Uses a profile that is an argument of the command for the whole run, whatever -p says. */
  useProfile(name: string): void;
  /** Opens a profile that is not stored yet, with its key. Only for reads. */
  draftService(draft: ProfileDraft, key: TypedKey): Promise<OpenService>;
  /** Writes a time (Unix milliseconds) as a time of day in the zone of the run, `09:31:40`. */
  timeOfDay(ms: number): string;
  /** As `timeOfDay`; a time of another day says which, `09:31:40 on 20 Nov`. Unix milliseconds. */
  shortTime(ms: number): string;
  readonly days: Days;
  /** Days in a time zone such as America/Mexico_City; undefined if this machine does not know it. */
  daysIn(zone: string): Days | undefined;
  zone(): string;
  readonly exports: Exports;
  /** The key with which this desk signs. */
  deskKey(): Promise<DeskKey>;
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
  /** Masks personal data in all that is shown and exported, and in nothing that is sent. */
  readonly redaction: Pick<Redaction, 'isOn' | 'learn' | 'record' | 'said' | 'text'>;
  /**
   * The policy of this machine: where it is or would be; all that it says, by name; its limits, which hold in addition to those
   * of the account (the stricter one counts); and the problem because of which it is not used: then nothing else about it is
   * known.
   */
  readonly policy: {
    readonly file: string;
    readonly says: SettingTexts;
    readonly limits: SettingTexts;
    readonly problem: CliError | undefined;
  };
  /**
   * What a file would do as the policy of this machine. Throws CliError 'usage' if something in it is not understood, 'refused'
   * if it is the policy and somebody other than root can write it.
   */
  checkPolicy(file: string): Promise<CheckedPolicy>;
  /** The sender that applies plans; undefined if this run sends their rows itself. */
  planSender(): Promise<PlanSender | undefined>;
  /** What the sender commands do, and how a desk joins a sender. Its code is loaded when it is asked for. */
  sender(): Promise<SenderDoor>;
  /** What a shell or man reads about paydesk, and where it looks for that. */
  installable(reader: Shell | 'man'): Promise<Installable>;
  /** Further command lines in this terminal, each as if somebody had typed it with the options of this run. */
  readonly next: {
    /** Why the policy of this machine does not allow a command; undefined if it does. */
    whyNot(words: readonly string[]): string | undefined;
    /** Shows the line and runs it to its end. `wasLeft`: a person went back from its first question. */
    run(words: readonly string[]): Promise<{ readonly code: number; readonly wasLeft: boolean }>;
  };
  /** Its code is loaded when it is asked for. */
  purge(): Promise<Purge>;
  /** The name of the software agent that started this run; undefined if none says that it did. */
  readonly agent: string | undefined;
  /** What people release for agents. Its code is loaded when it is asked for. */
  releases(): Promise<Releases>;
  /** Answers a software agent on standard input and output, until it leaves. */
  serveAgent(): Promise<void>;
  /** Reads standard input to its end, as text, up to a number of bytes. */
  stdin(maxBytes: number): Promise<string>;
  /** Reads a file as text; `-` is standard input. Throws CliError 'usage' if it cannot be read. */
  file(path: string, maxBytes: number): Promise<string>;
  /**
   * Throws CliError 'usage' for a file of paydesk itself: journal, witness, keys, profiles, locks. A command that will write a
   * file calls this before it asks or reads anything; exports and plans do too.
   */
  readonly refuseOwnFile: (path: string) => void;
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

export const onlyPerson = 'in production only a person at a terminal can allow more';

/**
 * Asks before something is allowed that was not allowed before. A program can type --yes in a script, so in production a person
 * at a terminal must say yes; in a sandbox --yes is enough. Throws CliError 'refused' or 'usage' where nobody can be asked,
 * 'cancelled' on No.
 */
export async function confirmRaise(
  ctx: Pick<Context, 'options' | 'ask' | 'agent' | 'notes'>,
  mode: Profile['mode'],
  what: string,
): Promise<void> {
  const certain = 'nothing was changed';
  if (mode === 'sandbox' && ctx.options.yes) return;
  if (!ctx.ask.interactive || ctx.agent !== undefined)
    throw mode === 'sandbox'
      ? new CliError('usage', what, { certain, now: ['if that is meant, add --yes'] })
      : refused(what, [`${onlyPerson}: run the command there`], { ownCode: 'person_needed', certain });
  ctx.notes.warn(what);
  if (!(await ctx.ask.confirm({ message: 'allow it?', flag: '--yes' })))
    throw new CliError('cancelled', certain);
}

/** Throws CliError 'refused' in a run that an agent started. `what`: what only a person does. */
export function refuseAgentTo({ agent }: Pick<Context, 'agent'>, what: string): void {
  if (agent === undefined) return;
  throw refused(
    `agent ${agent} started this run, and only a person ${what}`,
    ['paydesk help agents'],
    'person_needed',
  );
}
