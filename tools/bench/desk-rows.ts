/** The rows that a desk leaves in its journal over years, 200 changes a working day: refunds, captures, links. Pure. */

import type { AttemptRow, ChargeImage, SentRow, VerdictRow } from '../../src/journal/rows/journal-rows.ts';
import { rowKey } from '../../src/plans/plan-lines.ts';

/** The account of the rows, as the journal names it. */
export type DeskAccount = Pick<SentRow, 'origin' | 'account' | 'profile' | 'keyFingerprint'>;

/** The newest changes are refunds of the last minutes, which paydesk still watches. */
export const watched = 80;
const perDay = 200;
const perWeek = 5 * perDay;
const minute = 60_000;
const day = 24 * 60 * minute;
const operators = ['ana', 'lea', 'luis', 'noor'];

/** The id of an order of the bench's service. */
export function orderIdOf(index: number): string {
  return `ord_${String(index).padStart(17, '0')}`;
}

/** The id of a change. No two numbers give the same one. */
export function changeOfRow(change: number): string {
  return `i_${mixed(change).toString(16).padStart(8, '0')}`;
}

/** What was sent as this change. */
type Kind =
  | 'whole'
  | 'part'
  | 'second part'
  | 'capture'
  | 'link'
  | 'order'
  | 'rejected'
  | 'settled'
  | 'unconfirmed';

/** 1 of 1,000 is refused, 1 of 5,000 settled by hand; of 50,000, 1 is a link that nobody knows the outcome of. */
export function kindOf(change: number): Kind {
  if (change % 50_000 === 17) return 'unconfirmed';
  if (change % 5000 === 11) return 'settled';
  if (change % 1000 === 5) return 'rejected';
  // Two parts of one order follow each other.
  if (change % 8 === 6) return 'part';
  if (change % 8 === 7) return 'second part';
  const dice = mixed(change) % 100;
  return dice < 8 ? 'capture' : dice < 10 ? 'link' : dice < 12 ? 'order' : 'whole';
}

/**
 * The rows of so many changes but the newest ones, in pieces of two working weeks, so that every change is within one piece. `now`:
 * Unix milliseconds.
 */
export function* rowsOfYears(changes: number, account: DeskAccount, now: number): Generator<AttemptRow[]> {
  let rows: AttemptRow[] = [];
  for (let left = changes - watched - 1; left >= 0; left -= 1) {
    rows.push(...older({ change: changes - watched - 1 - left, account, time: timeOf(left, now) }));
    if (left % (2 * perWeek) !== 0) continue;
    yield rows.sort((a, b) => a.time - b.time);
    rows = [];
  }
}

/** Those of the newest of so many changes: whole refunds of the orders 0, 2, 4, … of the service. */
export function watchedRows(changes: number, account: DeskAccount, now: number): readonly AttemptRow[] {
  return Array.from({ length: watched }, (_, at) => {
    const time = now - (watched - at) * 10_000;
    const made = { change: changes - watched + at, account, time, order: 2 * (watched - 1 - at) };
    return refund(made, 'watched');
  }).flat();
}

// Within eight hours of a working day, in the weeks before this one. `left`: how many changes came after it.
function timeOf(left: number, now: number): number {
  const today = now - (now % day);
  const monday = today - ((new Date(today).getUTCDay() + 6) % 7) * day;
  const place = left % perWeek;
  const days = -7 * (1 + (left - place) / perWeek) + 4 - Math.floor(place / perDay);
  return monday + days * day + 9 * 60 * minute + (perDay - 1 - (place % perDay)) * 2.4 * minute;
}

interface Made {
  readonly change: number;
  readonly account: DeskAccount;
  readonly time: number;
}

function older(made: Made): AttemptRow[] {
  const { change } = made;
  const order = 1_000_000_000 + change;
  const kind = kindOf(change);
  switch (kind) {
    case 'unconfirmed':
    case 'link':
    case 'order':
      return creation(made, kind);
    case 'capture':
      return capture({ ...made, order });
    case 'second part':
      return refund({ ...made, order: order - 1 }, kind);
    default:
      return refund({ ...made, order }, kind);
  }
}

