/** The journal of a run: it keeps keys out of the rows, answers what commands ask, and names what is unconfirmed. */

import type { Service } from '../api/api.ts';
import { CliError } from '../errors.ts';
import type { Clock } from '../io.ts';
import type { Locks } from '../locks/locks.ts';
import type { Profile, Profiles } from '../profiles/profiles.ts';

import type { Notes, Secrets } from '../terminal/terminal.ts';
import {
  blockedUntil,
  horizonOf,
  isDue,
  isOpen,
  isUnsettled,
  isWatched,
  ownRefunds,
} from './attempt-state.ts';
import { recordedOutcome } from './change-outcome.ts';
import type { EffectParts } from './effects.ts';
import { usedUp } from './guards.ts';
import type { Journal, UnconfirmedChange } from './journal.ts';
import type { AttemptRecord, JournalRow, Moment } from './journal-rows.ts';
import type { JournalStore } from './journal-store.ts';
import { momentOf } from './journal-time.ts';
import { pickDue, resolveOne } from './read-again.ts';
import { refusalError } from './refusal-error.ts';
import { marksOf, marksOfService, mayBeSameAccount } from './same-account.ts';
import { probableRefunds, unconfirmedChange, unconfirmedLine } from './unconfirmed.ts';

/** What a run needs for its journal. */
export interface JournalParts {
  readonly store: JournalStore;
  readonly clock: Clock;
  readonly locks: Locks;
  readonly operator: string;
  readonly timeoutMs: number;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  readonly profiles: Pick<Profiles, 'reaching'>;
  /** A time for messages (Unix milliseconds): `05:05:12` today, `05:05:12 on 20 Nov` on another day. */
  readonly shortTime: (ms: number) => string;
  readonly notes: Pick<Notes, 'note' | 'warn'>;
  readonly secrets: Pick<Secrets, 'holds' | 'cleanJson'>;
  /** The profile named on the command line or by PAYDESK_PROFILE. */
  readonly named: string | undefined;
  readonly open: (profile: string) => Promise<Service>;
}

/** What `cli/` hands out of the journal of a run. */
export interface OpenedJournal {
  /** For changes. Keys are masked in every row that is added. */
  readonly store: JournalStore;
  /** For commands. */
  readonly journal: Journal;
  /** Prints one line when changes of the account are unconfirmed. If the journal cannot be read, only warns. */
  tellOpen(profile: Profile): Promise<void>;
}

/** Opens nothing before it is first used. */
export function openJournal(parts: JournalParts): OpenedJournal {
  const store = withoutKeys(parts.store, parts.secrets);
  const journal = createJournal({ ...parts, store: parts.dryRun ? unwritten(store) : store });
  const told = new Set<string>();
  // Commands that only read go on, with a warning that changes are refused.
  const warnOnce = once(async () => {
    const problem = await store.problem();
    if (problem !== undefined)
      parts.notes.warn(`${problem}; no change is made until the journal is repaired: paydesk journal verify`);
  });
  return {
    store,
    journal: {
      ...journal,
      async attempts(query) {
        const found = await journal.attempts(query);
        await warnOnce();
        return found;
      },
      async unconfirmed(service, orderId) {
        const found = await journal.unconfirmed(service, orderId);
        await warnOnce();
        return found;
      },
      async onOrder(service, orderId) {
        const found = await journal.onOrder(service, orderId);
        await warnOnce();
        return found;
      },
    },
    async tellOpen(profile) {
      if (told.has(profile.name)) return;
      told.add(profile.name);
      try {
        await warnOnce();
        const line = unconfirmedLine(await openAttempts(journal, profile), profile.settings);
        if (line !== undefined) parts.notes.note(line);
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        parts.notes.warn(`the journal cannot be read: ${error.message}`);
      }
    },
  };
}

// A row may hold a key that somebody typed, or that came from a file. (Keys in replies are masked before.)
function withoutKeys(store: JournalStore, secrets: JournalParts['secrets']): JournalStore {
  return {
    ...store,
    append(row) {
      const json = JSON.stringify(row);
      const cleaned: JournalRow = secrets.holds(json) ? JSON.parse(secrets.cleanJson(json)) : row;
      return store.append(cleaned);
    },
  };
}

// Under --dry-run, paydesk shows what a read proves and does not write it down.
function unwritten(store: JournalStore): JournalStore {
  return { ...store, append: () => Promise.resolve(), eraseBodies: () => Promise.resolve(0) };
}

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= act();
    return done;
  };
}

async function openAttempts(journal: Journal, { origin }: Profile): Promise<readonly AttemptRecord[]> {
  const attempts = await journal.attempts({ origin, unsettled: true });
  if (attempts.length === 0) return [];
  const now = await journal.now();
  return attempts.filter((record) => isOpen(record, now));
}

