import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../src/errors.ts';
import type { Clock } from '../../src/io.ts';
import type { BatchStop, RowEnd } from '../../src/plans/plan-types.ts';
import { type BatchParts, runBatch } from '../../src/plans/run-batch.ts';
import { isLong } from '../harness/long.ts';

const applied: RowEnd = { how: 'applied' };
const failed: RowEnd = { how: 'failed' };
const unknown: RowEnd = { how: 'unknown' };

/** A clock that only sleeps put forward, with all that was slept. */
function sleepClock() {
  let at = 1_000;
  const slept: number[] = [];
  const clock: Clock = {
    now: () => at,
    monotonic: () => at,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      slept.push(ms);
      at += ms;
    },
  };
  return { clock, slept, forward: (ms: number) => (at += ms) };
}

const never = new AbortController().signal;

type Ran = {
  readonly started: string[];
  readonly end: { readonly stop: BatchStop | undefined; readonly notStarted: readonly string[] };
};

/** Runs a batch, one order at a time, whose rows end as `ends` says; all others are applied. */
async function ran(
  groups: readonly (readonly string[])[],
  ends: Readonly<Record<string, RowEnd>>,
  more: Partial<BatchParts<string>> = {},
): Promise<Ran> {
  const { send = async (row: string) => ends[row] ?? applied } = more;
  const started: string[] = [];
  const stop = await runBatch({
    groups,
    concurrency: 1,
    clock: sleepClock().clock,
    signal: never,
    ...more,
    send(row, lost) {
      started.push(row);
      return send(row, lost);
    },
  });
  const known = new Set(started);
  return { started, end: { stop, notStarted: groups.flat().filter((row) => !known.has(row)) } };
}

/** Rows whose ends a test gives, one by one. */
function heldRows() {
  const waiting = new Map<
    string,
    { resolve: (end: RowEnd) => void; reject: (error: unknown) => void; lost: () => void }
  >();
  const started: string[] = [];
  const settle = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    started,
    send: (row: string, lost: () => void) => {
      started.push(row);
      const { promise, resolve, reject } = Promise.withResolvers<RowEnd>();
      waiting.set(row, { resolve, reject, lost });
      return promise;
    },
    lose: (row: string) => waiting.get(row)?.lost(),
    begun: settle,
    end: async (row: string, end: RowEnd) => {
      waiting.get(row)?.resolve(end);
      await settle();
    },
    fail: async (row: string, error: unknown) => {
      waiting.get(row)?.reject(error);
      await settle();
    },
  };
}

