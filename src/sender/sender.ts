/** A team's sender, as the rest of paydesk sees it: what its commands and its desks may ask. */

import * as v from 'valibot';
import { CliError } from '../errors.ts';
import type { SettingRow, TeamRules, Verification } from '../journal/journal.ts';
import type { Profile, ProfileDraft } from '../profiles/profiles.ts';
import type { SenderConfig } from './at-sender/config.ts';
import type { RequestLine } from './at-sender/server.ts';
import type { LastUse } from './at-sender/sign-in.ts';
import {
  type AccountFacts,
  errorForm,
  errorFromWire,
  hopHeaders,
  type Invitation,
  invitationForm,
  nameForm,
  type Role,
  roles,
  timeForm,
} from './wire.ts';

export { teamRaises } from './at-sender/rules/team-limits.ts';
export { type Role, roles } from './wire.ts';
export type { SenderConfig };

export interface Serving {
  /** The address it listens on, with the actual port. */
  readonly url: string;
  readonly accounts: readonly string[];
  /** Stops taking changes; everything else goes on. */
  drain(): void;
  /** Takes no new connections, and resolves after the last reply. Cuts replies that take more than some seconds. */
  close(): Promise<void>;
}

export interface ServeHow {
  readonly allowRoot: boolean;
  readonly log: (line: RequestLine) => void;
}

/** A member of an account, and their desks that have a token. */
export interface MemberView {
  readonly name: string;
  readonly account: string;
  readonly role: Role;
  /** When the invitation expires, Unix milliseconds; undefined if there is none. */
  readonly invitedUntil: number | undefined;
  readonly tokens: readonly {
    readonly id: string;
    readonly desk: string;
    readonly since: number;
    readonly until: number;
    /** The machines that used it, and when last (Unix milliseconds). More than one means that somebody copied it. */
    readonly uses: LastUse;
  }[];
}

/** What a desk gets when it joins. */
export interface JoinedDesk {
  readonly token: string;
  readonly draft: Omit<ProfileDraft, 'name'>;
}

/** The result of checking a sender's journal. */
interface VerifiedSender extends Pick<Verification, 'rows' | 'head' | 'findings'> {
  /** What stops every change even though the rows are whole, in words. */
  readonly problem: string | undefined;
  /** Counts over the rows; undefined if they are not whole. */
  readonly counts: Readonly<Record<'unconfirmed' | 'members' | 'limits' | 'requests', number>> | undefined;
}

/** The migrations that were run: their names, and how many rows were copied. */
export interface Migrated {
  readonly place: string;
  readonly done: readonly string[];
  readonly brought: number;
}

/** What commands may ask of this user's own sender, and of a profile's sender. */
export interface SenderDoor {
  readonly file: string;
  isThere(): boolean;
  /** Whether this machine has the file of a sender that serves this profile's account. */
  serves(profile: string): boolean;
  /** Checks a new file. Throws CliError 'refused' or 'usage' if a sender could not run with it, and as root unless allowed. */
  check(config: SenderConfig, allowRoot: boolean): Promise<void>;
  write(config: SenderConfig): void;
  /**
   * The text of a systemd unit or a container file. `isTls`: the sender will have a certificate; a sender that exists may have
   * one anyway.
   */
  unit(kind: 'systemd' | 'container', isTls: boolean): string;
  /** Throws CliError 'refused' as root (unless allowed), if others can read its files, or if the journal is not whole. */
  serve(how: ServeHow): Promise<Serving>;
  /**
   * The limits of an account, for the person who runs the sender. Throws CliError if there is no sender here, or it has several
   * accounts.
   */
  limits(account: string | undefined): Promise<Pick<TeamRules, 'limits' | 'setLimits'>>;
  /** The profile of one of its accounts. Throws as `limits` does. */
  profileOf(account: string | undefined): Promise<Profile>;
  /**
   * Creates the journal's tables in a database. If it is empty, copies the history of this machine there. As root: see `invite`.
   */
  migrate(allowRoot: boolean): Promise<Migrated>;
  migrationsText(): Promise<string>;
  /** Checks every row of its journal, and everything derived from the rows. */
  verify(): Promise<VerifiedSender>;
  /** Throws CliError 'refused' as root unless allowed: the sender could not read what root wrote. */
  invite(name: string, role: Role, account: string | undefined, allowRoot: boolean): Promise<Invitation>;
  members(): Promise<readonly MemberView[]>;
  /** Returns how many tokens were ended. */
  revoke(name: string, desk: string | undefined): Promise<number>;
  /** Joins as a desk with this name, or else the machine's. Throws CliError 'auth' if the invitation is not accepted. */
  join(invitation: Invitation, desk: string | undefined): Promise<JoinedDesk>;
  /** Asks the profile's sender who this desk is, and stores the answer. */
  ask(profile: Profile): Promise<AccountFacts>;
}

