/** Compares the rows of an invoice list with what was charged: every payment counts for one row only. Pure. */

import { bareReference } from '../api/resources.ts';
import { type Figure, plus, sumOf } from './exact-sum.ts';
import type { Facts, OrderFact, PaymentFact } from './facts.ts';

/** What a row of the list says. It names a payment by one of these fields, or by several, which must all fit the payment. */
interface InvoiceRow {
  readonly orderId: string | undefined;
  readonly reference: string | undefined;
  readonly chargeId: string | undefined;
  readonly authCode: string | undefined;
  /** Undefined: the amount of its order. */
  readonly amount: Figure | undefined;
  /** In capitals. A payment in another currency is not counted for this row while another row is about it too. */
  readonly currency: string | undefined;
}

export const invoiceVerdicts = [
  'paid',
  'no_amount',
  'paid_less',
  'paid_more',
  'paid_twice',
  'other_currency',
  'not_paid',
  'twice_in_file',
  'not_shown',
  'not_found',
  'not_in_file',
] as const;
/**
 * - `no_amount`: other rows of the list say an amount and this one says none, so nobody knows whether what was charged agrees
 * - `paid_twice`: more was charged than the row says, and at least two payments have just the amount that it says
 * - `other_currency`: the list says a currency other than that of the order, so nothing was charged in its own currency
 * - `not_paid`: the order is there, and no money came in with it
 * - `twice_in_file`: its payment counts for another row that says the same amount
 * - `not_shown`: the order is there, and does not show all its charges or their amounts
 * - `not_found`: there is no such order, and no payment with that charge or authorization code
 * - `not_in_file`: a payment that no row is about
 */
export type InvoiceVerdict = (typeof invoiceVerdicts)[number];

export interface ComparedInvoice<Row extends InvoiceRow> {
  /** Undefined for a payment that no row is about. */
  readonly row: Row | undefined;
  readonly verdict: InvoiceVerdict;
  readonly wanted: Figure | undefined;
  readonly charged: Figure;
  /** The currency of its payments, or else of its order; undefined if neither is known. */
  readonly currency: string | undefined;
  readonly payments: readonly PaymentFact[];
  /** The order of the row, as far as it was found. */
  readonly orderId: string | undefined;
  /** If the payment that this row is about was counted for another row: that row. */
  readonly countedFor: Row | undefined;
  readonly why: string | undefined;
}

interface Claim<Row extends InvoiceRow> {
  readonly row: Row;
  readonly payments: PaymentFact[];
  order: OrderFact | undefined;
}

type Named = Partial<Pick<InvoiceRow, 'orderId' | 'chargeId' | 'authCode'>> & {
  readonly reference?: unknown;
};

/** Starts a comparison. `isLookedFor`: whether a payment that no row is about belongs in the result. */
export function comparePayments<Row extends InvoiceRow>(
  rows: readonly Row[],
  isLookedFor: (payment: PaymentFact) => boolean,
) {
  const claims = rows.map((row): Claim<Row> => ({ row, payments: [], order: undefined }));
  const byName = Map.groupBy(claims, ({ row }) => namesOf(row)[0] ?? '');
  const byOrder = Map.groupBy(claims, ({ row: { orderId, reference } }) => {
    return namesOf({ orderId, reference: orderId === undefined ? reference : undefined })[0] ?? '';
  });
  const claimsOf = (named: Named): readonly Claim<Row>[] =>
    namesOf(named)
      .flatMap((name) => byName.get(name) ?? [])
      .filter(({ row }) => namesOf(row).every((name) => namesOf(named).includes(name)));
  const found: { readonly payment: PaymentFact; readonly of: readonly Claim<Row>[] }[] = [];
  const others: PaymentFact[] = [];
  return {
    add({ order, payments }: Facts): void {
      for (const name of namesOf({ orderId: order?.id, reference: order?.reference }))
        for (const claim of byOrder.get(name) ?? []) claim.order ??= order;
      for (const payment of payments) {
        const of = claimsOf(payment);
        if (of.length > 0) found.push({ payment, of });
        else if (isLookedFor(payment)) others.push(payment);
      }
    },
    result(): readonly ComparedInvoice<Row>[] {
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
        ...claims.map((claim) => {
          const other = found.find(({ of }) => claim.payments.length === 0 && of.includes(claim));
          const taker = claims.find(
            ({ payments }) => other !== undefined && payments.includes(other.payment),
          );
          const compared = comparedOf(claim);
          const isCopy =
            taker !== undefined && compared.verdict === 'not_paid' && wantedOf(taker) === compared.wanted;
          return {
            ...compared,
            verdict: isCopy ? ('twice_in_file' as const) : compared.verdict,
            countedFor: taker?.row,
          };
        }),
        ...others.map((payment) => ({
          row: undefined,
          verdict: 'not_in_file' as const,
          wanted: undefined,
          charged: payment.amount ?? 0,
          currency: payment.currency,
          payments: [payment],
          orderId: payment.orderId,
          countedFor: undefined,
          why: undefined,
        })),
      ];
    },
  };
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

