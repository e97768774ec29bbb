import { beforeEach, describe, expect, it } from 'vitest';
import type { SendOnce } from '../../src/api/api.ts';
import type { Change, ChangeRun } from '../../src/journal/change.ts';
import { type ChangeParts, createChange } from '../../src/journal/make-change.ts';
import type { JournalRow } from '../../src/journal/rows/journal-rows.ts';
import { createMemoryStore, Memory } from '../harness/memory-store.ts';
import { MemoryLocks } from '../locks/memory-locks.ts';
import { Ledger, reply, serviceOf, VirtualClock } from './world.ts';

let ledger: Ledger;
let memory: Memory;
let clock: VirtualClock;
let locks: MemoryLocks;
let ids: number;

beforeEach(() => {
  ledger = new Ledger();
  memory = new Memory();
  clock = new VirtualClock();
  locks = new MemoryLocks();
  ids = 0;
});

function partsWith(send: SendOnce, more: Partial<ChangeParts> = {}): ChangeParts {
  return {
    service: serviceOf(() => Promise.resolve(ledger.order())),
    send,
    locks,
    store: createMemoryStore(memory),
    clock,
    operator: 'op7',
    shortTime: (ms) => new Date(ms).toISOString().slice(11, 19),
    options: { dryRun: false, timeoutMs: 60_000 },
    notes: { note: () => undefined, warn: () => undefined, waiting: () => () => undefined },
    ids: () => `i_${++ids}`,
    ...more,
  };
}

const apply: SendOnce = (request) => {
  ledger.posts += 1;
  ledger.apply(request);
  return Promise.resolve(reply(200, ledger.order()));
};

const lost: SendOnce = () => Promise.resolve({ kind: 'no_reply', reason: 'HTTP 502' });

const run: ChangeRun = { checkFresh: () => Promise.resolve() };

function refund(more: Partial<Change> = {}): Change {
  return {
    kind: 'refund',
    orderId: 'ord_1',
    request: { method: 'POST', path: 'orders/ord_1/refunds', body: { charge_id: 'ch_1', amount: 5000 } },
    expected: [{ chargeId: 'ch_1', amount: -5000 }],
    amount: 5000,
    currency: 'MXN',
    again: [],
    ...more,
  };
}

