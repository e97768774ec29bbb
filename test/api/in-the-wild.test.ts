import { describe, expect, test } from 'vitest';
import { readMoney } from '../../src/api/charges.ts';
import { readErrorBody, readOrder } from '../../src/api/records.ts';
import { orderColumns } from '../../src/api/resources.ts';
import { codeWithoutBrand, documentedErrorOf } from '../../src/api/spec.ts';
import { json, startServer } from '../harness/server.ts';
import { collect, list, openClient } from './open-client.ts';

const charge = {
  id: 'ch_1',
  object: 'charge',
  amount: 100,
  status: 'paid',
  payment_method: { object: 'card_payment', type: 'credit', last4: '4242' },
};

const odd: Record<string, object> = {
  'no payment_status, no charges, no line_items': { amount: 100, currency: 'MXN' },
  'everything null': {
    payment_status: null,
    charges: null,
    line_items: null,
    customer_info: null,
    metadata: null,
    amount: null,
    created_at: null,
  },
  'an unknown state': { payment_status: 'partially_paid' },
  'channel as an object': { channel: { id: 'channel_1', segment: 'Checkout' } },
  'lines as list envelopes': {
    shipping_lines: list([{ amount: 1 }]),
    tax_lines: list([]),
    discount_lines: list([]),
  },
  'a charge without is_refundable and refunds': {
    amount: 100,
    amount_refunded: 0,
    charges: list([charge]),
  },
  'charges in different states': {
    amount: 100,
    amount_refunded: 0,
    is_refundable: true,
    charges: list([
      { ...charge, id: 'ch_0', status: 'declined', refunds: null },
      { ...charge, refunds: null },
    ]),
  },
  'cash and bank transfers': {
    amount: 100,
    charges: list([
      { ...charge, payment_method: { object: 'cash_payment', type: 'cash', reference: '9300', store: 'x' } },
    ]),
  },
  'a partial refund with more fields': {
    amount: 100,
    amount_refunded: 40,
    payment_status: 'partially_refunded',
    is_refundable: true,
    charges: list([
      {
        ...charge,
        status: 'partially_refunded',
        refunds: list([
          { id: 'ref_1', object: 'refund', amount: -40, status: 'pending', expires_at: 1_700_000_000 },
        ]),
      },
    ]),
  },
};

describe('an order as services of this family send it', () => {
  test.each(Object.keys(odd))('%s: is read, keeps every field, shows no null or undefined', async (name) => {
    const order = { id: 'ord_1', object: 'order', ...odd[name] };
    await using server = await startServer(
      json(list([order], { next_page_url: null, previous_page_url: null, total: 1 })),
    );
    const [page] = await collect(openClient(server).service.pages('orders', {}));
    const value = page?.records[0]?.value ?? {};
    expect(value).toEqual(order);
    expect(readOrder(value)).toMatchObject({ id: 'ord_1' });
    const shown = orderColumns.map((column) => column.value(value, ['shop_order']) ?? '-');
    expect(shown).not.toContain('null');
    expect(shown).not.toContain('undefined');
  });

  test('absent refunds with nothing refunded are the empty set', () => {
    const reading = readMoney({ id: 'ord_1', ...odd['a charge without is_refundable and refunds'] });
    expect(reading).toMatchObject({ money: { charges: [{ refunds: [], left: 100, counts: true }] } });
  });

  test('a declined charge beside a paid one does not count', () => {
    const reading = readMoney({ id: 'ord_1', ...odd['charges in different states'] });
    expect(reading).toMatchObject({ money: { charges: [{ counts: false }, { counts: true }] } });
  });

  test('a partial refund leaves the rest', () => {
    const reading = readMoney({ id: 'ord_1', ...odd['a partial refund with more fields'] });
    expect(reading).toMatchObject({ money: { charges: [{ taken: 40, left: 60, counts: true }] } });
  });
});

test('codes are known whatever their first segment is', () => {
  const code = 'acme.errors.precondition_required.combo.order.is_not_returnable';
  expect(codeWithoutBrand(code)).toBe('precondition_required.combo.order.is_not_returnable');
  const body = readErrorBody({
    object: 'error',
    type: 'precondition_required_error',
    log_id: null,
    details: [
      { message: 'otra cosa', param: 'card[number]' },
      { message: 'no', code },
    ],
  });
  expect(body === undefined ? undefined : documentedErrorOf(body)).toBe('notReturnable');
});
