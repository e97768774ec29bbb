/** Opens the account of a profile: its key, its limits and its client, and what is said once it has answered. */

import { mkdirSync } from 'node:fs';
import { type Client, type KeyGate, openClient, type Pace, proxyFor } from '../api/api.ts';
import type { WhatChanges } from '../commands/commands.ts';
import { tolerableSkewMs } from '../journal/journal-time.ts';
import type { Locks } from '../locks/locks.ts';
import { fingerprint } from '../profiles/key-store.ts';
import type { FileRules, OpenProfile, Profiles } from '../profiles/profiles.ts';
import { refuseUnsafeRuntime } from '../profiles/unsafe-runtime.ts';
import type { Demo } from '../simulator/demo.ts';
import type { Notes } from '../terminal/terminal.ts';
import type { SharedOfRun, StoreChoice } from './choose-store.ts';
import type { Desk } from './desk.ts';
import { type LimitsOf, limited } from './limits-now.ts';
import { type Policy, withPolicy } from './machine/policy.ts';
import type { RunState } from './run-state.ts';
import type { Globals } from './typed/global-options.ts';

/** What it takes to connect to an account. */
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

/**
 * Opens a profile and connects to its account. Throws CliError 'refused' where Node was started in an unsafe way.
 */
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
  // Made only here, so that runs which only print help make no file.
  makeCacheFolder(parts.folders.cache);
  const team = profile.sender === undefined ? undefined : await desk();
  const senderError =
    profile.sender === undefined ? undefined : (await import('../sender/sender.ts')).senderErrorIn;
  let seen: { readonly date: number; readonly wall: number } | undefined;
  const { service, ...client } = await openClient({
    profile,
    key: secret,
    gate: gateOf(parts),
    version,
    timeoutMs: globals.timeoutMs,
    clock,
    random: Math.random,
    signal,
    leave: parts.stop.leave,
    pace,
    // Handed on as it is: a copy of a Request no longer hears that the first one was aborted once Node has collected that.
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
      // Few commands need it, and Node takes 5 ms to load what makes it.
      get keyFingerprint() {
        return fingerprint(secret);
      },
    },
  };
}

// What a reply shows of persons is known before anything else sees it.
function gateOf({ secrets, redaction, globals }: AccountParts): KeyGate {
  return {
    clean: (text) => secrets.clean(text),
    cleanBody(received) {
      const body = secrets.cleanBody(received);
      if (redaction.isOn() || globals.debug) redaction.learnBody(body);
      return body;
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

// If the folder cannot be made, every start is a little slower, but nothing else goes wrong.
function makeCacheFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    return;
  }
}
