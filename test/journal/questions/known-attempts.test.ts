/** What a run looks up for a new order decides as the whole journal would. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/api/json-values.ts';
import { isUnsettled, verdictOf } from '../../../src/journal/attempt-state.ts';
import { newestIds } from '../../../src/journal/created-order.ts';
import { decide } from '../../../src/journal/guards.ts';
import type { Wanted } from '../../../src/journal/protocol-types.ts';
import {
  creationsIn,
  knownAttempts,
  type SubjectOfLook,
} from '../../../src/journal/questions/known-attempts.ts';
import { nothingToRepeat } from '../../../src/journal/read-guards.ts';
import {
  type AttemptRecord,
  attemptName,
  type JournalRow,
  type Proof,
  type SentRow,
} from '../../../src/journal/rows/journal-rows.ts';
import { marksOf, mayBeSameAccount } from '../../../src/journal/same-account.ts';
import { asksForSame } from '../../../src/journal/same-request.ts';
import { judgeSeen } from '../../../src/journal/verdict.ts';
import { isLong } from '../../harness/long.ts';
import { attemptsIn, createMemoryStore } from '../../harness/memory-store.ts';
import { momentAt, sent, verdict } from '../rows.ts';

const maybe = <T>(...values: T[]) => fc.constantFrom(undefined, ...values);
const names = ['i_0', 'i_1', 'i_1.2', 'i_2', 're_1'];
const hour = 3_600_000;
const now = momentAt(40 * hour);

const bodies = [1, 2].map((price) => ({
  currency: 'MXN',
  line_items: [{ name: 'a', unit_price: price, quantity: 1 }],
}));

const creation = fc.record({
  change: fc.constantFrom('i_0', 'i_1', 'i_2', 'i_3'),
  hours: fc.nat(39),
  horizonMs: fc.constantFrom(hour, 100 * hour),
  body: fc.constantFrom(...bodies),
  kind: fc.constantFrom('order', 'order', 'order', 'checkout'),
  origin: fc.constantFrom('https://pay.example', 'https://pay.example:443', 'https://other.example'),
  idempotencyKey: maybe('t-1'),
  again: fc.option(fc.subarray(names, { maxLength: 2 }), { nil: undefined }),
  verdicts: fc.array(
    fc.oneof(
      fc.record({
        verdict: fc.constantFrom('applied', 'applied', 'rejected', 'not_sent', 'unknown', 'not_seen'),
        by: fc.constantFrom('reply', 'read'),
        confirmed: maybe(true, false),
        alarm: maybe('contradiction'),
        created: maybe('ord_1', 'ord_2', 'ord_3'),
      }),
      fc.record({
        verdict: fc.constantFrom('applied', 'rejected'),
        by: fc.constant('person'),
        confirmed: fc.constant(true),
      }),
    ),
    { maxLength: 2 },
  ),
});

const asked = fc.record({
  body: fc.constantFrom(...bodies),
  idempotencyKey: maybe('t-1'),
  again: fc.subarray(names, { maxLength: 2 }),
});

type Creation = typeof creation extends fc.Arbitrary<infer T> ? T : never;
type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never;

describe('a run looks up', () => {
  const account = { origin: 'https://pay.example', livemode: false };
  const lamp = { name: 'Lamp', price: 5 };
  const request = { method: 'POST', path: 'checkouts', body: lamp } as const;

  /** An attempt in the sandbox of the account, without an order; `body`: what it asked for. */
  function made(
    change: string,
    body: JsonObject,
    more: Partial<SentRow> = {},
    proof: Partial<Proof> = {},
  ): SentRow {
    const row = sent(change, 1000, { request: { ...request, body }, asked: body, ...more });
    const none = { orderId: undefined, livemode: false, expected: [] };
    return { ...row, proof: { ...row.proof, kind: 'checkout', body, ...none, ...proof } };
  }

  const on = (orderId: string) => ({ kind: 'refund', orderId }) as const;
  const created = (change: string, order: string): JournalRow => ({
    ...verdict(change, 1001),
    created: order,
  });
  const elsewhere = { origin: 'https://other.example' };
  const rows: readonly JournalRow[] = [
    made('i_refund', {}, { idempotencyKey: 'night-1' }, on('ord_1')),
    made('i_capture', {}, {}, { kind: 'capture', orderId: 'ord_1' }),
    made('i_other_account', {}, elsewhere, on('ord_1')),
    made('i_other_order', lamp, {}, on('ord_2')),
    made('i_link', lamp),
    made('i_link_settled', lamp),
    verdict('i_link_settled', 1001),
    made('i_other_link', { name: 'Chair' }),
    made('i_link_elsewhere', lamp, { ...elsewhere, idempotencyKey: 'night-1' }),
    made('i_creation', lamp, {}, { kind: 'order' }),
    created('i_creation', 'ord_7'),
    made('i_creation_repeated', lamp, { again: ['i_creation'] }, { kind: 'order' }),
    created('i_creation_repeated', 'ord_8'),
    made('i_creation_open', { name: 'Chair' }, {}, { kind: 'order' }),
    made('i_creation_elsewhere', lamp, elsewhere, { kind: 'order' }),
  ];
  const again = ['i_creation'];

  it.each<[string, Omit<SubjectOfLook, 'account'>, readonly string[]]>([
    [
      'about an order: what was sent on it with the account',
      { kind: 'refund', orderId: 'ord_1', change: 'i_new', request, asked: lamp, again, equal: 'all' },
      ['i_refund', 'i_capture'],
    ],
    [
      'about a change: also if it was sent with another account',
      { kind: 'refund', orderId: 'ord_1', change: 'i_other_account' },
      ['i_other_account', 'i_refund', 'i_capture'],
    ],
    [
      'about an id of a script: what was sent under it with the account',
      { kind: 'capture', orderId: 'ord_9', change: 'i_new', idempotencyKey: 'night-1' },
      ['i_refund'],
    ],
    [
      'about a new payment link: the unconfirmed ones that ask for the same, and no creation of an order that it names',
      { kind: 'checkout', change: 'i_new', request, again, equal: 'all' },
      ['i_link'],
    ],
    [
      'about a payment link that was sent: only that one',
      { kind: 'checkout', change: 'i_link_settled', asked: lamp },
      ['i_link_settled'],
    ],
    [
      'about a new order: what was named, what has used up its name, and equal ones',
      {
        kind: 'order',
        change: 'i_new',
        request: { ...request, body: { name: 'Chair' } },
        again,
        equal: 'all',
      },
      ['i_other_link', 'i_creation_open', 'i_creation_repeated', 'i_creation'],
    ],
  ])('%s', async (_, subject, names) => {
    const store = createMemoryStore();
    for (const row of rows) await store.append(row);
    const found = await knownAttempts(store, { ...subject, account }, async () => now);
    expect(found.map(attemptName).toSorted()).toEqual(names.toSorted());
  });

  it.each<[string, Partial<SubjectOfLook>, readonly string[]]>([
    ['every equal creation', { equal: 'all' }, ['i_hour_5', 'i_hour_7', 'i_hour_30']],
    // 24 hours before the newest row, which is older than the time of this run.
    ['the equal creations of a day', { equal: 'of a day' }, ['i_hour_7', 'i_hour_30']],
    ['no equal creation, if none is compared', {}, []],
    [
      'what is named, with the other attempts of its change',
      { again: ['i_twice'] },
      ['i_twice', 'i_twice.12'],
    ],
    [
      'what an attempt has named that is named itself',
      { again: ['i_twice.12'] },
      ['i_twice', 'i_twice.12', 'i_1.2b'],
    ],
  ])('about a new order: %s', async (_, asked, names) => {
    const store = createMemoryStore();
    const chair = { name: 'Chair' };
    const at = (hours: number) => made(`i_hour_${hours}`, lamp, { time: hours * hour }, { kind: 'order' });
    const twelfth = { attempt: 12, again: ['i_1.2b'] };
    for (const row of [
      at(5),
      made('i_1.2b', chair, {}, { kind: 'order' }),
      made('i_twice', chair, {}, { kind: 'order' }),
      made('i_twice', chair, twelfth, { kind: 'order' }),
      at(7),
      at(30),
    ])
      for (const one of [row, { ...verdict(row.change, row.time), attempt: row.attempt }])
        await store.append(one);
    const subject = { kind: 'order', change: 'i_new', request, account, ...asked } as const;
    const found = await knownAttempts(store, subject, async () => now);
    expect(found.map(attemptName).toSorted()).toEqual(names.toSorted());
  });

  it('about orders that a read shows: the creations that made them, and the unconfirmed ones, of the account', async () => {
    const store = createMemoryStore();
    for (const row of rows) await store.append(row);
    const found = await creationsIn(store, { kind: 'order', change: 'i_new', account }, ['ord_8', 'ord_9']);
    expect(found.map(attemptName).toSorted()).toEqual(['i_creation_open', 'i_creation_repeated']);
  });
});

