/** Columns are fitted into a terminal: whatever they hold, what is shown is no wider than it. */

import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { type AmountStyle, plainAmounts } from '../../src/amounts.ts';
import type { JsonObject } from '../../src/api/json-values.ts';
import { orderColumns } from '../../src/api/resources.ts';
import { fitColumns, total, usualWidths } from '../../src/terminal/table/table-widths.ts';
import { lines, outputOf, wire } from './screens.ts';

// As `orders list` has them while an order has an open case: the status stays.
const columns = orderColumns.map((column) =>
  column.name === 'payment_status' ? { ...column, stays: true as const } : column,
);
const cells = fc.record({
  brief: fc.boolean(),
  decimals: fc.constantFrom('none' as const, 'beside' as const, 'alone' as const),
  dayOrClock: fc.boolean(),
});

test('columns are fitted into every width that has room for the id and the status', () => {
  const naturals = fc.array(fc.integer({ min: 1, max: 40 }), {
    minLength: columns.length,
    maxLength: columns.length,
  });
  fc.assert(
    fc.property(naturals, fc.integer({ min: 60, max: 160 }), fc.option(cells), (natural, width, kept) => {
      const usual =
        kept === null ? undefined : usualWidths(columns, kept, { natural, titles: natural.map(() => 6) });
      const { shown, widths } = fitColumns(columns, natural, { width, usual });
      expect(shown.length).toBeGreaterThan(1);
      expect(total(widths)).toBeLessThanOrEqual(width);
    }),
    { numRuns: 2_000 },
  );
});

describe('a table of orders', () => {
  const row = fc.record({
    id: fc.stringMatching(/^ord_[A-Za-z0-9]{17}$/),
    created_at: fc.integer({ min: 1_600_000_000, max: 1_795_000_000 }),
    amount: fc.integer({ min: 1, max: 9_999_999 }),
    amount_refunded: fc.integer({ min: 0, max: 999_999 }),
    currency: fc.constantFrom('MXN', 'USD'),
    charges: fc.constantFrom({ data: [{}, {}] }, { data: [{ payment_method: { last4: '4242' } }] }),
    payment_status: fc.constantFrom('paid', 'partially_refunded', 'made twice', 'unconfirmed'),
    customer_info: fc.record({ name: fc.string({ maxLength: 40 }), email: fc.string({ maxLength: 40 }) }),
  });

  test('has no line that is wider than the terminal, whatever its rows hold', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 14 }),
        fc.integer({ min: 60, max: 130 }),
        async (orders, width) => {
          const { out, text } = outputOf({ width });
          const sink = out.list(columns, { pages: 'many' });
          await sink.page(orders.map((order) => wire(order)));
          await sink.end(false);
          await out.finish();
          for (const line of lines(text())) expect(stringWidth(line), line).toBeLessThanOrEqual(width);
        },
      ),
    );
  });

  test('has the same columns on every page, whatever the page holds', async () => {
    const page = fc.array(row, { minLength: 1, maxLength: 6 });
    const heading = async (orders: readonly JsonObject[], width: number, amounts: AmountStyle) => {
      const { out, text } = outputOf({ width, locale: () => ({ zone: 'UTC', amounts, referenceKeys: [] }) });
      await out.list(columns).page(orders.map((order) => wire(order)));
      await out.finish();
      // The heading has the currency that most rows have. It may be cut.
      const titles = lines(text())[0]?.trim().split(/ {2,}/);
      return titles?.map((title) => title.replace('USD', 'MXN').slice(0, 2));
    };
    const declared: AmountStyle = { ...plainAmounts, 'amounts.decimals': { MXN: 2, USD: 2 } };
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(page, page),
        fc.integer({ min: 80, max: 130 }),
        fc.constantFrom(plainAmounts, declared),
        async ([one, other], width, amounts) => {
          expect(await heading(other, width, amounts)).toEqual(await heading(one, width, amounts));
        },
      ),
    );
  });
});
