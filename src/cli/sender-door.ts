/** What the sender commands do, and how a desk joins: passes on what the code of the sender needs from a run. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Client, OpenService } from '../api/api.ts';
import { CliError, refused } from '../errors.ts';
import { type Journal, type JournalStore, momentOf } from '../journal/journal.ts';
import type { HowWorked } from '../plans/plans.ts';
import type { OpenProfile, Profile, Profiles } from '../profiles/profiles.ts';
import { askSender, joinSender } from '../sender/at-desk/join-at-desk.ts';
import {
  checkConfig,
  readCertificate,
  readConfig,
  type SenderConfig,
  unitFile,
  writeConfig,
} from '../sender/at-sender/config.ts';
import { createMembers, type Members } from '../sender/at-sender/members.ts';
import { createRules, type Rules } from '../sender/at-sender/rules/rules.ts';
import { readLastUses } from '../sender/at-sender/sign-in.ts';
import { draftOf, type SenderDoor } from '../sender/sender.ts';
import { senderFileIn } from './machine/journal-place.ts';
import type { AccountParts } from './open-account.ts';

/** What the sender needs from a run. */
export interface SenderDoorParts extends AccountParts {
  readonly journal: Journal;
  /** The store for what is sent, and a separate one for the questions of desks: a store counts what was asked as seen. */
  readonly store: JournalStore;
  readonly asking: JournalStore;
  /** Called with unexpected errors. */
  readonly report: (error: unknown) => void;
  /** Opens the client of a profile that is stored, or of one that is not. */
  readonly open: (profile: string) => Promise<Client>;
  readonly openWith: (open: () => Promise<OpenProfile>) => Promise<Client>;
  /**
   * The profile of an account with the limits that apply now, also those of a desk's machine. Throws CliError 'refused' while the
   * policy of this machine allows no change, or turns off the command that a desk has run, in words.
   */
  readonly allowedNow: (
    service: OpenService,
    command: string,
    ofDesk: HowWorked['policy'],
  ) => Promise<Profile>;
  /** Only the second check of `allowedNow`. */
  readonly refuseOff: (command: string) => Promise<void>;
  /** Limits the requests per second of all clients together. */
  readonly limitPace: (perSecond: number) => void;
}

