/**
 * Walks through pages for lists, searches and exports, with filters, with --max or backwards; and the flags of a search.
 * api/page-walk.ts fetches the pages.
 */

import { longPages, type Page, type PageQuery, type Service, type WireRecord } from '../api/api.ts';
import type { ResourceName } from '../api/resources.ts';
import type { Context } from '../context/context.ts';
import { CliError } from '../errors.ts';
import { flag, listFileFlags } from '../flags/flags.ts';
import { commandLine, flagWords, type Profile } from '../profiles/profiles.ts';

/**
 * How far to read: one page, or with a filter until a page is full of matches; everything with `all`; or up to `max` records.
 */
export interface Walk {
  readonly query: PageQuery;
  readonly length: number;
  readonly all: boolean;
  readonly max: number | undefined;
  /** Returns those records of a page that match. */
  readonly filter: ((records: readonly WireRecord[]) => Promise<readonly WireRecord[]>) | undefined;
  /** Whether to ask for the longest pages that the service gives, unless there is a `limit`. */
  readonly readsLongPages?: boolean | undefined;
  /** Is called with each page as it was read. */
  readonly onPage?: ((page: Page) => void) | undefined;
  /** True when no later record can match. */
  readonly isDone?: (() => boolean) | undefined;
}

/** A page of matches. `read`: how many records were read for it. */
export interface WalkedPage extends Pick<Page, 'records' | 'hasMore' | 'saysHasMore'> {
  readonly read: number;
}

/** Walks forwards and yields matches as pages arrive. The last one says whether more may follow. */
export async function* walkForwards(
  service: Service,
  resource: ResourceName,
  walk: Walk,
): AsyncGenerator<WalkedPage> {
  let wanted = wantedRecords(walk);
  const pages =
    walk.readsLongPages === true
      ? longPages(service, resource, walk.query)
      : service.pages(resource, walk.query);
  for await (const page of pages) {
    walk.onPage?.(page);
    const isDone = walk.isDone?.() === true;
    const matches = await matching(page, walk);
    const records = matches.slice(0, wanted);
    wanted -= records.length;
    const done = isDone || wanted <= 0 || (walk.filter === undefined && !walk.all && walk.max === undefined);
    const hasMore = (page.hasMore && !isDone) || matches.length > records.length;
    yield { records, hasMore, saysHasMore: page.saysHasMore || hasMore, read: page.records.length };
    if (done) return;
  }
}

/** Reads one page of matches before `previous`, in the order of the list. Keeps only that page in memory. */
export async function walkBackwards(
  service: Service,
  resource: ResourceName,
  walk: Walk,
): Promise<WalkedPage> {
  const wanted = walk.length;
  let records: readonly WireRecord[] = [];
  let read = 0;
  let hasMore = false;
  let saysHasMore = true;
  for await (const page of service.pages(resource, walk.query)) {
    walk.onPage?.(page);
    const matches = [...(await matching(page, walk)), ...records];
    records = walk.filter === undefined ? matches : matches.slice(-wanted);
    read += page.records.length;
    hasMore = page.hasMore || matches.length > records.length;
    saysHasMore = page.saysHasMore || hasMore;
    if (walk.filter === undefined || records.length >= wanted) break;
  }
  return { records, hasMore, saysHasMore, read };
}

function wantedRecords({ all, max, filter, length }: Walk): number {
  if (max !== undefined) return max;
  return all || filter === undefined ? Number.POSITIVE_INFINITY : length;
}

async function matching({ records }: Page, { filter }: Walk): Promise<readonly WireRecord[]> {
  return filter === undefined ? records : await filter(records);
}

/** A page cut down to `most` records. */
export function upTo(page: Page, most: number): Page {
  return {
    ...page,
    records: page.records.slice(0, most),
    hasMore: page.hasMore || page.records.length > most,
  };
}

/** Whether an error in the middle of a walk makes it incomplete. A refused key and Ctrl-C do not. */
export function brokeOff({ kind }: CliError): boolean {
  return ['network', 'reply', 'rejected', 'not_found'].includes(kind);
}

/**
 * The error of a walk that broke off in the middle; the error itself if nothing was read, or if it does not make the walk
 * incomplete. `certain`: what was read; `now`: how to go on.
 */
export function incomplete(
  error: unknown,
  read: number,
  certain: string,
  now: (error: CliError) => readonly string[],
): unknown {
  if (read === 0 || !(error instanceof CliError) || !brokeOff(error)) return error;
  return new CliError('incomplete', error.message, {
    ...error.parts,
    certain,
    now: now(error),
    cause: error,
  });
}

/** How many records a search reads without --max. */
export const searchMax = 5_000;

/** Whether whoever searches does not see personal data, and could spell it out by searches. */
export function isBlind({ agent, redaction }: Context): boolean {
  return agent !== undefined && redaction.isOn();
}

/** The words of a search, as an argument. */
export function textArgument<const R extends boolean>(required: R) {
  return {
    name: 'text',
    summary: 'words to look for; put quotes around a name or phone number to keep its words together',
    required,
    variadic: true,
    parse: (text: string): string => text,
  } as const;
}

/** How far a search of customers or orders goes. */
export function searchFlags(resource: ResourceName) {
  const many = (summary: string) => flag.integer(1, Number.MAX_SAFE_INTEGER, 'N', summary);
  return {
    ...listFileFlags,
    max: { ...many(`read at most this many ${resource}`), defaultText: String(searchMax) },
    next: flag.id(resource, 'ID', `start the search after this ${resource.slice(0, -1)}`),
    limit: many(`show at most this many ${resource}`),
    'page-size': flag.integer(1, 1000, 'N', `ask for this many ${resource} at once`, {
      defaultText: 'as many as the service gives',
    }),
  } as const;
}

/** The typed values of these flags. */
export interface SearchPaging {
  readonly max?: number | undefined;
  readonly limit?: number | undefined;
  readonly 'page-size'?: number | undefined;
  readonly next?: string | undefined;
}

/** The command that searches for the same texts with these options, from `next` on. */
export function searchCommand(
  profile: Profile,
  resource: ResourceName,
  texts: readonly string[],
  { max, limit, 'page-size': size, next }: SearchPaging,
  [before, behind]: readonly [before: readonly string[], behind: readonly string[]] = [[], []],
): string {
  const paging = flagWords({ max, limit, 'page-size': size });
  const options = [...before, ...paging, ...behind, ...flagWords({ next })];
  // A text that begins like an option must come after `--`.
  const dashed = texts.some((text) => text.startsWith('-'));
  const words = dashed ? [...options, '--', ...texts] : [...texts, ...options];
  return commandLine(profile, resource, 'find', ...words);
}
