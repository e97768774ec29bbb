/** Opens the journal of a run: it keeps keys out of the rows, and answers what commands ask. */

import type { Service } from '../api/api.ts';
import { CliError } from '../errors.ts';
import type { Clock } from '../io.ts';
import type { LockOwner, Locks } from '../locks/locks.ts';
import { commandLine, type Profile, type Profiles } from '../profiles/profiles.ts';
import type { Notes, Secrets } from '../terminal/terminal.ts';
import { attemptsOf, paidTwiceOf, unconfirmedOf } from './account-attempts.ts';
import {
  blockedUntil,
  horizonOf,
  isDoubted,
  isDue,
  isOpen,
  isUnsettled,
  isWatched,
  mayStillLeave,
  ownRefunds,
  verdictOf,
} from './attempt-state.ts';
import { appearedOn, appearedRuling, sentAgain, sentAs, tooEarly, unshownRefunds } from './by-hand.ts';
import { recordedOutcome } from './change-outcome.ts';
import type { EffectParts } from './effects.ts';
import { decide, paidTwice, type Refusal, unshownRefund, usedUp } from './guards.ts';
import type { Journal, PlanClaim } from './journal.ts';
import type { AttemptRecord, Moment, VerdictRow } from './journal-rows.ts';
import type { JournalStore } from './journal-store.ts';
import { momentOf, stampOf } from './journal-time.ts';
import { isPaidTwice } from './paid-twice.ts';
import { pickDue, resolveOne } from './read-again.ts';
import { refusalError } from './refusal-error.ts';
import { appearedVerdict } from './said-by-hand.ts';
import { marksOf, marksOfService, mayBeSameAccount } from './same-account.ts';
import { asksForSame } from './same-request.ts';
import {
  alarmedLines,
  appearedRefunds,
  duplicateNow,
  namedByReply,
  probableRefunds,
  seenTwice,
  unconfirmedLines,
} from './unconfirmed.ts';
import { rulingOf, verdictRow } from './verdict.ts';

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
  /**
   * Prints a line when changes of the account are unconfirmed, and one when refunds were paid back twice. If the journal cannot
   * be read, it only warns. `shown`: the order that the run shows, with everything that is open of it.
   */
  tellOpen(profile: Profile, shown?: string): Promise<void>;
}

/** Opens nothing before it is first used. */
export function openJournal(parts: JournalParts): OpenedJournal {
  const store = withoutKeys(parts.store, parts.secrets);
  const journal = createJournal({ ...parts, store: parts.dryRun ? unwritten(store) : store });
  const told = new Set<string>();
  // Commands that only read go on, with a warning that changes are refused.
  const warnOnce = once(async () => {
    const server = await store.server?.();
    const problem = server === undefined ? await store.problem() : server.problem;
    if (problem === undefined) return;
    const stopped = "nothing is sent without the team's journal";
    if (server === undefined)
      parts.notes.warn(`${problem}; no change is made until the journal is repaired: paydesk journal verify`);
    else if (server.asOf === undefined)
      parts.notes.warn(`${problem}; this machine has no copy of it, and ${stopped}`);
    else
      parts.notes.warn(`${problem}; what is shown is as of ${parts.shortTime(server.asOf)}, and ${stopped}`);
  });
  const thenWarn = async <Found>(asked: Promise<Found>): Promise<Found> => {
    const found = await asked;
    await warnOnce();
    return found;
  };
  return {
    store,
    journal: {
      ...journal,
      async rules() {
        const rules = await journal.rules();
        if (rules === undefined) return undefined;
        return {
          ...rules,
          limits: () => thenWarn(rules.limits()),
          approvals: () => thenWarn(rules.approvals()),
        };
      },
      attempts: (query) => thenWarn(journal.attempts(query)),
      unconfirmed: (service, orderId) => thenWarn(journal.unconfirmed(service, orderId)),
      paidTwice: (service, orderId) => thenWarn(journal.paidTwice(service, orderId)),
      attemptsOf: (service, orders) => thenWarn(journal.attemptsOf(service, orders)),
    },
    async tellOpen(profile, shown) {
      if (told.has(profile.name)) return;
      told.add(profile.name);
      try {
        await warnOnce();
        const { open, twice, late } = await openAttempts(journal, profile);
        const isOther = ({ sent }: AttemptRecord) => shown === undefined || sent.proof.orderId !== shown;
        for (const line of unconfirmedLines(open.filter(isOther), profile.settings)) parts.notes.note(line);
        for (const line of alarmedLines(twice.filter(isOther), late.filter(isOther), profile.settings))
          parts.notes.note(line);
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        parts.notes.warn(`the journal cannot be read: ${error.message}`);
      }
    },
  };
}

