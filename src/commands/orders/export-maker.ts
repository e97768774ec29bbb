/** Rows of an export of orders, page by page: filters, the range, and what is to be said of what was left out. */

import type { Page } from '../../api/api.ts';
import type { JsonObject } from '../../api/spec.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Context, Days } from '../command.ts';
import { daysOfFile } from '../export/days.ts';
import type { RowMaker } from '../export/rows.ts';
import type { TimeRange } from '../time-range.ts';
import { type DateState, stopAtDate } from './date-stop.ts';
import { orderRows, type RowDate, type RowKind } from './export-rows.ts';
import type { OrderFilters } from './filters.ts';
import type { RefundFacts } from './refund-facts.ts';

/** What rows are made by, besides their range. */
export interface RowsAsked extends Pick<OrderFilters, 'filters' | 'left'> {
  readonly rows: RowKind;
  readonly by: RowDate;
}

/** A range, and the days of its zone. */
export interface Span {
  readonly range: TimeRange;
  readonly days: Days;
}

/** The span as a file's query says it: a resumed export has it from its first run. */
export function spanOf(ctx: Context, { since, until, zone }: JsonObject): Span {
  return {
    range: { since: milliseconds(since), until: milliseconds(until) },
    days: daysOfFile(ctx, zone),
  };
}

/** Makes the rows of one walk. */
export function rowMaker(
  ctx: Context,
  profile: Profile,
  { rows, by, filters, left }: RowsAsked,
  facts: ReadonlyMap<string, RefundFacts>,
  { range, days }: Span,
  state: JsonObject = {},
): RowMaker {
  const promised = by === 'created' && profile.settings['orders.order'] === 'newest-first';
  const dates = stopAtDate(promised, range.since, dateState(state));
  let undated = Number(state.left ?? 0);
  return {
    see({ records }: Page) {
      dates.see(records);
      const surprise = dates.surprise();
      if (surprise !== undefined) ctx.notes.warn(surprise);
    },
    over: () => dates.reached,
    rowsOf(record) {
      if (!filters.every(({ accepts }) => accepts(record.value))) return [];
      const found = orderRows(record, {
        rows,
        by,
        range,
        day: (at) => days.day(at),
        factsOf: (id) => (typeof id === 'string' ? facts.get(id) : undefined),
      });
      undated += found.undated;
      return found.rows;
    },
    left: () => undated,
    state() {
      const { before, contradicted } = dates.state;
      return { id: before?.id, created_at: before?.createdAt, contradicted, left: undated };
    },
    closing: () => [
      ...left(),
      ...(undated === 0
        ? []
        : [`left out, since they show no date of the kind --by ${by}: ${undated} of the ${rows}`]),
    ],
  };
}

function dateState({ id, created_at: createdAt, contradicted }: JsonObject): DateState {
  const known = typeof id === 'string' && typeof createdAt === 'number';
  return { before: known ? { id, createdAt } : undefined, contradicted: contradicted === true };
}

function milliseconds(at: unknown): number | undefined {
  return typeof at === 'number' ? at * 1000 : undefined;
}
