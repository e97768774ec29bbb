/** Rows of an export, page by page, on a walk to the end. */

import type { OpenService, Page, WireRecord } from '../../api/api.ts';
import { type Column, idOf, isCountable, type JsonObject, type ResourceName } from '../../api/spec.ts';
import type { ExportFile, ExportRow, PageWalked } from '../../exports/exports.ts';
import type { Context } from '../command.ts';
import { widePages } from '../walk.ts';
import type { ExportInput } from './export-flags.ts';

/** What is exported. */
export interface ExportJob {
  readonly resource: ResourceName;
  /** What a row is: `orders`, `refunds`. */
  readonly rowsWord: string;
  readonly columns: readonly Column[];
  /** The flags that say what is exported, as they would be typed again. */
  readonly words: readonly string[];
  /** The same for the manifest; times are Unix seconds. */
  readonly query: () => JsonObject;
  /** Makes rows: as asked, or by the query of the first run of an export to a file, from the state where it goes on. */
  readonly rows: (query?: JsonObject, state?: JsonObject) => RowMaker;
}

/** Rows out of records, as their pages come. */
export interface RowMaker {
  /** Each page as it was read, before its rows are asked for. */
  readonly see?: (page: Page) => void;
  /** The rows of a record. Throws CliError 'incomplete' where the record does not show all of them. */
  readonly rowsOf: (record: WireRecord) => readonly ExportRow[];
  /** Records left out so far since they do not show what the query asks about. */
  readonly left: () => number;
  /** What a maker that goes on after this page has to know. */
  readonly state?: () => JsonObject;
  /** Whether no row can follow what was seen. */
  readonly over?: () => boolean;
  /** What there is to say in the end. */
  readonly closing: () => readonly string[];
}

/** An export on its way. */
export interface ExportRun {
  readonly ctx: Context;
  readonly service: OpenService;
  readonly input: ExportInput;
  readonly job: ExportJob;
  /** The words of this export, to be typed again. */
  readonly again: readonly string[];
}

/** A page of the walk as rows, and how far it came. */
interface RowsOfPage extends PageWalked {
  readonly rows: readonly ExportRow[];
}

/** Walks to the end. Throws CliError 'incomplete' where the service does not say whether that is the end. */
export async function* walkRows(
  { ctx, service, job, input }: ExportRun,
  maker: RowMaker,
  { after, before }: Partial<Pick<ExportFile, 'after' | 'before'>> = {},
): AsyncGenerator<RowsOfPage> {
  const how = { ahead: true, maxPerSecond: input['max-rps'], before };
  const query = { limit: input.limit, next: after };
  let last = after;
  for await (const page of widePages(service, job.resource, query, how)) {
    maker.see?.(page);
    const leftBefore = maker.left();
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
      left: maker.left() - leftBefore,
      ids: page.records.flatMap((record) => idOf(record) ?? []),
      state: maker.state?.() ?? {},
    };
    if (maker.over?.() === true) return;
  }
}

function warnOfOdd({ notes }: Context, odd: readonly WireRecord[]): void {
  const [first] = odd;
  const more = odd.length === 1 ? '' : ` and ${odd.length - 1} more`;
  notes.warn(
    `${idOf(first) ?? 'a record without id'}${more}: not as the service documents them; exported as they came`,
  );
}
