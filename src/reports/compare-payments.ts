/** Compares the rows of an invoice list with what was charged: every payment counts for one row only. Pure. */

import { type AmountStyle, amountWords, sumWords, unknownCurrency } from '../amounts.ts';
import type { JsonObject } from '../api/json-values.ts';
import { bareReference } from '../api/resources.ts';
import { counted } from '../counted.ts';
import { type Figure, negated, plus, sumOf } from './exact-sum.ts';
import type { Facts, OrderFact, PaymentFact } from './facts.ts';

/** What a row of the list says. It names a payment by one of these, or by several, which must all be true of it. */
interface InvoiceRow {
  readonly orderId: string | undefined;
  readonly reference: string | undefined;
  readonly chargeId: string | undefined;
  readonly authCode: string | undefined;
  /** Undefined: as much as its order says. */
  readonly amount: Figure | undefined;
  /** In capitals. A payment in another currency is not counted for this row while another row is about it too. */
  readonly currency: string | undefined;
}

export const invoiceVerdicts = [
  'paid',
  'paid_less',
  'paid_more',
  'paid_twice',
  'other_currency',
  'not_paid',
  'not_shown',
  'not_found',
  'not_in_file',
] as const;
/**
 * - `paid_twice`: more was charged than the row says, and that just twice or more often
 * - `other_currency`: the list says another currency than that of the order, so no amounts are compared
 * - `not_paid`: the order is there, and no money came in with it
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
  /** That of its payments, or of its order; undefined if neither is known. */
  readonly currency: string | undefined;
  readonly payments: readonly PaymentFact[];
  /** The order of the row, as far as it was found. */
  readonly orderId: string | undefined;
  /** The row for which the payment was counted that this one is about too. */
  readonly countedFor: Row | undefined;
  readonly why: string | undefined;
}

/** A row of a comparison, as far as sums need it. */
interface SummedRow {
  readonly isInFile: boolean;
  readonly currency: string | undefined;
  readonly wanted: Figure | undefined;
  readonly found: Figure;
  /** What the file says instead, in a currency that is not the one of what was found. */
  readonly other?: { readonly currency: string; readonly amount: Figure | undefined } | undefined;
  /** It adds no row: its row counts in another currency. */
  readonly isRest?: true;
}

/** The sums of a comparison in one currency; undefined: of what shows none. */
interface ComparedSum {
  readonly currency: string | undefined;
  /** How many rows of the file. */
  readonly rows: number;
  readonly wanted: Figure;
  readonly found: Figure;
  /** What the file says beyond that, in the rows of which that is known. */
  readonly difference: Figure;
  /** What was found besides, and no row is about. */
  readonly notInFile: Figure;
}

/** What a row says beyond what was found; undefined if it says no amount. */
export function differenceOf({ wanted, found }: Pick<SummedRow, 'wanted' | 'found'>): Figure | undefined {
  return wanted === undefined ? undefined : plus(wanted, negated(found));
}

// What the file says counts in the currency of the file, and what was found for it in its own.
function inOwnCurrencies(all: readonly SummedRow[]): readonly SummedRow[] {
  return all.flatMap((one): readonly SummedRow[] => {
    const { isInFile, currency, found, other } = one;
    if (other === undefined) return [one];
    const said = { isInFile, currency: other.currency, wanted: other.amount, found: 0 };
    return found === 0 ? [said] : [said, { isInFile, currency, wanted: 0, found, isRest: true }];
  });
}

/** Adds a comparison up: a line for each currency. */
export function comparedSums(all: readonly SummedRow[]): readonly ComparedSum[] {
  return [...Map.groupBy(inOwnCurrencies(all), ({ currency }) => currency)].map(([currency, own]) => {
    const rows = own.filter(({ isInFile }) => isInFile);
    const wanted = sumOf(rows, (one) => one.wanted ?? 0);
    const found = sumOf(rows, (one) => one.found);
    const difference = sumOf(rows, (one) => differenceOf(one) ?? 0);
    const others = own.filter(({ isInFile }) => !isInFile);
    return {
      currency,
      rows: rows.filter(({ isRest }) => isRest === undefined).length,
      wanted,
      found,
      difference,
      notInFile: sumOf(others, (one) => one.found),
    };
  });
}

/** All that the file says, in words, beside what was found for it; `did`: what the service did, such as `was charged`. */
export function sumLines(all: readonly SummedRow[], did: string, style: AmountStyle): readonly string[] {
  const rows = inOwnCurrencies(all).filter(({ isInFile }) => isInFile);
  const unknown = rows.filter(({ wanted }) => wanted === undefined).length;
  return [
    ...comparedSums(rows.filter(({ wanted }) => wanted !== undefined)).map(
      ({ currency, wanted, found, difference }) => {
        const words = (figure: Figure) => amountWords(figure, currency, style);
        return `${currency ?? unknownCurrency}: the file says ${words(wanted)}, ${words(found)} ${did}${difference === 0 ? '' : `, difference ${words(difference)}`}`;
      },
    ),
    ...(unknown === 0
      ? []
      : [`${counted(unknown, 'row')} in none of these sums: only an order tells the amount`]),
  ];
}

/** What the file says in these rows: `500 MXN and 20, currency unknown`. Empty if it says no amount. */
export function saidWords(
  rows: readonly Pick<SummedRow, 'wanted' | 'currency'>[],
  style: AmountStyle,
): string {
  const said = rows.filter(({ wanted }) => wanted !== undefined);
  return [...Map.groupBy(said, ({ currency }) => currency)]
    .map(([currency, own]) => {
      return sumWords(
        sumOf(own, ({ wanted = 0 }) => wanted),
        currency,
        style,
      );
    })
    .join(' and ');
}

/** The fields of such a line in a record, without the one that says what was found. */
export function sumFields({ currency, rows, wanted, difference, notInFile }: ComparedSum): JsonObject {
  return { currency: currency ?? null, rows, wanted, difference, not_in_file: notInFile };
}

/** What was found for a row. */
interface Claim<Row extends InvoiceRow> {
  readonly row: Row;
  readonly payments: PaymentFact[];
  order: OrderFact | undefined;
}

type Named = Partial<Pick<InvoiceRow, 'orderId' | 'chargeId' | 'authCode'>> & {
  readonly reference?: unknown;
};

/** Starts a comparison. `isLookedFor`: whether a payment belongs into the list, if no row is about it. */
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
      // What is more than the rows say stands at the last row about it.
      for (const { payment, of } of rest)
        gave(payment, of.findLast(({ row }) => isIn(row, payment)) ?? of.at(-1));
      return [
        ...claims.map((claim) => {
          const other = found.find(({ of }) => claim.payments.length === 0 && of.includes(claim));
          const taker = claims.find(
            ({ payments }) => other !== undefined && payments.includes(other.payment),
          );
          return { ...comparedOf(claim), countedFor: taker?.row };
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

// How rows and payments are called, the most exact name first.
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
  const verdict = verdictOf(claim, wanted, charged, others.size > 1);
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

function verdictOf<Row extends InvoiceRow>(
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