describe('a batch', () => {
  it('sends the rows of an order one after the other, and as many orders at once as it may', async () => {
    const rows = heldRows();
    const batch = ran([['a1', 'a2'], ['b1'], ['c1']], {}, { send: rows.send, concurrency: 2 });
    await rows.begun();
    expect(rows.started).toEqual(['a1', 'b1']);
    await rows.end('a1', applied);
    expect(rows.started).toEqual(['a1', 'b1', 'a2']);
    await rows.end('a2', applied);
    expect(rows.started).toEqual(['a1', 'b1', 'a2', 'c1']);
    await rows.end('b1', applied);
    await rows.end('c1', applied);
    expect((await batch).end).toEqual({ stop: undefined, notStarted: [] });
  });

  it('starts no row while so many replies are lost that it would stop if none of the rows was made', async () => {
    const rows = heldRows();
    const groups = [['a'], ['b'], ['c'], ['d'], ['e']];
    const batch = ran(groups, {}, { send: rows.send, concurrency: 3, maxFailures: 2 });
    await rows.begun();
    rows.lose('a');
    rows.lose('a');
    await rows.end('c', applied);
    expect(rows.started).toEqual(['a', 'b', 'c', 'd']);
    rows.lose('b');
    await rows.end('d', applied);
    expect(rows.started).toEqual(['a', 'b', 'c', 'd']);
    await rows.end('a', applied);
    expect(rows.started).toEqual(['a', 'b', 'c', 'd', 'e']);
    rows.lose('e');
    await rows.end('b', unknown);
    await rows.end('e', unknown);
    expect((await batch).end).toEqual({ stop: undefined, notStarted: [] });
  });

  it('stops for good when the rows with lost replies end as unknown, and does not wait for them if it is stopped', async () => {
    const groups = [['a'], ['b'], ['c'], ['d'], ['e']];
    const [failing, stopped] = [heldRows(), heldRows()];
    const batch = ran(groups, {}, { send: failing.send, concurrency: 4, maxFailures: 3 });
    const signal = new AbortController();
    const other = ran(groups, {}, { send: stopped.send, concurrency: 4, signal: signal.signal });
    await failing.begun();
    for (const row of ['a', 'b', 'c']) {
      failing.lose(row);
      stopped.lose(row);
    }
    await failing.end('d', applied);
    await stopped.end('d', applied);
    for (const row of ['a', 'b', 'c']) await failing.end(row, unknown);
    signal.abort();
    for (const row of ['a', 'b', 'c']) await stopped.end(row, applied);

    expect((await batch).end).toEqual({
      stop: { why: 'unknowns', inARow: true, count: 3 },
      notStarted: ['e'],
    });
    expect((await other).end).toEqual({ stop: { why: 'signal' }, notStarted: ['e'] });
  });

  it.each([failed, unknown])('sends no other row of an order after one that ended as %j', async (end) => {
    const { started, end: batch } = await ran(
      [
        ['a1', 'a2', 'a3'],
        ['b1', 'b2'],
      ],
      { a2: end },
    );
    expect(started).toEqual(['a1', 'a2', 'b1', 'b2']);
    expect(batch).toEqual({ stop: undefined, notStarted: ['a3'] });
  });

  it('without rows is done', async () => {
    expect((await ran([], {})).end).toEqual({ stop: undefined, notStarted: [] });
    expect((await ran([[], []], {})).end).toEqual({ stop: undefined, notStarted: [] });
  });

  it('of 100,000 rows, in 100,000 orders or in one, is run to its end', async () => {
    const names = Array.from({ length: 100_000 }, (_, number) => `r${number}`);
    let ended = 0;
    const onEnd = () => {
      ended += 1;
    };
    for (const groups of [names.map((name) => [name]), [names]]) {
      const { end } = await ran(groups, {}, { concurrency: 4, onEnd });
      expect(end).toEqual({ stop: undefined, notStarted: [] });
    }
    expect(ended).toBe(200_000);
  });

  it('tells how each row ended, in the order in which they end', async () => {
    const rows = heldRows();
    const told: unknown[] = [];
    const batch = ran(
      [['a1'], ['b1']],
      {},
      {
        send: rows.send,
        concurrency: 2,
        onEnd: (row, { how }) => told.push([row, how]),
      },
    );
    await rows.begun();
    await rows.end('b1', failed);
    await rows.end('a1', applied);
    await batch;
    expect(told).toEqual([
      ['b1', 'failed'],
      ['a1', 'applied'],
    ]);
  });
});

const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name]);

