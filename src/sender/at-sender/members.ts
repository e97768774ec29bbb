/**
 * Keeps the members of a sender as rows of its journal: their roles, invitations and tokens. Of a secret, only the hash is kept.
 */

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { CliError, refused } from '../../errors.ts';
import type { ClockWithTimers } from '../../io.ts';
import type { Journal, JournalStore } from '../../journal/journal.ts';
import type { Locks } from '../../locks/locks.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { memberPrefix, readMember, type MemberState as State } from '../sender.ts';
import { invitationPattern, type Role, tokenPattern } from '../wire.ts';
import type { Asker } from './routes.ts';

/** An invitation works once, within this time. */
const invitationMs = 24 * 60 * 60_000;
const tokenMs = 180 * 24 * 60 * 60_000;
// A running sender rereads its members after this time, so a revoked token is refused by then.
const freshMs = 1_000;

/** A member's account: the sender's profile. */
type MemberAccount = Pick<Profile, 'name' | 'origin' | 'account'>;

interface Member extends State {
  readonly name: string;
  /** The name of the sender's profile. */
  readonly account: string;
}

/** A valid token: whose it is, and for which account. */
export interface KnownToken extends Omit<Asker, 'token'> {
  readonly id: string;
  readonly account: string;
}

export interface Members {
  list(): Promise<readonly Member[]>;
  /** Creates the member, or gives them this role. Returns a new invitation's secret; an earlier one stops working. */
  invite(
    account: MemberAccount,
    name: string,
    role: Role,
  ): Promise<{ readonly secret: string; readonly until: number }>;
  /**
   * Turns an invitation into a token. Throws CliError 'auth' if it is unknown, used or too old, and 'refused' if the member
   * already has a desk with this name: nobody could tell the two apart, or revoke only one.
   */
  join(invitation: string, desk: string): Promise<KnownToken & { readonly secret: string }>;
  /** The token, if it is known and still valid. */
  find(secret: string): Promise<KnownToken | undefined>;
  /** The token with this public id, read from the rows now, if still valid. */
  now(id: string): Promise<KnownToken | undefined>;
  /** Ends a member's tokens and invitation in all accounts; with `desk`, only that desk's tokens. Returns how many tokens. */
  revoke(name: string, desk?: string): Promise<number>;
}

interface MemberParts {
  readonly journal: Pick<Journal, 'settings' | 'recordSetting'>;
  /** Keeps other senders from adding rows between reading a member and writing the new row. */
  readonly store: Pick<JournalStore, 'alone'>;
  readonly locks: Locks;
  readonly clock: ClockWithTimers;
}

/** Reads nothing yet. */
export function createMembers(parts: MemberParts): Members {
  const { journal, clock } = parts;
  let known: { readonly tokens: ReadonlyMap<string, Known>; readonly at: number } | undefined;
  const rows = () => readRows(journal);
  const change = <T>(act: (members: readonly Row[]) => Promise<T>): Promise<T> =>
    underLock(parts, async () => {
      try {
        return await act(await rows());
      } finally {
        known = undefined;
      }
    });
  const record = ({ name, account }: Pick<Row, 'name' | 'account'>, from: State | null, to: State | null) =>
    journal.recordSetting({
      profile: account.name,
      origin: account.origin,
      account: account.account,
      name: `${memberPrefix}${name}`,
      from: from === null ? null : JSON.stringify(from),
      to: to === null ? null : JSON.stringify(to),
    });
  return {
    list: async () =>
      (await rows()).map(({ name, account, state }) => ({ name, account: account.name, ...state })),
    invite: (account, name, role) =>
      change(async (members) => {
        const before = members.find(
          (one) => one.name === name && one.account.account === account.account,
        )?.state;
        const { secret, id } = newSecret('pdi');
        const until = clock.now() + invitationMs;
        const invitation = { id, hash: hash('sha256', secret), until };
        await record({ name, account }, before ?? null, { role, invitation, tokens: before?.tokens ?? [] });
        return { secret, until };
      }),
    async join(invitation, desk) {
      // Before the lock: whoever guesses must not hold up the others.
      invitedIn(await rows(), invitation, clock.now());
      return await change(async (members) => {
        const row = invitedIn(members, invitation, clock.now());
        const { secret, id: tokenId } = newSecret('pdt');
        const since = clock.now();
        const token = { id: tokenId, hash: hash('sha256', secret), desk, since, until: since + tokenMs };
        const { role, tokens } = row.state;
        // Expired tokens are dropped.
        const kept = tokens.filter(({ until }) => until > since);
        if (kept.some((one) => one.desk === desk))
          throw new CliError('refused', `${row.name} has a desk called ${desk} already`, {
            certain: 'nothing was changed; the invitation still works',
            now: [
              'give this one another name: --desk NAME',
              `or end the token of the other one, at the sender: paydesk sender revoke ${row.name} --desk ${desk}`,
            ],
          });
        await record(row, row.state, { role, tokens: [...kept, token] });
        return { ...knownOf(row, token), secret };
      });
    },
    async find(secret) {
      const now = clock.monotonic();
      if (known === undefined || now - known.at > freshMs)
        known = { tokens: tokensOf(await rows()), at: now };
      const token = known.tokens.get(tokenPattern.exec(secret)?.[1] ?? '');
      // An unknown id takes as long as a known one.
      const isRight = isSame(secret, token?.hash);
      return token !== undefined && isRight && token.until > clock.now() ? token : undefined;
    },
    async now(id) {
      const token = tokensOf(await rows()).get(id);
      return token !== undefined && token.until > clock.now() ? token : undefined;
    },
    async revoke(name, desk) {
      const own = (await rows()).filter((one) => one.name === name);
      let ended = 0;
      for (const { account } of own)
        ended += await change(async (members) => {
          const state = members.find(
            (one) => one.name === name && one.account.account === account.account,
          )?.state;
          if (state === undefined) return 0;
          const left = desk === undefined ? [] : state.tokens.filter((token) => token.desk !== desk);
          if (desk !== undefined && left.length === state.tokens.length) return 0;
          await record({ name, account }, state, desk === undefined ? null : { ...state, tokens: left });
          return state.tokens.length - left.length;
        });
      if (own.length === 0 || (desk !== undefined && ended === 0)) throw noSuch(name, desk);
      return ended;
    },
  };
}

