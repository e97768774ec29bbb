/** Random journals and random questions to a store, and what the answers mean, written once more. */

import fc from 'fast-check';
import { dueAt } from '../../src/journal/attempt-state.ts';
import type { AttemptFilter, AttemptQuery, Cursor } from '../../src/journal/rows/attempt-query.ts';
import type { AttemptRecord, JournalRow, SentRow } from '../../src/journal/rows/journal-rows.ts';
import { sent } from './rows.ts';

/** A change of an order; a new order if there is none. */
export function onOrder(change: string, orderId: string | undefined): SentRow {
  const row = sent(change, 6);
  const kind = orderId === undefined ? 'order' : 'refund';
  return { ...row, proof: { ...row.proof, kind, orderId } };
}

// ── Journals ────────────────────────────────────────────────────────────────────────────────────

const maybe = <T>(...values: T[]) => fc.constantFrom(undefined, ...values);
const rarely = <T>(...values: T[]) =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...values) },
  );

const link = 'https://pay.example.com/1';
const kinds = ['refund', 'capture', 'checkout', 'order'] as const;
// Without and with the service's clock, so long after the start of the machine.
function clocksAt(ms: number) {
  const clocks = { wall: 1, boot: { id: 'b1', ms } };
  return [clocks, { ...clocks, service: 1 }];
}

// Few times, so that many attempts have the same.
const time = fc.nat(4);

/** An attempt and its verdicts. */
export const draft = fc.record({
  orderId: maybe('ord_1', 'ord_2'),
  kind: fc.oneof({ weight: 2, arbitrary: fc.constant('refund' as const) }, fc.constantFrom(...kinds)),
  time,
  horizonMs: fc.constantFrom(0, 1, 3, 100),
  origin: fc.constantFrom('o', 'p'),
  livemode: fc.boolean(),
  lost: rarely<'refund'>('refund'),
  idempotencyKey: maybe('t-1'),
  again: maybe(['re_1'], ['i_0', 're_2']),
  operator: fc.constantFrom('a', 'b'),
  stamp: maybe({ operator: 'c', run: 'r' }, { operator: 'a', run: 'r', desk: 'desk-4' }),
  verdicts: fc.array(
    fc.record({
      time,
      skewed: rarely(true),
      clocks: maybe(...clocksAt(1), ...clocksAt(4)),
      verdict: fc.oneof(
        { weight: 2, arbitrary: fc.constant('applied') },
        fc.constantFrom('rejected', 'not_sent', 'unknown', 'not_seen'),
      ),
      by: fc.constantFrom('reply', 'read', 'person'),
      alarm: rarely('duplicate', 'disagreement'),
      confirmed: maybe(true, false),
      refunds: maybe(
        [],
        [
          { id: 're_1', chargeId: 'ch_1', amount: -5 },
          { chargeId: 'ch_1', amount: -5 },
        ],
        [{ id: 're_2', chargeId: 'ch_1', amount: -5 }],
      ),
      created: rarely('chk_1'),
      link: rarely(link),
      note: maybe('n'),
    }),
    { maxLength: 3 },
  ),
});

type Draft = typeof draft extends fc.Arbitrary<infer T> ? T : never;

/** The rows of a draft. Two drafts that follow each other are attempts of one change. `stamped`: who signed in is in the rows. */
export function rowsOf(
  { verdicts, orderId, kind, livemode, ...of }: Draft,
  index: number,
  stamped: boolean,
): JournalRow[] {
  const row = onOrder(`i_${Math.floor(index / 2)}`, orderId);
  const { change } = row;
  const attempt = (index % 2) + 1;
  const { stamp, ...rest } = of;
  const signed = stamped ? { stamp } : {};
  const proof = { ...row.proof, kind, orderId, livemode };
  return [
    asRead({ ...row, ...rest, ...signed, attempt, proof }),
    ...verdicts.map((one) => asRead({ type: 'verdict', change, attempt, why: 'w', ...one })),
  ];
}

