/** Compares the rows of an invoice list with what was charged: every payment counts for one row only. Pure. */

import type { AmountStyle } from '../../amounts.ts';
import { bareReference } from '../../api/resources.ts';
import { inOtherCurrency, notInUnits } from '../../changes/changes.ts';
import { anyWord, fullWord, type InputRow } from '../../plans/plans.ts';
import {
  type Facts,
  type Figure,
  type OrderFact,
  type PaymentFact,
  plus,
  sumOf,
} from '../../reports/reports.ts';
import {
  besideOther,
  type ComparedRow,
  countedWords,
  currencyInFile,
  notFoundRow,
  sharedVerdicts,
} from './compared.ts';

/**
 * The verdicts with their words, in the order of the lines below a comparison:
 * - `no_amount`: other rows of the list say an amount and this one says none, so nobody knows whether what was charged agrees
 * - `paid_twice`: more was charged than the row says, and at least two payments have just the amount that it says
 * - `not_paid`: the order is there, and no money came in with it
 * - `not_shown`: the order is there, and does not show all its charges or their amounts
 */
export const paymentVerdicts = {
  paid: 'paid as the file says',
  no_amount: 'without an amount in the file',
  paid_less: 'paid less',
  paid_more: 'paid more',
  paid_twice: 'paid twice',
  other_currency: sharedVerdicts.other_currency,
  not_paid: 'not paid',
  twice_in_file: sharedVerdicts.twice_in_file,
  not_shown: 'of orders that do not show all their charges',
  not_found: sharedVerdicts.not_found,
  not_in_file: sharedVerdicts.not_in_file,
} as const;
type PaymentVerdict = keyof typeof paymentVerdicts;

/** A row of an invoice list, and what was charged for it. */
export interface ComparedPayment extends ComparedRow<PaymentVerdict> {
  readonly charged: Figure;
  /** How much of its payments has gone back until now. */
  readonly refunded: Figure;
  readonly payments: readonly PaymentFact[];
  /** The order of the row, as far as it was found. */
  readonly orderId: string | undefined;
}

// A row names a payment by one of these, or by several, which must all fit the payment.
interface Named {
  readonly orderId?: string | undefined;
  readonly reference?: unknown;
  readonly chargeId?: string | undefined;
  readonly authCode?: string | undefined;
}

interface Claim {
  readonly row: InputRow;
  readonly names: readonly string[];
  readonly payments: PaymentFact[];
  order: OrderFact | undefined;
}

/** What a comparison is told besides the rows and the facts. */
interface PaymentRules {
  /** Whether a payment that no row is about belongs in the result. */
  readonly isLookedFor: (payment: PaymentFact) => boolean;
  /** Whether the list says any amounts. */
  readonly hasAmount: boolean;
  readonly style: AmountStyle;
}

/** Starts a comparison: it is given the facts of one order after the other. */
export function comparePayments(rows: readonly InputRow[], rules: PaymentRules) {
  const claims = rows.map((row): Claim => {
    const names = namesOf({ ...row, chargeId: chargeIdOf(row) });
    return { row, names, payments: [], order: undefined };
  });
  const byName = Map.groupBy(claims, ({ names }) => names[0] ?? '');
  const byOrder = Map.groupBy(claims, ({ row: { orderId, reference } }) => {
    return namesOf({ orderId, reference: orderId === undefined ? reference : undefined })[0] ?? '';
  });
  const claimsOf = (payment: PaymentFact): readonly Claim[] => {
    const known = namesOf(payment);
    return known
      .flatMap((name) => byName.get(name) ?? [])
      .filter(({ names }) => names.every((name) => known.includes(name)));
  };
  const found: { readonly payment: PaymentFact; readonly of: readonly Claim[] }[] = [];
  const others: PaymentFact[] = [];
  const wentBack = new Map<string, Figure>();
  const refundedOf = (payments: readonly PaymentFact[]): Figure =>
    sumOf(payments, ({ chargeId = '' }) => wentBack.get(chargeId) ?? 0);
  const comparedClaim = (claim: Claim): ComparedPayment => {
    const other = claim.payments.length > 0 ? undefined : found.find(({ of }) => of.includes(claim));
    const taker = other && claims.find(({ payments }) => payments.includes(other.payment));
    const one = comparedOf(claim, refundedOf(claim.payments));
    if (taker === undefined) return asInFile(one, rules);
    const isCopy = one.verdict === 'not_paid' && wantedOf(taker) === one.wanted;
    const copy = asInFile(isCopy ? { ...one, verdict: 'twice_in_file' } : one, rules);
    return { ...copy, why: countedWords(taker.row) };
  };
  return {
    add({ order, payments, refunds }: Facts): void {
      for (const name of namesOf({ orderId: order?.id, reference: order?.reference }))
        for (const claim of byOrder.get(name) ?? []) claim.order ??= order;
      for (const payment of payments) {
        const of = claimsOf(payment);
        if (of.length > 0) found.push({ payment, of });
        else if (rules.isLookedFor(payment)) others.push(payment);
      }
      for (const { chargeId, amount, meaning } of refunds)
        if (meaning === 'made' && chargeId !== undefined)
          wentBack.set(chargeId, plus(wentBack.get(chargeId) ?? 0, amount ?? 0));
    },
    result(): readonly ComparedPayment[] {
      const rest = [isExact, hasRoom].reduce(
        (left, fits) =>
          left.filter(({ payment, of }) => {
            const claim = of.find((one) => fits(one, payment));
            return !gave(payment, claim);
          }),
        found,
      );
      // A payment beyond what the rows say counts for the last row about it.
      for (const { payment, of } of rest)
        gave(payment, of.findLast(({ row }) => isIn(row, payment)) ?? of.at(-1));
      return [
        ...claims.map(comparedClaim),
        ...others.map((payment) => ({
          row: undefined,
          verdict: 'not_in_file' as const,
          wanted: undefined,
          charged: payment.amount ?? 0,
          refunded: refundedOf([payment]),
          currency: payment.currency,
          payments: [payment],
          orderId: payment.orderId,
          why: undefined,
        })),
      ];
    },
  };
}

