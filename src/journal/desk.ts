/** The journal as commands see it: attempts, reads, settling, and the care of the file. */

import type { Service } from '../api/api.ts';
import { CliError } from '../errors.ts';
import type { Clock } from '../io.ts';
import type { Locks } from '../locks/locks.ts';
import { archiveJournal, restoreJournal } from './archive.ts';
import { answersRepeat, usedUp } from './guards.ts';
import type { HandsParts } from './hands.ts';
import type { ChangeSubject, JournalDesk, Outcome } from './journal.ts';
import { lookAt, recordIn } from './look.ts';
import { outcomeOf, type Witness } from './outcome.ts';
import { pickDue, resolveOne } from './reconcile.ts';
import { repairStore } from './repair.ts';
import type { AttemptRecord, Moment, SentRow } from './rows.ts';
import { marksOf, marksOfService, mayBeSameAccount } from './same-account.ts';
import { isOtherWish } from './same-wish.ts';
import type { Sight } from './sight.ts';
import { blockedUntil, isDue, isOpen, isUnsettled, isWatched, ownRefunds, verdictOf } from './standing.ts';
import type { FileStore } from './store.ts';
import { momentOf } from './time.ts';
import { refusalError } from './words.ts';

/** What the desk is made of. */
export interface DeskParts {
  readonly store: FileStore;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly operator: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Opens the profile that reaches an attempt's account. Throws CliError when none or several do. */
  readonly serviceFor: (record: AttemptRecord) => Promise<Service>;
}

/** Makes the desk. Nothing is opened before something is asked for. */
export function createDesk(parts: DeskParts): JournalDesk {
  const { store, clock, operator } = parts;
  const handsFor = async (record: AttemptRecord): Promise<HandsParts> => ({
    ...parts,
    service: await parts.serviceFor(record),
  });
  const now = () => momentOf(clock, store, {});
  // Undefined: another run holds the order, or no profile reaches it.
  const again = async (record: AttemptRecord): Promise<AttemptRecord | undefined> => {
    try {
      return (await resolveOne(await handsFor(record), record)).record;
    } catch (error) {
      if (error instanceof CliError) return undefined;
      throw error;
    }
  };
  return {
    file: store.file,
    witness: store.parts.witness ?? '',
    attempts: (query) => store.attempts(query),
    now,
    isOpen,
    blockedUntil,
    isDue,
    refuseOpen: (order) => refuseOpen({ store, now, readAgain: again }, order),
    problem: () => problemOf(store),
    isWatched,
    ownRefunds,
    pickDue,
    reconcile: async (record, how) => resolveOne(await handsFor(record), record, how),
    settle: async (record, statement, confirm) =>
      resolveOne(await handsFor(record), record, { statement: { ...statement, operator }, confirm }),
    recorded: (given, asked) => recordedUnder({ store, handsFor }, given, asked),
    forget: (before) => store.forget(before),
    verify: (head) => store.verify(head),
    repair: async () => {
      const { findings } = await store.verify();
      if (findings.length === 0)
        throw new CliError('refused', `the journal ${store.file} is whole`, {
          certain: 'nothing was changed',
        });
      store.close();
      return repairStore(store.file, clock.now(), store.parts);
    },
    archive: (path) => archiveJournal(store, path),
    restore: (path) => restoreJournal(store, path),
  };
}

interface OpenParts {
  readonly store: FileStore;
  readonly now: () => Promise<Moment>;
  /** The attempt after a read of its order; undefined when it cannot be read now. */
  readonly readAgain: (record: AttemptRecord) => Promise<AttemptRecord | undefined>;
}

async function problemOf(store: FileStore): Promise<string | undefined> {
  try {
    return await store.mismatch();
  } catch (error) {
    // Damaged so badly that the two cannot even be compared.
    return error instanceof Error ? error.message : String(error);
  }
}

async function refuseOpen(
  { store, now, readAgain }: OpenParts,
  { service, orderId, again }: Parameters<JournalDesk['refuseOpen']>[0],
): Promise<readonly AttemptRecord[]> {
  const account = marksOfService(service);
  const closed: AttemptRecord[] = [];
  // Nobody is shown a preview of what is refused for the journal.
  await store.ready();
  // If the journal cannot be read now, the change itself says so.
  const all = await store.attempts({ orderId }).catch(() => []);
  const own = all.filter(({ sent }) => mayBeSameAccount(marksOf(sent), account));
  const used = usedUp(again, own);
  if (used !== undefined) throw refusalError(used, orderId);
  for (const record of own.filter(isUnsettled)) {
    if (!isOpen(record, await now())) continue;
    const after = isDue(record, await now()) ? await readAgain(record) : record;
    if (after === undefined) continue;
    if (isOpen(after, await now())) throw refusalError({ why: 'open', attempt: after, account }, orderId);
    closed.push(after);
  }
  return closed;
}

interface RecordedParts {
  readonly store: FileStore;
  readonly handsFor: (record: AttemptRecord) => Promise<HandsParts>;
}

async function recordedUnder(
  { store, handsFor }: RecordedParts,
  given: string,
  { kind, asked, again, service }: Parameters<JournalDesk['recorded']>[1],
): ReturnType<JournalDesk['recorded']> {
  const under = await store.attempts({ given });
  const account = marksOfService(service);
  const last = under.findLast(({ sent }) => mayBeSameAccount(marksOf(sent), account));
  if (last === undefined) return undefined;
  const typed = { kind, asked };
  if (isOtherWish(typed, last))
    throw refusalError({ why: 'other_parameters', attempt: last, now: typed }, given);
  const outcome = await answer(await handsFor(last), last, again);
  return outcome && { outcome, change: subjectOf(last.sent) };
}

function subjectOf({ proof, amount, currency, request }: SentRow): ChangeSubject {
  return { kind: proof.kind, orderId: proof.orderId, amount, currency, request };
}

// What the read for a repeat showed. There was none when nothing was due, or another run had settled it.
function readOf(sight: Sight | undefined, at: number): Pick<Witness, 'reads' | 'lastReadAt' | 'unread'> {
  if (sight === undefined) return { reads: 0 };
  if (sight.shows === 'unreadable') return { reads: 0, unread: sight.problem };
  return { reads: 1, lastReadAt: at };
}

async function answer(
  hands: HandsParts,
  last: AttemptRecord,
  again: readonly string[],
): Promise<Outcome | undefined> {
  const moment = () => momentOf(hands.clock, hands.store, hands.service);
  const due = isDue(last, await moment());
  const looked = due ? await resolveOne(hands, last) : undefined;
  const lookedAt = hands.clock.now();
  const record = looked?.record ?? last;
  if (!answersRepeat(record, again, await moment())) return undefined;
  const { kind, orderId, before } = record.sent.proof;
  const target = { kind, orderId, before: before.newest };
  const read = await lookAt(hands.service, target).catch(() => undefined);
  const verdict = verdictOf(record);
  return outcomeOf(record.sent, verdict, {
    read: recordIn(read, verdict?.created),
    ...readOf(looked?.sight, lookedAt),
    blockedUntil: blockedUntil(record),
    recorded: true,
  });
}