function asRead(row: object): JournalRow {
  return JSON.parse(JSON.stringify(row));
}

// ── Questions ───────────────────────────────────────────────────────────────────────────────────

const orders = [new Set(['ord_1', 'ord_9']), new Set(['ord_1', 'ord_2']), new Set<string>()];
const made = [new Set(['re_1', 'none']), new Set(['re_2', 'chk_1']), new Set([link]), new Set<string>()];
const repeated = [new Set(['re_1', 'none']), new Set(['i_0']), new Set<string>()];
const watched = { dueBy: fc.nat(20), limit: fc.integer({ min: 1, max: 3 }) };

const moment = fc.record({
  time: fc.nat(20),
  skewed: fc.boolean(),
  boot: maybe({ id: 'b1', ms: 2 }, { id: 'b1', ms: 9 }, { id: 'b2', ms: 1 }),
});

export const filter: fc.Arbitrary<AttemptFilter> = fc.record({
  origin: rarely('o', 'p', ''),
  livemode: rarely(true, false),
  orderId: rarely('ord_1'),
  orderIds: rarely(...orders),
  change: rarely('i_0', 'i_1'),
  idempotencyKey: rarely('t-1'),
  made: rarely(...made),
  again: rarely(...repeated),
  kind: rarely(...kinds),
  operator: rarely('a', 'c'),
  desk: rarely('desk-4'),
  since: rarely(1, 2, 3),
  until: rarely(1, 2, 3),
  withoutOrder: rarely<true>(true),
  unconfirmed: rarely<true>(true),
  doubted: rarely<true>(true),
  madeByHand: rarely({ time: 3, skewed: false, boot: { id: 'b1', ms: 4 } }),
  byHand: rarely<true>(true),
});

const narrowing = fc.oneof(
  fc.record({ orderId: fc.constantFrom('ord_1', 'ord_9') }),
  fc.record({ orderIds: fc.constantFrom(...orders) }),
  fc.record({ change: fc.constantFrom('i_0', 'i_1', 'i_9') }),
  fc.record({ idempotencyKey: fc.constantFrom('t-1', 't-9') }),
  fc.record({ made: fc.constantFrom(...made) }),
  fc.record({ again: fc.constantFrom(...repeated) }),
  fc.record({ unconfirmed: fc.constant<true>(true) }),
  fc.record({ doubted: fc.constant<true>(true) }),
  fc.record({ watched: fc.record(watched) }),
  fc.record({ madeByHand: moment }),
  fc.record({ byHand: fc.constant<true>(true) }),
);

export const query: fc.Arbitrary<AttemptQuery> = fc
  .tuple(filter, narrowing)
  .map(([rest, one]): AttemptQuery => ({ ...rest, ...one }));

/** A place in a list, whether an attempt is there or not. */
export const cursor: fc.Arbitrary<Cursor | undefined> = fc.option(
  fc.record({
    time,
    change: fc.constantFrom('i_0', 'i_1', 'i_11', 'i_2'),
    attempt: fc.constantFrom(1, 2),
  }),
  { nil: undefined, freq: 3 },
);

// ── Their meaning ───────────────────────────────────────────────────────────────────────────────

/** What a query asks for, of all attempts in the order of their SENT rows. */
export function answer(asked: AttemptQuery, all: readonly AttemptRecord[]): readonly AttemptRecord[] {
  const found = all.filter((record) => means(asked, record));
  if (asked.watched === undefined) return found;
  const due = (record: AttemptRecord) => dueAt(record) ?? Number.NaN;
  return found.toSorted((one, other) => due(one) - due(other)).slice(0, asked.watched.limit);
}

