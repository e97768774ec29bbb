/** What every store of the journal must do (src/journal/rows/journal-store.ts), wherever it keeps its rows. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { archiveInto } from '../../src/journal/rows/archive-file.ts';
import type { AttemptFilter } from '../../src/journal/rows/attempt-query.ts';
import { damageOf, unlink } from '../../src/journal/rows/chain.ts';
import {
  type AttemptRecord,
  attemptName,
  type JournalRow,
  type SentRow,
  type VerdictRow,
} from '../../src/journal/rows/journal-rows.ts';
import type { JournalStore, RefundedBy } from '../../src/journal/rows/journal-store.ts';
import { attemptsIn } from '../harness/memory-store.ts';
import {
  answer,
  comesAfter,
  cursor,
  draft,
  filter,
  means,
  namesIn,
  newestFirst,
  onOrder,
  query,
  rowsOf,
} from './random-questions.ts';
import { asked, decided, limit, sent, setting, verdict } from './rows.ts';

/** One journal, empty at first. */
export interface TestedJournal {
  /** The store of one more run on it. */
  readonly open: () => JournalStore;
  /** Changes the content of a row behind the store's back. */
  readonly change: (seq: number) => void | Promise<void>;
  /** Takes a row away behind the store's back. */
  readonly lose: (seq: number) => void | Promise<void>;
}

/** What a kind of store leaves to others: a team's journal is repaired on its server, and takes no other journal. */
export interface StoreLeaves {
  readonly repair?: 'to others';
  readonly restore?: 'to others';
  /** Who signed in, and where, is stated by its server; no row can say that itself. */
  readonly stamps?: 'to others';
  /** How often its answers to random questions are compared; absent: 25 times. */
  readonly numRuns?: number;
}

