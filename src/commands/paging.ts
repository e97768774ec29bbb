/** A list by pages: the flags that say which, and the exact commands for those beside it. */

import type { PageQuery } from '../api/api.ts';
import { type ResourceName, resources } from '../api/spec.ts';
import type { Profile } from '../profiles/profiles.ts';
import { accountLabel, commandLine } from './account.ts';
import { flag } from './command.ts';

/** The paging flags of a listed resource (service: Endpoints 2). */
export function pagingFlags(resource: ResourceName) {
  const { one, many } = resources[resource];
  return {
    limit: flag.integer(1, 1000, {
      value: 'N',
      summary: `${many} a page`,
      defaultText: "the service's",
    }),
    next: flag.id(resource, { value: 'ID', summary: `the page after this ${one}`, conflicts: ['previous'] }),
    previous: flag.id(resource, {
      value: 'ID',
      summary: `the page before this ${one}`,
      conflicts: ['next', 'all', 'max'],
    }),
    all: flag.switch({ summary: 'walk on to the end', conflicts: ['previous', 'max'] }),
    max: flag.integer(1, Number.MAX_SAFE_INTEGER, {
      value: 'N',
      summary: `walk on until so many ${many}`,
      conflicts: ['previous', 'all'],
    }),
  } as const;
}

/** The paging flags as given. */
export interface Paging extends PageQuery {
  readonly all?: boolean;
  readonly max?: number;
}

/** The `limit` to ask for: never more than will be shown; 20 is the shortest page worth its request. */
export function pageLimit({ limit, max }: Paging, filtered: boolean): number | undefined {
  return limit ?? (max !== undefined && max < 20 && !filtered ? max : undefined);
}

/** What was drawn of a list: how many records, the first and last id, and whether more follow. */
export interface Drawn {
  readonly count: number;
  readonly first: string | undefined;
  readonly last: string | undefined;
  readonly hasMore: boolean;
  readonly saysHasMore: boolean;
}

/** What is said under a list. `filters` and `output` are the words that say them again. */
export function closingLines(
  profile: Profile,
  resource: ResourceName,
  paging: Paging,
  drawn: Drawn,
  { filters, output }: { readonly filters: readonly string[]; readonly output: readonly string[] },
): readonly string[] {
  const { one, many } = resources[resource];
  const label = accountLabel(profile);
  if (drawn.count === 0) return [`No ${many} ${filters.length > 0 ? 'that match' : 'here'}, ${label}`];
  const again = [resource, 'list', ...numberWords('--limit', paging.limit), ...filters, ...output];
  const line = (...words: readonly string[]) => commandLine(profile, ...again, ...words);
  const backwards = paging.previous !== undefined;
  const next = backwards || drawn.hasMore ? drawn.last : undefined;
  const previous = paging.next !== undefined || (backwards && drawn.hasMore) ? drawn.first : undefined;
  const head = `${drawn.count} ${drawn.count === 1 ? one : many}, ${label}.`;
  return [
    `${head}${next === undefined ? endOf(drawn, backwards) : ` next: ${line(...numberWords('--max', paging.max), '--next', next)}`}`,
    ...(previous === undefined ? [] : [`previous: ${line('--previous', previous)}`]),
  ];
}

function endOf({ hasMore, saysHasMore }: Drawn, backwards: boolean): string {
  if (backwards) return ' No more follow';
  if (!saysHasMore) return ' The service does not say whether more follow';
  return hasMore ? ' More follow, but the last one has no id to go on from' : ' No more follow';
}

function numberWords(name: string, value: number | undefined): readonly string[] {
  return value === undefined ? [] : [name, String(value)];
}
