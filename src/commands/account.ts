/** How an account is named on every screen, and how commands are written for people to copy. */

import type { Profile } from '../profiles/profiles.ts';

/** `PRODUCTION shop-mx`, `sandbox test-mx`, `simulator demo`. */
export function accountLabel(profile: Profile): string {
  return `${modeWord(profile)} ${profile.name}`;
}

/** A question, with whose money it is about: `[PRODUCTION] Which order?` */
export function aboutMoney(profile: Profile, question: string): string {
  return `[${modeWord(profile)}] ${question}`;
}

function modeWord({ kind, mode }: Profile): string {
  if (kind === 'demo') return 'simulator';
  return mode === 'production' ? 'PRODUCTION' : 'sandbox';
}

/** A command line to copy, with the profile where one has to be named: `paydesk -p shop-mx orders list`. */
export function commandLine(profile: Pick<Profile, 'kind' | 'name'>, ...words: readonly string[]): string {
  const named = profile.kind === 'environment' ? [] : ['-p', profile.name];
  return ['paydesk', ...named, ...words.map(quoted)].join(' ');
}

// Single quotes for whatever a shell would read in another way.
function quoted(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
