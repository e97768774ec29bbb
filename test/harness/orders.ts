/** Orders, charges, refunds and customers as the service shows them, written from its document alone; a test changes what it is about. */

export type Json = Readonly<Record<string, unknown>>;

/** A paid order with these charges (service: order). */
/** Charges are of the order's currency, unless they name another one than usual themselves. */
export function orderOf(id: string, shown: readonly Json[], changes: Json = {}): Json {
  const { currency = 'MXN' } = changes;
  const charges = shown.map((charge) => (charge.currency === 'MXN' ? { ...charge, currency } : charge));
  const amount = charges.reduce((sum, charge) => sum + Number(charge.amount), 0);
  return {
    id,
    object: 'order',
    livemode: false,
    amount,
    amount_refunded: 0,
    currency: 'MXN',
    payment_status: 'paid',
    is_refundable: true,
    customer_info: { object: 'customer_info', name: 'Buyer Name', email: 'buyer@example.com' },
    channel: null,
    metadata: {},
    created_at: 1_790_000_000,
    updated_at: 1_790_000_030,
    line_items: listOf({
      id: 'line_item_1',
      name: 'Wool blanket',
      unit_price: amount,
      quantity: 1,
      sku: 'WB-2',
    }),
    charges: listOf(...charges.map((charge) => ({ ...charge, ...liveAs(changes) }))),
    ...(charges.length > 1 ? { split_payment: true } : {}),
    ...changes,
  };
}

// The mode of an order is that of its charges (service: Authentication 5).
function liveAs({ livemode }: Json): Json {
  return livemode === true ? { livemode } : {};
}

/** The order in production, with its charges; `livemode` false: in sandbox. */
export function inProduction(order: Json, livemode = true): Json {
  const charges = (order.charges as { readonly data: readonly Json[] }).data;
  return { ...order, livemode, charges: listOf(...charges.map((charge) => ({ ...charge, livemode }))) };
}

/** An order paid by one charge, of 350.00 unless its amount is changed; its customer is known. */
export function paidOrder(id: string, changes: Json = {}): Json {
  const amount = typeof changes.amount === 'number' ? changes.amount : 35_000;
  return orderOf(id, [chargeOf(`ch_${id}`, amount, { order_id: id })], {
    customer_info: {
      object: 'customer_info',
      customer_id: 'cus_2sZp8LmQ4tVx',
      name: 'Buyer Name',
      email: 'buyer@example.com',
      phone: '+5215555555555',
      corporate: false,
    },
    ...changes,
  });
}

/** A charge that was paid by card (service: charge). */
export function chargeOf(id: string, amount: number, changes: Json = {}): Json {
  return {
    id,
    object: 'charge',
    livemode: false,
    created_at: 1_790_000_005,
    paid_at: 1_790_000_025,
    currency: 'MXN',
    amount,
    fee: 900,
    status: 'paid',
    is_refundable: true,
    description: 'Payment from order',
    payment_method: {
      object: 'card_payment',
      type: 'credit',
      name: 'BUYER NAME',
      auth_code: '490215',
      last4: '4242',
      brand: 'visa',
    },
    refunds: null,
    ...changes,
  };
}

/** A refund record; its amount is negative (service: refund). */
export function refundOf(id: string, amount: number, changes: Json = {}): Json {
  return {
    id,
    object: 'refund',
    amount: -amount,
    created_at: 1_790_003_600,
    auth_code: '490215',
    ...changes,
  };
}

/** The record of a refund that is made now. */
export function newRefundOf(id: string, amount: number, changes: Json = {}): Json {
  return refundOf(id, amount, { created_at: Math.floor(Date.now() / 1000), ...changes });
}

/** A customer as listed (service: customer). */
export function customerOf(id: string, changes: Json = {}): Json {
  return {
    id,
    object: 'customer',
    livemode: false,
    name: 'Buyer Name',
    email: 'buyer@example.com',
    phone: '+5215555555555',
    corporate: false,
    custom_reference: '',
    created_at: 1_790_000_000,
    payment_sources: listOf(),
    ...changes,
  };
}

