/** Bulk refunds, as the rest of paydesk sees them: their types, and the functions that check files, keep plans and run batches. */

export {
  controlTotalProblems,
  type ExpectedTotal,
  missingTotals,
  readExpectedTotal,
} from './control-totals.ts';
export { errorsCsv } from './csv-rows.ts';
export { currencyIn, isCurrencyTitle, saysNothing } from './input-cells.ts';
export { duplicateProblems } from './input-duplicates.ts';
export { isInputTitle, isTicketTitle } from './meant-titles.ts';
export { rowKey } from './plan-lines.ts';
export { planText, readPlan } from './plan-text.ts';
export * from './plan-types.ts';
export * from './run-batch.ts';
