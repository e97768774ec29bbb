/** The terminal as the rest of paydesk uses it: output, notes and questions. */

import type { Writable } from 'node:stream';
import type { WireRecord } from '../api/api.ts';
import type { JsonObject } from '../api/json-values.ts';
import type { Column } from '../api/resources.ts';

export { closestNames, editsBetween, isTypedLike } from './closest-names.ts';
export { chartSigns, colorLevel } from './color.ts';
export {
  type CsvStyle,
  csvLine,
  formulaSafe,
  withoutFormulaSafety,
} from './csv.ts';
export { type FileFormat, fileFormat } from './list-format.ts';
export type { AboutLine, BegunWorkbook } from './list-workbook.ts';
export { createTimes, isoTime, knowsZone, type Times } from './local-time.ts';
export { createNotes, type NotesControl } from './notes.ts';
export { createOutput, type OutputControl } from './output.ts';
export { createAsk } from './prompts/ask.ts';
export { GoBack } from './prompts/keyboard.ts';
export { createRedaction, type Redaction } from './redaction.ts';
export { cleanCell, toJson } from './sanitise.ts';
export { createSecrets, type Secrets } from './secrets.ts';
export { isUnread, type Locale, type StreamFacts } from './streams.ts';
export { asReceived } from './table/shown-values.ts';

/** The formats of a result: `-o FORMAT`. */
export const formats = ['table', 'list', 'json', 'ndjson', 'csv', 'xlsx'] as const;
export type Format = (typeof formats)[number];

/** The characters that may be between the cells of a CSV, by the words for them: `--delimiter WORD`. */
export const delimiterSigns = { comma: ',', semicolon: ';', tab: '\t', pipe: '|', colon: ':' } as const;
export type DelimiterWord = keyof typeof delimiterSigns;
export type Delimiter = (typeof delimiterSigns)[DelimiterWord];
export const delimiters = Object.values(delimiterSigns);

/** A file that a list is written into instead of stdout. */
export interface ResultFile {
  readonly stream: Writable;
  /** Gives the file its name if the list in it is whole; otherwise removes it. Throws CliError 'incomplete' if that fails. */
  settle(isWhole: boolean): Promise<void>;
}

/** The shells that paydesk can complete for. */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/**
 * The styles of text, by what they mean. `out` is money that goes back, `production` the name of an account with real money.
 * A stream without colour shows none of them.
 */
export type Style = 'strong' | 'faint' | 'good' | 'warn' | 'bad' | 'out' | 'production';
/** A piece of text in one style. It is cleaned before it is written, so it may hold anything from the service. */
export type Span = string | { readonly text: string; readonly style: Style };
/** A time (Unix seconds), shown in the zone of the run. If it is not a time, it is shown as received, with a mark. */
export interface TimeSpan {
  readonly time: unknown;
  /** `day` 20 Nov 18:42 · `second` with :51 · `zoned` with UTC-6 · `full` with all · `clock` 18:42:51 · `minute` 18:42 · `date` 20 Nov */
  readonly precision: 'day' | 'second' | 'zoned' | 'full' | 'clock' | 'minute' | 'date';
  /** The time in the line above a `clock`. If its day is another one, this time is shown as a `second`. */
  readonly after?: unknown;
}
/** A status of the service, shown as received, in the style of its meaning. */
interface StatusSpan {
  readonly status: string;
}
type Part = Span | TimeSpan | StatusSpan;
/** What is shown at one place of a screen: a text, a time, a status, or several of them side by side. */
export type Cell = Part | readonly Part[];

