/** `locate` for commands: the same, with the words for a record that does not exist or was not reached. */

import { CliError } from '../errors.ts';
import { accountLabel, commandLine } from '../profiles/profiles.ts';
import type { Notes } from '../terminal/terminal.ts';
import type { Service, WireRecord } from './api.ts';
import { type ResourceName, resources } from './resources.ts';

/**
 * Reads one order or customer; `neighbour` is the id before it in its list, if that is known. Throws CliError 'not_found' only after the service's own error or a complete walk. If a walk
 * ends at its bound: 'incomplete', or 'refused' if a change was to follow.
 */
export async function readOne(
  { notes }: { readonly notes: Pick<Notes, 'progress'> },
  service: Service,
  resource: ResourceName,
  id: string,
  purpose: 'show' | 'change',
  neighbour?: string,
): Promise<WireRecord> {
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
}

function notFound(service: Service, resource: ResourceName, id: string): CliError {
  return new CliError(
    'not_found',
    `${accountLabel(service.profile)} has no ${resources[resource].one} ${id}`,
    {
      certain: 'nothing was changed',
      now: ['check the id, or the profile:', commandLine(service.profile, resource, 'list')],
    },
  );
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
      certain: `${read} ${many} were read; there may be more${purpose === 'change' ? '; nothing was sent' : ''}`,
      now: [commandLine(service.profile, resource, 'list', '--all')],
    },
  );
}
