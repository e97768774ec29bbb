/** Prints `orders list` and `customers list` page by page, and then the command for the next page. */

import { incomplete, type Page, type PageQuery, type Service, type WireRecord } from '../api/api.ts';
import { idOf, type JsonObject } from '../api/json-values.ts';
import { type Column, type ResourceName, resources } from '../api/resources.ts';
import type { Context } from '../context/context.ts';
import { CliError } from '../errors.ts';
import { flag, listFileFlags } from '../flags/flags.ts';
import { accountSpan, commandLine, type Profile, tallyModes } from '../profiles/profiles.ts';
import type { Cell, ListSink } from '../terminal/terminal.ts';
import { type Walk, type WalkedPage, walkBackwards, walkForwards } from './list-pages.ts';

/** The paging flags of a listed resource (service: Endpoints 2). */
export function pagingFlags(resource: ResourceName) {
  const { one, many } = resources[resource];
  return {
    limit: flag.integer(1, 1000, 'N', `${many} per page`, {
      defaultText: 'as many as the terminal has room for, 20 in a pipe',
    }),
    next: flag.id(resource, 'ID', `the page after this ${one}`, { conflicts: ['previous'] }),
    previous: flag.id(resource, 'ID', `the page before this ${one}`, { conflicts: ['next', 'all', 'max'] }),
    all: flag.switch('read all pages, as --to FILE does without --limit', { conflicts: ['previous', 'max'] }),
    max: flag.integer(1, Number.MAX_SAFE_INTEGER, 'N', `read on until this many ${many} are shown`, {
      conflicts: ['previous', 'all'],
    }),
    ...listFileFlags,
  } as const;
}

export interface Paging extends PageQuery {
  readonly all?: boolean;
  readonly max?: number;
  readonly to?: string;
}

// Somebody who writes a file wants all that matches, not the page that a screen has room for.
function wholeInFile(paging: Paging): Paging {
  const { to, limit, max, previous } = paging;
  return to === undefined || (limit ?? max ?? previous) !== undefined ? paging : { ...paging, all: true };
}

// With a --max below 20, a page has that length too, so paydesk reads no more than it shows. With --all or a filter, pages have the
// service's own length.
function pageLimit({ limit, max, all }: Paging, filtered: boolean, asked: number): number | undefined {
  if (limit !== undefined || filtered || all === true) return limit;
  return max === undefined ? asked : max < 20 ? max : undefined;
}

/** A filter that paydesk applies itself. `words` are its flags, which the command for the next page repeats. */
export interface Filter {
  readonly words: readonly string[];
  readonly accepts: (record: JsonObject) => boolean;
  /** For what only the journal knows: called once with all records of a page that every filter accepts. Returns those that pass. */
  readonly keep?: (records: readonly WireRecord[]) => Promise<readonly WireRecord[]>;
  /** True when few records pass. Pages are then as long as possible. */
  readonly passesFew: boolean;
}

/** The records of a page that pass all filters. `matches`: what else they must show. */
export async function passing(
  filters: readonly Filter[],
  records: readonly WireRecord[],
  matches: (record: JsonObject) => boolean = () => true,
): Promise<readonly WireRecord[]> {
  let passed: readonly WireRecord[] = records.filter(
    ({ value }) => filters.every(({ accepts }) => accepts(value)) && matches(value),
  );
  for (const { keep } of filters) if (keep !== undefined && passed.length > 0) passed = await keep(passed);
  return passed;
}

/** Watches the pages of a walk. It can add columns, end the walk, and print lines at the end. */
export interface WalkObserver {
  /** Columns for what the observer finds out; see `joinColumns`. */
  readonly columns: readonly Column[];
  /** Is called with each page as it was read, before filters. */
  readonly onPage: (page: Page) => void;
  /** Is called before records are shown, so that the observer can look up values for its columns. */
  readonly beforeShown?: (records: readonly WireRecord[]) => Promise<void>;
  readonly onShown: (records: readonly WireRecord[]) => void;
  /** True when no later record can match. */
  readonly isDone: () => boolean;
  /** True when few records match. Pages are then as long as possible. */
  readonly readsLongPages: boolean;
  readonly closingLines: () => Promise<readonly string[]>;
  /** The closing lines that are about these records. */
  readonly linesAbout: (records: readonly WireRecord[]) => readonly string[];
}