/** A part of a screen, before its width and colours are known. */
export type Block =
  /**
   * One line. If it is too long for the terminal, it wraps at spaces. The lines that follow are indented by `hang`, or else
   * by `indent`. With `staysInView` it is repeated at the end, if the terminal is not high enough for the whole screen.
   */
  | {
      readonly line: Cell;
      readonly indent?: number;
      readonly hang?: number;
      readonly staysInView?: true;
    }
  /**
   * Rows of cells in columns. A row of a single cell may be wider. `right` lists right-aligned columns, `shrink` columns that may
   * be cut in their middle, down to `least` cells. `beside` draws a chart after each row in the room that is left; a narrow
   * screen has no chart. `narrow` is shown instead if the columns do not fit; without it, whole rows are wrapped. `short` is
   * shown instead if the terminal is not high enough for the whole screen.
   */
  | {
      readonly grid: readonly (readonly Cell[])[];
      readonly right?: readonly number[];
      readonly shrink?: readonly number[];
      readonly least?: number | undefined;
      readonly indent?: number;
      readonly beside?: readonly ((room: number) => string)[];
      readonly narrow?: readonly Block[];
      readonly short?: readonly Block[];
    }
  | 'blank';

/** A record to print. A record of the service has its bytes too. */
export interface PrintedRecord extends Partial<WireRecord> {
  readonly value: JsonObject;
  /** What its columns are read from, if that is more than `value`: a refund with its charge and order. */
  readonly columnsFrom?: JsonObject;
}

/** How a list is printed, besides the options of the run. */
export interface ListHow {
  /** Absent: the format that was asked for. */
  readonly format?: Format;
  /** The time zone of local times; absent: the zone of the run. */
  readonly zone?: string | undefined;
  /** CSV has local times in addition to the times in UTC. */
  readonly localTimes?: boolean;
  /** More than one page may be drawn, so that a table keeps room for what later pages may show. */
  readonly pages?: 'many';
  /** The names of the sheets of a workbook; absent: it has one for its rows. */
  readonly sheets?: readonly string[];
}

/** How a list that paydesk made itself is printed. */
interface OwnListHow extends Pick<ListHow, 'zone' | 'localTimes'> {
  /** There are more than these. */
  readonly hasMore?: boolean;
  /**
   * Sums in addition to the rows, only in JSON and on a workbook's second sheet: among the rows, they would be added up with
   * them.
   */
  readonly sums?: readonly JsonObject[];
}

/** One sheet of a workbook of several. */
export interface ListSheet {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly rows: readonly JsonObject[];
}

/** A list that is written page by page. */
export interface ListSink {
  /** Resolves when the page is written. Rejects with CliError 'incomplete' when nobody reads stdout, or its disk is full. */
  page(records: readonly PrintedRecord[]): Promise<void>;
  /** Closes the list. `hasMore` becomes `has_more` at the end of the envelope. */
  end(hasMore: boolean): Promise<void>;
}

/** Writes results to stdout in the format that was asked for. Cleans text, and masks keys. */
export interface Output {
  readonly format: Format;
  /** With which characters charts can be drawn here; `none` where a screen reader reads. */
  readonly charts: 'blocks' | 'plain' | 'none';
  /** Call it before a change. Throws CliError 'usage' for a name in --columns that the result will not have. */
  checkColumns(columns: readonly Column[]): void;
  /** How many rows of a table leave its heading in view with these lines under them; undefined if no terminal shows it. */
  roomForRows(under: readonly Cell[]): Promise<number | undefined>;
  /** Starts a list of records. */
  list(columns: readonly Column[], how?: ListHow): ListSink;
  /** Writes a list of flat records that paydesk made itself. A long one is made and written part by part. */
  ownList(
    columns: readonly Column[],
    records: Iterable<JsonObject> | AsyncIterable<JsonObject>,
    how?: OwnListHow,
  ): Promise<void>;
  /** Writes a workbook with these sheets, each with all its columns, whatever --columns says. */
  ownSheets(sheets: readonly ListSheet[], how: Pick<OwnListHow, 'zone' | 'sums'>): Promise<void>;
  /** Writes one record of the service. `view` is its table, made from the record as it may be shown; `columns` are for CSV. */
  record(
    record: WireRecord,
    columns: readonly Column[],
    view: (shown: PrintedRecord) => readonly Block[],
  ): Promise<void>;
  /** Writes one flat record that paydesk made itself. `view` is its table; `known` has the columns of some of its fields. */
  own(
    record: JsonObject,
    view: (shown: PrintedRecord) => readonly Block[],
    known?: readonly Column[],
  ): Promise<void>;
  /** Writes what a change would do: `{"object":"dry_run", …}`. --columns is for the result of the change, so the plan is always whole. */
  dryRun(plan: JsonObject, view: () => readonly Block[]): Promise<void>;
  /**
   * Draws a link as a QR code under the last result, if that is a table on a terminal with room for it. With `always` also
   * under a list, and off a terminal. Never in json, ndjson and csv. Resolves with the reason if none was drawn.
   */
  qr(link: string, always: boolean): Promise<string | undefined>;
  /** Writes text that is the same in every format: help, completion scripts. */
  text(text: string): Promise<void>;
  /** Puts a text on the clipboard, if the terminal lets programs do that. Undefined if stdout is not a terminal. */
  readonly copy: ((text: string) => Promise<void>) | undefined;
}