// A row may hold a key that somebody typed, or that came from a file. (Keys in replies are masked before.)
function withoutKeys(store: JournalStore, secrets: JournalParts['secrets']): JournalStore {
  const cleaned = <Row extends object>(row: Row): Row => {
    const json = JSON.stringify(row);
    return secrets.holds(json) ? JSON.parse(secrets.cleanJson(json)) : row;
  };
  return {
    ...store,
    append: (row) => store.append(cleaned(row)),
    takeBack: (sent, verdict) => store.takeBack(sent, cleaned(verdict)),
    async rules() {
      const rules = await store.rules?.();
      return (
        rules && {
          ...rules,
          ask: (id, what) => rules.ask(id, cleaned(what)),
          decide: (id, step, how) => rules.decide(id, step, cleaned(how)),
        }
      );
    },
  };
}

// Under --dry-run, paydesk shows what a read proves and does not write it down.
function unwritten(store: JournalStore): JournalStore {
  return {
    ...store,
    append: () => Promise.resolve(),
    takeBack: () => Promise.resolve(),
    eraseBodies: () => Promise.resolve(0),
  };
}

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= act();
    return done;
  };
}

interface OpenAttempts {
  readonly open: readonly AttemptRecord[];
  /** Refunds that were paid back twice. */
  readonly twice: readonly AttemptRecord[];
  /** Refunds that appeared although somebody had recorded that they were not made. */
  readonly late: readonly AttemptRecord[];
}

async function openAttempts(journal: Journal, { origin }: Profile): Promise<OpenAttempts> {
  const attempts = await journal.attempts({ origin, unconfirmed: true });
  if (attempts.length === 0) return { open: [], twice: [], late: [] };
  const now = await journal.now();
  return {
    open: attempts.filter((record) => isOpen(record, now)),
    twice: attempts.filter(isPaidTwice),
    late: attempts.filter((record) => appearedVerdict(record) !== undefined),
  };
}

function createJournal(parts: JournalParts): Journal {
  const { store, clock, operator } = parts;
  const effectParts = async (record: AttemptRecord): Promise<EffectParts> => ({
    ...parts,
    service: await parts.open(await profileFor(parts, record)),
  });
  const now: Journal['now'] = (service = {}) => momentOf(clock, store, service);
  // In a team it is who signed in, whatever PAYDESK_OPERATOR says.
  const whoStates = async () => (await (await store.rules?.())?.member()) ?? operator;
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
    settings: () => store.settings(),
    recordSetting: async (change) =>
      store.append({ type: 'setting', ...stampOf(await now()), operator, ...change }),
    now,
    isOpen,
    blockedUntil,
    isDue,
    mayStillLeave,
    refuseOpen: (order) => refuseOpen({ ...parts, now, readAgain }, order),
    refuseDuplicate: (order) => refuseDuplicate({ ...parts, now, effectParts }, order),
    refusePlanned: (refund) => refusePlanned({ ...parts, now }, refund),
    unshownRefunds,
    appearedRefunds,
    seenTwice,
    unconfirmed: (service, orderId) => unconfirmedOf({ store, now }, service, orderId),
    paidTwice: (service, orderId) => paidTwiceOf(store, service, orderId),
    attemptsOf: (service, orders) => attemptsOf(store, service, orders),
    probableRefunds,
    rules: async () => await store.rules?.(),
    claimPlan: (plan, text) => claimPlan(parts, plan, text),
    applying: (plan) => applying(parts, plan),
    problem: () => store.problem(),
    isAway: async () => (await store.server?.())?.problem !== undefined,
    isWatched,
    ownRefunds,
    namedByReply,
    pickDue,
    reconcile: async (record, how) => resolveOne(await effectParts(record), record, how),
    settle: async (record, statement, confirm) => {
      const said = { ...statement, operator: await whoStates() };
      return resolveOne(await effectParts(record), record, { statement: said, confirm });
    },
    acknowledge: async (record, note) =>
      resolveOne(await effectParts(record), record, {
        acknowledgement: { operator: await whoStates(), note },
      }),
    async sentAgain(record) {
      const { orderId } = record.sent.proof;
      const all = orderId === undefined ? [] : await store.attempts({ orderId });
      const account = marksOf(record.sent);
      return sentAgain(
        record,
        all.filter(({ sent }) => mayBeSameAccount(marksOf(sent), account)),
      );
    },
    tooEarlyUntil(record, moment) {
      const refusal = tooEarly(record, moment);
      return refusal?.why === 'too_early' ? refusal.until : undefined;
    },
    async settledAlike(service, intent) {
      const account = marksOfService(service);
      const byHand = await store.attempts({ byHand: true });
      return byHand.filter(
        ({ sent }) => mayBeSameAccount(marksOf(sent), account) && asksForSame(sent, intent),
      );
    },
    mayAppearUntil(record) {
      const horizon = horizonOf(record);
      return Number.isSafeInteger(horizon) ? horizon : undefined;
    },
    async recordedByHand(service, orderId) {
      const attempts = await attemptsOf(store, service, orderId);
      return attempts.filter(({ verdicts }) => verdicts.some(({ by }) => by === 'person'));
    },
    recorded: (given, asked) => recordedOutcome({ store, effectParts }, given, asked),
    forget: (before) => store.eraseBodies(before),
    verify: (head) => store.verify(head),
    repair: () => store.repair(clock.now()),
    archive: (path) => store.archive(path),
    restore: (path) => store.restore(path),
  };
}

