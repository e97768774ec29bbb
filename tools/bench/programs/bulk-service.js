// A service of many paid orders that can be refunded: `node bulk-service.js ORDERS LATENCY_MS [REFUNDED]` prints its address. It
// lists ORDERS of them and finds any other by its number; those from 10^15 on wait for their capture. Of the first REFUNDED every
// other one is refunded. `/reset` makes all of them as they were, and refunds those anew; `/requests` gives what was asked since
// then; `/list?from=N&count=M` lists orders from number N after the others.
import { createServer } from 'node:http';

const [orders = 0, latencyMs = 0, refundedBelow = 0] = process.argv.slice(2).map(Number);
const idOf = (index) => `ord_${String(index).padStart(17, '0')}`;
const indexOf = (id) => Number(id.slice(4));

const newest = Math.floor(Date.now() / 1000) - 600;
let refunded;
let captured;
let requests;
let more = { from: 0, count: 0 };

reset();

function reset() {
  [refunded, captured, requests] = [new Map(), new Set(), []];
  for (let index = 0; index < refundedBelow; index += 2) refund(index);
}

function refund(index, asked) {
  const made = refunded.get(index) ?? [];
  const amount = -(asked ?? amountOf(index));
  const created_at = Math.floor(Date.now() / 1000);
  refunded.set(index, [...made, { object: 'refund', id: `rf_${index}_${made.length}`, amount, created_at }]);
}

function amountOf(index) {
  return 35_000 + (index % 10_000);
}

const listOf = (data, has_more = false) => ({ object: 'list', has_more, data });

// About 2 kB, most of it what a refund does not need.
function order(index) {
  const id = idOf(index);
  const amount = amountOf(index);
  const made = refunded.get(index) ?? [];
  const sum = made.reduce((total, one) => total - one.amount, 0);
  const waits = index >= 1e15 && !captured.has(index);
  const money = { livemode: false, amount, currency: 'MXN', is_refundable: !waits && sum < amount };
  const paid = sum === 0 ? 'paid' : sum < amount ? 'partially_refunded' : 'refunded';
  const status = waits ? 'pre_authorized' : paid;
  const created_at = newest - (index % 10_000) * 61;
  const times = { created_at, updated_at: created_at + 30 };
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
    ...(waits ? {} : { paid_at: created_at + 12 }),
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
    if (pathname.endsWith('/capture')) captured.add(index);
    else refund(index, body.amount);
    return order(index);
  }
  const limit = Number(searchParams.get('limit') ?? 20);
  const before = searchParams.get('previous');
  const next = searchParams.get('next');
  const end = before === null ? undefined : indexOf(before);
  if (end !== undefined) return listFrom(Math.max(0, end - limit), end);
  const from = next === null ? 0 : indexOf(next) + 1;
  // An order that is not listed is found by its number all the same.
  if (from > orders) return listFrom(from, from + limit, from + limit < more.from + more.count);
  const own = Array.from({ length: Math.min(limit, orders - from) }, (_, at) => from + at);
  const others = Array.from({ length: Math.min(limit - own.length, more.count) }, (_, at) => more.from + at);
  return listOf([...own, ...others].map(order), from + limit < orders + more.count);
}

function listFrom(from, to, hasMore = true) {
  return listOf(
    Array.from({ length: to - from }, (_, at) => order(from + at)),
    hasMore,
  );
}

const server = createServer(async (request, reply) => {
  const { method, url } = request;
  const text = Buffer.concat(await request.toArray()).toString();
  const send = (body) =>
    reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (url === '/requests') return send(requests);
  if (url === '/reset') {
    reset();
    return send({});
  }
  if (url.startsWith('/list?')) {
    const asked = new URLSearchParams(url.slice(6));
    more = { from: Number(asked.get('from')), count: Number(asked.get('count')) };
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
