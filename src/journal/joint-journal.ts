/**
 * Several journals as one, for commands that look at the changes of all profiles: the journal of this machine, and those of the
 * teams that this user has joined. What is recorded goes to the journal that has the change.
 */

import type { Journal } from './journal.ts';
import { type AttemptRecord, attemptKey, type Moment } from './journal-rows.ts';
import { byNewest } from './journal-store.ts';

/** Joins journals. `own`: the journal of the run, which answers whatever is not about a change that is known here. */
export function jointJournal(own: Journal, journals: readonly Journal[]): Journal {
  const homes = new Map<string, Journal>();
  // A list may be as long as the journals: nothing may keep what was shown of it.
  const listedIn = new WeakMap<AttemptRecord['sent'], Journal>();
  const moments = new WeakMap<Moment, ReadonlyMap<Journal, Moment>>();
  const homeOf = ({ sent }: AttemptRecord) => homes.get(attemptKey(sent)) ?? listedIn.get(sent) ?? own;
  // Each journal has a clock of its own.
  const momentFor = (record: AttemptRecord, now: Moment) => moments.get(now)?.get(homeOf(record)) ?? now;
  return {
    ...own,
    async attempts(query) {
      const found: AttemptRecord[] = [];
      for (const journal of journals)
        for (const record of await journal.attempts(query)) {
          homes.set(attemptKey(record.sent), journal);
          found.push(record);
        }
      return found.toSorted((one, other) => one.sent.time - other.sent.time);
    },
    async list(filter, page) {
      const found: AttemptRecord[] = [];
      for (const journal of journals)
        for (const record of await journal.list(filter, page)) {
          listedIn.set(record.sent, journal);
          found.push(record);
        }
      return found.toSorted((one, other) => byNewest(one.sent, other.sent)).slice(0, page.limit);
    },
    async operators(origin) {
      const each = await Promise.all(journals.map((journal) => journal.operators(origin)));
      return [...new Set(each.flat())].toSorted();
    },
    async settings() {
      const rows = await Promise.all(journals.map((journal) => journal.settings()));
      return rows.flat().toSorted((one, other) => one.time - other.time);
    },
    async now(service) {
      const now = await own.now(service);
      const each = journals.map(async (journal) => [journal, await journal.now(service)] as const);
      moments.set(now, new Map(await Promise.all(each)));
      return now;
    },
    async problem() {
      const problems = await Promise.all(journals.map((journal) => journal.problem()));
      return problems.find((problem) => problem !== undefined);
    },
    isOpen: (record, now) => own.isOpen(record, momentFor(record, now)),
    isDue: (record, now) => own.isDue(record, momentFor(record, now)),
    mayStillLeave: (record, now) => own.mayStillLeave(record, momentFor(record, now)),
    tooEarlyUntil: (record, now) => own.tooEarlyUntil(record, momentFor(record, now)),
    onSameOrder: (record) => homeOf(record).onSameOrder(record),
    reconcile: (record, how) => homeOf(record).reconcile(record, how),
    settle: (record, ...said) => homeOf(record).settle(record, ...said),
    acknowledge: (record, note) => homeOf(record).acknowledge(record, note),
  };
}
