/** One record by id, in words: what a command says when the service does not have it or it was not reached. */

import type { Context } from '../commands/command.ts';
import { CliError } from '../errors.ts';
import { accountLabel, commandLine } from '../profiles/account-words.ts';
import type { Service, WireRecord } from './api.ts';
import { type ResourceName, resources } from './spec.ts';

/** A record as it was read, with the neighbour that located it. */
export interface Found {
  readonly record: WireRecord;
  readonly neighbour: string | undefined;
}

/**
 * Reads one order or customer. Throws CliError 'not_found' (5) only after the service's own error or a complete walk;
 * at the bound of a walk 'incomplete' (9), or 'refused' (3) when a change was to follow.
 */
export async function readOne(
  ctx: Context,
  service: Service,
  resource: ResourceName,
  id: string,
  purpose: 'show' | 'change',
): Promise<Found> {
  let read = 0;
  const over = ctx.notes.progress(() =>
    read === 0 ? '' : `looking for ${id}: ${read} ${resources[resource].many} read`,
  );
  try {
    const located = await service.locate(resource, id, {
      progress: (count) => {
        read = count;
      },
    });
    if ('found' in located) return { record: located.found, neighbour: located.neighbour };
    throw 'missing' in located
      ? notFound(service, resource, id)
      : boundReached(service, resource, id, located.read, purpose);
  } finally {
    over();
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