describe('F55 the circuit breaker of a batch', () => {
  it('stops after three unknown outcomes in a row', async () => {
    const { started, end } = await ran(six, { b: unknown, c: unknown, d: unknown });
    expect(started).toEqual(['a', 'b', 'c', 'd']);
    expect(end).toEqual({ stop: { why: 'unknowns', inARow: true, count: 3 }, notStarted: ['e', 'f'] });
  });

  it.each([applied, failed])('counts anew after a row that ended as %j', async (end) => {
    const ends = { a: unknown, b: unknown, c: end, d: unknown, e: unknown };
    expect((await ran(six, ends)).end.stop).toBeUndefined();
  });

  it('does not count rows of earlier runs: neither as unknown ones, nor as a sign that the service is well', async () => {
    const known = { a: { ...unknown, isKnown: true }, c: { ...applied, isKnown: true } };
    const before = await ran(six, { ...known, b: { ...unknown, isKnown: true }, d: unknown, e: unknown });
    expect(before.end).toEqual({ stop: undefined, notStarted: [] });
    const { end } = await ran(six, { ...known, b: unknown, d: unknown, e: unknown });
    expect(end).toEqual({ stop: { why: 'unknowns', inARow: true, count: 3 }, notStarted: ['f'] });
  });

  it('stops after five unknown outcomes in all', async () => {
    const ends = { a: unknown, b: unknown, d: unknown, e: unknown, g: unknown };
    const { end } = await ran([...six, ['g'], ['h']], ends);
    expect(end).toEqual({ stop: { why: 'unknowns', inARow: false, count: 5 }, notStarted: ['h'] });
  });

  it.each([
    [0, 1],
    [1, 1],
    [2, 2],
  ])('with --max-failures %i stops after %i', async (maxFailures, count) => {
    const { end } = await ran(six, { b: unknown, c: unknown }, { maxFailures });
    expect(end.stop).toEqual({ why: 'unknowns', inARow: false, count });
  });

  it('with a high --max-failures still stops after three in a row', async () => {
    const { end } = await ran(six, { a: unknown, b: unknown, c: unknown }, { maxFailures: 100 });
    expect(end.stop).toEqual({ why: 'unknowns', inARow: true, count: 3 });
  });

  it('counts in the order in which rows end, over all orders, and lets those in flight end', async () => {
    const rows = heldRows();
    const batch = ran(six, {}, { send: rows.send, concurrency: 4 });
    await rows.begun();
    await rows.end('d', unknown);
    await rows.end('b', unknown);
    await rows.end('e', unknown);
    expect(rows.started).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    await rows.end('a', applied);
    await rows.end('c', applied);
    await rows.end('f', applied);
    expect((await batch).end).toEqual({ stop: undefined, notStarted: [] });
  });

  it('says nothing of a stop that kept no row from being sent', async () => {
    const { end } = await ran([['a'], ['b'], ['c', 'c2']], { a: unknown, b: unknown, c: unknown });
    expect(end).toEqual({ stop: undefined, notStarted: ['c2'] });
  });
});

describe('F13 a row whose end stops the batch', () => {
  it('lets no other row start', async () => {
    const refused: RowEnd = { how: 'failed', stops: 'the key was refused' };
    const { started, end } = await ran(six, { b: refused });
    expect(started).toEqual(['a', 'b']);
    expect(end).toEqual({
      stop: { why: 'row', words: 'the key was refused' },
      notStarted: ['c', 'd', 'e', 'f'],
    });
  });

  it('counts more than the wait that it asks for, or the unknown outcomes before it', async () => {
    const refused: RowEnd = { how: 'unknown', stops: 'the key was refused', waitMs: 500_000 };
    const { end } = await ran(six, { a: unknown, b: unknown, c: refused });
    expect(end.stop).toEqual({ why: 'row', words: 'the key was refused' });
  });
});

