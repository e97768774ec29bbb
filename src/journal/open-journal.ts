/** Opens the journal of a run: it answers what commands ask, and says once what is open, and what is damaged. */

import type { Service } from '../api/api.ts';
import { meaningOfRefund } from '../api/spec.ts';
import { CliError, refused } from '../errors.ts';
import { type Io, turn } from '../io.ts';
import { commandLine, type Profile, type Profiles, profileNamed } from '../profiles/profiles.ts';
import type { Notes, Secrets } from '../terminal/terminal.ts';
import { recordedOutcome } from './change-outcome.ts';
import type { EffectParts } from './effects.ts';
import { askedOfStore, type Journal, type Resolve } from './journal.ts';
import { momentOf, stampOf } from './journal-time.ts';
import { accountLimits, limitPrefix } from './questions/account-limits.ts';
import { openAttempts } from './questions/known-attempts.ts';
import { recordedState } from './questions/recorded-state.ts';
import { needsLookLine } from './questions/unconfirmed.ts';
import { failedRefunds } from './questions/verdicts-say.ts';
import { resolveOne } from './read-again.ts';
import { applying, claimPlan, refuseDuplicate, refuseOpen, refusePlanned } from './refuse-early.ts';
import { archiveInto } from './rows/archive-file.ts';
import { type AttemptRecord, copyName } from './rows/journal-rows.ts';
import { type JournalStore, methodsOf } from './rows/journal-store.ts';
import { attemptsOf, marksOf, mayBeOf, mayBeSameAccount } from './same-account.ts';
import { asksForSame } from './same-request.ts';

/** What a run needs for its journal. */
interface JournalParts extends Omit<EffectParts, 'service'> {
  readonly signal: AbortSignal;
  readonly operator: string;
  /** Relative file names start from this folder. */
  readonly cwd: () => string;
  readonly keepHeapSmall: Io['keepHeapSmall'];
  readonly dryRun: boolean;
  readonly profiles: Pick<Profiles, 'reaching'>;
  readonly notes: Pick<Notes, 'aside' | 'warn'>;
  readonly secrets: Pick<Secrets, 'holds' | 'cleanJson'>;
  /** The profile named on the command line or by PAYDESK_PROFILE. */
  readonly named: string | undefined;
  readonly open: (profile: string) => Promise<Service>;
  /** Where the rows of the store are, for messages. */
  readonly place: () => Promise<string>;
  /** What reads orders again instead of this run; undefined if this run does it. */
  readonly elsewhere?: (() => Promise<Resolve | undefined>) | undefined;
}

/** What `cli/` gets from the journal of a run. */
interface OpenedJournal {
  /** For changes. Keys are masked in every row that is added. */
  readonly store: JournalStore;
  /** For commands. */
  readonly journal: Journal;
  /**
   * Prints one line if somebody must look at changes of the account. If the journal cannot be read, it only warns. `shown`: the
   * order that the run shows, with everything that is open on it; the line leaves that order out.
   */
  tellOpen(profile: Profile, shown?: string): Promise<void>;
  /**
   * Checks some rows of the journal, once, while the run waits for the service, so that each row is checked again from time to
   * time. Warns of damage. Does nothing after `close`, and never fails.
   */
  checkInPassing(): Promise<void>;
  /** Ends the check in passing, and closes the store. */
  close(): void;
}

// As many rows as can be checked in some milliseconds. A journal of 1,000,000 changes is checked again every 12,000 runs.
const checkedInPassing = 250;

/** Opens nothing before it is first used. */
export function openJournal(parts: JournalParts): OpenedJournal {
  const store = withoutKeys(parts.store, parts.secrets);
  const journal = createJournal({ ...parts, store: parts.dryRun ? withoutWrites(store) : store });
  const told = new Set<string>();
  let [checks, closed, isTold] = [false, false, false];
  // Commands that only read go on, with a warning that changes are refused.
  const warnOnce = once(async () => {
    const problem = isTold ? undefined : await store.problem();
    if (problem === undefined) return;
    parts.notes.warn(`${problem}; no change is made until somebody has looked: paydesk journal verify`);
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
      async problem(tells = false) {
        isTold ||= tells;
        return await journal.problem();
      },
      attempts: (query) => thenWarn(journal.attempts(query)),
      list: (filter, page) => thenWarn(journal.list(filter, page)),
      attemptsOf: (service, orders) => thenWarn(journal.attemptsOf(service, orders)),
    },
    async checkInPassing() {
      if (checks) return;
      checks = true;
      // The request goes out first.
      for (let turns = 0; turns < 2; turns += 1) await turn();
      if (closed) return;
      const how = { limit: checkedInPassing, now: parts.clock.now() };
      const found = await store.checkSome(how).catch(() => undefined);
      if (found !== undefined)
        parts.notes.warn(`the journal is damaged: row ${found.seq} ${found.problem}: paydesk journal verify`);
    },
    close() {
      closed = true;
      store.close();
    },
    async tellOpen(profile, shown) {
      if (told.has(profile.name)) return;
      told.add(profile.name);
      try {
        await warnOnce();
        const line = needsLookLine(
          await needsLook(journal, profile, shown),
          shown === undefined ? '' : 'other orders: ',
        );
        if (line !== undefined) parts.notes.aside(line);
      } catch (error) {
        // If the sender does not let this user in, it would not do so at a second try.
        if (!(error instanceof CliError) || error.kind === 'auth') throw error;
        parts.notes.warn(`the journal cannot be read: ${error.message}`);
      }
    },
  };
}

