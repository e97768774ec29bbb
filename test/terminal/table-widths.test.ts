/** Columns are fitted into a terminal: whatever they hold, what is shown is no wider than it. */

import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { orderColumns } from '../../src/api/resources.ts';
import { fitColumns, total } from '../../src/terminal/table-widths.ts';
import { lines, outputOf, wire } from './screens.ts';

// As `orders list` has them while an order has an open case: the status stays.
const columns = orderColumns.map((column) =>
  column.name === 'payment_status' ? { ...column, stays: true as const } : column,
);
const reserve = fc.constantFrom('full' as const, 'short' as const, undefined);

test('columns are fitted into every width that has room for the id and the status', () => {
  const naturals = fc.array(fc.integer({ min: 1, max: 40 }), {
    minLength: columns.length,
    maxLength: columns.length,
  });
  fc.assert(
    fc.property(naturals, fc.integer({ min: 60, max: 160 }), reserve, (natural, width, kept) => {
      const { shown, widths } = fitColumns(columns, natural, { width, reserve: kept });
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
    payment_status: fc.constantFrom('paid', 'partially_refunded', 'paid back twice', 'unconfirmed'),
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
});