/** Adds columns to those of a resource. A column of the same name takes the place of the resource's own. */
export function joinColumns(own: readonly Column[], more: readonly Column[]): readonly Column[] {
  const named = new Map(more.map((column) => [column.name, column]));
  const names = new Set(own.map(({ name }) => name));
  return [
    ...own.map((column) => named.get(column.name) ?? column),
    ...more.filter(({ name }) => !names.has(name)),
  ];
}

/** Prints a list page by page and then, on stderr, the exact command for the next page. */
export async function showList(
  ctx: Context,
  resource: ResourceName,
  asked: Paging,
  filters: readonly Filter[],
  observer?: WalkObserver,
): Promise<undefined> {
  const paging = wholeInFile(asked);
  const service = await ctx.service();
  const tally = { read: 0, shown: 0 };
  const modes = tallyModes(service.profile, resource);
  const words = { filters: filters.flatMap((filter) => filter.words), output: ctx.options.outputWords };
  const length = await pageLength(ctx, {
    closing: closingLines(service.profile, resource, paging, anyPage, words),
    about: (records) => observer?.linesAbout(records) ?? [],
    isLast: paging.previous !== undefined,
  });
  const walk: Walk = {
    query: {
      limit: pageLimit(paging, filters.length > 0, length.asked),
      next: paging.next,
      previous: paging.previous,
    },
    length: paging.limit ?? length.asked,
    all: paging.all === true,
    max: paging.max,
    filter: filters.length === 0 ? undefined : (records) => passing(filters, records),
    readsLongPages: observer?.readsLongPages,
    isDone: observer?.isDone,
    onPage: (page) => {
      tally.read += page.records.length;
      modes.add(page.records.map(({ value }) => value));
      observer?.onPage(page);
    },
  };
  const pages =
    paging.all === true || paging.max !== undefined || filters.length > 0 ? { pages: 'many' as const } : {};
  const sink = ctx.out.list(joinColumns(resources[resource].columns, observer?.columns ?? []), pages);
  const { many } = resources[resource];
  const endProgress = ctx.notes.progress(() =>
    tally.read === 0 ? '' : `${tally.read} ${many} read, ${tally.shown} shown`,
  );
  const show = async (records: readonly WireRecord[]): Promise<void> => {
    await observer?.beforeShown?.(records);
    await sink.page(records);
    tally.shown += records.length;
    observer?.onShown(records);
  };
  const isOnePage = paging.all !== true && paging.max === undefined && paging.limit === undefined;
  const walked = pagesOf(service, resource, walk);
  const read = isOnePage ? fitted(walked, length) : walked;
  const drawn = await draw(sink, read, show).finally(endProgress);
  for (const line of (await observer?.closingLines()) ?? []) ctx.notes.note(line);
  for (const line of modes.lines()) ctx.notes.warn(line);
  for (const line of closingLines(service.profile, resource, paging, drawn, words)) ctx.notes.note(line);
}

async function* pagesOf(service: Service, resource: ResourceName, walk: Walk): AsyncGenerator<WalkedPage> {
  if (walk.query.previous === undefined) yield* walkForwards(service, resource, walk);
  else yield await walkBackwards(service, resource, walk);
}

// Ends the walk where the terminal is full.
async function* fitted(
  pages: AsyncIterable<WalkedPage>,
  length: Awaited<ReturnType<typeof pageLength>>,
): AsyncGenerator<WalkedPage> {
  const shown: WireRecord[] = [];
  for await (const page of pages) {
    const part = await length.fitted(page, shown);
    yield part;
    if (part !== page) return;
    shown.push(...part.records);
  }
}

