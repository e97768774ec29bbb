/** Judges what a read shows about a change, compared with the order before it. Pure. */

import { type MoneyReading, type OrderMoney, readForRefund, readMoney } from '../api/charges.ts';
import { textIn, valueAt } from '../api/json-values.ts';
import { statuses } from '../api/spec.ts';
import {
  disagreement,
  isFailed,
  meaningOf,
  moved,
  otherCapture,
  otherRefund,
  refundedOf,
  type ShownRefund,
} from './agreement.ts';
import type { ChangeKind, changeKinds, ExpectedRefund, FoundRefund } from './change.ts';
import { createdIn, gapOf, newestIds } from './created-order.ts';
import type { PreImage, Proof } from './rows/journal-rows.ts';

/** What a read shows about the change. */
export type Evidence =
  /** Exactly what was asked for. `others`: there are also new records that nobody asked for here. */
  | {
      readonly shows: 'expected';
      readonly refunds: readonly FoundRefund[];
      readonly others: boolean;
      /** What contradicts the change although the read shows it. */
      readonly contradicts?: string | undefined;
      readonly created?: string | undefined;
      readonly link?: string | undefined;
    }
  /** What was asked for is there, and has failed: all of it, or a part of it with `isPart`. */
  | { readonly shows: 'failed'; readonly refunds: readonly FoundRefund[]; readonly isPart: boolean }
  /** What was asked for is there more than once. `refunds` are all of these, without failed ones and without other refunds. */
  | { readonly shows: 'duplicate'; readonly refunds: readonly FoundRefund[] }
  /** Only a part of what was asked for. */
  | { readonly shows: 'partial'; readonly refunds: readonly FoundRefund[] }
  /** No part of what was asked for, and nothing that could hide it. `refunds` are refunds that others made. */
  | { readonly shows: 'nothing'; readonly refunds: readonly FoundRefund[] }
  /** Figures and records do not agree, so the change may have been made or not. `problem` names both. */
  | {
      readonly shows: 'disagreement';
      readonly refunds: readonly FoundRefund[];
      readonly problem: string;
    }
  /** No evidence either way. */
  | { readonly shows: 'unreadable'; readonly problem: string };

/** Tells by their ids which refunds and created orders are not this attempt's. */
export type Claims = Pick<ReadonlySet<string>, 'has'>;

// How to judge a read for each kind of change; undefined if a read cannot show the outcome.
const judges: {
  readonly [Kind in ChangeKind]: (typeof changeKinds)[Kind]['provable'] extends true ? Judge : undefined;
} = {
  refund: judgeRefund,
  capture: judgeCapture,
  order: judgeCreation,
  checkout: undefined,
  api: undefined,
};

type Judge = (read: OwnRead) => Evidence;

interface OwnRead {
  readonly proof: Proof;
  readonly value: unknown;
  readonly claimed: Claims;
  readonly earliest: number;
}

/** What is kept of the order before the sending; or the problem that would make the outcome unprovable. */
export function preImage(
  kind: ChangeKind,
  value: unknown,
): { readonly before: PreImage } | { readonly problem: string } {
  if (kind === 'order') return { before: { charges: [], newest: newestIds(value) } };
  // A refund that is hidden now would look like ours as soon as it shows.
  const reading = kind === 'refund' ? readForRefund(value) : readMoney(value);
  if ('money' in reading) return { before: imageOf(reading.money) };
  // Only a refund is proved by the charges. A capture is proved by the order's status, the rest by the reply.
  if (kind === 'refund') return reading;
  const of = (name: string) => valueAt(value, [name]);
  return {
    before: {
      status: textIn(of('payment_status')),
      amount: integerOr(of('amount')),
      currency: textIn(of('currency')),
      amountRefunded: integerOr(of('amount_refunded')),
      updatedAt: integerOr(of('updated_at')),
      charges: [],
    },
  };
}

function integerOr(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? Number(value) : undefined;
}

