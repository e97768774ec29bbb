// One order of about 3 kB, as a service of the document writes it; the ids that hold the order's id are as long for all.

const states = ['paid', 'paid', 'paid', 'refunded', 'pre_authorized'];
const buyers = ['Ana Sofía Martínez', 'Luis Ortega', 'María José Hernández', 'Jürgen Weiß', '田中 花子'];

/** The JSON text of an order. */
export function orderText(id, index) {
  const amount = 10_000 + index * 37;
  const status = states[index % states.length];
  const created = 1_780_000_000 - index * 61;
  const name = buyers[index % buyers.length];
  const refunded = status === 'refunded';
  const address = {
    street1: 'Av. Insurgentes Sur 1602',
    city: 'Ciudad de México',
    state: 'CDMX',
    country: 'mx',
    residential: true,
    object: 'shipping_address',
    postal_code: '03940',
  };
  const line = (place) => ({
    name: `Concert ticket, section ${place + 101}, row ${index % 40}`,
    description: 'Admission for one person, general access from 19:00',
    unit_price: amount / 1 - place * 1000,
    quantity: 1,
    sku: `TKT-${place}-${index}`,
    tags: ['tickets', 'music'],
    brand: 'Foro Sol',
    type: 'physical',
    object: 'line_item',
    id: `line_item_2tQ7zRk9PwE5xN${place}`,
    parent_id: id,
    metadata: { section: String(place + 101), gate: 'B' },
    antifraud_info: {
      trip_id: '12345',
      driver_id: 'driv_1231',
      ticket_class: 'economic',
      pickup_latlon: '23.4323456,-123.1234567',
      dropoff_latlon: '23.4323456,-123.1234567',
    },
  });
  const charge = {
    id: `6a1f${String(index).padStart(20, '0')}`,
    livemode: false,
    created_at: created,
    currency: 'MXN',
    monthly_installments: null,
    device_fingerprint: null,
    payment_method: {
      name,
      exp_month: '12',
      exp_year: '29',
      auth_code: '490884',
      object: 'card_payment',
      type: 'credit',
      last4: '4242',
      brand: 'visa',
      issuer: '',
      account_type: '',
      country: 'MX',
      fraud_score: 29,
      fraud_indicators: [],
      normalized_device_fingerprint: null,
      address: {
        street1: 'Av. Insurgentes Sur 1602',
        city: 'Ciudad de México',
        state: 'CDMX',
        zip: '03940',
        country: 'MX',
        object: 'address',
      },
    },
    object: 'charge',
    description: 'Payment from order',
    is_refundable: !refunded,
    reference_id: null,
    refunds: refunded
      ? {
          object: 'list',
          has_more: false,
          total: 1,
          data: [
            {
              amount: -amount,
              auth_code: '490884',
              created_at: created + 9000,
              id: `6a20${String(index).padStart(20, '0')}`,
              object: 'refund',
            },
          ],
        }
      : null,
    status,
    amount,
    paid_at: created + 12,
    fee: 1421,
    customer_id: 'cus_2sZp8LmQ4tVx',
    order_id: id,
    failure_code: null,
    failure_message: null,
    channel: null,
  };
  return JSON.stringify({
    id,
    object: 'order',
    livemode: false,
    amount,
    currency: 'MXN',
    payment_status: status,
    amount_refunded: refunded ? amount : 0,
    split_payment: false,
    is_refundable: !refunded,
    customer_info: {
      email: 'buyer.of.tickets@example.com',
      phone: '+5215555555555',
      name,
      corporate: false,
      customer_id: 'cus_2sZp8LmQ4tVx',
      object: 'customer_info',
      antifraud_info: { account_created_at: 1484040996, first_paid_at: 1485151007, paid_transactions: 4 },
    },
    shipping_contact: {
      created_at: created,
      id: 'ship_cont_2tQ7zRk9PwE5xNvAm',
      object: 'shipping_contact',
      address,
    },
    fiscal_entity: null,
    channel: null,
    metadata: { campaign: 'autumn', desk: 'web', reference: `REF-${index}` },
    created_at: created,
    updated_at: created + 9000,
    line_items: { object: 'list', has_more: false, total: 2, data: [line(0), line(1)] },
    shipping_lines: null,
    tax_lines: null,
    discount_lines: null,
    charges: { object: 'list', has_more: false, total: 1, data: [charge] },
  });
}
