// A service of many paid orders that can be refunded: `node bulk-service.js ORDERS LATENCY_MS` prints its address.
// `POST /reset` makes all of them paid again; `GET /requests` gives what was asked since then.
import { createServer } from 'node:http';

const [orders = 0, latencyMs = 0] = process.argv.slice(2).map(Number);
const idOf = (index) => `ord_${String(index).padStart(17, '0')}`;
const indexOf = (id) => Number(id.slice(4));

let refunded = new Map();
let requests = [];

const listOf = (data, has_more = false) => ({ object: 'list', has_more, data });

// About 2 kB, most of it what a refund does not need.
function order(index) {
  const id = idOf(index);
  const amount = 35_000 + index;
  const made = refunded.get(index) ?? [];
  const sum = made.reduce((total, one) => total - one.amount, 0);
  const money = { livemode: false, amount, currency: 'MXN', is_refundable: sum < amount };
  const status = sum === 0 ? 'paid' : sum < amount ? 'partially_refunded' : 'refunded';
  const times = { created_at: 1_780_000_000 - index * 61, updated_at: 1_780_000_000 };
  const address = { street1: 'Av. Insurgentes Sur 1602', city: 'Ciudad de Mexico', country: 'mx' };
  const line = (place) => ({
    object: 'line_item',
    id: `line_item_${place}_${id}`,
    name: `Concert ticket, section ${place}, row ${index % 40}`,
    description: 'Admission for one person, general access from 19:00',
    unit_price: amount,
    quantity: 1,
    metadata: { section: String(place), gate: 'B' },
    antifraud_info: { ticket_class: 'economic', pickup_latlon: '23.4323456,-123.1234567' },
  });
  const charge = {
    ...money,
    id: `ch_${id}`,
    object: 'charge',
    status,
    payment_method: { object: 'card_payment', type: 'credit', last4: '4242', brand: 'visa', address },
    refunds: made.length === 0 ? null : listOf(made),
  };
  return {
    ...money,
    ...times,
    id,
    object: 'order',
    amount_refunded: sum,
    payment_status: status,
    customer_info: { email: `buyer${index}@example.com`, phone: '+5215555555555', name: 'Ana Ortega' },
    shipping_contact: { object: 'shipping_contact', address },
    line_items: listOf([line(101), line(102)]),
    charges: listOf([charge]),
  };
}

function answer(method, url, body) {
  const { pathname, searchParams } = url;
  if (method === 'POST') {
    const index = indexOf(pathname.split('/')[2]);
    const made = refunded.get(index) ?? [];
    const amount = -(body.amount ?? 35_000 + index);
    refunded.set(index, [
      ...made,
      {
        object: 'refund',
        id: `rf_${index}_${made.length}`,
        amount,
        created_at: Math.floor(Date.now() / 1000),
      },
    ]);
    return order(index);
  }
  const limit = Number(searchParams.get('limit') ?? 20);
  const before = searchParams.get('previous');
  const next = searchParams.get('next');
  const end = before === null ? undefined : indexOf(before);
  const from = end === undefined ? (next === null ? 0 : indexOf(next) + 1) : Math.max(0, end - limit);
  const to = end ?? Math.min(orders, from + limit);
  return listOf(
    Array.from({ length: Math.max(0, to - from) }, (_, index) => order(from + index)),
    to < orders,
  );
}

const server = createServer(async (request, reply) => {
  const { method, url } = request;
  const text = Buffer.concat(await request.toArray()).toString();
  const send = (body) =>
    reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (url === '/requests') return send(requests);
  if (url === '/reset') {
    [refunded, requests] = [new Map(), []];
    return send({});
  }
  requests.push({ method, url, ...(text === '' ? {} : { body: text }) });
  const body = answer(method, new URL(url, 'http://localhost'), text === '' ? {} : JSON.parse(text));
  if (latencyMs > 0) setTimeout(() => send(body), latencyMs);
  else send(body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.on('end', () => process.exit()).resume();