// The row that says that a person allowed changes again after the files were put back from a copy.
const copyAccepted = {
  profile: '',
  origin: '',
  account: '',
  name: copyName,
  from: null,
  to: null,
} as const;

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= act();
    return done;
  };
}

// What is unconfirmed or has an alarm, on all orders but the one that is shown.
async function needsLook(
  journal: Journal,
  { origin }: Profile,
  shown: string | undefined,
): Promise<readonly AttemptRecord[]> {
  const open = await openAttempts(journal, { origin });
  const others = open.filter(({ sent }) => shown === undefined || sent.proof.orderId !== shown);
  const failed = others.filter((record) => recordedState(record) === 'failed');
  const orderIds = new Set(failed.flatMap(({ sent }) => sent.proof.orderId ?? []));
  if (orderIds.size === 0) return others;
  const made = (await journal.attempts({ origin, orderIds })).filter(
    (record) => recordedState(record) === 'made',
  );
  const repeats = new Set<AttemptRecord>();
  const repeated = failed.filter((record) => {
    const repeat = made.find((one) => !repeats.has(one) && isRepeatOf(one, record));
    if (repeat !== undefined) repeats.add(repeat);
    return repeat !== undefined;
  });
  // There is nothing to tell the buyer of a refund that failed and was sent again and made since.
  return others.filter((record) => !repeated.includes(record));
}

// The same money, sent when the order showed that the first one had failed.
function isRepeatOf({ sent: later }: AttemptRecord, failed: AttemptRecord): boolean {
  const before = new Set<string | undefined>(
    later.proof.before.charges
      .flatMap(({ refunds }) => refunds)
      .flatMap(({ id, status }) => (meaningOfRefund(status) === 'failed' ? [id] : [])),
  );
  const ids = failedRefunds(failed).map((one) => one.id);
  const money = ({ proof }: AttemptRecord['sent']) =>
    JSON.stringify(proof.expected.map(({ chargeId, amount }) => [chargeId, amount]));
  return ids.length > 0 && ids.every((id) => before.has(id)) && money(later) === money(failed.sent);
}