interface RefuseParts extends Pick<JournalParts, 'store' | 'shortTime' | 'dryRun'> {
  readonly now: () => Promise<Moment>;
  /** The attempt after its order was read again; undefined when it cannot be read now. */
  readonly readAgain: (record: AttemptRecord) => Promise<AttemptRecord | undefined>;
}

async function refuseOpen(
  { store, now, readAgain, shortTime, dryRun }: RefuseParts,
  { service, kind, orderId, again }: Parameters<Journal['refuseOpen']>[0],
): Promise<readonly AttemptRecord[]> {
  const closed: AttemptRecord[] = [];
  // Before the preview: nobody should decide on a change that the journal refuses anyway.
  if (!dryRun) await store.ready();
  // If the journal cannot be read now, the change itself says so.
  const own = await attemptsOf(store, service, orderId).catch(() => []);
  const shown = { shortTime, amounts: service.profile.settings };
  const refuse = (refusal: Refusal | undefined) => {
    if (refusal !== undefined) throw refusalError(refusal, orderId, shown);
  };
  if (!dryRun) {
    refuse(usedUp(again, own));
    for (const record of own.filter(isUnsettled)) {
      if (!isOpen(record, await now())) continue;
      const after = isDue(record, await now()) ? await readAgain(record) : record;
      if (after === undefined) continue;
      if (isOpen(after, await now()))
        refuse({ why: 'open', attempt: after, account: marksOfService(service) });
      closed.push(after);
    }
  }
  // What the reads have just found is told by the change itself, with both refunds (exit 7).
  refuse(paidTwice({ kind, orderId }, own));
  return closed;
}

interface DuplicateParts extends Omit<RefuseParts, 'readAgain'> {
  readonly effectParts: (record: AttemptRecord) => Promise<EffectParts>;
}

// Before the preview: nobody should decide on a change that the final read stops anyway.
async function refuseDuplicate(
  { store, now, effectParts, shortTime, dryRun }: DuplicateParts,
  { service, orderId, order }: Parameters<Journal['refuseDuplicate']>[0],
): Promise<void> {
  // If the journal cannot be read now, the change itself says so.
  const own = await attemptsOf(store, service, orderId).catch(() => []);
  const shown = { shortTime, amounts: service.profile.settings };
  for (const attempt of own) {
    const twice = duplicateNow(attempt, own, order);
    const late = appearedOn(attempt, own, order);
    const ruling = twice ? rulingOf(twice) : late && appearedRuling(late);
    if (ruling === undefined) continue;
    const verdict = dryRun
      ? verdictRow(attempt.sent, await now(), ruling)
      : await readForVerdict(await effectParts(attempt), attempt);
    if (verdict === undefined) continue;
    const again = late && sentAs(attempt, late);
    throw refusalError({ why: 'appeared', attempt, verdict, sentAs: again }, orderId, shown);
  }
}

// The alarm, or the verdict after that of a person, which the read under the lock gave; undefined if it shows nothing of that.
async function readForVerdict(parts: EffectParts, attempt: AttemptRecord): Promise<VerdictRow | undefined> {
  const { record } = await resolveOne(parts, attempt);
  const verdict = verdictOf(record);
  const isNews = isDoubted(attempt) ? !isDoubted(record) : verdict?.alarm === 'duplicate';
  return isNews ? verdict : undefined;
}