async function draw(
  sink: ListSink,
  pages: AsyncIterable<WalkedPage>,
  show: (records: readonly WireRecord[]) => Promise<void>,
): Promise<Drawn> {
  let drawn: Drawn = { count: 0, first: undefined, last: undefined, hasMore: false, saysHasMore: true };
  let read = 0;
  try {
    for await (const { records, hasMore, saysHasMore, read: readNow } of pages) {
      await show(records);
      read += readNow;
      drawn = {
        count: drawn.count + records.length,
        first: drawn.first ?? idOf(records[0]),
        last: idOf(records.at(-1)) ?? drawn.last,
        hasMore,
        saysHasMore,
      };
    }
  } catch (error) {
    if (read > 0) await sink.end(true);
    const onwards = drawn.last === undefined ? '' : `, or go on with --next ${drawn.last}`;
    throw incomplete(error, read, `${drawn.count} read; more may exist`, () => [
      `run the command again${onwards}`,
    ]);
  }
  await sink.end(drawn.hasMore);
  if (read === 0 && drawn.hasMore) {
    throw new CliError(
      'incomplete',
      'the list could not be read to its end: the service says there is more, but sends nothing',
      {
        certain: 'nothing was read; more may exist',
        now: ['run the same command again'],
      },
    );
  }
  return drawn;
}

interface Drawn extends Pick<WalkedPage, 'hasMore' | 'saysHasMore'> {
  readonly count: number;
  readonly first: string | undefined;
  readonly last: string | undefined;
}

// As long as the longest id that a page may end with.
const anyId = 'x'.repeat(21);
// The lines under a page are counted before it is read.
const anyPage: Drawn = { count: 20, first: anyId, last: anyId, hasMore: true, saysHasMore: true };

// The lines under a list. Its commands for other pages repeat the flags in `filters` and `output`.
function closingLines(
  profile: Profile,
  resource: ResourceName,
  paging: Paging,
  drawn: Drawn,
  { filters, output }: { readonly filters: readonly string[]; readonly output: readonly string[] },
): readonly Cell[] {
  const { one, many } = resources[resource];
  const account = accountSpan(profile);
  if (drawn.count === 0) return [[`No ${many} ${filters.length > 0 ? 'that match' : 'here'}, `, account]];
  const again = [resource, 'list', ...numberWords('--limit', paging.limit), ...filters, ...output];
  const line = (...words: readonly string[]) => commandLine(profile, ...again, ...words);
  const backwards = paging.previous !== undefined;
  const next = backwards || drawn.hasMore ? drawn.last : undefined;
  const previous = paging.next !== undefined || (backwards && drawn.hasMore) ? drawn.first : undefined;
  const end =
    next === undefined
      ? endOf(drawn, backwards)
      : ` next: ${line(...numberWords('--max', paging.max), '--next', next)}`;
  return [
    [`${drawn.count} ${drawn.count === 1 ? one : many}, `, account, `.${end}`],
    ...(previous === undefined ? [] : [`previous: ${line('--previous', previous)}`]),
  ];
}

function endOf({ hasMore, saysHasMore }: Drawn, backwards: boolean): string {
  if (backwards) return ' There are no more';
  if (!saysHasMore) return ' The service does not say whether there are more';
  return hasMore ? ' There are more, but the last one has no id to go on from' : ' There are no more';
}

function numberWords(name: string, value: number | undefined): readonly string[] {
  return value === undefined ? [] : [name, String(value)];
}

// The length of a page without a terminal, or on one that does not say how high it is.
const usual = 20;
const least = 10;
const most = 50;

/**
 * How many records are asked for, and how many of those that came are shown. `closing`: the lines under every page. `about`: those about the records that are shown. `isLast`: a page that is too long loses
 * records at its start, not at its end.
 */
async function pageLength(
  { out }: Pick<Context, 'out'>,
  {
    closing,
    about,
    isLast,
  }: {
    readonly closing: readonly Cell[];
    readonly about: (records: readonly WireRecord[]) => readonly Cell[];
    readonly isLast: boolean;
  },
) {
  const room = async (under: readonly Cell[]): Promise<number | undefined> => {
    const lines = await out.roomForRows([...closing, ...under]);
    return lines === undefined ? undefined : Math.min(most, Math.max(least, lines));
  };
  const asked = await room([]);
  return {
    asked: asked ?? usual,
    /** The page, shorter if what is said about its records leaves no room for all of them; `shown`: the records above it. */
    async fitted(page: WalkedPage, shown: readonly WireRecord[]) {
      let { records } = page;
      for (;;) {
        const lines = await room(about([...shown, ...records]));
        if (lines === undefined || shown.length + records.length <= lines) break;
        records = isLast ? records.slice(1) : records.slice(0, -1);
      }
      return records.length === page.records.length
        ? page
        : { ...page, records, hasMore: true, saysHasMore: true };
    },
  };
}