function createJournal(parts: JournalParts): Journal {
  const { store, clock, operator, shortTime } = parts;
  const effectParts = async (record: AttemptRecord): Promise<EffectParts> => ({
    ...parts,
    service: await parts.open(await profileFor(parts, record)),
  });
  const now = () => momentOf(clock, store, {});
  // Undefined when another run holds the order, or when no profile reaches it.
  const readAgain = async (record: AttemptRecord): Promise<AttemptRecord | undefined> => {
    try {
      return (await resolveOne(await effectParts(record), record)).record;
    } catch (error) {
      if (error instanceof CliError) return undefined;
      throw error;
    }
  };
  return {
    file: store.place,
    witness: store.witness ?? '',
    attempts: (query) => store.attempts(query),
    now,
    isOpen,
    blockedUntil,
    isDue,
    refuseOpen: (order) => refuseOpen({ store, now, readAgain, shortTime }, order),
    unconfirmed: (service, orderId) => unconfirmedChanges({ store, now }, service, orderId),
    onOrder: (service, orderId) => attemptsOn(store, service, orderId),
    probableRefunds,
    problem: () => store.problem(),
    isWatched,
    ownRefunds,
    pickDue,
    reconcile: async (record, how) => resolveOne(await effectParts(record), record, how),
    settle: async (record, statement, confirm) =>
      resolveOne(await effectParts(record), record, { statement: { ...statement, operator }, confirm }),
    acknowledge: async (record, note) =>
      resolveOne(await effectParts(record), record, { acknowledgement: { operator, note } }),
    mayAppearUntil(record) {
      const horizon = horizonOf(record);
      return Number.isSafeInteger(horizon) ? horizon : undefined;
    },
    async recordedByHand(service, orderId) {
      const account = marksOfService(service);
      const attempts = await store.attempts({ orderId });
      return attempts.filter(
        ({ sent, verdicts }) => verdicts.at(-1)?.by === 'person' && mayBeSameAccount(marksOf(sent), account),
      );
    },
    recorded: (given, asked) => recordedOutcome({ store, effectParts }, given, asked),
    forget: (before) => store.eraseBodies(before),
    verify: (head) => store.verify(head),
    repair: () => store.repair(clock.now()),
    archive: (path) => store.archive(path),
    restore: (path) => store.restore(path),
  };
}

interface RefuseParts extends Pick<JournalParts, 'shortTime'> {
  readonly store: JournalStore;
  readonly now: () => Promise<Moment>;
  /** The attempt after its order was read again; undefined when it cannot be read now. */
  readonly readAgain: (record: AttemptRecord) => Promise<AttemptRecord | undefined>;
}

async function refuseOpen(
  { store, now, readAgain, shortTime }: RefuseParts,
  { service, orderId, again }: Parameters<Journal['refuseOpen']>[0],
): Promise<readonly AttemptRecord[]> {
  const closed: AttemptRecord[] = [];
  // Before the preview: nobody should decide on a change that the journal refuses anyway.
  await store.ready();
  // If the journal cannot be read now, the change itself says so.
  const own = await attemptsOn(store, service, orderId).catch(() => []);
  const used = usedUp(again, own);
  const shown = { shortTime, amounts: service.profile.settings };
  if (used !== undefined) throw refusalError(used, orderId, shown);
  for (const record of own.filter(isUnsettled)) {
    if (!isOpen(record, await now())) continue;
    const after = isDue(record, await now()) ? await readAgain(record) : record;
    if (after === undefined) continue;
    if (isOpen(after, await now())) {
      const account = marksOfService(service);
      throw refusalError({ why: 'open', attempt: after, account }, orderId, shown);
    }
    closed.push(after);
  }
  return closed;
}

async function attemptsOn(
  store: JournalStore,
  service: Pick<Service, 'profile' | 'keyFingerprint'>,
  orderId: string,
): Promise<readonly AttemptRecord[]> {
  const account = marksOfService(service);
  const all = await store.attempts({ orderId });
  return all.filter(({ sent }) => mayBeSameAccount(marksOf(sent), account));
}

async function unconfirmedChanges(
  { store, now }: Pick<RefuseParts, 'store' | 'now'>,
  service: Parameters<Journal['unconfirmed']>[0],
  orderId: string | undefined,
): Promise<ReadonlyMap<string, UnconfirmedChange>> {
  const attempts = await store.attempts({ orderId, unsettled: true });
  const found = new Map<string, UnconfirmedChange>();
  if (attempts.length === 0) return found;
  const account = marksOfService(service);
  const moment = await now();
  for (const record of attempts) {
    const { sent } = record;
    const { orderId: id } = sent.proof;
    if (id === undefined || found.has(id)) continue;
    if (!isOpen(record, moment) || !mayBeSameAccount(marksOf(sent), account)) continue;
    found.set(id, unconfirmedChange(record));
  }
  return found;
}

// The journal knows the account, so a profile must be named only if several reach it.
async function profileFor({ profiles, named }: JournalParts, { sent }: AttemptRecord): Promise<string> {
  // After a repair the account of an attempt may be unknown. Then the named profile is taken.
  if (sent.account === '') return named ?? '';
  const reaching = await profiles.reaching(sent.account);
  const [only, second] = named === undefined ? reaching : reaching.filter((name) => name === named);
  if (only !== undefined && second === undefined) return only;
  if (only === undefined) {
    throw new CliError(
      'auth',
      `no profile${named === undefined ? '' : ` ${named}`} reaches the account of ${sent.intent} (${sent.account})`,
      {
        now: [
          reaching.length === 0
            ? `add a profile of that account: paydesk profile add ${sent.profile}`
            : `it is reached by ${reaching.join(', ')}: -p ${reaching[0]}`,
        ],
      },
    );
  }
  throw new CliError(
    'usage',
    `several profiles reach the account of ${sent.intent}: ${reaching.join(', ')}`,
    {
      now: [`say which: -p ${only}`],
    },
  );
}
