/**
 * Exports what reports are made with: facts of orders and refunds, exact sums of them, and charts of text. Nothing here reads or
 * writes.
 */

export * from './buckets.ts';
export * from './charts.ts';
export * from './exact-sum.ts';
export * from './facts.ts';
// The page is drawn only by a report into a file, so its code is loaded with that.
export const loadReportPage = async () => (await import('./report-page.ts')).reportPage;
export type { Page, PagePart, PageSection } from './report-page.ts';
export * from './summaries.ts';
