/**
 * What the journal knows about the orders of a list: their STATUS in a table, which instead of the service's word says what a person
 * must know first (`unconfirmed`, `made twice`, and so on), and the columns REASON, NOTE and LEFT; an export has LEFT too.
 */

import type { Service, WireRecord } from '../../api/api.ts';
import { isObject, type JsonObject } from '../../api/json-values.ts';
import { type Column, orderColumns } from '../../api/resources.ts';
import { warnOfUnrecorded } from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import { orElse } from '../../errors.ts';
import {
  type KnownOrder,
  knownOrders,
  leftOf,
  ordersWithRefunds,
  shownOrders,
  styleOfState,
  unconfirmedOf,
  wentBackBy,
} from '../../orders/orders.ts';

/** The columns, and what finds out about the orders that they are going to show. */
interface KnownColumns {
  readonly status: readonly Column[];
  readonly others: readonly Column[];
  /** Asks the journal about the orders of a page, before the page is shown. */
  readonly lookUp: (records: readonly WireRecord[]) => Promise<void>;
}

// Narrower terminals have no room for REASON and NOTE.
const tableFrom = 120;
const names = ['reason', 'note'] as const;

/** Formats other than a table keep the service's word, because scripts read them: then there is no such `status`. */
export async function knownColumns(ctx: Context, service: Service): Promise<KnownColumns> {
  const isTable = ctx.out.format === 'table';
  const withLeft = isLeftNamed(ctx);
  const { columns: named = ctx.options.usualColumns } = ctx.options;
  const isNamed = withLeft || named?.some((name) => names.some((own) => own === name.trim())) === true;
  const isKnown = isTable && (await unconfirmedOf(ctx, service).catch(() => [])).length > 0;
  // Empty if the journal cannot be read.
  let known = new Map<unknown, KnownOrder>();
  let words = new Map<unknown, KnownOrder['first']>();
  const unreadable = orElse(({ message }): undefined => {
    if (isNamed) ctx.notes.warn(`what the journal knows about refunds is not shown: ${message}`);
  });
  return {
    status: orderColumns
      .filter(({ name }) => isTable && name === 'payment_status')
      .map((column) => ({
        ...column,
        // Every page keeps room for the usual word, so that all pages have the same columns.
        ...(isKnown ? { least: 'unconfirmed'.length } : {}),
        warning: ({ id }) => styleOfState(words.get(id)),
        value: (order, ...more) => words.get(order.id) ?? column.value(order, ...more),
      })),
    others: [
      ...names.map((name) => ({
        name,
        title: name.toUpperCase(),
        kind: 'text' as const,
        tableFrom,
        derived: true as const,
        value: ({ id }: JsonObject) => whyOf(ctx, known.get(id))?.[name],
      })),
      leftColumn('left', (id) => known.get(id)),
    ],
    async lookUp(records) {
      const orders = records.map(({ value }) => value);
      const refunded = ordersWithRefunds(orders);
      const wanted = isTable || withLeft ? orders : orders.filter(({ id }) => refunded.has(String(id)));
      const read = wanted.length === 0 ? [] : await knownOrders(ctx, service, wanted).catch(unreadable);
      known = new Map(read?.map((one) => [one.order.id, one]));
      words = new Map();
      if (!isTable) return;
      for (const one of read ?? (await shownOrders(ctx, service, orders))) {
        if (one.first !== undefined) words.set(one.order.id, one.first);
        warnOfUnrecorded(ctx, one);
      }
    },
  };
}

// Why an order was refunded. Masks the note here, since it is not part of the service's record, which is masked elsewhere.
function whyOf({ redaction, out }: Context, order: KnownOrder | undefined) {
  const back = order === undefined ? [] : wentBackBy(order);
  if (back.length === 0) return undefined;
  const joined = (texts: readonly (string | undefined)[]): string =>
    [...new Set(texts.filter((text) => text !== undefined))].join(', ');
  const isScreen = out.format === 'table' || out.format === 'list';
  const note = joined(back.map(({ sent }) => sent.note));
  const { value } = redaction.record({ value: { note } }, isScreen ? 'initials' : 'token');
  return { reason: joined(back.map(({ sent }) => sent.reason)), note: String(value.note) };
}

// ── The column `left` ────────────────────────────────────────────────────────────────────────────

/** Whether somebody named the column. Otherwise nobody asks the journal about orders without refunds. */
export function isLeftNamed({ options: { columns, usualColumns } }: Pick<Context, 'options'>): boolean {
  return (columns ?? usualColumns)?.some((name) => /^(?:order\.)?left$/i.test(name.trim())) === true;
}

/** `name`: `order.left` in a row that has its order. No sum has it, since an order may have several rows; `left` of a charge is its own. */
export function leftColumn(
  name: 'left' | 'order.left',
  knownOf: (orderId: unknown) => KnownOrder | undefined,
): Column {
  const leftIn = ({ order, id }: JsonObject): unknown => {
    const isRow = isObject(order);
    const known = knownOf(isRow ? order.id : id);
    return known && leftOf(known, isRow && name === 'left' ? id : undefined);
  };
  return { name, title: 'LEFT', kind: 'figure', derived: true, value: leftIn };
}