function createJournal(parts: JournalParts): Journal {
  const { store, clock, operator } = parts;
  // Each row is dropped soon after it was read, so that a long journal needs hardly more memory than a short one.
  const beforeAllRows = () => {
    for (const space of ['young', 'old'] as const) parts.keepHeapSmall(space);
  };
  const serviceOf = async (record: AttemptRecord) => parts.open(await profileFor(parts, record));
  const resolve: Resolve = async (record, how) =>
    (await parts.elsewhere?.())?.(record, how) ??
    resolveOne({ ...parts, service: await serviceOf(record) }, record, how);
  const now: Journal['now'] = (service = {}) => momentOf(clock, store, service);
  const member = async () => (await store.rules?.())?.member();
  // In a team it is the person who signed in, whatever PAYDESK_OPERATOR says.
  const whoStates = async () => (await member()) ?? operator;
  // Undefined when another run holds the order, or when no profile reaches it.
  const readAgain = async (record: AttemptRecord): Promise<AttemptRecord | undefined> => {
    try {
      return (await resolve(record)).record;
    } catch (error) {
      if (error instanceof CliError) return undefined;
      throw error;
    }
  };
  return {
    ...methodsOf(askedOfStore, async () => store),
    file: store.place,
    place: parts.place,
    witness: store.witness ?? '',
    limits: async (account) => accountLimits(await store.settings(limitPrefix), account),
    recordSetting: async (change) =>
      store.append({ type: 'setting', ...stampOf(await now()), operator, ...change }),
    now,
    refuseOpen: (order) => refuseOpen({ ...parts, now, readAgain }, order),
    refuseDuplicate: (order) => refuseDuplicate({ ...parts, now, resolve }, order),
    refusePlanned: (refund) => refusePlanned({ ...parts, now }, refund),
    attemptsOf: (service, orders) => attemptsOf(store, service, orders),
    rules: async () => await store.rules?.(),
    member,
    claimPlan: (plan) => claimPlan(parts, plan),
    applying: (plan) => applying(parts, plan),
    reconcile: (record, how) => resolve(record, how),
    settle: async (record, statement, confirm) => {
      const said = { ...statement, operator: await whoStates() };
      return resolve(record, { statement: said, confirm });
    },
    acknowledge: async (record, note) =>
      resolve(record, { acknowledgement: { operator: await whoStates(), note } }),
    async onSameOrder({ sent }) {
      const { orderId } = sent.proof;
      const all = orderId === undefined ? [] : await store.attempts({ orderId });
      const account = marksOf(sent);
      return all.filter((one) => mayBeSameAccount(marksOf(one.sent), account));
    },
    async settledAlike(service, change) {
      const byHand = await store.attempts({ byHand: true });
      return byHand.filter((record) => mayBeOf(service, record) && asksForSame(record.sent, change));
    },
    async sentSince(service, { kind, since }) {
      return (await store.list({ kind, since }, { limit: 100 })).filter((record) => mayBeOf(service, record));
    },
    recorded: async (idempotencyKey, asked) =>
      idempotencyKey === undefined
        ? undefined
        : await recordedOutcome({ store, clock, serviceOf, resolve }, idempotencyKey, asked),
    async verify(head) {
      beforeAllRows();
      return await store.verify(head, clock.now());
    },
    acceptCopy: async () =>
      store.acceptCopy({ type: 'setting', ...stampOf(await now()), operator, ...copyAccepted }),
    async copyAcceptedAt() {
      const accepted = (await store.settings(copyName)).at(-1);
      return accepted?.time;
    },
    repair: () => store.repair(clock.now()),
    async exportTo(path) {
      beforeAllRows();
      return await archiveInto(store, path, parts.cwd);
    },
    async storedRows(sents) {
      const problem = await store.problem();
      if (problem === undefined) return await store.storedRows(sents);
      throw refused(problem, ['paydesk journal verify'], { certain: 'nothing was written' });
    },
    async archiveOld(how) {
      beforeAllRows();
      return await store.archiveOld({ ...how, said: { ...stampOf(await now()), operator } });
    },
    async inFile(path) {
      const { archiveStore } = await import('./sqlite/archive-store.ts');
      return createJournal({ ...parts, store: await archiveStore(path, parts.cwd) });
    },
    async verifyFile(path, head) {
      const { verifyArchive } = await import('./sqlite/archive-store.ts');
      return await verifyArchive(path, parts.cwd, head);
    },
  };
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
  const { change } = sent;
  const parts = { certain: 'nothing was read, sent or recorded', change };
  // An error that suggests a command of another profile must not get the one that was typed.
  const ways = reaching.map((name) => commandLine(profileNamed(name), 'journal', 'reconcile', change));
  if (named === undefined && only !== undefined)
    throw new CliError('usage', `profile ${sent.profile} sent ${change}, and no longer reaches its account`, {
      ...parts,
      now: ['others do; take the one that you mean:', ...ways],
    });
  const who = named === undefined ? '' : ` ${named}`;
  throw new CliError('auth', `no profile${who} reaches the account of ${change} (${sent.account})`, {
    ...parts,
    now:
      only === undefined
        ? [`add a profile of that account: paydesk profile add ${sent.profile}`]
        : [`it is reached by ${reaching.join(', ')}: -p ${only}; to look it up:`, ...ways],
  });
}

/**
 * The store, with keys masked in what is added: a row may hold a key that somebody typed, or that came from a file. (Keys in
 * replies are masked before.)
 */
function withoutKeys(store: JournalStore, secrets: Pick<Secrets, 'holds' | 'cleanJson'>): JournalStore {
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

/** The store under --dry-run: paydesk shows what a read proves, and does not write it down. */
function withoutWrites(store: JournalStore): JournalStore {
  return {
    ...store,
    append: () => Promise.resolve(),
    takeBack: () => Promise.resolve(),
    eraseBodies: () => Promise.resolve(0),
  };
}