// ── Changes ─────────────────────────────────────────────────────────────────────────────────────

function refund(made: Made & { readonly order: number }, kind: Kind | 'watched'): AttemptRow[] {
  const { change, order } = made;
  const orderId = orderIdOf(order);
  const chargeId = `ch_${orderId}`;
  const paid = 35_000 + (order % 10_000);
  const isPart = kind === 'part' || kind === 'second part';
  const amount = isPart ? 700 : paid;
  const body = isPart ? { charge_id: chargeId, amount, reason: 'requested_by_client' } : {};
  const earlier = kind === 'second part' ? [{ id: `rf_${order}_0`, amount: -700 }] : [];
  const row = sentRow(made, { kind: 'refund', orderId, amount, path: `orders/${orderId}/refunds` });
  const sent: SentRow = {
    ...row,
    horizonMs: isPart ? day : 15 * minute,
    request: { ...row.request, body },
    proof: {
      ...row.proof,
      body,
      expected: [{ chargeId, amount: -amount }],
      before: image({ id: chargeId, status: 'paid', amount: paid, refunds: earlier }),
    },
    ...(change % 3 === 0 ? ofPlan(made, orderId) : {}),
    ...(change % 9 === 1 ? { note: `asked for by phone, ticket ${change}` } : {}),
    ...(isPart ? { reason: 'requested_by_client' } : {}),
  };
  if (kind === 'rejected') return [sent, ...refusal(sent)];
  if (kind === 'settled') return [sent, ...byHand(sent)];
  const createdAt = Math.floor(sent.time / 1000);
  const refunded = { chargeId, id: `rf_${order}_${earlier.length}`, amount: -amount, createdAt };
  const shown = { ...confirmed, refunds: [{ ...refunded, authCode: undefined }] };
  const checked = { ...shown, why: 'checked again: the service shows it once' };
  const after = sent.horizonMs + (1 + (change % 9)) * minute;
  return [sent, verdict(sent, 16, shown), ...(kind === 'watched' ? [] : [verdict(sent, after, checked)])];
}

// A row of a plan has an idempotency key, as every row that paydesk sends for a plan.
function ofPlan({ change, account: { origin } }: Made, orderId: string) {
  const ref = `T-${change}`;
  const row = { origin, mode: 'sandbox', orderId, chargeId: undefined, amount: 'full', ref } as const;
  const plan = `p_${mixed(Math.floor(change / 50)).toString(16)}`;
  return { idempotencyKey: rowKey(row), plan, ref, line: (change % 50) + 2 };
}

function capture(made: Made & { readonly order: number }): AttemptRow[] {
  const orderId = orderIdOf(made.order);
  const charge = { id: `ch_${orderId}`, status: 'pre_authorized', amount: 7450, refunds: [] };
  const path = `orders/${orderId}/capture`;
  const row = sentRow(made, { kind: 'capture', orderId, amount: 7450, path });
  const sent = { ...row, proof: { ...row.proof, before: image(charge) } };
  return [sent, verdict(sent, 16, { ...confirmed, refunds: [] })];
}

function creation(made: Made, kind: 'unconfirmed' | 'link' | 'order'): AttemptRow[] {
  const isOrder = kind === 'order';
  const item = { name: 'Lamp', unit_price: 30_000, quantity: 1 };
  const sold = { currency: 'MXN', line_items: [item] };
  const body = isOrder ? sold : { name: 'Lamp', type: 'PaymentLink', order_template: sold };
  const path = isOrder ? 'orders' : 'checkouts';
  const row = sentRow(made, { kind: isOrder ? 'order' : 'checkout', amount: 30_000, path });
  const sent: SentRow = { ...row, request: { ...row.request, body }, proof: { ...row.proof, body } };
  if (kind === 'unconfirmed') return [sent, verdict(sent, 10_000, lostReply)];
  const created = isOrder ? orderIdOf(2_000_000_000 + made.change) : `chk_${mixed(made.change)}`;
  const link = isOrder ? {} : { link: `https://pay.example.com/link/${created}` };
  return [sent, verdict(sent, 16, { ...confirmed, refunds: [], created, ...link })];
}

