import { describe, expect, it } from 'vitest';
import { isDue, isOpen, isYoung, wasOver } from '../../src/journal/attempt-state.ts';
import type { Clocks, Moment, VerdictRow } from '../../src/journal/journal-rows.ts';
import { atLeastSince, passedSince } from '../../src/journal/journal-time.ts';
import { sent, verdict } from './rows.ts';

const [minute, day] = [60_000, 86_400_000];
/** A start of this machine that is so old. */
const up = (ms: number, id = 'this') => ({ id, ms });

function rowAt(time: number, clocks: Partial<Clocks>, more: Partial<VerdictRow> = {}): VerdictRow {
  return { ...verdict('i_1', time), verdict: 'not_seen', clocks: { wall: time, ...clocks }, ...more };
}

function momentAt(time: number, more: Partial<Moment> = {}): Moment {
  return { time, wall: time, mono: 0, skewed: false, ...more };
}

describe('how long ago a row was written', () => {
  it.each<[string, VerdictRow, Moment, number | undefined]>([
    [
      'without a Date: as long as this machine is up since',
      rowAt(0, { boot: up(0) }),
      momentAt(minute, { boot: up(minute) }),
      minute,
    ],
    [
      'without a Date, and the wall clock jumped ahead: the same',
      rowAt(0, { boot: up(0) }),
      momentAt(400 * day, { boot: up(minute), skewed: true }),
      minute,
    ],
    [
      'without a Date, and the wall clock was ahead then: the same',
      rowAt(400 * day, { boot: up(0) }, { skewed: true }),
      momentAt(0, { boot: up(minute) }),
      minute,
    ],
    [
      'without a Date, and the machine was started anew: by the wall clock',
      rowAt(0, { boot: up(0) }),
      momentAt(minute, { boot: up(5, 'next') }),
      minute,
    ],
    [
      'without a Date, the machine was started anew, and the clocks disagree: not known',
      rowAt(0, { boot: up(0) }),
      momentAt(minute, { boot: up(5, 'next'), skewed: true }),
      undefined,
    ],
    [
      'a Date then and now: by the time of both',
      rowAt(0, { boot: up(0), service: 0 }),
      momentAt(day, { boot: up(minute), service: day, dated: true }),
      day,
    ],
    [
      'a Date now alone: not longer than this machine is up since',
      rowAt(0, { boot: up(0) }),
      momentAt(day, { boot: up(minute), service: day, dated: true }),
      minute,
    ],
    [
      'counted from a row that was not written right after the start of this machine',
      rowAt(0, { boot: up(5000) }),
      momentAt(day, { boot: up(6000) }),
      1000,
    ],
    [
      'a Date then alone: by the time of the journal, and not longer than this machine is up since',
      rowAt(0, { boot: up(0), service: 0 }),
      momentAt(500, { boot: up(minute) }),
      500,
    ],
    [
      'a row that does not know how long the machine was up',
      rowAt(0, {}),
      momentAt(500, { boot: up(minute) }),
      500,
    ],
    ['a machine that does not tell how long it is up', rowAt(0, { boot: up(0) }), momentAt(500), 500],
    [
      'a Date that disagrees now: not known',
      rowAt(0, { boot: up(0), service: 0 }),
      momentAt(day, { boot: up(minute), service: 0, skewed: true }),
      undefined,
    ],
    [
      'a Date that disagreed then: not known',
      rowAt(day, { boot: up(0), service: 0 }, { skewed: true }),
      momentAt(minute, { boot: up(minute), service: minute, dated: true }),
      undefined,
    ],
    [
      'written in what two clocks call the future: not known',
      rowAt(400 * day, { service: 0 }),
      momentAt(day, { service: day, dated: true }),
      undefined,
    ],
  ])('%s', (_, row, now, ms) => {
    expect(passedSince(row, now)).toBe(ms);
  });

  it('for the word of a person: as long as the machine is up since, and any time after a new start', () => {
    const row = rowAt(0, { boot: up(0), service: 0 });
    const skewed = { service: 0, skewed: true };
    expect(atLeastSince(row, momentAt(day, { ...skewed, boot: up(minute) }))).toBe(minute);
    expect(atLeastSince(row, momentAt(day, { ...skewed, boot: up(5, 'next') }))).toBe(
      Number.POSITIVE_INFINITY,
    );
  });
});

describe('an attempt whose first verdict was written by a clock 400 days behind, without a Date', () => {
  const record = {
    sent: sent('i_1', -400 * day),
    verdicts: [rowAt(-400 * day, { boot: up(0) }), rowAt(0, { boot: up(1000) })],
  };
  const { horizonMs } = record.sent;

  it('is open and due in its time, though a later row has the right one', () => {
    const now = momentAt(minute, { boot: up(minute) });
    expect([isYoung(record, now), isOpen(record, now), isDue(record, now)]).toEqual([true, true, true]);
    expect(wasOver(record, record.verdicts[1] ?? verdict('i_1', 0))).toBe(false);
  });

  it('is looked at once more when its time is over, and not again', () => {
    const now = momentAt(horizonMs, { boot: up(horizonMs) });
    expect([isOpen(record, now), isDue(record, now)]).toEqual([false, true]);
    const looked = { ...record, verdicts: [...record.verdicts, rowAt(horizonMs, { boot: up(horizonMs) })] };
    expect(isDue(looked, now)).toBe(false);
  });
});
