/** Everything about changes that the commands may import. */

export * from './api-request.ts';
export { applyPlan } from './bulk/apply-plan.ts';
export { inFull, lineWords, waitsWords } from './bulk/batch-words.ts';
export {
  checkWritten,
  lookAtOrders,
  noneNamed,
  type RefusedFile,
  referenceProblems,
  refuseProblems,
  sayReferences,
  sayUnread,
} from './bulk/bulk-files.ts';
export { noOrder, orderIdOf, ordersOf, type ReadOrders } from './bulk/found-orders.ts';
export { amountInFile, decimalsProblems, inOtherCurrency, notInUnits } from './bulk/input-amounts.ts';
export { isUnsentPlanOf, planFile, planOrder } from './bulk/plan/make-plan.ts';
export { refreshPlan } from './bulk/plan/refresh-plan.ts';
export { checkPlanLimits, controlFigures, paidOnOrders, rowsToSend } from './bulk/plan-checks.ts';
export { planStatus } from './bulk/plan-status.ts';
export { readOrders } from './bulk/read-orders.ts';
export { enrolKey, releasePlan } from './bulk/release-plan.ts';
export { readOrdersAgain } from './bulk/report-plan.ts';
export { inputColumnsOf, inputOf, isShortList, shownTitles, showPlan } from './bulk/row-records.ts';
export { type RowVerdict, rowVerdicts } from './bulk/row-verdicts.ts';
export type { SendingContext } from './bulk/send-row.ts';
export { workOff } from './bulk/send-row.ts';
export {
  acknowledgedAlarms,
  acknowledgedWords,
  byHandWords,
  settledByHand,
  untilWords,
} from './by-hand-words.ts';
export { captureOrder } from './capture-order.ts';
export * from './case-steps.ts';
export { makeChange } from './change.ts';
export {
  blockedWords,
  headLine,
  kindWords,
  messagesIn,
  planRowWords,
  replyWords,
  settleCommand,
  settleCommands,
} from './change-words.ts';
export { checkProfileConfirmable } from './confirm-change.ts';
export { readBody } from './create/creation.ts';
export { createOrder } from './create/new-order.ts';
export { orderFlags } from './create/order-body.ts';
export { createPaymentLink, linkFlags } from './create/payment-link.ts';
export { bodyFlag, creationFlags, parsePair, qrFlags } from './create/sale-flags.ts';
export { expiryOf } from './create/sale-screens.ts';
export { failedSteps } from './explain-outcome.ts';
export * from './first-block.ts';
export { noHoldFlag } from './hold.ts';
export { checkNote, lettersIn, missingIn, requiredBy, roleWords } from './may-change.ts';
export { changedFields, type PickedOrder } from './order-change.ts';
export { refuseForged } from './plan-again.ts';
export { approveRequest, rejectRequest, showRequest } from './refund/answer-request.ts';
export { chargesNamed, needsCharge, notOneCharge, type RefundAsked } from './refund/decide-refund.ts';
export { originsAmong, type RefundOrigins, senderOf, sentBy } from './refund/known-refunds.ts';
export { lookForTwins } from './refund/look-for-twins.ts';
export { countingAt, limitAt, nothingAllowed } from './refund/refund-limit.ts';
export { refundOrder } from './refund/refund-order.ts';
export {
  isOfRefund,
  pendingRequests,
  rejectedWords,
  requestColumns,
  requestRecord,
  requestsOf,
  type WaitingRequest,
  waitingRequest,
} from './refund/request-record.ts';
export { sendApproved } from './refund/send-approved.ts';
export { againFlag, idempotencyKeyFlag, idempotencyKeyPattern, onlyGiven } from './repeat.ts';
