/** Connects a run to the account of a profile: with a client for reads, and with the journal, through which all changes go. */

import { mkdirSync } from 'node:fs';
import {
  type Client,
  createPace,
  type KeyGate,
  type OpenService,
  openClient,
  type Pace,
  proxyFor,
} from '../api/api.ts';
import { isObject } from '../api/spec.ts';
import type { WhatChanges } from '../commands/commands.ts';
import type { Context } from '../context/context.ts';
import { CliError } from '../errors.ts';
import type { ClockWithTimers, Io } from '../io.ts';
import { type Journal, type JournalStore, marksOfService, newChangeId, textsOf } from '../journal/journal.ts';
import { tolerableSkewMs } from '../journal/journal-time.ts';
import { openJournal } from '../journal/open-journal.ts';
import type { Locks } from '../locks/locks.ts';
import { fingerprint } from '../profiles/key-store.ts';
import { withLimits } from '../profiles/limits.ts';
import type { FileRules, OpenProfile, Profile, Profiles, SettingTexts } from '../profiles/profiles.ts';
import { refuseUnsafeRuntime } from '../profiles/unsafe-runtime.ts';
import type { Demo } from '../simulator/demo.ts';
import type { Notes, Redaction, Secrets } from '../terminal/terminal.ts';
import { refuseAgent } from './agent/agent.ts';
import { localJournal, type SharedOfRun, type StoreChoice, storeOfRun } from './choose-store.ts';
import type { Desk, DeskOfRun } from './desk.ts';
import type { Globals } from './global-options.ts';
import type { JournalPlace } from './machine/journal-place.ts';
import { limitsUnder, type Policy, refuseByPolicy } from './machine/policy.ts';
import type { Stop } from './stop.ts';
import type { WhatWasSent } from './what-was-sent.ts';

/** What it takes to connect to an account. */
export interface AccountParts {
  readonly io: Io;
  readonly version: string;
  readonly globals: Globals;
  readonly clock: ClockWithTimers;
  readonly signal: AbortSignal;
  readonly stop: Stop;
  readonly whatWasSent: WhatWasSent;
  /** What the command of this run can change. */
  readonly changes: WhatChanges | undefined;
  readonly secrets: Secrets;
  readonly redaction: Redaction;
  readonly profiles: Profiles;
  readonly locks: Locks;
  readonly notes: Notes;
  readonly operator: string;
  /** A time for messages (Unix milliseconds), in the zone of the run. */
  readonly shortTime: (ms: number) => string;
  /** The time zone of the run; undefined: that of the machine. */
  readonly zone: () => string | undefined;
  readonly demo: () => Promise<Demo>;
  /** Where Node keeps compiled code. The folder is made when an account is opened: runs that only print help make no file. */
  readonly cacheFolder: string;
  readonly stateFolder: string;
  readonly journalPlace: JournalPlace;
  readonly shared: SharedOfRun;
  /** Where the journal of this machine is, and how its files are opened. */
  readonly journalFiles: StoreChoice;
  /** Who must own this user's own files. */
  readonly rules: FileRules;
  /** Reads the policy of this machine. */
  readonly policy: () => Promise<Policy>;
  /** Masks a secret from now on. */
  readonly learnKey: (secret: string) => void;
  /** Called with the profile once it is open: its settings say how times and amounts are shown. */
  readonly setProfile: (profile: Profile) => void;
}

/** The functions of an account that a command gets in its context. */
export interface Account
  extends Pick<
    Context,
    'service' | 'draftService' | 'change' | 'journal' | 'useProfileOf' | 'sender' | 'planSender'
  > {
  /** Closes the connections, and the files of the journal. */
  close(): void;
}

