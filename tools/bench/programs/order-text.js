// An order as services of this family write it: 1.5 to 40 kB, 1 to 5 charges, 0 to 30 keys of metadata; quotes, backslashes, URLs,
// JSON inside a text, emoji, and names from right to left. Every third one has `\/` and `\u00e9` where the others have `/` and `é`.

const states = ['paid', 'paid', 'paid', 'refunded', 'pre_authorized'];
const buyers = [
  'Ana Sofía Martínez',
  'María "Mari" Hernández',
  'Luis Ortega',
  'Jürgen Weiß',
  'نور حداد',
  'Siobhán O’Brien',
  '田中 花子',
  'Peña & Hijos, S.A.',
  'דנה לוי',
  'Robert Smith 🎟️',
];
const goods = [
  'Concert ticket, general access',
  'Poster 24" × 36", framed',
  'Camiseta “Foro Sol” — niño',
  'Adapter USB-C\\Lightning',
  'Café de olla 1 kg ☕',
  'Cable 5 m (100% copper)',
  'Tom &amp; Jerry, the collection',
];
const notes = [
  (index) => `https://shop.example.com/gracias?order=${index}&utm_source=mail%20list&utm_medium=caf%C3%A9`,
  (index) => JSON.stringify({ cart: index, coupon: null, path: '/checkout/3' }),
  (index) => `A-${100_000 + index}`,
  () => 'C:\\ventas\\exportar.csv',
  () => 'Dejar en recepción; preguntar por "Lupita"\nTimbre 4',
  () => 'mx-web',
];

// What most orders of a shop have, and what few have: of fifty orders, one has this many lines.
const lineCounts = [1, 1, 2, 1, 3, 2, 1, 4, 1, 8];
const mostLines = 74;

const cycled = (list, index) => list[index % list.length];
const listOf = (data) => ({ object: 'list', has_more: false, total: data.length, data });

/** The JSON text of an order. The id is on all of its lines and charges. `latin`: no character beyond the Latin ones of Latin-1. */
export function orderText(id, index, latin) {
  const all = JSON.stringify(order(id, index));
  const text = latin ? all.replace(/[^\0-\xff]/g, '') : all;
  if (index % 3 !== 0) return text;
  const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replaceAll('/', '\\/').replace(/[^\0-\x7f]/g, escaped);
}

function order(id, index) {
  const isSmall = index % 10 === 0;
  const lines = index % 50 === 29 ? mostLines : cycled(lineCounts, index);
  const amount = 10_000 + index * 37;
  const status = cycled(states, index);
  const created_at = 1_780_000_000 - index * 61;
  const name = cycled(buyers, index);
  const chargeCount = index % 7 === 0 ? 1 + (index % 5) : 1;
  const refunded = status === 'refunded';
  const common = { id, index, created_at, name, status, refunded, isSmall };
  return {
    id,
    object: 'order',
    livemode: false,
    amount,
    currency: 'MXN',
    payment_status: status,
    amount_refunded: refunded ? amount : 0,
    split_payment: chargeCount > 1,
    is_refundable: !refunded,
    customer_info: {
      email: `buyer.${index}@example.com`,
      phone: '+5215555555555',
      name,
      corporate: false,
      customer_id: 'cus_2sZp8LmQ4tVx',
      object: 'customer_info',
      ...(isSmall ? {} : { antifraud_info: { account_created_at: 1484040996, paid_transactions: 4 } }),
    },
    shipping_contact: isSmall ? null : shippingContact(created_at),
    fiscal_entity: null,
    channel: null,
    metadata: Object.fromEntries(
      Array.from({ length: isSmall ? 0 : index % 23 === 0 ? 30 : index % 4 }, (_, at) => [
        `shop_field_${at}`,
        cycled(notes, index + at)(index),
      ]),
    ),
    created_at,
    updated_at: created_at + 9000,
    line_items: listOf(Array.from({ length: lines }, (_, place) => lineItem(common, place))),
    shipping_lines: null,
    tax_lines: null,
    discount_lines: null,
    charges: listOf(
      Array.from({ length: chargeCount }, (_, place) =>
        charge({ ...common, place, amount: amountOf(amount, chargeCount, place) }),
      ),
    ),
  };
}

// The last charge pays what the others leave.
function amountOf(amount, count, place) {
  const part = Math.floor(amount / count);
  return place === count - 1 ? amount - part * (count - 1) : part;
}

const address = {
  street1: 'Av. Insurgentes Sur 1602 s/n',
  city: 'Ciudad de México',
  state: 'CDMX',
  country: 'mx',
};

function shippingContact(created_at) {
  return {
    created_at,
    id: 'ship_cont_2tQ7zRk9PwE5xNvAm',
    object: 'shipping_contact',
    address: { ...address, residential: true, object: 'shipping_address', postal_code: '03940' },
  };
}

function lineItem({ id, index, isSmall }, place) {
  const item = {
    object: 'line_item',
    id: `line_item_2tQ7zRk9PwE5x${String(place).padStart(3, '0')}`,
    parent_id: id,
    unit_price: 12_000 + place * 1000,
    quantity: 1,
    name: `${cycled(goods, index + place)}, row ${index % 40}`,
  };
  if (isSmall) return item;
  return {
    ...item,
    description: place % 2 === 0 ? 'Admission for one person, general access from 19:00' : null,
    sku: `TKT-${place}-${index}`,
    tags: ['tickets', 'music/live'],
    brand: 'Foro Sol',
    type: 'physical',
    metadata: { section: String(place + 101), gate: 'B' },
    antifraud_info: {
      trip_id: '12345',
      driver_id: 'driv_1231',
      ticket_class: 'economic',
      pickup_latlon: '23.4323456,-123.1234567',
      dropoff_latlon: '23.4323456,-123.1234567',
    },
  };
}

function charge({ id, index, place, amount, created_at, name, status, refunded, isSmall }) {
  const number = `${String(index).padStart(18, '0')}${place}`;
  const refund = { amount: -amount, auth_code: '490884', created_at: created_at + 9000, object: 'refund' };
  return {
    id: `6a1f${number}`,
    livemode: false,
    created_at,
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
      ...(isSmall ? {} : { address: { ...address, zip: '03940', object: 'address' } }),
    },
    object: 'charge',
    description: 'Payment from order',
    is_refundable: !refunded,
    reference_id: null,
    refunds: refunded ? listOf([{ ...refund, id: `6a20${number}` }]) : null,
    status,
    amount,
    paid_at: created_at + 12,
    fee: 1421,
    customer_id: 'cus_2sZp8LmQ4tVx',
    order_id: id,
    failure_code: null,
    failure_message: null,
    channel: null,
  };
}