/** Where a line of progress is written. */
export interface ProgressLine {
  /** How many characters fit. */
  readonly room: number;
  /** Whether the line is redrawn in its place. */
  readonly redrawn: boolean;
}

/** Writes notes, previews and progress to stderr. With json and ndjson, notes wait until the run ends: an error then holds them. */
export interface Notes {
  /** Writes one line. --quiet silences it. If it is too long for the terminal, what follows is indented by `hang`. */
  note(line: Cell, hang?: number): void;
  /** A note about this moment and about orders other than those of the result, so no file has it. */
  aside(line: Cell): void;
  /** Writes one line that --quiet does not silence. */
  warn(line: Cell): void;
  /** Shows what the next question is about. */
  show(blocks: readonly Block[]): void;
  /**
   * Shows how far a long run has got, in a line that is redrawn, or in one every 10 seconds. Call the returned function at the
   * end.
   */
  progress(text: (line: ProgressLine) => string): () => void;
  /**
   * Like `progress`. Until it ends, no other progress and no waiting is shown: a batch makes many changes at once, and each of
   * them would replace this line with its own.
   */
  progressAlone(text: (line: ProgressLine) => string): () => void;
  /**
   * Says what the run waits for, until the returned function is called. On a terminal, the text is followed by the seconds so far;
   * elsewhere it is one line. With --quiet, json and ndjson nothing is shown; a short wait shows nothing either, unless `atOnce`.
   */
  waiting(text: () => string, atOnce: boolean): () => void;
}

/** One answer that a person can pick. */
export interface Choice<T> {
  readonly value: T;
  readonly label: string;
  /** Amounts and ids after the label. If the terminal is too narrow, the label is cut, but never the tail. */
  readonly tail?: string;
  /** Shown under the choice. Line prompts show it after the choice. */
  readonly detail?: string;
  /** Why it cannot be chosen; it is shown with the choice. At least one choice of a question has none. */
  readonly refusal?: string | undefined;
}

/** A row of a list that a person searches. */
export interface SearchedRow<T> {
  readonly value: T;
  /** One text for each column. */
  readonly cells: readonly string[];
  /** The cell that has a colour, and in which style: that of a status of the service, or a fixed one. */
  readonly accent?: { readonly at: number; readonly by: StatusSpan | Style };
  readonly isMarked?: boolean;
  /** Lines about the row, shown while the cursor is on it. */
  readonly details: readonly Span[];
  /** What the screen shows instead of the row once it is chosen. */
  readonly answer: string;
  /** Why it cannot be chosen. Absent: it can be. */
  readonly refusal?: string | undefined;
}

/**
 * A list that a person searches while it is still being read. `words` are what the person has typed; no words find every
 * row. Rows are in the order of the list, so a row that is read later comes after the others.
 */
