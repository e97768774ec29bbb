/** Walks to the end for an export, and makes rows of each page. */

import type { OpenService, Page, WireRecord } from '../../api/api.ts';
import { type Column, idOf, isCountable, type JsonObject, type ResourceName } from '../../api/spec.ts';
import type { ExportFile, ExportRow, PageWalked } from '../../exports/exports.ts';
import type { Context } from '../command.ts';
import { longPages } from '../walk.ts';
import type { ExportInput } from './export-flags.ts';

/** What is exported. */
export interface ExportJob {
  readonly resource: ResourceName;
  /** What a row is: `orders`, `refunds`. */
  readonly rowsWord: string;
  readonly columns: readonly Column[];
  /** The flags that say what is exported, as they are typed. */
  readonly words: readonly string[];
  /** The same for the manifest; times are Unix seconds. */
  readonly query: () => JsonObject;
  /** Starts making rows. A resumed export goes by the `query` of its first run, and on from `state`. */
  readonly rows: (query?: JsonObject, state?: JsonObject) => RowMaker;
}

/** Makes rows of records, page by page. */
export interface RowMaker {
  /** Is called with each page, before its rows are asked for. */
  readonly onPage?: (page: Page) => void;
  /** The rows of a record. Throws CliError 'incomplete' if the record does not show all of them. */
  readonly rowsOf: (record: WireRecord) => readonly ExportRow[];
  /** How many records were left out so far because they do not show what the query asks about. */
  readonly leftOut: () => number;
  /** What a resumed export must know to go on after this page. */
  readonly state?: () => JsonObject;
  /** Whether no more rows can follow. */
  readonly isDone?: () => boolean;
  /** Lines to print in the end. */
  readonly closingLines: () => readonly string[];
}

/** An export that is running. */
export interface ExportRun {
  readonly ctx: Context;
  readonly service: OpenService;
  readonly input: ExportInput;
  readonly job: ExportJob;
  /** The command line that repeats this export, without `paydesk` and the profile. */
  readonly again: readonly string[];
}

interface RowsOfPage extends PageWalked {
  readonly rows: readonly ExportRow[];
}

/** Walks to the end. Throws CliError 'incomplete' if the service does not say whether that is the end. */
export async function* walkRows(
  { ctx, service, job, input }: ExportRun,
  maker: RowMaker,
  { after, before }: Partial<Pick<ExportFile, 'after' | 'before'>> = {},
): AsyncGenerator<RowsOfPage> {
  const how = { ahead: true, maxPerSecond: input['max-rps'], before };
  const query = { limit: input.limit, next: after };
  let last = after;
  for await (const page of longPages(service, job.resource, query, how)) {
    maker.onPage?.(page);
    const leftBefore = maker.leftOut();
    const rows = page.records.flatMap((record) => maker.rowsOf(record));
    last = idOf(page.records.at(-1)) ?? last;
    const odd = page.records.filter(({ value }) => !isCountable(job.resource, value));
    if (odd.length > 0) warnOfOdd(ctx, odd);
    yield {
      rows,
      last,
      read: page.records.length,
      repeated: page.repeated,
      odd: odd.length,
      left: maker.leftOut() - leftBefore,
      ids: page.records.flatMap((record) => idOf(record) ?? []),
      state: maker.state?.() ?? {},
    };
    if (maker.isDone?.() === true) return;
  }
}

function warnOfOdd({ notes }: Context, odd: readonly WireRecord[]): void {
  const [first] = odd;
  const more = odd.length === 1 ? '' : ` and ${odd.length - 1} more`;
  notes.warn(
    `${idOf(first) ?? 'a record without id'}${more}: not as the service documents them; exported as they came`,
  );
}