/** Throws CliError 'usage' without repeating the text. */
export function readInvitation(text: string, where: string): Invitation {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), invitationForm), text);
  if (read.success) return read.output;
  throw new CliError('usage', `${where} is not an invitation from a sender`, {
    certain: 'nothing was changed',
    now: ['ask your lead for one: paydesk sender invite NAME --role ROLE > invitation.json'],
  });
}

/** The sender's own error in a reply; undefined for a reply of the service. */
export function senderErrorIn(reply: {
  readonly headers?: readonly (readonly [string, string])[] | undefined;
  readonly body: Uint8Array;
}): CliError | undefined {
  if (reply.headers?.some(([name]) => name === hopHeaders.error) !== true) return undefined;
  const text = Buffer.from(reply.body).toString('utf8');
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), errorForm), text);
  return read.success
    ? errorFromWire(read.output.error)
    : new CliError('reply', 'the sender refused, in a form that this paydesk does not know');
}

/** What a profile stores from the sender's facts. `origin`: that of the sender. */
export function draftOf(
  facts: AccountFacts,
  { origin, desk }: { readonly origin: string; readonly desk: string },
): Omit<ProfileDraft, 'name'> {
  const { account, member, role, mode, vendor, apiVersion, lang, settings } = facts;
  return {
    baseUrl: facts.origin,
    mode,
    vendor,
    apiVersion,
    lang: lang ?? undefined,
    settings,
    sender: { origin, account, member, role, desk },
  };
}

// ── Rows of the journal about members ───────────────────────────────────────────────────────────

/** The prefix of the names of these rows, before the member's name. */
export const memberPrefix = 'member/';
/** The prefix for rows that close a change id for good. */
export const closedPrefix = 'closed/';
/** The prefix for rows that stop a plan, before its digest. */
export const stoppedPrefix = 'stopped/';

const hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const secretForm = { id: v.string(), hash, until: timeForm };
const stateForm = v.strictObject({
  role: v.picklist(roles),
  invitation: v.optional(v.strictObject(secretForm)),
  tokens: v.array(v.strictObject({ ...secretForm, desk: nameForm, since: timeForm })),
});
export type MemberState = v.InferOutput<typeof stateForm>;

/** The state in a row; undefined if this version of paydesk cannot read it. */
export function readMember(text: string): MemberState | undefined {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), stateForm), text);
  return read.success ? read.output : undefined;
}

/**
 * A row about a member, a closed id or a stopped plan in words: `member ana`, from `not set` to `operator at desk-4`; undefined
 * for other rows.
 */
export function senderRowWords({
  name,
  from,
  to,
}: Pick<SettingRow, 'name' | 'from' | 'to'>):
  | (Pick<SettingRow, 'from' | 'to'> & { readonly setting: string })
  | undefined {
  if (name.startsWith(closedPrefix))
    return { setting: `change ${name.slice(closedPrefix.length)}`, from, to: 'taken back' };
  if (name.startsWith(stoppedPrefix))
    return {
      setting: `plan ${name.slice(stoppedPrefix.length, stoppedPrefix.length + 8)}`,
      from,
      to: 'stopped',
    };
  if (!name.startsWith(memberPrefix)) return undefined;
  return { setting: `member ${name.slice(memberPrefix.length)}`, from: stateWords(from), to: stateWords(to) };
}

// `operator at desk-4 and till-7, invited`
function stateWords(text: string | null): string | null {
  if (text === null) return null;
  const state = readMember(text);
  if (state === undefined) return 'not readable';
  const desks = state.tokens.map(({ desk }) => desk).join(' and ');
  return `${state.role}${desks === '' ? '' : ` at ${desks}`}${state.invitation === undefined ? '' : ', invited'}`;
}