/** Reads and starts nothing yet. */
export function createSenderDoor(parts: SenderDoorParts): SenderDoor {
  const { profiles, rules, folders, journal, asking } = parts;
  const file = senderFileIn(profiles.folders.config);
  const usesFile = join(folders.state, 'sender', 'last-uses.json');
  const members = createMembers({
    ...parts,
    journal: { ...journal, settings: (name) => asking.settings(name) },
  });
  const accountAsked = (asked: string | undefined) =>
    accountOf(profiles, accountIn(readConfig(file, rules), asked));
  const checkAccount = async (name: string) => void (await accountOf(profiles, name));
  return {
    file,
    isThere: () => existsSync(file),
    serves: (profile) => existsSync(file) && readConfig(file, rules).accounts.includes(profile),
    async check(config, allowRoot) {
      refuseRoot(parts, allowRoot);
      checkConfig(config);
      for (const name of config.accounts) await accountOf(profiles, name);
      readCertificate(config, rules);
    },
    write: (config) => writeConfig(file, config, rules),
    unit: (kind, isTls) =>
      unitFile(kind, isTls || (existsSync(file) && readConfig(file, rules).tls !== undefined)),
    async serve({ allowRoot, log }) {
      refuseRoot(parts, allowRoot);
      const config = readConfig(file, rules);
      const { startSender } = await import('./start-sender.ts');
      return await startSender(parts, {
        config,
        members,
        teamRules: rulesOf(parts, members),
        checkAccount,
        usesFile,
        log,
      });
    },
    async limits(asked) {
      const account = await accountAsked(asked);
      return rulesOf(parts, members).limitsOf({ member: parts.operator, role: 'lead' }, account);
    },
    profileOf: accountAsked,
    async migrate(allowRoot) {
      refuseRoot(parts, allowRoot);
      readConfig(file, rules);
      const shared = await parts.shared.open();
      if (shared !== undefined) return await shared.migrate();
      throw refused(
        'this sender has its journal in files of this machine',
        ['to have it in a database: paydesk sender init --postgres URI'],
        { certain: 'nothing was changed' },
      );
    },
    migrationsText: async () => (await import('../journal/postgres/migrate.ts')).migrationsText(),
    async verify() {
      const { accounts } = readConfig(file, rules);
      const found = await parts.journal.verify();
      const problem = await parts.journal.problem();
      if (found.findings.length > 0 || problem !== undefined) return { ...found, problem, counts: undefined };
      const requests = await parts.asking.approvals({ since: 0 });
      const counts = {
        unconfirmed: (await parts.asking.attempts({ unconfirmed: true })).length,
        members: (await members.list()).length,
        limits: 0,
        requests: new Set(requests.map(({ requestId }) => requestId)).size,
      };
      const rulesNow = rulesOf(parts, members);
      for (const name of accounts) {
        const of = rulesNow.limitsOf({ member: '', role: 'lead' }, await accountOf(profiles, name));
        counts.limits += (await of.limits()).length;
      }
      return { ...found, problem, counts };
    },
    async invite(name, role, asked, allowRoot) {
      refuseRoot(parts, allowRoot);
      const config = readConfig(file, rules);
      const account = await accountAsked(asked);
      const { secret, until } = await members.invite(account, name, role);
      return {
        object: 'paydesk_invitation',
        sender: config.address,
        account: account.name,
        member: name,
        role,
        until,
        invitation: secret,
      };
    },
    async members() {
      readConfig(file, rules);
      const uses = readLastUses(usesFile, rules);
      return (await members.list()).map(({ name, account, role, invitation, tokens }) => ({
        name,
        account,
        role,
        invitedUntil: invitation?.until,
        tokens: tokens.map(({ id, desk, since, until }) => ({
          id,
          desk,
          since,
          until,
          uses: uses[id] ?? {},
        })),
      }));
    },
    revoke: (name, desk) => members.revoke(name, desk),
    async join(invitation, desk = deskOf(parts)) {
      // Which account it is stays unknown until the sender answers, so the strictest rules apply.
      const draft = { name: invitation.account, baseUrl: invitation.sender, mode: 'production' } as const;
      const typed = { text: invitation.invitation, where: 'the invitation' };
      const client = await parts.openWith(async () => profiles.openDraft(draft, typed));
      const joined = await joinSender(client, { invitation, desk, timeoutMs: parts.globals.timeoutMs });
      parts.keys.learn(joined.token);
      return joined;
    },
    async ask(profile) {
      const { name, sender } = profile;
      if (sender === undefined) throw new Error(`profile ${name} has no sender`);
      const client = await parts.openWith(async () => {
        const opened = await profiles.open(name);
        return { ...opened, profile: { ...opened.profile, baseUrl: sender.origin } };
      });
      const facts = await askSender(client, sender, parts.signal);
      await profiles.learnFromSender({ name, ...draftOf(facts, sender) });
      return facts;
    },
  };
}

async function accountOf(profiles: Profiles, name: string): Promise<Profile> {
  await profiles.checkStored(name);
  const { profile } = await profiles.open(name);
  if (profile.sender === undefined) return profile;
  throw refused(
    `profile ${name} has a sender itself, and no key`,
    ['a sender needs profiles with a key: paydesk profile add NAME'],
    { certain: 'nothing was changed' },
  );
}

function accountIn({ accounts }: SenderConfig, asked: string | undefined): string {
  const [only, second] = accounts;
  if (asked !== undefined && accounts.includes(asked)) return asked;
  if (asked === undefined && second === undefined && only !== undefined) return only;
  const what =
    asked === undefined ? 'this sender has several accounts' : `this sender has no account ${asked}`;
  throw new CliError('usage', `${what}: say which one is meant`, {
    certain: 'nothing was changed',
    now: accounts.map((name) => `--account ${name}`),
  });
}

function deskOf({ io }: SenderDoorParts): string {
  // `desk-4.office.example`: the first part says enough.
  return io.machineName().split('.')[0]?.slice(0, 63) ?? '';
}

// The user of the sender cannot read files that root makes.
function refuseRoot({ io }: SenderDoorParts, isAllowed: boolean): void {
  if (io.uid !== 0 || isAllowed) return;
  throw refused(
    'the sender does not run as root: it needs no right of root, and has the keys of a team',
    [
      'do this as a user of its own, who has the profiles',
      'in a container that has no other user: --allow-root',
    ],
    { certain: 'nothing was started or changed' },
  );
}

function rulesOf({ store, asking, clock }: SenderDoorParts, members: Members): Rules {
  return createRules({
    store,
    asking,
    now: (service) => momentOf(clock, asking, service ?? {}),
    isMember: async (name, account) =>
      (await members.list()).some((member) => member.name === name && member.account === account),
    // Somebody who runs the sender has no token.
    roleNow: async ({ token, role }) => (token === undefined ? role : (await members.now(token))?.role),
  });
}
