/** What is typed for a search of customers or orders, and the command that goes on with it. */

import type { ResourceName } from '../api/resources.ts';
import type { Context } from '../context/context.ts';
import { flag, listFileFlags } from '../flags/flags.ts';
import { commandLine, flagWords, type Profile } from '../profiles/profiles.ts';

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
