/** Compares the rows of a file with what is known about their orders: which refunds were made, in part, twice, or not at all. Pure. */

import { amountWords } from '../../amounts.ts';
import { hasNoCharges, type OrderMoney } from '../../api/charges.ts';
import { textIn } from '../../api/json-values.ts';
import type { TimeRange } from '../../api/spec.ts';
import { inOtherCurrency, notInUnits, waitsWords } from '../../changes/changes.ts';
import {
  isNeverArrived,
  type KnownOrder,
  type KnownRefund,
  mostUrgent,
  type RefundState,
  stateWhy,
} from '../../orders/orders.ts';
import type { InputRow, PlanRow } from '../../plans/plans.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { type Figure, sumOf } from '../../reports/reports.ts';
import { besideOther, type ComparedRow, countedWords, notFoundRow, sentences } from './compared.ts';
import {
  type Claim,
  claimsOf,
  countedFor,
  isOfOtherTime,
  isShown,
  type ShownRefund,
  type Unshown,
  unshownIn,
  wentBack,
} from './refund-claims.ts';
import { type CompareVerdict, compareExactly, verdictByStates, verdictBySum } from './refund-verdicts.ts';

/** A row and what became of it. */
export interface Compared extends ComparedRow<CompareVerdict> {
  readonly orderId: string;
  /** The most urgent state of the refunds of the row, `unconfirmed` if the figures tell nothing; undefined if there are no refunds. */
  readonly state: RefundState | undefined;
  /** What went back. A refund that failed, or is pending, is not included. */
  readonly refunded: Figure;
  readonly refunds: readonly ComparedRefund[];
}

/** A refund that the order shows. */
interface ComparedRefund {
  readonly id: string;
  readonly chargeId: string | undefined;
  readonly createdAt: number | undefined;
  /** Who sent it, in words. */
  readonly by: string;
}

/** What is needed besides the order and the rows. */
export interface CompareRules {
  /** The key under which `refunds apply` sends a row. */
  readonly keyOf: (row: Pick<PlanRow, 'chargeId' | 'amount' | 'ref'>) => string;
  /** Who sent a refund that the order shows. */
  readonly senderOf: (refund: KnownRefund) => string;
  /** The time to which refunds of rows belong that name none; undefined: any time. */
  readonly range: TimeRange | undefined;
  readonly settings: Profile['settings'];
}

/** Compares the rows of one order. Every refund of the order counts for one row only (refund-claims.ts). */
export function compareOrder(
  orderId: string,
  rows: readonly InputRow[],
  known: KnownOrder,
  rules: CompareRules,
): readonly Compared[] {
  return comparedRows(orderId, rows, known, rules).map((one) => inItsCurrency(one, rules));
}

function comparedRows(
  orderId: string,
  rows: readonly InputRow[],
  known: KnownOrder,
  rules: CompareRules,
): readonly Compared[] {
  const { order, reading } = known;
  if ('problem' in reading) {
    const exactly = compareExactly(orderId, rows, known, rules);
    if (exactly !== undefined) return exactly;
    const why = hasNoCharges(order) ? 'the order shows no charges' : reading.problem;
    return rows.map((row) => notShown(orderId, row, why, unshownIn(known.refunds), known, rules));
  }
  const { money } = reading;
  const claims = claimsOf(rows, known.refunds, money, rules);
  const found = claims.filter((claim) => 'scope' in claim);
  return claims.map((claim) => {
    if ('problem' in claim)
      return notFound(orderId, claim.row, claim.problem, money.currency, rules.settings);
    const compared = comparedOf(orderId, claim, money, known, rules, found);
    const other = compared.verdict === 'not_refunded' ? countedFor(claim, found) : undefined;
    return other === undefined
      ? compared
      : {
          ...compared,
          verdict: 'twice_in_file',
          why: sentences([countedWords(other), compared.why]),
        };
  });
}

// The verdicts that the amounts alone decide.
const bySums: ReadonlySet<CompareVerdict> = new Set([
  'refunded',
  'in_part',
  'more',
  'not_refunded',
  'twice_in_file',
  'pending',
  'failed',
]);

// A verdict that a person must know about first stays.
function inItsCurrency(one: Compared, { settings }: CompareRules): Compared {
  const other = one.row && inOtherCurrency(one.row, one.currency, settings);
  return other === undefined ? one : { ...one, ...besideOther(one, other, (verdict) => bySums.has(verdict)) };
}

/** A row whose order or charge was not found. */
export function notFound(
  orderId: string,
  row: InputRow,
  why: string,
  currency: string | undefined,
  settings: CompareRules['settings'],
): Compared {
  return {
    ...notFoundRow(row, why, currency, settings),
    orderId,
    state: undefined,
    refunded: 0,
    refunds: [],
  };
}