/** Connects a run to its account. A profile is opened when it is first needed. */
export function createAccount(parts: AccountParts): Account {
  const { profiles, globals } = parts;
  const { recording, sending } = parts.whatWasSent;
  const clients = new Map<string, Promise<Client>>();
  const openClients: Client[] = [];
  // One pace for all clients, because a change may have another client than the command.
  const pace = createPace(parts.clock);
  const limitsOf: LimitsOf = async (service) =>
    limitsUnder(
      await parts.policy(),
      service.profile,
      textsOf(await opened.journal.limits(marksOfService(service))),
    );
  // By the clock of the service, once it has said what time it is.
  const refuseNow = async ({ profile, seenDate }: Pick<OpenService, 'profile' | 'seenDate'>) =>
    refuseByPolicy(await parts.policy(), profile, seenDate?.()?.date ?? parts.clock.now());
  const openWith = async (openProfile: () => Promise<OpenProfile>): Promise<Client> => {
    const client = await openAccount(parts, openProfile, { pace, desk, limitsOf });
    openClients.push(client);
    return client;
  };
  // The profile of the run, where a plan says which one that is.
  let ofPlan: string | undefined;
  const open = (name = ofPlan ?? ''): Promise<Client> => {
    const client = clients.get(name) ?? openWith(() => profiles.open(name === '' ? undefined : name));
    clients.set(name, client);
    return client;
  };
  const { shared } = parts;
  const local = localJournal(parts.journalFiles);
  const desks = new Map<string, Promise<Desk | undefined>>();
  const openDesks: Desk[] = [];
  const openDesk = async (): Promise<Desk | undefined> => {
    const opened = await deskOf(parts, async () => profiles.open(ofPlan ?? (await deskNamed(parts))));
    if (opened !== undefined) openDesks.push(opened);
    return opened;
  };
  // The desk of the run's profile; undefined if that has a key of its own, or if there is no profile.
  const desk = (): Promise<Desk | undefined> => {
    const name = ofPlan ?? '';
    const known = desks.get(name) ?? openDesk();
    desks.set(name, known);
    return known;
  };
  const opened = openJournal({
    ...parts,
    timeoutMs: globals.timeoutMs,
    dryRun: globals.dryRun,
    named: globals.profile,
    cwd: parts.io.cwd,
    open: async (name: string) => (await open(name)).service,
    store: recording(storeOfRun(local, async () => (await desk())?.store ?? (await shared.open())?.store)),
    async elsewhere() {
      const team = globals.dryRun ? undefined : await desk();
      return team && ((record, how) => team.journal.resolve(record, how));
    },
  });
  return {
    async service({ purpose = 'read', kind, profile, key, maxPerSecond, shown } = {}) {
      if (maxPerSecond !== undefined) pace.limit(maxPerSecond);
      if (purpose === 'change') (await profiles.open(ofPlan)).allowChange();
      const { service } = await (key === undefined
        ? open(profile)
        : openWith(() => profiles.open(profile, key)));
      if (purpose === 'change') await refuseNow(service);
      if (kind !== undefined) {
        const { refuseOutsideRole } = await import('../changes/may-change.ts');
        refuseOutsideRole(kind, service.profile);
      }
      // A change reads unconfirmed orders again by itself, so it needs no reminder.
      if (purpose === 'read') await opened.tellOpen(service.profile, shown);
      if (purpose === 'read' && service.profile.kind !== 'demo') void opened.checkInPassing();
      return service;
    },
    async draftService(draft, key) {
      return (await openWith(async () => profiles.openDraft(draft, key))).service;
    },
    journal: withDesk(opened.journal, desk, parts.shortTime),
    planSender: async () => (globals.dryRun ? undefined : (await desk())?.plans),
    async sender() {
      const { createSenderDoor } = await import('./sender-door.ts');
      return createSenderDoor({
        ...parts,
        timeoutMs: globals.timeoutMs,
        journal: opened.journal,
        store: opened.store,
        asking: storeOfRun(localJournal(parts.journalFiles), async () => (await shared.open())?.asking),
        shared: () => shared.open(),
        report: (error) =>
          parts.notes.warn(error instanceof Error ? (error.stack ?? error.message) : String(error)),
        open,
        openWith,
        async allowedNow(service) {
          await refuseNow(service);
          return withLimits(service.profile, await limitsOf(service));
        },
        limitPace: (perSecond) => pace.limit(perSecond),
        learn: (secret) => parts.learnKey(secret),
      });
    },
    async useProfileOf({ account, profile }) {
      if (globals.profile !== undefined) return;
      const names = await profiles.reaching(account);
      const [only, second] = names;
      ofPlan = names.includes(profile) ? profile : second === undefined ? only : undefined;
    },
    close() {
      for (const client of openClients) client.close();
      for (const one of openDesks) one.close();
      opened.close();
      shared.close();
    },
    async change(change) {
      // The end of such a command would not say what was sent.
      if (parts.changes !== 'service') throw new Error('commands.ts does not say that this command can send');
      const chosen = await profiles.open(ofPlan);
      chosen.allowChange();
      if (!globals.dryRun) refuseAgent(parts.io.env, chosen.profile, change, parts.clock.now());
      await refuseNow(chosen);
      const team = globals.dryRun ? undefined : await desk();
      if (team !== undefined) return await team.change(newChangeId(change))(change);
      const [client, { createChange }, { refuseUnfit }] = await Promise.all([
        open(),
        import('../journal/make-change.ts'),
        import('../changes/may-change.ts'),
      ]);
      refuseUnfit(change, client.service.profile);
      await refuseOtherLimits(client, limitsOf);
      let changeEnded: (() => void) | undefined;
      let sentAs = '';
      const store = beforeSent(opened.store, (sent) => {
        sentAs = sent;
        changeEnded ??= parts.stop.startChange(sent);
      });
      const { stopWaiting } = parts.stop;
      try {
        return await createChange({
          ...parts,
          ...client,
          send: sending(client.send, () => sentAs),
          store,
          options: globals,
          ids: () => newChangeId(change),
          signal: stopWaiting,
        })({
          ...change,
          async checkFresh(fresh) {
            await refuseOtherLimits(client, limitsOf);
            await refuseNow(client.service);
            await change.checkFresh(fresh);
          },
        });
      } finally {
        changeEnded?.();
      }
    },
  };
}

