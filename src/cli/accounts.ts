/** Connects a run to the account of a profile: with a client for reads, and with the journal, through which all changes go. */

import { type Client, createPace } from '../api/api.ts';
import type { Context } from '../context/context.ts';
import { CliError, refused } from '../errors.ts';
import {
  approveCommand,
  type ChangeRun,
  type Journal,
  type JournalStore,
  newChangeId,
} from '../journal/journal.ts';
import { openJournal } from '../journal/open-journal.ts';
import { withLimits } from '../profiles/limits.ts';
import type { OpenProfile } from '../profiles/profiles.ts';
import { refuseAgent } from './agent/agent.ts';
import { localJournal, storeOfRun } from './choose-store.ts';
import type { Desk, DeskOfRun } from './desk.ts';
import { limitsUnder, readRules, refuseCommand, withPolicy } from './machine/policy.ts';
import { type AccountParts, limitsNow, openAccount, refuseOtherLimits } from './open-account.ts';

/** The functions of an account that a command gets in its context. */
interface Account
  extends Pick<
    Context,
    | 'service'
    | 'draftService'
    | 'change'
    | 'journal'
    | 'useProfile'
    | 'useProfileOf'
    | 'sender'
    | 'planSender'
  > {
  /** Closes the connections, and the files of the journal. */
  readonly close: () => void;
}