it('an order is created, refused or found as if the run had seen every creation', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(creation, { maxLength: 8 }), asked, async (creations, what) => {
      const { store, all } = await journalOf(creations);
      const wanted = wantedOf(what);
      const subject = {
        ...wanted,
        equal: what.idempotencyKey === undefined ? 'of a day' : undefined,
      } as const;
      const looked = await knownAttempts(store, subject, async () => now);
      const [seen, meant] = [looked, everyOf(all, wanted)].map((known) => ({
        decided: wordsOf(decide(wanted, known, now)),
        mistyped: nothingToRepeat(wanted, { charges: [] }, known, []),
      }));
      expect(seen).toEqual(meant);
    }),
    { numRuns: isLong ? 1000 : 200 },
  );
});

it('what a repeat has repeated is known, however many repeats there were', async () => {
  const of = {
    horizonMs: hour,
    kind: 'order',
    origin: 'https://pay.example',
    idempotencyKey: undefined,
  } as const;
  const [body] = bodies;
  if (body === undefined) throw new Error('no body');
  const made = {
    verdict: 'applied',
    by: 'reply',
    confirmed: undefined,
    alarm: undefined,
    created: 'ord_1',
  } as const;
  const ended = { ...of, body, verdicts: [{ ...made }] };
  const { store } = await journalOf([
    { ...ended, change: 'i_0', hours: 0, again: undefined, verdicts: [{ ...made, verdict: 'not_seen' }] },
    { ...ended, change: 'i_1', hours: 2, again: ['i_0'] },
    { ...ended, change: 'i_2', hours: 3, again: ['i_1'] },
  ]);
  const wanted = wantedOf({ body, idempotencyKey: undefined, again: ['i_2'] });
  const known = await knownAttempts(store, wanted, async () => now);
  expect(wordsOf(decide(wanted, known, now))).toMatchObject({ go: 'send', doubtful: ['i_0'] });
});

