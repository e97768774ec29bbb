/** Reads records for commands: pages to the end of a list, or one record by id. */

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
