/** The door of the reports: facts of orders and refunds, exact sums of them, and charts of text. Nothing here reads or writes. */

export {
  ageWords,
  type Dimension,
  dimensions,
  isTimeUnit,
  orderDimensions,
  waitingDimensions,
} from './buckets.ts';
export { mondayOf } from './calendar.ts';
export { bar, calendar, type Series, type Signs, sparklineOf } from './charts.ts';
export { type Figure, largestFirst, largestOf, negated, percent, plus } from './exact-sum.ts';
export {
  type Facts,
  type Maker,
  noReason,
  notFromHere,
  notShown,
  type OrderFact,
  type RefundFact,
} from './facts.ts';
export { factsOfCharge, factsOfOrder, factsOfRefundRow, type Known } from './order-facts.ts';
export {
  type DaysByCurrency,
  type Gaps,
  hasCurrency,
  isInSpan,
  type OrderSum,
  type RefundSum,
  type Span,
  type Summary,
  summariseOrders,
  summariseRefunds,
} from './summaries.ts';
export type { Line } from './tally.ts';
export { isDated, type TwinPair, twinPairs } from './twin-pairs.ts';