it('a creation that is corrected by hand is compared with every equal one, and with nothing else of no order', async () => {
  const [body, other] = bodies;
  if (body === undefined || other === undefined) throw new Error('no bodies');
  const of = { horizonMs: hour, kind: 'order', origin: 'https://pay.example', again: undefined } as const;
  const one = { ...of, idempotencyKey: undefined, body, verdicts: [] };
  const { store } = await journalOf([
    { ...one, change: 'i_0', hours: 0 },
    { ...one, change: 'i_1', hours: 1, body: other },
    { ...one, change: 'i_2', hours: 39 },
  ]);
  const { request, account } = wantedOf({ body, idempotencyKey: undefined, again: [] });
  const looked = { kind: 'order', change: 'i_2', account } as const;
  const known = async (more: object) =>
    (await knownAttempts(store, { ...looked, ...more }, async () => now)).map(attemptName);
  expect(await known({ request, equal: 'all' })).toEqual(['i_2', 'i_0']);
  expect(await known({ again: ['i_2'] })).toEqual(['i_2']);
});

it('a read of the newest orders is judged as if the run had seen every creation', async () => {
  const orders = ['ord_1', 'ord_2', 'ord_3', 'ord_4'].flatMap((id) =>
    bodies.map(({ currency, line_items: data }, index) => ({
      id: `${id}${index || ''}`,
      currency,
      line_items: { data },
    })),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(creation, { minLength: 1, maxLength: 8 }),
      fc.subarray(orders),
      async (creations, data) => {
        const { store, all } = await journalOf(creations);
        const [{ sent: row } = { sent: sent('i_x', 1) }] = all;
        fc.pre(row.proof.kind === 'order');
        const value = { data };
        const subject = { kind: 'order', change: row.change, account: marksOf(row) } as const;
        const found = await creationsIn(store, subject, newestIds(value));
        const every = all.filter(({ sent: other }) => isCreationOf(other, row));
        const [seen, meant] = [found, every].map((known) =>
          judgeSeen(row, { is: 'seen', value, creations: known, moment: now }, new Set()),
        );
        expect(seen).toEqual({
          ...meant,
          ...('problem' in (meant ?? {}) && { problem: expect.any(String) }),
        });
      },
    ),
    { numRuns: isLong ? 1000 : 200 },
  );
});

