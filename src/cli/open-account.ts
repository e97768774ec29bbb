/**
 * Opens the account of a profile: reads its key and its limits, makes its client, and warns if the clock of the service differs
 * too much from this machine's.
 */

import { mkdirSync } from 'node:fs';
import { type Client, type OpenService, openClient, type Pace, proxyFor } from '../api/api.ts';
import { isObject } from '../api/json-values.ts';
import type { WhatChanges } from '../commands/commands.ts';
import { CliError, orUndefined, refused } from '../errors.ts';
import type { Clock, Io } from '../io.ts';
import { type Journal, marksOfService, textsOf } from '../journal/journal.ts';
import { tolerableSkewMs } from '../journal/journal-time.ts';
import type { Locks } from '../locks/locks.ts';
import { fingerprint } from '../profiles/key-store.ts';
import { withLimits } from '../profiles/limits.ts';
import type { FileRules, OpenProfile, Profile, Profiles, SettingTexts } from '../profiles/profiles.ts';
import { refuseUnsafeRuntime } from '../profiles/unsafe-runtime.ts';
import type { Demo } from '../simulator/demo.ts';
import type { Notes } from '../terminal/terminal.ts';
import type { SharedOfRun, StoreChoice } from './choose-store.ts';
import type { Desk } from './desk.ts';
import { limitsUnder, type Policy, refuseByPolicy, refuseCommand, withPolicy } from './machine/policy.ts';
import type { RunState } from './run-state.ts';
import type { Globals } from './typed/global-options.ts';

/** What is needed to connect to an account. */
export interface AccountParts extends RunState {
  readonly globals: Globals;
  /** The words of the command of this run, and what it can change. */
  readonly words: readonly string[];
  readonly changes: WhatChanges | undefined;
  readonly profiles: Profiles;
  readonly locks: Locks;
  readonly notes: Notes;
  readonly operator: string;
  /** A time for messages (Unix milliseconds), in the zone of the run. */
  readonly shortTime: (ms: number) => string;
  readonly demo: () => Promise<Demo>;
  readonly shared: SharedOfRun;
  /** Where the journal of this machine is, and how its files are opened. */
  readonly journalFiles: StoreChoice;
  /** Who must own this user's own files. */
  readonly rules: FileRules;
  /** Reads the policy of this machine. */
  readonly policy: () => Promise<Policy>;
}

/** Opens a profile and connects to its account. Throws CliError 'refused' where Node was started in an unsafe way. */
export async function openAccount(
  parts: AccountParts,
  openProfile: () => Promise<OpenProfile>,
  {
    pace,
    desk,
    limitsOf,
  }: {
    readonly pace: Pace;
    readonly desk: () => Promise<Desk | undefined>;
    readonly limitsOf: LimitsOf;
  },
): Promise<Client> {
  const { io, version, globals, clock, signal } = parts;
  const opened = await openProfile();
  refuseUnsafeRuntime({ env: io.env, execArgv: io.execArgv, mode: opened.profile.mode });
  const secret = await opened.key();
  parts.setProfile(opened.profile);
  const profile = withPolicy(await parts.policy(), await limited(opened.profile, secret, limitsOf));
  parts.setProfile(profile);
  const demo = profile.kind === 'demo' ? await parts.demo() : undefined;
  // The folder of the cache is made only here, so that runs which only print help make no file. Without it, every start is a little
  // slower.
  orUndefined(() => mkdirSync(parts.folders.cache, { recursive: true, mode: 0o700 }));
  const team = profile.sender === undefined ? undefined : await desk();
  const senderError =
    profile.sender === undefined ? undefined : (await import('../sender/sender.ts')).senderErrorIn;
  let seen: { readonly date: number; readonly wall: number } | undefined;
  const { service, ...client } = await openClient({
    profile,
    key: secret,
    // The personal data in a reply is learned before anything else sees the reply.
    gate: {
      clean: (text) => parts.secrets.clean(text),
      cleanBody(received) {
        const body = parts.secrets.cleanBody(received);
        if (parts.redaction.isOn() || parts.globals.debug) parts.redaction.learnBody(body);
        return body;
      },
    },
    version,
    timeoutMs: globals.timeoutMs,
    clock,
    random: Math.random,
    signal,
    leave: parts.stop.leave,
    pace,
    // Used without a wrapper: the copy of a Request no longer notices that the first Request was aborted, once Node has collected
    // the first one.
    inProcess: demo?.fetch,
    transport: team !== undefined && team.sender === profile.sender?.origin ? team.transport : undefined,
    machine: profile.sender === undefined ? undefined : io.machineName(),
    senderError,
    proxy: demo === undefined ? proxyFor(profile.baseUrl, io.env) : undefined,
    keepHeapSmall: io.keepHeapSmall,
    debug: globals.debug ? (line) => parts.notes.warn(line) : undefined,
    onDate: (date) => {
      const wall = clock.now();
      const words = seen === undefined ? skewWords(wall - date) : undefined;
      if (words !== undefined) parts.notes.note(words);
      seen = { date, wall };
    },
  });
  return {
    ...client,
    service: {
      ...service,
      seenDate: () => seen,
      // Few commands need the fingerprint, and Node takes 5 ms to load what makes it.
      get keyFingerprint() {
        return fingerprint(secret);
      },
    },
  };
}

// A warning if this machine's clock is too far from the service's.
function skewWords(aheadMs: number): string | undefined {
  const minutes = Math.floor(Math.abs(aheadMs) / 60_000);
  if (Math.abs(aheadMs) <= tolerableSkewMs) return undefined;
  const way = aheadMs > 0 ? 'ahead of' : 'behind';
  return `this machine's clock is ${minutes} min ${way} the service's: times may be off, and unconfirmed changes stay unconfirmed for longer`;
}

/** What is needed to find the limits that apply now. */
interface LimitParts {
  readonly clock: Clock;
  readonly policy: () => Promise<Policy>;
  /** The words of the command of this run. */
  readonly words: readonly string[];
  readonly io: Pick<Io, 'env'>;
}

/**
 * Returns two functions: one for the limits of an account, and one that throws CliError 'refused' for a change that the policy
 * does not allow now.
 */
export function limitsNow({ policy, clock, words, io }: LimitParts, journal: () => Journal) {
  const limitsOf: LimitsOf = async (service) =>
    limitsUnder(await policy(), service.profile, textsOf(await journal().limits(marksOfService(service))));
  // Uses the clock of the service, once a reply has shown what time it is. `typed`: the command of a desk, in words, if this run is
  // its sender.
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
type LimitsOf = (service: Pick<Client['service'], 'profile' | 'keyFingerprint'>) => Promise<SettingTexts>;

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

/**
 * A profile with the limits of its account. If the journal cannot be read, commands that only read go on without them, and no
 * change is made.
 */
async function limited(profile: Profile, secret: string, limitsOf: LimitsOf): Promise<Profile> {
  const service = {
    profile,
    get keyFingerprint() {
      return fingerprint(secret);
    },
  };
  try {
    return withLimits(profile, await limitsOf(service));
  } catch (error) {
    // A sender that does not answer, or does not let this desk in, would not answer reads either.
    if (!(error instanceof CliError) || error.kind === 'auth' || error.kind === 'network') throw error;
    return profile;
  }
}