/** Whether a filter means an attempt. */
export function means(asked: AttemptFilter, record: AttemptRecord): boolean {
  const { sent: row, verdicts } = record;
  const due = dueAt(record);
  const equal: readonly (readonly [unknown, unknown])[] = [
    [asked.origin, row.origin],
    [asked.orderId, row.proof.orderId],
    [asked.change, row.change],
    [asked.idempotencyKey, row.idempotencyKey],
    [asked.kind, row.proof.kind],
    [asked.operator, row.operator],
    [asked.desk, row.stamp?.desk],
    [asked.withoutOrder, row.proof.orderId === undefined],
    [asked.unconfirmed, isUnconfirmed(record)],
    [asked.doubted, isDoubted(record)],
    [asked.byHand, verdicts.at(-1)?.by === 'person' && row.proof.orderId === undefined],
  ];
  return (
    equal.every(([wanted, is]) => wanted === undefined || wanted === is) &&
    (asked.livemode === undefined || row.lost !== undefined || row.proof.livemode === asked.livemode) &&
    (asked.since === undefined || row.time >= asked.since) &&
    (asked.until === undefined || row.time < asked.until) &&
    (asked.orderIds === undefined || asked.orderIds.has(row.proof.orderId ?? 'none')) &&
    (asked.made === undefined || idsIn(record).some((id) => asked.made?.has(id))) &&
    (asked.again === undefined || (row.again ?? []).some((name) => asked.again?.has(name))) &&
    (asked.madeByHand === undefined || isMadeByHand(record, asked.madeByHand)) &&
    (asked.watched === undefined || (due !== undefined && due <= asked.watched.dueBy))
  );
}

function isUnconfirmed({ verdicts }: AttemptRecord): boolean {
  const { verdict, confirmed, alarm } = verdicts.at(-1) ?? {};
  const isOpen = verdict === undefined || verdict === 'unknown' || verdict === 'not_seen';
  return isOpen || alarm !== undefined || (verdict === 'rejected' && confirmed === false);
}

// Of an attempt whose SENT row was lost no read can tell.
function isDoubted({ sent: { proof, lost }, verdicts }: AttemptRecord): boolean {
  const { verdict, by } = verdicts.at(-1) ?? {};
  return lost === undefined && proof.kind === 'refund' && verdict === 'rejected' && by === 'person';
}

function isMadeByHand(
  { sent: { proof, horizonMs }, verdicts }: AttemptRecord,
  { time: now, skewed, boot }: NonNullable<AttemptFilter['madeByHand']>,
): boolean {
  const last = verdicts.at(-1);
  if (proof.kind !== 'refund' || last?.verdict !== 'applied' || last.by !== 'person') return false;
  const trusted = verdicts.filter((row) => row.skewed === undefined);
  const ofBoot = verdicts.filter(({ clocks }) => clocks?.boot?.id === boot?.id);
  return (
    skewed ||
    trusted.length === 0 ||
    trusted.some((row) => row.time + horizonMs > now) ||
    ofBoot.some(({ clocks }) => (clocks?.boot?.ms ?? 0) + horizonMs > (boot?.ms ?? Number.NaN))
  );
}

function idsIn({ verdicts }: AttemptRecord): readonly string[] {
  const ids = verdicts.flatMap(({ refunds = [], created, link: url }) => [
    ...refunds.map(({ id }) => id),
    created,
    url,
  ]);
  return ids.filter((id) => id !== undefined);
}

/** The names of those who sent attempts. */
export function namesIn(records: readonly AttemptRecord[]): readonly string[] {
  return [...new Set(records.map(({ sent }) => sent.operator))].toSorted();
}

/** Attempts as a list shows them. */
export function newestFirst(records: readonly AttemptRecord[]): readonly AttemptRecord[] {
  return records.toSorted((one, other) => (isBefore(one.sent, other.sent) ? 1 : -1));
}

/** Whether an attempt stands behind a place in a list. */
export function comesAfter(place: Cursor | undefined, { sent: row }: AttemptRecord): boolean {
  return place === undefined || isBefore(row, place);
}

// Before in time. A list shows it later.
function isBefore(one: Cursor, other: Cursor): boolean {
  if (one.time !== other.time) return one.time < other.time;
  if (one.change !== other.change) return one.change < other.change;
  return one.attempt < other.attempt;
}
