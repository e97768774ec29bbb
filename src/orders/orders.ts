/** The door of the orders: what is known about an order is decided here, and every screen says that. */

export { type BuyerLanguage, brandName, buyerLanguages, buyerLines } from './buyer-words.ts';
export {
  type AfterFailure,
  afterFailure,
  type KnownOrder,
  type KnownRefund,
  knownOrder,
  mostUrgent,
  type RefundState,
  recordedState,
  refundStates,
  stateMeans,
  type Unfit,
  unfitOf,
} from './known-order.ts';
export {
  knownOrders,
  knownTwins,
  recordShown,
  shownIndexed,
  shownOrders,
  unconfirmedOf,
  withChargeIds,
} from './look-up.ts';
export { idByPart, maybePartOfId, withMeantOrder } from './meant-order.ts';
export {
  attemptOf,
  type OrderCase,
  openStates,
  stopsRefund,
  untilMayAppear,
} from './order-cases.ts';
export {
  ordersWithRefunds,
  type RefundFacts,
  refundFacts,
  stateWhy,
  toldRefunds,
} from './refund-facts.ts';
export { twinLine, twinWords, warnsOfTwin } from './twin-words.ts';
export {
  isNear,
  isPaidBack,
  isRefunded,
  isSettled,
  type KnownTwin,
  knownTwin,
  moneyFields,
  nameForAgain,
  purchaseOf,
  type Twin,
  type TwinPair,
  twinOf,
  twinPairs,
  twinSeconds,
  twinsAmong,
} from './twins.ts';
