/** How an account is named on every screen, and how commands are written for people to copy. */

import type { Profile } from '../ports.ts';

/** `PRODUCTION shop-mx`, `sandbox test-mx`, `simulator demo`. */
export function accountLabel(profile: Profile): string {
  if (profile.kind === 'demo') return `simulator ${profile.name}`;
  return `${profile.mode === 'production' ? 'PRODUCTION' : 'sandbox'} ${profile.name}`;
}

/** A command line to copy, with the profile where one has to be named: `paydesk -p shop-mx orders list`. */
export function commandLine(profile: Profile, ...words: readonly string[]): string {
  const named = profile.kind === 'environment' ? [] : ['-p', profile.name];
  return ['paydesk', ...named, ...words.map(quoted)].join(' ');
}

// Single quotes for whatever a shell would read in another way.
function quoted(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