describe('F10 a service that asks us to wait', () => {
  it('is not asked by any worker before that, and the batch goes on after it', async () => {
    const { clock, slept, forward } = sleepClock();
    const started: [string, number][] = [];
    const { end } = await ran(
      six,
      {},
      {
        clock,
        concurrency: 2,
        send: async (row) => {
          started.push([row, clock.monotonic()]);
          forward(10);
          return row === 'b' ? { how: 'failed', waitMs: 120_000 } : applied;
        },
      },
    );
    expect(end).toEqual({ stop: undefined, notStarted: [] });
    expect(started.filter(([, at]) => at < 121_000).map(([row]) => row)).toEqual(['a', 'b']);
    expect(Math.max(...slept)).toBeLessThanOrEqual(120_000);
  });

  it('for more than two minutes stops the batch', async () => {
    const { end } = await ran(six, { b: { how: 'failed', waitMs: 120_001 } });
    expect(end).toEqual({ stop: { why: 'wait', waitMs: 120_001 }, notStarted: ['c', 'd', 'e', 'f'] });
  });

  it('waits for the longest time that any row in flight was told', async () => {
    const { clock, slept } = sleepClock();
    const { promise: held, resolve } = Promise.withResolvers<RowEnd>();
    const rows: Readonly<Record<string, () => Promise<RowEnd>>> = {
      a: async () => ({ how: 'failed', waitMs: 5_000 }),
      b: () => held,
    };
    const startedAt: [string, number][] = [];
    const slow: Clock = {
      ...clock,
      async sleep(ms, signal) {
        // The other row is told of its wait while this one is slept.
        resolve({ how: 'failed', waitMs: 90_000 });
        await new Promise((go) => setImmediate(go));
        await clock.sleep(ms, signal);
      },
    };
    const send = (row: string) => {
      startedAt.push([row, clock.monotonic()]);
      return rows[row]?.() ?? Promise.resolve(applied);
    };
    await ran([['a'], ['b'], ['c'], ['d']], {}, { send, concurrency: 2, clock: slow });
    expect(startedAt.slice(0, 2)).toEqual([
      ['a', 1_000],
      ['b', 1_000],
    ]);
    for (const [, at] of startedAt.slice(2)) expect(at).toBeGreaterThanOrEqual(91_000);
    expect(slept.length).toBeGreaterThan(1);
  });

  /** Sleeps end only when their signal aborts. */
  const endless: Clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: (_, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
      }),
  };

  it('is left at Ctrl-C', async () => {
    const stop = new AbortController();
    const rows = heldRows();
    const batch = ran(six, {}, { send: rows.send, clock: endless, signal: stop.signal });
    await rows.begun();
    await rows.end('a', { how: 'failed', waitMs: 60_000 });
    expect(rows.started).toEqual(['a']);
    stop.abort();
    expect((await batch).end).toEqual({ stop: { why: 'signal' }, notStarted: ['b', 'c', 'd', 'e', 'f'] });
  });

  it('is left when a row in flight stops the batch', async () => {
    const rows = heldRows();
    const batch = ran(six, {}, { send: rows.send, clock: endless, concurrency: 2 });
    await rows.begun();
    await rows.end('a', { how: 'failed', waitMs: 60_000 });
    await rows.end('b', { how: 'failed', stops: 'the key was refused' });
    expect((await batch).end).toEqual({
      stop: { why: 'row', words: 'the key was refused' },
      notStarted: ['c', 'd', 'e', 'f'],
    });
  });

  it('makes the batch fail if the clock cannot wait', async () => {
    const broken: Clock = { ...endless, sleep: () => Promise.reject(new Error('no timer')) };
    await expect(ran(six, { a: { how: 'failed', waitMs: 1 } }, { clock: broken })).rejects.toThrow(
      'no timer',
    );
  });
});

describe('F35 Ctrl-C in a batch', () => {
  it('starts no other row, and rows in flight end', async () => {
    const stop = new AbortController();
    const rows = heldRows();
    const told: string[] = [];
    const batch = ran(
      [['a1', 'a2'], ['b1'], ['c1']],
      {},
      {
        send: rows.send,
        concurrency: 2,
        signal: stop.signal,
        onEnd: (row) => told.push(row),
      },
    );
    await rows.begun();
    stop.abort();
    await rows.end('a1', applied);
    await rows.end('b1', unknown);
    expect((await batch).end).toEqual({ stop: { why: 'signal' }, notStarted: ['a2', 'c1'] });
    expect(rows.started).toEqual(['a1', 'b1']);
    expect(told).toEqual(['a1', 'b1']);
  });

  it('before the first row starts none', async () => {
    const { started, end } = await ran(six, {}, { signal: AbortSignal.abort() });
    expect(started).toEqual([]);
    expect(end).toEqual({ stop: { why: 'signal' }, notStarted: six.flat() });
  });

  it('stays the reason when rows in flight end as unknown after it', async () => {
    const stop = new AbortController();
    const rows = heldRows();
    const batch = ran(six, {}, { send: rows.send, concurrency: 3, signal: stop.signal });
    await rows.begun();
    stop.abort();
    for (const row of ['a', 'b', 'c']) await rows.end(row, unknown);
    expect((await batch).end.stop).toEqual({ why: 'signal' });
  });

  it('after the last row was started is no reason for anything', async () => {
    const stop = new AbortController();
    const rows = heldRows();
    const batch = ran([['a']], {}, { send: rows.send, signal: stop.signal });
    await rows.begun();
    stop.abort();
    await rows.end('a', applied);
    expect((await batch).end).toEqual({ stop: undefined, notStarted: [] });
  });
});