function imageOf(money: OrderMoney): PreImage {
  return {
    status: money.status,
    amount: money.amount,
    currency: money.currency,
    amountRefunded: money.amountRefunded,
    createdAt: money.createdAt,
    isRefundable: money.isRefundable,
    updatedAt: money.updatedAt,
    charges: money.charges.map((charge) => ({
      id: charge.id,
      currency: textIn(charge.value.currency),
      status: charge.status,
      isRefundable: charge.isRefundable,
      amount: charge.amount,
      amountRefunded: refundedOf(charge),
      refunds: charge.refunds.map(({ id, amount, createdAt, status }) => ({ id, amount, createdAt, status })),
    })),
  };
}

/**
 * Judges a read. `claimed`: refunds and created orders that belong to other attempts. `earliest` (Unix milliseconds,
 * the service's clock): what was made before it is not this attempt's.
 */
export function judgeRead(
  proof: Proof,
  value: unknown,
  claimed: Claims,
  earliest = Number.NEGATIVE_INFINITY,
): Evidence {
  const judge = judges[proof.kind];
  if (judge === undefined)
    return { shows: 'unreadable', problem: 'paydesk cannot look up this kind of change' };
  return judge({ proof, value, claimed, earliest });
}

function judgeCreation({ proof, value, claimed, earliest }: OwnRead): Evidence {
  const created = createdIn(proof, value, claimed, earliest);
  if (created?.early === true) {
    const problem = `order ${created.id} has the same content, but was created before this one was sent`;
    return { shows: 'disagreement', refunds: [], problem };
  }
  if (created !== undefined) {
    const { id, link } = created;
    return { shows: 'expected', refunds: [], others: false, created: id, link };
  }
  const gap = gapOf(value);
  return gap === undefined ? { shows: 'nothing', refunds: [] } : { shows: 'unreadable', problem: gap };
}

/** Why a value is not the order of this change; undefined when it is. */
export function notThisOrder(proof: Proof, value: unknown): string | undefined {
  if (valueAt(value, ['object']) !== 'order') return 'it is not an order';
  if (valueAt(value, ['id']) !== proof.orderId) return 'it is another order';
  // Without `livemode` nothing is wrong; the opposite value means another account (service: Authentication 5).
  if (valueAt(value, ['livemode']) === !proof.livemode) return 'its livemode says the other mode';
  return undefined;
}

// A capture shows in the order's status (service: Endpoints 3). The order's amount is what was authorized.
function judgeCapture({ proof, value }: OwnRead): Evidence {
  const stranger = notThisOrder(proof, value);
  if (stranger !== undefined) return { shows: 'unreadable', problem: stranger };
  const { before } = proof;
  const status = valueAt(value, ['payment_status']);
  const reading = readMoney(value);
  if (status === statuses.paid) {
    return { shows: 'expected', refunds: [], others: false, contradicts: otherCapture(before, value) };
  }
  if (status === statuses.preAuthorized) {
    const problem = captureMoved(before, value, reading);
    return problem === undefined
      ? { shows: 'nothing', refunds: [] }
      : { shows: 'disagreement', refunds: [], problem };
  }
  const words = typeof status === 'string' ? status : 'not shown';
  return { shows: 'unreadable', problem: `its payment_status is ${words}` };
}

// What changed on an order whose status is still `pre_authorized`; undefined when nothing did.
function captureMoved(before: PreImage, value: unknown, reading: MoneyReading): string | undefined {
  if ('money' in reading) return disagreement(before, reading.money, []);
  return moved('updated_at', before.updatedAt, integerOr(valueAt(value, ['updated_at'])));
}

function judgeRefund({ proof, value, claimed, earliest }: OwnRead): Evidence {
  const stranger = notThisOrder(proof, value);
  if (stranger !== undefined) return { shows: 'unreadable', problem: stranger };
  const reading = readMoney(value);
  if ('problem' in reading) return { shows: 'unreadable', problem: reading.problem };
  const { money } = reading;
  const gone = goneRecord(proof.before, money);
  if (gone !== undefined) return { shows: 'unreadable', problem: gone };
  const since = newRecords(proof.before, money);
  const refunds = since.filter(({ id }) => !claimed.has(id));
  const { matched, failed, rest } = match(proof.expected, refunds);
  const found = matched + failed.length;
  if (found > 0 && found < proof.expected.length) return { shows: 'partial', refunds };
  const isOurs = (record: FoundRefund) => isExpected(proof, record);
  const standing = refunds.filter((record) => !isFailed(record));
  if (rest.some((record) => isOurs(record) && !isStrange(record)))
    return { shows: 'duplicate', refunds: standing.filter(isOurs) };
  const own = [...standing.filter(isOurs), ...failed];
  const problem = disagreement(proof.before, money, since) ?? earlyProblem(own, earliest) ?? unknownWord(own);
  if (problem !== undefined) return { shows: 'disagreement', refunds, problem };
  if (found === 0) return { shows: 'nothing', refunds };
  if (failed.length > 0) return { shows: 'failed', refunds, isPart: matched > 0 };
  return {
    shows: 'expected',
    refunds,
    others: withoutTolerated(proof.tolerated, rest).length > 0,
    contradicts: otherRefund(proof.before, money, own),
  };
}

