/** The NAME of the profile commands. Where it may be left out it stands for -p NAME, and wins over it. */

import type { Completer } from '../command.ts';

const offerProfiles: Completer = (_typed, known) => known.profiles();

/** The argument itself. */
export function nameArgument<const R extends boolean>(required: R) {
  return {
    name: 'name',
    summary: required ? 'name of the profile' : 'name of the profile, the same as -p NAME',
    required,
    offers: offerProfiles,
    parse: (text: string): string => text,
  } as const;
}
