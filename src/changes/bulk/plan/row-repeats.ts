/** Decides whether a row of a plan would repeat a refund that was made before, by what `--again` or its cell names. Pure. */

import { figureWords, plainAmounts } from '../../../amounts.ts';
import { newestEqual, type OrderMoney, type RefundRecord, standingRefunds } from '../../../api/charges.ts';
import {
  type AttemptRecord,
  attemptName,
  type ExpectedRefund,
  type FoundRefund,
  isMadeRefund,
  isNotSeen,
  mayBeMade,
  ownRefunds,
  recordedState,
  sameJson,
  usesUp,
} from '../../../journal/journal.ts';
import { gaveNothing, type KnownOrder } from '../../../orders/orders.ts';
import { idsMadeBy, isOfRows, isPlanned, madeByRows, type OwnRows } from '../own-rows.ts';

/** What is known about an order when one of its rows is planned. */
export interface RowsOfOrder extends OwnRows {
  readonly attempts: readonly AttemptRecord[];
  /** The refunds of the order as it was read, with their states. */
  readonly refunds: KnownOrder['refunds'];
  /** Whether the rows move real money. */
  readonly livemode: boolean;
  /** Names from `--again` that earlier rows of the file need, and the line of each. A name counts for one row. */
  readonly taken: ReadonlyMap<string, number>;
}

/** What it takes to know whether a row repeats another refund. */
export interface NewRefund {
  readonly money: OrderMoney;
  readonly expected: readonly ExpectedRefund[];
  readonly typed: TypedRow;
}

export interface TypedRow {
  /** `id`: the id of a charge. `number`: its number or card, which may mean another charge one day. `any`: paydesk chooses. */
  readonly chargeBy: 'id' | 'number' | 'any';
  readonly amount: number | 'full';
  readonly ref: string;
}

/** What `--again` named and this row may still use: no row before it needs it, and no earlier sending has used it up. */
type NamesLeft = readonly string[];

/** The names that a row may still use. What the row named in an attempt that the service refused may be named again. */
export function namesLeft(
  again: readonly string[],
  key: string,
  { attempts, taken }: RowsOfOrder,
): NamesLeft {
  return again.filter((name) => !taken.has(name) && !isUsedUp(name, attempts, key));
}

function isUsedUp(name: string, attempts: readonly AttemptRecord[], key?: string): boolean {
  const isOwn = (record: AttemptRecord) =>
    !mayBeMade(record) && key !== undefined && record.sent.idempotencyKey === key;
  return attempts.some((record) => usesUp(record, name) && !isOwn(record));
}

/** Why a row is stopped, and what `--again` or its cell would have to name; no name if that would not help. */
export interface Repeat {
  readonly why: string;
  readonly name: string | undefined;
}

/** Why a row is refused: it repeats a refund that nobody has named. Undefined if it may be sent. */
export function repeatProblem(row: NewRefund, names: NamesLeft, rows: RowsOfOrder): Repeat | undefined {
  return equalProblem(row, names, rows) ?? otherPlanProblem(row, names, rows);
}

/** The names without which the row would be refused. Later rows may not use them. */
export function namesNeeded(row: NewRefund, names: NamesLeft, rows: RowsOfOrder): readonly string[] {
  const without = (name: string) => names.filter((one) => one !== name);
  return names.filter((name) => repeatProblem(row, without(name), rows) !== undefined);
}

function equalProblem(
  { money, expected }: NewRefund,
  names: NamesLeft,
  rows: RowsOfOrder,
): Repeat | undefined {
  const meant = new Set([...names, ...idsOfRows(rows), ...repeatedBy(names, rows)]);
  for (const { chargeId, amount } of expected) {
    const charge = money.charges.find(({ id }) => id === chargeId);
    const standing = charge === undefined ? [] : standingRefunds(charge);
    const refunds = standing.filter(({ id }) => !isPlanned(id) && !meant.has(id));
    // Somebody who names the newest of equal refunds knows about the older ones.
    const named = newestEqual(charge?.refunds.filter(({ id }) => names.includes(id)) ?? [], amount);
    const equal = newestEqual(refunds, amount);
    if (equal === undefined || (named?.createdAt ?? 0) > (equal.createdAt ?? 0)) continue;
    const figure = figureWords(-amount, money.currency, plainAmounts);
    const name = nameOf(equal, charge?.refunds ?? [], rows);
    const what = `charge ${charge?.number ?? chargeId} of ${money.id} has a refund of ${figure} already, ${name}`;
    return repeatOf(name, rows, what, 'if the buyer should get the same amount once more');
  }
  return undefined;
}

// A refund that was repeated once cannot be named again. The one that repeated it is named for both.
function nameOf(equal: RefundRecord, refunds: readonly RefundRecord[], { attempts }: RowsOfOrder): string {
  if (!isUsedUp(equal.id, attempts)) return equal.id;
  const free = refunds.filter(({ id }) => !isPlanned(id) && !isUsedUp(id, attempts));
  return newestEqual(free, equal.amount)?.id ?? equal.id;
}