function gave<Row extends InvoiceRow>(payment: PaymentFact, claim: Claim<Row> | undefined): boolean {
  claim?.payments.push(payment);
  return claim !== undefined;
}

function wantedOf<Row extends InvoiceRow>({ row, order }: Claim<Row>): Figure | undefined {
  return row.amount ?? order?.amount;
}

function isIn({ currency: said }: InvoiceRow, { currency }: PaymentFact): boolean {
  return said === undefined || currency === undefined || said === currency.toUpperCase();
}

function isExact<Row extends InvoiceRow>(claim: Claim<Row>, payment: PaymentFact): boolean {
  const { amount } = payment;
  if (claim.payments.length > 0 || !isIn(claim.row, payment)) return false;
  return amount !== undefined && amount === wantedOf(claim);
}

function hasRoom<Row extends InvoiceRow>(claim: Claim<Row>, payment: PaymentFact): boolean {
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

function comparedOf<Row extends InvoiceRow>(claim: Claim<Row>): Omit<ComparedInvoice<Row>, 'countedFor'> {
  const { row, payments, order } = claim;
  const [wanted, charged] = [wantedOf(claim), chargedBy(payments)];
  const others = new Set(payments.map(({ currency = 'none' }) => currency));
  const verdict = invoiceVerdict(claim, wanted, charged, others.size > 1);
  const why =
    verdict === 'not_shown'
      ? (order?.hidesCharges ?? 'a charge shows no amount')
      : others.size > 1
        ? `charged in ${[...others].join(' and ')}`
        : verdict === 'not_paid'
          ? notPaidWhy(row, order)
          : undefined;
  const currency = payments[0]?.currency ?? order?.currency;
  return { row, verdict, wanted, charged, currency, payments, orderId: order?.id, why };
}

function notPaidWhy({ chargeId, authCode }: InvoiceRow, order: OrderFact | undefined): string {
  return chargeId === undefined && authCode === undefined
    ? `no charge of it was paid; the status of its order is ${order?.status ?? 'not shown'}`
    : 'no payment of its order has all that the row names; a charge that was declined is no payment';
}

function invoiceVerdict<Row extends InvoiceRow>(
  { payments, order }: Claim<Row>,
  wanted: Figure | undefined,
  charged: Figure,
  isMixed: boolean,
): InvoiceVerdict {
  const isUnknown = order?.hidesCharges !== undefined || payments.some(({ amount }) => amount === undefined);
  if (isUnknown && charged !== wanted) return 'not_shown';
  if (payments.length === 0) return order === undefined ? 'not_found' : 'not_paid';
  if (isMixed || (wanted !== undefined && charged > wanted))
    return payments.filter(({ amount }) => amount === wanted).length > 1 ? 'paid_twice' : 'paid_more';
  return wanted === undefined || charged === wanted ? 'paid' : 'paid_less';
}