export interface SearchedList<T> {
  /** The words that the search begins with. */
  readonly typed?: string | undefined;
  readonly titles: readonly string[];
  /** The right-aligned columns, and those that may be cut, by their index. */
  readonly right: readonly number[];
  readonly shrink: readonly number[];
  /** How many cells of a column are never cut, by its index. */
  readonly least?: Readonly<Record<number, number>>;
  /** What to search for if this text is pasted: what it names, or the text itself. */
  wordsOf(pasted: string): string;
  /** How many rows hold the words, among those that were read so far. */
  count(words: string): number;
  row(words: string, index: number): SearchedRow<T> | undefined;
  /**
   * Reads on until `rows` rows hold the words and can be chosen, or a bound is reached; `further`: beyond that bound, or again
   * after a failed read. Resolves when reading stops; a call with other words replaces this one.
   */
  want(words: string, rows: number, further?: boolean): Promise<void>;
  /** How far the list was searched, and what more can be done: `newest 400 orders, back to 3 Nov`. */
  looked(words: string): string;
  /** Looks up words that are a whole id and in no row: its row, or why there is none. Undefined: they are not an id. */
  lookUp(words: string): Promise<SearchedRow<T> | string> | undefined;
  /** What Enter searches for instead of words that found nothing; undefined if nothing like them was read. */
  readonly offered?: (words: string) => string | undefined;
  /** Calls the listener whenever more was read. Returns a function that ends this. */
  watch(listener: () => void): () => void;
}

/** What a key does on a screen with a list. */
export interface ScreenKey<T> {
  /** A letter, ` ` or `enter`. */
  readonly key: string;
  readonly words: string;
  /** It is not about a row: it works even if there is none. */
  readonly isOfScreen?: true;
  /** Why the key does nothing now. */
  readonly refusal?: (value: T | undefined) => string | undefined;
  /** Does the key's work at once and returns what it did; the screen stays. Without it, the key leaves the screen. */
  readonly stay?: (value: T | undefined) => string;
}

/** Where somebody is on a screen with a list. */
export interface ScreenPlace {
  /** What the list is searched for. */
  readonly words: string;
  /** The row under the cursor. */
  readonly active: number;
  /** What is shown below the rows. */
  readonly said?: string | undefined;
}

/** A screen with a list in which a person moves, searches, and does something with a row, key by key. */
export interface ListScreen<T> {
  readonly list: SearchedList<T>;
  readonly keys: readonly ScreenKey<T>[];
  readonly from: ScreenPlace;
}

/** The key that left a screen, on which row, and where. */
export interface LeftScreen<T> {
  readonly key: string;
  readonly value: T | undefined;
  readonly at: ScreenPlace;
}

export interface Question {
  readonly message: string;
  /** What the question is about, before the message. */
  readonly about?: string | undefined;
  /** Esc, and `<` instead of an answer, throw GoBack. */
  readonly canGoBack?: boolean | undefined;
  /** The flag or argument that answers this question in a script. The error names it when nobody can be asked. */
  readonly flag: string;
}

/**
 * Asks a person, on stderr. Without a terminal, with --no-input and with CI every question throws CliError 'usage', which
 * names the flag. Ctrl-C throws 'interrupted', end of input 'cancelled'. Keys typed before the question are dropped.
 */
export interface Ask {
  readonly interactive: boolean;
  text(
    question: Question & {
      readonly check?: (text: string) => string | undefined;
      readonly optional?: boolean;
      /** Once an answer was refused, Enter alone is refused too, with these words: it may be typed in haste. */
      readonly enterAfterError?: string;
      /** What was answered before somebody went back: Enter alone answers it again. */
      readonly before?: string | undefined;
    },
  ): Promise<string>;
  secret(question: Question & { readonly check?: (text: string) => string | undefined }): Promise<string>;
  /** The cursor starts on the choice made `before` somebody went back, or on the first. */
  choose<T>(
    question: Question & {
      readonly choices: readonly Choice<T>[];
      readonly before?: ((value: T) => boolean) | undefined;
    },
  ): Promise<T>;
  /** A choice from many. Typed words narrow them. */
  search<T>(question: Question & { readonly list: SearchedList<T> }): Promise<T>;
  /** A screen that takes the whole terminal until a key leaves it. */
  browse<T>(question: Question & ListScreen<T>): Promise<LeftScreen<T>>;
  /** Yes or no. Enter alone means no. */
  confirm(question: Question): Promise<boolean>;
}
