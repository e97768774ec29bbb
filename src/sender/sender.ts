/** The sender of a team as the rest of paydesk sees it: what its commands may ask, and what a desk may ask it. */

import * as v from 'valibot';
import { CliError } from '../errors.ts';
import type { TeamRules, Verification } from '../journal/journal.ts';
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
  type Role,
} from './wire.ts';

export { teamRaises } from './at-sender/rules/team-limits.ts';
export { senderRowWords } from './member-state.ts';
export { type AccountFacts, type Invitation, nameForm, type Role, roles } from './wire.ts';
export type { SenderConfig };

/** A sender that runs. */
export interface Serving {
  /** The address at which it listens, with the port that it got. */
  readonly url: string;
  readonly accounts: readonly string[];
  /** From now on no change is taken. */
  drain(): void;
  /** Resolves when the last reply was sent. */
  close(): Promise<void>;
}

/** How a sender is started. */
export interface ServeHow {
  readonly allowRoot: boolean;
  readonly log: (line: RequestLine) => void;
}

/** A member of an account, with the desks that have a token. */
export interface MemberView {
  readonly name: string;
  readonly account: string;
  readonly role: Role;
  /** Until when the invitation can be used, Unix milliseconds; undefined if there is none. */
  readonly invitedUntil: number | undefined;
  readonly tokens: readonly {
    readonly id: string;
    readonly desk: string;
    readonly since: number;
    readonly until: number;
    /** By which machines it was used, and when last (Unix milliseconds). More than one: somebody has copied it. */
    readonly uses: LastUse;
  }[];
}

/** What a desk gets when it joins. */
export interface JoinedDesk {
  readonly token: string;
  readonly draft: Omit<ProfileDraft, 'name'>;
}

/** What a check of the journal of a sender found. */
interface VerifiedSender extends Pick<Verification, 'rows' | 'head' | 'findings'> {
  /** What stops every change although the rows are whole, in words. */
  readonly problem: string | undefined;
  /** What the rows add up to; undefined if they are not whole. */
  readonly counts: Readonly<Record<'unconfirmed' | 'members' | 'limits' | 'requests', number>> | undefined;
}

/** The migrations of a database that were done: their names, and how many rows were brought. */
export interface Migrated {
  readonly place: string;
  readonly done: readonly string[];
  readonly brought: number;
}

/** What the commands may ask of the sender of this user, and of that of a profile. */
export interface SenderDoor {
  /** The path of the sender's file. */
  readonly file: string;
  /** Whether there is such a file. */
  isThere(): boolean;
  /** Whether there is one, and it serves the account of this profile. */
  serves(profile: string): boolean;
  /** Checks a new file. Throws CliError 'refused' or 'usage' if a sender could not run with it, and as root, unless that is allowed. */
  check(config: SenderConfig, allowRoot: boolean): Promise<void>;
  write(config: SenderConfig): void;
  /** The text of a systemd unit, or of a container file. `isTls`: the sender will have a certificate; one that is there may have one. */
  unit(kind: 'systemd' | 'container', isTls: boolean): string;
  /** Starts it. Throws CliError 'refused' as root (unless that is allowed), with files that others can read, or a journal that is not whole. */
  serve(how: ServeHow): Promise<Serving>;
  /** The limits of an account, for whoever runs the sender. Throws CliError if there is none here, or it has several accounts. */
  limits(account: string | undefined): Promise<Pick<TeamRules, 'limits' | 'setLimits'>>;
  /** The profile of an account of it. Throws as `limits`. */
  profileOf(account: string | undefined): Promise<Profile>;
  /** Makes the tables of its journal in a database, and brings the history of this machine there if that is empty. As root: as `invite`. */
  migrate(allowRoot: boolean): Promise<Migrated>;
  /** The statements of all migrations. */
  migrationsText(): Promise<string>;
  /** Checks every row of its journal, and what is derived of them. */
  verify(): Promise<VerifiedSender>;
  /** Throws CliError 'refused' as root, unless that is allowed: the sender could not read what root wrote. */
  invite(name: string, role: Role, account: string | undefined, allowRoot: boolean): Promise<Invitation>;
  members(): Promise<readonly MemberView[]>;
  /** Returns how many tokens it ended. */
  revoke(name: string, desk: string | undefined): Promise<number>;
  /** Joins as a desk of this name; absent: that of the machine. Throws CliError 'auth' if the invitation is not taken. */
  join(invitation: Invitation, desk: string | undefined): Promise<JoinedDesk>;
  /** Asks the sender of a profile who this desk is, and stores what it says. */
  ask(profile: Profile): Promise<AccountFacts>;
}

/** Reads an invitation. Throws CliError 'usage', without repeating the text. */
export function readInvitation(text: string, where: string): Invitation {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), invitationForm), text);
  if (read.success) return read.output;
  throw new CliError('usage', `${where} is no invitation of a sender`, {
    certain: 'nothing was changed',
    now: ['ask your lead for one: paydesk sender invite NAME --role ROLE > invitation.json'],
  });
}

/** The error of the sender itself in a reply; undefined for a reply of the service. */
export function senderErrorIn(reply: {
  readonly headers?: readonly (readonly [string, string])[] | undefined;
  readonly body: Uint8Array;
}): CliError | undefined {
  if (reply.headers?.some(([name]) => name === hopHeaders.error) !== true) return undefined;
  const text = Buffer.from(reply.body).toString('utf8');
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), errorForm), text);
  return read.success
    ? errorFromWire(read.output.error)
    : new CliError('reply', 'the sender refused, and did not say why in a form that this paydesk knows');
}

/** What a profile stores of the facts that a sender told. `origin`: that of the sender. */
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
