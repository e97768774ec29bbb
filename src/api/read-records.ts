/** Reads records for commands: the longest pages, up to a number or until they break off, or one record by its id. */

import { about, CliError } from '../errors.ts';
import { accountLabel, commandLine } from '../profiles/profiles.ts';
import type { Notes } from '../terminal/terminal.ts';
import type { Page, PageQuery, PagesHow, Service, WireRecord } from './api.ts';
import { type ResourceName, resources } from './resources.ts';

// Assumed: the service's largest page. If it refuses, its default is used.
const longPageLength = 250;

/** Reads the service's longest pages, unless the query has a limit. */
export async function* longPages(
  service: Service,
  resource: ResourceName,
  query: PageQuery,
  how: PagesHow = {},
): AsyncGenerator<Page> {
  let read = 0;
  try {
    for await (const page of service.pages(
      resource,
      { ...query, limit: query.limit ?? longPageLength },
      how,
    )) {
      read += 1;
      yield page;
    }
  } catch (error) {
    const tooLong = read === 0 && query.limit === undefined;
    if (!tooLong || !(error instanceof CliError) || error.kind !== 'rejected') throw error;
    yield* service.pages(resource, query, how);
  }
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

/**
 * Reads one order or customer for a command. Throws CliError 'not_found' only if it is certainly missing. If the search stopped at
 * its limit, throws 'incomplete', or 'refused' before a change.
 */
export function readOne(
  { notes }: { readonly notes: Pick<Notes, 'progress'> },
  service: Service,
  resource: ResourceName,
  id: string,
  purpose: 'show' | 'change',
  neighbour?: string,
): Promise<WireRecord> {
  const subject = resource === 'orders' ? { orderId: id } : {};
  return about(subject, async () => {
    let read = 0;
    const endProgress = notes.progress(() =>
      read === 0 ? '' : `looking for ${id}: ${read} ${resources[resource].many} read`,
    );
    try {
      const located = await service.locate(resource, id, {
        neighbour,
        progress: (count) => {
          read = count;
        },
      });
      if ('found' in located) return located.found;
      throw 'missing' in located
        ? notFound(service, resource, id)
        : boundReached(service, resource, id, located.read, purpose);
    } finally {
      endProgress();
    }
  });
}

function notFound(service: Service, resource: ResourceName, id: string): CliError {
  const { one, idExample } = resources[resource];
  // A shorter id was probably cut off in copying, and a search finds it by that part; a word such as `ord_none` is no part of one.
  const isCut = resource === 'orders' && id.length < idExample.length && /[0-9A-Z]/.test(id);
  return new CliError('not_found', `${accountLabel(service.profile)} has no ${one} ${id}`, {
    certain: 'nothing was changed',
    now: [
      'check the id, or the profile:',
      commandLine(service.profile, resource, ...(isCut ? ['find', id] : ['list'])),
    ],
  });
}

function boundReached(
  service: Service,
  resource: ResourceName,
  id: string,
  read: number,
  purpose: 'show' | 'change',
): CliError {
  const { many } = resources[resource];
  return new CliError(
    purpose === 'show' ? 'incomplete' : 'refused',
    `${id} is not among the newest ${read} ${many}`,
    {
      read: `${read} ${many} were read; there may be more`,
      now: [commandLine(service.profile, resource, 'list', '--all')],
    },
  );
}
