/** The door of the reports: facts of orders and refunds, exact sums of them, and charts of text. Nothing here reads or writes. */

export {
  type Dimension,
  daysFrom,
  dimensions,
  isTimeUnit,
  mondayOf,
  orderDimensions,
  type TimeUnit,
  unitOf,
  unitsFrom,
  waitingDimensions,
} from './buckets.ts';
export { bar, calendar, legendOf, type Series, type Signs, sparklineOf } from './charts.ts';
export {
  type ComparedInvoice,
  comparedSums,
  comparePayments,
  differenceOf,
  type InvoiceVerdict,
  invoiceVerdicts,
  saidWords,
  sumFields,
  sumLines,
} from './compare-payments.ts';
export {
  type Figure,
  largestFirst,
  largestOf,
  magnitude,
  negated,
  percent,
  percentNumber,
  plus,
  sumOf,
  wholeNumber,
} from './exact-sum.ts';
export {
  elsewhere,
  type Facts,
  type Maker,
  noReason,
  notShown,
  type OrderFact,
  type RefundFact,
  sentHere,
} from './facts.ts';
// The page is drawn only by a report into a file, so its code is loaded with that.
export const loadReportPage = async () => (await import('./report-page.ts')).reportPage;
export { factsOfCharge, factsOfOrder, factsOfRefundRow, type Known } from './order-facts.ts';
export type { Page, PagePart, PageSection } from './report-page.ts';
export {
  createGaps,
  type DaysByCurrency,
  type Gaps,
  hasCurrency,
  isInSpan,
  type Line,
  type OrderSum,
  type RefundSum,
  type Span,
  type Summary,
  type SummaryQuery,
  summariseOrders,
  summariseRefunds,
} from './summaries.ts';