describe('a batch whose sending breaks', () => {
  it('starts no other row, lets those in flight end, and then fails with the error', async () => {
    const rows = heldRows();
    const told: string[] = [];
    const batch = ran(six, {}, { send: rows.send, concurrency: 3, onEnd: (row) => told.push(row) });
    const outcome = batch.catch((error: unknown) => error);
    await rows.begun();
    await rows.fail('b', new Error('a bug'));
    await rows.end('a', applied);
    expect(told).toEqual(['a']);
    await rows.end('c', unknown);
    expect(await outcome).toEqual(new Error('a bug'));
    expect(rows.started).toEqual(['a', 'b', 'c']);
    expect(told).toEqual(['a', 'c']);
  });

  it('fails with another error rather than with that of Ctrl-C', async () => {
    const stop = new AbortController();
    const rows = heldRows();
    const batch = ran(six, {}, { send: rows.send, concurrency: 2, signal: stop.signal });
    const outcome = batch.catch((error: unknown) => error);
    await rows.begun();
    const interrupted = new CliError('interrupted', 'Ctrl-C');
    stop.abort(interrupted);
    await rows.fail('a', interrupted);
    await rows.fail('b', new CliError('refused', 'the journal cannot be written'));
    expect(await outcome).toMatchObject({ kind: 'refused' });
  });

  it('fails with that of Ctrl-C when there is no other', async () => {
    const interrupted = new CliError('interrupted', 'Ctrl-C');
    const send = () => Promise.reject(interrupted);
    await expect(ran(six, {}, { send })).rejects.toBe(interrupted);
  });

  it('fails as well when nobody could be told how a row ended', async () => {
    const onEnd = () => {
      throw new Error('no space left');
    };
    const { promise, resolve } = Promise.withResolvers<readonly string[]>();
    const started: string[] = [];
    const send = async (row: string) => {
      started.push(row);
      resolve(started);
      return applied;
    };
    await expect(ran(six, {}, { send, onEnd })).rejects.toThrow('no space left');
    expect(await promise).toEqual(['a']);
  });
});

// ── Any batch, in any order ─────────────────────────────────────────────────────────────────────

interface Row {
  readonly group: number;
  readonly index: number;
  readonly end: RowEnd | 'rejects';
}

const wasApplied = ({ end }: Row): boolean => end !== 'rejects' && end.how === 'applied';

const ends: fc.Arbitrary<Row['end']> = fc.oneof(
  { weight: 12, arbitrary: fc.constant(applied) },
  { weight: 3, arbitrary: fc.constant(failed) },
  { weight: 5, arbitrary: fc.constant(unknown) },
  { weight: 1, arbitrary: fc.constant<RowEnd>({ how: 'failed', stops: 'key' }) },
  { weight: 1, arbitrary: fc.constant<RowEnd>({ how: 'unknown', waitMs: 30_000 }) },
  { weight: 1, arbitrary: fc.constant<RowEnd>({ how: 'failed', waitMs: 300_000 }) },
  { weight: 1, arbitrary: fc.constant<'rejects'>('rejects') },
);
const batches = fc.record({
  groups: fc
    .array(fc.array(ends, { maxLength: 4 }), { maxLength: 12 })
    .map((all): Row[][] => all.map((rows, group) => rows.map((end, index) => ({ group, index, end })))),
  concurrency: fc.integer({ min: 1, max: 5 }),
  maxFailures: fc.integer({ min: 1, max: 7 }),
  signalAfter: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
});

/** The rules of a batch, told once more: what the ends so far mean for the rows that were not started. */
function stopAfter(ended: readonly RowEnd[], maxFailures: number): BatchStop | undefined {
  for (const [index, { how, stops, waitMs = 0 }] of ended.entries()) {
    const soFar = ended.slice(0, index + 1);
    const count = soFar.filter((one) => one.how === 'unknown').length;
    if (stops !== undefined) return { why: 'row', words: stops };
    if (index >= 2 && soFar.slice(-3).every((one) => one.how === 'unknown')) {
      return { why: 'unknowns', inARow: true, count: 3 };
    }
    if (how === 'unknown' && count === maxFailures) return { why: 'unknowns', inARow: false, count };
    if (waitMs > 120_000) return { why: 'wait', waitMs };
  }
  return undefined;
}