// Before the last questions: nobody should write a note for a refund that the journal refuses anyway.
async function refusePlanned(
  { store, now, shortTime }: Omit<RefuseParts, 'readAgain'>,
  { service, intent, order }: Parameters<Journal['refusePlanned']>[0],
): Promise<void> {
  // If the journal cannot be read now, the change itself says so.
  const own = await attemptsOf(store, service, intent.orderId).catch(() => []);
  const { settings: amounts, name: profile } = service.profile;
  const { currency, request, note } = intent;
  const shown = { shortTime, amounts, currency, profile, asked: { body: request.body, note } };
  const asked = { ...intent, kind: 'refund', intent: '', account: marksOfService(service) } as const;
  const decision = decide(asked, own, await now());
  // Another run may be sending just now. The change itself waits for the lock, and then says which run it is.
  if (decision.go === 'refuse' && decision.refusal.why === 'open') return;
  const refused = decision.go === 'refuse' ? decision.refusal : undefined;
  // The same refund was recorded by hand: whether the order shows it says more than the journal alone.
  const unshown =
    refused === undefined || refused.why === 'made'
      ? unshownRefund(asked, unshownRefunds(own, order), own)
      : undefined;
  const refusal = unshown ?? refused;
  if (refusal !== undefined) throw refusalError(refusal, intent.orderId, shown);
}

// The named profile, or the one that sent the change if it still reaches its account, or the only other one that does.
async function profileFor({ profiles, named }: JournalParts, { sent }: AttemptRecord): Promise<string> {
  // After a repair the account of an attempt may be unknown. Then the named profile is taken.
  if (sent.account === '') return named ?? '';
  const reaching = await profiles.reaching(sent.account);
  const [only, second] = reaching;
  const wanted = named ?? sent.profile;
  if (reaching.includes(wanted)) return wanted;
  if (only !== undefined && second === undefined && named === undefined) return only;
  const { intent } = sent;
  const parts = { certain: 'nothing was read, sent or recorded', intent };
  // An error that suggests a command of another profile must not get the one that was typed.
  const ways = reaching.map((name) =>
    commandLine({ kind: name === 'environment' ? name : 'stored', name }, 'journal', 'reconcile', intent),
  );
  if (named === undefined && only !== undefined)
    throw new CliError('usage', `profile ${sent.profile} sent ${intent}, and no longer reaches its account`, {
      ...parts,
      now: ['others do; take the one that you mean:', ...ways],
    });
  const who = named === undefined ? '' : ` ${named}`;
  throw new CliError('auth', `no profile${who} reaches the account of ${intent} (${sent.account})`, {
    ...parts,
    now:
      only === undefined
        ? [`add a profile of that account: paydesk profile add ${sent.profile}`]
        : [`it is reached by ${reaching.join(', ')}: -p ${only}; to look it up:`, ...ways],
  });
}

// On one machine a lock, of its own kind since a batch holds it for long. The desks of a team claim its rows one by one.
async function claimPlan(
  { store, locks, signal, shortTime }: Pick<JournalParts, 'store' | 'locks' | 'signal' | 'shortTime'>,
  { id, digest }: { readonly id: string; readonly digest: string },
  text: () => Promise<string>,
): Promise<PlanClaim> {
  const rules = await store.rules?.();
  if (rules !== undefined) {
    const shared = await rules.plan(digest, text);
    // If the server does not hear it, it waits until the time of this run has run out.
    return { shared, release: () => shared.leave().catch(() => undefined) };
  }
  const taken = await locks.take(planLock(id), { waitMs: 0, signal, alone: true });
  if (taken.held) return { shared: undefined, release: () => taken.release() };
  const { owner } = taken;
  throw new CliError(
    'refused',
    `another run is applying plan ${id}${owner === undefined ? '' : `: ${ownerWords(owner, shortTime)}`}`,
    {
      certain: 'nothing was sent by this run',
      now: ['wait until it has ended, then run the command again'],
    },
  );
}

function planLock(id: string): string {
  return `plan ${id}`;
}

function ownerWords({ operator, since }: LockOwner, shortTime: JournalParts['shortTime']): string {
  return `${operator}, since ${shortTime(since)}`;
}

// Whoever only looks is not stopped by locks that do not work, or by a server that is away: the run that sends is.
async function applying(
  { store, locks, signal, shortTime }: Pick<JournalParts, 'store' | 'locks' | 'signal' | 'shortTime'>,
  { id, digest }: { readonly id: string; readonly digest: string },
): Promise<string | undefined> {
  try {
    const rules = await store.rules?.();
    if (rules !== undefined) {
      const { working } = await rules.planProgress(digest);
      const members = working.map(
        ({ member, orders }) => `${member} at ${orders === 1 ? '1 order' : `${orders} orders`}`,
      );
      return members.join(', ') || undefined;
    }
    const taken = await locks.take(planLock(id), { waitMs: 0, signal, alone: true });
    if (!taken.held) return taken.owner === undefined ? 'by another run' : ownerWords(taken.owner, shortTime);
    await taken.release();
    return undefined;
  } catch (error) {
    if (!(error instanceof CliError) || signal?.aborted === true) throw error;
    return undefined;
  }
}
