/** Tells the journal's time, on which all processes of this machine agree, as far as clocks can be trusted. */

import type { Service } from '../api/api.ts';
import type { Clock } from '../io.ts';
import type { Clocks, Moment, SentRow, VerdictRow } from './rows/journal-rows.ts';
import type { JournalStore, NewestRow } from './rows/journal-store.ts';

/** How far clocks may differ and still be trusted, in milliseconds. */
export const tolerableSkewMs = 120_000;

// Assumed: a service's `Date` and its `created_at` come from machines whose clocks differ by less. Both are whole seconds.
const serviceSlackMs = 5_000;

/** Reads the clocks, the service's last `Date` and the newest row, and returns the moment that it is now. */
export async function momentOf(
  clock: Clock,
  store: Pick<JournalStore, 'newest'>,
  service: Pick<Service, 'seenDate'>,
): Promise<Moment> {
  const wall = clock.now();
  const seen = service.seenDate?.();
  // The service's clock now: its `Date`, plus the time that has passed since then by the wall clock.
  const date = seen === undefined ? undefined : seen.date + Math.max(0, wall - seen.wall);
  const clocks: Clocks = { wall, service: date, boot: clock.boot?.() };
  const newest = await store.newest().catch(() => undefined);
  return momentFrom(clocks, clock.monotonic(), newest);
}

/**
 * The moment that the clocks give. The wall clock is trusted when the service's `Date` agrees with it. Without a
 * `Date`, it is trusted unless the newest row, the time of the file or the time since boot contradicts it. If it is
 * not trusted, the moment is `skewed`, and its time is one that no clock calls the future. `newest` is undefined when
 * the journal cannot be read.
 */
export function momentFrom(clocks: Clocks, mono: number, newest: NewestRow | undefined): Moment {
  const { wall, service: date } = clocks;
  const last = newest?.time ?? 0;
  const dated = date === undefined ? undefined : Math.abs(date - wall) <= tolerableSkewMs;
  // Without the newest row nothing confirms the clock, so it is not trusted.
  const skewed = newest === undefined || (dated === undefined ? jumped(clocks, newest) : !dated);
  return {
    ...clocks,
    mono,
    skewed,
    dated: dated === true ? true : undefined,
    time: skewed ? pastOf(clocks, last) : Math.max(wall, date ?? 0, believable(wall, last)),
  };
}

// Only the last row is compared: a clock that was corrected before that row has not jumped since.
function jumped({ wall, boot }: Clocks, { time, clocks, writtenAt = 0 }: NewestRow): boolean {
  if (Math.max(time, writtenAt) - wall > tolerableSkewMs) return true;
  if (clocks?.boot === undefined || boot === undefined || clocks.boot.id !== boot.id) return false;
  return Math.abs(wall - clocks.wall - (boot.ms - clocks.boot.ms)) > tolerableSkewMs;
}

// A row far ahead of two clocks that agree was written by a wrong clock.
function believable(wall: number, time: number): number {
  return time - wall > tolerableSkewMs ? 0 : time;
}

// Later moments must come after this one, so no clock may call it the future.
function pastOf({ wall, service }: Clocks, time: number): number {
  if (service !== undefined) return Math.max(time, Math.min(wall, service));
  return time > 0 ? time : wall;
}

type Written = Pick<SentRow | VerdictRow, 'time' | 'skewed' | 'clocks'>;
type Then = Pick<Moment, 'time' | 'skewed' | 'dated' | 'service' | 'boot'>;

/**
 * Milliseconds since a row was written; undefined when the clocks cannot be trusted. Without the service's clock, it
 * is the time that this machine has been up since then, because setting the wall clock does not change that. With the
 * service's clock, the journal's time counts, if the clocks agreed then and agree now.
 */
export function passedSince(row: Written, now: Then): number | undefined {
  const up = upSince(row, now);
  const withoutService = row.clocks?.service === undefined;
  if (up !== undefined && withoutService && now.service === undefined) return up;
  if (row.skewed || now.skewed || isOfTheFuture(row, now)) return undefined;
  const passed = Math.max(0, now.time - row.time);
  return now.dated && !withoutService ? passed : Math.min(passed, up ?? passed);
}

export function momentOfRow({ time, skewed, clocks }: Written): Then {
  const dated = skewed === undefined && clocks?.service !== undefined ? true : undefined;
  return { time, skewed: skewed === true, dated, service: clocks?.service, boot: clocks?.boot };
}

/**
 * The least time that has passed since a row was written, for a person who settles. When the clocks disagree, it is
 * the time that this machine has been up since then, or Infinity if that is not known.
 */
export function atLeastSince(row: Written, now: Moment): number {
  return passedSince(row, now) ?? upSince(row, now) ?? Number.POSITIVE_INFINITY;
}

// Undefined when this machine was restarted since then.
function upSince({ clocks }: Written, { boot }: Pick<Moment, 'boot'>): number | undefined {
  const before = clocks?.boot;
  if (before === undefined || boot === undefined || before.id !== boot.id) return undefined;
  return Math.max(0, boot.ms - before.ms);
}

// True when a wrong clock wrote the row: two clocks agree now that its time is still to come.
function isOfTheFuture({ time }: Written, now: Then): boolean {
  return now.dated === true && time - now.time > tolerableSkewMs;
}

/** The earliest time at which the service can have made the change of a SENT row (Unix milliseconds by the service's clock). */
export function earliestOf({ time, skewed, clocks }: Pick<SentRow, 'time' | 'skewed' | 'clocks'>): number {
  if (clocks?.service !== undefined) return clocks.service - serviceSlackMs;
  return skewed ? Number.NEGATIVE_INFINITY : time - tolerableSkewMs;
}

/** The fields by which a row shows when it was written. */
export function stampOf({
  time,
  skewed,
  wall,
  service,
  boot,
}: Moment): Pick<SentRow, 'time' | 'skewed' | 'clocks'> {
  return { time, skewed: skewed ? true : undefined, clocks: { wall, service, boot } };
}