async function journalOf(creations: readonly Creation[]) {
  const store = createMemoryStore();
  const rows: JournalRow[] = [];
  const counts = new Map<string, number>();
  for (const one of creations.toSorted((first, second) => first.hours - second.hours)) {
    const attempt = (counts.get(one.change) ?? 0) + 1;
    counts.set(one.change, attempt);
    rows.push(...rowsOf(one, attempt));
  }
  for (const row of rows) await store.append(row);
  return { store, all: attemptsIn(rows) };
}

function rowsOf({ verdicts, hours, body, kind, ...of }: Creation, attempt: number): JournalRow[] {
  const time = hours * hour;
  const row = sent(of.change, time);
  const proof = {
    ...row.proof,
    kind,
    orderId: undefined,
    body,
    expected: [],
    before: { charges: [], newest: [] },
  };
  const request = { method: 'POST', path: 'orders', body };
  const plain = { ...row, ...of, attempt, request, proof };
  return [
    plain,
    ...verdicts.map((one) => ({ type: 'verdict', change: of.change, attempt, time, why: 'w', ...one })),
  ].map((one) => JSON.parse(JSON.stringify(one)));
}

function wantedOf({
  body,
  idempotencyKey,
  again,
}: Asked): Wanted & { account: NonNullable<Wanted['account']> } {
  const { origin, account, profile, operator, proof } = sent('', 0);
  return {
    kind: 'order',
    request: { method: 'POST', path: 'orders', body },
    again,
    idempotencyKey,
    change: 'i_new',
    livemode: proof.livemode,
    account: { origin, livemode: proof.livemode },
    dryRun: false,
    sendWithinMs: 10_000,
    horizonMs: hour,
    readAfterMs: [],
    about: { origin, account, profile, operator },
  };
}

// What a run would know that looks at the whole journal.
function everyOf(
  all: readonly AttemptRecord[],
  wanted: ReturnType<typeof wantedOf>,
): readonly AttemptRecord[] {
  return all
    .filter(({ sent: row }) => mayBeSameAccount(marksOf(row), wanted.account))
    .filter(
      (record) =>
        record.sent.proof.kind === 'order' ||
        (wanted.idempotencyKey !== undefined && record.sent.idempotencyKey === wanted.idempotencyKey) ||
        (isUnfinished(record) && asksForSame(record.sent, wanted)),
    );
}

function isUnfinished(record: AttemptRecord): boolean {
  return isUnsettled(record) || verdictOf(record)?.alarm !== undefined;
}

function isCreationOf(other: AttemptRecord['sent'], row: AttemptRecord['sent']): boolean {
  return other.proof.kind === 'order' && mayBeSameAccount(marksOf(other), marksOf(row));
}

function wordsOf(decision: ReturnType<typeof decide>): unknown {
  if (decision.go === 'refuse') {
    const { refusal } = decision;
    return { why: refusal.why, name: 'name' in refusal ? refusal.name : undefined };
  }
  if (decision.go === 'recorded') return { recorded: attemptName(decision.attempt) };
  return { ...decision, doubtful: decision.doubtful.map(attemptName) };
}