/** Connects a run to its account. A profile is opened when it is first needed. */
export function createAccount(parts: AccountParts): Account {
  const { profiles, globals } = parts;
  const { recording, sending } = parts.whatWasSent;
  const clients = new Map<string, Promise<Client>>();
  const openClients: Client[] = [];
  // One pace for all clients, because a change may have another client than the command.
  const pace = createPace(parts.clock);
  const { limitsOf, refuseNow } = limitsNow(parts, () => opened.journal);
  const openWith = async (openProfile: () => Promise<OpenProfile>): Promise<Client> => {
    const client = await openAccount(parts, openProfile, { pace, desk, limitsOf });
    openClients.push(client);
    return client;
  };
  // The profile of the run, if a plan or an argument names it.
  let profileOfRun: string | undefined;
  const open = (name = profileOfRun ?? ''): Promise<Client> => {
    const client = clients.get(name) ?? openWith(() => profiles.open(name === '' ? undefined : name));
    clients.set(name, client);
    return client;
  };
  const { shared } = parts;
  const local = localJournal(parts.journalFiles);
  const desks = new Map<string, Promise<Desk | undefined>>();
  const openDesks: Desk[] = [];
  const openDesk = async (): Promise<Desk | undefined> => {
    // A setting may keep a profile from being opened; the profile can still be set.
    if (
      profileOfRun !== undefined &&
      !(await profiles.list()).some((one) => one.name === profileOfRun && one.hasSender)
    )
      return undefined;
    const opened = await deskOf(parts, async () => profiles.open(profileOfRun ?? (await deskNamed(parts))));
    if (opened !== undefined) openDesks.push(opened);
    return opened;
  };
  // The desk of the run's profile; undefined if the profile has a key of its own, or if there is no profile.
  const desk = (): Promise<Desk | undefined> => {
    const name = profileOfRun ?? '';
    const known = desks.get(name) ?? openDesk();
    desks.set(name, known);
    return known;
  };
  const storeNow = async () => (await desk())?.store ?? (await shared.open())?.store ?? local;
  const opened = openJournal({
    ...parts,
    timeoutMs: globals.timeoutMs,
    dryRun: globals.dryRun,
    named: globals.profile,
    cwd: parts.io.cwd,
    keepHeapSmall: parts.io.keepHeapSmall,
    open: async (name: string) => (await open(name)).service,
    store: recording(storeOfRun(local, storeNow)),
    place: async () => (await storeNow()).place,
    async elsewhere() {
      const team = globals.dryRun ? undefined : await desk();
      return team && ((record, how) => team.journal.resolve(record, how));
    },
  });
  // Refuses what this machine and its account no longer allow since the command began.
  const refuseSince = async (command?: string) => {
    const client = await open();
    await refuseOtherLimits(client, limitsOf);
    await refuseNow(client.service, command?.split(' '));
  };
  const senderDoor: Context['sender'] = async () => {
    const { createSenderDoor } = await import('./sender-door.ts');
    // A sender goes on with a journal that was repaired or archived, although its run has not ended.
    const asking = localJournal({ ...parts.journalFiles, onReplaced: () => local.close() });
    return createSenderDoor({
      ...parts,
      journal: opened.journal,
      store: opened.store,
      asking: storeOfRun(asking, async () => (await shared.open())?.asking ?? asking),
      report: (error) =>
        parts.notes.warn(error instanceof Error ? (error.stack ?? error.message) : String(error)),
      open,
      openWith,
      async allowedNow(service, command, ofDesk = { file: '', limits: {} }) {
        await refuseNow(service, command.split(' '));
        const policy = { ...ofDesk, ...(await readRules(ofDesk.limits)) };
        const [problem] = policy.problems;
        if (problem !== undefined) throw refused(`the policy of the machine of this desk ${problem}`);
        const limits = limitsUnder(policy, service.profile, await limitsOf(service));
        return withPolicy(policy, withLimits(service.profile, limits));
      },
      refuseOff: async (command) => refuseCommand(await parts.policy(), command.split(' '), parts.io.env),
      limitPace: (perSecond) => pace.limit(perSecond),
    });
  };
  return {
    async service({ purpose = 'read', kind, command, profile, key, maxPerSecond, shown } = {}) {
      if (maxPerSecond !== undefined) pace.limit(maxPerSecond);
      if (purpose === 'change') (await profiles.open(profileOfRun)).allowChange();
      const { service } = await (key === undefined
        ? open(profile)
        : openWith(() => profiles.open(profile, key)));
      if (purpose === 'change' || command !== undefined) await refuseNow(service, command?.split(' '));
      if (kind !== undefined) {
        const { refuseOutsideRole, refuseViewer } = await import('../changes/may-change.ts');
        refuseOutsideRole(kind, service.profile);
        // The desk may know only an old role.
        const { sender } = service.profile;
        if (sender?.role === 'viewer')
          refuseViewer(sender.member, (await (await senderDoor()).ask(service.profile)).role);
      }
      // A change reads unconfirmed orders again by itself, so it needs no reminder.
      if (purpose === 'read') await opened.tellOpen(service.profile, shown);
      if (purpose === 'read' && service.profile.kind !== 'demo') void opened.checkInPassing();
      return service;
    },
    async draftService(draft, key) {
      return (await openWith(async () => profiles.openDraft(draft, key))).service;
    },
    journal: withDesk(opened.journal, { desk, shortTime: parts.shortTime, refuseSince }),
    async planSender() {
      const plans = globals.dryRun ? undefined : (await desk())?.plans;
      return (
        plans && {
          ...plans,
          // The sender also applies the limits of this machine to each row, after it has read the order of the row.
          async work(plan, how, tell) {
            await refuseSince();
            const { file, limits } = await parts.policy();
            const policy = Object.keys(limits).length === 0 ? undefined : { file, limits };
            return await plans.work(plan, { ...how, policy }, tell);
          },
        }
      );
    },
    sender: senderDoor,
    useProfile(name) {
      profileOfRun = name;
    },
    async useProfileOf({ account, profile }) {
      if (globals.profile !== undefined) return;
      const names = await profiles.reaching(account);
      const [only, second] = names;
      profileOfRun = names.includes(profile) ? profile : second === undefined ? only : undefined;
    },
    close() {
      for (const client of openClients) client.close();
      for (const one of openDesks) one.close();
      opened.close();
      shared.close();
    },
    async change(change, run) {
      // The end of a command that the table does not mark would not say what was sent.
      if (parts.changes !== 'service') throw new Error('commands.ts does not say that this command can send');
      const chosen = await profiles.open(profileOfRun);
      chosen.allowChange();
      if (!globals.dryRun) refuseAgent(parts.io.env, chosen.profile, change, parts.clock.now());
      await refuseNow(chosen);
      const [client, { refuseUnfit }] = await Promise.all([open(), import('../changes/may-change.ts')]);
      refuseUnfit(change, client.service.profile);
      await refuseOtherLimits(client, limitsOf);
      const held: ChangeRun = {
        ...run,
        async checkFresh(fresh) {
          await refuseSince();
          await run.checkFresh(fresh);
        },
      };
      const team = globals.dryRun ? undefined : await desk();
      if (team !== undefined) return await team.change(newChangeId(change))(change, held);
      const { createChange } = await import('../journal/make-change.ts');
      let changeEnded: (() => void) | undefined;
      let sentAs = '';
      // Right before its SENT row is written, since from then on the change is in flight.
      const store: JournalStore = {
        ...opened.store,
        append(row) {
          if (row.type === 'sent') {
            sentAs = row.change;
            changeEnded ??= parts.stop.startChange(row.change);
          }
          return opened.store.append(row);
        },
      };
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
        })(change, held);
      } finally {
        changeEnded?.();
      }
    },
  };
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

// The profile with a sender that is used for a look at the journal if no profile is named and none is the default: the only profile
// that there is. Among several, a wrong guess would say that nothing is unconfirmed.
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

// A change that a desk handed over without showing how it ended is looked up before anything else is decided about it.
function withDesk(
  journal: Journal,
  {
    desk,
    shortTime,
    refuseSince,
  }: {
    readonly desk: () => Promise<Desk | undefined>;
    readonly shortTime: (ms: number) => string;
    readonly refuseSince: (command: string) => Promise<void>;
  },
): Journal {
  return {
    ...journal,
    async rules() {
      const rules = await journal.rules();
      return (
        rules && {
          ...rules,
          async decide(id, step, how) {
            if (step === 'approved') await refuseSince(approveCommand);
            return await rules.decide(id, step, how);
          },
        }
      );
    },
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