/** A list that is complete (service: List envelope). */
export function listOf(...data: readonly Json[]): Json {
  return { object: 'list', has_more: false, total: data.length, data };
}

/** A list after which more follows. */
export function listBeforeMore(...data: readonly Json[]): Json {
  return { ...listOf(...data), has_more: true };
}

/** An error body (service: Errors); `detail` changes its one detail. */
export function errorBody(changes: Json = {}, detail: Json = {}): Json {
  return {
    object: 'error',
    type: 'parameter_validation_error',
    log_id: '5f2c81',
    details: [
      {
        debug_message: 'the debugger says why',
        message: 'El parámetro no es válido',
        param: null,
        code: 'service.errors.parameter_validation.limit.invalid',
        ...detail,
      },
    ],
    ...changes,
  };
}

/** An error body of this type, whose detail has this code. */
export function errorOf(type: string, code: string): Json {
  return errorBody({ type }, { code, message: 'a message' });
}

/** What the service says of an order that cannot be refunded any more, with HTTP 428. */
export const notReturnable: Json = errorBody(
  { type: 'precondition_required_error' },
  {
    debug_message: 'The order is not returnable.',
    message: 'The order is not refundable.',
    code: 'service.errors.precondition_required.combo.order.is_not_returnable',
  },
);

/** An error of no documented type. */
export const undocumentedError: Json = errorOf('some_error', 'service.errors.something.else');

// ── What a change makes of an order ─────────────────────────────────────────────────────────────

export function chargesOf({ charges }: Json): readonly Json[] {
  return (charges as { readonly data: readonly Json[] }).data;
}

/** The order with other fields of its first charge, which is its only one. */
export function withCharge(order: Json, changes: Json): Json {
  return { ...order, charges: listOf({ ...chargesOf(order)[0], ...changes }) };
}

/** The order of one charge with one more refund record on it. */
export function withRefund(order: Json, refund: Json, amount: number): Json {
  const before = (chargesOf(order)[0]?.refunds as { readonly data: readonly Json[] } | null)?.data ?? [];
  const refunded = Number(order.amount_refunded) + amount;
  const whole = refunded >= Number(order.amount);
  const status = whole ? 'refunded' : 'partially_refunded';
  return {
    ...withCharge(order, { status, is_refundable: !whole, refunds: listOf(...before, refund) }),
    payment_status: status,
    amount_refunded: refunded,
    is_refundable: !whole,
  };
}

/** The order after it, or all of one charge, was refunded, as the document shows it for a whole order (service: Endpoints 1). */
export function refundedWhole(order: Json, chargeId?: string): Json {
  const charges = chargesOf(order).map((charge) =>
    chargeId !== undefined && charge.id !== chargeId
      ? charge
      : {
          ...charge,
          status: 'refunded',
          is_refundable: false,
          refunds: listOf(newRefundOf(`rf_${String(charge.id)}`, Number(charge.amount))),
        },
  );
  return {
    ...order,
    payment_status: 'refunded',
    amount_refunded: order.amount,
    is_refundable: false,
    charges: listOf(...charges),
  };
}

/** The order after it was captured (service: Endpoints 3). */
export function captured(order: Json): Json {
  const charges = chargesOf(order).map((charge) => ({ ...charge, status: 'paid' }));
  return { ...order, payment_status: 'paid', is_refundable: true, charges: listOf(...charges) };
}

// ── Many orders ─────────────────────────────────────────────────────────────────────────────────

/** An order with everything that fits, about 2.5 kB. */
export function bigOrder(index: number): Json {
  const time = 1_790_000_000 - index;
  return {
    ...orderOf(`ord_${String(index).padStart(17, '0')}`, [], {
      amount: 35_000,
      created_at: time,
      updated_at: time,
    }),
    customer_info: { object: 'customer_info', name: `Buyer ${index}`, email: `buyer${index}@example.com` },
    metadata: { note: 'n'.repeat(2_000) },
  };
}