describe('a change', () => {
  it('is written down before it is sent, and its verdict before it is returned', async () => {
    const heldAtPost: unknown[] = [];
    const change = createChange(
      partsWith((request, options) => {
        heldAtPost.push(
          memory.rows.map(({ type }) => type),
          [...locks.held.keys()],
        );
        return apply(request, options);
      }),
    );
    const outcome = await change(refund(), run);
    expect(outcome).toMatchObject({ verdict: 'applied', by: 'reply', change: 'i_1' });
    expect(heldAtPost).toEqual([['sent'], ['ord_1']]);
    expect(memory.rows.map(({ type }) => type)).toEqual(['sent', 'verdict']);
    expect(locks.held.size).toBe(0);
  });

  it('is read after a lost reply, and reported as applied when the order shows it', async () => {
    const change = createChange(
      partsWith(async (request, options) => {
        await apply(request, options);
        return { kind: 'no_reply', reason: 'the connection was reset' };
      }),
    );
    expect(await change(refund(), run)).toMatchObject({ verdict: 'applied', by: 'read', alarm: undefined });
    expect(ledger.posts).toBe(1);
  });

  it('says figures once that both the reply and the reads show', async () => {
    const change = createChange(
      partsWith(async () => {
        ledger.hidden = 5000;
        return reply(200, ledger.order());
      }),
    );
    const { why } = (await change(refund(), run)) as { why?: string };
    const figures = 'amount_refunded went from 0 to 5000, but no refund is listed for it';
    expect(why).toBe(`HTTP 200, an order, but ${figures}`);
    expect(memory.rows.map((row) => ('verdict' in row ? row.verdict : row.type))).toEqual([
      'sent',
      'unknown',
      'unknown',
    ]);
  });

  it('is read four times after a lost reply before it is called not seen', async () => {
    const change = createChange(partsWith(lost));
    const start = clock.wall;
    const outcome = await change(refund(), run);
    expect(outcome).toMatchObject({ verdict: 'not_seen', reads: 4, reason: 'HTTP 502', sentAt: start });
    expect(clock.wall - start).toBe(15_000);
    await expect(change(refund(), run)).rejects.toThrow(
      'an earlier refund of 5000 MXN on ord_1 (08:00:00, by op7) is still unconfirmed',
    );
  });

  it.each([
    ['applied', apply, () => Promise.resolve()],
    ['unconfirmed', lost, () => Promise.resolve()],
    ['refused', apply, () => Promise.reject(new Error('the order changed'))],
  ] as const)('has rows to come from its start to its end, which is %s', async (_, send, checkFresh) => {
    const expected: number[] = [];
    const expectRows = () => {
      expected.push(1);
      return () => void expected.push(-1);
    };
    const change = createChange(partsWith(send, { store: { ...createMemoryStore(memory), expectRows } }));
    await change(refund(), { checkFresh }).catch(() => undefined);
    expect(expected).toEqual([1, -1]);
  });

  it('is not sent when the journal cannot be written', async () => {
    const store = { ...createMemoryStore(memory), append: () => Promise.reject(new Error('no space')) };
    const change = createChange(partsWith(apply, { store }));
    await expect(change(refund(), run)).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('the journal cannot be written'),
    });
    expect(ledger.posts).toBe(0);
    expect(locks.held.size).toBe(0);
  });

  it('is not sent after its time, when the machine was held up', async () => {
    const store = createMemoryStore(memory);
    const slow = {
      ...store,
      append: async (row: JournalRow) => {
        await store.append(row);
        clock.pass(11_000);
      },
    };
    const outcome = await createChange(partsWith(apply, { store: slow }))(refund(), run);
    expect(outcome).toMatchObject({ verdict: 'not_sent' });
    expect(ledger.posts).toBe(0);
  });

  it.each([
    ['the wall clock', 10_001, 0, true],
    ['the monotonic clock', 0, 10_001, true],
    ['neither clock', 10_000, 10_000, false],
  ])('may be sent until its time is over by %s, also while it connects', async (_, wall, mono, late) => {
    const asked: unknown[] = [];
    const change = createChange(
      partsWith((request, options) => {
        clock.wall += wall;
        clock.mono += mono;
        asked.push(options.isTooLate?.());
        return apply(request, options);
      }),
    );
    await change(refund(), run);
    expect(asked).toEqual([late]);
  });

  it('is not sent with --dry-run', async () => {
    const change = createChange(partsWith(apply, { options: { dryRun: true, timeoutMs: 1 } }));
    expect(await change(refund(), { ...run, checks: ['left 35000'] })).toEqual({
      verdict: 'dry_run',
      request: { method: 'POST', path: 'orders/ord_1/refunds', body: { charge_id: 'ch_1', amount: 5000 } },
      checks: ['left 35000'],
    });
    expect([ledger.posts, memory.rows.length]).toEqual([0, 0]);
  });

  it('is not sent while the order is being changed by another run', async () => {
    await new MemoryLocks(locks.held).take('ord_1', { waitMs: 0 });
    await expect(createChange(partsWith(apply))(refund(), run)).rejects.toMatchObject({ kind: 'refused' });
    expect(ledger.posts).toBe(0);
  });

  it('is not sent a second time without --again, whoever made the first', async () => {
    ledger.refund('ch_1', 5000);
    const change = createChange(partsWith(apply));
    await expect(change(refund(), run)).rejects.toThrow(
      'charge 1 of ord_1 has a refund of 5000 already, ref_1',
    );
    expect(await change(refund({ again: ['ref_1'] }), run)).toMatchObject({ verdict: 'applied' });
    expect(ledger.effects).toBe(1);
  });

  it('tells the second of two people who made the same refund, when, and shows the order before it shows how to repeat it', async () => {
    const change = createChange(partsWith(apply));
    await change(refund({ note: 'ticket 12' }), run);
    const second = await change(refund(), run).catch((error: unknown) => error);
    expect(second).toMatchObject({
      message: expect.stringMatching(
        /^charge 1 of ord_1 has a refund of 5000 already, ref_1, made at \d\d:\d\d:\d\d by op7: ticket 12$/,
      ),
      parts: {
        equalTo: 'ref_1',
        now: [
          expect.stringMatching(/orders show ord_1$/),
          'if the buyer should get the same amount once more:',
          expect.stringMatching(/orders refund ord_1 --charge 1 --amount 5000 --again ref_1$/),
        ],
      },
    });
  });

  it('prints an outcome that could not be written down, and keeps the row for it', async () => {
    const store = createMemoryStore(memory);
    const full = {
      ...store,
      append: (row: JournalRow) =>
        row.type === 'sent' ? store.append(row) : Promise.reject(new Error('no space')),
    };
    const outcome = await createChange(partsWith(apply, { store: full }))(refund(), run);
    expect(outcome).toMatchObject({ verdict: 'applied', unrecorded: { row: { verdict: 'applied' } } });
  });

  it('of a script is answered from the journal when it was made before', async () => {
    const change = createChange(partsWith(apply));
    await change(refund({ idempotencyKey: 'ticket-1' }), run);
    const outcome = await change(refund({ idempotencyKey: 'ticket-1' }), run);
    expect(outcome).toMatchObject({ verdict: 'applied', recorded: true, change: 'i_1' });
    expect(ledger.posts).toBe(1);
  });
});
