/** How screens name an account, write commands to be copied, and say that a record is of the wrong mode. Pure. */

import { contradictsMode, type JsonObject } from '../api/spec.ts';
import { CliError } from '../errors.ts';
import type { Profile } from './profiles.ts';

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

/**
 * A command line to copy. It names the profile, unless that is `environment`:
 * `paydesk -p shop-mx orders list`.
 */
export function commandLine(profile: Pick<Profile, 'kind' | 'name'>, ...words: readonly string[]): string {
  const named = profile.kind === 'environment' ? [] : ['-p', profile.name];
  return ['paydesk', ...named, ...words.map(quoted)].join(' ');
}

// In single quotes if a shell would change it.
function quoted(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Throws CliError 'refused' for an order of the other mode than the profile says (service: Authentication 5). */
export function checkMode(order: JsonObject, profile: Profile): void {
  if (!contradictsMode(order, profile.mode)) return;
  throw wrongMode(profile, order, {
    certain: 'nothing was sent',
    now: [`paydesk profile check ${profile.name}`],
  });
}

/** The error of a profile whose key is of the other mode, as the order shows. */
export function wrongMode(
  profile: Profile,
  { id, livemode }: JsonObject,
  { certain, now }: { readonly certain: string; readonly now: readonly string[] },
): CliError {
  const [kind, other] = livemode === true ? ['production', 'practice'] : ['sandbox', 'real money'];
  const name = typeof id === 'string' && id !== '' ? id : 'an order';
  return new CliError('refused', contradiction(profile, `${name} is`), {
    certain,
    now: [`this profile holds a ${kind} key; do not use it for ${other}:`, ...now],
  });
}

/** The warning under a list with records of the other mode. */
export function otherModeLine(profile: Profile): string {
  return `${contradiction(profile, 'these records are')}: paydesk profile check ${profile.name}`;
}

function contradiction({ name, mode }: Profile, subject: string): string {
  const what = mode === 'sandbox' ? 'real money (livemode true)' : 'practice (livemode false)';
  return `profile ${name} says ${mode}, but ${subject} ${what}`;
}
