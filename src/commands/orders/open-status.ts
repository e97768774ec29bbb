/**
 * The STATUS column of tables of orders. In place of the service's word it says what is open of an order, in the words of
 * `caseWords`: `unconfirmed`, `paid back twice`, and so on.
 */

import type { Service, WireRecord } from '../../api/api.ts';
import { type Column, orderColumns } from '../../api/resources.ts';
import { idOf } from '../../api/spec.ts';
import {
  attemptsByOrder,
  type CaseWords,
  casesOf,
  caseWords,
  type OrderCase,
  openCasesOf,
  unrecordedLine,
} from '../../changes/changes.ts';
import type { Context } from '../command.ts';

/** The words in place of the status of an order with these open cases; undefined if it has none. */
export function openStatus([first]: readonly OrderCase[]): CaseWords | undefined {
  return first && caseWords[first.is];
}

/** The column, and what finds out about the orders that it is going to show. */
export interface StatusColumn {
  readonly columns: readonly Column[];
  /** Asks the journal about the orders of a page, before the page is shown. */
  readonly lookUp: (records: readonly WireRecord[]) => Promise<void>;
}

/** Other formats than a table keep the service's word, because scripts read them: then there is no column. */
export async function statusColumn(ctx: Context, service: Service): Promise<StatusColumn> {
  if (ctx.out.format !== 'table') return { columns: [], lookUp: () => Promise.resolve() };
  const open = await openCasesOf(ctx, service);
  const isKnown = open.unconfirmed.size + open.paidTwice.size > 0;
  let words = new Map<unknown, CaseWords>();
  return {
    columns: orderColumns
      .filter(({ name }) => name === 'payment_status')
      .map((column) => ({
        ...column,
        // Every page keeps room for the usual word, so that all pages have the same columns.
        ...(isKnown ? { least: caseWords.unconfirmed.short.length } : {}),
        warns: ({ id }) => words.has(id),
        value: (order, ...more) => words.get(order.id)?.full ?? column.value(order, ...more),
        brief: { value: (order) => words.get(order.id)?.short ?? column.value(order, []) },
      })),
    async lookUp(records) {
      const ids = new Set(records.map(idOf).filter((id) => id !== undefined));
      const attempts = await attemptsByOrder(ctx, service, ids);
      words = new Map();
      for (const { value } of records) {
        const id = String(value.id);
        const cases = casesOf(ctx, open, attempts.get(id) ?? [], value);
        const own = openStatus(cases);
        if (own !== undefined) words.set(value.id, own);
        for (const line of cases.flatMap((one) => unrecordedLine(id, one) ?? [])) ctx.notes.warn(line);
      }
    },
  };
}