/** A refund of an order that no row of the file is about. */
export function notInFile(
  orderId: string,
  refund: ShownRefund,
  currency: string | undefined,
  rules: CompareRules,
): Compared {
  return {
    row: undefined,
    orderId,
    verdict: 'not_in_file',
    state: refund.state,
    why: stateWhy(refund, currency, rules.settings),
    wanted: undefined,
    refunded: wentBack(refund),
    currency,
    refunds: [comparedRefund(refund, rules)],
  };
}

// The order is there, so nobody should look for a wrong id.
function notShown(
  orderId: string,
  row: InputRow,
  why: string,
  unshown: readonly Unshown[],
  { order }: KnownOrder,
  { settings }: CompareRules,
): Compared {
  const { amount_refunded: refunded } = order;
  const currency = textIn(order.currency);
  const sum = typeof refunded === 'number' && refunded !== 0 ? `amount_refunded is ${refunded}` : undefined;
  const news = unshown.filter(({ isNews }) => isNews).map(({ refund }) => refund);
  const words = news.map((refund) => stateWhy(refund, currency, settings));
  return {
    ...notFound(
      orderId,
      row,
      sentences([`${why}: ${sum ?? 'nothing shows a refund'}`, ...words]) ?? why,
      currency,
      settings,
    ),
    state: mostUrgent(news),
    verdict:
      verdictByStates(news, []) ??
      (news.some(({ state }) => state === 'recorded made') ? 'recorded_made' : 'not_shown'),
  };
}

function comparedOf(
  orderId: string,
  claim: Claim,
  { currency, doubt }: OrderMoney,
  known: KnownOrder,
  rules: CompareRules,
  claims: readonly Claim[],
): Compared {
  const { row, wanted } = claim;
  const taken = claim.taken.toSorted((a, b) => (a.record.createdAt ?? 0) - (b.record.createdAt ?? 0));
  const refunded = sumOf(taken, wentBack);
  const own = claim.unshown.map(({ refund }) => refund);
  // If a row is short of money, an unconfirmed refund of another charge of the order makes it uncertain, unless that was sent for
  // another row: then this one waits for it.
  const isShort = own.length === 0 && refunded < wanted;
  const other = known.refunds.filter(
    ({ state, record, mayAppear }) => state === 'unconfirmed' && record === undefined && mayAppear,
  );
  const free = other.filter((refund) => sentFor(refund, claims) === undefined);
  const unshown = isShort ? free.slice(0, 1) : own;
  const first = isShort && free.length === 0 ? other[0] : undefined;
  const waitsFor = first && sentFor(first, claims);
  const refunds = [...taken, ...unshown];
  const words = refunds.map((refund) => stateWhy(refund, currency, rules.settings, known));
  const others = known.refunds
    .filter(isShown)
    .filter((one) => one.charge !== undefined && claim.scope.has(one.charge.id))
    .filter((one) => isOfOtherTime(one, rules) && !taken.includes(one))
    .map((one) => `${one.record.id} of ${amountWords(wentBack(one), currency, rules.settings)}`);
  // A refund that never arrived decides nothing: the row only says so.
  const counted = refunds.filter((refund) => !isNeverArrived(refund));
  const verdict = verdictByStates(counted, known.cases);
  const meant = refunded > wanted ? taken.find((refund) => wentBack(refund) === wanted) : undefined;
  return {
    row,
    orderId,
    // As everywhere, what is not known comes before what is known.
    verdict: doubt === undefined ? (verdict ?? verdictBySum(refunded, wanted, counted)) : 'unconfirmed',
    state: doubt === undefined ? mostUrgent(counted) : 'unconfirmed',
    why: sentences([
      doubt,
      ...(wanted === 0 && row.isFailed !== true ? ['nothing of it was paid'] : []),
      notInUnits(row, refunded, currency, rules.settings),
      ...(meant === undefined
        ? []
        : [`${meant.record.id} is the refund of this row; the rest went back in addition`]),
      ...words,
      waitsFor && waitsWords(waitsFor.line),
      ...(refunded < wanted && others.length > 0 ? [`went back at another time: ${others.join(', ')}`] : []),
    ]),
    wanted,
    refunded,
    currency,
    refunds: taken.map((refund) => comparedRefund(refund, rules)),
  };
}

// The row of the file for which a refund was sent that the order does not show.
function sentFor(refund: KnownRefund, claims: readonly Claim[]): InputRow | undefined {
  return claims.find(({ key, unshown }) =>
    unshown.some((one) => one.refund === refund && one.keys.includes(key)),
  )?.row;
}

function comparedRefund(refund: ShownRefund, { senderOf }: CompareRules): ComparedRefund {
  const { record, charge } = refund;
  return { id: record.id, chargeId: charge?.id, createdAt: record.createdAt, by: senderOf(refund) };
}
