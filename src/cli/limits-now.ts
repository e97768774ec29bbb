/** The limits that hold for an account now, by its journal and by the policy of the machine: they may change while a command runs. */

import type { Client, OpenService } from '../api/api.ts';
import { isObject } from '../api/json-values.ts';
import { CliError, refused } from '../errors.ts';
import type { Clock, Io } from '../io.ts';
import { type Journal, marksOfService, textsOf } from '../journal/journal.ts';
import { fingerprint } from '../profiles/key-store.ts';
import { withLimits } from '../profiles/limits.ts';
import type { Profile, SettingTexts } from '../profiles/profiles.ts';
import { limitsUnder, type Policy, refuseByPolicy, refuseCommand } from './machine/policy.ts';

/** Who knows them. */
interface LimitParts {
  readonly clock: Clock;
  readonly policy: () => Promise<Policy>;
  /** The words of the command of this run. */
  readonly words: readonly string[];
  readonly io: Pick<Io, 'env'>;
}

/** What a run asks of them: the limits of an account, and CliError 'refused' for a change that the policy does not allow now. */
export function limitsNow({ policy, clock, words, io }: LimitParts, journal: () => Journal) {
  const limitsOf: LimitsOf = async (service) =>
    limitsUnder(await policy(), service.profile, textsOf(await journal().limits(marksOfService(service))));
  // By the clock of the service, once it has said what time it is. `typed`: the command of a desk, in words, if this run is its sender.
  const refuseNow = async (
    { profile, seenDate }: Pick<OpenService, 'profile' | 'seenDate'>,
    typed: readonly string[] = words,
  ) => {
    const now = await policy();
    for (const line of [words, typed]) refuseCommand(now, line, io.env);
    refuseByPolicy(now, profile, seenDate?.()?.date ?? clock.now());
  };
  return { limitsOf, refuseNow };
}

/** Asks the journal and the policy for the limits of an account, as texts. */
export type LimitsOf = (
  service: Pick<Client['service'], 'profile' | 'keyFingerprint'>,
) => Promise<SettingTexts>;

/** Throws CliError 'refused' if somebody set a limit of the account after this run read them. */
export async function refuseOtherLimits({ service }: Client, limitsOf: LimitsOf): Promise<void> {
  const now = withLimits(service.profile, await limitsOf(service));
  if (inOneForm(now.settings) === inOneForm(service.profile.settings)) return;
  throw refused(
    'somebody set a limit of this account since this command read them',
    ['run the command again'],
    'limits_changed',
  );
}

// The same limits may have been set in another order.
function inOneForm(settings: Profile['settings']): string {
  return JSON.stringify(settings, (_key, one: unknown) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1))) : one,
  );
}

/** A profile with the limits of its account. If the journal cannot be read, a look goes on without them: no change is made then. */
export async function limited(profile: Profile, secret: string, limitsOf: LimitsOf): Promise<Profile> {
  const service = {
    profile,
    get keyFingerprint() {
      return fingerprint(secret);
    },
  };
  try {
    return withLimits(profile, await limitsOf(service));
  } catch (error) {
    // A sender that does not answer, or does not let this desk in, answers no read either.
    if (!(error instanceof CliError) || error.kind === 'auth' || error.kind === 'network') throw error;
    return profile;
  }
}