it('F55 in any order in which rows end: one row of an order at a time, none behind one that was not applied, none after the stop', async () => {
  const numRuns = isLong ? 50_000 : 1_000;
  const sum = { started: 0, stopped: 0, whole: 0, rejected: 0, signalled: 0 };
  await fc.assert(
    fc.asyncProperty(batches, fc.scheduler(), async (batch, scheduler) => {
      const { groups, concurrency, maxFailures, signalAfter } = batch;
      const { clock } = sleepClock();
      const inFlight = new Set<Row>();
      const started: Row[] = [];
      const ended: RowEnd[] = [];
      const signal = new AbortController();
      let broken = false;
      let pausedUntil = 0;
      let stopBeforeSignal: BatchStop | undefined;
      const interrupt = () => {
        if (signal.signal.aborted || ended.length + Number(broken) !== signalAfter) return;
        stopBeforeSignal = stopAfter(ended, maxFailures);
        signal.abort(new CliError('interrupted', 'Ctrl-C'));
      };
      interrupt();
      // Of what breaks a rule: `send` may reject in this test, so it cannot throw an assertion.
      const wrong: string[] = [];
      const rule = (claim: string, holds: boolean) => {
        if (!holds) wrong.push(claim);
      };
      const check = (row: Row): void => {
        const before = groups[row.group]?.slice(0, row.index) ?? [];
        rule(
          'only behind applied rows',
          before.every(wasApplied) && before.every((one) => started.includes(one)),
        );
        rule('one row of an order at a time', ![...inFlight].some(({ group }) => group === row.group));
        rule('no more orders than allowed', inFlight.size < concurrency);
        rule('none after the stop', stopAfter(ended, maxFailures) === undefined);
        rule('none after an error', !broken);
        rule('none after the signal', !signal.signal.aborted);
        rule('none during a pause', clock.monotonic() >= pausedUntil);
        rule('every row once', !started.includes(row));
      };
      const send = async (row: Row): Promise<RowEnd> => {
        check(row);
        started.push(row);
        inFlight.add(row);
        await scheduler.schedule(Promise.resolve(), `row ${row.group}.${row.index}`);
        return endOf(row);
      };
      const endOf = (row: Row): RowEnd => {
        inFlight.delete(row);
        if (row.end !== 'rejects') return row.end;
        broken = true;
        interrupt();
        throw new Error('a bug');
      };
      const onEnd = (_: Row, end: RowEnd) => {
        ended.push(end);
        if (end.waitMs !== undefined && end.waitMs <= 120_000) pausedUntil = clock.monotonic() + end.waitMs;
        interrupt();
      };
      const run = runBatch({ groups, concurrency, maxFailures, send, onEnd, clock, signal: signal.signal });
      const outcome = await scheduler.waitFor(run.catch((error: unknown) => error));

      expect(wrong).toEqual([]);
      expect(inFlight.size).toBe(0);
      sum.started += started.length;
      if (broken) {
        expect(outcome).toEqual(new Error('a bug'));
        sum.rejected += 1;
        return;
      }
      const stop = outcome as BatchStop | undefined;
      const notStarted = groups.flat().filter((row) => !started.includes(row));
      // Rows that only a stop can have held back: those with nothing but applied rows before them.
      const heldBack = notStarted.filter(({ group, index }) =>
        (groups[group] ?? []).slice(0, index).every((row) => started.includes(row) && wasApplied(row)),
      );
      const first = signal.signal.aborted
        ? (stopBeforeSignal ?? ({ why: 'signal' } as const))
        : stopAfter(ended, maxFailures);
      expect(stop).toEqual(heldBack.length > 0 ? first : undefined);
      if (stop === undefined) sum.whole += 1;
      else if (stop.why === 'signal') sum.signalled += 1;
      else sum.stopped += 1;
    }),
    { numRuns },
  );
  const counts = Object.entries(sum).map(([name, count]) => `${count} ${name}`);
  process.stdout.write(`batches: ${numRuns} run: ${counts.join(', ')}\n`);
  for (const count of Object.values(sum)) expect(count).toBeGreaterThan(0);
});
