/** The door of the orders: what is known about an order is decided here, and every screen says that. */

export { type RecordedState, recordedState, recordedStates } from './as-recorded.ts';
export {
  type KnownOrder,
  type KnownRefund,
  knownOrder,
  mostUrgent,
  type RefundState,
  refundStates,
  whyUnfit,
} from './known-order.ts';
export {
  knownOrders,
  knownTwins,
  type OrderLookUp,
  shownOrders,
  stoppedOrders,
  unconfirmedOf,
} from './look-up.ts';
export { isUnconfirmed, type OrderCase, stopsRefund, untilMayAppear } from './order-cases.ts';
export { ordersWithRefunds, type RefundFacts, refundFacts } from './refund-facts.ts';
export { stateWhy } from './state-words.ts';
export {
  isPaidBack,
  isRefunded,
  type KnownTwin,
  knownTwin,
  nameForAgain,
  purchaseOf,
  type Twin,
  twinLine,
  twinOf,
  twinSeconds,
  twinsAmong,
  twinWords,
} from './twins.ts';