/** Runs every claim of the port against a kind of store. `begin` makes an empty journal in an empty folder. */
export function storeContract(
  kind: string,
  begin: (folder: string) => TestedJournal | Promise<TestedJournal>,
  leaves: StoreLeaves = {},
): void {
  describe(`every store of the journal: ${kind}`, () => {
    let folder: string;
    let journal: TestedJournal;
    const open = () => journal.open();

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'paydesk-store-'));
      journal = await begin(folder);
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    async function fill(rows: readonly JournalRow[]): Promise<void> {
      const store = open();
      for (const row of rows) await store.append(row);
      store.close();
    }

    const two = [sent('i_a', 1), verdict('i_a', 2), sent('i_b', 3), verdict('i_b', 4)];

    it('begins empty, whole and ready', async () => {
      const store = open();
      await store.ready();
      expect(await store.attempts(ofOrd1)).toEqual([]);
      expect(await store.attempts({ unconfirmed: true })).toEqual([]);
      expect(await store.list({}, { limit: 5 })).toEqual([]);
      expect(await store.operators(undefined)).toEqual([]);
      expect(await store.newest()).toEqual({ time: 0 });
      expect(await store.problem()).toBe(undefined);
      expect(await store.verify()).toMatchObject({ rows: 0, head: '0'.repeat(64), findings: [] });
      expect(await store.eraseBodies(9)).toBe(0);
    });

    it('gives back what was added, in its order, to every run', async () => {
      const [one, other] = [open(), open()];
      expect(await other.attempts(ofOrd1)).toEqual([]);
      for (const row of [sent('i_a', 1), sent('i_b', 3), verdict('i_a', 2)]) await one.append(row);
      expect(await other.attempts(ofOrd1)).toEqual([
        { sent: sent('i_a', 1), verdicts: [verdict('i_a', 2)] },
        { sent: sent('i_b', 3), verdicts: [] },
      ]);
      await other.append(verdict('i_b', 4));
      expect((await one.attempts({ change: 'i_b' }))[0]?.verdicts).toEqual([verdict('i_b', 4)]);
      one.close();
      expect(await one.attempts(ofOrd1)).toEqual(await other.attempts(ofOrd1));
    });

    it('works when its methods are copied into a wrapper', async () => {
      const wrapper = { ...open() };
      await wrapper.append(sent('i_a', 1));
      expect(await wrapper.attempts(ofOrd1)).toHaveLength(1);
      expect(await wrapper.list({}, { limit: 5 })).toHaveLength(1);
      expect(await wrapper.operators(undefined)).toEqual(['op7']);
    });

    it('answers every question as its rows do', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(draft, { maxLength: 6 }),
          fc.array(query, { minLength: 4, maxLength: 12 }),
          fc.array(fc.tuple(filter, fc.integer({ min: 1, max: 4 }), cursor), { minLength: 4, maxLength: 12 }),
          async (drafts, queries, pages) => {
            const place = mkdtempSync(join(folder, 'one-'));
            const store = (await begin(place)).open();
            const rows = drafts.flatMap((one, index) => rowsOf(one, index, leaves.stamps === undefined));
            for (const row of rows) await store.append(row);
            const all = attemptsIn(rows);
            for (const one of queries) expect(await store.attempts(one)).toEqual(answer(one, all));
            for (const [one, limit, before] of pages)
              expect(await store.list(one, { limit, before })).toEqual(
                newestFirst(all.filter((record) => means(one, record) && comesAfter(before, record))).slice(
                  0,
                  limit,
                ),
              );
            for (const origin of [undefined, 'o', 'q'])
              expect(await store.operators(origin)).toEqual(
                namesIn(all.filter((of) => means({ origin }, of))),
              );
            expect((await store.newest()).time).toBe(Math.max(0, ...rows.map(({ time }) => time)));
            store.close();
          },
        ),
        { numRuns: leaves.numRuns ?? 25 },
      );
    });

    it('lists every attempt once, page after page, also if they were sent at the same moment', async () => {
      const second = { ...sent('i_b', 3), attempt: 2 };
      await fill([sent('i_c', 1), sent('i_a', 3), sent('i_b', 3), second, sent('i_d', 2), sent('i_e', 3)]);
      const store = open();
      for (const limit of [1, 2, 3, 5, 6, 7]) {
        const pages = await pagesOf(store, limit);
        expect(pages.flat().map(attemptName)).toEqual(['i_e', 'i_b.2', 'i_b', 'i_a', 'i_d', 'i_c']);
        expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
      }
    });

    it('goes on with a list after what was added meanwhile, and shows nothing twice', async () => {
      await fill([sent('i_a', 1), sent('i_b', 2), sent('i_c', 3)]);
      const store = open();
      const first = await store.list({}, { limit: 2 });
      await open().append(sent('i_d', 4));
      await open().append(verdict('i_b', 5));
      const rest = await store.list({}, { limit: 2, before: first.at(-1)?.sent });
      expect([first, rest].map((page) => page.map(attemptName))).toEqual([['i_c', 'i_b'], ['i_a']]);
      // A place does not have to be that of an attempt.
      const before = { time: 3, change: 'i_bb', attempt: 1 };
      expect((await store.list({}, { limit: 1, before })).map(attemptName)).toEqual(['i_b']);
    });

    it('finds an attempt by what it made: its refunds, the id and the link of what was created', async () => {
      const link = 'https://pay.example.com/1';
      const unknown = { createdAt: undefined, authCode: undefined };
      const refund = (id: string | undefined) => ({ id, chargeId: 'ch_1', amount: -5, ...unknown });
      const refunds = [refund('re_1')];
      await fill([
        sent('i_a', 1),
        verdict('i_a', 2),
        { ...verdict('i_a', 3), by: 'read', refunds },
        // A later verdict that does not name it takes nothing back.
        { ...verdict('i_a', 4), by: 'read' },
        onOrder('i_b', undefined),
        { ...verdict('i_b', 7), created: 'chk_1', link },
        sent('i_c', 8),
        { ...verdict('i_c', 9), verdict: 'unknown', by: 'read', refunds: [refund(undefined)] },
      ]);
      const by = async (...made: readonly string[]) =>
        (await open().attempts({ made: new Set(made) })).map(attemptName);
      expect(await by('re_1')).toEqual(['i_a']);
      expect(await by('chk_1')).toEqual(['i_b']);
      expect(await by(link)).toEqual(['i_b']);
      expect(await by('re_9', link, 're_1')).toEqual(['i_a', 'i_b']);
      expect(await by('re_9')).toEqual([]);
      expect(await by()).toEqual([]);
      // The page of a link may name people, so nothing may remember an erased one.
      await open().eraseBodies(100);
      expect([await by(link), await by('chk_1'), await by('re_1')]).toEqual([[], ['i_b'], ['i_a']]);
    });

    it('gives the refunds that are watched by when they are due, and at most so many', async () => {
      const read = (change: string, time: number): VerdictRow => ({ ...verdict(change, time), by: 'read' });
      const rows: readonly JournalRow[][] = [
        // Made at 1000 and read at 1100: due at 1400.
        [sent('i_a', 1), verdict('i_a', 1000), read('i_a', 1100)],
        // Made at 1200, not read since: due at once.
        [sent('i_b', 2), verdict('i_b', 1200)],
        // Read again when its horizon was over.
        [sent('i_c', 3), verdict('i_c', 1000), read('i_c', 901_000)],
        // Unconfirmed, refused, no refund, or recorded by a person.
        [sent('i_d', 4)],
        [sent('i_e', 5), { ...verdict('i_e', 1000), verdict: 'rejected', confirmed: true }],
        [onOrder('i_f', undefined), verdict('i_f', 1000)],
        [sent('i_g', 7), { ...verdict('i_g', 1000), by: 'person' }],
        // Its horizon is over before four times its age: due at 2000.
        [sent('i_h', 8, { horizonMs: 1000 }), verdict('i_h', 1000), read('i_h', 1900)],
        // Made twice: it is watched all the same.
        [sent('i_i', 9), { ...read('i_i', 1300), alarm: 'duplicate' }],
      ];
      await fill(rows.flat());
      const due = async (dueBy: number, limit: number, more: AttemptFilter = {}) =>
        (await open().attempts({ ...more, watched: { dueBy, limit } })).map(attemptName);
      expect(await due(5000, 9)).toEqual(['i_b', 'i_i', 'i_a', 'i_h']);
      expect(await due(5000, 2)).toEqual(['i_b', 'i_i']);
      expect(await due(1400, 9)).toEqual(['i_b', 'i_i', 'i_a']);
      expect(await due(1399, 9)).toEqual(['i_b', 'i_i']);
      expect(await due(1199, 9)).toEqual([]);
      expect(await due(5000, 2, { until: 2 })).toEqual(['i_a']);
      await open().append({ ...read('i_a', 5000), why: 'checked again' });
      expect(await due(5000, 9)).toEqual(['i_b', 'i_i', 'i_h']);
      expect(await due(17_000, 9)).toEqual(['i_b', 'i_i', 'i_h', 'i_a']);
    });

    it('gives the attempts on several orders, and none that is on no order', async () => {
      await fill([
        onOrder('i_a', 'ord_1'),
        onOrder('i_b', 'ord_2'),
        onOrder('i_c', 'ord_3'),
        onOrder('i_d', undefined),
      ]);
      const found = await open().attempts({ orderIds: new Set(['ord_1', 'ord_3', 'ord_4']) });
      expect(found.map((record) => record.sent.change)).toEqual(['i_a', 'i_c']);
    });

    it('shows the latest time of all rows, and the clocks of the last one', async () => {
      const clocks = { wall: 5, boot: { id: 'b', ms: 1 } };
      await fill([sent('i_a', 9), { ...verdict('i_a', 4), clocks }]);
      expect(await open().newest()).toMatchObject({ time: 9, clocks });
    });

    it('adds up what somebody paid back since a time, in one currency and one mode', async () => {
      const refund = (change: string, time: number, more: Partial<SentRow> = {}) =>
        sent(change, time, { amount: 5, currency: 'MXN', operator: 'ana', ...more });
      const { proof, origin } = sent('i_x', 1);
      await fill([
        refund('i_a', 10),
        refund('i_b', 20, { currency: 'mxn' }),
        refund('i_c', 20, { currency: 'USD' }),
        refund('i_d', 20, { operator: 'ben' }),
        refund('i_e', 20, { proof: { ...proof, livemode: false } }),
        refund('i_f', 20, { proof: { ...proof, kind: 'capture', expected: [] } }),
        refund('i_g', 20, { stamp: { operator: 'lea', run: 'r' } }),
        refund('i_i', 20, { origin: 'https://other.example' }),
      ]);
      const total = (more: Partial<RefundedBy> = {}) =>
        open().refunded({ origin, operator: 'ana', currency: 'MXN', livemode: true, since: 10, ...more });
      expect(await total()).toBe(15);
      expect(await total({ since: 11 })).toBe(10);
      expect(await total({ currency: 'usd' })).toBe(5);
      expect(await total({ livemode: false })).toBe(5);
      expect(await total({ operator: 'eve' })).toBe(0);
      expect(await total({ origin: 'https://other.example' })).toBe(5);
      await open().append({ ...verdict('i_b', 30), verdict: 'not_sent', by: 'sender' });
      expect(await total()).toBe(10);
    });

    it('gives the rows of one request for an approval, and those of the requests with a row since a time', async () => {
      const rows = [asked('r_1', 10), asked('r_2', 20), decided('r_1', 30), asked('r_3', 40)];
      await fill([...rows, sent('i_a', 50), limit(60)]);
      expect(await open().approvals({ id: 'r_1' })).toEqual([rows[0], rows[2]]);
      expect(await open().approvals({ id: 'r_9' })).toEqual([]);
      expect(await open().approvals({ since: 0 })).toEqual(rows);
      expect(await open().approvals({ since: 21 })).toEqual([rows[0], rows[2], rows[3]]);
      expect(await open().settings('max')).toEqual([limit(60)]);
      expect((await open().verify()).findings).toEqual([]);
    });

    it('gives the rows of an attempt and of its approval as they are stored, with the newest hash', async () => {
      const rows = [asked('r_1', 10), decided('r_1', 20), sent('i_a', 30, { approval: 'r_1' })];
      const others = [onOrder('i_b', 'ord_2'), verdict('i_b', 50), asked('r_2', 60)];
      await fill([...rows, ...others, verdict('i_a', 70), setting(80)]);
      const [found] = await open().attempts({ change: 'i_a' });
      const stored = await open().storedRows(found === undefined ? [] : [found.sent]);
      expect(stored.rows.map(unlink)).toEqual([...rows, verdict('i_a', 70)]);
      expect(stored.rows.map(damageOf)).toEqual([undefined, undefined, undefined, undefined]);
      expect(stored.head).toBe((await open().verify()).head);
      expect((await open().storedRows([])).rows).toEqual([]);
      await journal.change(3);
      await expect(open().storedRows(found === undefined ? [] : [found.sent])).rejects.toThrow('row 3 ');
    });

    it('erases what was said in requests for an approval, once nobody can answer or use them any more', async () => {
      const dayMs = 24 * 60 * 60_000;
      await fill([
        asked('r_1', 10, { note: 'ticket 8840' }),
        { ...decided('r_1', 20), note: 'seen' },
        asked('r_2', 30, { note: 'ticket 9001' }),
      ]);
      expect(await open().eraseBodies(8 * dayMs)).toBe(0);
      expect(await open().eraseBodies(8 * dayMs + 21)).toBe(1);
      expect(JSON.stringify(await open().approvals({ id: 'r_1' }))).not.toMatch(/ticket|seen|"reason"/);
      expect(await open().approvals({ id: 'r_2' })).toMatchObject([{ note: 'ticket 9001' }]);
      expect((await open().verify()).findings).toEqual([]);
    });

    describe('adds no row that contradicts those before it', () => {
      it('a second SENT of an attempt, or a verdict without a SENT', async () => {
        await fill([sent('i_a', 1)]);
        const store = open();
        for (const row of [sent('i_a', 9), verdict('i_x', 9), { ...verdict('i_a', 9), attempt: 2 }])
          await expect(store.append(row)).rejects.toMatchObject({
            kind: 'refused',
            message: `the journal cannot hold this row of ${row.change}`,
          });
        await store.append({ ...sent('i_a', 9), attempt: 2 });
        expect((await store.verify()).rows).toBe(2);
      });

      it('of two runs that add the same SENT at the same moment one is refused', async () => {
        const added = await Promise.allSettled([
          open().append(sent('i_a', 1)),
          open().append(sent('i_a', 1)),
        ]);
        expect(added.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
        expect((await open().verify()).rows).toBe(1);
      });
    });

    describe('adds no SENT of a run that has not seen what another run did', () => {
      it('to the same order since it asked', async () => {
        const ofOrder = { origin: 'https://pay.example', orderId: 'ord_1', beforeSending: true } as const;
        const [one, other] = [open(), open()];
        expect(await one.attempts(ofOrder)).toEqual([]);
        await other.append(sent('i_b', 1));
        await expect(one.append(sent('i_a', 2))).rejects.toMatchObject({
          kind: 'refused',
          message: 'another run changed ord_1 in the meantime',
        });
        await one.attempts(ofOrder);
        await other.append(verdict('i_b', 3));
        await expect(one.append(sent('i_a', 4))).rejects.toMatchObject({ kind: 'refused' });
        await one.attempts(ofOrder);
        await one.append(sent('i_a', 5));
        await other.append(onOrder('i_c', 'ord_2'));
        await one.append(verdict('i_a', 7));
        expect(await other.attempts(ofOrder)).toHaveLength(2);
      });

      it('under the same idempotency key since it asked', async () => {
        const ofScript = {
          origin: 'https://pay.example',
          idempotencyKey: 'T1',
          beforeSending: true,
        } as const;
        const on = (change: string, orderId: string) => ({
          ...onOrder(change, orderId),
          idempotencyKey: 'T1',
          asked: { order: orderId },
        });
        const [one, other, third] = [open(), open(), open()];
        for (const store of [one, other, third]) expect(await store.attempts(ofScript)).toEqual([]);
        await one.append(on('i_a', 'ord_1'));
        await expect(other.append(on('i_b', 'ord_2'))).rejects.toMatchObject({
          kind: 'refused',
          message:
            'the idempotency key T1 (--idempotency-key) was used for another change: recorded with order ord_1; asked for now with order ord_2',
          parts: { now: ['paydesk journal show i_a'] },
        });
        await expect(third.append(on('i_c', 'ord_1'))).rejects.toMatchObject({
          kind: 'refused',
          message: 'another run under the idempotency key T1 (--idempotency-key) came first',
        });
        await one.append(verdict('i_a', 2));
        expect(await other.attempts(ofScript)).toHaveLength(1);
        await other.append({ ...on('i_a', 'ord_1'), attempt: 2 });
        await other.append(sent('i_d', 3, { idempotencyKey: 'T2' }));
      });
    });

    it('sends nothing while a change of an unknown account is lost, until a person settles it', async () => {
      const store = open();
      await store.append(sent('i_a', 1));
      await store.append(sent('i_lost', 2, { origin: '', account: '', lost: 'unknown' }));
      const lost = { kind: 'refused', message: expect.stringContaining('i_lost may be a change') };
      await expect(store.ready()).rejects.toMatchObject(lost);
      await expect(store.append(onOrder('i_b', 'ord_2'))).rejects.toMatchObject(lost);
      await store.append(verdict('i_a', 3));
      await store.append({ ...verdict('i_lost', 4), verdict: 'rejected', by: 'person', confirmed: true });
      await store.ready();
      await store.append(onOrder('i_b', 'ord_2'));
    });

    it.each<[string, (damaged: TestedJournal) => void | Promise<void>, number]>([
      ['changed', ({ change }) => change(3), 3],
      ['missing', ({ lose }) => lose(2), 2],
      ['missing at the end', ({ lose }) => lose(4), 4],
    ])(
      'with a row that is %s refuses every change of its order, and names the row',
      async (_, damage, seq) => {
        await fill(two);
        await damage(journal);
        const store = open();
        for (const act of [
          () => store.attempts(ofOrd1),
          () => store.list({}, { limit: 9 }),
          () => store.append(sent('i_c', 9)),
          () => archiveInto(store, join(folder, 'archive')),
        ])
          await expect(act()).rejects.toMatchObject({ kind: 'refused' });
        expect((await store.verify()).findings.map((finding) => finding.seq)).toContain(seq);
        expect(existsSync(join(folder, 'archive'))).toBe(false);
      },
    );

    if (leaves.repair === undefined) {
      it.each<[string, (damaged: TestedJournal) => void | Promise<void>, string]>([
        ['a SENT that was changed', ({ change }) => change(5), 'i_c'],
        ['a SENT that is missing', ({ lose }) => lose(5), 'i_c'],
        ['a last verdict that is missing', ({ lose }) => lose(4), 'i_b'],
      ])(
        'forgets no attempt when it repairs %s: the attempt, or one for all, is unconfirmed',
        async (_, damage, change) => {
          await fill([...two, sent('i_c', 5)]);
          await damage(journal);
          const { lost, doubtful } = await open().repair(7);
          expect(lost.length + doubtful).toBe(1);
          expect((await open().verify()).findings).toEqual([]);
          const unconfirmed = (await open().attempts({ unconfirmed: true })).filter(
            ({ verdicts }) => verdicts.length === 0,
          );
          expect(unconfirmed.some(({ sent: row }) => row.change === change || row.origin === '')).toBe(true);
          expect((await open().attempts({ change: 'i_a' }))[0]?.verdicts).toEqual([verdict('i_a', 2)]);
        },
      );
    }

    if (leaves.repair === undefined)
      it('keeps limits, requests for an approval and their answers when it repairs a SENT', async () => {
        const rows = [asked('r_1', 1), decided('r_1', 2)];
        await fill([...rows, limit(3), ...two, sent('i_c', 5)]);
        await journal.lose(8);
        await open().repair(7);
        expect(await open().approvals({ since: 0 })).toEqual(rows);
        expect(await open().settings('max')).toEqual([limit(3)]);
        expect((await open().verify()).findings).toEqual([]);
      });

    it('repairs nothing that is whole', async () => {
      await fill(two);
      await expect(open().repair(7)).rejects.toMatchObject({ kind: 'refused' });
      expect((await open().verify()).rows).toBe(4);
    });

    it('knows a head that was noted elsewhere, and one that it never had', async () => {
      await fill(two);
      const store = open();
      const { head, rows } = await store.verify();
      await store.append(sent('i_d', 9));
      expect(rows).toBe(4);
      expect(await store.verify(head)).toMatchObject({ knowsHead: true, findings: [] });
      expect(await store.verify('0'.repeat(64))).toMatchObject({ knowsHead: true });
      expect(await store.verify('f'.repeat(64))).toMatchObject({ knowsHead: false });
    });

    it('gives an alarm as unconfirmed until somebody has acknowledged it, and keeps what was corrected', async () => {
      const horizon = 900_000;
      const over = { time: 2000 + horizon };
      const made = verdict('i_a', 1000);
      const alarmed: VerdictRow = { ...made, ...over, alarm: 'duplicate' };
      await fill([sent('i_a', 1), made, alarmed]);
      const store = open();
      const alarms = async () => (await open().attempts({ unconfirmed: true })).length;
      expect(await alarms()).toBe(1);
      const person = { operator: 'op7', note: 'the bank recalls one' };
      const ended: VerdictRow = { ...made, ...over, acknowledged: 'duplicate', ...person };
      await store.append(ended);
      expect(await alarms()).toBe(0);
      const wrong: VerdictRow = { ...made, ...over, by: 'person', verdict: 'rejected', ...person };
      const right: VerdictRow = { ...wrong, verdict: 'applied', corrects: true };
      await store.append(wrong);
      await store.append(right);
      expect((await open().attempts(ofOrd1))[0]?.verdicts).toEqual([made, alarmed, ended, wrong, right]);
      const madeByHand = async (time: number) =>
        (await open().attempts({ madeByHand: { time, skewed: false } })).length;
      expect([await madeByHand(over.time), await madeByHand(over.time + horizon)]).toEqual([1, 0]);
      expect(await open().attempts({ byHand: true })).toEqual([]);
      expect(await open().verify()).toMatchObject({ findings: [] });
    });

    it('gives a refund that a person recorded as not made as doubted until a late read, and takes that it was made', async () => {
      const said: VerdictRow = {
        ...verdict('i_a', 1000),
        verdict: 'rejected',
        by: 'person',
        confirmed: true,
        operator: 'op7',
        note: 'nothing at the bank',
      };
      const read = { ...verdict('i_a', 2000), by: 'read', confirmed: true } as const;
      await fill([
        sent('i_a', 1),
        { ...verdict('i_a', 500), verdict: 'unknown', by: 'sender' },
        said,
        sent('i_b', 2),
        { ...said, change: 'i_b' },
      ]);
      const doubted = async () => (await open().attempts({ doubted: true })).map(attemptName);
      expect(await doubted()).toEqual(['i_a', 'i_b']);
      expect(await open().attempts({ unconfirmed: true })).toEqual([]);
      await open().append({ ...read, change: 'i_b', verdict: 'rejected' });
      expect(await doubted()).toEqual(['i_a']);
      const made: VerdictRow = { ...read, alarm: 'applied_though_rejected' };
      await open().append(made);
      expect(await doubted()).toEqual([]);
      expect(await open().attempts({ unconfirmed: true })).toHaveLength(1);
      expect((await open().attempts({ change: 'i_a' }))[0]?.verdicts.at(-1)).toMatchObject({
        verdict: 'applied',
        by: 'read',
        alarm: 'applied_though_rejected',
      });
      expect(await open().verify()).toMatchObject({ findings: [] });
    });

    it('keeps the link of what was created, and erases it with the notes', async () => {
      const link = 'https://pay.example.com/1';
      const made: VerdictRow = { ...verdict('i_a', 1000), created: 'chk_1', link };
      await fill([sent('i_a', 1), made]);
      expect((await open().attempts(ofOrd1))[0]?.verdicts).toEqual([made]);
      expect(await open().eraseBodies(2)).toBe(1);
      expect((await open().attempts(ofOrd1))[0]?.verdicts).toEqual([
        { ...verdict('i_a', 1000), created: 'chk_1' },
      ]);
      expect(await open().verify()).toMatchObject({ findings: [] });
    });

    describe('rows about settings', () => {
      const mixed = [setting(9), sent('i_a', 1), setting(2, { name: 'plan.max_count' }), verdict('i_a', 3)];

      it('are given back in their order, to every run, and are counted', async () => {
        expect(await open().settings()).toEqual([]);
        await fill(mixed);
        const store = open();
        expect(await store.settings()).toEqual([setting(9), setting(2, { name: 'plan.max_count' })]);
        await open().append(setting(10));
        expect(await store.settings()).toHaveLength(3);
        expect(await store.verify()).toMatchObject({ rows: 5, settings: 3, findings: [] });
      });

      it('are found by the beginning of their names, up to a slash', async () => {
        const names = ['member/ana', 'members', 'member', 'member/ben', 'member0', 'closed/i_a'];
        await fill(names.map((name, index) => setting(index, { name })));
        const found = async (name: string) => (await open().settings(name)).map((row) => row.name);
        expect(await found('member/')).toEqual(['member/ana', 'member/ben']);
        expect(await found('member')).toEqual(['member']);
        expect(await found('other/')).toEqual([]);
      });

      it('change no answer about attempts, nor the time', async () => {
        const rows = [sent('i_a', 1), verdict('i_a', 3)];
        await fill(mixed);
        const [store, plain] = [open(), (await begin(mkdtempSync(join(folder, 'plain-')))).open()];
        for (const row of rows) await plain.append(row);
        expect(await store.attempts(ofOrd1)).toEqual(await plain.attempts(ofOrd1));
        expect(await store.list({}, { limit: 9 })).toEqual(await plain.list({}, { limit: 9 }));
        expect(await store.operators(undefined)).toEqual(await plain.operators(undefined));
        const { writtenAt: _, ...newest } = await store.newest();
        expect(await plain.newest()).toMatchObject(newest);
        expect(await store.eraseBodies(5)).toBe(1);
        expect(await open().settings()).toHaveLength(2);
      });

      it('do not count as something that another run did to an order', async () => {
        const [one, other] = [open(), open()];
        await one.attempts({ orderId: 'ord_1', beforeSending: true });
        await one.attempts({ idempotencyKey: 'T1', beforeSending: true });
        await other.append(setting(1));
        await one.append(sent('i_a', 2, { idempotencyKey: 'T1' }));
        expect((await one.verify()).rows).toBe(2);
      });

      if (leaves.restore === undefined) {
        it('move to another store with the others', async () => {
          await fill(mixed);
          const file = join(folder, 'archive');
          expect(await archiveInto(open(), file)).toBe(4);
          const to = await begin(mkdtempSync(join(folder, 'other-')));
          expect(await to.open().restore(file)).toBe(4);
          expect(await to.open().settings()).toEqual(await open().settings());
          expect((await to.open().verify()).head).toBe((await open().verify()).head);
        });
      }

      if (leaves.repair === undefined) {
        it('are kept by a repair, and block nothing', async () => {
          await fill([...mixed, sent('i_b', 5), setting(6)]);
          await journal.change(5);
          expect(await open().repair(7)).toMatchObject({ lost: expect.any(Array), unreadable: 0 });
          const times = (await open().settings()).map(({ time }) => time);
          expect(new Set(times)).toEqual(new Set([2, 6, 9]));
          expect((await open().verify()).findings).toEqual([]);
          expect((await open().attempts({ change: 'i_a' }))[0]?.verdicts).toEqual([verdict('i_a', 3)]);
        });
      }

      it('are not added while nothing may be sent', async () => {
        await fill([sent('i_lost', 2, { origin: '', account: '', lost: 'unknown' })]);
        await expect(open().append(setting(3))).rejects.toMatchObject({ kind: 'refused' });
        expect(await open().settings()).toEqual([]);
      });

      it('that are damaged are not given back', async () => {
        await fill([...mixed, setting(4)]);
        await journal.lose(3);
        await expect(open().settings()).rejects.toMatchObject({ kind: 'refused' });
      });
    });

    it('erases bodies, notes and links of settled attempts, and stays whole', async () => {
      await fill([...two, sent('i_c', 5), verdict('i_c', 6), sent('i_open', 2)]);
      const store = open();
      const { head } = await store.verify();
      expect(await store.eraseBodies(4)).toBe(2);
      expect(await store.eraseBodies(4)).toBe(0);
      const [first, second, kept, unconfirmed] = await open().attempts(ofOrd1);
      expect([first?.sent.note, first?.sent.request.body, second?.sent.note]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      expect([kept?.sent.note, unconfirmed?.sent.note]).toEqual(['ticket 8840', 'ticket 8840']);
      expect(await open().verify()).toMatchObject({ head, findings: [] });
      await open().append(onOrder('i_d', 'ord_2'));
    });

    if (leaves.restore === undefined) {
      it('moves to another store in one file, with the same rows and the same head', async () => {
        const person = { by: 'person', operator: 'op7', note: 'bank file' } as const;
        const corrected: VerdictRow = { ...verdict('i_b', 5), ...person, corrects: true };
        const acknowledged: VerdictRow = { ...verdict('i_a', 6), ...person, acknowledged: 'duplicate' };
        await fill([...two, corrected, acknowledged]);
        const [from, file] = [open(), join(folder, 'archive')];
        expect(await archiveInto(from, file)).toBe(6);
        await expect(archiveInto(from, file)).rejects.toMatchObject({ kind: 'refused' });
        const to = await begin(mkdtempSync(join(folder, 'other-')));
        expect(await to.open().restore(file)).toBe(6);
        expect(await to.open().attempts(ofOrd1)).toEqual(await from.attempts(ofOrd1));
        const young = { madeByHand: { time: 7, skewed: false } };
        expect(await to.open().attempts(young)).toEqual(await from.attempts(young));
        expect(await pagesOf(to.open(), 1)).toEqual(await pagesOf(from, 1));
        expect(await to.open().verify((await from.verify()).head)).toMatchObject({
          knowsHead: true,
          findings: [],
        });
        await to.open().append(sent('i_c', 9));
        await expect(to.open().restore(file)).rejects.toMatchObject({ kind: 'refused' });
        expect((await to.open().verify()).rows).toBe(7);
      });
    }

    it('imports no file that is not whole', async () => {
      await fill(two);
      const file = join(folder, 'archive');
      await archiveInto(open(), file);
      writeFileSync(file, readFileSync(file, 'utf8').replace('"i_b"', '"i_x"'));
      const to = await begin(mkdtempSync(join(folder, 'other-')));
      await expect(to.open().restore(file)).rejects.toMatchObject({ kind: 'refused' });
      expect((await to.open().verify()).rows).toBe(0);
    });
  });
}

const ofOrd1 = { orderId: 'ord_1' };

/** The pages of everything, until one is not full. */
async function pagesOf(store: JournalStore, limit: number): Promise<(readonly AttemptRecord[])[]> {
  const pages = [await store.list({}, { limit })];
  for (let last = pages[0]; last?.length === limit; last = pages.at(-1))
    pages.push(await store.list({}, { limit, before: last.at(-1)?.sent }));
  return pages;
}
