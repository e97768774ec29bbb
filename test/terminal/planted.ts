/** An order of a shop that has personal data in every field where a service can put a text, and the search for it. */

import { chargeOf, type Json, orderOf, refundOf } from '../harness/orders.ts';

/** Each of these stands nowhere else. */
export const planted =
  'ximena quiroga 5511110000 5255998877 5255334455 5255667788 612345678 912345678 646180111812345678 xiqu800101 quirogax mujer juarez'.split(
    ' ',
  );

/** The bank's code of every payment. Its six digits may be an amount, or the shop's own number, at other places. */
const authCode = '490215';

/** Which of them a text has, in small letters or in capitals. */
export function plantedIn(text: string): readonly string[] {
  const small = text.toLowerCase();
  return [...planted, authCode].filter((word) => small.includes(word));
}

const undocumented: Json = {
  tax_id: 'XIQU800101AB1',
  national_id: 5_255_998_877,
  document_id: 'XIQU800101',
  first_name: 'ximena',
  last_name: 'quiroga',
  whatsapp: '5255998877',
  celular: '5511110000',
  gender: 'mujer',
  url: 'https://pay.example/ximena',
  title: 'ximena',
  code: 'quiroga',
  contact: { note: 'juarez', state: 'ximena', amount: 5_511_110_000, ximena: true },
  names: ['ximena', ['quiroga']],
};

/** A paid order with them; `id`: its number. */
export function plantedOrder(id: number, changes: Json = {}): Json {
  const charge = chargeOf(`ch_${id}`, 35_000, {
    ...undocumented,
    reference_id: 'X. Q. 5255334455',
    failure_code: 'quiroga',
    failure_message: 'ximena',
    device_fingerprint: 'quirogax',
    channel: 'ximena',
    customer_id: 'ximena',
    payment_method: {
      object: 'card_payment',
      type: 'ximena',
      brand: 'quiroga',
      issuer: 'ximena',
      account_type: 'quiroga',
      country: 'ximena',
      name: 'ximena quiroga',
      last4: '7099',
      antifraud_flag: 'ximena',
      fraud_indicators: ['quiroga', { ximena: 'quirogax' }],
      receiving_account_number: '646180111812345678',
      barcode: '5255998877',
      payer_account: '646180111812345678',
      account: 'quiroga',
      bank: 'ximena',
      ip: 'quiroga',
      bin: '5511110000',
      auth_code: authCode,
    },
    refunds: {
      object: 'list',
      data: [
        {
          ...refundOf(`rf_${id}`, 500),
          ...undocumented,
          operator: 'ximena',
          reason: 'quiroga',
          auth_code: authCode,
        },
      ],
      has_more: false,
    },
  });
  return {
    ...orderOf(`ord_${id}`, [charge], {
      customer_info: {
        object: 'customer_info',
        customer_id: 'ximena',
        name: 'ximena',
        email: 'quiroga@mail.example',
        phone: '5255998877',
        ...undocumented,
      },
      shipping_contact: { id: 'ship_cont_Ximena', receiver: 'quiroga', phone: '5511110000', ...undocumented },
      fiscal_entity: { id: 'fis_ent_quiroga', name: 'ximena' },
      channel: 'quiroga',
      metadata: {
        shop_order: `A-${id}`,
        order_number: '612345678',
        telefono: '912345678',
        ximena_quiroga: 'x',
        'ximena.q': 'x',
        5255667788: 1,
        nested: { quiroga: { ximena: 'quirogax' } },
        list: ['ximena'],
      },
      created_at: 1_780_000_000 + id * 100_000,
      amount_refunded: 500,
      payment_status: 'partially_refunded',
      ...undocumented,
      ...changes,
    }),
    line_items: {
      object: 'list',
      data: [
        {
          id: 'line_item_ximena',
          name: 'For Ximena',
          unit_price: 35_000,
          quantity: 1,
          sku: 'quiroga',
          brand: 'ximena',
          type: 'quiroga',
          tags: ['ximena', '5255998877'],
          metadata: { quiroga: 'ximena' },
        },
      ],
    },
  };
}