type LimitsOf = (service: Pick<Client['service'], 'profile' | 'keyFingerprint'>) => Promise<SettingTexts>;

// Throws CliError 'refused' if somebody set a limit of the account after this run read them.
async function refuseOtherLimits({ service }: Client, limitsOf: LimitsOf): Promise<void> {
  const now = withLimits(service.profile, await limitsOf(service));
  if (inOneForm(now.settings) === inOneForm(service.profile.settings)) return;
  throw new CliError('refused', 'somebody set a limit of this account since this command read them', {
    certain: 'nothing was sent',
    now: ['run the command again'],
  });
}

// The same limits may have been set in another order.
function inOneForm(settings: Profile['settings']): string {
  return JSON.stringify(settings, (_key, one: unknown) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1))) : one,
  );
}

async function deskOf(parts: DeskOfRun, open: () => Promise<OpenProfile>): Promise<Desk | undefined> {
  let opened: OpenProfile;
  try {
    opened = await open();
  } catch (error) {
    // A look at the journal needs no profile.
    if (error instanceof CliError && error.kind === 'auth') return undefined;
    throw error;
  }
  if (opened.profile.sender === undefined) return undefined;
  return (await import('./desk.ts')).openDesk(parts, opened);
}

// The profile with a sender that counts where none is named and none is the default, for a look at the journal: the only profile that
// there is. Among several, a wrong guess would say that nothing is unconfirmed.
async function deskNamed({ globals, profiles }: AccountParts): Promise<string | undefined> {
  if (globals.profile !== undefined) return undefined;
  const stored = (await profiles.list()).filter(({ kind }) => kind === 'stored');
  const desks = stored.filter(({ hasSender }) => hasSender);
  if (desks.length === 0 || stored.some(({ isDefault }) => isDefault)) return undefined;
  const [only] = stored;
  if (only !== undefined && stored.length === 1) return only.name;
  throw new CliError(
    'usage',
    'say whose journal you mean: profiles of this machine keep theirs at a sender',
    {
      now: stored.map(({ name }) => `-p ${name}`),
    },
  );
}

// What a desk handed over without showing its end is looked up before anything else is decided about the same.
function withDesk(
  journal: Journal,
  desk: () => Promise<Desk | undefined>,
  shortTime: (ms: number) => string,
): Journal {
  return {
    ...journal,
    async applying(plan) {
      const team = await desk();
      if (team === undefined) return await journal.applying(plan);
      const found = await team.plans.applying(plan.digest);
      return found && `${found.member}, since ${shortTime(found.since)}`;
    },
    async refuseOpen(order) {
      await (await desk())?.journal.settleEarlier(order.orderId);
      return await journal.refuseOpen(order);
    },
    recorded: async (idempotencyKey, asked) =>
      (await (await desk())?.journal.recorded(idempotencyKey, asked)) ??
      (await journal.recorded(idempotencyKey, asked)),
  };
}

// Calls `act` right before a SENT row is written, because from then on the change is in flight.
function beforeSent(store: JournalStore, act: (change: string) => void): JournalStore {
  return {
    ...store,
    append(row) {
      if (row.type === 'sent') act(row.change);
      return store.append(row);
    },
  };
}

async function openAccount(
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
  const profile = await limited(opened.profile, secret, limitsOf);
  const demo = profile.kind === 'demo' ? await parts.demo() : undefined;
  makeCacheFolder(parts.cacheFolder);
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

// If the journal cannot be read, a look goes on without limits: no change is made then.
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
    // A sender that does not answer, or does not let this desk in, answers no read either.
    if (!(error instanceof CliError) || error.kind === 'auth' || error.kind === 'network') throw error;
    return profile;
  }
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
