/**
 * What a command is given, and what the folders need from outside: types, and the closed lists that three of them are
 * made of. main.ts joins them.
 */

import type { Column, JsonObject, ResourceName } from './api/spec.ts';
import type { CliErrorParts } from './errors.ts';
import type { Alarm, AttemptRecord, Clocks, JournalRow, Moment, VerdictRow } from './journal/rows.ts';
import type { Sight } from './journal/sight.ts';
import type {
  Described,
  KeyPlace,
  OpenProfile,
  Profile,
  ProfileDescription,
  ProfileDraft,
  Profiles,
  TypedKey,
} from './profiles/profile.ts';
import type { SimulatorControl } from './simulator/control.ts';

export type {
  AttemptRecord,
  Described,
  KeyPlace,
  Moment,
  OpenProfile,
  Profile,
  ProfileDescription,
  ProfileDraft,
  Profiles,
  Sight,
  SimulatorControl,
  TypedKey,
  VerdictRow,
};

// ── Time ────────────────────────────────────────────────────────────────────────────────────────

/** Time, as everything here is given it. */
export interface Clock {
  /** Wall clock, Unix milliseconds. */
  now(): number;
  /** Monotonic clock, milliseconds from an unknown start. */
  monotonic(): number;
  /** The id of this boot of the machine, and milliseconds since it; undefined where the system does not tell. */
  boot?(): { readonly id: string; readonly ms: number } | undefined;
  /** Resolves after so many milliseconds; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

// ── Keys ────────────────────────────────────────────────────────────────────────────────────────

/** Masks known keys in a reply, in every spelling, so that no later code can print or store one. */
export interface KeyGate {
  clean(text: string): string;
  /** JSON stays JSON. Returns the same bytes when there is no key in them. */
  cleanBody(body: Uint8Array): Uint8Array;
}

// ── Locks ───────────────────────────────────────────────────────────────────────────────────────

/** Who holds a lock, for display only. `since` in Unix milliseconds. */
export interface LockOwner {
  readonly operator: string;
  readonly command: string;
  readonly since: number;
}

/** The lock is ours until it is released, or until this process ends however it ends. */
export interface Held {
  readonly held: true;
  release(): Promise<void>;
}

/** Somebody else has the lock, or it could not be had in time. */
export interface Busy {
  readonly held: false;
  readonly owner: LockOwner | undefined;
}

/** Locks by name between processes of this machine, released by the kernel when their owner dies. */
export interface Locks {
  /**
   * Takes the lock of this name. Held by another process under the same name: busy at once, with its owner. Its slot in
   * use for another name, or its name in use by this process: waits up to `waitMs`, then busy.
   * Rejects with the signal's reason when it aborts, and with CliError 'refused' when the lock files are not usable.
   */
  take(
    name: string,
    options: { readonly waitMs: number; readonly signal?: AbortSignal },
  ): Promise<Held | Busy>;
}

// ── The service, for reading ────────────────────────────────────────────────────────────────────

/** One record as the service sent it. */
export interface WireRecord {
  /** Parsed; an integer beyond 2^53-1 is a bigint here. Rendering and checks cope with any type. */
  readonly value: JsonObject;
  /** The record's own bytes out of the reply: what `--json` and exports print. */
  readonly bytes: Uint8Array;
  /** They stand on one line and hold no escape and nothing that could be a control or a hidden character. */
  readonly plain?: boolean | undefined;
}

/** Query of one page (service: Endpoints 2). At most one of `next` and `previous`. */
export interface PageQuery {
  readonly limit?: number | undefined;
  readonly next?: string | undefined;
  readonly previous?: string | undefined;
}

/** One page of a listed resource. */
export interface Page {
  readonly records: readonly WireRecord[];
  /** `has_more` of the envelope: about the direction travelled. Absent reads as false. */
  readonly hasMore: boolean;
  /** A list by its own word, with `has_more` true or false: the end of it is stated, not assumed. */
  readonly saysHasMore: boolean;
  /** Records of this page that were there before in the walk, and were left out. */
  readonly repeated: number;
}

/** How pages are walked. */
export interface PagesHow {
  /** The page after it is asked for before a page is handed on: for walks that go to the end. */
  readonly ahead?: boolean | undefined;
  /** Not more requests a second. */
  readonly maxPerSecond?: number | undefined;
  /** The pages before the query, oldest first, of a walk that goes on: what they had is a repeat. */
  readonly before?: readonly WalkedBefore[] | undefined;
}

/** A page that was walked already. */
export interface WalkedBefore {
  /** The id that the page after it followed. */
  readonly last: string | undefined;
  readonly ids: readonly string[];
}

/** What looking for one record by id came to. */
export type Located =
  | {
      readonly found: WireRecord;
      /** The record before it when it was located, to find it again quickly; absent for the first of the list. */
      readonly neighbour?: string | undefined;
    }
  /** The service's own error, or a complete walk, says that there is none. */
  | { readonly missing: true }
  /** The walk ended at its bound: not among the newest `read`. */
  | { readonly boundReached: true; readonly read: number };

/** Hints and bounds for finding one record. */
export interface LocateOptions {
  /** Where it was found before; tried first. */
  readonly neighbour?: string | undefined;
  /** How many records a fallback walk may read. */
  readonly max?: number | undefined;
  readonly progress?: ((read: number) => void) | undefined;
  /** Make one request only: the record after the neighbour, or the newest page. `boundReached` when that does not show it. */
  readonly once?: boolean | undefined;
}

/** Reads of one account. Nothing here can change anything. */
export interface Service {
  readonly profile: Profile;
  /** The last `Date` header of a reply and the wall clock when it came, Unix milliseconds. */
  readonly seenDate?: (() => { readonly date: number; readonly wall: number } | undefined) | undefined;
  /** A short hash of the key, recorded beside the account; never the key. */
  readonly keyFingerprint?: string | undefined;
  /**
   * Walks pages from the query on, forwards (or backwards from `previous`), by the id of the last (first) record.
   * Ends when `has_more` is not true. Throws CliError: 'reply', 'network', 'auth', 'rejected', and 'incomplete'
   * when paging makes no progress (service: Endpoints 2).
   */
  pages(resource: ResourceName, query: PageQuery, how?: PagesHow): AsyncIterable<Page>;
  /** One record by id, out of documented paging, or directly where the profile says so. */
  locate(resource: ResourceName, id: string, options?: LocateOptions): Promise<Located>;
}

/** What a reply says besides its body. Header names are lower case. */
export interface ReplyHead {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** The reply to one GET of any path: JSON that is no error. */
export interface AnyReply {
  readonly head: ReplyHead;
  readonly value: unknown;
  readonly bytes: Uint8Array;
}

/** A service whose every path can be read. */
export interface OpenService extends Service {
  /**
   * GETs a path relative to the base URL, query included. Throws CliError as `pages` does, and 'usage' for a path
   * that would leave the base URL.
   */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<AnyReply>;
}

// ── Changes ─────────────────────────────────────────────────────────────────────────────────────

/** A request that changes something; `path` is relative to the base URL, without a leading slash. */
export interface ChangeRequest {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: JsonObject | undefined;
  /** More headers than those of every request (`api --header`). */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A reply as it came, read to its last byte. */
export interface RawReply {
  readonly status: number;
  /** The media type of Content-Type, lower case, without parameters; '' when there was none. */
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly headers?: ReplyHead['headers'] | undefined;
  /** The `Date` header, Unix milliseconds, when it parses. */
  readonly date?: number | undefined;
  /** `Retry-After`, or the reset of a rate limit, in milliseconds from now, when it parses. */
  readonly retryAfterMs?: number | undefined;
  /** The host that a redirect names; it is never followed. */
  readonly redirectTo?: string | undefined;
}

/** What one sending came to. `reason` is for people: `HTTP 502, an HTML page`, `no answer within 60 s`. */
export type SendReport =
  | { readonly kind: 'reply'; readonly reply: RawReply }
  /** Provably not a byte of the request left. */
  | { readonly kind: 'not_sent'; readonly reason: string; readonly cause?: unknown }
  /** It may have arrived. */
  | { readonly kind: 'no_reply'; readonly reason: string; readonly cause?: unknown };

/** Sends a change once, never again: no retry, no redirect, one dispatch. Only journal/run.ts is handed this. */
export type SendOnce = (
  request: ChangeRequest,
  options: { readonly timeoutMs: number },
) => Promise<SendReport>;

/** A refund record that an applied refund must leave: exactly one new record of this amount on this charge. */
export interface ExpectedRefund {
  readonly chargeId: string;
  /** Negative, as the service writes it (service: refund). */
  readonly amount: number;
}

/** What a person decided: one change, to be sent at most once. */
export interface Intent {
  readonly kind: 'refund' | 'capture' | 'order' | 'checkout' | 'api';
  /** The order it changes; absent for what belongs to no order. */
  readonly orderId?: string | undefined;
  readonly request: ChangeRequest;
  /** For a refund: the new records that must appear. */
  readonly expected?: readonly ExpectedRefund[] | undefined;
  /** For a whole-order refund: charges that may get one record, or none (declined ones). */
  readonly tolerated?: readonly string[] | undefined;
  /** The money of it for messages: the service's integer and currency. */
  readonly amount?: number | undefined;
  readonly currency?: string | undefined;
  readonly reason?: string | undefined;
  readonly note?: string | undefined;
  /** A script's own id of this intent (`--intent`). */
  readonly intentId?: string | undefined;
  /** What was typed (order, charge, amount, …): must be the same under the same `intentId`. */
  readonly asked?: JsonObject | undefined;
  /** What this repeats, as a person named it (`--again`): ids of refunds, or names of attempts. */
  readonly again: readonly string[];
  /** Attempts that reads of this run closed before: nobody who asks could know of them, not even with `--again`. */
  readonly closed?: readonly AttemptRecord[] | undefined;
  /** Row reference and plan, for bulk refunds. */
  readonly ref?: string | undefined;
  readonly plan?: string | undefined;
  /**
   * Sees the order as the final read gives it, under the order's lock, right before the sending.
   * Throws a CliError to stop: money changed, not refundable any more, an equal refund exists.
   */
  readonly approve: (fresh: WireRecord) => Promise<void>;
  readonly checks?: readonly string[] | undefined;
}

/** What a change is called by, whoever asked for it. */
export type ChangeSubject = Pick<Intent, 'kind' | 'orderId' | 'amount' | 'currency' | 'request'>;

/** A refund record found after the change. */
export interface FoundRefund {
  readonly chargeId: string;
  readonly id: string | undefined;
  readonly amount: number;
  readonly createdAt: number | undefined;
  readonly authCode: string | undefined;
  /** A word of the service's own, where it shows one. */
  readonly status?: string | undefined;
}

interface OutcomeBase {
  /** The journal's id of the intent. */
  readonly intent?: string | undefined;
  /** Set when a person must look although there is a verdict; exit 7. */
  readonly alarm?: Alarm | undefined;
  /** What the last verdict rests on, in words. */
  readonly why?: string | undefined;
  /** The outcome could not be written down: print it in full, then `row` as JSON on stderr; exit 9. */
  readonly unrecorded?: { readonly row: JsonObject; readonly cause: unknown } | undefined;
  /** This is the recorded outcome of an earlier run (`--intent`); nothing was sent now. */
  readonly recorded?: true | undefined;
  /** Status and headers of the reply, when one came in this run. */
  readonly head?: ReplyHead | undefined;
  /** The order as last read or replied, when there was one. */
  readonly order?: WireRecord | undefined;
  /** New refund records seen since the pre-image, ours or not. */
  readonly refunds?: readonly FoundRefund[] | undefined;
}

/** How a change ended. Words and exit codes are made of it by the command. */
export type Outcome =
  | (OutcomeBase & {
      readonly verdict: 'applied';
      readonly by: 'reply' | 'read';
      readonly record: WireRecord;
    })
  | (OutcomeBase & {
      readonly verdict: 'rejected';
      readonly parts: CliErrorParts;
      /** A read confirmed that nothing changed. */
      readonly confirmed: boolean;
    })
  | (OutcomeBase & { readonly verdict: 'not_sent'; readonly reason: string })
  | (OutcomeBase & {
      readonly verdict: 'unknown' | 'not_seen';
      readonly reason: string;
      /** Wall clock, Unix milliseconds: when it was sent, and when the last read was made. */
      readonly sentAt: number;
      readonly lastReadAt?: number | undefined;
      readonly reads: number;
      /** Why the last read tells nothing. */
      readonly unread?: string | undefined;
      /** Journal time, Unix milliseconds; undefined: until a read tells, or a person. */
      readonly blockedUntil?: number | undefined;
    })
  /** `--dry-run`: everything but the sending. */
  | { readonly verdict: 'dry_run'; readonly request: ChangeRequest; readonly checks: readonly string[] };

/** The one door for changes: journal/run.ts. Throws a CliError when nothing was sent: 'refused', 'not_found', … */
export type Change = (intent: Intent) => Promise<Outcome>;

// ── What the journal needs ──────────────────────────────────────────────────────────────────────

/** Which attempts; all parts must hold. */
export interface AttemptQuery {
  readonly origin?: string | undefined;
  readonly orderId?: string | undefined;
  /** On any of these orders. */
  readonly orderIds?: ReadonlySet<string> | undefined;
  readonly intent?: string | undefined;
  /** A script's own id (`--intent`). */
  readonly given?: string | undefined;
  readonly plan?: string | undefined;
  readonly operator?: string | undefined;
  /** Sent at or after this time, Unix milliseconds. */
  readonly since?: number | undefined;
  /** Only those whose last verdict may still change: open ones, and those watched until their horizon. */
  readonly unsettled?: true | undefined;
}

/** Where attempts are kept. Narrow, so that a team can put it on a shared database. */
export interface JournalStore {
  /**
   * Adds a row; it is durable when this resolves. Rejects when that is not certain, and when a SENT row with the
   * same intent and attempt exists.
   */
  append(row: JournalRow): Promise<void>;
  /** Attempts, oldest first. Rejects with CliError 'refused' when the journal is damaged. */
  attempts(query: AttemptQuery): Promise<readonly AttemptRecord[]>;
  /** The times that the journal's file shows. */
  newest(): Promise<NewestRow>;
  /**
   * Throws CliError 'refused' when nothing may be sent: rows are missing, damaged or lost, or the locks of the file system
   * are not trusted. Writes nothing. `append` of a SENT row checks the same again.
   */
  ready(): Promise<void>;
}

/** The times that a journal's file shows: this machine's clock is checked against them. */
export interface NewestRow {
  /** The latest time of any row, Unix milliseconds; 0 when there is none. */
  readonly time: number;
  /** The clocks of the last row. */
  readonly clocks?: Clocks | undefined;
  /** When the file was written last, Unix milliseconds. */
  readonly writtenAt?: number | undefined;
}

/** What shows whether two changes may belong to one account (journal/same-account.ts). */
export interface AccountMarks {
  readonly origin: string;
  readonly livemode: boolean;
  readonly keyFingerprint?: string | undefined;
}

/** What a look at an attempt came to: as it is now, and what the look showed. */
export interface Resolved {
  readonly record: AttemptRecord;
  /** The verdict that was added; absent when the look said nothing new. */
  readonly added?: VerdictRow | undefined;
  readonly sight?: Sight | undefined;
}

/** What a look at the whole journal file found. */
export interface Verification {
  readonly rows: number;
  /** The hash of the newest row: note it elsewhere to find out later whether rows were taken away. */
  readonly head: string;
  readonly findings: readonly { readonly seq: number; readonly problem: string }[];
  /** Whether a head noted elsewhere is in the chain. */
  readonly knowsHead?: boolean | undefined;
  readonly witness: WitnessVerification;
}

/** How the journal and its witness compare. */
export interface WitnessVerification {
  readonly file: string;
  /** Lines that are whole: one per row. */
  readonly lines: number;
  /**
   * `agrees`; `none yet`: the next change begins it; `witness behind`: the next change adds what is missing there;
   * `journal behind`: rows are missing in the journal, or are others; `damaged`: the witness is missing or not whole.
   */
  readonly state: 'agrees' | 'none yet' | 'witness behind' | 'journal behind' | 'damaged';
}

/** What a repair of the journal file did. */
export interface Repair {
  /** The journal as it was; undefined: there was none. */
  readonly copy: string | undefined;
  /** The witness as it was; undefined: there was none. */
  readonly witnessCopy: string | undefined;
  /** Rows that say what was written. */
  readonly kept: number;
  /** SENT rows that were changed: open outcomes now. */
  readonly doubtful: number;
  /** Rows that are in the copy alone: not readable, a verdict that was changed, or one whose SENT is gone. */
  readonly lost: readonly number[];
  /** Pages of the file that could not be read: rows may have been there. */
  readonly unreadable: number;
  /** Attempts whose SENT row is lost and whose outcome the witness does not prove: unconfirmed now. */
  readonly blocked: readonly { readonly intent: string; readonly orderId: string | undefined }[];
}

/** The journal as commands see it. */
export interface JournalDesk {
  readonly file: string;
  /** The file of its witness. */
  readonly witness: string;
  attempts(query: AttemptQuery): Promise<readonly AttemptRecord[]>;
  /** The journal's time, for `isOpen` and the age of attempts. */
  now(): Promise<Moment>;
  /** Whether an attempt still blocks its order. */
  isOpen(record: AttemptRecord, now: Moment): boolean;
  /** Until when an open attempt blocks its order at the latest, Unix milliseconds; undefined: until a read tells, or a person. */
  blockedUntil(record: AttemptRecord): number | undefined;
  /** Whether a read may tell something new of it. */
  isDue(record: AttemptRecord, now: Moment): boolean;
  /**
   * Throws CliError 'refused' where an outcome of the order is open, also after its order was read again; returns those
   * that such a read closed. What cannot be read again is left to the change itself.
   */
  refuseOpen(order: {
    readonly service: Pick<Service, 'profile' | 'keyFingerprint'>;
    readonly orderId: string;
    readonly again: readonly string[];
  }): Promise<readonly AttemptRecord[]>;
  /** Whether a refund was made and is read again until its horizon, in case a second one appears. */
  isWatched(record: AttemptRecord): boolean;
  /** The refund records that an attempt accounts for: those that it asked for. None unless it was made. */
  ownRefunds(record: AttemptRecord): readonly FoundRefund[];
  /** Chooses the due attempts that a run reads: three unconfirmed ones, and one that is only watched. */
  pickDue(due: readonly AttemptRecord[], now: Moment): readonly AttemptRecord[];
  /** What stops every change, in words: the journal is behind its witness, or damaged; undefined: nothing. */
  problem(): Promise<string | undefined>;
  /** Reads the order again and writes down what that proves. Throws CliError 'refused' while another run holds it. */
  reconcile(record: AttemptRecord, how?: { readonly once?: boolean }): Promise<Resolved>;
  /** As `reconcile`; where the read does not tell, `confirm` is shown it, and a person's statement is written down. */
  settle(
    record: AttemptRecord,
    statement: { readonly applied: boolean; readonly note: string },
    confirm: (sight: Sight) => Promise<void>,
  ): Promise<Resolved>;
  /**
   * The outcome of an earlier run under a script's id, after a read where it is open, and what was sent then; undefined
   * when there is none, or a new attempt is due. Throws CliError 'refused' when the id was used for something else.
   */
  recorded(
    intentId: string,
    asked: {
      readonly kind: Intent['kind'];
      readonly asked: JsonObject;
      readonly again: readonly string[];
      readonly service: Pick<Service, 'profile' | 'keyFingerprint'>;
    },
  ): Promise<{ readonly outcome: Outcome; readonly change: ChangeSubject } | undefined>;
  /** Erases bodies and notes of settled attempts sent before a time (Unix milliseconds); how many. */
  forget(before: number): Promise<number>;
  verify(head?: string): Promise<Verification>;
  /** Keeps copies, and rebuilds journal and witness from all that can be read of them. Throws CliError 'refused'. */
  repair(): Promise<Repair>;
  /** Writes the journal and its witness into one new file; returns how many rows. Throws CliError 'refused' if it exists. */
  archive(path: string): Promise<number>;
  /** Imports such a file; returns how many rows. Throws CliError 'refused' if this machine's journal or witness has rows. */
  restore(path: string): Promise<number>;
}

// ── What people see ─────────────────────────────────────────────────────────────────────────────

/** Ways to print a result: `-o FORMAT`. */
export const formats = ['table', 'list', 'json', 'ndjson', 'csv'] as const;
export type Format = (typeof formats)[number];

/** The shells that paydesk can complete for. */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/** The few styles of text; a stream without colour shows none. */
export type Style = 'strong' | 'faint' | 'good' | 'warn' | 'bad';
/** A piece of text of one style. The writer cleans it, so it may hold anything a service sends. */
export type Span = string | { readonly text: string; readonly style: Style };
/** A time (Unix seconds) as people read it, in the zone of the run; anything else is shown as received, marked. */
export interface TimeSpan {
  readonly time: unknown;
  /**
   * `day` 20 Nov 18:42 · `second` 20 Nov 18:42:51 · `zoned` 20 Nov 18:42 UTC-6 · `full` 20 Nov 2026 18:42:51 UTC-6 ·
   * `clock` 18:42:51
   */
  readonly precision: 'day' | 'second' | 'zoned' | 'full' | 'clock';
  /** The time that stands above a `clock`: one of another day is shown as a `second`. */
  readonly after?: unknown;
}
/** What stands in one place of a screen: text, a time, or several side by side. */
export type Cell = Span | TimeSpan | readonly (Span | TimeSpan)[];

/** What stands on a person's screen, before widths and colours. */
export type Block =
  /** One line, never wrapped inside an id; too long for the terminal, it wraps at spaces, to `hang` or the indent. */
  | { readonly line: Cell; readonly indent?: number; readonly hang?: number }
  /** Cells in columns, two spaces apart, a row of one cell beside them; `right` lists the right-aligned columns, `shrink` those that may be cut. */
  | {
      readonly grid: readonly (readonly Cell[])[];
      readonly right?: readonly number[];
      readonly shrink?: readonly number[];
      readonly indent?: number;
    }
  | 'blank';

/** A record to be printed: the service's with its bytes, or one of ours. */
export interface PrintedRecord extends Partial<WireRecord> {
  readonly value: JsonObject;
}

/** A list being written, page by page. */
export interface ListSink {
  /** Resolves when the page is written; rejects with CliError 'incomplete' when the stream is gone or full. */
  page(records: readonly PrintedRecord[]): Promise<void>;
  /** Closes the list. `hasMore` becomes the envelope's `has_more`, last. */
  end(hasMore: boolean): Promise<void>;
}

/** stdout: data and nothing else. The one writer of its stream; knows formats, cleans text, stops keys. */
export interface Output {
  readonly format: Format;
  /** Before a change: throws CliError 'usage' for a name of --columns that its result, printed later, will not have. */
  checkColumns(columns: readonly Column[]): void;
  /** Starts a list of records, in whatever format was asked for unless it is given. */
  list(columns: readonly Column[], format?: Format): ListSink;
  /** A list of our own flat records (`object`, …). */
  ownList(columns: readonly Column[], records: readonly JsonObject[]): Promise<void>;
  /** One record of the service: its bytes as JSON, `view` as a table, every field as a list, `columns` as CSV. */
  record(record: WireRecord, columns: readonly Column[], view: () => readonly Block[]): Promise<void>;
  /** One flat record of our own; `view` as a table. */
  own(record: JsonObject, view: () => readonly Block[]): Promise<void>;
  /** What --dry-run would do: `{"object":"dry_run", …}`. All of it: --columns names those of what is made. */
  dryRun(plan: JsonObject, view: () => readonly Block[]): Promise<void>;
  /**
   * A link as a QR code under the last result: in a table on a terminal with room for it; with `always` wherever
   * people read. Resolves with the reason when none was drawn. Never in json, ndjson and csv.
   */
  qr(link: string, always: boolean): Promise<string | undefined>;
  /** Text for people, whatever the format: help topics, scripts of completions. */
  text(text: string): Promise<void>;
}

/** stderr: notes, previews, progress. Under json and ndjson kept back, for the `notes` of a failing run. */
export interface Notes {
  /** One line; silenced by --quiet. */
  note(line: Cell): void;
  /** One line that --quiet does not silence. */
  warn(line: Cell): void;
  /** A screenful before a question. */
  show(blocks: readonly Block[]): void;
  /** A line that is redrawn on a terminal; call the returned function when it is over. */
  progress(text: () => string): () => void;
}

/** One answer that a person can pick. */
export interface Choice<T> {
  readonly value: T;
  readonly label: string;
  /** After the label, never cut, where a label too long for the terminal is: amounts and ids. */
  readonly tail?: string;
  /** Shown under the choice, or after it in line prompts. */
  readonly detail?: string;
}

interface Question {
  readonly message: string;
  /** The flag (or argument) that answers this question in a script: named when nobody can be asked. */
  readonly flag: string;
}

/**
 * Prompts, on stderr. Without a terminal, with --no-input or CI every one of them throws CliError 'usage' naming the
 * flag. Ctrl-C throws 'interrupted', end of input 'cancelled'. What was typed before the question is dropped.
 */
export interface Ask {
  readonly interactive: boolean;
  text(
    question: Question & {
      readonly check?: (text: string) => string | undefined;
      readonly optional?: boolean;
    },
  ): Promise<string>;
  secret(question: Question & { readonly check?: (text: string) => string | undefined }): Promise<string>;
  choose<T>(question: Question & { readonly choices: readonly Choice<T>[] }): Promise<T>;
  /** A choice out of many, narrowed by typing. */
  search<T>(question: Question & { readonly choices: readonly Choice<T>[] }): Promise<T>;
  /** Yes or No; a bare Enter is No. */
  confirm(question: Question): Promise<boolean>;
}

// ── Exports ─────────────────────────────────────────────────────────────────────────────────────

/** Formats of an export, by the names their files end in. */
export const exportFormats = ['ndjson', 'json', 'csv'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** A row of an export, with what its manifest counts. */
export interface ExportRow {
  readonly record: PrintedRecord;
  readonly id: string | undefined;
  readonly currency: string | undefined;
  readonly status: string | undefined;
  /** `2026-11-20`, in the zone of the export; asked for where it is counted. */
  readonly day: () => string | undefined;
  /** The money of it as the service sent it; null where rows of this kind have none. */
  readonly amount: unknown;
}

/** A file to be written, and all that decides what it holds. */
export interface ExportRequest {
  readonly path: string;
  readonly format: ExportFormat;
  /** One gzip member a page. */
  readonly gzip: boolean;
  readonly columns: readonly Column[];
  /** Replace a finished file, or an unfinished one, of that name. */
  readonly force: boolean;
  /** Go on with an unfinished one. */
  readonly resume: boolean;
  /** What was typed to say what it holds: must be the same when it is resumed. */
  readonly asked: readonly string[];
  /** What it holds, for the manifest; that of the first run counts. Times are Unix seconds. */
  readonly query: JsonObject;
  readonly profile: Pick<Profile, 'name' | 'origin' | 'vendor' | 'mode'>;
  readonly keyFingerprint: string | undefined;
}

/** How far a walk came with a page. */
export interface PageWalked extends WalkedBefore {
  readonly read: number;
  readonly repeated: number;
  /** Records that are not as the service documents them. */
  readonly odd: number;
  /** Records left out since they do not show what the query asks about. */
  readonly left: number;
  /** What whoever goes on after this page has to know of those before it. */
  readonly state: JsonObject;
}

/** An export into a file. Its name is that of a finished file only once it is complete. */
export interface ExportFile {
  /** The query as the first run pinned it. */
  readonly query: JsonObject;
  /** Where an unfinished export goes on: after this record; undefined: at the beginning. */
  readonly after: string | undefined;
  /** The pages that it has, oldest first. */
  readonly before: readonly WalkedBefore[];
  /** The state after the last of them; undefined: at the beginning. */
  readonly state: JsonObject | undefined;
  /** Its name is somebody's by now. */
  readonly taken: boolean;
  /** So far. */
  readonly progress: { readonly read: number; readonly rows: number };
  /** Of the unfinished file. */
  readonly partial: string;
  /** What a resume found other than it should be. */
  readonly notes: readonly string[];
  /** Writes the rows of a page; when this resolves, a killed run goes on after it. Rejects with CliError 'incomplete'. */
  page(rows: readonly ExportRow[], walked: PageWalked): Promise<void>;
  /** Gives the file its name, its manifest beside it; both are on the disk when this resolves. */
  complete(): Promise<{ readonly manifest: string; readonly rows: number; readonly bytes: number }>;
  /** Leaves it to be resumed, or takes it away where nothing was written; says why in the manifest of the unfinished file. */
  leave(why: string): Promise<void>;
}

/** What a look at a file and its manifest came to. Times are Unix seconds. */
export interface ExportCheck {
  readonly file: string;
  readonly manifest: string;
  /** Why it is refused; undefined: it is what its manifest says. */
  readonly problem: { readonly kind: 'refused' | 'incomplete'; readonly words: string } | undefined;
  readonly rows: number | undefined;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
}

/** Exports into files. */
export interface Exports {
  /**
   * Opens a file for a new export or one to be resumed. Throws CliError 'refused' for a name that is taken, for an
   * unfinished export of something else, and while another run writes it.
   */
  open(request: ExportRequest): Promise<ExportFile>;
  /** Compares a file with its manifest. Throws CliError 'usage' where one of them cannot be read. */
  verify(path: string, maxAgeMs: number | undefined): Promise<ExportCheck>;
}

// ── What a command is given ─────────────────────────────────────────────────────────────────────

/** The global options, resolved: flag, environment, profile, default. */
export interface GlobalOptions {
  /** The format as somebody asked for it; undefined where the default counts. */
  readonly askedFormat: Format | undefined;
  readonly profile: string | undefined;
  readonly columns: readonly string[] | undefined;
  /** PAYDESK_COLUMNS: of every list those that it has. */
  readonly usualColumns: readonly string[] | undefined;
  /** A heading line in table and csv. */
  readonly header: boolean;
  /** The options about output as they were typed, for a command that goes on from here. */
  readonly outputWords: readonly string[];
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly timeoutMs: number;
}

/** Days in the zone of the run; it is the profile's once that is open. */
export interface Days {
  /** The day of a time (Unix seconds), `2026-11-20`; undefined for what is no time. */
  day(seconds: unknown): string | undefined;
  /**
   * The first moment at which clocks there show this or later (`Date.UTC` of what they show), Unix milliseconds. A time
   * that clocks show twice is the first of the two.
   */
  moment(shown: number): number;
  /** The days between two times (Unix seconds) in words: `3 Nov to 20 Nov 2026 (UTC-6)`. */
  between(first: number, last: number): string;
}

/** Everything that a command does outside itself. */
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
    /** A key to try instead of the one that is kept; a profile is then named. */
    readonly key?: TypedKey | undefined;
  }): Promise<OpenService>;
  /** A time of day in the zone of the run, `09:31:40`; Unix milliseconds. */
  timeOfDay(ms: number): string;
  /** A time with its day and zone, `21 Nov 2026 09:31:39 UTC-6`; Unix milliseconds. */
  fullTime(ms: number): string;
  /** Days in the zone of the run. */
  readonly days: Days;
  /** Days in a zone of the IANA's list, such as America/Mexico_City; undefined when this machine knows none of that name. */
  daysIn(zone: string): Days | undefined;
  /** The name of the zone of the run. */
  zone(): string;
  readonly exports: Exports;
  /** The one door for changes. */
  readonly change: Change;
  readonly journal: JournalDesk;
  /** The script that makes a shell complete paydesk's command line. */
  completionScript(shell: Shell): Promise<string>;
  /** Standard input to its end, as text, at most so many bytes. */
  stdin(maxBytes: number): Promise<string>;
  /** A file a person named, as text; `-` is standard input. Throws CliError 'usage' when it cannot be read. */
  file(path: string, maxBytes: number): Promise<string>;
}