/**
 * Why nobody knows what became of one of these refunds: paydesk does not know its status, so it never counts as made, and never
 * as failed. Undefined if all have a known status.
 */
export function unknownWord(own: readonly FoundRefund[]): string | undefined {
  const strange = own.find(isStrange);
  return strange && `refund ${strange.id} has the status ${strange.status}, which paydesk does not know`;
}

// A refund that was made before this request was sent is somebody else's, even if the final read did not show it yet.
function earlyProblem(own: readonly ShownRefund[], earliest: number): string | undefined {
  for (const { id, createdAt } of own) {
    if (createdAt === undefined || createdAt * 1000 >= earliest) continue;
    return `refund ${id} was made at ${timeWords(createdAt)}, before this one was sent`;
  }
  return undefined;
}

function timeWords(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString();
}

// Records never go away. An order that shows fewer than before is an old copy, or incomplete.
function goneRecord(before: PreImage, money: OrderMoney): string | undefined {
  for (const charge of before.charges) {
    const now = money.charges.find(({ id }) => id === charge.id);
    if (now === undefined) return `charge ${charge.id} is not shown any more`;
    const lost = charge.refunds.find(
      (old) => !now.refunds.some(({ id, amount }) => id === old.id && amount === old.amount),
    );
    if (lost !== undefined) return `refund ${lost.id} is gone or has another amount`;
  }
  return undefined;
}

function newRecords(before: PreImage, money: OrderMoney): ShownRefund[] {
  const known = new Set(before.charges.flatMap(({ refunds }) => refunds.map(({ id }) => id)));
  return money.charges.flatMap((charge) =>
    charge.refunds
      .filter(({ id }) => !known.has(id))
      .map(({ meaning: _, ...record }) => ({ chargeId: charge.id, ...record })),
  );
}

/** Whether a refund is money that an attempt asked for: the same amount on the same charge. */
export function isExpected({ expected }: Pick<Proof, 'expected'>, refund: ExpectedRefund): boolean {
  return expected.some((one) => isSameMoney(one, refund));
}

export function isSameMoney(expected: ExpectedRefund, record: ExpectedRefund): boolean {
  return expected.chargeId === record.chargeId && expected.amount === record.amount;
}

// A failed record counts as what was asked for only where no other record does. Among the others, one with an unknown status
// comes last.
function match(expected: readonly ExpectedRefund[], refunds: readonly ShownRefund[]) {
  const rest = refunds
    .filter((record) => !isFailed(record))
    .toSorted((one, other) => Number(isStrange(one)) - Number(isStrange(other)));
  const gone = refunds.filter(isFailed);
  const failed: ShownRefund[] = [];
  let matched = 0;
  for (const one of expected) {
    if (taken(rest, one) !== undefined) matched += 1;
    else failed.push(...(taken(gone, one) ?? []));
  }
  return { matched, failed, rest };
}

function isStrange(record: FoundRefund): boolean {
  return meaningOf(record) === 'unconfirmed';
}

// Takes the first record of this money out of the list.
function taken(records: ShownRefund[], expected: ExpectedRefund): readonly ShownRefund[] | undefined {
  const at = records.findIndex((record) => isSameMoney(expected, record));
  return at === -1 ? undefined : records.splice(at, 1);
}

// Each tolerated charge may have one new record.
function withoutTolerated(tolerated: readonly string[], records: readonly FoundRefund[]): FoundRefund[] {
  const left = new Set(tolerated);
  return records.filter((record) => !left.delete(record.chargeId));
}