// ── Rows ────────────────────────────────────────────────────────────────────────────────────────

type Words = Omit<VerdictRow, 'type' | 'change' | 'attempt' | 'time' | 'clocks'>;

const confirmed = { verdict: 'applied', by: 'reply', why: 'the reply confirms it' } as const;
const lostReply = { verdict: 'unknown', by: 'sender', why: 'no answer from 127.0.0.1 (timeout)' } as const;

const notSeen = { verdict: 'not_seen', by: 'read', why: 'the service does not show it' } as const;

function refusal(sent: SentRow): readonly AttemptRow[] {
  const details = [{ message: 'The order cannot be refunded.', code: 'service.errors.not_refundable' }];
  const error = { type: 'processing_error', code: 'service.errors.not_refundable', httpStatus: 422, details };
  const words = { verdict: 'rejected', why: 'the service refused it', error } as const;
  return [
    verdict(sent, 16, { ...words, by: 'reply', why: `${words.why}; not checked yet`, confirmed: false }),
    verdict(sent, 40, { ...words, by: 'read', confirmed: true, refunds: [] }),
  ];
}

function byHand(sent: SentRow): readonly AttemptRow[] {
  const said = { by: 'person', why: 'recorded by lea', confirmed: true, operator: 'lea' } as const;
  const note = 'the bank says so';
  return [
    verdict(sent, 10_000, lostReply),
    verdict(sent, 16 * minute, { ...notSeen, refunds: [] }),
    verdict(sent, 60 * minute, { ...said, verdict: 'applied', note }),
  ];
}

type Subject = Pick<SentRow['proof'], 'kind' | 'orderId'> & {
  readonly path: string;
  readonly amount: number;
};

function sentRow({ change, account, time }: Made, { kind, path, orderId, amount }: Subject): SentRow {
  return {
    ...account,
    type: 'sent',
    change: changeOfRow(change),
    attempt: 1,
    time,
    clocks: clocksAt(time),
    sendBy: time + 9998,
    horizonMs: 15 * minute,
    operator: operators[change % 4] ?? 'ana',
    version: '0.1.0',
    amount,
    currency: 'MXN',
    request: { method: 'POST', path },
    proof: { kind, orderId, livemode: false, expected: [], tolerated: [], before: { charges: [] } },
    asked: orderId === undefined ? { currency: 'MXN' } : { order: orderId },
  };
}

function verdict({ change, attempt, time: since }: SentRow, afterMs: number, words: Words): VerdictRow {
  const time = since + afterMs;
  return { type: 'verdict', change, attempt, time, clocks: clocksAt(time), ...words };
}

// The machine was started at the beginning of each week.
function clocksAt(wall: number): SentRow['clocks'] {
  const [week, ms] = [Math.floor(wall / (7 * day)), wall % (7 * day)];
  return { wall, service: wall - (wall % 1000), boot: { id: `00000000-0000-4000-8000-${week}`, ms } };
}

function image({ amount = 0, refunds, ...charge }: ChargeImage): SentRow['proof']['before'] {
  const amountRefunded = refunds.reduce((sum, one) => sum - one.amount, 0);
  const status = amountRefunded > 0 ? 'partially_refunded' : charge.status;
  const money = { status, amount, currency: 'MXN', isRefundable: charge.status === 'paid' };
  return { ...money, amountRefunded, updatedAt: 1_780_000_000, charges: [{ ...charge, ...money, refunds }] };
}

// Mixes the bits of a number; no two numbers give the same one.
function mixed(number: number): number {
  const value = Math.imul(number + 1, 2_654_435_761);
  return (value ^ (value >>> 15)) >>> 0;
}