interface Row {
  readonly name: string;
  readonly account: MemberAccount;
  readonly state: State;
}

type Known = KnownToken & { readonly hash: string };

// Each member's newest row counts.
async function readRows(journal: MemberParts['journal']): Promise<readonly Row[]> {
  const members = new Map<string, Row>();
  for (const row of await journal.settings(memberPrefix)) {
    if (row.type !== 'setting') continue;
    const name = row.name.slice(memberPrefix.length);
    const key = `${row.account} ${name}`;
    members.delete(key);
    if (row.to === null) continue;
    const state = readMember(row.to);
    if (state === undefined)
      throw refused(
        `the journal holds a row about member ${name} that this paydesk cannot read`,
        ['install the paydesk that wrote it'],
        { certain: 'nothing was changed' },
      );
    const { profile, origin, account } = row;
    members.set(key, { name, account: { name: profile, origin, account }, state });
  }
  return [...members.values()];
}

function invitedIn(members: readonly Row[], invitation: string, now: number): Row {
  const id = invitationPattern.exec(invitation)?.[1];
  const row = members.find(({ state }) => state.invitation?.id === id);
  const asked = row?.state.invitation;
  const isRight = isSame(invitation, asked?.hash);
  if (row === undefined || asked === undefined || !isRight || asked.until < now)
    throw new CliError(
      'auth',
      'the sender does not accept this invitation: it was already used, is more than a day old, or was replaced',
      {
        certain: 'nothing was changed',
        now: ['ask your lead for a new one: paydesk sender invite NAME'],
      },
    );
  return row;
}

function tokensOf(rows: readonly Row[]): ReadonlyMap<string, Known> {
  return new Map(
    rows.flatMap((row) =>
      row.state.tokens.map((token) => [token.id, { ...knownOf(row, token), hash: token.hash }]),
    ),
  );
}

function knownOf({ name, account, state }: Row, { id, desk, until }: State['tokens'][number]): KnownToken {
  return { id, member: name, role: state.role, desk, until, account: account.name };
}

const idLetters = 'abcdefghijklmnopqrstuvwxyz012345';

function newSecret(kind: 'pdi' | 'pdt'): { readonly secret: string; readonly id: string } {
  const id = [...randomBytes(10)].map((byte) => idLetters[byte % idLetters.length]).join('');
  return { secret: `${kind}_${id}_${randomBytes(32).toString('base64url')}`, id };
}

function isSame(secret: string, known = '0'.repeat(64)): boolean {
  return timingSafeEqual(Buffer.from(hash('sha256', secret)), Buffer.from(known));
}

const patienceMs = 5_000;

// Only one process at a time changes members, so no change is lost. On a server a lock may expire, but `alone` holds.
async function underLock<T>({ locks, store, clock }: MemberParts, act: () => Promise<T>): Promise<T> {
  const deadline = clock.monotonic() + patienceMs;
  for (;;) {
    const lock = await locks.take('sender members', {
      waitMs: Math.max(0, deadline - clock.monotonic()),
      alone: true,
    });
    if (lock.held) {
      try {
        return await (store.alone === undefined ? act() : store.alone(act));
      } finally {
        await lock.release();
      }
    }
    if (clock.monotonic() > deadline)
      throw refused('another process is changing the members of the sender', ['run it again'], {
        certain: 'nothing was changed',
      });
    await clock.sleep(50);
  }
}

function noSuch(name: string, desk: string | undefined): CliError {
  const what = desk === undefined ? `no member ${name}` : `no token of ${name} for the desk ${desk}`;
  return refused(`this sender has ${what}`, ['paydesk sender members'], { certain: 'nothing was changed' });
}
