/** Finds the attempts of a journal that a read may still change, and reads no others, however long the journal is. */

import { isDue } from '../attempt-state.ts';
import { tolerableSkewMs } from '../journal-time.ts';
import type { AttemptFilter } from '../rows/attempt-query.ts';
import { type AttemptRecord, attemptKey, type Moment } from '../rows/journal-rows.ts';
import type { JournalStore } from '../rows/journal-store.ts';

/** The most refunds that are looked at among those that were made and are due. */
const watchedMax = 20;

type Asked = Pick<JournalStore, 'attempts'>;

/**
 * The unconfirmed attempts, those with an alarm, those that a person recorded as not made, or as made not long ago, and the first
 * due ones of the refunds that were made and are watched. `isDue` says which of them are to be read now.
 */
export async function unfinished(
  journal: Asked,
  filter: AttemptFilter,
  now: Moment,
  limit = watchedMax,
): Promise<readonly AttemptRecord[]> {
  // All are asked at the same moment, so that a team's journal asks its server only once.
  const [madeByHand, ...found] = await Promise.all([
    journal.attempts({ ...filter, madeByHand: now }),
    journal.attempts({ ...filter, open: now }),
    journal.attempts({ ...filter, doubted: true }),
    ...watchedDue(journal, filter, now, limit),
  ]);
  const made = madeByHand.filter((record) => isDue(record, now));
  return [...new Map([...found.flat(), ...made].map((record) => [attemptKey(record.sent), record])).values()];
}

// While the clocks disagree no row tells whether it is due. Nor does one that a wrong clock wrote, if its time is still to come.
function watchedDue(
  journal: Asked,
  filter: AttemptFilter,
  { time, skewed }: Moment,
  limit: number,
): readonly Promise<readonly AttemptRecord[]>[] {
  const atAnyTime = { dueBy: Number.MAX_SAFE_INTEGER, limit };
  if (skewed) return [journal.attempts({ ...filter, watched: atAnyTime })];
  const since = Math.max(filter.since ?? 0, time + tolerableSkewMs);
  return [
    journal.attempts({ ...filter, watched: { dueBy: time, limit } }),
    journal.attempts({ ...filter, since, watched: atAnyTime }),
  ];
}
