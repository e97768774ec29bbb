/** What people see, as the rest of paydesk says it: output, notes, questions. */

import type { WireRecord } from '../api/api.ts';
import type { Column } from '../api/resources.ts';
import type { JsonObject } from '../api/spec.ts';

export { createAsk } from './ask.ts';
export { type ColorLevel, colorLevel } from './color.ts';
export { fileFormat } from './list-format.ts';
export { createTimes, knowsZone, type Times } from './local-time.ts';
export { createNotes, type NotesControl } from './notes.ts';
export { createOutput, type OutputControl } from './output.ts';
export { createSecrets, type Secrets } from './secrets.ts';
export type { Locale, StreamFacts } from './streams.ts';

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
   * `clock` 18:42:51 · `date` 20 Nov
   */
  readonly precision: 'day' | 'second' | 'zoned' | 'full' | 'clock' | 'date';
  /** The time above a `clock`: one of another day is shown as a `second`. */
  readonly after?: unknown;
}
/** What one place of a screen shows: text, a time, or several side by side. */
export type Cell = Span | TimeSpan | readonly (Span | TimeSpan)[];

/** What a person's screen shows, before widths and colours. */
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
  /** Starts a list of records, in the given format or else in the one that was asked for. */
  list(columns: readonly Column[], format?: Format): ListSink;
  /** A list of our own flat records (`object`, …). */
  ownList(columns: readonly Column[], records: readonly JsonObject[]): Promise<void>;
  /** One record of the service: its bytes as JSON, `view` as a table, every field as a list, `columns` as CSV. */
  record(record: WireRecord, columns: readonly Column[], view: () => readonly Block[]): Promise<void>;
  /** One flat record of our own; `view` as a table. */
  own(record: JsonObject, view: () => readonly Block[]): Promise<void>;
  /**
   * What --dry-run would do: `{"object":"dry_run", …}`. Always the whole plan: --columns applies to the result of the
   * change, not to the plan.
   */
  dryRun(plan: JsonObject, view: () => readonly Block[]): Promise<void>;
  /**
   * A link as a QR code under the last result: in a table on a terminal with room for it; with `always` wherever
   * people read. Resolves with the reason when none was drawn. Never in json, ndjson and csv.
   */
  qr(link: string, always: boolean): Promise<string | undefined>;
  /** Text for people, the same in every format: help topics, scripts of completions. */
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

/** A row of a list that a person searches. */
export interface SearchedRow<T> {
  readonly value: T;
  /** One text for each column. */
  readonly cells: readonly string[];
  /** Lines about the row, shown while the cursor stands on it. */
  readonly details: readonly Span[];
  /** What the screen keeps of the row once it is chosen. */
  readonly answer: string;
  /** Why it cannot be chosen. Absent: it can be. */
  readonly refusal?: string | undefined;
}

/**
 * A list that a person searches while it is still being read. `words` are what the person has typed; no words find every
 * row. Rows are in the order of the list, so a row that is read later comes after the others.
 */
export interface SearchedList<T> {
  readonly titles: readonly string[];
  /** The right-aligned columns, and those that may be cut, by their index. */
  readonly right: readonly number[];
  readonly shrink: readonly number[];
  /** How many rows hold the words, among those that were read so far. */
  count(words: string): number;
  row(words: string, index: number): SearchedRow<T> | undefined;
  /**
   * Reads on until so many rows hold the words and can be chosen, or a bound is reached; `further`: beyond that bound, or
   * again after a failed read. Resolves when it reads no further; other words take over.
   */
  want(words: string, rows: number, further?: boolean): Promise<void>;
  /** How far was looked, and what more can be done: `newest 400 orders, back to 3 Nov`. */
  looked(words: string): string;
  /** Looks up words that are a whole id and in no row: its row, or why there is none. Undefined: they are no id. */
  lookUp(words: string): Promise<SearchedRow<T> | string> | undefined;
  /** Calls the listener whenever more was read. Returns what ends that. */
  watch(listener: () => void): () => void;
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
  search<T>(question: Question & { readonly list: SearchedList<T> }): Promise<T>;
  /** Yes or No; a bare Enter is No. */
  confirm(question: Question): Promise<boolean>;
}