/** The charge that a row names by its id. */
export function chargeIdOf({ charge }: InputRow): string | undefined {
  return charge === anyWord || charge === fullWord ? undefined : charge;
}

// The names of a row or a payment, the most exact one first.
function namesOf({ chargeId, authCode, orderId, reference }: Named): readonly string[] {
  const bare = typeof reference === 'string' ? bareReference(reference) : reference;
  const names = { charge: chargeId, auth: authCode, order: orderId, reference: bare };
  // An id that was typed in capitals is looked for in small letters.
  return [...Object.entries(names), ['reference', orderId?.toLowerCase()]].flatMap(([kind, name]) =>
    typeof name === 'string' || typeof name === 'number' ? [`${kind} ${name}`] : [],
  );
}

function gave(payment: PaymentFact, claim: Claim | undefined): boolean {
  claim?.payments.push(payment);
  return claim !== undefined;
}

// Without an amount, that of its order is meant.
function wantedOf({ row: { exact, amount }, order }: Claim): Figure | undefined {
  return exact ?? (amount === fullWord ? undefined : amount) ?? order?.amount;
}

// A payment in another currency is not counted for a row while another row is about it too.
function isIn({ currency: said }: InputRow, { currency }: PaymentFact): boolean {
  return said === undefined || currency === undefined || said === currency.toUpperCase();
}

function isExact(claim: Claim, payment: PaymentFact): boolean {
  const { amount } = payment;
  if (claim.payments.length > 0 || !isIn(claim.row, payment)) return false;
  return amount !== undefined && amount === wantedOf(claim);
}

function hasRoom(claim: Claim, payment: PaymentFact): boolean {
  const { amount = 0, currency } = payment;
  const wanted = wantedOf(claim);
  if (!isIn(claim.row, payment) || claim.payments.some((other) => other.currency !== currency)) return false;
  return wanted === undefined
    ? claim.payments.length === 0
    : plus(chargedBy(claim.payments), amount) <= wanted;
}

function chargedBy(payments: readonly PaymentFact[]): Figure {
  const same = payments.filter(({ currency }) => currency === payments[0]?.currency);
  return sumOf(same, ({ amount = 0 }) => amount);
}

function comparedOf(claim: Claim, refunded: Figure): ComparedPayment {
  const { row, payments, order } = claim;
  const [wanted, charged] = [wantedOf(claim), chargedBy(payments)];
  const others = new Set(payments.map(({ currency = 'none' }) => currency));
  const verdict = paymentVerdict(claim, wanted, charged, others.size > 1);
  const why =
    verdict === 'not_shown'
      ? (order?.hidesCharges ?? 'a charge shows no amount')
      : others.size > 1
        ? `charged in ${[...others].join(' and ')}`
        : verdict === 'not_paid'
          ? notPaidWhy(row, order)
          : undefined;
  const currency = payments[0]?.currency ?? order?.currency;
  return { row, verdict, wanted, charged, refunded, currency, payments, orderId: order?.id, why };
}

// For an order that was not found, only the file says currency and amount. Amounts of two currencies are not compared.
function asInFile(one: ComparedPayment, { hasAmount, style }: PaymentRules): ComparedPayment {
  const { row, verdict, currency } = one;
  if (row === undefined) return one;
  if (verdict === 'not_found')
    return { ...one, ...notFoundRow(row, one.why, currencyInFile(row, style), style) };
  const { amount, exact, decimals } = row;
  // Other rows say an amount, so this one may have lost its own: nothing is said in its place.
  const isBlank = hasAmount && amount === undefined && exact === undefined && decimals === undefined;
  // A payment in the currency of the file is compared, whatever its order is in.
  const isPaidIn = one.payments.some((payment) => payment.currency?.toUpperCase() === row.currency);
  const other = isPaidIn ? undefined : inOtherCurrency(row, currency, style);
  if (other !== undefined) return { ...one, ...besideOther(one, other, (ended) => ended !== 'not_shown') };
  const why = one.why ?? (isBlank ? noAmount : notInUnits(row, one.charged, currency, style));
  if (!isBlank) return { ...one, why };
  return { ...one, why, wanted: undefined, verdict: verdict === 'paid' ? 'no_amount' : verdict };
}

const noAmount = 'the file says no amount: what was charged is compared with the amount of the order';

function notPaidWhy(row: InputRow, order: OrderFact | undefined): string {
  return chargeIdOf(row) === undefined && row.authCode === undefined
    ? `no charge of it was paid; the status of its order is ${order?.status ?? 'not shown'}`
    : 'no payment of its order has all that the row names; a charge that was declined is no payment';
}

function paymentVerdict(
  { payments, order }: Claim,
  wanted: Figure | undefined,
  charged: Figure,
  isMixed: boolean,
): PaymentVerdict {
  const isUnknown = order?.hidesCharges !== undefined || payments.some(({ amount }) => amount === undefined);
  if (isUnknown && charged !== wanted) return 'not_shown';
  if (payments.length === 0) return order === undefined ? 'not_found' : 'not_paid';
  if (isMixed || (wanted !== undefined && charged > wanted))
    return payments.filter(({ amount }) => amount === wanted).length > 1 ? 'paid_twice' : 'paid_more';
  return wanted === undefined || charged === wanted ? 'paid' : 'paid_less';
}