function repeatOf(name: string, { taken }: RowsOfOrder, what: string, meant: string): Repeat {
  const line = taken.get(name);
  if (line === undefined) return { name, why: `${what}: ${meant}, add --again ${name}` };
  const used = `--again ${name} is used by line ${line}: one id covers one line; for the next line plan the file again`;
  return { name: undefined, why: `${what}, and ${used}` };
}

// Another plan refunded the charge with another amount, or another charge: perhaps somebody changed the row in the file. A refund
// that failed paid nothing back.
function otherPlanProblem(
  { expected, typed }: NewRefund,
  names: NamesLeft,
  rows: RowsOfOrder,
): Repeat | undefined {
  const charges = new Set(expected.map(({ chargeId }) => chargeId));
  const shown = new Map(rows.refunds.map(({ record, state }) => [record?.id, state]));
  for (const record of rows.attempts) {
    const { sent } = record;
    if (sent.plan === undefined || sent.proof.livemode !== rows.livemode) continue;
    if (isOfRows(record, rows) || !isMadeRefund(record)) continue;
    const known = recordedState(record);
    const refunds = refundsOfAttempt(record).filter(
      ({ id }) => !gaveNothing(id === undefined ? known : (shown.get(id) ?? known)),
    );
    const ofCharge = refunds.find(({ chargeId }) => charges.has(chargeId));
    const refund = ofCharge ?? (mayMeanOtherCharge(typed, record) ? refunds[0] : undefined);
    if (refund === undefined) continue;
    const name = refund.id ?? attemptName(record);
    if (names.includes(name) || names.includes(attemptName(record))) continue;
    const what = ofCharge === undefined ? `charge ${refund.chargeId} of this order` : 'this charge';
    // The name that --again needs comes first: a narrow table cuts the end.
    const before = `${name} refunded ${what} before with ${figureWords(-refund.amount, sent.currency, plainAmounts)} (plan ${sent.plan})`;
    return repeatOf(name, rows, before, 'if it should get this refund too');
  }
  return undefined;
}

// With `any` the row is about the same money as every other row of the order. And if the service lists the charges in another
// order now, the same number is another charge.
function mayMeanOtherCharge(
  { chargeBy, amount, ref }: TypedRow,
  { sent: { asked } }: AttemptRecord,
): boolean {
  if (chargeBy === 'any') return true;
  return chargeBy === 'number' && asked?.amount === amount && asked.ref === ref;
}

/**
 * The names that the journal must be told when a row is sent: those of `--again` that stand for the same refund, and the equal
 * refunds that other rows of the file got from another plan.
 */
export function namesToSend(
  { money, expected }: Pick<NewRefund, 'money' | 'expected'>,
  names: NamesLeft,
  key: string,
  rows: RowsOfOrder,
): readonly string[] {
  const equal = (refunds: readonly RefundRecord[], chargeId: string) =>
    refunds.filter(({ amount }) =>
      expected.some((one) => one.chargeId === chargeId && one.amount === amount),
    );
  const ids = money.charges.flatMap(({ id, refunds }) => equal(refunds, id).map((refund) => refund.id));
  const ofRows = namesLeft(
    idsOfRows({ ...rows, attempts: rows.attempts.filter(({ sent }) => sent.plan !== rows.planId) }),
    key,
    rows,
  );
  const lost = rows.attempts
    .filter((record) => isNotSeen(record) && sameJson(record.sent.proof.expected, expected))
    .map(attemptName);
  return [...new Set([...names, ...ofRows])].filter((name) => [...ids, ...lost].includes(name));
}

/** The refunds on the charges of a row that did not fail, and that no row of the file made. */
export function otherRefunds(
  { money, expected }: Pick<NewRefund, 'money' | 'expected'>,
  rows: RowsOfOrder,
): readonly RefundRecord[] {
  const own = new Set(idsOfRows(rows));
  const charges = new Set(expected.map(({ chargeId }) => chargeId));
  return money.charges
    .filter(({ id }) => charges.has(id))
    .flatMap((charge) => standingRefunds(charge).filter(({ id }) => !isPlanned(id) && !own.has(id)));
}

// ── The refunds of the file's own rows ──────────────────────────────────────────────────────────

function idsOfRows(rows: RowsOfOrder): readonly string[] {
  return idsMadeBy(madeByRows(rows.attempts, rows));
}

// Somebody who names a refund that was itself a repeat knows about the refund that it repeated.
function repeatedBy(names: NamesLeft, { attempts }: RowsOfOrder): ReadonlySet<string> {
  const known = new Set(names);
  for (const record of attempts.toReversed()) {
    const ids = [attemptName(record), ...refundsOfAttempt(record).flatMap(({ id }) => id ?? [])];
    if (ids.some((id) => known.has(id))) for (const name of record.sent.again ?? []) known.add(name);
  }
  return known;
}

// If a person recorded the refund, the journal has no id for it.
function refundsOfAttempt(record: AttemptRecord): readonly (ExpectedRefund & Partial<FoundRefund>)[] {
  const own = ownRefunds(record);
  return own.length > 0 ? own : record.sent.proof.expected;
}
