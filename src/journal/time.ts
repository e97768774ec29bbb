/** The journal's time: what all processes on this machine agree on, as far as clocks can be believed. */

import type { Clock, JournalStore, NewestRow, Service } from '../ports.ts';
import type { Clocks, Moment, SentRow, VerdictRow } from './rows.ts';

/** How far clocks may differ before none of them is trusted with a horizon. */
export const tolerableSkewMs = 120_000;

// A service's `Date` and its `created_at` are whole seconds, of two machines that differ a little.
const serviceSlackMs = 5_000;

/** Asks the clocks, the service's last `Date` and the journal what moment it is. */
export async function momentOf(
  clock: Clock,
  store: Pick<JournalStore, 'newest'>,
  service: Pick<Service, 'seenDate'>,
): Promise<Moment> {
  const wall = clock.now();
  const seen = service.seenDate?.();
  // A Date header is as old as the wall clock has moved since it came.
  const date = seen === undefined ? undefined : seen.date + Math.max(0, wall - seen.wall);
  const clocks: Clocks = { wall, service: date, boot: clock.boot?.() };
  const newest = await store.newest().catch(() => undefined);
  return momentFrom(clocks, clock.monotonic(), newest);
}

/**
 * The moment as the clocks give it. The wall clock is believed when the service's `Date` agrees with it; without a `Date`,
 * when neither the newest row, nor the time the file was written, nor the time since the machine was started speaks
 * against it. Where it is not believed the moment is `skewed`, and its time is one that no clock calls the future.
 * `newest` is undefined where the journal cannot be read.
 */
export function momentFrom(clocks: Clocks, mono: number, newest: NewestRow | undefined): Moment {
  const { wall, service: date } = clocks;
  const last = newest?.time ?? 0;
  const dated = date === undefined ? undefined : Math.abs(date - wall) <= tolerableSkewMs;
  // A journal that cannot be read says nothing against a clock, and nothing for it.
  const skewed = newest === undefined || (dated === undefined ? jumped(clocks, newest) : !dated);
  return {
    ...clocks,
    mono,
    skewed,
    dated: dated === true ? true : undefined,
    time: skewed ? pastOf(clocks, last) : Math.max(wall, date ?? 0, believable(wall, last)),
  };
}

// Only the last row's clocks are compared: a clock that was set right since then was set before that row.
function jumped({ wall, boot }: Clocks, { time, clocks, writtenAt = 0 }: NewestRow): boolean {
  if (Math.max(time, writtenAt) - wall > tolerableSkewMs) return true;
  const before = clocks?.boot;
  if (clocks === undefined || before === undefined || boot === undefined || before.id !== boot.id)
    return false;
  return Math.abs(wall - clocks.wall - (boot.ms - before.ms)) > tolerableSkewMs;
}

// A row far ahead of two clocks that agree was written by one that was wrong.
function believable(wall: number, time: number): number {
  return time - wall > tolerableSkewMs ? 0 : time;
}

// No later moment may have to come after a time that one of the clocks calls the future.
function pastOf({ wall, service }: Clocks, time: number): number {
  if (service !== undefined) return Math.max(time, Math.min(wall, service));
  return time > 0 ? time : wall;
}

type Written = Pick<SentRow | VerdictRow, 'time' | 'skewed' | 'clocks'>;

/**
 * Milliseconds since a row was written, as far as clocks can be believed: with the service's word for it by the journal's
 * time, without it not more than this machine has been up since. 0 where the clocks disagreed then or do now.
 */
export function passedSince(row: Written, now: Moment): number {
  if (row.skewed || now.skewed) return 0;
  const passed = Math.max(0, now.time - row.time);
  return now.dated ? passed : Math.min(passed, upSince(row, now) ?? passed);
}

/** The same for a person's word: where the clocks disagree the time that this machine is up counts, or any time. */
export function atLeastSince(row: Written, now: Moment): number {
  if (!row.skewed && !now.skewed) return passedSince(row, now);
  return upSince(row, now) ?? Number.POSITIVE_INFINITY;
}

// Undefined when this machine was started anew since then.
function upSince({ clocks }: Written, { boot }: Moment): number | undefined {
  const before = clocks?.boot;
  if (before === undefined || boot === undefined || before.id !== boot.id) return undefined;
  return Math.max(0, boot.ms - before.ms);
}

/** Whether a row was written by a clock that was ahead of the time: two clocks agree now, and say it lies in the future. */
export function isOfTheFuture({ time }: Pick<VerdictRow, 'time'>, now: Moment): boolean {
  return now.dated === true && time - now.time > tolerableSkewMs;
}

/** Before this (Unix milliseconds, the service's clock) the service made nothing that this attempt asked for. */
export function earliestOf({ time, skewed, clocks }: Pick<SentRow, 'time' | 'skewed' | 'clocks'>): number {
  if (clocks?.service !== undefined) return clocks.service - serviceSlackMs;
  return skewed ? Number.NEGATIVE_INFINITY : time - tolerableSkewMs;
}

/** What a row keeps of a moment. */
export function stampOf({
  time,
  skewed,
  wall,
  service,
  boot,
}: Moment): Pick<SentRow, 'time' | 'skewed' | 'clocks'> {
  return { time, skewed: skewed ? true : undefined, clocks: { wall, service, boot } };
}
