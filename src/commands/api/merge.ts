/** `api GET … --paginate`: the pages of a documented list as one (service: Endpoints 2). */

import { type ResourceName, resourceNames, resources } from '../../api/spec.ts';
import type { Context } from '../command.ts';
import { recordId, usage } from '../command.ts';
import { showList } from '../listing.ts';
import type { Paging } from '../paging.ts';

/** Walks the list that a path asks for, to its end. Throws CliError 'usage' for what is no documented list. */
export function mergeLists(ctx: Context, path: string): Promise<undefined> {
  const [name = ''] = path.split('?');
  const resource = resourceNames.find((one) => resources[one].path === name);
  if (resource === undefined)
    throw usage(`--paginate ${name}: only ${resourceNames.join(' and ')} are lists`);
  const query = new URLSearchParams(path.slice(name.length));
  return showList(ctx, resource, { ...pagingOf(resource, query), all: true }, []);
}

function pagingOf(resource: ResourceName, query: URLSearchParams): Paging {
  const unknown = [...query.keys()].find((key) => key !== 'limit' && key !== 'next');
  if (unknown !== undefined) throw usage(`--paginate takes limit and next, not ${unknown}`);
  const limit = query.get('limit');
  const next = query.get('next');
  if (limit !== null && !/^[1-9][0-9]{0,3}$/.test(limit)) throw usage(`limit ${limit}: not a page size`);
  return {
    ...(limit === null ? {} : { limit: Number(limit) }),
    ...(next === null ? {} : { next: recordId(resource, next, 'next') }),
  };
}
