/** What is refused, and said, where records are of the other mode than the profile says. Pure. */

import { contradictsMode, type JsonObject } from '../api/spec.ts';
import { CliError } from '../errors.ts';
import type { Profile } from '../profiles/profiles.ts';

/** An order of the wrong mode is refused before anything else is looked at (service: Authentication 5). */
export function checkMode(order: JsonObject, profile: Profile): void {
  if (!contradictsMode(order, profile.mode)) return;
  throw wrongMode(profile, order, {
    certain: 'nothing was sent',
    now: [`paydesk profile check ${profile.name}`],
  });
}

/** The error of a profile that says one mode and holds a key of the other, as an order shows. */
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
